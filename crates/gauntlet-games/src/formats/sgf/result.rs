//! The outcome of a game, from `RE` and `KM`.

use super::super::{Fault, LeftOut, StatedResult, settle};
use super::moves::Played;
use super::tree::SgfNode;
use crate::base::{Ending, Outcome, Side};

/// Names of the sides in messages.
const SIDES: [&str; 2] = ["Black", "White"];

/// The advice added to the fault of a result that contradicts the rules.
const ADVICE: &str = "; dead stones count as alive here, and with `plies` the first moves alone are read";

/// The outcome of a game: by the rules, or else by its root. `komi` is White's komi by the rules, in Go.
///
/// # Errors
/// [`Fault::WrongResult`] if the rules contradict a result for the same komi.
pub(super) fn outcome(root: &SgfNode, played: &Played, komi: Option<f64>) -> Result<Option<Outcome>, Fault> {
    let stated = stated(root);
    // The omitted moves may have decided the game.
    let stated = stated.filter(|_| played.is_whole);
    let ended = played.position.outcome();
    if stated.is_some() && ended.is_some() && has_other_komi(root, komi) {
        return Ok(stated);
    }
    settle(ended, stated, SIDES, if komi.is_some() { ADVICE } else { "" })
}

/// The komi of a file in points, with a decimal point or comma. Two customs are read, as KataGo reads them in files of some
/// programs: hundredths (`KM[650]`), and quarters, which count stones (`KM[3.75]` is 7.5 points).
pub fn komi(root: &SgfNode) -> Option<f64> {
    let text = root.get("KM")?.simple_text().trim().replace(',', ".");
    let unit = text.find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+')).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit);
    let is_unit = unit.trim().chars().all(|c| c.is_alphabetic() || c == '.');
    let stated: f64 = number.parse().ok().filter(|_| is_unit)?;
    let is_in_hundredths = (LEAST_HUNDREDTHS..MOST_HUNDREDTHS).contains(&stated) && stated.fract() == 0.0;
    let points = if is_in_hundredths { stated / 100.0 } else { stated };
    let counts_stones = if is_in_hundredths { points < MOST_STONES } else { STONES.contains(&points) };
    Some(if counts_stones { 2.0 * points } else { points })
}

/// No komi in points is as large.
const LEAST_HUNDREDTHS: f64 = 200.0;
/// No komi in hundredths is as large: it would be 100 points.
const MOST_HUNDREDTHS: f64 = 10_000.0;
/// No usual komi in points is lower, and none in stones is higher.
const MOST_STONES: f64 = 5.0;
/// Komi in stones that cannot be points.
const STONES: [f64; 3] = [2.75, 3.25, 3.75];

/// Whether the file has another komi than the rules.
fn has_other_komi(root: &SgfNode, rules: Option<f64>) -> bool {
    komi(root).zip(rules).is_some_and(|(stated, komi)| stated != komi)
}

/// The outcome by the root of a game.
pub(super) fn stated(root: &SgfNode) -> Option<Outcome> {
    root.get("RE").and_then(|property| of_result(&property.simple_text()))
}

/// The result of a game of a tournament; None for an unknown text. A root without a result is unfinished.
pub fn stated_by(root: &SgfNode) -> Option<StatedResult> {
    let text = root.get("RE").map(|property| property.simple_text().trim().to_lowercase()).unwrap_or_default();
    match text.as_str() {
        "" | "?" | "unknown" | "unfinished" | "suspended" => Some(StatedResult::LeftOut(LeftOut::Unfinished)),
        "void" | "no result" => Some(StatedResult::LeftOut(LeftOut::Void)),
        text => {
            let is_forfeit = text.split_once('+').is_some_and(|(_, how)| how.starts_with('f'));
            let stated = of_result(text).map(StatedResult::Played);
            stated.map(|stated| if is_forfeit { stated.without_play() } else { stated })
        }
    }
}

/// The outcome of a result: `B+R`, `W+3.5`, `0`, `Draw`. `None` for any other text.
fn of_result(text: &str) -> Option<Outcome> {
    let text = text.trim().to_lowercase();
    let begins = |words: [&str; 3]| words.iter().any(|word| text.starts_with(word));
    match text.as_str() {
        _ if begins(["b+", "black+", "black wins"]) => Some(Outcome::Win(Side::First)),
        _ if begins(["w+", "white+", "white wins"]) => Some(Outcome::Win(Side::Second)),
        "0" | "draw" | "jigo" => Some(Outcome::Draw),
        _ => None,
    }
}

/// The ending, if the result tells that the loser resigned or lost on time; otherwise the rules ended the game.
pub(super) fn ending(root: &SgfNode) -> Ending {
    let result = root.get("RE").map(|property| property.simple_text()).unwrap_or_default();
    match result {
        _ if result.contains("+R") => Ending::Resigned,
        _ if result.contains("+T") => Ending::Time,
        _ => Ending::Rules,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::parse;
    use super::*;

    #[test]
    fn komi_is_read_in_points_hundredths_and_stones() {
        for (text, points) in [
            ("6.5", Some(6.5)),
            ("6,5", Some(6.5)),
            (" 7.50 ", Some(7.5)),
            ("-3", Some(-3.0)),
            ("0", Some(0.0)),
            ("6.5pts", Some(6.5)),
            ("5.5 points", Some(5.5)),
            ("100", Some(100.0)),
            ("275", Some(5.5)),
            ("325", Some(6.5)),
            ("350", Some(7.0)),
            ("375", Some(7.5)),
            ("550", Some(5.5)),
            ("650", Some(6.5)),
            ("700", Some(7.0)),
            ("750", Some(7.5)),
            ("2.75", Some(5.5)),
            ("3.75", Some(7.5)),
            ("6.25", Some(6.25)),
            ("", None),
            ("?", None),
            ("6.5-7", None),
        ] {
            let trees = parse(&format!("(;KM[{text}])")).unwrap();
            assert_eq!(komi(&trees[0][0]), points, "{text:?}");
        }
    }

    #[test]
    fn results_of_tournaments_are_known() {
        let stated = |text: &str| stated_by(&parse(&format!("(;GM[1]{text})")).unwrap()[0][0]);
        let [black, white] = [Side::First, Side::Second].map(Outcome::Win);
        for (text, wanted) in [
            ("RE[B+R]", Some(StatedResult::Played(black))),
            ("RE[W+T]", Some(StatedResult::Played(white))),
            ("RE[W+Time]", Some(StatedResult::Played(white))),
            ("RE[B+0.5]", Some(StatedResult::Played(black))),
            ("RE[0]", Some(StatedResult::Played(Outcome::Draw))),
            ("RE[B+F]", Some(StatedResult::Unplayed(black))),
            ("RE[w+forfeit]", Some(StatedResult::Unplayed(white))),
            ("RE[Void]", Some(StatedResult::LeftOut(LeftOut::Void))),
            ("RE[?]", Some(StatedResult::LeftOut(LeftOut::Unfinished))),
            ("RE[]", Some(StatedResult::LeftOut(LeftOut::Unfinished))),
            ("", Some(StatedResult::LeftOut(LeftOut::Unfinished))),
            ("RE[perhaps black]", None),
        ] {
            assert_eq!(stated(text), wanted, "{text}");
        }
    }

    #[test]
    fn results_in_any_words_are_read_or_tell_nothing() {
        let (black, white) = (Some(Outcome::Win(Side::First)), Some(Outcome::Win(Side::Second)));
        for (text, outcome) in [
            ("B+R", black),
            (" W+3.5 ", white),
            ("b+resign", black),
            ("White wins", white),
            ("0", Some(Outcome::Draw)),
            ("Jigo", Some(Outcome::Draw)),
            ("1-0", None),
            ("?", None),
            ("Void", None),
            ("", None),
            ("\u{9ed1}\u{4e2d}\u{76d8}\u{80dc}", None),
        ] {
            assert_eq!(of_result(text), outcome, "{text}");
        }
    }
}
