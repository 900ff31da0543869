//! Sums over the neighbours of every node.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use candle_core::backend::BackendStorage as _;
use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor, WithDType};

use super::blocks::by_block;
use super::gpu::{Edges, sum_rows, weighted_sum_rows};
use super::recording::apply1;
use super::shared::{Recent, shared};
use super::{answer, by_type, is_fused, numbers};
use crate::encoders::Graph;

/// Graphs of a block.
const GRAPHS: usize = 8;

/// The connections of all nodes of a batch: its graphs in sequence.
#[derive(Clone)]
pub struct Adjacency {
    graphs: Arc<[Arc<Graph>]>,
    /// The connections as edges, made when they are first needed.
    edges: Arc<OnceLock<Edges>>,
}

impl Adjacency {
    /// The connections of these graphs.
    pub fn of(graphs: &[Arc<Graph>]) -> Adjacency {
        Adjacency { graphs: graphs.into(), edges: Arc::default() }
    }

    /// The mean of `x [N]` over the nodes of each graph, `[graphs]`; with dummy nodes if `dummies`.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn pool(&self, x: &Tensor, dummies: bool) -> Result<Tensor> {
        let (mut starts, mut weight) = (vec![0], Vec::new());
        for graph in &*self.graphs {
            let counted = if dummies { graph.nodes() } else { graph.sites() };
            weight.extend(std::iter::repeat_n(1.0 / counted as f64, counted));
            weight.resize(starts[starts.len() - 1] as usize + graph.nodes(), 0.0);
            starts.push(weight.len() as u32);
        }
        let (device, nodes) = (x.device(), weight.len());
        let weight = Tensor::new(weight, device)?.to_dtype(x.dtype())?;
        if device.is_cpu() {
            let of_nodes = |(index, graph): (usize, &Arc<Graph>)| std::iter::repeat_n(index as u32, graph.nodes());
            let owner: Vec<u32> = self.graphs.iter().enumerate().flat_map(of_nodes).collect();
            let sums = Tensor::zeros(self.graphs.len(), x.dtype(), device)?;
            return sums.index_add(&Tensor::new(owner, device)?, &(x * weight)?, 0);
        }
        let edges = Edges::by_target(starts, (0..nodes as u32).collect(), nodes);
        weighted_sum_rows(&weight, &x.unsqueeze(1)?, &edges)?.squeeze(1)
    }

    /// All directed edges.
    fn edges(&self) -> &Edges {
        self.edges.get_or_init(|| match shared(&self.graphs) {
            Some(graph) => known_edges(graph).times(self.graphs.len()),
            None => all_edges(&self.graphs),
        })
    }
}

thread_local! {
    /// The edges of the last graphs of this thread, also those on its device.
    static KNOWN: RefCell<Recent<Graph, (), Edges>> = const { RefCell::new(Recent::new()) };
}

/// The edges of one graph, from the last ones of this thread.
fn known_edges(graph: &Arc<Graph>) -> Edges {
    KNOWN.with_borrow_mut(|known| {
        let made = known.find(graph, &());
        made.unwrap_or_else(|| known.keep(graph, (), all_edges(std::slice::from_ref(graph))))
    })
}

fn all_edges(graphs: &[Arc<Graph>]) -> Edges {
    let nodes = graphs.iter().map(|graph| graph.nodes()).sum();
    let (mut starts, mut from, mut first) = (Vec::with_capacity(nodes + 1), Vec::with_capacity(6 * nodes), 0);
    starts.push(0);
    for graph in graphs {
        graph.append_sources(first, &mut starts, &mut from);
        first += graph.nodes() as u32;
    }
    Edges::by_target(starts, from, nodes)
}

/// `own x + A x` with the symmetric adjacency `A`; `x [N, C]`. Its gradient is the same operation.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn aggregate(x: &Tensor, adjacency: &Adjacency, own: f64) -> Result<Tensor> {
    if is_fused(x) {
        return apply1(AggregateOp { adjacency: adjacency.clone(), own }, &x.contiguous()?);
    }
    composed(x, adjacency, own)
}

pub(super) fn composed(x: &Tensor, adjacency: &Adjacency, own: f64) -> Result<Tensor> {
    sum_rows(x, adjacency.edges(), own)
}

struct AggregateOp {
    adjacency: Adjacency,
    own: f64,
}

impl CustomOp1 for AggregateOp {
    fn name(&self) -> &'static str {
        "aggregate"
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        by_type!(x.dtype(), forward::<T>(self, x, layout))
    }

    fn bwd(&self, _: &Tensor, _: &Tensor, dy: &Tensor) -> Result<Option<Tensor>> {
        aggregate(dy, &self.adjacency, self.own).map(Some)
    }
}

fn forward<T: WithDType>(op: &AggregateOp, x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
    let (width, x) = (layout.shape().dims2()?.1, numbers::<T>(x, layout)?);
    let graphs = &op.adjacency.graphs;
    let mut starts = vec![0];
    graphs.iter().for_each(|graph| starts.push(starts[starts.len() - 1] + graph.nodes() * width));
    let of = |range: Range<usize>| {
        let x = &x[starts[range.start]..starts[range.end]];
        sums::<T>(&graphs[range], x, width, T::from_f64(op.own))
    };
    Ok(answer(by_block(graphs.len(), GRAPHS, of), layout.shape()))
}

/// The sums of some graphs, whose nodes are `x`.
fn sums<T: WithDType>(graphs: &[Arc<Graph>], mut x: &[T], width: usize, own: T) -> Vec<T> {
    let mut sums: Vec<T> = Vec::with_capacity(x.len());
    for graph in graphs {
        let (nodes, rest) = x.split_at(graph.nodes() * width);
        let (boards, hub) = nodes.split_at(graph.sites() * width);
        let mut total: Vec<T> = hub.iter().map(|&x| x * own).collect();
        for (site, row) in boards.chunks_exact(width).enumerate() {
            let start = sums.len();
            sums.extend(row.iter().map(|&x| x * own));
            let sum = &mut sums[start..];
            let mut add = |other: &[T]| sum.iter_mut().zip(other).for_each(|(sum, &x)| *sum += x);
            graph.neighbours(site).iter().for_each(|&other| add(&nodes[other as usize * width..][..width]));
            add(hub);
            total.iter_mut().zip(row).for_each(|(sum, &x)| *sum += x);
        }
        sums.extend(total);
        x = rest;
    }
    sums
}

#[cfg(test)]
pub(super) fn dense(adjacency: &Adjacency, own: f64) -> Vec<Vec<f64>> {
    let nodes: usize = adjacency.graphs.iter().map(|graph| graph.nodes()).sum();
    let mut matrix = vec![vec![0.0; nodes]; nodes];
    (0..nodes).for_each(|node| matrix[node][node] = own);
    let mut first = 0;
    for graph in &*adjacency.graphs {
        graph.edges().for_each(|(a, b)| matrix[first + b as usize][first + a as usize] += 1.0);
        first += graph.nodes();
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::super::list;
    use super::*;
    use crate::encoders::{Graphs, Topology};
    use candle_core::{DType, Device};

    /// The nodes that a sum adds for each node, in order.
    fn added(edges: &Edges, turned: bool) -> Vec<Vec<u32>> {
        let of = edges.direction(turned);
        let span = |ends: &[u32]| &of.edges[ends[0] as usize..ends[1] as usize];
        of.starts.windows(2).map(|ends| span(ends).iter().map(|&edge| of.rows[edge as usize]).collect()).collect()
    }

    /// The slow version: all edges one after the other, then sorted.
    #[test]
    fn sums_add_neighbours_in_the_order_of_the_edges() {
        let board = Graph::board(&Topology::square(4));
        let parts = [(&[0, 1, 2, 5, 6, 11][..], true), (&[3, 4, 9, 15], false), (&[7], true), (&[8, 12], false)];
        let mut graphs: Vec<_> = parts.iter().map(|(sites, dummy)| Arc::new(board.subgraph(sites, *dummy))).collect();
        graphs.insert(1, Arc::new(board));
        let (mut from, mut to, mut first) = (Vec::new(), Vec::new(), 0);
        for graph in &graphs {
            from.extend(graph.edges().map(|(source, _)| first + source));
            to.extend(graph.edges().map(|(_, target)| first + target));
            first += graph.nodes() as u32;
        }
        let slow = Edges::new(from, to, [first as usize; 2]);
        let fast = Adjacency::of(&graphs).edges().clone();
        for turned in [false, true] {
            assert_eq!(added(&fast, turned), added(&slow, turned), "turned: {turned}");
        }
        assert_eq!(fast.len(), slow.len());
    }

    #[test]
    fn a_sum_over_neighbours_is_a_product_with_the_adjacency() {
        let board = Arc::new(Graph::board(&Topology::square(3)));
        let mut graphs = Graphs::new(1);
        for graph in [&board, &Arc::new(board.subgraph(&[0, 1, 5, 8], false)), &board] {
            graphs.push(graph, (0..graph.sites()).map(|site| site as f32));
        }
        let (adjacency, nodes) = (Adjacency::of(graphs.graphs()), graphs.nodes());
        let x: Vec<f64> = (0..nodes * 2).map(|i| (i as f64).sin()).collect();
        let x = Tensor::from_vec(x, (nodes, 2), &Device::Cpu).unwrap();
        let matrix = Tensor::new(dense(&adjacency, 1.5), &Device::Cpu).unwrap();
        let expected = matrix.matmul(&x).unwrap();
        for sums in [aggregate(&x, &adjacency, 1.5), composed(&x, &adjacency, 1.5)] {
            let error = (sums.unwrap() - &expected).unwrap().abs().unwrap().max_all().unwrap();
            assert!(error.to_scalar::<f64>().unwrap() < 1e-12);
        }
        let ones = Tensor::ones(nodes, DType::F64, &Device::Cpu).unwrap();
        for dummies in [true, false] {
            assert_eq!(list::<f64>(&adjacency.pool(&ones, dummies).unwrap()).unwrap().len(), 3);
        }
        let values = Tensor::new((0..nodes).map(|i| i as f64).collect::<Vec<_>>(), &Device::Cpu).unwrap();
        assert!((list::<f64>(&adjacency.pool(&values, false).unwrap()).unwrap()[0] - 4.0).abs() < 1e-12);
        assert!((list::<f64>(&adjacency.pool(&values, true).unwrap()).unwrap()[0] - 4.5).abs() < 1e-12);
    }
}
