//! A layer of a tape of edges as an operation on tensors: with nodes, or, without attention, only with edges.

use std::sync::Arc;

use candle_core::{CpuStorage, CustomOp2, CustomOp3, Layout, Result, Shape, Tensor, WithDType};

use super::super::{ThreeGradients, TwoGradients, answer, gradient, lent, numbers as of};
use super::graphs::perform;
use super::layer::{Attention, EdgeWeights, LayerPass, LayerReturn, LayerSums, Weighing};
use super::norm::{ColumnNorm, ColumnSpread, NormStats};
use super::parts::{joined, part_of, sections, split, summed, zeros};
use super::state::{Flow, LayerRecord, SharedTape, TapeState, again, lock};
use crate::nets::NumberFormat;

/// The options of a layer besides the product with its normalised edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EdgeLayer {
    /// Whether messages are the new edges, or else the normalised ones; `None` without attention.
    pub attention: Option<bool>,
    /// Whether the new edges are added to those that the previous layer read.
    pub adds: bool,
}

/// A layer.
pub struct LayerOp<T: WithDType> {
    pub state: SharedTape<T>,
    pub stats: NormStats,
    pub layer: EdgeLayer,
}

/// The output of a layer.
struct Written<T> {
    y: Vec<T>,
    /// The edges to which `y` was added, and the sum.
    added: Option<(Arc<Vec<T>>, Vec<T>)>,
    weighing: Weighing<Vec<T>>,
    /// `[2 N, H]`.
    sums: Vec<T>,
}

impl<T: WithDType> Written<T> {
    /// Buffers for a layer over these edges; `base` holds the edges to which it adds.
    fn new(state: &mut TapeState<T>, base: Option<Arc<Vec<T>>>) -> Written<T> {
        let [edges, nodes] = state.counts();
        let [weights, slopes, sums] = zeros([edges, edges, 2 * nodes * state.width]);
        let added = base.map(|base| (base, state.rows()));
        Written { y: state.rows(), added, weighing: Weighing { weights, slopes }, sums }
    }

    /// Stores the new edges in the state, with a record for the backward pass. Returns the sums.
    fn keep(self, state: &mut TapeState<T>, x: Arc<Vec<T>>, spread: ColumnSpread<T>) -> Vec<T> {
        let y = Arc::new(self.y);
        state.edges = self.added.map_or_else(|| Arc::clone(&y), |(_, sum)| Arc::new(sum));
        state.spread = spread;
        let edges = Arc::clone(&state.edges);
        state.records.push(LayerRecord { x, y, edges, weighing: self.weighing });
        self.sums
    }
}

impl<T: WithDType> LayerOp<T> {
    /// The weights of the layer, split from `all`.
    fn weights<'a>(&self, all: &'a [T], width: usize, numbers: NumberFormat) -> EdgeWeights<'a, T> {
        let [gain, norm_bias, weight, bias, rest] =
            sections(all, [width, width, width * width, width, all.len() - (width + 3) * width]);
        let attention = self.layer.attention.map(|of_new| Attention { score: (&rest[..width], rest[width]), of_new });
        EdgeWeights { norm: ColumnNorm::new(&self.stats, gain, norm_bias), weight, bias, attention, numbers }
    }

    /// Computes the layer over nodes `[3 N, H]`; returns the sums `[2 N, H]`.
    fn forward(&self, nodes: &[T], all: &[T]) -> Result<Vec<T>> {
        let state = &mut *lock(&self.state)?;
        let x = Arc::clone(&state.edges);
        let base = self.layer.adds.then(|| state.records.last().map(|before| Arc::clone(&before.x))).flatten();
        let mut written = Written::new(state, base);
        let spread = pass(state, &self.weights(all, state.width, state.numbers), (&x, nodes), &mut written);
        Ok(written.keep(state, x, spread))
    }

    /// The gradients of nodes and weights.
    fn backward(&self, nodes: &[T], all: &[T], from_sums: &[T]) -> Result<[Vec<T>; 2]> {
        let state = &mut *lock(&self.state)?;
        let record = state.records.pop().ok_or_else(again)?;
        let mut flow = state.flow.take().ok_or_else(again)?;
        if self.layer.adds && flow.residual.is_none() {
            flow.residual = Some(state.rows());
            flow.residual.iter_mut().for_each(|rows| rows.fill(T::zero()));
        }
        let (weights, mut to_nodes) = (self.weights(all, state.width, state.numbers), vec![T::zero(); nodes.len()]);
        let mut to_weights =
            give_back(state, &weights, &record, (nodes, from_sums), (&mut flow, self.layer.adds), &mut to_nodes);
        to_weights.truncate(all.len());
        let (gain, rest) = to_weights.split_at_mut(state.width);
        flow.outflow = weights.norm.outflow(state.counts()[0], [gain, &mut rest[..state.width]]);
        state.flow = Some(flow);
        state.undo(record);
        Ok([to_nodes, to_weights])
    }
}

/// The forward pass of all graphs.
fn pass<T: WithDType>(
    state: &TapeState<T>,
    layer: &EdgeWeights<'_, T>,
    (x, nodes): (&[T], &[T]),
    written: &mut Written<T>,
) -> ColumnSpread<T> {
    let (width, all_nodes) = (state.width, state.counts()[1] * state.width);
    let (rows, ones, of_nodes) = (state.edge_parts(width), state.edge_parts(1), state.node_parts(width));
    let Written { y, added, weighing, sums } = written;
    let (mut y, mut added) = (split(y, &rows), added.as_mut().map(|(base, sum)| (&***base, split(sum, &rows))));
    let (mut weights, mut slopes) = (split(&mut weighing.weights, &ones), split(&mut weighing.slopes, &ones));
    let (senders, messages) = sums.split_at_mut(all_nodes);
    let mut sums = split(senders, &of_nodes).zip(split(messages, &of_nodes));
    let task = |index: usize| {
        let (graph, row, node) = (&*state.graphs[index], &rows[index], &of_nodes[index]);
        let (senders, messages) = sums.next()?;
        Some(LayerPass {
            layer,
            graph,
            x: &x[row.clone()],
            nodes: [0, 1, 2].map(|part| part_of(nodes, part * all_nodes, node)),
            y: y.next()?,
            added: added.as_mut().and_then(|&mut (base, ref mut sum)| Some((&base[row.clone()], sum.next()?))),
            weighing: Weighing { weights: weights.next()?, slopes: slopes.next()? },
            sums: [senders, messages],
            spread: ColumnSpread::none(width),
        })
    };
    let mut tasks: Vec<_> = (0..state.graphs.len()).filter_map(task).collect();
    perform(&mut tasks);
    joined(width, tasks.into_iter().map(|task| task.spread))
}

/// The backward pass of all graphs; returns the gradients of the weights.
fn give_back<T: WithDType>(
    state: &TapeState<T>,
    layer: &EdgeWeights<'_, T>,
    record: &LayerRecord<T>,
    (nodes, from_sums): (&[T], &[T]),
    (flow, adds): (&mut Flow<T>, bool),
    to_nodes: &mut [T],
) -> Vec<T> {
    let (width, all_nodes) = (state.width, state.counts()[1] * state.width);
    let (rows, ones, of_nodes) = (state.edge_parts(width), state.edge_parts(1), state.node_parts(width));
    let Flow { d, outflow, residual } = flow;
    let (mut d, residual) = (split(d, &rows), residual.as_mut().filter(|_| adds));
    let mut residual = residual.map(|residual| split(residual, &rows));
    let mut to_nodes: Vec<_> = to_nodes.chunks_exact_mut(all_nodes).map(|nodes| split(nodes, &of_nodes)).collect();
    let task = |index: usize| {
        let (graph, row, one, node) = (&*state.graphs[index], &rows[index], &ones[index], &of_nodes[index]);
        let Weighing { weights, slopes } = &record.weighing;
        Some(LayerReturn {
            layer,
            graph,
            x: &record.x[row.clone()],
            nodes: [0, 1, 2].map(|part| part_of(nodes, part * all_nodes, node)),
            y: &record.y[row.clone()],
            weighing: Weighing { weights: &weights[one.clone()], slopes: &slopes[one.clone()] },
            from_sums: [0, 1].map(|part| part_of(from_sums, part * all_nodes, node)),
            inflow: (&*outflow, &record.edges[row.clone()]),
            d: d.next()?,
            residual: residual.as_mut().and_then(Iterator::next),
            to_nodes: [0, 1, 2].map(|part| to_nodes.get_mut(part).and_then(Iterator::next).unwrap_or_default()),
            to_weights: LayerSums::none(width),
        })
    };
    let mut tasks: Vec<_> = (0..state.graphs.len()).filter_map(task).collect();
    perform(&mut tasks);
    summed(tasks.into_iter().map(|task| task.to_weights.concat()))
}

impl<T: WithDType> CustomOp3 for LayerOp<T> {
    fn name(&self) -> &'static str {
        "edge-layer"
    }

    fn cpu_fwd(
        &self,
        nodes: &CpuStorage,
        ln: &Layout,
        weights: &CpuStorage,
        lw: &Layout,
        _: &CpuStorage,
        _: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (rows, width) = ln.shape().dims2()?;
        Ok(answer(self.forward(of(nodes, ln)?, of(weights, lw)?)?, (rows / 3 * 2, width)))
    }

    fn bwd(
        &self,
        nodes: &Tensor,
        weights: &Tensor,
        before: &Tensor,
        _: &Tensor,
        from_sums: &Tensor,
    ) -> Result<ThreeGradients> {
        let from_sums = from_sums.contiguous()?;
        let ((n, ln), (w, lw), (s, ls)) =
            (nodes.storage_and_layout(), weights.storage_and_layout(), from_sums.storage_and_layout());
        let [to_nodes, to_weights] = self.backward(lent(&n, ln)?, lent(&w, lw)?, lent(&s, ls)?)?;
        Ok((gradient(to_nodes, nodes)?, gradient(to_weights, weights)?, Some(before.zeros_like()?)))
    }
}

impl<T: WithDType> CustomOp2 for LayerOp<T> {
    fn name(&self) -> &'static str {
        "edge-product"
    }

    fn cpu_fwd(&self, _: &CpuStorage, _: &Layout, weights: &CpuStorage, lw: &Layout) -> Result<(CpuStorage, Shape)> {
        self.forward(&[], of(weights, lw)?)?;
        Ok(answer(vec![T::zero()], 1))
    }

    fn bwd(&self, before: &Tensor, weights: &Tensor, _: &Tensor, _: &Tensor) -> Result<TwoGradients> {
        let (w, lw) = weights.storage_and_layout();
        let [_, to_weights] = self.backward(&[], lent(&w, lw)?, &[])?;
        Ok((Some(before.zeros_like()?), gradient(to_weights, weights)?))
    }
}
