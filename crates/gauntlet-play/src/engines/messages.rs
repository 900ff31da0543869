//! The messages of the engine protocol, version 1: one JSON object a line. `docs/engine-protocol.md` specifies them.
//!
//! The harness sends [`ToEngine`], the engine sends [`FromEngine`].

use std::borrow::Cow;

use gauntlet_games::base::Side;
use gauntlet_games::games::GameSpec;
use gauntlet_nets::encoders::{PlanesSpec, TensorsSpec};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version of the protocol.
pub const PROTOCOL: u32 = 1;

/// Maximum length of a line of an engine in bytes, as for records of games.
pub const LONGEST_LINE: usize = 8 << 20;

/// Longest name and longest version of a program, in bytes.
pub const LONGEST_NAME: usize = 200;

/// The most positions of one `think` message that an engine may ask for.
pub const LARGEST_BATCH: usize = 4096;

/// A message to the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ToEngine {
    /// The first message.
    Hello {
        /// Its content.
        hello: HelloToEngine,
    },
    /// The shape of the images that the engine asked for.
    Planes {
        /// The shape.
        planes: PlanesShape,
    },
    /// Positions to decide.
    Think {
        /// The positions.
        think: Vec<Question>,
        /// A number that the answer repeats.
        id: u64,
        /// The budget of each move.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget: Option<Budget>,
    },
    /// Games that are over: the engine may drop their state.
    Over {
        /// Their numbers.
        over: Vec<usize>,
    },
    /// The engine exits.
    Quit {
        /// Always true.
        quit: bool,
    },
    /// The reason for which the harness stops.
    Error {
        /// The reason.
        error: String,
    },
}

/// A message of the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FromEngine<'a> {
    /// The answer to `hello`.
    Hello {
        /// Its content.
        hello: HelloFromEngine,
    },
    /// The answer to `think`.
    Moves {
        /// The answers.
        #[serde(borrow)]
        moves: Vec<Answer<'a>>,
        /// The number of the question; the last one if no answer of the engine has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<u64>,
    },
    /// The engine cannot go on.
    Error {
        /// The reason.
        error: String,
    },
    /// A note for the log.
    Log {
        /// The note.
        log: String,
    },
}

/// The content of the first message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HelloToEngine {
    /// The version of the protocol.
    pub protocol: u32,
    /// Name and version of the program that speaks.
    pub program: String,
    /// The game.
    pub game: GameFacts,
    /// The seed of this player in this job: 64 hexadecimal digits.
    pub seed: String,
    /// The engine's options, from the manifest.
    #[serde(default)]
    pub options: Map<String, Value>,
    /// The directory with the files of the training that it plays with, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artefacts: Option<String>,
}

/// The game, as an engine learns of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GameFacts {
    /// The display name.
    pub name: String,
    /// The kind: `othello`, or `ludeme` for described games.
    pub kind: String,
    /// The game as in a manifest.
    pub spec: GameSpec,
    /// Rows of the board.
    pub rows: usize,
    /// Columns of the board.
    pub columns: usize,
    /// Sites of the board.
    pub sites: usize,
    /// Number of actions.
    pub actions: usize,
    /// The usual names of the sides, first side first.
    pub sides: [String; 2],
}

impl GameFacts {
    /// The facts of a game.
    #[must_use]
    pub fn new(spec: &GameSpec) -> GameFacts {
        let game = spec.build();
        let board = game.topology();
        GameFacts {
            name: game.name(),
            kind: kind(spec),
            spec: spec.clone(),
            rows: board.rows(),
            columns: board.columns(),
            sites: board.sites(),
            actions: game.action_count(),
            sides: Side::BOTH.map(|side| game.side_name(side)),
        }
    }
}

/// The kind of a game: the key of its spec.
fn kind(spec: &GameSpec) -> String {
    let written = serde_json::to_value(spec).unwrap_or_default();
    written.as_object().and_then(|tagged| tagged.keys().next().cloned()).unwrap_or_default()
}

/// The content of the engine's first message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HelloFromEngine {
    /// The version of the protocol.
    pub protocol: u32,
    /// The name, 1 to 200 bytes.
    pub name: String,
    /// The version, at most 200 bytes.
    #[serde(default)]
    pub version: String,
    /// The kinds of games that it plays; any if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<Vec<String>>,
    /// The parts of a position that it reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wants: Option<Vec<Part>>,
    /// The images that it reads, as `planes` of a guided player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planes: Option<PlanesSpec>,
    /// The images that it reads instead, as `tensors` of a guided player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tensors: Option<TensorsSpec>,
    /// The most positions of a `think` message, 1 to [`LARGEST_BATCH`]. Default: 256.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<usize>,
}

/// An optional part of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// All moves since the start.
    Moves,
    /// The position in the game's notation.
    Position,
    /// The legal moves.
    Legal,
}

/// The shape of the images of an encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanesShape {
    /// Channels, rows and columns.
    pub shape: [usize; 3],
    /// Number of logits of a position.
    pub logits: usize,
}

/// A position to decide.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// The number of the game.
    pub game: usize,
    /// Number of moves since the start, including an opening.
    #[serde(default)]
    pub ply: u32,
    /// The side to move.
    #[serde(default = "first")]
    pub side: Side,
    /// A seed for random choices: 64 hexadecimal digits, the same for all moves of this side in this game.
    #[serde(default)]
    pub seed: String,
    /// The starting position, if it is not the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// All moves since the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<Vec<String>>,
    /// The position in the game's notation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// The legal moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal: Option<Vec<String>>,
    /// The image `[channel][row][column]` as one flat list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planes: Option<Vec<f32>>,
    /// For each move of `legal`, the index of its logit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slots: Option<Vec<u32>>,
    /// The clock, in matches with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockTimes>,
}

fn first() -> Side {
    Side::First
}

/// The times of a game with a clock, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ClockTimes {
    /// Time left to the first side.
    pub first_ms: u64,
    /// Time left to the second side.
    pub second_ms: u64,
    /// Time that a side gets for each of its moves.
    pub increment_ms: u64,
}

impl ClockTimes {
    /// Time left to a side.
    #[must_use]
    pub fn left(&self, side: Side) -> u64 {
        [self.first_ms, self.second_ms][side.index()]
    }

    /// The longer of the times left.
    #[must_use]
    pub fn longest(&self) -> u64 {
        self.first_ms.max(self.second_ms)
    }
}

/// The decision of one position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(expecting = "the answer of a position")]
pub struct Answer<'a> {
    /// The number of the game.
    pub game: usize,
    /// A legal move; may be absent if the engine resigns.
    #[serde(rename = "move", borrow, default, skip_serializing_if = "str::is_empty")]
    pub choice: Cow<'a, str>,
    /// Whether the engine gives the game up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resign: bool,
    /// The expected outcome for the side to move, -1 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// A weight of at least 0 for each legal move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Vec<f32>>,
}

/// The budget of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Budget {
    /// Milliseconds.
    TimeMs(u64),
    /// Simulations of a tree search.
    Simulations(u64),
    /// Nodes of a search.
    Nodes(u64),
    /// Depth of a search in plies.
    Depth(u32),
}

/// A message in either direction.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum Message {
    /// A message to the engine.
    ToEngine(ToEngine),
    /// A message of the engine.
    FromEngine(FromEngine<'static>),
}

/// The JSON schema (draft 07) of a message in either direction.
#[must_use]
pub fn schema() -> Value {
    let schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<Message>();
    let mut schema = schema.to_value();
    schema["title"] = Value::from("A message of the engine protocol, version 1");
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_the_form_of_the_specification() {
        let question = r#"{"think":[{"game":0,"ply":0,"side":"first","seed":"07","moves":[],"legal":["d3"]}],"id":1,"budget":{"time-ms":100}}"#;
        let ToEngine::Think { think, id: 1, budget: Some(Budget::TimeMs(100)) } =
            serde_json::from_str(question).unwrap()
        else {
            panic!("a question")
        };
        assert_eq!((think[0].side, think[0].legal.as_deref()), (Side::First, Some(&["d3".to_owned()][..])));
        let again = serde_json::to_string(&ToEngine::Think { think, id: 1, budget: Some(Budget::TimeMs(100)) });
        assert_eq!(again.unwrap(), question);
        let answer = r#"{"moves":[{"game":0,"move":"d3"}],"id":1}"#;
        assert!(matches!(serde_json::from_str(answer).unwrap(), FromEngine::Moves { id: Some(1), .. }));
        let hello = r#"{"hello":{"protocol":1,"name":"a","wants":["legal"],"planes":{}}}"#;
        let FromEngine::Hello { hello } = serde_json::from_str(hello).unwrap() else { panic!("a hello") };
        assert_eq!((hello.wants, hello.planes), (Some(vec![Part::Legal]), Some(PlanesSpec::default())));
        for text in [r#"{"over":[0,1]}"#, r#"{"quit":true}"#, r#"{"error":"no"}"#] {
            assert_eq!(serde_json::to_string(&serde_json::from_str::<ToEngine>(text).unwrap()).unwrap(), text);
        }
    }

    #[test]
    fn a_game_is_known_by_its_kind() {
        let spec: GameSpec = serde_json::from_str(r#"{"othello":{"size":6}}"#).unwrap();
        let facts = GameFacts::new(&spec);
        assert_eq!((facts.kind.as_str(), facts.actions, facts.sites, facts.rows), ("othello", 37, 36, 6));
    }
}
