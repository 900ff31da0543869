//! The enum variants in a value, as serde sees them: `("GameSpec", 4)` for a fifth variant. Some structs count as the
//! only variant of their type.
//!
//! The serializer writes nothing. It does not see enums that serialise as another type (numbers, `into`).

use std::collections::BTreeSet;
use std::fmt::Error;

use serde::Serialize;
use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple, SerializeTupleStruct,
    SerializeTupleVariant, Serializer,
};

/// An enum's name and the index of the variant.
pub type Variant = (&'static str, u32);

/// The structs whose presence decides as a variant does, as in `build/walk.rs`.
const SETTINGS: [&str; 1] = ["Clock"];

/// All variants in a value.
///
/// # Panics
/// If a part of the value refuses to be serialised.
#[must_use]
pub fn variants(value: &impl Serialize) -> BTreeSet<Variant> {
    let mut found = Found(BTreeSet::new());
    value.serialize(&mut found).expect("it is plain data");
    found.0
}

struct Found(BTreeSet<Variant>);

impl Found {
    fn note(&mut self, name: &'static str, index: u32) -> &mut Found {
        self.0.insert((name, index));
        self
    }
}

/// Implements scalar types, which have no parts.
macro_rules! plain {
    ($($name:ident: $type:ty,)*) => {
        $(fn $name(self, _: $type) -> Result<(), Error> {
            Ok(())
        })*
    };
}

/// Implements sequence types.
macro_rules! parts {
    ($($trait:ident: $part:ident,)*) => {
        $(impl $trait for &mut Found {
            type Ok = ();
            type Error = Error;

            fn $part<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<(), Error> {
                Ok(())
            }
        })*
    };
}

/// Implements types with named parts.
macro_rules! fields {
    ($($trait:ident,)*) => {
        $(impl $trait for &mut Found {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Result<(), Error> {
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<(), Error> {
                Ok(())
            }
        })*
    };
}

parts! {
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field,
}

fields! { SerializeStruct, SerializeStructVariant, }

impl SerializeMap for &mut Found {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        key.serialize(&mut **self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(&mut **self)
    }

    fn end(self) -> Result<(), Error> {
        Ok(())
    }
}

impl Serializer for &mut Found {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    plain! {
        serialize_bool: bool,
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_u64: u64,
        serialize_f32: f32,
        serialize_f64: f64,
        serialize_char: char,
        serialize_str: &str,
        serialize_bytes: &[u8],
        serialize_unit_struct: &'static str,
    }

    fn serialize_none(self) -> Result<(), Error> {
        Ok(())
    }

    fn serialize_unit(self) -> Result<(), Error> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit_variant(self, name: &'static str, index: u32, _: &'static str) -> Result<(), Error> {
        self.note(name, index);
        Ok(())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self.note(name, index))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, Error> {
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, Error> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Error> {
        Ok(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, Error> {
        Ok(self)
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Self, Error> {
        Ok(if SETTINGS.contains(&name) { self.note(name, 0) } else { self })
    }

    fn serialize_tuple_variant(self, name: &'static str, index: u32, _: &'static str, _: usize) -> Result<Self, Error> {
        Ok(self.note(name, index))
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, Error> {
        Ok(self.note(name, index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JobSpec;

    #[test]
    fn a_job_names_its_kind_its_game_and_its_players() {
        let text = r#"{"play":{"match":{"game":{"othello":{"size":6}},"agent":{"search":{"guide":{"rollouts":{"count":2}}}},
            "opponent":{"naive":{}},"games":2}}}"#;
        let found = variants(&serde_json::from_str::<JobSpec>(text).unwrap());
        let of = |name: &str| -> Vec<u32> { found.iter().filter(|(of, _)| *of == name).map(|(_, at)| *at).collect() };
        assert_eq!(["JobSpec", "PlaySpec", "GameSpec", "Guide", "Rule"].map(of), [[1], [0], [5], [1], [0]]);
        assert_eq!(of("PlayerSpec"), [1, 9]);
        assert!(of("Clock").is_empty());
        let timed = text.replacen("\"games\":2", "\"games\":2,\"clock\":{\"seconds\":1}", 1);
        assert!(variants(&serde_json::from_str::<JobSpec>(&timed).unwrap()).contains(&("Clock", 0)));
    }
}
