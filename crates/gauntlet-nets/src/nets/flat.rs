//! The trait of networks with a flat vector of weights.
//!
//! Their arithmetic is in the [`Kernel`].

use super::Kernel;
use super::kernels::Path;

/// The settings of a network whose weights are one vector.
pub(super) trait FlatNet {
    /// Display name of the architecture with its sizes: `MDLSTM k=3`.
    fn name(&self) -> String;

    /// Number of weights on a board of `sites` sites.
    fn weight_count(&self, sites: usize) -> usize;

    /// Binds this number of finite weights to a board of `size` rows and columns.
    fn kernel(&self, path: Path, size: usize, weights: &[f64]) -> Box<dyn Kernel>;

    /// Whether the same weights work on boards of every size.
    fn scales(&self) -> bool {
        true
    }
}
