//! Numbers that are counted and not measured: a row a number, a column a place. They have no errors, and rest on no runs.

use super::super::facts::group;
use super::super::sheet::{Axis, Chart, Mark, Panel, Point, Series, Table, Vertex};
use super::estimate::blank;
use super::{Content, Scene, config_ids, lost};
use crate::manifest::exhibit::Numbers;

/// What published numbers are written under.
const METRIC: &str = "number";

pub(super) fn render(scene: &Scene<'_>, show: &Numbers) -> Content {
    let facts = scene.facts.stage(&show.stage);
    let groups = group(&facts, &show.columns);
    let columns: Vec<String> = groups.iter().map(|group| scene.phrase(&group.labels)).collect();
    let (mut points, mut rows) = (Vec::new(), Vec::new());
    for named in &show.numbers {
        let cells = groups.iter().zip(&columns).map(|(group, column)| {
            let value = group.facts.iter().find_map(|fact| fact.number(&named.number));
            let point = Point { value, config_ids: config_ids(&group.facts), ..blank(METRIC, &named.label, column) };
            points.push(scene.with_published(point));
            Some(points.len() - 1)
        });
        let cells = cells.collect();
        rows.push((named.label.clone(), cells));
    }
    let chart = chart(show, &scene.axes(&show.columns), &columns, &rows, &points);
    let table = Table { corner: String::new(), columns, rows, digits: 0 };
    let notes = lost(&facts).into_iter().collect();
    Content { points, table: Some(table), chart, notes, caption: "Counted: without errors.".to_owned() }
}

type Row = (String, Vec<Option<usize>>);

/// A panel for each number, as one may be a count and the next its logarithm.
fn chart(show: &Numbers, across: &str, columns: &[String], rows: &[Row], points: &[Point]) -> Chart {
    let panel = |(name, cells): &Row| {
        let series = |name: &str, mark: Mark, colour: usize, value: fn(&Point) -> Option<f64>| {
            let vertex = |(x, cell): (usize, &Option<usize>)| Some(Vertex::at(x as f64, value(&points[(*cell)?])?));
            let points = cells.iter().enumerate().filter_map(vertex).collect();
            Series { name: name.to_owned(), mark, colour, points }
        };
        let own = series("counted", Mark::Dot, 0, |point| point.value);
        let published = series("published", Mark::Diamond, 1, |point| Some(point.published?.value));
        let published = Some(published).filter(|series| !series.points.is_empty());
        let x = Axis { label: across.to_owned(), ..Axis::categories(columns.to_vec()) };
        let series: Vec<Series> = std::iter::once(own).chain(published).collect();
        let most = series.iter().flat_map(|series| &series.points).map(|vertex| vertex.y).fold(0.0, f64::max);
        // Ends of its own: panels with equal axes share theirs.
        let range = (most > 0.0).then_some((0.0, 1.05 * most));
        let y = Axis { range, ..Axis::linear(show.y_label.as_str()) };
        Panel { title: name.clone(), x, y, series }
    };
    Chart::of(rows.iter().map(panel).collect())
}
