//! The kernels as differentiable operations.

#[cfg(feature = "cuda")]
use candle_core::CudaStorage;
use candle_core::backend::BackendStorage as _;
use candle_core::{CpuStorage, CustomOp1, CustomOp2, CustomOp3, Device, Layout, Result, Shape, Tensor, WithDType};

use super::super::{Stored, ThreeGradients, TwoGradients, answer, numbers};
use super::by_sums::by_sums;
use super::{Edges, twin};

/// `own x + sum over the edges into each target of x[source]`; `x [sources, C]`, the result `[targets, C]`.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn sum_rows(x: &Tensor, edges: &Edges, own: f64) -> Result<Tensor> {
    x.contiguous()?.apply_op1(SumRows { edges: edges.clone(), turned: false, own })
}

/// The numbers of `x [N]` with these indices, in any number.
///
/// # Errors
/// Errors of Candle.
pub fn numbers_at(x: &Tensor, index: Vec<u32>) -> Result<Tensor> {
    match x.device() {
        Device::Cpu => x.index_select(&Tensor::new(index, x.device())?, 0),
        _ => pick(x, &Edges::picks(index, x.dim(0)?)),
    }
}

/// The rows of `x [N, C]` or numbers of `x [N]` with these indices.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn pick(x: &Tensor, picks: &Edges) -> Result<Tensor> {
    match x.rank() {
        1 => sum_rows(&x.unsqueeze(1)?, picks, 0.0)?.squeeze(1),
        _ => sum_rows(x, picks, 0.0),
    }
}

/// The sums over the edges into each target of `weight[edge] x[source]`; `weights [E]`, `x [sources, C]`.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn weighted_sum_rows(weights: &Tensor, x: &Tensor, edges: &Edges) -> Result<Tensor> {
    weights.contiguous()?.apply_op2(&x.contiguous()?, WeightedSumRows { edges: edges.clone(), turned: false })
}

/// For each edge its row of `e`, the source's row of `u` and the target's of `v`, added; `e [E, C]`, `u [sources, C]`,
/// `v [targets, C]`. `picks` are the edges from the sources, and from the targets, to each edge.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn join_rows([e, u, v]: [&Tensor; 3], edges: &Edges, picks: &[Edges; 2]) -> Result<Tensor> {
    let op = JoinRows { edges: edges.clone(), picks: picks.clone() };
    e.contiguous()?.apply_op3(&u.contiguous()?, &v.contiguous()?, op)
}

/// The softmax of `x [E]` over the edges into the same target.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn edge_softmax(x: &Tensor, edges: &Edges) -> Result<Tensor> {
    x.contiguous()?.apply_op1(EdgeSoftmax { edges: edges.clone() })
}

/// A sum of rows in one direction.
struct SumRows {
    edges: Edges,
    turned: bool,
    own: f64,
}

impl CustomOp1 for SumRows {
    fn name(&self) -> &'static str {
        "sum-rows"
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        by_sums!(x.dtype(), summed::<T, A>(&self.edges, self.turned, None, (x, layout), self.own))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(&self, x: &CudaStorage, layout: &Layout) -> Result<(CudaStorage, Shape)> {
        super::cuda::sum_rows((&self.edges, self.turned), self.own, (x, layout))
    }

    fn bwd(&self, _: &Tensor, _: &Tensor, dy: &Tensor) -> Result<Option<Tensor>> {
        let turned = SumRows { edges: self.edges.clone(), turned: !self.turned, own: self.own };
        dy.contiguous()?.apply_op1(turned).map(Some)
    }
}

/// A weighted sum of rows in one direction.
struct WeightedSumRows {
    edges: Edges,
    turned: bool,
}

impl CustomOp2 for WeightedSumRows {
    fn name(&self) -> &'static str {
        "weighted-sum-rows"
    }

    fn cpu_fwd(&self, w: &CpuStorage, lw: &Layout, x: &CpuStorage, lx: &Layout) -> Result<(CpuStorage, Shape)> {
        by_sums!(x.dtype(), summed::<T, A>(&self.edges, self.turned, Some((w, lw)), (x, lx), 0.0))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(&self, w: &CudaStorage, lw: &Layout, x: &CudaStorage, lx: &Layout) -> Result<(CudaStorage, Shape)> {
        super::cuda::weighted_sum_rows((&self.edges, self.turned), (w, lw), (x, lx))
    }

    fn bwd(&self, w: &Tensor, x: &Tensor, _: &Tensor, dy: &Tensor) -> Result<TwoGradients> {
        let dy = dy.contiguous()?;
        let turned = WeightedSumRows { edges: self.edges.clone(), turned: !self.turned };
        let dx = w.detach().apply_op2(&dy, turned)?;
        let dw = x.detach().apply_op2(&dy, DotRows { edges: self.edges.clone(), turned: self.turned })?;
        Ok((Some(dw), Some(dx)))
    }
}

/// For each edge the inner product of its source's row in one matrix and its target's in the other.
struct DotRows {
    edges: Edges,
    turned: bool,
}

impl CustomOp2 for DotRows {
    fn name(&self) -> &'static str {
        "dot-rows"
    }

    fn cpu_fwd(&self, x: &CpuStorage, lx: &Layout, y: &CpuStorage, ly: &Layout) -> Result<(CpuStorage, Shape)> {
        by_sums!(x.dtype(), dotted::<T, A>(self, (x, lx), (y, ly)))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(&self, x: &CudaStorage, lx: &Layout, y: &CudaStorage, ly: &Layout) -> Result<(CudaStorage, Shape)> {
        super::cuda::dot_rows((&self.edges, self.turned), (x, lx), (y, ly))
    }
}

/// The rows at both ends of each edge, added to its own.
struct JoinRows {
    edges: Edges,
    /// From the sources, and from the targets, to each edge.
    picks: [Edges; 2],
}

impl CustomOp3 for JoinRows {
    fn name(&self) -> &'static str {
        "join-rows"
    }

    fn cpu_fwd(
        &self,
        e: &CpuStorage,
        le: &Layout,
        u: &CpuStorage,
        lu: &Layout,
        v: &CpuStorage,
        lv: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        by_sums!(e.dtype(), joined::<T, A>(&self.edges, [(e, le), (u, lu), (v, lv)]))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        e: &CudaStorage,
        le: &Layout,
        u: &CudaStorage,
        lu: &Layout,
        v: &CudaStorage,
        lv: &Layout,
    ) -> Result<(CudaStorage, Shape)> {
        super::cuda::join_rows(&self.edges, [(e, le), (u, lu), (v, lv)])
    }

    fn bwd(&self, _: &Tensor, _: &Tensor, _: &Tensor, _: &Tensor, dy: &Tensor) -> Result<ThreeGradients> {
        let dy = dy.contiguous()?;
        let sums = |picks: &Edges| dy.apply_op1(SumRows { edges: picks.clone(), turned: true, own: 0.0 });
        let [du, dv] = [sums(&self.picks[0])?, sums(&self.picks[1])?];
        Ok((Some(dy), Some(du), Some(dv)))
    }
}

/// A softmax over the edges into each target.
struct EdgeSoftmax {
    edges: Edges,
}

impl CustomOp1 for EdgeSoftmax {
    fn name(&self) -> &'static str {
        "edge-softmax"
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        by_sums!(x.dtype(), softened::<T, A>(&self.edges, (x, layout)))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(&self, x: &CudaStorage, layout: &Layout) -> Result<(CudaStorage, Shape)> {
        super::cuda::edge_softmax(&self.edges, (x, layout))
    }

    fn bwd(&self, _: &Tensor, y: &Tensor, dy: &Tensor) -> Result<Option<Tensor>> {
        y.detach().apply_op2(&dy.contiguous()?, EdgeSoftmaxBack { edges: self.edges.clone() }).map(Some)
    }
}

/// The gradient of a softmax from its result and the gradient of that.
struct EdgeSoftmaxBack {
    edges: Edges,
}

impl CustomOp2 for EdgeSoftmaxBack {
    fn name(&self) -> &'static str {
        "edge-softmax-back"
    }

    fn cpu_fwd(&self, y: &CpuStorage, ly: &Layout, dy: &CpuStorage, ld: &Layout) -> Result<(CpuStorage, Shape)> {
        by_sums!(y.dtype(), softened_back::<T, A>(&self.edges, (y, ly), (dy, ld)))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(&self, y: &CudaStorage, ly: &Layout, dy: &CudaStorage, ld: &Layout) -> Result<(CudaStorage, Shape)> {
        super::cuda::edge_softmax_back(&self.edges, (y, ly), (dy, ld))
    }
}

fn summed<T: WithDType, A: WithDType>(
    edges: &Edges,
    turned: bool,
    weights: Option<Stored<'_>>,
    (x, layout): Stored<'_>,
    own: f64,
) -> Result<(CpuStorage, Shape)> {
    let width = layout.shape().dims2()?.1;
    let weights = weights.map(|(weights, layout)| numbers::<T>(weights, layout)).transpose()?;
    let sums = twin::sum_rows::<T, A>(edges.direction(turned), weights, numbers::<T>(x, layout)?, (own, width));
    Ok(answer(sums, (edges.results(turned), width)))
}

fn dotted<T: WithDType, A: WithDType>(
    op: &DotRows,
    (x, lx): Stored<'_>,
    (y, ly): Stored<'_>,
) -> Result<(CpuStorage, Shape)> {
    let width = lx.shape().dims2()?.1;
    let ends = [op.turned, !op.turned].map(|turned| op.edges.direction(turned));
    let dots = twin::dot_rows::<T, A>(ends, [numbers::<T>(x, lx)?, numbers::<T>(y, ly)?], width);
    Ok(answer(dots, op.edges.len()))
}

fn joined<T: WithDType, A: WithDType>(edges: &Edges, all: [Stored<'_>; 3]) -> Result<(CpuStorage, Shape)> {
    let [(e, le), (u, lu), (v, lv)] = all;
    let ends = [false, true].map(|turned| edges.direction(turned));
    let rows = [numbers::<T>(e, le)?, numbers::<T>(u, lu)?, numbers::<T>(v, lv)?];
    Ok(answer(twin::join_rows::<T, A>(ends, rows, le.shape().dims2()?.1), le.shape()))
}

fn softened<T: WithDType, A: WithDType>(edges: &Edges, (x, layout): Stored<'_>) -> Result<(CpuStorage, Shape)> {
    let shares = twin::edge_softmax::<T, A>(edges.direction(false), numbers::<T>(x, layout)?);
    Ok(answer(shares, layout.shape()))
}

fn softened_back<T: WithDType, A: WithDType>(
    edges: &Edges,
    (y, ly): Stored<'_>,
    (dy, ld): Stored<'_>,
) -> Result<(CpuStorage, Shape)> {
    let (y, dy) = (numbers::<T>(y, ly)?, numbers::<T>(dy, ld)?);
    Ok(answer(twin::edge_softmax_back::<T, A>(edges.direction(false), y, dy), ly.shape()))
}

#[cfg(test)]
mod tests {
    use candle_core::Var;

    use super::super::super::list;
    use super::*;

    fn var(rows: usize, width: usize, phase: f64) -> Var {
        let numbers: Vec<f64> = (0..rows * width).map(|i| (i as f64 * 0.9 + phase).sin()).collect();
        Var::from_tensor(&Tensor::from_vec(numbers, (rows, width), &Device::Cpu).unwrap()).unwrap()
    }

    /// Results and gradients agree with those of Candle's operations over indices; target 2 has no edge.
    #[test]
    fn sums_over_edges_are_candles_over_indices() {
        let (from, to) = (vec![0u32, 2, 1, 2, 0, 1], vec![1u32, 1, 0, 0, 3, 1]);
        let edges = Edges::new(from.clone(), to.clone(), [3, 4]);
        let [from, to] = [from, to].map(|ends| Tensor::new(ends, &Device::Cpu).unwrap());
        let (x, scores) = (var(3, 2, 0.3), var(6, 1, 0.7));
        let zeros = |width: usize| Tensor::zeros((4, width), candle_core::DType::F64, &Device::Cpu);
        let ours = || -> Result<Tensor> {
            let weights = edge_softmax(&scores.squeeze(1)?, &edges)?;
            weighted_sum_rows(&weights, &x, &edges)? + sum_rows(&x, &edges, 0.0)?
        };
        let candles = || -> Result<Tensor> {
            let powers = scores.exp()?;
            let sums = zeros(1)?.index_add(&to, &powers, 0)?;
            let weights = (powers / sums.index_select(&to, 0)?)?;
            let rows = x.index_select(&from, 0)?;
            zeros(2)?.index_add(&to, &rows.broadcast_mul(&weights)?, 0)? + zeros(2)?.index_add(&to, &rows, 0)?
        };
        let [ours, candles] = [ours(), candles()].map(|sums| {
            let sums = sums.unwrap();
            let gradients = (sums.sqr().unwrap() * 0.5).unwrap().sum_all().unwrap().backward().unwrap();
            let of = |var: &Var| list::<f64>(gradients.get(var).unwrap()).unwrap();
            [list::<f64>(&sums).unwrap(), of(&x), of(&scores)].concat()
        });
        assert!(ours.iter().zip(&candles).all(|(a, b)| (a - b).abs() < 1e-12), "{ours:?} {candles:?}");
        assert_eq!(
            ours.iter().filter(|number| **number == 0.0).count(),
            2 + 1,
            "the row and the score without a choice"
        );
    }

    #[test]
    fn rows_and_numbers_are_picked() {
        let (rows, picks) = (var(3, 2, 0.0), Edges::picks(vec![2, 0, 2], 3));
        let all = list::<f64>(&rows).unwrap();
        let expected = [&all[4..6], &all[..2], &all[4..6]].concat();
        assert_eq!(list::<f64>(&pick(&rows, &picks).unwrap()).unwrap(), expected);
        let numbers = rows.narrow(1, 0, 1).unwrap().squeeze(1).unwrap();
        assert_eq!(list::<f64>(&pick(&numbers, &picks).unwrap()).unwrap(), [all[4], all[0], all[4]]);
    }
}
