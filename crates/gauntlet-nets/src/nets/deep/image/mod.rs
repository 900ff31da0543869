//! Networks over images of boards: one file is one architecture, with its paper.

mod agz_cnn;
mod az_cnn;
mod poly_cnn;
mod poly_trunk;
mod res_net_v2;
#[cfg(test)]
mod res_net_vectors;
mod window_cnn;

pub use agz_cnn::AgzCnn;
pub use az_cnn::AzCnn;
pub use poly_cnn::PolyCnn;
pub use poly_trunk::{PolyTrunk, TrunkShape};
pub use res_net_v2::ResNetV2;
pub use window_cnn::{BoardWindows, WindowCnn};
