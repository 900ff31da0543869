//! Active runs as tables and boards for the terminal.

use serde_json::{Value, json};

use super::output::{count, duration, table, visible};
use crate::manifest::plan::identity::KeyInputs;
use crate::scheduler::{LiveJob, LiveRun};
use crate::store::Store;
use gauntlet_games::base::{Outcome, Record, Side};
use gauntlet_games::formats::records::{Records, RecordsHeader, write};
use gauntlet_games::games::{View, diagram, sign};

/// One line on the progress of a run.
pub fn headline(run: &LiveRun) -> String {
    let failed = if run.failed > 0 { format!(", {} failed", run.failed) } else { String::new() };
    let queued = if run.queued > 0 { format!(", {} queued", run.queued) } else { String::new() };
    let left = run.seconds_left.map_or(String::new(), |left| format!(", about {} left", duration(left)));
    let (of, share) = (count(run.jobs, "job"), run.share * 100.0);
    let since = duration(run.seconds);
    format!("process {} for {since}: {} of {of} ended{failed}{queued}, {share:.0} %{left}", run.process, run.ended)
}

/// A table of running jobs; empty if there are none.
pub fn jobs<'a>(jobs: impl Iterator<Item = &'a LiveJob>) -> String {
    let rows: Vec<Vec<String>> = jobs.map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    table(&["running", "done", "", "rate", "for", "left", "so far"], rows)
}

fn row(job: &LiveJob) -> Vec<String> {
    let of = if job.progress.total == 0 {
        "-".to_owned()
    } else {
        format!("{} of {}", job.progress.done, job.progress.total)
    };
    let left = job
        .rate
        .map_or("-".to_owned(), |rate| duration(job.progress.total.saturating_sub(job.progress.done) as f64 / rate));
    let (share, time) = (format!("{:.0} %", job.progress.share() * 100.0), duration(job.seconds));
    vec![
        visible(&job.name),
        of,
        share,
        job.rate.map_or("-".to_owned(), rate),
        time,
        left,
        visible(&job.progress.line()),
    ]
}

/// Units per second, minute or hour: the first that gives a readable number.
fn rate(rate: f64) -> String {
    let units = [(1.0, "s"), (60.0, "min"), (3600.0, "h")];
    let (seconds, word) = units.into_iter().find(|(seconds, _)| rate * seconds >= 1.0).unwrap_or(units[2]);
    format!("{:.1}/{word}", rate * seconds)
}

/// A running job as JSON.
pub fn value(job: &LiveJob) -> Value {
    let metrics: serde_json::Map<String, Value> =
        job.progress.metrics.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    json!({ "job": job.name, "directory": job.directory, "done": job.progress.done, "total": job.progress.total, "seconds": job.seconds,
        "per_second": job.rate, "metrics": metrics })
}

/// The last game of a job: its result and its final board; none if the job has reported no game.
pub fn last_game(store: &Store, job: &LiveJob) -> Option<String> {
    let record = job.progress.game.as_ref()?;
    let path = store.root().join("jobs").join(&job.directory).join("key.json");
    let key_inputs: KeyInputs = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    let described = key_inputs.spec.job();
    let (spec, known) = (described.game()?, described.players());
    let name = |player: usize| known.get(player).or(known.first()).map(|(role, _)| (*role).to_owned());
    let names: Vec<String> = (0..=record.players[0].max(record.players[1])).filter_map(name).collect();
    let header = RecordsHeader::new(spec, names);
    // The other process's record is read like any file of games, by the rules.
    let bytes = write(&header, [record]);
    let record = Records::open(bytes.as_slice()).ok()?.next()?.ok()?;
    let title = format!("last game of {}: {}", visible(&job.name), visible(&result(&record, &header.players)));
    Some(format!("{title}\n{}", board(&record, &header)?))
}

/// `first X, second O: X wins after 61 plies`.
fn result(record: &Record, names: &[String]) -> String {
    let [first, second] = record.players.map(|player| names[player].as_str());
    let winner = |side| sign(Some(side));
    let result = match record.outcome {
        Outcome::Win(side) => format!("{} wins", winner(side)),
        Outcome::Draw => "a draw".to_owned(),
    };
    let (x, o) = (winner(Side::First), winner(Side::Second));
    format!("{first} {x}, {second} {o}: {result} after {}", plies(record.actions.len()))
}

/// `1 ply`, `61 plies`.
pub fn plies(number: usize) -> String {
    if number == 1 { "1 ply".to_owned() } else { format!("{number} plies") }
}

fn board(record: &Record, header: &RecordsHeader) -> Option<String> {
    let game = header.game.build();
    let mut position = game.begin(record.start.as_deref()).ok()?;
    record.actions.iter().for_each(|&action| position.play(action));
    let mut view = View::new();
    position.view(&mut view);
    Some(diagram(&*game, &view, &[], |_, text| text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::Action;

    #[test]
    fn rates_are_numbers_to_read() {
        assert_eq!([12.0, 0.5, 0.001, 0.0].map(rate), ["12.0/s", "30.0/min", "3.6/h", "0.0/h"]);
    }

    #[test]
    fn a_game_is_shown_with_its_result() {
        let spec: gauntlet_games::games::GameSpec =
            toml::from_str("mnk = { rows = 3, columns = 3, row = 3 }").expect("a game");
        let header = RecordsHeader::new(spec, vec!["a".to_owned(), "b".to_owned()]);
        let actions = [0, 3, 1, 4, 2].map(Action).to_vec();
        let record = Record::new(0, [1, 0], actions, Outcome::Win(Side::First));
        assert_eq!(result(&record, &header.players), "b X, a O: X wins after 5 plies");
        let board = board(&record, &header).expect("a board");
        assert_eq!(board.matches('X').count(), 3, "{board}");
    }
}
