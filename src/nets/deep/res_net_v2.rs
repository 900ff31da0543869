//! ResNet-v2: a residual network with its norms and ReLUs before the convolutions, and the two heads of AlphaGo Zero.
//!
//! The baseline of Rigaux and Kashima 2024, which is `AZNet` of pgx (Koyamada et al. 2023) after He et al. 2016, "Identity
//! mappings in deep residual networks". With x the planes of an n x n board, C channels and BNR(x) = relu(BN(x)):
//!
//! ```text
//! h = conv3x3(x);  blocks times: h = h + conv3x3(BNR(conv3x3(BNR(h))))
//! policy logits = W_p flat(BNR(conv1x1(BNR(h)))) + b_p           2 maps
//! value = tanh(w relu(W flat(BNR(conv1x1(BNR(h)))) + b) + b_v)   1 map, C units
//! ```
//!
//! Every layer has biases, as there.

use candle_core::Tensor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::architecture::{Architecture, Images, InputKind, Logits};
use super::image_inference::ImageInference;
use super::ops::{self, Window};
use super::params::{BatchNorm, Linear, Maker};
use super::res_net_inference::ResNetCore;
use super::{DeepError, Heads, Inference, Mode, Net, Param};
use crate::encoders::{Batch, Dims, Extent};
use crate::nets::Count;

/// Maps of the policy head.
pub(super) const MAPS: usize = 2;

/// The settings of ResNet-v2; the defaults are those of the baseline of AlphaGateau.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ResNetV2 {
    /// Channels C, 128 by default.
    pub channels: Count<512>,
    /// Residual blocks of two convolutions each, 5 by default.
    pub blocks: Count<64>,
}

impl Default for ResNetV2 {
    fn default() -> ResNetV2 {
        ResNetV2 {
            channels: Count::try_from(128).expect("128 is in range"),
            blocks: Count::try_from(5).expect("5 is in range"),
        }
    }
}

impl ResNetV2 {
    /// Number of trained weights on boards of `images`.
    #[must_use]
    pub fn weight_count(&self, images: Images) -> usize {
        let (c, blocks, sites) = (self.channels.get(), self.blocks.get(), images.rows * images.columns);
        let trunk = (9 * images.channels + 1) * c + blocks * 2 * (2 * c + (9 * c + 1) * c) + 2 * c;
        let policy = (c + 1) * MAPS + 2 * MAPS + (MAPS * sites + 1) * images.actions;
        let value = c + 1 + 2 + (sites + 1) * c + c + 1;
        trunk + policy + value
    }

    /// Multiply-adds of a position.
    fn products(&self, images: Images) -> u64 {
        let (c, blocks, sites) = (self.channels.get(), self.blocks.get(), images.rows * images.columns);
        let on_sites = 9 * c * (images.channels + 2 * blocks * c) + (MAPS + 1) * c;
        (sites * on_sites + MAPS * sites * images.actions + sites * c + c) as u64
    }
}

impl Architecture for ResNetV2 {
    fn name(&self) -> String {
        format!("ResNet-v2 {}x{}", self.blocks.get(), self.channels.get())
    }

    fn reads(&self) -> InputKind {
        InputKind::Images { least: 3, logits: Logits::Slots }
    }

    fn scales(&self) -> bool {
        false
    }

    fn weight_count(&self, dims: Dims) -> Option<usize> {
        Some(ResNetV2::weight_count(self, Images::of(dims)?))
    }

    fn board_products(&self, extent: Extent) -> f64 {
        Images::of(extent.dims).map_or(0.0, |images| self.products(images) as f64)
    }

    fn build(&self, dims: Dims, mut maker: Maker<'_>) -> Result<Box<dyn Net>, DeepError> {
        let images = self.reads().images(dims, "ResNet-v2")?;
        let (c, sites) = (self.channels.get(), images.rows * images.columns);
        let first = maker.convolution("conv", [images.channels, c], 9, true)?;
        let mut half = |name: String| {
            let norm = maker.biased_batch_norm(&format!("{name}.norm"), c)?;
            Ok::<_, DeepError>((norm, maker.convolution(&name, [c, c], 9, true)?))
        };
        let halves = (0..2 * self.blocks.get()).map(|at| half(format!("block{}.conv{}", at / 2, at % 2)));
        let halves = halves.collect::<Result<_, _>>()?;
        let norm = maker.biased_batch_norm("norm", c)?;
        let policy = Head {
            maps: maker.linear("policy.maps", [c, MAPS], true)?,
            norm: maker.biased_batch_norm("policy.norm", MAPS)?,
            full: vec![maker.linear("policy", [MAPS * sites, images.actions], true)?],
        };
        let value = Head {
            maps: maker.linear("value.maps", [c, 1], true)?,
            norm: maker.biased_batch_norm("value.norm", 1)?,
            full: vec![maker.linear("value.hidden", [sites, c], true)?, maker.linear("value", [c, 1], true)?],
        };
        Ok(Box::new(ResNetV2Net { config: *self, images, first, halves, norm, policy, value, params: maker.done() }))
    }
}

/// Maps of the trunk, and full layers behind them.
pub struct Head {
    pub(super) maps: Linear,
    pub(super) norm: BatchNorm,
    pub(super) full: Vec<Linear>,
}

/// ResNet-v2 with its weights, for boards of one size.
pub struct ResNetV2Net {
    config: ResNetV2,
    pub(super) images: Images,
    pub(super) first: Linear,
    /// Norm and convolution, two a block.
    pub(super) halves: Vec<(BatchNorm, Linear)>,
    pub(super) norm: BatchNorm,
    pub(super) policy: Head,
    pub(super) value: Head,
    params: Vec<Param>,
}

impl ResNetV2Net {
    pub(super) fn window(&self) -> Window {
        Window { rows: self.images.rows, columns: self.images.columns, side: 3, padding: 1 }
    }

    /// What the heads read, `[B * sites, C]`.
    fn trunk(&self, x: &Tensor, mode: &mut Mode<'_>) -> Result<Tensor, DeepError> {
        let mut h = self.first.convolve(x, self.window(), false)?;
        for block in self.halves.chunks_exact(2) {
            let mut inner = h.clone();
            for (norm, convolution) in block {
                inner = convolution.convolve(&norm.forward(&inner, 0.0, mode)?, self.window(), false)?;
            }
            h = (h + inner)?;
        }
        self.norm.forward(&h, 0.0, mode)
    }
}

impl Head {
    fn forward(&self, h: &Tensor, boards: usize, mode: &mut Mode<'_>) -> Result<Tensor, DeepError> {
        let maps = self.norm.forward(&self.maps.forward(h, false)?, 0.0, mode)?;
        let mut units = maps.reshape((boards, ()))?;
        for (at, layer) in self.full.iter().enumerate() {
            units = layer.forward(&units, at + 1 < self.full.len())?;
        }
        Ok(units)
    }
}

impl Net for ResNetV2Net {
    fn dims(&self) -> Dims {
        self.images.dims()
    }

    fn params(&self) -> &[Param] {
        &self.params
    }

    fn forward(&self, batch: &Batch, mut mode: Mode<'_>) -> Result<Heads, DeepError> {
        let planes = self.images.planes(batch, "ResNet-v2")?;
        let kind = (self.first.weight.dtype(), self.first.weight.device());
        let x = ops::rows_of(planes.values(), self.images.channels, self.images.rows * self.images.columns, kind)?;
        let h = self.trunk(&x, &mut mode)?;
        let policy_logits = self.policy.forward(&h, planes.positions(), &mut mode)?.flatten_all()?;
        let value = self.value.forward(&h, planes.positions(), &mut mode)?.squeeze(1)?.tanh()?;
        Ok(Heads { policy_logits, value })
    }

    fn inference(&self) -> Result<Box<dyn Inference>, DeepError> {
        Ok(Box::new(ImageInference::bind("ResNet-v2", ResNetCore::new(self)?, 2 * self.config.products(self.images))))
    }

    fn flops(&self, _batch: &Batch, _index: usize) -> u64 {
        2 * self.config.products(self.images)
    }
}
