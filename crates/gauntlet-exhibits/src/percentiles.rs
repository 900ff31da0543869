//! The share of runs that reach at least a given result (Schaul and Schmidhuber 2009, Figure 2).

use schemars::JsonSchema;
use serde::Deserialize;

use super::estimate::{IN_CSV, LEVEL};
use super::sheet::{Axis, AxisScale, Chart, ConfidenceInterval, Mark, Panel, Point, Series, Table, Vertex};
use super::{About, Basis, Content, Context, Fact, Kind, Need, axes, blank, config_ids, group, lost};
use gauntlet_ratings::intervals::quantile_ranks;

/// Shares of runs that the table shows, in percent.
const SHOWN: [u32; 5] = [5, 25, 50, 75, 95];

/// The result that at least `percent` of the runs reach, from results in descending order: order statistic number
/// `ceil(n percent / 100)`.
fn reached(descending: &[f64], percent: f64) -> Option<f64> {
    let rank = (descending.len() as f64 * percent / 100.0).ceil() as usize;
    descending.get(rank.clamp(1, descending.len().max(1)) - 1).copied()
}

/// Distribution-free interval of a quantile, if there are enough results for one.
fn interval(descending: &[f64], percent: f64) -> Option<ConfidenceInterval> {
    let ranks = quantile_ranks(descending.len() as u64, percent / 100.0, LEVEL)?;
    let [high, low] = ranks.map(|rank| descending[rank as usize - 1]);
    Some(ConfidenceInterval { low, high, level: LEVEL })
}

/// The distribution of results over runs: the share of runs that reach at least a result (Schaul and Schmidhuber 2009,
/// Figure 2).
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Percentiles {
    /// The stage.
    pub stage: String,
    /// Axes whose values make panels.
    #[serde(default)]
    pub panels: Vec<String>,
    /// Axes whose values make curves.
    pub curves: Vec<String>,
}

impl Kind for Percentiles {
    fn about(&self) -> About<'_> {
        let cells = axes(&[&self.panels, &self.curves]);
        let (panels, rows) = (axes(&[&self.panels]), axes(&[&self.curves]));
        About {
            cells,
            panels,
            rows,
            ..About::of_stage("distribution of the results", Basis::Results, &self.stage, Need::Score)
        }
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let facts = context.facts.stage(&self.stage);
        let panel_groups = group(&facts, &self.panels);
        let (mut points, mut panels, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for panel in &panel_groups {
            let panel_name = context.phrase(&panel.labels);
            let mut series = Vec::new();
            for (colour, curve) in group(&panel.facts, &self.curves).iter().enumerate() {
                let name = context.phrase(&curve.labels);
                let row = if panel_name.is_empty() { name } else { format!("{panel_name}: {name}") };
                let start = points.len();
                let known = context.recorded_where(|point| point.row == row);
                points.extend(known.unwrap_or_else(|| points_of(&row, &curve.facts)));
                let cells = SHOWN.map(|percent| {
                    points[start..].iter().position(|point| point.x == Some(f64::from(percent))).map(|at| start + at)
                });
                series.push(series_of(&context.named(&self.curves, &curve.labels), colour, &points[start..]));
                rows.push((row, cells.to_vec()));
            }
            panels.push(panel_of(context.named(&self.panels, &panel.labels), series));
        }
        let columns = SHOWN.map(|percent| format!("{percent} % reach")).to_vec();
        let table =
            Table { corner: context.axes(&[self.panels.as_slice(), &self.curves].concat()), columns, rows, digits: 2 };
        let caption = "A line at (x, y) says that x % of the networks have a fitness of at least y.".to_owned();
        let exact = format!("{IN_CSV} exact 95 % intervals from order statistics, where there are enough networks.");
        Content {
            points,
            table: Some(table),
            chart: Chart::of(panels),
            notes: lost(&facts).into_iter().chain([exact]).collect(),
            caption,
        }
    }
}

fn points_of(row: &str, facts: &[Fact<'_>]) -> Vec<Point> {
    let mut values: Vec<f64> = facts.iter().filter_map(Fact::mean).collect();
    values.sort_by(|a, b| b.total_cmp(a));
    let point = |percent: u32| Point {
        x: Some(f64::from(percent)),
        value: reached(&values, f64::from(percent)),
        interval: interval(&values, f64::from(percent)),
        n_runs: values.len() as u64,
        n_requested: facts.len() as u64,
        n_games: facts.iter().map(Fact::games).sum(),
        config_ids: config_ids(facts),
        ..blank("fitness reached", row, &format!("{percent} % reach"))
    };
    (1..=100).map(point).collect()
}

fn series_of(name: &str, colour: usize, points: &[Point]) -> Series {
    let vertex = |point: &Point| Some(Vertex::at(point.x?, point.value?));
    let points = points.iter().filter_map(vertex).collect();
    Series { name: name.to_owned(), mark: Mark::Line, names: Vec::new(), colour, points }
}

fn panel_of(title: String, series: Vec<Series>) -> Panel {
    Panel {
        title,
        x: Axis { label: "percentage of networks".to_owned(), scale: AxisScale::Linear, range: Some((0.0, 100.0)) },
        y: Axis { label: "fitness reached".to_owned(), scale: AxisScale::Linear, range: Some((-1.0, 1.0)) },
        series,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_reaches_the_upper_quartile() {
        let descending: Vec<f64> = (0..100).rev().map(f64::from).collect();
        assert_eq!(reached(&descending, 25.0), Some(75.0));
        assert_eq!(reached(&descending, 100.0), Some(0.0));
        assert_eq!(reached(&descending, 1.0), Some(99.0));
        assert_eq!(reached(&[], 50.0), None);
        let interval = interval(&descending, 50.0).unwrap();
        // The ends 40 and 61 of 100.
        assert_eq!((interval.low, interval.high), (39.0, 60.0));
        assert_eq!([super::interval(&descending, 100.0), super::interval(&descending[..5], 50.0)], [None; 2]);
    }
}
