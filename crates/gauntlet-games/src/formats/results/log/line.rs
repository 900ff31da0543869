//! One line of the text of a match runner or a test server.
//!
//! Facts by fastchess 1.5, cutechess 1.5, OpenBench and fishtest. Lines may have anything before them (times, quotation
//! marks), so every form is found by its words.

use super::score::{Title, check_share, digits, in_words, score};
use crate::base::{Outcome, Side};

/// The content of a line that matters.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LogLine<'a> {
    /// `Results of A vs B (10+0.1, 1t, 16MB):`, the names and the settings.
    Header { title: &'a str, settings: &'a str },
    /// `Score of A vs B: 3 - 1 - 2  [0.667] 6`: wins, losses, draws. The counts are wins, draws and losses.
    Score { title: Title<'a>, games: [u64; 3] },
    /// `Games: 6, Wins: 3, Losses: 1, Draws: 2` or `Total: 6 W: 3 L: 1 D: 2`. The counts are wins, draws and losses.
    Games([u64; 3]),
    /// `Ptnml(0-2): 1, 2, 3, 2, 1` or `Penta | [1, 2, 3, 2, 1]`.
    Pairs([u64; 5]),
    /// `Started game 1 of 100 (A vs B)`.
    Start { number: u64, title: &'a str },
    /// `Finished game 12 (A vs B): 1-0 {White mates}`, without a result if it was not finished.
    Finished { number: u64, title: &'a str, outcome: Option<Outcome> },
    /// A table of players with the counts of each against all others.
    Table,
}

/// The words before a finished game.
const FINISHED: &str = "Finished game ";
/// The words before five counts of pairs.
const PENTA: [&str; 3] = ["Ptnml(0-2):", "Penta |", "PENTA |"];

impl<'a> LogLine<'a> {
    /// The content of a line; `None` for any other line.
    ///
    /// # Errors
    /// A sentence, if counts are incomplete or too large.
    pub(super) fn of(text: &'a str) -> Result<Option<LogLine<'a>>, String> {
        if let Some(rest) = PENTA.iter().find_map(|word| behind(text, word)) {
            return Ok(Some(LogLine::Pairs(pairs(rest)?)));
        }
        if let Some(rest) = behind(text, "Results of ").filter(|rest| rest.contains(" vs ")) {
            let (title, settings) = header(rest);
            return Ok(Some(LogLine::Header { title, settings }));
        }
        if let Some(pairs) = behind(text, "Distr:").and_then(distribution) {
            return Ok(Some(LogLine::Pairs(pairs)));
        }
        if let Some((title, games)) = behind(text, "Score of ").map(score).transpose()?.flatten() {
            return Ok(Some(LogLine::Score { title, games }));
        }
        if let Some(rest) = behind(text, FINISHED).filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
            return finished(rest).map(Some).ok_or_else(|| "the line of a finished game may be torn".to_owned());
        }
        if let Some((number, title)) = behind(text, "Started game ").and_then(started) {
            return Ok(Some(LogLine::Start { number, title }));
        }
        if text.contains("Rank") && text.contains("Name") && text.contains("Elo") {
            return Ok(Some(LogLine::Table));
        }
        games(text)
    }
}

fn behind<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    text.find(word).map(|at| &text[at + word.len()..])
}

/// Whether a line has counts of pairs, as far as it is whole.
pub(super) fn is_pairs(text: &str) -> bool {
    PENTA.iter().any(|word| text.contains(word))
}

/// Five counts, with or without brackets; text may follow.
fn pairs(text: &str) -> Result<[u64; 5], String> {
    let text = text.trim_start();
    let listed = text.strip_prefix('[').map_or(text, |rest| rest.split(']').next().unwrap_or(rest));
    let mut counts = listed.split(',').map(str::trim);
    let mut found = [0; 5];
    for count in &mut found {
        let text = counts.next().filter(|text| !text.is_empty());
        let text = text.ok_or("the counts of pairs are fewer than five: the line may be torn")?;
        // Without brackets, other words may follow the last count.
        let number = text.split_whitespace().next().unwrap_or(text);
        *count = whole(number)?;
    }
    if text.starts_with('[') && (counts.next().is_some() || !text.contains(']')) {
        return Err("the counts of pairs are not five numbers in brackets: the line may be torn".to_owned());
    }
    Ok(found)
}

/// A count below 2^32.
fn whole(text: &str) -> Result<u64, String> {
    let number = text.parse::<u32>().map(u64::from);
    number.map_err(|_| format!("{text:?} is not a count, which is a whole number below 2^32"))
}

/// The names and the settings of a header. Settings in brackets end it, which names may too.
fn header(text: &str) -> (&str, &str) {
    let text = text.trim_end();
    let text = text.strip_suffix(':').unwrap_or(text).trim_end();
    let Some(start) = last_bracket(text) else { return (text.trim(), "") };
    let inside = &text[start + 1..text.len() - 1];
    match inside == "..." || inside.contains([',', '+', '/']) {
        true => (text[..start].trim(), inside),
        false => (text.trim(), ""),
    }
}

/// The start of the bracket that ends with the text.
fn last_bracket(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.ends_with(')').then_some(())?;
    text.char_indices().rev().find_map(|(at, letter)| {
        depth += match letter {
            ')' => 1,
            '(' => -1,
            _ => 0,
        };
        (depth == 0).then_some(at)
    })
}

/// The number, the names and the result of `12 (A vs B): 1-0 {...}`. Names may contain brackets.
fn finished(text: &str) -> Option<LogLine<'_>> {
    let (number, rest) = text.split_once(" (")?;
    let number = number.trim().parse().ok()?;
    rest.match_indices("): ").find_map(|(at, end)| {
        let outcome = match rest[at + end.len()..].split_whitespace().next()? {
            "1-0" => Some(Outcome::Win(Side::First)),
            "0-1" => Some(Outcome::Win(Side::Second)),
            "1/2-1/2" => Some(Outcome::Draw),
            "*" => None,
            _ => return None,
        };
        Some(LogLine::Finished { number, title: rest[..at].trim(), outcome })
    })
}

/// The number and the names of `1 of 100 (A vs B)`.
fn started(text: &str) -> Option<(u64, &str)> {
    let (number, rest) = text.split_once(" of ")?;
    let title = rest.split_once(" (").and_then(|(_, title)| title.trim_end().strip_suffix(')'));
    Some((number.trim().parse().ok()?, title.unwrap_or_default()))
}

/// The counts of pairs below `Ptnml:  WW  WD  DD/WL  LD  LL`.
fn distribution(text: &str) -> Option<[u64; 5]> {
    let counts: Vec<u64> =
        text.split_whitespace().map_while(|count| count.parse::<u32>().ok().map(u64::from)).collect();
    let counts: [u64; 5] = counts.try_into().ok()?;
    Some([4, 3, 2, 1, 0].map(|place| counts[place]))
}

/// The words before wins, draws and losses.
const GAMES: [[&str; 3]; 2] = [["Wins:", "Draws:", "Losses:"], ["W:", "D:", "L:"]];
/// The words before their sum.
const TOTAL: [&str; 3] = ["Games:", "Total:", "N:"];

/// Wins, draws and losses of a line that has all three.
fn games(text: &str) -> Result<Option<LogLine<'_>>, String> {
    for words in GAMES {
        let found = words.map(|word| number_behind(text, word));
        if found.iter().flatten().any(|number| number.ends_with('%')) {
            continue;
        }
        if found.iter().any(Option::is_some) && found.contains(&None) && total_of(text).is_some() {
            return Err("the counts are incomplete: the line may be torn".to_owned());
        }
        if let [Some(wins), Some(draws), Some(losses)] = found {
            let games = [whole(wins)?, whole(draws)?, whole(losses)?];
            if let Some(total) = total_of(text).filter(|total| *total != games.iter().sum::<u64>()) {
                return Err(format!("{} are not {total} games", in_words(games)));
            }
            check_points(text, games)?;
            return Ok(Some(LogLine::Games(games)));
        }
    }
    Ok(None)
}

/// The number of games that a line names.
fn total_of(text: &str) -> Option<u64> {
    TOTAL.iter().find_map(|word| number_behind(text, word)?.parse().ok())
}

/// Checks `Points: 4.0 (66.67 %)`.
fn check_points(text: &str, games: [u64; 3]) -> Result<(), String> {
    let Some(points) = number_behind(text, "Points:") else { return Ok(()) };
    let [wins, draws, _] = games;
    let own = wins as f64 + draws as f64 / 2.0;
    if points.parse::<f64>().is_ok_and(|points| (points - own).abs() > 0.05) {
        return Err(format!("{} are {own:.1} points, and not {points}", in_words(games)));
    }
    let percent = behind(text, "Points:").and_then(|rest| rest.split_once('(')?.1.split_once('%'));
    let percent = percent.map(|(percent, _)| percent.trim());
    match percent.and_then(|percent| Some((percent, percent.parse::<f64>().ok()?))) {
        Some((percent, share)) => check_share(games, share / 100.0, digits(percent) + 2, &format!("{percent} %")),
        None => Ok(()),
    }
}

/// Whether a line has wins, draws, losses and their sum, as summaries without pairs have.
pub(super) fn is_summary(text: &str) -> bool {
    let is_number = |word: &&str| number_behind(text, word).is_some_and(|count| count.parse::<u32>().is_ok());
    TOTAL.iter().any(&is_number) && GAMES.iter().any(|words| words.iter().all(&is_number))
}

/// The text behind a word, up to white space or a comma.
fn number_behind<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let is_word = |at: &usize| text[..*at].chars().next_back().is_none_or(|before| !before.is_alphanumeric());
    let at = text.match_indices(word).map(|(at, _)| at).find(is_word)?;
    text[at + word.len()..].trim_start().split(|letter: char| letter == ',' || letter.is_whitespace()).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_every_runner_are_known() {
        let score = |whole| LogLine::Score { title: Title { whole, names: Ok(whole) }, games: [3, 2, 1] };
        let header = |title, settings| LogLine::Header { title, settings };
        let finished = |number, title, outcome| LogLine::Finished { number, title, outcome };
        for (text, line) in [
            (
                "Results of A vs B (10+0.1, 1t, 16MB, book (v2).epd):",
                header("A vs B", "10+0.1, 1t, 16MB, book (v2).epd"),
            ),
            (
                "Results of SF (1320) vs My (AW) (10+0.1, 1t - NULL, 16MB):",
                header("SF (1320) vs My (AW)", "10+0.1, 1t - NULL, 16MB"),
            ),
            ("[INFO ] <fastchess> Results of A vs B (dev):  ", header("A vs B (dev)", "")),
            ("Results of A vs B", header("A vs B", "")),
            ("Results of A vs B (...):", header("A vs B", "...")),
            ("Ptnml(0-2): [1, 22, 3, 0, 4294967295], WL/DD Ratio: inf", LogLine::Pairs([1, 22, 3, 0, 4_294_967_295])),
            ("> Ptnml(0-2): 267, 9609, 21869, 9998, 273", LogLine::Pairs([267, 9609, 21869, 9998, 273])),
            ("Ptnml(0-2):1,2,3,4,5", LogLine::Pairs([1, 2, 3, 4, 5])),
            ("Penta | [78, 64, 64, 14, 4]", LogLine::Pairs([78, 64, 64, 14, 4])),
            ("Games: 6, Wins: 3, Losses: 1, Draws: 2, Points: 4.0 (66.67 %)", LogLine::Games([3, 2, 1])),
            ("Total: 84032 W: 22149 L: 21769 D: 40114", LogLine::Games([22149, 40114, 21769])),
            ("Games | N: 448 W: 67 L: 265 D: 116", LogLine::Games([67, 116, 265])),
            ("Score of a: b vs c: 3 - 1 - 2  [0.667] 6", score("a: b vs c")),
            ("Started game 1 of 10 (A vs B)", LogLine::Start { number: 1, title: "A vs B" }),
            (
                "Finished game 12 (A (x) vs B): 1-0 {White mates}",
                finished(12, "A (x) vs B", Some(Outcome::Win(Side::First))),
            ),
            ("Finished game 3 (A vs B): 1/2-1/2 {}", finished(3, "A vs B", Some(Outcome::Draw))),
            ("Finished game 4 (A vs B): * {No result}", finished(4, "A vs B", None)),
            ("Rank Name     Elo        +/-       Ptnml(0-2)", LogLine::Table),
        ] {
            assert_eq!(LogLine::of(text), Ok(Some(line)), "{text}");
        }
        for text in
            ["", "LOS: 35.26 %, DrawRatio: 59.32 %", "Elo: 1.0 +/- 2.0, nElo: nan +/- nan", "Results of the test"]
        {
            assert_eq!(LogLine::of(text), Ok(None), "{text}");
        }
    }

    #[test]
    fn torn_counts_are_faults() {
        for text in [
            "Ptnml(0-2):",
            "Ptnml(0-2): [1, 2",
            "Ptnml(0-2): [1, 2, 3, 4, 5",
            "Ptnml(0-2): [1, 2, 3, 4, 5, 6]",
            "Ptnml(0-2): 1, 2, 3, 4,",
            "Ptnml(0-2): [1, 2, -3, 4, 5]",
            "Ptnml(0-2): [1, 2, 3.5, 4, 5]",
            "Ptnml(0-2): [1, 2, 4294967296, 4, 5]",
            "Games: 6, Wins: x, Losses: 1, Draws: 2",
            "Games: 7, Wins: 3, Losses: 1, Draws: 2",
        ] {
            assert!(LogLine::of(text).is_err(), "{text}");
        }
    }
}
