//! The trait that every kind of exhibit implements, and the metadata that manifests and reports read from a kind.

use std::collections::BTreeMap;

use super::axis_names::AxisNames;
use super::context::{Basis, Content, Context, titled};
use super::need::Need;
use super::run_values::{OutcomeScale, Shown};
use super::selector::GameSelector;
use super::success::Labels;

/// A kind of table or figure, with its settings.
pub trait Kind {
    /// Its metadata.
    fn about(&self) -> About<'_>;

    /// Its points, table, chart and notes.
    fn render(&self, context: &Context<'_>) -> Content;
}

/// The metadata of an exhibit. Its kind sets the fields that differ from [`About::new`].
#[derive(Debug, Clone, Default)]
pub struct About<'a> {
    /// A short heading, if the manifest has none.
    pub title: &'static str,
    /// The basis of its numbers.
    pub basis: Basis,
    /// Every stage that it names, with the results of it that it can show; no results if it shows every job. The first
    /// stage is the one whose results it shows.
    pub stages: Vec<(&'a str, Vec<Need>)>,
    /// The stages whose results share one table, table by table; the shown table first.
    pub tables: Vec<Vec<&'a str>>,
    /// The axes that distinguish cells. A cell has the runs of one configuration: a number, a curve, a panel.
    pub cells: Vec<&'a str>,
    /// The axes that make the panels, the rows in each, and the columns of its table.
    pub panels: Vec<&'a str>,
    /// See `panels`.
    pub rows: Vec<&'a str>,
    /// See `panels`.
    pub columns: Vec<&'a str>,
    /// The axis of the abscissa.
    pub x: Option<&'a str>,
    /// The unit that is shown.
    pub unit: Unit,
    /// The scale of the results of games.
    pub scale: OutcomeScale,
    /// The value that its success criteria with `over` judge; none if it shows no means. Only means average runs that
    /// meet several runs of their opponent.
    pub judged: Option<Shown>,
    /// The number of values that each place shows, one a panel, with the judged one first; 0 if it shows no means.
    pub values: usize,
    /// The player whose rating is 0.
    pub anchor: Option<&'a str>,
    /// The trainings that it selects by labels, each of which must be one configuration.
    pub trainings: Vec<ChosenTraining<'a>>,
    /// The positions of single games that it shows as diagrams.
    pub positions: &'a [GameSelector],
}

/// The unit that an exhibit shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Unit {
    /// Configurations, one a cell.
    #[default]
    Configurations,
    /// Players, whose games are added up by their names.
    Players,
    /// Single games.
    Games,
    /// Settings in a race, which play different numbers of games.
    Settings,
}

/// A training that an exhibit selects by labels.
#[derive(Debug, Clone, Copy)]
pub struct ChosenTraining<'a> {
    /// Its name in the exhibit.
    pub label: &'a str,
    /// The stage that trains.
    pub stage: &'a str,
    /// The labels of its configuration.
    pub only: &'a Labels,
}

impl<'a> About<'a> {
    /// An exhibit of configurations, with a table a stage.
    #[must_use]
    pub fn new(title: &'static str, basis: Basis, stages: Vec<(&'a str, Vec<Need>)>) -> About<'a> {
        About {
            title,
            basis,
            tables: stages.iter().map(|(stage, _)| vec![*stage]).collect(),
            stages,
            scale: OutcomeScale::Fitness,
            ..About::default()
        }
    }

    /// An exhibit of one stage.
    pub(super) fn of_stage(title: &'static str, basis: Basis, stage: &'a str, need: Need) -> About<'a> {
        About::new(title, basis, vec![(stage, vec![need])])
    }

    /// An exhibit of the players of a stage, among them the kept networks of these trainings.
    pub(super) fn of_networks(title: &'static str, stage: &'a str, trainings: Vec<ChosenTraining<'a>>) -> About<'a> {
        let checkpoints = trainings.iter().map(|training| (training.stage, vec![Need::Checkpoints]));
        let stages = std::iter::once((stage, vec![Need::Meetings])).chain(checkpoints).collect();
        let about = About::new(title, Basis::Results, stages);
        About { tables: vec![vec![stage]], unit: Unit::Players, trainings, ..about }
    }

    /// Names the axes of panels, rows and columns, which distinguish its cells.
    pub(super) fn with_axes(self, panels: &'a [String], rows: &'a [String], columns: &'a [String]) -> About<'a> {
        let [panels, rows, columns] = [panels, rows, columns].map(|list| axes(&[list]));
        About { cells: [&panels[..], &rows, &columns].concat(), panels, rows, columns, ..self }
    }

    /// Names one more axis that distinguishes its cells.
    pub(super) fn with_cell(mut self, axis: &'a str) -> About<'a> {
        self.cells.push(axis);
        self
    }

    /// Puts the results of all stages into one table.
    pub(super) fn in_one_table(self) -> About<'a> {
        About { tables: vec![self.stages()], ..self }
    }

    /// The stage whose results it shows.
    #[must_use]
    pub fn stage(&self) -> &'a str {
        self.stages[0].0
    }

    /// Every stage that it names.
    #[must_use]
    pub fn stages(&self) -> Vec<&'a str> {
        self.stages.iter().map(|(stage, _)| *stage).collect()
    }

    /// The names of its rows and columns.
    #[must_use]
    pub fn names(&self, context: &Context<'_>) -> AxisNames {
        let (mut rows, mut columns) = (BTreeMap::new(), BTreeMap::new());
        let shown = |stage: &String| self.tables[0].contains(&stage.as_str());
        for config in context.facts.configs.iter().filter(|config| shown(&config.stage)) {
            let headings = |axes: &[&str]| {
                let labels: Vec<String> = axes.iter().map(|axis| config.label(axis).unwrap_or_default()).collect();
                [context.phrase(&labels), context.named(axes, &labels)]
            };
            let ([panel, panel_name], [row, row_name]) = (headings(&self.panels), headings(&self.rows));
            let [column, column_name] = headings(&self.columns);
            rows.insert(titled(&panel, &row), titled(&panel_name, &row_name));
            columns.insert(column, column_name);
        }
        AxisNames::new(rows, columns)
    }

    /// The axes that distinguish configurations; `None` if it shows single games, or settings by their own axes.
    #[must_use]
    pub fn apart(&self) -> Option<Vec<&'a str>> {
        match self.unit {
            Unit::Configurations => Some(self.cells.clone()),
            Unit::Players => Some(self.cells.iter().copied().chain(["agent", "opponent"]).collect()),
            Unit::Games | Unit::Settings => None,
        }
    }
}

/// Lists of axes as one list.
pub(super) fn axes<'a>(lists: &[&'a [String]]) -> Vec<&'a str> {
    lists.iter().copied().flatten().map(String::as_str).collect()
}
