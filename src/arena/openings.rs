//! What the two games of a pair begin with, so that deterministic players do not replay one game.
//!
//! An opening never ends the game. Random openings are drawn afresh for every pair of a tournament, so that pairs are
//! independent observations; listed ones are gone through in order by every match.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::base::{Action, Seed};
use crate::formats::{FormatError, openings};
use crate::games::{Game, GameSpec};

/// Where openings come from, as a manifest writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OpeningsSpec {
    /// Every game begins at the start.
    #[default]
    None,
    /// Uniformly random legal actions.
    Random(RandomOpenings),
    /// Given ones, each as action names between spaces: `["E5 D4", "C3"]`.
    List(Vec<String>),
    /// Those of a file of games: `file = "book.sgf"`, beside the manifest.
    File(OpeningsFile),
}

/// Random openings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomOpenings {
    /// Number of plies, both sides counted; even numbers leave the first side to move.
    pub plies: u16,
}

/// A file of openings; the manifest's reader puts the text in the place of the name, so that it counts as a setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpeningsFile {
    /// Its name, which tells the format: `.sgf` or `.jsonl`.
    pub name: String,
    /// What it holds.
    pub text: String,
}

/// Openings that cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    /// An action that nobody knows, or that is not legal there.
    #[error("opening {opening}: `{action}` is no legal action at ply {ply}")]
    Illegal {
        /// Its number in the list, from 1.
        opening: usize,
        /// Where in the opening, from 1.
        ply: usize,
        /// The action as written.
        action: String,
    },
    /// The game is over with the opening.
    #[error("opening {0}: the game is over before anybody is asked")]
    Over(usize),
    /// Random play does not get so far.
    #[error("no random opening of {0} plies was found that leaves a game to play")]
    TooLong(u16),
    /// A list without openings.
    #[error("there are no openings in {0}")]
    Empty(String),
    /// A file that cannot be read.
    #[error("{name}, {error}")]
    File {
        /// Its name.
        name: String,
        /// Why not.
        error: FormatError,
    },
}

/// Random openings that end the game are drawn again, at most this often.
const ATTEMPTS: u64 = 1000;

/// Openings, checked against the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Openings {
    /// None.
    Start,
    /// So many random plies.
    Random(u16),
    /// Given ones; at least one.
    Book(Vec<Vec<Action>>),
}

impl OpeningsSpec {
    /// Checks the openings against the rules.
    ///
    /// # Errors
    /// [`OpeningError`] for the first one that cannot be played.
    pub fn build(&self, spec: &GameSpec) -> Result<Openings, OpeningError> {
        let game = spec.build();
        match self {
            OpeningsSpec::None => Ok(Openings::Start),
            OpeningsSpec::Random(RandomOpenings { plies }) => {
                let openings = Openings::Random(*plies);
                openings.of(&*game, 0, 0, &Seed::new(0)).map(|_| openings)
            }
            OpeningsSpec::List(texts) if texts.is_empty() => Err(OpeningError::Empty("the list".to_owned())),
            OpeningsSpec::List(texts) => {
                let book = texts.iter().enumerate().map(|(at, text)| parse(at + 1, text, &*game));
                book.collect::<Result<_, _>>().map(Openings::Book)
            }
            OpeningsSpec::File(OpeningsFile { name, text }) => of_file(name, text, spec),
        }
    }
}

fn of_file(name: &str, text: &str, spec: &GameSpec) -> Result<Openings, OpeningError> {
    let read = openings(name, text.as_bytes(), spec);
    let book = read.map_err(|error| OpeningError::File { name: name.to_owned(), error })?;
    let game = spec.build();
    let is_over = |actions: &Vec<Action>| {
        let mut position = game.start();
        actions.iter().for_each(|&action| position.play(action));
        position.outcome().is_some()
    };
    match book.iter().position(is_over) {
        Some(at) => Err(OpeningError::Over(at + 1)),
        None if book.is_empty() => Err(OpeningError::Empty(name.to_owned())),
        None => Ok(Openings::Book(book)),
    }
}

fn parse(opening: usize, text: &str, game: &dyn Game) -> Result<Vec<Action>, OpeningError> {
    let (mut position, mut legal, mut actions) = (game.start(), Vec::new(), Vec::new());
    for (at, name) in text.split_whitespace().enumerate() {
        legal.clear();
        position.actions(&mut legal);
        let known = game.parse_action(name).filter(|action| legal.contains(action));
        let illegal = || OpeningError::Illegal { opening, ply: at + 1, action: name.to_owned() };
        let action = known.ok_or_else(illegal)?;
        position.play(action);
        actions.push(action);
    }
    if position.outcome().is_some() { Err(OpeningError::Over(opening)) } else { Ok(actions) }
}

impl Openings {
    /// The opening of a pair: number `pair` of its tournament, number `turn` of its match, from 0.
    ///
    /// # Errors
    /// [`OpeningError::TooLong`] when random play always ends the game too soon.
    pub fn of(&self, game: &dyn Game, pair: u64, turn: usize, seed: &Seed) -> Result<Vec<Action>, OpeningError> {
        match self {
            Openings::Start => Ok(Vec::new()),
            Openings::Book(book) => Ok(book[turn % book.len()].clone()),
            Openings::Random(plies) => {
                let seed = seed.child("opening", pair);
                let found = (0..ATTEMPTS).find_map(|attempt| random(game, *plies, &seed.child("attempt", attempt)));
                found.ok_or(OpeningError::TooLong(*plies))
            }
        }
    }
}

/// Random actions that do not end the game; `None` when they did.
fn random(game: &dyn Game, plies: u16, seed: &Seed) -> Option<Vec<Action>> {
    let (mut position, mut rng, mut actions) = (game.start(), seed.rng(), Vec::new());
    while actions.len() < usize::from(plies) && position.outcome().is_none() {
        let action = position.random_action(&mut rng);
        position.play(action);
        actions.push(action);
    }
    position.outcome().is_none().then_some(actions)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gomoku() -> GameSpec {
        serde_json::from_str(r#"{"gomoku":{"size":5,"row":4}}"#).unwrap()
    }

    fn list(texts: &[&str]) -> Result<Openings, OpeningError> {
        OpeningsSpec::List(texts.iter().map(|text| (*text).to_owned()).collect()).build(&gomoku())
    }

    #[test]
    fn random_openings_depend_on_the_pair_and_leave_a_game() {
        let (game, seed) = (gomoku().build(), Seed::new(1));
        let openings = OpeningsSpec::Random(RandomOpenings { plies: 9 }).build(&gomoku()).unwrap();
        let of = |pair| openings.of(&*game, pair, 0, &seed).unwrap();
        assert_eq!(of(3), of(3));
        let distinct: std::collections::HashSet<_> = (0..100).map(of).collect();
        assert!(distinct.len() == 100 && distinct.iter().all(|opening| opening.len() == 9));
        let error = OpeningsSpec::Random(RandomOpenings { plies: 25 }).build(&gomoku()).unwrap_err();
        assert_eq!(error.to_string(), "no random opening of 25 plies was found that leaves a game to play");
    }

    #[test]
    fn listed_openings_are_checked_and_gone_through() {
        let openings = list(&["C3 C4", "", "a1"]).unwrap();
        let game = gomoku().build();
        let lengths = (0..4).map(|turn| openings.of(&*game, 0, turn, &Seed::new(1)).unwrap().len());
        assert_eq!(lengths.collect::<Vec<_>>(), [2, 0, 1, 2]);
        assert_eq!(list(&["A1", "B2 B2"]).unwrap_err().to_string(), "opening 2: `B2` is no legal action at ply 2");
        assert!(list(&["A1 A5 B1 B5 C1 C5 D1"]).unwrap_err().to_string().contains("over before anybody"));
        assert_eq!(list(&[]).unwrap_err().to_string(), "there are no openings in the list");
    }

    #[test]
    fn a_file_of_openings_is_named_in_its_mistakes() {
        let file = |text: &str| {
            OpeningsSpec::File(OpeningsFile { name: "book.sgf".into(), text: text.into() }).build(&gomoku())
        };
        assert_eq!(file("(;GM[4]SZ[5];B[ab])").unwrap(), Openings::Book(vec![vec![Action(5)]]));
        assert_eq!(file("").unwrap_err().to_string(), "book.sgf, line 1: expected `(`, found the end of the file");
    }
}
