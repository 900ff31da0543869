//! The operations of a tape of edges on tensors.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use candle_core::{CpuStorage, CustomOp1, CustomOp2, CustomOp3, Layout, Result, Shape, Tensor, WithDType};

use super::super::{answer, gradient, lent, numbers};
use super::EdgeLayer;
use super::ends::{Embed, Score, Unembed, Unscore};
use super::layer::{Attention, Backward, Forward, Layer, LayerSums, Weighing};
use super::norm::{Norm, NormStats, Spread};
use super::spread::perform;
use super::state::{Flow, Record, State, lock, split};

type Shared<T> = Arc<Mutex<State<T>>>;

/// Writes the first edges; answers with a zero.
pub struct Start<T: WithDType> {
    pub state: Shared<T>,
}

/// A layer.
pub struct LayerOp<T: WithDType> {
    pub state: Shared<T>,
    pub stats: NormStats,
    pub layer: EdgeLayer,
}

/// The logits.
pub struct LogitsOp<T: WithDType> {
    pub state: Shared<T>,
    pub stats: NormStats,
}

/// Some numbers in parts of these lengths.
fn sections<const N: usize, T>(mut numbers: &[T], lengths: [usize; N]) -> [&[T]; N] {
    lengths.map(|length| {
        let (first, rest) = numbers.split_at(length);
        numbers = rest;
        first
    })
}

/// The sums over all graphs, in their order, one after the other.
fn summed<T: WithDType>(parts: impl Iterator<Item = Vec<T>>) -> Vec<T> {
    let sum = parts.reduce(|mut sum, part| {
        sum.iter_mut().zip(part).for_each(|(sum, number)| *sum += number);
        sum
    });
    sum.unwrap_or_default()
}

/// The moments of all graphs.
fn joined<T: WithDType>(width: usize, parts: impl Iterator<Item = Spread<T>>) -> Spread<T> {
    parts.fold(Spread::none(width), |mut all, part| {
        all.join(&part);
        all
    })
}

impl<T: WithDType> CustomOp1 for Start<T> {
    fn name(&self) -> &'static str {
        "embed-edges"
    }

    fn cpu_fwd(&self, weights: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let (mut state, all) = (lock(&self.state)?, numbers::<T>(weights, layout)?);
        let width = state.width;
        let inputs = all.len() / width - 1;
        let weights = sections(all, [inputs * width, width]);
        let mut into = state.rows();
        let parts = state.edge_parts(inputs);
        let rows = split(&mut into, &state.edge_parts(width));
        let task = |(part, y)| Embed { weights, features: &state.features[part], y, spread: Spread::none(width) };
        let mut tasks: Vec<_> = parts.into_iter().zip(rows).map(task).collect();
        perform(&mut tasks);
        let spread = joined(width, tasks.into_iter().map(|task| task.spread));
        (state.edges, state.spread) = (Arc::new(into), spread);
        Ok(answer(vec![T::zero()], 1))
    }

    fn bwd(&self, weights: &Tensor, _: &Tensor, _: &Tensor) -> Result<Option<Tensor>> {
        let mut state = lock(&self.state)?;
        let Flow { d, outflow, residual } = state.flow.take().ok_or_else(again)?;
        let (width, residual) = (state.width, residual.ok_or_else(again)?);
        let inputs = weights.elem_count() / width - 1;
        let task = |(features, part): (Range<usize>, Range<usize>)| Unembed {
            features: &state.features[features],
            inflow: (&outflow, &state.edges[part.clone()]),
            d: &d[part.clone()],
            residual: &residual[part],
            to_weights: [inputs * width, width].map(|count| vec![T::zero(); count]),
        };
        let mut tasks: Vec<_> = state.edge_parts(inputs).into_iter().zip(state.edge_parts(width)).map(task).collect();
        perform(&mut tasks);
        let sums = summed(tasks.into_iter().map(|task| task.to_weights.concat()));
        state.flow = Some(Flow { d, outflow, residual: Some(residual) });
        gradient(sums, weights)
    }
}

fn again() -> candle_core::Error {
    candle_core::Error::msg("a pass over edges is differentiated once")
}

impl<T: WithDType> LayerOp<T> {
    /// The layer of these weights.
    fn layer<'a>(&self, all: &'a [T], width: usize) -> Layer<'a, T> {
        let [gain, norm_bias, weight, bias, rest] =
            sections(all, [width, width, width * width, width, all.len() - (width + 3) * width]);
        let attention = self.layer.attention.map(|of_new| Attention { score: (&rest[..width], rest[width]), of_new });
        Layer { norm: Norm::new(&self.stats, gain, norm_bias), weight, bias, attention }
    }

    /// Computes the layer over nodes `[3 N, H]`; the sums `[2 N, H]`.
    fn forward(&self, nodes: &[T], all: &[T]) -> Result<Vec<T>> {
        let mut state = lock(&self.state)?;
        let (width, [edges, count]) = (state.width, state.counts());
        let (layer, x) = (self.layer(all, width), Arc::clone(&state.edges));
        let base = self.layer.adds.then(|| state.records.last().map(|before| Arc::clone(&before.x))).flatten();
        let (mut y, mut sum) = (state.rows(), base.as_ref().map(|_| state.rows()));
        let [mut weights, mut slopes, mut sums] = [edges, edges, 2 * count * width].map(|count| vec![T::zero(); count]);
        {
            let (rows, nodes_of) = (state.edge_parts(width), state.node_parts(width));
            let mut ys = split(&mut y, &rows);
            let mut added = sum.as_mut().map(|sum| split(sum, &rows));
            let (mut weights, mut slopes) =
                (split(&mut weights, &state.edge_parts(1)), split(&mut slopes, &state.edge_parts(1)));
            let (of_senders, of_messages) = sums.split_at_mut(count * width);
            let mut sums = split(of_senders, &nodes_of).zip(split(of_messages, &nodes_of));
            let task = |(index, graph): (usize, _)| {
                let (row, node) = (rows[index].clone(), nodes_of[index].clone());
                let base = base.as_ref().map(|base| &base[row.clone()]);
                let (weights, slopes, (senders, messages)) = (weights.next()?, slopes.next()?, sums.next()?);
                Some(Forward {
                    layer: &layer,
                    graph,
                    x: &x[row],
                    nodes: [0, 1, 2].map(|part| section(nodes, part * count * width, &node)),
                    y: ys.next()?,
                    added: base.zip(added.as_mut().and_then(Iterator::next)),
                    weighing: Weighing { weights, slopes },
                    sums: [senders, messages],
                    spread: Spread::none(width),
                })
            };
            let mut tasks: Vec<_> = state.graphs.iter().map(|graph| &**graph).enumerate().filter_map(task).collect();
            perform(&mut tasks);
            let spread = joined(width, tasks.into_iter().map(|task| task.spread));
            state.spread = spread;
        }
        let y = Arc::new(y);
        state.edges = sum.map_or_else(|| Arc::clone(&y), Arc::new);
        let (edges, stats) = (Arc::clone(&state.edges), self.stats.clone());
        state.records.push(Record { stats, layer: self.layer, x, y, edges, weights, slopes });
        Ok(sums)
    }

    /// The gradients of nodes and weights.
    fn backward(&self, nodes: &[T], all: &[T], from_sums: &[T]) -> Result<[Vec<T>; 2]> {
        let mut state = lock(&self.state)?;
        let (width, [edges, count]) = (state.width, state.counts());
        let record = state.records.pop().ok_or_else(again)?;
        let Flow { mut d, outflow, mut residual } = state.flow.take().ok_or_else(again)?;
        if record.layer.adds && residual.is_none() {
            residual = Some(state.rows());
            residual.iter_mut().for_each(|rows| rows.fill(T::zero()));
        }
        let layer = self.layer(all, width);
        let mut to_nodes = vec![T::zero(); nodes.len()];
        let numbers = count * width;
        let mut sums = {
            let (rows, nodes_of, ones) = (state.edge_parts(width), state.node_parts(width), state.edge_parts(1));
            let mut ds = split(&mut d, &rows);
            let mut residuals = record.layer.adds.then(|| residual.as_mut().map(|all| split(all, &rows))).flatten();
            let mut to: Vec<_> = to_nodes.chunks_exact_mut(numbers).map(|nodes| split(nodes, &nodes_of)).collect();
            let task = |(index, graph): (usize, _)| {
                let (row, node, one) = (rows[index].clone(), nodes_of[index].clone(), ones[index].clone());
                Some(Backward {
                    layer: &layer,
                    graph,
                    x: &record.x[row.clone()],
                    nodes: [0, 1, 2].map(|part| section(nodes, part * numbers, &node)),
                    y: &record.y[row.clone()],
                    weighing: Weighing { weights: &record.weights[one.clone()], slopes: &record.slopes[one] },
                    from_sums: [0, 1].map(|part| section(from_sums, part * numbers, &node)),
                    inflow: (&outflow, &record.edges[row]),
                    d: ds.next()?,
                    residual: residuals.as_mut().and_then(Iterator::next),
                    to_nodes: [0, 1, 2].map(|part| to.get_mut(part).and_then(Iterator::next).unwrap_or_default()),
                    to_weights: LayerSums::none(width),
                })
            };
            let mut tasks: Vec<_> = state.graphs.iter().map(|graph| &**graph).enumerate().filter_map(task).collect();
            perform(&mut tasks);
            let concat = |mut task: Backward<'_, T>| task.to_weights.parts().map(std::mem::take).concat();
            summed(tasks.into_iter().map(concat))
        };
        sums.truncate(all.len());
        let (gain, rest) = sums.split_at_mut(width);
        let outflow = layer.norm.outflow(edges, [gain, &mut rest[..width]]);
        let Record { x, y, edges, .. } = record;
        let read = std::mem::replace(&mut state.edges, x);
        state.reclaim([y, edges, read]);
        state.flow = Some(Flow { d, outflow, residual });
        Ok([to_nodes, sums])
    }
}

/// Part of a section of some numbers, or nothing where these are none.
fn section<'a, T>(numbers: &'a [T], first: usize, part: &Range<usize>) -> &'a [T] {
    numbers.get(first + part.start..first + part.end).unwrap_or_default()
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
        Ok(answer(self.forward(numbers(nodes, ln)?, numbers(weights, lw)?)?, (rows / 3 * 2, width)))
    }

    fn bwd(
        &self,
        nodes: &Tensor,
        weights: &Tensor,
        before: &Tensor,
        _: &Tensor,
        from_sums: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
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
        self.forward(&[], numbers(weights, lw)?)?;
        Ok(answer(vec![T::zero()], 1))
    }

    fn bwd(
        &self,
        before: &Tensor,
        weights: &Tensor,
        _: &Tensor,
        _: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let (w, lw) = weights.storage_and_layout();
        let [_, to_weights] = self.backward(&[], lent(&w, lw)?, &[])?;
        Ok((Some(before.zeros_like()?), gradient(to_weights, weights)?))
    }
}

impl<T: WithDType> CustomOp2 for LogitsOp<T> {
    fn name(&self) -> &'static str {
        "edge-logits"
    }

    fn cpu_fwd(&self, _: &CpuStorage, _: &Layout, weights: &CpuStorage, lw: &Layout) -> Result<(CpuStorage, Shape)> {
        let (state, all) = (lock(&self.state)?, numbers::<T>(weights, lw)?);
        let (width, [edges, _]) = (state.width, state.counts());
        let [gain, bias, score, offset] = sections(all, [width, width, width, 1]);
        let norm = Norm::new(&self.stats, gain, bias);
        let mut logits = vec![T::zero(); edges];
        let task = |(part, logits)| Score { norm: &norm, score: (score, offset[0]), x: &state.edges[part], logits };
        let rows = split(&mut logits, &state.edge_parts(1));
        let mut tasks: Vec<_> = state.edge_parts(width).into_iter().zip(rows).map(task).collect();
        perform(&mut tasks);
        Ok(answer(logits, edges))
    }

    fn bwd(
        &self,
        before: &Tensor,
        weights: &Tensor,
        _: &Tensor,
        dy: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let dy = dy.contiguous()?;
        let ((w, lw), (dy, ldy)) = (weights.storage_and_layout(), dy.storage_and_layout());
        let (all, dy, mut state) = (lent::<T>(&w, lw)?, lent::<T>(&dy, ldy)?, lock(&self.state)?);
        let (width, [edges, _]) = (state.width, state.counts());
        let [gain, bias, score, _] = sections(all, [width, width, width, 1]);
        let norm = Norm::new(&self.stats, gain, bias);
        let mut d = state.rows();
        let rows = state.edge_parts(width);
        let mut ds = split(&mut d, &rows);
        let task = |(row, one): (Range<usize>, Range<usize>)| {
            Some(Unscore {
                norm: &norm,
                score,
                x: &state.edges[row],
                from_logits: &dy[one],
                d: ds.next()?,
                to_weights: [width, width, width, 1].map(|count| vec![T::zero(); count]),
            })
        };
        let mut tasks: Vec<_> = rows.iter().cloned().zip(state.edge_parts(1)).filter_map(task).collect();
        perform(&mut tasks);
        let mut sums = summed(tasks.into_iter().map(|task| task.to_weights.concat()));
        let (gain, rest) = sums.split_at_mut(width);
        let outflow = norm.outflow(edges, [gain, &mut rest[..width]]);
        state.flow = Some(Flow { d, outflow, residual: None });
        Ok((Some(before.zeros_like()?), gradient(sums, weights)?))
    }
}
