//! Setup of positions of stones, and its errors.

use super::Piece;
use crate::base::Side;

/// The reason why a position cannot be set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SetUpError {
    /// The game does not support setup.
    #[error("positions of this game cannot be set up")]
    Unsupported,
    /// The pieces are for another board.
    #[error("{given} pieces were given for {sites} sites")]
    Sites {
        /// Number of given pieces.
        given: usize,
        /// Number of sites.
        sites: usize,
    },
    /// A piece on a site where it cannot stand.
    #[error("the piece on site {site} is not allowed there")]
    Piece {
        /// The site.
        site: usize,
    },
    /// Both sides have a winning position, but only one can.
    #[error("both sides have won")]
    BothWon,
    /// A text without the side to move.
    #[error("the side to move is written x or o, or b or w")]
    SideToMove,
    /// A text with another number of rows.
    #[error("{given} rows were given for a board of {rows}")]
    Rows {
        /// Number of given rows.
        given: usize,
        /// Number of rows of the board.
        rows: usize,
    },
    /// A text with a row of another length.
    #[error("row {row} has not the {columns} sites of the board")]
    Row {
        /// Its number from the top, from 1.
        row: usize,
        /// Number of sites of the row.
        columns: usize,
    },
    /// A text with a letter that is not a stone.
    #[error("{0:?} is not a stone: stones are written x and o, or b and w")]
    Letter(char),
    /// A text that is not a FEN.
    #[error("{0} of a FEN: wanted, for example, `rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1`")]
    Fen(&'static str),
    /// A text with a letter that is not a piece.
    #[error("{0:?} is not a piece: pieces are written p, n, b, r, q, k, and white ones in capitals")]
    NoPiece(char),
    /// Other than one king each.
    #[error("each side has one king")]
    Kings,
    /// The side to move could take the other side's king.
    #[error("the side that is not to move is in check")]
    KingAttacked,
    /// A stone without a liberty.
    #[error("the stone on site {site} has no liberty")]
    NoLiberty {
        /// The site.
        site: usize,
    },
    /// More pieces than a side can have.
    #[error("a side has at most {most} pieces")]
    TooMany {
        /// Maximum number.
        most: u32,
    },
}

/// Site and side of each stone; an error for any other piece.
pub(crate) fn stones(pieces: &[Piece]) -> impl DoubleEndedIterator<Item = Result<(usize, Side), SetUpError>> {
    let stone = |(site, piece): (usize, &Piece)| {
        let owner = piece.side()?;
        Some(if piece.kind() == 0 { Ok((site, owner)) } else { Err(SetUpError::Piece { site }) })
    };
    pieces.iter().enumerate().filter_map(stone)
}
