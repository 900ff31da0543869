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

use crate::encoders::Dims;
use crate::nets::Count;
use crate::nets::deep::architecture::Architecture;
use crate::nets::deep::input::{Images, InputKind, Logits};
use crate::nets::deep::layers::{BatchNormKind, Layers, Network, Padding, Value};

/// Maps of the policy head.
const MAPS: usize = 2;

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

impl Architecture for ResNetV2 {
    fn title(&self) -> &'static str {
        "ResNet-v2"
    }

    fn name(&self) -> String {
        format!("ResNet-v2 {}x{}", self.blocks.get(), self.channels.get())
    }

    fn reads(&self) -> InputKind {
        InputKind::Images { least: 3, logits: Logits::Slots }
    }

    fn scales(&self) -> bool {
        false
    }

    fn network(&self, dims: Dims) -> Option<Network> {
        let (images, c) = (Images::of(dims)?, self.channels.get());
        let (mut net, x) = Layers::of_images(images);
        let mut h = net.convolution("conv", x, c, Padding::Same);
        for block in 0..self.blocks.get() {
            let mut inner = h;
            for half in 0..2 {
                let name = format!("block{block}.conv{half}");
                inner = norm(&mut net, &name, inner);
                inner = net.convolution(&name, inner, c, Padding::Same);
            }
            h = net.add(h, inner);
        }
        let h = norm(&mut net, "", h);
        let policy = maps(&mut net, "policy", h, MAPS);
        let logits = net.linear("policy", policy, images.actions);
        let value = maps(&mut net, "value", h, 1);
        let value = net.linear("value.hidden", value, c);
        let value = net.relu(value);
        let score = net.linear("value", value, 1);
        Some(net.heads(logits, score))
    }
}

/// Batch norm and ReLU.
fn norm(net: &mut Layers, name: &str, x: Value) -> Value {
    let x = net.batch_norm(name, x, BatchNormKind::FLAX);
    net.relu(x)
}

/// The maps of a head, normalised, as one row.
fn maps(net: &mut Layers, name: &str, h: Value, count: usize) -> Value {
    let maps = net.linear(&format!("{name}.maps"), h, count);
    let maps = norm(net, name, maps);
    net.flatten(maps)
}
