//! Kernels for GPUs where Candle has none, or slow ones: sums of rows over lists of edges, sums of columns, and norms and
//! heads of rows.
//!
//! Candle's `index_add`, which is also the gradient of its `index_select`, lets every thread of a GPU walk through all
//! indices. Here, every number of a result is one thread's: it walks through the edges of one target. There are no
//! atomic operations, so that the order of each sum is fixed. In games, a norm or a head is one kernel instead of up to
//! nine of Candle's, each of which reads and writes all rows.
//!
//! `edges.cu` and `rows.cu` hold the kernels, [`twin`] the same loops on the CPU: for every number the same operations
//! in the same order. The tests in `shim` compile the kernels as C++ and compare the bytes.

mod by_sums;
mod columns;
#[cfg(feature = "cuda")]
mod cuda;
mod lists;
mod maps;
mod operations;
#[cfg(feature = "cuda")]
mod products;
mod row_map;
#[cfg(test)]
mod shim;
pub mod twin;

pub use columns::{batch_norm_rows, has_columns, moments_of_columns, offset_rows};
pub use lists::Edges;
pub use maps::{map_rows, unpack_rows};
pub use operations::{edge_softmax, join_rows, numbers_at, pick, sum_rows, weighted_sum_rows};
#[cfg(feature = "cuda")]
pub use products::layer;
pub use row_map::RowMap;
