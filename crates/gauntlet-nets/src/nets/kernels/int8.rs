//! Matrix products of many rows with fixed weights, in integers of eight bits.
//!
//! The law, for every instruction set. Let `m` be the largest magnitude among the inputs of a row.
//! * If `m` is below 2^-100, the row counts as zeros, and its scale is 0.
//! * Otherwise each input `x` becomes the integer nearest to `x * (127 / m)`, ties to even, and the scale is `m / 127`.
//!   Quotients and product round to `f32`.
//! * The weights of an output are rounded by the same rule, once, with a scale of their own.
//! * The sum of the products of integers is exact. It becomes the nearest `f32`.
//! * The result is `fma(sum, scale of the row * scale of the output, bias)`: the product of the scales rounds, then the
//!   fused multiply-add. Then comes the ReLU, if wanted.
//!
//! A row with an infinite input or a NaN gives NaN, which a ReLU makes zero. A row's result depends only on that row.

use std::cell::RefCell;

use super::int8_layer::{Int8Layer, TILE_WORDS, WordPacking, scales};
use super::low_precision::{AlignedWords, LowPrecisionVector, Words};
use super::low_precision_sets::{CheckedSet, DotSet, LowPrecisionWork};
use super::matrix::panel_width;
use super::vector::Vector;
use super::{AlignedLanes, Rows};
use crate::encoders::LANES;
use crate::nets::number_format::MOST_BYTES;

/// Words of quantised rows that are made before they are multiplied, so that they stay in the cache.
const CHUNK: usize = 1 << 16;
/// Chunks hold a multiple of this many rows, so that only the last has partial tiles.
const ROW_BLOCK: usize = 96;

/// A layer's weights and biases, quantised and packed.
#[derive(Debug, Clone)]
pub struct Int8Matrix {
    set: CheckedSet,
    inputs: usize,
    layer: Int8Layer,
    /// Words from one quantised row to the next.
    stride: usize,
}

/// Rows of integers.
#[derive(Debug)]
struct Quantised {
    /// `[row][word]`
    words: Vec<i32>,
    /// Words from one row to the next.
    stride: usize,
    /// Of each row.
    scales: Vec<f32>,
}

impl Int8Matrix {
    /// Packs weights `[output][input]` and biases `[output]` for an instruction set; the slots are those of
    /// [`super::Matrix::tight`] if it is `tight`, or else of [`super::Matrix::new`].
    ///
    /// # Panics
    /// If the set is not one of [`DotSet::available`], or a layer has more inputs than sums of 32 bits allow.
    pub fn new(set: DotSet, weights: &[f32], bias: &[f32], tight: bool) -> Int8Matrix {
        Int8Matrix::packed(CheckedSet::new(set), weights, bias, panel_width(bias.len(), tight))
    }

    fn packed(set: CheckedSet, weights: &[f32], bias: &[f32], width: usize) -> Int8Matrix {
        let inputs = weights.len() / bias.len();
        assert!(inputs <= MOST_BYTES, "sums of {inputs} products fit into 32 bits");
        let mut kind = WordPacking { values: 1, offset: 0, block: 1, widest: 4 };
        set.perform(&mut kind);
        let layer = Int8Layer::new(&kind, weights, bias, width);
        // Whole registers are written; and rows of a tile should not fall into the same cache set.
        let stride = layer.words.next_multiple_of(TILE_WORDS) + TILE_WORDS;
        Int8Matrix { set, inputs, layer, stride }
    }

    /// Slots of an output row: room for all outputs, rounded up to whole panels; zeros beyond.
    pub fn slots(&self) -> usize {
        self.layer.bias.len()
    }

    /// `into[.., to..] = from[first.., at..] W + b`, with a ReLU if `relu`; `at` and `to` count slots.
    ///
    /// `rows` rows are read from row `first` on, and written from the first row on. Rows of the same block of
    /// [`Rows::reserve`] behind them become unspecified.
    ///
    /// # Panics
    /// If the rows are too short or too few.
    pub fn multiply(&self, from: (&Rows, usize, usize), rows: usize, into: (&mut Rows, usize), relu: bool) {
        let ((from, first, at), (into, to)) = (from, into);
        thread_local! {
            static QUANTISED: RefCell<Quantised> =
                const { RefCell::new(Quantised { words: Vec::new(), stride: 0, scales: Vec::new() }) };
        }
        QUANTISED.with_borrow_mut(|quantised| {
            quantised.stride = self.stride;
            self.set.perform(&mut Int8Product { matrix: self, quantised, from, first, at, rows, into, to, relu });
        });
    }
}

/// A product, to run on any instruction set.
struct Int8Product<'a> {
    matrix: &'a Int8Matrix,
    quantised: &'a mut Quantised,
    from: &'a Rows,
    first: usize,
    at: usize,
    rows: usize,
    into: &'a mut Rows,
    to: usize,
    relu: bool,
}

impl LowPrecisionWork for Int8Product<'_> {
    #[inline(always)]
    fn run<V: LowPrecisionVector>(&mut self) {
        let layer_width = self.matrix.layer.width;
        match (layer_width, V::WIDE) {
            (4, true) => self.chunks::<V, 6, 4>(),
            (1, true) => self.chunks::<V, 12, 1>(),
            (_, true) => self.chunks::<V, 12, 2>(),
            (1, false) => self.chunks::<V, 4, 1>(),
            (_, false) => self.chunks::<V, 2, 2>(),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn run_tiles(&mut self) {
        let mut chunk = 0;
        while chunk < self.rows {
            let count = self.chunk_rows().min(self.rows - chunk);
            self.quantise::<super::vector::Avx512>(chunk, count, 0);
            // SAFETY: the caller has configured the tiles.
            unsafe { self.chunk_of_tiles(chunk, count) };
            chunk += count;
        }
    }
}

impl Int8Product<'_> {
    /// Rows that are quantised before they are multiplied.
    fn chunk_rows(&self) -> usize {
        (CHUNK / self.matrix.stride).max(1).next_multiple_of(ROW_BLOCK)
    }

    #[inline(always)]
    fn chunks<V: LowPrecisionVector, const TALL: usize, const WIDTH: usize>(&mut self) {
        assert!(ROW_BLOCK.is_multiple_of(TALL), "only the last tile of all is partial");
        let mut chunk = 0;
        while chunk < self.rows {
            let count = self.chunk_rows().min(self.rows - chunk);
            self.quantise::<V>(chunk, count, V::Words::OFFSET);
            self.chunk::<V, TALL, WIDTH>(chunk, count);
            chunk += count;
        }
    }

    /// Quantises `count` rows from number `chunk` on, plus an offset, into the first rows.
    #[inline(always)]
    fn quantise<V: LowPrecisionVector>(&mut self, chunk: usize, count: usize, offset: i32) {
        let (inputs, rows) = (self.matrix.inputs, &mut *self.quantised);
        rows.reserve(count);
        for row in 0..count {
            let numbers = &self.from.numbers(self.first + chunk + row)[self.at * LANES..][..inputs];
            let into = &mut rows.words[row * rows.stride..][..rows.stride];
            rows.scales[row] = quantise::<V>(numbers, into, offset);
        }
    }

    /// Multiplies quantised rows by all panels, with `TALL` rows at once.
    #[inline(always)]
    fn chunk<V: LowPrecisionVector, const TALL: usize, const WIDTH: usize>(&mut self, chunk: usize, count: usize) {
        let (layer, rows) = (&self.matrix.layer, &*self.quantised);
        let padded = count.next_multiple_of(TALL);
        assert!(layer.width == WIDTH && layer.words <= rows.stride, "tiles fit the packing");
        assert!(rows.words.len() >= padded * rows.stride && rows.scales.len() >= padded, "enough quantised rows");
        assert!(self.to + layer.bias.len() <= self.into.row(0).len(), "rows are wide enough");
        let (into, stride) = self.into.rows_mut(chunk, padded);
        let panels = layer.weights.as_chunks::<WIDTH>().0;
        for panel in 0..layer.bias.len() / WIDTH {
            let weights = &panels[panel * layer.words..][..layer.words];
            let ends = PanelEnds {
                start: &layer.start.as_chunks().0[panel],
                scales: &layer.scales.as_chunks().0[panel],
                bias: &layer.bias.as_chunks().0[panel],
                relu: self.relu,
            };
            for first in (0..padded).step_by(TALL) {
                let into = &mut into[first * stride + self.to + panel * WIDTH..];
                tile::<V, TALL, WIDTH>(rows, first, weights, &ends, (into, stride));
            }
        }
    }

    /// The same with tiles.
    ///
    /// # Safety
    /// This thread's tiles are configured.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn chunk_of_tiles(&mut self, chunk: usize, count: usize) {
        use super::amx::{Factors, SIDE, bytes};
        use super::vector::Avx512;
        let (layer, rows) = (&self.matrix.layer, &*self.quantised);
        let width = layer.width;
        assert!(layer.words.is_multiple_of(TILE_WORDS) && layer.words <= rows.stride, "whole tiles");
        assert!(rows.words.len() >= count.next_multiple_of(SIDE) * rows.stride, "enough quantised rows");
        assert!(layer.weights.len() == layer.bias.len() * layer.words, "all weights");
        let mut sums = [[AlignedWords::ZERO; 2]; SIDE];
        for slot in (0..layer.bias.len()).step_by(2) {
            let columns = (layer.bias.len() - slot).min(2);
            let weights = layer.weights[slot / width * width * layer.words + slot % width..].as_ptr().cast::<u8>();
            for first in (0..count).step_by(SIDE) {
                let values = rows.words[first * rows.stride..].as_ptr().cast::<u8>();
                let left = count - first;
                let tiles = layer.words / TILE_WORDS;
                let factors = Factors::of((values, 4 * rows.stride, left), (weights, 64 * width, columns), tiles);
                // SAFETY: the rows and the weights have whole tiles, as just checked, and the caller's tiles are
                // configured.
                unsafe { bytes(&factors, &mut sums) };
                for (row, sums) in sums[..left.min(SIDE)].iter().enumerate() {
                    let into = &mut self.into.row_mut(chunk + first + row)[self.to + slot..][..columns];
                    let row_scale = Avx512::splat(rows.scales[first + row]);
                    for column in 0..columns {
                        let (scale, bias) = (&layer.scales[slot + column], &layer.bias[slot + column]);
                        let sum = <Avx512 as LowPrecisionVector>::Words::load(&sums[column].0).numbers();
                        finish(sum, row_scale, scale, bias, self.relu).store(&mut into[column].0);
                    }
                }
            }
        }
    }
}

impl Quantised {
    /// Makes room for this many rows and what a tile may read behind them.
    fn reserve(&mut self, rows: usize) {
        let rows = rows.next_multiple_of(ROW_BLOCK);
        if self.scales.len() < rows {
            self.scales.resize(rows, 0.0);
        }
        if self.words.len() < rows * self.stride {
            self.words.resize(rows * self.stride, 0);
        }
    }
}

/// Quantises a row, adds an offset to each value, and returns the row's scale.
#[inline(always)]
fn quantise<V: LowPrecisionVector>(numbers: &[f32], into: &mut [i32], offset: i32) -> f32 {
    let (whole, rest) = numbers.as_chunks::<LANES>();
    let mut last = AlignedLanes::ZERO;
    last.0[..rest.len()].copy_from_slice(rest);
    let mut largest = V::Words::splat(0).larger(&last.0);
    for lanes in whole {
        largest = largest.larger(lanes);
    }
    let (factor, scale) = scales(largest.largest() as u32);
    let (words, factor) = (LANES / V::Words::VALUES, V::splat(factor));
    let into = &mut into[..(whole.len() + 1) * words];
    let (blocks, others) = whole.as_chunks::<4>();
    let (of_blocks, of_others) = into.split_at_mut(blocks.len() * 4 * words);
    for (block, into) in blocks.iter().zip(of_blocks.chunks_exact_mut(4 * words)) {
        for (lanes, into) in block.iter().zip(into.chunks_exact_mut(words)) {
            V::Words::quantise(lanes, factor, offset, into);
        }
    }
    for (lanes, into) in others.iter().zip(of_others.chunks_exact_mut(words)) {
        V::Words::quantise(lanes, factor, offset, into);
    }
    if !rest.is_empty() {
        V::Words::quantise(&last.0, factor, offset, &mut into[whole.len() * words..]);
    }
    scale
}

/// What a panel's sums start with, and what makes numbers of them.
struct PanelEnds<'a, const WIDTH: usize> {
    start: &'a [AlignedWords; WIDTH],
    scales: &'a [AlignedLanes; WIDTH],
    bias: &'a [AlignedLanes; WIDTH],
    relu: bool,
}

/// Multiplies `TALL` quantised rows by one panel and writes the numbers.
///
/// The rows from `first` on exist and hold as many words as the panel; `into` has `TALL` rows of `WIDTH` slots.
#[inline(always)]
#[expect(clippy::needless_range_loop, reason = "the sums only stay in registers if every index is a loop's")]
fn tile<V: LowPrecisionVector, const TALL: usize, const WIDTH: usize>(
    rows: &Quantised,
    first: usize,
    weights: &[[AlignedWords; WIDTH]],
    ends: &PanelEnds<'_, WIDTH>,
    (into, stride): (&mut [AlignedLanes], usize),
) {
    let mut sums = [[V::Words::splat(0); WIDTH]; TALL];
    for row in 0..TALL {
        for column in 0..WIDTH {
            sums[row][column] = V::Words::load(&ends.start[column].0);
        }
    }
    let values = rows.words[first * rows.stride..].as_ptr();
    for (word, weights) in weights.iter().enumerate() {
        let mut columns = [V::Words::splat(0); WIDTH];
        for column in 0..WIDTH {
            columns[column] = V::Words::load(&weights[column].0);
        }
        for row in 0..TALL {
            // SAFETY: `chunk` has checked that the rows `first .. first + TALL` lie within `words` and hold as many
            // words as the panel. Checking here would double the time.
            let value = V::Words::splat(unsafe { *values.add(row * rows.stride + word) });
            for column in 0..WIDTH {
                sums[row][column] = sums[row][column].dot(value, columns[column]);
            }
        }
    }
    let scales: &[f32; TALL] = rows.scales[first..].first_chunk().expect("every row has a scale");
    assert!(into.len() >= (TALL - 1) * stride + WIDTH, "the tile fits into its rows");
    let end = into.as_mut_ptr();
    for row in 0..TALL {
        let row_scale = V::splat(scales[row]);
        for column in 0..WIDTH {
            let (scale, bias) = (&ends.scales[column], &ends.bias[column]);
            let number = finish(sums[row][column].numbers(), row_scale, scale, bias, ends.relu);
            // SAFETY: the tile fits, as just checked. Checking each row would move the sums to memory.
            number.store(unsafe { &mut (*end.add(row * stride + column)).0 });
        }
    }
}

/// The numbers for sums.
#[inline(always)]
fn finish<V: Vector>(sum: V, row_scale: V, scale: &AlignedLanes, bias: &AlignedLanes, relu: bool) -> V {
    let number = sum.mul_add(row_scale.mul(V::load(&scale.0)), V::load(&bias.0));
    if relu { number.max(V::splat(0.0)) } else { number }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{SHAPES, Sample, filled, same};
    use super::*;

    /// Integers and scale of a row, from the law.
    fn integers(numbers: &[f32]) -> (Vec<i32>, f32) {
        let largest = numbers.iter().fold(0.0, |largest: f32, number| largest.max(number.abs()));
        if largest < 2.0f32.powi(-100) {
            return (vec![0; numbers.len()], 0.0);
        }
        let factor = 127.0 / largest;
        (numbers.iter().map(|number| (number * factor).round_ties_even() as i32).collect(), largest / 127.0)
    }

    /// The result of one output, from the law.
    fn oracle(row: &[f32], weights: &[f32], bias: f32, relu: bool) -> f32 {
        let ((row, row_scale), (weights, scale)) = (integers(row), integers(weights));
        let sum: i64 = row.iter().zip(weights).map(|(&x, w)| i64::from(x * w)).sum();
        let result = (i32::try_from(sum).expect("a small sum") as f32).mul_add(row_scale * scale, bias);
        if relu && result <= 0.0 { 0.0 } else { result }
    }

    /// The layer on each set, with an emulated AMX where there is none: as `new` and as `tight` make it.
    fn layers(sample: &Sample) -> Vec<(CheckedSet, [Int8Matrix; 2])> {
        let sets = DotSet::available().into_iter().map(CheckedSet::new).chain(CheckedSet::emulated());
        let slots = sample.bias.len().div_ceil(LANES);
        let wide = if slots.is_multiple_of(4) { 4 } else { 2 };
        let widths = [wide, if slots == 1 { 1 } else { wide }];
        let layer = |set| (set, widths.map(|width| Int8Matrix::packed(set, &sample.weights, &sample.bias, width)));
        sets.map(layer).collect()
    }

    #[test]
    fn every_set_of_instructions_gives_the_bits_of_the_law() {
        for (shape, kind) in SHAPES.into_iter().zip((0..).cycle()) {
            let sample = Sample::new(shape, kind);
            for (set, layers) in layers(&sample) {
                for layer in layers {
                    sample.check(
                        &format!("{set:?} {shape:?} {kind}"),
                        layer.slots(),
                        oracle,
                        |from, rows, into, relu| {
                            layer.multiply(from, rows, into, relu);
                        },
                    );
                }
            }
        }
    }

    #[test]
    fn rows_of_all_magnitudes_obey_the_law() {
        for (place, row) in Sample::extremes(70).into_iter().enumerate() {
            let mut sample = Sample::new([3, 70, 20], 0);
            sample.set_row(1, &row);
            for (set, [layer, _]) in layers(&sample) {
                sample.check(&format!("{set:?} {place}"), layer.slots(), oracle, |from, rows, into, relu| {
                    layer.multiply(from, rows, into, relu);
                });
            }
        }
    }

    #[test]
    fn a_row_that_is_not_finite_gives_nan_and_leaves_the_others_alone() {
        for bad in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            let clean = Sample::new([5, 40, 20], 0);
            let mut sample = Sample::new([5, 40, 20], 0);
            let mut row = vec![1.0; 40];
            row[37] = bad;
            sample.set_row(2, &row);
            for ((set, [layer, _]), relu) in layers(&clean).into_iter().zip([false, true].into_iter().cycle()) {
                let (mut with, mut without) = (filled(layer.slots(), 5), filled(layer.slots(), 5));
                layer.multiply(sample.from(), 5, (&mut with, 0), relu);
                layer.multiply(clean.from(), 5, (&mut without, 0), relu);
                for row in 0..5 {
                    let (with, without) = (with.numbers(row), without.numbers(row));
                    if row == 2 && relu {
                        assert!(with[..20].iter().all(|&number| number == 0.0), "{set:?}");
                    } else if row == 2 {
                        assert!(with[..20].iter().all(|number| number.is_nan()), "{set:?}");
                    } else {
                        same(with, without, &format!("{set:?} {row}"));
                    }
                }
            }
        }
    }

    #[test]
    fn sums_of_the_largest_products_do_not_overflow() {
        for inputs in [20_000, MOST_BYTES] {
            let weights = [vec![1.0; inputs], vec![-1.0; inputs]].concat();
            for set in DotSet::available() {
                let layer = Int8Matrix::new(set, &weights, &[0.5, 0.0], false);
                let mut from = Rows::new(inputs.div_ceil(LANES));
                from.reserve(1);
                from.numbers_mut(0).fill(254.0);
                let mut into = filled(layer.slots(), 1);
                layer.multiply((&from, 0, 0), 1, (&mut into, 0), false);
                let sum = (inputs as i32 * 127 * 127) as f32;
                let scale = 2.0 * (1.0f32 / 127.0);
                assert_eq!(into.numbers(0)[..2], [sum.mul_add(scale, 0.5), -sum * scale], "{set:?}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "fit into 32 bits")]
    fn a_layer_with_too_many_inputs_is_refused() {
        Int8Matrix::new(DotSet::best(), &vec![1.0; MOST_BYTES + 1], &[0.0], false);
    }

    #[test]
    fn the_slots_are_those_of_the_plain_matrix() {
        for outputs in 1..80 {
            let (weights, bias) = (vec![0.0; outputs], vec![0.0; outputs]);
            assert_eq!(
                Int8Matrix::new(DotSet::best(), &weights, &bias, false).slots(),
                super::super::Matrix::new(&weights, &bias).slots()
            );
            assert_eq!(
                Int8Matrix::new(DotSet::best(), &weights, &bias, true).slots(),
                super::super::Matrix::tight(&weights, &bias).slots()
            );
        }
    }
}
