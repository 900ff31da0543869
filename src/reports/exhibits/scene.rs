//! What an exhibit is rendered from, and what its rendering gives.

use super::estimate::few_runs;
use crate::manifest::exhibit::{Exhibit, Show};
use crate::reports::facts::{Fact, Facts};
use crate::reports::sheet::{Chart, Point, Table};

/// The profiles that are smaller than their paper by what they are for; others have settings of their own kind.
const REDUCED: [&str; 2] = ["smoke", "laptop"];

/// The axis of the rows and columns of the board.
pub(super) const BOARD_SIZE: &str = "game.size";

/// An exhibit together with everything that its rendering may look at.
pub struct Scene<'a> {
    /// What the manifest asks for.
    pub exhibit: &'a Exhibit,
    /// What the store holds.
    pub facts: &'a Facts<'a>,
    /// Whether what it shows is made by the jobs of the profile `paper`, or these and more runs, so that published numbers
    /// may be judged.
    pub comparable: bool,
}

/// The measured part of a sheet.
pub(super) struct Content {
    pub(super) points: Vec<Point>,
    pub(super) table: Option<Table>,
    pub(super) chart: Chart,
    pub(super) notes: Vec<String>,
    pub(super) caption: String,
}

impl Scene<'_> {
    /// At which scale this was measured, for the caption.
    pub(super) fn scale(&self) -> String {
        let plan = self.facts.plan();
        let artefact = plan.written.paper.as_ref().map(|paper| paper.artefact.as_deref());
        let what = match plan.profile.as_str() {
            "custom" => "with settings of its own (profile custom)".to_owned(),
            profile if REDUCED.contains(&profile) => format!("at reduced scale (profile {profile})"),
            profile => format!("with the settings of profile {profile}, not the paper's"),
        };
        if self.is_empty() {
            return format!("Nothing has been measured yet (profile {}).", plan.profile);
        }
        if artefact.is_some() && matches!(self.exhibit.show, Show::Positions(_)) {
            return "Drawn from games that were played here; nothing is measured.".to_owned();
        }
        match (artefact, self.comparable) {
            (None, _) => String::new(),
            (Some(Some(_)), true) => "Measured at the paper's scale.".to_owned(),
            (Some(Some(artefact)), false) => format!("Measured {what}: not comparable with {artefact}."),
            (Some(None), true) => "Our addition: the paper has no such exhibit.".to_owned(),
            (Some(None), false) => format!("Our addition: the paper has no such exhibit. Measured {what}."),
        }
    }

    /// Whether there is not one result to show.
    fn is_empty(&self) -> bool {
        let facts = self.shown();
        !facts.is_empty() && facts.iter().all(|fact| fact.result.is_none())
    }

    /// The facts whose results are shown. Kinds that are not named here have further stages for an abscissa alone.
    pub(super) fn shown(&self) -> Vec<Fact<'_>> {
        let stages: Vec<&str> = match &self.exhibit.show {
            Show::Means(show) => show.stage.all().collect(),
            Show::Curves(show) => show.stage.all().collect(),
            show => vec![show.stage()],
        };
        self.facts.stages(&stages)
    }

    /// The note on rows of means that rest on too few runs to be put in order, if there are several rows.
    pub(super) fn few_runs(&self, points: &[Point], table: Option<&Table>) -> Option<String> {
        let is_of_means = matches!(self.exhibit.show, Show::Means(_) | Show::Curves(_));
        let cells = table.filter(|table| is_of_means && table.rows.len() > 1)?.rows.iter().flat_map(|(_, cells)| cells);
        few_runs(cells.filter_map(|&cell| points.get(cell?)))
    }

    /// A label as it is shown.
    pub(super) fn show(&self, label: &str) -> String {
        self.facts.plan().written.labels.get(label).cloned().unwrap_or_else(|| label.to_owned())
    }

    /// Labels as one phrase.
    pub(super) fn phrase(&self, labels: &[String]) -> String {
        let shown: Vec<String> =
            labels.iter().filter(|label| !label.is_empty()).map(|label| self.show(label)).collect();
        shown.join(", ")
    }
    /// Labels as one phrase for a legend or a heading, where a number alone would not say what it is: `board size 8`.
    pub(super) fn named(&self, axes: &[String], labels: &[String]) -> String {
        let known = &self.facts.plan().written.labels;
        let is_bare = |label: &str| !known.contains_key(label) && (is_number(label) || is_switch(label));
        let name = |(axis, label): (&String, &String)| match is_bare(label) {
            true => format!("{} {label}", self.axis(axis)),
            false => self.show(label),
        };
        let named = axes.iter().zip(labels).filter(|(_, label)| !label.is_empty()).map(name);
        named.collect::<Vec<_>>().join(", ")
    }

    /// Axes as one phrase.
    pub(super) fn axes(&self, axes: &[String]) -> String {
        axes.iter().map(|axis| self.axis(axis)).collect::<Vec<_>>().join(", ")
    }

    /// An axis as it is called: its label, or else the words at the end of its path.
    pub(super) fn axis(&self, axis: &str) -> String {
        if let Some(label) = self.facts.plan().written.labels.get(axis) {
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
