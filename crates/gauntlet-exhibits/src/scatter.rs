//! One mark a run: its result at one value of an axis against that at another
//! (Schaul and Schmidhuber 2009, Figure 4).

use schemars::JsonSchema;
use serde::Deserialize;

use super::context::BOARD_SIZE;
use super::estimate::{in_csv, of_errors};
use super::run_pairs::{RunPairs, few_runs_note};
use super::sheet::{Axis, AxisScale, Chart, Mark, Panel, Point, Series, Table, Vertex};
use super::{About, Basis, Content, Context, Kind, Need, axes, group, lost};

/// Marks of the series, in order.
const MARKS: [Mark; 3] = [Mark::Dot, Mark::Cross, Mark::Diamond];

/// Results of the same runs at two values of an axis, one dot a run
/// (Schaul and Schmidhuber 2009, Figure 4).
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scatter {
    /// The stage.
    pub stage: String,
    /// The axis whose values are compared: `game.size`.
    pub across: String,
    /// Its value on the horizontal axis.
    pub x: i64,
    /// Its value on the vertical axis.
    pub y: i64,
    /// Axes whose values make differently marked series.
    #[serde(default)]
    pub series: Vec<String>,
}

impl Kind for Scatter {
    fn about(&self) -> About<'_> {
        let cells = axes(&[&self.series]).into_iter().chain([self.across.as_str()]).collect();
        let rows = axes(&[&self.series]);
        About { cells, rows, ..About::of_stage("results of single runs", Basis::Results, &self.stage, Need::Score) }
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let facts = context.facts.stage(&self.stage);
        let (mut points, mut rows, mut series) =
            (Vec::new(), Vec::new(), vec![Series::rule([(-1.0, -1.0), (1.0, 1.0)])]);
        for (at, group) in group(&facts, &self.series).iter().enumerate() {
            let name = context.phrase(&group.labels);
            let pairs = RunPairs::new(&group.facts, &self.across, [self.x, self.y]);
            let [share, ties] = pairs.shares(&name, "p", "ties");
            let correlation = pairs.judged_correlation(context, &name, "Correlation");
            let summary = [correlation, context.with_published(share), context.with_published(ties)];
            rows.push((name.clone(), (points.len()..points.len() + summary.len()).map(Some).collect()));
            points.extend(summary);
            let (xs, ys) = pairs.means();
            let dots: Vec<Vertex> = xs.iter().zip(&ys).map(|(&x, &y)| Vertex::at(x, y)).collect();
            points.extend(dots.iter().zip(&pairs.runs).map(|(dot, (fact, _))| Point {
                x: Some(dot.x),
                value: Some(dot.y),
                n_runs: 1,
                n_requested: 1,
                ..pairs.point("fitness", &name, &format!("run {}", fact.seed))
            }));
            let name = context.named(&self.series, &group.labels);
            let names = pairs.runs.iter().map(|(fact, _)| format!("run {}", fact.seed)).collect();
            series.push(Series { name, mark: MARKS[at % MARKS.len()], colour: at, names, points: dots });
        }
        let columns = ["Correlation", "p", "ties"].map(str::to_owned).to_vec();
        let table = Table { corner: context.axes(&self.series), columns, rows, digits: 2 };
        let caption = format!(
            "Each mark is one network: its fitness {} against that {}; p is the share above the diagonal. {}",
            place(context, self, self.x),
            place(context, self, self.y),
            of_errors(context.errors, "networks", METHOD)
        );
        let chart = Chart::of(vec![panel(context, self, series)]);
        let remarks =
            few_runs_note(&points, &self.about().names(context)).into_iter().chain([in_csv(context.errors, METHOD)]);
        let notes = lost(&facts).into_iter().chain(remarks).collect();
        Content { points, table: Some(table), chart, notes, caption }
    }
}

/// The methods of the intervals.
const METHOD: &str = "bootstrap; Wilson's for shares";

/// The place of the results: `on 7x7`, `at simulations 100`.
fn place(context: &Context<'_>, show: &Scatter, value: i64) -> String {
    match show.across.as_str() {
        BOARD_SIZE => format!("on {value}x{value}"),
        axis => format!("at {} {value}", context.axis(axis)),
    }
}

fn panel(context: &Context<'_>, show: &Scatter, series: Vec<Series>) -> Panel {
    let axis = |value: i64| Axis {
        label: format!("fitness {}", place(context, show, value)),
        scale: AxisScale::Linear,
        range: Some((-1.05, 1.05)),
    };
    Panel { title: String::new(), x: axis(show.x), y: axis(show.y), series }
}
