//! Cells of the sites of a board and of its hands in an image.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Points whose x (or y) differ by less than this share of the board's extent are in one column (row).
const NEAR: f64 = 1e-5;

/// The cells of the hands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HandPlaces {
    /// Each hand in a row or column of its own, after an empty one (the paper's Figure 5).
    #[default]
    Published,
    /// As in the system that the paper describes: if hands are columns, the first one is in the last one's column,
    /// and all sites of the others are on the lowest left cell.
    Reference,
}

/// The cells of the sites in an image `[width, height]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageCells {
    width: usize,
    height: usize,
    /// `x * height + y` of every site, the board's first.
    cells: Vec<u32>,
    /// The sites of the board and of each hand.
    containers: Vec<Range<usize>>,
}

impl ImageCells {
    /// The cells of a board whose sites are at these points (y grows upwards), and of hands with these numbers of
    /// sites.
    #[must_use]
    pub fn new(board: &[[f64; 2]], hands: &[usize], mapping: HandPlaces) -> ImageCells {
        let [columns, rows] = [0, 1].map(|axis| lines(board.iter().map(|place| place[axis]).collect()));
        let last = [&columns, &rows].map(|lines| lines.iter().copied().max().unwrap_or(0));
        let longest = hands.iter().copied().max().unwrap_or(0);
        let mut spots: Vec<[usize; 2]> = columns.into_iter().zip(rows).map(|(x, y)| [x, y]).collect();
        let mut size = last.map(|last| last + 1);
        if !hands.is_empty() {
            // Hands are rows (1) or columns (0).
            let across = usize::from(is_row(last, longest));
            for (hand, &sites) in hands.iter().enumerate() {
                let line = last[across] + 2 + hand;
                spots.extend((0..sites).map(|site| if across == 1 { [site, line] } else { [line, site] }));
            }
            size[across] += 1 + hands.len();
            size[1 - across] = size[1 - across].max(longest);
            if mapping == HandPlaces::Reference && across == 0 {
                misplace(&mut spots[board.len()..], hands, size[0] - 1);
            }
        }
        let cells = spots.iter().map(|[x, y]| (x * size[1] + y) as u32).collect();
        ImageCells { width: size[0], height: size[1], cells, containers: containers(board.len(), hands) }
    }

    /// Columns of the image.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows of the image.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// Cells of the image.
    #[must_use]
    pub fn area(&self) -> usize {
        self.width * self.height
    }

    /// The cell of every site, the board's first: `x * height + y`.
    #[must_use]
    pub fn cells(&self) -> &[u32] {
        &self.cells
    }

    /// The sites of the board and of each hand.
    #[must_use]
    pub fn containers(&self) -> &[Range<usize>] {
        &self.containers
    }

    /// Column and row of a site, from the lower left.
    #[must_use]
    pub fn spot(&self, site: usize) -> [usize; 2] {
        let cell = self.cells[site] as usize;
        [cell / self.height, cell % self.height]
    }
}

/// Whether hands with this number of sites become rows, which happens if the image then grows less.
fn is_row([x, y]: [usize; 2], longest: usize) -> bool {
    (x < y && longest <= x + 1) || (longest > x + 1 && x > y)
}

/// Moves the first hand to the last column, all others to the first cell.
fn misplace(spots: &mut [[usize; 2]], hands: &[usize], last: usize) {
    let (first, others) = spots.split_at_mut(hands[0]);
    first.iter_mut().for_each(|spot| spot[0] = last);
    others.fill([0, 0]);
}

fn containers(board: usize, hands: &[usize]) -> Vec<Range<usize>> {
    let mut end = 0;
    let sizes = std::iter::once(&board).chain(hands);
    let range = |&size| {
        end += size;
        end - size..end
    };
    sizes.map(range).collect()
}

/// The rank of every value among the distinct values, ascending; values near the first of a line belong to it.
fn lines(values: Vec<f64>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let extent = order.first().zip(order.last()).map_or(0.0, |(&low, &high)| values[high] - values[low]);
    let (mut numbers, mut line, mut first) = (vec![0; values.len()], 0, f64::NEG_INFINITY);
    for (nth, &at) in order.iter().enumerate() {
        if nth == 0 || values[at] - NEAR * extent > first {
            line += usize::from(nth > 0);
            first = values[at];
        }
        numbers[at] = line;
    }
    numbers
}
