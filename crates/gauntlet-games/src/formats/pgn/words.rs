//! The words of movetext: moves, results, and annotations. Comments are already removed; no game is needed.

use std::borrow::Cow;
use std::ops::Range;

use super::results::{UNSEEN, is_forfeit, result_of};

/// The kind of a word outside of comments and variations.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PgnWord<'a> {
    /// A move without its number and annotations, with letters for figurines and for the zeros of castling.
    Move(Cow<'a, str>),
    /// A result, which ends the game.
    Result(&'a str),
    /// A number, or an annotation of a move or a position.
    Note,
    /// Anything else.
    Unknown,
}

/// Annotation characters of a move, after it or alone.
const MARKS: [char; 6] = ['!', '?', '\u{203c}', '\u{2047}', '\u{2048}', '\u{2049}'];

/// Characters of annotations of a position: `+-`, `=`, `±`.
const SIGNS: &str = "+-=/~\u{b1}\u{2213}\u{2a72}\u{2a71}\u{221e}\u{25a1}\u{2212}";

/// The letters of the figurines from U+2654 to U+265F, repeated; a pawn has none.
const FIGURINES: [Option<char>; 6] = [Some('K'), Some('Q'), Some('R'), Some('B'), Some('N'), None];

/// Reads one word.
pub(super) fn word(text: &str) -> PgnWord<'_> {
    let bare = without_number(text.trim_matches(UNSEEN));
    if result_of(bare).is_some() || is_forfeit(bare) {
        return PgnWord::Result(bare);
    }
    // `e4$1`: a number after the move is an annotation.
    let (bare, glyphs) = bare.split_once('$').unwrap_or((bare, "0"));
    if glyphs.is_empty() || !glyphs.bytes().all(|byte| byte.is_ascii_digit() || byte == b'$') {
        return PgnWord::Unknown;
    }
    move_or_note(bare.trim_end_matches(MARKS))
}

/// Notes that are letters: a capture in passing, a novelty and a diagram.
const LETTERS: [&str; 4] = ["e.p.", "ep", "N", "D"];

/// Classifies a word without number, glyphs and marks.
fn move_or_note(bare: &str) -> PgnWord<'_> {
    if LETTERS.contains(&bare) {
        return PgnWord::Note;
    }
    // `exd6e.p.`: the capture is a move, and its kind a note.
    let capture = ["e.p.", "ep"].iter().find_map(|note| bare.strip_suffix(note));
    let bare = capture.filter(|text| text.ends_with(|letter: char| letter.is_ascii_digit())).unwrap_or(bare);
    let Some(first) = bare.chars().next() else { return PgnWord::Note };
    if matches!(first, '0' | 'o' | 'O')
        && let Some(castling) = castling(bare)
    {
        return PgnWord::Move(castling);
    }
    if first.is_ascii_alphabetic() || is_figurine(first) {
        let letters = with_letters(bare);
        let is_move = !letters.is_empty() && letters.is_ascii();
        return if is_move { PgnWord::Move(letters) } else { PgnWord::Unknown };
    }
    match bare {
        "--" => PgnWord::Move(bare.into()),
        _ if bare.chars().all(|letter| SIGNS.contains(letter)) => PgnWord::Note,
        _ => PgnWord::Unknown,
    }
}

/// Why a word is not part of a game; parentheses stand for unmatched variations.
pub(super) fn why_unknown(word: &str) -> String {
    match word {
        "(" => "a variation is never closed: a `)` is missing".to_owned(),
        ")" => "a variation ends that never began: a `(` is missing".to_owned(),
        _ => format!("{word:?} is not a move, number, comment, glyph or result"),
    }
}

/// The rest of a word that begins with the number of a move: `12.`, `3...`, `1.e4`, `1e4`.
fn without_number(text: &str) -> &str {
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let behind = rest.trim_start_matches(['.', '\u{2026}']);
    let begins_move = |letter: char| letter.is_ascii_alphabetic() || is_figurine(letter);
    // A number alone never begins with a zero, but `00` may mean castling.
    let is_number = rest.is_empty() && !text.starts_with('0');
    if behind.len() < rest.len() || is_number || rest.starts_with(begins_move) { behind } else { text }
}

/// Whether a word is or begins with the number of a game's first move, of the first side: `1.`, `1.e4`.
pub(super) fn begins_game(text: &str) -> bool {
    text.trim_matches(UNSEEN).strip_prefix("1.").is_some_and(|rest| !rest.starts_with(['.', '\u{2026}']))
}

/// Castling in standard letters, if it is written with zeros, lower case or long dashes.
fn castling(text: &str) -> Option<Cow<'static, str>> {
    let move_alone = text.trim_end_matches(['+', '#']);
    let letters = match move_alone.replace(['\u{2010}', '\u{2011}', '\u{2013}', '\u{2212}'], "-").as_str() {
        "0-0" | "o-o" | "O-O" => "O-O",
        "0-0-0" | "o-o-o" | "O-O-O" => "O-O-O",
        _ => return None,
    };
    Some(Cow::Owned(letters.to_owned() + &text[move_alone.len()..]))
}

fn is_figurine(letter: char) -> bool {
    matches!(letter, '\u{2654}'..='\u{265f}')
}

/// A move with letters for its figurines, without variation selectors.
fn with_letters(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return text.into();
    }
    let letter = |letter: char| match letter {
        '\u{2654}'..='\u{265f}' => FIGURINES[(letter as usize - 0x2654) % FIGURINES.len()],
        '\u{fe0e}' | '\u{fe0f}' => None,
        other => Some(other),
    };
    text.chars().filter_map(letter).collect()
}

/// Moves without numbers, variations, annotations and result.
///
/// # Errors
/// For the first other word: its line relative to the first one, and the fault.
pub(super) fn plain_moves(raw: &str, moves: &mut String) -> Result<(), (usize, String)> {
    let mut outcome = Ok(());
    main_line(raw, |below, text| match word(text) {
        PgnWord::Move(written) => {
            moves.push_str(if moves.is_empty() { "" } else { " " });
            moves.push_str(&written);
        }
        PgnWord::Unknown if outcome.is_ok() => outcome = Err((below, why_unknown(text))),
        PgnWord::Result(_) | PgnWord::Note | PgnWord::Unknown => {}
    });
    outcome
}

/// Calls `found` with every word outside of variations, and its line relative to the first one; with `(` for a
/// variation that never ends, and with `)` for an end without a beginning.
pub(super) fn main_line(raw: &str, mut found: impl FnMut(usize, &str)) {
    let (mut depth, mut opened) = (0_usize, 0);
    for (below, line) in raw.split('\n').enumerate() {
        for word in with_promotions(line).split_inclusive(['(', ')', ' ']).flat_map(str::split_whitespace) {
            let (opens, closes) = (word.ends_with('('), word.ends_with(')'));
            let word = word.trim_end_matches(['(', ')']);
            // The sign of an unfinished game needs no space before it.
            let (word, star) = match word.strip_suffix('*') {
                Some(before) if !before.is_empty() => (before, Some("*")),
                _ => (word, None),
            };
            if depth == 0 && !word.is_empty() {
                behind_glyphs(word).for_each(|word| found(below, word));
                star.into_iter().for_each(|star| found(below, star));
            }
            match (opens, closes) {
                (true, _) => {
                    opened = if depth == 0 { below } else { opened };
                    depth += 1;
                }
                (_, true) if depth == 0 => found(below, ")"),
                (_, closes) => depth -= usize::from(closes),
            }
        }
    }
    if depth > 0 {
        found(opened, "(");
    }
}

/// A line in which the piece of a promotion in parentheses, `a8(Q)`, has `=` before it: it is no variation.
fn with_promotions(line: &str) -> Cow<'_, str> {
    let mut promotions = line.match_indices('(').filter_map(|(at, _)| promotion(line, at)).peekable();
    if promotions.peek().is_none() {
        return line.into();
    }
    let (mut text, mut start) = (String::new(), 0);
    for (square, piece) in promotions {
        text.extend([&line[start..square], "=", &line[piece.clone()]]);
        start = piece.end + 1;
    }
    (text + &line[start..]).into()
}

/// The end of the pawn's move, and the piece, of a promotion whose parenthesis is at this place.
fn promotion(line: &str, at: usize) -> Option<(usize, Range<usize>)> {
    let piece = line[at + 1..].chars().next().filter(|piece| "QRBNqrbn".contains(*piece) || is_figurine(*piece))?;
    let piece = at + 1..at + 1 + piece.len_utf8();
    let pawn = line[..at].trim_end_matches('=');
    let start = pawn.rfind([' ', '\t', '.', '(', ')']).map_or(0, |start| start + 1);
    let is_pawn = pawn[start..].starts_with(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'P', '\u{2659}', '\u{265f}']);
    let is_last_rank = matches!(pawn.as_bytes(), [.., b'a'..=b'h', b'1' | b'8']);
    (is_pawn && is_last_rank && line[piece.end..].starts_with(')')).then_some((pawn.len(), piece))
}

/// The parts of a word in which glyphs have no space behind them: `e4$1e5$14` is `e4$1` and `e5$14`.
fn behind_glyphs(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let end = |at: usize| {
            let behind = &rest[at + 1..];
            let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
            let is_end = digits > 0 && behind[digits..].starts_with(|next: char| next != '$');
            is_end.then_some(at + 1 + digits)
        };
        let (part, next) = rest.split_at(rest.match_indices('$').find_map(|(at, _)| end(at)).unwrap_or(rest.len()));
        rest = next;
        (!part.is_empty()).then_some(part)
    })
}

/// Whether a word is the number of a move alone: `12.`. No note follows it.
pub(super) fn is_number_alone(text: &str) -> bool {
    text.ends_with('.') && text.starts_with(|first: char| first.is_ascii_digit()) && without_number(text).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glyphs_need_no_space_behind_them() {
        let parts = |word| behind_glyphs(word).collect::<Vec<_>>();
        assert_eq!(parts("e4$1e5$14$2Nf3"), ["e4$1", "e5$14$2", "Nf3"]);
        for whole in ["e4", "e4$1$2", "$14", "$", "$$", "e4$x", "e4$"] {
            assert_eq!(parts(whole), [whole]);
        }
        assert_eq!(parts("$1O-O"), ["$1", "O-O"]);
        let mut moves = String::new();
        assert_eq!(plain_moves("1. e4$1e5$14 2.Nf3$5Nc6 *", &mut moves), Ok(()));
        assert_eq!(moves, "e4 e5 Nf3 Nc6");
    }

    #[test]
    fn moves_are_known_in_every_dress() {
        for (text, letters) in [
            ("e4", "e4"),
            ("12.Nf3!?", "Nf3"),
            ("3...e5$14$2", "e5"),
            ("1\u{2026}e5", "e5"),
            ("1e4", "e4"),
            ("0-0", "O-O"),
            ("5.0-0-0#!", "O-O-O#"),
            ("o-o+", "O-O+"),
            ("0\u{2013}0", "O-O"),
            ("\u{2658}f3", "Nf3"),
            ("2.\u{265e}\u{fe0e}c6", "Nc6"),
            ("\u{2659}e4", "e4"),
            ("c8=\u{2655}+", "c8=Q+"),
            ("--", "--"),
            ("\u{feff}e4", "e4"),
            ("exd6e.p.", "exd6"),
            ("3.exd6ep", "exd6"),
        ] {
            assert_eq!(word(text), PgnWord::Move(letters.into()), "{text}");
        }
    }

    #[test]
    fn the_sign_of_an_unfinished_game_stands_for_itself() {
        let mut words = Vec::new();
        main_line("1. e4 e5 2. Bb5* (2. d4*) *", |_, word| words.push(word.to_owned()));
        assert_eq!(words, ["1.", "e4", "e5", "2.", "Bb5", "*", "*"]);
    }

    #[test]
    fn everything_else_is_a_note_a_result_or_unknown() {
        for text in [
            "e.p.", "ep", "N", "D", "12", "12.", "3...", "\u{2026}", "!", "?!", "$3", "$1$2", "+-", "=", "\u{b1}",
            "+/-", "\u{200b}",
        ] {
            assert_eq!(word(text), PgnWord::Note, "{text}");
        }
        for text in ["1-0", "0-1", "1/2-1/2", "*", "\u{bd}-\u{bd}"] {
            assert_eq!(word(text), PgnWord::Result(text), "{text}");
        }
        let others = "@e4 4.@c6 \u{41a}f3 N\u{441}6 \u{41e}-\u{41e} 0-0-0-0 00 2-0 1-O 32-28 $ $x e4$x # <> \u{2659} 3\u{2026}\u{444}d8 12,";
        for text in others.split(' ') {
            assert_eq!(word(text), PgnWord::Unknown, "{text}");
        }
    }
}
