//! The binder: a kernel for each layer, and a place for each result.

use super::cells::{Buffers, Cell};
use super::check::Readers;
use super::lanes::LaneProgram;
use super::patches::ConvLayer;
use super::steps::{BoundStep, Head, Program, Step};
use crate::encoders::LANES;
use crate::nets::NumberFormat;
use crate::nets::deep::DeepError;
use crate::nets::deep::dense::{Dense, head, wide};
use crate::nets::deep::layers::{Layer, LayeredNet, Op, Places};
use crate::nets::deep::params::floats;
use crate::nets::kernels::{Matrix, Spectra, Winograd, slots};

/// Binds the current weights of a network: to rows, and to lanes if its layers can be.
///
/// # Errors
/// Errors of Candle.
pub fn plan(net: &LayeredNet, numbers: NumberFormat) -> Result<(Program, Option<LaneProgram>), DeepError> {
    let mut planner = Planner::new(net, numbers);
    planner.place_parts();
    for at in 0..net.network.layers.len() {
        if planner.cells[at].is_none() && !planner.is_joined[at] {
            planner.layer(at)?;
        }
        planner.release(at);
    }
    planner.program()
}

/// Minimum number of channels of a filtered convolution in fewer bits.
const WIDE: usize = 48;

/// A layer's product with the layers that are folded into it.
pub(super) struct Folded {
    pub(super) dense: Dense,
    relu: bool,
    /// The layer whose result this is.
    pub(super) result: usize,
    /// The layer norm after it: gain, bias.
    pub(super) norm: Option<[Vec<f32>; 2]>,
}

pub(super) struct Planner<'a> {
    pub(super) net: &'a LayeredNet,
    /// The format of wide hidden layers.
    numbers: NumberFormat,
    pub(super) values: Readers<'a>,
    /// The places of values; reserved ones have theirs from the start.
    cells: Vec<Option<Cell>>,
    reserved: Vec<Option<Cell>>,
    /// Layers that are part of another layer's step.
    pub(super) is_joined: Vec<bool>,
    pub(super) buffers: Buffers,
    /// The steps, with the layers of products.
    steps: Vec<(BoundStep, Option<Dense>)>,
}

impl<'a> Planner<'a> {
    fn new(net: &'a LayeredNet, numbers: NumberFormat) -> Planner<'a> {
        let count = net.network.layers.len();
        Planner {
            net,
            numbers: numbers.of_width(net.network.trunk_width()),
            values: Readers::of(&net.network),
            cells: vec![None; count],
            reserved: vec![None; count],
            is_joined: vec![false; count],
            buffers: Buffers::default(),
            steps: Vec::new(),
        }
    }

    pub(super) fn at(&self, layer: usize) -> &'a Layer {
        self.values.at(layer)
    }

    /// The place of a value that has been computed.
    fn cell(&self, at: usize) -> Cell {
        self.cells[at].clone().expect("arguments are computed before")
    }

    /// A place for a value of this many slots.
    pub(super) fn make(&mut self, at: usize, slots: usize) -> Cell {
        let Layer { width, places, .. } = *self.at(at);
        let cell = self.reserved[at].clone().unwrap_or_else(|| {
            // A row a position: they are filled group by group, and so have buffers of their own.
            let buffer = if places == Places::Board { self.buffers.add(slots) } else { self.buffers.take(slots) };
            Cell { buffer, at: 0, parts: vec![[width, slots]] }
        });
        self.cells[at] = Some(cell.clone());
        cell
    }

    /// Places the parts of values side by side in one buffer.
    fn place_parts(&mut self) {
        for (at, layer) in self.net.network.layers.iter().enumerate() {
            if layer.op != Op::Beside {
                continue;
            }
            let parts: Vec<[usize; 2]> = layer
                .from
                .iter()
                .map(|&from| self.at(from).width)
                .map(|width| [width, Matrix::slots_of(width)])
                .collect();
            let buffer = self.buffers.take(parts.iter().map(|[_, slots]| slots).sum());
            let mut first = 0;
            for (&from, &part) in layer.from.iter().zip(&parts) {
                self.reserved[from] = Some(Cell { buffer, at: first, parts: vec![part] });
                first += part[1];
            }
            self.reserved[at] = Some(Cell { buffer, at: 0, parts });
        }
    }

    /// Frees the buffers of values that layer `at` was the last to read.
    fn release(&mut self, at: usize) {
        for &from in &self.at(at).from {
            let Some(Cell { buffer, .. }) = self.cells[from] else { continue };
            let is_free = self.reserved[from].is_none() && self.at(from).places != Places::Board;
            let mut others = self.cells.iter().zip(&self.values.last).filter(|&(_, &last)| last > at);
            if is_free && !others.any(|(cell, _)| cell.as_ref().is_some_and(|cell| cell.buffer == buffer)) {
                self.buffers.release(buffer);
            }
        }
    }

    /// Adds a step over the places of a value.
    pub(super) fn step(&mut self, over: usize, step: Step) {
        self.steps.push((BoundStep { places: self.at(over).places, step }, None));
    }

    /// The same for a product.
    fn layer_step(&mut self, folded: Folded, step: Step) {
        self.steps.push((BoundStep { places: self.at(folded.result).places, step }, Some(folded.dense)));
    }

    fn layer(&mut self, at: usize) -> Result<(), DeepError> {
        let layer = self.at(at);
        let first = layer.from.first().copied();
        let reads_input = first.is_some_and(|from| self.at(from).op == Op::Input);
        match layer.op {
            Op::Input => self.input(at),
            Op::Linear { .. } if self.values.is_dot(at) || layer.places == Places::Edges => {}
            Op::Linear { weights, relu } => {
                let folded = self.folded(at, weights, relu)?;
                self.product(folded, self.cell(layer.from[0]));
            }
            Op::Convolution { weights, padding, relu } => {
                let folded = self.folded(at, weights, relu)?;
                self.convolution(folded, layer.from[0], padding, reads_input);
            }
            Op::BatchNorm { weights, .. } => self.scale(at, weights)?,
            Op::Relu => {
                let from = self.cell(layer.from[0]);
                let to = self.make(at, from.slots());
                self.step(at, Step::Relu { from, to });
            }
            Op::Add => self.add(at),
            Op::Beside => self.cells[at].clone_from(&self.reserved[at]),
            Op::Flatten => {
                let from = self.cell(layer.from[0]);
                let to = self.make(at, layer.width.div_ceil(LANES));
                self.step(layer.from[0], Step::Flatten { from, to });
            }
            Op::Pool => {
                let from = self.cell(layer.from[0]);
                let to = self.make(at, layer.width.div_ceil(LANES));
                self.step(layer.from[0], Step::Pool { from, to });
            }
            Op::WithPools { pooled } => self.with_pools(at, pooled),
            Op::Aggregate { own } if reads_input => self.first_sums(at, own)?,
            Op::Aggregate { own } => {
                let from = self.cell(layer.from[0]);
                let to = self.make(at, from.slots());
                self.step(at, Step::Aggregate { own, from, to });
            }
            Op::Sites => self.cells[at] = Some(self.cell(layer.from[0])),
            // Part of the head, with the norm behind it.
            Op::Ends => self.values.readers[at].iter().for_each(|&norm| self.is_joined[norm] = true),
            _ => unreachable!("`check` refuses it here"),
        }
        Ok(())
    }

    /// A batch norm of its own, with a ReLU.
    fn scale(&mut self, at: usize, weights: usize) -> Result<(), DeepError> {
        let (factor, offset) = self.net.weights[weights].batch_norm().folded()?;
        let norm = [wide(&floats(&factor)?), wide(&floats(&offset)?)];
        let from = self.cell(self.at(at).from[0]);
        let to = self.make(at, from.slots());
        self.step(at, Step::Scale { norm, from, to });
        Ok(())
    }

    /// Copies the input into rows, unless all of its readers take it as it comes.
    fn input(&mut self, at: usize) {
        let takes_input = |&reader: &usize| matches!(self.at(reader).op, Op::Convolution { .. } | Op::Aggregate { .. });
        if !self.values.readers[at].iter().all(takes_input) {
            let to = self.make(at, self.at(at).width.div_ceil(LANES));
            self.step(at, Step::Input { to });
        }
    }

    /// A product with the norm after it.
    pub(super) fn folded(&mut self, at: usize, weights: usize, relu: bool) -> Result<Folded, DeepError> {
        let linear = self.net.weights[weights].linear();
        match self.values.only_reader(at) {
            Some((result, Op::BatchNorm { weights, relu: after, .. })) if !relu => {
                self.is_joined[at] = true;
                let dense = Dense::normed(linear, self.net.weights[weights].batch_norm())?;
                Ok(Folded { dense, relu: after, result, norm: None })
            }
            Some((result, Op::LayerNorm { weights })) if !relu => {
                self.is_joined[at] = true;
                let norm = self.net.weights[weights].norm();
                let norm = Some([floats(&norm.gain)?, floats(&norm.bias)?]);
                Ok(Folded { dense: Dense::new(linear)?.centred(), relu: false, result, norm })
            }
            Some((ends, Op::Ends)) if !relu => {
                let Some((_, Op::BatchNorm { weights, .. })) = self.values.only_reader(ends) else {
                    unreachable!("`check` wants a batch norm")
                };
                let (factor, offset) = self.net.weights[weights].batch_norm().folded()?;
                let (factor, mut offset) = (floats(&factor)?, floats(&offset)?);
                if self.at(ends).from[0] != at {
                    offset.fill(0.0);
                }
                Ok(Folded { dense: Dense::new(linear)?.scaled(&factor, &offset), relu, result: at, norm: None })
            }
            _ => Ok(Folded { dense: Dense::new(linear)?, relu, result: at, norm: None }),
        }
    }

    /// The number format of a product: logits and scores stay `f32`, and so do products of few features.
    fn numbers(&self, result: usize, from: &Cell) -> NumberFormat {
        if self.values.is_head(result) { NumberFormat::F32 } else { self.numbers.of_width(from.width()) }
    }

    fn product(&mut self, folded: Folded, from: Cell) {
        let matrix = from.pack(self.numbers(folded.result, &from), &folded.dense, 1);
        let (result, to) = (folded.result, self.make(folded.result, matrix.slots()));
        let (relu, norm) = (folded.relu, folded.norm.clone());
        self.layer_step(folded, Step::Product { matrix, relu, from, to: to.clone() });
        if let Some([gain, bias]) = norm {
            self.step(result, Step::NormRelu { count: gain.len(), gain: slots(&gain), bias: slots(&bias), to });
        }
    }

    fn convolution(&mut self, folded: Folded, from: usize, padding: usize, reads_input: bool) {
        let window = self.net.network.window(from, padding);
        let Folded { dense, relu, result, .. } = &folded;
        if reads_input && self.cells[from].is_none() {
            let layer = ConvLayer::first(dense, window, *relu);
            let to = self.make(*result, layer.slots());
            self.layer_step(folded, Step::Read { layer, channels: self.at(from).width, to });
            return;
        }
        let cell = self.cell(from);
        let numbers = self.numbers(*result, &cell);
        if padding == 1 && cell.width() <= Winograd::CHANNELS {
            // With few channels, the transforms take most of the time, and packing their results takes more.
            let numbers = if cell.width() < WIDE { NumberFormat::F32 } else { numbers };
            let layer = Winograd::new(numbers, [window.rows, window.columns], &dense.weights, &dense.bias);
            let layer = if *relu { layer } else { layer.without_relu() };
            let to = self.make(*result, layer.slots());
            self.layer_step(folded, Step::Winograd { layer, from: cell, to });
        } else {
            let layer = ConvLayer::inner(cell.pack(numbers, dense, 9), window, cell.slots(), *relu);
            let to = self.make(*result, layer.slots());
            self.layer_step(folded, Step::Patches { layer, from: cell, to });
        }
    }

    /// A sum, in place of an argument that nothing reads afterwards; with the ReLU after it.
    fn add(&mut self, at: usize) {
        let [one, other] = self.at(at).from[..] else { unreachable!("a sum has two arguments") };
        let (onto, from) = if self.values.last[one] == at { (one, other) } else { (other, one) };
        let (onto, from) = (self.cell(onto), self.cell(from));
        self.cells[at] = Some(onto.clone());
        match self.values.readers[at].first() {
            Some(&reader) if reader == at + 1 && self.values.op(reader) == Some(Op::Relu) => {
                let to = self.make(reader, onto.slots());
                self.step(at, Step::AddRelu { from, onto, to });
            }
            _ => self.step(at, Step::Add { from, onto }),
        }
    }

    fn with_pools(&mut self, at: usize, pooled: usize) {
        let result = self.values.readers[at][0];
        self.is_joined[at] = true;
        let from = self.cell(self.at(at).from[0]);
        let to = self.make(result, self.at(at).width.div_ceil(LANES));
        self.step(result, Step::WithPools { pooled, from, to });
    }

    /// A head: from its layer's place, or inner products.
    fn head(&self, at: usize) -> Result<Head, DeepError> {
        let Layer { op, places, from, .. } = self.at(at);
        Ok(match op {
            Op::Linear { weights, .. } if self.values.is_dot(at) => {
                let (from, (mut weights, bias)) = (self.cell(from[0]), head(self.net.weights[*weights].linear())?);
                weights.truncate(from.slots());
                Head::Dots { weights, bias, from }
            }
            Op::Linear { weights, .. } if *places == Places::Edges => {
                let norm = from[0];
                let [senders, receivers] = self.at(self.at(norm).from[0]).from[..] else {
                    unreachable!("a move has two ends")
                };
                let (weights, bias) = head(self.net.weights[*weights].linear())?;
                Head::Moves { weights, bias, senders: self.cell(senders), receivers: self.cell(receivers) }
            }
            _ => Head::Cell { cell: self.cell(at), places: *places },
        })
    }

    fn program(self) -> Result<(Program, Option<LaneProgram>), DeepError> {
        let (logits, score) = (self.head(self.net.network.logits)?, self.head(self.net.network.score)?);
        let lanes = LaneProgram::bind(&self.steps, [&logits, &score]);
        let steps = self.steps.into_iter().map(|(bound, _)| bound);
        let (on_boards, on_places) = steps.partition(|bound| bound.places == Places::Board);
        let rows = self.buffers.rows();
        Ok((Program { on_places, on_boards, rows, spectra: Spectra::new(), logits, score }, lanes))
    }
}
