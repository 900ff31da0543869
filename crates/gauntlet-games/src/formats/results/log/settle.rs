//! From the reports and games of a log to results.

use std::collections::{HashMap, HashSet};

use super::super::GameResults;
use super::super::names::versus;
use super::super::pair_counts::Score;
use super::super::tally::{InputFault, Tally};
use super::reports::{Log, Report};
use crate::base::Outcome;
use crate::formats::{LeftOut, StatedResult};

/// The players of a summary that names none, as OpenBench and fishtest call them.
const NAMELESS: [&str; 2] = ["new", "base"];

/// Adds the last report of every match, and the games of players without one.
pub(super) fn settle(log: &Log, results: &mut GameResults, tally: &mut Tally<'_>) -> Result<(), InputFault> {
    let mut settling = Settling::new(log);
    let (scores, reports): (Vec<&Report>, Vec<&Report>) =
        log.reports.iter().partition(|report| report.is_plain_score());
    settling.add_reports(&reports, results, tally)?;
    // The same games are in the reports.
    settling.add_reports(&scores, results, tally)?;
    settling.add_games(log, results, tally)?;
    settling.note_later(log, results, tally);
    if settling.level > 0 {
        let pairs = settling.level;
        tally.note(format!("{pairs} pairs of one point count as two draws each: the file has no wins and losses"));
    }
    match log.table {
        Some(line) if tally.source.games == 0 => {
            let what = "this table has the results of each player against all others together, which cannot be rated";
            let hint = "rate the state that fastchess saves (config.json), or the PGN of the tournament";
            tally.fault(InputFault { hint: Some(hint), ..InputFault::at(line, what) })
        }
        _ => Ok(()),
    }
}

impl Report {
    /// Whether this is a line of a score without pairs.
    fn is_plain_score(&self) -> bool {
        self.is_score && self.pairs.is_none()
    }

    fn score(&self) -> Result<Score, String> {
        match (self.pairs, self.games) {
            (Some(pairs), games) => Score::of_points(pairs, games),
            (None, games) => Ok(Score { single: games.unwrap_or_default(), ..Score::default() }),
        }
    }
}

/// The state of the conversion.
struct Settling<'a> {
    /// The names of two players as one text, in all orders of the log.
    titles: HashSet<&'a str>,
    /// Players with reports, smaller number first, and their games.
    reported: HashMap<[usize; 2], u64>,
    /// Pairs of one point that may be two draws, or a win and a loss.
    level: u64,
}

impl<'a> Settling<'a> {
    fn new(log: &'a Log) -> Settling<'a> {
        let reports = log.reports.iter().map(|report| report.key.0.as_str());
        let titles = reports.chain(log.games.iter().map(|game| game.title.as_str())).collect();
        Settling { titles, reported: HashMap::new(), level: 0 }
    }

    /// The two names of a title. If it can be read in several ways, the log has the other order of the same names too.
    fn names<'t>(&self, title: &'t str) -> Result<[&'t str; 2], String> {
        versus(title, |one, other| self.titles.contains(format!("{other} vs {one}").as_str()))
    }

    /// Adds reports of players who have no earlier ones; reports of one call do not exclude each other.
    fn add_reports(
        &mut self,
        reports: &[&Report],
        results: &mut GameResults,
        tally: &mut Tally<'_>,
    ) -> Result<(), InputFault> {
        let mut reported = Vec::new();
        for report in reports {
            let is_nameless = report.key.0.is_empty();
            let names = if is_nameless { Ok(NAMELESS) } else { self.names(&report.key.0) };
            let ([a, b], score) = match names.and_then(|names| Ok((names, report.score()?))) {
                Ok((_, score)) if score.games() == 0 => continue,
                Ok(found) => found,
                Err(what) => {
                    tally.fault(InputFault::at(report.line, what))?;
                    continue;
                }
            };
            let [a, b] = [a, b].map(|name| results.player(name));
            tally.room(results.players().len())?;
            if self.reported.contains_key(&[a.min(b), a.max(b)]) {
                continue;
            }
            reported.push(([a.min(b), a.max(b)], score.games()));
            results.add_score(a, b, score);
            tally.count(score.games());
            self.level += report.pairs.filter(|_| report.games.is_none()).map_or(0, |pairs| pairs[2]);
            if is_nameless {
                let [new, base] = NAMELESS;
                tally.note(format!("the file names no players: its counts are those of `{new}` against `{base}`"));
            }
        }
        for (players, games) in reported {
            *self.reported.entry(players).or_default() += games;
        }
        Ok(())
    }

    /// Adds the games of players without a report. Two games `2 n - 1` and `2 n` with swapped colours are a pair.
    fn add_games(&self, log: &Log, results: &mut GameResults, tally: &mut Tally<'_>) -> Result<(), InputFault> {
        let mut waiting: HashMap<u64, ([usize; 2], Outcome)> = HashMap::new();
        let (mut seen, mut missing) = (HashSet::new(), 0);
        for game in &log.games {
            let names = match self.names(&game.title) {
                Ok(names) => names,
                Err(what) => {
                    tally.fault(InputFault::at(game.line, what))?;
                    continue;
                }
            };
            if self.is_reported(results, names) {
                continue;
            }
            if !seen.insert(game.number) {
                // Another tournament of the same file.
                missing += gaps(&seen);
                seen = HashSet::from([game.number]);
                waiting.drain().for_each(|(_, ([a, b], outcome))| results.add_game(a, b, outcome));
            }
            let stated = game.outcome.map_or(StatedResult::LeftOut(LeftOut::Unfinished), StatedResult::Played);
            let Some(outcome) = tally.rated(stated, game.line) else { continue };
            let [a, b] = names.map(|name| results.player(name));
            tally.room(results.players().len())?;
            tally.count(1);
            let partner = if game.number % 2 == 1 { game.number + 1 } else { game.number.saturating_sub(1) };
            match waiting.get(&partner) {
                Some(&(players, first)) if players == [b, a] => {
                    waiting.remove(&partner);
                    results.add_pair(b, a, [first, outcome]);
                }
                _ => {
                    waiting.insert(game.number, ([a, b], outcome));
                }
            }
        }
        waiting.drain().for_each(|(_, ([a, b], outcome))| results.add_game(a, b, outcome));
        if self.reported.is_empty() {
            note_missing(log, missing + gaps(&seen), tally);
        }
        Ok(())
    }

    /// Whether two players have a report.
    fn is_reported(&self, results: &GameResults, names: [&str; 2]) -> bool {
        let [Some(a), Some(b)] = names.map(|name| results.place(name)) else { return false };
        self.reported.contains_key(&[a.min(b), a.max(b)])
    }

    /// Notes the games of reported players that ended after the last report.
    fn note_later(&self, log: &Log, results: &GameResults, tally: &mut Tally<'_>) {
        let mut ended: HashMap<[usize; 2], u64> = HashMap::new();
        for game in log.games.iter().filter(|game| game.outcome.is_some()) {
            if let Ok([Some(a), Some(b)]) = self.names(&game.title).map(|names| names.map(|name| results.place(name))) {
                *ended.entry([a.min(b), a.max(b)]).or_default() += 1;
            }
        }
        let later = |(players, games): (&[usize; 2], &u64)| Some(ended.get(players)?.saturating_sub(*games));
        let later: u64 = self.reported.iter().filter_map(later).sum();
        if later > 0 {
            tally.note(format!("{later} finished games came after the last report of their match, and do not count"));
        }
    }
}

/// How many numbers up to the largest one are missing.
fn gaps(numbers: &HashSet<u64>) -> u64 {
    let last = numbers.iter().max().copied().unwrap_or(0);
    let zero = u64::from(numbers.contains(&0));
    (last + zero).saturating_sub(numbers.len() as u64)
}

/// Notes games without a line of their end.
fn note_missing(log: &Log, gaps: u64, tally: &mut Tally<'_>) {
    match log.under_way.values().min() {
        Some(line) => {
            let games = log.under_way.len();
            tally.note(format!("{games} games that started have no line of their end, the first in line {line}"));
        }
        None if gaps > 0 => tally.note(format!("the lines of {gaps} games are missing, by the numbers of the others")),
        None => {}
    }
}
