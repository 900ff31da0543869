//! The size of a network: trained weights, and multiply-adds of a position.

use super::network::{Network, Op, Places};

/// The rows of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PositionSize {
    /// Nodes, including the dummy node.
    pub nodes: usize,
    /// Sites of the board.
    pub sites: usize,
    /// Edges that are moves.
    pub edges: usize,
}

impl Network {
    /// The largest number of outputs of a product over sites, nodes or moves before the logits.
    pub fn trunk_width(&self) -> usize {
        let layers =
            self.layers.iter().enumerate().filter(|&(at, layer)| at != self.logits && layer.places != Places::Board);
        let products = layers.filter(|(_, layer)| matches!(layer.op, Op::Linear { .. } | Op::Convolution { .. }));
        products.map(|(_, layer)| layer.width).max().unwrap_or(0)
    }

    /// Number of trained weights.
    pub fn weight_count(&self) -> usize {
        self.weights.iter().map(|weights| weights.trained()).sum()
    }

    /// Multiply-adds of matrix products for a position: one for each weight and row.
    pub fn macs(&self, size: PositionSize) -> u64 {
        let of = |layer: &super::Layer| match layer.op {
            Op::Linear { weights, .. } | Op::Convolution { weights, .. } => {
                (self.weights[weights].factors() * size.rows(layer.places)) as u64
            }
            _ => 0,
        };
        self.layers.iter().map(of).sum()
    }
}

impl PositionSize {
    /// Rows of a value with these places.
    fn rows(self, places: Places) -> usize {
        match places {
            Places::Grid { rows, columns } => rows * columns,
            Places::Board => 1,
            Places::Nodes => self.nodes,
            Places::Sites => self.sites,
            Places::Edges => self.edges,
        }
    }
}
