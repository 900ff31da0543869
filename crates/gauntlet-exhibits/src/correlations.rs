//! Correlations between the results of the same runs at two values of an axis, with the share of runs that do
//! better at the second (Schaul and Schmidhuber 2009, Tables 1 and 2).
//!
//! A fitness of 100 games is noisy, and noise attenuates correlations. Each correlation comes with the split-half
//! reliabilities of both sides and with the value corrected for attenuation.

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;

use super::draft::Draft;
use super::estimate::IN_CSV;
use super::run_pairs::{CORRELATION, DrawScore, RunPairs, SHARE, few_runs_note};
use super::sheet::{Axis, Mark, Panel, Point, Series, Vertex};
use super::{About, Basis, Content, Context, ErrorBars, FactGroup, Kind, Need, axes, distinct, group, levels};
use gauntlet_ratings::correlation::disattenuated;

/// Name of the metric of correlations corrected for attenuation.
const CORRECTED: &str = "correlation corrected for reliability";
/// The range of correlations and shares.
const POSSIBLE: [f64; 2] = [-1.0, 1.0];

/// One cell of the table: labels and facts.
struct Block<'a> {
    row: String,
    column: String,
    /// The panel in which it is drawn, and its series there.
    panel: String,
    arm: String,
    pairs: RunPairs<'a>,
}

/// Pearson correlations between the results of the same runs at two values of an axis
/// (Schaul and Schmidhuber 2009, Tables 1 and 2).
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Correlations {
    /// The stage.
    pub stage: String,
    /// The axis whose values are paired: `game.size`.
    pub across: String,
    /// The pairs of its values.
    pub pairs: Vec<[i64; 2]>,
    /// Axes whose values group the rows.
    #[serde(default)]
    pub rows: Vec<String>,
    /// Axes whose values make the columns.
    #[serde(default)]
    pub columns: Vec<String>,
    /// Axes whose values share the panel of a column; in the table each is a column.
    #[serde(default)]
    pub arms: Vec<String>,
    /// Whether the share of runs that are fitter at the second value is shown, too.
    #[serde(default)]
    pub share_fitter: bool,
    /// The score of a draw in a fitness.
    #[serde(default)]
    pub draws: DrawScore,
}

impl Kind for Correlations {
    fn about(&self) -> About<'_> {
        let title = "correlations between the results";
        let columns = axes(&[&self.columns, &self.arms]);
        let cells = [&axes(&[&self.rows])[..], &columns, &[&self.across]].concat();
        About { cells, columns, ..About::of_stage(title, Basis::Results, &self.stage, Need::Score) }
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let facts = context.facts.stage(&self.stage);
        let row_groups = group(&facts, &self.rows);
        let places: Vec<Block<'_>> = row_groups
            .iter()
            .flat_map(|rows| self.pairs.iter().map(move |pair| (rows, pair)))
            .flat_map(|(rows, pair)| columns_of(context, self, rows, *pair))
            .collect();
        let points: Vec<Vec<Point>> = places.par_iter().map(|place| points_of(context, self, place)).collect();
        let panels = panels(self, &places, &points, context.errors);
        let mut draft = Draft { points: points.concat(), panels, ..Draft::of(&facts) };
        let reliability = reliability_note(&draft.points);
        let corrected =
            reliability.as_ref().map(|_| format!("{IN_CSV} the correlations corrected for that reliability."));
        let few_runs = few_runs_note(&draft.points, &self.about().names(context));
        let remarks = [few_runs, reliability, corrected, beyond_note(&draft.points)];
        draft.notes.extend(remarks.into_iter().flatten());
        let in_table = |point: &&Point| matches!(point.metric.as_str(), CORRELATION | SHARE | "ties");
        let columns = distinct(draft.points.iter().filter(in_table).map(|point| point.column.clone()));
        for label in distinct(draft.points.iter().map(|point| point.row.clone())) {
            let own = draft.points.iter().enumerate().filter(|(_, point)| point.row == label);
            let cells = own.map(|(at, _)| Some(at)).collect();
            draft.rows.push((label, cells));
        }
        draft.under(&columns);
        let errors = match context.errors {
            ErrorBars::StandardError => {
                "Errors are one standard error, by the bootstrap over runs for correlations and binomial for shares."
            }
            ErrorBars::Interval => {
                "Brackets and bars are 95 % intervals, by the bootstrap over runs (BCa) for correlations and Wilson's \
                 for shares."
            }
        };
        let draws = match self.draws {
            DrawScore::Half => "",
            DrawScore::Win => " In a fitness a draw counts 1.",
            DrawScore::Loss => " In a fitness a draw counts -1.",
        };
        let published = "Published errors follow from n runs, by Fisher's z or the binomial.";
        let corner = if self.rows.is_empty() { "Sizes" } else { "Game and sizes" };
        draft.content(corner, columns, 2, format!("{errors} {published}{draws}"))
    }
}

/// The note on the reliability of a single fitness, over all sides of all pairs.
fn reliability_note(points: &[Point]) -> Option<String> {
    let sides = points.iter().filter(|point| point.metric.starts_with("reliability"));
    let values: Vec<f64> = sides.filter_map(|point| point.value).collect();
    let low = values.iter().copied().reduce(f64::min)?;
    let high = values.iter().copied().reduce(f64::max)?;
    Some(format!(
        "Split-half reliability of a fitness (even against odd games, corrected to full length): {low:.2} to {high:.2}."
    ))
}

/// The note on corrected correlations beyond 1, if there are any.
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

fn columns_of<'a>(context: &Context<'_>, show: &Correlations, rows: &FactGroup<'a>, pair: [i64; 2]) -> Vec<Block<'a>> {
    let sizes = format!("{0}x{0} vs. {1}x{1}", pair[0], pair[1]);
    let row = match context.phrase(&rows.labels) {
        rows if rows.is_empty() => sizes,
        rows => format!("{rows}, {sizes}"),
    };
    let axes = [show.columns.as_slice(), &show.arms].concat();
    let place = |columns: FactGroup<'a>| {
        let (panel, arm) = columns.labels.split_at(show.columns.len());
        Block {
            row: row.clone(),
            column: context.phrase(&columns.labels),
            panel: context.named(&show.columns, panel),
            arm: if arm.is_empty() { "measured".to_owned() } else { context.named(&show.arms, arm) },
            pairs: RunPairs::new(&columns.facts, &show.across, pair).counting(show.draws),
        }
    };
    group(&rows.facts, &axes).into_iter().map(place).collect()
}

fn points_of(context: &Context<'_>, show: &Correlations, place: &Block<'_>) -> Vec<Point> {
    let name = |metric: &str| match show.share_fitter {
        true => format!("{} / {metric}", place.column),
        false => place.column.clone(),
    };
    let correlation = place.pairs.judged_correlation(context, &place.row, &name("Correlation"));
    let [first, second] = place.pairs.reliabilities();
    let corrected = match (correlation.value, first, second) {
        (Some(r), Some(first), Some(second)) => disattenuated(r, first, second),
        _ => None,
    };
    let side = |metric: &str, value| Point { value, ..place.pairs.point(metric, &place.row, &place.column) };
    let mut points = vec![correlation];
    if show.share_fitter {
        let [share, ties] = place.pairs.shares(&place.row, &name("p"), &name("ties"));
        points.extend([context.with_published(share), ties]);
    }
    points.push(side("reliability of the first", first));
    points.push(side("reliability of the second", second));
    points.push(side(CORRECTED, corrected));
    points
}

/// A cell of the table with a drawn point.
type BlockPoint<'a> = (&'a Block<'a>, &'a Point);

fn panels(show: &Correlations, places: &[Block<'_>], points: &[Vec<Point>], errors: ErrorBars) -> Vec<Panel> {
    let mut panels: Vec<Panel> = Vec::new();
    let shown = [(CORRELATION, "correlation"), (SHARE, "share p fitter on the larger board")];
    for (metric, label) in shown.into_iter().take(if show.share_fitter { 2 } else { 1 }) {
        let drawn = places
            .iter()
            .zip(points)
            .filter_map(|(place, points)| Some((place, points.iter().find(|point| point.metric == metric)?)));
        let drawn: Vec<BlockPoint<'_>> = drawn.collect();
        for title in distinct(drawn.iter().map(|(place, _)| place.panel.as_str())) {
            let own: Vec<_> = drawn.iter().copied().filter(|(place, _)| place.panel == title).collect();
            panels.push(panel(title, label, &own, errors));
        }
    }
    panels
}

fn panel(title: &str, label: &str, drawn: &[BlockPoint<'_>], errors: ErrorBars) -> Panel {
    let rows = distinct(drawn.iter().map(|(place, _)| place.row.clone()));
    let at = |place: &Block<'_>| rows.iter().position(|row| *row == place.row).unwrap_or(0) as f64;
    let arm = |(arm, name): (usize, &str)| {
        let own = drawn.iter().filter(|(place, _)| place.arm == name);
        let points = own.filter_map(|(place, point)| point.vertex(at(place), errors, POSSIBLE));
        // The second colour is reserved for published numbers.
        Series::new(name, Mark::Dot, if arm == 0 { 0 } else { arm + 1 }, points)
    };
    let arms = distinct(drawn.iter().map(|(place, _)| place.arm.as_str()));
    let mut series: Vec<Series> = arms.into_iter().enumerate().map(arm).collect();
    let published = drawn.iter().filter_map(|(place, point)| point.printed_vertex(at(place), errors, POSSIBLE));
    let mut published: Vec<Vertex> = published.collect();
    // Arms share a published number, which is drawn once.
    published.dedup();
    if !published.is_empty() {
        series.push(Series::new("published", Mark::Diamond, 1, published));
    }
    let is_share = drawn.iter().any(|(_, point)| point.metric == SHARE);
    let y = Axis { range: is_share.then_some((0.0, 1.0)), ..Axis::linear(label) };
    let mut panel = Panel::new(title, Axis::categories("", rows), y, series);
    if is_share {
        levels::one_half(&mut panel);
    }
    panel
}
