//! Inference of Poly-CNN with sixteen boards at once, one in each lane: for networks of few channels, to the same
//! bits.

use crate::encoders::LANES;
use crate::nets::deep::DeepError;
use crate::nets::deep::architecture::Images;
use crate::nets::deep::dense::Dense;
use crate::nets::deep::poly_cnn::{NormedConvolution, PolyCnnNet};
use crate::nets::kernels::{
    AlignedLanes, LaneConvolution, LaneDense, LaneSpectra, LaneWinograd, Vector, add_relu, interleave, pool_lanes,
    relu, separate,
};

/// Maximum number of hidden channels for which this order is faster: with more, registers of channels are nearly
/// full.
const FEW: usize = 26;

/// Numbers `[site][channel]` of sixteen boards.
type Maps = Vec<AlignedLanes>;

/// Weights and buffers.
#[derive(Clone)]
pub struct LaneCore {
    images: Images,
    first: LaneConvolution,
    /// The layers of all nets in sequence, then the policy's.
    layers: Vec<LaneWinograd>,
    /// Number of layers of a net.
    deep: usize,
    spectra: LaneSpectra,
    /// Hidden units, value.
    value: [LaneDense; 2],
    /// Channels of the hidden layers.
    hidden: usize,
    input: Maps,
    /// `h`, its ReLU, and the outputs of the convolutions of a net, in turn.
    maps: [Maps; 4],
    logits: Maps,
    /// The input of the value head, the hidden units, and the value before its tanh.
    units: [Maps; 3],
}

impl LaneCore {
    /// Number of boards that are computed together.
    pub const BOARDS: usize = LANES;

    /// Binds the current weights of a network of few channels.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn new(net: &PolyCnnNet) -> Result<Option<LaneCore>, DeepError> {
        if net.config.hidden(net.images.channels) <= FEW { LaneCore::bind(net).map(Some) } else { Ok(None) }
    }

    fn bind(net: &PolyCnnNet) -> Result<LaneCore, DeepError> {
        let (board, sites) = ([net.images.rows, net.images.columns], net.sites());
        let normed = |layer: &NormedConvolution| Dense::normed(&layer.convolution, &layer.norm);
        let Dense { weights, bias } = normed(&net.first)?;
        let first = LaneConvolution::new(board, 3, &weights, &bias).without_relu();
        let deep = net.nets[0].len();
        let bind = |(at, layer): (usize, &NormedConvolution)| {
            let Dense { weights, bias } = normed(layer)?;
            let bound = LaneWinograd::new(board, &weights, &bias);
            Ok(if (at + 1).is_multiple_of(deep) { bound.without_relu() } else { bound })
        };
        let mut layers = net.nets.iter().flatten().enumerate().map(bind).collect::<Result<Vec<_>, DeepError>>()?;
        let Dense { weights, bias } = Dense::new(&net.policy)?;
        let policy = LaneWinograd::new(board, &weights, &bias).without_relu();
        let logits = policy.slots();
        layers.push(policy);
        let [units, value] = [Dense::new(&net.value[0])?, Dense::new(&net.value[1])?]
            .map(|Dense { weights, bias }| LaneDense::new(&weights, &bias));
        let hidden = net.config.hidden(net.images.channels);
        let zeros = |slots: usize| vec![AlignedLanes::ZERO; slots];
        Ok(LaneCore {
            images: net.images,
            spectra: LaneSpectra::default(),
            hidden,
            input: zeros(sites * net.images.channels),
            maps: [(); 4].map(|()| zeros(first.slots())),
            logits: zeros(logits),
            units: [2 * hidden, net.value[0].weight.dim(0)?, net.value[1].weight.dim(0)?].map(zeros),
            value: [units, value.without_relu()],
            first,
            layers,
            deep,
        })
    }

    /// Minimum number of boards for which this is faster than one by one: empty lanes cost as much as full ones.
    /// Estimated from the time of a board in either order with 10 and 18 channels.
    pub fn least(&self) -> usize {
        if self.hidden <= LANES { 7 } else { 10 }
    }

    /// Writes the logits and values of up to sixteen images.
    #[inline(always)]
    pub fn answer<V: Vector>(&mut self, images: &[f32], logits: &mut [f32], values: &mut [f32]) {
        self.convolve::<V>(images);
        let LaneCore { value: [hidden, last], maps: [_, positive, ..], logits: planes, units, .. } = self;
        separate(planes, planes.len() / (self.images.rows * self.images.columns), logits);
        let [pooled, units, answers] = units;
        pool_lanes::<V>(positive, self.hidden, pooled);
        hidden.follow::<V>(pooled, units);
        last.follow::<V>(units, answers);
        values.iter_mut().zip(answers[0].0).for_each(|(value, number)| *value = number.tanh());
    }

    /// The maps of the trunk, their ReLU, and the planes of logits. All layers run in one place, as their code is
    /// compiled for each number of outputs.
    #[inline(always)]
    fn convolve<V: Vector>(&mut self, images: &[f32]) {
        let LaneCore { first, layers, deep, spectra, input, maps: [h, positive, inner, outer], logits, .. } = self;
        interleave(images, self.images.channels, input);
        first.follow::<V>(input, h);
        relu::<V>(h, positive);
        let policy = layers.len() - 1;
        for (at, layer) in layers.iter().enumerate() {
            std::mem::swap(inner, outer);
            let from = if at % *deep == 0 { &*positive } else { &*inner };
            layer.follow::<V>(from, spectra, if at == policy { &mut *logits } else { &mut *outer });
            if at != policy && (at + 1) % *deep == 0 {
                add_relu::<V>(outer, h, positive);
            }
        }
    }
}
