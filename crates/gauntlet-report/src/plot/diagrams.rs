//! Positions as diagrams: cells or lines, coloured edges, names, pieces, and the last move.

use super::figures;
use super::font::{self, LEADING, NORMAL, SMALL};
use super::palette::{self, Rgb};
use super::scene::{Anchor, Scene, Spot, Text, Viewport};
use crate::sheet::Diagram;
use gauntlet_games::base::{BoardPicture, Tone};

/// Colours of cells by their shade.
const SHADES: [Rgb; 3] = [(250, 247, 240), (219, 209, 190), (196, 183, 160)];
/// The colour of the start and the end of the last move.
const MARK: Rgb = (86, 180, 233);
const LINE: f64 = 1.1;
const EDGE: f64 = 1.0;
const RIM: f64 = 4.2;
/// Size of the names of rows and columns, as a share of a cell, and its limits in logical pixels.
const NAMES: f64 = 0.36;
const SMALLEST: f64 = 9.0;
const LARGEST: f64 = 13.0;
/// The widest name, in cells: it is centred 0.92 from a place whose piece has a radius of 0.46.
const NAME_ROOM: f64 = 0.92;
/// Room between diagrams.
const GAP: f64 = 16.0;
/// The greatest height of a diagram, in its width.
const HIGHEST: f64 = 1.25;
/// Largest cell, in logical pixels.
const CELL: f64 = 46.0;

/// The number of diagrams in a row of some width: the usual one, or fewer if names would touch pieces.
pub(super) fn columns(diagrams: &[Diagram], viewport: Viewport, width: f64) -> usize {
    let usual = usual_columns(diagrams.len(), viewport);
    let fits = |columns: &usize| diagrams.iter().all(|it| names_fit(&it.board, room(width, *columns)));
    (2..=usual).rev().find(fits).unwrap_or(1)
}

/// The width of a diagram.
fn room(width: f64, columns: usize) -> f64 {
    (width - GAP * (columns - 1) as f64) / columns as f64
}

/// Whether the names of rows and columns are smaller than the gap between the pieces at the edge and the margin.
fn names_fit(board: &BoardPicture, width: f64) -> bool {
    let cell = scale(board, width) * step(board);
    let size = name_size(cell);
    font::widest(board.labels.iter().map(|(name, _)| name.as_str()), size).max(size) <= NAME_ROOM * cell
}

/// The size of names beside cells of some size.
fn name_size(cell: f64) -> f64 {
    (NAMES * cell).clamp(SMALLEST, LARGEST)
}

/// The number of diagrams in a row if their boards are small.
pub(super) fn usual_columns(diagrams: usize, viewport: Viewport) -> usize {
    match diagrams {
        2.. if viewport.is_slim() => 2,
        0 | 1 => 1,
        2 | 4 => 2,
        3..=9 => 3,
        10..=12 => 4,
        _ => 5,
    }
}

/// Draws diagrams in rows of this length below a place, and returns the lower end.
pub(super) fn draw(
    scene: &mut Scene,
    diagrams: &[Diagram],
    columns: usize,
    [left, right]: [f64; 2],
    mut top: f64,
) -> f64 {
    let width = room(right - left, columns);
    for row in diagrams.chunks(columns) {
        let titles: Vec<Vec<String>> = row.iter().map(|it| font::wrap(&it.title, NORMAL, width)).collect();
        let notes: Vec<Vec<String>> = row.iter().map(|it| font::wrap(&it.note, SMALL, width)).collect();
        let lines = |of: &[Vec<String>]| of.iter().map(Vec::len).max().unwrap_or(0) as f64;
        let scales: Vec<f64> = row.iter().map(|it| scale(&it.board, width)).collect();
        let heights = row.iter().zip(&scales).map(|(it, scale)| it.board.size[1] * scale);
        let (under, tallest) = (top + lines(&titles) * NORMAL * LEADING + 4.0, heights.fold(0.0, f64::max));
        for (number, it) in row.iter().enumerate() {
            let start = left + (width + GAP) * number as f64;
            let size = it.board.size.map(|size| size * scales[number]);
            write(scene, &titles[number], (start + width / 2.0, top), NORMAL);
            let corner = (start + (width - size[0]) / 2.0, under + (tallest - size[1]) / 2.0);
            BoardPen { board: &it.board, corner, scale: scales[number] }.draw(scene);
            write(scene, &notes[number], (start + width / 2.0, under + tallest + 2.0), SMALL);
        }
        top = under + tallest + lines(&notes) * SMALL * LEADING + GAP;
    }
    top
}

/// Logical pixels of an edge of a cell.
fn scale(board: &BoardPicture, width: f64) -> f64 {
    f64::min(width / board.size[0], width * HIGHEST / board.size[1]).min(CELL / step(board))
}

/// Lines of text centred below a place.
fn write(scene: &mut Scene, lines: &[String], (x, top): Spot, size: f64) {
    for (number, line) in lines.iter().enumerate() {
        let at = (x, top + (number as f64 + 0.5) * size * LEADING);
        scene.text(Text::new(line, at, size, Anchor::Middle));
    }
}

struct BoardPen<'a> {
    board: &'a BoardPicture,
    corner: Spot,
    scale: f64,
}

impl BoardPen<'_> {
    fn spot(&self, [x, y]: [f64; 2]) -> Spot {
        (self.corner.0 + x * self.scale, self.corner.1 + y * self.scale)
    }

    fn draw(&self, scene: &mut Scene) {
        self.cells(scene);
        for line in &self.board.lines {
            scene.path(self.spots(line), LINE, palette::SOFT);
        }
        let coloured = !self.board.rims.is_empty() && !scene.is_patterned;
        for (tone, line) in &self.board.rims {
            self.rim(scene, *tone, line);
        }
        let size = name_size(self.scale * step(self.board));
        for (name, place) in &self.board.labels {
            let text = Text::new(name, self.spot(*place), size, Anchor::Middle);
            scene.text(Text { colour: palette::SOFT, ..text });
        }
        for piece in &self.board.pieces {
            figures::draw(scene, piece, self.spot(piece.at), piece.radius * self.scale, coloured);
        }
        self.counts(scene, size);
        if self.board.cells.is_empty() {
            self.board.marks.iter().for_each(|&mark| self.dot(scene, mark));
        }
    }

    /// Cells, those of the last move in another colour.
    fn cells(&self, scene: &mut Scene) {
        for cell in &self.board.cells {
            let outline = self.spots(&cell.outline);
            let shade = SHADES[usize::from(cell.shade).min(SHADES.len() - 1)];
            scene.area(outline.clone(), shade, 1.0);
            if self.board.marks.iter().any(|mark| holds(&cell.outline, *mark)) {
                scene.area(outline.clone(), MARK, 0.45);
            }
            let closed: Vec<Spot> = outline.iter().chain(&outline[..2]).copied().collect();
            scene.path(closed, EDGE, palette::RULE);
        }
    }

    /// An edge in the colour of its side. Without colours, that of the light side is hollow.
    fn rim(&self, scene: &mut Scene, tone: Tone, line: &[[f64; 2]]) {
        let [inside, edge] = figures::colours(tone, !scene.is_patterned);
        let is_hollow = inside == palette::PAPER;
        scene.path(self.spots(line), RIM, if is_hollow { edge } else { inside });
        if is_hollow {
            scene.path(self.spots(line), RIM - 2.0 * EDGE, inside);
        }
    }

    fn spots(&self, places: &[[f64; 2]]) -> Vec<Spot> {
        places.iter().map(|&place| self.spot(place)).collect()
    }

    /// A dot on the stone, or on the point that was left.
    fn dot(&self, scene: &mut Scene, mark: [f64; 2]) {
        let radius = self.board.pieces.first().map_or(0.4, |piece| piece.radius) * self.scale * 0.3;
        scene.disc(self.spot(mark), radius + 0.8, palette::PAPER, 1.0);
        scene.disc(self.spot(mark), radius, MARK, 1.0);
    }

    /// The number of pieces of a stack, at the lower right of its place.
    fn counts(&self, scene: &mut Scene, size: f64) {
        for piece in self.board.pieces.iter().filter(|piece| piece.count > 1) {
            let place = piece.at.map(|at| at + 0.8 * piece.radius);
            scene.disc(self.spot(place), size * 0.7, palette::INK, 1.0);
            let text = Text::new(piece.count.to_string(), self.spot(place), size, Anchor::Middle);
            scene.text(Text { colour: palette::PAPER, bold: true, ..text });
        }
    }
}

/// The approximate distance of two sites, in edges of a cell.
fn step(board: &BoardPicture) -> f64 {
    let width = |outline: &Vec<[f64; 2]>| {
        let xs = || outline.iter().map(|place| place[0]);
        xs().fold(0.0, f64::max) - xs().fold(f64::INFINITY, f64::min)
    };
    board.cells.first().map_or(1.0, |cell| width(&cell.outline))
}

/// Whether a place is the middle of a cell.
fn holds(outline: &[[f64; 2]], place: [f64; 2]) -> bool {
    let middle = [0, 1].map(|axis| outline.iter().map(|corner| corner[axis]).sum::<f64>() / outline.len() as f64);
    (middle[0] - place[0]).hypot(middle[1] - place[1]) < 0.1
}
