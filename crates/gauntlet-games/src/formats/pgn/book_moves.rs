//! The moves at the start of a game that came from an opening book: fastchess and cutechess write the comment `book`
//! behind each.

/// The word with which the comment of a book move begins.
const BOOK: &[u8] = b"book";
/// Maximum length in bytes of the text before the comment of a book move.
const LONGEST: usize = 128;

/// The book moves of a game so far.
#[derive(Debug, Default)]
pub(super) struct BookMoves {
    /// The moves, separated by single spaces.
    moves: String,
    /// The text behind the last book move.
    pending: Vec<u8>,
    /// The start of the current comment.
    comment: Vec<u8>,
    /// Whether a move without the comment was read.
    is_over: bool,
}

impl BookMoves {
    /// Clears the moves of the last game.
    pub(super) fn clear(&mut self) {
        self.moves.clear();
        self.pending.clear();
        self.comment.clear();
        self.is_over = false;
    }

    /// The moves.
    pub(super) fn get(&self) -> &str {
        &self.moves
    }

    /// Takes text outside of comments.
    pub(super) fn take(&mut self, text: &[u8]) {
        if self.is_over {
            return;
        }
        match self.pending.len() + text.len() > LONGEST {
            true => self.end(),
            false => self.pending.extend_from_slice(text),
        }
    }

    /// Takes text of a comment.
    pub(super) fn take_comment(&mut self, text: &[u8]) {
        if self.is_over {
            return;
        }
        let text = if self.comment.is_empty() { text.trim_ascii_start() } else { text };
        let room = BOOK.len() - self.comment.len();
        self.comment.extend_from_slice(&text[..text.len().min(room)]);
    }

    /// Ends a comment, and the book moves unless it is that of one.
    pub(super) fn close_comment(&mut self) {
        if self.is_over {
            return;
        }
        if !self.comment.eq_ignore_ascii_case(BOOK) {
            return self.end();
        }
        for word in String::from_utf8_lossy(&self.pending).split_ascii_whitespace() {
            self.moves.extend((!self.moves.is_empty()).then_some(' '));
            self.moves.push_str(word);
        }
        self.pending.clear();
        self.comment.clear();
    }

    /// Ends the book moves.
    pub(super) fn end(&mut self) {
        self.is_over = true;
    }
}
