//! MDLSTM: four diagonal swipes over the board by a layer of LSTM cells.
//!
//! Schaul and Schmidhuber 2009, sections 2.2 and 2.3; Graves, Fernandez and Schmidhuber 2007 for cells in several
//! dimensions. No peepholes, tanh on a cell's input and output, the same weights in all directions and both
//! dimensions. With x the two inputs of a site, `up` and `left` the neighbours that a swipe comes from:
//!
//! ```text
//! z      = W_in x + W_hidden (h_up + h_left) + (number of missing neighbours) w_border
//! c      = sigmoid(z_input) tanh(z_cell) + sigmoid(z_forget_up) c_up + sigmoid(z_forget_left) c_left
//! h      = sigmoid(z_output) tanh(c)
//! output = sigmoid(sum over the four swipes of w_out h)
//! ```
//!
//! Weights, in this order, all row-major, with g rows of k for each gate in the order input, forget (up, left),
//! cell, output: `W_in [g k][2]` (own stone, opponent's), `W_hidden [g k][k]`, `w_border [g k]`, `w_out [k]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::flat::FlatNet;
use super::kernels::{Arac, Library, NoForget, OneForget, Path, SwipeWeights, TwoForget, swipe};
use super::part::Part;
use super::{Count, Kernel};

/// An MDLSTM of k cells; on any board `5 k^2 + 16 k` weights (93 at the paper's k = 3), fewer with fewer forget gates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mdlstm {
    /// LSTM cells k in the swiping layer, 1 to 64; the paper's is 3.
    pub cells: Count<64>,
    /// Forget gates for the two neighbours' states.
    #[serde(default)]
    pub forget: Forget,
}

/// The forget gates for the states of the two neighbours that a swipe comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Forget {
    /// One gate for the neighbour in the previous row, one for that in the previous column, in every swipe;
    /// `5 k^2 + 16 k` weights.
    #[default]
    Equations,
    /// The same two gates as the authors' library (PyBrain) assigns them, so that they swap with the
    /// direction of the swipe and at borders; `5 k^2 + 16 k` weights.
    Library,
    /// The gates of the library as implemented in the authors' C++ back end of 2009 (arac): the second gate stays 0,
    /// so that the state comes from one neighbour only; `5 k^2 + 16 k` weights, of which those of the second gate
    /// have no effect.
    Arac,
    /// One gate for both neighbours; `4 k^2 + 13 k` weights.
    Shared,
    /// No forget gate: the neighbours' states are added in full; `3 k^2 + 10 k` weights.
    None,
}

impl Forget {
    /// Number of weighted sums of one cell: its gates and its input.
    fn sums(self) -> usize {
        match self {
            Forget::Equations | Forget::Library | Forget::Arac => 5,
            Forget::Shared => 4,
            Forget::None => 3,
        }
    }
}

impl Mdlstm {
    /// The parts of the vector.
    pub(super) fn weight_parts(&self) -> Vec<Part> {
        let gates: &[&str] = match self.forget {
            Forget::Equations => &["input", "forget row", "forget column", "cell", "output"],
            Forget::Library | Forget::Arac => &["input", "forget first", "forget second", "cell", "output"],
            Forget::Shared => &["input", "forget", "cell", "output"],
            Forget::None => &["input", "cell", "output"],
        };
        Part::swiping(gates, self.cells.get())
    }
}

impl FlatNet for Mdlstm {
    fn name(&self) -> String {
        let forget = match self.forget {
            Forget::Equations => "",
            Forget::Library => ", library's forget gates",
            Forget::Arac => ", arac's forget gates",
            Forget::Shared => ", one forget gate",
            Forget::None => ", no forget gate",
        };
        format!("MDLSTM k={}{forget}", self.cells.get())
    }

    fn weight_count(&self, _sites: usize) -> usize {
        SwipeWeights::count(self.forget.sums(), self.cells.get())
    }

    fn kernel(&self, path: Path, size: usize, weights: &[f64]) -> Box<dyn Kernel> {
        let weights = SwipeWeights::split(self.forget.sums(), self.cells.get(), weights);
        match self.forget {
            Forget::Equations => swipe::<TwoForget>(path, size, weights),
            Forget::Library => swipe::<Library>(path, size, weights),
            Forget::Arac => swipe::<Arac>(path, size, weights),
            Forget::Shared => swipe::<OneForget>(path, size, weights),
            Forget::None => swipe::<NoForget>(path, size, weights),
        }
    }
}
