//! Numbers that are counted and not measured: a row a number, a column a place, or the other way round. They have no errors,
//! and rest on no runs.

use super::super::facts::{FactGroup, group};
use super::super::sheet::{Axis, Chart, Mark, Panel, Point, Series, Table, Vertex};
use super::estimate::blank;
use super::{Content, Scene, config_ids, lost};
use crate::manifest::exhibit::{NamedNumber, Numbers};

/// What published numbers are written under.
const METRIC: &str = "number";

pub(super) fn render(scene: &Scene<'_>, show: &Numbers) -> Content {
    let facts = scene.facts.stage(&show.stage);
    let mut points = Vec::new();
    let (table, chart) = match show.rows.is_empty() {
        true => {
            let places = group(&facts, &show.columns);
            let rows = numbers_by_place(scene, &show.numbers, &places, &mut points);
            let columns: Vec<String> = places.iter().map(|place| scene.phrase(&place.labels)).collect();
            let chart = chart(show, &scene.axes(&show.columns), &columns, &rows, &points);
            (Table { corner: String::new(), columns, rows, digits: 0 }, chart)
        }
        false => {
            let places = group(&facts, &show.rows);
            let columns = places_by_number(scene, show, &places, &mut points);
            let names: Vec<String> = places.iter().map(|place| scene.phrase(&place.labels)).collect();
            let chart = chart(show, &scene.axes(&show.rows), &names, &columns, &points);
            (turned(scene.axes(&show.rows), names, columns), chart)
        }
    };
    let notes = lost(&facts).into_iter().collect();
    Content { points, table: Some(table), chart, notes, caption: "Counted: without errors.".to_owned() }
}

/// A line of the table: its name and the places of its points.
type Row = (String, Vec<Option<usize>>);

/// A row a number, with a cell a place.
fn numbers_by_place(
    scene: &Scene<'_>,
    numbers: &[NamedNumber],
    places: &[FactGroup<'_>],
    points: &mut Vec<Point>,
) -> Vec<Row> {
    let mut cell = |named: &NamedNumber, place: &FactGroup<'_>| {
        let blank = blank(METRIC, &named.label, &scene.phrase(&place.labels));
        points.push(counted(scene, named, place, blank));
        Some(points.len() - 1)
    };
    let mut row = |named: &NamedNumber| (named.label.clone(), places.iter().map(|place| cell(named, place)).collect());
    numbers.iter().map(&mut row).collect()
}

/// A column a number of each value of the columns, with a cell a place.
fn places_by_number(scene: &Scene<'_>, show: &Numbers, places: &[FactGroup<'_>], points: &mut Vec<Point>) -> Vec<Row> {
    let mut columns: Vec<Row> = Vec::new();
    for (at, place) in places.iter().enumerate() {
        for within in group(&place.facts, &show.columns) {
            for named in &show.numbers {
                let names = [scene.phrase(&within.labels), named.label.clone()];
                let name = names.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ");
                let blank = blank(METRIC, &scene.phrase(&place.labels), &name);
                points.push(counted(scene, named, &within, blank));
                let column = columns.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
                    columns.push((name, vec![None; places.len()]));
                    columns.len() - 1
                });
                columns[column].1[at] = Some(points.len() - 1);
            }
        }
    }
    columns
}

/// The point of a number at a place, with what was published of it.
fn counted(scene: &Scene<'_>, named: &NamedNumber, place: &FactGroup<'_>, blank: Point) -> Point {
    let value = place.facts.iter().find_map(|fact| fact.number(&named.number));
    scene.with_published(Point { value, config_ids: config_ids(&place.facts), ..blank })
}

/// The table whose columns these are.
fn turned(corner: String, names: Vec<String>, columns: Vec<Row>) -> Table {
    let row = |(at, name)| (name, columns.iter().map(|(_, cells)| cells[at]).collect());
    let rows = names.into_iter().enumerate().map(row).collect();
    Table { corner, columns: columns.iter().map(|(name, _)| name.clone()).collect(), rows, digits: 0 }
}

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
