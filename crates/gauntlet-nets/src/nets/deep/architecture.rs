//! The trait of deep architectures: name, input and layers of a network.

use super::input::InputKind;
use super::layers::{LayeredNet, Network, OwnKernels, PositionSize};
use super::params::Maker;
use super::{DeepError, Net};
use crate::encoders::{Dims, Extent};

/// The settings of a deep network.
pub trait Architecture {
    /// The name of the architecture: `SAZ`.
    fn title(&self) -> &'static str;

    /// Display name of the architecture with its sizes: `SAZ 3x512`.
    fn name(&self) -> String;

    /// The input of the network.
    fn reads(&self) -> InputKind;

    /// Whether the same weights work on boards of every size.
    fn scales(&self) -> bool;

    /// The layers for batches of these dimensions; `None` for unsupported dimensions.
    fn network(&self, dims: Dims) -> Option<Network>;

    /// Whether weights trained on batches of one kind can be used on those of the other.
    fn carries_over(&self, learned: Dims, played: Dims) -> bool {
        self.scales() || learned == played
    }

    /// Number of trained weights for batches of these dimensions; `None` for unsupported dimensions.
    fn weight_count(&self, dims: Dims) -> Option<usize> {
        Some(self.network(dims)?.weight_count())
    }

    /// Whether it has weights that a training can change.
    fn learns(&self) -> bool {
        true
    }

    /// Minimum number of positions in a step of optimisation: batch norm maps any single row to the same output.
    fn least_batch(&self) -> u32 {
        1
    }

    /// Checks that it supports the encoding of a game, and has a logit for each slot.
    ///
    /// # Errors
    /// The reason, as a text after a colon.
    fn check(&self, extent: Extent) -> Result<(), String> {
        self.reads().check(extent.dims)
    }

    /// Half of [`Net::flops`] of a position, computed without a network: for estimates.
    fn board_macs(&self, extent: Extent) -> f64 {
        self.network(extent.dims).map_or(0.0, |network| network.macs(PositionSize::of_extent(extent)) as f64)
    }

    /// Builds the network for these batches, with the weights that the maker draws.
    ///
    /// # Errors
    /// [`DeepError::Batch`] for unsupported batches, [`DeepError::Layer`] for a layer without a kernel, and errors of
    /// Candle.
    fn build(&self, dims: Dims, maker: Maker<'_>) -> Result<Box<dyn Net>, DeepError> {
        let network = self.network(dims).filter(|_| self.reads().check(dims).is_ok());
        let refused = || DeepError::Batch { net: self.title(), wanted: self.reads().wanted(), given: dims };
        let (network, own) = (network.ok_or_else(refused)?, self.own_kernels());
        Ok(Box::new(LayeredNet::new(self.title(), dims, network, own, maker)?))
    }

    /// Kernels of its own, if it has some.
    fn own_kernels(&self) -> Option<Box<dyn OwnKernels>> {
        None
    }
}
