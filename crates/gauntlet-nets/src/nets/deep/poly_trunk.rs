//! Poly-Trunk: Poly-CNN with another trunk, a U or residual nets that see pools of the whole board.
//!
//! Polygames (Cazenave et al. 2020) has both beside the network of Soemers et al. 2021: `UConvConvLogitModel`, after
//! Ronneberger et al. 2015, and the `global_pooling` of `ResConvConvLogitPoolModelV2`, after KataGo (Wu 2020). With h
//! the output of the first convolution and its norm, n channels, and C = BN(conv3x3(relu(.))):
//!
//! ```text
//! u:       h_i = C(.. C(h_(i-1)) ..)                  i = 1 to 2 d + 1, all at full resolution
//!          h_(d+1+i) = h_(d+1+i) + h_i                i = 1 to d, before the next net reads it
//! pooled:  h = h + C(.. C([h, max h', mean h']) ..)   h' the first k channels; the pools of the board at every place
//! ```
//!
//! Both have Poly-CNN's heads: the code base has a value over all cells after its U, which would bind the weights to
//! one board.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::architecture::Images;
use super::poly_cnn::{PolyCnn, PolyCnnNet};
use crate::nets::Count;
use gauntlet_games::base::SomeShare;

/// Settings of Poly-Trunk; the defaults are those of Poly-CNN, with pools of half of the channels.
///
/// | key | default | range | Polygames |
/// |---|---|---|---|
/// | `shape` | `{ pooled = 0.5 }` | `"u"`, or `{ pooled = share }` above 0, to 1 | 0 |
/// | `width` | 2 | 1 to 16 | 2 |
/// | `nets` | 10 | 1 to 64; odd in a U | 5 |
/// | `convolutions` | 6 | 1 to 16 | 3 |
/// | `momentum` | 0.01 | above 0, to 1 | 0.01 |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PolyTrunk {
    /// Inputs and skip connections of the nets of the trunk.
    pub shape: TrunkShape,
    /// Channels of every hidden layer for each channel of the state.
    pub width: Count<16>,
    /// Nets of the trunk, including the middle one of a U.
    pub nets: Count<64>,
    /// Convolutions of a net.
    pub convolutions: Count<16>,
    /// The share of a batch's moments in the running ones of the batch norms.
    #[serde(with = "SomeShare")]
    pub momentum: f64,
}

/// Connections of the nets of a trunk.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TrunkShape {
    /// Skip connections of a U: the output of the first net is added to that of the first net after the middle one,
    /// and so on.
    U,
    /// Residual nets, each of which also reads maxima and means of this share of its channels, above 0, to 1: rounded
    /// down, one at least.
    Pooled(#[serde(with = "SomeShare")] f64),
}

impl Default for PolyTrunk {
    fn default() -> PolyTrunk {
        let PolyCnn { width, nets, convolutions, momentum } = PolyCnn::default();
        PolyTrunk { shape: TrunkShape::Pooled(0.5), width, nets, convolutions, momentum }
    }
}

impl PolyTrunk {
    /// Poly-CNN of this size.
    pub(super) fn plain(&self) -> PolyCnn {
        let PolyTrunk { shape: _, width, nets, convolutions, momentum } = *self;
        PolyCnn { width, nets, convolutions, momentum }
    }

    /// Number of pooled channels of a net, for `hidden` channels.
    pub(super) fn pooled(&self, hidden: usize) -> usize {
        match self.shape {
            TrunkShape::U => 0,
            TrunkShape::Pooled(share) => ((share * hidden as f64) as usize).max(1),
        }
    }

    /// Number of weights of the first convolutions for the pools, for states with `channels` channels.
    fn pool_weights(&self, channels: usize) -> usize {
        let n = self.plain().hidden(channels);
        self.nets.get() * 9 * 2 * self.pooled(n) * n
    }

    /// Number of trained weights for images with these numbers of channels and of logit planes.
    #[must_use]
    pub fn weight_count(&self, channels: usize, planes: usize) -> usize {
        self.plain().weight_count(channels, planes) + self.pool_weights(channels)
    }

    /// Multiply-adds of a position.
    pub(super) fn macs(&self, images: Images) -> u64 {
        let pools = images.rows * images.columns * self.pool_weights(images.channels);
        self.plain().macs(images) + pools as u64
    }
}

/// Poly-Trunk with its weights, for boards of one size.
pub struct PolyTrunkNet {
    pub(super) config: PolyTrunk,
    /// Its layers; the first convolution of every net reads the pools after the channels.
    pub(super) layers: PolyCnnNet,
}

impl PolyTrunkNet {
    /// Number of pooled channels of a net.
    pub(super) fn pooled(&self) -> usize {
        self.config.pooled(self.layers.config.hidden(self.layers.images.channels))
    }
}
