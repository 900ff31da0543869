//! Learning curves, averaged over runs: mean and best fitness of each generation (Schaul and Schmidhuber 2009, Figure
//! 3), or scores of a network in training against an opponent (Ben-Assayag and El-Yaniv 2021, Figure 5). The abscissa
//! is the effort of the training so far.

use schemars::JsonSchema;
use serde::Deserialize;

use super::abscissa::{Abscissa, Spacing};
use super::estimate::{STUDENT, WITHOUT_SPREAD, in_csv, of_errors, over_runs_of};
use super::run_values::OutcomeScale;
use super::sheet::{Axis, AxisScale, Chart, Mark, Panel, Point, Series, Table, Vertex};
use super::uncertainty::{ANYWHERE, is_over_games};
use super::{About, Basis, Content, Context, ErrorBars, Fact, FactGroup, Kind, Need, Stages, axes, group, lost};

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
        self.x.unwrap_or(match self.of {
            Ordinate::Fitness => Abscissa::Iterations,
            Ordinate::Skill | Ordinate::Panel => Abscissa::Operations,
        })
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
        let mut opponents = Vec::new();
        if self.of == Ordinate::Panel {
            let names = curve.facts.iter().flat_map(|fact| fact.config.panel.iter().cloned());
            names.for_each(|name| {
                if !opponents.contains(&name) {
                    opponents.push(name)
                }
            });
            return opponents;
        }
        vec![String::new()]
    }

    /// The horizontal axis.
    fn x_axis(&self) -> Axis {
        let label = self.abscissa().label(self.of.entry_of_training());
        let scale = match self.spacing() {
            Spacing::Linear => AxisScale::Linear,
            Spacing::Log => AxisScale::Log,
        };
        Axis { label: label.to_owned(), scale, range: None }
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
        let uncounted = self.x.filter(|x| matches!(x, Abscissa::Frames | Abscissa::Evaluations | Abscissa::Operations));
        About {
            cells: axes(&[&self.panels, &self.curves]),
            panels: axes(&[&self.panels]),
            rows: axes(&[&self.curves]),
            over: Some(self.abscissa().word()),
            uncounted: uncounted.map(Abscissa::word),
            ..About::new("learning curves", Basis::Means, self.stage.all().map(|stage| (stage, vec![need])).collect())
                .in_one_table()
        }
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let stages: Vec<&str> = self.stage.all().collect();
        let (facts, errors) = (context.facts.stages(&stages), context.errors);
        let known = context.recorded_where(|point| self.of == Ordinate::Skill && is_untrained(point));
        let measured = || facts.iter().any(|fact| fact.untrained().is_some());
        let has_untrained = known.map_or_else(|| self.of == Ordinate::Skill && measured(), |known| !known.is_empty());
        let (mut points, mut panels, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        let mut notes: Vec<String> = lost(&facts).into_iter().chain(self.abscissa().note(&facts)).collect();
        for panel in &group(&facts, &self.panels) {
            let panel_name = context.phrase(&panel.labels);
            let mut series = Vec::new();
            let curves = group(&panel.facts, &self.curves);
            let each = curves.iter().flat_map(|curve| self.opponents(curve).into_iter().map(move |one| (curve, one)));
            for (colour, (curve, opponent)) in each.enumerate() {
                let name = against(context.phrase(&curve.labels), &opponent);
                let row = if panel_name.is_empty() { name } else { format!("{panel_name}: {name}") };
                let mut cells = Vec::new();
                for line in self.of.lines() {
                    let start = points.len();
                    let known = context.recorded_where(|point| point.row == row && point.column == line.column);
                    points.extend(known.unwrap_or_else(|| points_of(self, line, &row, curve, &opponent)));
                    let own = &points[start..];
                    cells.extend(has_untrained.then(|| own.iter().position(is_untrained).map(|at| start + at)));
                    cells.push(last_shared(own).map(|at| start + at));
                    notes.extend(survivors(self.of, &row, own).filter(|note| !notes.contains(note)));
                    let name = against(context.named(&self.curves, &curve.labels), &opponent);
                    series.push(series_of(name, line.mark, colour, own, errors));
                }
                rows.push((row, cells));
            }
            panels.push(panel_of(self, context.named(&self.panels, &panel.labels), series));
        }
        notes.extend(points.iter().any(is_over_games).then(|| WITHOUT_SPREAD.to_owned()));
        notes.push(in_csv(errors, STUDENT));
        let untrained = has_untrained.then_some(UNTRAINED).into_iter();
        let columns = untrained.chain(self.of.lines().iter().map(|line| line.end)).map(str::to_owned).collect();
        let axes = [self.panels.as_slice(), &self.curves].concat();
        let table = Table { corner: context.axes(&axes), columns, rows, digits: 2 };
        let caption = format!("{} {}", caption(self, has_untrained), of_errors(errors, "runs", STUDENT));
        Content { points, table: Some(table), chart: Chart::of(panels), notes, caption }
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
    /// The unit that a training repeats.
    fn entry_of_training(self) -> &'static str {
        match self {
            Ordinate::Fitness => "generation",
            Ordinate::Skill | Ordinate::Panel => "iteration",
        }
    }

    fn lines(self) -> &'static [CurveLine] {
        match self {
            Ordinate::Fitness => &FITNESS,
            Ordinate::Skill => &SKILL,
            Ordinate::Panel => &PANEL,
        }
    }

    fn counting(self) -> OutcomeScale {
        match self {
            Ordinate::Fitness => OutcomeScale::Fitness,
            Ordinate::Skill | Ordinate::Panel => OutcomeScale::Outcome,
        }
    }

    fn caption(self) -> &'static str {
        match self {
            Ordinate::Fitness => "Solid: mean fitness of each generation, broken: its best candidate.",
            Ordinate::Skill | Ordinate::Panel => {
                "Average outcome (win 1, draw 0.5, loss 0) of the regular evaluations during a training."
            }
        }
    }

    /// The name of an entry with the number.
    fn entry(self) -> &'static str {
        match self {
            Ordinate::Fitness => "generation",
            Ordinate::Skill | Ordinate::Panel => "evaluation",
        }
    }

    /// The default label of the ordinate.
    fn label(self) -> &'static str {
        match self {
            Ordinate::Fitness => "mean fitness (broken: of the best candidate)",
            Ordinate::Skill | Ordinate::Panel => "average outcome",
        }
    }

    /// The number of games behind one measured number of a training: a candidate's fitness or an evaluation.
    fn games(self, fact: &Fact<'_>) -> u64 {
        let games = match self {
            Ordinate::Fitness => "/train/cma-es/settings/games",
            Ordinate::Skill | Ordinate::Panel => "/train/alpha-zero/settings/evaluation/games",
        };
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
    let average = |x: Option<f64>, own: Vec<(f64, u64)>| {
        let counting = show.of.counting();
        let (values, games): (Vec<f64>, Vec<u64>) = own.into_iter().unzip();
        let values: Vec<f64> = values.into_iter().map(|value| counting.convert(value)).collect();
        (!values.is_empty()).then(|| {
            let place = (row, line.column);
            let point = over_runs_of(games.iter().sum(), counting.range(), line.metric, place, facts, &values.into());
            Point { x, ..point }
        })
    };
    let of_entry = |entry: usize| {
        let reached = facts.iter().zip(&games).filter_map(|(fact, games)| {
            let candidates = if line.metric == MEAN { candidates(fact, entry) } else { 1 };
            Some((fact, ((line.value)(fact, entry, opponent)?, games * candidates)))
        });
        let (reached, own): (Vec<&Fact<'_>>, Vec<_>) = reached.unzip();
        let places: Vec<f64> = reached.iter().filter_map(|fact| show.abscissa().at(fact, entry)).collect();
        average(gauntlet_ratings::intervals::mean(&places), own)
    };
    let before = facts.iter().zip(&games).filter_map(|(fact, &games)| Some((fact.untrained()?, games)));
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

/// The last entry that most runs reached: all of them, unless some have no entry. Equal operations end trainings at
/// different iterations, and only some runs go beyond this entry.
fn last_shared(points: &[Point]) -> Option<usize> {
    let most = points.iter().map(|point| point.n_runs).max()?;
    points.iter().rposition(|point| point.n_runs == most)
}

/// The note on a curve whose end rests on some of its runs.
fn survivors(of: Ordinate, row: &str, points: &[Point]) -> Option<String> {
    let (shared, end) = (&points[last_shared(points)?], points.last()?);
    (end.n_runs < shared.n_runs).then(|| {
        let entry = of.entry();
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
    Series { name, mark, names: Vec::new(), colour, points: points.iter().filter_map(vertex).collect() }
}

fn panel_of(show: &Curves, title: String, series: Vec<Series>) -> Panel {
    let label = show.y_label.clone().unwrap_or_else(|| show.of.label().to_owned());
    let [low, high] = show.of.counting().range();
    let y = Axis { label, scale: AxisScale::Linear, range: Some((low, high)) };
    Panel { title, x: show.x_axis(), y, series }
}
