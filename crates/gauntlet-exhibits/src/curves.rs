//! Learning curves, averaged over runs: mean and best fitness of each generation (Schaul and Schmidhuber 2009, Figure
//! 3), or scores of a network in training against an opponent (Ben-Assayag and El-Yaniv 2021, Figure 5). The abscissa
//! is the effort of the training so far.

use schemars::JsonSchema;
use serde::Deserialize;

use super::abscissa::{Abscissa, Spacing};
use super::context::titled;
use super::draft::Draft;
use super::estimate::{STUDENT, WITHOUT_SPREAD, over_runs_of};
use super::run_values::OutcomeScale;
use super::sheet::{Axis, Mark, Panel, Point, Series, Vertex};
use super::uncertainty::{ANYWHERE, is_over_games};
use super::{About, Basis, Content, Context, ErrorBars, Fact, FactGroup, Kind, Need, Stages, distinct, group};

/// Learning curves of trainings, averaged over runs.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Curves {
    /// The stage, or several stages.
    pub stage: Stages,
    /// Axes whose values make panels.
    #[serde(default)]
    pub panels: Vec<String>,
    /// Axes whose values make curves.
    pub curves: Vec<String>,
    /// The ordinate. Default: fitness.
    #[serde(default)]
    pub of: Ordinate,
    /// The unit of the abscissa. Default: iterations for fitness, operations for skill.
    pub x: Option<Abscissa>,
    /// Scale of the abscissa. Default: logarithmic for operations, else linear.
    pub x_scale: Option<Spacing>,
    /// Label of the ordinate (`average outcome against greedy`).
    pub y_label: Option<String>,
}

impl Curves {
    /// The unit of the abscissa.
    #[must_use]
    pub fn abscissa(&self) -> Abscissa {
        self.x.unwrap_or(self.of.choose(Abscissa::Iterations, Abscissa::Operations))
    }

    /// The abscissa that its settings name, if evolutions do not count it.
    #[must_use]
    pub fn uncounted(&self) -> Option<&'static str> {
        let is_uncounted = |x: &Abscissa| matches!(x, Abscissa::Frames | Abscissa::Evaluations | Abscissa::Operations);
        self.x.filter(is_uncounted).map(Abscissa::word)
    }

    /// The scale of the abscissa.
    #[must_use]
    pub fn spacing(&self) -> Spacing {
        self.x_scale.unwrap_or(match self.abscissa() {
            Abscissa::Operations => Spacing::Log,
            _ => Spacing::Linear,
        })
    }

    /// The opponents with a curve of their own; an empty name if there is none.
    fn opponents(&self, curve: &FactGroup<'_>) -> Vec<String> {
        match self.of {
            Ordinate::Panel => distinct(curve.facts.iter().flat_map(|fact| fact.config.panel.iter().cloned())),
            Ordinate::Fitness | Ordinate::Skill => vec![String::new()],
        }
    }

    /// The horizontal axis.
    fn x_axis(&self) -> Axis {
        let label = self.abscissa().label(self.of.choose("generation", "iteration"));
        Axis { scale: self.spacing().scale(), ..Axis::linear(label) }
    }
}

/// The quantity of a training that is drawn as a curve.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ordinate {
    /// Mean and best fitness of each generation (Schaul and Schmidhuber 2009, Figure 3).
    #[default]
    Fitness,
    /// The evaluations of an AlphaZero training (Ben-Assayag and El-Yaniv 2021, Figure 5).
    Skill,
    /// The same against each opponent of the panel: a curve for each.
    Panel,
}

impl Kind for Curves {
    fn about(&self) -> About<'_> {
        let need = match self.of {
            Ordinate::Fitness => Need::Fitness,
            Ordinate::Skill => Need::Skill,
            Ordinate::Panel => Need::Panel,
        };
        let stages = self.stage.all().into_iter().map(|stage| (stage, vec![need])).collect();
        let about = About::new("learning curves", Basis::Means, stages).in_one_table();
        about.with_axes(&self.panels, &self.curves, &[])
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let (facts, errors) = (context.facts.stages(&self.stage.all()), context.errors);
        let known = context.recorded_where(|point| self.of == Ordinate::Skill && is_untrained(point));
        let measured = || facts.iter().any(|fact| fact.untrained().is_some());
        let has_untrained = known.map_or_else(|| self.of == Ordinate::Skill && measured(), |known| !known.is_empty());
        let mut draft = Draft::of(&facts);
        draft.notes.extend(self.abscissa().note(&facts));
        for panel in &group(&facts, &self.panels) {
            let panel_name = context.phrase(&panel.labels);
            let mut series = Vec::new();
            let curves = group(&panel.facts, &self.curves);
            let each = curves.iter().flat_map(|curve| self.opponents(curve).into_iter().map(move |one| (curve, one)));
            for (colour, (curve, opponent)) in each.enumerate() {
                let row = titled(&panel_name, &against(context.phrase(&curve.labels), &opponent));
                let mut cells = Vec::new();
                for line in self.of.lines() {
                    let start = draft.points.len();
                    let known = context.recorded_where(|point| point.row == row && point.column == line.column);
                    draft.points.extend(known.unwrap_or_else(|| points_of(self, line, &row, curve, &opponent)));
                    let own = &draft.points[start..];
                    cells.extend(has_untrained.then(|| own.iter().position(is_untrained).map(|at| start + at)));
                    cells.push(last_shared(own).map(|at| start + at));
                    let note = survivors(self.of, &row, own).filter(|note| !draft.notes.contains(note));
                    draft.notes.extend(note);
                    draft.notes.extend(unevaluated(self.of, &row, &draft.points[start..], &curve.facts));
                    let name = against(context.named(&self.curves, &curve.labels), &opponent);
                    series.push(series_of(name, line.mark, colour, own, errors));
                }
                draft.rows.push((row, cells));
            }
            draft.panels.push(panel_of(self, context.named(&self.panels, &panel.labels), series));
        }
        draft.notes.extend(draft.points.iter().any(is_over_games).then(|| WITHOUT_SPREAD.to_owned()));
        let untrained = has_untrained.then_some(UNTRAINED).into_iter();
        let columns = untrained.chain(self.of.lines().iter().map(|line| line.end));
        let axes = [self.panels.as_slice(), &self.curves].concat();
        let caption = format!("{} {}", caption(self, has_untrained), draft.errors(context, "runs", STUDENT));
        draft.content(context.axes(&axes), columns, 2, caption)
    }
}

/// One line of a curve.
struct CurveLine {
    metric: &'static str,
    /// Its number at an entry of a training, against an opponent of the panel.
    value: fn(&Fact<'_>, usize, &str) -> Option<f64>,
    mark: Mark,
    /// The table heading of its points.
    column: &'static str,
    /// The table heading of its last point.
    end: &'static str,
}

const MEAN: &str = "mean";
const FITNESS: [CurveLine; 2] = [
    CurveLine {
        metric: MEAN,
        value: |fact, entry, _| Some(fact.generations()?.get(entry)?.mean),
        mark: Mark::Line,
        column: "Mean of a generation",
        end: "Mean of the last generation",
    },
    CurveLine {
        metric: "best",
        value: |fact, entry, _| Some(fact.generations()?.get(entry)?.best),
        mark: Mark::Dashed,
        column: "Best of a generation",
        end: "Best of the last generation",
    },
];
const SKILL: [CurveLine; 1] = [CurveLine {
    metric: "score",
    value: |fact, entry, _| fact.iterations()?.get(entry)?.score,
    mark: Mark::Line,
    column: "Average outcome",
    end: "At the last evaluation",
}];

const PANEL: [CurveLine; 1] = [CurveLine {
    value: |fact, entry, opponent| {
        let panel = &fact.iterations()?.get(entry)?.panel;
        panel.iter().find(|against| against.opponent == opponent).map(|against| against.score)
    },
    ..SKILL[0]
}];

/// The name of a curve against an opponent; the same if there is none.
fn against(name: String, opponent: &str) -> String {
    match (&*name, opponent) {
        (_, "") => name,
        ("", _) => format!("against {opponent}"),
        _ => format!("{name}, against {opponent}"),
    }
}

/// The table column of networks before their training.
const UNTRAINED: &str = "Untrained";

impl Ordinate {
    /// One of two things: that of fitness, or that of evaluations.
    fn choose<T>(self, of_fitness: T, of_evaluations: T) -> T {
        if self == Ordinate::Fitness { of_fitness } else { of_evaluations }
    }

    fn lines(self) -> &'static [CurveLine] {
        match self {
            Ordinate::Fitness => &FITNESS,
            Ordinate::Skill => &SKILL,
            Ordinate::Panel => &PANEL,
        }
    }

    fn counting(self) -> OutcomeScale {
        self.choose(OutcomeScale::Fitness, OutcomeScale::Outcome)
    }

    fn caption(self) -> &'static str {
        self.choose(
            "Solid: mean fitness of each generation, broken: its best candidate.",
            "Average outcome (win 1, draw 0.5, loss 0) of the regular evaluations during a training.",
        )
    }

    /// The number of games behind one measured number of a training: a candidate's fitness or an evaluation.
    fn games(self, fact: &Fact<'_>) -> u64 {
        let games = self.choose("/train/cma-es/settings/games", "/train/alpha-zero/settings/evaluation/games");
        let opponents = if self == Ordinate::Skill { fact.config.scored } else { 1 };
        opponents * fact.setting(games).unwrap_or(0)
    }
}

fn caption(show: &Curves, has_untrained: bool) -> String {
    let start = match show.spacing() {
        Spacing::Linear => " At 0 stands the network before its training.",
        Spacing::Log => " The network before its training, at 0, has no place on a logarithmic axis: the table has it.",
    };
    let start = if has_untrained { start } else { "" };
    format!("{}{start}{}", show.of.caption(), show.abscissa().caption())
}

/// One point for each entry with the number: the average over the runs that reached it. Before them comes the point of
/// the networks before their training, if they were measured.
fn points_of(show: &Curves, line: &CurveLine, row: &str, curve: &FactGroup<'_>, opponent: &str) -> Vec<Point> {
    let facts = &curve.facts;
    let entries = facts.iter().filter_map(Fact::entries).max().unwrap_or(0);
    let games: Vec<u64> = facts.iter().map(|fact| show.of.games(fact)).collect();
    // All candidates of a generation have the same random streams, so that their games can be the same: those of one of them
    // bound the error, and those of all of them are counted.
    let average = |x: Option<f64>, own: Vec<(f64, [u64; 2])>| {
        let counting = show.of.counting();
        let n_games = own.iter().map(|(_, [games, candidates])| games * candidates).sum();
        let (values, games): (Vec<f64>, Vec<u64>) = own.into_iter().map(|(value, [games, _])| (value, games)).unzip();
        let values: Vec<f64> = values.into_iter().map(|value| counting.convert(value)).collect();
        (!values.is_empty()).then(|| {
            let cell = [line.metric, row, line.column];
            let point = over_runs_of(games.iter().sum(), counting.range(), cell, facts, &values.into());
            Point { x, n_games, ..point }
        })
    };
    let of_entry = |entry: usize| {
        let reached = facts.iter().zip(&games).filter_map(|(fact, games)| {
            let candidates = if line.metric == MEAN { candidates(fact, entry) } else { 1 };
            Some((fact, ((line.value)(fact, entry, opponent)?, [*games, candidates])))
        });
        let (reached, own): (Vec<&Fact<'_>>, Vec<_>) = reached.unzip();
        let places: Vec<f64> = reached.iter().filter_map(|fact| show.abscissa().at(fact, entry)).collect();
        average(gauntlet_ratings::intervals::mean(&places), own)
    };
    let before = facts.iter().zip(&games).filter_map(|(fact, &games)| Some((fact.untrained()?, [games, 1])));
    let before = if show.of == Ordinate::Skill { before.collect() } else { Vec::new() };
    average(Some(0.0), before).into_iter().chain((0..entries).filter_map(of_entry)).collect()
}

/// Whether a point is that of networks before their training.
fn is_untrained(point: &Point) -> bool {
    point.x == Some(0.0)
}

/// The number of candidates in a generation of a run.
fn candidates(fact: &Fact<'_>, generation: usize) -> u64 {
    let own = fact.generations().and_then(|generations| generations.get(generation));
    own.map_or(0, |generation| generation.fitness.len() as u64)
}

/// The last entry of the training that most runs reached: all of them, unless some have no entry. Equal operations end
/// trainings at different iterations, and only some runs go beyond this entry.
fn last_shared(points: &[Point]) -> Option<usize> {
    let most = points.iter().filter(|point| !is_untrained(point)).map(|point| point.n_runs).max()?;
    points.iter().rposition(|point| !is_untrained(point) && point.n_runs == most)
}

/// The note on a curve of trainings that no evaluation followed.
fn unevaluated(of: Ordinate, row: &str, points: &[Point], facts: &[Fact<'_>]) -> Option<String> {
    let is_known = of == Ordinate::Skill && facts.iter().any(|fact| fact.iterations().is_some());
    (is_known && points.iter().all(is_untrained)).then(|| {
        let whose = if row.is_empty() { String::new() } else { format!(" of {row}") };
        format!("The trainings{whose} ended before their first evaluation (`evaluation.every`).")
    })
}

/// The note on a curve whose end rests on some of its runs.
fn survivors(of: Ordinate, row: &str, points: &[Point]) -> Option<String> {
    let (shared, end) = (&points[last_shared(points)?], points.last()?);
    (end.n_runs < shared.n_runs).then(|| {
        let entry = of.choose("generation", "evaluation");
        format!(
            "{row}: the table has the last {entry} that {} runs reached. The curve goes on with those that went \
             further, at its end n = {}; so do its errors.",
            shared.n_runs, end.n_runs
        )
    })
}

fn series_of(name: String, mark: Mark, colour: usize, points: &[Point], errors: ErrorBars) -> Series {
    let mut doubted = points.iter().filter(|point| point.error.is_some()).peekable();
    let is_of_games = mark == Mark::Line && doubted.peek().is_some() && doubted.all(is_over_games);
    let mark = if is_of_games { Mark::Hatched } else { mark };
    let vertex = |point: &Point| match mark {
        Mark::Line | Mark::Hatched => point.vertex(point.x?, errors, ANYWHERE),
        _ => Some(Vertex::at(point.x?, point.value?)),
    };
    Series::new(name, mark, colour, points.iter().filter_map(vertex))
}

fn panel_of(show: &Curves, title: String, series: Vec<Series>) -> Panel {
    let usual = show.of.choose("mean fitness (broken: of the best candidate)", "average outcome");
    let label = show.y_label.as_deref().unwrap_or(usual);
    Panel::new(title, show.x_axis(), Axis::within(label, show.of.counting().range().into()), series)
}
