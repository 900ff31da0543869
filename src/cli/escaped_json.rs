//! JSON for terminals: characters that a terminal would obey are escaped.

use std::io::{Result, Write};

use gauntlet_games::base::is_obeyed;

/// JSON as the same values, with escapes. Each text is written at once, or in parts between its escapes.
pub struct EscapedJson<W>(pub W);

impl<W: Write> Write for EscapedJson<W> {
    fn write(&mut self, part: &[u8]) -> Result<usize> {
        let is_plain = |c: char| c == '\n' || !is_obeyed(c);
        let mut units = [0; 2];
        for c in String::from_utf8_lossy(part).chars() {
            match is_plain(c) {
                true => write!(self.0, "{c}")?,
                false => c.encode_utf16(&mut units).iter().try_for_each(|unit| write!(self.0, "\\u{unit:04x}"))?,
            }
        }
        Ok(part.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_leave_the_values() {
        let value = serde_json::json!({ "a\u{202e}": ["b\u{9b}2J\u{1b}", "ä\n\u{1f600}\u{feff}", 3] });
        let mut bytes = Vec::new();
        serde_json::to_writer_pretty(EscapedJson(&mut bytes), &value).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains(|c: char| is_obeyed(c) && c != '\n'), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
