//! Rules that both boards of Othello share: the initial discs, the winner by count, and setup.

use super::super::{Piece, SetUpError};
use crate::base::{Outcome, Side};

/// The sites and sides of the initial discs.
pub(super) fn middle(size: usize) -> [(usize, Side); 4] {
    let (low, high) = (size / 2 - 1, size / 2);
    let (first, second) = (Side::First, Side::Second);
    [(low, low, second), (low, high, first), (high, low, first), (high, high, second)]
        .map(|(row, column, side)| (row * size + column, side))
}

/// The outcome for these numbers of discs, by side.
pub(super) fn count(discs: [usize; 2]) -> Outcome {
    match discs[0].cmp(&discs[1]) {
        std::cmp::Ordering::Greater => Outcome::Win(Side::First),
        std::cmp::Ordering::Less => Outcome::Win(Side::Second),
        std::cmp::Ordering::Equal => Outcome::Draw,
    }
}

/// The discs to set up: site and side.
pub(super) fn discs(pieces: &[Piece]) -> Result<Vec<(usize, Side)>, SetUpError> {
    let discs = pieces.iter().enumerate().filter_map(|(site, &piece)| Some((site, piece, piece.side()?)));
    discs
        .map(|(site, piece, side)| if piece.kind() == 0 { Ok((site, side)) } else { Err(SetUpError::Piece { site }) })
        .collect()
}
