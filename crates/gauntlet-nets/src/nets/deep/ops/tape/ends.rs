//! The input of edges on a tape, `y = W features + b`, and their output as logits `w relu(norm(x)) + b`.

use candle_core::WithDType;

use super::graphs::{GraphTask, Scratch};
use super::norm::{ColumnNorm, ColumnSpread, Outflow};
use super::rows::{add, add_scaled, dot, row, row_mut};
use crate::nets::NumberFormat;
use crate::nets::kernels::{MatrixView, multiply_in};

/// The embedding of the edges of one graph.
pub struct EmbedPass<'a, T> {
    /// `W [H, K]`, `b [H]`.
    pub weights: [&'a [T]; 2],
    /// `[E, K]`.
    pub features: &'a [T],
    pub y: &'a mut [T],
    pub numbers: NumberFormat,
    pub spread: ColumnSpread<T>,
}

impl<T: WithDType> GraphTask<T> for EmbedPass<'_, T> {
    #[inline(always)]
    fn run(&mut self, _: &mut Scratch<T>) {
        let [weight, bias] = self.weights;
        let inputs = weight.len() / bias.len();
        let (features, weight) = (MatrixView::new(self.features, inputs), MatrixView::new(weight, inputs));
        multiply_in(self.numbers, features, weight.turned(), self.y, false);
        self.y.chunks_exact_mut(bias.len()).for_each(|y| add(y, bias));
        self.spread.observe(self.y);
    }
}

/// Its gradient.
pub struct EmbedReturn<'a, T> {
    pub features: &'a [T],
    pub inflow: (&'a Outflow<T>, &'a [T]),
    /// The gradient after the next norm.
    pub d: &'a [T],
    /// The additional gradient.
    pub residual: &'a [T],
    pub numbers: NumberFormat,
    /// The gradients of weights and biases.
    pub to_weights: [Vec<T>; 2],
}

impl<T: WithDType> GraphTask<T> for EmbedReturn<'_, T> {
    #[inline(always)]
    fn run(&mut self, scratch: &mut Scratch<T>) {
        let [weight, bias] = &mut self.to_weights;
        let (width, [dy, _]) = (bias.len(), scratch.rows(self.d.len()));
        self.inflow.0.write(self.inflow.1, self.d, dy);
        add(dy, self.residual);
        let features = MatrixView::new(self.features, weight.len() / width);
        multiply_in(self.numbers, MatrixView::new(dy, width).turned(), features, weight, false);
        dy.chunks_exact(width).for_each(|dy| add(bias, dy));
    }
}

/// The logits of the edges of one graph.
pub struct LogitsPass<'a, T> {
    pub norm: &'a ColumnNorm<T>,
    /// `w [H]` and `b`.
    pub score: (&'a [T], T),
    pub x: &'a [T],
    pub logits: &'a mut [T],
}

impl<T: WithDType> GraphTask<T> for LogitsPass<'_, T> {
    #[inline(always)]
    fn run(&mut self, scratch: &mut Scratch<T>) {
        let (width, [normed, _]) = (self.score.0.len(), scratch.rows(self.x.len()));
        self.norm.rectified(self.x, normed);
        for (edge, logit) in self.logits.iter_mut().enumerate() {
            *logit = dot(row(normed, edge, width), self.score.0) + self.score.1;
        }
    }
}

/// Their gradient.
pub struct LogitsReturn<'a, T> {
    pub norm: &'a ColumnNorm<T>,
    pub score: &'a [T],
    pub x: &'a [T],
    /// The gradients of the logits.
    pub from_logits: &'a [T],
    /// Becomes the gradient after the norm.
    pub d: &'a mut [T],
    /// The gradients of gain, bias, `w` and `b`, initially zero.
    pub to_weights: [Vec<T>; 4],
}

impl<T: WithDType> GraphTask<T> for LogitsReturn<'_, T> {
    #[inline(always)]
    fn run(&mut self, scratch: &mut Scratch<T>) {
        let (width, [normed, _]) = (self.score.len(), scratch.rows(self.x.len()));
        let [gain, bias, score, offset] = &mut self.to_weights;
        self.norm.rectified(self.x, normed);
        for (edge, &change) in self.from_logits.iter().enumerate() {
            let (d, normed) = (row_mut(self.d, edge, width), row(normed, edge, width));
            offset[0] += change;
            add_scaled(score, change, normed);
            d.fill(T::zero());
            add_scaled(d, change, self.score);
            self.norm.pass((row(self.x, edge, width), normed), d, [gain, bias]);
        }
    }
}
