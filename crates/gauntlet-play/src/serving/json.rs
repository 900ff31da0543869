//! The engine's side of Gauntlet's own protocol: batches of positions of many games.
//!
//! `docs/engine-protocol.md` specifies the messages. A match through the protocol has the same games as one within the
//! program: the player is built with the seed of `hello`, and each side of a game keeps the random stream of its seed
//! until the game is over.

mod timed;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rand::Rng as _;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::thinker::{Limits, MEMORY, Thinker};
use super::{Input, Next, ServedPlayer, Server};
use crate::engines::messages::{
    Answer, Budget, FromEngine, HelloFromEngine, HelloToEngine, LONGEST_NAME, PROTOCOL, Part, Question, ToEngine,
};
use crate::players::{Player, Turn};
use gauntlet_games::base::{Cores, Rng, Seed};
use gauntlet_games::games::{Game, GameSpec, Position};

/// An engine for many games at once.
pub struct JsonServer {
    served: ServedPlayer,
    /// The only game that it plays, if it is limited to one.
    only: Option<GameSpec>,
    cores: Cores,
    session: Option<Session>,
}

/// The session of a `hello`: one game, one seed.
struct Session {
    game: Arc<dyn Game>,
    seed: Seed,
    served: ServedPlayer,
    player: Box<dyn Player>,
    /// The budget that the player has.
    budget: Option<Budget>,
    /// The player for positions with a limit of time or depth, once there was one.
    thinker: Option<Thinker>,
    /// The games under way, by their numbers.
    games: HashMap<usize, ServedGame>,
}

/// A game under way.
struct ServedGame {
    start: Option<String>,
    moves: Vec<String>,
    position: Box<dyn Position>,
    /// The random streams of the sides that were asked, first side first.
    streams: [Option<Rng>; 2],
}

impl ServedGame {
    fn ply(&self) -> u32 {
        u32::try_from(self.moves.len()).unwrap_or(u32::MAX)
    }
}

/// The usual message, read without the detour over all kinds of messages.
#[derive(Deserialize)]
struct Think {
    think: Vec<Question>,
    id: u64,
    #[serde(default)]
    budget: Option<Budget>,
}

impl JsonServer {
    /// An engine with this player, perhaps for one game only. Batches of positions use these cores.
    #[must_use]
    pub fn new(served: ServedPlayer, only: Option<GameSpec>, cores: Cores) -> JsonServer {
        JsonServer { served, only, cores, session: None }
    }

    /// Handles a message; the answer, if it has one, is a message too.
    fn message(&mut self, line: &str) -> Result<Option<FromEngine<'static>>, String> {
        if line.starts_with("{\"think\":") {
            let message: Think = serde_json::from_str(line).map_err(|error| malformed(&error))?;
            return self.think(message).map(Some);
        }
        match read(line)? {
            Some(ToEngine::Hello { hello }) => self.hello(hello).map(Some),
            Some(ToEngine::Think { think, id, budget }) => self.think(Think { think, id, budget }).map(Some),
            Some(ToEngine::Over { over }) => {
                self.session.iter_mut().for_each(|session| over.iter().for_each(|&game| session.forget(game)));
                Ok(None)
            }
            Some(ToEngine::Planes { .. } | ToEngine::Quit { .. } | ToEngine::Error { .. }) | None => Ok(None),
        }
    }

    fn hello(&mut self, hello: HelloToEngine) -> Result<FromEngine<'static>, String> {
        if hello.protocol != PROTOCOL {
            return Err(format!("this engine speaks version {PROTOCOL} of the protocol, not {}", hello.protocol));
        }
        if let Some(only) = self.only.as_ref().filter(|only| **only != hello.game.spec) {
            let (own, asked) = (only.build().name(), hello.game.spec.build().name());
            let asked = if own == asked { "one with other rules or options".to_owned() } else { asked };
            return Err(format!("this engine was started for {own}, not for {asked}; leave --game and --size out"));
        }
        let seed = Seed::from_hex(&hello.seed).ok_or("the seed of `hello` has not 64 hexadecimal digits")?;
        let mut served = self.served.clone();
        set_options(&mut served, &hello.options)?;
        let game = hello.game.spec.build();
        let mut player = served.player(&game, &seed)?;
        player.helped_by(&self.cores);
        let name = shortened(&served.name);
        self.session = Some(Session { game, seed, served, player, budget: None, thinker: None, games: HashMap::new() });
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let wants = Some(vec![Part::Moves]);
        Ok(FromEngine::Hello {
            hello: HelloFromEngine { protocol: PROTOCOL, name, version, wants, ..HelloFromEngine::default() },
        })
    }

    fn think(&mut self, Think { think, id, budget }: Think) -> Result<FromEngine<'static>, String> {
        let session = self.session.as_mut().ok_or("`think` came before `hello`")?;
        session.set_budget(budget, &self.cores)?;
        Ok(FromEngine::Moves { moves: session.answers(think, budget)?, id: Some(id) })
    }
}

impl Server for JsonServer {
    fn handle(&mut self, input: Input<'_>, out: &mut String) -> Next {
        let line = match input {
            Input::End => return Next::Leave,
            Input::TooLong => return fail("a message is too long".to_owned(), out),
            Input::Line(line) if line.trim().is_empty() => return Next::Listen,
            Input::Line(line) => line,
        };
        if is_quit(line) {
            return Next::Leave;
        }
        match self.message(line) {
            Ok(None) => Next::Listen,
            Ok(Some(answer)) => {
                write(&answer, out);
                Next::Listen
            }
            Err(reason) => fail(reason, out),
        }
    }

    fn is_exit_request(&self) -> fn(&str) -> bool {
        is_quit
    }

    /// A batch of long games is a long line.
    fn longest_line(&self) -> usize {
        64 << 20
    }
}

impl Session {
    /// Makes the player keep to the budget of a move.
    fn set_budget(&mut self, budget: Option<Budget>, cores: &Cores) -> Result<(), String> {
        if self.budget == budget {
            return Ok(());
        }
        let mut served = self.served.clone();
        if let Some(Budget::Simulations(number) | Budget::Nodes(number)) = budget {
            served.set_simulations(number)?;
        }
        self.player = served.player(&self.game, &self.seed)?;
        self.player.helped_by(cores);
        self.budget = budget;
        Ok(())
    }

    /// The answers to all positions.
    fn answers(&mut self, questions: Vec<Question>, budget: Option<Budget>) -> Result<Vec<Answer<'static>>, String> {
        let mut asked = HashSet::with_capacity(questions.len());
        if let Some(twice) = questions.iter().find(|question| !asked.insert(question.game)) {
            return Err(format!("game {} is asked twice in one message", twice.game));
        }
        let limit = |question: &Question| timed::limits(budget, question.clock, question.side);
        let limits: Option<Vec<Limits>> = questions.iter().map(limit).collect();
        let mut games = Vec::with_capacity(questions.len());
        for question in questions {
            games.push((question.game, self.game(question)?));
        }
        let answers = match limits {
            Some(limits) => self.decide_within(&limits, &mut games)?,
            None => self.decide(&mut games)?,
        };
        self.games.extend(games);
        Ok(answers)
    }

    /// Decides all positions in one call of the player.
    fn decide(&mut self, games: &mut [(usize, ServedGame)]) -> Result<Vec<Answer<'static>>, String> {
        let mut turns = Vec::with_capacity(games.len());
        for (number, game) in games {
            let ply = game.ply();
            let rng = game.streams[game.position.side().index()].as_mut().expect("made when the game was set");
            turns.push(Turn { ply, ..Turn::new(*number, &*game.position, rng) });
        }
        self.player.decide(&mut turns).map_err(|error| error.to_string())?;
        turns.iter().map(|turn| self.answer(turn)).collect()
    }

    /// Decides one position after another, each within its limits.
    fn decide_within(
        &mut self,
        limits: &[Limits],
        games: &mut [(usize, ServedGame)],
    ) -> Result<Vec<Answer<'static>>, String> {
        if self.thinker.is_none() {
            self.thinker = Some(Thinker::new(&self.served, &self.game, &self.seed, MEMORY)?);
        }
        let thinker = self.thinker.as_mut().expect("built just now");
        let mut answers = Vec::with_capacity(games.len());
        for ((number, game), &limits) in games.iter_mut().zip(limits) {
            let rng = game.streams[game.position.side().index()].as_mut().expect("made when the game was set");
            thinker.reseed(Seed::new(rng.next_u64()));
            let (action, value) = timed::decide(thinker, &*game.position, game.ply(), limits)?;
            let action = action.ok_or_else(|| format!("the player has no move in game {number}"))?;
            let choice = self.game.action_name(action).into();
            answers.push(Answer { game: *number, choice, resign: false, value: value.map(f64::from), policy: None });
        }
        Ok(answers)
    }

    fn answer(&self, turn: &Turn<'_>) -> Result<Answer<'static>, String> {
        let decision = &turn.decision;
        let action = decision.action.ok_or_else(|| format!("the player has no move in game {}", turn.game))?;
        let policy: Vec<f32> = decision.considered().map(|(_, probability)| probability).collect();
        Ok(Answer {
            resign: false,
            game: turn.game,
            choice: self.game.action_name(action).into(),
            value: decision.value.map(f64::from),
            policy: Some(policy).filter(|policy| !policy.is_empty()),
        })
    }

    /// The game of a question at its position: the known one after the new moves, or a new one.
    fn game(&mut self, question: Question) -> Result<ServedGame, String> {
        let number = question.game;
        let at = |reason: String| format!("game {number}: {reason}");
        let Question { start, moves, position, side, seed, .. } = question;
        let (start, moves) = match moves {
            Some(moves) => (start, moves),
            None => (Some(position.ok_or_else(|| at("neither moves nor a position".to_owned()))?), Vec::new()),
        };
        let known = self.games.remove(&number);
        let goes_on = |game: &ServedGame| game.start == start && moves.starts_with(&game.moves);
        let (begun, streams) = match known {
            Some(game) if goes_on(&game) => (Some((game.position, game.moves.len())), game.streams),
            // Another line of play of the same game: its random streams go on.
            Some(game) => (None, game.streams),
            None => (None, [None, None]),
        };
        let (position, played) = match begun {
            Some(begun) => begun,
            None => (self.game.begin(start.as_deref()).map_err(|error| at(error.to_string()))?, 0),
        };
        let mut game = ServedGame { start, moves, position, streams };
        self.play(&mut game, played).map_err(at)?;
        if game.position.side() != side {
            return Err(at(format!("the side to move is {:?}, not {side:?}", game.position.side())));
        }
        let stream = &mut game.streams[side.index()];
        if stream.is_none() {
            let seed = Seed::from_hex(&seed).ok_or_else(|| at("the seed has not 64 hexadecimal digits".to_owned()))?;
            *stream = Some(seed.rng());
        }
        Ok(game)
    }

    /// Plays the moves of a game from number `played` on.
    fn play(&self, game: &mut ServedGame, played: usize) -> Result<(), String> {
        for name in &game.moves[played..] {
            let action = self.game.read_move(&*game.position, name);
            let action = action.ok_or_else(|| format!("`{}` is not a legal move", shortened(name)))?;
            game.position.play(action);
        }
        match game.position.outcome() {
            Some(_) => Err("the game is over".to_owned()),
            None => Ok(()),
        }
    }

    fn forget(&mut self, game: usize) {
        self.games.remove(&game);
        self.player.forget(game);
    }
}

/// Sets the options of a manifest.
fn set_options(served: &mut ServedPlayer, options: &Map<String, Value>) -> Result<(), String> {
    for (key, value) in options {
        match (key.as_str(), value.as_u64(), value.as_f64()) {
            ("simulations", Some(number), _) => served.set_simulations(number)?,
            ("temperature", _, Some(tau)) => served.set_temperature(tau)?,
            ("simulations" | "temperature", ..) => {
                return Err(format!("option `{key}`: {value} is not a number for it"));
            }
            _ => return Err(format!("no option `{}`: there are `simulations` and `temperature`", shortened(key))),
        }
    }
    Ok(())
}

/// Reads a message; nothing for a message of an unknown kind.
fn read(line: &str) -> Result<Option<ToEngine>, String> {
    const KINDS: [&str; 6] = ["hello", "planes", "think", "over", "quit", "error"];
    let written: Value = serde_json::from_str(line).map_err(|error| malformed(&error))?;
    let object = written.as_object().ok_or("a message is a JSON object")?;
    let Some(kind) = KINDS.into_iter().find(|kind| object.contains_key(*kind)) else { return Ok(None) };
    // The errors of an untagged enum do not name the field.
    if let Some(hello) = object.get("hello").filter(|_| kind == "hello") {
        let hello = HelloToEngine::deserialize(hello).map_err(|error| malformed(&error))?;
        return Ok(Some(ToEngine::Hello { hello }));
    }
    serde_json::from_value(written).map(Some).map_err(|_| format!("the message `{kind}` is malformed"))
}

fn malformed(error: &serde_json::Error) -> String {
    format!("a message cannot be read: {error}")
}

fn is_quit(line: &str) -> bool {
    // Most lines are long.
    line.len() < 100 && matches!(serde_json::from_str(line), Ok(ToEngine::Quit { .. }))
}

fn write(message: &FromEngine<'_>, out: &mut String) {
    *out += &serde_json::to_string(message).expect("a message has only numbers and text");
    out.push('\n');
}

fn fail(reason: String, out: &mut String) -> Next {
    write(&FromEngine::Error { error: reason.clone() }, out);
    Next::Fail(reason)
}

/// The beginning of a text, up to the longest name.
fn shortened(text: &str) -> String {
    let end = (0..=LONGEST_NAME.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    text[..end].to_owned()
}

#[cfg(test)]
mod tests;
