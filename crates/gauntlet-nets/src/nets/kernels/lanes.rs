//! Layers for networks of few channels: sixteen boards at once, one in each lane.
//!
//! Numbers are `[site][channel][LANES]`, weights are broadcast. If a layer has fewer outputs than a register has
//! lanes, or a few more, [`Matrix`](super::Matrix), whose lanes are outputs, leaves the remaining lanes idle; here
//! none is. Every sum runs over the same numbers in the same order as in `Matrix`: the bits are the same.

use super::{AlignedLanes, Vector, Vectorized};
use crate::encoders::LANES;

/// Maximum number of outputs of a panel: the number of sums in registers if a [`Vector`] takes one of 32 registers.
const PANEL: usize = 12;

/// The same if a [`Vector`] takes two of 16 registers.
const NARROW: usize = 6;

/// The weights of neighbouring outputs.
#[derive(Debug, Clone)]
pub(super) struct Panel {
    /// The first of the outputs.
    pub first: usize,
    /// Number of outputs, 1 to [`PANEL`].
    pub width: usize,
    /// `[input][width]`.
    pub weights: Vec<f32>,
    /// `[width]`.
    pub bias: Vec<f32>,
}

/// Packs weights `[output][input]` and biases `[output]`, in panels of nearly the same width.
pub(super) fn panels(weights: &[f32], bias: &[f32]) -> Vec<Panel> {
    let (inputs, outputs) = (weights.len() / bias.len(), bias.len());
    let count = outputs.div_ceil(PANEL);
    let pack = |panel: usize| {
        let (first, end) = (panel * outputs / count, (panel + 1) * outputs / count);
        let column = |input: usize| (first..end).map(move |output| weights[output * inputs + input]);
        let weights = (0..inputs).flat_map(column).collect();
        Panel { first, width: end - first, weights, bias: bias[first..end].to_vec() }
    };
    (0..count).map(pack).collect()
}

/// An operation on a few outputs of a panel at once, with their sums in registers.
pub(super) trait Columns {
    /// Runs the operation on the columns `from .. from + N`.
    ///
    /// Implementations are `#[inline(always)]`.
    fn columns<V: Vector, const N: usize>(&mut self, panel: &Panel, from: usize);
}

/// Runs the operation on all columns of a panel.
#[inline(always)]
pub(super) fn through_columns<V: Vector>(panel: &Panel, work: &mut impl Columns) {
    let parts = panel.width.div_ceil(if V::WIDE { PANEL } else { NARROW });
    for part in 0..parts {
        let (from, end) = (part * panel.width / parts, (part + 1) * panel.width / parts);
        if V::WIDE && end - from > NARROW {
            match end - from {
                7 => part_of::<V, 7>(panel, from, work),
                8 => part_of::<V, 8>(panel, from, work),
                9 => part_of::<V, 9>(panel, from, work),
                10 => part_of::<V, 10>(panel, from, work),
                11 => part_of::<V, 11>(panel, from, work),
                _twelve => part_of::<V, PANEL>(panel, from, work),
            }
        } else {
            match end - from {
                1 => part_of::<V, 1>(panel, from, work),
                2 => part_of::<V, 2>(panel, from, work),
                3 => part_of::<V, 3>(panel, from, work),
                4 => part_of::<V, 4>(panel, from, work),
                5 => part_of::<V, 5>(panel, from, work),
                _six => part_of::<V, NARROW>(panel, from, work),
            }
        }
    }
}

/// Runs the operation on `N` columns.
#[inline(always)]
fn part_of<V: Vector, const N: usize>(panel: &Panel, from: usize, work: &mut impl Columns) {
    V::perform(&mut ColumnsPart::<_, N> { panel, from, work });
}

/// An operation and its columns.
struct ColumnsPart<'a, W, const N: usize> {
    panel: &'a Panel,
    from: usize,
    work: &'a mut W,
}

impl<W: Columns, const N: usize> Vectorized for ColumnsPart<'_, W, N> {
    #[inline(always)]
    fn run<V: Vector>(&mut self) {
        self.work.columns::<V, N>(self.panel, self.from);
    }
}

/// Sums that begin with the biases of a panel's columns from `first` on.
#[inline(always)]
pub(super) fn begin<V: Vector, const N: usize>(panel: &Panel, first: usize) -> [V; N] {
    let (bias, mut sums) = (&panel.bias[first..][..N], [V::splat(0.0); N]);
    for column in 0..N {
        sums[column] = V::splat(bias[column]);
    }
    sums
}

/// Adds the products of some inputs with the columns `first .. first + N` of a panel's weights, `[input][width]`.
#[inline(always)]
#[expect(clippy::needless_range_loop, reason = "the sums only stay in registers if every index is a loop's")]
pub(super) fn accumulate<V: Vector, const N: usize>(
    sums: &mut [V; N],
    from: &[AlignedLanes],
    (weights, width): (&[f32], usize),
    first: usize,
) {
    assert!(weights.len() == from.len() * width && first + N <= width, "a row of weights for each input");
    let start = weights.as_ptr();
    for (input, numbers) in from.iter().enumerate() {
        let numbers = V::load(&numbers.0);
        for column in 0..N {
            // SAFETY: `weights` has `width` numbers for each input, more than `first + column`, as checked above.
            let weight = V::splat(unsafe { *start.add(input * width + first + column) });
            sums[column] = numbers.mul_add(weight, sums[column]);
        }
    }
}

/// Writes sums, with a ReLU if `relu`.
#[inline(always)]
pub(super) fn finish<V: Vector, const N: usize>(sums: &[V; N], relu: bool, into: &mut [AlignedLanes]) {
    let into = &mut into[..N];
    for column in 0..N {
        let sum = if relu { sums[column].max(V::splat(0.0)) } else { sums[column] };
        sum.store(&mut into[column].0);
    }
}

/// A direct convolution with a border of zeros and an optional ReLU.
///
/// Sums run over the field row by row, over the channels of each site, starting with the bias; the border is skipped.
#[derive(Debug, Clone)]
pub struct LaneConvolution {
    board: [usize; 2],
    /// Rows and columns of the field, an odd number.
    field: usize,
    channels: usize,
    outputs: usize,
    panels: Vec<Panel>,
    relu: bool,
}

impl LaneConvolution {
    /// Binds weights `[output][field * field][channel]` and biases `[output]` to a board.
    pub fn new(board: [usize; 2], field: usize, weights: &[f32], bias: &[f32]) -> LaneConvolution {
        let channels = weights.len() / bias.len() / (field * field);
        LaneConvolution { board, field, channels, outputs: bias.len(), panels: panels(weights, bias), relu: true }
    }

    /// The layer without a ReLU after it.
    #[must_use]
    pub fn without_relu(self) -> LaneConvolution {
        LaneConvolution { relu: false, ..self }
    }

    /// Reads `[site][channel]` and writes `[site][output]`.
    ///
    /// # Panics
    /// If there are fewer values.
    #[inline(always)]
    pub fn follow<V: Vector>(&self, from: &[AlignedLanes], into: &mut [AlignedLanes]) {
        for panel in &self.panels {
            through_columns::<V>(panel, &mut Sites { layer: self, from, into });
        }
    }

    /// The part of a field's line on the board with `places` sites, around site `at`.
    fn covered(&self, at: usize, places: usize) -> [usize; 2] {
        let margin = self.field / 2;
        [margin.saturating_sub(at), self.field.min(places + margin - at)]
    }
}

/// A [`LaneConvolution`] applied to one batch.
struct Sites<'a> {
    layer: &'a LaneConvolution,
    from: &'a [AlignedLanes],
    into: &'a mut [AlignedLanes],
}

impl Columns for Sites<'_> {
    #[inline(always)]
    fn columns<V: Vector, const N: usize>(&mut self, panel: &Panel, from: usize) {
        let &LaneConvolution { board: [rows, columns], outputs, relu, .. } = self.layer;
        for row in 0..rows {
            for column in 0..columns {
                let mut sums = begin::<V, N>(panel, from);
                self.add_field(&mut sums, [row, column], panel, from);
                let site = row * columns + column;
                finish(&sums, relu, &mut self.into[site * outputs + panel.first + from..]);
            }
        }
    }
}

impl Sites<'_> {
    #[inline(always)]
    fn add_field<V: Vector, const N: usize>(
        &self,
        sums: &mut [V; N],
        [row, column]: [usize; 2],
        panel: &Panel,
        first: usize,
    ) {
        let &LaneConvolution { board: [rows, columns], field, channels, .. } = self.layer;
        let ([top, bottom], [left, right]) = (self.layer.covered(row, rows), self.layer.covered(column, columns));
        let count = (right - left) * channels;
        for down in top..bottom {
            let site = (row + down - field / 2) * columns + column + left - field / 2;
            let (at, width) = ((down * field + left) * channels * panel.width, panel.width);
            let weights = &panel.weights[at..][..count * width];
            accumulate(sums, &self.from[site * channels..][..count], (weights, width), first);
        }
    }
}

/// A fully connected layer with an optional ReLU: a small part of a network's work.
#[derive(Debug, Clone)]
pub struct LaneDense {
    /// One panel for each output.
    panels: Vec<Panel>,
    relu: bool,
}

impl LaneDense {
    /// Binds weights `[output][input]` and biases `[output]`.
    pub fn new(weights: &[f32], bias: &[f32]) -> LaneDense {
        let inputs = weights.len() / bias.len();
        let panels =
            weights.chunks_exact(inputs).zip(bias).flat_map(|(weights, &bias)| panels(weights, &[bias])).collect();
        LaneDense { panels, relu: true }
    }

    /// The layer without a ReLU after it.
    #[must_use]
    pub fn without_relu(self) -> LaneDense {
        LaneDense { relu: false, ..self }
    }

    /// Reads `[input]` and writes `[output]`.
    ///
    /// # Panics
    /// If there are fewer or more values.
    #[inline(always)]
    pub fn follow<V: Vector>(&self, from: &[AlignedLanes], into: &mut [AlignedLanes]) {
        for (panel, into) in self.panels.iter().zip(into) {
            let mut sums = begin::<V, 1>(panel, 0);
            accumulate(&mut sums, from, (&panel.weights, panel.width), 0);
            finish(&sums, self.relu, std::slice::from_mut(into));
        }
    }
}

/// Puts up to sixteen images `[image][plane][site]` into the lanes, one in each, as `[site][plane]`; lanes without an
/// image stay unchanged.
pub fn interleave(images: &[f32], planes: usize, into: &mut [AlignedLanes]) {
    let sites = into.len() / planes;
    for (plane, start) in strips(planes, sites) {
        for (lane, image) in images.chunks_exact(planes * sites).enumerate() {
            let strip = &image[plane * sites + start..(plane + 1) * sites];
            let slots = into[start * planes + plane..].iter_mut().step_by(planes);
            slots.zip(strip).take(LANES).for_each(|(slot, &number)| slot.0[lane] = number);
        }
    }
}

/// Extracts the images from the lanes, as many as `images` has room for.
pub fn separate(from: &[AlignedLanes], planes: usize, images: &mut [f32]) {
    let sites = from.len() / planes;
    for (plane, start) in strips(planes, sites) {
        for (lane, image) in images.chunks_exact_mut(planes * sites).enumerate() {
            let strip = &mut image[plane * sites + start..(plane + 1) * sites];
            let slots = from[start * planes + plane..].iter().step_by(planes);
            strip.iter_mut().zip(slots).take(LANES).for_each(|(number, slot)| *number = slot.0[lane]);
        }
    }
}

/// All planes with the first site of every sixteen: the data moved at once stay in the cache.
fn strips(planes: usize, sites: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..planes).flat_map(move |plane| (0..sites).step_by(LANES).map(move |start| (plane, start)))
}

/// Maxima and means of each channel over the sites of `[site][width]`, none of which is below 0: first the `width`
/// maxima, then the means. Same as [`pool`](super::pool), to the bit.
#[inline(always)]
pub fn pool_lanes<V: Vector>(from: &[AlignedLanes], width: usize, into: &mut [AlignedLanes]) {
    let (greatest, means) = into.split_at_mut(width);
    let share = V::splat(1.0 / (from.len() / width) as f32);
    for channel in 0..width {
        let (mut most, mut sum) = (V::splat(0.0), V::splat(0.0));
        for site in from.chunks_exact(width) {
            let numbers = V::load(&site[channel].0);
            (most, sum) = (most.max(numbers), sum.add(numbers));
        }
        most.store(&mut greatest[channel].0);
        sum.mul(share).store(&mut means[channel].0);
    }
}
