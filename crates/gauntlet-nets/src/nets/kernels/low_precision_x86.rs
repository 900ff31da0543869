//! Low-precision registers on x86: 512 and 256 bits.

use std::arch::x86_64::*;

use super::low_precision::{INFINITY, KEPT, LowPrecisionVector, MAGNITUDE, QUIET, SMALLEST, Words, transpose};
use super::vector::{Avx2, Avx512, Lanes};
use crate::encoders::LANES;

impl LowPrecisionVector for Avx512 {
    type Words = Words512;

    #[inline(always)]
    fn nearest(self) -> Self {
        // SAFETY: only `low_precision_sets` names this type as a `LowPrecisionVector`, inside functions that enable the features (so
        // in all impls of this file).
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
            (Avx512(_mm512_permutex2var_ps(self.0, even, next.0)), Avx512(_mm512_permutex2var_ps(self.0, odd, next.0)))
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

impl LowPrecisionVector for Avx2 {
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
        transpose(square);
    }
}

/// The same bits in eight lanes.
#[inline(always)]
fn all(bits: u32) -> __m256i {
    // SAFETY: as in `nearest`.
    unsafe { _mm256_set1_epi32(bits as i32) }
}

/// [`LowPrecisionVector::nearest`] of eight lanes.
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
        unsafe { Words256(_mm256_loadu_si256(from.as_ptr().cast()), _mm256_loadu_si256(from[HALF..].as_ptr().cast())) }
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
