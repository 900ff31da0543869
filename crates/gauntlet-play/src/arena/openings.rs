//! Openings of pairs of games, so that deterministic players do not replay one game.
//!
//! An opening never ends the game. Random openings are drawn afresh for every pair of a tournament, so that pairs are
//! independent observations; every match goes through listed ones in order.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use gauntlet_games::base::{Action, Seed};
use gauntlet_games::formats::{FormatError, Opening, openings};
use gauntlet_games::games::{Game, GameSpec};

/// The source of openings, as a manifest writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OpeningsSpec {
    /// Every game starts from the starting position.
    #[default]
    None,
    /// Uniformly random legal actions.
    Random(RandomOpenings),
    /// A list of openings, each as action names separated by spaces: `["E5 D4", "C3"]`.
    List(Vec<String>),
    /// A file of games or positions beside the manifest: `file = "book.sgf"` or, for the first plies of each
    /// game, `file = { name = "games.pgn", plies = 8 }`.
    File(OpeningsFile),
}

/// Random openings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomOpenings {
    /// Number of plies, both sides counted; even numbers leave the first side to move.
    pub plies: u16,
    /// Whether all matches of a tournament have the same openings. Pairs of games of different matches are not
    /// independent then. Default: no.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub same: bool,
}

/// A file of openings; the manifest's reader adds the text to the name, so that it is part of the settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpeningsFile {
    /// Its name; the extension determines the format: `.sgf`, `.pgn`, `.epd` or `.jsonl`.
    pub name: String,
    /// Plies after which its games are cut. An opening that the file marks ends at its mark, if that is earlier. Default: at
    /// the mark, or no cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plies: Option<u16>,
    /// Its contents.
    pub text: String,
}

/// Errors of openings.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    /// An action that does not exist, or that is not legal in its position.
    #[error("opening {opening}: `{action}` is not a legal action at ply {ply}")]
    Illegal {
        /// Its number in the list, from 1.
        opening: usize,
        /// The ply in the opening, from 1.
        ply: usize,
        /// The action as written.
        action: String,
    },
    /// The opening ends the game.
    #[error("{opening}: the game is over before a player has a move")]
    Over {
        /// Its file, if it has one, its number, from 1, and its name, if it has one.
        opening: String,
    },
    /// The limit of plies ends every game after the opening.
    #[error(
        "{opening} has {plies} plies, and `max-plies = {most}` ends its games before a player has a move: take {} or \
         more, or a shorter opening", plies + 1
    )]
    Capped {
        /// As of [`OpeningError::Over`]; `a random opening` for drawn ones.
        opening: String,
        /// Its number of plies.
        plies: usize,
        /// The limit.
        most: u32,
    },
    /// Random play ends earlier.
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
        /// The reason.
        error: FormatError,
    },
}

/// Maximum number of attempts at a random opening that does not end the game.
const ATTEMPTS: u64 = 1000;

/// Openings, checked against the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Openings {
    /// No openings.
    Start,
    /// Random plies.
    Random(RandomOpenings),
    /// Listed openings; at least one.
    Book(Vec<Opening>),
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
            OpeningsSpec::Random(random) => {
                let openings = Openings::Random(*random);
                openings.of(&*game, 0, 0, &Seed::new(0)).map(|_| openings)
            }
            OpeningsSpec::List(texts) if texts.is_empty() => Err(OpeningError::Empty("the list".to_owned())),
            OpeningsSpec::List(texts) => {
                let book = texts.iter().enumerate().map(|(at, text)| parse(at + 1, text, &*game));
                book.collect::<Result<_, _>>().map(Openings::Book)
            }
            OpeningsSpec::File(file) => file.read(spec),
        }
    }

    /// Checks that built openings leave a move to a player of games with at most this many plies.
    ///
    /// # Errors
    /// [`OpeningError::Capped`] for the first one that does not.
    pub fn check_within(&self, openings: &Openings, most: u32) -> Result<(), OpeningError> {
        let file = if let OpeningsSpec::File(file) = self { Some(&*file.name) } else { None };
        let is_long = |plies: usize| plies >= most as usize;
        let found = match openings {
            Openings::Start => None,
            Openings::Random(random) => Some(("a random opening".to_owned(), usize::from(random.plies))),
            Openings::Book(book) => {
                let long = book.iter().position(|opening| is_long(opening.actions.len()));
                long.map(|at| (described(file, book, at), book[at].actions.len()))
            }
        };
        match found.filter(|(_, plies)| is_long(*plies)) {
            Some((opening, plies)) => Err(OpeningError::Capped { opening, plies, most }),
            None => Ok(()),
        }
    }
}

impl OpeningsFile {
    fn read(&self, spec: &GameSpec) -> Result<Openings, OpeningError> {
        let name = || self.name.clone();
        let read = openings(&self.name, self.text.as_bytes(), spec, self.plies.map(usize::from));
        let book = read.map_err(|error| OpeningError::File { name: name(), error })?;
        let game = spec.build();
        match book.iter().position(|opening| opening.is_over(&*game)) {
            Some(at) => Err(OpeningError::Over { opening: described(Some(&self.name), &book, at) }),
            None if book.is_empty() => Err(OpeningError::Empty(name())),
            None => Ok(Openings::Book(book)),
        }
    }
}

/// The display text of a listed opening: its file, if it has one, its number, from 1, and its name, if it has one.
fn described(file: Option<&str>, book: &[Opening], at: usize) -> String {
    let file = file.map_or(String::new(), |file| format!("{file}, "));
    let named = book[at].name.as_ref().map_or(String::new(), |name| format!(" ({name})"));
    format!("{file}opening {}{named}", at + 1)
}

fn parse(opening: usize, text: &str, game: &dyn Game) -> Result<Opening, OpeningError> {
    let (mut position, mut actions) = (game.start(), Vec::new());
    for (at, name) in text.split_whitespace().enumerate() {
        let illegal = || OpeningError::Illegal { opening, ply: at + 1, action: name.to_owned() };
        let action = game.read_move(&*position, name).ok_or_else(illegal)?;
        position.play(action);
        actions.push(action);
    }
    match position.outcome() {
        Some(_) => Err(OpeningError::Over { opening: format!("opening {opening}") }),
        None => Ok(Opening { actions, ..Opening::default() }),
    }
}

impl RandomOpenings {
    /// This number of plies, drawn afresh for every pair.
    #[must_use]
    pub fn new(plies: u16) -> RandomOpenings {
        RandomOpenings { plies, same: false }
    }
}

impl Openings {
    /// Whether all matches of a tournament have the same ones though they are drawn.
    #[must_use]
    pub fn are_same(&self) -> bool {
        matches!(self, Openings::Random(RandomOpenings { same: true, .. }))
    }

    /// The opening of a pair: number `pair` of its tournament, number `turn` of its match, from 0.
    ///
    /// # Errors
    /// [`OpeningError::TooLong`] if random play always ends the game too early.
    pub fn of(&self, game: &dyn Game, pair: u64, turn: usize, seed: &Seed) -> Result<Opening, OpeningError> {
        match self {
            Openings::Start => Ok(Opening::default()),
            Openings::Book(book) => Ok(book[turn % book.len()].clone()),
            Openings::Random(RandomOpenings { plies, same }) => {
                let seed = seed.child("opening", if *same { turn as u64 } else { pair });
                let found = (0..ATTEMPTS).find_map(|attempt| random(game, *plies, &seed.child("attempt", attempt)));
                let actions = found.ok_or(OpeningError::TooLong(*plies))?;
                Ok(Opening { actions, ..Opening::default() })
            }
        }
    }
}

/// Random actions that do not end the game; `None` if they did.
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
        let openings = OpeningsSpec::Random(RandomOpenings::new(9)).build(&gomoku()).unwrap();
        let of = |pair| openings.of(&*game, pair, 0, &seed).unwrap().actions;
        assert_eq!(of(3), of(3));
        let distinct: std::collections::HashSet<_> = (0..100).map(of).collect();
        assert!(distinct.len() == 100 && distinct.iter().all(|opening| opening.len() == 9));
        let same = OpeningsSpec::Random(RandomOpenings { plies: 9, same: true }).build(&gomoku()).unwrap();
        let of_turn = |pair, turn| same.of(&*game, pair, turn, &seed).unwrap().actions;
        assert_eq!((of_turn(3, 0), of_turn(7, 1)), (of_turn(4, 0), of_turn(0, 1)));
        assert_eq!((of_turn(3, 0) == of_turn(3, 1), of_turn(5, 0)), (false, of(0)));
        let error = OpeningsSpec::Random(RandomOpenings::new(25)).build(&gomoku()).unwrap_err();
        assert_eq!(error.to_string(), "no random opening of 25 plies was found that leaves a game to play");
    }

    #[test]
    fn listed_openings_are_checked_and_gone_through() {
        let openings = list(&["C3 C4", "", "a1"]).unwrap();
        let game = gomoku().build();
        let lengths = (0..4).map(|turn| openings.of(&*game, 0, turn, &Seed::new(1)).unwrap().actions.len());
        assert_eq!(lengths.collect::<Vec<_>>(), [2, 0, 1, 2]);
        assert_eq!(list(&["A1", "B2 B2"]).unwrap_err().to_string(), "opening 2: `B2` is not a legal action at ply 2");
        assert!(list(&["A1 A5 B1 B5 C1 C5 D1"]).unwrap_err().to_string().contains("over before a player has a move"));
        assert_eq!(list(&[]).unwrap_err().to_string(), "there are no openings in the list");
    }

    /// Moves are read in the usual notation of their position.
    #[test]
    fn openings_of_chess_are_listed_in_its_notation() {
        let chess: GameSpec = toml::from_str("chess = {}").unwrap();
        let list = |text: &str| OpeningsSpec::List(vec![text.to_owned()]).build(&chess);
        assert_eq!(list("e4 c5 Nf3").unwrap(), list("e2e4 c7c5 g1f3").unwrap());
        assert_eq!(list("e4 e4").unwrap_err().to_string(), "opening 1: `e4` is not a legal action at ply 2");
    }

    fn file(name: &str, plies: Option<u16>, text: &str) -> Result<Openings, OpeningError> {
        OpeningsSpec::File(OpeningsFile { name: name.into(), plies, text: text.into() }).build(&gomoku())
    }

    #[test]
    fn a_file_of_openings_is_named_in_its_mistakes() {
        let opening = Opening { actions: vec![Action(5)], ..Opening::default() };
        assert_eq!(file("book.sgf", None, "(;GM[4]SZ[5];B[ab])").unwrap(), Openings::Book(vec![opening]));
        let error = |name, text| file(name, None, text).unwrap_err().to_string();
        assert_eq!(error("book.sgf", ""), "book.sgf, line 1: expected `(;`, found the end of the file");
        assert_eq!(error("book.pgn", "\n1. A1 A2 B1\n2. A1 *"), "book.pgn, line 3: move 4, A1, is not legal");
        let won = "25 x;\n5/oxxxx/5/5/5 o id \"four\";\n";
        assert_eq!(error("book.epd", won), "book.epd, opening 2 (four): the game is over before a player has a move");
        assert_eq!(error("book.epd", "# nothing\n"), "there are no openings in book.epd");
    }

    #[test]
    fn openings_leave_a_move_within_the_limit_of_plies() {
        let listed = OpeningsSpec::List(vec!["C3".to_owned(), "C3 C4".to_owned()]);
        let text = "1. A1 A5 2. B1 *\n\n1. A1 *\n".to_owned();
        let file = OpeningsSpec::File(OpeningsFile { name: "book.pgn".to_owned(), plies: None, text });
        for (spec, plies, opening) in [
            (OpeningsSpec::Random(RandomOpenings::new(2)), 2, "a random opening"),
            (listed, 2, "opening 2"),
            (file, 3, "book.pgn, opening 1"),
        ] {
            let openings = spec.build(&gomoku()).unwrap();
            let error = spec.check_within(&openings, plies).unwrap_err().to_string();
            let expected = format!(
                "{opening} has {plies} plies, and `max-plies = {plies}` ends its games before a player has a move: \
                 take {} or more, or a shorter opening",
                plies + 1
            );
            assert_eq!(error, expected);
            spec.check_within(&openings, plies + 1).unwrap();
        }
        OpeningsSpec::None.check_within(&Openings::Start, 1).unwrap();
    }

    #[test]
    fn games_are_cut_where_the_manifest_says() {
        let won = "1. A1 A5 2. B1 B5 3. C1 C5 4. D1 1-0";
        assert!(file("games.pgn", None, won).unwrap_err().to_string().contains("over before"));
        let Openings::Book(book) = file("games.pgn", Some(3), won).unwrap() else { panic!("a book") };
        assert_eq!(book[0].actions.len(), 3);
        assert!(file("games.pgn", Some(3), "1. A1 A5 2. B1 nonsense").is_ok(), "what is cut off is not read");
    }
}
