//! Progress of trainings over several runs (AlphaGateau, Figures 5 to 7, 10, 12 and 14). The tournament of every seed
//! is rated separately, by the paper's least squares and by maximum likelihood; the exhibit shows means over the runs.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::abscissa::Abscissa;
use super::context::titled;
use super::draft::Draft;
use super::estimate::few_runs;
use super::kind::ChosenTraining;
use super::league::{League, leagues_by_run, notes_by_run};
use super::rated_run::{ESTIMATORS, RatedRun, heading, mean_over_runs};
use super::sheet::{Axis, Mark, Panel, Point, Series, Vertex};
use super::success::{Labels, WrittenLabel, labels};
use super::uncertainty::ANYWHERE;
use super::{Content, Context, ErrorBars, Fact};

const METRIC: &str = "elo";

/// A training whose networks are players named by iteration.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProgressCurve {
    /// Its name in the legend.
    pub label: String,
    /// The stage that trains.
    pub stage: String,
    /// Prefix of its players' names, before the iteration: `I-`. Iterations that are no players are skipped; `I-0` is a
    /// network before its training.
    pub prefix: String,
    /// Labels of the training, if the stage has several.
    #[serde(default, deserialize_with = "labels")]
    #[schemars(with = "BTreeMap<String, WrittenLabel>")]
    pub only: Labels,
}

impl ProgressCurve {
    /// The training.
    pub fn training(&self) -> ChosenTraining<'_> {
        ChosenTraining { label: &self.label, stage: &self.stage, only: &self.only }
    }

    /// The runs of the training.
    pub(super) fn runs<'a>(&self, context: &Context<'a>) -> Vec<Fact<'a>> {
        context.facts.stage(&self.stage).into_iter().filter(|fact| fact.has(&self.only)).collect()
    }
}

/// The number of iterations of the longest training that has a result.
pub(super) fn longest(trainings: &[Fact<'_>]) -> Option<usize> {
    trainings.iter().filter_map(Fact::entries).max()
}

/// Progress over several runs.
pub struct ProgressByRun<'a> {
    /// The tournaments.
    pub league: League,
    /// The player whose rating is 0.
    pub anchor: &'a str,
    /// The trainings.
    pub curves: &'a [ProgressCurve],
    /// The unit of the abscissa.
    pub abscissa: Abscissa,
}

impl ProgressByRun<'_> {
    /// Its points, table, chart and notes.
    pub fn render(&self, context: &Context<'_>) -> Content {
        let facts = context.facts.stage(&self.league.stage);
        if let Some(points) = context.recorded_where(|_| true) {
            let panels = Runs { context, show: self, facts: &facts, runs: Vec::new() }.recorded(&points);
            return Draft { points, panels, ..Draft::default() }.without_table("");
        }
        let mut draft = Draft::of(&facts);
        for runs in leagues_by_run(context, &self.league) {
            let runs = Runs { context, show: self, facts: &facts, runs: runs.into_iter().map(RatedRun::new).collect() };
            let lines: Vec<Vec<RatedNetwork>> = self.curves.iter().map(|curve| runs.curve(curve)).collect();
            let floors = runs.floors(&lines);
            for (estimator, name) in ESTIMATORS.into_iter().enumerate() {
                draft.panels.push(runs.panel(name, estimator, &lines, &floors));
            }
            let ends = runs.ends(&lines);
            draft.notes.extend(unrated(lines.iter().flatten()));
            for row in lines.into_iter().flatten().chain(floors).chain(ends) {
                draft.row(row.label, row.points.map(|point| context.with_published(point)));
            }
            draft.notes.extend(runs.notes());
        }
        draft.notes.extend(few_runs(draft.points.iter()));
        let caption = format!(
            "Elo above {}: the tournament of each run is rated by itself, and shown are means over runs. Weighted least \
             squares are those of the AlphaGateau paper: they and their virtual draws pull a ladder together. {}{}",
            context.show(self.anchor),
            draft.errors(context, "runs", "Student's t"),
            self.abscissa.caption()
        );
        draft.content("Network, iteration", ESTIMATORS, 0, caption)
    }
}

/// The note on networks without a maximum likelihood rating in some runs, if there are any.
fn unrated<'a>(rows: impl Iterator<Item = &'a RatedNetwork>) -> Option<String> {
    let fewer = |row: &&RatedNetwork| row.points[1].n_runs < row.points[0].n_runs;
    let names: Vec<&str> = rows.filter(fewer).map(|row| row.label.as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "In some runs {} won or lost every game: maximum likelihood has no rating for that, and the means are over \
             the other runs.",
            names.join("; ")
        )
    })
}

/// The line of a curve.
pub(super) fn line(name: &str, colour: usize, points: &[Point], errors: ErrorBars) -> Series {
    let vertices = points.iter().filter_map(|point| point.vertex(point.x?, errors, ANYWHERE));
    Series::new(name, Mark::Line, colour, vertices)
}

/// Draws broken lines at the ratings of players that are on no curve, if they have one.
pub(super) fn draw_levels<'a>(series: &mut Vec<Series>, levels: impl IntoIterator<Item = (&'a str, Option<f64>)>) {
    let right = series.iter().flat_map(|series| &series.points).map(|vertex| vertex.x).fold(0.0, f64::max);
    let colours = series.len()..;
    series.extend(levels.into_iter().zip(colours).filter_map(|((name, elo), colour)| {
        let elo = elo?;
        Some(Series::new(name, Mark::Dashed, colour, [0.0, right].map(|x| Vertex::at(x, elo))))
    }));
}

impl RatedNetwork {
    /// A row of two recorded points.
    fn recorded(points: &[Point]) -> RatedNetwork {
        let label = points[0].row.clone();
        RatedNetwork { player: label.clone(), label, iteration: 0, points: [points[0].clone(), points[1].clone()] }
    }
}

/// One player of all runs, or the difference of two players, by every estimator.
#[derive(Clone)]
struct RatedNetwork {
    label: String,
    /// The player's name.
    player: String,
    /// Its iteration on a curve, 0 for the untrained network; 0 elsewhere.
    iteration: usize,
    points: [Point; 2],
}

/// The runs of one panel.
struct Runs<'a> {
    context: &'a Context<'a>,
    show: &'a ProgressByRun<'a>,
    facts: &'a [Fact<'a>],
    runs: Vec<RatedRun>,
}

impl Runs<'_> {
    fn titled(&self, text: &str) -> String {
        titled(heading(&self.runs), text)
    }

    /// The rating difference between two players, over the runs that have it.
    fn row(&self, label: &str, player: &str, from: &str, x: Option<f64>) -> RatedNetwork {
        let label = self.titled(label);
        let point = |estimator: usize| {
            let above = |run: &RatedRun| run.difference(estimator, player, from);
            let place = [METRIC, &label, ESTIMATORS[estimator]];
            Point { x, ..mean_over_runs(&self.runs, self.facts, above, |run| run.games(player), place) }
        };
        let points = [point(0), point(1)];
        RatedNetwork { label, player: player.to_owned(), iteration: 0, points }
    }

    /// The networks of a training that play, in order, from the untrained one.
    fn curve(&self, curve: &ProgressCurve) -> Vec<RatedNetwork> {
        let mut trainings = curve.runs(self.context);
        let iterations = longest(&trainings).unwrap_or(0);
        trainings.retain(|fact| self.runs.iter().any(|run| run.seed == fact.seed));
        let x = |iteration: usize| self.show.abscissa.mean_at(&trainings, iteration);
        let row = |iteration: usize| {
            let player = self.context.show(&format!("{}{iteration}", curve.prefix));
            let plays = self.runs.iter().any(|run| run.place(&player).is_some());
            let label = format!("{}, {iteration}", curve.label);
            plays.then(|| RatedNetwork { iteration, ..self.row(&label, &player, &self.anchor(), x(iteration)) })
        };
        (0..=iterations).filter_map(row).collect()
    }

    /// The panels of recorded points, two for each row. Without the runs, several tournaments are not told apart.
    fn recorded(&self, points: &[Point]) -> Vec<Panel> {
        let rows: Vec<RatedNetwork> = points.chunks_exact(2).map(RatedNetwork::recorded).collect();
        let is_of = |curve: &ProgressCurve, row: &RatedNetwork| {
            row.label
                .strip_prefix(&format!("{}, ", curve.label))
                .is_some_and(|iteration| iteration.parse::<usize>().is_ok())
        };
        let line = |curve| rows.iter().filter(|row| is_of(curve, row)).cloned().collect();
        let lines: Vec<Vec<RatedNetwork>> = self.show.curves.iter().map(line).collect();
        // Gains and leads follow the players, and are not drawn.
        let is_end = |row: &&RatedNetwork| row.label.starts_with("gain of ") || row.label.contains(" ahead of ");
        let is_curve = |row: &&RatedNetwork| self.show.curves.iter().any(|curve| is_of(curve, row));
        let floors: Vec<RatedNetwork> = rows.iter().filter(|row| !is_curve(row) && !is_end(row)).cloned().collect();
        let panel = |(at, name)| self.panel(name, at, &lines, &floors);
        ESTIMATORS.into_iter().enumerate().map(panel).collect()
    }

    fn anchor(&self) -> String {
        self.context.show(self.show.anchor)
    }

    /// The players that are on no curve, except the anchor.
    fn floors(&self, lines: &[Vec<RatedNetwork>]) -> Vec<RatedNetwork> {
        let anchor = self.anchor();
        let most = self.runs.iter().max_by_key(|run| run.league.names.len());
        let is_apart = |name: &&String| **name != anchor && lines.iter().flatten().all(|row| row.player != **name);
        let floors = most.into_iter().flat_map(|run| &run.league.names).filter(is_apart);
        floors.map(|name| self.row(name, name, &anchor, None)).collect()
    }

    /// The gain of every curve over its length, and the lead of the end of the first curve over the others. A curve
    /// that does not begin with the untrained network names its first iteration.
    fn ends(&self, lines: &[Vec<RatedNetwork>]) -> Vec<RatedNetwork> {
        let mut ends = Vec::new();
        for (curve, line) in self.show.curves.iter().zip(lines) {
            if let [first, .., last] = &line[..] {
                let since = if first.iteration > 0 { format!(" since {}", first.iteration) } else { String::new() };
                ends.push(self.row(&format!("gain of {}{since}", curve.label), &last.player, &first.player, None));
            }
        }
        let Some(last) = lines.first().and_then(|line| line.last()) else { return ends };
        for (curve, line) in self.show.curves.iter().zip(lines).skip(1) {
            let label = format!("{} ahead of {}", self.show.curves[0].label, curve.label);
            ends.extend(line.last().map(|other| self.row(&label, &last.player, &other.player, None)));
        }
        ends
    }

    fn panel(&self, name: &str, estimator: usize, lines: &[Vec<RatedNetwork>], floors: &[RatedNetwork]) -> Panel {
        let errors = self.context.errors;
        let curves = self.show.curves.iter().zip(lines).enumerate();
        let points = |own: &[RatedNetwork]| own.iter().map(|row| row.points[estimator].clone()).collect::<Vec<_>>();
        let curves = curves.map(|(colour, (curve, own))| line(&curve.label, colour, &points(own), errors));
        let (mut series, anchor) = (curves.collect(), self.anchor());
        let floors = floors.iter().map(|floor| (&*floor.player, floor.points[estimator].value));
        draw_levels(&mut series, std::iter::once((&*anchor, Some(0.0))).chain(floors));
        let (x, y) = (self.show.abscissa.label("iteration"), format!("Elo above {anchor}"));
        Panel::new(self.titled(name), Axis::linear(x), Axis::linear(y), series)
    }

    fn notes(&self) -> Vec<String> {
        let notes = notes_by_run(self.runs.iter().map(|run| &run.league)).into_iter();
        let mut notes: Vec<String> = notes.map(|note| self.titled(&note)).collect();
        let untimed = |curve: &ProgressCurve| self.show.abscissa.note(&curve.runs(self.context));
        notes.extend(self.show.curves.iter().filter_map(untimed));
        notes
    }
}
