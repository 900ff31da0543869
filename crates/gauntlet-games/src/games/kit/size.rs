//! Range-checked numbers in game settings: board lengths, and the length of a winning row.
//!
//! They are checked when they are read, so that every game gets a supported board.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A number in a game's settings is outside its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{what} {value} is outside {least} to {most}")]
pub struct OutOfRange {
    /// The meaning of the number.
    pub what: &'static str,
    /// The number.
    pub value: i64,
    /// Minimum.
    pub least: u16,
    /// Maximum.
    pub most: u16,
}

impl Default for RowLength {
    fn default() -> RowLength {
        RowLength(5)
    }
}

impl Default for HexSize {
    fn default() -> HexSize {
        HexSize(11)
    }
}

impl Default for BreakthroughSize {
    fn default() -> BreakthroughSize {
        BreakthroughSize(8)
    }
}

/// Defines a range-checked number.
macro_rules! checked {
    ($(#[$doc:meta])* $name:ident, $what:literal, $least:literal, $most:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "i64", into = "u16")]
        pub struct $name(u16);

        impl $name {
            /// The number, checked.
            ///
            /// # Errors
            /// [`OutOfRange`] when it is too small or too large.
            pub fn new(value: i64) -> Result<$name, OutOfRange> {
                match u16::try_from(value) {
                    Ok(number @ $least..=$most) => Ok($name(number)),
                    _ => Err(OutOfRange { what: $what, value, least: $least, most: $most }),
                }
            }

            /// The number as `usize`.
            #[must_use]
            #[inline]
            pub fn get(self) -> usize {
                usize::from(self.0)
            }
        }

        impl TryFrom<i64> for $name {
            type Error = OutOfRange;

            fn try_from(value: i64) -> Result<$name, OutOfRange> {
                $name::new(value)
            }
        }

        impl From<$name> for u16 {
            fn from(number: $name) -> u16 {
                number.0
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "integer", "minimum": $least, "maximum": $most })
            }
        }
    };
}

checked!(
    /// Points along one side of a square board, 5 to 25. In a manifest: a plain integer.
    BoardSize,
    "board size",
    5,
    25
);
checked!(
    /// Squares along one side of an Othello board, 4 to 350. In a manifest: a plain integer.
    OthelloSize,
    "othello board size",
    4,
    350
);
checked!(
    /// Points along one side of a Go board, 2 to 25. In a manifest: a plain integer.
    GoSize,
    "go board size",
    2,
    25
);
checked!(
    /// Squares along one side of a board of Breakthrough, 4 to 11. In a manifest: a plain integer.
    BreakthroughSize,
    "breakthrough board size",
    4,
    11
);
checked!(
    /// Hexagons along one edge of a board of Hex, 2 to 25. In a manifest: a plain integer.
    HexSize,
    "hex board size",
    2,
    25
);
checked!(
    /// Rows or columns of a small board, 3 to 25. In a manifest: a plain integer.
    GridLength,
    "grid length",
    3,
    25
);
checked!(
    /// Stones in a row that win, 2 to 25. In a manifest: a plain integer.
    RowLength,
    "row length",
    2,
    25
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_checked_where_they_are_read() {
        assert_eq!(serde_json::from_str::<BoardSize>("25").unwrap().get(), 25);
        assert_eq!(serde_json::to_string(&BoardSize::new(7).unwrap()).unwrap(), "7");
        for (text, message) in [
            ("4", "board size 4 is outside 5 to 25"),
            ("400", "board size 400 is outside 5 to 25"),
            ("-7", "board size -7 is outside 5 to 25"),
        ] {
            assert_eq!(serde_json::from_str::<BoardSize>(text).unwrap_err().to_string(), message);
        }
        assert!(serde_json::from_str::<BoardSize>("7.5").is_err());
        assert_eq!(RowLength::new(1).unwrap_err().to_string(), "row length 1 is outside 2 to 25");
        assert_eq!(RowLength::default().get(), 5);
        assert_eq!(OthelloSize::new(350).unwrap().get(), 350);
        assert_eq!(GoSize::new(1).unwrap_err().to_string(), "go board size 1 is outside 2 to 25");
    }
}
