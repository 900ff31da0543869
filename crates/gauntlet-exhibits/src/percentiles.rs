//! The share of runs that reach at least a given result (Schaul and Schmidhuber 2009, Figure 2).

use schemars::JsonSchema;
use serde::Deserialize;

use super::context::titled;
use super::draft::Draft;
use super::estimate::{IN_CSV, LEVEL};
use super::sheet::{Axis, ConfidenceInterval, Mark, Panel, Point, Series, Vertex};
use super::{About, Basis, Content, Context, Fact, Kind, Need, blank, config_ids, group};
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
        let about = About::of_stage("distribution of the results", Basis::Results, &self.stage, Need::Score);
        about.with_axes(&self.panels, &self.curves, &[])
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let facts = context.facts.stage(&self.stage);
        let mut draft = Draft::of(&facts);
        for panel in &group(&facts, &self.panels) {
            let panel_name = context.phrase(&panel.labels);
            let mut series = Vec::new();
            for (colour, curve) in group(&panel.facts, &self.curves).iter().enumerate() {
                let row = titled(&panel_name, &context.phrase(&curve.labels));
                let known = context.recorded_where(|point| point.row == row);
                let own = known.unwrap_or_else(|| points_of(&row, &curve.facts));
                let vertices = own.iter().filter_map(|point| Some(Vertex::at(point.x?, point.value?)));
                let name = context.named(&self.curves, &curve.labels);
                series.push(Series::new(name, Mark::Line, colour, vertices));
                draft.row(row, own);
            }
            let x = Axis::within("percentage of networks", (0.0, 100.0));
            let y = Axis::within("fitness reached", (-1.0, 1.0));
            draft.panels.push(Panel::new(context.named(&self.panels, &panel.labels), x, y, series));
        }
        let exact = format!("{IN_CSV} exact 95 % intervals from order statistics, where there are enough networks.");
        draft.notes.push(exact);
        let columns = SHOWN.map(|percent| format!("{percent} % reach"));
        draft.under(&columns);
        let corner = context.axes(&[self.panels.as_slice(), &self.curves].concat());
        let caption = "A line at (x, y) says that x % of the networks have a fitness of at least y.";
        draft.content(corner, columns, 2, caption)
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
