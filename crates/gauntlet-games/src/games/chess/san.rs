//! Chess move notation: standard algebraic notation (Edwards 1994, section 8.2.3), read with all its dialects: `Nf3`,
//! `Nb1c3`, `Ng1-f3`, `e2e4`, `e7e8n`, `Ke1g1`, `O-O`. A promotion names its piece, except for the bare squares
//! (`e7e8`), which are this program's name of a promotion to a queen.

use super::board::ChessMove;
use super::fen::{LETTERS, read_square, square_name};
use super::geometry::WIDTH;
use super::play::Chess;
use crate::base::{Chessman, Side};

/// The parts of a parsed move text.
#[derive(Debug, Default)]
struct Said {
    kind: Option<Chessman>,
    file: Option<u32>,
    rank: Option<u32>,
    to: u32,
    promotion: Option<Chessman>,
    /// Whether the text is only the two squares.
    is_bare: bool,
}

/// The only legal move that matches a text.
pub(super) fn read(position: &Chess, legal: impl Iterator<Item = ChessMove>, text: &str) -> Option<ChessMove> {
    let size = position.rules.size.get() as u32;
    let text = text.trim_end_matches(['+', '#', '!', '?']);
    // A capture en passant may say so.
    let text = ["e.p.", "ep"].iter().find_map(|note| text.strip_suffix(note)).unwrap_or(text);
    let said = castling(position, text).or_else(|| parse(size, text))?;
    let mut fitting = legal.filter(|&legal| said.fits(position, legal));
    let found = fitting.next()?;
    fitting.next().is_none().then_some(found)
}

/// A legal move in standard notation, without check signs.
pub(super) fn write(position: &Chess, legal: impl Iterator<Item = ChessMove>, played: ChessMove) -> String {
    let size = position.rules.size.get() as u32;
    let kind = moved(position, played);
    if kind == Chessman::King && played.from.abs_diff(played.to) == 2 {
        return if played.to > played.from { "O-O" } else { "O-O-O" }.into();
    }
    let to = square_name(size, played.to);
    let file = &square_name(size, played.from)[..1];
    let sign = if takes(position, played) { "x" } else { "" };
    if kind == Chessman::Pawn {
        let file = if sign.is_empty() { "" } else { file };
        let becomes = becomes(position, played).map_or(String::new(), |kind| format!("={}", upper(kind)));
        return format!("{file}{sign}{to}{becomes}");
    }
    let rivals =
        legal.filter(|&rival| rival.to == played.to && rival.from != played.from && moved(position, rival) == kind);
    format!(
        "{}{}{sign}{to}",
        upper(kind),
        origin(size, played.from, &rivals.map(|rival| rival.from).collect::<Vec<_>>())
    )
}

/// A legal move with both squares and without check signs: `Nb1c3`, `e7d8=Q`, `Ke1g1`.
pub(super) fn write_long(position: &Chess, played: ChessMove) -> String {
    let size = position.rules.size.get() as u32;
    let kind = Some(moved(position, played)).filter(|&kind| kind != Chessman::Pawn);
    let becomes = becomes(position, played).map_or(String::new(), |kind| format!("={}", upper(kind)));
    let squares = [played.from, played.to].map(|square| square_name(size, square)).concat();
    kind.map(upper).into_iter().collect::<String>() + &squares + &becomes
}

/// A move as its two squares, with the letter of an underpromotion: `e2e4`, `e7e8n`.
pub(super) fn coordinates(size: u32, played: ChessMove) -> String {
    let under = played.under.map_or(String::new(), |kind| LETTERS[kind as usize..=kind as usize].to_owned());
    square_name(size, played.from) + &square_name(size, played.to) + &under
}

/// Parses a move between two squares; the letter of a promotion to a queen is accepted.
pub(super) fn read_coordinates(size: u32, text: &str) -> Option<ChessMove> {
    let (squares, becomes) = text.split_at_checked(4)?;
    let under = match becomes {
        "" | "q" => None,
        "r" => Some(Chessman::Rook),
        "b" => Some(Chessman::Bishop),
        "n" => Some(Chessman::Knight),
        _ => return None,
    };
    Some(ChessMove { from: read_square(size, squares.get(..2)?)?, to: read_square(size, squares.get(2..)?)?, under })
}

impl Said {
    fn fits(&self, position: &Chess, played: ChessMove) -> bool {
        let size = position.rules.size.get() as u32;
        self.to == played.to
            && self.kind.is_none_or(|kind| kind == moved(position, played))
            && self.file.is_none_or(|file| file == played.from % WIDTH)
            && self.rank.is_none_or(|rank| rank == size - played.from / WIDTH)
            && self.becomes_what_is_said(position, played)
    }

    fn becomes_what_is_said(&self, position: &Chess, played: ChessMove) -> bool {
        let becomes = becomes(position, played);
        becomes == self.promotion || self.is_bare && self.promotion.is_none() && becomes == Some(Chessman::Queen)
    }
}

/// The king's move of `O-O` or `O-O-O`.
fn castling(position: &Chess, text: &str) -> Option<Said> {
    let king = if position.board.side == Side::First { 60 } else { 4 };
    let to = match text {
        "O-O" | "0-0" => king + 2,
        "O-O-O" | "0-0-0" => king - 2,
        _ => return None,
    };
    Some(Said { kind: Some(Chessman::King), file: Some(king % WIDTH), to, ..Said::default() })
}

/// Parses from the end: promotion, destination, and the given parts of the origin.
fn parse(size: u32, text: &str) -> Option<Said> {
    let (text, promotion) = match text.rsplit_once('=') {
        Some((text, kind)) => (text, Some(kind_of(kind)?)),
        None => match text.strip_suffix(|last: char| last.is_ascii_alphabetic()) {
            Some(rest) => (rest, Some(kind_of(&text[rest.len()..])?)),
            None => (text, None),
        },
    };
    let (before, to) = text.split_at_checked(text.len().checked_sub(2)?)?;
    let to = read_square(size, to)?;
    let before = before.trim_end_matches(['x', '-']);
    let piece = before.chars().next().filter(char::is_ascii_uppercase);
    let kind = piece.map(|letter| kind_of(&letter.to_string())).map_or(Some(None), |kind| kind.map(Some))?;
    let mut said = Said { kind, to, promotion, ..Said::default() };
    for letter in before[usize::from(piece.is_some())..].chars() {
        let (place, number) = match letter {
            'a'..='h' => (&mut said.file, u32::from(letter) - u32::from('a')),
            '1'..='8' => (&mut said.rank, u32::from(letter) - u32::from('0')),
            _ => return None,
        };
        if place.replace(number).is_some() {
            return None;
        }
    }
    // A pawn is named only by its file, and two squares alone are unambiguous.
    let squares = said.file.is_some() && said.rank.is_some();
    said.kind = said.kind.or((!squares).then_some(Chessman::Pawn));
    said.is_bare = squares && text.len() == 4;
    Some(said)
}

fn kind_of(letter: &str) -> Option<Chessman> {
    let mut letters = letter.chars();
    let kind = LETTERS.find(letters.next()?.to_ascii_lowercase())?;
    letters.next().is_none().then_some(Chessman::ALL[kind])
}

fn moved(position: &Chess, played: ChessMove) -> Chessman {
    position.board.kind_at(played.from).expect("a legal move is one of a piece")
}

/// Whether the move captures: the destination is occupied, or a pawn leaves its file.
fn takes(position: &Chess, played: ChessMove) -> bool {
    let passes = moved(position, played) == Chessman::Pawn && played.from % WIDTH != played.to % WIDTH;
    passes || position.board.kind_at(played.to).is_some()
}

/// The promotion of a pawn that reaches the last row.
fn becomes(position: &Chess, played: ChessMove) -> Option<Chessman> {
    let size = position.rules.size.get() as u32;
    let last = if position.board.side == Side::First { 0 } else { size - 1 };
    let promotes = played.to / WIDTH == last && moved(position, played) == Chessman::Pawn;
    promotes.then(|| played.under.unwrap_or(Chessman::Queen))
}

/// The part of the origin that distinguishes the piece from others: the file, else the rank, else both.
fn origin(size: u32, from: u32, rivals: &[u32]) -> String {
    let name = square_name(size, from);
    if rivals.is_empty() {
        String::new()
    } else if rivals.iter().all(|rival| rival % WIDTH != from % WIDTH) {
        name[..1].to_owned()
    } else if rivals.iter().all(|rival| rival / WIDTH != from / WIDTH) {
        name[1..].to_owned()
    } else {
        name
    }
}

fn upper(kind: Chessman) -> char {
    char::from(LETTERS.as_bytes()[kind as usize].to_ascii_uppercase())
}
