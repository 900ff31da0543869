//! Texts as trees of values with places, and the conversion of trees to types.

pub mod add_version;
mod deserializer;
pub mod later;
pub mod parse;
pub mod reader;
pub mod source;
pub mod tree;
