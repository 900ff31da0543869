//! Writing SGF.

use std::fmt::Write as _;
use std::sync::Arc;

use super::super::records::Header;
use super::super::{Fault, FormatError, Transcript};
use super::{number, stones};
use crate::base::{Outcome, Record, Side};
use crate::games::{Game, GameSpec};

/// A collection of games, one tree a line.
///
/// # Errors
/// [`Fault::NotStones`] for a game that is not played with stones on a square board.
pub fn write<'a>(header: &Header, records: impl IntoIterator<Item = &'a Record>) -> Result<String, FormatError> {
    let writer = Writer::new(&header.game)?;
    let tree = |record: &Record| writer.tree(&header.transcript(record), &format!("GN[{}]", record.game));
    Ok(records.into_iter().map(tree).collect())
}

/// One game, over or not.
///
/// # Errors
/// As of [`write`].
pub fn write_game(spec: &GameSpec, game: &Transcript) -> Result<String, FormatError> {
    Ok(Writer::new(spec)?.tree(game, ""))
}

/// Writes games of one kind.
struct Writer {
    game: Arc<dyn Game>,
    /// Points along one side of the board.
    size: usize,
    /// What every root begins with.
    root: String,
}

impl Writer {
    fn new(spec: &GameSpec) -> Result<Writer, FormatError> {
        let game = spec.build();
        let number = number(spec).ok_or_else(|| Fault::NotStones(game.name()).at(1))?;
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
        Ok(Writer { game, size, root })
    }

    /// One game on a line; `more` are further properties of its root.
    fn tree(&self, told: &Transcript, more: &str) -> String {
        let [black, white] = [0, 1].map(|side| escape(&told.names[side]));
        let mut text = format!("(;{}PB[{black}]PW[{white}]RE[{}]{more}", self.root, result(told.outcome));
        if told.opening > 0 {
            let _ = write!(text, "ON[{} plies given]", told.opening);
        }
        self.moves(&mut text, told);
        text + ")\n"
    }

    fn moves(&self, text: &mut String, told: &Transcript) {
        let (mut position, sites) = (self.game.start(), self.game.topology().sites());
        for &action in &told.actions {
            let colour = if position.side() == Side::First { 'B' } else { 'W' };
            let is_pass = action.index() == sites;
            let point = if is_pass { String::new() } else { point(action.index(), self.size) };
            let _ = write!(text, ";{colour}[{point}]");
            position.play(action);
        }
    }
}

fn result(outcome: Option<Outcome>) -> &'static str {
    match outcome {
        Some(Outcome::Win(Side::First)) => "B+",
        Some(Outcome::Win(Side::Second)) => "W+",
        Some(Outcome::Draw) => "0",
        None => "?",
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
