//! The scripts of pages. Pages hold them whole and name their hashes in the content security policy, so that a browser
//! runs these scripts and no others.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use gauntlet_games::base::is_obeyed;
use minijinja::{Value, context};
use sha2::{Digest, Sha256};

/// What a page does when one touches it.
const PAGE: &str = include_str!("page.js");
/// The style of what the script adds.
const STYLE: &str = include_str!("touch.css");
/// uPlot (<https://github.com/leeoniya/uPlot>), which draws lines: its code, its style and its licence.
const CHARTS: [&str; 3] =
    [include_str!("uplot/uPlot.iife.min.js"), include_str!("uplot/uPlot.min.css"), include_str!("uplot/LICENSE")];

/// The scripts of a page and their style, for the template of all pages; `charts` adds uPlot.
pub(super) fn scripts(charts: bool) -> Value {
    let [code, style, licence] = CHARTS;
    let library = charts.then(|| format!("/*\n{}\n*/\n{code}", licence.trim()));
    let texts: Vec<String> = library.into_iter().chain([PAGE.to_owned()]).collect();
    let hashes: Vec<String> = texts.iter().map(|text| hash(text)).collect();
    let style = if charts { [style, "\n", STYLE].concat() } else { STYLE.to_owned() };
    context! {
        texts => texts.into_iter().map(Value::from_safe_string).collect::<Vec<_>>(),
        sources => Value::from_safe_string(hashes.join(" ")),
        style => Value::from_safe_string(style),
    }
}

/// The source of a script in a content security policy.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text.as_bytes())))
}

/// JSON for an element of HTML. Hidden characters are escaped, so that a page has none to make visible. All escapes have
/// four digits.
pub(super) fn json(value: &serde_json::Value) -> Value {
    let escaped = |c: char| match matches!(c, '<' | '>' | '&') || is_obeyed(c) {
        true => format!("\\u{:04x}", u32::from(c)),
        false => c.to_string(),
    };
    Value::from_safe_string(value.to_string().chars().map(escaped).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::visible_lines;

    #[test]
    fn the_hash_is_that_of_the_empty_text() {
        assert_eq!(hash(""), "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
    }

    #[test]
    fn scripts_stay_what_was_hashed() {
        for text in CHARTS.into_iter().chain([PAGE, STYLE]) {
            assert_eq!(visible_lines(text), text, "no character of it may be removed from a page");
            assert!(!text.contains("</script") && !text.contains("</style") && !text.contains('\r'));
        }
    }

    #[test]
    fn json_ends_no_element() {
        let text = json(&serde_json::json!("</script>&")).to_string();
        assert_eq!(text, "\"\\u003c/script\\u003e\\u0026\"");
        let label = "a\u{200d}b\u{feff}\u{7f}\u{85}\n\u{1f52c}";
        let text = json(&serde_json::json!(label)).to_string();
        assert_eq!(visible_lines(&text), text, "a page changes nothing in it");
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), label);
    }
}
