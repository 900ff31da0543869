//! Numbers of settings, refused where they are read.

use serde::Deserialize as _;
use serde::de::{Deserializer, Error as _};

/// Reads a finite number from 0.
///
/// # Errors
/// Every other number, and what is none.
pub fn from_zero<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    match f64::deserialize(deserializer)? {
        number if number >= 0.0 && number.is_finite() => Ok(number),
        other => Err(D::Error::custom(format!("{other} is no number from 0"))),
    }
}

/// Reads a finite number from 0 that need not be given.
///
/// # Errors
/// As [`from_zero`].
pub fn some_from_zero<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    from_zero(deserializer).map(Some)
}

/// Reads a finite number above 0.
///
/// # Errors
/// Every other number, and what is none.
pub fn above_zero<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    match f64::deserialize(deserializer)? {
        number if number > 0.0 && number.is_finite() => Ok(number),
        other => Err(D::Error::custom(format!("{other} is no number above 0"))),
    }
}

/// Reads a finite number above 0 that need not be given.
///
/// # Errors
/// As [`above_zero`].
pub fn some_above_zero<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    above_zero(deserializer).map(Some)
}

/// Reads a number from 0 to 1.
///
/// # Errors
/// Every other number, and what is none.
pub fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    match f64::deserialize(deserializer)? {
        share if (0.0..=1.0).contains(&share) => Ok(share),
        other => Err(D::Error::custom(format!("share {other} is outside 0 to 1"))),
    }
}
