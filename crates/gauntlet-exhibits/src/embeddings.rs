//! Embeddings of a good and a bad action on boards of many sizes, in the plane of two principal components, and their
//! separation (Ben-Assayag and El-Yaniv 2021, Figure 4).

use schemars::JsonSchema;
use serde::Deserialize;

use super::context::titled;
use super::draft::Draft;
use super::estimate::{STUDENT, Sample, of_run, over_runs};
use super::sheet::{Axis, AxisScale, Mark, Panel, Point, Series, Vertex};
use super::{About, Basis, Content, Context, Fact, JobResult, Kind, Need, group};
use gauntlet_play::measure::Embedded;

/// A kind of points: its name, its mark, and its coordinates in a result.
type PointKind = (&'static str, Mark, fn(&Embedded) -> &[[f64; 2]]);

/// The two kinds of points, in the order of their colours.
const KINDS: [PointKind; 2] = [("good", Mark::Dot, |own| &own.good), ("bad", Mark::Cross, |own| &own.bad)];

/// A column of the table: its metric, its heading, and its number in a result.
type Summary = (&'static str, &'static str, fn(&Embedded) -> f64);

/// Columns of the table.
const COLUMNS: [Summary; 3] = [
    ("separated", "Separated", |own| own.separated),
    ("first", "Variance, first component", |own| own.shares[0]),
    ("second", "Variance, second component", |own| own.shares[1]),
];

/// Embeddings of a good and a bad action on boards of many sizes
/// (Ben-Assayag and El-Yaniv 2021, Figure 4).
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Embeddings {
    /// The stage, of `measure.embeddings` jobs.
    pub stage: String,
    /// Axes whose values make rows of the table and panels of the figure.
    #[serde(default)]
    pub panels: Vec<String>,
}

impl Kind for Embeddings {
    fn about(&self) -> About<'_> {
        let about = About::of_stage("embeddings", Basis::Results, &self.stage, Need::Embeddings);
        about.with_axes(&[], &self.panels, &[])
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let facts = context.facts.stage(&self.stage);
        let mut draft = Draft::of(&facts);
        for group in &group(&facts, &self.panels) {
            let name = context.phrase(&group.labels);
            let summary = COLUMNS.map(|(metric, column, number)| {
                let values = Sample::of(&group.facts, |fact| embedded(fact).map(number));
                over_runs([0.0, 1.0], [metric, &name, column], &group.facts, &values)
            });
            draft.row(&name, summary);
            let found = group.facts.iter().find_map(|fact| Some((fact, embedded(fact)?)));
            let Some((first, own)) = found else { continue };
            draft.points.extend(KINDS.iter().flat_map(|kind| dots(first, own, &name, kind)));
            draft.panels.extend(pictures(own, &name));
        }
        let caption = "Embeddings of both actions on all boards, along the first two principal components; the pictures show the \
            first run. Separated: the share of points on their kind's side of Fisher's line in that plane, which is \
            drawn without the points of their own board. It is one half where the kinds coincide.";
        let caption = format!("{caption} {}", draft.errors(context, "runs", STUDENT));
        draft.content(context.axes(&self.panels), COLUMNS.map(|(_, column, _)| column), 3, caption)
    }
}

fn embedded<'a>(fact: &Fact<'a>) -> Option<&'a Embedded> {
    if let Some(JobResult::Embeddings(own)) = fact.result() { Some(own) } else { None }
}

fn dots(fact: &Fact<'_>, own: &Embedded, row: &str, &(kind, _, points): &PointKind) -> Vec<Point> {
    let dot = |(size, &[x, y]): (&u32, &[f64; 2])| {
        let column = format!("{kind}, {size}x{size}, run {}", fact.seed);
        Point { x: Some(x), value: Some(y), ..of_run(fact, "second component", row, &column) }
    };
    own.sizes.iter().zip(points(own)).map(dot).collect()
}

/// The plane of the two components, and each of them against the size.
fn pictures(own: &Embedded, name: &str) -> Vec<Panel> {
    let series = |place: fn(f64, [f64; 2]) -> Vertex| {
        KINDS.iter().enumerate().map(move |(colour, &(kind, mark, points))| {
            let points = own.sizes.iter().zip(points(own)).map(|(&size, &point)| place(f64::from(size), point));
            let names = own.sizes.iter().map(|size| format!("{size}x{size}")).collect();
            Series { names, ..Series::new(format!("{kind} action"), mark, colour, points) }
        })
    };
    let first = || Axis::linear("first component");
    let plane = series(|_, [x, y]| Vertex::at(x, y));
    let by_size = series(|size, [x, _]| Vertex::at(size, x));
    let size = Axis { scale: AxisScale::Log, ..Axis::linear("board size") };
    vec![
        Panel::new(titled(name, "plane"), first(), Axis::linear("second component"), plane),
        Panel::new(titled(name, "by board size"), size, first(), by_size),
    ]
}
