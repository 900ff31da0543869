//! MLP: one fully connected hidden layer; the paper's baseline, which is bound to one board size.
//!
//! Schaul and Schmidhuber 2009, section 3: "a single fully connected hidden layer of size k, with tanh units". Biases on
//! both layers, as in the authors' library. With x the 2 n inputs of a board of n sites:
//!
//! ```text
//! h      = tanh(W_in x + b_in)
//! output = sigmoid(W_out h + b_out)
//! ```
//!
//! Weights, in this order, row-major: `W_in [k][site][2]` (own stone, opponent's), `b_in [k]`, `W_out [site][k]`,
//! `b_out [site]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::flat::FlatNet;
use super::kernels::{Bound, Path, Perceptron};
use super::part::Part;
use super::{Count, Kernel};

/// An MLP of k hidden units; `k (3 n + 1) + n` weights on a board of n sites, not usable on any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mlp {
    /// Hidden units k, 1 to 256.
    pub hidden: Count<256>,
}

impl Mlp {
    /// The parts of the vector, on a board of `sites` sites.
    pub(super) fn weight_parts(&self, sites: usize) -> Vec<Part> {
        let units = self.hidden.get();
        vec![
            Part::new("W_in", &[units, sites, 2], "weights of the stones: unit, site, stone (own, opponent's)"),
            Part::new("b_in", &[units], "biases of the hidden layer: unit"),
            Part::new("W_out", &[sites, units], "weights of the outputs: site, unit"),
            Part::new("b_out", &[sites], "biases of the outputs: site"),
        ]
    }
}

impl FlatNet for Mlp {
    fn name(&self) -> String {
        format!("MLP k={}", self.hidden.get())
    }

    fn weight_count(&self, sites: usize) -> usize {
        self.hidden.get() * (3 * sites + 1) + sites
    }

    fn kernel(&self, path: Path, size: usize, weights: &[f64]) -> Box<dyn Kernel> {
        let (sites, units) = (size * size, self.hidden.get());
        let (hidden, rest) = weights.split_at(2 * sites * units);
        let (hidden_bias, rest) = rest.split_at(units);
        let (output, output_bias) = rest.split_at(sites * units);
        Box::new(Bound::new(Perceptron::new(hidden, hidden_bias, output, output_bias), path, sites))
    }

    fn scales(&self) -> bool {
        false
    }
}
