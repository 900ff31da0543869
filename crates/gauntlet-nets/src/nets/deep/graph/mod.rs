//! Networks over graphs of boards: one file is one architecture, with its paper.

mod saz;

pub use saz::{Pool, Saz};
