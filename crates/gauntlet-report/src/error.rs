//! Errors of rendering. None of them depends on numbers: a sheet without data is rendered as such.

use thiserror::Error;

use gauntlet_store::frames::FrameError;

/// Why a sheet or a page could not be rendered.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The plotting library failed; its message follows.
    #[error("cannot draw the figure of {artefact}: {message}")]
    Drawing {
        /// Key of the artefact.
        artefact: String,
        /// The message of the library.
        message: String,
    },
    /// The labels of a picture leave no room for its panels.
    #[error("the figure of {artefact} has no room beside its labels: {width:.0}pt wide with letters of {letters}pt")]
    Narrow {
        /// Key of the artefact.
        artefact: String,
        /// Width in points.
        width: f64,
        /// Size of letters in points.
        letters: f64,
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
        /// The error of the template engine.
        #[source]
        source: minijinja::Error,
    },
}

impl ReportError {
    /// The suggested fix, if there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        matches!(self, ReportError::Narrow { .. }).then_some("choose a larger width or smaller letters")
    }
}
