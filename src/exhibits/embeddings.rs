//! Embeddings of a good and a bad action on boards of many sizes, in the plane of two principal components, and their
//! separation (Ben-Assayag and El-Yaniv 2021, Figure 4).

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::estimate::{STUDENT, Sample, in_csv, over_runs, told};
use super::sheet::{Axis, AxisScale, Chart, Mark, Panel, Point, Series, Table, Vertex};
use super::{About, Basis, Content, Context, Fact, Kind, Need, axes, blank, config_ids, group, lost};

/// The two kinds of points: their names in results, and their marks.
const KINDS: [(&str, Mark, usize); 2] = [("good", Mark::Dot, 0), ("bad", Mark::Cross, 1)];

/// Columns of the table: the name in results, and the heading.
const COLUMNS: [(&str, &str); 3] =
    [("separated", "Separated"), ("first", "Variance, first component"), ("second", "Variance, second component")];

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
            let summary = COLUMNS.map(|(metric, column)| {
                let values = Sample::of(&group.facts, |fact| number(fact, metric));
                over_runs([0.0, 1.0], metric, (&name, column), &group.facts, &values)
            });
            rows.push((name.clone(), (points.len()..points.len() + summary.len()).map(Some).collect()));
            points.extend(summary);
            let Some(first) = group.facts.iter().find(|fact| fact.result.is_some()) else { continue };
            points.extend(KINDS.iter().flat_map(|(kind, ..)| dots(first, &name, kind)));
            panels.extend(pictures(first, &name));
        }
        let columns = COLUMNS.map(|(_, column)| column.to_owned()).to_vec();
        let table = Table { corner: context.axes(&self.panels), columns, rows, digits: 3 };
        let caption = "Embeddings of both actions on all boards, along the first two principal components; the pictures show the \
            first run. Separated: the share of points on their kind's side of Fisher's line in that plane, which is \
            drawn without the points of their own board. It is one half where the kinds coincide.";
        let caption = format!("{caption} {}", told(context.errors, "runs", STUDENT));
        Content {
            points,
            table: Some(table),
            chart: Chart::of(panels),
            notes: lost(&facts).into_iter().chain([in_csv(context.errors, STUDENT)]).collect(),
            caption,
        }
    }
}

fn number(fact: &Fact<'_>, metric: &str) -> Option<f64> {
    let share = |at: usize| fact.result?.get("shares")?.get(at)?.as_f64();
    match metric {
        "first" => share(0),
        "second" => share(1),
        metric => fact.number(metric),
    }
}

/// Size and both coordinates of all points of a kind.
fn coordinates(fact: &Fact<'_>, kind: &str) -> Vec<(f64, [f64; 2])> {
    let list = |name: &str| fact.result.and_then(|result| result.get(name)?.as_array());
    let (sizes, points) = (list("sizes"), list(kind));
    let both = sizes.into_iter().flatten().zip(points.into_iter().flatten());
    let read =
        |(size, point): (&Value, &Value)| Some((size.as_f64()?, [point.get(0)?.as_f64()?, point.get(1)?.as_f64()?]));
    both.filter_map(read).collect()
}

fn dots(fact: &Fact<'_>, row: &str, kind: &str) -> Vec<Point> {
    let dot = |(size, [x, y]): (f64, [f64; 2])| Point {
        x: Some(x),
        value: Some(y),
        n_runs: 1,
        n_requested: 1,
        config_ids: config_ids(&[*fact]),
        ..blank("second component", row, &format!("{kind}, {size}x{size}, run {}", fact.seed))
    };
    coordinates(fact, kind).into_iter().map(dot).collect()
}

/// The plane of the two components, and each of them against the size.
fn pictures(fact: &Fact<'_>, name: &str) -> Vec<Panel> {
    let titled = |what: &str| if name.is_empty() { what.to_owned() } else { format!("{name}: {what}") };
    let axis = |label: &str, scale: AxisScale| Axis { label: label.to_owned(), scale, range: None };
    let series = |place: &dyn Fn(f64, [f64; 2]) -> (f64, f64)| -> Vec<Series> {
        let drawn = KINDS.iter().map(|&(kind, mark, colour)| {
            let points = coordinates(fact, kind).into_iter().map(|(size, point)| {
                let (x, y) = place(size, point);
                Vertex::at(x, y)
            });
            let names = coordinates(fact, kind).into_iter().map(|(size, _)| format!("{size}x{size}")).collect();
            Series { name: format!("{kind} action"), mark, colour, names, points: points.collect() }
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
