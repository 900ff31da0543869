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
//! Every layer has biases, as in pgx.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Param;
use super::architecture::Images;
use super::ops::Window;
use super::params::{BatchNorm, Linear};
use crate::nets::Count;

/// Maps of the policy head.
pub(super) const MAPS: usize = 2;

/// Settings of ResNet-v2; the defaults are those of the baseline of AlphaGateau.
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
    pub(super) fn macs(&self, images: Images) -> u64 {
        let (c, blocks, sites) = (self.channels.get(), self.blocks.get(), images.rows * images.columns);
        let on_sites = 9 * c * (images.channels + 2 * blocks * c) + (MAPS + 1) * c;
        (sites * on_sites + MAPS * sites * images.actions + sites * c + c) as u64
    }
}

/// Maps of the trunk, with the full layers after them.
pub struct Head {
    pub(super) maps: Linear,
    pub(super) norm: BatchNorm,
    pub(super) full: Vec<Linear>,
}

/// ResNet-v2 with its weights, for boards of one size.
pub struct ResNetV2Net {
    pub(super) config: ResNetV2,
    pub(super) images: Images,
    pub(super) first: Linear,
    /// Norm and convolution, two a block.
    pub(super) halves: Vec<(BatchNorm, Linear)>,
    pub(super) norm: BatchNorm,
    pub(super) policy: Head,
    pub(super) value: Head,
    pub(super) params: Vec<Param>,
}

impl ResNetV2Net {
    /// The patches of its convolutions.
    pub(super) fn window(&self) -> Window {
        Window { rows: self.images.rows, columns: self.images.columns, side: 3, padding: 1 }
    }
}
