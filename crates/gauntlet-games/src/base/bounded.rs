//! Numbers of settings that have bounds: one declaration checks a number where it is read, and describes it in schemas.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{DeserializeOwned, Deserializer, Error as _};
use serde_json::json;

/// Declares a number that has bounds.
///
/// ```text
/// bounded! {
///     /// Plies that a player looks ahead.
///     Depth: u32 from 1 to 20, "depth {value} is outside {range}"
/// }
/// ```
///
/// The bounds begin with `from` or `above`, and may end with `to` or `below`. The message is optional. The name is `pub`
/// within its module.
///
/// A field of this kind is a plain number, which may be optional, with one attribute: `#[serde(with = "Depth")]`. The
/// attribute checks the number where it is read, and gives the schema its bounds.
///
/// `struct Side from 5 to 25, "..."` declares a type of its own: whole numbers that are checked wherever they come
/// from.
#[doc(hidden)]
#[macro_export]
macro_rules! declare_bounded {
    ($(#[$doc:meta])* struct $name:ident from $least:literal to $most:literal, $message:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(try_from = "i64", into = "u16")]
        pub struct $name(u16);

        impl $name {
            fn bounds() -> $crate::base::Bounds {
                $crate::base::Bounds::from($least).to($most).or($message)
            }

            /// The number, checked.
            ///
            /// # Errors
            /// When it is too small or too large.
            pub fn new(value: i64) -> Result<$name, $crate::base::OutOfBounds> {
                $name::bounds().check(value as f64).map(|()| $name(value as u16))
            }

            /// The number, to count with.
            #[must_use]
            #[inline]
            pub fn get(self) -> usize {
                usize::from(self.0)
            }
        }

        impl TryFrom<i64> for $name {
            type Error = $crate::base::OutOfBounds;

            fn try_from(value: i64) -> Result<$name, $crate::base::OutOfBounds> {
                $name::new(value)
            }
        }

        impl From<$name> for u16 {
            fn from(number: $name) -> u16 {
                number.0
            }
        }

        $crate::base::bounded!(@schema $name: u16, false);
    };
    (
        $(#[$doc:meta])* $name:ident: $number:ident $low:ident $least:literal $($high:ident $most:literal)?
        $(, $message:literal)?
    ) => {
        $(#[$doc])*
        pub enum $name {}

        #[allow(dead_code, reason = "settings that are never written need no `serialize`")]
        impl $name {
            fn bounds() -> $crate::base::Bounds {
                $crate::base::Bounds::$low($least)$(.$high($most))?$(.or($message))?
            }

            /// Reads the number.
            ///
            /// # Errors
            /// Every other number, and what is none.
            pub fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
            where
                T: $crate::base::BoundedNumber<Plain = $number>,
                D: ::serde::Deserializer<'de>,
            {
                $name::bounds().read(deserializer)
            }

            /// Writes the plain number.
            ///
            /// # Errors
            /// Those of the serializer.
            pub fn serialize<T, S>(number: &T, serializer: S) -> Result<S::Ok, S::Error>
            where
                T: ::serde::Serialize,
                S: ::serde::Serializer,
            {
                number.serialize(serializer)
            }
        }

        $crate::base::bounded!(@schema $name: $number, true);
    };
    (@schema $name:ident: $number:ident, $is_inline:literal) => {
        impl ::schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                $is_inline
            }

            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                $name::bounds().schema::<$number>(generator)
            }
        }
    };
}
pub use declare_bounded as bounded;

bounded! {
    /// A whole number from 1.
    FromOne: u32 from 1
}
bounded! {
    /// A finite number from 0.
    FromZero: f64 from 0
}
bounded! {
    /// A finite number above 0.
    AboveZero: f64 above 0
}
bounded! {
    /// A share: 0 for none, 1 for all.
    Share: f64 from 0 to 1, "share {value} is outside {range}"
}
bounded! {
    /// A share that is not 0.
    SomeShare: f64 above 0 to 1, "share {value} is not a number {range}"
}

/// A number of settings, or an optional one.
pub trait BoundedNumber: DeserializeOwned {
    /// The type of the number itself.
    type Plain;

    /// The number as the bounds see it, where there is one.
    fn value(&self) -> Option<f64>;
}

macro_rules! numbers {
    ($($number:ident),*) => {$(
        impl BoundedNumber for $number {
            type Plain = $number;

            fn value(&self) -> Option<f64> {
                Some((*self).into())
            }
        }
    )*};
}
numbers!(f64, u16, u32);

impl<T: BoundedNumber> BoundedNumber for Option<T> {
    type Plain = T::Plain;

    fn value(&self) -> Option<f64> {
        self.as_ref().and_then(T::value)
    }
}

/// A number of settings lies outside its bounds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OutOfBounds(String);

/// The bounds of a number, and the message of a refusal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    least: f64,
    includes_least: bool,
    /// Infinite where there is no upper bound.
    most: f64,
    includes_most: bool,
    message: Option<&'static str>,
}

impl Bounds {
    /// Finite numbers from this one on.
    #[must_use]
    pub fn from(least: impl Into<f64>) -> Bounds {
        Bounds { least: least.into(), includes_least: true, most: f64::INFINITY, includes_most: false, message: None }
    }

    /// Finite numbers above this one.
    #[must_use]
    pub fn above(least: impl Into<f64>) -> Bounds {
        Bounds { includes_least: false, ..Bounds::from(least) }
    }

    /// Those of them up to this one.
    #[must_use]
    pub fn to(self, most: impl Into<f64>) -> Bounds {
        Bounds { most: most.into(), includes_most: true, ..self }
    }

    /// Those of them below this one.
    #[must_use]
    pub fn below(self, most: impl Into<f64>) -> Bounds {
        Bounds { most: most.into(), ..self }
    }

    /// The bounds with a message of their own, in which `{value}` is the number and `{range}` the bounds.
    #[must_use]
    pub fn or(self, message: &'static str) -> Bounds {
        Bounds { message: Some(message), ..self }
    }

    /// Refuses a number that lies outside, or is not finite.
    ///
    /// # Errors
    /// The number and the bounds.
    pub fn check(self, value: f64) -> Result<(), OutOfBounds> {
        let fits_least = value > self.least || self.includes_least && value == self.least;
        let fits_most = value < self.most || self.includes_most && value == self.most;
        if fits_least && fits_most {
            return Ok(());
        }
        let is_interval = self.includes_least && self.most.is_finite();
        let usual = if is_interval { "{value} is outside {range}" } else { "{value} is not a number {range}" };
        let message = self.message.unwrap_or(usual);
        Err(OutOfBounds(message.replace("{value}", &value.to_string()).replace("{range}", &self.to_string())))
    }

    /// Reads a number within the bounds.
    ///
    /// # Errors
    /// Every other number, and what is none.
    pub fn read<'de, T: BoundedNumber, D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        let number = T::deserialize(deserializer)?;
        number.value().map_or(Ok(()), |value| self.check(value)).map_err(D::Error::custom)?;
        Ok(number)
    }

    /// The schema of a number within the bounds.
    #[must_use]
    pub fn schema<T: JsonSchema>(self, generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        let mut tell = |keyword: &str, bound: f64| {
            schema.insert(keyword.to_owned(), if bound.fract() == 0.0 { json!(bound as i64) } else { json!(bound) })
        };
        tell(if self.includes_least { "minimum" } else { "exclusiveMinimum" }, self.least);
        if self.most.is_finite() {
            tell("maximum", self.most);
        }
        if self.most.is_finite() && !self.includes_most {
            tell("exclusiveMaximum", self.most);
        }
        schema
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = match (self.includes_least, self.most.is_finite()) {
            (true, true) => "",
            (true, false) => "from ",
            (false, _) => "above ",
        };
        write!(formatter, "{start}{}", self.least)?;
        match (self.most.is_finite(), self.includes_most) {
            (false, _) => Ok(()),
            (true, true) => write!(formatter, " to {}", self.most),
            (true, false) => write!(formatter, " to below {}", self.most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::{Deserialize, Serialize};

    bounded! {
        /// A whole number with a message of its own.
        Plies: u32 from 1 to 20, "{value} plies: a player looks {range} ahead"
    }
    bounded! {
        /// A half-open interval.
        Decay: f64 from 0 below 1
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
    struct Settings {
        #[serde(with = "Plies")]
        plies: u32,
        #[serde(default, with = "Decay", skip_serializing_if = "Option::is_none")]
        decay: Option<f64>,
        #[serde(default, with = "Share")]
        share: f64,
    }

    fn refused(text: &str) -> String {
        serde_json::from_str::<Settings>(text).unwrap_err().to_string()
    }

    #[test]
    fn numbers_are_checked_where_they_are_read_and_written_as_they_are() {
        let text = r#"{"plies":20,"decay":0.0,"share":1.0}"#;
        let settings: Settings = serde_json::from_str(text).unwrap();
        assert_eq!(settings, Settings { plies: 20, decay: Some(0.0), share: 1.0 });
        assert_eq!(serde_json::to_string(&settings).unwrap(), text);
        assert_eq!(serde_json::from_str::<Settings>(r#"{"plies":1}"#).unwrap().decay, None);
        assert!(refused(r#"{"plies":21}"#).starts_with("21 plies: a player looks 1 to 20 ahead"));
        assert!(refused(r#"{"plies":1,"decay":1.0}"#).starts_with("1 is outside 0 to below 1"));
        assert!(refused(r#"{"plies":1.5}"#).contains("invalid type"));
        assert!(refused("{}").contains("missing field `plies`"));
    }

    #[test]
    fn a_number_that_is_none_lies_within_no_bounds() {
        let message = |bounds: Bounds, value: f64| bounds.check(value).unwrap_err().to_string();
        assert_eq!(message(Bounds::from(0), f64::NAN), "NaN is not a number from 0");
        assert_eq!(message(Bounds::from(0), f64::INFINITY), "inf is not a number from 0");
        assert_eq!(message(Bounds::above(0), 0.0), "0 is not a number above 0");
        assert_eq!(message(SomeShare::bounds(), 0.0), "share 0 is not a number above 0 to 1");
        assert_eq!(message(Share::bounds(), f64::NAN), "share NaN is outside 0 to 1");
        assert_eq!(message(Share::bounds(), 1.5), "share 1.5 is outside 0 to 1");
        assert_eq!(Share::bounds().check(1.0), Ok(()));
    }

    #[test]
    fn a_schema_has_the_bounds() {
        let schema = schemars::schema_for!(Settings);
        let properties = &schema.as_value()["properties"];
        let numbers = |key: &str, keyword: &str| properties[key][keyword].as_f64();
        assert_eq!([numbers("plies", "minimum"), numbers("plies", "maximum")], [Some(1.0), Some(20.0)]);
        assert_eq!([numbers("decay", "minimum"), numbers("decay", "exclusiveMaximum")], [Some(0.0), Some(1.0)]);
        assert_eq!(properties["plies"]["type"], "integer");
        assert_eq!(schema.as_value()["required"], json!(["plies"]));
    }
}
