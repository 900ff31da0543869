//! FEN, the text form of chess positions, for boards of both sizes (S. J. Edwards, "PGN Specification and
//! Implementation Guide", 1994, section 16.1).

use super::board::{ChessBoard, LONG, SHORT, rights_of};
use super::geometry::{Geometry, WIDTH, bit};
use super::legal::checkers;
use super::play::{Chess, MOST_PIECES};
use super::spec::{ChessSpec, PassantKey};
use crate::base::{Chessman, Side};
use crate::games::{Piece, SetUpError};

/// Letters of the kinds; upper case for the first side.
pub(super) const LETTERS: &str = "pnbrqk";
/// Letters of the castling rights, by bit.
const RIGHTS: &str = "KQkq";
/// Home squares of king and rook for each right.
const HOMES: [[u32; 2]; 4] = [[60, 63], [60, 56], [4, 7], [4, 0]];

/// The error for rights of a king or a rook that is not on its home square.
const CASTLING: &str = "the castling (from where king and rook stand in chess; that of Chess960 is not read)";

/// The starting position.
pub(super) fn start(size: usize) -> &'static str {
    match size {
        5 => "rnbqk/ppppp/5/PPPPP/RNBQK w - - 0 1",
        _ => "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    }
}

/// Parses a position of four to six fields. The king of the side that is not to move is not attacked, except under the
/// rules of pgx, some of whose start positions have such a king.
pub(super) fn read(rules: ChessSpec, text: &str) -> Result<Chess, SetUpError> {
    let geometry = Geometry::of(rules.size.get());
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    let (&[placement, side, castling, passant], counts) =
        fields.split_first_chunk::<4>().filter(|(_, counts)| counts.len() <= 2).ok_or(SetUpError::Fen("fields"))?;
    let mut board = read_placement(geometry, placement)?;
    board.side = match side {
        "w" => Side::First,
        "b" => Side::Second,
        _ => return Err(SetUpError::Fen("side to move")),
    };
    board.castling = read_castling(&board, castling)?;
    board.passant = read_passant(geometry, &board, passant).ok_or(SetUpError::Fen("en passant"))?;
    let count = |at: usize, default: u32, what| {
        counts.get(at).map_or(Ok(default), |text| text.parse::<u16>().map(u32::from).map_err(|_| SetUpError::Fen(what)))
    };
    let (quiet, number) = (count(0, 0, "halfmove clock")?, count(1, 1, "move number")?);
    check(geometry, &board)?;
    let waiting = ChessBoard { side: board.side.opponent(), ..board };
    if rules.passant_key == PassantKey::Legal && checkers(geometry, &waiting) != 0 {
        return Err(SetUpError::KingAttacked);
    }
    Ok(Chess::new(rules, board.hashed(), quiet, number.max(1)))
}

/// The position with these pieces, without castling rights.
pub(super) fn set_up(rules: ChessSpec, pieces: &[Piece], side: Side) -> Result<Chess, SetUpError> {
    let geometry = Geometry::of(rules.size.get());
    let sites = geometry.board.count_ones() as usize;
    if pieces.len() != sites {
        return Err(SetUpError::Sites { given: pieces.len(), sites });
    }
    let mut board = ChessBoard { side, ..ChessBoard::empty() };
    for (site, piece) in pieces.iter().enumerate() {
        if let Some(side) = piece.side() {
            let kind = Chessman::ALL.get(usize::from(piece.kind())).ok_or(SetUpError::Piece { site })?;
            board.toggle(side, *kind, geometry.square(site));
        }
    }
    check(geometry, &board)?;
    Ok(Chess::new(rules, board.hashed(), 0, 1))
}

/// The position as a text of six fields. As in other programs, the en passant square is written only if the capture
/// is legal; if every double step counts for repetition, it is written after each of them.
pub(super) fn write(position: &Chess) -> String {
    let size = position.rules.size.get() as u32;
    let board = &position.board;
    let rows: Vec<String> = (0..size).map(|row| write_row(position, size, row)).collect();
    let side = if board.side == Side::First { 'w' } else { 'b' };
    let rights = RIGHTS.chars().enumerate().filter(|(right, _)| board.castling >> right & 1 == 1);
    let rights: String = rights.map(|(_, letter)| letter).collect();
    let rights = if rights.is_empty() { "-".to_owned() } else { rights };
    let passant = written_passant(position).map_or("-".to_owned(), |square| square_name(size, square));
    // Limited to the largest number that the parser accepts.
    let number = (position.number + (position.plies + u32::from(began_second(position))) / 2).min(u16::MAX.into());
    format!("{} {side} {rights} {passant} {} {number}", rows.join("/"), position.quiet)
}

/// The en passant square to write: only if the rules distinguish the position by it.
fn written_passant(position: &Chess) -> Option<u32> {
    match position.rules.passant_key {
        PassantKey::Legal => position.passant(),
        PassantKey::Always => position.board.passant.map(u32::from),
    }
}

/// The name of a square: `e4`.
pub(super) fn square_name(size: u32, square: u32) -> String {
    format!("{}{}", char::from(b'a' + (square % WIDTH) as u8), size - square / WIDTH)
}

/// Parses the name of a square.
pub(super) fn read_square(size: u32, name: &str) -> Option<u32> {
    let &[file, rank] = name.as_bytes() else { return None };
    let column = u32::from(file.checked_sub(b'a')?);
    let row = size.checked_sub(u32::from(rank.checked_sub(b'0')?))?;
    (column < size && row < size).then_some(WIDTH * row + column)
}

/// Whether the second side made the first move.
fn began_second(position: &Chess) -> bool {
    position.plies.is_multiple_of(2) == (position.board.side == Side::Second)
}

fn write_row(position: &Chess, size: u32, row: u32) -> String {
    let (mut text, mut empty) = (String::new(), 0);
    for column in 0..size {
        let Some((side, kind)) = position.piece_at(WIDTH * row + column) else {
            empty += 1;
            continue;
        };
        if empty > 0 {
            text += &std::mem::take(&mut empty).to_string();
        }
        text.push(letter(side, kind));
    }
    if empty > 0 { text + &empty.to_string() } else { text }
}

/// A piece's letter, upper case for the first side.
pub(super) fn letter(side: Side, kind: Chessman) -> char {
    let letter = char::from(LETTERS.as_bytes()[kind as usize]);
    if side == Side::First { letter.to_ascii_uppercase() } else { letter }
}

fn read_placement(geometry: &Geometry, text: &str) -> Result<ChessBoard, SetUpError> {
    let (size, mut board) = (geometry.size, ChessBoard::empty());
    let rows: Vec<&str> = text.split('/').collect();
    if rows.len() != size as usize {
        return Err(SetUpError::Rows { given: rows.len(), rows: size as usize });
    }
    for (row, text) in rows.into_iter().enumerate() {
        let mut column = 0;
        for letter in text.chars() {
            if let Some(run) = letter.to_digit(10) {
                column += run;
                continue;
            }
            let kind = LETTERS.find(letter.to_ascii_lowercase()).ok_or(SetUpError::NoPiece(letter))?;
            let side = if letter.is_ascii_uppercase() { Side::First } else { Side::Second };
            if column < size {
                board.toggle(side, Chessman::ALL[kind], WIDTH * row as u32 + column);
            }
            column += 1;
        }
        if column != size {
            return Err(SetUpError::Row { row: row + 1, columns: size as usize });
        }
    }
    Ok(board)
}

/// Rights whose king and rook are on their home squares; other rights are an error, or from a game of Chess960.
fn read_castling(board: &ChessBoard, text: &str) -> Result<u8, SetUpError> {
    if text == "-" {
        return Ok(0);
    }
    text.chars().try_fold(0, |rights, letter| {
        let right = right_of(letter)?;
        let side = Side::BOTH[right / 2];
        let [king, rook] = HOMES[right].map(bit);
        if board.of(side, Chessman::King) & king == 0 || board.of(side, Chessman::Rook) & rook == 0 {
            return Err(SetUpError::Fen(CASTLING));
        }
        let bit = rights_of(side, if right % 2 == 0 { SHORT } else { LONG });
        if rights & bit == 0 { Ok(rights | bit) } else { Err(SetUpError::Fen("castling")) }
    })
}

/// The right of a letter: one of [`RIGHTS`], or the file of its rook, as some programs write it.
fn right_of(letter: char) -> Result<usize, SetUpError> {
    const FILES: &str = "HAha";
    match RIGHTS.find(letter).or(FILES.find(letter)) {
        Some(right) => Ok(right),
        None if matches!(letter, 'A'..='H' | 'a'..='h') => Err(SetUpError::Fen(CASTLING)),
        None => Err(SetUpError::Fen("castling")),
    }
}

/// The square behind a pawn, if the pawn can just have stepped twice.
fn read_passant(geometry: &Geometry, board: &ChessBoard, text: &str) -> Option<Option<u8>> {
    if text == "-" {
        return Some(None);
    }
    let (us, them) = (board.side, board.side.opponent());
    let square = read_square(geometry.size, text)?;
    let pawn = Geometry::ahead(them, bit(square));
    let free = (bit(square) | Geometry::ahead(us, bit(square))) & board.occupied() == 0;
    let stepped = geometry.halfway[them as usize] & bit(square) != 0 && board.of(them, Chessman::Pawn) & pawn != 0;
    (free && stepped).then_some(Some(square as u8))
}

/// Checks that the rules apply: one king each, no pawn on its last row, and none on its first row in chess 8x8. Pawns
/// of 5x5 have no double step, and pgx plays them from their first row. Pieces that are set up one by one may attack the
/// other king: see [`super::Chess`].
fn check(geometry: &Geometry, board: &ChessBoard) -> Result<(), SetUpError> {
    if Side::BOTH.into_iter().any(|side| board.of(side, Chessman::King).count_ones() != 1) {
        return Err(SetUpError::Kings);
    }
    if board.sides.into_iter().any(|side| side.count_ones() > MOST_PIECES) {
        return Err(SetUpError::TooMany { most: MOST_PIECES });
    }
    let first_row = |side: Side| if geometry.size == 8 { geometry.last_row[side.opponent() as usize] } else { 0 };
    let outer = |side: Side| geometry.last_row[side as usize] | first_row(side);
    let stuck = |side: Side| board.of(side, Chessman::Pawn) & outer(side);
    let stuck = stuck(Side::First) | stuck(Side::Second);
    if stuck == 0 { Ok(()) } else { Err(SetUpError::Piece { site: geometry.site(stuck.trailing_zeros()) }) }
}
