//! Inference of Poly-CNN: convolutions by Winograd's filtering, with the norms folded into them.

mod lanes;
pub(super) mod trunk;

use super::DeepError;
use super::architecture::Images;
use super::conv_inference::ConvLayer;
use super::dense::Dense;
use super::image_inference::Core;
use super::poly_cnn::{NormedConvolution, PolyCnnNet};
use crate::encoders::LANES;
use crate::nets::kernels::{Matrix, Rows, Spectra, Vector, Winograd, add_relu, pool, relu};
use lanes::LaneCore;

/// Approximate number of tiles that are multiplied together: more would exceed the cache.
const TILES: usize = 80;

/// Poly-CNN with its weights bound for inference. With few channels, most boards are computed sixteen at once; the
/// result of a board is the same, to the bit.
#[derive(Clone)]
pub struct PolyCnnCore {
    rows: PolyCore,
    lanes: Option<LaneCore>,
}

impl PolyCnnCore {
    /// Binds the current weights.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn new(net: &PolyCnnNet) -> Result<PolyCnnCore, DeepError> {
        Ok(PolyCnnCore { rows: PolyCore::new(net)?, lanes: LaneCore::new(net)? })
    }
}

impl Core for PolyCnnCore {
    fn images(&self) -> Images {
        self.rows.images
    }

    #[inline(always)]
    fn answer<V: Vector>(&mut self, images: &[f32], logits: &mut [f32], values: &mut [f32]) {
        let Some(lanes) = &mut self.lanes else { return self.rows.answer::<V>(images, logits, values) };
        let together = LaneCore::BOARDS;
        let size = self.rows.images.channels * self.rows.images.rows * self.rows.images.columns;
        let answers = logits.chunks_mut(together * self.rows.images.actions).zip(values.chunks_mut(together));
        for (images, (logits, values)) in images.chunks(together * size).zip(answers) {
            if values.len() < lanes.least() {
                self.rows.answer::<V>(images, logits, values);
            } else {
                lanes.answer::<V>(images, logits, values);
            }
        }
    }
}

/// Weights and buffers for computing boards one by one, with channels in the lanes.
#[derive(Clone)]
pub struct PolyCore {
    images: Images,
    first: ConvLayer,
    nets: Vec<Vec<Winograd>>,
    policy: Winograd,
    spectra: Spectra,
    /// Hidden units, value.
    value: [Matrix; 2],
    /// Channels of the hidden layers.
    hidden: usize,
    /// `h`, its ReLU, and the outputs of the convolutions of a net, in turn.
    rows: [Rows; 4],
    logits: Rows,
    /// The input of the value head: a row a board.
    pooled: Rows,
    units: [Rows; 2],
}

impl PolyCore {
    /// Binds the current weights.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn new(net: &PolyCnnNet) -> Result<PolyCore, DeepError> {
        let board = [net.images.rows, net.images.columns];
        let normed = |layer: &NormedConvolution| Dense::normed(&layer.convolution, &layer.norm);
        let first = ConvLayer::first_tight(&normed(&net.first)?, net.window()).without_relu();
        let nets = net.nets.iter().map(|layers| {
            let bind = |(at, layer): (usize, &NormedConvolution)| {
                let Dense { weights, bias } = normed(layer)?;
                let bound = Winograd::tight(board, &weights, &bias);
                Ok(if at + 1 < layers.len() { bound } else { bound.without_relu() })
            };
            layers.iter().enumerate().map(bind).collect()
        });
        let nets = nets.collect::<Result<_, DeepError>>()?;
        let Dense { weights, bias } = Dense::new(&net.policy)?;
        let policy = Winograd::tight(board, &weights, &bias).without_relu();
        let [units, value] = &net.value;
        let value = [Dense::new(units)?.pack_whole(), Dense::new(value)?.pack_whole()];
        let hidden = net.config.hidden(net.images.channels);
        let (rows, logits) = ([(); 4].map(|()| first.outputs()), policy.outputs());
        let (pooled, units) =
            (Rows::new((2 * hidden).div_ceil(LANES)), value.each_ref().map(|it| Rows::new(it.slots())));
        Ok(PolyCore {
            images: net.images,
            first,
            nets,
            policy,
            spectra: Spectra::new(),
            value,
            hidden,
            rows,
            logits,
            pooled,
            units,
        })
    }

    /// The logits of a few boards, and the inputs of the value head as rows from `start` on.
    #[inline(always)]
    fn convolve<V: Vector>(&mut self, images: &[f32], start: usize, logits: &mut [f32]) {
        let area = self.images.rows * self.images.columns;
        let boards = images.len() / (self.images.channels * area);
        let PolyCore { first, nets, policy, spectra, rows: [h, positive, inner, outer], logits: maps, pooled, .. } =
            self;
        [&mut *h, positive, inner, outer].into_iter().for_each(|rows| rows.reserve(boards * area));
        first.read::<V>(images, self.images.channels, h);
        for site in 0..boards * area {
            relu::<V>(h.row(site), positive.row_mut(site));
        }
        for net in nets {
            for (at, layer) in net.iter().enumerate() {
                std::mem::swap(inner, outer);
                layer.follow::<V>(if at == 0 { positive } else { inner }, boards, spectra, outer);
            }
            for site in 0..boards * area {
                add_relu::<V>(outer.row(site), h.row_mut(site), positive.row_mut(site));
            }
        }
        policy.follow::<V>(positive, boards, spectra, maps);
        for (board, logits) in logits.chunks_exact_mut(self.images.actions).enumerate() {
            turn(maps, board * area, logits, area);
            pool::<V>(positive, board * area, area, self.hidden, pooled.numbers_mut(start + board));
        }
    }
}

/// The logits of a board, `[plane][site]`, from its rows, one a site.
fn turn(maps: &Rows, first: usize, logits: &mut [f32], area: usize) {
    for site in 0..area {
        let planes = logits[site..].iter_mut().step_by(area);
        planes.zip(maps.numbers(first + site)).for_each(|(logit, &number)| *logit = number);
    }
}

impl Core for PolyCore {
    fn images(&self) -> Images {
        self.images
    }

    #[inline(always)]
    fn answer<V: Vector>(&mut self, images: &[f32], logits: &mut [f32], values: &mut [f32]) {
        let count = values.len();
        self.units.iter_mut().chain([&mut self.pooled]).for_each(|rows| rows.reserve(count));
        let together = (TILES / self.policy.tiles()).max(1);
        let size = self.images.channels * self.images.rows * self.images.columns;
        let groups = images.chunks(together * size).zip(logits.chunks_mut(together * self.images.actions));
        for (group, (images, logits)) in groups.enumerate() {
            self.convolve::<V>(images, group * together, logits);
        }
        let PolyCore { value: [hidden, last], pooled, units: [units, answers], .. } = self;
        hidden.multiply::<V>((pooled, 0), count, (units, 0), true);
        last.multiply::<V>((units, 0), count, (answers, 0), false);
        values.iter_mut().enumerate().for_each(|(board, value)| *value = answers.numbers(board)[0].tanh());
    }
}
