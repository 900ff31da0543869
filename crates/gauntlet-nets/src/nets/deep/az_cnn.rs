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

use super::architecture::Images;
use super::ops::Window;
use super::params::{Linear, Maker};
use super::ranges::Dropout;
use super::saz::Full;
use super::{DeepError, Param};
use crate::nets::Count;

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

impl AzCnn {
    /// Number of trained weights on boards of `images`.
    #[must_use]
    pub fn weight_count(&self, images: Images) -> usize {
        let (c, w, n) = (self.channels.get(), self.wide.get(), self.narrow.get());
        let convolutions = 9 * images.channels * c + 2 * c + 9 * c * c + 2 * c;
        let full = (images.rows - 2) * (images.columns - 2) * c * w + 2 * w + w * n + 2 * n;
        convolutions + full + (n + 1) * images.actions + n + 1
    }

    pub(super) fn net(self, images: Images, mut maker: Maker<'_>) -> Result<AzCnnNet, DeepError> {
        let (c, w, n) = (self.channels.get(), self.wide.get(), self.narrow.get());
        let mut convolution = |name: &str, from| {
            let linear = maker.convolution(name, [from, c], 9, false)?;
            Ok::<_, DeepError>(Full { linear, norm: maker.batch_norm(&format!("{name}.norm"), c)? })
        };
        let convolutions = [convolution("conv0", images.channels)?, convolution("conv1", c)?];
        let mut full = |name: &str, sizes: [usize; 2]| {
            let linear = maker.linear(name, sizes, false)?;
            Ok::<_, DeepError>(Full { linear, norm: maker.batch_norm(&format!("{name}.norm"), sizes[1])? })
        };
        let flat = images.rows.saturating_sub(2) * images.columns.saturating_sub(2) * c;
        let full = [full("wide", [flat, w])?, full("narrow", [w, n])?];
        let (policy, value) =
            (maker.linear("policy", [n, images.actions], true)?, maker.linear("value", [n, 1], true)?);
        Ok(AzCnnNet { config: self, images, convolutions, full, policy, value, params: maker.done() })
    }
}

/// AZ-CNN with its weights.
pub struct AzCnnNet {
    pub(super) config: AzCnn,
    pub(super) images: Images,
    pub(super) convolutions: [Full; 2],
    pub(super) full: [Full; 2],
    pub(super) policy: Linear,
    pub(super) value: Linear,
    pub(super) params: Vec<Param>,
}

impl AzCnnNet {
    /// The two convolutions' patches.
    pub(super) fn windows(images: Images) -> [Window; 2] {
        [1, 0].map(|padding| Window { rows: images.rows, columns: images.columns, side: 3, padding })
    }

    /// Multiply-adds of one evaluation.
    pub(super) fn macs(&self) -> u64 {
        let mut sum = 0;
        for (layer, window) in self.convolutions.iter().zip(AzCnnNet::windows(self.images)) {
            sum += layer.linear.weight.elem_count() * window.down() * window.across();
        }
        let full = self.full.iter().map(|layer| &layer.linear).chain([&self.policy, &self.value]);
        (sum + full.map(|linear| linear.weight.elem_count()).sum::<usize>()) as u64
    }
}
