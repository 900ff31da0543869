//! Reads PGN games with their moves, as games of this program, in each game's own notation.
//!
//! Files of openings often lack tags, players and results, which are optional. Comments, glyphs, variations and move
//! numbers are skipped. `White` is the player who moves first. `FEN` is a position in the game's own notation, and
//! `OpeningPlies`, this program's own tag, is the number of plies from an opening. A forced pass may be omitted.
//!
//! Column names skip `I` here ([`crate::games`]): in a file of a program that uses it, the same names are other
//! points.

use super::game::{LONGEST_GAME, PgnError};
use super::reader::PgnReader;
use super::results::result_of;
use super::tags::Tags;
use super::variant;
use super::words::{PgnWord, begins_game, is_number_alone, main_line, why_unknown, word};
use crate::base::{Action, Ending, Outcome};
use crate::formats::{Fault, FormatError, Transcript, after_end, begin, check_size, forced_pass, settle};
use crate::games::{Game, GameSpec, Position};

/// Names of the sides in messages.
const SIDES: [&str; 2] = ["White", "Black"];

/// Every game of a file as a game of `spec`, at most the first `most` plies of each; later moves are not read.
///
/// # Errors
/// For the first fault, in form or by the rules.
pub fn read(bytes: &[u8], spec: &GameSpec, most: usize) -> Result<Vec<Transcript>, FormatError> {
    check_size(bytes)?;
    let game = spec.build();
    let mut reader = PgnReader::new(bytes).with_moves().bare();
    let mut transcripts = Vec::new();
    while reader.advance()? {
        variant::check(&reader.tags, spec, &*game)?;
        transcripts.extend(games(&reader, &*game, most)?);
    }
    Ok(transcripts)
}

impl From<PgnError> for FormatError {
    fn from(error: PgnError) -> FormatError {
        match error {
            PgnError::Bad { line, what } => Fault::Form(what).at(line as usize),
            PgnError::LeftOut { line, reason } => {
                Fault::Form(format!("the game is {}", reason.name())).at(line as usize)
            }
            PgnError::Io(error) => Fault::Unreadable(error).at(1),
        }
    }
}

/// The game that was just read, and the games without tags after its result.
fn games(reader: &PgnReader<&[u8]>, game: &dyn Game, most: usize) -> Result<Vec<Transcript>, FormatError> {
    let (tags, size) = (&reader.tags, reader.text.raw.len());
    if let Some((line, what)) = &tags.fault {
        return Err(Fault::Form(what.clone()).at(*line as usize));
    }
    if size >= LONGEST_GAME {
        return Err(Fault::TooLarge { what: "a game", size, most: LONGEST_GAME }.at(tags.line as usize));
    }
    let mut lines = lines(&String::from_utf8_lossy(&reader.text.raw), reader.text.line as usize).into_iter();
    let mut games = vec![tagged(tags, lines.next().unwrap_or_default(), game, most)?];
    for line in lines.filter(|line| !line.words.is_empty()) {
        let played = play(game, None, &line, most)?;
        let outcome = played.settle(&line, None)?;
        games.push(Transcript { outcome, ..played.transcript() });
    }
    Ok(games)
}

/// The words of a game up to its result, each with its line in the file.
#[derive(Debug, Default)]
struct GameLine {
    /// Moves, and words that are not moves.
    words: Vec<(usize, Result<String, String>)>,
    result: Option<(usize, String)>,
}

impl GameLine {
    /// Whether the next game may begin in line `at`. A number in the same line after a single move may be that of the
    /// reply: `1. e4 1. e5`.
    fn may_end_before(&self, at: usize) -> bool {
        self.words.len() > 1 || self.words.first().is_some_and(|(line, _)| *line < at)
    }
}

/// Moves up to a result or the next move number 1, then those after it, and so on.
fn lines(raw: &str, first: usize) -> Vec<GameLine> {
    let mut lines = vec![GameLine::default()];
    let (mut is_move_next, mut may_begin) = (false, false);
    main_line(raw, |below, text| {
        let is_behind_number = std::mem::replace(&mut is_move_next, is_number_alone(text));
        // Dots behind the number, `1. ...`, are those of a reply.
        if std::mem::take(&mut may_begin) && !text.starts_with(['.', '\u{2026}']) {
            lines.push(GameLine::default());
        }
        // Games without tags and results may follow each other.
        may_begin = begins_game(text) && lines.last().is_some_and(|line| line.may_end_before(first + below));
        if may_begin && !is_move_next {
            may_begin = false;
            lines.push(GameLine::default());
        }
        let line = lines.last_mut().expect("there is always one");
        match word(text) {
            PgnWord::Move(written) => line.words.push((first + below, Ok(written.into_owned()))),
            PgnWord::Unknown => line.words.push((first + below, Err(text.to_owned()))),
            // `2. N`: a move that broke off; `1. 4`: no move of this game.
            PgnWord::Note if is_behind_number && (begins_with_letter(text) || is_bare_number(text)) => {
                line.words.push((first + below, Err(text.to_owned())));
            }
            PgnWord::Note => {}
            PgnWord::Result(result) => {
                line.result = Some((first + below, result.to_owned()));
                lines.push(GameLine::default());
            }
        }
    });
    lines
}

fn begins_with_letter(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
}

fn is_bare_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A game with its tags.
fn tagged(tags: &Tags, line: GameLine, game: &dyn Game, most: usize) -> Result<Transcript, FormatError> {
    let at = tags.line as usize;
    let position = tags.position.as_ref().map(|(line, text)| (*line as usize, text.as_str()));
    let played = play(game, position, &line, most)?;
    if played.is_whole
        && let Some((at, written)) = &line.result
        && let Some(what) = tags.conflict(written)
    {
        return Err(Fault::Form(what).at(*at));
    }
    let outcome = played.settle(&line, tags.result.as_deref().map(|result| (at, result)))?;
    let name = |name: &Option<String>| name.clone().filter(|name| name != "?").unwrap_or_default();
    let opening = tags.opening.as_ref().and_then(|plies| plies.parse().ok()).unwrap_or(0);
    let (plies, all) = (played.actions.len(), played.actions.len().max(line.words.len()));
    let opening = if opening as usize <= all { opening.min(plies as u32) } else { 0 };
    let ending = match tags.termination.as_deref() {
        _ if played.position.outcome().is_some() => Ending::Rules,
        // A limit of plies ends a game as a draw alone.
        Some("adjudication") if matches!(outcome, Some(Outcome::Win(_))) => Ending::Agreed,
        Some("adjudication") => Ending::MaxPlies,
        Some("resignation") => Ending::Resigned,
        Some("time forfeit") => Ending::Time,
        _ => Ending::Rules,
    };
    Ok(Transcript { names: tags.names.each_ref().map(name), opening, outcome, ending, ..played.transcript() })
}

/// The first moves of a line on the board.
struct PlayedLine {
    /// The position that was set up, in the game's notation.
    start: Option<String>,
    actions: Vec<Action>,
    position: Box<dyn Position>,
    /// Whether all moves of the line were played.
    is_whole: bool,
}

impl PlayedLine {
    fn transcript(self) -> Transcript {
        Transcript { start: self.start, actions: self.actions, ..Transcript::default() }
    }

    /// The outcome: by the rules, by its tag with the tag's line, or by the result after its moves.
    fn settle(&self, line: &GameLine, tag: Option<(usize, &str)>) -> Result<Option<Outcome>, FormatError> {
        let outcome = |(at, text): (usize, &str)| Some((at, result_of(text)??));
        let written = line.result.as_ref().map(|(at, text)| (*at, text.as_str()));
        // The omitted moves may have decided the game.
        let stated = tag.and_then(outcome).or(written.and_then(outcome)).filter(|_| self.is_whole);
        let (at, stated) = stated.map_or((0, None), |(at, stated)| (at, Some(stated)));
        settle(self.position.outcome(), stated, SIDES, "").map_err(|fault| fault.at(at))
    }
}

/// Plays the first moves of a line, from a position with its line in the file, if there is one.
fn play(
    game: &dyn Game,
    start: Option<(usize, &str)>,
    line: &GameLine,
    most: usize,
) -> Result<PlayedLine, FormatError> {
    let (at, text) = start.map_or((0, None), |(at, text)| (at, Some(text)));
    let mut position = begin(game, text).map_err(|fault| fault.at(at))?;
    let start = start.and_then(|_| game.write_position(&*position));
    let mut actions: Vec<Action> = Vec::new();
    let mut words = line.words.iter();
    while actions.len() < most {
        let Some((at, word)) = words.next() else { break };
        let text = word.as_ref().map_err(|unknown| Fault::Form(why_unknown(unknown)).at(*at))?;
        let mut action = game.read_move(&*position, text);
        if action.is_none()
            && let Some(pass) = forced_pass(game, &*position)
        {
            position.play(pass);
            actions.push(pass);
            if actions.len() == most {
                return Ok(PlayedLine { start, actions, position, is_whole: false });
            }
            action = game.read_move(&*position, text);
        }
        let action = action.ok_or_else(|| refused(game, &*position, text, actions.len() + 1).at(*at))?;
        position.play(action);
        actions.push(action);
    }
    Ok(PlayedLine { start, actions, position, is_whole: words.next().is_none() })
}

/// The reason why a move, number `ply` of its game, cannot be played.
fn refused(game: &dyn Game, position: &dyn Position, text: &str, ply: usize) -> Fault {
    if position.outcome().is_some() {
        return after_end(game, ply, text);
    }
    let promoting = format!("{}=Q", text.trim_end_matches(['+', '#']));
    match game.read_move(position, &promoting) {
        Some(_) => Fault::Form(format!("move {ply}, {text}, lacks the piece that the pawn becomes: {promoting}")),
        None => Fault::Illegal { ply, name: text.to_owned() },
    }
}
