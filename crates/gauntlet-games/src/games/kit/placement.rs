//! Positions of stones as text similar to FEN: `8/8/8/3ox3/3xo3/8/8/8 x`.
//!
//! Rows from the top, separated by slashes, or all sites in one row. A number is a run of empty sites, and so are as
//! many `-` or `.`; `x` or `b` is a stone of the first side, `o` or `w` one of the second, in either case. The side
//! to move follows in the same notation. Other state (ko, captures) is not written.

use super::{Piece, SetUpError};
use crate::base::Side;

/// Number of space-separated fields.
pub(crate) const FIELDS: usize = 2;

/// The pieces, one to a site, and the side to move.
pub(crate) fn read(text: &str, [rows, columns]: [usize; 2]) -> Result<(Vec<Piece>, Side), SetUpError> {
    let mut fields = text.split_ascii_whitespace();
    let (board, side) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
    let mut letters = side.chars();
    let side = letters.next().and_then(stone).filter(|_| letters.next().is_none() && fields.next().is_none());
    let side = side.ok_or(SetUpError::SideToMove)?;
    if !board.contains('/') {
        return row(board, 1, rows * columns).map(|pieces| (pieces, side));
    }
    let given = board.split('/').count();
    if given != rows {
        return Err(SetUpError::Rows { given, rows });
    }
    let read = board.split('/').enumerate().map(|(at, text)| row(text, at + 1, columns));
    Ok((read.collect::<Result<Vec<_>, _>>()?.concat(), side))
}

/// The sites of one row; `row` is its number for messages.
fn row(text: &str, row: usize, columns: usize) -> Result<Vec<Piece>, SetUpError> {
    let mut pieces = Vec::with_capacity(columns);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter.to_digit(10) {
            Some(digit) => {
                let mut run = digit as usize;
                while let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(10)) {
                    // No board is this wide, and the limit prevents an overflow.
                    run = (10 * run + digit as usize).min(columns + 1);
                    letters.next();
                }
                pieces.resize(pieces.len() + run.min(columns + 1), Piece::EMPTY);
            }
            None if matches!(letter, '-' | '.') => pieces.push(Piece::EMPTY),
            None => pieces.push(Piece::stone(stone(letter).ok_or(SetUpError::Letter(letter))?)),
        }
        if pieces.len() > columns {
            break;
        }
    }
    if pieces.len() == columns { Ok(pieces) } else { Err(SetUpError::Row { row, columns }) }
}

/// The side of a stone's letter.
fn stone(letter: char) -> Option<Side> {
    match letter {
        'x' | 'X' | 'b' | 'B' => Some(Side::First),
        'o' | 'O' | 'w' | 'W' => Some(Side::Second),
        _ => None,
    }
}

/// The text of plain stones; `None` if there are other pieces.
pub(crate) fn write(pieces: &[Piece], columns: usize, side: Side) -> Option<String> {
    let letter = |side| if side == Side::First { 'x' } else { 'o' };
    let mut text = String::new();
    for (at, row) in pieces.chunks(columns).enumerate() {
        text.extend((at > 0).then_some('/'));
        let mut empty = 0;
        for piece in row.iter().map(Some).chain([None]) {
            let owner = piece.and_then(|piece| piece.side());
            if piece.is_none() || owner.is_some() {
                text += &(if empty > 0 { empty.to_string() } else { String::new() });
                empty = 0;
            } else {
                empty += 1;
            }
            if piece.is_some_and(|piece| piece.kind() != 0 || piece.is_neutral()) {
                return None;
            }
            text.extend(owner.map(letter));
        }
    }
    text.extend([' ', letter(side)]);
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_read_in_every_manner_and_written_in_one() {
        let plain = read("x2/1O1/3/12 w", [4, 3]);
        assert_eq!(plain.err(), Some(SetUpError::Row { row: 4, columns: 3 }));
        let (pieces, side) = read("x2/1O1/3/--b w", [4, 3]).unwrap();
        assert_eq!(side, Side::Second);
        assert_eq!(write(&pieces, 3, side).as_deref(), Some("x2/1o1/3/2x o"));
        for same in ["x3o6x o", "X--.O.--.--x W", "x2/1o1/3/2x o"] {
            assert_eq!(read(same, [4, 3]).unwrap(), (pieces.clone(), side), "{same}");
        }
        let wide = read("12x6/o18 b", [2, 19]).unwrap();
        assert_eq!(write(&wide.0, 19, wide.1).as_deref(), Some("12x6/o18 x"));
    }

    #[test]
    fn invalid_placements_report_the_reason() {
        for (text, message) in [
            ("", "the side to move is written x or o, or b or w"),
            ("9 q", "the side to move is written x or o, or b or w"),
            ("9 x x", "the side to move is written x or o, or b or w"),
            ("3/3 x", "2 rows were given for a board of 3"),
            ("3/4/3 x", "row 2 has not the 3 sites of the board"),
            ("3/99999999999999999999999/3 x", "row 2 has not the 3 sites of the board"),
            ("x7 x", "row 1 has not the 9 sites of the board"),
            ("3/1k1/3 x", "'k' is not a stone: stones are written x and o, or b and w"),
        ] {
            assert_eq!(read(text, [3, 3]).unwrap_err().to_string(), message, "{text}");
        }
    }
}
