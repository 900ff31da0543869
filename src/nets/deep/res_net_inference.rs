//! ResNet-v2 at play: convolutions by Winograd's filtering, norms folded into what stands before them where that is exact.

use super::DeepError;
use super::architecture::Images;
use super::conv_inference::ConvLayer;
use super::dense::{Dense, padded};
use super::image_inference::Core;
use super::params::{BatchNorm, floats};
use super::res_net_v2::{Head, MAPS, ResNetV2Net};
use crate::encoders::LANES;
use crate::nets::kernels::{AlignedLanes, Matrix, Rows, Vector, Winograd, add, scale_relu, slots};

/// Tiles that are multiplied together, about: more would leave the cache.
const TILES: usize = 36;

/// Factors and offsets of a norm.
type Scale = [Vec<AlignedLanes>; 2];

/// The norm before a block, and its convolutions; the second norm is folded into the first of them.
#[derive(Clone)]
struct Block {
    norm: Scale,
    convolutions: [Winograd; 2],
}

/// Weights and buffers.
#[derive(Clone)]
pub struct ResNetCore {
    images: Images,
    first: ConvLayer,
    blocks: Vec<Block>,
    norm: Scale,
    /// Both heads' maps, the policy's first.
    maps: Matrix,
    /// Logits, hidden units, value.
    full: [Matrix; 3],
    /// `h`, what it is normalised to, and what both convolutions of a block make of that.
    rows: [Rows; 4],
    heads: Rows,
    /// What the full layers read: all maps of a board in a row.
    flat: [Rows; 2],
    /// What they answer.
    units: [Rows; 3],
}

impl ResNetCore {
    /// Binds the weights as they are now.
    ///
    /// # Errors
    /// Candle's.
    pub fn new(net: &ResNetV2Net) -> Result<ResNetCore, DeepError> {
        let Images { rows, columns, .. } = net.images;
        let first = ConvLayer::first(&Dense::new(&net.first)?, net.window()).without_relu();
        let block = |halves: &[(BatchNorm, _)]| -> Result<Block, DeepError> {
            let [(before, one), (between, two)] = halves else { unreachable!("a block has two halves") };
            let (one, two) = (Dense::normed(one, between)?, Dense::new(two)?);
            let one = Winograd::new([rows, columns], &one.weights, &one.bias);
            let two = Winograd::new([rows, columns], &two.weights, &two.bias).without_relu();
            Ok(Block { norm: scale(before)?, convolutions: [one, two] })
        };
        let blocks = net.halves.chunks_exact(2).map(block).collect::<Result<Vec<_>, _>>()?;
        let maps = |head: &Head| Dense::normed(&head.maps, &head.norm);
        let (mut both, value) = (maps(&net.policy)?, maps(&net.value)?);
        both.weights.extend(value.weights);
        both.bias.extend(value.bias);
        let full = [&net.policy.full[0], &net.value.full[0], &net.value.full[1]];
        let [logits, hidden, last] = full.map(Dense::new);
        let full = [logits?.pack_whole(), hidden?.pack_whole(), last?.pack_whole()];
        let maps = both.pack(net.first.weight.dim(0)?);
        let flat = [MAPS, 1].map(|count| Rows::new((count * rows * columns).div_ceil(LANES)));
        let units = full.each_ref().map(|matrix| Rows::new(matrix.slots()));
        let room = [(); 4].map(|()| first.outputs());
        let heads = Rows::new(maps.slots());
        Ok(ResNetCore {
            images: net.images,
            first,
            blocks,
            norm: scale(&net.norm)?,
            maps,
            full,
            rows: room,
            heads,
            flat,
            units,
        })
    }

    /// The maps of a few boards.
    #[inline(always)]
    fn convolve<V: Vector>(&mut self, images: &[f32], boards: usize) {
        let ResNetCore { first, blocks, norm, maps, rows: [h, normed, inner, outer], heads, images: of, .. } = self;
        let sites = boards * of.rows * of.columns;
        [&mut *h, normed, inner, outer, heads].into_iter().for_each(|rows| rows.reserve(sites));
        first.read::<V>(images, of.channels, h);
        for Block { norm: before, convolutions: [one, two] } in blocks {
            for site in 0..sites {
                scale_relu::<V>(h.row(site), &before[0], &before[1], normed.row_mut(site));
            }
            one.follow::<V>(normed, boards, inner);
            two.follow::<V>(inner, boards, outer);
            (0..sites).for_each(|site| add::<V>(outer.row(site), h.row_mut(site)));
        }
        for site in 0..sites {
            scale_relu::<V>(h.row(site), &norm[0], &norm[1], normed.row_mut(site));
        }
        maps.multiply::<V>((normed, 0), sites, (heads, 0), true);
    }

    /// The maps of one of these boards in one row for each head, site by site.
    fn flatten(&mut self, board: usize, into: usize) {
        let (sites, [policy, value]) = (self.images.rows * self.images.columns, &mut self.flat);
        for site in 0..sites {
            let maps = self.heads.numbers(board * sites + site);
            policy.numbers_mut(into)[site * MAPS..][..MAPS].copy_from_slice(&maps[..MAPS]);
            value.numbers_mut(into)[site] = maps[MAPS];
        }
    }
}

/// Factors and offsets of a norm by its running moments, as wide as rows of features are.
fn scale(norm: &BatchNorm) -> Result<Scale, DeepError> {
    let (factor, offset) = norm.folded()?;
    let wide = |numbers: Vec<f32>| {
        let mut row = slots(&numbers);
        row.resize(padded(numbers.len()) / LANES, AlignedLanes::ZERO);
        row
    };
    Ok([wide(floats(&factor)?), wide(floats(&offset)?)])
}

impl Core for ResNetCore {
    fn images(&self) -> Images {
        self.images
    }

    #[inline(always)]
    fn answer<V: Vector>(&mut self, images: &[f32], logits: &mut [f32], values: &mut [f32]) {
        let count = values.len();
        self.flat.iter_mut().chain(&mut self.units).for_each(|rows| rows.reserve(count));
        let together = (TILES / self.blocks[0].convolutions[0].tiles()).max(1);
        let size = self.images.channels * self.images.rows * self.images.columns;
        for (group, images) in images.chunks(together * size).enumerate() {
            self.convolve::<V>(images, images.len() / size);
            (0..images.len() / size).for_each(|board| self.flatten(board, group * together + board));
        }
        let ResNetCore { full, flat: [policy, value], units: [answers, hidden, last], .. } = self;
        full[0].multiply::<V>((policy, 0), count, (answers, 0), false);
        full[1].multiply::<V>((value, 0), count, (hidden, 0), true);
        full[2].multiply::<V>((hidden, 0), count, (last, 0), false);
        for (board, (logits, value)) in logits.chunks_exact_mut(self.images.actions).zip(values).enumerate() {
            logits.copy_from_slice(&answers.numbers(board)[..logits.len()]);
            *value = last.numbers(board)[0].tanh();
        }
    }
}
