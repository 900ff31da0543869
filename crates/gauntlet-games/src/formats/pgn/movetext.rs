//! The movetext of a game: moves, and comments between them.

use super::book_moves::BookMoves;
use super::game::LONGEST_GAME;
use super::last_word::LastWord;
use super::results::{stated, stated_behind};
use super::words::plain_moves;
use crate::formats::lines::{find, trim_end};
use crate::formats::stated::StatedResult;

/// More signs than a result has.
const ENOUGH: usize = 64;

/// The part of a game's movetext that was read so far.
#[derive(Debug)]
pub(super) struct Movetext {
    keeps: bool,
    pub(super) comment: Comment,
    /// The line in which the last comment between braces begins.
    pub(super) comment_line: u64,
    /// The line in which the moves begin.
    pub(super) line: u64,
    /// Movetext without comments, with the line ends of the file. Empty unless kept.
    pub(super) raw: Vec<u8>,
    /// The last two bytes of a comment in this line.
    tail: [u8; 2],
    /// Signs outside of comments, counted up to [`ENOUGH`].
    signs: usize,
    /// The last word, which may be the result.
    pub(super) last_word: LastWord,
    /// The result above the last empty line.
    settled: LastWord,
    book: BookMoves,
}

/// The kind of comment that the reader is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comment {
    None,
    Brace,
    Line,
}

/// Whether a word behind the moves is a result, by itself or as the one of the tag: `0-0` may be castling.
fn is_result(word: &str, tag: Option<&str>) -> bool {
    tag == Some(word) || stated_behind(word).is_some()
}

impl Movetext {
    pub(super) fn new() -> Movetext {
        Movetext {
            keeps: false,
            comment: Comment::None,
            comment_line: 1,
            line: 1,
            raw: Vec::new(),
            tail: [0; 2],
            signs: 0,
            last_word: LastWord::default(),
            settled: LastWord::default(),
            book: BookMoves::default(),
        }
    }

    /// The same, keeping the moves.
    pub(super) fn kept(self) -> Movetext {
        Movetext { keeps: true, ..self }
    }

    /// Clears the data of the last game.
    pub(super) fn clear(&mut self) {
        (self.comment, self.signs) = (Comment::None, 0);
        (self.last_word, self.settled) = (LastWord::default(), LastWord::default());
        self.raw.clear();
        self.book.clear();
    }

    /// The moves that came from an opening book, as far as comments say so.
    pub(super) fn book(&self) -> &str {
        self.book.get()
    }

    /// Records that the moves begin in this line. Comments before them say nothing about the book.
    pub(super) fn begin(&mut self, line: u64) {
        self.line = line;
        self.raw.clear();
        self.book.clear();
    }

    /// Takes white space, which ends a word.
    pub(super) fn take_space(&mut self, space: u8) {
        self.last_word.close();
        if self.has_room() {
            self.raw.push(space);
        }
        if self.comment == Comment::None {
            self.book.take(&[space]);
        }
        if space == b'\n' {
            self.tail = [0; 2];
        }
        if space == b'\n' && self.comment == Comment::Line {
            self.comment = Comment::None;
        }
    }

    /// Whether there is more than a result and the numbers of moves.
    pub(super) fn has_moves(&self) -> bool {
        let result = self.end().filter(|(_, word)| stated(word).is_some());
        self.signs > result.map_or(0, |(_, word)| signs(word.as_bytes()))
    }

    /// The last word of the moves, with its line. Below a result and an empty line stand other texts, or the remains of the
    /// next game, unless they end with the result of a game that was played.
    pub(super) fn end(&self) -> Option<(u64, &str)> {
        let last = self.last_word.get();
        let is_outcome =
            |(_, word)| matches!(stated_behind(word), Some(stated) if !matches!(stated, StatedResult::LeftOut(_)));
        if last.is_some_and(is_outcome) { last } else { self.settled.get().or(last) }
    }

    /// Records an empty line.
    pub(super) fn settle(&mut self, tag: Option<&str>) {
        if self.comment == Comment::None && self.last_word.get().is_some_and(|(_, word)| is_result(word, tag)) {
            self.settled = self.last_word;
        }
    }

    /// Whether the last word is no result.
    pub(super) fn breaks_off(&self, tag: Option<&str>) -> bool {
        self.last_word.is_taken() && !self.has_result(tag)
    }

    /// Whether the last word is a result.
    pub(super) fn has_result(&self, tag: Option<&str>) -> bool {
        self.end().is_some_and(|(_, word)| is_result(word, tag))
    }

    /// Whether the line ends within a comment and with a tag.
    pub(super) fn ends_with_tag(&self) -> bool {
        self.comment == Comment::Brace && &self.tail == b"\"]"
    }

    fn has_room(&self) -> bool {
        self.keeps && self.raw.len() < LONGEST_GAME
    }

    /// Takes the buffered bytes up to the end of their line, or up to a bracket that may begin a tag. A bracket at
    /// the start does not begin a tag. Returns the number of bytes taken.
    pub(super) fn take(&mut self, bytes: &[u8], line: u64) -> usize {
        let (keeps, mut at, mut last) = (self.has_room(), 0, None);
        if self.comment == Comment::None && bytes.first() == Some(&b'[') {
            // A bracket ends the word before it, wherever the buffer ends.
            self.last_word.close();
            self.raw.extend(keeps.then_some(b' '));
        }
        while at < bytes.len() {
            let rest = &bytes[at..];
            let from = usize::from(at == 0 && self.comment == Comment::None && rest[0] == b'[');
            let stop = self.comment.stop(&rest[from..]).map(|stop| from + stop);
            let length = stop.unwrap_or(rest.len());
            match self.comment {
                Comment::None => self.book.take(&rest[..length]),
                Comment::Brace => {
                    let text = rest[..length].trim_ascii_end();
                    text.iter().rev().take(2).rev().for_each(|&byte| self.tail = [self.tail[1], byte]);
                    self.book.take_comment(&rest[..length]);
                }
                Comment::Line => self.book.end(),
            }
            if self.comment == Comment::None {
                let text = trim_end(&rest[..length]);
                last = if text.is_empty() { last } else { Some((at, text)) };
                if self.signs < ENOUGH {
                    self.signs += signs(text);
                }
                if keeps {
                    self.raw.extend_from_slice(&rest[..length]);
                    // A word may continue at the end of the buffer.
                    self.raw.extend(stop.map(|_| b' '));
                }
            }
            at += length;
            match stop.map(|stop| rest[stop]) {
                Some(b'{') => (self.comment, self.comment_line) = (Comment::Brace, line),
                Some(b';') => self.comment = Comment::Line,
                Some(b'}') => {
                    self.comment = Comment::None;
                    self.book.close_comment();
                }
                _ => break,
            }
            at += 1;
        }
        if let Some((start, text)) = last {
            self.last_word.take(text, start == 0, start + text.len() == bytes.len(), line);
        }
        at
    }

    /// Adds the plain moves to a text.
    ///
    /// # Errors
    /// For the first word that is not part of a game, with its line. `first` is the line of the game.
    pub(super) fn plain(&self, first: u64, moves: &mut String) -> Result<(), (u64, String)> {
        if self.raw.len() >= LONGEST_GAME {
            return Err((first, format!("the moves of this game are more than {LONGEST_GAME} bytes")));
        }
        let read = plain_moves(&String::from_utf8_lossy(&self.raw), moves);
        read.map_err(|(below, what)| (self.line + below as u64, what))
    }
}

/// The number of bytes that are no parts of the number of a move.
fn signs(text: &[u8]) -> usize {
    text.iter().filter(|byte| !(byte.is_ascii_digit() || byte.is_ascii_whitespace() || **byte == b'.')).count()
}

impl Comment {
    /// The position where moves or a comment between them may end.
    fn stop(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Comment::None => find(bytes, |byte| matches!(byte, b'\n' | b'{' | b';' | b'[')),
            Comment::Brace => find(bytes, |byte| matches!(byte, b'\n' | b'}')),
            Comment::Line => find(bytes, |byte| byte == b'\n'),
        }
    }
}
