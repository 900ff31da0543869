//! The reports of a log: the last one of every match, and the finished games.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::tally::{InputFault, Tally};
use super::line::LogLine;
use crate::base::Outcome;

/// The names of two players as one text, the settings, and the number of the match in the file.
pub(super) type MatchKey = (String, String, u32);

/// The counts of a match so far, from the point of view of its first player.
#[derive(Debug)]
pub(super) struct Report {
    /// The names are empty in a summary that has none.
    pub(super) key: MatchKey,
    /// The line of its counts.
    pub(super) line: u64,
    /// Wins, draws and losses.
    pub(super) games: Option<[u64; 3]>,
    /// Pairs by points.
    pub(super) pairs: Option<[u64; 5]>,
    /// Games of an earlier report of the match with pairs, if this one has none.
    paired: Option<u64>,
    /// Whether this is the line that cutechess prints after every game.
    pub(super) is_score: bool,
}

impl Report {
    /// Number of games.
    fn total(&self) -> u64 {
        let of_pairs = || self.pairs.map_or(0, |pairs| 2 * pairs.iter().sum::<u64>());
        self.games.map_or_else(of_pairs, |games| games.iter().sum())
    }

    /// Whether this is a later report of the match of an earlier one: no count is smaller.
    fn continues(&self, earlier: &Report) -> bool {
        let games = self.games.zip(earlier.games).is_none_or(|(own, old)| own.iter().zip(old).all(|(n, o)| *n >= o));
        let pairs = self.pairs.zip(earlier.pairs).is_none_or(|(own, old)| own.iter().zip(old).all(|(n, o)| *n >= o));
        games && pairs
    }
}

/// A line of a finished game.
#[derive(Debug)]
pub(super) struct FinishedGame {
    pub(super) line: u64,
    pub(super) number: u64,
    /// The names of the players, white first.
    pub(super) title: String,
    /// None if it did not end.
    pub(super) outcome: Option<Outcome>,
}

/// What was read so far.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// The report that is being read.
    current: Option<Report>,
    /// Whether the last line was a faulty one of a report with names, so that counts of pairs behind it are its own.
    is_torn: bool,
    /// Names of two players as one text, from the lines of games.
    titles: HashSet<String>,
    /// The lines of games that have started and not ended, by their match and number.
    pub(super) under_way: BTreeMap<(u32, u64), u64>,
    /// Number of matches that were started.
    matches: u32,
    /// The last report of every match.
    pub(super) reports: Vec<Report>,
    /// The place of a match in `reports`.
    places: HashMap<MatchKey, usize>,
    /// Number of matches that were started after a report.
    starts: u32,
    pub(super) games: Vec<FinishedGame>,
    /// The line of the first table of players.
    pub(super) table: Option<u64>,
}

impl Log {
    /// Takes the content of a line.
    pub(super) fn take(
        &mut self,
        found: Option<LogLine<'_>>,
        line: u64,
        tally: &mut Tally<'_>,
    ) -> Result<(), InputFault> {
        // The rest of a report of other players than the nameless ones.
        let is_rest = std::mem::take(&mut self.is_torn) && matches!(found, Some(LogLine::Pairs(_)));
        let Some(found) = found.filter(|_| !is_rest) else { return Ok(()) };
        match found {
            LogLine::Header { title, settings } => self.begin(title, settings, line, tally)?,
            LogLine::Score { title, games } => {
                let names = if self.is_name(title.whole) { Ok(title.whole) } else { title.names };
                let names = match names {
                    Ok(names) => names,
                    Err(what) => {
                        self.drop_current(false);
                        return tally.fault(InputFault::at(line, what));
                    }
                };
                self.begin(names, "", line, tally)?;
                self.current =
                    self.current.take().map(|report| Report { games: Some(games), is_score: true, ..report });
            }
            LogLine::Games(games) => {
                if self.current.as_ref().is_none_or(|report| report.games.is_some()) {
                    self.begin("", "", line, tally)?;
                }
                self.current = self.current.take().map(|report| Report { games: Some(games), line, ..report });
            }
            LogLine::Pairs(pairs) => {
                if self.current.is_none() {
                    self.begin("", "", line, tally)?;
                }
                self.current = self.current.take().map(|report| Report { pairs: Some(pairs), line, ..report });
                self.close(tally)?;
            }
            LogLine::Start { number, title } => {
                if number == 1 {
                    self.close(tally)?;
                    self.starts += u32::from(!self.reports.is_empty());
                }
                self.matches += u32::from(number == 1);
                self.under_way.insert((self.matches, number), line);
                self.titles.insert(title.to_owned());
            }
            LogLine::Finished { number, title, outcome } => {
                self.under_way.remove(&(self.matches, number));
                self.titles.insert(title.to_owned());
                self.games.push(FinishedGame { line, number, title: title.to_owned(), outcome });
            }
            LogLine::Table => {
                self.table.get_or_insert(line);
            }
        }
        Ok(())
    }

    /// Begins a report.
    fn begin(&mut self, title: &str, settings: &str, line: u64, tally: &mut Tally<'_>) -> Result<(), InputFault> {
        self.close(tally)?;
        let key = (self.known(title).to_owned(), settings.to_owned(), self.starts);
        self.current = Some(Report { key, line, games: None, pairs: None, paired: None, is_score: false });
        Ok(())
    }

    /// Whether the whole title of a score names two players: those of games, or those of an earlier score with another
    /// count of games.
    fn is_name(&self, title: &str) -> bool {
        self.has_games_of(title)
            || self.current.as_ref().is_some_and(|report| report.key.0 == title)
            || self.places.contains_key(&(title.to_owned(), String::new(), self.starts))
    }

    /// Whether lines of games name these players, in either order.
    fn has_games_of(&self, title: &str) -> bool {
        let turned = |(at, versus): (usize, &str)| [&title[at + versus.len()..], versus, &title[..at]].concat();
        self.titles.contains(title) || title.match_indices(" vs ").map(turned).any(|own| self.titles.contains(&own))
    }

    /// The names as the lines of games have them, without words that the line of a report adds.
    fn known<'t>(&'t self, title: &'t str) -> &'t str {
        let adds_words = |known: &&String| title.strip_prefix(known.as_str()).is_some_and(|rest| rest.starts_with(' '));
        if self.has_games_of(title) || title.is_empty() {
            return title;
        }
        let known = self.titles.iter().filter(|known| !known.is_empty()).filter(adds_words);
        known.max_by_key(|known| known.len()).map_or(title, String::as_str)
    }

    /// Forgets the report that is being read: a line of it is at fault, the one with the counts of pairs or another one.
    pub(super) fn drop_current(&mut self, is_pairs: bool) {
        self.is_torn = self.current.take().is_some_and(|report| !report.key.0.is_empty()) && !is_pairs;
    }

    /// Ends the log, with a note on each match whose last report alone has no pairs.
    pub(super) fn end(&mut self, tally: &mut Tally<'_>) -> Result<(), InputFault> {
        self.close(tally)?;
        for report in &self.reports {
            let Some(before) = report.paired else { continue };
            tally.note(format!(
                "the last report of {} counts {} games without pairs, the one before it {before} with pairs: its games \
                 count as single ones",
                report.key.0,
                report.total()
            ));
        }
        Ok(())
    }

    /// Ends the current report: it replaces the earlier one of its match.
    pub(super) fn close(&mut self, tally: &mut Tally<'_>) -> Result<(), InputFault> {
        let Some(report) = self.current.take() else { return Ok(()) };
        if report.games.is_none() && report.pairs.is_none() {
            tally.note(format!("the report of {} in line {} has no counts: it may be torn", report.key.0, report.line));
            return Ok(());
        }
        let is_nameless = |report: &Report| report.key.0.is_empty();
        if is_nameless(&report) && self.reports.iter().any(is_nameless) {
            let hint = "put a line `Results of A vs B:` with the names before each summary";
            let what = "a second summary without names of players, which may be of other players";
            return tally.fault(InputFault { hint: Some(hint), ..InputFault::at(report.line, what) });
        }
        match self.places.get(&report.key).map(|&place| &mut self.reports[place]) {
            Some(earlier) if report.continues(earlier) => {
                // Pairs are worth more than the few games since.
                let are_few = report.total().saturating_sub(earlier.total()) <= earlier.total() / 10;
                if report.pairs.is_none() && earlier.pairs.is_some() && are_few {
                    return Ok(());
                }
                let paired =
                    earlier.pairs.map(|_| earlier.total()).or(earlier.paired).filter(|_| report.pairs.is_none());
                *earlier = Report { paired, ..report };
            }
            _ => {
                self.places.insert(report.key.clone(), self.reports.len());
                self.reports.push(report);
            }
        }
        Ok(())
    }
}
