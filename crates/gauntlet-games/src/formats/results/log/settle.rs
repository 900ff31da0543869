//! From the reports and games of a log to results.

use std::collections::{HashMap, HashSet};

use super::super::GameResults;
use super::super::names::versus;
use super::super::pair_counts::Score;
use super::super::tally::{Fault, Tally};
use super::reports::{FinishedGame, Log, Report};
use crate::base::Outcome;

/// The players of a summary that names none, as OpenBench and fishtest call them.
const NAMELESS: [&str; 2] = ["new", "base"];

/// Adds the last report of every match, and the games of players without one.
pub(super) fn settle(log: &Log, results: &mut GameResults, tally: &mut Tally<'_>) -> Result<(), Fault> {
    let mut settling = Settling::new(log);
    let (scores, reports): (Vec<&Report>, Vec<&Report>) =
        log.reports.iter().partition(|report| report.is_plain_score());
    settling.add_reports(&reports, results, tally)?;
    // The same games are in the reports.
    settling.add_reports(&scores, results, tally)?;
    settling.add_games(&log.games, results, tally)?;
    if settling.level > 0 {
        let pairs = settling.level;
        tally.note(format!("{pairs} pairs of one point count as two draws each: the file has no wins and losses"));
    }
    match log.table {
        Some(line) if tally.source.games == 0 => {
            let what = "this table has the results of each player against all others together, which cannot be rated";
            let hint = "rate the state that fastchess saves (config.json), or the PGN of the tournament";
            tally.fault(Fault { hint: Some(hint), ..Fault::at(line, what) })
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
    /// Players with reports, smaller number first.
    reported: HashSet<[usize; 2]>,
    /// Pairs of one point that may be two draws, or a win and a loss.
    level: u64,
}

impl<'a> Settling<'a> {
    fn new(log: &'a Log) -> Settling<'a> {
        let reports = log.reports.iter().map(|report| report.key.0.as_str());
        let titles = reports.chain(log.games.iter().map(|game| game.title.as_str())).collect();
        Settling { titles, reported: HashSet::new(), level: 0 }
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
    ) -> Result<(), Fault> {
        let mut reported = Vec::new();
        for report in reports {
            let is_nameless = report.key.0.is_empty();
            let names = if is_nameless { Ok(NAMELESS) } else { self.names(&report.key.0) };
            let ([a, b], score) = match names.and_then(|names| Ok((names, report.score()?))) {
                Ok((_, score)) if score.games() == 0 => continue,
                Ok(found) => found,
                Err(what) => {
                    tally.fault(Fault::at(report.line, what))?;
                    continue;
                }
            };
            let [a, b] = [a, b].map(|name| results.player(name));
            tally.room(results.players().len())?;
            if self.reported.contains(&[a.min(b), a.max(b)]) {
                continue;
            }
            reported.push([a.min(b), a.max(b)]);
            results.add_score(a, b, score);
            tally.count(score.games());
            self.level += report.pairs.filter(|_| report.games.is_none()).map_or(0, |pairs| pairs[2]);
            if is_nameless {
                let [new, base] = NAMELESS;
                tally.note(format!("the file names no players: its counts are those of `{new}` against `{base}`"));
            }
        }
        self.reported.extend(reported);
        Ok(())
    }

    /// Adds the games of players without a report. Two games `2 n - 1` and `2 n` with swapped colours are a pair.
    fn add_games(&self, games: &[FinishedGame], results: &mut GameResults, tally: &mut Tally<'_>) -> Result<(), Fault> {
        let mut waiting: HashMap<u64, ([usize; 2], Outcome)> = HashMap::new();
        let mut seen = HashSet::new();
        for game in games {
            let [a, b] = match self.names(&game.title) {
                Ok(names) => names.map(|name| results.player(name)),
                Err(what) => {
                    tally.fault(Fault::at(game.line, what))?;
                    continue;
                }
            };
            tally.room(results.players().len())?;
            if self.reported.contains(&[a.min(b), a.max(b)]) {
                continue;
            }
            tally.count(1);
            if !seen.insert(game.number) {
                // Another tournament of the same file.
                seen = HashSet::from([game.number]);
                waiting.drain().for_each(|(_, ([a, b], outcome))| results.add_game(a, b, outcome));
            }
            let partner = if game.number % 2 == 1 { game.number + 1 } else { game.number.saturating_sub(1) };
            match waiting.get(&partner) {
                Some(&(players, outcome)) if players == [b, a] => {
                    waiting.remove(&partner);
                    results.add_pair(b, a, [outcome, game.outcome]);
                }
                _ => {
                    waiting.insert(game.number, ([a, b], game.outcome));
                }
            }
        }
        waiting.drain().for_each(|(_, ([a, b], outcome))| results.add_game(a, b, outcome));
        Ok(())
    }
}
