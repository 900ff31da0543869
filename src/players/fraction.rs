//! A checked fraction, such as the share of random moves of a player.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// The error for a number outside 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("share {0} is outside 0 to 1")]
pub struct NotAFraction(pub f64);

/// A share: 0 for none, 1 for all. In a manifest: a plain number.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Fraction(f64);

impl Fraction {
    /// The share, checked.
    ///
    /// # Errors
    /// [`NotAFraction`] if it is not a number from 0 to 1.
    pub fn new(share: f64) -> Result<Fraction, NotAFraction> {
        if (0.0..=1.0).contains(&share) { Ok(Fraction(share)) } else { Err(NotAFraction(share)) }
    }

    /// The share as a number, 0 to 1.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Fraction {
    type Error = NotAFraction;

    fn try_from(share: f64) -> Result<Fraction, NotAFraction> {
        Fraction::new(share)
    }
}

impl From<Fraction> for f64 {
    fn from(share: Fraction) -> f64 {
        share.0
    }
}

impl JsonSchema for Fraction {
    fn schema_name() -> Cow<'static, str> {
        "Share".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_shares_are_shares() {
        assert_eq!(Fraction::new(0.05).map(Fraction::get), Ok(0.05));
        assert_eq!(Fraction::new(1.5).unwrap_err().to_string(), "share 1.5 is outside 0 to 1");
        assert_eq!(Fraction::new(f64::NAN).unwrap_err().to_string(), "share NaN is outside 0 to 1");
        assert!(serde_json::from_str::<Fraction>("-0.1").is_err());
        assert_eq!(serde_json::from_str::<Fraction>("1").unwrap().get(), 1.0);
    }

    #[test]
    fn a_manifest_cannot_hide_one_that_is_none() {
        let read = |text| toml::from_str::<std::collections::BTreeMap<String, Fraction>>(text);
        assert_eq!(read("epsilon = 1").unwrap()["epsilon"].get(), 1.0);
        assert!(read("epsilon = nan").unwrap_err().to_string().contains("share NaN is outside 0 to 1"));
    }
}
