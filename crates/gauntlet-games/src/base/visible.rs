//! Escaping of external text for display: characters that a terminal or page would interpret or hide are escaped or
//! removed.

/// Whether a terminal or page interprets or hides a character: controls, text directions and zero-width characters.
#[must_use]
pub fn is_obeyed(c: char) -> bool {
    let direction = matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}');
    // The last two are noncharacters and make XML invalid.
    c.is_control() || direction || matches!(c, '\u{61c}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Escapes every character that a terminal would interpret or hide.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_obeyed(c) { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    shown
}

/// Escapes these characters, except for those that separate lines and words.
#[must_use]
pub fn visible_lines(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_obeyed(c) && !matches!(c, '\n' | '\r' | '\t') { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_obeyed_is_written_out() {
        assert_eq!(visible("a\u{1b}[2J\u{202e}b\n"), "a\\u{1b}[2J\\u{202e}b\\u{a}");
        assert_eq!(visible_lines("a\u{7}\n\tb\0"), "a\\u{7}\n\tb\\u{0}");
        assert_eq!(visible("ä ≤ x"), "ä ≤ x");
    }
}
