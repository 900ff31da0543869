//! Inference of Poly-Trunk: Poly-CNN's kernels in another order.

use super::{PolyCore, TILES, turn};
use crate::nets::deep::DeepError;
use crate::nets::deep::architecture::Images;
use crate::nets::deep::image_inference::Core;
use crate::nets::deep::poly_trunk::{PolyTrunkNet, TrunkShape};
use crate::nets::kernels::{Rows, Spectra, Vector, Winograd, add_relu, pool, relu};

/// Weights and buffers.
#[derive(Clone)]
pub struct TrunkCore {
    shape: TrunkShape,
    /// Poly-CNN's weights and buffers; nets may read more than its buffers hold.
    plain: PolyCore,
    /// In a U, the output of each of the first nets.
    kept: Vec<Rows>,
    /// The input of a net with pools.
    wide: Rows,
    /// Maxima and means of a board.
    pools: Vec<f32>,
}

impl TrunkCore {
    /// Binds the current weights.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn new(net: &PolyTrunkNet) -> Result<TrunkCore, DeepError> {
        let (plain, shape) = (PolyCore::new(&net.layers)?, net.config.shape);
        let kept = match shape {
            TrunkShape::U => vec![plain.first.outputs(); plain.nets.len() / 2],
            TrunkShape::Pooled(_) => Vec::new(),
        };
        let pools = vec![0.0; 2 * net.pooled()];
        let wide = Rows::new((plain.hidden + pools.len()).div_ceil(crate::encoders::LANES));
        Ok(TrunkCore { shape, plain, kept, wide, pools })
    }

    /// The rows of the trunk of a few boards, and their ReLU.
    #[inline(always)]
    fn trunk<V: Vector>(&mut self, images: &[f32], boards: usize) {
        let PolyCore { images: of, first, rows, .. } = &mut self.plain;
        let sites = boards * of.rows * of.columns;
        rows.iter_mut().chain(&mut self.kept).chain([&mut self.wide]).for_each(|rows| rows.reserve(sites));
        let [h, positive, ..] = rows;
        first.read::<V>(images, of.channels, h);
        for site in 0..sites {
            relu::<V>(h.row(site), positive.row_mut(site));
        }
        match self.shape {
            TrunkShape::U => self.through_u::<V>(boards),
            TrunkShape::Pooled(_) => self.through_pools::<V>(boards),
        }
    }

    #[inline(always)]
    fn through_u<V: Vector>(&mut self, boards: usize) {
        let PolyCore { images, nets, spectra, rows: [_, positive, inner, outer], .. } = &mut self.plain;
        let (sites, middle) = (boards * images.rows * images.columns, nets.len() / 2);
        for (at, net) in nets.iter().enumerate() {
            through::<V>(net, (positive, boards), spectra, [&mut *inner, outer]);
            for site in 0..sites {
                match at {
                    before if before < middle => {
                        self.kept[before].row_mut(site).copy_from_slice(outer.row(site));
                        relu::<V>(outer.row(site), positive.row_mut(site));
                    }
                    behind if behind > middle => {
                        let kept = &self.kept[behind - middle - 1];
                        add_relu::<V>(kept.row(site), outer.row_mut(site), positive.row_mut(site));
                    }
                    _middle => relu::<V>(outer.row(site), positive.row_mut(site)),
                }
            }
        }
    }

    #[inline(always)]
    fn through_pools<V: Vector>(&mut self, boards: usize) {
        let TrunkCore { plain, wide, pools, .. } = self;
        let PolyCore { images, nets, spectra, rows: [h, positive, inner, outer], hidden, .. } = plain;
        let area = images.rows * images.columns;
        for net in nets {
            for board in 0..boards {
                // A maximum below 0 is 0 here, which equals its ReLU.
                pool::<V>(h, board * area, area, pools.len() / 2, pools);
                for site in board * area..(board + 1) * area {
                    let (channels, behind) = wide.numbers_mut(site).split_at_mut(*hidden);
                    channels.copy_from_slice(&positive.numbers(site)[..*hidden]);
                    behind.iter_mut().zip(&*pools).for_each(|(into, &number)| *into = number.max(0.0));
                }
            }
            through::<V>(net, (wide, boards), spectra, [&mut *inner, outer]);
            for site in 0..boards * area {
                add_relu::<V>(outer.row(site), h.row_mut(site), positive.row_mut(site));
            }
        }
    }
}

/// The convolutions of a net: the output of the last one is in the second of the buffers.
#[inline(always)]
fn through<V: Vector>(
    net: &[Winograd],
    (from, boards): (&Rows, usize),
    spectra: &mut Spectra,
    [inner, outer]: [&mut Rows; 2],
) {
    for (at, layer) in net.iter().enumerate() {
        std::mem::swap(inner, outer);
        layer.follow::<V>(if at == 0 { from } else { inner }, boards, spectra, outer);
    }
}

impl Core for TrunkCore {
    fn images(&self) -> Images {
        self.plain.images
    }

    #[inline(always)]
    fn answer<V: Vector>(&mut self, images: &[f32], logits: &mut [f32], values: &mut [f32]) {
        let of = self.plain.images;
        let (area, count) = (of.rows * of.columns, values.len());
        self.plain.units.iter_mut().chain([&mut self.plain.pooled]).for_each(|rows| rows.reserve(count));
        let (together, size) = ((TILES / self.plain.policy.tiles()).max(1), of.channels * area);
        let groups = images.chunks(together * size).zip(logits.chunks_mut(together * of.actions));
        for (group, (images, logits)) in groups.enumerate() {
            self.trunk::<V>(images, images.len() / size);
            let PolyCore { policy, spectra, rows: [_, positive, ..], logits: maps, pooled, hidden, .. } =
                &mut self.plain;
            policy.follow::<V>(positive, images.len() / size, spectra, maps);
            for (board, logits) in logits.chunks_exact_mut(of.actions).enumerate() {
                turn(maps, board * area, logits, area);
                pool::<V>(positive, board * area, area, *hidden, pooled.numbers_mut(group * together + board));
            }
        }
        let PolyCore { value: [hidden, last], pooled, units: [units, answers], .. } = &mut self.plain;
        hidden.multiply::<V>((pooled, 0), count, (units, 0), true);
        last.multiply::<V>((units, 0), count, (answers, 0), false);
        values.iter_mut().enumerate().for_each(|(board, value)| *value = answers.numbers(board)[0].tanh());
    }
}
