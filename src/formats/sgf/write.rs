//! Writing SGF.

use std::fmt::Write as _;

use super::super::records::Header;
use super::super::{Fault, FormatError, begin};
use super::{number, stones};
use crate::base::{Ending, Outcome, Record, Side};
use crate::games::Position;

/// A collection of games, one tree a line.
///
/// # Errors
/// [`Fault::NotStones`] for a game that is not played with stones on a square board, and [`Fault::Position`] for a record
/// that begins with no position of its game.
pub fn write<'a>(header: &Header, records: impl IntoIterator<Item = &'a Record>) -> Result<String, FormatError> {
    let game = header.game.build();
    let number = number(&header.game).ok_or_else(|| Fault::NotStones(game.name()).at(1))?;
    let (size, rules) = (game.topology().columns(), escape(&game.name()));
    let root = format!("FF[4]CA[UTF-8]AP[gauntlet]GM[{number}]SZ[{size}]RU[{rules}]");
    let mut text = String::new();
    for record in records {
        let position = begin(&*game, record.start.as_deref()).map_err(|fault| fault.at(1))?;
        let [black, white] = record.players.map(|player| escape(&header.players[player]));
        let (set_up, result) = (set_up(record, &*position, size), result(record));
        let _ = write!(text, "(;{root}{set_up}PB[{black}]PW[{white}]RE[{result}]GN[{}]", record.game);
        if record.opening > 0 {
            let _ = write!(text, "ON[{} plies given]", record.opening);
        }
        moves(&mut text, position, record, size);
        text += ")\n";
    }
    Ok(text)
}

/// The stones that stand before the first move, and who begins where that does not follow from the rules.
fn set_up(record: &Record, position: &dyn Position, size: usize) -> String {
    let mut text = String::new();
    for (side, key) in Side::BOTH.into_iter().zip(["AB", "AW"]) {
        let stones = stones(position, side);
        text += if stones.is_empty() { "" } else { key };
        stones.into_iter().for_each(|site| text += &format!("[{}]", point(site, size)));
    }
    if record.start.is_some() {
        let _ = write!(text, "PL[{}]", colour(position.side()));
    }
    text
}

fn moves(text: &mut String, mut position: Box<dyn Position>, record: &Record, size: usize) {
    for &action in &record.actions {
        let _ = write!(text, ";{}[{}]", colour(position.side()), point(action.index(), size));
        position.play(action);
    }
}

fn colour(side: Side) -> char {
    if side == Side::First { 'B' } else { 'W' }
}

fn result(record: &Record) -> String {
    let how = if record.ending == Ending::Resigned { "R" } else { "" };
    match record.outcome {
        Outcome::Win(winner) => format!("{}+{how}", colour(winner)),
        Outcome::Draw => "0".to_owned(),
    }
}

fn point(site: usize, size: usize) -> String {
    let letter = |index: usize| char::from(b'a' + index as u8);
    [letter(site % size), letter(site / size)].iter().collect()
}

/// Text inside of a value.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, ']' | '\\' | ':') {
            escaped.push('\\');
        }
        escaped.push(if c.is_whitespace() { ' ' } else { c });
    }
    escaped
}
