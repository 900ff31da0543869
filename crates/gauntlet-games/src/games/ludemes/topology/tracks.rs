//! Tracks: closed paths over a board that pieces follow.

/// A closed path over sites, which may repeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Track {
    /// The sites in order; the first follows the last.
    pub sites: Vec<u16>,
    /// Whether the path from here to the next site leads around a corner of the board.
    pub bends: Vec<bool>,
}

/// The tracks of a surakarta board with `rows` x `columns` vertices: loop `k` of 1 to `count` joins row and column
/// `k` from each edge around the four corners. Each loop has two tracks: counter-clockwise from the left end of its
/// lower row, then in the opposite direction.
/// the same way back.
#[must_use]
pub fn loops(rows: u16, columns: u16, count: u16) -> Vec<Track> {
    let site = |row: u16, column: u16| row * columns + column;
    let track = |number: u16| {
        let (top, right) = (rows - 1 - number, columns - 1 - number);
        let lines: [Vec<u16>; 4] = [
            (0..columns).map(|column| site(number, column)).collect(),
            (0..rows).map(|row| site(row, right)).collect(),
            (0..columns).rev().map(|column| site(top, column)).collect(),
            (0..rows).rev().map(|row| site(row, number)).collect(),
        ];
        let back: Vec<Vec<u16>> = lines.iter().rev().map(|line| line.iter().rev().copied().collect()).collect();
        [joined(&lines), joined(&back)]
    };
    (1..=count).flat_map(track).collect()
}

fn joined(lines: &[Vec<u16>]) -> Track {
    let bends = lines.iter().flat_map(|line| (1..=line.len()).map(|nth| nth == line.len())).collect();
    Track { sites: lines.concat(), bends }
}
