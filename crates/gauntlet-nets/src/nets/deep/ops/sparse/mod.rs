//! Sums of rows over lists of edges: the operations of graphs on devices other than the CPU.
//!
//! Candle's `index_add`, which is also the gradient of its `index_select`, lets every thread of a GPU walk through all
//! indices. Here, every number of a result is one thread's: it walks through the edges of one target. There are no
//! atomic operations, so that the order of each sum is fixed. `sparse.cu` holds the kernels, [`twin`] the same loops on
//! the CPU: for every number the same operations in the same order. The tests in `shim` compile the kernels as C++ and
//! compare the bytes.

#[cfg(feature = "cuda")]
mod cuda;
mod lists;
mod operations;
#[cfg(test)]
mod shim;
pub mod twin;

pub use lists::Edges;
pub use operations::{edge_softmax, numbers_at, pick, sum_rows, weighted_sum_rows};
