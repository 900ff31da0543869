//! One mark a run: its result at one value of an axis against that at another
//! (Schaul and Schmidhuber 2009, Figure 4).

use schemars::JsonSchema;
use serde::Deserialize;

use super::context::BOARD_SIZE;
use super::draft::Draft;
use super::run_pairs::{RunPairs, few_runs_note};
use super::sheet::{Axis, Mark, Panel, Point, Series, Vertex};
use super::{About, Basis, Content, Context, Kind, Need, group};

/// The columns of the table.
const COLUMNS: [&str; 3] = ["Correlation", "p", "ties"];
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
        let about = About::of_stage("results of single runs", Basis::Results, &self.stage, Need::Score);
        about.with_axes(&[], &self.series, &[]).with_cell(&self.across)
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let facts = context.facts.stage(&self.stage);
        let (mut draft, mut series) = (Draft::of(&facts), vec![Series::rule([(-1.0, -1.0), (1.0, 1.0)])]);
        for (at, group) in group(&facts, &self.series).iter().enumerate() {
            let name = context.phrase(&group.labels);
            let pairs = RunPairs::new(&group.facts, &self.across, [self.x, self.y]);
            let [_, p, ties] = COLUMNS;
            let [share, ties] = pairs.shares(&name, p, ties).map(|point| context.with_published(point));
            draft.row(&name, [pairs.judged_correlation(context, &name, COLUMNS[0]), share, ties]);
            let (xs, ys) = pairs.means();
            let dots: Vec<Vertex> = xs.iter().zip(&ys).map(|(&x, &y)| Vertex::at(x, y)).collect();
            draft.points.extend(dots.iter().zip(&pairs.runs).map(|(dot, (fact, _))| Point {
                x: Some(dot.x),
                value: Some(dot.y),
                n_runs: 1,
                n_requested: 1,
                ..pairs.point("fitness", &name, &format!("run {}", fact.seed))
            }));
            let name = context.named(&self.series, &group.labels);
            let names = pairs.runs.iter().map(|(fact, _)| format!("run {}", fact.seed)).collect();
            series.push(Series { names, ..Series::new(name, MARKS[at % MARKS.len()], at, dots) });
        }
        draft.notes.extend(few_runs_note(&draft.points, &self.about().names(context)));
        draft.panels.push(panel(context, self, series));
        let caption = format!(
            "Each mark is one network: its fitness {} against that {}; p is the share above the diagonal. {}",
            place(context, self, self.x),
            place(context, self, self.y),
            draft.errors(context, "networks", METHOD)
        );
        draft.content(context.axes(&self.series), COLUMNS, 2, caption)
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
    let axis = |value: i64| Axis::within(format!("fitness {}", place(context, show, value)), (-1.05, 1.05));
    Panel::new("", axis(show.x), axis(show.y), series)
}
