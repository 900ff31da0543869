//! A text as a tree of values, each with its place, and from the tree to types.

pub mod later;
pub mod parse;
pub mod reader;
pub mod source;
pub mod tree;
