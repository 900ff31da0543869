//! Vectors of sixteen positions, one value each, for the processor's registers.
//!
//! Every operation is a single correctly rounded one of IEEE 754 (`mul_add` rounds once), so that all implementations
//! give the same bits and a result does not depend on the machine. All intrinsics are in this file.

use crate::encoders::LANES;

/// The memory form of a [`Vector`]: one `f32` of each lane.
pub type Lanes = [f32; LANES];

/// [`Lanes`] with an alignment at which a register's load does not straddle two cache lines: the element of scratch
/// memory.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub struct AlignedLanes(pub Lanes);

impl AlignedLanes {
    /// All lanes zero.
    pub const ZERO: AlignedLanes = AlignedLanes([0.0; LANES]);
}

/// One `f32` for each of the [`LANES`] positions of a block.
///
/// Only [`Vectorized`] names an implementation other than [`Portable`], for [`super::instruction_sets`], which has detected the
/// processor's instructions; the intrinsics below depend on that.
pub trait Vector: Copy {
    /// Whether there are registers for two dozen sums at once.
    const WIDE: bool;
    /// Whether small layers get code of their own.
    const UNROLLED: bool;
    /// The same value in every lane.
    fn splat(value: f32) -> Self;
    /// Reads all lanes.
    fn load(from: &Lanes) -> Self;
    /// Writes all lanes.
    fn store(self, into: &mut Lanes);
    /// Sum.
    fn add(self, other: Self) -> Self;
    /// Difference.
    fn sub(self, other: Self) -> Self;
    /// Product.
    fn mul(self, other: Self) -> Self;
    /// Quotient.
    fn div(self, other: Self) -> Self;
    /// `self * factor + addend`, rounded once.
    fn mul_add(self, factor: Self, addend: Self) -> Self;
    /// The nearest value in `-limit ..= limit`; `limit` for a lane that is NaN.
    fn clamp(self, limit: f32) -> Self;
    /// The maximum of two; `other` for a lane that is NaN.
    fn max(self, other: Self) -> Self;
    /// Runs a kernel as a function of its own: networks that share it share its code.
    fn perform(work: &mut impl Vectorized);
}

/// Arithmetic that is compiled once for each set of instructions.
pub trait Vectorized {
    /// Runs it; implementations are `#[inline(always)]`, as are all functions over a [`Vector`] that they call.
    fn run<V: Vector>(&mut self);

    /// Runs it with 512-bit registers.
    ///
    /// # Safety
    /// The processor has AVX-512F.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    #[inline(never)]
    unsafe fn run_avx512(&mut self) {
        self.run::<Avx512>();
    }

    /// Runs it with 256-bit registers.
    ///
    /// # Safety
    /// The processor has AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    #[inline(never)]
    unsafe fn run_avx2(&mut self) {
        self.run::<Avx2>();
    }

    /// Runs it on any processor.
    #[inline(never)]
    fn run_portable(&mut self) {
        self.run::<Portable>();
    }
}

/// Plain Rust, for every processor; vectorised by the compiler if possible.
///
/// On x86-64, where other types have the fast instructions, its arithmetic is not inlined: its copies were two thirds of the
/// code of all networks' kernels.
#[derive(Debug, Clone, Copy)]
pub struct Portable(pub(in crate::nets::kernels) Lanes);

impl Portable {
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn map(mut self, other: Self, operation: impl Fn(f32, f32) -> f32) -> Self {
        for (lane, with) in self.0.iter_mut().zip(other.0) {
            *lane = operation(*lane, with);
        }
        self
    }
}

impl Vector for Portable {
    const WIDE: bool = false;
    const UNROLLED: bool = cfg!(not(target_arch = "x86_64"));

    #[inline(always)]
    fn splat(value: f32) -> Self {
        Portable([value; LANES])
    }
    #[inline(always)]
    fn load(from: &Lanes) -> Self {
        Portable(*from)
    }
    #[inline(always)]
    fn store(self, into: &mut Lanes) {
        *into = self.0;
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.map(other, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.map(other, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.map(other, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.map(other, |a, b| a / b)
    }
    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
    fn mul_add(mut self, factor: Self, addend: Self) -> Self {
        for ((lane, by), plus) in self.0.iter_mut().zip(factor.0).zip(addend.0) {
            *lane = lane.mul_add(by, plus);
        }
        self
    }
    #[inline(always)]
    fn clamp(self, limit: f32) -> Self {
        // Written as comparisons because `f32::clamp` would keep a NaN, which the x86 instructions drop.
        let below = self.map(Self::splat(limit), |a, b| if a < b { a } else { b });
        below.map(Self::splat(-limit), |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.map(other, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn perform(work: &mut impl Vectorized) {
        work.run_portable();
    }
}

#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{LANES, Lanes, Vector, Vectorized};
    use std::arch::x86_64::*;

    /// One 512-bit register.
    #[derive(Debug, Clone, Copy)]
    pub struct Avx512(pub(in crate::nets::kernels) __m512);

    impl Vector for Avx512 {
        const WIDE: bool = true;
        const UNROLLED: bool = true;

        #[inline(always)]
        fn splat(value: f32) -> Self {
            // SAFETY: only `Vectorized` names this type, inside functions that enable the feature (so in all of
            // this impl).
            Avx512(unsafe { _mm512_set1_ps(value) })
        }
        #[inline(always)]
        fn load(from: &Lanes) -> Self {
            // SAFETY: `Lanes` is sixteen `f32`, the width of the register; unaligned addresses are allowed.
            Avx512(unsafe { _mm512_loadu_ps(from.as_ptr()) })
        }
        #[inline(always)]
        fn store(self, into: &mut Lanes) {
            // SAFETY: as in `load`.
            unsafe { _mm512_storeu_ps(into.as_mut_ptr(), self.0) }
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            Avx512(unsafe { _mm512_add_ps(self.0, other.0) })
        }
        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            Avx512(unsafe { _mm512_sub_ps(self.0, other.0) })
        }
        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            Avx512(unsafe { _mm512_mul_ps(self.0, other.0) })
        }
        #[inline(always)]
        fn div(self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            Avx512(unsafe { _mm512_div_ps(self.0, other.0) })
        }
        #[inline(always)]
        fn mul_add(self, factor: Self, addend: Self) -> Self {
            // SAFETY: as in `splat`.
            Avx512(unsafe { _mm512_fmadd_ps(self.0, factor.0, addend.0) })
        }
        #[inline(always)]
        fn clamp(self, limit: f32) -> Self {
            // SAFETY: as in `splat`.
            Avx512(unsafe { _mm512_max_ps(_mm512_min_ps(self.0, _mm512_set1_ps(limit)), _mm512_set1_ps(-limit)) })
        }
        #[inline(always)]
        fn max(self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            Avx512(unsafe { _mm512_max_ps(self.0, other.0) })
        }
        #[inline(always)]
        fn perform(work: &mut impl Vectorized) {
            // SAFETY: as in `splat`.
            unsafe { work.run_avx512() }
        }
    }

    /// Two 256-bit registers.
    #[derive(Debug, Clone, Copy)]
    pub struct Avx2(pub(in crate::nets::kernels) __m256, pub(in crate::nets::kernels) __m256);

    /// Lanes of one register of [`Avx2`].
    const HALF: usize = LANES / 2;

    impl Vector for Avx2 {
        const WIDE: bool = false;
        const UNROLLED: bool = true;

        #[inline(always)]
        fn splat(value: f32) -> Self {
            // SAFETY: only `Vectorized` names this type, inside functions that enable the feature (so in all of
            // this impl).
            let half = unsafe { _mm256_set1_ps(value) };
            Avx2(half, half)
        }
        #[inline(always)]
        fn load(from: &Lanes) -> Self {
            // SAFETY: `Lanes` is two registers of eight `f32`; unaligned addresses are allowed.
            unsafe { Avx2(_mm256_loadu_ps(from.as_ptr()), _mm256_loadu_ps(from[HALF..].as_ptr())) }
        }
        #[inline(always)]
        fn store(self, into: &mut Lanes) {
            // SAFETY: as in `load`.
            unsafe {
                _mm256_storeu_ps(into.as_mut_ptr(), self.0);
                _mm256_storeu_ps(into[HALF..].as_mut_ptr(), self.1);
            }
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Avx2(_mm256_add_ps(self.0, other.0), _mm256_add_ps(self.1, other.1)) }
        }
        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Avx2(_mm256_sub_ps(self.0, other.0), _mm256_sub_ps(self.1, other.1)) }
        }
        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Avx2(_mm256_mul_ps(self.0, other.0), _mm256_mul_ps(self.1, other.1)) }
        }
        #[inline(always)]
        fn div(self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Avx2(_mm256_div_ps(self.0, other.0), _mm256_div_ps(self.1, other.1)) }
        }
        #[inline(always)]
        fn mul_add(self, factor: Self, addend: Self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Avx2(_mm256_fmadd_ps(self.0, factor.0, addend.0), _mm256_fmadd_ps(self.1, factor.1, addend.1)) }
        }
        #[inline(always)]
        fn clamp(self, limit: f32) -> Self {
            // SAFETY: as in `splat`.
            unsafe {
                let (low, high) = (_mm256_set1_ps(-limit), _mm256_set1_ps(limit));
                Avx2(_mm256_max_ps(_mm256_min_ps(self.0, high), low), _mm256_max_ps(_mm256_min_ps(self.1, high), low))
            }
        }
        #[inline(always)]
        fn max(self, other: Self) -> Self {
            // SAFETY: as in `splat`.
            unsafe { Avx2(_mm256_max_ps(self.0, other.0), _mm256_max_ps(self.1, other.1)) }
        }
        #[inline(always)]
        fn perform(work: &mut impl Vectorized) {
            // SAFETY: as in `splat`.
            unsafe { work.run_avx2() }
        }
    }
}
