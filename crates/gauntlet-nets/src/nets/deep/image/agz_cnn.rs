//! AGZ-CNN: three convolutions over a board of one size, and two heads of a convolution and a full layer each.
//!
//! Chen, Chin and Megas, "Reinforcement Learning for Gomoku", Figure 2. With x the planes of an n x n board:
//!
//! ```text
//! a = relu(conv3x3(x)) [n, n, 32];  b = relu(conv3x3(a)) [n, n, 64];  c = relu(conv3x3(b)) [n, n, 128]
//! policy logits = W_p relu(conv1x1(c)) + b_p          4 maps, [actions]
//! value = tanh(w_v relu(W_h relu(conv1x1(c)) + b_h) + b_v)    2 maps, 64 units
//! ```
//!
//! Open in the paper: the padding (1, so that maps keep the size of the board, as in the authors' code).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::encoders::Dims;
use crate::nets::Count;
use crate::nets::deep::architecture::Architecture;
use crate::nets::deep::input::{Images, InputKind, Logits};
use crate::nets::deep::layers::{Layers, Network, Padding};

/// Settings of AGZ-CNN; defaults are those of the paper's Figure 2.
///
/// | key | default | range | the paper |
/// |---|---|---|---|
/// | `channels` | 32, 64, 128 | 1 to 512 each | 32, 64, 128; the authors' code has 64, 64, 128 for model I |
/// | `policy` | 4 | 1 to 64 | 4 |
/// | `value` | 2 | 1 to 64 | 2 |
/// | `hidden` | 64 | 1 to 2048 | 64 |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgzCnn {
    /// Channels of the three convolutions.
    pub channels: [Count<512>; 3],
    /// Maps of the policy head.
    pub policy: Count<64>,
    /// Maps of the value head.
    pub value: Count<64>,
    /// Units of the value head's full layer.
    pub hidden: Count<2048>,
}

impl Default for AgzCnn {
    fn default() -> AgzCnn {
        fn count<const MOST: u16>(number: i64) -> Count<MOST> {
            Count::try_from(number).expect("the paper's sizes are in range")
        }
        AgzCnn { channels: [count(32), count(64), count(128)], policy: count(4), value: count(2), hidden: count(64) }
    }
}

impl Architecture for AgzCnn {
    fn title(&self) -> &'static str {
        "AGZ-CNN"
    }

    fn name(&self) -> String {
        let [a, b, c] = self.channels.map(Count::get);
        format!("AGZ-CNN {a}-{b}-{c}")
    }

    fn reads(&self) -> InputKind {
        InputKind::Images { least: 3, logits: Logits::Slots }
    }

    fn scales(&self) -> bool {
        false
    }

    fn network(&self, dims: Dims) -> Option<Network> {
        let images = Images::of(dims)?;
        let (mut net, mut x) = Layers::of_images(images);
        for (name, channels) in ["conv0", "conv1", "conv2"].into_iter().zip(self.channels) {
            x = net.convolution(name, x, channels.get(), Padding::Same);
            x = net.relu(x);
        }
        let maps = |net: &mut Layers, name: &str, count| {
            let maps = net.linear(name, x, count);
            let maps = net.relu(maps);
            net.flatten(maps)
        };
        let policy = maps(&mut net, "policy.maps", self.policy.get());
        let logits = net.linear("policy", policy, images.actions);
        let value = maps(&mut net, "value.maps", self.value.get());
        let value = net.linear("value.hidden", value, self.hidden.get());
        let value = net.relu(value);
        let score = net.linear("value", value, 1);
        Some(net.heads(logits, score))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figure 2 on 9 x 9 with the four planes of model II, and model I as in the authors' code.
    #[test]
    fn weight_counts_are_the_authors() {
        let images = |channels| Dims::Planes { channels, rows: 9, columns: 9, actions: 81 };
        assert_eq!(AgzCnn::default().weight_count(images(4)), Some(131_132));
        let wider: AgzCnn = serde_json::from_str(r#"{"channels":[64,64,128]}"#).unwrap();
        assert_eq!(wider.weight_count(images(1)), Some(149_020));
        assert_eq!(wider.name(), "AGZ-CNN 64-64-128");
    }
}
