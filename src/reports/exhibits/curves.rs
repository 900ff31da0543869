//! Learning curves, averaged over runs: mean and best fitness of each generation (Schaul and Schmidhuber 2009, Figure 3),
//! or what a network in training scores against an opponent, over the operations so far (Ben-Assayag and El-Yaniv 2021,
//! Figure 5).

use super::super::facts::{Fact, group};
use super::super::sheet::{Axis, AxisScale, Chart, Mark, Panel, Point, Series, Table, Vertex};
use super::estimate::over_runs_of;
use super::{Content, Scene, lost};
use crate::manifest::exhibit::{Curves, Ordinate, OutcomeScale};

/// One line of a curve: what results call the number, how it is drawn, and how the table calls its end.
type Line = (&'static str, Mark, &'static str);

const MEAN: &str = "mean";
const FITNESS: [Line; 2] =
    [(MEAN, Mark::Line, "Mean of the last generation"), ("best", Mark::Dashed, "Best of the last generation")];
const SKILL: [Line; 1] = [("score", Mark::Line, "At the last evaluation")];

impl Ordinate {
    fn lines(self) -> &'static [Line] {
        match self {
            Ordinate::Fitness => &FITNESS,
            Ordinate::Skill => &SKILL,
        }
    }

    fn counting(self) -> OutcomeScale {
        match self {
            Ordinate::Fitness => OutcomeScale::Fitness,
            Ordinate::Skill => OutcomeScale::Outcome,
        }
    }

    fn caption(self) -> &'static str {
        match self {
            Ordinate::Fitness => {
                "Solid: mean fitness of each generation, with a band of one standard error over runs; broken: its best \
                 candidate."
            }
            Ordinate::Skill => {
                "Average outcome (win 1, tie 0.5, loss 0) of the games that interrupt a training now and then, with a \
                 band of one standard error over runs, over the floating-point operations of the training so far."
            }
        }
    }

    /// What a reader calls an entry that has the number.
    fn entry(self) -> &'static str {
        match self {
            Ordinate::Fitness => "generation",
            Ordinate::Skill => "evaluation",
        }
    }

    /// Games behind one measured number of a training: a candidate's fitness or an evaluation.
    fn games(self, fact: &Fact<'_>) -> u64 {
        let games = match self {
            Ordinate::Fitness => "/train/cma-es/settings/games",
            Ordinate::Skill => "/train/alpha-zero/settings/evaluation/games",
        };
        fact.setting(games).unwrap_or(0)
    }

    /// Where an entry of a curve stands on the abscissa.
    fn abscissa(self, facts: &[Fact<'_>], entry: usize) -> Option<f64> {
        match self {
            Ordinate::Fitness => Some((entry + 1) as f64),
            Ordinate::Skill => {
                let spent: Vec<f64> = facts.iter().filter_map(|fact| value(fact, entry, "compute")).collect();
                Some(spent.iter().sum::<f64>() / spent.len() as f64 / 1e12)
            }
        }
    }
}

pub(super) fn render(scene: &Scene<'_>, show: &Curves) -> Content {
    let stages: Vec<&str> = show.stage.all().collect();
    let facts = scene.facts.stages(&stages);
    let (mut points, mut panels, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    let mut notes = Vec::from_iter(lost(&facts));
    for panel in &group(&facts, &show.panels) {
        let panel_name = scene.phrase(&panel.labels);
        let mut series = Vec::new();
        for (colour, curve) in group(&panel.facts, &show.curves).iter().enumerate() {
            let name = scene.phrase(&curve.labels);
            let row = if panel_name.is_empty() { name.clone() } else { format!("{panel_name}: {name}") };
            let mut cells = Vec::new();
            for &(metric, mark, column) in show.of.lines() {
                let start = points.len();
                points.extend(points_of(show.of, metric, (&row, column), &curve.facts));
                let line = &points[start..];
                cells.push(last_shared(line).map(|at| start + at));
                notes.extend(survivors(show.of, &row, line).filter(|note| !notes.contains(note)));
                series.push(series_of(&name, mark, colour, line));
            }
            rows.push((row, cells));
        }
        panels.push(panel_of(show, panel_name, series));
    }
    let columns = show.of.lines().iter().map(|(_, _, column)| (*column).to_owned()).collect();
    let table = Table { corner: "Network".to_owned(), columns, rows, digits: 2 };
    Content { points, table: Some(table), chart: Chart { panels }, notes, caption: show.of.caption().to_owned() }
}

/// One number of one entry of a run's curve.
fn value(fact: &Fact<'_>, entry: usize, metric: &str) -> Option<f64> {
    fact.result?.get("curve")?.get(entry)?.get(metric)?.as_f64()
}

/// One point an entry that has the number: the average over the runs that reached it.
fn points_of(of: Ordinate, metric: &str, place: (&str, &str), facts: &[Fact<'_>]) -> Vec<Point> {
    let length = |fact: &Fact<'_>| fact.result?.get("curve")?.as_array().map(Vec::len);
    let entries = facts.iter().filter_map(length).max().unwrap_or(0);
    let counting = of.counting();
    let games: Vec<u64> = facts.iter().map(|fact| of.games(fact)).collect();
    let point = |entry: usize| {
        let own = facts.iter().zip(&games).filter_map(|(fact, games)| {
            let candidates = if metric == MEAN { candidates(fact, entry) } else { 1 };
            Some((counting.convert(value(fact, entry, metric)?), games * candidates))
        });
        let (values, games): (Vec<f64>, Vec<u64>) = own.unzip();
        (!values.is_empty()).then(|| {
            let point = over_runs_of(games.iter().sum(), counting.range(), metric, place, facts, &values);
            Point { x: of.abscissa(facts, entry), ..point }
        })
    };
    (0..entries).filter_map(point).collect()
}

/// How many candidates a generation of a run had.
fn candidates(fact: &Fact<'_>, generation: usize) -> u64 {
    let entry = fact.result.and_then(|result| result.get("curve")?.get(generation));
    let fitness = entry.and_then(|entry| entry.get("fitness")?.as_array());
    fitness.map_or(0, |fitness| fitness.len() as u64)
}

/// The last entry that most runs reached: all of them, unless some never got as far as one. Equal operations end
/// trainings at different iterations, and beyond this entry only some of them are left.
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

fn series_of(name: &str, mark: Mark, colour: usize, points: &[Point]) -> Series {
    let vertex = |point: &Point| {
        let (x, (y, error)) = (point.x?, point.measured()?);
        Some(Vertex::around(x, y, error.filter(|_| mark == Mark::Line)))
    };
    Series { name: name.to_owned(), mark, colour, points: points.iter().filter_map(vertex).collect() }
}

fn panel_of(show: &Curves, title: String, series: Vec<Series>) -> Panel {
    let (x, y) = match show.of {
        Ordinate::Fitness => (("generation", AxisScale::Linear), "fitness"),
        Ordinate::Skill => (("10^12 operations of the training", AxisScale::Log), "average outcome"),
    };
    let y_label = show.y_label.clone().unwrap_or_else(|| y.to_owned());
    let [low, high] = show.of.counting().range();
    Panel {
        title,
        x: Axis { label: x.0.to_owned(), scale: x.1, range: None },
        y: Axis { label: y_label, scale: AxisScale::Linear, range: Some((low, high)) },
        series,
    }
}
