//! Inference of networks over images whose two heads, for logits and for the value, read maps of one trunk.
//!
//! ```text
//! policy logits = W_p vec(relu(maps_p(trunk))) + b_p
//! value = tanh(w relu(W_v vec(relu(maps_v(trunk))) + b_v) + b)
//! ```
//!
//! The network defines the trunk.

use super::DeepError;
use super::architecture::Images;
use super::dense::Dense;
use super::image_inference::Core;
use super::params::Linear;
use crate::encoders::LANES;
use crate::nets::kernels::{Matrix, Rows, Vector};

/// Approximate number of tiles that are multiplied together: more would exceed the cache.
const TILES: usize = 36;

/// All layers before the heads, with their buffers.
pub trait Trunk: Clone + Send + 'static {
    /// The images that it reads.
    fn images(&self) -> Images;

    /// Tiles of a board in its convolutions.
    fn tiles(&self) -> usize;

    /// The input of the heads for a few boards: a row for each of their sites. `#[inline(always)]`, like all
    /// functions that run on a [`Vector`].
    fn read<V: Vector>(&mut self, images: &[f32], boards: usize) -> &Rows;
}

/// A trunk with its heads.
#[derive(Clone)]
pub struct TwoHeads<T> {
    trunk: T,
    /// Both heads' maps, the policy's first, and the number of each.
    maps: Matrix,
    counts: [usize; 2],
    /// Logits, hidden units, value.
    full: [Matrix; 3],
    /// The output of `maps`, one row a site.
    heads: Rows,
    /// The input of the full layers: all maps of a board in a row.
    flat: [Rows; 2],
    /// The output of the full layers.
    units: [Rows; 3],
}

impl<T: Trunk> TwoHeads<T> {
    /// Binds the policy's and the value's maps, and the layers for logits, hidden units and value.
    pub fn new(trunk: T, [policy, value]: [Dense; 2], full: [&Linear; 3]) -> Result<TwoHeads<T>, DeepError> {
        let Images { rows, columns, .. } = trunk.images();
        let counts = [policy.bias.len(), value.bias.len()];
        let both = [policy.weights, value.weights].concat();
        let maps = Dense { weights: both, bias: [policy.bias, value.bias].concat() }.pack_whole();
        let [logits, hidden, last] = full.map(Dense::new);
        let full = [logits?.pack_whole(), hidden?.pack_whole(), last?.pack_whole()];
        let heads = Rows::new(maps.slots());
        let flat = counts.map(|count| Rows::new((count * rows * columns).div_ceil(LANES)));
        let units = full.each_ref().map(|matrix| Rows::new(matrix.slots()));
        Ok(TwoHeads { trunk, maps, counts, full, heads, flat, units })
    }

    /// Copies the maps of one board into one row for each head, site by site.
    fn flatten(&mut self, board: usize, into: usize) {
        let Images { rows, columns, .. } = self.trunk.images();
        let (sites, mut start) = (rows * columns, 0);
        for (rows, count) in self.flat.iter_mut().zip(self.counts) {
            let into = rows.numbers_mut(into).chunks_exact_mut(count);
            for (site, into) in into.take(sites).enumerate() {
                into.copy_from_slice(&self.heads.numbers(board * sites + site)[start..start + count]);
            }
            start += count;
        }
    }
}

impl<T: Trunk> Core for TwoHeads<T> {
    fn images(&self) -> Images {
        self.trunk.images()
    }

    #[inline(always)]
    fn answer<V: Vector>(&mut self, images: &[f32], logits: &mut [f32], values: &mut [f32]) {
        let (Images { channels, rows, columns, actions }, count) = (self.trunk.images(), values.len());
        self.flat.iter_mut().chain(&mut self.units).for_each(|rows| rows.reserve(count));
        let together = (TILES / self.trunk.tiles()).max(1);
        let size = channels * rows * columns;
        for (group, images) in images.chunks(together * size).enumerate() {
            let (boards, TwoHeads { trunk, maps, heads, .. }) = (images.len() / size, &mut *self);
            let read = trunk.read::<V>(images, boards);
            heads.reserve(boards * rows * columns);
            maps.multiply::<V>((read, 0), boards * rows * columns, (heads, 0), true);
            (0..boards).for_each(|board| self.flatten(board, group * together + board));
        }
        let TwoHeads { full, flat: [policy, value], units: [answers, hidden, last], .. } = self;
        full[0].multiply::<V>((policy, 0), count, (answers, 0), false);
        full[1].multiply::<V>((value, 0), count, (hidden, 0), true);
        full[2].multiply::<V>((hidden, 0), count, (last, 0), false);
        for (board, (logits, value)) in logits.chunks_exact_mut(actions).zip(values).enumerate() {
            logits.copy_from_slice(&answers.numbers(board)[..logits.len()]);
            *value = last.numbers(board)[0].tanh();
        }
    }
}
