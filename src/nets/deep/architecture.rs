//! What an architecture says of itself, in one place: its name, what it reads, how large it is.
//!
//! Its arithmetic is its [`Net`]'s.

use super::params::Maker;
use super::{DeepError, Net};
use crate::encoders::{Batch, Dims, Planes};

/// The settings of a deep network, before it has weights.
pub trait Architecture {
    /// The architecture and its sizes, for people: `SAZ 3x512`.
    fn name(&self) -> String;

    /// What it reads.
    fn reads(&self) -> InputKind;

    /// Whether the same weights play on boards of every size.
    fn scales(&self) -> bool;

    /// Number of trained weights for batches of these dimensions; `None` where it does not read them.
    fn weight_count(&self, dims: Dims) -> Option<usize>;

    /// Positions that a step of optimisation takes at least: batch norm makes the same of any single row.
    fn least_batch(&self) -> u32 {
        1
    }

    /// Roughly half of [`Net::flops`] on a board of so many rows and columns, before there is a network: for estimates.
    fn board_products(&self, side: usize) -> f64;

    /// The network for these batches, with the weights that the maker draws.
    ///
    /// # Errors
    /// [`DeepError::Batch`] for batches that it does not read, and Candle's.
    fn build(&self, dims: Dims, maker: Maker<'_>) -> Result<Box<dyn Net>, DeepError>;
}

/// The batches that an architecture reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    /// Graphs of boards of any size, one number a node; parts of a board too.
    Graphs,
    /// Images, all of one size.
    Images {
        /// The least number of rows and columns.
        least: usize,
    },
}

impl InputKind {
    /// The images of these dimensions, for the network of this name.
    ///
    /// # Errors
    /// [`DeepError::Batch`] where it does not read them.
    pub fn images(self, given: Dims, net: &'static str) -> Result<Images, DeepError> {
        let InputKind::Images { least } = self else {
            return Err(DeepError::Batch { net, wanted: "graphs".to_owned(), given });
        };
        let fits = |images: &Images| {
            let sites = images.rows * images.columns;
            images.rows.min(images.columns) >= least && (sites..=sites + 1).contains(&images.actions)
        };
        Images::of(given).filter(fits).ok_or_else(|| {
            let wanted = format!("images of at least {least} rows and columns, an action a site and perhaps a pass");
            DeepError::Batch { net, wanted, given }
        })
    }
}

/// Images that a convolution network is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Images {
    /// Numbers a site.
    pub channels: usize,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Logits.
    pub actions: usize,
}

impl Images {
    /// The images that these dimensions are of, if they are.
    #[must_use]
    pub fn of(dims: Dims) -> Option<Images> {
        match dims {
            Dims::Planes { channels, rows, columns, actions } => Some(Images { channels, rows, columns, actions }),
            Dims::Graphs { .. } => None,
        }
    }

    /// As dimensions of a batch.
    #[must_use]
    pub fn dims(self) -> Dims {
        let Images { channels, rows, columns, actions } = self;
        Dims::Planes { channels, rows, columns, actions }
    }

    /// The images of a batch, for the network of this name.
    ///
    /// # Errors
    /// [`DeepError::Batch`] for others.
    pub fn planes<'a>(self, batch: &'a Batch, net: &'static str) -> Result<&'a Planes, DeepError> {
        match batch {
            Batch::Planes(planes) if planes.dims() == self.dims() => Ok(planes),
            _ => Err(DeepError::Batch { net, wanted: format!("{:?}", self.dims()), given: batch.dims() }),
        }
    }
}
