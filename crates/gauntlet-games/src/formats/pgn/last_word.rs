//! The last word of the moves, which holds the result of a game; it is kept even if the moves are not.

use crate::formats::lines::separator;

/// Maximum length of a result in bytes.
const MOST: usize = 16;

/// The last word outside of comments.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LastWord {
    bytes: [u8; MOST],
    /// Its length, which may exceed the kept bytes.
    length: usize,
    line: u64,
    /// Whether the next bytes may belong to it: it ended at the end of the buffer.
    is_open: bool,
}

impl LastWord {
    /// Takes the text between two comments, without trailing white space. `begins` says that it starts at the start
    /// of the buffer, `is_open` that it ends at the end of the buffer.
    pub(super) fn take(&mut self, text: &[u8], begins: bool, is_open: bool, line: u64) {
        let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'(' | b')');
        let start = text.iter().rposition(ends).map_or(0, |at| at + 1);
        let start = start + behind_separators(&text[start..]);
        if !(self.is_open && begins && start == 0) {
            (self.length, self.line) = (0, line);
        }
        let word = &text[start..];
        let kept = word.len().min(MOST.saturating_sub(self.length));
        if kept > 0 {
            self.bytes[self.length..self.length + kept].copy_from_slice(&word[..kept]);
        }
        self.length += word.len();
        self.is_open = is_open;
    }

    /// Ends the word at white space or a comment.
    pub(super) fn close(&mut self) {
        self.is_open = false;
    }

    /// Whether any word was taken.
    pub(super) fn is_taken(&self) -> bool {
        self.line > 0
    }

    /// The word and its line.
    pub(super) fn get(&self) -> Option<(u64, &str)> {
        let bytes = self.bytes.get(..self.length).filter(|bytes| !bytes.is_empty())?;
        Some((self.line, std::str::from_utf8(bytes).ok()?))
    }
}

/// The place in a word behind its last line separator.
fn behind_separators(word: &[u8]) -> usize {
    let is_behind = |at: &usize| separator(&word[*at..]) > 0;
    let last = if word.is_ascii() { None } else { (0..word.len()).rev().find(is_behind) };
    last.map_or(0, |at| at + separator(&word[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_may_be_cut_where_memory_ends() {
        let mut last = LastWord::default();
        last.take(b"1. e4 e5 1/2", true, true, 7);
        last.take(b"-1/2", true, true, 7);
        assert_eq!(last.get(), Some((7, "1/2-1/2")));
        last.close();
        last.take(b"0-1", true, false, 8);
        assert_eq!(last.get(), Some((8, "0-1")));
        last.take(b"(2. d4 1-0)", true, false, 9);
        assert_eq!(last.get(), None, "a result in a variation");
        last.take(&[b'x'; 40], true, true, 9);
        last.take(b"x", true, false, 9);
        assert_eq!(last.get(), None);
    }
}
