//! The binder of first layers over graphs, whose inputs are so simple that they need no products.

use super::cells::Cell;
use super::plan::Planner;
use super::site_rows::SiteRows;
use super::steps::Step;
use super::table::LayerTable;
use crate::encoders::{Dims, LANES};
use crate::nets::deep::DeepError;
use crate::nets::deep::dense::{padded, wide};
use crate::nets::deep::layers::Op;
use crate::nets::deep::params::{Linear, floats};

impl Planner<'_> {
    /// The first layer of a graph network with one number a node.
    pub(super) fn table(&mut self, at: usize, own: f32) -> Result<(), DeepError> {
        let Some((first, Op::Linear { weights, relu: true })) = self.only_reader(at) else {
            panic!("a linear layer and a ReLU follow the first sums")
        };
        let one = self.folded(first, weights, true)?;
        let Some((second, Op::Linear { weights, relu: false })) = self.only_reader(first) else {
            panic!("a second linear layer follows")
        };
        let two = self.folded(second, weights, false)?;
        let norm = two.norm.clone().expect("a layer norm follows");
        [at, first, second].into_iter().for_each(|layer| self.is_joined[layer] = true);
        let table = LayerTable::new(own, [&one.dense, &two.dense], &norm);
        let to = self.make(two.result, table.slots());
        self.step(two.result, Step::Table { table: Box::new(table), to });
        Ok(())
    }

    /// The first layer of a network over graphs of moves: its product commutes with the sum, and so is applied to the
    /// binary features of nodes.
    pub(super) fn embedding(&mut self, at: usize, own: f32) -> Result<(), DeepError> {
        let Some((first, Op::Linear { weights, relu: true })) = self.only_reader(at) else {
            panic!("a linear layer and a ReLU follow the first sums")
        };
        let Dims::Moves(dims) = self.net.dims else { panic!("nodes with several numbers are those of moves") };
        let Linear { weight, bias } = self.net.weights[weights].linear();
        let rows = SiteRows::new(&Linear { weight: weight.clone(), bias: None }, dims.bits)?;
        let bias = bias.as_ref().map_or(Ok(Vec::new()), |bias| floats(bias))?;
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
