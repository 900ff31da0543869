//! A table in blocks of columns below each other, each as wide as the paper's column at most.

use super::widths::width;
use crate::grid::{Grid, Head};

/// Room beside each column of a table that has a width, in points.
pub(super) const BESIDE: f64 = 3.0;
/// LaTeX's own.
const USUAL_BESIDE: f64 = 6.0;
/// The most room for the names of rows, and for a heading, as shares of the width: longer ones are broken into lines.
const NAMES: f64 = 0.4;
const HEADING: f64 = 0.3;

/// The sizes of a table in points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// Letters.
    letters: f64,
    /// The width of the paper's column, if the table has to fit into it.
    room: Option<f64>,
}

/// A column that is too wide, and the width of a table with it alone.
#[derive(Debug, PartialEq)]
pub(super) struct TooWide {
    pub column: usize,
    pub needed: f64,
}

impl Sizes {
    /// The sizes of a table with letters of a size, in a column if it has to fit into one.
    pub fn new(letters: f64, room: Option<f64>) -> Sizes {
        Sizes { letters, room }
    }

    /// The width of a table with some of the columns of a grid.
    pub fn width(self, grid: &Grid, columns: &[usize]) -> f64 {
        let part = grid.part(columns);
        let (groups, mut cells) = (part.groups(), 0.0);
        for (at, (name, heads)) in groups.iter().enumerate() {
            let first: usize = groups[..at].iter().map(|(_, heads)| heads.len()).sum();
            let own = heads.iter().enumerate().map(|(next, head)| self.column(&part, first + next, head)).sum();
            cells += f64::max(own, self.heading(name.unwrap_or_default()));
        }
        let names = self.names(grid).unwrap_or_else(|| self.longest_name(grid));
        names + 2.0 * self.beside() + cells
    }

    /// The room for the names of rows, if some are longer.
    pub fn names(self, grid: &Grid) -> Option<f64> {
        self.room.map(|room| NAMES * room).filter(|most| self.longest_name(grid) > *most)
    }

    fn longest_name(self, grid: &Grid) -> f64 {
        let names = grid.rows.iter().map(|(label, _)| label).chain([&grid.corner]);
        names.map(|name| width(name, self.letters)).fold(0.0, f64::max)
    }

    /// The room for a heading, if it is longer.
    pub fn narrow(self, heading: &str) -> Option<f64> {
        self.room.map(|room| HEADING * room).filter(|most| width(heading, self.letters) > *most)
    }

    fn heading(self, text: &str) -> f64 {
        self.narrow(text).unwrap_or_else(|| width(text, self.letters)) + 2.0 * self.beside()
    }

    fn beside(self) -> f64 {
        if self.room.is_some() { BESIDE } else { USUAL_BESIDE }
    }

    /// The width of a column, with those of verdicts and published numbers.
    fn column(self, grid: &Grid, at: usize, head: &Head) -> f64 {
        let texts = |place: usize| grid.rows.iter().map(move |(_, cells)| cells[at].texts(head.compared)[place]);
        let own: f64 = match head.compared {
            false => self.widest(texts(0)),
            true => {
                let kinds = [(0, "ours"), (1, ""), (2, "paper")];
                kinds.map(|(place, kind)| self.widest(texts(place).chain([kind]))).iter().sum()
            }
        };
        own.max(self.heading(&head.label))
    }

    fn widest<'a>(self, texts: impl Iterator<Item = &'a str>) -> f64 {
        texts.map(|text| self.cell(text)).fold(0.0, f64::max)
    }

    fn cell(self, text: &str) -> f64 {
        width(text, self.letters) + 2.0 * self.beside()
    }

    /// The columns of a grid in blocks that fit into the room. A group stays together if it fits into a block.
    ///
    /// # Errors
    /// If a column alone does not fit.
    pub fn blocks(self, grid: &Grid) -> Result<Vec<Vec<usize>>, TooWide> {
        let fits = |columns: &[usize]| self.room.is_none_or(|room| self.width(grid, columns) <= room);
        let (mut blocks, mut next) = (vec![Vec::new()], 0);
        for (_, heads) in grid.groups() {
            let group: Vec<usize> = (next..next + heads.len()).collect();
            next += heads.len();
            let last: &mut Vec<usize> = blocks.last_mut().expect("there is always one");
            let longer = [last.as_slice(), group.as_slice()].concat();
            if fits(&longer) {
                *last = longer;
                continue;
            }
            blocks.push(Vec::new());
            for column in group {
                let last: &mut Vec<usize> = blocks.last_mut().expect("there is always one");
                last.push(column);
                if fits(last) {
                    continue;
                }
                last.pop();
                blocks.push(vec![column]);
                if !fits(&[column]) {
                    return Err(TooWide { column, needed: self.width(grid, &[column]) });
                }
            }
        }
        blocks.retain(|block| !block.is_empty());
        Ok(blocks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    /// Letters of 10 points in a column.
    fn sizes(room: f64) -> Sizes {
        Sizes::new(10.0, Some(room))
    }

    fn grid() -> Grid {
        Grid::new(&samples::small_table()).expect("it has a table")
    }

    /// The widest texts of the columns: names of rows, ours, sign, paper, ties.
    fn widths() -> [f64; 8] {
        let texts =
            ["7x7 vs. 11x11", "−0.05 ± 0.10", "≈", "0.86 ± 0.026", "0.12 ± 0.10", "○", "0.20 ± 0.10", "0.07 ± 0.02"];
        texts.map(|text| width(text, 10.0) + 2.0 * BESIDE)
    }

    #[test]
    fn a_table_is_as_wide_as_its_widest_texts() {
        let all: f64 = widths().iter().sum();
        assert!((sizes(500.0).width(&grid(), &[0, 1, 2]) - all).abs() < 1e-9);
        let first: f64 = widths()[..4].iter().sum();
        assert!((sizes(500.0).width(&grid(), &[0]) - first).abs() < 1e-9);
        let free = Sizes::new(10.0, None).width(&grid(), &[0, 1, 2]);
        assert!((free - all - 8.0 * 2.0 * (USUAL_BESIDE - BESIDE)).abs() < 1e-9, "{free} {all}");
    }

    #[test]
    fn columns_are_put_below_each_other_until_they_fit() {
        let grid = grid();
        let blocks = |room: f64| sizes(room).blocks(&grid);
        let [all, group, alone] = [&[0, 1, 2][..], &[0, 1], &[0]].map(|columns| sizes(500.0).width(&grid, columns));
        assert_eq!(blocks(all), Ok(vec![vec![0, 1, 2]]));
        assert_eq!(blocks(all - 1.0), Ok(vec![vec![0, 1], vec![2]]));
        // The group is broken where it has to be. Its rest may stand beside the next column.
        assert_eq!(blocks(group - 1.0), Ok(vec![vec![0], vec![1, 2]]));
        assert_eq!(blocks(alone - 1.0), Err(TooWide { column: 0, needed: alone }));
        assert_eq!(Sizes::new(10.0, None).blocks(&grid), Ok(vec![vec![0, 1, 2]]));
    }

    #[test]
    fn long_names_and_headings_are_broken_into_lines() {
        let mut grid = grid();
        (grid.rows[0].0, grid.heads[2].label) = ("a long name of a row ".repeat(4), "a long heading ".repeat(4));
        let sizes = sizes(200.0);
        assert_eq!((sizes.names(&grid), sizes.narrow(&grid.heads[2].label)), (Some(80.0), Some(60.0)));
        assert_eq!(sizes.narrow("ties"), None);
        assert!((sizes.width(&grid, &[2]) - (80.0 + 60.0 + 4.0 * BESIDE)).abs() < 1e-9);
    }
}
