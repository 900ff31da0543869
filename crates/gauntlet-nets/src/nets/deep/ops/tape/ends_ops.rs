//! The first and the last operation of a tape of edges on tensors: embedding of the features, and logits.

use std::ops::Range;
use std::sync::Arc;

use candle_core::{CpuStorage, CustomOp1, CustomOp2, Layout, Result, Shape, Tensor, WithDType};

use super::super::{TwoGradients, answer, gradient, lent, numbers};
use super::ends::{EmbedPass, EmbedReturn, LogitsPass, LogitsReturn};
use super::graphs::perform;
use super::norm::{ColumnNorm, ColumnSpread, NormStats};
use super::parts::{joined, sections, split, summed, zeros};
use super::state::{Flow, SharedTape, again, lock};

/// Writes the first edges; returns a zero.
pub struct EmbedOp<T: WithDType> {
    pub state: SharedTape<T>,
}

/// The logits.
pub struct LogitsOp<T: WithDType> {
    pub state: SharedTape<T>,
    pub stats: NormStats,
}

impl<T: WithDType> CustomOp1 for EmbedOp<T> {
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
        let task = |(part, y)| EmbedPass {
            weights,
            features: &state.features[part],
            y,
            numbers: state.numbers,
            spread: ColumnSpread::none(width),
        };
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
        let task = |(features, part): (Range<usize>, Range<usize>)| EmbedReturn {
            features: &state.features[features],
            inflow: (&outflow, &state.edges[part.clone()]),
            d: &d[part.clone()],
            residual: &residual[part],
            numbers: state.numbers,
            to_weights: zeros([inputs * width, width]),
        };
        let mut tasks: Vec<_> = state.edge_parts(inputs).into_iter().zip(state.edge_parts(width)).map(task).collect();
        perform(&mut tasks);
        let sums = summed(tasks.into_iter().map(|task| task.to_weights.concat()));
        state.flow = Some(Flow { d, outflow, residual: Some(residual) });
        gradient(sums, weights)
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
        let norm = ColumnNorm::new(&self.stats, gain, bias);
        let mut logits = vec![T::zero(); edges];
        let task =
            |(part, logits)| LogitsPass { norm: &norm, score: (score, offset[0]), x: &state.edges[part], logits };
        let rows = split(&mut logits, &state.edge_parts(1));
        let mut tasks: Vec<_> = state.edge_parts(width).into_iter().zip(rows).map(task).collect();
        perform(&mut tasks);
        Ok(answer(logits, edges))
    }

    fn bwd(&self, before: &Tensor, weights: &Tensor, _: &Tensor, dy: &Tensor) -> Result<TwoGradients> {
        let dy = dy.contiguous()?;
        let ((w, lw), (dy, ldy)) = (weights.storage_and_layout(), dy.storage_and_layout());
        let (all, dy, mut state) = (lent::<T>(&w, lw)?, lent::<T>(&dy, ldy)?, lock(&self.state)?);
        let (width, [edges, _]) = (state.width, state.counts());
        let [gain, bias, score, _] = sections(all, [width, width, width, 1]);
        let norm = ColumnNorm::new(&self.stats, gain, bias);
        let mut d = state.rows();
        let rows = state.edge_parts(width);
        let mut ds = split(&mut d, &rows);
        let task = |(row, one): (Range<usize>, Range<usize>)| {
            Some(LogitsReturn {
                norm: &norm,
                score,
                x: &state.edges[row],
                from_logits: &dy[one],
                d: ds.next()?,
                to_weights: zeros([width, width, width, 1]),
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
