//! MDRNN: four diagonal swipes over the board by a layer of tanh units.
//!
//! Schaul and Schmidhuber 2009, section 2.2, equations 1 and 2. The same weights in all directions and both
//! dimensions. With x the two inputs of a site, `up` and `left` the neighbours that a swipe comes from:
//!
//! ```text
//! h      = tanh(W_in x + W_hidden (h_up + h_left) + (number of missing neighbours) w_border)
//! output = sigmoid(sum over the four swipes of w_out h)
//! ```
//!
//! Weights, in this order, all row-major: `W_in [k][2]` (own stone, opponent's), `W_hidden [k][k]`, `w_border [k]`,
//! `w_out [k]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::flat::FlatNet;
use super::kernels::{Path, SwipeWeights, TanhUnit, swipe};
use super::part::Part;
use super::{Count, Kernel};

/// An MDRNN of k units; on any board `k^2 + 4 k` weights (21 at the paper's k = 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mdrnn {
    /// Units k in the swiping layer, 1 to 64; the paper's is 3.
    pub units: Count<64>,
}

impl Mdrnn {
    /// The parts of the vector.
    pub(super) fn weight_parts(&self) -> Vec<Part> {
        Part::swiping(&[], self.units.get())
    }
}

impl FlatNet for Mdrnn {
    fn name(&self) -> String {
        format!("MDRNN k={}", self.units.get())
    }

    fn weight_count(&self, _sites: usize) -> usize {
        SwipeWeights::count(1, self.units.get())
    }

    fn kernel(&self, path: Path, size: usize, weights: &[f64]) -> Box<dyn Kernel> {
        swipe::<TanhUnit>(path, size, SwipeWeights::split(1, self.units.get(), weights))
    }
}
