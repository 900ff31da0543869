//! Results of games: those of the standard, and of tournaments. There are forfeits (`1F-0F`, `+/-`), results for which
//! both players lose or win (`0-0`, `-/-`, `+/+`), and reasons in the tag `Termination`.

use crate::base::{Outcome, Side};
use crate::formats::stated::{LeftOut, StatedResult};

/// Words of `Termination` for games without play. A loss on time is not one of them.
const UNPLAYED: [&str; 6] = [" unplayed ", " not played ", " forfeit ", " walkover ", " no show ", " default "];

/// Zero-width characters that some editors leave behind, and the byte at the end of old files.
pub(super) const UNSEEN: [char; 3] = ['\u{feff}', '\u{200b}', '\u{1a}'];

/// The result of a text; no outcome for an unfinished game.
pub(super) fn result_of(text: &str) -> Option<Option<Outcome>> {
    match text {
        "1-0" | "1:0" | "1\u{2013}0" => Some(Some(Outcome::Win(Side::First))),
        "0-1" | "0:1" | "0\u{2013}1" => Some(Some(Outcome::Win(Side::Second))),
        "1/2-1/2" | "1/2" | "1/2:1/2" | "1/2\u{2013}1/2" | "\u{bd}-\u{bd}" | "\u{bd}\u{2013}\u{bd}" | "\u{bd}" => {
            Some(Some(Outcome::Draw))
        }
        "*" => Some(None),
        _ => None,
    }
}

/// The result of a tag; None for an unknown one.
#[must_use]
pub fn stated(text: &str) -> Option<StatedResult> {
    let text = text.trim_matches(UNSEEN).trim();
    match result_of(text) {
        Some(Some(outcome)) => Some(StatedResult::Played(outcome)),
        Some(None) => Some(StatedResult::LeftOut(LeftOut::Unfinished)),
        None => of_points(text),
    }
}

/// The result of a word behind the moves. There `0-0` may be castling, and `+-` an annotation.
pub(super) fn stated_behind(word: &str) -> Option<StatedResult> {
    let word = word.trim_matches(UNSEEN);
    stated(word).filter(|_| result_of(word).is_some() || is_forfeit(word))
}

/// Whether a word is the result of a forfeit and nothing else: `1F-0F`.
pub(super) fn is_forfeit(word: &str) -> bool {
    word.ends_with(['F', 'f']) && of_points(word).is_some()
}

/// Whether the tag `Termination` names a game without play, by other words than the names of its players.
pub(super) fn is_unplayed(termination: &str, names: [&str; 2]) -> bool {
    let is_said = |text: &str| UNPLAYED.iter().any(|word| text.contains(word));
    let text = spaced(termination);
    if !is_said(&text) {
        return false;
    }
    let named = names.map(spaced).into_iter().filter(|name| !name.trim().is_empty());
    let text = named.fold(text, |text, name| text.replace(&name, " "));
    !text.contains("time") && is_said(&text)
}

/// The words of a text in lower case, with a space around each.
fn spaced(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(" ".to_owned(), |text, word| text + word + " ")
}

/// The result of two scores: `1F-0F`, `+/-`, `+:-`, `-+`, `0-0`. Scores without a sign or an `F` are of games that
/// were played.
fn of_points(text: &str) -> Option<StatedResult> {
    let text = text.replace("1/2", "\u{bd}").replace(['\u{2013}', '\u{2014}', '\u{2212}', '/', ':'], "-");
    let mut letters = text.chars().filter(|letter| !letter.is_whitespace()).collect::<Vec<_>>().into_iter().peekable();
    let mut is_forfeit = false;
    let mut score = |letters: &mut std::iter::Peekable<std::vec::IntoIter<char>>| {
        let letter = letters.next()?;
        let marked = letters.next_if(|next| matches!(next, 'F' | 'f')).is_some() || matches!(letter, '+' | '-');
        is_forfeit |= marked;
        match letter {
            '+' | '1' => Some(2),
            '-' | '0' => Some(0),
            '\u{bd}' => Some(1),
            _ => None,
        }
    };
    let white = score(&mut letters)?;
    // Signs need nothing between them: `+-`.
    if !(text.starts_with(['+', '-']) && text.ends_with(['+', '-']) && letters.len() == 1) {
        letters.next_if_eq(&'-')?;
    }
    let black = score(&mut letters)?;
    let stated = StatedResult::of_halves([white, black]).filter(|_| letters.next().is_none())?;
    match stated {
        // Some games without players' colours are drawn by 1-1.
        StatedResult::LeftOut(LeftOut::DoubleWin) if !is_forfeit => None,
        stated if is_forfeit => Some(stated.without_play()),
        stated => Some(stated),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_tournaments_are_known() {
        let (first, second) = (Outcome::Win(Side::First), Outcome::Win(Side::Second));
        for (text, wanted) in [
            ("1-0", StatedResult::Played(first)),
            ("1/2-1/2", StatedResult::Played(Outcome::Draw)),
            ("*", StatedResult::LeftOut(LeftOut::Unfinished)),
            ("0-0", StatedResult::LeftOut(LeftOut::DoubleLoss)),
            ("1F-0F", StatedResult::Unplayed(first)),
            ("0f-1f", StatedResult::Unplayed(second)),
            ("1-0F", StatedResult::Unplayed(first)),
            ("\u{bd}F-\u{bd}F", StatedResult::Unplayed(Outcome::Draw)),
            ("1/2F-1/2F", StatedResult::Unplayed(Outcome::Draw)),
            ("+/-", StatedResult::Unplayed(first)),
            ("-/+", StatedResult::Unplayed(second)),
            ("+:-", StatedResult::Unplayed(first)),
            ("+-", StatedResult::Unplayed(first)),
            ("-+", StatedResult::Unplayed(second)),
            ("+ - -", StatedResult::Unplayed(first)),
            ("- - +", StatedResult::Unplayed(second)),
            ("-/-", StatedResult::LeftOut(LeftOut::DoubleLoss)),
            ("0F-0F", StatedResult::LeftOut(LeftOut::DoubleLoss)),
            ("+/+", StatedResult::LeftOut(LeftOut::DoubleWin)),
            ("1/2-0", StatedResult::LeftOut(LeftOut::Uneven)),
            ("0-1/2", StatedResult::LeftOut(LeftOut::Uneven)),
        ] {
            assert_eq!(stated(text), Some(wanted), "{text}");
        }
        for text in ["", "2-0", "2-1", "1-1", "?", "F", "1F", "+", "-", "1-0-0", "0-0-0", "10", "white wins"] {
            assert_eq!(stated(text), None, "{text}");
        }
        for word in ["0-0", "+-", "-+", "+/-", "O-O", "e4"] {
            assert_eq!(stated_behind(word), None, "{word}");
        }
        assert_eq!(stated_behind("1F-0F"), Some(StatedResult::Unplayed(first)));
    }

    #[test]
    fn terminations_without_play_are_known() {
        let names = ["Default77", "timemaster"];
        for text in [
            "Unplayed",
            "forfeit",
            "Won by forfeit",
            "walkover",
            "unplayed ",
            "no-show",
            "timemaster won by forfeit",
            "Default77 won by default",
            "TimeMaster: forfeit",
        ] {
            assert!(is_unplayed(text, names), "{text}");
        }
        for text in [
            "normal",
            "time forfeit",
            "Time forfeit",
            "won on time",
            "abandoned",
            "adjudication",
            "",
            "Default77 won by checkmate",
            "White forfeits by disconnection",
            "timemaster won, time forfeit",
        ] {
            assert!(!is_unplayed(text, names), "{text}");
        }
        assert!(!is_unplayed("Mr. Walkover won by checkmate", ["Walkover", "x"]));
        assert!(is_unplayed("no show", ["", "o"]), "names are whole words");
    }
}
