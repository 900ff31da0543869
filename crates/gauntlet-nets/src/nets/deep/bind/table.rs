//! The first layer of a graph network as a table: a row for each pair of a node's number and its neighbours' sum.
//!
//! The numbers of nodes are -1, 0 or 1, so that few pairs occur.

use crate::encoders::Graph;
use crate::nets::deep::dense::Dense;
use crate::nets::kernels::{AlignedLanes, Matrix, Rows, Vector, norm_relu, slots};

/// Maximum number of rows; then the table is emptied.
const ROWS: usize = 4096;

/// The first layer: two products and a layer norm.
#[derive(Clone)]
pub struct LayerTable {
    own: f32,
    first: Matrix,
    /// Centred: its outputs have mean zero.
    second: Matrix,
    gain: Vec<AlignedLanes>,
    bias: Vec<AlignedLanes>,
    /// Number of features.
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

    /// A table of two products, of which the second is centred, and the norm after them; `own` is the weight of a node
    /// among its neighbours.
    pub fn new(own: f32, [first, second]: [&Dense; 2], [gain, bias]: &[Vec<f32>; 2]) -> LayerTable {
        let first = Matrix::tight(&first.weights, &first.bias);
        let second = Matrix::tight(&second.weights, &second.bias);
        let (hidden, output) = (Rows::new(first.slots()), Rows::new(second.slots()));
        let (index, rows, input) = (Vec::new(), Vec::new(), Rows::new(1));
        let (count, gain, bias) = (gain.len(), slots(gain), slots(bias));
        LayerTable { own, first, second, gain, bias, count, index, rows, input, hidden, output }
    }

    /// Slots of a row.
    pub fn slots(&self) -> usize {
        self.second.slots()
    }

    /// Writes the features of all nodes of a graph with these numbers, from row `row` and slot `at` on.
    #[inline(always)]
    pub fn look_up<V: Vector>(&mut self, graph: &Graph, values: &[f32], (into, row, at): (&mut Rows, usize, usize)) {
        let sites = graph.sites();
        let hub = if graph.dummy() { values[sites] } else { 0.0 };
        for site in 0..sites {
            let sum: f32 = graph.neighbours(site).iter().map(|&other| values[other as usize]).sum();
            self.write::<V>(values[site], sum + hub, &mut into.row_mut(row + site)[at..]);
        }
        if graph.dummy() {
            self.write::<V>(hub, values[..sites].iter().sum(), &mut into.row_mut(row + sites)[at..]);
        }
    }

    /// Writes the features of a node.
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
        if self.rows.len() >= ROWS {
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
        self.first.multiply::<V>((&self.input, 0), 1, (&mut self.hidden, 0), true);
        self.second.multiply::<V>((&self.hidden, 0), 1, (&mut self.output, 0), false);
        let features = &mut self.output.row_mut(0)[..self.gain.len()];
        norm_relu::<V>(features, self.count, &self.gain, &self.bias);
        self.rows.push(features.to_vec());
        row
    }
}
