//! The state of the edges of a batch between the passes of a step.

use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};

use candle_core::{Result, WithDType};

use super::layer::Weighing;
use super::norm::{ColumnSpread, Outflow};
use super::parts::ranges;
use crate::encoders::{MoveGraph, MoveGraphs};
use crate::nets::NumberFormat;

/// The edges of a batch.
pub struct TapeState<T: WithDType> {
    pub graphs: Vec<Arc<MoveGraph>>,
    /// Features of an edge.
    pub width: usize,
    /// The number format of products.
    pub numbers: NumberFormat,
    /// The input features of the edges, `[E, K]`.
    pub features: Vec<T>,
    /// The current edges, `[E, H]`.
    pub edges: Arc<Vec<T>>,
    /// Their moments.
    pub spread: ColumnSpread<T>,
    /// Records of the layers so far, which the backward pass consumes.
    pub records: Vec<LayerRecord<T>>,
    /// The gradient in the backward pass.
    pub flow: Option<Flow<T>>,
    buffers: EdgeBuffers,
    free: Vec<Vec<T>>,
}

/// Buffers of edges from the previous step: every step of a network needs equally many, and fresh memory is slow.
#[derive(Clone, Default)]
pub struct EdgeBuffers(Arc<Mutex<Option<Box<dyn Any + Send>>>>);

impl EdgeBuffers {
    /// Takes all buffers of this number type.
    fn take<T: WithDType>(&self) -> Vec<Vec<T>> {
        let left = self.0.lock().ok().and_then(|mut left| left.take());
        left.and_then(|left| left.downcast().ok()).map_or_else(Vec::new, |left| *left)
    }

    /// Returns these buffers.
    fn leave<T: WithDType>(&self, rows: Vec<Vec<T>>) {
        if let Ok(mut left) = self.0.lock() {
            *left = Some(Box::new(rows));
        }
    }
}

impl<T: WithDType> Drop for TapeState<T> {
    fn drop(&mut self) {
        let records = std::mem::take(&mut self.records).into_iter();
        let mut all: Vec<Arc<Vec<T>>> = records.flat_map(|record| [record.x, record.y, record.edges]).collect();
        all.push(std::mem::take(&mut self.edges));
        self.reclaim(all);
        if let Some(Flow { d, residual, .. }) = self.flow.take() {
            self.free.extend([Some(d), residual].into_iter().flatten());
        }
        self.buffers.leave(std::mem::take(&mut self.free));
    }
}

/// The data of a layer for the backward pass.
pub struct LayerRecord<T> {
    /// The layer's input, intermediate results, and output edges.
    pub x: Arc<Vec<T>>,
    pub y: Arc<Vec<T>>,
    pub edges: Arc<Vec<T>>,
    pub weighing: Weighing<Vec<T>>,
}

/// The gradient of the edges.
pub struct Flow<T> {
    /// The gradient after the norm that read the edges.
    pub d: Vec<T>,
    /// The transformation to the gradient of the edges.
    pub outflow: Outflow<T>,
    /// The additional gradient, of the edges to which these were added; `None` before the first addition.
    pub residual: Option<Vec<T>>,
}

impl<T: WithDType> TapeState<T> {
    /// The edges of some graphs, not computed yet.
    pub fn new(moves: &MoveGraphs, width: usize, numbers: NumberFormat, buffers: &EdgeBuffers) -> TapeState<T> {
        TapeState {
            graphs: moves.graphs().to_vec(),
            width,
            numbers,
            features: moves.edge_values().into_iter().map(|number| T::from_f64(f64::from(number))).collect(),
            edges: Arc::new(Vec::new()),
            spread: ColumnSpread::none(width),
            records: Vec::new(),
            flow: None,
            free: buffers.take(),
            buffers: buffers.clone(),
        }
    }

    /// A buffer of rows `[E, H]` with unspecified contents.
    pub fn rows(&mut self) -> Vec<T> {
        let mut rows = self.free.pop().unwrap_or_default();
        rows.resize(self.counts()[0] * self.width, T::zero());
        rows
    }

    /// Restores the edges that a layer read.
    pub fn undo(&mut self, record: LayerRecord<T>) {
        let LayerRecord { x, y, edges, .. } = record;
        let read = std::mem::replace(&mut self.edges, x);
        self.reclaim([y, edges, read]);
    }

    /// Reclaims buffers that are no longer shared.
    fn reclaim(&mut self, rows: impl IntoIterator<Item = Arc<Vec<T>>>) {
        self.free.extend(rows.into_iter().filter_map(Arc::into_inner));
    }

    /// Means and variances of the columns of the edges.
    pub fn moments(&self) -> [Vec<T>; 2] {
        self.spread.moments()
    }

    /// Number of edges and of nodes.
    pub fn counts(&self) -> [usize; 2] {
        [self.graphs.iter().map(|graph| graph.edges()).sum(), self.graphs.iter().map(|graph| graph.nodes()).sum()]
    }

    /// The ranges of each graph among the numbers of all edges, with `each` numbers an edge.
    pub fn edge_parts(&self, each: usize) -> Vec<Range<usize>> {
        ranges(self.graphs.iter().map(|graph| graph.edges() * each))
    }

    /// The same for all nodes.
    pub fn node_parts(&self, each: usize) -> Vec<Range<usize>> {
        ranges(self.graphs.iter().map(|graph| graph.nodes() * each))
    }
}

/// The shared state of the operations of a tape.
pub type SharedTape<T> = Arc<Mutex<TapeState<T>>>;

/// Locks the state for one operation.
pub fn lock<T: WithDType>(state: &Mutex<TapeState<T>>) -> Result<MutexGuard<'_, TapeState<T>>> {
    state.lock().map_err(|_| candle_core::Error::msg("an operation on these edges panicked"))
}

/// The error of a second backward pass.
pub fn again() -> candle_core::Error {
    candle_core::Error::msg("a pass over edges is differentiated once")
}
