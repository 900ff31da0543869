//! Packing and tiles of products of bf16 numbers, for fixed weights and for training.
//!
//! The law, for every instruction set. Both factors are rounded to bf16 by [`nearest`](super::low_precision::nearest).
//! The inputs are in blocks of 32; zeros fill the last. Each block has two chains of fused multiply-adds in `f32`, both
//! from 0 and ascending: one over its even inputs, one over its odd inputs. The block's sum is the even chain plus the
//! odd one. The result is 0 plus the sums of the blocks, ascending. That is what AMX does; the products of a pair of
//! bf16 numbers are exact.
//!
//! Without AMX, rounded numbers stay `f32`, and each block holds first its even inputs, then its odd ones: two runs in
//! memory. Zeros behind the last pair of inputs are left out, since they do not change the result: a chain can only
//! turn from -0 to +0 by them, and a sum from 0 never becomes -0. For AMX, a word of 32 bits holds a pair of inputs.

use super::AlignedLanes;
use super::low_precision::LowPrecisionVector;
use super::product::MatrixView;
use super::vector::{Lanes, Vector};
use crate::encoders::LANES;

/// Inputs of a block.
pub const BLOCK: usize = 2 * LANES;

/// Pairs of inputs in the block that starts at an input, out of `inputs`.
#[inline(always)]
fn pairs(inputs: usize, start: usize) -> usize {
    (inputs - start).div_ceil(2).min(LANES)
}

/// Slots of a packed row; odd, so that the rows of a tile do not fall into the same cache set.
pub fn row_slots(inputs: usize, joined: bool) -> usize {
    let blocks = inputs.div_ceil(BLOCK);
    if joined { blocks | 1 } else { 2 * blocks + 1 }
}

/// Lines of a packed panel of weights: inputs, or pairs of inputs if they are `joined`.
pub fn panel_lines(inputs: usize, joined: bool) -> usize {
    if joined { inputs.div_ceil(BLOCK) * LANES } else { inputs.next_multiple_of(2) }
}

/// Rounds and packs one row. `into` has [`row_slots`] slots.
#[inline(always)]
pub fn pack_row<V: LowPrecisionVector, const JOINED: bool>(numbers: &[f32], into: &mut [AlignedLanes]) {
    let (whole, rest) = numbers.as_chunks::<BLOCK>();
    let mut last = [0.0; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    let slots = if JOINED { 1 } else { 2 };
    for (block, into) in whole.iter().zip(into.chunks_exact_mut(slots)) {
        let (even, odd) = halves::<V>(block);
        if JOINED {
            even.join(odd).store(&mut into[0].0);
        } else {
            even.store(&mut into[0].0);
            odd.store(&mut into[1].0);
        }
    }
    if !rest.is_empty() {
        let (even, odd) = halves::<V>(&last);
        put::<V, JOINED>(even, odd, rest.len().div_ceil(2), &mut into[whole.len() * slots..]);
    }
}

/// Rounds and joins one row, by the instruction. `into` has [`row_slots`] slots.
///
/// # Safety
/// The processor has AVX512-BF16, and the function is inlined where it is enabled.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub unsafe fn pair_up_row(numbers: &[f32], into: &mut [AlignedLanes]) {
    let (whole, rest) = numbers.as_chunks::<BLOCK>();
    for (block, into) in whole.iter().zip(&mut *into) {
        // SAFETY: as the caller's.
        unsafe { pair_up(block, into) };
    }
    if !rest.is_empty() {
        let mut last = [0.0; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        // SAFETY: as the caller's.
        unsafe { pair_up(&last, &mut into[whole.len()]) };
    }
}

/// Rounds and joins a block. (In a closure, it would not be inlined.)
///
/// # Safety
/// As [`pair_up_row`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn pair_up(block: &[f32; BLOCK], into: &mut AlignedLanes) {
    let [first, next] = block.as_chunks::<LANES>().0 else { unreachable!("two halves") };
    // SAFETY: the caller has the instructions.
    unsafe { super::low_precision_x86::pair_up(first, next, &mut into.0) };
}

/// The even and the odd numbers of a block, rounded.
#[inline(always)]
fn halves<V: LowPrecisionVector>(block: &[f32; BLOCK]) -> (V, V) {
    let [low, high] = block.as_chunks::<LANES>().0 else { unreachable!("two halves") };
    V::load(low).nearest().separate(V::load(high).nearest())
}

/// Writes the block of a row that has `pairs` pairs.
#[inline(always)]
fn put<V: LowPrecisionVector, const JOINED: bool>(even: V, odd: V, pairs: usize, into: &mut [AlignedLanes]) {
    if JOINED {
        even.join(odd).store(&mut into[0].0);
        return;
    }
    even.store(&mut into[0].0);
    let mut second = AlignedLanes::ZERO;
    odd.store(&mut second.0);
    if pairs == LANES {
        into[1] = second;
    } else {
        into[0].0[pairs..].copy_from_slice(&second.0[..LANES - pairs]);
        into[1].0[..pairs].copy_from_slice(&second.0[LANES - pairs..]);
    }
}

/// 32 inputs of 16 lines, rounded; a line is a row or an output.
#[repr(C, align(64))]
struct Square {
    even: [Lanes; LANES],
    odd: [Lanes; LANES],
}

impl Square {
    const ZERO: Square = Square { even: [[0.0; LANES]; LANES], odd: [[0.0; LANES]; LANES] };

    /// Reads `[pair][line]` if `by_pair`, else `[line][pair]`; zeros beyond the ends of `from`, whose rows are lines.
    #[inline(always)]
    fn read<V: LowPrecisionVector>(&mut self, from: MatrixView<'_, f32>, line: usize, input: usize, by_pair: bool) {
        if from.turned {
            self.read_pairs::<V>(from, line, input);
        } else {
            self.read_lines::<V>(from, line, input);
        }
        if from.turned != by_pair {
            V::transpose(&mut self.even);
            V::transpose(&mut self.odd);
        }
    }

    /// Reads `[line][pair]` from lines that are contiguous.
    #[inline(always)]
    fn read_lines<V: LowPrecisionVector>(&mut self, from: MatrixView<'_, f32>, line: usize, input: usize) {
        let (lines, inputs) = ((from.rows - line).min(LANES), (from.columns - input).min(BLOCK));
        for place in 0..LANES {
            let mut block = [0.0; BLOCK];
            let (even, odd) = if place >= lines {
                (V::splat(0.0), V::splat(0.0))
            } else {
                let numbers = &from.numbers[(line + place) * from.step + input..][..inputs];
                if let Some(whole) = numbers.as_array() {
                    halves::<V>(whole)
                } else {
                    block[..inputs].copy_from_slice(numbers);
                    halves::<V>(&block)
                }
            };
            even.store(&mut self.even[place]);
            odd.store(&mut self.odd[place]);
        }
    }

    /// Reads `[pair][line]` from inputs that are contiguous.
    #[inline(always)]
    fn read_pairs<V: LowPrecisionVector>(&mut self, from: MatrixView<'_, f32>, line: usize, input: usize) {
        let (lines, inputs) = ((from.rows - line).min(LANES), (from.columns - input).min(BLOCK));
        for place in 0..BLOCK {
            let into = if place % 2 == 0 { &mut self.even[place / 2] } else { &mut self.odd[place / 2] };
            if place >= inputs {
                *into = [0.0; LANES];
                continue;
            }
            let numbers = &from.numbers[(input + place) * from.step + line..][..lines];
            if let Some(whole) = numbers.as_array() {
                V::load(whole).nearest().store(into);
            } else {
                let mut padded = [0.0; LANES];
                padded[..lines].copy_from_slice(numbers);
                V::load(&padded).nearest().store(into);
            }
        }
    }
}

/// Rounds and packs rows of `from`, `[row][slot]` with `slots` slots a row; whole squares of rows are written.
#[inline(always)]
pub fn pack_rows<V: LowPrecisionVector, const JOINED: bool>(
    from: MatrixView<'_, f32>,
    into: &mut [AlignedLanes],
    slots: usize,
) {
    if !from.turned {
        for (row, into) in into.chunks_exact_mut(slots).take(from.rows).enumerate() {
            pack_row::<V, JOINED>(&from.numbers[row * from.step..][..from.columns], into);
        }
        return;
    }
    let mut square = Square::ZERO;
    for first in (0..from.rows).step_by(LANES) {
        for start in (0..from.columns).step_by(BLOCK) {
            square.read::<V>(from, first, start, false);
            let pairs = pairs(from.columns, start);
            for row in 0..LANES {
                let (even, odd) = (V::load(&square.even[row]), V::load(&square.odd[row]));
                let slot = if JOINED { start / BLOCK } else { start / LANES };
                put::<V, JOINED>(even, odd, pairs, &mut into[(first + row) * slots + slot..]);
            }
        }
    }
}

/// Rounds and packs weights `[output][input]` as `[panel][line][width]`, for whole panels.
#[inline(always)]
pub fn pack_weights<V: LowPrecisionVector, const JOINED: bool>(
    from: MatrixView<'_, f32>,
    into: &mut [AlignedLanes],
    width: usize,
) {
    let lines = panel_lines(from.columns, JOINED);
    let mut square = Square::ZERO;
    for slot in 0..from.rows.div_ceil(LANES) {
        let into = &mut into[slot / width * width * lines + slot % width..];
        for start in (0..from.columns).step_by(BLOCK) {
            square.read::<V>(from, slot * LANES, start, true);
            let pairs = pairs(from.columns, start);
            for pair in 0..if JOINED { LANES } else { pairs } {
                let (even, odd) = (V::load(&square.even[pair]), V::load(&square.odd[pair]));
                if JOINED {
                    even.join(odd).store(&mut into[(start / 2 + pair) * width].0);
                } else {
                    even.store(&mut into[(start + pair) * width].0);
                    odd.store(&mut into[(start + pairs + pair) * width].0);
                }
            }
        }
    }
}

/// Where the sums of a tile come from and go to.
pub struct Ends<'a, const TALL: usize, const WIDTH: usize> {
    /// The sums of the blocks so far, and those after the tile if there is no `last`.
    pub sums: &'a mut [[AlignedLanes; WIDTH]; TALL],
    /// Whether there are no blocks before, so that the sums start from 0.
    pub start: bool,
    /// If there are no blocks after: what is added to the sums.
    pub last: Option<Last<'a, WIDTH>>,
}

/// The end of a product.
pub struct Last<'a, const WIDTH: usize> {
    /// Added to each row.
    pub bias: &'a [AlignedLanes; WIDTH],
    /// Whether a ReLU follows.
    pub relu: bool,
    /// Gets the numbers: rows of slots.
    pub into: &'a mut [AlignedLanes],
    /// Slots from one row to the next.
    pub step: usize,
}

/// Adds the products of `TALL` packed rows with some blocks of one panel to sums.
///
/// # Safety
/// `values` are the numbers of the first row from the first of the blocks on. There are `TALL` rows, `stride` numbers
/// apart, and each has as many numbers from there on as `weights` has inputs.
#[inline(always)]
pub unsafe fn tile<V: LowPrecisionVector, const TALL: usize, const WIDTH: usize>(
    values: *const f32,
    stride: usize,
    weights: &[[AlignedLanes; WIDTH]],
    mut ends: Ends<'_, TALL, WIDTH>,
) {
    let before_last = weights.len().saturating_sub(1) / BLOCK;
    for (block, weights) in weights.chunks(BLOCK).enumerate() {
        // SAFETY: the caller guarantees the numbers that belong to the weights.
        let sums = unsafe { chains::<V, TALL, WIDTH>(values.add(block * BLOCK), stride, weights) };
        match &mut ends.last {
            Some(last) if block == before_last => last.put(&sums, ends.sums, ends.start),
            _ => put_sums(&sums, ends.sums, ends.start),
        }
        ends.start = false;
    }
}

/// The sums of one block.
///
/// # Safety
/// As [`tile`].
#[inline(always)]
unsafe fn chains<V: Vector, const TALL: usize, const WIDTH: usize>(
    values: *const f32,
    stride: usize,
    weights: &[[AlignedLanes; WIDTH]],
) -> [[V; WIDTH]; TALL] {
    let (even_weights, odd_weights) = weights.split_at(weights.len() / 2);
    let (mut even, mut odd) = ([[V::splat(0.0); WIDTH]; TALL], [[V::splat(0.0); WIDTH]; TALL]);
    // SAFETY: the caller guarantees the numbers.
    unsafe {
        let next = values.add(even_weights.len());
        for (pair, (even_weights, odd_weights)) in even_weights.iter().zip(odd_weights).enumerate() {
            link(values.add(pair), stride, even_weights, &mut even);
            link(next.add(pair), stride, odd_weights, &mut odd);
        }
    }
    for row in 0..TALL {
        for column in 0..WIDTH {
            even[row][column] = even[row][column].add(odd[row][column]);
        }
    }
    even
}

/// Adds the sums of a block to the sums so far.
#[inline(always)]
fn put_sums<V: Vector, const TALL: usize, const WIDTH: usize>(
    block: &[[V; WIDTH]; TALL],
    sums: &mut [[AlignedLanes; WIDTH]; TALL],
    start: bool,
) {
    for row in 0..TALL {
        for column in 0..WIDTH {
            let before = if start { V::splat(0.0) } else { V::load(&sums[row][column].0) };
            before.add(block[row][column]).store(&mut sums[row][column].0);
        }
    }
}

impl<const WIDTH: usize> Last<'_, WIDTH> {
    /// Writes the numbers, from the sums of the last block and those so far.
    #[inline(always)]
    fn put<V: Vector, const TALL: usize>(
        &mut self,
        block: &[[V; WIDTH]; TALL],
        sums: &[[AlignedLanes; WIDTH]; TALL],
        start: bool,
    ) {
        assert!(self.into.len() >= (TALL - 1) * self.step + WIDTH, "the tile fits into its rows");
        let end = self.into.as_mut_ptr();
        for row in 0..TALL {
            for column in 0..WIDTH {
                let before = if start { V::splat(0.0) } else { V::load(&sums[row][column].0) };
                let sum = before.add(block[row][column]);
                let number = finish(sum, &self.bias[column], self.relu);
                // SAFETY: the tile fits, as just checked. Checking each row would move the sums to memory.
                number.store(unsafe { &mut (*end.add(row * self.step + column)).0 });
            }
        }
    }
}

/// The number for a sum: adds the bias; a ReLU follows if wanted.
#[inline(always)]
pub fn finish<V: Vector>(sum: V, bias: &AlignedLanes, relu: bool) -> V {
    let number = sum.add(V::load(&bias.0));
    if relu { number.max(V::splat(0.0)) } else { number }
}

/// Adds the products with one input's weights.
///
/// # Safety
/// `value` and the numbers every `stride` behind it exist, for `TALL` rows.
#[inline(always)]
#[expect(clippy::needless_range_loop, reason = "the sums only stay in registers if every index is a loop's")]
unsafe fn link<V: Vector, const TALL: usize, const WIDTH: usize>(
    value: *const f32,
    stride: usize,
    weights: &[AlignedLanes; WIDTH],
    sums: &mut [[V; WIDTH]; TALL],
) {
    let mut columns = [V::splat(0.0); WIDTH];
    for column in 0..WIDTH {
        columns[column] = V::load(&weights[column].0);
    }
    for row in 0..TALL {
        // SAFETY: the caller guarantees the numbers.
        let value = V::splat(unsafe { *value.add(row * stride) });
        for column in 0..WIDTH {
            sums[row][column] = value.mul_add(columns[column], sums[row][column]);
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::nets::kernels::low_precision::nearest;

    /// The law for one sum.
    pub fn law(row: &[f32], weights: &[f32]) -> f32 {
        sum(row, weights, |number| number)
    }

    /// The same, if every chain and sum becomes zero that is not normal.
    pub fn law_of_flushed(row: &[f32], weights: &[f32]) -> f32 {
        sum(row, weights, |number| if number.abs() < f32::MIN_POSITIVE { 0.0 } else { number })
    }

    fn sum(row: &[f32], weights: &[f32], after: impl Fn(f32) -> f32) -> f32 {
        let mut sum = 0.0;
        for (row, weights) in row.chunks(BLOCK).zip(weights.chunks(BLOCK)) {
            let mut chains = [0.0f32; 2];
            for place in 0..BLOCK {
                let number = |numbers: &[f32]| numbers.get(place).map_or(0.0, |&number| nearest(number));
                chains[place % 2] = after(number(row).mul_add(number(weights), chains[place % 2]));
            }
            sum = after(sum + after(chains[0] + chains[1]));
        }
        sum
    }
}
