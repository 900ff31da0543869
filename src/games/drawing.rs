//! How a board of any shape is drawn: the places and outlines of its sites, and the lines between them. Without rules.

/// Places nearer to each other than this, in edges of a cell, are in one line.
const NEAR: f64 = 1e-4;

/// The drawing of a board and of the hands beside it. Places are `[x, y]`, y upwards, in edges of a cell.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Drawing {
    /// Every site, those of the hands last.
    pub sites: Vec<SiteDrawing>,
    /// Lines on the board.
    pub lines: Vec<Vec<[f64; 2]>>,
    /// How many sites the hand of each player has.
    pub hands: Vec<usize>,
}

/// The drawing of one site.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SiteDrawing {
    /// Its middle.
    pub place: [f64; 2],
    /// The corners of its cell; none where it is a point on a line.
    pub outline: Vec<[f64; 2]>,
    /// 0 for the lightest of three shades.
    pub shade: u8,
}

/// The number of every value among the different ones, ascending.
pub(super) fn lines(values: impl Iterator<Item = f64>) -> Vec<usize> {
    let values: Vec<f64> = values.collect();
    let mut different = values.clone();
    different.sort_by(f64::total_cmp);
    different.dedup_by(|value, first| *value - *first < NEAR);
    values.iter().map(|value| different.partition_point(|line| line - NEAR / 2.0 <= *value) - 1).collect()
}
