//! Content hashes of JSON values. They include the types, so that values with different meanings have different
//! hashes.
//!
//! The encoding is prefix-free: a tag byte, then a fixed-size number, or a length and as many bytes or items. `1`,
//! `1.0`, `"1"`, `[1]` and `true` all differ; the order of an object's keys does not matter, `-0.0` is `0.0`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Number, Value};

/// The name of the encoding below. A change of the encoding must change this name, and thereby every key.
const SCHEME: &str = "gauntlet key v1";

/// The identity of a value: 32 bytes of BLAKE3 over its canonical encoding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key([u8; 32]);

impl Key {
    /// The key of a value within a domain (`config`, `trial`, `run`, ...). Equal values in two domains have different
    /// keys.
    #[must_use]
    pub fn of(domain: &str, value: &Value) -> Key {
        let mut bytes = Vec::with_capacity(1024);
        text(&mut bytes, domain);
        encode(&mut bytes, value);
        Key(*blake3::Hasher::new_derive_key(SCHEME).update(&bytes).finalize().as_bytes())
    }

    /// All 64 hexadecimal digits.
    #[must_use]
    pub fn hex(&self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }
}

fn encode(bytes: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => bytes.push(b'n'),
        Value::Bool(value) => bytes.push(if *value { b't' } else { b'f' }),
        Value::Number(value) => number(bytes, value),
        Value::String(value) => text(bytes, value),
        Value::Array(items) => {
            length(bytes, b'[', items.len());
            items.iter().for_each(|item| encode(bytes, item));
        }
        Value::Object(fields) => {
            length(bytes, b'{', fields.len());
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            for (name, value) in fields {
                text(bytes, name);
                encode(bytes, value);
            }
        }
    }
}

fn number(bytes: &mut Vec<u8>, value: &Number) {
    let (tag, payload) = if let Some(value) = value.as_u64() {
        (b'u', value.to_le_bytes())
    } else if let Some(value) = value.as_i64() {
        (b'i', value.to_le_bytes())
    } else {
        let value = value.as_f64().expect("a JSON number is an integer or a finite float");
        // Adding zero turns -0.0 into 0.0 and leaves all other numbers unchanged.
        (b'd', (value + 0.0).to_bits().to_le_bytes())
    };
    bytes.push(tag);
    bytes.extend_from_slice(&payload);
}

fn text(bytes: &mut Vec<u8>, value: &str) {
    length(bytes, b's', value.len());
    bytes.extend_from_slice(value.as_bytes());
}

fn length(bytes: &mut Vec<u8>, tag: u8, length: usize) {
    bytes.push(tag);
    bytes.extend_from_slice(&(length as u64).to_le_bytes());
}

/// The first 16 hexadecimal digits, as in directory names.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex()[..16])
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({self})")
    }
}

/// Reads all 64 digits, as [`Key::hex`] writes them.
impl FromStr for Key {
    type Err = blake3::HexError;

    fn from_str(digits: &str) -> Result<Key, blake3::HexError> {
        blake3::Hash::from_hex(digits).map(|hash| Key(*hash.as_bytes()))
    }
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.hex())
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_that_differ_in_meaning_differ_in_key() {
        let values = [
            json!(null),
            json!(false),
            json!(true),
            json!(0),
            json!(1),
            json!(-1),
            json!(1.0),
            json!(u64::MAX),
            json!(u64::MAX as f64),
            json!("1"),
            json!(""),
            json!([]),
            json!({}),
            json!([1]),
            json!([[1]]),
            json!([1, 1]),
            json!(["ab", "c"]),
            json!(["a", "bc"]),
            json!({"a": 1}),
            json!({"a": 1.0}),
            json!({"a": {"b": 1}}),
            json!([{"a": 1}, {"b": 1}]),
            json!([{"a": 1, "b": 1}]),
        ];
        let keys: std::collections::HashSet<Key> = values.iter().map(|value| Key::of("test", value)).collect();
        assert_eq!(keys.len(), values.len());
        assert_ne!(Key::of("a", &json!("b")), Key::of("b", &json!("a")));
    }

    #[test]
    fn neither_the_order_of_fields_nor_the_sign_of_zero_matters() {
        let ordered = json!({"a": 1, "b": {"c": 2, "d": 0.0}});
        let shuffled = json!({"b": {"d": -0.0, "c": 2}, "a": 1});
        assert_eq!(Key::of("test", &ordered), Key::of("test", &shuffled));
    }

    #[test]
    fn the_scheme_is_frozen() {
        // A change here orphans every existing result: bump SCHEME only for a reason.
        let value = json!({"game": "gomoku", "size": 9, "sigma": 0.5, "seeds": [1, -2, null], "swap": true});
        assert_eq!(Key::of("run", &value).to_string(), "f1e0c1400713992d");
    }

    #[test]
    fn a_key_survives_its_own_text() {
        let key = Key::of("test", &json!(1));
        assert_eq!(key.hex().parse::<Key>().unwrap(), key);
        assert_eq!(key.hex()[..16], key.to_string());
        assert!("00ff".parse::<Key>().is_err());
    }
}
