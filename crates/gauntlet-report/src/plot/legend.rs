//! The legend: one entry per name, in rows above all panels, where it covers no data.

use std::collections::HashSet;

use super::bands;
use super::font::{self, SMALL};
use super::marks;
use super::palette;
use super::patterns;
use super::scene::{Anchor, Scene, Text};
use super::shapes;
use super::stones;
use crate::sheet::{Chart, Mark, Series};

const SAMPLE: f64 = 34.0;
const GAP: f64 = 22.0;
const ROW: f64 = 24.0;

/// Entries in their rows.
pub(super) struct Legend<'a> {
    entries: Vec<&'a Series>,
    /// Width of each column, with the gap after it.
    columns: Vec<f64>,
}

impl<'a> Legend<'a> {
    /// The legend of a chart for a picture of some width: in one row if it fits, else in the fewest rows that do.
    pub fn new(chart: &'a Chart, width: f64) -> Self {
        let mut entries: Vec<&Series> = Vec::new();
        for series in chart.panels.iter().flat_map(|panel| &panel.series) {
            if !series.name.is_empty() && entries.iter().all(|entry| entry.name != series.name) {
                entries.push(series);
            }
        }
        let wide = |series: &&Series| SAMPLE + font::width(&series.name, SMALL, false) + GAP;
        let column = |entries: &[&Series]| entries.iter().map(wide).fold(0.0, f64::max).min(width + GAP);
        let columns = |rows| entries.chunks(rows).map(column).collect::<Vec<f64>>();
        let fits = |rows: &usize| columns(*rows).iter().sum::<f64>() <= width + GAP;
        let rows = (1..=entries.len()).find(fits).unwrap_or(1);
        Self { columns: columns(rows), entries }
    }

    /// Height in logical pixels; 0 without entries.
    pub fn height(&self) -> f64 {
        if self.entries.is_empty() { 0.0 } else { self.rows() as f64 * ROW + 6.0 }
    }

    /// Draws it, centred, from the top edge down. Entries run down the columns, in the order of their drawing.
    pub fn draw(&self, scene: &mut Scene, top: f64) {
        let mut x = (scene.width - self.columns.iter().sum::<f64>() + GAP) / 2.0;
        let mut names = self.names().into_iter();
        for (entries, width) in self.entries.chunks(self.rows()).zip(&self.columns) {
            for (row, series) in entries.iter().enumerate() {
                let y = top + (row as f64 + 0.5) * ROW;
                scene.begin_entry(&series.name);
                sample(scene, series, x, y);
                let name = names.next().unwrap_or_default();
                scene.text(Text::new(name, (x + SAMPLE, y), SMALL, Anchor::Start));
                scene.end();
            }
            x += width;
        }
    }

    /// The names as they fit, without their ends, or without their middles if they would be equal.
    fn names(&self) -> Vec<String> {
        let all = |cut: fn(&str, f64, f64) -> String| -> Vec<String> {
            let columns = self.entries.chunks(self.rows()).zip(&self.columns);
            let names = |(entries, width): (&[&Series], &f64)| -> Vec<String> {
                entries.iter().map(|series| cut(&series.name, SMALL, width - SAMPLE - GAP)).collect()
            };
            columns.flat_map(names).collect()
        };
        let names = all(font::cut);
        let are_different = names.iter().collect::<HashSet<_>>().len() == names.len();
        if are_different { names } else { all(font::cut_within) }
    }

    fn rows(&self) -> usize {
        self.entries.len().div_ceil(self.columns.len().max(1)).max(1)
    }
}

/// The sample of a series, 26 logical pixels wide.
fn sample(scene: &mut Scene, series: &Series, x: f64, y: f64) {
    let colour = palette::colour(series.colour);
    let middle = (x + 13.0, y);
    match series.mark {
        Mark::Line | Mark::Hatched => {
            if marks::has_ends(series) {
                let ends = [x, x + 26.0].map(|x| ((x, y + 6.0), (x, y - 6.0)));
                bands::band(scene, &ends, colour, series.mark == Mark::Hatched);
            }
            let pattern = patterns::of_line(scene, series.colour);
            patterns::line(scene, vec![(x, y), (x + 26.0, y)], marks::LINE, colour, pattern);
            shapes::filled(scene, middle, series.colour, shapes::MARKER);
        }
        Mark::Dashed => {
            marks::dashes(scene, &[(x, y), (x + 26.0, y)], colour);
            if series.points.len() > 2 {
                shapes::filled(scene, middle, series.colour, shapes::MARKER);
            }
        }
        Mark::Unequal => marks::sign(scene, middle),
        Mark::Bar => patterns::bar(scene, (x + 6.0, y - 7.0), (x + 20.0, y + 7.0), series.colour),
        Mark::Rule => scene.path([(x, y), (x + 26.0, y)], marks::HAIR, palette::RULE),
        Mark::Stone { black, number } => stones::stone(scene, middle, 9.0, black, number),
        Mark::Tile { .. } => marks::rectangle(scene, (x + 6.0, y - 7.0), (x + 20.0, y + 7.0), colour, marks::FILL),
        Mark::Dot | Mark::Diamond | Mark::Cross => {
            if marks::has_ends(series) {
                marks::error_bar(scene, (middle.0, y - 10.0), (middle.0, y + 10.0), colour);
            }
            marks::point(scene, series.mark, middle, series.colour, 1.0);
        }
    }
}
