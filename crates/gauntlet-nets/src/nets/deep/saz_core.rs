//! Inference of SAZ's layers after the first one, shared by all inputs: weights, buffers, arithmetic.
//!
//! Batch norms are folded into their layers, the mean of a layer norm into the layer before it.

use super::DeepError;
use super::dense::{Dense, head, padded};
use super::params::{Linear, floats};
use super::saz::{Gin, Pool, SazTrunk};
use crate::encoders::{Graph, LANES};
use crate::nets::kernels::{AlignedLanes, Matrix, Rows, Vector, aggregate, dot, norm_relu, slots};

/// Number of nodes that are computed together, unless one graph has more.
pub const CHUNK: usize = 256;

/// A GIN layer whose second matrix is centred.
#[derive(Clone)]
pub struct GinLayer {
    pub(super) first: Matrix,
    pub(super) second: Matrix,
    gain: Vec<AlignedLanes>,
    bias: Vec<AlignedLanes>,
}

impl GinLayer {
    fn new(gin: &Gin) -> Result<GinLayer, DeepError> {
        Ok(GinLayer {
            first: Dense::new(&gin.first)?.pack_whole(),
            second: Dense::new(&gin.second)?.centred().pack_whole(),
            gain: slots(&floats(&gin.norm.gain)?),
            bias: slots(&floats(&gin.norm.bias)?),
        })
    }

    /// Everything after the first product, up to the row's features; the output begins at slot `to`.
    #[inline(always)]
    pub(super) fn finish<V: Vector>(&self, hidden: &Rows, rows: usize, (into, to): (&mut Rows, usize), count: usize) {
        self.second.multiply::<V>((hidden, 0), rows, (into, to), false);
        for row in 0..rows {
            norm_relu::<V>(&mut into.row_mut(row)[to..to + self.gain.len()], count, &self.gain, &self.bias);
        }
    }

    /// Number of registers of the features of a node.
    pub(super) fn width(&self) -> usize {
        self.gain.len()
    }
}

/// Weights and buffers.
#[derive(Clone)]
pub struct SazCore {
    /// Number of features H of a node, and of their registers.
    pub(super) count: usize,
    pub(super) one: usize,
    /// The weight of a node among its neighbours.
    pub(super) own: f32,
    pool: Pool,
    gins: Vec<GinLayer>,
    wide: Matrix,
    narrow: Matrix,
    value: (Vec<AlignedLanes>, f32),
    pub(super) sums: Rows,
    pub(super) hidden: Rows,
    /// `[h_1 .. h_layers]`.
    pub(super) skips: Rows,
    wide_rows: Rows,
    /// The input of the heads.
    pub(super) narrow_rows: Rows,
}

impl SazCore {
    /// Binds the current weights; also returns the first layer.
    pub(super) fn new(trunk: &SazTrunk, value: &Linear) -> Result<(GinLayer, SazCore), DeepError> {
        let config = &trunk.config;
        let h = config.hidden.get();
        let mut gins = trunk.gins.iter().map(GinLayer::new);
        let first = gins.next().expect("there is a first layer")?;
        let one = padded(h) / LANES;
        let wide = Dense::normed(&trunk.wide.linear, &trunk.wide.norm)?.pack(h);
        let core = SazCore {
            count: h,
            one,
            own: 1.0 + config.epsilon,
            pool: config.pool,
            gins: gins.collect::<Result<_, DeepError>>()?,
            narrow: Dense::normed(&trunk.narrow.linear, &trunk.narrow.norm)?.pack_whole(),
            value: head(value)?,
            sums: Rows::new(one),
            hidden: Rows::new(one),
            skips: Rows::new(one * trunk.gins.len()),
            wide_rows: Rows::new(wide.slots()),
            narrow_rows: Rows::new(one),
            wide,
        };
        Ok((first, core))
    }

    /// Makes room for this number of nodes.
    pub(super) fn reserve(&mut self, rows: usize) {
        let SazCore { sums, hidden, skips, wide_rows, narrow_rows, .. } = self;
        [sums, hidden, skips, wide_rows, narrow_rows].into_iter().for_each(|buffer| buffer.reserve(rows));
    }

    /// All layers from the second on; `graphs` gives each graph with its first row.
    #[inline(always)]
    pub(super) fn run<'a, V: Vector>(&mut self, graphs: impl Iterator<Item = (&'a Graph, usize)> + Clone, rows: usize) {
        let SazCore { gins, sums, hidden, skips, wide_rows, narrow_rows, one, own, count, .. } = self;
        for (layer, gin) in gins.iter().enumerate() {
            for (graph, row) in graphs.clone() {
                aggregate::<V>(graph, *own, row, (skips, layer * *one), sums, *one);
            }
            gin.first.multiply::<V>((sums, 0), rows, (hidden, 0), true);
            gin.finish::<V>(hidden, rows, (skips, (layer + 1) * *one), *count);
        }
        self.wide.multiply::<V>((skips, 0), rows, (wide_rows, 0), true);
        self.narrow.multiply::<V>((wide_rows, 0), rows, (narrow_rows, 0), true);
    }

    /// The value of a graph that starts at a row.
    #[inline(always)]
    pub(super) fn value<V: Vector>(&self, graph: &Graph, start: usize) -> f32 {
        let counted = if self.pool == Pool::Nodes { graph.nodes() } else { graph.sites() };
        let (weights, bias) = &self.value;
        let mut sum = 0.0;
        for row in start..start + counted {
            sum += dot::<V>(&self.narrow_rows.row(row)[..weights.len()], weights);
        }
        (sum / counted as f32 + bias).tanh()
    }
}
