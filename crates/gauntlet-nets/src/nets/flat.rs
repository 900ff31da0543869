//! What the settings of a network with a flat vector of weights say of it, in one place.
//!
//! Its arithmetic is its [`Kernel`]'s.

use super::Kernel;
use super::kernels::Path;

/// The settings of a network whose weights are one vector, before it has weights.
pub(super) trait FlatNet {
    /// The architecture and its sizes, for people: `MDLSTM k=3`.
    fn name(&self) -> String;

    /// Number of weights on a board of `sites` sites.
    fn weight_count(&self, sites: usize) -> usize;

    /// Binds so many finite weights to a board of `size` rows and columns.
    fn kernel(&self, path: Path, size: usize, weights: &[f64]) -> Box<dyn Kernel>;

    /// Whether the same weights play on boards of every size.
    fn scales(&self) -> bool {
        true
    }
}
