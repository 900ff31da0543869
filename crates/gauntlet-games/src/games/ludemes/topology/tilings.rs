//! The tilings of boards: squares and hexagons with edges of length 1.

use super::plane::{MOST_SITES, PlaneGraph, ShapeError, SiteKind};

/// Lines across the squares of a rectangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Diagonals {
    /// No diagonals.
    #[default]
    None,
    /// One a square, in turn from the lower left and from the upper left, as on the boards of alquerque and fanorona.
    Alternating,
}

/// The width of a hexagon with edges of length 1.
const WIDTH: f64 = 1.732_050_807_568_877_2;

impl PlaneGraph {
    /// A rectangle with this many rows and columns of cells, or of vertices if vertices are the sites. The lower left
    /// vertex is at (0, 0).
    ///
    /// # Errors
    /// If it has no site, or more than [`MOST_SITES`].
    pub fn rectangle(
        rows: usize,
        columns: usize,
        sites: SiteKind,
        diagonals: Diagonals,
    ) -> Result<PlaneGraph, ShapeError> {
        checked(rows.saturating_mul(columns), sites)?;
        let less = usize::from(sites != SiteKind::Cell);
        let squares = (0..rows - less).flat_map(|row| (0..columns - less).map(move |column| [column, row]));
        let outlines: Vec<_> = squares.flat_map(|square| cut(square, diagonals)).collect();
        Ok(PlaneGraph::of_faces(&outlines, [[1.0, 0.0], [0.0, 1.0]], 90.0, true))
    }

    /// A hexagon of hexagonal cells, `side` along each side, with rows from left to right. The first cell of the lowest
    /// row is at (0, 0), as in the other shapes.
    ///
    /// # Errors
    /// If it has no site, or more than [`MOST_SITES`].
    pub fn hexagon(side: usize) -> Result<PlaneGraph, ShapeError> {
        let cells = side.saturating_mul(side.saturating_sub(1)).saturating_mul(3).saturating_add(side.min(1));
        checked(cells, SiteKind::Cell)?;
        let last = 2 * side - 2;
        let row =
            |row: usize| (row.saturating_sub(side - 1)..=last.min(side - 1 + row)).map(move |column| [column, row]);
        Ok(hexagonal((0..=last).flat_map(row)))
    }

    /// A rhombus of `side` x `side` hexagonal cells that stands on one of its corners.
    ///
    /// # Errors
    /// If it has no site, or more than [`MOST_SITES`].
    pub fn diamond(side: usize) -> Result<PlaneGraph, ShapeError> {
        checked(side.saturating_mul(side), SiteKind::Cell)?;
        let cells = (0..side).flat_map(|row| (0..side).map(move |column| [column, row]));
        Ok(upright(cells))
    }

    /// Rows of hexagonal cells one above the other, `columns` in the lowest and every second one; the others are
    /// shifted by half a cell to the right and have one less.
    ///
    /// # Errors
    /// If it has no site, or more than [`MOST_SITES`].
    pub fn hexagonal_rectangle(rows: usize, columns: usize) -> Result<PlaneGraph, ShapeError> {
        checked(rows.saturating_mul(columns), SiteKind::Cell)?;
        let row = |row: usize| (row.div_ceil(2)..columns + row / 2).map(move |column| [column, row]);
        Ok(hexagonal((0..rows).flat_map(row)))
    }
}

fn checked(sites: usize, kind: SiteKind) -> Result<(), ShapeError> {
    match sites {
        0 => Err(ShapeError::Empty { kind }),
        sites if sites > MOST_SITES => Err(ShapeError::TooLarge { sites }),
        _ => Ok(()),
    }
}

/// A unit square, or its two triangles if a diagonal cuts it: counter-clockwise.
fn cut([column, row]: [usize; 2], diagonals: Diagonals) -> Vec<Vec<[f64; 2]>> {
    let (x, y) = (column as f64, row as f64);
    let [a, b, c, d] = [[x, y], [x + 1.0, y], [x + 1.0, y + 1.0], [x, y + 1.0]];
    match diagonals {
        Diagonals::None => vec![vec![a, b, c, d]],
        Diagonals::Alternating if (column + row) % 2 == 0 => vec![vec![a, b, c], vec![a, c, d]],
        Diagonals::Alternating => vec![vec![a, b, d], vec![b, c, d]],
    }
}

/// Hexagons with a corner on top: columns along the rows, each row half a cell to the left of that below.
fn hexagonal(cells: impl Iterator<Item = [usize; 2]>) -> PlaneGraph {
    tiled(cells, [[WIDTH, 0.0], [-WIDTH / 2.0, 1.5]], 30.0)
}

/// Hexagons with an edge on top: columns to the upper right, rows to the upper left.
fn upright(cells: impl Iterator<Item = [usize; 2]>) -> PlaneGraph {
    tiled(cells, [[1.5, WIDTH / 2.0], [-1.5, WIDTH / 2.0]], 0.0)
}

fn tiled(cells: impl Iterator<Item = [usize; 2]>, axes: [[f64; 2]; 2], first_corner: f64) -> PlaneGraph {
    let outline = |[column, row]: [usize; 2]| {
        let middle = [0, 1].map(|axis| column as f64 * axes[0][axis] + row as f64 * axes[1][axis]);
        (0..6).map(|corner| f64::from(corner * 60) + first_corner).map(|degrees| beside(middle, degrees)).collect()
    };
    PlaneGraph::of_faces(&cells.map(outline).collect::<Vec<_>>(), axes, 60.0, false)
}

fn beside([x, y]: [f64; 2], degrees: f64) -> [f64; 2] {
    let (sin, cos) = degrees.to_radians().sin_cos();
    [x + cos, y + sin]
}
