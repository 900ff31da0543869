//! PGN: the games of a tournament, streamed one by one from a file of any size (Edwards, "Standard: Portable Game
//! Notation Specification and Implementation Guide", 1994, the import format).
//!
//! Of every game only the players and the result are kept, and the moves as written where asked for. The streaming
//! [`Reader`] plays no move: any game in the shape of PGN will do. Text between braces, behind `;`, and lines that start
//! with `%` are comments, so that a tag inside of one is none. [`read`] and [`write()`] are for games that this program
//! plays, in each game's own notation.

mod read;
mod write;

use std::io::{self, BufRead, BufReader, Read};

use crate::base::{Outcome, Side};
pub use read::read;
pub use write::write;

/// Bytes asked of the system at a time; memory does not depend on the size of the file.
const BUFFER: usize = 1 << 18;
/// A line of tags longer than this is refused.
const LONGEST_TAG: u64 = 1 << 16;
/// Moves of one game beyond this many bytes are refused.
const LONGEST_GAME: usize = 1 << 20;

/// One game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Game<'a> {
    /// Name of the player who moves first (White).
    pub first: &'a str,
    /// Name of the player who moves second (Black).
    pub second: &'a str,
    /// How it ended, by its tag.
    pub outcome: Outcome,
    /// The line of its first tag, from 1.
    pub line: u64,
    /// Its moves as written, separated by single spaces, without numbers, comments, variations and result; empty
    /// unless asked for.
    pub moves: &'a str,
}

/// Why there is no game. The reader goes on with the next one.
#[derive(Debug, thiserror::Error)]
pub enum PgnError {
    /// A game without the tags that count, or text that is no PGN.
    #[error("{what}")]
    Bad {
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        what: String,
    },
    /// The file could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Reads games from a stream.
#[derive(Debug)]
pub struct Reader<R> {
    input: BufReader<R>,
    keep_moves: bool,
    /// Whether games may come without tags.
    bare: bool,
    /// The line that is read next, from 1.
    line: u64,
    /// The line of the first move.
    moves_line: u64,
    place: Place,
    comment: Comment,
    /// A line of tags; one that belongs to the next game when `pending`.
    text: Vec<u8>,
    pending: bool,
    tags: Tags,
    /// Moves and what stands around them, but no comments; as many line ends as the file has there.
    raw_moves: Vec<u8>,
    moves: String,
}

/// Where in a game the reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Tags,
    Moves,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comment {
    None,
    Brace,
    Line,
}

/// What is known of a game so far.
#[derive(Debug, Default)]
struct Tags {
    /// Line of the first tag; 0 before it.
    line: u64,
    event: bool,
    names: [Option<String>; 2],
    result: Option<String>,
    /// The position that was set up.
    position: Option<String>,
    /// How many plies the opening gave.
    opening: Option<String>,
    /// The first thing that is wrong.
    fault: Option<(u64, String)>,
}

impl<R: Read> Reader<R> {
    /// A reader of players and results.
    pub fn new(input: R) -> Reader<R> {
        Reader {
            input: BufReader::with_capacity(BUFFER, input),
            keep_moves: false,
            bare: false,
            line: 1,
            moves_line: 1,
            place: Place::Tags,
            comment: Comment::None,
            text: Vec::new(),
            pending: false,
            tags: Tags::default(),
            raw_moves: Vec::new(),
            moves: String::new(),
        }
    }

    /// The same, with the moves of every game.
    #[must_use]
    pub fn with_moves(self) -> Reader<R> {
        Reader { keep_moves: true, ..self }
    }

    /// The next game; `None` at the end.
    ///
    /// # Errors
    /// [`PgnError::Bad`] for a game that lacks something, after which the next call goes on behind it.
    pub fn next_game(&mut self) -> Result<Option<Game<'_>>, PgnError> {
        if self.advance()? { self.finish().map(Some) } else { Ok(None) }
    }

    /// Goes to the end of the next game; false if there is none.
    fn advance(&mut self) -> Result<bool, PgnError> {
        self.begin();
        loop {
            let Some(byte) = self.peek()? else { return Ok(self.tags.line > 0) };
            match (self.place, byte) {
                (_, b'\n') => self.end_line(),
                (_, b'%') if self.comment != Comment::Brace => self.skip_line()?,
                (_, b' ' | b'\t' | b'\r') => self.input.consume(1),
                (Place::Moves, b'[') if self.comment == Comment::None => {
                    self.read_tag_line()?;
                    self.pending = is_tag(&self.text);
                    if self.pending {
                        return Ok(true);
                    }
                }
                (Place::Tags, b'[') => {
                    self.read_tag_line()?;
                    self.pending = !self.tags.take(&self.text, self.line - 1);
                    if self.pending {
                        return Ok(true);
                    }
                }
                (Place::Tags, _) if self.tags.line == 0 && self.skip_byte_order_mark()? => {}
                (Place::Tags, _) => self.begin_moves(),
                (Place::Moves, _) => self.moves_line()?,
            }
        }
    }

    /// The moves begin in this line, perhaps before any tag.
    fn begin_moves(&mut self) {
        if self.tags.line == 0 {
            self.tags.line = self.line;
            if !self.bare {
                self.tags.blame(self.line, "this is no PGN: moves or other text stand before the first tag");
            }
        }
        (self.place, self.moves_line) = (Place::Moves, self.line);
    }

    fn begin(&mut self) {
        self.tags = Tags::default();
        (self.place, self.comment) = (Place::Tags, Comment::None);
        self.raw_moves.clear();
        if std::mem::take(&mut self.pending) {
            self.tags.take(&self.text, self.line - 1);
        }
    }

    fn finish(&mut self) -> Result<Game<'_>, PgnError> {
        let outcome = self.tags.outcome().map_err(|(line, what)| PgnError::Bad { line, what })?;
        self.moves.clear();
        if self.keep_moves {
            plain_moves(&String::from_utf8_lossy(&self.raw_moves), &mut self.moves);
        }
        let [first, second] = self.tags.names.each_ref().map(|name| name.as_deref().unwrap_or_default());
        Ok(Game { first, second, outcome, line: self.tags.line, moves: &self.moves })
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        Ok(self.input.fill_buf()?.first().copied())
    }

    fn end_line(&mut self) {
        self.input.consume(1);
        self.count_line();
        if self.comment == Comment::Line {
            self.comment = Comment::None;
        }
    }

    fn skip_line(&mut self) -> io::Result<()> {
        self.input.skip_until(b'\n')?;
        self.count_line();
        Ok(())
    }

    /// A line is over.
    fn count_line(&mut self) {
        self.line += 1;
        if self.keep_moves && self.place == Place::Moves && self.raw_moves.len() < LONGEST_GAME {
            self.raw_moves.push(b'\n');
        }
    }

    /// The three bytes that some editors write at the start of a file.
    fn skip_byte_order_mark(&mut self) -> io::Result<bool> {
        let found = self.line == 1 && self.input.fill_buf()?.starts_with("\u{feff}".as_bytes());
        self.input.consume(if found { 3 } else { 0 });
        Ok(found)
    }

    fn read_tag_line(&mut self) -> Result<(), PgnError> {
        self.text.clear();
        self.input.by_ref().take(LONGEST_TAG).read_until(b'\n', &mut self.text)?;
        if self.text.len() as u64 == LONGEST_TAG && self.text.last() != Some(&b'\n') {
            self.tags.blame(self.line, "a tag is longer than any tag should be");
            self.input.skip_until(b'\n')?;
        }
        self.count_line();
        Ok(())
    }

    /// Goes through moves up to the end of the line, or of what is in memory.
    fn moves_line(&mut self) -> io::Result<()> {
        let buffer = self.input.fill_buf()?;
        let (mut at, mut comment) = (0, self.comment);
        while at < buffer.len() {
            let rest = &buffer[at..];
            let stop = match comment {
                Comment::None => find(rest, |byte| matches!(byte, b'\n' | b'{' | b';')),
                Comment::Brace => find(rest, |byte| matches!(byte, b'\n' | b'}')),
                Comment::Line => find(rest, |byte| byte == b'\n'),
            };
            let length = stop.unwrap_or(rest.len());
            if self.keep_moves && comment == Comment::None && self.raw_moves.len() < LONGEST_GAME {
                self.raw_moves.extend_from_slice(&rest[..length]);
                // A word may go on where what is in memory ends.
                self.raw_moves.extend(stop.map(|_| b' '));
            }
            at += length;
            match stop.map(|stop| rest[stop]) {
                Some(b'{') => comment = Comment::Brace,
                Some(b';') => comment = Comment::Line,
                Some(b'}') => comment = Comment::None,
                _ => break,
            }
            at += 1;
        }
        self.comment = comment;
        self.input.consume(at);
        Ok(())
    }
}

/// The first byte that is wanted. Blocks without one are passed without a branch for each byte.
fn find(bytes: &[u8], wanted: impl Fn(u8) -> bool) -> Option<usize> {
    const BLOCK: usize = 32;
    let mut start = 0;
    for block in bytes.chunks_exact(BLOCK) {
        if block.iter().fold(false, |found, &byte| found | wanted(byte)) {
            break;
        }
        start += BLOCK;
    }
    bytes[start..].iter().position(|&byte| wanted(byte)).map(|at| start + at)
}

/// Whether a line starts with `[Name "`.
fn is_tag(line: &[u8]) -> bool {
    split_tag(line).is_some()
}

/// Name, value and rest of a line that starts with a tag. A value ends at a quote followed by a bracket, so that
/// quotes that nobody escaped do no harm.
fn split_tag(line: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let line = line.strip_prefix(b"[")?.trim_ascii_start();
    let length = line.iter().position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'))?;
    let (name, rest) = line.split_at(length);
    let rest = rest.trim_ascii_start().strip_prefix(b"\"").filter(|_| length > 0)?;
    let mut quotes = rest.iter().enumerate().filter(|(_, byte)| **byte == b'"').map(|(at, _)| at);
    let closes = |at: &usize| rest[at + 1..].trim_ascii_start().first() == Some(&b']');
    let is_escaped = |at: &usize| rest[..*at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1;
    let first = quotes.clone().find(closes)?;
    let end = quotes.find(|at| closes(at) && !is_escaped(at)).unwrap_or(first);
    let behind = rest[end + 1..].trim_ascii_start();
    Some((name, &rest[..end], behind[1..].trim_ascii_start()))
}

impl Tags {
    /// Takes the tags of a line; false when they belong to another game, since this one has them already.
    fn take(&mut self, line: &[u8], number: u64) -> bool {
        if split_tag(line).is_some_and(|(name, _, _)| self.knows(name)) {
            return false;
        }
        if self.line == 0 {
            self.line = number;
        }
        let mut rest = line;
        while rest.first() == Some(&b'[') {
            let Some((name, value, behind)) = split_tag(rest) else {
                self.blame(number, "a tag reads [Name \"value\"]; this one does not");
                break;
            };
            self.set(name, value);
            rest = behind;
        }
        true
    }

    fn knows(&self, name: &[u8]) -> bool {
        match name {
            b"Event" => self.event,
            b"White" => self.names[0].is_some(),
            b"Black" => self.names[1].is_some(),
            b"Result" => self.result.is_some(),
            _ => false,
        }
    }

    fn set(&mut self, name: &[u8], value: &[u8]) {
        match name {
            b"Event" => self.event = true,
            b"White" => self.names[0] = Some(text(value)),
            b"Black" => self.names[1] = Some(text(value)),
            b"Result" => self.result = Some(text(value)),
            b"FEN" => self.position = Some(text(value)),
            b"OpeningPlies" => self.opening = Some(text(value)),
            _ => {}
        }
    }

    fn blame(&mut self, line: u64, what: &str) {
        self.fault.get_or_insert_with(|| (line, what.to_owned()));
    }

    /// The outcome of a game that has all it needs, or what it lacks.
    fn outcome(&self) -> Result<Outcome, (u64, String)> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let at = |what: String| (self.line, what);
        for (name, tag) in self.names.iter().zip(["White", "Black"]) {
            if name.as_ref().is_none_or(|name| name.is_empty() || name == "?") {
                return Err(at(format!("the game that starts here names nobody as {tag}")));
            }
        }
        let [first, second] = self.names.each_ref().map(|name| name.as_deref().unwrap_or_default());
        if first == second {
            return Err(at(format!("{first:?} plays against itself in the game that starts here")));
        }
        match self.result.as_deref() {
            Some("1-0") => Ok(Outcome::Win(Side::First)),
            Some("0-1") => Ok(Outcome::Win(Side::Second)),
            Some("1/2-1/2" | "1/2") => Ok(Outcome::Draw),
            Some("*") => Err(at("the game that starts here has the result \"*\": it was not finished".to_owned())),
            Some(other) => Err(at(format!(
                "the game that starts here has the unknown result {other:?} (known: 1-0, 0-1, 1/2-1/2)"
            ))),
            None => Err(at("the game that starts here has no Result tag".to_owned())),
        }
    }
}

/// A tag's value: UTF-8, or else Latin 1, as the standard has it; `\"` and `\\` stand for quote and backslash.
fn text(value: &[u8]) -> String {
    let text = match std::str::from_utf8(value) {
        Ok(text) => text.to_owned(),
        Err(_) => value.iter().map(|&byte| char::from(byte)).collect(),
    };
    let text = if text.contains('\\') { text.replace("\\\"", "\"").replace("\\\\", "\\") } else { text };
    text.trim().to_owned()
}

/// Moves without numbers, variations, annotations and result.
fn plain_moves(raw: &str, moves: &mut String) {
    main_line(raw, |_, word| {
        if let Some(written) = move_of(word) {
            moves.push_str(if moves.is_empty() { "" } else { " " });
            moves.push_str(written);
        }
    });
}

/// Calls `found` with every word outside of variations, and how many lines below the first it stands.
fn main_line(raw: &str, mut found: impl FnMut(usize, &str)) {
    let mut depth = 0_usize;
    for (below, line) in raw.split('\n').enumerate() {
        for word in line.split_inclusive(['(', ')', ' ']).flat_map(str::split_whitespace) {
            let (open, close) = (word.ends_with('('), word.ends_with(')'));
            let word = word.trim_end_matches(['(', ')']);
            if depth == 0 && !word.is_empty() {
                found(below, word);
            }
            depth = (depth + usize::from(open)).saturating_sub(usize::from(close));
        }
    }
}

/// The move of a word, without its number and what is thought of it; `None` for other words.
fn move_of(word: &str) -> Option<&str> {
    let word = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').trim_end_matches(['!', '?']);
    (word.starts_with(|c: char| c.is_ascii_alphabetic()) || word == "--").then_some(word)
}

#[cfg(test)]
mod tests;
