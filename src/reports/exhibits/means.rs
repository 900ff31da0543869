//! Mean results over runs: a table of any axes, and a picture against a numeric axis or against the rows.

use super::super::facts::{Fact, group};
use super::super::sheet::{Axis, Chart, Mark, Panel, Point, Scale, Series, Table, Vertex};
use super::estimate::over_runs_within;
use super::{Content, Scene, lost};
use crate::manifest::exhibit::{Means, Scale as Counting};

pub(super) fn render(scene: &Scene<'_>, show: &Means) -> Content {
    let facts = scene.facts.stage(&show.stage);
    let counting = &show.scale;
    let column_groups = group(&facts, &show.columns);
    let columns: Vec<String> = match show.columns.is_empty() {
        true => vec![counting.title().to_owned()],
        false => column_groups.iter().map(|group| scene.phrase(&group.labels)).collect(),
    };
    let (mut points, mut rows) = (Vec::new(), Vec::new());
    for row_group in &group(&facts, &show.rows) {
        let row = scene.phrase(&row_group.labels);
        let mut cells = vec![None; columns.len()];
        for cell in &group(&row_group.facts, &show.columns) {
            let at = column_groups.iter().position(|column| column.labels == cell.labels).unwrap_or(0);
            let values: Vec<f64> =
                cell.facts.iter().filter_map(|fact| fact.number("mean")).map(|mean| counting.convert(mean)).collect();
            let point =
                over_runs_within(counting.range(), counting.metric(), (&row, &columns[at]), &cell.facts, &values);
            cells[at] = Some(points.len());
            points.push(Point { x: abscissa(show, &cell.facts), ..scene.with_published(point) });
        }
        rows.push((row, cells));
    }
    let chart = chart(scene, show, &columns, &rows, &points);
    let corner = show.rows.join(", ");
    let table = Table { corner, columns, rows, digits: 3 };
    let caption = "Errors are one standard error over runs.".to_owned();
    Content { points, table: Some(table), chart, notes: lost(&facts).into_iter().collect(), caption }
}

impl Counting {
    fn metric(&self) -> &'static str {
        match self {
            Counting::Fitness => "fitness",
            Counting::Outcome => "average outcome",
        }
    }

    fn title(&self) -> &'static str {
        match self {
            Counting::Fitness => "Fitness",
            Counting::Outcome => "Average outcome",
        }
    }

    fn range(&self) -> [f64; 2] {
        [self.convert(-1.0), self.convert(1.0)]
    }

    /// A mean of wins 1, draws 0 and losses -1, counted so.
    fn convert(&self, mean: f64) -> f64 {
        match self {
            Counting::Fitness => mean,
            Counting::Outcome => (mean + 1.0) / 2.0,
        }
    }
}

fn abscissa(show: &Means, facts: &[Fact<'_>]) -> Option<f64> {
    facts.first()?.label(show.x.as_ref()?).parse().ok()
}

type Row = (String, Vec<Option<usize>>);

fn chart(scene: &Scene<'_>, show: &Means, columns: &[String], rows: &[Row], points: &[Point]) -> Chart {
    let series = columns.iter().enumerate().map(|(column, name)| {
        let vertex = |(at, (_, cells)): (usize, &Row)| {
            let point = &points[cells[column]?];
            let (y, error) = (point.value?, point.error.map(|error| error.size));
            let x = point.x.unwrap_or(at as f64);
            Some(Vertex { x, y, low: error.map(|error| y - error), high: error.map(|error| y + error) })
        };
        let mark = if show.x.is_some() { Mark::Line } else { Mark::Dot };
        let points = rows.iter().enumerate().filter_map(vertex).collect();
        Series { name: name.clone(), mark, colour: column, points }
    });
    let series = series.collect();
    let x = match &show.x {
        Some(axis) => Axis { label: scene.show(axis), scale: Scale::Linear, range: None },
        None => {
            let names = rows.iter().map(|(name, _)| name.clone()).collect();
            Axis { label: String::new(), scale: Scale::Categories(names), range: None }
        }
    };
    let y = show.y_label.clone().unwrap_or_else(|| show.scale.metric().to_owned());
    let y = Axis { label: y, scale: Scale::Linear, range: None };
    Chart { panels: vec![Panel { title: String::new(), x, y, series }] }
}
