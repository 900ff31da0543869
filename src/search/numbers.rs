//! Deserialisers of numbers in settings, with range checks.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

/// Reads a number of simulations.
pub(crate) fn simulations<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match u32::deserialize(deserializer)? {
        count @ 1..=10_000_000 => Ok(count),
        other => Err(D::Error::custom(format!("{other} simulations: a search takes from 1 to 10000000"))),
    }
}

/// Reads the concentration of a Dirichlet distribution.
pub(super) fn concentration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    match f64::deserialize(deserializer)? {
        alpha if alpha > 0.0 && alpha.is_finite() => Ok(alpha),
        other => Err(D::Error::custom(format!("alpha is {other}: a concentration is a number above 0"))),
    }
}
