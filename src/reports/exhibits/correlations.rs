//! Correlations between the results of the same runs at two values of an axis, with the share of runs that do
//! better at the second (Schaul and Schmidhuber 2009, Tables 1 and 2).
//!
//! A fitness of 100 games is noisy, and noise pulls correlations down: each correlation comes with the
//! split-half reliabilities of both sides and with the value corrected for them.

use std::collections::HashMap;

use rayon::prelude::*;

use super::super::facts::{Fact, FactGroup, group};
use super::super::sheet::{Axis, Chart, Mark, Panel, Point, Series, Spread, Table, Vertex};
use super::estimate::{LEVEL, at_level, blank, share_error};
use super::{Content, Scene, config_ids, lost};
use crate::manifest::exhibit::{Correlations, DrawScore, ErrorBars};
use gauntlet_games::base::Seed;
use gauntlet_ratings::bootstrap::{BootstrapSettings, bootstrap};
use gauntlet_ratings::correlation::{disattenuated, pearson, split_half_reliability};
use gauntlet_ratings::intervals::wilson;

/// Name of the metric that published correlations are written under.
pub const CORRELATION: &str = "correlation";
/// Name of the metric of correlations without the noise of their sides.
const CORRECTED: &str = "correlation corrected for reliability";
/// Name of the metric that published shares are written under.
pub const SHARE: &str = "p";

/// Correlations and shares lie within.
const POSSIBLE: [f64; 2] = [-1.0, 1.0];

/// The runs that have a result at both values, in the order of the plan.
pub struct RunPairs<'a> {
    /// Facts at the first and the second value, run by run.
    pub runs: Vec<(Fact<'a>, Fact<'a>)>,
    /// Runs that were asked for.
    pub requested: usize,
    /// What a draw counts.
    draws: DrawScore,
}

impl<'a> RunPairs<'a> {
    /// Pairs the facts of one group by run.
    pub fn new(facts: &[Fact<'a>], across: &str, values: [i64; 2]) -> RunPairs<'a> {
        let [first, second] = values.map(|value| {
            let label = value.to_string();
            facts.iter().filter(|fact| fact.label(across) == label).copied().collect::<Vec<_>>()
        });
        let by_seed: HashMap<u64, Fact<'a>> = second.iter().map(|fact| (fact.seed, *fact)).collect();
        let both = first.iter().filter_map(|fact| Some((*fact, *by_seed.get(&fact.seed)?)));
        let runs = both.filter(|(a, b)| a.result.is_some() && b.result.is_some()).collect();
        RunPairs { runs, requested: first.len(), draws: DrawScore::default() }
    }

    /// The same pairs with another score of draws.
    fn counting(self, draws: DrawScore) -> RunPairs<'a> {
        RunPairs { draws, ..self }
    }

    fn fitness(&self, fact: &Fact<'a>) -> Option<f64> {
        match self.draws {
            DrawScore::Half => fact.number("mean"),
            DrawScore::Win | DrawScore::Loss => gauntlet_ratings::intervals::mean(&self.scores(fact)?),
        }
    }

    fn scores(&self, fact: &Fact<'a>) -> Option<Vec<f64>> {
        let score = |score: f64| if score == 0.0 { self.draws.value() } else { score };
        Some(fact.scores()?.into_iter().map(score).collect())
    }

    /// The means at both values.
    pub fn means(&self) -> (Vec<f64>, Vec<f64>) {
        self.runs.iter().filter_map(|(a, b)| Some((self.fitness(a)?, self.fitness(b)?))).unzip()
    }

    /// A point over these runs, without its value.
    pub fn point(&self, metric: &str, row: &str, column: &str) -> Point {
        let facts: Vec<Fact<'_>> = self.runs.iter().flat_map(|(a, b)| [*a, *b]).collect();
        Point {
            n_runs: self.runs.len() as u64,
            n_requested: self.requested as u64,
            n_games: facts.iter().map(Fact::games).sum(),
            config_ids: config_ids(&facts),
            ..blank(metric, row, column)
        }
    }

    /// The correlation, with the bootstrap over runs as its error.
    pub fn correlation(&self, row: &str, column: &str) -> Point {
        let (xs, ys) = self.means();
        let at = |indices: &[usize]| {
            let (a, b): (Vec<f64>, Vec<f64>) = indices.iter().map(|&at| (xs[at], ys[at])).unzip();
            pearson(&a, &b)
        };
        let settings = BootstrapSettings { level: LEVEL, ..BootstrapSettings::default() };
        let estimate = bootstrap(xs.len(), settings, Seed::new(1).child(row, 0).child(column, 0).rng(), at);
        let error = estimate.and_then(|estimate| estimate.standard_error).map(Spread::standard_error);
        let interval = estimate.and_then(|estimate| estimate.interval).map(at_level);
        Point { value: pearson(&xs, &ys), error, interval, ..self.point(CORRELATION, row, column) }
    }

    /// The share of runs that do better at the second value, and the share of ties.
    pub fn shares(&self, row: &str, column: &str, tie_column: &str) -> [Point; 2] {
        let (xs, ys) = self.means();
        let n = xs.len() as u64;
        let share = |holds: fn(&f64, &f64) -> bool| {
            (n > 0).then(|| xs.iter().zip(&ys).filter(|(x, y)| holds(x, y)).count() as f64 / n as f64)
        };
        let point = |metric: &str, column: &str, value: Option<f64>| Point {
            value,
            error: value.and_then(|value| share_error(value, n)).map(Spread::standard_error),
            interval: value.and_then(|value| wilson(value * n as f64, n as f64, LEVEL)).map(at_level),
            ..self.point(metric, row, column)
        };
        [point(SHARE, column, share(|x, y| y > x)), point("ties", tie_column, share(|x, y| x == y))]
    }

    /// Split-half reliability of the results at both values.
    fn reliabilities(&self) -> [Option<f64>; 2] {
        let side = |pick: fn(&(Fact<'a>, Fact<'a>)) -> Fact<'a>| {
            let halves = self.runs.iter().filter_map(|run| {
                let fact = pick(run);
                halves(&self.scores(&fact)?, if fact.pairs().is_some() { 2 } else { 1 })
            });
            let (even, odd): (Vec<f64>, Vec<f64>) = halves.unzip();
            split_half_reliability(&even, &odd)
        };
        [side(|run| run.0), side(|run| run.1)]
    }
}

/// Mean scores of the even and of the odd games, or where those that stand together are a pair, of the even and of the
/// odd pairs; both halves hold games of both colours.
fn halves(scores: &[f64], together: usize) -> Option<(f64, f64)> {
    let half = |parity: usize| {
        let half: Vec<f64> = scores.chunks(together).skip(parity).step_by(2).flatten().copied().collect();
        gauntlet_ratings::intervals::mean(&half)
    };
    Some((half(0)?, half(1)?))
}

/// One place of the table: labels and facts.
struct Block<'a> {
    row: String,
    column: String,
    /// The panel that it is drawn in, and its series there.
    panel: String,
    arm: String,
    pairs: RunPairs<'a>,
}

pub(super) fn render(scene: &Scene<'_>, show: &Correlations) -> Content {
    let facts = scene.facts.stage(&show.stage);
    let row_groups = group(&facts, &show.rows);
    let places: Vec<Block<'_>> = row_groups
        .iter()
        .flat_map(|rows| show.pairs.iter().map(move |pair| (rows, pair)))
        .flat_map(|(rows, pair)| columns_of(scene, show, rows, *pair))
        .collect();
    let points: Vec<Vec<Point>> = places.par_iter().map(|place| points_of(scene, show, place)).collect();
    let chart = chart(show, &places, &points, scene.exhibit.errors);
    let points = points.concat();
    let notes = lost(&facts).into_iter().chain(reliability_note(&points)).chain(beyond_note(&points)).collect();
    let table = table(show, &points);
    let errors = match scene.exhibit.errors {
        ErrorBars::StandardError => {
            "Errors are one standard error, by the bootstrap over runs for correlations and binomial for shares"
        }
        ErrorBars::Interval => {
            "Brackets and bars are 95 % intervals, by the bootstrap over runs (BCa) for correlations and Wilson's for shares"
        }
    };
    let draws = match show.draws {
        DrawScore::Half => "",
        DrawScore::Win => " In a fitness a draw counts 1.",
        DrawScore::Loss => " In a fitness a draw counts -1.",
    };
    let published = "published errors are those that Fisher's z or the binomial implies for n runs.";
    let caption = format!("{errors}; {published}{draws}");
    Content { points, table: Some(table), chart, notes, caption }
}

/// How reliable a single fitness is, over all sides of all pairs.
fn reliability_note(points: &[Point]) -> Option<String> {
    let sides = points.iter().filter(|point| point.metric.starts_with("reliability"));
    let values: Vec<f64> = sides.filter_map(|point| point.value).collect();
    let low = values.iter().copied().reduce(f64::min)?;
    let high = values.iter().copied().reduce(f64::max)?;
    Some(format!(
        "Split-half reliability of a fitness (even against odd games, corrected to full length): {low:.2} to {high:.2}; \
         the correlations corrected for it are in the CSV."
    ))
}

/// The note on corrected correlations that are none, if there are any.
fn beyond_note(points: &[Point]) -> Option<String> {
    let corrected = points.iter().filter(|point| point.metric == CORRECTED);
    let beyond: Vec<f64> = corrected.filter_map(|point| point.value.filter(|value| value.abs() > 1.0)).collect();
    let most = beyond.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs()))?;
    Some(format!(
        "Corrected correlations beyond 1: {}, up to {most:.2}. Reliabilities have errors too, and what they divide has none \
         of its own bounds. Such a value says no more than that nothing but noise keeps the correlation from 1.",
        beyond.len()
    ))
}

fn columns_of<'a>(scene: &Scene<'_>, show: &Correlations, rows: &FactGroup<'a>, pair: [i64; 2]) -> Vec<Block<'a>> {
    let sizes = format!("{0}x{0} vs. {1}x{1}", pair[0], pair[1]);
    let row = match scene.phrase(&rows.labels) {
        rows if rows.is_empty() => sizes,
        rows => format!("{rows}, {sizes}"),
    };
    let axes = [show.columns.as_slice(), &show.arms].concat();
    let place = |columns: FactGroup<'a>| {
        let (panel, arm) = columns.labels.split_at(show.columns.len());
        Block {
            row: row.clone(),
            column: scene.phrase(&columns.labels),
            panel: scene.phrase(panel),
            arm: if arm.is_empty() { "measured".to_owned() } else { scene.phrase(arm) },
            pairs: RunPairs::new(&columns.facts, &show.across, pair).counting(show.draws),
        }
    };
    group(&rows.facts, &axes).into_iter().map(place).collect()
}

fn points_of(scene: &Scene<'_>, show: &Correlations, place: &Block<'_>) -> Vec<Point> {
    let name = |metric: &str| match show.share_fitter {
        true => format!("{} / {metric}", place.column),
        false => place.column.clone(),
    };
    let correlation = place.pairs.correlation(&place.row, &name("Correlation"));
    let [first, second] = place.pairs.reliabilities();
    let corrected = match (correlation.value, first, second) {
        (Some(r), Some(first), Some(second)) => disattenuated(r, first, second),
        _ => None,
    };
    let side = |metric: &str, value| Point { value, ..place.pairs.point(metric, &place.row, &place.column) };
    let mut points = vec![scene.with_published(correlation)];
    if show.share_fitter {
        let [share, ties] = place.pairs.shares(&place.row, &name("p"), &name("ties"));
        points.extend([scene.with_published(share), ties]);
    }
    points.push(side("reliability of the first", first));
    points.push(side("reliability of the second", second));
    points.push(side(CORRECTED, corrected));
    points
}

/// Metrics that stand in the table; the others are in the CSV alone.
fn in_table(point: &Point) -> bool {
    matches!(point.metric.as_str(), CORRELATION | SHARE | "ties")
}

fn table(show: &Correlations, points: &[Point]) -> Table {
    let mut columns: Vec<String> = Vec::new();
    let mut rows: Vec<(String, Vec<Option<usize>>)> = Vec::new();
    for (at, point) in points.iter().enumerate().filter(|(_, point)| in_table(point)) {
        let column = columns.iter().position(|known| *known == point.column).unwrap_or_else(|| {
            columns.push(point.column.clone());
            columns.len() - 1
        });
        let row = rows.iter().position(|(known, _)| *known == point.row).unwrap_or_else(|| {
            rows.push((point.row.clone(), Vec::new()));
            rows.len() - 1
        });
        let cells = &mut rows[row].1;
        cells.resize(cells.len().max(column + 1), None);
        cells[column] = Some(at);
    }
    for (_, cells) in &mut rows {
        cells.resize(columns.len(), None);
    }
    let corner = if show.rows.is_empty() { "Sizes" } else { "Game and sizes" };
    Table { corner: corner.to_owned(), columns, rows, digits: 2 }
}

/// What is drawn of one place of the table.
struct Drawn<'a> {
    place: &'a Block<'a>,
    point: &'a Point,
}

fn chart(show: &Correlations, places: &[Block<'_>], points: &[Vec<Point>], errors: ErrorBars) -> Chart {
    let mut panels: Vec<Panel> = Vec::new();
    let shown = [(CORRELATION, "correlation"), (SHARE, "share p fitter on the larger board")];
    for (metric, label) in shown.into_iter().take(if show.share_fitter { 2 } else { 1 }) {
        let drawn = places.iter().zip(points).filter_map(|(place, points)| {
            points.iter().find(|point| point.metric == metric).map(|point| Drawn { place, point })
        });
        let drawn: Vec<Drawn<'_>> = drawn.collect();
        for title in distinct(drawn.iter().map(|one| one.place.panel.as_str())) {
            let own: Vec<&Drawn<'_>> = drawn.iter().filter(|one| one.place.panel == title).collect();
            panels.push(panel(title, label, &own, errors));
        }
    }
    Chart::of(panels)
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    names.fold(Vec::new(), |mut known, name| {
        if !known.contains(&name) {
            known.push(name);
        }
        known
    })
}

fn panel(title: &str, label: &str, drawn: &[&Drawn<'_>], errors: ErrorBars) -> Panel {
    let (rows, arms) = (
        distinct(drawn.iter().map(|one| one.place.row.as_str())),
        distinct(drawn.iter().map(|one| one.place.arm.as_str())),
    );
    let at = |one: &Drawn<'_>| rows.iter().position(|row| *row == one.place.row).unwrap_or(0) as f64;
    let arm = |(arm, name): (usize, &&str)| {
        let own = drawn.iter().filter(|one| one.place.arm == **name);
        let points = own.filter_map(|one| one.point.vertex(at(one), errors, POSSIBLE)).collect();
        // The second colour is that of published numbers.
        let colour = if arm == 0 { 0 } else { arm + 1 };
        Series { name: (*name).to_owned(), mark: Mark::Dot, colour, points }
    };
    let mut series: Vec<Series> = arms.iter().enumerate().map(arm).collect();
    let published = drawn.iter().filter_map(|one| {
        let (value, error) = one.point.printed()?;
        Some(Vertex::around(at(one), value, error))
    });
    let mut published: Vec<Vertex> = published.collect();
    // Arms have the same published number beside them, which is drawn once.
    published.dedup();
    if !published.is_empty() {
        series.push(Series { name: "published".to_owned(), mark: Mark::Diamond, colour: 1, points: published });
    }
    let x = Axis::categories(rows.into_iter().map(str::to_owned).collect());
    Panel { title: title.to_owned(), x, y: Axis::linear(label), series }
}
