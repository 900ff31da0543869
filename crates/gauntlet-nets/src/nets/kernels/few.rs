//! What products of few bits need beside [`Vector`]: roundings to bf16, transposes, sums of products of bytes.
//!
//! As there, all implementations give the same bits. All intrinsics for products of few bits are in this file.

use super::vector::{Lanes, Portable, Vector};
use crate::encoders::LANES;

/// Sixteen words of 32 bits: sums of integers, or values of few bits side by side.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub struct AlignedWords(pub [i32; LANES]);

impl AlignedWords {
    /// All words zero.
    pub const ZERO: AlignedWords = AlignedWords([0; LANES]);
}

/// The magnitude below which the rule of [`nearest`] gives zero: 2^-56, as bits.
const SMALLEST: u32 = (127 - 56) << 23;
/// Infinity, as bits; all larger magnitudes are NaN.
const INFINITY: u32 = 0xff << 23;
/// The bits of a number but for the sign.
const MAGNITUDE: u32 = 0x7fff_ffff;
/// The bits of a number that bf16 keeps.
const KEPT: u32 = 0xffff_0000;
/// The bit of a NaN that makes it quiet, so that its other bits may be dropped.
const QUIET: u32 = 1 << 22;

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
pub trait Few: Vector {
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

impl Few for Portable {
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
fn transpose(square: &mut [Lanes; LANES]) {
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

#[cfg(target_arch = "x86_64")]
pub use x86::pair_up;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::super::vector::{Avx2, Avx512};
    use super::{Few, INFINITY, KEPT, LANES, Lanes, MAGNITUDE, QUIET, SMALLEST, Words};

    impl Few for Avx512 {
        type Words = Words512;

        #[inline(always)]
        fn nearest(self) -> Self {
            // SAFETY: only `dot` names this type as a `Few`, inside functions that enable the features (so in all
            // impls of this file).
            Avx512(unsafe {
                let bits = _mm512_castps_si512(self.0);
                let magnitude = _mm512_and_si512(bits, _mm512_set1_epi32(MAGNITUDE as i32));
                let large = _mm512_cmpge_epi32_mask(magnitude, _mm512_set1_epi32(SMALLEST as i32));
                let nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(self.0, self.0);
                let odd = _mm512_test_epi32_mask(bits, _mm512_set1_epi32(1 << 16));
                let rounded = _mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff));
                let rounded = _mm512_mask_add_epi32(rounded, odd, bits, _mm512_set1_epi32(0x8000));
                let rounded = _mm512_mask_or_epi32(rounded, nan, bits, _mm512_set1_epi32(QUIET as i32));
                _mm512_castsi512_ps(_mm512_maskz_and_epi32(large, rounded, _mm512_set1_epi32(KEPT as i32)))
            })
        }
        #[inline(always)]
        fn separate(self, next: Self) -> (Self, Self) {
            // SAFETY: as in `nearest`.
            unsafe {
                let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
                let odd = _mm512_or_si512(even, _mm512_set1_epi32(1));
                (
                    Avx512(_mm512_permutex2var_ps(self.0, even, next.0)),
                    Avx512(_mm512_permutex2var_ps(self.0, odd, next.0)),
                )
            }
        }
        #[inline(always)]
        fn join(self, odd: Self) -> Self {
            // SAFETY: as in `nearest`.
            Avx512(unsafe {
                let even = _mm512_srli_epi32::<16>(_mm512_castps_si512(self.0));
                _mm512_castsi512_ps(_mm512_or_si512(even, _mm512_castps_si512(odd.0)))
            })
        }
        #[inline(always)]
        #[expect(clippy::needless_range_loop, reason = "the rows only stay in registers if every index is a loop's")]
        fn transpose(square: &mut [Lanes; LANES]) {
            // SAFETY: as in `nearest`; every row is one register wide.
            unsafe {
                let mut rows = [_mm512_setzero_ps(); LANES];
                for row in 0..LANES {
                    rows[row] = _mm512_loadu_ps(square[row].as_ptr());
                }
                let mut pairs = [_mm512_setzero_pd(); LANES];
                for row in 0..LANES / 2 {
                    let (a, b) = (rows[2 * row], rows[2 * row + 1]);
                    pairs[2 * row] = _mm512_castps_pd(_mm512_unpacklo_ps(a, b));
                    pairs[2 * row + 1] = _mm512_castps_pd(_mm512_unpackhi_ps(a, b));
                }
                // Row `4 q + c` holds, in quarter `l`, column `4 l + c` of the rows `4 q ..= 4 q + 3`.
                for four in 0..LANES / 4 {
                    let [a, b, c, d] = [pairs[4 * four], pairs[4 * four + 1], pairs[4 * four + 2], pairs[4 * four + 3]];
                    rows[4 * four] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, c));
                    rows[4 * four + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, c));
                    rows[4 * four + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(b, d));
                    rows[4 * four + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(b, d));
                }
                for column in 0..4 {
                    let [a, b, c, d] = [rows[column], rows[4 + column], rows[8 + column], rows[12 + column]];
                    let (low, high) = (_mm512_shuffle_f32x4::<0x88>(a, b), _mm512_shuffle_f32x4::<0x88>(c, d));
                    let (low_odd, high_odd) = (_mm512_shuffle_f32x4::<0xdd>(a, b), _mm512_shuffle_f32x4::<0xdd>(c, d));
                    let quarters = [
                        _mm512_shuffle_f32x4::<0x88>(low, high),
                        _mm512_shuffle_f32x4::<0x88>(low_odd, high_odd),
                        _mm512_shuffle_f32x4::<0xdd>(low, high),
                        _mm512_shuffle_f32x4::<0xdd>(low_odd, high_odd),
                    ];
                    for quarter in 0..4 {
                        _mm512_storeu_ps(square[4 * quarter + column].as_mut_ptr(), quarters[quarter]);
                    }
                }
            }
        }
    }

    /// The bf16 numbers nearest to 32 numbers, side by side, by the rule of [`super::nearest`].
    ///
    /// The instruction rounds to the nearest, ties to even, and makes NaN quiet. It would flush denormals, which are
    /// zero by then.
    ///
    /// # Safety
    /// The processor has AVX512-BF16, and the function is inlined where it is enabled.
    #[inline(always)]
    pub unsafe fn pair_up(first: &Lanes, next: &Lanes, into: &mut Lanes) {
        // SAFETY: the caller has enabled the features; all three are one register wide.
        unsafe {
            let pairs: __m512i = std::mem::transmute(_mm512_cvtne2ps_pbh(without_small(next), without_small(first)));
            _mm512_storeu_si512(into.as_mut_ptr().cast(), pairs);
        }
    }

    /// The numbers, but zero for those that are zero by the rule of [`super::nearest`].
    #[inline(always)]
    fn without_small(numbers: &Lanes) -> __m512 {
        // SAFETY: as in `nearest`; unaligned addresses are allowed.
        unsafe {
            let bits = _mm512_castps_si512(_mm512_loadu_ps(numbers.as_ptr()));
            let magnitude = _mm512_and_si512(bits, _mm512_set1_epi32(MAGNITUDE as i32));
            let large = _mm512_cmpge_epi32_mask(magnitude, _mm512_set1_epi32(SMALLEST as i32));
            _mm512_castsi512_ps(_mm512_maskz_mov_epi32(large, bits))
        }
    }

    /// One 512-bit register of words.
    #[derive(Debug, Clone, Copy)]
    pub struct Words512(__m512i);

    impl Words for Words512 {
        type Numbers = Avx512;
        const VALUES: usize = 4;
        const OFFSET: i32 = 128;

        #[inline(always)]
        fn splat(word: i32) -> Self {
            // SAFETY: as in `nearest`.
            Words512(unsafe { _mm512_set1_epi32(word) })
        }
        #[inline(always)]
        fn load(from: &[i32; LANES]) -> Self {
            // SAFETY: as in `nearest`; unaligned addresses are allowed.
            Words512(unsafe { _mm512_loadu_si512(from.as_ptr().cast()) })
        }
        #[inline(always)]
        fn dot(self, values: Self, weights: Self) -> Self {
            // SAFETY: as in `nearest`.
            Words512(unsafe { _mm512_dpbusd_epi32(self.0, values.0, weights.0) })
        }
        #[inline(always)]
        fn numbers(self) -> Avx512 {
            // SAFETY: as in `nearest`.
            Avx512(unsafe { _mm512_cvtepi32_ps(self.0) })
        }
        #[inline(always)]
        fn larger(self, numbers: &Lanes) -> Self {
            let bits = Words512::load_bits(numbers);
            // SAFETY: as in `nearest`.
            Words512(unsafe { _mm512_max_epi32(self.0, _mm512_and_si512(bits.0, _mm512_set1_epi32(MAGNITUDE as i32))) })
        }
        #[inline(always)]
        fn largest(self) -> i32 {
            // SAFETY: as in `nearest`.
            unsafe { _mm512_reduce_max_epi32(self.0) }
        }
        #[inline(always)]
        fn quantise(numbers: &Lanes, factor: Avx512, offset: i32, into: &mut [i32]) {
            let into = &mut into[..LANES / 4];
            // SAFETY: as in `nearest`; `into` has room for sixteen bytes.
            unsafe {
                let scaled = _mm512_mul_ps(_mm512_loadu_ps(numbers.as_ptr()), factor.0);
                let bytes = _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(scaled));
                let unsigned = _mm_add_epi8(bytes, _mm_set1_epi8(offset as i8));
                _mm_storeu_si128(into.as_mut_ptr().cast(), unsigned);
            }
        }
    }

    impl Words512 {
        /// The bits of numbers.
        #[inline(always)]
        fn load_bits(numbers: &Lanes) -> Words512 {
            // SAFETY: as in `nearest`; unaligned addresses are allowed.
            Words512(unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) })
        }
    }

    impl Few for Avx2 {
        type Words = Words256;

        #[inline(always)]
        fn nearest(self) -> Self {
            Avx2(half_nearest(self.0), half_nearest(self.1))
        }
        #[inline(always)]
        fn separate(self, next: Self) -> (Self, Self) {
            let (first, second) = (half_separate(self.0, self.1), half_separate(next.0, next.1));
            (Avx2(first.0, second.0), Avx2(first.1, second.1))
        }
        #[inline(always)]
        fn join(self, odd: Self) -> Self {
            // SAFETY: as in `nearest`.
            unsafe {
                let low = _mm256_srli_epi32::<16>(_mm256_castps_si256(self.0));
                let high = _mm256_srli_epi32::<16>(_mm256_castps_si256(self.1));
                Avx2(_mm256_or_ps(_mm256_castsi256_ps(low), odd.0), _mm256_or_ps(_mm256_castsi256_ps(high), odd.1))
            }
        }
        #[inline(always)]
        fn transpose(square: &mut [Lanes; LANES]) {
            super::transpose(square);
        }
    }

    /// The same bits in eight lanes.
    #[inline(always)]
    fn all(bits: u32) -> __m256i {
        // SAFETY: as in `nearest`.
        unsafe { _mm256_set1_epi32(bits as i32) }
    }

    /// [`Few::nearest`] of eight lanes.
    #[inline(always)]
    fn half_nearest(numbers: __m256) -> __m256 {
        // SAFETY: as in `nearest`. Magnitudes are positive as signed words, so that signed comparisons order them.
        unsafe {
            let bits = _mm256_castps_si256(numbers);
            let magnitude = _mm256_and_si256(bits, all(MAGNITUDE));
            let large = _mm256_cmpgt_epi32(magnitude, all(SMALLEST - 1));
            let nan = _mm256_cmpgt_epi32(magnitude, all(INFINITY));
            let even = _mm256_and_si256(_mm256_srli_epi32::<16>(bits), all(1));
            let rounded = _mm256_add_epi32(_mm256_add_epi32(bits, all(0x7fff)), even);
            let rounded = _mm256_blendv_epi8(rounded, _mm256_or_si256(bits, all(QUIET)), nan);
            _mm256_castsi256_ps(_mm256_and_si256(_mm256_and_si256(rounded, all(KEPT)), large))
        }
    }

    /// The numbers at even places and those at odd places of 16.
    #[inline(always)]
    fn half_separate(low: __m256, high: __m256) -> (__m256, __m256) {
        // SAFETY: as in `nearest`.
        unsafe {
            let even = _mm256_castps_pd(_mm256_shuffle_ps::<0x88>(low, high));
            let odd = _mm256_castps_pd(_mm256_shuffle_ps::<0xdd>(low, high));
            (
                _mm256_castpd_ps(_mm256_permute4x64_pd::<0b11_01_10_00>(even)),
                _mm256_castpd_ps(_mm256_permute4x64_pd::<0b11_01_10_00>(odd)),
            )
        }
    }

    /// Two 256-bit registers of words.
    #[derive(Debug, Clone, Copy)]
    pub struct Words256(__m256i, __m256i);

    /// Lanes of one register of [`Words256`].
    const HALF: usize = LANES / 2;

    impl Words for Words256 {
        type Numbers = Avx2;
        const VALUES: usize = 2;
        const OFFSET: i32 = 0;

        #[inline(always)]
        fn splat(word: i32) -> Self {
            // SAFETY: as in `nearest`.
            let half = unsafe { _mm256_set1_epi32(word) };
            Words256(half, half)
        }
        #[inline(always)]
        fn load(from: &[i32; LANES]) -> Self {
            // SAFETY: as in `nearest`; unaligned addresses are allowed.
            unsafe {
                Words256(_mm256_loadu_si256(from.as_ptr().cast()), _mm256_loadu_si256(from[HALF..].as_ptr().cast()))
            }
        }
        #[inline(always)]
        fn dot(self, values: Self, weights: Self) -> Self {
            // SAFETY: as in `nearest`.
            unsafe {
                Words256(
                    _mm256_add_epi32(self.0, _mm256_madd_epi16(values.0, weights.0)),
                    _mm256_add_epi32(self.1, _mm256_madd_epi16(values.1, weights.1)),
                )
            }
        }
        #[inline(always)]
        fn numbers(self) -> Avx2 {
            // SAFETY: as in `nearest`.
            unsafe { Avx2(_mm256_cvtepi32_ps(self.0), _mm256_cvtepi32_ps(self.1)) }
        }
        #[inline(always)]
        fn larger(self, numbers: &Lanes) -> Self {
            // SAFETY: as in `nearest`; `Lanes` is two registers of eight numbers.
            unsafe {
                let low = _mm256_and_si256(_mm256_loadu_si256(numbers.as_ptr().cast()), all(MAGNITUDE));
                let high = _mm256_and_si256(_mm256_loadu_si256(numbers[HALF..].as_ptr().cast()), all(MAGNITUDE));
                Words256(_mm256_max_epi32(self.0, low), _mm256_max_epi32(self.1, high))
            }
        }
        #[inline(always)]
        fn largest(self) -> i32 {
            // SAFETY: as in `nearest`.
            unsafe {
                let eight = _mm256_max_epi32(self.0, self.1);
                let four = _mm_max_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256::<1>(eight));
                let two = _mm_max_epi32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
                _mm_cvtsi128_si32(_mm_max_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two)))
            }
        }
        #[inline(always)]
        fn quantise(numbers: &Lanes, factor: Avx2, _: i32, into: &mut [i32]) {
            let into = &mut into[..LANES / 2];
            // SAFETY: as in `nearest`; `into` has room for sixteen halves.
            unsafe {
                let low = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(numbers.as_ptr()), factor.0));
                let high = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(numbers[HALF..].as_ptr()), factor.1));
                let ordered = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi32(low, high));
                _mm256_storeu_si256(into.as_mut_ptr().cast(), ordered);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::dot::{DotSet, Ready, Work};
    use super::*;

    /// Roundings and shuffles of 32 numbers.
    struct Shuffles {
        numbers: [Lanes; 2],
        nearest: [Lanes; 2],
        separate: [Lanes; 2],
        join: Lanes,
        square: [Lanes; LANES],
    }

    impl Work for Shuffles {
        #[inline(always)]
        fn run<V: Few>(&mut self) {
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
                if Ready::new(set).has_tiles() {
                    continue;
                }
                Ready::new(set).perform(&mut work);
                for at in 0..32 {
                    let expected = nearest(block[at]).to_bits();
                    assert_eq!(work.nearest[at / LANES][at % LANES].to_bits(), expected, "{set:?} {place} {at}");
                    assert_eq!(work.separate[at % 2][at / 2].to_bits(), expected, "{set:?} {place} {at}");
                    let joined = work.join[at / 2].to_bits() >> (at % 2 * 16) & 0xffff;
                    assert_eq!(joined, expected >> 16, "{set:?} {place} {at}");
                }
                for row in 0..LANES {
                    for column in 0..LANES {
                        assert_eq!(work.square[row][column], square[column][row], "{set:?}");
                    }
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
            unsafe { pair_up(first, next, into) }
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
