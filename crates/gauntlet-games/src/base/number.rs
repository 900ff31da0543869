//! Deserializers for numeric settings that reject values outside their range.

use serde::Deserialize as _;
use serde::de::{Deserializer, Error as _};

/// Reads a finite number of at least 0.
///
/// # Errors
/// For any other value.
pub fn from_zero<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    match f64::deserialize(deserializer)? {
        number if number >= 0.0 && number.is_finite() => Ok(number),
        other => Err(D::Error::custom(format!("{other} is no number from 0"))),
    }
}

/// Reads an optional finite number of at least 0.
///
/// # Errors
/// As [`from_zero`].
pub fn some_from_zero<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    from_zero(deserializer).map(Some)
}

/// Reads a finite number above 0.
///
/// # Errors
/// For any other value.
pub fn above_zero<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    match f64::deserialize(deserializer)? {
        number if number > 0.0 && number.is_finite() => Ok(number),
        other => Err(D::Error::custom(format!("{other} is no number above 0"))),
    }
}

/// Reads an optional finite number above 0.
///
/// # Errors
/// As [`above_zero`].
pub fn some_above_zero<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    above_zero(deserializer).map(Some)
}

/// Reads a number from 0 to 1.
///
/// # Errors
/// For any other value.
pub fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    match f64::deserialize(deserializer)? {
        share if (0.0..=1.0).contains(&share) => Ok(share),
        other => Err(D::Error::custom(format!("share {other} is outside 0 to 1"))),
    }
}
