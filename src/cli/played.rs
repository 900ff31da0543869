//! The played games that exhibits show as boards: from the records in the store to what reports draw.

use std::collections::BTreeMap;

use super::load_plans::Planned;
use crate::base::{Action, Record};
use crate::formats::FormatError;
use crate::formats::records::Records;
use crate::games::{Coordinates, Game, View};
use crate::manifest::exhibit::Show;
use crate::reports::played::{Drawn, DrawnMove, PlayedGames};
use crate::scheduler::GAMES;
use crate::store::{JobId, ReadError, Store};

/// The games of every finished job of a plan that an exhibit takes single games from, by the job's place in the plan.
/// Files of another format are left out, with a warning, and so are single records, without one.
///
/// # Errors
/// When the games of a finished job are damaged or cannot be read; damaged ones are discarded.
pub fn played<'a>(
    planned: &Planned,
    id: impl Fn(usize) -> &'a JobId,
    store: &Store,
) -> Result<BTreeMap<usize, PlayedGames>, ReadError> {
    let plan = &planned.plan;
    let shows: Vec<&Show> = plan.written.exhibits.iter().map(|exhibit| &exhibit.show).collect();
    let is_shown = |stage: &str| shows.iter().any(|show| matches!(show, Show::Boards(it) if it.stage == stage));
    let wanted = (0..plan.jobs.len()).filter(|&at| is_shown(&plan.config(&plan.jobs[at]).stage));
    let read = |at: usize| Ok(games_of(id(at), store)?.map(|games| (at, games)));
    wanted.filter_map(|at| read(at).transpose()).collect()
}

/// The games of a job, if it is finished and left some.
fn games_of(id: &JobId, store: &Store) -> Result<Option<PlayedGames>, ReadError> {
    let bytes = match store.read_or_discard(id, GAMES) {
        Err(ReadError::NotDone { .. } | ReadError::NoSuchFile { .. }) => return Ok(None),
        result => result?,
    };
    let games = games(&bytes).inspect_err(|error| tracing::warn!("games of {}: {error}", id.directory()));
    Ok(games.ok())
}

fn games(bytes: &[u8]) -> Result<PlayedGames, FormatError> {
    let records = Records::open(bytes)?;
    let (players, game) = (records.header().players.clone(), records.header().game.build());
    let Coordinates { columns, rows } = Coordinates::of(&*game);
    // Games of a player against itself are of no interest.
    let records = records.filter_map(Result::ok).filter(|record| record.players[0] != record.players[1]);
    let games = records.map(|record| drawn(&*game, record)).collect();
    Ok(PlayedGames { players, columns, rows, games })
}

/// What stood there at the start, and what each action was.
fn drawn(game: &dyn Game, record: Record) -> Drawn {
    let mut position = game.begin(record.start.as_deref()).expect("the reader has replayed the record");
    let mut view = View::new();
    position.view(&mut view);
    let stones = view.pieces.iter().enumerate().filter_map(|(site, piece)| Some((site, piece.side()?)));
    let turn = |&action: &Action| {
        let (name, site) = (game.write_move(&*position, action), game.arrival(action));
        let played = DrawnMove { side: position.side(), name, site };
        position.play(action);
        played
    };
    let moves = record.actions.iter().map(turn).collect();
    Drawn { start: stones.collect(), moves, record }
}
