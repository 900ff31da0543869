//! Matrix products of many rows with fixed weights, and the type of these rows.
//!
//! Weights are packed once, in panels as wide as a few registers; a tile of rows is multiplied by one panel with all
//! of its sums in registers. Bias and ReLU are free. Every sum runs over the inputs in ascending order, one fused
//! multiply-add at a time, starting with the bias, for every tile: the result of a row depends only on that row, to
//! the bit.

use super::{AlignedLanes, Vector, Vectorized};
use crate::encoders::LANES;

/// Number of inputs that a tile reads at once, so that their weights stay in the cache for the next tile.
const BLOCK: usize = 512;

/// The number of rows is a multiple of this, so that every tile is whole.
const ROW_BLOCK: usize = 12;

/// Numbers `[row][slot][LANES]`, whose rows start on whole registers.
#[derive(Debug, Clone)]
pub struct Rows {
    slots: usize,
    /// Slots from one row to the next: odd, so that rows of a tile do not fall into the same cache set.
    stride: usize,
    values: Vec<AlignedLanes>,
}

impl Rows {
    /// No rows of this many slots.
    pub fn new(slots: usize) -> Rows {
        Rows { slots, stride: slots | 1, values: Vec::new() }
    }

    /// Makes room for at least `rows` rows; existing contents are kept, new rows are zero.
    pub fn reserve(&mut self, rows: usize) {
        let wanted = rows.next_multiple_of(ROW_BLOCK) * self.stride;
        if self.values.len() < wanted {
            self.values.resize(wanted, AlignedLanes::ZERO);
        }
    }

    /// Changes to at least `rows` rows of this many slots; the contents become unspecified.
    pub fn reshape(&mut self, slots: usize, rows: usize) {
        (self.slots, self.stride) = (slots, slots | 1);
        self.reserve(rows);
    }

    /// The same with a few additional rows, so that products may begin at any row.
    pub fn reserve_behind(&mut self, rows: usize) {
        self.reserve(rows + ROW_BLOCK);
    }

    /// One row.
    #[inline(always)]
    pub fn row(&self, row: usize) -> &[AlignedLanes] {
        &self.values[row * self.stride..][..self.slots]
    }

    /// One row, mutable.
    #[inline(always)]
    pub fn row_mut(&mut self, row: usize) -> &mut [AlignedLanes] {
        &mut self.values[row * self.stride..][..self.slots]
    }

    /// `count` rows from `first` on, as slots, and the number of slots from one to the next.
    #[inline(always)]
    pub fn rows(&self, first: usize, count: usize) -> (&[AlignedLanes], usize) {
        (&self.values[first * self.stride..][..count * self.stride], self.stride)
    }

    /// The same, mutable.
    #[inline(always)]
    pub fn rows_mut(&mut self, first: usize, count: usize) -> (&mut [AlignedLanes], usize) {
        (&mut self.values[first * self.stride..][..count * self.stride], self.stride)
    }

    /// The numbers of one row.
    #[inline(always)]
    pub fn numbers(&self, row: usize) -> &[f32] {
        let slots = self.row(row);
        // SAFETY: a slot consists only of its numbers, and the row is borrowed for the same time.
        unsafe { std::slice::from_raw_parts(slots.as_ptr().cast(), slots.len() * LANES) }
    }

    /// The numbers of one row, mutable.
    #[inline(always)]
    pub fn numbers_mut(&mut self, row: usize) -> &mut [f32] {
        let slots = self.row_mut(row);
        // SAFETY: as above, and there is no other reference to the row.
        unsafe { std::slice::from_raw_parts_mut(slots.as_mut_ptr().cast(), slots.len() * LANES) }
    }
}

/// Numbers as slots, zeros beyond the last.
pub fn slots(values: &[f32]) -> Vec<AlignedLanes> {
    let pack = |chunk: &[f32]| {
        let mut slot = AlignedLanes::ZERO;
        slot.0[..chunk.len()].copy_from_slice(chunk);
        slot
    };
    values.chunks(LANES).map(pack).collect()
}

/// A layer's weights and biases, packed.
#[derive(Debug, Clone)]
pub struct Matrix {
    inputs: usize,
    /// Registers of a panel: 1, 2 or 4.
    width: usize,
    /// `[panel][input][width]`.
    weights: Vec<AlignedLanes>,
    /// `[panel][width]`.
    bias: Vec<AlignedLanes>,
}

/// Slots of a panel for this many outputs. If it is `tight`, outputs that fit into one register use only one.
pub(super) fn panel_width(outputs: usize, tight: bool) -> usize {
    match outputs.div_ceil(LANES) {
        1 if tight => 1,
        slots if slots.is_multiple_of(4) => 4,
        _ => 2,
    }
}

impl Matrix {
    /// Packs weights `[output][input]` and biases `[output]`.
    pub fn new(weights: &[f32], bias: &[f32]) -> Matrix {
        Matrix::packed(weights, bias, panel_width(bias.len(), false))
    }

    /// The same, but outputs that fit into one register use only one.
    pub fn tight(weights: &[f32], bias: &[f32]) -> Matrix {
        Matrix::packed(weights, bias, panel_width(bias.len(), true))
    }

    /// [`Matrix::slots`] of a tight matrix with this many outputs.
    pub fn slots_of(outputs: usize) -> usize {
        match outputs.div_ceil(LANES) {
            1 => 1,
            slots => slots.next_multiple_of(2),
        }
    }

    fn packed(weights: &[f32], bias: &[f32], width: usize) -> Matrix {
        let inputs = weights.len() / bias.len();
        let mut bias = slots(bias);
        bias.resize(bias.len().next_multiple_of(width), AlignedLanes::ZERO);
        let mut packed = vec![AlignedLanes::ZERO; bias.len() * inputs];
        for (output, row) in weights.chunks_exact(inputs).enumerate() {
            let (slot, lane) = (output / LANES, output % LANES);
            let (panel, column) = (slot / width, slot % width);
            for (input, &weight) in row.iter().enumerate() {
                packed[(panel * inputs + input) * width + column].0[lane] = weight;
            }
        }
        Matrix { inputs, width, weights: packed, bias }
    }

    /// Slots of an output row: room for all outputs, rounded up to whole panels; zeros (or the ReLU of zero) beyond.
    pub fn slots(&self) -> usize {
        self.bias.len()
    }

    /// `into[.., to..] = from[.., at..] W + b`, with a ReLU if `relu`; `at` and `to` count slots.
    ///
    /// # Panics
    /// If the rows are too short or too few.
    #[inline(always)]
    pub fn multiply<V: Vector>(&self, from: (&Rows, usize), rows: usize, into: (&mut Rows, usize), relu: bool) {
        self.multiply_at::<V>((from.0, 0, from.1), rows, into, relu);
    }

    /// `into[.., ..] = from[first.., ..] W + b`, for `rows` rows from row `first` on, written from the first row on.
    ///
    /// # Panics
    /// As [`Matrix::multiply`]; a few more rows than requested must exist ([`Rows::reserve_behind`]).
    #[inline(always)]
    pub fn multiply_from<V: Vector>(&self, (from, first): (&Rows, usize), rows: usize, into: &mut Rows) {
        self.multiply_at::<V>((from, first, 0), rows, (into, 0), false);
    }

    #[inline(always)]
    fn multiply_at<V: Vector>(&self, from: (&Rows, usize, usize), rows: usize, into: (&mut Rows, usize), relu: bool) {
        V::perform(&mut Product { matrix: self, from, rows, into, relu });
    }

    #[inline(always)]
    fn tiles<V: Vector, const TALL: usize, const WIDTH: usize>(
        &self,
        (from, row, at): (&Rows, usize, usize),
        rows: usize,
        (into, to): (&mut Rows, usize),
        relu: bool,
    ) {
        let padded = rows.next_multiple_of(TALL);
        assert!(ROW_BLOCK.is_multiple_of(TALL) && self.width == WIDTH, "tiles fit the packing");
        assert!((from.slots - at) * LANES >= self.inputs && into.slots - to >= self.bias.len(), "rows are wide enough");
        assert!(
            from.values.len() >= (row + padded) * from.stride && into.values.len() >= padded * into.stride,
            "enough rows"
        );
        let panels = self.weights.as_chunks::<WIDTH>().0;
        for block in (0..self.inputs).step_by(BLOCK) {
            let end = (block + BLOCK).min(self.inputs);
            for (panel, bias) in self.bias.as_chunks::<WIDTH>().0.iter().enumerate() {
                let weights = &panels[panel * self.inputs + block..panel * self.inputs + end];
                let (to, relu) = (to + panel * WIDTH, relu && end == self.inputs);
                for first in (0..padded).step_by(TALL) {
                    let bias = (block == 0).then_some(bias);
                    tile::<V, TALL, WIDTH>(
                        (from, row + first, at * LANES + block),
                        weights,
                        bias,
                        (into, first, to),
                        relu,
                    );
                }
            }
        }
    }
}

/// A product: rows from a row and slot on, their number, and the slot from which on the result is written.
struct Product<'a> {
    matrix: &'a Matrix,
    from: (&'a Rows, usize, usize),
    rows: usize,
    into: (&'a mut Rows, usize),
    relu: bool,
}

impl Vectorized for Product<'_> {
    #[inline(always)]
    fn run<V: Vector>(&mut self) {
        let Product { matrix, from, rows, into: (into, to), relu } = self;
        let into = (&mut **into, *to);
        if V::WIDE {
            match matrix.width {
                4 => matrix.tiles::<V, 6, 4>(*from, *rows, into, *relu),
                1 => matrix.tiles::<V, 12, 1>(*from, *rows, into, *relu),
                _ => matrix.tiles::<V, 12, 2>(*from, *rows, into, *relu),
            }
        } else {
            match matrix.width {
                4 => matrix.tiles::<V, 2, 4>(*from, *rows, into, *relu),
                1 => matrix.tiles::<V, 4, 1>(*from, *rows, into, *relu),
                _ => matrix.tiles::<V, 2, 2>(*from, *rows, into, *relu),
            }
        }
    }
}

/// Adds the products of `TALL` rows, from number `at` on, with a block of one panel to the bias, or, if there is
/// none, to the contents of the rows from `line` on.
///
/// The rows from `first` on exist and hold as many numbers from `at` on as the block has inputs.
#[inline(always)]
#[expect(clippy::needless_range_loop, reason = "the sums only stay in registers if every index is a loop's")]
fn tile<V: Vector, const TALL: usize, const WIDTH: usize>(
    (from, first, at): (&Rows, usize, usize),
    weights: &[[AlignedLanes; WIDTH]],
    bias: Option<&[AlignedLanes; WIDTH]>,
    (into, line, to): (&mut Rows, usize, usize),
    relu: bool,
) {
    let mut sums = [[V::splat(0.0); WIDTH]; TALL];
    for row in 0..TALL {
        let start = match bias {
            Some(bias) => bias,
            None => &into.values[(line + row) * into.stride + to..][..WIDTH],
        };
        for column in 0..WIDTH {
            sums[row][column] = V::load(&start[column].0);
        }
    }
    let (start, stride) = (from.values[first * from.stride..].as_ptr().cast::<f32>(), from.stride * LANES);
    for (input, weights) in weights.iter().enumerate() {
        let mut columns = [V::splat(0.0); WIDTH];
        for column in 0..WIDTH {
            columns[column] = V::load(&weights[column].0);
        }
        for row in 0..TALL {
            // SAFETY: `tiles` has checked that the rows `first .. first + TALL` lie within `values`, whose slots are
            // nothing but numbers, and that they are wide enough. Checking here would double the time.
            let value = V::splat(unsafe { *start.add(row * stride + at + input) });
            for column in 0..WIDTH {
                sums[row][column] = value.mul_add(columns[column], sums[row][column]);
            }
        }
    }
    let (end, stride) = (into.values[line * into.stride + to..].as_mut_ptr(), into.stride);
    for row in 0..TALL {
        for column in 0..WIDTH {
            let sum = sums[row][column];
            let sum = if relu { sum.max(V::splat(0.0)) } else { sum };
            // SAFETY: `tiles` has checked that the rows `line .. line + TALL` lie within `values` and are wide enough.
            sum.store(unsafe { &mut (*end.add(row * stride + column)).0 });
        }
    }
}
