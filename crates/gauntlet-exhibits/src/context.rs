//! The input and the output of rendering a kind of exhibit.

use super::error_bars::ErrorBars;
use super::frame::Frame;
use super::sheet::{Chart, Point, Table};

/// The axis of the rows and columns of the board.
pub(super) const BOARD_SIZE: &str = "game.size";

/// Inputs of rendering, besides the settings of the exhibit.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The runs.
    pub facts: &'a Frame<'a>,
    /// The kind of error bars.
    pub errors: ErrorBars,
    /// Whether published numbers are shown beside measured ones.
    pub published: bool,
    /// The basis of the numbers.
    pub basis: Basis,
    /// Whether its runs are those of the profile `paper`, possibly with more runs, so that published numbers can be
    /// judged.
    pub comparable: bool,
}

/// The basis of the numbers of a kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Basis {
    /// Means over runs, which a reader compares by size.
    Means,
    /// Other statistics of results.
    Results,
    /// Counts, which have no errors.
    Counts,
    /// The data that the paper published: its numbers are recomputed, without chance.
    PublishedData,
    /// No measurement.
    #[default]
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
    /// Sentences about the exhibit.
    pub caption: String,
}

impl Context<'_> {
    /// The display name of a label.
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

    /// Labels as one phrase for a legend or a heading, with a unit for bare numbers: `board size 8`.
    #[must_use]
    pub fn named(&self, axes: &[impl AsRef<str>], labels: &[String]) -> String {
        let known = self.facts.words;
        let is_bare = |label: &str| !known.contains_key(label) && (is_number(label) || is_switch(label));
        let name = |(axis, label): (&str, &String)| match is_bare(label) {
            true => format!("{} {label}", self.axis(axis)),
            false => self.show(label),
        };
        let axes = axes.iter().map(AsRef::as_ref);
        let named = axes.zip(labels).filter(|(_, label)| !label.is_empty()).map(name);
        named.collect::<Vec<_>>().join(", ")
    }

    /// Axes as one phrase.
    #[must_use]
    pub fn axes(&self, axes: &[String]) -> String {
        axes.iter().map(|axis| self.axis(axis)).collect::<Vec<_>>().join(", ")
    }

    /// The display name of an axis: its label, or else the last words of its path.
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

/// A text with a heading before it, if there is one.
pub(super) fn titled(heading: &str, text: &str) -> String {
    if heading.is_empty() { text.to_owned() } else { format!("{heading}: {text}") }
}

fn is_number(label: &str) -> bool {
    label.parse::<f64>().is_ok_and(f64::is_finite)
}

fn is_switch(label: &str) -> bool {
    matches!(label, "true" | "false")
}
