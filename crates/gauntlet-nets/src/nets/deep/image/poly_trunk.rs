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

use super::poly_cnn::{PolyCnn, carries_over};
use crate::encoders::{Dims, Extent};
use crate::nets::Count;
use crate::nets::deep::architecture::Architecture;
use crate::nets::deep::input::{Images, InputKind};
use crate::nets::deep::layers::{Layers, Network, Value};
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
    fn plain(&self) -> PolyCnn {
        let PolyTrunk { shape: _, width, nets, convolutions, momentum } = *self;
        PolyCnn { width, nets, convolutions, momentum }
    }

    /// Number of pooled channels of a net, for `hidden` channels.
    fn pooled(share: f64, hidden: usize) -> usize {
        ((share * hidden as f64) as usize).max(1)
    }

    /// The nets of a U.
    fn through_u(&self, net: &mut Layers, mut h: Value) -> Value {
        let (middle, mut kept) = (self.nets.get() / 2, Vec::new());
        for at in 0..self.nets.get() {
            let positive = net.relu(h);
            h = self.plain().net(net, at, positive, h.width);
            match at {
                before if before < middle => kept.push(h),
                behind if behind > middle => h = net.add(h, kept[behind - middle - 1]),
                _middle => {}
            }
        }
        h
    }

    /// Residual nets that read pools of the board.
    fn through_pools(&self, net: &mut Layers, mut h: Value, pooled: usize) -> Value {
        for at in 0..self.nets.get() {
            let all = net.with_pools(h, pooled);
            let positive = net.relu(all);
            let inner = self.plain().net(net, at, positive, h.width);
            h = net.add(h, inner);
        }
        h
    }
}

impl Architecture for PolyTrunk {
    fn title(&self) -> &'static str {
        "Poly-Trunk"
    }

    fn name(&self) -> String {
        let shape = match self.shape {
            TrunkShape::U => "U".to_owned(),
            TrunkShape::Pooled(share) => format!("pooled {share}"),
        };
        format!("Poly-Trunk {}x{}, width {}, {shape}", self.nets.get(), self.convolutions.get(), self.width.get())
    }

    fn reads(&self) -> InputKind {
        self.plain().reads()
    }

    fn scales(&self) -> bool {
        true
    }

    fn check(&self, extent: Extent) -> Result<(), String> {
        self.plain().check(extent)?;
        let (hidden, nets) =
            (Images::of(extent.dims).map_or(0, |images| self.plain().hidden(images.channels)), self.nets.get());
        match self.shape {
            TrunkShape::U if nets.is_multiple_of(2) => {
                Err(format!("a U needs a middle net, and {nets} nets do not have one: choose an odd number of `nets`"))
            }
            TrunkShape::U => Ok(()),
            TrunkShape::Pooled(share) => {
                PolyCnn::check_channels(hidden + 2 * PolyTrunk::pooled(share, hidden), "`width` or share")
            }
        }
    }

    fn carries_over(&self, learned: Dims, played: Dims) -> bool {
        carries_over(learned, played)
    }

    fn network(&self, dims: Dims) -> Option<Network> {
        let images = Images::of(dims)?;
        let (n, (mut net, x)) = (self.plain().hidden(images.channels), Layers::of_images(images));
        let h = self.plain().normed(&mut net, "conv", x, n);
        let h = match self.shape {
            TrunkShape::U => self.through_u(&mut net, h),
            TrunkShape::Pooled(share) => self.through_pools(&mut net, h, PolyTrunk::pooled(share, n)),
        };
        Some(PolyCnn::heads(net, h, images))
    }
}
