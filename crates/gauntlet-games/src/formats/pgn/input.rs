//! The buffered bytes of a file: one read of the system, or more if a whole line is needed.

use std::fmt;
use std::io::{self, ErrorKind, Read};

use crate::formats::lines::{LineEnds, find};

/// Maximum number of buffered bytes, independent of the size of the file.
const BUFFER: usize = 1 << 18;

/// A stream of bytes in which LF ends every line.
pub(super) struct Input<R> {
    source: LineEnds<R>,
    buffer: Vec<u8>,
    /// The start of the bytes that are not consumed yet.
    start: usize,
    end: usize,
}

impl<R> fmt::Debug for Input<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input").finish_non_exhaustive()
    }
}

impl<R: Read> Input<R> {
    pub(super) fn new(source: R) -> Input<R> {
        Input { source: LineEnds::new(source), buffer: vec![0; BUFFER], start: 0, end: 0 }
    }

    /// The buffered bytes, read if there are none; empty only at the end.
    pub(super) fn fill(&mut self) -> io::Result<&[u8]> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
            self.more()?;
        }
        Ok(&self.buffer[self.start..self.end])
    }

    /// The next byte; `None` at the end.
    pub(super) fn peek(&mut self) -> io::Result<Option<u8>> {
        Ok(self.fill()?.first().copied())
    }

    /// Consumes this many of the buffered bytes.
    pub(super) fn consume(&mut self, count: usize) {
        self.start += count;
    }

    /// The rest of the line, without its end; truncated to `most` bytes.
    pub(super) fn line(&mut self, most: usize) -> io::Result<&[u8]> {
        let mut searched = 0;
        let length = loop {
            let known = (self.end - self.start).min(most);
            let new = &self.buffer[self.start + searched..self.start + known];
            if let Some(length) = find(new, |byte| byte == b'\n') {
                break searched + length;
            }
            if known == most || !self.more()? {
                break known;
            }
            searched = known;
        };
        Ok(&self.buffer[self.start..self.start + length])
    }

    /// Skips the rest of the line, including its end.
    pub(super) fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let bytes = self.fill()?;
            let end = find(bytes, |byte| byte == b'\n');
            let (count, is_over) = (end.map_or(bytes.len(), |at| at + 1), end.is_some() || bytes.is_empty());
            self.consume(count);
            if is_over {
                return Ok(());
            }
        }
    }

    /// Reads more bytes into the buffer; false at the end.
    fn more(&mut self) -> io::Result<bool> {
        if self.end == self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => {
                    let count = read?;
                    self.end += count;
                    return Ok(count > 0);
                }
            }
        }
    }
}
