//! The streaming reader: one game at a time, for files of any size.

use std::io::{self, Read};

use super::game::{PgnError, PgnGame};
use super::input::Input;
use super::movetext::{Comment, Movetext};
use super::pair_tags::PairTags;
use super::tags::{Tag, Tags, torn_tag};
use super::variant;
use crate::formats::lines::separator;
use crate::formats::stated::StatedResult;

/// Most places of a torn tag at which another one is sought.
const MOST_TRIED: usize = 16;
/// Maximum length of a tag in bytes.
const LONGEST_TAG: usize = 1 << 16;

/// White space that old programs write between games and at the end of files.
const VERTICAL_TAB: u8 = 0x0b;
const FORM_FEED: u8 = 0x0c;
const END_OF_FILE: u8 = 0x1a;
/// The bytes that a file has where its writer lost its power.
const NUL: u8 = 0;
/// The first byte of a byte order mark.
const MARK: u8 = 0xef;

/// Reads games from a stream.
#[derive(Debug)]
pub struct PgnReader<R> {
    input: Input<R>,
    keep_moves: bool,
    /// Whether games may come without tags.
    bare: bool,
    /// The line to read next, from 1.
    line: u64,
    section: Section,
    /// Whether the previous line was empty, and whether this one is empty so far.
    after_empty: bool,
    is_empty: bool,
    /// Whether this line begins with a bracket, and whether the previous one is of a comment and ends with a tag that
    /// begins within it: a writer was killed there, and the next one went on in the same line.
    is_bracket: bool,
    after_torn: bool,
    pub(super) tags: Tags,
    pub(super) text: Movetext,
    moves: String,
    /// The tags that ended this game and the one before it, as each came twice without moves between.
    repeated: [Option<String>; 2],
}

/// The fault of text without tags.
const TEXT_WITHOUT_TAGS: &str = "this is not PGN: there is text before the first tag. Other known files are CSV whose first \
                                 line names the columns, JSON, records, and logs of match runners";

/// The part of a game that the reader is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Tags,
    Moves,
}

impl<R: Read> PgnReader<R> {
    /// A reader of players and results.
    pub fn new(input: R) -> PgnReader<R> {
        PgnReader {
            input: Input::new(input),
            keep_moves: false,
            bare: false,
            line: 1,
            section: Section::Tags,
            after_empty: false,
            is_empty: true,
            is_bracket: false,
            after_torn: false,
            tags: Tags::default(),
            text: Movetext::new(),
            moves: String::new(),
            repeated: [None, None],
        }
    }

    /// The same reader, with the moves of every game.
    #[must_use]
    pub fn with_moves(self) -> PgnReader<R> {
        PgnReader { keep_moves: true, text: self.text.kept(), ..self }
    }

    /// The same reader, for games that may have no tags.
    pub(super) fn bare(self) -> PgnReader<R> {
        PgnReader { bare: true, ..self }
    }

    /// The next game; `None` at the end.
    ///
    /// # Errors
    /// [`PgnError::Bad`] for a game that lacks something; the next call continues after it.
    pub fn next_game(&mut self) -> Result<Option<PgnGame<'_>>, PgnError> {
        if self.advance()? { self.finish().map(Some) } else { Ok(None) }
    }

    /// Advances to the end of the next game; false if there is none.
    pub(super) fn advance(&mut self) -> Result<bool, PgnError> {
        self.tags = Tags::default();
        self.text.clear();
        self.section = Section::Tags;
        self.repeated = [None, self.repeated[0].take()];
        loop {
            let Some(byte) = self.input.peek()? else {
                if self.text.comment == Comment::Brace {
                    self.tags.line = self.tags.line.max(1);
                    self.tags.blame(self.text.comment_line, "a comment is never closed: a `}` is missing");
                }
                self.blame_text_without_tags();
                return Ok(self.tags.line > 0);
            };
            match (self.section, byte) {
                (_, b'\n') => {
                    self.input.consume(1);
                    self.count_line();
                }
                (_, b'%') if self.is_empty && self.text.comment != Comment::Brace => self.skip_line()?,
                (_, b' ' | b'\t' | b'\r' | VERTICAL_TAB | FORM_FEED | END_OF_FILE) => self.skip_space(),
                (_, NUL) if self.is_empty => self.skip_space(),
                (_, MARK) if self.is_empty && self.skip_byte_order_mark()? => {}
                (Section::Tags, b'[') => {
                    if !self.take_tag()? {
                        return Ok(true);
                    }
                }
                (Section::Moves, b'[') if self.goes_on_with_tags()? => self.section = Section::Tags,
                (Section::Moves, b'[') if self.begins_game()? => {
                    // A comment behind the result belongs to the next game, or takes nothing away.
                    if self.text.comment == Comment::Brace && !self.text.has_result(self.tags.result.as_deref()) {
                        let what = "a comment continues into the tags of the next game: a `}` is missing";
                        self.tags.blame(self.text.comment_line, what);
                    }
                    self.blame_text_without_tags();
                    return Ok(true);
                }
                (Section::Tags, 0x80..) if self.skip_separator()? => {}
                (Section::Tags, b'{' | b';') if self.tags.line == 0 && !self.bare => {
                    self.section = Section::Moves;
                    self.text.begin(self.line);
                }
                (Section::Tags, _) => self.begin_moves(),
                (Section::Moves, _) => self.take_moves()?,
            }
        }
    }

    /// Takes the tag that begins here; false if this game has it already, so that it belongs to the next game.
    fn take_tag(&mut self) -> Result<bool, PgnError> {
        let text = self.input.line(LONGEST_TAG)?;
        let Some(tag) = Tag::read(text) else { return Ok(self.blame_tag()?) };
        if self.tags.knows(&tag) {
            // After an empty line the tags are those of another game, as they are in a file without moves.
            self.repeated[0] = (!self.after_empty).then(|| String::from_utf8_lossy(tag.name).into_owned());
            return Ok(false);
        }
        self.tags.set(&tag, self.line);
        let length = tag.length;
        self.input.consume(length);
        self.begin_tags();
        Ok(true)
    }

    /// Records the fault of the tag that begins here; false if it ends the game. It does so before another tag in its line,
    /// where the next writer went on, and as the first tag: then nothing else of the game is known.
    fn blame_tag(&mut self) -> io::Result<bool> {
        let is_first = self.tags.line == 0;
        self.begin_tags();
        let text = self.input.line(LONGEST_TAG)?;
        let what = match text.len() == LONGEST_TAG {
            true => "a tag is too long",
            false => "a tag reads [Name \"value\"]; this one does not",
        };
        self.tags.blame(self.line, what);
        let brackets = text.iter().enumerate().skip(1).filter(|(_, byte)| **byte == b'[').take(MOST_TRIED);
        if let Some(at) = brackets.map(|(at, _)| at).find(|&at| Tag::read(&text[at..]).is_some()) {
            self.input.consume(at);
            return Ok(false);
        }
        self.skip_line()?;
        Ok(!is_first)
    }

    /// Records a tag in this line.
    fn begin_tags(&mut self) {
        self.is_empty = false;
        if self.tags.line == 0 {
            self.tags.line = self.line;
        }
    }

    /// Whether tags of this game follow a comment between tags: the game has no moves yet.
    fn goes_on_with_tags(&mut self) -> io::Result<bool> {
        let has_moves = self.text.comment != Comment::None || self.text.last_word.is_taken();
        if has_moves || self.tags.fault.is_some() {
            return Ok(false);
        }
        Ok(Tag::read(self.input.line(LONGEST_TAG)?).is_some_and(|tag| !self.tags.knows(&tag)))
    }

    /// Whether the tags of another game begin here. Within a comment they begin at the start of a line: with `Event`, after
    /// an empty line, or below a tag that begins within a line. Then the comment was never closed.
    fn begins_game(&mut self) -> io::Result<bool> {
        let (comment, is_behind) = (self.text.comment, self.after_empty || self.after_torn);
        if comment == Comment::Line || comment == Comment::Brace && !self.is_empty {
            return Ok(false);
        }
        let text = self.input.line(LONGEST_TAG)?;
        let tag = Tag::read(text).map(|tag| tag.name);
        let tag = tag.or_else(|| torn_tag(text));
        Ok(tag.is_some_and(|name| comment == Comment::None || is_behind || name == b"Event"))
    }

    /// Records that the moves begin in this line, possibly before any tag.
    fn begin_moves(&mut self) {
        if self.tags.line == 0 {
            self.tags.line = self.line;
            if !self.bare {
                self.tags.blame(self.line, TEXT_WITHOUT_TAGS);
            }
        }
        self.section = Section::Moves;
        self.text.begin(self.line);
    }

    /// Records the fault of moves that follow a comment before the first tag.
    fn blame_text_without_tags(&mut self) {
        if self.tags.line == 0 && self.text.last_word.is_taken() {
            self.tags.line = self.text.line;
            self.tags.blame(self.text.line, TEXT_WITHOUT_TAGS);
        }
    }

    /// Reads moves up to the end of the line or of the buffer, or up to a bracket that may begin a tag.
    fn take_moves(&mut self) -> io::Result<()> {
        if self.is_empty {
            self.is_bracket = self.input.peek()? == Some(b'[');
        }
        self.is_empty = false;
        let count = self.text.take(self.input.fill()?, self.line);
        self.input.consume(count);
        Ok(())
    }

    fn finish(&mut self) -> Result<PgnGame<'_>, PgnError> {
        let bad = |(line, what)| PgnError::Bad { line, what };
        if let Some((line, word)) = self.text.end()
            && let Some(what) = self.tags.conflict(word)
        {
            self.tags.blame(line, &what);
        }
        let stated = self.tags.stated(self.text.has_moves()).map_err(|fault| bad(self.of_tags(fault)))?;
        let outcome = match stated {
            StatedResult::Played(outcome) | StatedResult::Unplayed(outcome) => outcome,
            StatedResult::LeftOut(reason) => return Err(PgnError::LeftOut { line: self.tags.line, reason }),
        };
        self.moves.clear();
        if self.keep_moves {
            self.text.plain(self.tags.line, &mut self.moves).map_err(bad)?;
        }
        let [first, second] = self.tags.names.each_ref().map(|name| name.as_deref().unwrap_or_default());
        let pair = PairTags::new(&self.tags, self.text.book());
        let start = self.tags.position.as_ref().map_or("", |(_, text)| text);
        let (is_unplayed, kind) = (matches!(stated, StatedResult::Unplayed(_)), variant::kind(&self.tags));
        Ok(PgnGame { first, second, outcome, is_unplayed, pair, line: self.tags.line, start, kind, moves: &self.moves })
    }

    /// Whether the moves of the last game end without a result behind them, as in a torn file.
    // No part of a game, so that books of openings, and jobs that read them, do without it.
    #[must_use]
    pub fn breaks_off(&self) -> bool {
        self.text.breaks_off(self.tags.result.as_deref())
    }

    /// The fault of a game that is not complete; a tag that came twice is the reason.
    fn of_tags(&self, (line, what): (u64, String)) -> (u64, String) {
        match self.repeated.iter().flatten().next().filter(|_| self.tags.fault.is_none()) {
            Some(name) => (line, format!("{what}; the tag {name} comes twice, so that a game ends before it")),
            None => (line, what),
        }
    }

    fn skip_space(&mut self) {
        self.input.consume(1);
        if self.section == Section::Moves {
            self.text.take_space(b' ');
        }
    }

    fn skip_line(&mut self) -> io::Result<()> {
        self.is_empty = false;
        self.input.skip_line()?;
        self.count_line();
        Ok(())
    }

    /// Counts a completed line.
    fn count_line(&mut self) {
        self.line += 1;
        if self.is_empty && self.section == Section::Moves {
            self.text.settle(self.tags.result.as_deref());
        }
        (self.after_empty, self.is_empty) = (self.is_empty, true);
        self.after_torn = self.text.ends_with_tag() && !self.is_bracket;
        if self.section == Section::Moves {
            self.text.take_space(b'\n');
        }
    }

    /// Skips a line separator of Unicode.
    fn skip_separator(&mut self) -> io::Result<bool> {
        let length = separator(self.input.line("\u{2028}".len())?);
        self.input.consume(length);
        Ok(length > 0)
    }

    /// Skips the three bytes that some editors write at the start of a file, which may be one of several joined ones.
    fn skip_byte_order_mark(&mut self) -> io::Result<bool> {
        let mark = "\u{feff}".as_bytes();
        let found = self.input.line(mark.len())? == mark;
        self.input.consume(if found { mark.len() } else { 0 });
        Ok(found)
    }
}
