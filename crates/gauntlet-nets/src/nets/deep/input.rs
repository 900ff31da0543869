//! The batches that networks read, and errors for others.

use super::DeepError;
use crate::encoders::{Batch, Dims, EdgeFeatures, Planes};

/// The kind of batches that an architecture reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    /// Graphs of boards of any size, one number a node; also parts of boards.
    Graphs,
    /// Graphs of moves on boards of any size.
    Moves {
        /// Features of an edge.
        edges: EdgeFeatures,
    },
    /// Images, all of one size.
    Images {
        /// Minimum number of rows and columns.
        least: usize,
        /// The meaning of the logits.
        logits: Logits,
    },
}

/// The meaning of the logits of a network over images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Logits {
    /// Sites, and optionally a pass after them.
    Sites,
    /// Any slots.
    Slots,
    /// Whole planes, each with a logit for every cell of the image.
    Planes,
}

impl InputKind {
    /// The images of these dimensions; `net` is the network's name for errors.
    ///
    /// # Errors
    /// [`DeepError::Batch`] for unsupported dimensions.
    pub fn images(self, given: Dims, net: &'static str) -> Result<Images, DeepError> {
        let images = Images::of(given).filter(|_| self.check(given).is_ok());
        images.ok_or_else(|| DeepError::Batch { net, wanted: self.wanted(), given })
    }

    /// The supported batches, for errors.
    pub fn wanted(self) -> String {
        match self {
            InputKind::Graphs => "graphs with one number a node".to_owned(),
            InputKind::Moves { .. } => "graphs of moves".to_owned(),
            InputKind::Images { least, logits } => {
                let slots = match logits {
                    Logits::Sites => ", an action a site and perhaps a pass",
                    Logits::Slots => "",
                    Logits::Planes => ", whole planes of slots",
                };
                format!("images of at least {least} rows and columns{slots}")
            }
        }
    }

    /// Checks that batches of these dimensions are supported.
    ///
    /// # Errors
    /// The reason, as a text after a colon.
    pub fn check(self, dims: Dims) -> Result<(), String> {
        match (self, dims) {
            (InputKind::Graphs, Dims::Graphs { .. }) => Ok(()),
            (InputKind::Graphs, Dims::Planes { .. }) => Err("it reads graphs, not images".to_owned()),
            (InputKind::Images { .. }, Dims::Graphs { .. }) => Err("it reads images, not graphs".to_owned()),
            (InputKind::Images { least, .. }, Dims::Planes { rows, columns, .. }) if rows.min(columns) < least => {
                Err(format!("the board is smaller than the {least} x {least} sites that the network needs"))
            }
            (InputKind::Images { logits: Logits::Sites, .. }, Dims::Planes { rows, columns, actions, .. })
                if !(rows * columns..=rows * columns + 1).contains(&actions) =>
            {
                Err(format!("it has a logit a site and perhaps one for a pass, and {actions} actions want one each"))
            }
            (InputKind::Images { logits: Logits::Planes, .. }, Dims::Planes { rows, columns, actions, .. })
                if !actions.is_multiple_of(rows * columns) =>
            {
                Err(format!("its logits are planes of {rows} x {columns}, which {actions} slots do not fill exactly"))
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

/// The images of a convolution network.
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
    /// The images of these dimensions, if they describe images.
    #[must_use]
    pub fn of(dims: Dims) -> Option<Images> {
        match dims {
            Dims::Planes { channels, rows, columns, actions } => Some(Images { channels, rows, columns, actions }),
            Dims::Graphs { .. } | Dims::Moves(_) => None,
        }
    }

    /// The dimensions of a batch.
    #[must_use]
    pub fn dims(self) -> Dims {
        let Images { channels, rows, columns, actions } = self;
        Dims::Planes { channels, rows, columns, actions }
    }

    /// The images of a batch; `net` is the network's name for errors.
    ///
    /// # Errors
    /// [`DeepError::Batch`] for other batches.
    pub fn planes<'a>(self, batch: &'a Batch, net: &'static str) -> Result<&'a Planes, DeepError> {
        match batch {
            Batch::Planes(planes) if planes.dims() == self.dims() => Ok(planes),
            _ => Err(DeepError::Batch { net, wanted: self.dims().to_string(), given: batch.dims() }),
        }
    }
}
