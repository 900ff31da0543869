//! Arithmetic of rows. It is compiled for the caller's instructions, with one fixed order of every sum.

use candle_core::WithDType;

/// Number of partial sums of an inner product.
const LANES: usize = 16;

/// The inner product of two rows.
#[inline(always)]
pub fn dot<T: WithDType>(a: &[T], b: &[T]) -> T {
    let mut sums = [T::zero(); LANES];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    for half in [8, 4, 2, 1] {
        for lane in 0..half {
            sums[lane] += sums[lane + half];
        }
    }
    let mut total = sums[0];
    for (&a, &b) in a_rest.iter().zip(b_rest) {
        total += a * b;
    }
    total
}

/// `into += x`.
#[inline(always)]
pub fn add<T: WithDType>(into: &mut [T], x: &[T]) {
    for (into, &x) in into.iter_mut().zip(x) {
        *into += x;
    }
}

/// `into += weight x`.
#[inline(always)]
pub fn add_scaled<T: WithDType>(into: &mut [T], weight: T, x: &[T]) {
    for (into, &x) in into.iter_mut().zip(x) {
        *into += weight * x;
    }
}

/// Row `index` of rows of this width.
#[inline(always)]
pub fn row<T>(rows: &[T], index: usize, width: usize) -> &[T] {
    &rows[index * width..][..width]
}

/// The same, mutable.
#[inline(always)]
pub fn row_mut<T>(rows: &mut [T], index: usize, width: usize) -> &mut [T] {
    &mut rows[index * width..][..width]
}
