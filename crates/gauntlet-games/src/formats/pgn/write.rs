//! Writes PGN: the seven mandatory tags, other known tags, and the moves in the game's own notation.
//!
//! `White` is the player who moves first. `Event` is the name of the game; `Round` is the number of the pair of games
//! and that of the game in it (`12.2`), both from 1, or 1 for a single game. `Opening` are the moves of the opening,
//! and `OpeningPlies` is their number. Site and date are unknown. `Termination` is `normal`, `adjudication` (a limit
//! of plies), `unterminated` for an unfinished game, or `resignation`, for which the standard has no word.

use super::variant;
use crate::base::{Ending, Outcome, Record, Side};
use crate::formats::records::RecordsHeader;
use crate::formats::{FormatError, Transcript, begin};
use crate::games::{Game, GameSpec};

/// Maximum width of a line of moves; the standard requires fewer than 80 columns.
const WIDTH: usize = 79;
/// Number of fields of a FEN; the last one is the number of the move.
const FEN_FIELDS: usize = 6;

/// Games in sequence, separated by empty lines.
///
/// # Errors
/// [`Fault::Position`](crate::formats::Fault::Position) for a record whose start is not a position of its game.
pub fn write<'a>(header: &RecordsHeader, records: impl IntoIterator<Item = &'a Record>) -> Result<String, FormatError> {
    let game = header.game.build();
    let mut text = String::new();
    for record in records {
        let round = format!("{}.{}", record.game / 2 + 1, record.game % 2 + 1);
        one(&mut text, (&header.game, &*game), &header.transcript(record), &round)?;
        text.push('\n');
    }
    Ok(text)
}

/// One game, finished or not.
///
/// # Errors
/// As for [`write()`].
pub fn write_game(spec: &GameSpec, transcript: &Transcript) -> Result<String, FormatError> {
    let mut text = String::new();
    one(&mut text, (spec, &*spec.build()), transcript, "1")?;
    Ok(text)
}

fn one(
    text: &mut String,
    game: (&GameSpec, &dyn Game),
    transcript: &Transcript,
    round: &str,
) -> Result<(), FormatError> {
    let moves = moves(game.1, transcript)?;
    tags(text, transcript, round, game, &moves);
    text.push('\n');
    movetext(text, transcript, &moves);
    Ok(())
}

/// The moves in the game's own notation; each with a flag for the first side.
fn moves(game: &dyn Game, transcript: &Transcript) -> Result<Vec<(bool, String)>, FormatError> {
    let mut position = begin(game, transcript.start.as_deref()).map_err(|fault| fault.at(1))?;
    let write = |&action| {
        let written = (position.side() == Side::First, game.write_move(&*position, action));
        position.play(action);
        written
    };
    Ok(transcript.actions.iter().map(write).collect())
}

fn tags(
    text: &mut String,
    transcript: &Transcript,
    round: &str,
    (spec, game): (&GameSpec, &dyn Game),
    moves: &[(bool, String)],
) {
    let [white, black] = &transcript.names;
    let (plies, opening) = (transcript.actions.len(), transcript.opening);
    let mut tag = |name: &str, value: &str| *text += &format!("[{name} \"{}\"]\n", escape(value));
    tag("Event", &game.name());
    tag("Site", "?");
    tag("Date", "????.??.??");
    tag("Round", round);
    tag("White", white);
    tag("Black", black);
    tag("Result", result(transcript.outcome));
    variant::named(spec).into_iter().for_each(|variant| tag("Variant", variant));
    if let Some(start) = &transcript.start {
        tag("SetUp", "1");
        tag("FEN", start);
    }
    tag("PlyCount", &plies.to_string());
    if opening > 0 {
        let given: Vec<&str> = moves.iter().take(opening as usize).map(|(_, name)| name.as_str()).collect();
        tag("Opening", &given.join(" "));
        tag("OpeningPlies", &opening.to_string());
    }
    tag("Termination", termination(transcript));
}

/// Moves with their numbers and the result, wrapped into lines.
fn movetext(text: &mut String, transcript: &Transcript, moves: &[(bool, String)]) {
    let (mut column, mut number) = (0, first_number(transcript) - 1);
    let mut word = |word: &str| {
        if column > 0 {
            let fits = column + 1 + word.len() <= WIDTH;
            text.push(if fits { ' ' } else { '\n' });
            column = if fits { column + 1 } else { 0 };
        }
        *text += word;
        column += word.len();
    };
    for (ply, (is_first, name)) in moves.iter().enumerate() {
        number += usize::from(*is_first || ply == 0);
        match is_first {
            true => word(&format!("{number}.")),
            false if ply == 0 => word(&format!("{number}...")),
            false => {}
        }
        word(name);
    }
    word(result(transcript.outcome));
    text.push('\n');
}

/// The number of the first move: in chess, that of the FEN.
fn first_number(transcript: &Transcript) -> usize {
    let fields = || transcript.start.as_deref()?.split(' ').nth(FEN_FIELDS - 1)?.parse().ok();
    fields().unwrap_or(1).max(1)
}

fn result(outcome: Option<Outcome>) -> &'static str {
    match outcome {
        Some(Outcome::Win(Side::First)) => "1-0",
        Some(Outcome::Win(Side::Second)) => "0-1",
        Some(Outcome::Draw) => "1/2-1/2",
        None => "*",
    }
}

fn termination(transcript: &Transcript) -> &'static str {
    match (transcript.outcome, transcript.ending) {
        (None, _) => "unterminated",
        (Some(_), Ending::Rules) => "normal",
        (Some(_), Ending::MaxPlies | Ending::Agreed) => "adjudication",
        (Some(_), Ending::Resigned) => "resignation",
        (Some(_), Ending::Time) => "time forfeit",
    }
}

/// Escapes text inside a tag; an empty text is unknown.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            escaped.push('\\');
        }
        escaped.push(if c.is_control() { ' ' } else { c });
    }
    if escaped.is_empty() { "?".to_owned() } else { escaped }
}
