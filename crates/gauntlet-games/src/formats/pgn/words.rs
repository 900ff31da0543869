//! The words of movetext: which of them are moves. Comments are gone already; it knows no game.

/// Moves without numbers, variations, annotations and result.
pub(super) fn plain_moves(raw: &str, moves: &mut String) {
    main_line(raw, |_, word| {
        if let Some(written) = move_of(word) {
            moves.push_str(if moves.is_empty() { "" } else { " " });
            moves.push_str(written);
        }
    });
}

/// Calls `found` with every word outside of variations, and how many lines below the first it stands.
pub(super) fn main_line(raw: &str, mut found: impl FnMut(usize, &str)) {
    let mut depth = 0_usize;
    for (below, line) in raw.split('\n').enumerate() {
        for word in line.split_inclusive(['(', ')', ' ']).flat_map(str::split_whitespace) {
            let (open, close) = (word.ends_with('('), word.ends_with(')'));
            let word = word.trim_end_matches(['(', ')']);
            if depth == 0 && !word.is_empty() {
                found(below, word);
            }
            depth = (depth + usize::from(open)).saturating_sub(usize::from(close));
        }
    }
}

/// The move of a word, without its number and what is thought of it; `None` for other words.
pub(super) fn move_of(word: &str) -> Option<&str> {
    let word = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').trim_end_matches(['!', '?']);
    (word.starts_with(|c: char| c.is_ascii_alphabetic()) || word == "--").then_some(word)
}
