//! Published tables of runs, and the comparison with runs that are made again. It reads the output of
//! [`csv`](super::runs::csv).

use std::collections::BTreeMap;

use serde_json::Value;

use super::runs::RunRow;
use gauntlet_plan::manifest::OPPONENT_RUN;

/// A row of a published table.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedRun {
    /// Name of the manifest.
    pub manifest: String,
    /// The identity of the run.
    pub identity: RunIdentity,
    /// Numbers by their headings, as written; absent ones are omitted.
    pub numbers: Vec<(String, String)>,
}

/// The identity of a run in a manifest: stage, labels by axis, seed, and the seed of the opponent run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunIdentity {
    /// The stage.
    pub stage: String,
    /// Labels by the headings of their columns, without empty ones.
    pub labels: BTreeMap<String, String>,
    /// The seed.
    pub seed: String,
    /// The seed of its opponent run, if every run meets several.
    pub opponent_run: Option<String>,
}

/// A number that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DifferingNumber {
    /// Its heading.
    pub name: String,
    /// The published value.
    pub published: String,
    /// The new value; none if the number does not exist any more.
    pub found: Option<String>,
}

/// Columns of names before the axes and after them.
const BEFORE: [&str; 3] = ["manifest", "stage", "kind"];
const SEED: &str = "seed";
const DONE: &str = "done";
/// The prefix of axis headings that would equal another column's name.
const AXIS: &str = "axis.";
const NUMBER: &str = "result.";

/// The rows of a table that have results; none if it is not a table of runs.
#[must_use]
pub fn parse(text: &str) -> Option<Vec<PublishedRun>> {
    let mut rows = records(text).into_iter();
    let headings = rows.next()?;
    let place = |name: &str| headings.iter().position(|heading| heading == name);
    let (seed, done) = (place(SEED)?, place(DONE)?);
    if headings.get(..BEFORE.len())? != BEFORE || seed < BEFORE.len() || done < seed {
        return None;
    }
    let columns = RunColumns {
        headings: &headings,
        seed,
        opponent_run: place(OPPONENT_RUN).filter(|&opponent_run| opponent_run > seed),
        done,
    };
    let rows: Vec<Vec<String>> = rows.collect();
    if rows.iter().any(|row| row.len() != headings.len()) {
        return None;
    }
    Some(rows.iter().filter(|row| row[done] == "true").map(|row| columns.run(row)).collect())
}

/// The places of the columns of a table.
struct RunColumns<'a> {
    headings: &'a [String],
    seed: usize,
    opponent_run: Option<usize>,
    done: usize,
}

impl RunColumns<'_> {
    fn run(&self, row: &[String]) -> PublishedRun {
        let cells = |range: std::ops::Range<usize>| {
            let cell = |at: usize| (self.headings[at].clone(), row[at].clone());
            range.filter(|&at| !row[at].is_empty()).map(cell)
        };
        let identity = RunIdentity {
            stage: row[1].clone(),
            labels: cells(BEFORE.len()..self.seed).map(|(axis, label)| (axis, plain(&label))).collect(),
            seed: row[self.seed].clone(),
            opponent_run: self
                .opponent_run
                .map(|opponent_run| row[opponent_run].clone())
                .filter(|opponent_run| !opponent_run.is_empty()),
        };
        let numbers = cells(self.done + 1..row.len()).collect();
        PublishedRun { manifest: row[0].clone(), identity, numbers }
    }
}

/// A text without the apostrophe that prevents its reading as a formula by a spreadsheet.
pub(super) fn plain(text: &str) -> String {
    let rest = text.strip_prefix('\'').filter(|rest| rest.trim_start().starts_with(['=', '+', '-', '@']));
    rest.unwrap_or(text).to_owned()
}

impl RunIdentity {
    /// The identity of a row of today's program.
    #[must_use]
    pub fn of(run: &RunRow) -> RunIdentity {
        let heading = |axis: &String| if is_own(axis) { format!("{AXIS}{axis}") } else { axis.clone() };
        let labels = run.axes.iter().filter(|(_, label)| !label.is_empty());
        RunIdentity {
            stage: run.stage.clone(),
            labels: labels.map(|(axis, label)| (heading(axis), label.clone())).collect(),
            seed: run.seed.to_string(),
            opponent_run: run.opponent_run.map(|opponent_run| opponent_run.to_string()),
        }
    }
}

fn is_own(axis: &str) -> bool {
    BEFORE.contains(&axis) || [SEED, DONE, "key", "directory"].contains(&axis)
}

impl PublishedRun {
    /// Its row, in a table of a plan that has no result of this job.
    #[must_use]
    pub fn row(&self, other: RunRow) -> RunRow {
        let named = self.numbers.iter().filter_map(|(heading, text)| number_of(heading, text));
        let numbers = named.map(|(name, value)| (name.to_owned(), value)).collect();
        RunRow { done: true, directory: String::new(), numbers, ..other }
    }

    /// The first of its numbers that another run does not have, at the published precision.
    #[must_use]
    pub fn first_difference(&self, run: &RunRow) -> Option<DifferingNumber> {
        let number = |name: &str| run.numbers.get(name).or_else(|| run.numbers.get(name.strip_prefix(NUMBER)?));
        let differs =
            |(name, published): &&(String, String)| !number(name).is_some_and(|found| agree(published, found));
        self.numbers.iter().find(differs).map(|(name, published)| {
            let found = number(name).map(Value::to_string);
            DifferingNumber { name: name.clone(), published: published.clone(), found }
        })
    }
}

impl DifferingNumber {
    /// The difference as a sentence part: `mean is 0.5 and not 0.25`.
    #[must_use]
    pub fn sentence(&self) -> String {
        match &self.found {
            Some(found) => format!("{} is {found} and not {}", self.name, self.published),
            None => format!("{} is not measured any more", self.name),
        }
    }
}

/// A published number by its name in a result.
pub(super) fn number_of<'a>(heading: &'a str, text: &str) -> Option<(&'a str, Value)> {
    Some((heading.strip_prefix(NUMBER).unwrap_or(heading), serde_json::from_str(text).ok()?))
}

/// Whether a number equals the published one, at its precision.
fn agree(published: &str, found: &Value) -> bool {
    let (Ok(wanted), Some(value)) = (published.parse::<f64>(), found.as_f64()) else {
        return found.as_str() == Some(published);
    };
    let decimals = published.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    value == wanted || (!published.contains('e') && format!("{value:.decimals$}") == published)
}

/// The cells of all lines of a CSV file.
pub(super) fn records(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => cell.extend(letters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted && letters.peek() == Some(&'\n') => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            letter => cell.push(letter),
        }
    }
    if !row.is_empty() || !cell.is_empty() {
        row.push(cell);
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::csv;
    use serde_json::{Map, json};

    fn run(axes: &[(&str, &str)], numbers: &[(&str, Value)], opponent_run: Option<u64>) -> RunRow {
        let axes = axes.iter().map(|(axis, label)| ((*axis).to_owned(), (*label).to_owned())).collect();
        let [manifest, stage, kind, key] = ["m", "s", "play", "k"].map(str::to_owned);
        let numbers: Map<String, Value> =
            numbers.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let (directory, done) = (String::new(), true);
        RunRow {
            manifest,
            stage,
            kind,
            axes,
            seed: 3,
            opponent_run,
            key,
            directory,
            done,
            numbers,
            counted: None,
            played: None,
            lines: None,
        }
    }

    #[test]
    fn what_is_written_is_read_and_is_the_same() {
        let runs = [
            run(
                &[("agent", "a, \"b\""), ("seed", "x"), ("bias", "-y")],
                &[("mean", json!(0.1)), ("agent", json!(4))],
                None,
            ),
            run(&[("agent", "c")], &[("mean", json!(1e-300)), ("games", json!(20))], Some(7)),
        ];
        let text = String::from_utf8(csv(&runs).unwrap()).unwrap();
        let published = parse(&text).unwrap();
        for (one, run) in published.iter().zip(&runs) {
            assert_eq!((&one.identity, one.first_difference(run)), (&RunIdentity::of(run), None), "{text}");
        }
        assert_ne!(published[0].identity, published[1].identity);
        let other = run(&[("agent", "c")], &[("mean", json!(0.25)), ("games", json!(20))], Some(7));
        let found = published[1].first_difference(&other).unwrap();
        assert_eq!(found.sentence(), "mean is 0.25 and not 1e-300");
        let fewer = run(&[("agent", "c")], &[("mean", json!(1e-300))], Some(7));
        assert_eq!(published[1].first_difference(&fewer).unwrap().sentence(), "games is not measured any more");
    }

    #[test]
    fn numbers_agree_as_far_as_they_have_digits() {
        for (published, found, agrees) in [
            ("0.958", json!(0.95801), true),
            ("0.958", json!(0.9589), false),
            ("100", json!(100), true),
            ("100.0", json!(100), true),
            ("100", json!(101), false),
            ("1e-3", json!(0.001), true),
            ("-0.92", json!(-0.92), true),
        ] {
            assert_eq!(agree(published, &found), agrees, "{published} {found}");
        }
    }

    #[test]
    fn what_is_no_table_of_runs_is_refused() {
        for text in
            ["", "a,b\n1,2\n", "manifest,stage,kind,seed,key\nm,s,play,1,k\n", "manifest,stage,kind,seed,done\nm,s\n"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse("manifest,stage,kind,seed,key,done,x\nm,s,play,1,k,false,\n"), Some(Vec::new()));
    }
}
