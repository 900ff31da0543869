//! The binder of first layers over graphs, whose inputs are so simple that they need no products.

use super::cells::Cell;
use super::plan::Planner;
use super::site_rows::SiteRows;
use super::steps::Step;
use super::table::LayerTable;
use crate::encoders::{Dims, LANES};
use crate::nets::deep::DeepError;
use crate::nets::deep::dense::{Dense, padded, wide};
use crate::nets::deep::layers::Op;
use crate::nets::deep::params::Linear;

impl Planner<'_> {
    /// The first layer, behind the first sums.
    pub(super) fn first_sums(&mut self, at: usize, own: f32) -> Result<(), DeepError> {
        let (first, weights) = self.linear_behind(at);
        match self.net.dims {
            Dims::Moves(dims) => self.embedding([at, first], weights, own, dims.bits),
            _ => self.table([at, first], weights, own),
        }
    }

    /// The linear layer that reads a value.
    fn linear_behind(&self, at: usize) -> (usize, usize) {
        let Some((linear, Op::Linear { weights, .. })) = self.values.only_reader(at) else {
            unreachable!("`check` wants a linear layer")
        };
        (linear, weights)
    }

    /// The first layer of a graph network with one number a node.
    fn table(&mut self, [at, first]: [usize; 2], weights: usize, own: f32) -> Result<(), DeepError> {
        let one = self.folded(first, weights, true)?;
        let (second, weights) = self.linear_behind(first);
        let two = self.folded(second, weights, false)?;
        let norm = two.norm.clone().expect("`check` wants a layer norm");
        [at, first, second].into_iter().for_each(|layer| self.is_joined[layer] = true);
        let table = LayerTable::new(own, [&one.dense, &two.dense], &norm);
        let to = self.make(two.result, table.slots());
        self.step(two.result, Step::Table { table: Box::new(table), to });
        Ok(())
    }

    /// The first layer of a network over graphs of moves: its product commutes with the sum, and so is applied to the
    /// binary features of nodes.
    fn embedding(&mut self, [at, first]: [usize; 2], weights: usize, own: f32, bits: usize) -> Result<(), DeepError> {
        let linear = self.net.weights[weights].linear();
        let rows = SiteRows::new(&Linear { bias: None, ..linear.clone() }, bits)?;
        let bias = Dense::new(linear)?.bias;
        self.is_joined[first] = true;
        let (width, slots) = (self.at(first).width, padded(bias.len()) / LANES);
        let embedded = Cell { buffer: self.buffers.take(slots), at: 0, parts: vec![[width, slots]] };
        let to = self.make(first, slots);
        self.step(at, Step::Embed { rows, to: embedded.clone() });
        self.step(at, Step::Aggregate { own, from: embedded.clone(), to: to.clone() });
        self.step(at, Step::OffsetRelu { bias: wide(&bias), to });
        self.buffers.release(embedded.buffer);
        Ok(())
    }
}
