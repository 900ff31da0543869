//! From positions to numbers, through the neutral view only.

mod stones;

pub use stones::{LANES, Stones};
