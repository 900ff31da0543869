//! Maps of JSON, entry by entry, so that equal keys do not hide each other.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};

/// Reads a map, which errors call `name`: `take` adds each entry to the result, or refuses it with a sentence.
pub(super) fn read_map<'de, D, K, V, T, F>(deserializer: D, name: &'static str, take: F) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    K: Deserialize<'de>,
    V: Deserialize<'de>,
    T: Default,
    F: Fn(&mut T, K, V) -> Result<(), String>,
{
    deserializer.deserialize_map(MapVisitor { name, take, types: PhantomData })
}

struct MapVisitor<K, V, T, F> {
    name: &'static str,
    take: F,
    types: PhantomData<(K, V, T)>,
}

impl<'de, K, V, T, F> Visitor<'de> for MapVisitor<K, V, T, F>
where
    K: Deserialize<'de>,
    V: Deserialize<'de>,
    T: Default,
    F: Fn(&mut T, K, V) -> Result<(), String>,
{
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<T, M::Error> {
        let mut read = T::default();
        while let Some((key, value)) = map.next_entry()? {
            (self.take)(&mut read, key, value).map_err(M::Error::custom)?;
        }
        Ok(read)
    }
}
