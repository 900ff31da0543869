//! The choice of a game, as in a manifest.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ludemes::spec::LudemeSpec;
use super::{
    AtariGoSpec, BreakthroughSpec, ChessSpec, ConnectFourSpec, Game, GoSpec, GomokuSpec, HexSpec, MnkSpec, OthelloSpec,
    PenteSpec,
};

/// A game and its settings: `{ atari-go = { size = 7 } }`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GameSpec {
    /// Go without passing, where the first capture wins.
    AtariGo(AtariGoSpec),
    /// Five in a row.
    Gomoku(GomokuSpec),
    /// Five in a row, or five captured pairs.
    Pente(PenteSpec),
    /// A number of stones in a row on a board of any small size.
    Mnk(MnkSpec),
    /// Four in a row, of discs that fall.
    ConnectFour(ConnectFourSpec),
    /// Discs that turn lines of discs over.
    Othello(OthelloSpec),
    /// Go.
    Go(GoSpec),
    /// Chess, and Gardner's minichess.
    Chess(ChessSpec),
    /// Stones that join two edges.
    Hex(HexSpec),
    /// Pawns that have to reach the far row.
    Breakthrough(BreakthroughSpec),
    /// A game described by ludemes: a built-in description or your own.
    Ludeme(LudemeSpec),
}

impl GameSpec {
    /// The game.
    #[must_use]
    pub fn build(&self) -> Arc<dyn Game> {
        match self {
            GameSpec::AtariGo(spec) => Arc::new(spec.build()),
            GameSpec::Gomoku(spec) => Arc::new(spec.build()),
            GameSpec::Pente(spec) => Arc::new(spec.build()),
            GameSpec::Mnk(spec) => Arc::new(spec.build()),
            GameSpec::ConnectFour(spec) => Arc::new(spec.build()),
            GameSpec::Othello(spec) => spec.build(),
            GameSpec::Go(spec) => Arc::new(spec.build()),
            GameSpec::Chess(spec) => Arc::new(spec.build()),
            GameSpec::Hex(spec) => Arc::new(spec.build()),
            GameSpec::Breakthrough(spec) => Arc::new(spec.build()),
            GameSpec::Ludeme(spec) => spec.build(),
        }
    }

    /// The same rules on a board of `size` rows and as many columns.
    ///
    /// # Errors
    /// If the game has no such board; the message is a sentence for the user.
    pub fn resized(&self, size: u32) -> Result<GameSpec, String> {
        let mut written = serde_json::to_value(self).map_err(|error| error.to_string())?;
        let settings = written.as_object_mut().and_then(|tags| tags.values_mut().next());
        if matches!(self, GameSpec::Ludeme(_)) {
            return Err("a described game has the board of its description; choose another by its options".into());
        }
        let settings =
            settings.and_then(|settings| settings.as_object_mut()).expect("a game is a tag with its settings");
        let sizes = if settings.contains_key("size") { &["size"][..] } else { &["rows", "columns"] };
        sizes.iter().for_each(|key| drop(settings.insert((*key).to_owned(), size.into())));
        serde_json::from_value(written).map_err(|error| error.to_string())
    }

    /// Small examples of every game and setting, for tests over all games.
    #[must_use]
    pub fn examples() -> Vec<GameSpec> {
        serde_json::from_str(include_str!("examples.json")).expect("the examples are well-formed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<GameSpec, toml::de::Error> {
        toml::from_str::<std::collections::BTreeMap<String, GameSpec>>(text)
            .map(|mut games| games.remove("game").expect("the text has a game"))
    }

    #[test]
    fn a_manifest_names_a_game_and_its_size() {
        assert_eq!(read("game.atari-go = { size = 7 }").unwrap().build().name(), "atari-go 7x7");
        assert_eq!(read("game.gomoku = { size = 9 }").unwrap().build().name(), "gomoku 9x9");
        assert_eq!(read("game.gomoku = { size = 9, row = 4 }").unwrap().build().name(), "gomoku 9x9 row 4");
        assert_eq!(read("game.pente = { size = 7, rules = \"paper\" }").unwrap().build().name(), "pente 7x7 paper");
        for (count, name) in [(0, "chess 8x8 repetitions 0"), (2, "chess 8x8 repetitions 2"), (3, "chess 8x8")] {
            assert_eq!(read(&format!("game.chess = {{ repetitions = {count} }}")).unwrap().build().name(), name);
        }
    }

    #[test]
    fn invalid_games_report_key_and_reason() {
        for (text, message) in [
            ("game.atari-go = { size = 4 }", "board size 4 is outside 5 to 25"),
            ("game.othello = { size = 3 }", "othello board size 3 is outside 4 to 350"),
            ("game.go = { size = 9, komi = 7.2 }", "komi 7.2 is not a multiple of 0.5"),
            ("game.pente = { size = 7, rule = \"paper\" }", "unknown field `rule`"),
            ("game.chess = { size = 6 }", "there is no chess on a board of size 6"),
            ("game.chess = { repetitions = 1 }", "`repetitions = 1` draws every game at its start: take 2 or more"),
            ("game.shogi = { size = 9 }", "unknown variant `shogi`"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn the_same_rules_have_other_boards() {
        for spec in GameSpec::examples() {
            let other = spec.resized(8).unwrap();
            assert_eq!(other.resized(8).ok(), Some(other.clone()));
            assert_eq!(other.resized(9).ok(), spec.resized(9).ok());
            let sites = |spec: &GameSpec| spec.build().topology().sites();
            assert!(spec.resized(9).is_err() || sites(&other) < sites(&spec.resized(9).unwrap()));
        }
        let error = GameSpec::examples()[0].resized(3).unwrap_err();
        assert!(error.contains("board size 3 is outside 5 to 25"), "{error}");
    }

    #[test]
    fn written_games_are_read_back() {
        for spec in GameSpec::examples() {
            let text = serde_json::to_string(&spec).unwrap();
            assert_eq!(serde_json::from_str::<GameSpec>(&text).unwrap(), spec);
        }
    }
}
