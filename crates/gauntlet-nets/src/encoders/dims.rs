//! The shape of encoded positions.

use super::MoveDims;

/// The dimensions of encoded positions, apart from their number.
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
        /// Slots of a position, each with a logit; if actions are sites, one a site, and perhaps one more (a pass).
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

impl Dims {
    /// Whether a site, a node or an edge has equally many numbers with both dimensions, for boards of any size.
    #[must_use]
    #[inline]
    pub fn has_same_features(self, other: Dims) -> bool {
        match (self, other) {
            (Dims::Planes { channels: own, .. }, Dims::Planes { channels: other, .. }) => own == other,
            (Dims::Planes { .. } | Dims::Graphs { .. } | Dims::Moves(_), _) => self == other,
        }
    }
}

/// In words, for errors: `images of 2 x 5 x 5 numbers, with 25 logits`.
impl std::fmt::Display for Dims {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Dims::Planes { channels, rows, columns, actions } => {
                write!(f, "images of {channels} x {rows} x {columns} numbers, with {actions} logits")
            }
            Dims::Graphs { features } => write!(f, "graphs with {features} number(s) a node"),
            Dims::Moves(dims) => {
                write!(f, "graphs of moves with {} numbers a node and {} an edge", dims.node(), dims.edge)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_dimensions_in_words() {
        let planes = Dims::Planes { channels: 2, rows: 5, columns: 6, actions: 31 };
        assert_eq!(planes.to_string(), "images of 2 x 5 x 6 numbers, with 31 logits");
        assert_eq!(Dims::Graphs { features: 1 }.to_string(), "graphs with 1 number(s) a node");
        let moves = Dims::Moves(MoveDims { bits: 112, scalars: 7, edge: 15 });
        assert_eq!(moves.to_string(), "graphs of moves with 119 numbers a node and 15 an edge");
    }

    #[test]
    fn boards_of_other_sizes_tell_alike_and_other_features_do_not() {
        let planes = |channels, rows| Dims::Planes { channels, rows, columns: rows, actions: rows * rows };
        assert!(planes(2, 5).has_same_features(planes(2, 9)) && !planes(2, 5).has_same_features(planes(3, 5)));
        let moves = |edge| Dims::Moves(MoveDims { bits: 112, scalars: 7, edge });
        assert!(moves(15).has_same_features(moves(15)) && !moves(15).has_same_features(moves(19)));
        let graphs = Dims::Graphs { features: 1 };
        assert!(
            graphs.has_same_features(graphs)
                && !graphs.has_same_features(moves(15))
                && !moves(15).has_same_features(planes(2, 5))
        );
    }
}
