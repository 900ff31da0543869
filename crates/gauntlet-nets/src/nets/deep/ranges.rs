//! Deserializers of network settings that reject values outside their range.

use serde::Deserialize as _;
use serde::de::{Deserializer, Error as _};

use gauntlet_games::base::bounded;

bounded! {
    /// A share that is dropped: what is kept is divided by the rest.
    Dropout: f64 from 0 to 0.99, "share {value} is outside {range}"
}

/// Reads a finite number.
pub(super) fn finite<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f32, D::Error> {
    let number = f32::deserialize(deserializer)?;
    if number.is_finite() { Ok(number) } else { Err(D::Error::custom(format!("{number} is not finite"))) }
}
