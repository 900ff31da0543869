//! The trait that every kind of exhibit implements: all that manifests and reports ask of a kind.

use super::basis::Basis;
use super::context::{Content, Context};
use super::need::Need;
use super::selector::GameSelector;
use super::shown::OutcomeScale;
use super::success::Labels;

/// A kind of table or figure, with its settings. Methods with a default are questions that most kinds answer alike.
pub trait Kind {
    /// Every stage that it names, first the one whose results it shows.
    fn stages(&self) -> Vec<&str>;

    /// The axes that tell cells apart. A cell has the runs of one configuration: a number, a curve, a panel.
    fn cells(&self) -> Vec<&str>;

    /// The results of a stage that it shows, any of them; none if every job has something to show.
    fn needs(&self, stage: &str) -> Vec<Need>;

    /// A few words for a heading, if the manifest has none.
    fn title(&self) -> &'static str;

    /// The basis of its numbers.
    fn basis(&self) -> Basis;

    /// Its points, table, chart and notes.
    fn render(&self, context: &Context<'_>) -> Content;

    /// The stages whose results stand in one table, table by table, first the table that it shows.
    fn tables(&self) -> Vec<Vec<&str>> {
        self.stages().into_iter().map(|stage| vec![stage]).collect()
    }

    /// Every axis that it names.
    fn axes(&self) -> Vec<&str> {
        self.cells()
    }

    /// The axes that tell configurations apart; `None` if it shows single games, each by itself.
    fn apart(&self) -> Option<Vec<&str>> {
        Some(self.cells())
    }

    /// The scale of the results of games.
    fn scale(&self) -> OutcomeScale {
        OutcomeScale::Fitness
    }

    /// The word for the abscissa of its curves, for a heading.
    fn over(&self) -> Option<&'static str> {
        None
    }

    /// The abscissa that its settings name, if evolutions do not count it.
    fn uncounted(&self) -> Option<&'static str> {
        None
    }

    /// Whether it averages runs that meet several runs of their opponent.
    fn averages_crossed(&self) -> bool {
        false
    }

    /// The player whose rating is 0.
    fn anchor(&self) -> Option<&str> {
        None
    }

    /// The trainings that it chooses by labels, each of which has to be one configuration.
    fn trainings(&self) -> Vec<ChosenTraining<'_>> {
        Vec::new()
    }

    /// Whether it shows single games.
    fn shows_games(&self) -> bool {
        false
    }

    /// The positions of single games that it shows as diagrams.
    fn positions(&self) -> &[GameSelector] {
        &[]
    }
}

/// A training that an exhibit chooses by labels.
#[derive(Debug, Clone, Copy)]
pub struct ChosenTraining<'a> {
    /// Its name in the exhibit.
    pub label: &'a str,
    /// The stage that trains.
    pub stage: &'a str,
    /// The labels of its configuration.
    pub only: &'a Labels,
}

/// Lists of axes as one list.
pub(super) fn axes<'a>(lists: &[&'a [String]]) -> Vec<&'a str> {
    lists.iter().copied().flatten().map(String::as_str).collect()
}

/// The axes that tell configurations apart whose games are added up by the names of their players.
pub(super) fn apart_by_players(panels: &[String]) -> Option<Vec<&str>> {
    Some(panels.iter().map(String::as_str).chain(["agent", "opponent"]).collect())
}
