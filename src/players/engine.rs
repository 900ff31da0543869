//! The engine player: a program of its own that speaks a protocol.
//!
//! The processes start with the first match and end with the job. A broken engine fails the job and never loses a game.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::agent::{Agent, Source, Workload};
use super::place::Place;
use super::repeat::Repeat;
use super::{Player, PlayerError, Setting, Turn};
use crate::engines::messages::Budget;
use crate::engines::{
    Ask, Engine, EngineError, EngineFacts, GomocupEngine, GtpEngine, JsonEngine, LastLines, Launch, MISSING, Reply,
    UciEngine, changed_file, named_files,
};
use crate::search::{RootChild, SearchResult};
use gauntlet_games::base::{Action, Seed, bounded};
use gauntlet_games::games::{Game, GameSpec, Position};

bounded! {
    /// Processes of an engine in a job.
    Instances: u32 from 1 to 256, "{value} instances: an engine takes from {range}"
}
bounded! {
    /// Seconds that an engine may take.
    Patience: f64 above 0 to 86400, "{value} s: an engine gets above 0 and up to a day"
}

/// A program that plays: your own agent, or a known engine.
///
/// | key | default | |
/// |---|---|---|
/// | `command` | | the program and its arguments. Files beside the manifest are part of the job's key, by their contents |
/// | `protocol` | `"json"` | `"json"` (docs/engine-protocol.md), `"gtp"`, `"uci"` or `"gomocup"` |
/// | `name` | the last file of the command | the name in tables of matches |
/// | `options` | none | options that the engine gets at its start |
/// | `budget` | none | the budget of each move: `{ time-ms = 100 }`, `{ simulations = 800 }`, `{ nodes = 10000 }` or `{ depth = 6 }` |
/// | `instances` | 1 | processes of the engine in a job, which think at the same time |
/// | `startup-seconds` | 30 | the time for the first answer |
/// | `timeout-seconds` | 60 | the time for every other answer; a slower engine is broken |
/// | `directory` | that of the manifest | the working directory |
/// | `needs` | none | files that the engine reads besides those of its command; they are part of the job's key, too |
/// | `environment` | none | additional environment variables |
/// | `deterministic` | false | whether the engine gives the same moves in the same game; some are asked twice |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EngineAgent {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The protocol.
    #[serde(default)]
    pub protocol: ProtocolName,
    /// The name in tables of matches. Default: the last file of the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Options that the engine gets at its start.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub options: Map<String, Value>,
    /// The budget of each move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// Processes in a job, which think at the same time; 1 to 256.
    #[serde(default = "one", with = "Instances")]
    pub instances: u32,
    /// Seconds for the first answer.
    #[serde(default = "startup", with = "Patience")]
    pub startup_seconds: f64,
    /// Seconds for every other answer.
    #[serde(default = "timeout", with = "Patience")]
    pub timeout_seconds: f64,
    /// The working directory; in a manifest, relative to its own directory.
    #[serde(default, skip_serializing_if = "Place::is_here")]
    pub directory: Place,
    /// Files that the engine reads besides those of its command: its modules, its weights.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Additional environment variables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// Whether it gives the same moves in the same game. Some positions are asked twice.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deterministic: bool,
    /// Hashes of these files, by their names; planning adds them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

/// The protocols of engines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProtocolName {
    /// Gauntlet's own: JSON lines, for every game.
    #[default]
    Json,
    /// The Go Text Protocol, for Go and other games with moves on points.
    Gtp,
    /// The Universal Chess Interface, for chess.
    Uci,
    /// Gomocup's protocol, for Gomoku.
    Gomocup,
}

impl ProtocolName {
    /// Its name in messages.
    fn word(self) -> &'static str {
        match self {
            ProtocolName::Json => "json",
            ProtocolName::Gtp => "gtp",
            ProtocolName::Uci => "uci",
            ProtocolName::Gomocup => "gomocup",
        }
    }

    /// Whether its engines play this game.
    fn plays(self, game: &dyn Game) -> bool {
        let (name, board) = (game.name(), game.topology());
        let is = |kind: &str| name.split(' ').next() == Some(kind);
        match self {
            ProtocolName::Json => true,
            ProtocolName::Gtp => board.rows() == board.columns(),
            ProtocolName::Uci => is("chess") && board.rows() == 8,
            ProtocolName::Gomocup => is("gomoku") && !name.contains(" row "),
        }
    }

    /// Whether it has a way to tell the budget.
    fn takes(self, budget: Budget) -> bool {
        match self {
            ProtocolName::Json | ProtocolName::Uci => true,
            ProtocolName::Gtp | ProtocolName::Gomocup => matches!(budget, Budget::TimeMs(_)),
        }
    }
}

fn one() -> u32 {
    1
}

fn startup() -> f64 {
    30.0
}

fn timeout() -> f64 {
    60.0
}

impl EngineAgent {
    /// Makes the working directory absolute, from that of the manifest, and takes the hashes of its files.
    pub fn locate(&mut self, base: &Path) {
        if self.directory.is_here() {
            self.directory = Place(base.to_owned());
        } else {
            self.directory = Place(base.join(&self.directory.0));
        }
        self.files = named_files(&self.command, &self.needs, &self.directory.0);
    }

    /// A file that does not exist, once the engine is located.
    #[must_use]
    pub fn missing_file(&self) -> Option<&str> {
        self.files.iter().find(|(_, hash)| *hash == MISSING).map(|(name, _)| name.as_str())
    }

    fn check_settings(&self) -> Result<(), String> {
        if self.command.first().is_none_or(String::is_empty) {
            return Err("an engine needs a command: `command = [\"python3\", \"agent.py\"]`".to_owned());
        }
        if let Some(budget) = self.budget.filter(|budget| !self.protocol.takes(*budget)) {
            let (protocol, written) = (self.protocol.word(), serde_json::to_string(&budget).unwrap_or_default());
            return Err(format!(
                "`{protocol}` cannot tell an engine the budget {written}: set `time-ms`, or an option of it"
            ));
        }
        if self.deterministic && matches!(self.budget, Some(Budget::TimeMs(_))) {
            return Err(format!(
                "{} thinks for a time, which is never deterministic: leave `deterministic` out, or set another budget",
                self.name()
            ));
        }
        Ok(())
    }

    fn launch(&self, setting: &Setting<'_>) -> Launch {
        Launch {
            name: self.name(),
            command: self.command.clone(),
            directory: self.directory.0.clone(),
            environment: self.environment.clone(),
            longest_line: 0,
            startup: Duration::from_secs_f64(self.startup_seconds),
            timeout: Duration::from_secs_f64(self.timeout_seconds),
            stop: setting.stop.clone(),
        }
    }

    /// One running process.
    fn start(&self, setting: &Setting<'_>, seed: &Seed) -> Result<Box<dyn Engine>, EngineError> {
        let changed = changed_file(&self.files, &self.command, &self.needs, &self.directory.0);
        if let Some(file) = changed {
            let fault = format!("cannot start: `{file}` has changed since the job was planned; run again");
            return Err(EngineError::Broken { engine: self.name(), fault, said: LastLines::default() });
        }
        let (launch, game, options, budget) = (self.launch(setting), setting.game, &self.options, self.budget);
        Ok(match self.protocol {
            ProtocolName::Json => Box::new(JsonEngine::start(launch, game, seed, options, budget)?),
            ProtocolName::Gtp => Box::new(GtpEngine::start(launch, game, options, budget)?),
            ProtocolName::Uci => Box::new(UciEngine::start(launch, game, options, budget)?),
            ProtocolName::Gomocup => Box::new(GomocupEngine::start(launch, game, options, budget)?),
        })
    }
}

impl Agent for EngineAgent {
    fn name(&self) -> String {
        // An agent is called by its own file, not by its interpreter or its flags.
        let mut words = self.command.iter().rev();
        let own = words.find(|word| self.files.contains_key(*word)).or(self.command.first());
        let file = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
        self.name.clone().or_else(|| own.map(file)).unwrap_or_default()
    }

    fn build(&self, _game: &Arc<dyn Game>, source: &Source<'_>) -> Result<Box<dyn Player>, PlayerError> {
        Ok(Box::new(EnginePlayer::new(self.clone(), *source.seed)))
    }

    fn check(&self, game: &Arc<dyn Game>) -> Result<(), String> {
        self.check_settings()?;
        match self.protocol.plays(&**game) {
            true => Ok(()),
            false => Err(format!("engines with the protocol `{}` do not play {}", self.protocol.word(), game.name())),
        }
    }

    fn workload(&self, _game: &dyn Game) -> Workload {
        Workload::default()
    }
}

/// The processes of an engine, and the games that they play.
struct EnginePlayer {
    agent: EngineAgent,
    seed: Seed,
    game: Option<GameSpec>,
    engines: Vec<Box<dyn Engine>>,
    /// The process of each game under way.
    seats: HashMap<usize, usize>,
    /// Games that are over, for each process.
    over: Vec<Vec<usize>>,
    repeat: Repeat,
}

impl EnginePlayer {
    fn new(agent: EngineAgent, seed: Seed) -> EnginePlayer {
        let repeat = Repeat::new(agent.deterministic);
        EnginePlayer { agent, seed, game: None, engines: Vec::new(), seats: HashMap::new(), over: Vec::new(), repeat }
    }

    /// The process of a game: the one with the fewest games when the game begins.
    fn seat(&mut self, game: usize) -> usize {
        if let Some(&seat) = self.seats.get(&game) {
            return seat;
        }
        let mut games = vec![0_usize; self.engines.len()];
        self.seats.values().for_each(|&seat| games[seat] += 1);
        let seat = (0..games.len()).min_by_key(|&at| games[at]).unwrap_or_default();
        self.seats.insert(game, seat);
        seat
    }

    /// Tells every process of the games that are over.
    fn tell_over(&mut self) {
        for (engine, over) in self.engines.iter_mut().zip(&mut self.over) {
            if !over.is_empty() {
                engine.over(over);
                over.clear();
            }
        }
    }

    /// The replies to some positions. All processes think at the same time, each about as many positions as it takes.
    fn replies(&mut self, asks: &[Ask<'_>]) -> Result<Vec<Reply>, EngineError> {
        let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); self.engines.len()];
        for (at, ask) in asks.iter().enumerate() {
            waiting[self.seat(ask.game)].push(at);
        }
        let mut replies: Vec<Option<Reply>> = vec![None; asks.len()];
        while waiting.iter().any(|places| !places.is_empty()) {
            let parts: Vec<Vec<usize>> = waiting
                .iter_mut()
                .zip(&self.engines)
                .map(|(places, engine)| places.drain(..places.len().min(engine.most())).collect())
                .collect();
            let of = |places: &[usize]| places.iter().map(|&at| asks[at]).collect::<Vec<_>>();
            for (engine, places) in self.engines.iter_mut().zip(&parts).filter(|(_, places)| !places.is_empty()) {
                engine.ask(&of(places))?;
            }
            for (engine, places) in self.engines.iter_mut().zip(&parts).filter(|(_, places)| !places.is_empty()) {
                let found = engine.answers(&of(places))?;
                places.iter().zip(found).for_each(|(&at, reply)| replies[at] = Some(reply));
            }
        }
        Ok(replies.into_iter().flatten().collect())
    }

    /// Asks a game again, if one is due, and compares.
    fn repeat(&mut self) -> Result<(), EngineError> {
        let (Some(spec), Some(game)) = (&self.game, self.repeat.due()) else { return Ok(()) };
        let rules = spec.build();
        let mut repeat = std::mem::replace(&mut self.repeat, Repeat::new(false));
        let checked = repeat.check(&*rules, |ask| {
            let replies = self.replies(&[ask])?;
            Ok::<_, EngineError>(replies.into_iter().next().and_then(|reply| reply.action))
        })?;
        self.forget(game);
        self.tell_over();
        checked.map_or(Ok(()), |fault| {
            Err(EngineError::Broken { engine: self.agent.name(), fault, said: LastLines::default() })
        })
    }
}

impl Player for EnginePlayer {
    fn decide(&mut self, turns: &mut [Turn<'_>]) -> Result<(), PlayerError> {
        if self.engines.is_empty() {
            let (player, reason) = (self.agent.name(), "engines play in matches and tournaments".to_owned());
            let game = self.game.as_ref().map_or_else(|| "here".to_owned(), |game| game.build().name());
            return Err(PlayerError::Unsuited { player, game, reason });
        }
        self.tell_over();
        self.repeat()?;
        let stream = |turn: &Turn<'_>| turn.stream.unwrap_or_else(|| self.seed.child("game", turn.game as u64));
        let asks: Vec<Ask<'_>> = turns
            .iter()
            .map(|turn| Ask {
                game: turn.game,
                start: turn.start,
                actions: turn.actions,
                position: turn.position,
                stream: stream(turn),
                clock: turn.clock,
            })
            .collect();
        let replies = self.replies(&asks)?;
        asks.iter().zip(&replies).for_each(|(ask, reply)| self.repeat.note(ask, reply.action));
        drop(asks);
        for (turn, reply) in turns.iter_mut().zip(replies) {
            turn.decision.action = reply.action;
            turn.decision.resigns = reply.action.is_none();
            turn.decision.value = reply.value;
            if !reply.policy.is_empty() {
                turn.decision.found = Some(found(turn.position, &reply));
                turn.decision.policy = reply.policy;
            }
        }
        Ok(())
    }

    fn forget(&mut self, game: usize) {
        self.repeat.end(game);
        if let Some(seat) = self.seats.remove(&game) {
            self.over[seat].push(game);
        }
    }

    fn begin(&mut self, setting: &Setting<'_>) -> Result<(), PlayerError> {
        let (agent, seed) = (&self.agent, &self.seed);
        let started = std::thread::scope(|scope| {
            let starts: Vec<_> = (0..agent.instances).map(|_| scope.spawn(|| agent.start(setting, seed))).collect();
            let ended = starts.into_iter().map(|start| start.join().expect("a start does not panic"));
            ended.collect::<Result<Vec<_>, _>>()
        })?;
        (self.over, self.game) = (vec![Vec::new(); started.len()], Some(setting.game.clone()));
        self.engines = started;
        Ok(())
    }

    fn games_at_once(&self) -> usize {
        let each = self.engines.iter().map(|engine| engine.games()).min().unwrap_or(usize::MAX);
        each.saturating_mul(self.engines.len().max(1))
    }

    fn processor_time(&self) -> Option<Duration> {
        self.engines.iter().map(|engine| engine.processor_time()).sum()
    }

    fn end(&mut self) -> Result<Option<EngineFacts>, PlayerError> {
        self.tell_over();
        self.repeat()?;
        let says = self.engines.first().map_or_else(String::new, |engine| engine.says());
        std::thread::scope(|scope| {
            self.engines.iter_mut().for_each(|engine| drop(scope.spawn(|| engine.quit())));
        });
        self.engines.clear();
        Ok(Some(EngineFacts { says, repeatable: self.agent.deterministic }))
    }
}

/// The engine's policy in the form of a search result.
fn found(position: &dyn Position, reply: &Reply) -> SearchResult {
    let mut legal: Vec<Action> = Vec::new();
    position.actions(&mut legal);
    let child = |(action, &prior): (Action, &f32)| RootChild { action, prior, visits: 0, value: None, exact: false };
    let children = legal.into_iter().zip(&reply.policy).map(child).collect();
    let (side, value) = (Some(position.side()), reply.value.unwrap_or_default());
    SearchResult { side, children, value, exact: false, improved: None }
}
