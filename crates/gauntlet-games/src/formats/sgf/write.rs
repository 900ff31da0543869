//! Writes games as SGF.

use std::fmt::Write as _;
use std::sync::Arc;

use super::super::records::RecordsHeader;
use super::super::{FormatError, Transcript, begin};
use super::board::{LETTERS, numbered, stones};
use crate::base::{Ending, Outcome, Record, Side};
use crate::games::{Game, GameSpec, Position};

/// A collection of games, one tree a line.
///
/// # Errors
/// For a game without stones or on a board larger than 52 rows, and for a game whose start is not a position of its
/// rules.
pub fn write<'a>(header: &RecordsHeader, records: impl IntoIterator<Item = &'a Record>) -> Result<String, FormatError> {
    let writer = Writer::new(&header.game)?;
    let tree = |record: &Record| {
        // The pair and the game in it, as in PGN.
        let round = format!("{}.{}", record.game / 2 + 1, record.game % 2 + 1);
        writer.tree(&header.transcript(record), &format!("GN[{}]RO[{round}]", record.game))
    };
    records.into_iter().map(tree).collect()
}

/// One game, finished or not.
///
/// # Errors
/// As for [`write()`].
pub fn write_game(spec: &GameSpec, game: &Transcript) -> Result<String, FormatError> {
    Writer::new(spec)?.tree(game, "")
}

/// A writer of games of one kind.
struct Writer {
    game: Arc<dyn Game>,
    /// Points along one side of the board.
    size: usize,
    /// The beginning of every root.
    root: String,
}

impl Writer {
    fn new(spec: &GameSpec) -> Result<Writer, FormatError> {
        let game = spec.build();
        let number = numbered(spec, &*game)?;
        let size = game.topology().columns();
        let rules = escape(&game.name());
        let komi = if let GameSpec::Go(go) = spec { format!("KM[{}]", go.komi.get()) } else { String::new() };
        let root = format!("FF[4]CA[UTF-8]AP[gauntlet]GM[{number}]SZ[{size}]{komi}RU[{rules}]");
        Ok(Writer { game, size, root })
    }

    /// One game on a line; `more` holds further properties of its root.
    fn tree(&self, transcript: &Transcript, more: &str) -> Result<String, FormatError> {
        let position = begin(&*self.game, transcript.start.as_deref()).map_err(|fault| fault.at(1))?;
        let [black, white] = [0, 1].map(|side| escape(&transcript.names[side]));
        let (root, set_up) = (&self.root, self.set_up(transcript, &*position));
        let mut text = format!("(;{root}{set_up}PB[{black}]PW[{white}]RE[{}]{more}", result(transcript));
        if transcript.opening > 0 {
            let _ = write!(text, "ON[{} plies given]", transcript.opening);
        }
        self.moves(&mut text, position, transcript);
        Ok(text + ")\n")
    }

    /// The stones before the first move, and the side to move if it does not follow from the rules.
    fn set_up(&self, transcript: &Transcript, position: &dyn Position) -> String {
        let mut text = String::new();
        for (side, key) in Side::BOTH.into_iter().zip(["AB", "AW"]) {
            let stones = stones(position, side);
            text += if stones.is_empty() { "" } else { key };
            stones.into_iter().for_each(|site| text += &format!("[{}]", point(site, self.size)));
        }
        if transcript.start.is_some() {
            let _ = write!(text, "PL[{}]", colour(position.side()));
        }
        text
    }

    fn moves(&self, text: &mut String, mut position: Box<dyn Position>, transcript: &Transcript) {
        let sites = self.game.topology().sites();
        for &action in &transcript.actions {
            let colour = colour(position.side());
            let is_pass = action.index() == sites;
            let point = if is_pass { String::new() } else { point(action.index(), self.size) };
            let _ = write!(text, ";{colour}[{point}]");
            position.play(action);
        }
    }
}

fn colour(side: Side) -> char {
    if side == Side::First { 'B' } else { 'W' }
}

fn result(transcript: &Transcript) -> String {
    let how = match transcript.ending {
        Ending::Resigned => "R",
        Ending::Time => "T",
        Ending::Rules | Ending::MaxPlies | Ending::Agreed => "",
    };
    match transcript.outcome {
        Some(Outcome::Win(winner)) => format!("{}+{how}", colour(winner)),
        Some(Outcome::Draw) => "0".to_owned(),
        None => "?".to_owned(),
    }
}

fn point(site: usize, size: usize) -> String {
    let letter = |index: usize| char::from(LETTERS[index]);
    [letter(site % size), letter(site / size)].iter().collect()
}

/// Escapes text inside a value.
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
