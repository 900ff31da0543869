//! Sites and their connections: computed once per game and shared by all its positions.

/// Number of symmetries of the square.
pub const SQUARE_SYMMETRIES: usize = 8;

use std::sync::Arc;

use super::drawing::{Drawing, lines};

/// The layout of a board's sites, for pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// Rows and columns of line crossings.
    #[default]
    Square,
    /// Rows and columns of squares.
    Cells,
    /// Rows and columns of squares in two colours.
    Checkered,
    /// Rows of hexagons, each half a hexagon to the right of the one above.
    Hexagonal,
    /// Any other layout: see [`Topology::drawing`].
    Free,
}

/// A board as a graph of sites, with the grid it is drawn on.
#[derive(Debug, Clone, PartialEq)]
pub struct Topology {
    rows: usize,
    columns: usize,
    layout: Layout,
    drawing: Option<Arc<Drawing>>,
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    symmetries: Vec<Vec<u32>>,
}

impl Topology {
    /// A `size` x `size` board of points, each joined to its up to four neighbours; site = row * size + column.
    #[must_use]
    pub fn square(size: usize) -> Topology {
        Topology::grid(size, size)
    }

    /// A `rows` x `columns` board of points, each joined to its up to four neighbours; site = row * columns + column.
    /// A square board has the eight symmetries of a square, any other the first four of them.
    #[must_use]
    pub fn grid(rows: usize, columns: usize) -> Topology {
        let count = if rows == columns { SQUARE_SYMMETRIES } else { SQUARE_SYMMETRIES / 2 };
        Topology::new([rows, columns], Layout::Square, &SQUARE, 0..count)
    }

    /// A rhombus of `size` x `size` hexagons, each joined to its up to six neighbours; site = row * size + column.
    /// Its symmetries are the identity and half a turn: the others exchange the goals of the two sides.
    #[must_use]
    pub fn hexagonal(size: usize) -> Topology {
        Topology::new([size, size], Layout::Hexagonal, &HEXAGON, [0, 3])
    }

    /// A board of any shape: its drawing, the neighbours of each site, ascending, and its symmetries as maps of
    /// sites, the identity first. The order of sites is free, except that those of the players' hands come last.
    ///
    /// Rows and columns are the distinct coordinates of the board's sites, so that a row may have gaps.
    #[must_use]
    pub fn graph(drawing: Drawing, neighbours: &[Vec<u32>], symmetries: Vec<Vec<u32>>) -> Topology {
        let board = &drawing.sites[..drawing.sites.len() - drawing.hands.iter().sum::<usize>()];
        let count = |axis| 1 + lines(board.iter().map(|site| site.place[axis])).into_iter().max().unwrap_or(0);
        let (rows, columns) = (count(1), count(0));
        let starts = std::iter::once(0).chain(neighbours.iter().scan(0, |end, list| {
            *end += list.len() as u32;
            Some(*end)
        }));
        let (starts, neighbours) = (starts.collect(), neighbours.concat());
        Topology {
            rows,
            columns,
            layout: Layout::Free,
            drawing: Some(Arc::new(drawing)),
            starts,
            neighbours,
            symmetries,
        }
    }

    fn new(
        [rows, columns]: [usize; 2],
        layout: Layout,
        steps: &[(isize, isize)],
        symmetries: impl IntoIterator<Item = usize>,
    ) -> Topology {
        let mut starts = vec![0];
        let mut neighbours = Vec::new();
        for row in 0..rows {
            for column in 0..columns {
                neighbours.extend(steps.iter().filter_map(|step| beside([row, column], *step, [rows, columns])));
                starts.push(neighbours.len() as u32);
            }
        }
        let symmetries = symmetries.into_iter().map(|symmetry| grid_symmetry(symmetry, rows, columns)).collect();
        Topology { rows, columns, layout, drawing: None, starts, neighbours, symmetries }
    }

    /// The layout of the sites.
    #[must_use]
    #[inline]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The same grid with another layout.
    #[must_use]
    pub fn with_layout(self, layout: Layout) -> Topology {
        Topology { layout, ..self }
    }

    /// The drawing of a board that is not a grid.
    #[must_use]
    pub fn drawing(&self) -> Option<&Drawing> {
        self.drawing.as_deref()
    }

    /// Points of the board's sites, without hands: `[x, y]`, y upwards, in cell edge lengths.
    #[must_use]
    pub fn places(&self) -> Vec<[f64; 2]> {
        if let Some(drawing) = &self.drawing {
            let board = drawing.sites.len() - self.hands().iter().sum::<usize>();
            return drawing.sites[..board].iter().map(|site| site.place).collect();
        }
        let place = |site: usize| {
            let (down, right) = ((site / self.columns) as f64, (site % self.columns) as f64);
            let up = (self.rows - 1) as f64 - down;
            if self.layout == Layout::Hexagonal {
                [(right + down / 2.0) * 3.0_f64.sqrt(), up * 1.5]
            } else {
                [right, up]
            }
        };
        (0..self.sites()).map(place).collect()
    }

    /// Number of sites in each player's hand; they come after the board's.
    #[must_use]
    #[inline]
    pub fn hands(&self) -> &[usize] {
        self.drawing.as_ref().map_or(&[], |drawing| &drawing.hands)
    }

    /// A grid's map of sites that flips up and down.
    #[must_use]
    pub fn upside_down(&self) -> Vec<u32> {
        grid_symmetry(2, self.rows, self.columns)
    }

    /// The same board with a fixed vertical direction: only left and right may be exchanged.
    #[must_use]
    pub fn with_gravity(mut self) -> Topology {
        self.symmetries.truncate(2);
        self
    }

    /// Number of sites.
    #[must_use]
    #[inline]
    pub fn sites(&self) -> usize {
        self.starts.len() - 1
    }

    /// Rows of the board's grid; [`Topology::graph`] defines them for other boards.
    #[must_use]
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns of the board's grid, likewise.
    #[must_use]
    #[inline]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The sites joined to a site, ascending.
    #[must_use]
    #[inline]
    pub fn neighbours(&self, site: usize) -> &[u32] {
        &self.neighbours[self.starts[site] as usize..self.starts[site + 1] as usize]
    }

    /// The board's symmetries as maps of sites, the identity first: site `s` goes to `map[s]`.
    #[must_use]
    #[inline]
    pub fn symmetries(&self) -> &[Vec<u32>] {
        &self.symmetries
    }
}

/// Offsets in rows and columns of a site's neighbours, in ascending order of sites.
const SQUARE: [(isize, isize); 4] = [(-1, 0), (0, -1), (0, 1), (1, 0)];
const HEXAGON: [(isize, isize); 6] = [(-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)];

fn beside([row, column]: [usize; 2], (down, right): (isize, isize), [rows, columns]: [usize; 2]) -> Option<u32> {
    let row = row.checked_add_signed(down).filter(|&row| row < rows)?;
    let column = column.checked_add_signed(right).filter(|&column| column < columns)?;
    Some((row * columns + column) as u32)
}

/// Symmetry 0 is the identity; bit 0 flips columns, bit 1 flips rows, bit 2 then transposes (a square only).
fn grid_symmetry(symmetry: usize, rows: usize, columns: usize) -> Vec<u32> {
    let mut map = Vec::with_capacity(rows * columns);
    for row in 0..rows {
        for column in 0..columns {
            let column = if symmetry & 1 != 0 { columns - 1 - column } else { column };
            let row = if symmetry & 2 != 0 { rows - 1 - row } else { row };
            let (row, column) = if symmetry & 4 != 0 { (column, row) } else { (row, column) };
            map.push((row * columns + column) as u32);
        }
    }
    map
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_mutual() {
        let board = Topology::square(5);
        assert_eq!(board.neighbours(0), [1, 5]);
        assert_eq!(board.neighbours(12), [7, 11, 13, 17]);
        for site in 0..board.sites() {
            for &other in board.neighbours(site) {
                assert!(board.neighbours(other as usize).contains(&(site as u32)));
            }
        }
    }

    #[test]
    fn symmetries_keep_neighbours() {
        for (board, count) in
            [(Topology::square(6), 8), (Topology::grid(4, 7), 4), (Topology::grid(6, 7).with_gravity(), 2)]
        {
            let distinct: std::collections::HashSet<_> = board.symmetries().iter().collect();
            assert_eq!(distinct.len(), count);
            for map in board.symmetries() {
                for site in 0..board.sites() {
                    let image = map[site] as usize;
                    let mut moved: Vec<u32> = board.neighbours(site).iter().map(|&n| map[n as usize]).collect();
                    moved.sort_unstable();
                    assert_eq!(moved, board.neighbours(image));
                }
            }
        }
    }
}
