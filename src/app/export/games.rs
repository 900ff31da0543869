//! Export of all games of a manifest: one CSV with a row for each game.

use std::path::{Path, PathBuf};

use super::{Finished, Owner, TABLE, finished, identity};
use crate::app::{Misuse, Options, Planned, PlayerNames, write_named};
use gauntlet_games::base::{Action, Ending, Outcome, Record, Side, count, visible};
use gauntlet_games::formats::records::Records;
use gauntlet_games::games::Game;
use gauntlet_jobs::JobSpec;
use gauntlet_plan::manifest::PlanJob;
use gauntlet_run::scheduler::GAMES;
use gauntlet_store::frames::{Column, to_csv};

/// Milliseconds of a second.
const MILLISECONDS: f64 = 1000.0;

/// The players of one job.
struct Entrants {
    owner: Owner,
    names: Vec<String>,
    /// The settings of each player, as JSON.
    settings: Vec<String>,
}

/// One game.
struct GameRow {
    /// The place of its job among all.
    job: usize,
    /// Without its actions.
    record: Record,
    plies: usize,
    /// The moves of the opening, which neither player chose, and on request those after it.
    moves: [String; 2],
}

/// Writes the games of every finished match and tournament of a manifest, and returns a description of the amount.
///
/// # Errors
/// If the file is no CSV, no job with games is finished, the games of one are damaged, or the file cannot be written.
pub fn write_games(options: &Options, planned: &Planned, file: &Path, with_moves: bool) -> anyhow::Result<String> {
    if file.extension().is_none_or(|ending| ending != TABLE) {
        let name = visible(&file.to_string_lossy());
        let hint = "the games of a manifest go into one .csv; `export` writes .pgn and .sgf from the games of one job";
        return Err(Misuse::new(format!("the name {name} does not tell the format of the file"), hint));
    }
    let (jobs, games, missing) = read(options, planned, with_moves)?;
    write_named(file, &to_csv(table(&jobs, &games, with_moves))?)?;
    Ok(count(games.len(), "game") + &missing)
}

/// The jobs with games, their games, and a remark on jobs that are not finished.
fn read(
    options: &Options,
    planned: &Planned,
    with_moves: bool,
) -> anyhow::Result<(Vec<Entrants>, Vec<GameRow>, String)> {
    let (store, plan) = (options.look()?, &planned.plan);
    let batch = options.batch([planned], &store)?;
    // A tournament has the games of its meetings.
    let is_wanted = |job: &PlanJob| matches!(**plan.spec(job), JobSpec::Play(_)) && !plan.config(job).is_part();
    let none = [
        "no match and no tournament, and only they keep games",
        "another name, such as metrics.csv, exports the metrics of trainings",
    ];
    let Finished { jobs: done, missing } = finished(planned, &batch, is_wanted, none, "playing job")?;
    let id = |at: usize| &batch.jobs[batch.places[0][at]].id;
    let files: Vec<PathBuf> = done.iter().map(|&at| store.directory(id(at)).join(GAMES)).collect();
    let names = PlayerNames::of(files.iter().map(PathBuf::as_path));
    let (mut jobs, mut games) = (Vec::new(), Vec::new());
    for (&at, file) in done.iter().zip(&files) {
        let job = &plan.jobs[at];
        let bytes = store.read(id(at), GAMES)?;
        let records = Records::open(&bytes[..])?;
        let header = records.header();
        let renamed = names.in_file(file);
        let names = header.players.iter().map(|name| renamed.get(name).unwrap_or(name).clone()).collect();
        let players = plan.spec(job).job().players();
        let settings = players.iter().map(|(_, player)| serde_json::to_string(player)).collect::<Result<_, _>>()?;
        let game = header.game.build();
        for record in records {
            let mut record = record?;
            let plies = std::mem::take(&mut record.actions);
            let shown = if with_moves { plies.len() } else { record.opening as usize };
            let moves = moves(&*game, &record, &plies[..shown]);
            games.push(GameRow { job: jobs.len(), record, plies: plies.len(), moves });
        }
        jobs.push(Entrants { owner: Owner::new(planned, job, id(at)), names, settings });
    }
    Ok((jobs, games, missing))
}

/// The moves of the opening and those after it, in the game's notation.
fn moves(game: &dyn Game, record: &Record, actions: &[Action]) -> [String; 2] {
    let mut position = game.begin(record.start.as_deref()).expect("the reader has replayed the record");
    let mut names = actions.iter().map(|&action| {
        let name = game.write_move(&*position, action);
        position.play(action);
        name
    });
    let opening: Vec<String> = names.by_ref().take(record.opening as usize).collect();
    [opening.join(" "), names.collect::<Vec<String>>().join(" ")]
}

/// One row for each game: its job; its number within the job; the players, first side first, with their settings; the
/// position that was set up, and the moves of its opening; winner, score of the first side, the reason of the end, plies;
/// the seconds of both sides, if there was a clock; the moves after the opening.
fn table(jobs: &[Entrants], games: &[GameRow], with_moves: bool) -> Vec<Column> {
    let owners: Vec<&Owner> = games.iter().map(|row| &jobs[row.job].owner).collect();
    let number = |number: usize| i64::try_from(number).ok();
    let mut table = identity(&owners);
    table.push(Column::integers("number", games.iter().map(|row| number(row.record.game))));
    for (name, side) in [("first", Side::First), ("second", Side::Second)] {
        let player = |row: &GameRow| row.record.players[side.index()];
        table.push(Column::strings(name, games.iter().map(|row| jobs[row.job].names[player(row)].as_str())));
        let settings = games.iter().map(|row| jobs[row.job].settings[player(row)].as_str());
        table.push(Column::strings(&format!("{name}.settings"), settings));
    }
    table.push(Column::strings("start", games.iter().map(|row| row.record.start.as_deref().unwrap_or_default())));
    table.push(Column::strings("opening", games.iter().map(|row| row.moves[0].as_str())));
    table.push(Column::strings("winner", games.iter().map(|row| winner(row.record.outcome))));
    let score = |row: &GameRow| Some(0.5 * (row.record.outcome.score(Side::First) + 1.0));
    table.push(Column::floats("score", games.iter().map(score)));
    table.push(Column::strings("ending", games.iter().map(|row| ending(row.record.ending))));
    table.push(Column::integers("plies", games.iter().map(|row| number(row.plies))));
    if games.iter().any(|row| row.record.times.is_some()) {
        for (name, side) in [("first", Side::First), ("second", Side::Second)] {
            let time = |row: &GameRow| row.record.times.map(|times| times[side.index()]);
            let wall = games.iter().map(|row| time(row).map(|time| time.wall_ms as f64 / MILLISECONDS));
            table.push(Column::floats(&format!("{name}.seconds"), wall));
            let processor = games.iter().map(|row| time(row).map(|time| time.processor_ms as f64 / MILLISECONDS));
            table.push(Column::floats(&format!("{name}.processor-seconds"), processor));
        }
    }
    if with_moves {
        table.push(Column::strings("moves", games.iter().map(|row| row.moves[1].as_str())));
    }
    table
}

/// The side that won, in words.
fn winner(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win(Side::First) => "first",
        Outcome::Win(Side::Second) => "second",
        Outcome::Draw => "draw",
    }
}

/// The reason of an end, in the words of `games.jsonl`.
fn ending(ending: Ending) -> String {
    serde_json::to_value(ending).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}
