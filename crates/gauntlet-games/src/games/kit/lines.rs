//! The eight directions of a grid, and unbroken rows of stones.

use super::Piece;

/// Directions as steps of (row, column); direction `d + 4` is the opposite of `d`.
const DIRECTIONS: [(isize, isize); 8] = [(0, 1), (1, 0), (1, 1), (1, -1), (0, -1), (-1, 0), (-1, -1), (-1, 1)];

/// The opposite direction.
#[inline]
pub(crate) fn opposite(direction: usize) -> usize {
    (direction + 4) % 8
}

/// The distance from each site to the border in each direction.
#[derive(Debug)]
pub(crate) struct GridRays {
    steps: [isize; 8],
    reach: Vec<[u8; 8]>,
}

impl GridRays {
    /// The rays of a `rows` x `columns` board.
    pub fn new(rows: usize, columns: usize) -> GridRays {
        let steps = DIRECTIONS.map(|(down, right)| down * columns as isize + right);
        let from = |site| DIRECTIONS.map(|direction| reach(site, direction, rows, columns));
        GridRays { steps, reach: (0..rows * columns).map(from).collect() }
    }

    /// The site `distance` steps away, if it is on the board.
    #[inline]
    pub fn at(&self, from: usize, direction: usize, distance: usize) -> Option<usize> {
        let inside = distance <= usize::from(self.reach[from][direction]);
        inside.then(|| from.wrapping_add_signed(self.steps[direction] * distance as isize))
    }

    /// Length of the unbroken row of this piece that begins beside `from`.
    #[inline]
    pub fn run(&self, pieces: &[Piece], piece: Piece, from: usize, direction: usize) -> usize {
        let (reach, step) = (usize::from(self.reach[from][direction]), self.steps[direction]);
        let mut site = from;
        for length in 0..reach {
            site = site.wrapping_add_signed(step);
            if pieces[site] != piece {
                return length;
            }
        }
        reach
    }

    /// Whether this piece on `site` would stand in a row of `row` or more.
    pub fn completes(&self, pieces: &[Piece], piece: Piece, site: usize, row: usize) -> bool {
        (0..4).any(|axis| self.row(pieces, piece, site, axis) >= row)
    }

    /// Whether this piece on `site` would stand in a row of exactly `row`.
    pub fn makes(&self, pieces: &[Piece], piece: Piece, site: usize, row: usize) -> bool {
        (0..4).any(|axis| self.row(pieces, piece, site, axis) == row)
    }

    /// Calls `found` with every empty site where another of this piece would make a row of `row` or more along
    /// a line through `site`, on which it has just been put. Returns the length of the longest row it stands in.
    #[inline]
    pub fn completions(&self, pieces: &[Piece], site: usize, row: usize, mut found: impl FnMut(usize)) -> usize {
        let piece = pieces[site];
        let mut runs = [0; 8];
        for (direction, ahead) in runs.iter_mut().enumerate() {
            *ahead = self.run(pieces, piece, site, direction);
        }
        for (direction, &ahead) in runs.iter().enumerate() {
            let (gap, step) = (ahead + 1, self.steps[direction]);
            let last = gap + row.saturating_sub(gap + 1 + runs[opposite(direction)]);
            let at = |far: usize| site.wrapping_add_signed(step * far as isize);
            // The far end matches rarely, so it is checked first.
            if last <= usize::from(self.reach[site][direction])
                && (last == gap || pieces[at(last)] == piece)
                && pieces[at(gap)].is_empty()
                && (gap + 1..last).all(|far| pieces[at(far)] == piece)
            {
                found(at(gap));
            }
        }
        (0..4).map(|axis| 1 + runs[axis] + runs[opposite(axis)]).max().expect("there are four axes")
    }

    /// Length of the longest row that this piece on `site` would stand in.
    pub fn longest(&self, pieces: &[Piece], piece: Piece, site: usize) -> usize {
        (0..4).map(|axis| self.row(pieces, piece, site, axis)).max().expect("there are four axes")
    }

    /// Length of the row that this piece on `site` would stand in, along one axis.
    fn row(&self, pieces: &[Piece], piece: Piece, site: usize, direction: usize) -> usize {
        1 + self.run(pieces, piece, site, direction) + self.run(pieces, piece, site, opposite(direction))
    }
}

/// Steps from a site to the border.
fn reach(site: usize, (down, right): (isize, isize), rows: usize, columns: usize) -> u8 {
    let room = |at: usize, step: isize, length: usize| match step {
        0 => usize::MAX,
        1 => length - 1 - at,
        _ => at,
    };
    room(site / columns, down, rows).min(room(site % columns, right, columns)) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Side;

    #[test]
    fn rays_stay_on_the_board_and_lead_back() {
        let rays = GridRays::new(5, 5);
        for site in 0..25 {
            for direction in 0..8 {
                let reach = (1..).take_while(|&far| rays.at(site, direction, far).is_some()).count();
                assert_eq!(reach, usize::from(rays.reach[site][direction]));
                if let Some(there) = rays.at(site, direction, reach) {
                    assert_eq!(rays.at(there, opposite(direction), reach), Some(site));
                }
            }
        }
        assert_eq!(rays.at(0, 2, 4), Some(24));
        assert_eq!(rays.at(2, 3, 2), Some(10));
        assert_eq!(rays.at(2, 3, 3), None);
    }

    #[test]
    fn a_gap_is_found_from_any_stone_of_the_row() {
        let (rays, stone) = (GridRays::new(7, 7), Piece::stone(Side::First));
        let mut pieces = [Piece::EMPTY; 49];
        for site in [14, 15, 17, 18] {
            pieces[site] = stone;
        }
        assert!(rays.completes(&pieces, stone, 16, 5) && !rays.completes(&pieces, stone, 19, 5));
        let mut gaps = Vec::new();
        rays.completions(&pieces, 14, 5, |gap| gaps.push(gap));
        rays.completions(&pieces, 18, 5, |gap| gaps.push(gap));
        assert_eq!(gaps, [16, 16]);
    }
}
