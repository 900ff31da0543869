//! A marker for values of a manifest that are declared with their key but read elsewhere from the tree.

use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer, IgnoredAny};

/// A value of type `T`: the schema contains it, and serde skips it.
#[derive(Debug)]
pub struct ReadLater<T>(PhantomData<T>);

impl<T> Default for ReadLater<T> {
    fn default() -> ReadLater<T> {
        ReadLater(PhantomData)
    }
}

impl<'de, T> Deserialize<'de> for ReadLater<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ReadLater<T>, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| ReadLater::default())
    }
}

impl<T: JsonSchema> JsonSchema for ReadLater<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
