//! The hyperbolic tangent and the logistic sigmoid as quotients of polynomials.
//!
//! They remain fractions, because the LSTM equations multiply them, and a product of fractions costs one division
//! instead of two. The coefficients are a minimax fit of an odd quotient of degree 7 over 8 on `-LIMIT ..= LIMIT`,
//! found by iteratively reweighted least squares; its own error is 1.3e-7 and clamping adds 2.3e-7 at most; with
//! rounding the absolute error is below 5e-7 everywhere, which a test checks.

use super::Vector;

/// Bound on the absolute error of [`tanh`]'s quotient, for every argument.
#[cfg(test)]
const TANH_ERROR: f64 = 5e-7;

/// Beyond this the function is flat: 1 - tanh(8) is 2.3e-7.
const LIMIT: f32 = 8.0;

/// Coefficients of x, x^3, x^5, x^7.
const ABOVE: [f32; 4] = [0.999_999_34, 0.129_136_38, 0.002_938_825_2, 1.131_019_9e-5];

/// Coefficients of 1, x^2, x^4, x^6, x^8.
const BELOW: [f32; 5] = [1.0, 0.462_467_37, 0.023_763_817, 0.000_237_028_13, 2.423_833_8e-7];

/// A fraction before its division; `below` lies in 1 ..= 200.
#[derive(Debug, Clone, Copy)]
pub struct Quotient<V> {
    /// Numerator.
    pub above: V,
    /// Denominator.
    pub below: V,
}

impl<V: Vector> Quotient<V> {
    /// Sum, over the product of both denominators.
    #[inline(always)]
    pub fn add(self, other: Self) -> Self {
        let above = self.above.mul_add(other.below, other.above.mul(self.below));
        Quotient { above, below: self.below.mul(other.below) }
    }
}

/// tanh(x), exactly odd in x.
#[inline(always)]
pub fn tanh<V: Vector>(x: V) -> Quotient<V> {
    let x = x.clamp(LIMIT);
    let square = x.mul(x);
    Quotient { above: x.mul(polynomial(&ABOVE, square)), below: polynomial(&BELOW, square) }
}

#[inline(always)]
fn polynomial<V: Vector, const N: usize>(coefficients: &[f32; N], x: V) -> V {
    let mut sum = V::splat(coefficients[N - 1]);
    for &coefficient in coefficients.iter().rev().skip(1) {
        sum = sum.mul_add(x, V::splat(coefficient));
    }
    sum
}

/// Twice the sigmoid of `2 * half`, since sigmoid(z) = (1 + tanh(z / 2)) / 2.
///
/// The weights of a gate are halved beforehand, and a whole product is multiplied by the factor of two once: both are
/// exact.
#[inline(always)]
pub fn twice_sigmoid<V: Vector>(half: V) -> Quotient<V> {
    let tanh = tanh(half);
    Quotient { above: tanh.above.add(tanh.below), below: tanh.below }
}

#[cfg(test)]
mod tests {
    use super::super::vector::Portable;
    use super::*;
    use crate::encoders::LANES;

    fn quotient(fraction: Quotient<Portable>) -> f32 {
        let mut lanes = [0.0; LANES];
        fraction.above.div(fraction.below).store(&mut lanes);
        lanes[0]
    }

    fn tanh_of(x: f32) -> f32 {
        quotient(tanh(Portable::splat(x)))
    }

    fn grid() -> impl Iterator<Item = f32> {
        (0..400_000).map(|i| i as f32 * 2.5e-5)
    }

    #[test]
    fn the_error_of_tanh_is_within_its_bound() {
        let far = [10.0, 20.0, 1e3, 1e10, f32::MAX];
        let worst = grid().chain(far).map(|x| (f64::from(tanh_of(x)) - f64::from(x).tanh()).abs()).fold(0.0, f64::max);
        assert!(worst <= TANH_ERROR, "{worst:e}");
    }

    #[test]
    fn the_error_of_the_sigmoid_is_within_half_that_bound() {
        let sigmoid = |z: f64| 1.0 / (1.0 + (-z).exp());
        let error = |z: f32| {
            let fraction = twice_sigmoid(Portable::splat(0.5 * z));
            (f64::from(0.5 * quotient(fraction)) - sigmoid(f64::from(z))).abs()
        };
        let worst = grid().flat_map(|x| [2.0 * x, -2.0 * x]).map(error).fold(0.0, f64::max);
        assert!(worst <= 0.5 * TANH_ERROR + 6e-8, "{worst:e}");
    }

    #[test]
    fn tanh_is_odd_to_the_bit() {
        assert!(grid().all(|x| tanh_of(-x).to_bits() == (-tanh_of(x)).to_bits()));
    }

    #[test]
    fn tanh_rises_up_to_its_error_and_saturates() {
        let mut highest = f32::NEG_INFINITY;
        for x in grid() {
            let y = tanh_of(x);
            assert!(f64::from(y) >= f64::from(highest) - TANH_ERROR && y <= 1.0);
            highest = highest.max(y);
        }
        assert_eq!(tanh_of(LIMIT), tanh_of(f32::INFINITY));
        assert_eq!(tanh_of(-LIMIT), tanh_of(f32::NEG_INFINITY));
    }
}
