//! Writing SGF.

use std::fmt::Write as _;

use super::super::records::Header;
use super::super::{Fault, FormatError};
use super::{number, stones};
use crate::base::{Outcome, Record, Side};
use crate::games::Game;

/// A collection of games, one tree a line.
///
/// # Errors
/// [`Fault::NotStones`] for a game that is not played with stones on a square board.
pub fn write<'a>(header: &Header, records: impl IntoIterator<Item = &'a Record>) -> Result<String, FormatError> {
    let game = header.game.build();
    let number = number(&header.game).ok_or_else(|| Fault::NotStones(game.name()).at(1))?;
    let size = game.topology().columns();
    let rules = escape(&game.name());
    let mut root = format!("FF[4]CA[UTF-8]AP[gauntlet]GM[{number}]SZ[{size}]RU[{rules}]");
    for (side, key) in Side::BOTH.into_iter().zip(["AB", "AW"]) {
        let stones = stones(&*game, side);
        if !stones.is_empty() {
            root += key;
            stones.into_iter().for_each(|site| root += &format!("[{}]", point(site, size)));
        }
    }
    let mut text = String::new();
    for record in records {
        let [black, white] = record.players.map(|player| escape(&header.players[player]));
        let result = result(record.outcome);
        let _ = write!(text, "(;{root}PB[{black}]PW[{white}]RE[{result}]GN[{}]", record.game);
        if record.opening > 0 {
            let _ = write!(text, "ON[{} plies given]", record.opening);
        }
        moves(&mut text, &*game, record, size);
        text += ")\n";
    }
    Ok(text)
}

fn moves(text: &mut String, game: &dyn Game, record: &Record, size: usize) {
    let mut position = game.start();
    for &action in &record.actions {
        let colour = if position.side() == Side::First { 'B' } else { 'W' };
        let _ = write!(text, ";{colour}[{}]", point(action.index(), size));
        position.play(action);
    }
}

fn result(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win(Side::First) => "B+",
        Outcome::Win(Side::Second) => "W+",
        Outcome::Draw => "0",
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
