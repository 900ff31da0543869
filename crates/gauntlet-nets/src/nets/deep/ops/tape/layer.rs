//! A GATEAU layer over the edges of one graph, and its gradient, without tensors.
//!
//! With the normalised edges `n = relu(norm(x))`: `y = W n + b + u[sender] + v[receiver]`, weights `w` that are the
//! softmax of `leaky(a y)` over the edges into a node, and the sums over these of `w h[sender]` and of `w n` (or `w
//! y`). All data of a graph stay in the cache; a layer without attention is `y = W n + b`.

use candle_core::WithDType;

use super::graphs::{GraphTask, Scratch};
use super::norm::{ColumnNorm, ColumnSpread, Outflow};
use super::parts::zeros;
use super::rows::{add, add_scaled, dot, row, row_mut};
use crate::encoders::MoveGraph;
use crate::nets::NumberFormat;
use crate::nets::kernels::{MatrixView, multiply_in};

/// Slope of a leaky ReLU below 0.
const SLOPE: f64 = 0.01;

/// The weights of a layer.
pub struct EdgeWeights<'a, T> {
    pub norm: ColumnNorm<T>,
    /// `W [H, H]`.
    pub weight: &'a [T],
    /// `b [H]`.
    pub bias: &'a [T],
    pub attention: Option<Attention<'a, T>>,
    /// The format of the products.
    pub numbers: NumberFormat,
}

/// The attention of a layer over the edges into a node.
#[derive(Clone, Copy)]
pub struct Attention<'a, T> {
    /// `a [H]`, and the offset of the score.
    pub score: (&'a [T], T),
    /// Whether messages are the new edges, or else the normalised ones.
    pub of_new: bool,
}

/// The weights of the edges, `[E]`, and the slope of the leaky ReLU at their scores.
pub struct Weighing<W> {
    pub weights: W,
    pub slopes: W,
}

/// The forward pass of one graph.
pub struct LayerPass<'a, T> {
    pub layer: &'a EdgeWeights<'a, T>,
    pub graph: &'a MoveGraph,
    /// `[E, H]`.
    pub x: &'a [T],
    /// `h`, `u` and `v`, `[N, H]` each.
    pub nodes: [&'a [T]; 3],
    pub y: &'a mut [T],
    /// The edges to which `y` is added, and the sum.
    pub added: Option<(&'a [T], &'a mut [T])>,
    pub weighing: Weighing<&'a mut [T]>,
    /// Sums of senders and of messages, `[N, H]` each.
    pub sums: [&'a mut [T]; 2],
    /// The moments of the resulting edges.
    pub spread: ColumnSpread<T>,
}

impl<T: WithDType> GraphTask<T> for LayerPass<'_, T> {
    #[inline(always)]
    fn run(&mut self, scratch: &mut Scratch<T>) {
        let width = self.layer.bias.len();
        let [normed, _] = scratch.rows(self.x.len());
        self.layer.norm.rectified(self.x, normed);
        let weight = MatrixView::new(self.layer.weight, width);
        multiply_in(self.layer.numbers, MatrixView::new(normed, width), weight.turned(), self.y, false);
        match self.layer.attention {
            Some(attention) => {
                self.join(attention);
                self.weigh();
                self.collect(normed, attention.of_new);
            }
            None => self.y.chunks_exact_mut(width).for_each(|y| add(y, self.layer.bias)),
        }
        let Some((base, sum)) = &mut self.added else { return self.spread.observe(self.y) };
        for ((sum, &base), &y) in sum.iter_mut().zip(*base).zip(&*self.y) {
            *sum = base + y;
        }
        self.spread.observe(sum);
    }
}

impl<T: WithDType> LayerPass<'_, T> {
    /// Adds the terms of senders and receivers; computes scores.
    #[inline(always)]
    fn join(&mut self, attention: Attention<'_, T>) {
        let (width, [_, u, v]) = (self.layer.bias.len(), self.nodes);
        let (bias, (score, offset)) = (&self.layer.bias[..width], attention.score);
        let (zero, slope) = (T::zero(), T::from_f64(SLOPE));
        let ends = self.graph.senders().iter().zip(self.graph.receivers());
        for (edge, (&from, &to)) in ends.enumerate() {
            let (u, v) = (row(u, from as usize, width), row(v, to as usize, width));
            let y = row_mut(self.y, edge, width);
            for column in 0..width {
                y[column] = y[column] + bias[column] + u[column] + v[column];
            }
            let score = dot(y, score) + offset;
            let slope = if score > zero { T::from_f64(1.0) } else { slope };
            self.weighing.slopes[edge] = slope;
            self.weighing.weights[edge] = score * slope;
        }
    }

    /// Turns the scores of the edges into each node into their softmax.
    fn weigh(&mut self) {
        let weights = &mut *self.weighing.weights;
        for node in 0..self.graph.nodes() {
            let into = self.graph.incoming(node).iter().map(|&edge| edge as usize);
            let greatest = into.clone().map(|edge| weights[edge].to_f64()).fold(f64::NEG_INFINITY, f64::max);
            let mut sum = 0.0;
            for edge in into.clone() {
                let power = (weights[edge].to_f64() - greatest).exp();
                weights[edge] = T::from_f64(power);
                sum += power;
            }
            into.for_each(|edge| weights[edge] /= T::from_f64(sum));
        }
    }

    #[inline(always)]
    fn collect(&mut self, normed: &[T], of_new: bool) {
        let (width, [senders, messages]) = (self.layer.bias.len(), &mut self.sums);
        let rows = if of_new { &*self.y } else { normed };
        for node in 0..self.graph.nodes() {
            let (senders, messages) = (row_mut(senders, node, width), row_mut(messages, node, width));
            for edge in self.graph.incoming(node).iter().map(|&edge| edge as usize) {
                let (weight, from) = (self.weighing.weights[edge], self.graph.senders()[edge] as usize);
                add_scaled(senders, weight, row(self.nodes[0], from, width));
                add_scaled(messages, weight, row(rows, edge, width));
            }
        }
    }
}

/// The backward pass of one graph.
pub struct LayerReturn<'a, T> {
    pub layer: &'a EdgeWeights<'a, T>,
    pub graph: &'a MoveGraph,
    pub x: &'a [T],
    pub nodes: [&'a [T]; 3],
    pub y: &'a [T],
    pub weighing: Weighing<&'a [T]>,
    /// The gradients of the sums.
    pub from_sums: [&'a [T]; 2],
    /// The computation of the gradient of the output from `d`, and the output.
    pub inflow: (&'a Outflow<T>, &'a [T]),
    /// The gradient after the next norm; becomes that after this one.
    pub d: &'a mut [T],
    /// If `y` was added to other edges: the additional gradient of the sum; becomes all of it.
    pub residual: Option<&'a mut [T]>,
    /// The gradients of `h`, `u` and `v`.
    pub to_nodes: [&'a mut [T]; 3],
    /// The gradients of the weights, initially zero.
    pub to_weights: LayerSums<T>,
}

/// The gradients of the weights of a layer.
pub struct LayerSums<T> {
    pub gain: Vec<T>,
    pub norm_bias: Vec<T>,
    pub weight: Vec<T>,
    pub bias: Vec<T>,
    pub score: Vec<T>,
    pub offset: Vec<T>,
}

impl<T: WithDType> LayerSums<T> {
    /// Zeros.
    pub fn none(width: usize) -> LayerSums<T> {
        let [gain, norm_bias, weight, bias, score, offset] = zeros([width, width, width * width, width, width, 1]);
        LayerSums { gain, norm_bias, weight, bias, score, offset }
    }

    /// All, in the order of the weights.
    pub fn concat(self) -> Vec<T> {
        let LayerSums { gain, norm_bias, weight, bias, score, offset } = self;
        [gain, norm_bias, weight, bias, score, offset].concat()
    }
}

impl<T: WithDType> GraphTask<T> for LayerReturn<'_, T> {
    #[inline(always)]
    fn run(&mut self, scratch: &mut Scratch<T>) {
        let width = self.layer.bias.len();
        let [normed, dy] = scratch.rows(self.x.len());
        self.inflow.0.write(self.inflow.1, self.d, dy);
        if let Some(residual) = &mut self.residual {
            add(residual, dy);
            dy.copy_from_slice(residual);
        }
        self.layer.norm.rectified(self.x, normed);
        match self.layer.attention {
            Some(attention) => self.unweigh(attention, normed, dy),
            None => dy.chunks_exact(width).for_each(|dy| add(&mut self.to_weights.bias, dy)),
        }
        let (flow, numbers) = (MatrixView::new(dy, width), self.layer.numbers);
        multiply_in(numbers, flow, MatrixView::new(self.layer.weight, width), self.d, false);
        multiply_in(numbers, flow.turned(), MatrixView::new(normed, width), &mut self.to_weights.weight, false);
        self.pass(normed);
    }
}

impl<T: WithDType> LayerReturn<'_, T> {
    /// Adds the gradients through scores and sums to those of the new edges and of the nodes.
    #[inline(always)]
    fn unweigh(&mut self, attention: Attention<'_, T>, normed: &[T], dy: &mut [T]) {
        let (width, (score, _)) = (self.layer.bias.len(), attention.score);
        let Weighing { weights, slopes } = self.weighing;
        let messages = if attention.of_new { self.y } else { normed };
        let [to_h, to_u, to_v] = &mut self.to_nodes;
        for node in 0..self.graph.nodes() {
            let [of_senders, of_messages] = self.from_sums.map(|rows| row(rows, node, width));
            let incoming = self.graph.incoming(node);
            let mut mean = T::zero();
            let changes = incoming.iter().map(|&edge| {
                let (edge, from) = (edge as usize, self.graph.senders()[edge as usize] as usize);
                dot(row(messages, edge, width), of_messages) + dot(row(self.nodes[0], from, width), of_senders)
            });
            let changes: Vec<T> = changes.collect();
            for (&edge, &change) in incoming.iter().zip(&changes) {
                mean += weights[edge as usize] * change;
            }
            let to_v = row_mut(to_v, node, width);
            for (&edge, &change) in incoming.iter().zip(&changes) {
                let (edge, from) = (edge as usize, self.graph.senders()[edge as usize] as usize);
                let weight = weights[edge];
                let change = weight * (change - mean) * slopes[edge];
                self.to_weights.offset[0] += change;
                add_scaled(&mut self.to_weights.score, change, row(self.y, edge, width));
                add_scaled(row_mut(to_h, from, width), weight, of_senders);
                let dy = row_mut(dy, edge, width);
                if attention.of_new {
                    add_scaled(dy, weight, of_messages);
                }
                add_scaled(dy, change, score);
                add(to_v, dy);
                add(row_mut(to_u, from, width), dy);
            }
            add(&mut self.to_weights.bias, to_v);
        }
    }

    /// Propagates through the ReLU of the norm.
    #[inline(always)]
    fn pass(&mut self, normed: &[T]) {
        let (width, LayerSums { gain, norm_bias, .. }) = (self.layer.bias.len(), &mut self.to_weights);
        let old_messages = self.layer.attention.is_some_and(|attention| !attention.of_new);
        for (edge, &to) in self.graph.receivers().iter().enumerate() {
            let d = row_mut(self.d, edge, width);
            if old_messages {
                add_scaled(d, self.weighing.weights[edge], row(self.from_sums[1], to as usize, width));
            }
            self.layer.norm.pass((row(self.x, edge, width), row(normed, edge, width)), d, [gain, norm_bias]);
        }
    }
}
