//! The stages that an exhibit shows.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};

/// One stage or several.
#[derive(Debug, Clone, PartialEq)]
pub struct Stages(Vec<String>);

impl Stages {
    /// All of them, in order.
    #[must_use]
    pub fn all(&self) -> Vec<&str> {
        self.0.iter().map(String::as_str).collect()
    }
}

impl JsonSchema for Stages {
    fn schema_name() -> Cow<'static, str> {
        "Stages".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "string" },
            { "type": "array", "items": { "type": "string" }, "minItems": 1 },
        ] })
    }
}

impl<'de> Deserialize<'de> for Stages {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Stages, D::Error> {
        struct OneOrMore;

        impl<'de> Visitor<'de> for OneOrMore {
            type Value = Stages;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a stage or a list of stages")
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Stages, E> {
                Ok(Stages(vec![name.to_owned()]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Stages, A::Error> {
                let mut names: Vec<String> = Vec::new();
                while let Some(name) = list.next_element()? {
                    if names.contains(&name) {
                        return Err(A::Error::custom(format!("the stage `{name}` twice would count each run as two")));
                    }
                    names.push(name);
                }
                if names.is_empty() {
                    Err(A::Error::custom("there is at least one stage to show"))
                } else {
                    Ok(Stages(names))
                }
            }
        }

        deserializer.deserialize_any(OneOrMore)
    }
}
