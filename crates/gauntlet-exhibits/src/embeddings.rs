//! Embeddings of a good and a bad action on boards of many sizes, in the plane of two principal components, and their
//! separation (Ben-Assayag and El-Yaniv 2021, Figure 4).

use schemars::JsonSchema;
use serde::Deserialize;

use super::estimate::{STUDENT, Sample, in_csv, of_errors, over_runs};
use super::sheet::{Axis, AxisScale, Chart, Mark, Panel, Point, Series, Table, Vertex};
use super::{About, Basis, Content, Context, Fact, JobResult, Kind, Need, axes, blank, config_ids, group, lost};
use gauntlet_play::measure::Embedded;

/// A kind of points: its name, its mark, and its coordinates in a result.
type PointKind = (&'static str, Mark, fn(&Embedded) -> &[[f64; 2]]);

/// The two kinds of points, in the order of their colours.
const KINDS: [PointKind; 2] = [("good", Mark::Dot, |own| &own.good), ("bad", Mark::Cross, |own| &own.bad)];

/// A column of the table: its metric, its heading, and its number in a result.
type Column = (&'static str, &'static str, fn(&Embedded) -> f64);

/// Columns of the table.
const COLUMNS: [Column; 3] = [
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
        let cells = axes(&[&self.panels]);
        let rows = cells.clone();
        About { cells, rows, ..About::of_stage("embeddings", Basis::Results, &self.stage, Need::Embeddings) }
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let facts = context.facts.stage(&self.stage);
        let (mut points, mut rows, mut panels) = (Vec::new(), Vec::new(), Vec::new());
        for group in &group(&facts, &self.panels) {
            let name = context.phrase(&group.labels);
            let summary = COLUMNS.map(|(metric, column, number)| {
                let values = Sample::of(&group.facts, |fact| embedded(fact).map(number));
                over_runs([0.0, 1.0], metric, (&name, column), &group.facts, &values)
            });
            rows.push((name.clone(), (points.len()..points.len() + summary.len()).map(Some).collect()));
            points.extend(summary);
            let found = group.facts.iter().find_map(|fact| Some((fact, embedded(fact)?)));
            let Some((first, own)) = found else { continue };
            points.extend(KINDS.iter().flat_map(|kind| dots(first, own, &name, kind)));
            panels.extend(pictures(own, &name));
        }
        let columns = COLUMNS.map(|(_, column, _)| column.to_owned()).to_vec();
        let table = Table { corner: context.axes(&self.panels), columns, rows, digits: 3 };
        let caption = "Embeddings of both actions on all boards, along the first two principal components; the pictures show the \
            first run. Separated: the share of points on their kind's side of Fisher's line in that plane, which is \
            drawn without the points of their own board. It is one half where the kinds coincide.";
        let caption = format!("{caption} {}", of_errors(context.errors, "runs", STUDENT));
        Content {
            points,
            table: Some(table),
            chart: Chart::of(panels),
            notes: lost(&facts).into_iter().chain([in_csv(context.errors, STUDENT)]).collect(),
            caption,
        }
    }
}

fn embedded<'a>(fact: &Fact<'a>) -> Option<&'a Embedded> {
    if let Some(JobResult::Embeddings(own)) = fact.result { Some(own) } else { None }
}

fn dots(fact: &Fact<'_>, own: &Embedded, row: &str, &(kind, _, points): &PointKind) -> Vec<Point> {
    let dot = |(size, &[x, y]): (&u32, &[f64; 2])| Point {
        x: Some(x),
        value: Some(y),
        n_runs: 1,
        n_requested: 1,
        config_ids: config_ids(&[*fact]),
        ..blank("second component", row, &format!("{kind}, {size}x{size}, run {}", fact.seed))
    };
    own.sizes.iter().zip(points(own)).map(dot).collect()
}

/// The plane of the two components, and each of them against the size.
fn pictures(own: &Embedded, name: &str) -> Vec<Panel> {
    let titled = |what: &str| if name.is_empty() { what.to_owned() } else { format!("{name}: {what}") };
    let axis = |label: &str, scale: AxisScale| Axis { label: label.to_owned(), scale, range: None };
    let series = |place: &dyn Fn(f64, [f64; 2]) -> (f64, f64)| -> Vec<Series> {
        let drawn = KINDS.iter().enumerate().map(|(colour, &(kind, mark, points))| {
            let vertex = |(&size, &point): (&u32, &[f64; 2])| {
                let (x, y) = place(f64::from(size), point);
                Vertex::at(x, y)
            };
            let points = own.sizes.iter().zip(points(own)).map(vertex).collect();
            let names = own.sizes.iter().map(|size| format!("{size}x{size}")).collect();
            Series { name: format!("{kind} action"), mark, colour, names, points }
        });
        drawn.collect()
    };
    let (first, second) = ("first component", "second component");
    vec![
        Panel {
            title: titled("plane"),
            x: axis(first, AxisScale::Linear),
            y: axis(second, AxisScale::Linear),
            series: series(&|_, [x, y]| (x, y)),
        },
        Panel {
            title: titled("by board size"),
            x: axis("board size", AxisScale::Log),
            y: axis(first, AxisScale::Linear),
            series: series(&|size, [x, _]| (size, x)),
        },
    ]
}
