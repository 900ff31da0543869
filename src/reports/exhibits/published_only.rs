//! Published numbers of places where nothing was measured: another scale has other boards than the paper. They stand in
//! columns of their own behind the measured ones, so that a reader sees them, and are compared with none of ours.

use super::super::sheet::{AxisScale, Chart, Mark, Point, Series, Table, Vertex};
use super::estimate::blank;
use super::{Content, Scene};

/// Appends the published columns of a metric that is shown which no measured column matches, where they have numbers
/// for rows that are shown.
pub(super) fn append(scene: &Scene<'_>, content: &mut Content) {
    let Content { points, table: Some(table), chart, .. } = content else { return };
    for (metric, column) in columns(scene, points) {
        let printed = |(row, _): &(String, _)| {
            let point = scene.with_published(blank(&metric, row, &column));
            point.published.is_some().then_some(point)
        };
        let printed: Vec<Option<Point>> = table.rows.iter().map(printed).collect();
        if printed.iter().any(Option::is_some) {
            draw(chart, table, &metric, &column, &printed);
            stand(table, points, &column, printed);
        }
    }
}

/// Metric and label of the published columns without a point of ours.
fn columns(scene: &Scene<'_>, points: &[Point]) -> Vec<(String, String)> {
    let mut columns = Vec::new();
    for numbers in scene.facts.plan().written.paper.iter().flat_map(|paper| &paper.published) {
        let mut shown = points.iter().filter(|point| point.metric == numbers.metric).peekable();
        if shown.peek().is_none() {
            continue;
        }
        let measured: Vec<&String> = shown.map(|point| &point.column).collect();
        for column in numbers.columns.iter().filter(|column| !measured.contains(column)) {
            let place = (numbers.metric.clone(), column.clone());
            if !columns.contains(&place) {
                columns.push(place);
            }
        }
    }
    columns
}

/// Puts a column behind the others.
fn stand(table: &mut Table, points: &mut Vec<Point>, column: &str, printed: Vec<Option<Point>>) {
    table.columns.push(format!("paper: {column}"));
    for ((_, cells), point) in table.rows.iter_mut().zip(printed) {
        cells.push(point.map(|point| {
            points.push(point);
            points.len() - 1
        }));
    }
}

/// Draws a column in the picture's only panel, or in that of its metric, where the rows are the panel's categories;
/// elsewhere it has no place.
fn draw(chart: &mut Chart, table: &Table, metric: &str, column: &str, printed: &[Option<Point>]) {
    let panel = match chart.panels.as_mut_slice() {
        [panel] => panel,
        panels => match panels.iter_mut().find(|panel| panel.y.label == metric) {
            Some(panel) => panel,
            None => return,
        },
    };
    let AxisScale::Categories(names) = &panel.x.scale else { return };
    if !names.iter().eq(table.rows.iter().map(|(row, _)| row)) {
        return;
    }
    let vertex = |(at, point): (usize, &Option<Point>)| {
        let (value, error) = point.as_ref()?.printed()?;
        Some(Vertex::around(at as f64, value, error))
    };
    let points = printed.iter().enumerate().filter_map(vertex).collect();
    let colour = panel.series.iter().map(|series| series.colour + 1).max().unwrap_or(0);
    panel.series.push(Series { name: format!("{column}, paper"), mark: Mark::Diamond, colour, points });
}
