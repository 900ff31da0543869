//! Operations for low-precision products beside [`Vector`]: roundings to bf16, transposes, sums of products of bytes.
//!
//! As there, all implementations give the same bits. All intrinsics for low-precision products are in
//! `low_precision_x86`.

use super::vector::{Lanes, Portable, Vector};
use crate::encoders::LANES;

/// Sixteen words of 32 bits: sums of integers, or low-precision values side by side.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub struct AlignedWords(pub [i32; LANES]);

impl AlignedWords {
    /// All words zero.
    pub const ZERO: AlignedWords = AlignedWords([0; LANES]);
}

/// The magnitude below which the rule of [`nearest`] gives zero: 2^-56, as bits.
pub const SMALLEST: u32 = (127 - 56) << 23;
/// Infinity, as bits; all larger magnitudes are NaN.
pub const INFINITY: u32 = 0xff << 23;
/// The bits of a number but for the sign.
pub const MAGNITUDE: u32 = 0x7fff_ffff;
/// The bits of a number that bf16 keeps.
pub const KEPT: u32 = 0xffff_0000;
/// The bit of a NaN that makes it quiet, so that its other bits may be dropped.
pub const QUIET: u32 = 1 << 22;

/// The bf16 number for a number, as `f32`: the nearest, ties to even; +0 for magnitudes below 2^-56.
///
/// Finite numbers of at least 2^128 - 2^119 become infinite. Infinity stays, NaN stays NaN.
///
/// The limit makes AMX's flush of denormals invisible. A nonzero bf16 number of at least 2^-56 is a multiple of
/// 2^-63, because it has 8 significant bits. So a product of two is a multiple of 2^-126. An exact sum of such
/// multiples is one too, and rounding to `f32` keeps it one: the spacing of `f32` numbers is a power of two, and where
/// it is below 2^-126 there is nothing to round. So no sum other than zero is smaller than 2^-126, the smallest normal
/// number, and arithmetic with denormals has the same bits as arithmetic without.
pub fn nearest(number: f32) -> f32 {
    let bits = number.to_bits();
    let magnitude = bits & MAGNITUDE;
    let rounded = if magnitude > INFINITY { bits | QUIET } else { bits.wrapping_add(0x7fff + (bits >> 16 & 1)) };
    f32::from_bits(if magnitude < SMALLEST { 0 } else { rounded & KEPT })
}

/// Vectors of numbers that can be rounded to bf16, and of the words that belong to them.
pub trait LowPrecisionVector: Vector {
    /// Vectors of sixteen words.
    type Words: Words<Numbers = Self>;
    /// [`nearest`] of every lane.
    fn nearest(self) -> Self;
    /// The numbers at even places and those at odd places of 32: first these, then `next`.
    fn separate(self, next: Self) -> (Self, Self);
    /// Words of two bf16 numbers each, as bits of a number: `self` in the lower half. Both are rounded.
    fn join(self, odd: Self) -> Self;
    /// Transposes a square.
    fn transpose(square: &mut [Lanes; LANES]);
}

/// Vectors of sixteen words.
pub trait Words: Copy {
    /// The numbers that belong to them.
    type Numbers: Vector;
    /// Values in a word: 4 bytes or 2 halves.
    const VALUES: usize;
    /// What is added to each value before [`Words::dot`], because it needs unsigned ones: 128 or 0.
    const OFFSET: i32;
    /// The same word in every lane.
    fn splat(word: i32) -> Self;
    /// Reads all lanes.
    fn load(from: &[i32; LANES]) -> Self;
    /// Adds the products of a word's values with those of a word of weights, in each lane.
    fn dot(self, values: Self, weights: Self) -> Self;
    /// The nearest numbers, ties to even.
    fn numbers(self) -> Self::Numbers;
    /// The larger of the words and the magnitudes of numbers, as bits.
    fn larger(self, numbers: &Lanes) -> Self;
    /// The largest word.
    fn largest(self) -> i32;
    /// The integers nearest to the numbers times `factor`, ties to even, as `LANES / VALUES` words.
    ///
    /// They are within -127 and 127; `offset`, which is 128 or 0, is added to each. It is 0 if [`Words::OFFSET`] is.
    fn quantise(numbers: &Lanes, factor: Self::Numbers, offset: i32, into: &mut [i32]);
}

/// Sixteen words of plain Rust.
#[derive(Debug, Clone, Copy)]
pub struct PortableWords([i32; LANES]);

/// `1.5 * 2^23`: a number added to it is rounded to an integer, in the lowest bits.
const ROUNDER: f32 = 12_582_912.0;

impl LowPrecisionVector for Portable {
    type Words = PortableWords;

    #[inline(always)]
    fn nearest(mut self) -> Self {
        for lane in &mut self.0 {
            *lane = nearest(*lane);
        }
        self
    }
    #[inline(always)]
    fn separate(self, next: Self) -> (Self, Self) {
        let (mut even, mut odd) = ([0.0; LANES], [0.0; LANES]);
        for lane in 0..LANES / 2 {
            (even[lane], odd[lane]) = (self.0[2 * lane], self.0[2 * lane + 1]);
            (even[lane + LANES / 2], odd[lane + LANES / 2]) = (next.0[2 * lane], next.0[2 * lane + 1]);
        }
        (Portable(even), Portable(odd))
    }
    #[inline(always)]
    fn join(mut self, odd: Self) -> Self {
        for (lane, odd) in self.0.iter_mut().zip(odd.0) {
            *lane = f32::from_bits(lane.to_bits() >> 16 | odd.to_bits());
        }
        self
    }
    #[inline(always)]
    fn transpose(square: &mut [Lanes; LANES]) {
        transpose(square);
    }
}

/// Transposes a square, one swap at a time.
#[inline(always)]
#[expect(clippy::needless_range_loop, reason = "a swap has two indices")]
pub fn transpose(square: &mut [Lanes; LANES]) {
    for row in 1..LANES {
        for column in 0..row {
            let swapped = square[row][column];
            square[row][column] = square[column][row];
            square[column][row] = swapped;
        }
    }
}

impl Words for PortableWords {
    type Numbers = Portable;
    const VALUES: usize = 2;
    const OFFSET: i32 = 0;

    #[inline(always)]
    fn splat(word: i32) -> Self {
        PortableWords([word; LANES])
    }
    #[inline(always)]
    fn load(from: &[i32; LANES]) -> Self {
        PortableWords(*from)
    }
    #[inline(always)]
    fn dot(mut self, values: Self, weights: Self) -> Self {
        let product = |a: i32, b: i32| i32::from(a as i16) * i32::from(b as i16);
        for ((lane, value), weight) in self.0.iter_mut().zip(values.0).zip(weights.0) {
            *lane = lane.wrapping_add(product(value, weight) + product(value >> 16, weight >> 16));
        }
        self
    }
    #[inline(always)]
    fn numbers(self) -> Portable {
        let mut numbers = [0.0; LANES];
        for (number, word) in numbers.iter_mut().zip(self.0) {
            *number = word as f32;
        }
        Portable(numbers)
    }
    #[inline(always)]
    fn larger(mut self, numbers: &Lanes) -> Self {
        for (lane, number) in self.0.iter_mut().zip(numbers) {
            *lane = (*lane).max((number.to_bits() & MAGNITUDE) as i32);
        }
        self
    }
    #[inline(always)]
    fn largest(self) -> i32 {
        self.0.into_iter().fold(i32::MIN, i32::max)
    }
    #[inline(always)]
    fn quantise(numbers: &Lanes, factor: Portable, _: i32, into: &mut [i32]) {
        let mut values = [0u32; LANES];
        for ((value, number), factor) in values.iter_mut().zip(numbers).zip(factor.0) {
            *value = (number * factor + ROUNDER).to_bits().wrapping_sub(ROUNDER.to_bits());
        }
        for (word, pair) in into[..LANES / 2].iter_mut().zip(values.as_chunks::<2>().0) {
            *word = (pair[0] & 0xffff | pair[1] << 16) as i32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::low_precision_sets::{CheckedSet, DotSet, LowPrecisionWork};
    use super::*;

    /// Roundings and shuffles of 32 numbers.
    struct Shuffles {
        numbers: [Lanes; 2],
        nearest: [Lanes; 2],
        separate: [Lanes; 2],
        join: Lanes,
        square: [Lanes; LANES],
    }

    impl LowPrecisionWork for Shuffles {
        #[inline(always)]
        fn run<V: LowPrecisionVector>(&mut self) {
            let (first, next) = (V::load(&self.numbers[0]).nearest(), V::load(&self.numbers[1]).nearest());
            first.store(&mut self.nearest[0]);
            next.store(&mut self.nearest[1]);
            let (even, odd) = first.separate(next);
            even.store(&mut self.separate[0]);
            odd.store(&mut self.separate[1]);
            even.join(odd).store(&mut self.join);
            V::transpose(&mut self.square);
        }

        #[cfg(target_arch = "x86_64")]
        unsafe fn run_tiles(&mut self) {}
    }

    /// Numbers of all kinds: around every rounding and every limit.
    fn numbers() -> impl Iterator<Item = u32> {
        let ends = [0, 1, 0x7fff, 0x8000, 0x8001, 0xffff, 0x0001_7fff, 0x0001_8000, 0x0001_8001];
        let powers = (0..=255u32).flat_map(move |exponent| ends.map(|end| exponent << 23 | end));
        powers.flat_map(|bits| [bits, bits.wrapping_sub(1) & MAGNITUDE, bits | 1 << 31])
    }

    /// The rule by its definition: the closest of the two neighbours, in double precision.
    fn by_definition(number: f32) -> f32 {
        if number.abs() < 2.0f32.powi(-56) {
            return 0.0;
        }
        let below = f32::from_bits(number.to_bits() & KEPT);
        let ulp = 2.0f64.powi(((number.to_bits() & MAGNITUDE) >> 23) as i32 - 127 - 7);
        let rest = (f64::from(number) - f64::from(below)).abs() / ulp;
        let up = rest > 0.5 || rest == 0.5 && below.to_bits() >> 16 & 1 == 1;
        if up { f32::from_bits(below.to_bits() + (1 << 16)) } else { below }
    }

    #[test]
    fn the_nearest_number_is_the_nearest_by_its_definition() {
        for number in numbers().map(f32::from_bits) {
            let rounded = nearest(number);
            assert_eq!(rounded.to_bits() & !KEPT, 0);
            if number.is_nan() {
                assert!(rounded.is_nan());
            } else if number.is_infinite() {
                assert_eq!(rounded, number);
            } else {
                assert_eq!(rounded.to_bits(), by_definition(number).to_bits(), "{number:e}");
            }
        }
    }

    #[test]
    fn every_set_of_instructions_rounds_and_shuffles_alike() {
        let mut all: Vec<f32> = numbers().map(f32::from_bits).collect();
        all.truncate(all.len() / 32 * 32);
        for (place, block) in all.as_chunks::<32>().0.iter().enumerate() {
            let mut square = [[0.0; LANES]; LANES];
            for (row, lanes) in square.iter_mut().enumerate() {
                *lanes = std::array::from_fn(|column| (row * LANES + column) as f32);
            }
            for set in DotSet::available() {
                let [first, next] = *block.as_chunks::<LANES>().0 else { unreachable!("two halves") };
                let zero = [0.0; LANES];
                let mut work =
                    Shuffles { numbers: [first, next], nearest: [zero; 2], separate: [zero; 2], join: zero, square };
                if CheckedSet::new(set).has_tiles() {
                    continue;
                }
                CheckedSet::new(set).perform(&mut work);
                for (at, &number) in block.iter().enumerate() {
                    let expected = nearest(number).to_bits();
                    assert_eq!(work.nearest[at / LANES][at % LANES].to_bits(), expected, "{set:?} {place} {at}");
                    assert_eq!(work.separate[at % 2][at / 2].to_bits(), expected, "{set:?} {place} {at}");
                    let joined = work.join[at / 2].to_bits() >> (at % 2 * 16) & 0xffff;
                    assert_eq!(joined, expected >> 16, "{set:?} {place} {at}");
                }
                for (row, numbers) in work.square.iter().enumerate() {
                    let turned = square.map(|numbers| numbers[row]);
                    assert_eq!(*numbers, turned, "{set:?}");
                }
            }
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn the_instruction_for_pairs_obeys_the_rule() {
        #[target_feature(enable = "avx512f,avx512bf16")]
        fn both(first: &Lanes, next: &Lanes, into: &mut Lanes) {
            // SAFETY: this function enables the features.
            unsafe { super::super::low_precision_x86::pair_up(first, next, into) }
        }
        if !is_x86_feature_detected!("avx512f") || !is_x86_feature_detected!("avx512bf16") {
            println!("skipped: this processor has no AVX512-BF16");
            return;
        }
        let all: Vec<f32> = numbers().map(f32::from_bits).collect();
        for block in all.as_chunks::<32>().0 {
            let [first, next] = block.as_chunks::<LANES>().0 else { unreachable!("two halves") };
            let mut pairs = [0.0; LANES];
            // SAFETY: the features were detected just now.
            unsafe { both(first, next, &mut pairs) };
            for at in 0..32 {
                let pair = pairs[at / 2].to_bits() >> (at % 2 * 16) & 0xffff;
                assert_eq!(pair, nearest(block[at]).to_bits() >> 16, "{:e}", block[at]);
            }
        }
    }
}
