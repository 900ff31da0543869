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

use crate::encoders::{Dims, Extent};
use crate::nets::Count;
use crate::nets::deep::architecture::Architecture;
use crate::nets::deep::input::{Images, InputKind, Logits};
use crate::nets::deep::layers::{BatchNormKind, Layers, Network, Padding, Value};
use crate::nets::kernels::Winograd;
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

    /// Checks that no layer reads more channels than the kernels support.
    pub(super) fn check_channels(read: usize, setting: &str) -> Result<(), String> {
        match read <= Winograd::CHANNELS {
            true => Ok(()),
            false => Err(format!(
                "its layers would have {read} channels, but at most {} are supported: choose a smaller {setting}",
                Winograd::CHANNELS
            )),
        }
    }

    /// A convolution and its norm.
    pub(super) fn normed(&self, net: &mut Layers, name: &str, x: Value, outputs: usize) -> Value {
        let x = net.unbiased_convolution(name, x, outputs, Padding::Same);
        net.batch_norm(name, x, BatchNormKind { momentum: self.momentum, ..BatchNormKind::TORCH })
    }

    /// The convolutions of a net, with a ReLU after each but the last.
    pub(super) fn net(&self, net: &mut Layers, at: usize, mut x: Value, outputs: usize) -> Value {
        let last = self.convolutions.get() - 1;
        for layer in 0..=last {
            x = self.normed(net, &format!("net{at}.conv{layer}"), x, outputs);
            if layer < last {
                x = net.relu(x);
            }
        }
        x
    }

    /// The heads over the trunk's output, a plane of logits for each site of the image.
    pub(super) fn heads(mut net: Layers, h: Value, images: Images) -> Network {
        let h = net.relu(h);
        let pools = net.pool(h);
        let units = net.linear("value.hidden", pools, pools.width);
        let units = net.relu(units);
        let score = net.linear("value", units, 1);
        let logits = net.convolution("policy", h, planes(images), Padding::Same);
        net.heads(logits, score)
    }
}

/// Number of logit planes.
pub(super) fn planes(images: Images) -> usize {
    images.actions / (images.rows * images.columns)
}

/// True if states have the same channels and actions the same planes.
pub(super) fn carries_over(learned: Dims, played: Dims) -> bool {
    let depths = |dims| Images::of(dims).map(|images| [images.channels, planes(images)]);
    depths(learned) == depths(played)
}

impl Architecture for PolyCnn {
    fn title(&self) -> &'static str {
        "Poly-CNN"
    }

    fn name(&self) -> String {
        format!("Poly-CNN {}x{}, width {}", self.nets.get(), self.convolutions.get(), self.width.get())
    }

    fn reads(&self) -> InputKind {
        InputKind::Images { least: 3, logits: Logits::Planes }
    }

    fn scales(&self) -> bool {
        true
    }

    fn check(&self, extent: Extent) -> Result<(), String> {
        self.reads().check(extent.dims)?;
        PolyCnn::check_channels(Images::of(extent.dims).map_or(0, |images| self.hidden(images.channels)), "`width`")
    }

    fn carries_over(&self, learned: Dims, played: Dims) -> bool {
        carries_over(learned, played)
    }

    fn network(&self, dims: Dims) -> Option<Network> {
        let images = Images::of(dims)?;
        let (n, (mut net, x)) = (self.hidden(images.channels), Layers::of_images(images));
        let mut h = self.normed(&mut net, "conv", x, n);
        for at in 0..self.nets.get() {
            let positive = net.relu(h);
            let inner = self.net(&mut net, at, positive, n);
            h = net.add(h, inner);
        }
        Some(PolyCnn::heads(net, h, images))
    }
}
