//! Operations of attention over the edges of graphs: rows of nodes at edges, softmax over the edges into a node, and
//! weighted sums of rows over them.

use candle_core::backend::BackendStorage as _;
use candle_core::{CpuStorage, CustomOp2, CustomOp3, DType, Layout, Result, Shape, Tensor, WithDType};

use super::gpu::{edge_softmax, join_rows, pick, weighted_sum_rows};
use super::links::{Links, Lists};
use super::{Stored, ThreeGradients, TwoGradients, answer, by_type, gradient, is_fused, lent, numbers};

/// Slope of a leaky ReLU below 0.
const SLOPE: f64 = 0.01;

/// Leaky ReLU: `x` above 0, and a hundredth of it below.
///
/// # Errors
/// Errors of Candle.
pub fn leaky_relu(x: &Tensor) -> Result<Tensor> {
    x.relu()? - (x.neg()?.relu()? * SLOPE)?
}

/// `e + u[sender] + v[receiver]`; `e [E, C]`, `u` and `v [N, C]`.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn join(e: &Tensor, u: &Tensor, v: &Tensor, links: &Links) -> Result<Tensor> {
    if is_fused(e) {
        return e.contiguous()?.apply_op3(&u.contiguous()?, &v.contiguous()?, Join { links: links.clone() });
    }
    let Lists { between, picks, .. } = links.lists();
    join_rows([e, u, v], between, picks)
}

/// `u[sender] + v[receiver]`; `u` and `v [N]` or `[N, C]`.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn ends(u: &Tensor, v: &Tensor, links: &Links) -> Result<Tensor> {
    if is_fused(u) {
        let (senders, receivers) = links.tensors(u)?;
        return u.index_select(&senders, 0)? + v.index_select(&receivers, 0)?;
    }
    let [senders, receivers] = &links.lists().picks;
    pick(u, senders)? + pick(v, receivers)?
}

/// `softmax` of `x [E]` over the edges with the same receiver.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn softmax_by_receiver(x: &Tensor, links: &Links) -> Result<Tensor> {
    if !is_fused(x) {
        return edge_softmax(x, &links.lists().between);
    }
    let (_, receivers) = links.tensors(x)?;
    let mut greatest = vec![f64::NEG_INFINITY; links.nodes()];
    let values: Vec<f64> = x.detach().to_dtype(DType::F64)?.to_vec1()?;
    for (&value, &receiver) in values.iter().zip(links.receivers()) {
        greatest[receiver as usize] = greatest[receiver as usize].max(value);
    }
    let greatest: Vec<f64> = links.receivers().iter().map(|&receiver| greatest[receiver as usize]).collect();
    let powers = (x - Tensor::new(greatest, x.device())?.to_dtype(x.dtype())?)?.exp()?;
    let sums = Tensor::zeros(links.nodes(), x.dtype(), x.device())?.index_add(&receivers, &powers, 0)?;
    powers / sums.index_select(&receivers, 0)?
}

/// The sums over the edges into each receiver of `weight[edge] x[sender]`; `weights [E]`, `x [N, C]`.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn gather_weighted(weights: &Tensor, x: &Tensor, links: &Links) -> Result<Tensor> {
    weighted(weights, x, links, true)
}

/// The sums over the edges into each receiver of `weight[edge] x[edge]`; `weights [E]`, `x [E, C]`.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn collect_weighted(weights: &Tensor, x: &Tensor, links: &Links) -> Result<Tensor> {
    weighted(weights, x, links, false)
}

fn weighted(weights: &Tensor, x: &Tensor, links: &Links, of_senders: bool) -> Result<Tensor> {
    if is_fused(x) {
        return weights.contiguous()?.apply_op2(&x.contiguous()?, WeightedSum { links: links.clone(), of_senders });
    }
    let Lists { between, collected, .. } = links.lists();
    weighted_sum_rows(weights, x, if of_senders { between } else { collected })
}

struct Join {
    links: Links,
}

impl CustomOp3 for Join {
    fn name(&self) -> &'static str {
        "join"
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
        by_type!(e.dtype(), joined::<T>(&self.links, (e, le), (u, lu), (v, lv)))
    }

    fn bwd(&self, _: &Tensor, u: &Tensor, v: &Tensor, _: &Tensor, dy: &Tensor) -> Result<ThreeGradients> {
        let dy = dy.contiguous()?;
        let (du, dv) = by_type!(dy.dtype(), parted::<T>(&self.links, u, v, &dy))?;
        Ok((Some(dy), du, dv))
    }
}

fn joined<T: WithDType>(
    links: &Links,
    (e, le): Stored<'_>,
    (u, lu): Stored<'_>,
    (v, lv): Stored<'_>,
) -> Result<(CpuStorage, Shape)> {
    let width = le.shape().dims2()?.1;
    let (e, u, v) = (numbers::<T>(e, le)?, numbers::<T>(u, lu)?, numbers::<T>(v, lv)?);
    let mut sums = Vec::with_capacity(e.len());
    for ((e, &from), &to) in e.chunks_exact(width).zip(links.senders()).zip(links.receivers()) {
        let (u, v) = (&u[from as usize * width..][..width], &v[to as usize * width..][..width]);
        sums.extend(e.iter().zip(u).zip(v).map(|((&e, &u), &v)| e + u + v));
    }
    Ok(answer(sums, le.shape()))
}

fn parted<T: WithDType>(links: &Links, u: &Tensor, v: &Tensor, dy: &Tensor) -> Result<TwoGradients> {
    let width = dy.dim(1)?;
    let (storage, layout) = dy.storage_and_layout();
    let dy = lent::<T>(&storage, layout)?;
    let sums = |nodes: &[u32], like: &Tensor| {
        let mut sums = vec![T::zero(); like.elem_count()];
        for (dy, &node) in dy.chunks_exact(width).zip(nodes) {
            sums[node as usize * width..][..width].iter_mut().zip(dy).for_each(|(sum, &dy)| *sum += dy);
        }
        gradient(sums, like)
    };
    Ok((sums(links.senders(), u)?, sums(links.receivers(), v)?))
}

struct WeightedSum {
    links: Links,
    /// Whether the rows are those of the senders, or else of the edges.
    of_senders: bool,
}

impl WeightedSum {
    /// The row and the receiver of each edge.
    fn rows(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let row = move |(edge, &sender): (usize, &u32)| if self.of_senders { sender as usize } else { edge };
        let rows = self.links.senders().iter().enumerate().map(row);
        rows.zip(self.links.receivers().iter().map(|&receiver| receiver as usize))
    }
}

impl CustomOp2 for WeightedSum {
    fn name(&self) -> &'static str {
        "weighted-sum"
    }

    fn cpu_fwd(&self, w: &CpuStorage, lw: &Layout, x: &CpuStorage, lx: &Layout) -> Result<(CpuStorage, Shape)> {
        by_type!(x.dtype(), summed::<T>(self, (w, lw), (x, lx)))
    }

    fn bwd(&self, w: &Tensor, x: &Tensor, _: &Tensor, dy: &Tensor) -> Result<TwoGradients> {
        by_type!(x.dtype(), unsummed::<T>(self, w, x, &dy.contiguous()?))
    }
}

fn summed<T: WithDType>(op: &WeightedSum, (w, lw): Stored<'_>, (x, lx): Stored<'_>) -> Result<(CpuStorage, Shape)> {
    let width = lx.shape().dims2()?.1;
    let (weights, x) = (numbers::<T>(w, lw)?, numbers::<T>(x, lx)?);
    let mut sums = vec![T::zero(); op.links.nodes() * width];
    for (&weight, (row, receiver)) in weights.iter().zip(op.rows()) {
        let into = &mut sums[receiver * width..][..width];
        into.iter_mut().zip(&x[row * width..][..width]).for_each(|(sum, &x)| *sum += weight * x);
    }
    Ok(answer(sums, (op.links.nodes(), width)))
}

fn unsummed<T: WithDType>(op: &WeightedSum, w: &Tensor, x: &Tensor, dy: &Tensor) -> Result<TwoGradients> {
    let width = x.dim(1)?;
    let ((w_storage, w_layout), (x_storage, x_layout)) = (w.storage_and_layout(), x.storage_and_layout());
    let (dy_storage, dy_layout) = dy.storage_and_layout();
    let (weights, xs) = (lent::<T>(&w_storage, w_layout)?, lent::<T>(&x_storage, x_layout)?);
    let dys = lent::<T>(&dy_storage, dy_layout)?;
    let mut dx = vec![T::zero(); xs.len()];
    for (&weight, (row, receiver)) in weights.iter().zip(op.rows()) {
        let terms = dys[receiver * width..][..width].iter().map(|&dy| weight * dy);
        dx[row * width..][..width].iter_mut().zip(terms).for_each(|(dx, term)| *dx += term);
    }
    let ends: Vec<(usize, usize)> = op.rows().collect();
    let mut dw = Vec::with_capacity(weights.len());
    for ends in ends.chunks(DOTS) {
        let pairs = std::array::from_fn(|index| {
            let (row, receiver) = ends[index.min(ends.len() - 1)];
            (&xs[row * width..][..width], &dys[receiver * width..][..width])
        });
        dw.extend_from_slice(&dots(width, pairs)[..ends.len()]);
    }
    Ok((gradient(dw, w)?, gradient(dx, x)?))
}

/// Number of sums that are computed side by side, as each addition waits for the previous one.
const DOTS: usize = 4;

/// The inner products of pairs of rows.
fn dots<T: WithDType>(width: usize, pairs: [(&[T], &[T]); DOTS]) -> [T; DOTS] {
    let mut sums = [T::zero(); DOTS];
    for column in 0..width {
        sums.iter_mut().zip(&pairs).for_each(|(sum, (one, other))| *sum += one[column] * other[column]);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::super::{composed_alone, list};
    use super::*;
    use candle_core::{Device, Var};
    use gauntlet_games::games::Topology;
    use std::sync::Arc;

    use super::super::links::LinkKind;
    use crate::encoders::MoveGraph;

    /// Fused and composed operations agree in their results and in their gradients.
    #[test]
    fn edges_are_computed_alike_in_both_ways() {
        let graph =
            |edges: &[(u32, u32)]| Arc::new(MoveGraph::new(&Topology::square(2), edges, vec![0.0; edges.len()]));
        let (one, other) = (graph(&[(0, 1), (2, 1), (1, 0), (2, 0), (0, 2)]), graph(&[(3, 0), (1, 2)]));
        let batches = [vec![&one], vec![&one, &one, &one], vec![&one, &other]];
        for (graphs, edges) in batches.into_iter().zip([5, 15, 7]) {
            let links = Links::new(graphs.iter().copied().cloned().collect(), LinkKind::Moves { more: 0 });
            alike_in_both_ways(&links, edges, 4 * graphs.len());
        }
    }

    fn alike_in_both_ways(links: &Links, edges: usize, nodes: usize) {
        let var = |rows: usize, width: usize, phase: f64| {
            let numbers: Vec<f64> = (0..rows * width).map(|i| (i as f64 * 0.9 + phase).sin()).collect();
            Var::from_tensor(&Tensor::from_vec(numbers, (rows, width), &Device::Cpu).unwrap()).unwrap()
        };
        let (e, u, v) = (var(edges, 2, 0.1), var(nodes, 2, 0.5), var(nodes, 2, 1.1));
        let answer = || {
            let edges = join(&e, &u, &v, links).unwrap();
            let scores = leaky_relu(&edges.sum(1).unwrap()).unwrap();
            let weights = softmax_by_receiver(&scores, links).unwrap();
            let sums = (gather_weighted(&weights, &u, links).unwrap()
                + collect_weighted(&weights, &edges, links).unwrap())
            .unwrap();
            let gradients = sums.sqr().unwrap().sum_all().unwrap().backward().unwrap();
            let all = [&e, &u, &v].map(|var| list::<f64>(gradients.get(var).unwrap()).unwrap());
            [vec![list::<f64>(&sums).unwrap()], all.to_vec()].concat().concat()
        };
        let (fused, composed) = (answer(), composed_alone(answer));
        assert!(fused.iter().zip(&composed).all(|(a, b)| (a - b).abs() < 1e-12), "{fused:?} {composed:?}");
        assert!(fused.iter().any(|number| number.abs() > 1e-6));
    }
}
