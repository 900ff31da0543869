//! Boards: a panel with categories along both axes, lines through all points, and numbered stones on them.

use super::axes::Frame;
use super::font;
use super::palette;
use super::ruler::Ruler;
use super::scene::{Anchor, Scene, Spot, Text};
use crate::sheet::{AxisScale, Mark, Panel, Series};

const LINE: f64 = 1.2;
const RIM: f64 = 1.3;
/// Radius of a stone, as a share of the distance of two points.
const RADIUS: f64 = 0.46;
/// Size of a number, and its greatest width, as shares of a stone's radius.
const DIGITS: f64 = 1.1;
const WIDEST: f64 = 1.5;

/// Whether a panel is a board.
pub(super) fn is_board(panel: &Panel) -> bool {
    let is_stones = |series: &Series| matches!(series.mark, Mark::Stone { .. });
    let is_categories = |scale: &AxisScale| matches!(scale, AxisScale::Categories(_));
    panel.series.iter().any(is_stones) && is_categories(&panel.x.scale) && is_categories(&panel.y.scale)
}

/// The lines of a board, from the first point to the last.
pub(super) fn lines(scene: &mut Scene, frame: &Frame) {
    let (columns, rows) = (count(&frame.x), count(&frame.y));
    let mut line = |from: (usize, usize), to: (usize, usize)| {
        let ends = [from, to].map(|(column, row)| frame.spot(column as f64, row as f64));
        if let [Some(from), Some(to)] = ends {
            scene.path([from, to], LINE, palette::RULE);
        }
    };
    (0..columns).for_each(|column| line((column, 0), (column, rows - 1)));
    (0..rows).for_each(|row| line((0, row), (columns - 1, row)));
}

/// The stones of a series.
pub(super) fn draw(scene: &mut Scene, series: &Series, frame: &Frame, black: bool, number: Option<u32>) {
    let cell = f64::min(frame.width / count(&frame.x) as f64, frame.height / count(&frame.y) as f64);
    for vertex in &series.points {
        if let Some(spot) = frame.spot(vertex.x, vertex.y).filter(|spot| frame.holds(*spot)) {
            stone(scene, spot, cell * RADIUS, black, number);
        }
    }
}

/// One stone of some radius, with its number.
pub(super) fn stone(scene: &mut Scene, at: Spot, radius: f64, black: bool, number: Option<u32>) {
    scene.disc(at, radius, palette::INK, 1.0);
    if !black {
        scene.disc(at, radius - RIM, palette::PAPER, 1.0);
    }
    let Some(number) = number.map(|number| number.to_string()) else { return };
    let wide = font::width(&number, 1.0, false);
    let size = radius * f64::min(DIGITS, WIDEST / wide);
    let colour = if black { palette::PAPER } else { palette::INK };
    scene.text(Text { colour, ..Text::new(number, at, size, Anchor::Middle) });
}

/// Points along an axis, at least 1.
fn count(ruler: &Ruler) -> usize {
    if let AxisScale::Categories(names) = &ruler.scale { names.len().max(1) } else { 1 }
}
