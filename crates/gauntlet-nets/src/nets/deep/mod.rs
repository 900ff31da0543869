//! Networks trained by gradients, on Candle: one file is one architecture.
//!
//! A [`Net`] reads a [`Batch`](crate::encoders::Batch) and returns [`Heads`]. For play it creates an [`Inference`]:
//! the same function with its current weights, without gradients, and with its normalisations folded into its weights
//! if that is exact. `ops` holds the differentiable operations, `params` the named tensors.
//!
//! To add one: a file with a configuration, which is an [`Architecture`], and a [`Net`]; then a variant of [`DeepSpec`],
//! its arm and one of [`DeepSpec::examples`], on which the laws in `laws` run.

mod agz_cnn;
mod architecture;
mod az_cnn;
mod az_cnn_net;
mod checkpoint;
mod conv_inference;
mod dense;
mod device;
mod error;
mod gat;
mod gat_inference;
mod gat_net;
mod gateau;
mod gateau_core;
mod gateau_inference;
mod gateau_net;
mod gateau_steps;
#[cfg(test)]
mod gateau_vectors;
mod image_inference;
mod inference;
mod layers;
mod move_head;
mod net;
mod ops;
mod params;
mod plain;
mod poly_cnn;
mod poly_cnn_inference;
mod poly_cnn_net;
mod poly_trunk;
mod pooled_value;
mod ranges;
mod res_net_inference;
mod res_net_v2;
mod res_net_v2_net;
#[cfg(test)]
mod res_net_vectors;
mod saz;
mod saz_core;
mod saz_inference;
mod saz_moves_inference;
mod saz_moves_net;
mod saz_net;
mod site_rows;
mod spec;
mod trunk_norm;
mod two_heads;
mod window_cnn;

#[cfg(test)]
mod laws;

pub use agz_cnn::AgzCnn;
pub use architecture::{Architecture, Images, InputKind, Logits};
pub use az_cnn::AzCnn;
pub use checkpoint::{DeepCheckpoint, read_tensors, write_tensors};
pub use device::{DeviceError, DeviceName, Precision, compute_on, device_class};
pub use error::DeepError;
pub use gat::Gat;
pub use gateau::Gateau;
pub use gateau_inference::GateauInference;
pub use inference::{Answers, Inference};
pub use net::{Heads, Mode, Net, weight_count};
pub use ops::composed_alone;
pub use params::{Init, Param, Saved, load, not_finite, save};
pub use plain::{Plain, inference_of};
pub use poly_cnn::PolyCnn;
pub use poly_trunk::{PolyTrunk, TrunkShape};
pub use pooled_value::PoolScore;
pub use res_net_v2::ResNetV2;
pub use saz::{Pool, Saz};
pub use saz_inference::SazInference;
pub use spec::DeepSpec;
pub use trunk_norm::TrunkNorm;
pub use window_cnn::WindowCnn;
