//! The shape of encoded positions.

use super::MoveDims;

/// What an encoder writes and a network reads, apart from the number of positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Dims {
    /// Images `[channels, rows, columns]` of positions with this many slots.
    Planes {
        /// Numbers a site.
        channels: usize,
        /// Rows of the board.
        rows: usize,
        /// Columns of the board.
        columns: usize,
        /// Slots of a position, each with a logit; where actions are sites, one a site, and perhaps one more (a pass).
        actions: usize,
    },
    /// Graphs of any size with `features` numbers a node; slot `i` is node `i`.
    Graphs {
        /// Numbers a node.
        features: usize,
    },
    /// Graphs of any size whose edges are moves; slot `i` is edge `i`.
    Moves(MoveDims),
}
