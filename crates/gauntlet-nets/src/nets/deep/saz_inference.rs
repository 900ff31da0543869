//! Inference of SAZ: the arithmetic of `saz` on flat buffers, on one core.
//!
//! Graphs are processed in small groups, so that their features stay in the cache while the weights are streamed. The
//! first GIN layer reads one number, the sum of a few stones: its rows are looked up in a table that grows as new
//! sums appear. The numbers of a row depend only on its own graph, with one fixed order of operations: see `kernels`.

use super::dense::head;
use super::saz::SazNet;
use super::saz_core::{CHUNK, GinLayer, SazCore};
use super::{Answers, DeepError, Inference};
use crate::encoders::{Batch, Graph, Graphs};
use crate::nets::kernels::{AlignedLanes, Path, Rows, Vector, Vectorized, dot};

/// Maximum number of rows of the first layer's table; then it is emptied.
const TABLE: usize = 4096;

/// SAZ with its weights bound for inference.
#[derive(Clone)]
pub struct SazInference {
    path: Path,
    first: LayerTable,
    core: SazCore,
    policy: (Vec<AlignedLanes>, f32),
    /// Multiply-adds of a node.
    macs: u64,
}

impl SazInference {
    /// Binds the current weights.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn new(net: &SazNet) -> Result<SazInference, DeepError> {
        SazInference::on(Path::best(), net)
    }

    pub(super) fn on(path: Path, net: &SazNet) -> Result<SazInference, DeepError> {
        let (first, core) = SazCore::new(&net.trunk, &net.value)?;
        let first = LayerTable::new(first, core.own, core.count);
        Ok(SazInference { path, first, core, policy: head(&net.policy)?, macs: net.macs() })
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
        let (path, mut start) = (self.path, 0);
        while start < graphs.positions() {
            let mut end = start + 1;
            let first = graphs.span(start).start;
            while end < graphs.positions() && graphs.span(end).end - first <= CHUNK {
                end += 1;
            }
            let span = first..graphs.span(end - 1).end;
            let (logits, values) = (&mut answers.policy_logits[span], &mut answers.values[start..end]);
            path.perform(&mut Chunk { net: self, graphs, start, logits, values });
            start = end;
        }
        Ok(())
    }

    fn flops(&self, batch: &Batch, index: usize) -> u64 {
        let Batch::Graphs(graphs) = batch else { return 0 };
        2 * (graphs.graph(index).sites() as u64 + 1) * self.macs
    }

    fn fork(&self) -> Option<Box<dyn Inference>> {
        Some(Box::new(self.clone()))
    }
}

/// A few graphs of a batch and the buffers for their results.
struct Chunk<'a> {
    net: &'a mut SazInference,
    graphs: &'a Graphs,
    start: usize,
    logits: &'a mut [f32],
    values: &'a mut [f32],
}

impl Vectorized for Chunk<'_> {
    #[inline(always)]
    fn run<V: Vector>(&mut self) {
        let rows = self.logits.len();
        self.net.core.reserve(rows);
        self.look_up::<V>();
        let (graphs, start) = (self.graphs, self.start);
        let all = of_chunk(graphs, start, self.values.len());
        let (core, (weights, bias)) = (&mut self.net.core, &self.net.policy);
        core.run::<V>(all.clone(), rows);
        for (row, logit) in self.logits.iter_mut().enumerate() {
            *logit = dot::<V>(&core.narrow_rows.row(row)[..weights.len()], weights) + bias;
        }
        for (value, (graph, row)) in self.values.iter_mut().zip(all) {
            *value = core.value::<V>(graph, row);
        }
    }
}

/// Some graphs of a batch, with their first rows.
fn of_chunk(graphs: &Graphs, start: usize, count: usize) -> impl Iterator<Item = (&Graph, usize)> + Clone {
    let first = graphs.span(start).start;
    (start..start + count).map(move |index| (&**graphs.graph(index), graphs.span(index).start - first))
}

impl Chunk<'_> {
    /// The first GIN layer, from the table.
    #[inline(always)]
    fn look_up<V: Vector>(&mut self) {
        let first = self.graphs.span(self.start).start;
        let SazInference { first: table, core: SazCore { skips, .. }, .. } = &mut *self.net;
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
        self.layer.finish::<V>(&self.hidden, 1, (&mut self.output, 0), self.count);
        self.rows.push(self.output.row(0)[..self.layer.width()].to_vec());
        row
    }
}
