//! Deserializers of network settings that reject values outside their range.

use serde::Deserialize as _;
use serde::de::{Deserializer, Error as _};

/// Reads a share from 0 to 0.99: the remainder is a divisor.
pub(super) fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let share = f64::deserialize(deserializer)?;
    match (0.0..=0.99).contains(&share) {
        true => Ok(share),
        false => Err(D::Error::custom(format!("share {share} is outside 0 to 0.99"))),
    }
}

/// Reads a finite number.
pub(super) fn finite<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f32, D::Error> {
    let number = f32::deserialize(deserializer)?;
    if number.is_finite() { Ok(number) } else { Err(D::Error::custom(format!("{number} is not finite"))) }
}

/// Reads a share above 0 and up to 1.
pub(super) fn some_share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let share = f64::deserialize(deserializer)?;
    match share > 0.0 && share <= 1.0 {
        true => Ok(share),
        false => Err(D::Error::custom(format!("share {share} is not above 0 and at most 1"))),
    }
}
