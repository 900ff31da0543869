//! PGN: the games of a tournament, streamed one by one from a file of any size (Edwards, "Standard: Portable Game
//! Notation Specification and Implementation Guide", 1994, the import format).
//!
//! Of every game only the players and the result are kept, and the moves as written where asked for. The streaming
//! [`Reader`] plays no move: any game in the shape of PGN will do. Text between braces, behind `;`, and lines that start
//! with `%` are comments, so that a tag inside of one is none. [`read`] and [`write()`] are for games that this program
//! plays, in each game's own notation.

mod read;
mod tags;
mod words;
mod write;

use std::io::{self, BufRead, BufReader, Read};

use crate::base::Outcome;
pub use read::read;
pub use tags::PairTags;
use tags::{Tags, is_tag};
use words::{main_line, move_of, plain_moves};
pub use write::{write, write_game};

/// Bytes asked of the system at a time; memory does not depend on the size of the file.
const BUFFER: usize = 1 << 18;
/// A line of tags longer than this is refused.
const LONGEST_TAG: u64 = 1 << 16;
/// Moves of one game beyond this many bytes are refused.
const LONGEST_GAME: usize = 1 << 20;

/// One game.
#[derive(Debug, Clone, PartialEq)]
pub struct PgnGame<'a> {
    /// Name of the player who moves first (White).
    pub first: &'a str,
    /// Name of the player who moves second (Black).
    pub second: &'a str,
    /// How it ended, by its tag.
    pub outcome: Outcome,
    /// What it has in common with the other game of its pair, and whether it is the first or the second: 1 or 2. `None`
    /// where its round is no number of a pair with that of a game behind it (`12.2`).
    pub pair: Option<(PairTags, u8)>,
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
    /// The line in which the last comment between braces begins.
    comment_line: u64,
    /// Whether the line before this one was empty, and whether this one is so far.
    after_empty: bool,
    is_empty: bool,
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
            comment_line: 1,
            after_empty: false,
            is_empty: true,
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
    pub fn next_game(&mut self) -> Result<Option<PgnGame<'_>>, PgnError> {
        if self.advance()? { self.finish().map(Some) } else { Ok(None) }
    }

    /// Goes to the end of the next game; false if there is none.
    fn advance(&mut self) -> Result<bool, PgnError> {
        self.begin();
        loop {
            let Some(byte) = self.peek()? else {
                if self.comment == Comment::Brace {
                    self.tags.blame(self.comment_line, "a comment is never closed: a `}` is missing");
                }
                return Ok(self.tags.line > 0);
            };
            match (self.place, byte) {
                (_, b'\n') => self.end_line(),
                (_, b'%') if self.comment != Comment::Brace => self.skip_line()?,
                (_, b' ' | b'\t' | b'\r') => self.input.consume(1),
                (Place::Moves, b'[') if self.comment == Comment::None || self.begins_game()? => {
                    self.read_tag_line()?;
                    self.pending = is_tag(&self.text);
                    if self.pending {
                        if self.comment == Comment::Brace {
                            let what = "a comment goes on into the tags of the next game: a `}` is missing";
                            self.tags.blame(self.comment_line, what);
                        }
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

    /// Whether tags begin here, under an empty line, as those of another game do.
    fn begins_game(&mut self) -> io::Result<bool> {
        if !(self.is_empty && self.after_empty) {
            return Ok(false);
        }
        let line = self.input.fill_buf()?.split(|&byte| byte == b'\n').next();
        Ok(line.is_some_and(is_tag))
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

    fn finish(&mut self) -> Result<PgnGame<'_>, PgnError> {
        let outcome = self.tags.outcome().map_err(|(line, what)| PgnError::Bad { line, what })?;
        self.moves.clear();
        if self.keep_moves {
            plain_moves(&String::from_utf8_lossy(&self.raw_moves), &mut self.moves);
        }
        let [first, second] = self.tags.names.each_ref().map(|name| name.as_deref().unwrap_or_default());
        let pair = self.tags.pair();
        Ok(PgnGame { first, second, outcome, pair, line: self.tags.line, moves: &self.moves })
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
        self.is_empty = false;
        self.input.skip_until(b'\n')?;
        self.count_line();
        Ok(())
    }

    /// A line is over.
    fn count_line(&mut self) {
        self.line += 1;
        (self.after_empty, self.is_empty) = (self.is_empty, true);
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
        self.is_empty = false;
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
        self.is_empty = false;
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
                Some(b'{') => (comment, self.comment_line) = (Comment::Brace, self.line),
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

#[cfg(test)]
mod tests;
