//! Inference of ResNet-v2's trunk: convolutions by Winograd's filtering, with norms folded into the preceding layer
//! if that is exact.

use super::DeepError;
use super::architecture::Images;
use super::conv_inference::ConvLayer;
use super::dense::{Dense, Scale, wide};
use super::params::{BatchNorm, floats};
use super::res_net_v2::{Head, ResNetV2Net};
use super::two_heads::{Trunk, TwoHeads};
use crate::nets::kernels::{Rows, Spectra, Vector, Winograd, add, scale_relu};

/// The norm before a block, and its convolutions; the second norm is folded into the first of them.
#[derive(Clone)]
struct Block {
    norm: Scale,
    convolutions: [Winograd; 2],
}

/// Weights and buffers before the heads.
#[derive(Clone)]
pub struct ResNetTrunk {
    images: Images,
    first: ConvLayer,
    blocks: Vec<Block>,
    norm: Scale,
    spectra: Spectra,
    /// `h`, its normalised form, and the outputs of both convolutions of a block.
    rows: [Rows; 4],
}

impl ResNetTrunk {
    /// Binds the current weights, including those of the heads.
    ///
    /// # Errors
    /// Errors of Candle.
    pub fn bind(net: &ResNetV2Net) -> Result<TwoHeads<ResNetTrunk>, DeepError> {
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
        let (norm, rows) = (scale(&net.norm)?, [(); 4].map(|()| first.outputs()));
        let maps = |head: &Head| Dense::normed(&head.maps, &head.norm);
        let full = [&net.policy.full[0], &net.value.full[0], &net.value.full[1]];
        let trunk = ResNetTrunk { images: net.images, first, blocks, norm, spectra: Spectra::new(), rows };
        TwoHeads::new(trunk, [maps(&net.policy)?, maps(&net.value)?], full)
    }
}

/// Factors and offsets of a norm by its running moments.
fn scale(norm: &BatchNorm) -> Result<Scale, DeepError> {
    let (factor, offset) = norm.folded()?;
    Ok([wide(&floats(&factor)?), wide(&floats(&offset)?)])
}

impl Trunk for ResNetTrunk {
    fn images(&self) -> Images {
        self.images
    }

    fn tiles(&self) -> usize {
        self.blocks[0].convolutions[0].tiles()
    }

    #[inline(always)]
    fn read<V: Vector>(&mut self, images: &[f32], boards: usize) -> &Rows {
        let ResNetTrunk { first, blocks, norm, spectra, rows: [h, normed, inner, outer], images: of } = self;
        let sites = boards * of.rows * of.columns;
        [&mut *h, normed, inner, outer].into_iter().for_each(|rows| rows.reserve(sites));
        first.read::<V>(images, of.channels, h);
        for Block { norm: before, convolutions: [one, two] } in blocks {
            for site in 0..sites {
                scale_relu::<V>(h.row(site), &before[0], &before[1], normed.row_mut(site));
            }
            one.follow::<V>(normed, boards, spectra, inner);
            two.follow::<V>(inner, boards, spectra, outer);
            for site in 0..sites {
                add::<V>(outer.row(site), h.row_mut(site));
            }
        }
        for site in 0..sites {
            scale_relu::<V>(h.row(site), &norm[0], &norm[1], normed.row_mut(site));
        }
        normed
    }
}
