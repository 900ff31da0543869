//! What a kind of exhibit is rendered from, and what its rendering gives.

use super::error_bars::ErrorBars;
use super::frame::Frame;
use super::sheet::{Chart, Point, Table};

/// The axis of the rows and columns of the board.
pub(super) const BOARD_SIZE: &str = "game.size";

/// Everything that the rendering of an exhibit may look at besides its settings.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The runs.
    pub facts: &'a Frame<'a>,
    /// The errors that are shown.
    pub errors: ErrorBars,
    /// Whether published numbers stand beside measured ones.
    pub published: bool,
    /// The basis of the numbers.
    pub basis: Basis,
    /// Whether what it shows is made by the jobs of the profile `paper`, or these and more runs, so that published numbers
    /// may be judged.
    pub comparable: bool,
}

/// The basis of the numbers of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// Means over runs, which a reader orders by size.
    Means,
    /// Other statistics of results.
    Results,
    /// Counts, which have no errors.
    Counts,
    /// The data that the paper published: its numbers are computed again, and chance has no part in it.
    PublishedData,
    /// Nothing is measured.
    Nothing,
}

/// The measured part of a sheet.
pub struct Content {
    /// Every number.
    pub points: Vec<Point>,
    /// The table of the points.
    pub table: Option<Table>,
    /// The picture.
    pub chart: Chart,
    /// Remarks, one sentence each.
    pub notes: Vec<String>,
    /// Sentences on what is shown.
    pub caption: String,
}

impl Context<'_> {
    /// A label as it is shown.
    #[must_use]
    pub fn show(&self, label: &str) -> String {
        self.facts.words.get(label).cloned().unwrap_or_else(|| label.to_owned())
    }

    /// Labels as one phrase.
    #[must_use]
    pub fn phrase(&self, labels: &[String]) -> String {
        let shown: Vec<String> =
            labels.iter().filter(|label| !label.is_empty()).map(|label| self.show(label)).collect();
        shown.join(", ")
    }

    /// Labels as one phrase for a legend or a heading, where a number alone would not say what it is: `board size 8`.
    #[must_use]
    pub fn named(&self, axes: &[String], labels: &[String]) -> String {
        let known = self.facts.words;
        let is_bare = |label: &str| !known.contains_key(label) && (is_number(label) || is_switch(label));
        let name = |(axis, label): (&String, &String)| match is_bare(label) {
            true => format!("{} {label}", self.axis(axis)),
            false => self.show(label),
        };
        let named = axes.iter().zip(labels).filter(|(_, label)| !label.is_empty()).map(name);
        named.collect::<Vec<_>>().join(", ")
    }

    /// Axes as one phrase.
    #[must_use]
    pub fn axes(&self, axes: &[String]) -> String {
        axes.iter().map(|axis| self.axis(axis)).collect::<Vec<_>>().join(", ")
    }

    /// An axis as it is called: its label, or else the words at the end of its path.
    #[must_use]
    pub fn axis(&self, axis: &str) -> String {
        if let Some(label) = self.facts.words.get(axis) {
            return label.clone();
        }
        let whose = if axis.starts_with("opponent.") { "opponent's " } else { "" };
        let last = axis.rsplit('.').next().unwrap_or(axis).replace('-', " ");
        let last = if axis == BOARD_SIZE { "board size" } else { &last };
        format!("{whose}{last}")
    }
}

fn is_number(label: &str) -> bool {
    label.parse::<f64>().is_ok_and(f64::is_finite)
}

fn is_switch(label: &str) -> bool {
    matches!(label, "true" | "false")
}
