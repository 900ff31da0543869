//! Line ends: LF, CR LF, and a lone CR, as some old programs and servers write it.

use std::io::{self, Read};

/// A byte stream with each lone CR replaced by LF, so that LF ends every line; CR LF stays.
#[derive(Debug)]
pub(super) struct LineEnds<R> {
    source: R,
    /// Whether the last byte was a CR that was returned as LF. A LF after it does not end another line.
    after_cr: bool,
}

impl<R> LineEnds<R> {
    pub(super) fn new(source: R) -> LineEnds<R> {
        LineEnds { source, after_cr: false }
    }
}

impl<R: Read> Read for LineEnds<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut length = self.source.read(buffer)?;
            if length == 0 {
                return Ok(0);
            }
            if std::mem::take(&mut self.after_cr) && buffer[0] == b'\n' {
                buffer.copy_within(1..length, 0);
                length -= 1;
            }
            self.after_cr = replace_lone(&mut buffer[..length]);
            if length > 0 {
                return Ok(length);
            }
        }
    }
}

/// Replaces every lone CR by LF. Returns whether the last byte was a CR, which may belong to a CR LF.
fn replace_lone(bytes: &mut [u8]) -> bool {
    let mut at = 0;
    while let Some(found) = find(&bytes[at..], |byte| byte == b'\r') {
        at += found + 1;
        match bytes.get(at) {
            Some(b'\n') => {}
            behind => {
                let is_last = behind.is_none();
                bytes[at - 1] = b'\n';
                if is_last {
                    return true;
                }
            }
        }
    }
    false
}

/// The lines of a text without their line ends.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (line, behind) = match rest.find(['\n', '\r']) {
            Some(end) => (&rest[..end], &rest[end..]),
            None if rest.is_empty() => return None,
            None => (rest, ""),
        };
        rest = behind.strip_prefix("\r\n").unwrap_or(behind.get(1..).unwrap_or_default());
        Some(line)
    })
}

/// The line separators of Unicode, which are white space where nothing else has a meaning: NEL, LS and PS.
const SEPARATORS: [&str; 3] = ["\u{85}", "\u{2028}", "\u{2029}"];

/// The length of the separator with which a text begins; 0 without one.
pub(super) fn separator(text: &[u8]) -> usize {
    SEPARATORS.iter().find(|mark| text.starts_with(mark.as_bytes())).map_or(0, |mark| mark.len())
}

/// A text without the white space and the separators at its end.
pub(super) fn trim_end(text: &[u8]) -> &[u8] {
    let mut text = text.trim_ascii_end();
    while let Some(rest) = SEPARATORS.iter().find_map(|mark| text.strip_suffix(mark.as_bytes())) {
        text = rest.trim_ascii_end();
    }
    text
}

/// The number of LF in a text.
pub(super) fn line_feeds(text: &[u8]) -> u64 {
    text.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// Most places of a torn line that are tried.
const MOST_TRIED: usize = 64;

/// The ends of a line that may be an object of JSON: when a writer was killed within a line, the next line may begin
/// there.
pub(super) fn objects_within(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let begins = move |at: &usize| line[*at..].starts_with(b"{\"");
    (1..line.len()).filter(begins).take(MOST_TRIED).map(move |at| &line[at..])
}

/// The index of the first wanted byte. Blocks without one are skipped without a branch for each byte.
pub(super) fn find(bytes: &[u8], wanted: impl Fn(u8) -> bool) -> Option<usize> {
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A reader that returns at most this many bytes at a time.
    struct Drops<'a>(&'a [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.0.len().min(buffer.len()).min(self.1);
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    #[test]
    fn every_kind_of_line_end_ends_one_line() {
        let found: Vec<&str> = lines("a\nb\r\nc\rd\n\re\r\r\nf").collect();
        assert_eq!(found, ["a", "b", "c", "d", "", "e", "", "f"]);
        assert_eq!(lines("\r").collect::<Vec<_>>(), [""]);
        assert_eq!(lines("").count(), 0);
    }

    proptest! {
        #[test]
        fn bytes_and_text_have_the_same_lines(text in "[a\r\n]{0,40}", size in 1..7_usize) {
            let mut read = String::new();
            LineEnds::new(Drops(text.as_bytes(), size)).read_to_string(&mut read).unwrap();
            let wanted: Vec<&str> = lines(&text).collect();
            prop_assert_eq!(read.lines().collect::<Vec<_>>(), wanted, "{:?}", read);
        }
    }
}
