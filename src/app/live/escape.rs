//! Texts of results in pages.

use gauntlet_games::base::visible;

/// Text in HTML and in attributes.
pub fn escaped(text: &str) -> String {
    let text = visible(text);
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_results_are_no_markup() {
        let reported = escaped("<a href=\"x\" o='y'>&\u{202e}");
        assert_eq!(reported, "&lt;a href=&quot;x&quot; o=&#39;y&#39;&gt;&amp;\\u{202e}");
    }
}
