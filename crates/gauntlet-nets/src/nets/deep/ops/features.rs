//! The features of nodes and edges of graphs of moves. To a GPU, only that travels which differs between positions, in
//! few bytes.

use std::cell::RefCell;
use std::sync::Arc;

use candle_core::{DType, Device, Result, Tensor};

use super::gpu::unpack_rows;
use super::shared::{Recent, shared};
use crate::encoders::{MoveGraph, MoveGraphs};

/// The graph of all positions, if there is one and the device is not the CPU.
fn shared_on<'a>(moves: &'a MoveGraphs, device: &Device) -> Option<&'a Arc<MoveGraph>> {
    shared(moves.graphs()).filter(|_| !device.is_cpu())
}

/// The features of all nodes, `[N, features]`.
///
/// # Errors
/// Errors of Candle.
pub fn node_features(moves: &MoveGraphs, (dtype, device): (DType, &Device)) -> Result<Tensor> {
    let dims = moves.dims();
    match shared_on(moves, device).filter(|_| dims.scalars > 0) {
        Some(graph) => {
            let words = moves.all_bits().iter().flat_map(|bits| [0, 32, 64, 96].map(|shift| (bits >> shift) as u32));
            let words = Tensor::from_vec(words.collect(), (moves.nodes(), 4), device)?;
            let scalars: Vec<f32> = (0..moves.positions()).flat_map(|index| moves.scalars(index)).copied().collect();
            let scalars = Tensor::from_vec(scalars, (moves.positions(), dims.scalars), device)?.to_dtype(dtype)?;
            unpack_rows(words, &scalars, dims.bits, graph.nodes())
        }
        None => Tensor::from_vec(moves.node_values(), ((), dims.node()), device)?.to_dtype(dtype),
    }
}

/// The features of all edges, `[E, features]`. On a GPU, those that a graph always has stay there; only the legality of
/// the edges travels.
///
/// # Errors
/// Errors of Candle.
pub fn edge_features(moves: &MoveGraphs, (dtype, device): (DType, &Device)) -> Result<Tensor> {
    let features = moves.dims().edge;
    match shared_on(moves, device) {
        Some(graph) => {
            let legal: Vec<u8> = moves.all_legal().iter().map(|&legal| u8::from(legal)).collect();
            let legal = Tensor::from_vec(legal, (moves.edges(), 1), device)?.to_dtype(dtype)?;
            let constant = known_features(graph, (dtype, device))?;
            let constant = constant.broadcast_left(moves.positions())?.reshape((moves.edges(), features - 1))?;
            Tensor::cat(&[legal, constant], 1)
        }
        None => Tensor::from_vec(moves.edge_values(), ((), features), device)?.to_dtype(dtype),
    }
}

thread_local! {
    /// The constant features of the last graphs of this thread, on its device.
    static FEATURES: RefCell<Recent<MoveGraph, DType, Tensor>> = const { RefCell::new(Recent::new()) };
}

/// The features of the edges of a graph but the first one, legality.
fn known_features(graph: &Arc<MoveGraph>, (dtype, device): (DType, &Device)) -> Result<Tensor> {
    FEATURES.with_borrow_mut(|known| {
        if let Some(features) = known.find(graph, &dtype) {
            return Ok(features);
        }
        let values: Vec<f32> = (0..graph.edges()).flat_map(|edge| &graph.features(edge)[1..]).copied().collect();
        let features = Tensor::from_vec(values, (graph.edges(), ()), device)?.to_dtype(dtype)?;
        Ok(known.keep(graph, dtype, features))
    })
}
