//! Values with a point of view, so that a sign cannot be misread.
//!
//! A tree sums values from the first side's point of view. Reading a number requires naming the side, so that no sign
//! depends on the parity of a ply. Games in which a side moves twice need no special care.

use std::ops::AddAssign;

use gauntlet_games::base::{Outcome, Side};

/// An expected outcome, or a sum of them, for either side.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Value(f64);

impl Value {
    /// Zero, or an even position.
    pub const ZERO: Value = Value(0.0);

    /// The value that is `value` for `side`.
    #[must_use]
    #[inline]
    pub fn of(side: Side, value: f64) -> Value {
        Value(sign(side) * value)
    }

    /// The number that this value is for `side`.
    #[must_use]
    #[inline]
    pub fn seen_by(self, side: Side) -> f64 {
        sign(side) * self.0
    }

    /// The value times `factor`.
    #[must_use]
    #[inline]
    pub fn times(self, factor: f64) -> Value {
        Value(self.0 * factor)
    }

    /// The mean of `count` values with this sum.
    #[must_use]
    #[inline]
    pub fn mean(self, count: u32) -> Value {
        Value(self.0 / f64::from(count))
    }
}

impl From<Outcome> for Value {
    fn from(outcome: Outcome) -> Value {
        Value(outcome.score(Side::First))
    }
}

impl AddAssign for Value {
    #[inline]
    fn add_assign(&mut self, other: Value) {
        self.0 += other.0;
    }
}

#[inline]
fn sign(side: Side) -> f64 {
    match side {
        Side::First => 1.0,
        Side::Second => -1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_good_for_one_side_is_bad_for_the_other() {
        for side in Side::BOTH {
            let value = Value::of(side, 0.25);
            assert_eq!([value.seen_by(side), value.seen_by(side.opponent())], [0.25, -0.25]);
            let lost = Value::from(Outcome::Win(side.opponent()));
            assert_eq!(lost.seen_by(side), Outcome::Win(side.opponent()).score(side));
        }
        assert_eq!(Value::from(Outcome::Draw), Value::ZERO);
    }

    #[test]
    fn sums_and_means_need_no_side() {
        let mut sum = Value::of(Side::First, 1.0);
        sum += Value::of(Side::Second, 0.5);
        assert_eq!(sum.mean(2).seen_by(Side::Second), -0.25);
    }
}
