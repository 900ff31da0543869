//! What an architecture says of itself, in one place: its name, what it reads, how large it is.
//!
//! Its arithmetic is its [`Net`]'s.

use super::params::Maker;
use super::{DeepError, Net};
use crate::encoders::{Batch, Dims, EdgeFeatures, Extent, MoveDims, MoveGraphs, Planes};

/// The settings of a deep network, before it has weights.
pub trait Architecture {
    /// The architecture and its sizes, for people: `SAZ 3x512`.
    fn name(&self) -> String;

    /// What it reads.
    fn reads(&self) -> InputKind;

    /// Whether the same weights play on boards of every size.
    fn scales(&self) -> bool;

    /// Whether weights that learned from batches of one kind play on those of the other.
    fn carries_over(&self, learned: Dims, played: Dims) -> bool {
        self.scales() || learned == played
    }

    /// Number of trained weights for batches of these dimensions; `None` where it does not read them.
    fn weight_count(&self, dims: Dims) -> Option<usize>;

    /// Positions that a step of optimisation takes at least: batch norm makes the same of any single row.
    fn least_batch(&self) -> u32 {
        1
    }

    /// Whether it reads what is written of a game, and has a logit for each slot.
    ///
    /// # Errors
    /// Why not, as what follows a colon.
    fn check(&self, extent: Extent) -> Result<(), String> {
        self.reads().check(extent.dims)
    }

    /// Roughly half of [`Net::flops`] of a position, before there is a network: for estimates.
    fn board_products(&self, extent: Extent) -> f64;

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
    /// Graphs of moves on boards of any size.
    Moves {
        /// What is written of an edge.
        edges: EdgeFeatures,
    },
    /// Images, all of one size.
    Images {
        /// The least number of rows and columns.
        least: usize,
        /// What the logits are of.
        logits: Logits,
    },
}

/// What the logits of a network over images are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Logits {
    /// Sites, and perhaps a pass behind them.
    Sites,
    /// Whatever the slots are.
    Slots,
    /// Whole planes, each with a logit for every place of the image.
    Planes,
}

impl InputKind {
    /// The images of these dimensions, for the network of this name.
    ///
    /// # Errors
    /// [`DeepError::Batch`] where it does not read them.
    pub fn images(self, given: Dims, net: &'static str) -> Result<Images, DeepError> {
        let InputKind::Images { least, logits } = self else {
            return Err(DeepError::Batch { net, wanted: "graphs".to_owned(), given });
        };
        let images = Images::of(given).filter(|_| self.check(given).is_ok());
        images.ok_or_else(|| {
            let slots = match logits {
                Logits::Sites => ", an action a site and perhaps a pass",
                Logits::Slots => "",
                Logits::Planes => ", whole planes of slots",
            };
            DeepError::Batch { net, wanted: format!("images of at least {least} rows and columns{slots}"), given }
        })
    }

    /// Whether batches of these dimensions are among them.
    ///
    /// # Errors
    /// Why not, as what follows a colon.
    pub fn check(self, dims: Dims) -> Result<(), String> {
        match (self, dims) {
            (InputKind::Graphs, Dims::Graphs { .. }) => Ok(()),
            (InputKind::Graphs, Dims::Planes { .. }) => Err("it reads graphs, not images".to_owned()),
            (InputKind::Images { .. }, Dims::Graphs { .. }) => Err("it reads images, not graphs".to_owned()),
            (InputKind::Images { least, .. }, Dims::Planes { rows, columns, .. }) if rows.min(columns) < least => {
                Err(format!("the board is smaller than the {least} x {least} sites that the network looks at"))
            }
            (InputKind::Images { logits: Logits::Sites, .. }, Dims::Planes { rows, columns, actions, .. })
                if !(rows * columns..=rows * columns + 1).contains(&actions) =>
            {
                Err(format!("it has a logit a site and perhaps one for a pass, and {actions} actions want one each"))
            }
            (InputKind::Images { logits: Logits::Planes, .. }, Dims::Planes { rows, columns, actions, .. })
                if !actions.is_multiple_of(rows * columns) =>
            {
                Err(format!("its logits are planes of {rows} x {columns}, and {actions} slots fill no whole planes"))
            }
            (InputKind::Images { .. }, Dims::Planes { .. }) => Ok(()),
            (InputKind::Moves { .. }, Dims::Moves(_)) => Ok(()),
            (InputKind::Moves { .. }, Dims::Planes { .. } | Dims::Graphs { .. }) => {
                Err("it reads graphs whose edges are moves".to_owned())
            }
            (InputKind::Graphs | InputKind::Images { .. }, Dims::Moves(_)) => {
                Err("it does not read graphs whose edges are moves".to_owned())
            }
        }
    }
}

/// The graphs of moves of a batch, for the network of this name.
///
/// # Errors
/// [`DeepError::Batch`] for others than of these dimensions.
pub fn move_graphs<'a>(batch: &'a Batch, dims: MoveDims, net: &'static str) -> Result<&'a MoveGraphs, DeepError> {
    match batch {
        Batch::Moves(moves) if moves.dims() == dims => Ok(moves),
        _ => {
            let wanted = format!("graphs of moves with {} numbers a node and {} an edge", dims.node(), dims.edge);
            Err(DeepError::Batch { net, wanted, given: batch.dims() })
        }
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
    /// Logits, one a slot.
    pub actions: usize,
}

impl Images {
    /// The images that these dimensions are of, if they are.
    #[must_use]
    pub fn of(dims: Dims) -> Option<Images> {
        match dims {
            Dims::Planes { channels, rows, columns, actions } => Some(Images { channels, rows, columns, actions }),
            Dims::Graphs { .. } | Dims::Moves(_) => None,
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
