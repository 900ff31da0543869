//! Tables of numbers in coloured cells: a panel with two category axes whose series are tiles.

use super::axes::Frame;
use super::font::{self, LEADING, SMALL};
use super::palette;
use super::scene::{Anchor, Scene, Text};
use crate::number::{decimals_of, fixed};
use crate::sheet::{AxisScale, Series};

/// Opacity of the strongest colour: ink on it is still readable.
const STRONGEST: f64 = 0.65;
/// Size of an error, relative to its number.
const LESSER: f64 = 0.8;
/// Decimals.
const DIGITS: i32 = 2;

/// The cell of a series, with its number and error.
pub(super) fn draw(scene: &mut Scene, series: &Series, frame: &Frame, (value, error): (f64, Option<f64>), depth: f64) {
    let [columns, rows] = [&frame.x.scale, &frame.y.scale].map(count);
    let (half_width, half_height) = (frame.width / columns / 2.0, frame.height / rows / 2.0);
    let colour = palette::colour(usize::from(value < 0.0));
    for (x, y) in series.points.iter().filter_map(|vertex| frame.spot(vertex.x, vertex.y)) {
        let (left, right, top, bottom) = (x - half_width, x + half_width, y - half_height, y + half_height);
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)].map(|corner| frame.hold(corner));
        // The grid must not show through.
        scene.area(corners, palette::PAPER, 1.0);
        scene.area(corners, colour, depth.clamp(0.0, 1.0) * STRONGEST);
        let drop = if error.is_some() { 0.5 * LEADING * SMALL * LESSER } else { 0.0 };
        let decimals = error.filter(|error| *error > 0.0).map_or(DIGITS, |error| decimals_of(error, DIGITS));
        let text = fixed(value, decimals);
        // On a narrow page the number has smaller letters than the axes.
        let size = SMALL * (0.95 * 2.0 * half_width / font::width(&text, SMALL, false)).min(1.0);
        scene.text(Text::new(text, (x, y - drop), size, Anchor::Middle));
        let error = error.map(|error| format!("± {}", fixed(error, decimals))).unwrap_or_default();
        scene.text(Text::new(error, (x, y + drop), size * LESSER, Anchor::Middle));
    }
}

/// Categories along an axis, at least 1.
fn count(scale: &AxisScale) -> f64 {
    if let AxisScale::Categories(names) = scale { names.len().max(1) as f64 } else { 1.0 }
}
