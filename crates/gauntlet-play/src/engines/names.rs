//! Names of files within texts: whole texts and their parts, as in `--weights=w.txt`, `-ww.txt` or `lib:/opt/lib`.

use std::ops::Range;

/// Most parts that one name has, since names may contain delimiters, too.
const LONGEST: usize = 8;

/// Most parts of a text that are read.
const PARTS: usize = 4096;

/// The places of names in a text, in order. Of overlapping names the longest is taken.
pub fn names_in(text: &str, is_name: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    if is_name(text) {
        return std::iter::once(0..text.len()).collect();
    }
    let parts = parts(text);
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        if found.last().is_some_and(|last| part.start < last.end) {
            continue;
        }
        let ends = parts[at..].iter().take(LONGEST).rev().map(|last| last.end);
        let mut places = ends.flat_map(|end| starts(text, part).map(move |start| start..end));
        found.extend(places.find(|place| !place.is_empty() && is_name(&text[place.clone()])));
    }
    found
}

/// The text with other names in the place of those that it contains.
pub fn renamed(text: &str, is_name: impl Fn(&str) -> bool, rename: impl Fn(&str) -> String) -> String {
    let mut changed = text.to_owned();
    for place in names_in(text, is_name).into_iter().rev() {
        changed.replace_range(place.clone(), &rename(&text[place]));
    }
    changed
}

/// The parts between delimiters.
fn parts(text: &str) -> Vec<Range<usize>> {
    let is_delimiter = |c: char| c.is_whitespace() || "=,:;+\"'()[]{}|&<>@`!$#\\".contains(c);
    let ends = text.match_indices(is_delimiter).map(|(at, found)| (at, at + found.len()));
    let ends = ends.chain([(text.len(), text.len())]).take(PARTS);
    let mut start = 0;
    ends.map(|(end, next)| std::mem::replace(&mut start, next)..end).filter(|part| !part.is_empty()).collect()
}

/// The possible starts of a name in a part: its own, and that behind a flag of one letter.
fn starts(text: &str, part: &Range<usize>) -> impl Iterator<Item = usize> + use<> {
    let bytes = &text.as_bytes()[part.clone()];
    let is_flag = bytes.len() > 2 && bytes[0] == b'-' && bytes[1].is_ascii_alphanumeric();
    std::iter::once(part.start).chain(is_flag.then_some(part.start + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_every_form() {
        let is_name = |name: &str| ["w.txt", "/p/w.txt", "my w=1.txt", "lib"].contains(&name);
        for (text, wanted) in [
            ("w.txt", vec!["w.txt"]),
            ("--weights=w.txt", vec!["w.txt"]),
            ("-ww.txt", vec!["w.txt"]),
            ("-w/p/w.txt", vec!["/p/w.txt"]),
            ("--weights=my w=1.txt", vec!["my w=1.txt"]),
            ("exec ./engine --book 'w.txt'; cat </p/w.txt", vec!["w.txt", "/p/w.txt"]),
            ("lib:/p/w.txt:other", vec!["lib", "/p/w.txt"]),
            ("file:/p/w.txt,ü=w.txt", vec!["/p/w.txt", "w.txt"]),
            ("w.txt.bak --ponder", vec![]),
        ] {
            let found: Vec<&str> = names_in(text, is_name).into_iter().map(|place| &text[place]).collect();
            assert_eq!(found, wanted, "{text}");
        }
        assert_eq!(renamed("-a=/p/w.txt,-blib", is_name, |name| format!("<{name}>")), "-a=</p/w.txt>,-b<lib>");
    }
}
