//! Inference with sixteen boards at once, one in each lane: for networks of few channels, to the same bits.

use super::cells::Cell;
use super::steps::{BoundStep, Head, Step};
use crate::encoders::LANES;
use crate::nets::deep::dense::Dense;
use crate::nets::deep::layers::Places;
use crate::nets::kernels::{
    AlignedLanes, LaneConvolution, LaneDense, LaneSpectra, LaneWinograd, Vector, add, add_relu, interleave, pool_lanes,
    relu, separate,
};

/// Maximum number of hidden channels for which this order is faster: with more, registers of channels are nearly
/// full.
const FEW: usize = 26;

/// Numbers `[site][channel]` of sixteen boards.
type Maps = Vec<AlignedLanes>;

/// A step on [`Maps`], given by the numbers of their buffers.
#[derive(Clone)]
enum LaneStep {
    First(LaneConvolution),
    Winograd(LaneWinograd),
    Dense(LaneDense),
    Relu,
    Add,
    AddRelu { onto: usize },
    Pool { width: usize },
    WithPools { width: usize, pooled: usize },
}

/// A step with the buffers that it reads and writes, and the length of its result.
#[derive(Clone)]
struct PlacedStep {
    step: LaneStep,
    from: usize,
    to: usize,
    slots: usize,
}

/// A network with its weights bound to lanes.
#[derive(Clone)]
pub struct LaneProgram {
    steps: Vec<PlacedStep>,
    maps: Vec<Maps>,
    input: Maps,
    /// Channels of an image, and sites.
    image: [usize; 2],
    hidden: usize,
    spectra: LaneSpectra,
    /// Buffers of the planes of logits and of the score.
    heads: [usize; 2],
}

impl LaneProgram {
    /// Number of boards that are computed together.
    pub const BOARDS: usize = LANES;

    /// Binds a network of few channels whose steps, with the layers of their products, all have such a form.
    pub fn bind(steps: &[(BoundStep, Option<Dense>)], heads: [&Head; 2]) -> Option<LaneProgram> {
        let [Head::Cell { cell: logits, places: Places::Grid { rows, columns } }, Head::Cell { cell: score, .. }] =
            heads
        else {
            return None;
        };
        let on_grid =
            |step: &&(BoundStep, Option<Dense>)| matches!(step.0.step, Step::Read { .. } | Step::Winograd { .. });
        let hidden = steps.iter().filter(on_grid).map(|(bound, _)| bound.step.to());
        let hidden = hidden.filter(|to| *to != logits).map(Cell::width).max()?;
        let (board, sites) = ([*rows, *columns], rows * columns);
        let Step::Read { channels, .. } = steps.first()?.0.step else { return None };
        if hidden > FEW {
            return None;
        }
        let steps: Vec<PlacedStep> =
            steps.iter().map(|(bound, dense)| PlacedStep::new(bound, dense.as_ref(), board)).collect::<Option<_>>()?;
        let buffers = steps.iter().map(|placed| placed.to).max()? + 1;
        Some(LaneProgram {
            steps,
            maps: vec![Vec::new(); buffers],
            input: vec![AlignedLanes::ZERO; sites * channels],
            image: [channels, sites],
            hidden,
            spectra: LaneSpectra::default(),
            heads: [logits.buffer, score.buffer],
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
        let LaneProgram { steps, maps, input, image: [channels, sites], spectra, heads: [planes, score], .. } = self;
        interleave(images, *channels, input);
        for placed in steps {
            placed.run::<V>(input, maps, spectra);
        }
        separate(&maps[*planes], maps[*planes].len() / *sites, logits);
        values.iter_mut().zip(maps[*score][0].0).for_each(|(value, number)| *value = number.tanh());
    }
}

impl PlacedStep {
    fn new(BoundStep { places, step }: &BoundStep, dense: Option<&Dense>, board: [usize; 2]) -> Option<PlacedStep> {
        let sites = if let Places::Grid { rows, columns } = places { rows * columns } else { 1 };
        let to = step.to();
        let (from, lane_step, rows) = match (step, dense) {
            (Step::Read { layer, .. }, Some(Dense { weights, bias })) if layer.is_same() => {
                let bound = LaneConvolution::new(board, 3, weights, bias);
                (0, LaneStep::First(if layer.has_relu() { bound } else { bound.without_relu() }), sites)
            }
            (Step::Winograd { layer, from, .. }, Some(Dense { weights, bias }))
                if from.width() <= LaneWinograd::CHANNELS =>
            {
                let bound = LaneWinograd::new(board, weights, bias);
                let bound = if layer.has_relu() { bound } else { bound.without_relu() };
                (from.buffer, LaneStep::Winograd(bound), sites)
            }
            (Step::Product { matrix, relu, from, .. }, Some(Dense { weights, bias }))
                if *places == Places::Board && matrix.is_f32() =>
            {
                let bound = LaneDense::new(weights, bias);
                (from.buffer, LaneStep::Dense(if *relu { bound } else { bound.without_relu() }), 1)
            }
            (Step::Relu { from, .. }, _) => (from.buffer, LaneStep::Relu, sites),
            (Step::Add { from, .. }, _) => (from.buffer, LaneStep::Add, sites),
            (Step::AddRelu { from, onto, .. }, _) => (from.buffer, LaneStep::AddRelu { onto: onto.buffer }, sites),
            (Step::Pool { from, .. }, _) => (from.buffer, LaneStep::Pool { width: from.width() }, 1),
            (Step::WithPools { pooled, from, .. }, _) => {
                (from.buffer, LaneStep::WithPools { width: from.width(), pooled: *pooled }, sites)
            }
            _ => return None,
        };
        Some(PlacedStep { step: lane_step, from, to: to.buffer, slots: rows * to.width() })
    }

    #[inline(always)]
    fn run<V: Vector>(&mut self, input: &[AlignedLanes], maps: &mut [Maps], spectra: &mut LaneSpectra) {
        // The result's buffer is taken out, so that the arguments' can be read meanwhile.
        let mut into = std::mem::take(&mut maps[self.to]);
        into.resize(self.slots, AlignedLanes::ZERO);
        let from = &maps[self.from];
        match &self.step {
            LaneStep::First(layer) => layer.follow::<V>(input, &mut into),
            LaneStep::Winograd(layer) => layer.follow::<V>(from, spectra, &mut into),
            LaneStep::Dense(layer) => layer.follow::<V>(from, &mut into),
            LaneStep::Relu => relu::<V>(from, &mut into),
            LaneStep::Add => add::<V>(from, &mut into),
            LaneStep::AddRelu { onto } => {
                let mut sums = std::mem::take(&mut maps[*onto]);
                add_relu::<V>(&maps[self.from], &mut sums, &mut into);
                maps[*onto] = sums;
            }
            LaneStep::Pool { width } => pool_lanes::<V>(from, *width, &mut into),
            LaneStep::WithPools { width, pooled } => with_pools::<V>(from, *width, *pooled, &mut into),
        }
        maps[self.to] = into;
    }
}

/// The ReLU of each site's channels, and behind it that of maxima and means of the board's first `pooled` channels.
#[inline(always)]
fn with_pools<V: Vector>(from: &[AlignedLanes], width: usize, pooled: usize, into: &mut [AlignedLanes]) {
    let (zero, share) = (V::splat(0.0), V::splat(1.0 / (from.len() / width) as f32));
    for channel in 0..pooled {
        let (mut most, mut sum) = (zero, zero);
        for site in from.chunks_exact(width) {
            let numbers = V::load(&site[channel].0);
            (most, sum) = (most.max(numbers), sum.add(numbers));
        }
        let mean = sum.mul(share).max(zero);
        for site in into.chunks_exact_mut(width + 2 * pooled) {
            most.store(&mut site[width + channel].0);
            mean.store(&mut site[width + pooled + channel].0);
        }
    }
    for (from, into) in from.chunks_exact(width).zip(into.chunks_exact_mut(width + 2 * pooled)) {
        relu::<V>(from, &mut into[..width]);
    }
}
