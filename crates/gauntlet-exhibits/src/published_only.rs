//! Published numbers in cells without a measurement: another scale has other boards than the paper. They get their own
//! columns after the measured ones and their own panels, and are compared with no measured number.

use super::axis_names::PAPER;
use super::context::{Content, Context};
use super::error_bars::ErrorBars;
use super::estimate::blank;
use super::frame::distinct;
use super::sheet::{Axis, AxisScale, Chart, Mark, Panel, Point, Series, Table};
use super::uncertainty::ANYWHERE;

/// The title of a panel of published numbers only.
const PUBLISHED: &str = "published, not measured here";
/// The label of its vertical axis.
const PRINTED: &str = "as published";
/// The title of the panel beside it, if it has no other title.
const MEASURED: &str = "measured";

/// Appends the published columns of the shown metrics that no measured column matches, if they have numbers for shown
/// rows.
pub fn append(context: &Context<'_>, content: &mut Content) {
    let Content { points, table: Some(table), chart, .. } = content else { return };
    let mut drawn: Vec<(String, Vec<Series>)> = Vec::new();
    for (metric, column) in columns(context, points) {
        let printed = |(row, _): &(String, _)| {
            let point = context.with_published(blank(&metric, row, &column));
            point.published.is_some().then_some(point)
        };
        let printed: Vec<Option<Point>> = table.rows.iter().map(printed).collect();
        if printed.iter().any(Option::is_some) {
            match drawn.iter_mut().find(|(known, _)| *known == metric) {
                Some((_, all)) => all.push(series(&column, &printed, context.errors)),
                None => drawn.push((metric, vec![series(&column, &printed, context.errors)])),
            }
            stand(table, points, &column, printed);
        }
    }
    drawn.into_iter().for_each(|(metric, series)| draw(chart, table, &metric, series));
}

/// Metric and label of the published columns without a measured point.
fn columns(context: &Context<'_>, points: &[Point]) -> Vec<(String, String)> {
    let absent = context.facts.printed.iter().flat_map(|numbers| {
        let shown = points.iter().filter(|point| point.metric == numbers.metric);
        let measured: Vec<&String> = shown.map(|point| &point.column).collect();
        let own = numbers.columns.iter().filter(move |column| !measured.is_empty() && !measured.contains(column));
        own.map(move |column| (numbers.metric.clone(), column.clone()))
    });
    distinct(absent)
}

/// Appends a column.
fn stand(table: &mut Table, points: &mut Vec<Point>, column: &str, printed: Vec<Option<Point>>) {
    table.columns.push(format!("{PAPER}{column}"));
    for ((_, cells), point) in table.rows.iter_mut().zip(printed) {
        cells.push(point.map(|point| {
            points.push(point);
            points.len() - 1
        }));
    }
}

fn series(column: &str, printed: &[Option<Point>], errors: ErrorBars) -> Series {
    let vertex = |(at, point): (usize, &Option<Point>)| point.as_ref()?.printed_vertex(at as f64, errors, ANYWHERE);
    Series::new(format!("{column}, paper"), Mark::Diamond, 0, printed.iter().enumerate().filter_map(vertex))
}

/// Draws columns in a separate panel after the picture's only panel, or the panel of their metric, if its categories
/// are rows; otherwise they are not drawn.
fn draw(chart: &mut Chart, table: &Table, metric: &str, series: Vec<Series>) {
    let is_of_metric = |panel: &Panel| panel.y.label == metric;
    let at = if chart.panels.len() == 1 { Some(0) } else { chart.panels.iter().position(is_of_metric) };
    let Some(at) = at else { return };
    let measured = &mut chart.panels[at];
    let AxisScale::Categories(names) = &measured.x.scale else { return };
    let rows: Vec<String> = table.rows.iter().map(|(row, _)| row.clone()).collect();
    if !names.iter().all(|name| rows.contains(name)) {
        return;
    }
    if measured.title.is_empty() {
        MEASURED.clone_into(&mut measured.title);
    }
    let taken = measured.series.iter().map(|series| series.colour + 1).max().unwrap_or(0);
    let series: Vec<Series> =
        series.into_iter().enumerate().map(|(at, series)| Series { colour: taken + at, ..series }).collect();
    let (names, series) = own_rows(&rows, series);
    let x = Axis { scale: AxisScale::Categories(names), ..measured.x.clone() };
    // Another label makes another axis: panels with equal axes share their ends, as if other boards were comparable.
    let y = Axis { label: PRINTED.to_owned(), ..measured.y.clone() };
    chart.panels.insert(at + 1, Panel::new(PUBLISHED, x, y, series));
}

/// The rows that have published numbers, and the series over them.
fn own_rows(names: &[String], mut series: Vec<Series>) -> (Vec<String>, Vec<Series>) {
    let has = |row: usize| series.iter().flat_map(|series| &series.points).any(|vertex| vertex.x == row as f64);
    let rows: Vec<usize> = (0..names.len()).filter(|&row| has(row)).collect();
    for vertex in series.iter_mut().flat_map(|series| &mut series.points) {
        let place = rows.iter().position(|&row| row as f64 == vertex.x);
        vertex.x = place.map_or(vertex.x, |place| place as f64);
    }
    (rows.into_iter().map(|row| names[row].clone()).collect(), series)
}
