//! Inference: a network's layers bound to its current weights, as steps on flat numbers.
//!
//! The binder (`plan`) chooses a kernel for each layer by its shape, folds batch norms into the preceding layer and the
//! mean of a layer norm into its weights, and places the results in a few buffers. `steps` runs the kernels; `images`
//! and `graphs` cut batches into chunks that stay in the cache. The result of a position depends only on that
//! position, to the bit.

mod cells;
mod check;
mod first_layers;
mod graphs;
mod images;
mod lanes;
mod patches;
mod plan;
mod site_rows;
mod steps;
mod table;

pub use check::check;
pub use graphs::GraphInference;
pub use images::ImageInference;
pub use site_rows::SiteRows;

use super::layers::LayeredNet;
use super::{DeepError, Inference};
use crate::encoders::Dims;
use crate::nets::NumberFormat;
use crate::nets::kernels::Path;

/// Binds the current weights of a network, in a number format, to the fastest instructions of this machine.
///
/// # Errors
/// Errors of Candle.
pub fn inference(net: &LayeredNet, numbers: NumberFormat) -> Result<Box<dyn Inference>, DeepError> {
    Ok(match net.dims {
        Dims::Planes { .. } => Box::new(ImageInference::new(net, numbers)?),
        Dims::Graphs { .. } | Dims::Moves(_) => Box::new(GraphInference::on(Path::best(), net, numbers)?),
    })
}
