//! The comparison of two sets of runs: for every configuration of either set, the mean of each number on both sides
//! and the difference.
//!
//! Errors are over runs, and the difference is paired by seed if both sides have the same seeds. Without training and
//! random weights, another seed only adds games, and errors are over all pairs of games. Runs that both sides share have
//! no error of their own: only their weights in the two means differ.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;

use super::counted::CountedGames;
use super::number::{fixed, runs, thousands, with_error};
use super::runs::{EVALUATIONS, RunRow, SCORE};
use gauntlet_exhibits::frame::distinct;
use gauntlet_exhibits::repeats::Repeats;
use gauntlet_ratings::MeanScore;
use gauntlet_ratings::crossed::crossed_error;
use gauntlet_ratings::intervals::{mean, standard_error};

/// The numbers that measure how well a configuration did: the default choice.
const OUTCOMES: [&str; 3] = [SCORE, "last.score", "last.mean"];
/// Fitnesses, -1 to 1: of a measurement, and of evolutions.
const FITNESSES: [&str; 3] = ["fitness", "last.mean", "last.best"];
/// Decimals of numbers that are no counts, as far as their errors allow.
const DIGITS: usize = 3;

/// One number of one configuration, on both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// Stage and labels.
    pub configuration: String,
    /// Which number of the results.
    pub number: String,
    /// Its range in this table, if it is a score.
    pub range: Option<[i8; 2]>,
    /// The average of the first runs, if there are any.
    pub a: Option<Average>,
    /// The average of the second runs, if there are any.
    pub b: Option<Average>,
    /// The second average minus the first, and its standard error if both have one.
    pub difference: Option<(f64, Option<f64>)>,
    /// The units of that error: runs, paired by seed or not, or games.
    pub over: Option<DifferenceOver>,
    /// Runs that both sides share: the same job with the same results.
    pub shared: usize,
}

/// An average over runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Average {
    /// The mean.
    pub value: f64,
    /// Its standard error: over games if another run only adds games, else over runs; none for one run, or without
    /// spread.
    pub error: Option<f64>,
    /// Number of runs with the number.
    pub runs: usize,
    /// Number of games behind the error; none if it is over runs.
    pub games: Option<u64>,
    /// Number of all games, if the same opening always led to the same game: then each counts once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated: Option<u64>,
}

/// The units of the error of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DifferenceOver {
    /// Differences between the runs of equal seeds.
    PairedRuns,
    /// Runs of two sides whose seeds differ, or of a side without training.
    UnpairedRuns,
    /// All games of both sides.
    Games,
}

/// Compares the numbers of two sets of runs: the wanted ones; by default those that measure how well a configuration
/// did, or else all of its numbers.
#[must_use]
pub fn compare(a: &[RunRow], b: &[RunRow], wanted: &[String]) -> Vec<Compared> {
    let identity = |run: &RunRow| (run.configuration(), run.key.clone());
    let known: HashMap<(String, String), &RunRow> = a.iter().map(|run| (identity(run), run)).collect();
    let b: Vec<Cow<'_, RunRow>> = b.iter().map(|run| apart(run, known.get(&identity(run)).copied())).collect();
    let mut configurations: Vec<(String, [Vec<&RunRow>; 2])> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (run, side) in a.iter().map(|run| (run, 0)).chain(b.iter().map(|run| (&**run, 1))) {
        let place = *places.entry(run.configuration()).or_insert_with_key(|name| {
            configurations.push((name.clone(), [Vec::new(), Vec::new()]));
            configurations.len() - 1
        });
        if run.done {
            configurations[place].1[side].push(run);
        }
    }
    configurations.iter().flat_map(|(name, [a, b])| rows(name, a, b, wanted)).collect()
}

/// A run as one of its own if another tree has the same job with other results, as of a program that draws its own seeds.
fn apart<'a>(run: &'a RunRow, other: Option<&RunRow>) -> Cow<'a, RunRow> {
    // No two runs agree on these.
    let is_measured = |name: &str| !["seconds", "memory"].iter().any(|word| name.contains(word));
    let results = |run: &'a RunRow| run.numbers.iter().filter(|(name, _)| is_measured(name));
    let differ = |other: &RunRow| {
        results(run).any(|(name, number)| other.numbers.get(name).is_some_and(|other| other != number))
    };
    match other.is_some_and(differ) {
        true => Cow::Owned(RunRow { key: format!("{}, again", run.key), ..run.clone() }),
        false => Cow::Borrowed(run),
    }
}

/// The rows of one configuration.
fn rows(configuration: &str, a: &[&RunRow], b: &[&RunRow], wanted: &[String]) -> Vec<Compared> {
    let others: HashSet<&str> = b.iter().map(|run| run.key.as_str()).collect();
    let (shared, own): (Vec<&RunRow>, Vec<&RunRow>) = a.iter().partition(|run| others.contains(run.key.as_str()));
    let changed: HashSet<u64> = own.iter().map(|run| run.seed).collect();
    let shared: HashSet<u64> = shared.iter().map(|run| run.seed).filter(|seed| !changed.contains(seed)).collect();
    let shared = shared.len();
    let row = |number: String| {
        let [one, other] = [a, b].map(|runs| NumberOfRuns::new(runs, &number));
        let (difference, over) =
            one.to(&other).map_or((None, None), |(value, error, over)| (Some((value, error)), over));
        let common = (shared > 0).then(|| common_error(a, b, &number, over)).flatten();
        let difference = difference.map(|(value, error)| (value, common.or(error)));
        let (a, b, range) = (one.average(), other.average(), range(&number));
        // The same runs have no error of their difference.
        let runs = a.map_or(0, |average| average.runs).max(b.map_or(0, |average| average.runs));
        let is_same = runs > 0 && shared == runs;
        let difference = difference.map(|(value, error)| (value, error.filter(|_| !is_same)));
        Compared { configuration: configuration.to_owned(), number, range, a, b, difference, over, shared }
    };
    numbers(a, b, wanted).into_iter().map(row).filter(|row| row.a.is_some() || row.b.is_some()).collect()
}

/// The standard error of the difference between two means that share runs: these count by the difference of their
/// weights. The variance of a run, or of a game, is that of all runs of both sides. `None` for runs that are paired, or
/// that meet several, and where games are repeated.
fn common_error(a: &[&RunRow], b: &[&RunRow], number: &str, over: Option<DifferenceOver>) -> Option<f64> {
    let is_over_games = match over? {
        DifferenceOver::PairedRuns => return None,
        DifferenceOver::UnpairedRuns => false,
        DifferenceOver::Games => true,
    };
    let [a, b] = [a, b].map(|runs| {
        runs.iter()
            .copied()
            .filter(|run| run.numbers.get(number).is_some_and(|value| value.is_number()))
            .collect::<Vec<_>>()
    });
    let [in_a, in_b] = [&a, &b].map(|runs| runs.iter().map(|run| run.key.as_str()).collect::<HashSet<_>>());
    let all: Vec<&RunRow> = a.iter().chain(b.iter().filter(|run| !in_a.contains(run.key.as_str()))).copied().collect();
    if all.iter().any(|run| run.opponent_run.is_some()) {
        return None;
    }
    let size = |run: &&RunRow| if is_over_games { run.numbers.get("games")?.as_f64() } else { Some(1.0) };
    let units: Vec<f64> = all.iter().map(size).collect::<Option<_>>()?;
    let total = |of: &HashSet<&str>| -> f64 {
        all.iter().zip(&units).filter(|(run, _)| of.contains(run.key.as_str())).map(|(_, units)| units).sum()
    };
    let totals = [total(&in_a), total(&in_b)];
    let weights = all.iter().zip(&units).map(|(run, units)| {
        let share = |of: &HashSet<&str>, total: f64| if of.contains(run.key.as_str()) { 1.0 / total } else { 0.0 };
        units * (share(&in_b, totals[1]) - share(&in_a, totals[0])).powi(2)
    });
    let whole = NumberOfRuns::new(&all, number);
    // Seeds that have another job on each side, and games that count once although they were repeated.
    if whole.values.len() != all.len() || whole.repeated.is_some() {
        return None;
    }
    let whole = whole.average()?;
    // The error of the mean of all units, for the error of one of them.
    Some((weights.sum::<f64>() * units.iter().sum::<f64>()).sqrt() * whole.error?)
}

/// The range of a number that is a score.
fn range(number: &str) -> Option<[i8; 2]> {
    match number {
        _ if number == SCORE || EVALUATIONS.contains(&number) => Some([0, 1]),
        _ if FITNESSES.contains(&number) => Some([-1, 1]),
        _ => None,
    }
}

/// The names of the numbers that are compared.
fn numbers(a: &[&RunRow], b: &[&RunRow], wanted: &[String]) -> Vec<String> {
    if !wanted.is_empty() {
        return wanted.to_vec();
    }
    let known = distinct(a.iter().chain(b).flat_map(|run| run.numbers.keys().cloned()));
    let outcome = OUTCOMES.into_iter().find(|outcome| known.iter().any(|name| name == outcome));
    outcome.map_or(known, |outcome| vec![outcome.to_owned()])
}

/// The mean score of the different games of some runs, their number and that of all games, if the same opening always
/// led to the same game.
fn once(runs: &[&RunRow]) -> Option<(MeanScore, [u64; 2])> {
    let repeats = Repeats::of_match(runs.iter().map(|run| run.lines.as_deref()))?;
    let pairs = repeats.once?;
    let different = 2 * pairs.iter().flatten().sum::<u64>();
    Some((CountedGames::of_pairs(&pairs).score()?, [different, repeats.games]))
}

/// One number of the runs of one side.
struct NumberOfRuns {
    /// By seed, and by the seed of the opponent's run if every run meets several.
    values: BTreeMap<(u64, Option<u64>), f64>,
    /// The mean score of their games, and the number of games, if another run only adds games.
    games: Option<(MeanScore, u64)>,
    /// The number of all games, if repetitions count once.
    repeated: Option<u64>,
    /// Whether the runs have different numbers of games.
    differ_in_length: bool,
    /// The standard error of all their games, a lower bound of that over runs without spread.
    floor: Option<f64>,
}

impl NumberOfRuns {
    fn new(runs: &[&RunRow], number: &str) -> NumberOfRuns {
        let value = |run: &RunRow| Some(((run.seed, run.opponent_run), run.numbers.get(number)?.as_f64()?));
        let score = |games: fn(&RunRow) -> Option<CountedGames>| {
            let games = runs.iter().map(|run| games(run)).collect::<Option<Vec<_>>>()?;
            CountedGames::score_of(games).filter(|_| number == SCORE)
        };
        let lengths: Vec<u64> = runs.iter().filter_map(|run| run.numbers.get("games")?.as_u64()).collect();
        let counted = score(|run| run.counted).map(|score| (score, lengths.iter().sum()));
        let once = counted.and_then(|_| once(runs));
        NumberOfRuns {
            values: runs.iter().copied().filter_map(value).collect(),
            games: once.map(|(score, [different, _])| (score, different)).or(counted),
            repeated: once.map(|(_, [_, all])| all),
            differ_in_length: lengths.windows(2).any(|two| two[0] != two[1]),
            floor: score(|run| run.played).map(|score| score.error),
        }
    }

    fn average(&self) -> Option<Average> {
        let values: Vec<f64> = self.values.values().copied().collect();
        let several = values.len() > 1;
        let over_runs = || self.error_of(&values).or(self.floor.filter(|_| several));
        let error = self.games.map_or_else(over_runs, |(score, _)| Some(score.error));
        // As in exhibits: runs of different lengths count by their games, and repetitions once.
        let is_pooled = self.differ_in_length || self.repeated.is_some();
        let pooled = self.games.filter(|_| is_pooled).map(|(score, _)| score.value);
        let runs = self.values.keys().map(|(seed, _)| seed).collect::<HashSet<_>>().len();
        Some(Average {
            value: pooled.or_else(|| mean(&values))?,
            error,
            runs,
            games: self.games.map(|(_, games)| games),
            repeated: self.repeated,
        })
    }

    /// The standard error of the mean of these values, over the runs of both sides if they are crossed.
    fn error_of(&self, values: &[f64]) -> Option<f64> {
        let pairs: Option<Vec<[u64; 2]>> =
            self.values.keys().map(|&(seed, opponent_run)| Some([seed, opponent_run?])).collect();
        pairs.map_or_else(|| standard_error(values), |pairs| crossed_error(&pairs, values))
    }

    /// The difference from this one to another, its standard error, and the units of the error.
    fn to(&self, other: &NumberOfRuns) -> Option<(f64, Option<f64>, Option<DifferenceOver>)> {
        let (one, another) = (self.average()?, other.average()?);
        let is_over_games = one.games.is_some() && another.games.is_some();
        if !is_over_games && self.values.keys().eq(other.values.keys()) {
            let differences: Vec<f64> = self.values.iter().map(|(run, value)| other.values[run] - value).collect();
            let error = self.error_of(&differences);
            return Some((mean(&differences)?, error, error.map(|_| DifferenceOver::PairedRuns)));
        }
        let over = if is_over_games { DifferenceOver::Games } else { DifferenceOver::UnpairedRuns };
        let error = one.error.zip(another.error).map(|(one, other)| one.hypot(other));
        Some((another.value - one.value, error, error.map(|_| over)))
    }
}

impl Average {
    /// The average as text: `0.512 ± 0.034 (n = 5)`, or with the number of games behind the error.
    #[must_use]
    pub fn text(self) -> String {
        let n = self.runs as u64;
        let alike = if self.error.is_none() && n > 1 { ", all the same" } else { "" };
        let of = self.repeated.map_or(String::new(), |all| format!(" of {}", thousands(all)));
        let n = self.games.map_or_else(|| runs(n, n) + alike, |games| format!("{}{of} games", thousands(games)));
        format!("{} ({n})", rounded(self.value, self.error))
    }
}

impl DifferenceOver {
    fn text(self) -> &'static str {
        match self {
            DifferenceOver::PairedRuns => "paired by seed",
            DifferenceOver::UnpairedRuns => "unpaired",
            DifferenceOver::Games => "over games",
        }
    }
}

impl Compared {
    /// The number as text, with its range if it is a score: `mean (-1 to 1)`.
    #[must_use]
    pub fn number_text(&self) -> String {
        self.range.map_or_else(|| self.number.clone(), |[low, high]| format!("{} ({low} to {high})", self.number))
    }

    /// The difference as text, if there is one.
    #[must_use]
    pub fn difference_text(&self) -> String {
        let runs = self.a.map_or(0, |average| average.runs).max(self.b.map_or(0, |average| average.runs));
        let over = self.over.map_or(String::new(), |over| format!(" ({})", over.text()));
        match self.difference {
            Some(_) if self.shared == runs => "the same runs".to_owned(),
            Some((value, error)) if value > 0.0 => format!("+{}{over}", rounded(value, error)),
            Some((value, error)) => rounded(value, error) + &over,
            None => String::new(),
        }
    }
}

fn rounded(value: f64, error: Option<f64>) -> String {
    match error {
        Some(error) => with_error(value, error, DIGITS),
        None if value.fract() == 0.0 => fixed(value, 0),
        None => fixed(value, DIGITS as i32),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Runs of one configuration, one for each mean, with this prefix of their keys.
    fn sample(agent: &str, key: &str, means: &[f64]) -> Vec<RunRow> {
        let numbers = |mean: f64| json!({ "score": mean, "games": 10 }).as_object().cloned().unwrap_or_default();
        let run = |(seed, &mean): (u64, &f64)| RunRow {
            manifest: "m".into(),
            stage: "s".into(),
            kind: "play".into(),
            axes: vec![("agent".into(), agent.into())],
            seed,
            opponent_run: None,
            key: format!("{key}{seed}"),
            directory: String::new(),
            done: true,
            numbers: numbers(mean),
            counted: None,
            played: None,
            lines: None,
        };
        (1..).zip(means).map(run).collect()
    }

    #[test]
    fn configurations_meet_by_their_labels_and_say_what_they_rest_on() {
        let a = [sample("x", "k", &[0.1, 0.3]), sample("y", "k", &[0.5])].concat();
        let b = [sample("x", "l", &[0.4, 0.8]), sample("z", "l", &[0.0])].concat();
        let found = compare(&a, &b, &[]);
        let names: Vec<&str> = found.iter().map(|row| row.configuration.as_str()).collect();
        assert_eq!(names, ["s agent=x", "s agent=y", "s agent=z"]);
        assert_eq!(found[0].a.unwrap().text(), "0.20 ± 0.10 (n = 2)");
        // By seed, the differences are .3 and .5.
        assert_eq!(found[0].difference_text(), "+0.40 ± 0.10 (paired by seed)");
        let c = sample("x", "l", &[0.4, 0.8, 0.6]);
        // Errors of .1 and .2 / sqrt 3.
        assert_eq!(compare(&a, &c, &[])[0].difference_text(), "+0.40 ± 0.15 (unpaired)");
        assert_eq!((found[1].b, found[1].difference_text().as_str()), (None, ""));
        // The same jobs with other results are other runs.
        let again = compare(&a[..2], &sample("x", "k", &[0.4, 0.8]), &[]);
        assert_eq!((again[0].shared, again[0].difference_text().as_str()), (0, "+0.40 ± 0.10 (paired by seed)"));
        let same = compare(&a, &a, &["games".to_owned()]);
        assert_eq!((same[0].number.as_str(), same[0].difference_text().as_str()), ("games", "the same runs"));
    }

    /// A sixth run added to five: the difference is a sixth of its distance from their mean.
    #[test]
    fn runs_of_both_sides_have_no_error_of_their_own() {
        let values = [0.1, 0.3, 0.35, 0.2, 0.4, 0.9];
        let (five, six) = (sample("x", "k", &values[..5]), sample("x", "k", &values));
        let found = compare(&five, &six, &[]);
        let (value, error) = found[0].difference.unwrap();
        let mean = values.iter().sum::<f64>() / 6.0;
        let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 5.0).sqrt();
        assert!((value - (0.9 - 0.27) / 6.0).abs() < 1e-12 && found[0].shared == 5);
        assert!((error.unwrap() - deviation / 6.0 * 1.2f64.sqrt()).abs() < 1e-12, "{error:?}");
        // One run of two is shared: each side has one of its own.
        let other = [six[1].clone(), RunRow { seed: 9, ..six[5].clone() }];
        let (_, error) = compare(&six[..2], &other, &[])[0].difference.unwrap();
        let three = [0.1, 0.3, 0.9];
        let mean = three.iter().sum::<f64>() / 3.0;
        let deviation = (three.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 2.0).sqrt();
        assert!((error.unwrap() - deviation * 0.5f64.sqrt()).abs() < 1e-12, "{error:?}");
    }

    /// Ten pairs of games in the shared run, and ten in each other one.
    #[test]
    fn games_of_both_sides_have_no_error_of_their_own() {
        let run = |(mut run, pairs): (RunRow, [u64; 5])| {
            run.counted = Some(CountedGames::Pairs(pairs));
            run.numbers.insert("games".to_owned(), json!(20));
            run
        };
        let pairs = [[2, 0, 4, 0, 4], [0, 0, 1, 0, 9]];
        let two: Vec<RunRow> = sample("x", "k", &[0.6, 0.95]).into_iter().zip(pairs).map(run).collect();
        let found = compare(&two[..1], &two, &[]);
        // The difference is half of that between the two runs. All twenty pairs: 2, 5 and 13 of 0, 1/2 and 1.
        let variance = (2.0 * 0.775f64.powi(2) + 5.0 * 0.275f64.powi(2) + 13.0 * 0.225f64.powi(2)) / 19.0;
        let error = (variance / 10.0 * 2.0).sqrt() / 2.0;
        let found = found[0].difference.unwrap().1.unwrap();
        assert!((found - error).abs() < 1e-9, "{found} {error}");
    }

    #[test]
    fn runs_that_meet_several_are_paired_by_both_seeds() {
        let side = |key: &str, gain: f64| -> Vec<RunRow> {
            let pair = |at: u64| RunRow {
                seed: at / 3,
                opponent_run: Some(at % 3),
                ..sample("x", &format!("{key}{at}"), &[0.1 * (at / 3) as f64 + gain * (at % 3) as f64]).remove(0)
            };
            (0..9).map(pair).collect()
        };
        let found = compare(&side("a", 0.0), &side("b", 0.2), &[]);
        assert_eq!(found[0].a.unwrap().text(), "0.10 ± 0.06 (n = 3)");
        // The means of the opponent runs differ by 0, 0.2 and 0.4.
        assert_eq!(found[0].difference_text(), "+0.20 ± 0.12 (paired by seed)");
        assert_eq!(compare(&side("a", 0.0), &side("a", 0.0), &[])[0].difference_text(), "the same runs");
    }

    #[test]
    fn players_without_training_have_the_errors_of_their_games() {
        let side = |pairs: [u64; 5], mean: f64| -> Vec<RunRow> {
            let run = |run| RunRow { counted: Some(CountedGames::Pairs(pairs)), ..run };
            sample("x", &format!("{mean}"), &[mean]).into_iter().map(run).collect()
        };
        let found = compare(&side([2, 0, 4, 0, 4], 0.6), &side([0, 0, 1, 0, 9], 0.95), &[]);
        // Ten pairs each: variances 1.4 / 9 and 0.225 / 9.
        assert_eq!(found[0].number_text(), "score (0 to 1)");
        assert_eq!(found[0].a.unwrap().text(), "0.60 ± 0.12 (10 games)");
        assert_eq!(found[0].difference_text(), "+0.35 ± 0.13 (over games)");
    }

    #[test]
    fn runs_of_different_lengths_count_by_their_games() {
        let mut side = sample("x", "k", &[0.6, 0.0]);
        let games = |run: &mut RunRow, pairs: [u64; 5]| {
            run.counted = Some(CountedGames::Pairs(pairs));
            run.numbers.insert("games".to_owned(), json!(2 * pairs.iter().sum::<u64>()));
        };
        games(&mut side[0], [0, 0, 40, 0, 10]);
        games(&mut side[1], [5, 0, 0, 0, 0]);
        let average = compare(&side, &side, &[])[0].a.unwrap();
        assert!((average.value - 60.0 / 110.0).abs() < 1e-12 && average.games == Some(110), "{average:?}");
    }

    /// Two equal runs have the error of their games, if these are known, and are otherwise marked as equal.
    #[test]
    fn runs_without_spread_are_no_certainty() {
        let alike = |played| -> Vec<RunRow> {
            let run = |run| RunRow { played, ..run };
            sample("x", "k", &[0.925, 0.925]).into_iter().map(run).collect()
        };
        let text = |played| compare(&alike(played), &[], &[])[0].a.unwrap().text();
        assert_eq!(text(None), "0.925 (n = 2, all the same)");
        // Twenty games a run: a variance of about 0.0675.
        assert_eq!(text(Some(CountedGames::Single([1, 1, 18]))), "0.93 ± 0.04 (n = 2)");
    }
}
