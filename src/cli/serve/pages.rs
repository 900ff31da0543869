//! The pages by their paths: the page itself with its script and style, the runs under way, and recorded games.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::app::live::{Advisers, LiveReader, RecordedGame, fragment, games_of, listed, replay, replayed};
use gauntlet_games::base::visible_lines;
use gauntlet_store::Store;

/// Most games of a job that are listed.
const MOST_GAMES: usize = 2000;

/// An answer.
pub struct Content {
    /// Its type.
    pub kind: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The pages of a results tree.
pub struct Pages {
    store: Store,
    /// The name of the tree.
    results: String,
    reader: Mutex<LiveReader>,
    /// The game that is replayed.
    replayed: Mutex<Option<Arc<Replayed>>>,
}

/// A game that is replayed, with the advisers of its players, which take long to build.
struct Replayed {
    directory: String,
    number: usize,
    game: RecordedGame,
    /// By the place of the player; `None` if it has none.
    advisers: Mutex<Vec<(usize, Option<Advisers>)>>,
}

impl Pages {
    /// The pages of this tree.
    pub fn new(store: Store, results: String) -> Pages {
        Pages { store, results, reader: Mutex::default(), replayed: Mutex::default() }
    }

    /// The page at a path; `None` if there is none.
    pub fn content(&self, path: &str) -> Option<Content> {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        match parts.as_slice() {
            [] => Some(text("text/html; charset=utf-8", include_str!("page.html"))),
            ["page.js"] => Some(text("text/javascript; charset=utf-8", include_str!("page.js"))),
            ["page.css"] => Some(text("text/css; charset=utf-8", include_str!("page.css"))),
            ["live"] => json_of(self.live()),
            ["games"] => json_of(json!(listed(&self.store).ok()?)),
            ["games", directory] => {
                let titles = games_of(&self.store, directory, MOST_GAMES);
                json_of(titles.map_or_else(|error| json!({ "error": error.to_string() }), |titles| json!(titles)))
            }
            ["games", directory, number] => self.game(directory, number.parse().ok()?),
            ["games", directory, number, ply] => self.advice(directory, number.parse().ok()?, ply.parse().ok()?),
            _ => None,
        }
    }

    /// The runs under way as a part of the page, with the time.
    fn live(&self) -> Value {
        let runs = locked(&self.reader).read(&self.store, None);
        let now = jiff::Timestamp::now().strftime("%H:%M:%S UTC");
        let state = match runs.len() {
            0 => format!("No run is active in {}.", self.results),
            1 => format!("One run is active in {}.", self.results),
            number => format!("{number} runs are active in {}.", self.results),
        };
        json!({ "state": format!("{state} As of {now}."), "runs": fragment(&runs) })
    }

    fn game(&self, directory: &str, number: usize) -> Option<Content> {
        let game = match replay(&self.store, directory, number) {
            Ok(game) => game?,
            Err(error) => return json_of(json!({ "error": error.to_string() })),
        };
        let value = replayed(&game);
        let (directory, advisers) = (directory.to_owned(), Mutex::default());
        *locked(&self.replayed) = Some(Arc::new(Replayed { directory, number, game, advisers }));
        json_of(value)
    }

    /// The policy and the value of the player to move in the position after `ply` actions.
    fn advice(&self, directory: &str, number: usize, ply: usize) -> Option<Content> {
        let current = || locked(&self.replayed).clone().filter(|it| it.directory == directory && it.number == number);
        // Another page may have replayed another game since.
        let current = current().or_else(|| {
            self.game(directory, number)?;
            current()
        })?;
        let place = *current.game.movers.get(ply)?;
        let mut advisers = locked(&current.advisers);
        if !advisers.iter().any(|(known, _)| *known == place) {
            advisers.push((place, Advisers::new(&self.store, directory, place)));
        }
        let of_mover = advisers.iter_mut().find(|(known, _)| *known == place);
        let advice = of_mover.and_then(|(_, advisers)| advisers.as_mut()?.advise(&current.game, ply));
        json_of(json!({ "player": current.game.header.players[place], "advice": advice }))
    }
}

fn json_of(mut value: Value) -> Option<Content> {
    make_visible(&mut value);
    Some(text("application/json", &value.to_string()))
}

/// Escapes characters that turn or hide text, in all texts: names come from engines and foreign files.
fn make_visible(value: &mut Value) {
    match value {
        Value::String(text) => *text = visible_lines(text),
        Value::Array(values) => values.iter_mut().for_each(make_visible),
        Value::Object(values) => values.values_mut().for_each(make_visible),
        _ => {}
    }
}

fn text(kind: &'static str, text: &str) -> Content {
    Content { kind, bytes: text.as_bytes().to_vec() }
}

/// A lock whose holder has panicked is still a lock: readers only show.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
