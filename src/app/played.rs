//! The played games that exhibits show as boards: from the records in the store to the input of reports.

use std::collections::{BTreeMap, BTreeSet};

use super::plans::Planned;
use gauntlet_exhibits::{About, Unit};
use gauntlet_games::base::{BoardPicture, Outcome, Record};
use gauntlet_games::formats::FormatError;
use gauntlet_games::formats::records::Records;
use gauntlet_games::games::{Coordinates, Game, View, picture, site_numbers};
use gauntlet_nets::encoders::TensorsSpec;
use gauntlet_plan::manifest::exhibit::{DRAW, Exhibit, GameSelector, PositionView};
use gauntlet_report::played::{Drawn, DrawnMove, PlayedGames};
use gauntlet_run::scheduler::GAMES;
use gauntlet_store::{JobId, ReadError, Store};

/// The games of every finished job of a plan whose single games an exhibit shows, by the index of the job in the plan.
/// Files of another format are skipped with a warning, and single unreadable records without one.
///
/// # Errors
/// If the games of a finished job are damaged or cannot be read; damaged ones are discarded.
pub fn played<'a>(
    planned: &Planned,
    id: impl Fn(usize) -> &'a JobId,
    store: &Store,
) -> Result<BTreeMap<usize, PlayedGames>, ReadError> {
    let plan = &planned.plan;
    let config = |at: usize| plan.config(&plan.jobs[at]);
    let shown = |at: usize| Shown::of(&plan.written.exhibits, &config(at).stage, config(at).label("game"));
    let read = |(at, shown): (usize, Shown<'_>)| Ok(games_of(id(at), store, &shown)?.map(|games| (at, games)));
    let wanted = (0..plan.jobs.len()).filter_map(|at| Some((at, shown(at)?)));
    wanted.filter_map(|job| read(job).transpose()).collect()
}

/// The parts of a job's games that exhibits show.
struct Shown<'a> {
    /// The name of its game, if the stage has several.
    game: String,
    /// Positions that are shown as diagrams.
    positions: Vec<&'a GameSelector>,
}

impl<'a> Shown<'a> {
    fn of(exhibits: &'a [Exhibit], stage: &str, game: Option<String>) -> Option<Shown<'a>> {
        let shows = exhibits.iter().map(|exhibit| exhibit.show.about()).filter(|about| about.unit == Unit::Games);
        let shows: Vec<About<'_>> = shows.filter(|about| about.stage() == stage).collect();
        let positions = shows.iter().flat_map(|about| about.positions).collect();
        (!shows.is_empty()).then(|| Shown { game: game.unwrap_or_default(), positions })
    }

    /// The plies of a game that are shown as diagrams; `met` counts the games that match each of the positions.
    fn plies(&self, players: &[String], record: &Record, met: &mut [u32]) -> BTreeSet<(usize, PositionView)> {
        let winner = match record.outcome {
            Outcome::Win(side) => &players[record.players[side.index()]],
            Outcome::Draw => DRAW,
        };
        let names = record.players.map(|player| players[player].as_str());
        let fits = |sample: &&GameSelector| sample.fits(&self.game, names, winner);
        let fitting = self.positions.iter().zip(met).filter(|(sample, _)| fits(sample));
        let wanted = fitting.filter_map(|(sample, met)| {
            *met += 1;
            (*met <= sample.number.get()).then(|| (sample.plies(0, record.actions.len()), sample.view))
        });
        wanted.collect()
    }
}

/// The games of a job, if it is finished and has some.
fn games_of(id: &JobId, store: &Store, shown: &Shown<'_>) -> Result<Option<PlayedGames>, ReadError> {
    let bytes = match store.read_or_discard(id, GAMES) {
        // Damage is one job's: the warning is out.
        Err(ReadError::NotDone { .. } | ReadError::NoSuchFile { .. } | ReadError::Damaged { .. }) => return Ok(None),
        result => result?,
    };
    let games = games(&bytes, shown).inspect_err(|error| tracing::warn!("games of {}: {error}", id.directory()));
    Ok(games.ok())
}

fn games(bytes: &[u8], shown: &Shown<'_>) -> Result<PlayedGames, FormatError> {
    let records = Records::open(bytes)?;
    let (players, game) = (records.header().players.clone(), records.header().game.build());
    let Coordinates { columns, rows } = Coordinates::of(&*game);
    // Games of a player against itself are skipped.
    let records = records.filter_map(Result::ok).filter(|record| record.players[0] != record.players[1]);
    let mut met = vec![0; shown.positions.len()];
    let games = records.map(|record| {
        let plies = shown.plies(&players, &record, &mut met);
        drawn(&*game, record, &plies)
    });
    let games = games.collect();
    Ok(PlayedGames { players, columns, rows, games })
}

fn shown_as(shown: PositionView, game: &dyn Game, view: &View) -> BoardPicture {
    match shown {
        PositionView::Board => picture(game, view),
        PositionView::Sites => site_numbers(game),
        PositionView::Tensor => TensorsSpec::default().build(game).picture(),
        PositionView::Moves => TensorsSpec::default().build(game).picture_of_moves(),
    }
}

/// The stones at the start, each action, and the positions after the wanted plies.
fn drawn(game: &dyn Game, record: Record, wanted: &BTreeSet<(usize, PositionView)>) -> Drawn {
    let mut position = game.begin(record.start.as_deref()).expect("the reader has replayed the record");
    let (mut view, mut pictures) = (View::new(), BTreeMap::new());
    position.view(&mut view);
    let stones = view.pieces.iter().enumerate().filter_map(|(site, piece)| Some((site, piece.side()?)));
    let start = stones.collect();
    let mut moves = Vec::with_capacity(record.actions.len());
    for ply in 0..=record.actions.len() {
        for &(_, shown) in wanted.iter().filter(|(at, _)| *at == ply) {
            position.view(&mut view);
            pictures.insert((ply, shown), shown_as(shown, game, &view));
        }
        if let Some(&action) = record.actions.get(ply) {
            let (name, site) = (game.write_move(&*position, action), game.arrival(action));
            moves.push(DrawnMove { side: position.side(), name, site });
            position.play(action);
        }
    }
    Drawn { start, moves, record, pictures }
}
