//! Fast inference kernels: one position in each lane, weights broadcast, every product and sum fused.
//!
//! Networks are defined in the room above, one file each, with a slow reference implementation that these kernels are
//! tested against. Weights are not checked here.
//!
//! Invariant: a result's bits depend only on the weights and on its own lane: not on the other lanes, the number of
//! blocks or the instruction set ([`Path`]). All sums have one fixed order, every operation of a [`Vector`] rounds
//! once, and the compiler may not reorder anything.
//!
//! Operations of a [`Vector`] are in loops, never in closures passed to the standard library (`extend`, `for_each`):
//! those are compiled for every processor, and each operation becomes a call.
//!
//! Large kernels run by [`Vector::perform`], so that networks share their code.

#[cfg(target_arch = "x86_64")]
mod amx;
mod bf16;
mod bf16_product;
mod cap;
mod chains;
mod conv;
mod edges;
mod format;
mod format_product;
mod instruction_sets;
mod int8;
mod int8_layer;
mod lane_winograd;
mod lanes;
mod low_precision;
mod low_precision_sets;
#[cfg(target_arch = "x86_64")]
mod low_precision_x86;
mod matrix;
mod mlp;
mod nodes;
mod pool;
mod product;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod side_by_side;
mod swipe;
mod tanh;
mod unit;
mod vector;
mod winograd;

pub use bf16::Bf16Matrix;
pub use cap::require_known_cap;
pub use conv::Convolution;
pub use edges::{add, add_scale_relu, dot_of_sum, join, leaky_relu, offset_relu, scale_relu, weighted_sum};
pub use format::{FormatMatrix, SampleProduct};
pub use format_product::multiply_in;
pub use instruction_sets::{Bound, Path};
pub use int8::Int8Matrix;
pub use lane_winograd::{LaneSpectra, LaneWinograd};
pub use lanes::{LaneConvolution, LaneDense, interleave, pool_lanes, separate};
pub use low_precision_sets::instructions;
pub use matrix::{Matrix, Rows, slots};
pub use mlp::Perceptron;
pub use nodes::{aggregate, dot, norm_relu};
pub use pool::{add_relu, pool, relu};
pub use product::MatrixView;
pub use swipe::{SwipeWeights, swipe};
pub use unit::{Arac, Library, NoForget, OneForget, TanhUnit, TwoForget, Unit};
pub use vector::{AlignedLanes, Lanes, Vector, Vectorized};
pub use winograd::{Spectra, Winograd};

/// The arithmetic of a network on one block of positions.
pub trait Compute: Send {
    /// Writes the logit of each site, from own and opponent stones; all `[site]`.
    ///
    /// Implementations are `#[inline(always)]`, so that the code is compiled for the caller's instructions.
    fn block<V: Vector>(&mut self, own: &[Lanes], opponent: &[Lanes], logits: &mut [Lanes]);
}
