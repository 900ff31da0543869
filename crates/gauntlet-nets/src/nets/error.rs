//! Errors of weights that do not fit a network.

use crate::encoders::Topology;

/// The largest side of a board that a kernel takes, which keeps every sum far from overflow.
pub const LARGEST_BOARD: usize = 32;

/// The largest magnitude that a kernel accepts in a weight, for the same reason.
pub const LARGEST_WEIGHT: f64 = 1e15;

/// The reason why weights could not be bound to a board.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NetError {
    /// The network has another number of weights.
    #[error("{net} has {wanted} weights here, not {given}")]
    WeightCount {
        /// The network.
        net: String,
        /// Its number of weights.
        wanted: usize,
        /// The given number.
        given: usize,
    },
    /// A weight is not usable in computations.
    #[error("weight {index} is {value}, which is not a number of magnitude up to {LARGEST_WEIGHT:e}")]
    Weight {
        /// Its index.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// The board is not a square grid, or is too large.
    #[error("a network needs a square board of 1 to {LARGEST_BOARD} rows, not {rows} x {columns} with {sites} sites")]
    Board {
        /// Rows of the grid.
        rows: usize,
        /// Columns of the grid.
        columns: usize,
        /// Sites of the board.
        sites: usize,
    },
}

/// The side of a square board.
pub(super) fn check_board(topology: &Topology) -> Result<usize, NetError> {
    let (rows, columns, sites) = (topology.rows(), topology.columns(), topology.sites());
    let fits = rows == columns && rows * columns == sites && (1..=LARGEST_BOARD).contains(&rows);
    if fits { Ok(rows) } else { Err(NetError::Board { rows, columns, sites }) }
}

/// Checks that there are `wanted` weights, all usable in computations.
pub(super) fn check_weights(net: String, wanted: usize, weights: &[f64]) -> Result<(), NetError> {
    if weights.len() != wanted {
        return Err(NetError::WeightCount { net, wanted, given: weights.len() });
    }
    match weights.iter().position(|weight| weight.is_nan() || weight.abs() > LARGEST_WEIGHT) {
        Some(index) => Err(NetError::Weight { index, value: weights[index] }),
        None => Ok(()),
    }
}
