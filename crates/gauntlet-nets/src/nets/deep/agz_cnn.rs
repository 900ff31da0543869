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

use candle_core::Tensor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::architecture::{Architecture, Images, InputKind, Logits};
use super::conv_inference::ConvLayer;
use super::dense::Dense;
use super::image_inference::ImageInference;
use super::ops::{self, Window};
use super::params::{Linear, Maker};
use super::two_heads::{Trunk, TwoHeads};
use super::{DeepError, Heads, Inference, Mode, Net, Param};
use crate::encoders::{Batch, Dims, Extent};
use crate::nets::Count;
use crate::nets::kernels::{Rows, Spectra, Vector, Winograd};

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

impl AgzCnn {
    /// Number of trained weights on boards of `images`.
    #[must_use]
    pub fn weight_count(&self, images: Images) -> usize {
        let [a, b, c] = self.channels.map(Count::get);
        let (policy, value, hidden) = (self.policy.get(), self.value.get(), self.hidden.get());
        let sites = images.rows * images.columns;
        let convolutions = 9 * (images.channels * a + a * b + b * c) + a + b + c;
        let heads = (c + 1) * (policy + value);
        convolutions + heads + (sites * policy + 1) * images.actions + (sites * value + 1) * hidden + hidden + 1
    }
}

impl Architecture for AgzCnn {
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

    fn weight_count(&self, dims: Dims) -> Option<usize> {
        Some(AgzCnn::weight_count(self, Images::of(dims)?))
    }

    fn board_macs(&self, extent: Extent) -> f64 {
        let ([a, b, c], [policy, value]) = (self.channels.map(Count::get), [self.policy.get(), self.value.get()]);
        let planes = Images::of(extent.dims).map_or(0, |images| images.channels);
        // Every weight of a convolution is multiplied at every site. Transforms save two thirds of these
        // multiply-adds in inference, but budgets count all of them.
        let everywhere = 9 * (planes * a + a * b + b * c) + c * (policy + value);
        (extent.sites * (everywhere + policy * extent.slots + value * self.hidden.get())) as f64
    }

    fn build(&self, dims: Dims, mut maker: Maker<'_>) -> Result<Box<dyn Net>, DeepError> {
        let images = self.reads().images(dims, "AGZ-CNN")?;
        let [a, b, c] = self.channels.map(Count::get);
        let (policy, value, hidden, sites) =
            (self.policy.get(), self.value.get(), self.hidden.get(), images.rows * images.columns);
        let convolutions = [
            maker.convolution("conv0", [images.channels, a], 9, true)?,
            maker.convolution("conv1", [a, b], 9, true)?,
            maker.convolution("conv2", [b, c], 9, true)?,
        ];
        let policy = [
            maker.linear("policy.maps", [c, policy], true)?,
            maker.linear("policy", [sites * policy, images.actions], true)?,
        ];
        let value = [
            maker.linear("value.maps", [c, value], true)?,
            maker.linear("value.hidden", [sites * value, hidden], true)?,
            maker.linear("value", [hidden, 1], true)?,
        ];
        Ok(Box::new(AgzCnnNet { images, convolutions, policy, value, params: maker.done() }))
    }
}

/// AGZ-CNN with its weights.
pub struct AgzCnnNet {
    images: Images,
    convolutions: [Linear; 3],
    /// Maps, logits.
    policy: [Linear; 2],
    /// Maps, hidden units, value.
    value: [Linear; 3],
    params: Vec<Param>,
}

impl AgzCnnNet {
    fn sites(&self) -> usize {
        self.images.rows * self.images.columns
    }

    fn window(&self) -> Window {
        Window { rows: self.images.rows, columns: self.images.columns, side: 3, padding: 1 }
    }
}

impl Net for AgzCnnNet {
    fn dims(&self) -> Dims {
        self.images.dims()
    }

    fn params(&self) -> &[Param] {
        &self.params
    }

    fn forward(&self, batch: &Batch, _: Mode<'_>) -> Result<Heads, DeepError> {
        let planes = self.images.planes(batch, "AGZ-CNN")?;
        let weight = &self.policy[0].weight;
        let kind = (weight.dtype(), weight.device());
        let mut h = ops::rows_of(planes.values(), self.images.channels, self.sites(), kind)?;
        for layer in &self.convolutions {
            h = layer.convolve(&h, self.window(), true)?;
        }
        let flat = |maps: &Linear| -> Result<Tensor, DeepError> {
            Ok(maps.forward(&h, true)?.reshape((planes.positions(), ()))?)
        };
        let [maps, logits] = &self.policy;
        let policy_logits = logits.forward(&flat(maps)?, false)?.flatten_all()?;
        let [maps, hidden, value] = &self.value;
        let value = value.forward(&hidden.forward(&flat(maps)?, true)?, false)?.squeeze(1)?.tanh()?;
        Ok(Heads::new(policy_logits, value))
    }

    fn inference(&self) -> Result<Box<dyn Inference>, DeepError> {
        Ok(Box::new(ImageInference::bind("AGZ-CNN", AgzTrunk::bind(self)?, 2 * self.macs())))
    }

    fn flops(&self, _batch: &Batch, _index: usize) -> u64 {
        2 * self.macs()
    }
}

impl AgzCnnNet {
    /// Multiply-adds of one evaluation.
    fn macs(&self) -> u64 {
        let weights = |layer: &Linear| layer.weight.elem_count();
        let [policy_maps, logits] = &self.policy;
        let [value_maps, hidden, value] = &self.value;
        let everywhere: usize = self.convolutions.iter().chain([policy_maps, value_maps]).map(weights).sum();
        let once: usize = [logits, hidden, value].into_iter().map(weights).sum();
        (everywhere * self.sites() + once) as u64
    }
}

/// Weights and buffers before the heads, for inference.
#[derive(Clone)]
struct AgzTrunk {
    images: Images,
    first: ConvLayer,
    others: [Winograd; 2],
    spectra: Spectra,
    /// The outputs of the convolutions, one row a site.
    rows: [Rows; 3],
}

impl AgzTrunk {
    /// Binds the current weights, including those of the heads.
    fn bind(net: &AgzCnnNet) -> Result<TwoHeads<AgzTrunk>, DeepError> {
        let Images { rows, columns, .. } = net.images;
        let winograd = |layer: &Linear| -> Result<Winograd, DeepError> {
            let Dense { weights, bias } = Dense::new(layer)?;
            Ok(Winograd::new([rows, columns], &weights, &bias))
        };
        let [first, second, third] = &net.convolutions;
        let first = ConvLayer::first(&Dense::new(first)?, net.window());
        let others = [winograd(second)?, winograd(third)?];
        let [a, b] = others.each_ref().map(Winograd::outputs);
        let rows = [first.outputs(), a, b];
        let ([policy, logits], [value, hidden, last]) = (&net.policy, &net.value);
        let trunk = AgzTrunk { images: net.images, first, others, spectra: Spectra::new(), rows };
        TwoHeads::new(trunk, [Dense::new(policy)?, Dense::new(value)?], [logits, hidden, last])
    }
}

impl Trunk for AgzTrunk {
    fn images(&self) -> Images {
        self.images
    }

    fn tiles(&self) -> usize {
        self.others[0].tiles()
    }

    #[inline(always)]
    fn read<V: Vector>(&mut self, images: &[f32], boards: usize) -> &Rows {
        let AgzTrunk { first, others: [second, third], spectra, rows: [a, b, c], images: of } = self;
        first.read::<V>(images, of.channels, a);
        second.follow::<V>(a, boards, spectra, b);
        third.follow::<V>(b, boards, spectra, c);
        c
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figure 2 on 9 x 9 with the four planes of model II, and model I as in the authors' code.
    #[test]
    fn weight_counts_are_the_authors() {
        let images = |channels| Images { channels, rows: 9, columns: 9, actions: 81 };
        assert_eq!(AgzCnn::default().weight_count(images(4)), 131_132);
        let wider: AgzCnn = serde_json::from_str(r#"{"channels":[64,64,128]}"#).unwrap();
        assert_eq!(wider.weight_count(images(1)), 149_020);
        assert_eq!(wider.name(), "AGZ-CNN 64-64-128");
    }
}
