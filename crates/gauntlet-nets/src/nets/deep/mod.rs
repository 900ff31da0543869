//! Networks trained by gradients, on Candle: one file is one architecture.
//!
//! A [`Net`] reads a [`Batch`](crate::encoders::Batch) and returns [`Heads`]. For play it creates an [`Inference`]:
//! the same function with its current weights, without gradients, and with its normalisations folded into its weights
//! if that is exact. `ops` holds the differentiable operations, `params` the named tensors.
//!
//! To add one: a file with its settings, which are an [`Architecture`] and state the layers; then a variant of
//! [`DeepSpec`], its arm and one of [`DeepSpec::examples`], on which the laws in `laws` run. `layers` holds the layers,
//! their count and their pass on tensors; `bind` makes inference of them.

mod architecture;
mod bind;
mod card;
mod checkpoint;
mod checks;
mod dense;
mod device;
mod error;
mod external;
mod graph;
mod image;
mod inference;
mod input;
mod layered;
mod layers;
mod listing;
mod moves;
mod net;
mod onnx;
mod ops;
mod owner;
mod params;
mod plain;
mod ranges;
mod spec;
mod trouble;
mod trunk_norm;

#[cfg(test)]
mod format_laws;
#[cfg(test)]
mod laws;

pub use architecture::Architecture;
pub use checkpoint::{DeepCheckpoint, read_tensors, write_tensors};
pub use checks::{NetworkCheck, SumsCheck, check_network, check_sums, gpu_roofs};
pub use device::{
    DeviceError, DeviceName, Precision, compute_on, device_class, device_load, is_card, on_device, portable_class,
    precision,
};
pub use error::DeepError;
pub use external::External;
pub use graph::{Pool, Saz};
pub use image::{AgzCnn, AzCnn, PolyCnn, PolyTrunk, ResNetV2, TrunkShape, WindowCnn};
pub use inference::{Answers, Inference};
pub use input::{Images, InputKind, Logits};
pub use listing::{ListedTensor, listed_tensors};
pub use moves::{Gat, Gateau, PoolScore};
pub use net::{Heads, Mode, Net, weight_count};
pub use onnx::{Onnx, OnnxError, OnnxModel, OnnxOutput, Port};
pub use ops::{composed_alone, numbers_at};
pub use owner::{Forward, Limits, Load, Owner, Served};
pub use params::{Init, Param, Saved, load, not_finite, save};
pub use plain::{Plain, inference_of};
pub use spec::DeepSpec;
pub use trunk_norm::TrunkNorm;
