//! The pages by their paths: the page itself with its script and style, the runs under way, and recorded games.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::json;

use crate::app::live::{Advisers, LiveReader, RecordedGame, fragment, games_of, listed, replay, replayed};
use crate::store::Store;

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
    /// The game that is replayed, with the advisers of its players, which take long to build.
    replayed: Mutex<Option<Replayed>>,
}

/// A game that is replayed.
struct Replayed {
    directory: String,
    number: usize,
    game: RecordedGame,
    /// By the place of the player; `None` if it has none.
    advisers: Vec<(usize, Option<Advisers>)>,
}

impl Pages {
    /// The pages of this tree.
    pub fn new(store: Store, results: String) -> Pages {
        Pages { store, results, reader: Mutex::default(), replayed: Mutex::default() }
    }

    /// The page at a path; `None` if there is none.
    pub fn content(&self, url: &str) -> Option<Content> {
        let path = url.split(['?', '#']).next().unwrap_or_default();
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        match parts.as_slice() {
            [] => Some(text("text/html; charset=utf-8", include_str!("page.html"))),
            ["page.js"] => Some(text("text/javascript; charset=utf-8", include_str!("page.js"))),
            ["page.css"] => Some(text("text/css; charset=utf-8", include_str!("page.css"))),
            ["live"] => Some(self.live()),
            ["games"] => json_of(&json!(listed(&self.store).ok()?)),
            ["games", directory] => {
                let titles = games_of(&self.store, directory, MOST_GAMES);
                json_of(&titles.map_or_else(|error| json!({ "error": error.to_string() }), |titles| json!(titles)))
            }
            ["games", directory, number] => self.game(directory, number.parse().ok()?),
            ["games", directory, number, ply] => self.advice(directory, number.parse().ok()?, ply.parse().ok()?),
            _ => None,
        }
    }

    /// The runs under way as a part of the page, with the time.
    fn live(&self) -> Content {
        let runs = locked(&self.reader).read(&self.store, None);
        let now = jiff::Timestamp::now().strftime("%H:%M:%S UTC");
        let state = match runs.len() {
            0 => format!("No run is active in {}.", self.results),
            1 => format!("One run is active in {}.", self.results),
            number => format!("{number} runs are active in {}.", self.results),
        };
        let value = json!({ "state": format!("{state} As of {now}."), "runs": fragment(&runs) });
        Content { kind: JSON, bytes: value.to_string().into_bytes() }
    }

    fn game(&self, directory: &str, number: usize) -> Option<Content> {
        let game = match replay(&self.store, directory, number) {
            Ok(game) => game?,
            Err(error) => return json_of(&json!({ "error": error.to_string() })),
        };
        let value = replayed(&game);
        let (directory, advisers) = (directory.to_owned(), Vec::new());
        *locked(&self.replayed) = Some(Replayed { directory, number, game, advisers });
        json_of(&value)
    }

    /// The policy and the value of the player to move in the position after `ply` actions.
    fn advice(&self, directory: &str, number: usize, ply: usize) -> Option<Content> {
        let mut current = locked(&self.replayed);
        let current = current.as_mut().filter(|it| it.directory == directory && it.number == number)?;
        let place = *current.game.movers.get(ply)?;
        if !current.advisers.iter().any(|(known, _)| *known == place) {
            current.advisers.push((place, Advisers::new(&self.store, directory, place)));
        }
        let advisers = current.advisers.iter_mut().find(|(known, _)| *known == place);
        let advice = advisers.and_then(|(_, advisers)| advisers.as_mut()?.advise(&current.game, ply));
        json_of(&json!({ "player": current.game.header.players[place], "advice": advice }))
    }
}

const JSON: &str = "application/json";

fn json_of(value: &serde_json::Value) -> Option<Content> {
    Some(Content { kind: JSON, bytes: value.to_string().into_bytes() })
}

fn text(kind: &'static str, text: &str) -> Content {
    Content { kind, bytes: text.as_bytes().to_vec() }
}

/// A lock whose holder has panicked is still a lock: readers only show.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
