//! Sites and how they hang together: computed once per game, shared by all its positions.

/// Which symmetries of the square a grid's map is.
pub const SQUARE_SYMMETRIES: usize = 8;

/// A board as a graph of sites, with the grid it is drawn on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topology {
    rows: usize,
    columns: usize,
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    symmetries: Vec<Vec<u32>>,
}

impl Topology {
    /// An `size` x `size` board of points, each joined to the up to four beside it; site = row * size + column.
    #[must_use]
    pub fn square(size: usize) -> Topology {
        Topology::grid(size, size)
    }

    /// A `rows` x `columns` board of points, each joined to the up to four beside it; site = row * columns + column.
    /// It has the eight symmetries of a square where it is one, and the first four of them where it is not.
    #[must_use]
    pub fn grid(rows: usize, columns: usize) -> Topology {
        let mut starts = vec![0];
        let mut neighbours = Vec::new();
        for row in 0..rows {
            for column in 0..columns {
                neighbours.extend(beside(row, column, rows, columns));
                starts.push(neighbours.len() as u32);
            }
        }
        let count = if rows == columns { SQUARE_SYMMETRIES } else { SQUARE_SYMMETRIES / 2 };
        let symmetries = (0..count).map(|symmetry| grid_symmetry(symmetry, rows, columns)).collect();
        Topology { rows, columns, starts, neighbours, symmetries }
    }

    /// The same board where up is not down: only left and right may be exchanged.
    #[must_use]
    pub fn with_gravity(mut self) -> Topology {
        self.symmetries.truncate(2);
        self
    }

    /// Number of sites.
    #[must_use]
    pub fn sites(&self) -> usize {
        self.starts.len() - 1
    }

    /// Rows of the grid that the board is drawn on.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns of the grid that the board is drawn on.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The sites joined to a site, ascending.
    #[must_use]
    pub fn neighbours(&self, site: usize) -> &[u32] {
        &self.neighbours[self.starts[site] as usize..self.starts[site + 1] as usize]
    }

    /// The board's symmetries as maps of sites, the identity first: site `s` goes to `map[s]`.
    #[must_use]
    pub fn symmetries(&self) -> &[Vec<u32>] {
        &self.symmetries
    }
}

fn beside(row: usize, column: usize, rows: usize, columns: usize) -> impl Iterator<Item = u32> {
    let site = row * columns + column;
    let up = (row > 0).then(|| site - columns);
    let left = (column > 0).then(|| site - 1);
    let right = (column + 1 < columns).then(|| site + 1);
    let down = (row + 1 < rows).then(|| site + columns);
    [up, left, right, down].into_iter().flatten().map(|site| site as u32)
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
