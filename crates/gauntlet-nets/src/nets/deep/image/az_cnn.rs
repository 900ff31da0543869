//! AZ-CNN: two convolutions and two fully connected layers over a board of one size; model1.
//!
//! Ben-Assayag and El-Yaniv 2021, appendix D. With x the planes of an n x n board, C channels:
//!
//! ```text
//! a = relu(BN(conv3x3(x)))      [n, n, C]           padding 1
//! b = relu(BN(conv3x3(a)))      [n - 2, n - 2, C]   no padding
//! f = dropout(relu(BN(V_1 b)))  [wide]
//! g = dropout(relu(BN(V_2 f)))  [narrow]
//! policy logits = W_p g + b_p   [actions];  value = tanh(w_v g + b_v)
//! ```
//!
//! Open in the paper: the dropout (0.3, after the ReLU, both as in alpha-zero-general); no bias before a batch norm,
//! which would cancel it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::encoders::Dims;
use crate::nets::Count;
use crate::nets::deep::architecture::Architecture;
use crate::nets::deep::input::{Images, InputKind, Logits};
use crate::nets::deep::layers::{BatchNormKind, Layers, Network, Padding};
use crate::nets::deep::ranges::Dropout;

/// Settings of AZ-CNN; defaults are the paper's.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AzCnn {
    /// Channels C of both convolutions, 512 by default.
    pub channels: Count<2048>,
    /// Units of the first fully connected layer, 1024 by default.
    pub wide: Count<2048>,
    /// Units of the second fully connected layer, 512 by default.
    pub narrow: Count<2048>,
    /// Share of the units that training drops, 0.3 by default.
    #[serde(with = "Dropout")]
    pub dropout: f64,
}

impl Default for AzCnn {
    fn default() -> AzCnn {
        let count = |number| Count::try_from(number).expect("the paper's sizes are in range");
        AzCnn { channels: count(512), wide: count(1024), narrow: count(512), dropout: 0.3 }
    }
}

impl Architecture for AzCnn {
    fn title(&self) -> &'static str {
        "AZ-CNN"
    }

    fn name(&self) -> String {
        format!("AZ-CNN {}", self.channels.get())
    }

    fn reads(&self) -> InputKind {
        InputKind::Images { least: 3, logits: Logits::Slots }
    }

    fn scales(&self) -> bool {
        false
    }

    fn least_batch(&self) -> u32 {
        2
    }

    fn network(&self, dims: Dims) -> Option<Network> {
        let images = Images::of(dims)?;
        let (mut net, mut x) = Layers::of_images(images);
        for (name, padding) in [("conv0", Padding::Same), ("conv1", Padding::Valid)] {
            x = net.unbiased_convolution(name, x, self.channels.get(), padding);
            x = net.batch_norm(name, x, BatchNormKind::TORCH);
            x = net.relu(x);
        }
        x = net.flatten(x);
        for (name, units) in [("wide", self.wide.get()), ("narrow", self.narrow.get())] {
            x = net.unbiased(name, x, units);
            x = net.batch_norm(name, x, BatchNormKind::TORCH);
            x = net.relu(x);
            x = net.dropout(x, self.dropout);
        }
        let (logits, value) = (net.linear("policy", x, images.actions), net.linear("value", x, 1));
        Some(net.heads(logits, value))
    }
}
