//! Matrix products of many rows with fixed weights, of numbers rounded to bf16.
//!
//! The law is that of [`super::chains`]. The bias is added to the result in `f32`, then comes the ReLU, if wanted. A
//! row's result depends only on that row. An infinite input or a NaN counts as such; which NaN comes out is not fixed.

use std::cell::RefCell;

#[cfg(target_arch = "x86_64")]
use super::chains::pair_up_row;
use super::chains::{Ends, Last, finish, pack_row, pack_weights, panel_lines, row_slots, tile};
use super::low_precision::LowPrecisionVector;
use super::low_precision_sets::{CheckedSet, DotSet, LowPrecisionWork};
use super::matrix::panel_width;
use super::product::MatrixView;
use super::vector::{Portable, Vector};
use super::{AlignedLanes, Rows, slots};
use crate::encoders::LANES;

/// Number of inputs that a tile reads at once, so that their weights stay in the cache for the next tile.
const DEPTH: usize = 512;
/// Slots of packed rows that are made before they are multiplied, so that they stay in the cache.
const CHUNK: usize = 1 << 12;
/// The same for tiles. They are so fast that a second pass over the weights would be a large part of the time.
const CHUNK_OF_TILES: usize = 1 << 14;
/// Chunks hold a multiple of this many rows, so that only the last has partial tiles.
const ROW_BLOCK: usize = 96;

/// A layer's weights and biases, rounded and packed.
#[derive(Debug, Clone)]
pub struct Bf16Matrix {
    set: CheckedSet,
    layer: Bf16Layer,
}

/// Weights and biases.
#[derive(Debug, Clone)]
struct Bf16Layer {
    inputs: usize,
    /// Slots of a panel: 1, 2 or 4.
    width: usize,
    /// `[panel][line][width]`, see [`pack_weights`].
    weights: Vec<AlignedLanes>,
    /// `[slot]`
    bias: Vec<AlignedLanes>,
}

impl Bf16Matrix {
    /// Packs weights `[output][input]` and biases `[output]` for an instruction set; the slots are those of
    /// [`super::Matrix::tight`] if it is `tight`, or else of [`super::Matrix::new`].
    ///
    /// # Panics
    /// If the set is not one of [`DotSet::available`].
    pub fn new(set: DotSet, weights: &[f32], bias: &[f32], tight: bool) -> Bf16Matrix {
        Bf16Matrix::packed(CheckedSet::new(set), weights, bias, panel_width(bias.len(), tight))
    }

    fn packed(set: CheckedSet, weights: &[f32], bias: &[f32], width: usize) -> Bf16Matrix {
        let inputs = weights.len() / bias.len();
        let mut bias = slots(bias);
        bias.resize(bias.len().next_multiple_of(width), AlignedLanes::ZERO);
        let (joined, view) = (set.has_tiles(), MatrixView::new(weights, inputs));
        // There are two chains for each sum, so that registers hold half of what those of a plain matrix hold.
        let width = width.min(if set.is_wide() { 2 } else { 1 });
        let mut packed = vec![AlignedLanes::ZERO; bias.len() * panel_lines(inputs, joined)];
        if joined {
            pack_weights::<Portable, true>(view, &mut packed, width);
        } else {
            pack_weights::<Portable, false>(view, &mut packed, width);
        }
        Bf16Matrix { set, layer: Bf16Layer { inputs, width, weights: packed, bias } }
    }

    /// Slots of an output row: room for all outputs, rounded up to whole panels; zeros beyond.
    pub fn slots(&self) -> usize {
        self.layer.bias.len()
    }

    /// `into[.., to..] = from[first.., at..] W + b`, with a ReLU if `relu`; `at` and `to` count slots.
    ///
    /// `rows` rows are read from row `first` on, and written from the first row on.
    ///
    /// # Panics
    /// If the rows are too short or too few.
    pub fn multiply(&self, from: (&Rows, usize, usize), rows: usize, into: (&mut Rows, usize), relu: bool) {
        let ((from, first, at), (into, to)) = (from, into);
        thread_local! {
            static PACKED: RefCell<Vec<AlignedLanes>> = const { RefCell::new(Vec::new()) };
        }
        PACKED.with_borrow_mut(|packed| {
            self.set.perform(&mut Bf16Product { matrix: self, packed, from, first, at, rows, into, to, relu });
        });
    }
}

/// A product, to run on any instruction set.
struct Bf16Product<'a> {
    matrix: &'a Bf16Matrix,
    /// Rounded rows `[row][slot]`, [`row_slots`] a row.
    packed: &'a mut Vec<AlignedLanes>,
    from: &'a Rows,
    first: usize,
    at: usize,
    rows: usize,
    into: &'a mut Rows,
    to: usize,
    relu: bool,
}

impl LowPrecisionWork for Bf16Product<'_> {
    #[inline(always)]
    fn run<V: LowPrecisionVector>(&mut self) {
        match (self.matrix.layer.width, V::WIDE) {
            (2, true) => self.chunks::<V, 6, 2>(),
            (_, true) => self.chunks::<V, 12, 1>(),
            (_, false) => self.chunks::<V, 3, 1>(),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn run_tiles(&mut self) {
        let mut chunk = 0;
        while chunk < self.rows {
            let count = self.reserve(chunk);
            // SAFETY: the caller has the instructions and has configured the tiles.
            unsafe {
                self.pair_up(chunk, count);
                self.chunk_of_tiles(chunk, count);
            }
            chunk += count;
        }
    }
}

impl Bf16Product<'_> {
    /// Slots of a packed row.
    fn stride(&self) -> usize {
        row_slots(self.matrix.layer.inputs, self.matrix.set.has_tiles())
    }

    /// Makes room for the rows of a chunk, and for what tiles read behind them; returns their number.
    fn reserve(&mut self, chunk: usize) -> usize {
        let stride = self.stride();
        let room = if self.matrix.set.has_tiles() { CHUNK_OF_TILES } else { CHUNK };
        let count = (room / stride).max(1).next_multiple_of(ROW_BLOCK).min(self.rows - chunk);
        let wanted = count.next_multiple_of(ROW_BLOCK) * stride;
        if self.packed.len() < wanted {
            self.packed.resize(wanted, AlignedLanes::ZERO);
        }
        count
    }

    /// The numbers of one input row.
    #[inline(always)]
    fn numbers(&self, row: usize) -> &[f32] {
        &self.from.numbers(self.first + row)[self.at * LANES..][..self.matrix.layer.inputs]
    }

    #[inline(always)]
    fn chunks<V: LowPrecisionVector, const TALL: usize, const WIDTH: usize>(&mut self) {
        assert!(ROW_BLOCK.is_multiple_of(TALL), "only the last tile of all is partial");
        let (stride, mut chunk) = (self.stride(), 0);
        while chunk < self.rows {
            let count = self.reserve(chunk);
            let mut packed = std::mem::take(self.packed);
            for (row, into) in packed.chunks_exact_mut(stride).take(count).enumerate() {
                pack_row::<V, false>(self.numbers(chunk + row), into);
            }
            *self.packed = packed;
            for start in (0..self.matrix.layer.inputs).step_by(DEPTH) {
                self.chunk::<V, TALL, WIDTH>(chunk, count, start);
            }
            chunk += count;
        }
    }

    /// Multiplies packed rows by a block of inputs of all panels, with `TALL` rows at once.
    ///
    /// Between two blocks, `into` holds the sums.
    #[inline(always)]
    fn chunk<V: LowPrecisionVector, const TALL: usize, const WIDTH: usize>(
        &mut self,
        chunk: usize,
        count: usize,
        start: usize,
    ) {
        let (layer, rows, stride) = (&self.matrix.layer, &*self.packed, self.stride());
        let lines = panel_lines(layer.inputs, false);
        let end = (start + DEPTH).min(lines);
        assert!(layer.width == WIDTH && lines <= stride * LANES, "tiles fit the packing");
        assert!(rows.len() >= count.next_multiple_of(TALL) * stride, "enough packed rows");
        let panels = layer.weights.as_chunks::<WIDTH>().0;
        let mut sums = [[AlignedLanes::ZERO; WIDTH]; TALL];
        let mut partial = [[AlignedLanes::ZERO; WIDTH]; TALL];
        for (panel, bias) in layer.bias.as_chunks::<WIDTH>().0.iter().enumerate() {
            let weights = &panels[panel * lines + start..panel * lines + end];
            for first in (0..count).step_by(TALL) {
                let real = TALL.min(count - first);
                let (into, step) = self.into.rows_mut(chunk + first, real);
                let into = &mut into[self.to + panel * WIDTH..];
                if start > 0 {
                    for (sums, into) in sums.iter_mut().zip(into.chunks(step)) {
                        sums.copy_from_slice(&into[..WIDTH]);
                    }
                }
                let last = (end == lines).then_some({
                    let (into, step) =
                        if real == TALL { (&mut *into, step) } else { (partial.as_flattened_mut(), WIDTH) };
                    Last { bias, relu: self.relu, into, step }
                });
                let whole = real == TALL && last.is_some();
                let values = rows[first * stride..].as_ptr().cast::<f32>();
                let ends = Ends { sums: &mut sums, start: start == 0, last };
                // SAFETY: the rows `first .. first + TALL` lie within `rows`, which hold nothing but numbers, and have
                // as many as the panel has lines, as just checked.
                unsafe { tile::<V, TALL, WIDTH>(values.add(start), stride * LANES, weights, ends) };
                if !whole {
                    let numbers = if end == lines { &partial } else { &sums };
                    for (numbers, into) in numbers.iter().zip(into.chunks_mut(step)) {
                        into[..WIDTH].copy_from_slice(numbers);
                    }
                }
            }
        }
    }

    /// Rounds and joins `count` rows from number `chunk` on.
    ///
    /// # Safety
    /// The processor has AVX512-BF16, and the function is inlined where it is enabled.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn pair_up(&mut self, chunk: usize, count: usize) {
        let stride = self.stride();
        let mut packed = std::mem::take(self.packed);
        for (row, into) in packed.chunks_exact_mut(stride).take(count).enumerate() {
            // SAFETY: the caller has the instructions.
            unsafe { pair_up_row(self.numbers(chunk + row), into) };
        }
        *self.packed = packed;
    }

    /// Multiplies joined rows by all panels, with tiles.
    ///
    /// # Safety
    /// This thread's tiles are configured.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn chunk_of_tiles(&mut self, chunk: usize, count: usize) {
        use super::amx::{Factors, SIDE, pairs};
        let (layer, rows, stride) = (&self.matrix.layer, &*self.packed, self.stride());
        let (width, lines) = (layer.width, panel_lines(layer.inputs, true));
        assert!(lines.is_multiple_of(LANES) && lines <= stride * LANES, "whole tiles");
        assert!(rows.len() >= count.next_multiple_of(SIDE) * stride, "enough packed rows");
        assert!(layer.weights.len() == layer.bias.len() * lines, "all weights");
        let mut sums = [[AlignedLanes::ZERO; 2]; SIDE];
        for slot in (0..layer.bias.len()).step_by(2) {
            let columns = (layer.bias.len() - slot).min(2);
            let weights = layer.weights[slot / width * width * lines + slot % width..].as_ptr().cast::<u8>();
            for first in (0..count).step_by(SIDE) {
                let values = rows[first * stride..].as_ptr().cast::<u8>();
                let left = count - first;
                let factors = Factors::of((values, 64 * stride, left), (weights, 64 * width, columns), lines / LANES);
                // SAFETY: the rows and the weights have whole tiles, as just checked, and the caller's tiles are
                // configured.
                unsafe { pairs(&factors, &mut sums) };
                for (row, sums) in sums[..left.min(SIDE)].iter().enumerate() {
                    let into = &mut self.into.row_mut(chunk + first + row)[self.to + slot..][..columns];
                    for (column, into) in into.iter_mut().enumerate() {
                        let sum = super::vector::Avx512::load(&sums[column].0);
                        finish(sum, &layer.bias[slot + column], self.relu).store(&mut into.0);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::chains::tests::{law, law_of_flushed};
    use super::super::samples::{SHAPES, Sample, filled};
    use super::*;

    /// The result of one output, from the law.
    fn oracle(row: &[f32], weights: &[f32], bias: f32, relu: bool) -> f32 {
        let result = law(row, weights) + bias;
        if relu && result <= 0.0 { 0.0 } else { result }
    }

    /// The layer on each set, with an emulated AMX where there is none: as `new` and as `tight` make it.
    fn layers(sample: &Sample) -> Vec<(CheckedSet, [Bf16Matrix; 2])> {
        let sets = DotSet::available().into_iter().map(CheckedSet::new).chain(CheckedSet::emulated());
        let slots = sample.bias.len().div_ceil(LANES);
        let wide = if slots.is_multiple_of(4) { 4 } else { 2 };
        let widths = [wide, if slots == 1 { 1 } else { wide }];
        let layer = |set| (set, widths.map(|width| Bf16Matrix::packed(set, &sample.weights, &sample.bias, width)));
        sets.map(layer).collect()
    }

    #[test]
    fn every_set_of_instructions_gives_the_bits_of_the_law() {
        for (shape, kind) in SHAPES.into_iter().zip((0..).cycle()) {
            let sample = Sample::new(shape, kind);
            for (set, layers) in layers(&sample) {
                for layer in layers {
                    let place = format!("{set:?} {shape:?} {kind}");
                    sample.check(&place, layer.slots(), oracle, |from, rows, into, relu| {
                        layer.multiply(from, rows, into, relu);
                    });
                }
            }
        }
    }

    #[test]
    fn rows_of_all_magnitudes_obey_the_law() {
        for (place, row) in Sample::extremes(70).into_iter().enumerate() {
            let mut sample = Sample::new([3, 70, 20], place % 3);
            sample.set_row(1, &row);
            for (set, [layer, _]) in layers(&sample) {
                sample.check(&format!("{set:?} {place}"), layer.slots(), oracle, |from, rows, into, relu| {
                    layer.multiply(from, rows, into, relu);
                });
            }
        }
    }

    #[test]
    fn flushing_denormals_does_not_change_the_law() {
        for place in 0..2_000 {
            // The smallest factors, and sums that nearly cancel.
            let value = |index: usize| {
                let mixed = ((place * 64 + index) * 0x9e37_79b1) >> 7;
                let size = 2.0f32.powi(mixed as i32 % 3 - 56) * (1.0 + (mixed / 3 % 128) as f32 / 128.0);
                if (mixed / 512).is_multiple_of(2) { size } else { -size }
            };
            let row: Vec<f32> = (0..64).map(value).collect();
            let weights: Vec<f32> = (0..64).map(|index| value(index ^ 1)).collect();
            assert_eq!(law(&row, &weights).to_bits(), law_of_flushed(&row, &weights).to_bits(), "{place}");
        }
    }

    #[test]
    fn infinity_and_nan_stay_in_their_row() {
        for bad in [f32::INFINITY, f32::NAN] {
            let mut sample = Sample::new([5, 40, 20], 0);
            let mut row = vec![1.0; 40];
            row[37] = bad;
            sample.set_row(2, &row);
            for (set, [layer, _]) in layers(&sample) {
                let mut into = filled(layer.slots(), 5);
                layer.multiply(sample.from(), 5, (&mut into, 0), false);
                for row in 0..5 {
                    let numbers = &into.numbers(row)[..20];
                    if row != 2 {
                        assert!(numbers.iter().all(|number| number.is_finite()), "{set:?}");
                    } else if bad.is_nan() {
                        assert!(numbers.iter().all(|number| number.is_nan()), "{set:?}");
                    } else {
                        assert!(numbers.iter().all(|number| number.is_infinite()), "{set:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_slots_are_those_of_the_plain_matrix() {
        for outputs in 1..80 {
            let (weights, bias) = (vec![0.0; outputs], vec![0.0; outputs]);
            assert_eq!(
                Bf16Matrix::new(DotSet::best(), &weights, &bias, false).slots(),
                super::super::Matrix::new(&weights, &bias).slots()
            );
            assert_eq!(
                Bf16Matrix::new(DotSet::best(), &weights, &bias, true).slots(),
                super::super::Matrix::tight(&weights, &bias).slots()
            );
        }
    }
}
