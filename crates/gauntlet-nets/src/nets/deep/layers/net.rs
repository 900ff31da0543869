//! A network made of stated layers.

use std::sync::Arc;

use candle_core::{DType, Tensor};

use super::count::PositionSize;
use super::network::{Network, Places};
use super::positions::{Moves, Positions};
use super::state::Weights;
use crate::encoders::{Batch, Dims, Extent, MoveGraphs};
use crate::nets::NumberFormat;
use crate::nets::deep::bind::check;
use crate::nets::deep::input::Images;
use crate::nets::deep::ops::{self, Adjacency, Links};
use crate::nets::deep::params::Maker;
use crate::nets::deep::{DeepError, Heads, Inference, Mode, Param};

/// A network made of stated layers, with its weights.
pub struct LayeredNet {
    /// Its name in errors.
    pub name: &'static str,
    /// The batches that it reads.
    pub dims: Dims,
    /// Its layers.
    pub network: Network,
    /// Its weights, as in [`Network::weights`].
    pub weights: Vec<Weights>,
    /// All of its tensors.
    pub params: Vec<Param>,
    /// Its own kernels, if it has some.
    pub own: Option<Box<dyn OwnKernels>>,
}

/// Kernels that a network brings itself, since its layers are faster together than one by one.
pub trait OwnKernels: Send + Sync {
    /// The network with its current weights bound for inference, with wide hidden layers in a number format.
    ///
    /// # Errors
    /// Errors of Candle.
    fn inference(&self, net: &LayeredNet, numbers: NumberFormat) -> Result<Box<dyn Inference>, DeepError>;

    /// The heads in training; `None` if the layers one by one are used.
    ///
    /// # Errors
    /// Errors of Candle.
    fn train(&self, _net: &LayeredNet, _batch: &Batch, _mode: &mut Mode<'_>) -> Result<Option<Heads>, DeepError> {
        Ok(None)
    }
}

impl LayeredNet {
    /// Draws the weights of a network, which may have kernels of its own.
    ///
    /// # Errors
    /// [`DeepError::Layer`] for a layer without a kernel, and errors of Candle.
    pub fn new(
        name: &'static str,
        dims: Dims,
        network: Network,
        own: Option<Box<dyn OwnKernels>>,
        mut maker: Maker<'_>,
    ) -> Result<LayeredNet, DeepError> {
        check(name, &network, dims, own.is_none())?;
        let weights = network.weights.iter().map(|spec| spec.make(&mut maker)).collect::<Result<_, _>>()?;
        Ok(LayeredNet { name, dims, network, weights, params: maker.done(), own })
    }

    /// Number type and device of the weights.
    pub fn tensor_type(&self) -> (DType, &candle_core::Device) {
        let weight = self.params[0].var.as_tensor();
        (weight.dtype(), weight.device())
    }

    /// The input of the first layer, and the positions.
    ///
    /// # Errors
    /// [`DeepError::Batch`] for other batches, and errors of Candle.
    pub fn input(&self, batch: &Batch) -> Result<(Tensor, Positions), DeepError> {
        self.check(batch)?;
        let kind = self.tensor_type();
        match batch {
            Batch::Planes(planes) => {
                let Images { channels, rows, columns, .. } = Images::of(self.dims).expect("planes are images");
                let x = ops::rows_of(planes.values(), channels, rows * columns, kind)?;
                Ok((x, Positions { count: planes.positions(), adjacency: None, moves: None }))
            }
            Batch::Graphs(graphs) => {
                let shape = (graphs.nodes(), graphs.features());
                let x = Tensor::from_slice(graphs.values(), shape, kind.1)?.to_dtype(kind.0)?;
                let adjacency = Some(Adjacency::of(graphs.graphs()));
                Ok((x, Positions { count: graphs.positions(), adjacency, moves: None }))
            }
            Batch::Moves(moves) => {
                let boards: Vec<_> = moves.graphs().iter().map(|graph| Arc::clone(graph.board())).collect();
                let has_dummies = self.network.layers[0].places == Places::Nodes;
                let rows = |values, features| -> Result<Tensor, DeepError> {
                    Ok(Tensor::from_vec(values, ((), features), kind.1)?.to_dtype(kind.0)?)
                };
                let (dims, no_edges) = (moves.dims(), vec![0.0; moves.dims().edge]);
                let (nodes, edges, links) = match has_dummies {
                    // Nothing reads the edges of a network with dummy nodes, and a card allocates no empty tensors.
                    true => (
                        rows(with_dummies(moves), dims.node())?,
                        rows(no_edges, dims.edge)?,
                        Links::beside_dummies(moves),
                    ),
                    false => (ops::node_features(moves, kind)?, ops::edge_features(moves, kind)?, Links::of(moves)),
                };
                let adjacency = Some(Adjacency::of(&boards));
                let of = Moves { edges, links, boards: Links::boards(moves) };
                let positions = Positions { count: moves.positions(), adjacency, moves: Some(of) };
                Ok((nodes, positions))
            }
        }
    }

    /// Refuses batches of other dimensions.
    ///
    /// # Errors
    /// [`DeepError::Batch`] for other batches.
    pub fn check(&self, batch: &Batch) -> Result<(), DeepError> {
        if batch.dims() == self.dims {
            return Ok(());
        }
        Err(DeepError::Batch { net: self.name, wanted: self.dims.to_string(), given: batch.dims() })
    }
}

/// The features of all nodes; a board's dummy node, with zeros, comes after its sites.
fn with_dummies(moves: &MoveGraphs) -> Vec<f32> {
    let (width, sites) = (moves.dims().node(), moves.node_values());
    let mut values = Vec::with_capacity(sites.len() + moves.positions() * width);
    for index in 0..moves.positions() {
        let span = moves.node_span(index);
        values.extend_from_slice(&sites[span.start * width..span.end * width]);
        values.resize(values.len() + width, 0.0);
    }
    values
}

impl PositionSize {
    /// The rows of a position of this extent; a graph without a dummy node counts like one with it.
    pub fn of_extent(extent: Extent) -> PositionSize {
        PositionSize { nodes: extent.sites + 1, sites: extent.sites, edges: extent.slots }
    }

    /// The rows of a position of a batch.
    pub fn of(batch: &Batch, index: usize) -> PositionSize {
        let (sites, edges) = match batch {
            Batch::Planes(_) => (0, 0),
            Batch::Graphs(graphs) => (graphs.graph(index).sites(), 0),
            Batch::Moves(moves) => (moves.graph(index).nodes(), moves.graph(index).edges()),
        };
        PositionSize { nodes: sites + 1, sites, edges }
    }
}
