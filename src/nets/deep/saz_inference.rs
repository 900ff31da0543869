//! SAZ at play: the arithmetic of `saz` on flat buffers, one core, no bookkeeping.
//!
//! Graphs are taken a few at a time, so that their features stay in the cache while the weights stream by. Batch norms
//! are folded into their layers, the mean of a layer norm into the layer before it. The first GIN layer reads one
//! number, the sum of a few stones: its rows are looked up in a table that grows as new sums appear. A row's numbers
//! are functions of its own graph alone, in one fixed order of operations: see `kernels`.

use super::dense::{Dense, padded};
use super::params::floats;
use super::saz::{Pool, Saz, SazNet};
use super::{Answers, DeepError, Inference};
use crate::encoders::{Batch, Graphs, LANES};
use crate::nets::kernels::{AlignedLanes, Matrix, Path, Rows, Vector, Vectorized, aggregate, dot, norm_relu, slots};

/// Nodes that are computed together, unless one graph has more.
const CHUNK: usize = 256;

/// Rows that the table of the first layer holds before it starts anew.
const TABLE: usize = 4096;

/// SAZ with its weights bound for play.
#[derive(Clone)]
pub struct SazInference {
    path: Path,
    core: Core,
    /// Multiply-adds of a node.
    products: u64,
}

/// Weights and buffers.
#[derive(Clone)]
struct Core {
    config: Saz,
    first: LayerTable,
    gins: Vec<GinLayer>,
    wide: Matrix,
    narrow: Matrix,
    policy: (Vec<AlignedLanes>, f32),
    value: (Vec<AlignedLanes>, f32),
    sums: Rows,
    hidden: Rows,
    /// `[h_1 .. h_layers]`.
    skips: Rows,
    wide_rows: Rows,
    narrow_rows: Rows,
}

/// A GIN layer whose second matrix is centred.
#[derive(Clone)]
struct GinLayer {
    first: Matrix,
    second: Matrix,
    gain: Vec<AlignedLanes>,
    bias: Vec<AlignedLanes>,
}

impl SazInference {
    /// Binds the weights as they are now.
    ///
    /// # Errors
    /// Candle's.
    pub fn new(net: &SazNet) -> Result<SazInference, DeepError> {
        SazInference::on(Path::best(), net)
    }

    pub(super) fn on(path: Path, net: &SazNet) -> Result<SazInference, DeepError> {
        let h = net.config.hidden.get();
        let head = |linear| -> Result<_, DeepError> {
            let dense = Dense::new(linear)?;
            Ok((slots(&dense.weights), dense.bias[0]))
        };
        let mut gins = net.gins.iter().map(|gin| {
            Ok(GinLayer {
                first: Dense::new(&gin.first)?.pack_whole(),
                second: Dense::new(&gin.second)?.centred().pack_whole(),
                gain: slots(&floats(&gin.norm.gain)?),
                bias: slots(&floats(&gin.norm.bias)?),
            })
        });
        let first = gins.next().expect("there is a first layer")?;
        let one = padded(h) / LANES;
        let wide = Dense::normed(&net.wide.linear, &net.wide.norm)?.pack(h);
        let core = Core {
            config: net.config,
            first: LayerTable::new(first, 1.0 + net.config.epsilon, h),
            gins: gins.collect::<Result<_, DeepError>>()?,
            narrow: Dense::normed(&net.narrow.linear, &net.narrow.norm)?.pack_whole(),
            policy: head(&net.policy)?,
            value: head(&net.value)?,
            sums: Rows::new(one),
            hidden: Rows::new(one),
            skips: Rows::new(one * net.gins.len()),
            wide_rows: Rows::new(wide.slots()),
            narrow_rows: Rows::new(one),
            wide,
        };
        Ok(SazInference { path, core, products: net.products() })
    }
}

impl Inference for SazInference {
    fn infer(&mut self, batch: &Batch, answers: &mut Answers) -> Result<(), DeepError> {
        let Batch::Graphs(graphs) = batch else {
            let wanted = "graphs with one number a node".to_owned();
            return Err(DeepError::Batch { net: "SAZ", wanted, given: batch.dims() });
        };
        answers.policy_logits.resize(graphs.nodes(), 0.0);
        answers.values.resize(graphs.positions(), 0.0);
        let mut start = 0;
        while start < graphs.positions() {
            let mut end = start + 1;
            let first = graphs.span(start).start;
            while end < graphs.positions() && graphs.span(end).end - first <= CHUNK {
                end += 1;
            }
            let span = first..graphs.span(end - 1).end;
            let (logits, values) = (&mut answers.policy_logits[span], &mut answers.values[start..end]);
            self.path.perform(&mut Chunk { core: &mut self.core, graphs, start, logits, values });
            start = end;
        }
        Ok(())
    }

    fn flops(&self, batch: &Batch, index: usize) -> u64 {
        let Batch::Graphs(graphs) = batch else { return 0 };
        2 * (graphs.graph(index).sites() as u64 + 1) * self.products
    }

    fn fork(&self) -> Option<Box<dyn Inference>> {
        Some(Box::new(self.clone()))
    }
}

/// A few graphs of a batch and the room for their answers.
struct Chunk<'a> {
    core: &'a mut Core,
    graphs: &'a Graphs,
    start: usize,
    logits: &'a mut [f32],
    values: &'a mut [f32],
}

impl Vectorized for Chunk<'_> {
    #[inline(always)]
    fn run<V: Vector>(&mut self) {
        let rows = self.logits.len();
        let one = padded(self.core.config.hidden.get()) / LANES;
        for buffer in [&mut self.core.sums, &mut self.core.hidden, &mut self.core.skips] {
            buffer.reserve(rows);
        }
        self.core.wide_rows.reserve(rows);
        self.core.narrow_rows.reserve(rows);
        self.look_up::<V>();
        for layer in 0..self.core.gins.len() {
            self.gin::<V>(layer, one);
        }
        let core = &mut *self.core;
        core.wide.multiply::<V>((&core.skips, 0), rows, (&mut core.wide_rows, 0), true);
        core.narrow.multiply::<V>((&core.wide_rows, 0), rows, (&mut core.narrow_rows, 0), true);
        self.heads::<V>();
    }
}

impl Chunk<'_> {
    /// The first GIN layer, from the table.
    #[inline(always)]
    fn look_up<V: Vector>(&mut self) {
        let first = self.graphs.span(self.start).start;
        let Core { first: table, skips, .. } = &mut *self.core;
        for index in self.start..self.start + self.values.len() {
            let (graph, span) = (self.graphs.graph(index), self.graphs.span(index));
            let values = &self.graphs.values()[span.clone()];
            let (sites, row) = (graph.sites(), span.start - first);
            let hub = if graph.dummy() { values[sites] } else { 0.0 };
            for site in 0..sites {
                let sum: f32 = graph.neighbours(site).iter().map(|&other| values[other as usize]).sum();
                table.write::<V>(values[site], sum + hub, skips.row_mut(row + site));
            }
            if graph.dummy() {
                table.write::<V>(hub, values[..sites].iter().sum(), skips.row_mut(row + sites));
            }
        }
    }

    /// GIN layer `layer + 1`, from its place in the skips to the next.
    #[inline(always)]
    fn gin<V: Vector>(&mut self, layer: usize, one: usize) {
        let rows = self.logits.len();
        let (at, to, count) = (layer * one, (layer + 1) * one, self.core.config.hidden.get());
        let (core, first) = (&mut *self.core, self.graphs.span(self.start).start);
        let own = 1.0 + core.config.epsilon;
        for index in self.start..self.start + self.values.len() {
            let (graph, row) = (self.graphs.graph(index), self.graphs.span(index).start - first);
            aggregate::<V>(graph, own, row, (&core.skips, at), &mut core.sums, one);
        }
        let gin = &core.gins[layer];
        gin.first.multiply::<V>((&core.sums, 0), rows, (&mut core.hidden, 0), true);
        gin.second.multiply::<V>((&core.hidden, 0), rows, (&mut core.skips, to), false);
        for row in 0..rows {
            norm_relu::<V>(&mut core.skips.row_mut(row)[to..to + gin.gain.len()], count, &gin.gain, &gin.bias);
        }
    }

    #[inline(always)]
    fn heads<V: Vector>(&mut self) {
        let core = &*self.core;
        let rows = core.policy.0.len();
        for (row, logit) in self.logits.iter_mut().enumerate() {
            *logit = dot::<V>(&core.narrow_rows.row(row)[..rows], &core.policy.0) + core.policy.1;
        }
        let first = self.graphs.span(self.start).start;
        for (index, value) in self.values.iter_mut().enumerate() {
            let (graph, span) = (self.graphs.graph(self.start + index), self.graphs.span(self.start + index));
            let counted = if core.config.pool == Pool::Nodes { graph.nodes() } else { graph.sites() };
            let start = span.start - first;
            let mut sum = 0.0;
            for row in start..start + counted {
                sum += dot::<V>(&core.narrow_rows.row(row)[..rows], &core.value.0);
            }
            *value = (sum / counted as f32 + core.value.1).tanh();
        }
    }
}

/// The first GIN layer as a table: a row for each pair of a node's number and its neighbours' sum.
#[derive(Clone)]
struct LayerTable {
    layer: GinLayer,
    own: f32,
    count: usize,
    /// The row of each key, or [`LayerTable::MISSING`].
    index: Vec<u32>,
    rows: Vec<Vec<AlignedLanes>>,
    input: Rows,
    hidden: Rows,
    output: Rows,
}

impl LayerTable {
    const MISSING: u32 = u32::MAX;

    fn new(layer: GinLayer, own: f32, count: usize) -> LayerTable {
        let (hidden, output) = (Rows::new(layer.first.slots()), Rows::new(layer.second.slots()));
        let (index, rows, input) = (Vec::new(), Vec::new(), Rows::new(1));
        LayerTable { layer, own, count, index, rows, input, hidden, output }
    }

    /// Writes the features of a node. Numbers are -1, 0 or 1, so that their sums are whole.
    #[inline(always)]
    fn write<V: Vector>(&mut self, own: f32, neighbours: f32, into: &mut [AlignedLanes]) {
        let whole = neighbours as i32;
        debug_assert!(whole as f32 == neighbours && [-1.0, 0.0, 1.0].contains(&own), "one canonical number a node");
        let key = 3 * ((whole << 1) ^ (whole >> 31)) as usize + (own + 1.0) as usize;
        let row = match self.index.get(key) {
            Some(&row) if row != LayerTable::MISSING => row as usize,
            _ => self.compute::<V>(key, own, neighbours),
        };
        into[..self.rows[row].len()].copy_from_slice(&self.rows[row]);
    }

    #[inline(always)]
    fn compute<V: Vector>(&mut self, key: usize, own: f32, neighbours: f32) -> usize {
        if self.rows.len() >= TABLE {
            self.rows.clear();
            self.index.fill(LayerTable::MISSING);
        }
        if self.index.len() <= key {
            self.index.resize(key + 1, LayerTable::MISSING);
        }
        let row = self.rows.len();
        self.index[key] = row as u32;
        [&mut self.input, &mut self.hidden, &mut self.output].into_iter().for_each(|rows| rows.reserve(1));
        self.input.row_mut(0)[0].0[0] = self.own * own + neighbours;
        self.layer.first.multiply::<V>((&self.input, 0), 1, (&mut self.hidden, 0), true);
        self.layer.second.multiply::<V>((&self.hidden, 0), 1, (&mut self.output, 0), false);
        let features = &mut self.output.row_mut(0)[..self.layer.gain.len()];
        norm_relu::<V>(features, self.count, &self.layer.gain, &self.layer.bias);
        self.rows.push(features.to_vec());
        row
    }
}
