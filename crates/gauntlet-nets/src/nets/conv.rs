//! CONV: one layer of feature maps over a padded board.
//!
//! Schaul and Schmidhuber 2009, section 3: k maps with a receptive field of rho x rho, no subsampling, a sigmoid that
//! combines the features; "the input board is padded with additional positions around the borders"; the padding holds
//! a trainable value. The features are tanh without bias, as in the authors' library. With X the padded board:
//!
//! ```text
//! f_m    = tanh(sum over the field around the site of F_m X)
//! output = sigmoid(sum over the maps of w_m f_m)
//! ```
//!
//! One plane (own stone +1, opponent's -1) gives the paper's weight count; two planes (own, opponent's) are the
//! authors' class. Weights, in this order, row-major: `F [maps][row][column][plane]`, `w [maps]`, border `[plane]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::flat::FlatNet;
use super::kernels::{Bound, Convolution, Path};
use super::part::Part;
use super::{Count, Field, Kernel};

/// A CONV of k maps; on any board `k (rho^2 + 1) + 1` weights with one plane, `k (2 rho^2 + 1) + 2` with two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Conv {
    /// Feature maps k, 1 to 64.
    pub maps: Count<64>,
    /// Side rho of the receptive field, odd, 1 to 15.
    pub field: Field,
    /// Input planes, 1 (own +1, opponent -1; the paper's count) or 2 (own, opponent; the authors' library).
    #[serde(default = "Conv::one_plane")]
    pub planes: Count<2>,
}

impl Conv {
    fn one_plane() -> Count<2> {
        Count::try_from(1).expect("1 is in range")
    }

    /// The parts of the vector.
    pub(super) fn weight_parts(&self) -> Vec<Part> {
        let (maps, field, planes) = (self.maps.get(), self.field.get(), self.planes.get());
        let plane = if planes == 2 { "plane (own, opponent's stones)" } else { "plane (own stone 1, opponent's -1)" };
        vec![
            Part::new("F", &[maps, field, field, planes], format!("the fields: map, row, column, {plane}")),
            Part::new("w", &[maps], "weights of the features: map"),
            Part::new("border", &[planes], "the numbers around the board: plane"),
        ]
    }
}

impl FlatNet for Conv {
    fn name(&self) -> String {
        let planes = if self.planes.get() == 2 { ", two planes" } else { "" };
        format!("CONV k={} rho={}{planes}", self.maps.get(), self.field.get())
    }

    fn weight_count(&self, _sites: usize) -> usize {
        let (maps, field, planes) = (self.maps.get(), self.field.get(), self.planes.get());
        maps * (planes * field * field + 1) + planes
    }

    fn kernel(&self, path: Path, size: usize, weights: &[f64]) -> Box<dyn Kernel> {
        let (maps, field, planes) = (self.maps.get(), self.field.get(), self.planes.get());
        let (fields, rest) = weights.split_at(maps * field * field * planes);
        let (output, border) = rest.split_at(maps);
        Box::new(Bound::new(Convolution::new(size, field, fields, output, border), path, size * size))
    }
}
