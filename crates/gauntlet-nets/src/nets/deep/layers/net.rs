//! A network made of stated layers.

use std::sync::Arc;

use candle_core::{DType, Tensor};

use super::forward::Positions;
use super::{Network, PositionSize, Weights};
use crate::encoders::{Batch, Dims, Extent, MoveGraphs};
use crate::nets::deep::architecture::Images;
use crate::nets::deep::bind;
use crate::nets::deep::ops::{self, Adjacency, Links};
use crate::nets::deep::params::Maker;
use crate::nets::deep::{DeepError, Heads, Inference, Mode, Net, Param};

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
}

impl LayeredNet {
    /// Draws the weights of a network.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn new(
        name: &'static str,
        dims: Dims,
        network: Network,
        mut maker: Maker<'_>,
    ) -> Result<LayeredNet, DeepError> {
        let weights = network.weights.iter().map(|spec| spec.make(&mut maker)).collect::<Result<_, _>>()?;
        Ok(LayeredNet { name, dims, network, weights, params: maker.done() })
    }

    /// Number type and device of the weights.
    pub fn tensor_type(&self) -> (DType, &candle_core::Device) {
        let weight = self.params[0].var.as_tensor();
        (weight.dtype(), weight.device())
    }

    /// The input of the first layer, and the positions.
    fn input(&self, batch: &Batch) -> Result<(Tensor, Positions), DeepError> {
        let kind = self.tensor_type();
        match batch {
            _ if batch.dims() != self.dims => Err(self.refuse(batch)),
            Batch::Planes(planes) => {
                let Images { channels, rows, columns, .. } = Images::of(self.dims).expect("planes are images");
                let x = ops::rows_of(planes.values(), channels, rows * columns, kind)?;
                Ok((x, Positions { count: planes.positions(), adjacency: None, links: None }))
            }
            Batch::Graphs(graphs) => {
                let shape = (graphs.nodes(), graphs.features());
                let x = Tensor::from_slice(graphs.values(), shape, kind.1)?.to_dtype(kind.0)?;
                let adjacency = Some(Adjacency::of(graphs.graphs()));
                Ok((x, Positions { count: graphs.positions(), adjacency, links: None }))
            }
            Batch::Moves(moves) => {
                let boards: Vec<_> = moves.graphs().iter().map(|graph| Arc::clone(graph.board())).collect();
                let x = Tensor::from_vec(with_dummies(moves), ((), moves.dims().node()), kind.1)?.to_dtype(kind.0)?;
                let links = Some(Links::beside_dummies(moves));
                Ok((x, Positions { count: moves.positions(), adjacency: Some(Adjacency::of(&boards)), links }))
            }
        }
    }

    /// The error for a batch of other dimensions.
    fn refuse(&self, batch: &Batch) -> DeepError {
        DeepError::Batch { net: self.name, wanted: format!("{:?}", self.dims), given: batch.dims() }
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

impl Net for LayeredNet {
    fn dims(&self) -> Dims {
        self.dims
    }

    fn params(&self) -> &[Param] {
        &self.params
    }

    fn forward(&self, batch: &Batch, mut mode: Mode<'_>) -> Result<Heads, DeepError> {
        let (x, positions) = self.input(batch)?;
        self.heads(&x, &positions, &mut mode)
    }

    fn embeddings(&self, batch: &Batch, nodes: &[usize]) -> Result<Vec<Vec<f64>>, DeepError> {
        let Batch::Graphs(_) = batch else { return Err(DeepError::Nodeless) };
        let (x, positions) = self.input(batch)?;
        let values = self.values(&x, &positions, &mut Mode::Evaluate, |value| value.detach())?;
        let h = values[self.network.layers[self.network.score].from[0]].as_ref().expect("heads read it");
        nodes.iter().map(|&node| Ok(h.get(node)?.to_dtype(DType::F64)?.to_vec1()?)).collect()
    }

    fn inference(&self) -> Result<Box<dyn Inference>, DeepError> {
        bind::inference(self)
    }

    /// A graph without a dummy node counts like one with it.
    fn flops(&self, batch: &Batch, index: usize) -> u64 {
        2 * self.network.macs(PositionSize::of(batch, index))
    }
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
