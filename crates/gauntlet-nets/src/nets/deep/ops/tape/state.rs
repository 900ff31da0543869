//! What is kept of the edges of a batch between the passes of a step.

use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};

use candle_core::{Result, WithDType};

use super::layer::Weighing;
use super::norm::{ColumnSpread, Outflow};
use super::parts::ranges;
use crate::encoders::{MoveGraph, MoveGraphs};

/// The edges of a batch.
pub struct TapeState<T: WithDType> {
    pub graphs: Vec<Arc<MoveGraph>>,
    /// Features of an edge.
    pub width: usize,
    /// What was read of the edges, `[E, K]`.
    pub features: Vec<T>,
    /// The edges as they are now, `[E, H]`.
    pub edges: Arc<Vec<T>>,
    /// Their moments.
    pub spread: ColumnSpread<T>,
    /// What the layers so far have done, and still have to undo.
    pub records: Vec<LayerRecord<T>>,
    /// The gradient on its way back.
    pub flow: Option<Flow<T>>,
    buffers: EdgeBuffers,
    free: Vec<Vec<T>>,
}

/// Rows of edges that the step before has left behind: a network's steps need as many each, and fresh memory is slow.
#[derive(Clone, Default)]
pub struct EdgeBuffers(Arc<Mutex<Option<Box<dyn Any + Send>>>>);

impl EdgeBuffers {
    /// Takes all that are of this number type.
    fn take<T: WithDType>(&self) -> Vec<Vec<T>> {
        let left = self.0.lock().ok().and_then(|mut left| left.take());
        left.and_then(|left| left.downcast().ok()).map_or_else(Vec::new, |left| *left)
    }

    /// Leaves these behind.
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

/// What the backward pass needs of a layer.
pub struct LayerRecord<T> {
    /// What it read, computed, and made of the edges.
    pub x: Arc<Vec<T>>,
    pub y: Arc<Vec<T>>,
    pub edges: Arc<Vec<T>>,
    pub weighing: Weighing<Vec<T>>,
}

/// The gradient of the edges.
pub struct Flow<T> {
    /// Behind the norm that read them.
    pub d: Vec<T>,
    /// How that of the edges follows from it.
    pub outflow: Outflow<T>,
    /// What comes beside it: that of the edges that these were added to; none before the first.
    pub residual: Option<Vec<T>>,
}

impl<T: WithDType> TapeState<T> {
    /// The edges of some graphs, not computed yet.
    pub fn new(moves: &MoveGraphs, width: usize, buffers: &EdgeBuffers) -> TapeState<T> {
        TapeState {
            graphs: moves.graphs().to_vec(),
            width,
            features: moves.edge_values().into_iter().map(|number| T::from_f64(f64::from(number))).collect(),
            edges: Arc::new(Vec::new()),
            spread: ColumnSpread::none(width),
            records: Vec::new(),
            flow: None,
            free: buffers.take(),
            buffers: buffers.clone(),
        }
    }

    /// Rows `[E, H]`; what stands in them has no meaning.
    pub fn rows(&mut self) -> Vec<T> {
        let mut rows = self.free.pop().unwrap_or_default();
        rows.resize(self.counts()[0] * self.width, T::zero());
        rows
    }

    /// Goes back to the edges that a layer read.
    pub fn undo(&mut self, record: LayerRecord<T>) {
        let LayerRecord { x, y, edges, .. } = record;
        let read = std::mem::replace(&mut self.edges, x);
        self.reclaim([y, edges, read]);
    }

    /// Takes back rows that nobody reads any longer.
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

    /// The numbers of each graph among those of all edges, so many an edge.
    pub fn edge_parts(&self, each: usize) -> Vec<Range<usize>> {
        ranges(self.graphs.iter().map(|graph| graph.edges() * each))
    }

    /// The same of all nodes.
    pub fn node_parts(&self, each: usize) -> Vec<Range<usize>> {
        ranges(self.graphs.iter().map(|graph| graph.nodes() * each))
    }
}

/// What the operations of a tape share.
pub type SharedTape<T> = Arc<Mutex<TapeState<T>>>;

/// The state, for one operation.
pub fn lock<T: WithDType>(state: &Mutex<TapeState<T>>) -> Result<MutexGuard<'_, TapeState<T>>> {
    state.lock().map_err(|_| candle_core::Error::msg("an operation on these edges panicked"))
}

/// The error where a second gradient is asked for.
pub fn again() -> candle_core::Error {
    candle_core::Error::msg("a pass over edges is differentiated once")
}
