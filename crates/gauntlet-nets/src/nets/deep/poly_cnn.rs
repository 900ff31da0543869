//! Poly-CNN: a fully convolutional residual network with a pooled value; the network of Polygames.
//!
//! Soemers, Mella, Browne and Teytaud 2021, Table 1, under its name in Polygames (Cazenave et al. 2020):
//! `ResConvConvLogitPoolModelV2`, whose layers the paper does not list. With x a state of C channels and n = width C:
//!
//! ```text
//! h = BN(conv3x3(x));  nets times: h = h + BN(conv3x3(.. relu(BN(conv3x3(relu(h)))) ..))
//! policy logits = conv3x3(relu(h)) + b                                     A planes, a logit for each of their places
//! value = tanh(w relu(W [max relu(h), mean relu(h)] + b) + b_v)             over all places, 2 n units
//! ```
//!
//! Convolutions before a norm have no biases. No weight depends on the cell, so that the same weights work on boards
//! of every size; their number depends only on the channels of states and planes of actions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Param;
use super::architecture::Images;
use super::ops::Window;
use super::params::{BatchNorm, Linear};
use crate::nets::Count;
use gauntlet_games::base::SomeShare;

/// Settings of Poly-CNN; the defaults are those of the paper's networks.
///
/// | key | default | range | the paper |
/// |---|---|---|---|
/// | `width` | 2 | 1 to 16 | 2, by the number of weights |
/// | `nets` | 10 | 1 to 64 | 10 or another part of 60, by the number of weights |
/// | `convolutions` | 6 | 1 to 16 | 60 in all nets, by the number of weights |
/// | `momentum` | 0.01 | above 0, to 1 | not given; 0.01 in its code base |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PolyCnn {
    /// Channels of every hidden layer for each channel of the state.
    pub width: Count<16>,
    /// Residual nets.
    pub nets: Count<64>,
    /// Convolutions of a net.
    pub convolutions: Count<16>,
    /// The share of a batch's moments in the running ones of the batch norms.
    #[serde(with = "SomeShare")]
    pub momentum: f64,
}

impl Default for PolyCnn {
    fn default() -> PolyCnn {
        let count = |number| Count::try_from(number).expect("10 is in range");
        let (width, convolutions) = (Count::try_from(2), Count::try_from(6));
        PolyCnn {
            width: width.expect("2 is in range"),
            nets: count(10),
            convolutions: convolutions.expect("6 is in range"),
            momentum: 0.01,
        }
    }
}

impl PolyCnn {
    /// Number of channels of a hidden layer, for states with `channels` channels.
    pub(super) fn hidden(&self, channels: usize) -> usize {
        self.width.get() * channels
    }

    /// Number of trained weights for images with these numbers of channels and of logit planes.
    #[must_use]
    pub fn weight_count(&self, channels: usize, planes: usize) -> usize {
        let (n, layers) = (self.hidden(channels), self.nets.get() * self.convolutions.get());
        let trunk = 9 * channels * n + 2 * n + layers * (9 * n * n + 2 * n);
        trunk + planes * (9 * n + 1) + (2 * n + 1) * 2 * n + 2 * n + 1
    }

    /// Multiply-adds of a position.
    pub(super) fn macs(&self, images: Images) -> u64 {
        let (n, layers) = (self.hidden(images.channels), self.nets.get() * self.convolutions.get());
        let on_sites = 9 * n * (images.channels + layers * n);
        (images.rows * images.columns * on_sites + 9 * n * images.actions + 2 * n * (2 * n + 1)) as u64
    }
}

/// A convolution with the norm after it.
pub struct NormedConvolution {
    pub(super) convolution: Linear,
    pub(super) norm: BatchNorm,
}

/// Poly-CNN with its weights, for boards of one size.
pub struct PolyCnnNet {
    pub(super) config: PolyCnn,
    pub(super) images: Images,
    pub(super) first: NormedConvolution,
    pub(super) nets: Vec<Vec<NormedConvolution>>,
    pub(super) policy: Linear,
    /// Hidden units, value.
    pub(super) value: [Linear; 2],
    pub(super) params: Vec<Param>,
}

impl PolyCnnNet {
    /// The patches of its convolutions.
    pub(super) fn window(&self) -> Window {
        Window { rows: self.images.rows, columns: self.images.columns, side: 3, padding: 1 }
    }

    /// Number of cells of an image.
    pub(super) fn sites(&self) -> usize {
        self.images.rows * self.images.columns
    }
}
