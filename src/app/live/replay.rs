//! Recorded games: the last one of a running job, and those of finished jobs, ply by ply.

use serde::Serialize;

use gauntlet_games::base::{BoardPicture, Ending, Outcome, Record, Side, visible};
use gauntlet_games::formats::records::{Records, RecordsHeader, write};
use gauntlet_games::games::{Game, View, diagram, picture, sign};
use gauntlet_plan::manifest::plan::identity::KeyInputs;
use gauntlet_run::scheduler::{GAMES, LiveJob};
use gauntlet_store::{Store, read_path};

/// The last game of a running job.
#[derive(Debug, Clone)]
pub struct ShownGame {
    /// Its players and its result: `a X, b O: X wins after 61 plies`.
    pub title: String,
    /// Its last position for a terminal.
    pub text: String,
    /// Its last position as a picture.
    pub picture: BoardPicture,
}

/// A recorded game, ply by ply.
#[derive(Debug, Clone)]
pub struct RecordedGame {
    /// Its players and its result.
    pub title: String,
    /// The position before the first action, and that after each one.
    pub positions: Vec<BoardPicture>,
    /// The name of each action.
    pub moves: Vec<String>,
    /// The place of each action's player in the list of players.
    pub movers: Vec<usize>,
    /// The record.
    pub record: Record,
    /// Header of its file.
    pub header: RecordsHeader,
}

/// The games of a finished job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecordedGames {
    /// The directory of the job.
    pub directory: String,
    /// The size of the file, in bytes.
    pub bytes: u64,
}

/// The last game of a running job; none if it has reported none. The record comes from another process, and is read
/// like any file of games, by the rules.
pub fn last_game(job: &LiveJob, inputs: &KeyInputs) -> Option<ShownGame> {
    let record = job.progress.game.as_ref()?;
    let described = inputs.spec.job();
    let (spec, known) = (described.game()?, described.players());
    let name = |player: usize| known.get(player).or(known.first()).map(|(role, _)| (*role).to_owned());
    let names: Vec<String> = (0..=record.players[0].max(record.players[1])).filter_map(name).collect();
    let header = RecordsHeader::new(spec, names);
    let bytes = write(&header, [record]);
    let record = Records::open(bytes.as_slice()).ok()?.next()?.ok()?;
    let (view, game) = last_view(&record, &header)?;
    Some(ShownGame {
        title: title(&record, &header.players),
        text: diagram(&*game, &view, &[], |_, text| text),
        picture: picture(&*game, &view),
    })
}

fn last_view(record: &Record, header: &RecordsHeader) -> Option<(View, std::sync::Arc<dyn Game>)> {
    let game = header.game.build();
    let mut position = game.begin(record.start.as_deref()).ok()?;
    record.actions.iter().for_each(|&action| position.play(action));
    let mut view = View::new();
    position.view(&mut view);
    Some((view, game))
}

/// `first X, second O: X wins after 61 plies`.
fn title(record: &Record, names: &[String]) -> String {
    let [first, second] = record.players.map(|player| visible(&names[player]));
    let (x, o) = (sign(Some(Side::First)), sign(Some(Side::Second)));
    let result = match record.outcome {
        Outcome::Win(side) => format!("{} wins", sign(Some(side))),
        Outcome::Draw => "a draw".to_owned(),
    };
    let ending = match record.ending {
        Ending::Rules => "",
        Ending::MaxPlies => ", adjudicated",
        Ending::Resigned => " by resignation",
        Ending::Agreed => ", as both players agreed",
        Ending::Time => " on time",
    };
    let plies = match record.actions.len() {
        1 => "1 ply".to_owned(),
        number => format!("{number} plies"),
    };
    format!("{first} {x}, {second} {o}: {result}{ending} after {plies}")
}

/// The finished jobs of a results tree with recorded games, by the names of their directories.
///
/// # Errors
/// If the store cannot be listed.
pub fn listed(store: &Store) -> anyhow::Result<Vec<RecordedGames>> {
    let of = |directory: String| {
        let (_, bytes) = store.file_mark(&directory, GAMES)?;
        store.is_finished(&directory).then_some(RecordedGames { directory, bytes })
    };
    Ok(store.directories()?.into_iter().filter_map(of).collect())
}

/// The titles of the games of a finished job, at most this many.
///
/// # Errors
/// If the job has no games, or they are damaged.
pub fn games_of(store: &Store, directory: &str, most: usize) -> anyhow::Result<Vec<String>> {
    let bytes = read(store, directory)?;
    let records = of_job(store, directory, &bytes)?;
    let names = records.header().players.clone();
    Ok(records
        .take(most)
        .map(|record| record.map_or_else(|error| error.to_string(), |it| title(&it, &names)))
        .collect())
}

/// One game of a finished job; none if it has fewer.
///
/// # Errors
/// If the job has no games, or they are damaged.
pub fn replay(store: &Store, directory: &str, number: usize) -> anyhow::Result<Option<RecordedGame>> {
    let bytes = read(store, directory)?;
    let mut records = of_job(store, directory, &bytes)?;
    let header = records.header().clone();
    Ok(records.nth(number).transpose()?.map(|record| played(record, header)))
}

/// The games of a job, checked against their hash.
fn read(store: &Store, directory: &str) -> anyhow::Result<Vec<u8>> {
    anyhow::ensure!(store.file_mark(directory, GAMES).is_some(), "{} has no recorded games", visible(directory));
    Ok(read_path(&store.root().join("jobs").join(directory).join(GAMES))?)
}

/// The records of a job. Its players cannot judge positions of another game, which a foreign file may hold.
fn of_job<'b>(store: &Store, directory: &str, bytes: &'b [u8]) -> anyhow::Result<Records<&'b [u8]>> {
    let records = Records::open(bytes)?;
    let inputs: Option<KeyInputs> = store.key_inputs_in(directory).ok().flatten();
    if let Some(own) = inputs.and_then(|inputs| inputs.spec.job().game()) {
        let found = &records.header().game;
        let [own_name, found_name] = [&own, found].map(|game| game.build().name());
        anyhow::ensure!(
            own == *found,
            "{GAMES} of {} has games of {found_name}, but its job plays {own_name}: the file belongs to another job",
            visible(directory)
        );
    }
    Ok(records)
}

fn played(record: Record, header: RecordsHeader) -> RecordedGame {
    let game = header.game.build();
    let mut position = game.begin(record.start.as_deref()).expect("the reader has replayed the record");
    let mut view = View::new();
    position.view(&mut view);
    let mut positions = vec![picture(&*game, &view)];
    let (mut moves, mut movers) = (Vec::new(), Vec::new());
    for &action in &record.actions {
        moves.push(game.write_move(&*position, action));
        movers.push(record.players[position.side().index()]);
        position.play(action);
        position.view(&mut view);
        positions.push(picture(&*game, &view));
    }
    RecordedGame { title: title(&record, &header.players), positions, moves, movers, record, header }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::Action;

    #[test]
    fn a_recorded_game_is_replayed_ply_by_ply() {
        let spec = toml::from_str("mnk = { rows = 3, columns = 3, row = 3 }").expect("a game");
        let header = RecordsHeader::new(spec, vec!["a".to_owned(), "b".to_owned()]);
        let record = Record::new(0, [1, 0], [0, 3, 1, 4, 2].map(Action).to_vec(), Outcome::Win(Side::First));
        assert_eq!(title(&record, &header.players), "b X, a O: X wins after 5 plies");
        let (view, game) = last_view(&record, &header).expect("a position");
        let board = diagram(&*game, &view, &[], |_, text| text);
        assert_eq!(board.matches('X').count(), 3, "{board}");
        let game = played(record, header);
        assert_eq!((game.positions.len(), game.moves.len(), game.movers), (6, 5, vec![1, 0, 1, 0, 1]));
        let stones: Vec<usize> = game.positions.iter().map(|position| position.pieces.len()).collect();
        assert_eq!(stones, [0, 1, 2, 3, 4, 5]);
    }
}
