//! Networks. One file is one architecture, with its paper, its configuration and its weight count.
//!
//! The networks of the first implemented paper (Schaul and Schmidhuber 2009, section 2) are small, are never
//! differentiated and are evaluated millions of times: each is a flat vector of weights and a [`Kernel`] that reads
//! stones and writes logits. A slow reference implementation of each kernel, directly from the equations, is its
//! oracle in the tests. A net depends on no game and chooses no move.
//!
//! To add one: a file, a variant and its arm in [`NetSpec`]. Networks trained by gradients are the other family: see
//! [`deep`]. Both use the same `kernels`.

mod bundle;
mod checkpoint;
mod checksum;
mod conv;
pub mod deep;
mod error;
mod flat;
mod kernel;
mod kernels;
mod listed_file;
mod mdlstm;
mod mdrnn;
mod mlp;
mod number_format;
mod part;
mod size;
mod softmax;
mod spec;
mod weights;

#[cfg(test)]
mod laws;
#[cfg(test)]
mod reference;

pub use bundle::Bundle;
pub use checkpoint::{Checkpoint, CheckpointError, read_versioned};
pub use checksum::{Checksum, checksum, with_checksum};
pub use conv::Conv;
pub use error::{LARGEST_BOARD, LARGEST_WEIGHT, NetError};
pub use kernel::Kernel;
pub use kernels::{SampleProduct, instructions, require_known_cap};
pub use listed_file::{ListedFile, StoredTensor};
pub use mdlstm::{Forget, Mdlstm};
pub use mdrnn::Mdrnn;
pub use mlp::Mlp;
pub use number_format::NumberFormat;
pub use part::Part;
pub use size::{Count, Field, SizeError};
pub use softmax::softmax;
pub use spec::NetSpec;
pub use weights::random_weights;
