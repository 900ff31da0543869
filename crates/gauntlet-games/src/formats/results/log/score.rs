//! The line of a score, `Score of A vs B: 3 - 1 - 6  [0.600] 10`, in the dialects of match runners: its names, its counts,
//! and the numbers that follow from the counts.

/// The text before the counts of a score.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Title<'a> {
    /// The whole text.
    pub(super) whole: &'a str,
    /// The names without the words of the dialect, or a fault of these words.
    pub(super) names: Result<&'a str, String>,
}

/// The names, and wins, draws and losses, of the text behind `Score of `; None for a text without two names.
///
/// # Errors
/// A sentence, if counts are missing, or contradict the share or the number of games behind them.
pub(super) fn score(text: &str) -> Result<Option<(Title<'_>, [u64; 3])>, String> {
    let found = text.match_indices(':').find_map(|(at, _)| Some((&text[..at], counts(&text[at + 1..])?)));
    match found {
        Some((title, (games, rest))) => {
            let has_total = check(games, rest)?;
            let whole = title.trim();
            Ok(Some((Title { whole, names: names(whole, games.iter().sum(), has_total) }, games)))
        }
        None if text.contains(" vs ") => Err("the line of a score has no counts: it may be torn".to_owned()),
        None => Ok(None),
    }
}

/// Wins, draws and losses at the start of a text, and the rest: `3 - 1 - 6` (wins, losses, draws) or `+3 -1 =6`.
fn counts(text: &str) -> Option<([u64; 3], &str)> {
    let mut words = Words(text);
    let mut next = || words.next().map(|word| word.trim_end_matches(','));
    let count = |text: &str| text.parse::<u32>().ok().map(u64::from);
    let first = next()?;
    if first.starts_with(['+', '=']) || first.starts_with('-') && first.len() > 1 {
        let mut games = [None; 3];
        for word in [Some(first), next(), next()] {
            let place = ['+', '=', '-'].iter().position(|sign| word.is_some_and(|word| word.starts_with(*sign)))?;
            games[place] = count(&word?[1..]);
        }
        let [wins, draws, losses] = games;
        return Some(([wins?, draws?, losses?], words.0));
    }
    let rest = [next()?, next()?, next()?, next()?];
    let ["-", losses, "-", draws] = rest else { return None };
    Some(([count(first)?, count(draws)?, count(losses)?], words.0))
}

/// Checks the share of points and the number of games behind the counts: `[0.600] 10`, `(0.55)`, `[60.0 %] 10/20`.
/// Returns whether the number is there.
fn check(games: [u64; 3], rest: &str) -> Result<bool, String> {
    let total: u64 = games.iter().sum();
    let words: Vec<&str> = Words(rest).take(5).collect();
    if let ["-", fourth, ..] = words[..]
        && fourth.parse::<u32>().is_ok()
    {
        return Err(format!("{} are followed by a fourth count, {fourth}", in_words(games)));
    }
    let (mut is_checked, mut has_total) = (false, false);
    for (at, word) in words.iter().enumerate() {
        let bare = word.trim_matches(['[', ']', '(', ')', ',', ';', '%']);
        let Ok(number) = bare.split('/').next().unwrap_or(bare).parse::<f64>() else {
            // A word between the counts and their share or number.
            let follows = words.get(at + 1).is_some_and(|next| next.starts_with(['[', '(']));
            if !is_checked && (*word == "=" || BETWEEN.contains(&&*bare.to_lowercase()) || follows) {
                continue;
            }
            break;
        };
        is_checked = true;
        let is_percent = word.contains('%') || bare.contains('.') && number > 1.0;
        match is_percent || bare.contains('.') {
            true if is_percent => check_share(games, number / 100.0, digits(bare) + 2, word)?,
            true => check_share(games, number, digits(bare), word)?,
            false if number != total as f64 && !(word.starts_with(['[', '(']) && number == share(games)) => {
                return Err(format!("{} are not {bare} games", in_words(games)));
            }
            false => has_total |= !word.starts_with(['[', '(']),
        }
    }
    Ok(has_total)
}

/// Checks a share of points, which is rounded or cut off to some digits.
///
/// # Errors
/// A sentence.
pub(super) fn check_share(games: [u64; 3], told_share: f64, digits: i32, word: &str) -> Result<(), String> {
    let (more, unit) = (share(games) - told_share, 10f64.powi(-digits));
    let is_near = more > -unit / 2.0 - 1e-9 && more < unit + 1e-9;
    match is_near || games == [0; 3] {
        true => Ok(()),
        false => Err(format!("{} are a share of {:.3}, and not {word}", in_words(games), share(games))),
    }
}

/// The number of digits behind the point.
pub(super) fn digits(number: &str) -> i32 {
    number.split_once('.').map_or(0, |(_, digits)| digits.len() as i32)
}

/// The share of points.
fn share([wins, draws, losses]: [u64; 3]) -> f64 {
    (wins as f64 + draws as f64 / 2.0) / (wins + draws + losses).max(1) as f64
}

/// Counts as words.
pub(super) fn in_words([wins, draws, losses]: [u64; 3]) -> String {
    format!("{wins} wins, {draws} draws and {losses} losses")
}

/// Words between the names and the number of games.
const BETWEEN: [&str; 13] =
    ["after", "in", "over", "of", "at", "from", "game", "games", "round", "rounds", "total", "the", "so"];

/// The names without the words that a dialect adds behind them: `after 30 games`, `(30 games)`, `[30]`, `so far`. A
/// bare number belongs to the name if the number of games is behind the counts.
///
/// # Errors
/// A sentence, if the number of games contradicts the counts.
fn names(title: &str, total: u64, has_total: bool) -> Result<&str, String> {
    let start = title.rfind(" vs ").map_or(title.len(), |at| at + 4);
    let second = &title[start..];
    let words: Vec<&str> = Words(second).collect();
    let bare = |at: usize| words.get(at).map_or("", |word| word.trim_matches(['[', ']', '(', ')', ',', '#', ':']));
    let is_between = |word: &str| !word.contains(char::is_alphanumeric) || BETWEEN.contains(&&*word.to_lowercase());
    let number_of = |at: usize| bare(at).split('/').next().and_then(|number| number.parse::<u64>().ok());
    let is_named = |at: usize| {
        let around = [bare(at - 1).to_lowercase(), bare(at + 1).to_lowercase()];
        let is_counted = around[1].starts_with("game") || around[0] == "after";
        // `, game 30`, unlike the name `End Game 3`.
        let is_game = ["game", "games"].contains(&&*around[0]);
        let is_apart =
            is_game && (words[at - 1].starts_with(['(', '[']) || at > 1 && words[at - 2].ends_with([',', '-', ';']));
        let is_marked = is_game || words[at].starts_with(['(', '[', '#']) || !around[0].contains(char::is_alphanumeric);
        is_counted || !has_total && (is_apart || is_marked && number_of(at) == Some(total))
    };
    let number = (1..words.len()).find(|&at| number_of(at).is_some() && is_named(at));
    let far =
        (1..words.len()).find(|&at| ["far", "final"].contains(&&*bare(at).to_lowercase()) && at + 1 == words.len());
    let Some(mut end) = number.or(far) else { return Ok(title) };
    if let Some(games) = number.and_then(number_of).filter(|games| *games != total) {
        return Err(format!("the line says {games} games and counts {total}"));
    }
    while end > 1 && is_between(bare(end - 1)) {
        end -= 1;
    }
    let length = words[end].as_ptr() as usize - title.as_ptr() as usize;
    Ok(title[..length].trim_end_matches(|c: char| c.is_whitespace() || ",;:-".contains(c)))
}

/// The words of a text; the rest stays known.
struct Words<'a>(&'a str);

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.0.trim_start();
        let (word, rest) = text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()));
        self.0 = rest;
        (!word.is_empty()).then_some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_every_dialect_name_two_players() {
        for (text, title) in [
            ("A vs B: 3 - 1 - 6  [0.600] 10", "A vs B"),
            ("A vs B after 10 games: 3 - 1 - 6 (0.60)", "A vs B"),
            ("A vs B after 10/100 games: 3 - 1 - 6", "A vs B"),
            ("A vs B (10 games): 3 - 1 - 6", "A vs B"),
            ("A vs B [10]: 3 - 1 - 6", "A vs B"),
            ("A vs B - 10 games played: 3 - 1 - 6", "A vs B"),
            ("A vs B, game 10: 3 - 1 - 6", "A vs B"),
            ("A vs B so far: 3 - 1 - 6", "A vs B"),
            ("A vs B (final): 3 - 1 - 6", "A vs B"),
            ("A vs B: +3 -1 =6", "A vs B"),
            ("A vs B: +3 =6 -1 [60.0%] 10", "A vs B"),
            ("A vs B 10: 3 - 1 - 6", "A vs B 10"),
            ("A vs B 2.0 (dev): 3 - 1 - 6", "A vs B 2.0 (dev)"),
            ("a: b vs c: 3 - 1 - 6  [0.6] 10", "a: b vs c"),
            ("A vs B: 3 - 1 - 6  [0.600] 10  Elo 70.4 +/- 120", "A vs B"),
            ("A vs B: 3 - 1 - 6  [0.600] 10 of 100", "A vs B"),
            ("A vs B: 3 - 1 - 6  [0.600] 10 in 35 s", "A vs B"),
            ("A vs B: 3 - 1 - 6  [0.600] 10 Elo (70.4 +/- 12.0)", "A vs B"),
            ("A vs B: 3 - 1 - 6  [0.600] 10 LOS [0.952]", "A vs B"),
            ("A vs B: 3 - 1 - 6 = 0.6", "A vs B"),
            ("A vs B: 3 - 1 - 6 after 10 games", "A vs B"),
            ("A vs B after 10 games: 3 - 1 - 6 [0.600] 10", "A vs B"),
            ("A vs B [10]: 3 - 1 - 6 [0.600]", "A vs B"),
            ("A vs B [10]: 3 - 1 - 6 [0.600] 10", "A vs B [10]"),
            ("A vs B #10: 3 - 1 - 6  [0.600] 10", "A vs B #10"),
            ("A vs B - 10: 3 - 1 - 6  [0.600] 10", "A vs B - 10"),
            ("A vs B [12]: 3 - 1 - 6", "A vs B [12]"),
            ("A vs End Game 3: 3 - 1 - 6", "A vs End Game 3"),
            ("A vs End Game 10: 3 - 1 - 6  [0.600] 10", "A vs End Game 10"),
        ] {
            let (found, games) = score(text).expect(text).expect(text);
            assert_eq!((found.names.as_deref(), games), (Ok(title), [3, 6, 1]), "{text}");
        }
        assert_eq!(score("the match"), Ok(None));
    }

    #[test]
    fn numbers_that_contradict_the_counts_are_faults() {
        for text in [
            "A vs B: 3 - 1 - 6  [0.600] 12",
            "A vs B: 3 - 1 - 6  [0.700] 10",
            "A vs B: 3 - 1 - 6  [0.61] 10",
            "A vs B after 12 games: 3 - 1 - 6",
            "A vs B, game 12: 3 - 1 - 6",
            "A vs B: 3 - 1 - 6 (0.55)",
            "A vs B: 3 - 1 - 6 [70.0%]",
            "A vs B: 3 - 1 - 6 - 2 [0.600] 10",
            "A vs B: 3 - 1 - 6 x [0.600] 12",
            "A vs B: 3 - 1 - 6 of 12",
            "A vs B: 3 - 1 - 6 = 0.9",
            "A vs B: 3 - 1 -",
            "A vs B: 3",
            "A vs B",
        ] {
            let names = score(text).map(|found| found.expect(text).0.names);
            assert!(names.as_ref().is_err() || names.is_ok_and(|names| names.is_err()), "{text}");
        }
    }
}
