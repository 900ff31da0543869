//! Sizes of networks, checked on reading.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A size outside its range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be {wanted}, not {given}")]
pub struct SizeError {
    wanted: String,
    given: i64,
}

/// A number of units, cells or maps: 1 to `MOST`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "i64", into = "u16")]
pub struct Count<const MOST: u16>(u16);

impl<const MOST: u16> Count<MOST> {
    /// The number.
    #[must_use]
    #[inline]
    pub const fn get(self) -> usize {
        self.0 as usize
    }
}

impl<const MOST: u16> TryFrom<i64> for Count<MOST> {
    type Error = SizeError;

    fn try_from(given: i64) -> Result<Self, SizeError> {
        match u16::try_from(given) {
            Ok(number @ 1..) if number <= MOST => Ok(Count(number)),
            _ => Err(SizeError { wanted: format!("1 to {MOST}"), given }),
        }
    }
}

impl<const MOST: u16> From<Count<MOST>> for u16 {
    fn from(count: Count<MOST>) -> u16 {
        count.0
    }
}

impl<const MOST: u16> JsonSchema for Count<MOST> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("Count{MOST}").into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 1, "maximum": MOST })
    }
}

/// The side of a receptive field, in sites: odd, 1 to 15.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "i64", into = "u16")]
pub struct Field(u16);

impl Field {
    /// The largest side.
    pub const MOST: u16 = 15;

    /// The number of sites.
    #[must_use]
    #[inline]
    pub const fn get(self) -> usize {
        self.0 as usize
    }
}

impl TryFrom<i64> for Field {
    type Error = SizeError;

    fn try_from(given: i64) -> Result<Self, SizeError> {
        match u16::try_from(given) {
            Ok(side @ 1..=Field::MOST) if side % 2 == 1 => Ok(Field(side)),
            _ => Err(SizeError { wanted: format!("odd, 1 to {}", Field::MOST), given }),
        }
    }
}

impl From<Field> for u16 {
    fn from(field: Field) -> u16 {
        field.0
    }
}

impl JsonSchema for Field {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Field".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "enum": [1, 3, 5, 7, 9, 11, 13, 15] })
    }
}
