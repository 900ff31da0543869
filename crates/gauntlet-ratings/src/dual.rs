//! Numbers of sparse factors: plain ones, and dual ones, which carry the derivative along one direction.
//!
//! Errors need `H^-1 M H^-1`, which is minus the derivative of `(H + t M)^-1` at 0: a factorisation in dual numbers gives
//! its entries without forming a dense matrix.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number that a factorisation computes with.
pub(super) trait Number:
    Copy
    + Default
    + PartialEq
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The number without its derivative.
    fn value(self) -> f64;
}

impl Number for f64 {
    fn value(self) -> f64 {
        self
    }
}

/// A number and its derivative.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Dual {
    pub(super) value: f64,
    pub(super) slope: f64,
}

impl Number for Dual {
    fn value(self) -> f64 {
        self.value
    }
}

impl Add for Dual {
    type Output = Dual;

    fn add(self, other: Dual) -> Dual {
        Dual { value: self.value + other.value, slope: self.slope + other.slope }
    }
}

impl Sub for Dual {
    type Output = Dual;

    fn sub(self, other: Dual) -> Dual {
        Dual { value: self.value - other.value, slope: self.slope - other.slope }
    }
}

impl Mul for Dual {
    type Output = Dual;

    fn mul(self, other: Dual) -> Dual {
        Dual { value: self.value * other.value, slope: self.slope * other.value + self.value * other.slope }
    }
}

impl Div for Dual {
    type Output = Dual;

    fn div(self, other: Dual) -> Dual {
        let value = self.value / other.value;
        Dual { value, slope: (self.slope - value * other.slope) / other.value }
    }
}

impl Neg for Dual {
    type Output = Dual;

    fn neg(self) -> Dual {
        Dual { value: -self.value, slope: -self.slope }
    }
}
