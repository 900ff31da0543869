//! Games with their moves, as games of this program, in each game's own notation.
//!
//! Files of openings are often bare: tags may be missing, and so may players and results. Comments, glyphs, variations and
//! move numbers are passed over. `White` is whoever moves first. `FEN` is a position in the game's own notation, and
//! `OpeningPlies`, which is this program's own tag, says how many plies an opening gave.
//!
//! Columns are named without `I` here ([`crate::games`]): a file of a program that uses it tells other points.

use super::{LONGEST_GAME, PgnError, Reader, Tags, main_line, move_of};
use crate::base::{Action, Ending, Outcome, Side};
use crate::formats::{Fault, FormatError, Transcript, begin, check_size, settle};
use crate::games::{Game, GameSpec};

/// Every game of a file as a game of `spec`, at most the first `most` plies of each; what comes later is not read.
///
/// # Errors
/// For the first thing that is wrong, in form or by the rules.
pub fn read(bytes: &[u8], spec: &GameSpec, most: usize) -> Result<Vec<Transcript>, FormatError> {
    check_size(bytes)?;
    let game = spec.build();
    let mut reader = Reader { bare: true, ..Reader::new(bytes).with_moves() };
    let mut transcripts = Vec::new();
    while reader.advance()? {
        transcripts.extend(games(&reader, &*game, most)?);
    }
    Ok(transcripts)
}

impl From<PgnError> for FormatError {
    fn from(error: PgnError) -> FormatError {
        match error {
            PgnError::Bad { line, what } => Fault::Form(what).at(line as usize),
            PgnError::Io(error) => Fault::Unreadable(error).at(1),
        }
    }
}

/// The game that was just passed, and those that follow its result without tags of their own.
fn games(reader: &Reader<&[u8]>, game: &dyn Game, most: usize) -> Result<Vec<Transcript>, FormatError> {
    let (tags, size) = (&reader.tags, reader.raw_moves.len());
    if let Some((line, what)) = &tags.fault {
        return Err(Fault::Form(what.clone()).at(*line as usize));
    }
    if size >= LONGEST_GAME {
        return Err(Fault::TooLarge { what: "a game", size, most: LONGEST_GAME }.at(tags.line as usize));
    }
    let mut lines = lines(&String::from_utf8_lossy(&reader.raw_moves), reader.moves_line as usize).into_iter();
    let mut games = vec![tagged(tags, lines.next().unwrap_or_default(), game, most)?];
    for line in lines.filter(|line| !line.is_empty()) {
        games.push(transcript(game, None, &line, most, 0)?);
    }
    Ok(games)
}

/// The moves of a game, each with its line in the file.
type Line = Vec<(usize, String)>;

/// Moves up to a result, then those behind it, and so on.
fn lines(raw: &str, first: usize) -> Vec<Line> {
    let mut lines = vec![Line::new()];
    main_line(raw, |below, word| match move_of(word) {
        _ if matches!(word, "1-0" | "0-1" | "1/2-1/2" | "*") => lines.push(Line::new()),
        Some(written) => lines.last_mut().expect("there is always one").push((first + below, written.to_owned())),
        None => {}
    });
    lines
}

/// The game that the tags tell of.
fn tagged(tags: &Tags, line: Line, game: &dyn Game, most: usize) -> Result<Transcript, FormatError> {
    let at = tags.line as usize;
    let read = transcript(game, tags.position.as_deref(), &line, most, at)?;
    let name = |name: &Option<String>| name.clone().filter(|name| name != "?").unwrap_or_default();
    let told = match tags.result.as_deref() {
        Some("1-0") => Some(Outcome::Win(Side::First)),
        Some("0-1") => Some(Outcome::Win(Side::Second)),
        Some("1/2-1/2") => Some(Outcome::Draw),
        _ => None,
    };
    // What was cut off may have decided the game.
    let is_whole = read.actions.len() == line.len();
    let outcome = settle(read.outcome, told.filter(|_| is_whole), at)?;
    let opening = tags.opening.as_ref().and_then(|plies| plies.parse().ok()).unwrap_or(0);
    let opening = if opening as usize <= line.len() { opening.min(read.actions.len() as u32) } else { 0 };
    let ending = match tags.termination.as_deref() {
        _ if read.outcome.is_some() => Ending::Rules,
        Some("adjudication") => Ending::MaxPlies,
        Some("resignation") => Ending::Resigned,
        _ => Ending::Rules,
    };
    Ok(Transcript { names: tags.names.each_ref().map(name), opening, outcome, ending, ..read })
}

/// Plays the first moves of a line; `at` is the line of its tags.
fn transcript(
    game: &dyn Game,
    start: Option<&str>,
    line: &Line,
    most: usize,
    at: usize,
) -> Result<Transcript, FormatError> {
    let mut position = begin(game, start).map_err(|fault| fault.at(at))?;
    let start = start.and_then(|_| game.write_position(&*position));
    let mut actions: Vec<Action> = Vec::new();
    for (at, text) in line.iter().take(most) {
        let illegal = || Fault::Illegal { ply: actions.len() + 1, name: text.clone() }.at(*at);
        let action = game.read_move(&*position, text).ok_or_else(illegal)?;
        position.play(action);
        actions.push(action);
    }
    Ok(Transcript { start, actions, outcome: position.outcome(), ..Transcript::default() })
}
