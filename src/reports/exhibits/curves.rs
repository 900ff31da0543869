//! Learning curves: mean and best fitness of each generation, averaged over runs
//! (Schaul and Schmidhuber 2009, Figure 3).

use super::super::facts::{Fact, group};
use super::super::sheet::{Axis, Chart, Mark, Panel, Point, Scale, Series, Table, Vertex};
use super::estimate::over_runs;
use super::{Content, Scene, lost};
use crate::manifest::exhibit::Curves;

/// What is drawn of each generation, how, and how the table calls it.
const METRICS: [(&str, Mark, &str); 2] =
    [("mean", Mark::Line, "Mean of the last generation"), ("best", Mark::Dashed, "Best of the last generation")];

pub(super) fn render(scene: &Scene<'_>, show: &Curves) -> Content {
    let facts = scene.facts.stage(&show.stage);
    let (mut points, mut panels, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for panel in &group(&facts, &show.panels) {
        let panel_name = scene.phrase(&panel.labels);
        let mut series = Vec::new();
        for (colour, curve) in group(&panel.facts, &show.curves).iter().enumerate() {
            let name = scene.phrase(&curve.labels);
            let row = if panel_name.is_empty() { name.clone() } else { format!("{panel_name}: {name}") };
            let mut cells = Vec::new();
            for (metric, mark, column) in METRICS {
                let start = points.len();
                points.extend(points_of(metric, (&row, column), &curve.facts));
                cells.push((points.len() > start).then(|| points.len() - 1));
                series.push(series_of(&name, mark, colour, &points[start..]));
            }
            rows.push((row, cells));
        }
        panels.push(panel_of(panel_name, series));
    }
    let columns = METRICS.map(|(_, _, column)| column.to_owned()).to_vec();
    let table = Table { corner: "Network".to_owned(), columns, rows, digits: 2 };
    let caption = "Solid: mean fitness of each generation, with a band of one standard error over runs; broken: its \
        best candidate."
        .to_owned();
    Content { points, table: Some(table), chart: Chart { panels }, notes: lost(&facts).into_iter().collect(), caption }
}

/// One point a generation: the average over the runs that reached it.
fn points_of(metric: &str, place: (&str, &str), facts: &[Fact<'_>]) -> Vec<Point> {
    let value = |fact: &Fact<'_>, generation: usize| fact.result?.get("curve")?.get(generation)?.get(metric)?.as_f64();
    let length = |fact: &Fact<'_>| fact.result?.get("curve")?.as_array().map(Vec::len);
    let generations = facts.iter().filter_map(length).max().unwrap_or(0);
    let point = |generation: usize| {
        let values: Vec<f64> = facts.iter().filter_map(|fact| value(fact, generation)).collect();
        Point { x: Some((generation + 1) as f64), ..over_runs(metric, place, facts, &values) }
    };
    (0..generations).map(point).collect()
}

fn series_of(name: &str, mark: Mark, colour: usize, points: &[Point]) -> Series {
    let vertex = |point: &Point| {
        let (x, y) = (point.x?, point.value?);
        let error = if mark == Mark::Line { point.error.map(|error| error.size) } else { None };
        Some(Vertex { x, y, low: error.map(|error| y - error), high: error.map(|error| y + error) })
    };
    Series { name: name.to_owned(), mark, colour, points: points.iter().filter_map(vertex).collect() }
}

fn panel_of(title: String, series: Vec<Series>) -> Panel {
    Panel {
        title,
        x: Axis { label: "generation".to_owned(), scale: Scale::Linear, range: None },
        y: Axis { label: "fitness".to_owned(), scale: Scale::Linear, range: Some((-1.0, 1.0)) },
        series,
    }
}
