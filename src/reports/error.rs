//! What can go wrong while rendering. Nothing here depends on numbers: a sheet without data renders as such.

use thiserror::Error;

use crate::store::frames::FrameError;

/// Why a sheet or a page could not be rendered.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The plotting library refused to draw; its message follows.
    #[error("cannot draw the figure of {artefact}: {message}")]
    Drawing {
        /// Key of the artefact.
        artefact: String,
        /// What the library said.
        message: String,
    },
    /// The table of its numbers could not be built.
    #[error(transparent)]
    Table(#[from] FrameError),
    /// The page template failed.
    #[error("cannot render the page of {paper} at profile {profile}")]
    Page {
        /// Key of the paper.
        paper: String,
        /// Name of the profile.
        profile: String,
        /// What the template engine said.
        #[source]
        source: minijinja::Error,
    },
}
