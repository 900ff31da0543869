//! The table of runs: one row for each job, with its labels, seed, directory and all scalar numbers of its result, for
//! analysis elsewhere. Lists (scores, meetings) stay in the job's own files; of a training's curve the last value of
//! each number is taken.
//!
//! Scores are from 0 to 1, whatever the scale of the job's file: a win counts 1, a draw one half, a loss 0. The score
//! of a fitness has its `fitness` beside it, from -1 to 1, as Schaul and Schmidhuber 2009 define it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::counted::CountedGames;
use super::facts::Fact;
use gauntlet_exhibits::repeats::PlayedPair;
use gauntlet_games::base::Key;
use gauntlet_plan::manifest::OPPONENT_RUN;
use gauntlet_store::frames::{Column, FrameError, column, names, to_csv};

/// The prefix of numbers from the end of a training's curve.
const LAST: &str = "last.";
/// The number of games of a job.
const GAMES: &str = "games";
/// The mean score of games.
pub(super) const SCORE: &str = "score";
/// The same from -1 to 1, for a job that measures a fitness.
const FITNESS: &str = "fitness";
/// The mean of games in a job's file, from -1 to 1.
const MEAN: &str = "mean";
/// The scores of a training's evaluations.
pub(super) const EVALUATIONS: [&str; 2] = ["last.score", "untrained"];
/// The counts of wins, draws and losses, from the player's side.
const ENDS: [&str; 3] = ["wins", "draws", "losses"];
/// The prefix of numbers that would equal an axis' name.
const RESULT: &str = "result.";

/// One job as a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRow {
    /// Name of the manifest.
    pub manifest: String,
    /// The stage.
    pub stage: String,
    /// The kind of job: `train`, `play` or `measure`.
    pub kind: String,
    /// Axis and label, in the order of the axes.
    pub axes: Vec<(String, String)>,
    /// The seed.
    pub seed: u64,
    /// The seed of its opponent run, if every run meets several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "rival")]
    pub opponent_run: Option<u64>,
    /// The run key, as in the name of the directory.
    pub key: String,
    /// The directory of its files; empty in a table for another machine.
    pub directory: String,
    /// Whether there is a result.
    pub done: bool,
    /// All scalar numbers of the result, by name.
    pub numbers: Map<String, Value>,
    /// Its games, if another run of the configuration only adds games. They are in no file.
    #[serde(skip)]
    pub counted: Option<CountedGames>,
    /// Its games, in any case. They are in no file.
    #[serde(skip)]
    pub played: Option<CountedGames>,
    /// Its games as lines, if they may repeat each other. They are in no file.
    #[serde(skip)]
    pub lines: Option<Vec<PlayedPair>>,
}

impl RunRow {
    /// The row of a job with this key and directory.
    #[must_use]
    pub fn new(manifest: &str, fact: &Fact<'_>, key: Key, directory: String) -> RunRow {
        let config = fact.config;
        let labels = config.labels.iter().chain(config.left_axes);
        let axes = labels.map(|(axis, label)| (axis.to_string(), label.to_string()));
        let mut numbers = Map::new();
        let result = fact.result().and_then(|result| serde_json::to_value(result).ok());
        result.iter().for_each(|result| collect("", result, &mut numbers));
        if let games @ 1.. = fact.games() {
            // For results that only list the scores of the games.
            numbers.entry(GAMES).or_insert_with(|| games.into());
        }
        rescale(fact, &mut numbers);
        RunRow {
            manifest: manifest.to_owned(),
            stage: config.stage.clone(),
            kind: config.kind.to_owned(),
            axes: axes.collect(),
            seed: fact.seed,
            opponent_run: fact.opponent_run,
            key: key.to_string(),
            directory,
            done: fact.result.is_some() && fact.missing.is_empty(),
            numbers,
            counted: CountedGames::of(fact),
            played: CountedGames::played(fact),
            lines: fact.lines.clone(),
        }
    }

    /// Stage and labels as one line.
    #[must_use]
    pub fn configuration(&self) -> String {
        let labels = self.axes.iter().map(|(axis, label)| format!("{axis}={label}"));
        std::iter::once(self.stage.clone()).chain(labels).collect::<Vec<_>>().join(" ")
    }
}

/// A mean score from -1 to 1 as one from 0 to 1, without the spurious digits of the conversion.
#[must_use]
pub fn share(mean: f64) -> f64 {
    (0.5 * (mean + 1.0) * 1e12).round() / 1e12
}

/// Converts scores to the scale from 0 to 1, and adds the counts of wins, draws and losses.
fn rescale(fact: &Fact<'_>, numbers: &mut Map<String, Value>) {
    for name in EVALUATIONS {
        if let Some(value) = numbers.get_mut(name) {
            *value = value.as_f64().map(share).into();
        }
    }
    let Some(ends) = fact.wins_draws_losses() else { return };
    numbers.extend(ENDS.iter().zip(ends).map(|(name, count)| ((*name).to_owned(), count.into())));
    if let Some(mean) = numbers.shift_remove(MEAN) {
        let [wins, draws, losses] = ends;
        let score = (2 * wins + draws) as f64 / (2 * (wins + draws + losses)) as f64;
        numbers.insert(SCORE.to_owned(), score.into());
        if fact.config.kind == "measure" {
            numbers.insert(FITNESS.to_owned(), mean);
        }
    }
}

/// Adds the scalar numbers of a value, each under its path.
fn collect(path: &str, value: &Value, numbers: &mut Map<String, Value>) {
    match value {
        Value::Number(_) => drop(numbers.insert(path.to_owned(), value.clone())),
        Value::Bool(is_so) => drop(numbers.insert(path.to_owned(), Number::from(u8::from(*is_so)).into())),
        Value::Object(fields) => {
            let below = |name: &String| if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            fields.iter().for_each(|(name, field)| collect(&below(name), field, numbers));
        }
        // Later entries override earlier ones, so that numbers that are not in every entry are included.
        Value::Array(entries) if path == "curve" => {
            entries.iter().for_each(|entry| collect(LAST.trim_end_matches('.'), entry, numbers));
        }
        _ => {}
    }
}

/// The table of some runs as CSV: the identity of a run, a column for each axis, a column for each number. The column
/// of directories is omitted if no run has one.
///
/// # Errors
/// If the table cannot be built, which would be a bug here.
pub fn csv(runs: &[RunRow]) -> Result<Vec<u8>, FrameError> {
    let axes = names(runs.iter().flat_map(|run| run.axes.iter().map(|(axis, _)| axis)));
    let numbers = names(runs.iter().flat_map(|run| run.numbers.keys()));
    let axis = |&name: &&String| {
        let heading = if is_own(name) { format!("axis.{name}") } else { name.clone() };
        Column::strings(&heading, runs.iter().map(|run| run.label(name).unwrap_or_default()))
    };
    let axes: Vec<(&String, Column)> = axes.iter().map(|name| (*name, axis(name))).collect();
    let is_taken = |name: &String| is_own(name) || axes.iter().any(|(axis, _)| *axis == name);
    let number = |name: &String| {
        let heading = if is_taken(name) { format!("{RESULT}{name}") } else { name.clone() };
        column(&heading, || runs.iter().map(|run| run.numbers.get(name)))
    };
    let numbers: Vec<Column> = numbers.into_iter().map(number).collect();
    let texts = |name: &str, text: fn(&RunRow) -> &str| Column::strings(name, runs.iter().map(text));
    let mut table =
        vec![texts(OWN[0], |run| &run.manifest), texts(OWN[1], |run| &run.stage), texts(OWN[2], |run| &run.kind)];
    table.extend(axes.into_iter().map(|(_, column)| column));
    table.push(Column::integers(OWN[3], runs.iter().map(|run| i64::try_from(run.seed).ok())));
    if runs.iter().any(|run| run.opponent_run.is_some()) {
        table.push(Column::integers(OPPONENT_RUN, runs.iter().map(|run| i64::try_from(run.opponent_run?).ok())));
    }
    table.push(texts(OWN[4], |run| &run.key));
    if runs.iter().any(|run| !run.directory.is_empty()) {
        table.push(texts(OWN[5], |run| &run.directory));
    }
    table.push(texts(OWN[6], |run| if run.done { "true" } else { "false" }));
    table.extend(numbers);
    to_csv(table)
}

/// The columns that every run has.
const OWN: [&str; 7] = ["manifest", "stage", "kind", "seed", "key", "directory", "done"];

fn is_own(name: &str) -> bool {
    OWN.contains(&name)
}

impl RunRow {
    fn label(&self, axis: &str) -> Option<&str> {
        self.axes.iter().rev().find(|(name, _)| name == axis).map(|(_, label)| label.as_str())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn run(axes: &[(&str, &str)], result: Value) -> RunRow {
        let mut numbers = Map::new();
        collect("", &result, &mut numbers);
        let axes = axes.iter().map(|(axis, label)| ((*axis).to_owned(), (*label).to_owned())).collect();
        let [manifest, stage, kind, key, directory] = ["m", "s", "play", "k", "d"].map(str::to_owned);
        RunRow {
            manifest,
            stage,
            kind,
            axes,
            seed: 1,
            opponent_run: None,
            key,
            directory,
            done: true,
            numbers,
            counted: None,
            played: None,
            lines: None,
        }
    }

    #[test]
    fn a_row_has_every_single_number_and_the_last_of_a_curve() {
        let curve = json!([{ "games": 10, "score": 0.5 }, { "games": 20, "promoted": true }]);
        let trained = run(&[("agent", "net")], json!({ "curve": curve, "games": 20, "name": "x" }));
        let played =
            run(&[("games", "8")], json!({ "mean": 0.25, "games": 8, "scores": "WD", "resigned": { "wrong": 1 } }));
        let text = String::from_utf8(csv(&[trained, played]).unwrap()).unwrap();
        let expected = "manifest,stage,kind,agent,games,seed,key,directory,done,last.games,last.score,last.promoted,\
             result.games,mean,resigned.wrong\n\
             m,s,play,net,,1,k,d,true,20,0.5,1,20,,\n\
             m,s,play,,8,1,k,d,true,,,,8,0.25,1\n";
        assert_eq!(text, expected);
    }
}
