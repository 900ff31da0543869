//! Engines that speak Gauntlet's own protocol, JSON lines: see `docs/engine-protocol.md`.
//!
//! Messages are written by hand and read without copies: an engine that answers at once is asked for 20,000 moves a second.

use std::collections::HashMap;
use std::io::Write as _;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::engine::{Ask, Engine, EngineStart, Protocol, Reply, patience};
use super::error::{EngineError, shown};
use super::images::Images;
use super::lines::chosen;
use super::messages::{
    Answer, Budget, GameFacts, HelloFromEngine, HelloToEngine, LARGEST_BATCH, LONGEST_LINE, LONGEST_NAME, PROTOCOL,
    Part, ToEngine,
};
use super::process::{Process, Wait};
use super::workplace::ARTEFACTS;
use gauntlet_games::base::{Action, Side};
use gauntlet_games::games::Game;

/// The most positions of a message, if the engine does not say.
const USUAL_BATCH: usize = 256;

/// The protocol, for both sides.
pub const JSON: Protocol = Protocol {
    name: "json",
    programs: "Gauntlet's own: every game, and many games at once",
    usual_game: None,
    plays: |_| true,
    takes: |_| true,
    start: |start| Ok(Box::new(JsonEngine::start(start)?)),
};

/// An engine that speaks JSON lines.
pub struct JsonEngine {
    process: Process,
    game: Arc<dyn Game>,
    /// The most positions of a message.
    batch: usize,
    wants: Vec<Part>,
    images: Option<Images>,
    /// The names of all actions, as JSON.
    names: Vec<String>,
    budget: Option<Budget>,
    id: u64,
    /// Whether the engine has ever repeated a number. Then an answer without one may be a late one.
    repeats_ids: bool,
}

/// A message of the engine, of any kind.
#[derive(Deserialize)]
#[serde(expecting = "a message")]
struct EngineMessage<'a> {
    #[serde(default)]
    hello: Option<HelloFromEngine>,
    #[serde(default, borrow)]
    moves: Option<Vec<Answer<'a>>>,
    #[serde(default)]
    id: Option<u64>,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    log: Option<String>,
}

impl JsonEngine {
    /// Starts an engine and agrees with it on the game.
    ///
    /// # Errors
    /// If it does not start, speaks another version, or does not play the game.
    fn start(
        EngineStart { launch, game: spec, seed, options, budget }: EngineStart<'_>,
    ) -> Result<JsonEngine, EngineError> {
        let artefacts = launch.environment.get(ARTEFACTS).cloned();
        let mut process = Process::start(launch, LONGEST_LINE)?;
        let facts = GameFacts::new(spec);
        let program = concat!("gauntlet ", env!("CARGO_PKG_VERSION")).to_owned();
        let seed = seed.to_hex();
        let (game, options) = (facts.clone(), options.clone());
        let hello = HelloToEngine { protocol: PROTOCOL, program, game, seed, options, artefacts };
        process.send(written(&ToEngine::Hello { hello }));
        let hello = greeted(&mut process)?;
        require_fit(&process, &hello, &facts)?;
        process.says = format!("{} {}", hello.name, hello.version).trim().to_owned();
        let game = spec.build();
        let images = Images::of(&hello, &game).map_err(|reason| process.broken(reason))?;
        if let Some(images) = &images {
            process.send(written(&ToEngine::Planes { planes: images.shape() }));
        }
        let mut wants = hello.wants.unwrap_or_else(|| vec![Part::Moves, Part::Position, Part::Legal]);
        if images.is_some() && !wants.contains(&Part::Legal) {
            wants.push(Part::Legal);
        }
        let name = |action| Value::String(game.action_name(Action::from(action))).to_string();
        let names = (0..game.action_count()).map(name).collect();
        let batch = hello.batch.unwrap_or(USUAL_BATCH);
        Ok(JsonEngine { process, game, batch, wants, images, names, budget, id: 0, repeats_ids: false })
    }

    fn wants(&self, part: Part) -> bool {
        self.wants.contains(&part)
    }

    /// Appends a list of action names.
    fn write_names(&self, actions: &[Action], into: &mut Vec<u8>) {
        into.push(b'[');
        for (at, action) in actions.iter().enumerate() {
            if at > 0 {
                into.push(b',');
            }
            into.extend_from_slice(self.names[action.index()].as_bytes());
        }
        into.push(b']');
    }

    /// Appends a question.
    fn write_question(&mut self, at: usize, ask: &Ask<'_>, legal: &mut Vec<Action>, into: &mut Vec<u8>) {
        let side = if ask.position.side() == Side::First { "first" } else { "second" };
        let (game, ply, seed) = (ask.game, ask.actions.len(), ask.stream.to_hex());
        let _ = write!(into, r#"{{"game":{game},"ply":{ply},"side":"{side}","seed":"{seed}""#);
        let mut text = |key: &str, text: &str| {
            let _ = write!(into, r#","{key}":{}"#, Value::from(text));
        };
        if let Some(start) = ask.start {
            text("start", start);
        }
        if self.wants(Part::Position)
            && let Some(position) = self.game.write_position(ask.position)
        {
            text("position", &position);
        }
        if self.wants(Part::Moves) {
            into.extend_from_slice(br#","moves":"#);
            self.write_names(ask.actions, into);
        }
        if self.wants(Part::Legal) {
            legal.clear();
            ask.position.actions(legal);
            into.extend_from_slice(br#","legal":"#);
            self.write_names(legal, into);
        }
        if let Some(images) = &mut self.images {
            images.write(at, ask.position, legal, into);
        }
        if let Some(clock) = &ask.clock {
            let _ = write!(into, r#","clock":{}"#, String::from_utf8_lossy(&written(clock)));
        }
        into.push(b'}');
    }

    /// Requires the number of the last question; engines may leave numbers out, but not just some.
    fn require_id(&mut self, id: Option<u64>) -> Result<(), EngineError> {
        self.repeats_ids |= id.is_some();
        match id {
            Some(id) if id != self.id => Err(format!("answered question {id} instead of {}", self.id)),
            None if self.repeats_ids => Err("left out the `id` of an answer, and had sent others before".to_owned()),
            _ => Ok(()),
        }
        .map_err(|fault| self.process.broken(fault))
    }

    /// The replies in the order of the questions.
    fn matched(&self, asks: &[Ask<'_>], moves: &[Answer<'_>]) -> Result<Vec<Reply>, EngineError> {
        let places: HashMap<usize, usize> = asks.iter().enumerate().map(|(at, ask)| (ask.game, at)).collect();
        let mut replies: Vec<Option<Reply>> = vec![None; asks.len()];
        for (nth, answer) in moves.iter().enumerate() {
            // Engines usually keep the order.
            let in_order = asks.get(nth).filter(|ask| ask.game == answer.game).map(|_| nth);
            let Some(at) = in_order.or_else(|| places.get(&answer.game).copied()) else {
                return Err(self.process.broken(format!("answered for game {}, which was not asked", answer.game)));
            };
            if replies[at].is_some() {
                return Err(self.process.broken(format!("answered twice for game {}", answer.game)));
            }
            replies[at] = Some(self.reply(&asks[at], answer)?);
        }
        let missing = replies.iter().position(Option::is_none);
        match missing {
            Some(at) => Err(self.process.broken(format!("left out the answer for game {}", asks[at].game))),
            None => Ok(replies.into_iter().flatten().collect()),
        }
    }

    fn reply(&self, ask: &Ask<'_>, answer: &Answer<'_>) -> Result<Reply, EngineError> {
        if answer.resign {
            return Ok(Reply { action: None, value: Some(-1.0), policy: Vec::new() });
        }
        let action = chosen(&self.process, &*self.game, ask, &answer.choice)?;
        let wrong = |what: String| {
            let (game, ply) = (ask.game, ask.actions.len());
            self.process.broken(format!("{what} in game {game} after {ply} plies"))
        };
        let is_value = |value: &f64| (-1.0..=1.0).contains(value);
        if let Some(value) = answer.value.filter(|value| !is_value(value)) {
            return Err(wrong(format!("gave the value {value}, which is outside -1 to 1,")));
        }
        let policy = match &answer.policy {
            None => Vec::new(),
            Some(weights) => {
                let mut legal = Vec::new();
                ask.position.actions(&mut legal);
                normalised(weights, legal.len()).map_err(|reason| wrong(format!("gave a policy that {reason}")))?
            }
        };
        Ok(Reply { action: Some(action), value: answer.value.map(|value| value as f32), policy })
    }
}

impl Engine for JsonEngine {
    fn process(&self) -> &Process {
        &self.process
    }

    fn games(&self) -> usize {
        usize::MAX
    }

    fn most(&self) -> usize {
        self.batch
    }

    fn ask(&mut self, asks: &[Ask<'_>]) -> Result<(), EngineError> {
        for line in self.process.unread().iter().filter(|line| !line.is_empty()) {
            let EngineMessage { log: Some(note), .. } = understood(&self.process, line)? else {
                let line = shown(&String::from_utf8_lossy(line));
                return Err(self.process.broken(format!("wrote an answer that was not asked for: `{line}`")));
            };
            tracing::info!("{}: {}", self.process.name(), shown(&note));
        }
        self.id += 1;
        if let Some(images) = &mut self.images {
            images.encode(asks);
        }
        let (mut line, mut legal) = (Vec::with_capacity(256 * asks.len()), Vec::new());
        line.extend_from_slice(br#"{"think":["#);
        for (at, ask) in asks.iter().enumerate() {
            if at > 0 {
                line.push(b',');
            }
            self.write_question(at, ask, &mut legal, &mut line);
        }
        let _ = write!(line, r#"],"id":{}"#, self.id);
        if let Some(budget) = &self.budget {
            let _ = write!(line, r#","budget":{}"#, String::from_utf8_lossy(&written(budget)));
        }
        line.push(b'}');
        self.process.send(line);
        Ok(())
    }

    fn answers(&mut self, asks: &[Ask<'_>]) -> Result<Vec<Reply>, EngineError> {
        let wait = Wait::of(patience(self.process.timeout(), self.budget, asks));
        loop {
            let line = self.process.receive(wait, "`think`")?;
            if line.is_empty() {
                continue;
            }
            match understood(&self.process, &line)? {
                EngineMessage { log: Some(note), .. } => tracing::info!("{}: {}", self.process.name(), shown(&note)),
                EngineMessage { moves: Some(moves), id, .. } => {
                    self.require_id(id)?;
                    return self.matched(asks, &moves);
                }
                _ => return Err(self.process.broken("answered `think` by another message than `moves`")),
            }
        }
    }

    fn over(&mut self, games: &[usize]) {
        self.process.send(written(&ToEngine::Over { over: games.to_vec() }));
    }

    fn quit(&mut self) {
        self.process.quit(written(&ToEngine::Quit { quit: true }));
    }
}

/// A message as a line.
fn written(message: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(message).expect("messages are plain data")
}

/// The answer to `hello`.
fn greeted(process: &mut Process) -> Result<HelloFromEngine, EngineError> {
    let (wait, mut has_spoken) = (Wait::of(process.startup()), false);
    loop {
        let is_silent = |error| if wait.left().is_zero() && !has_spoken { hinted(error) } else { error };
        let line = process.receive(wait, "`hello`").map_err(is_silent)?;
        if line.is_empty() {
            continue;
        }
        has_spoken |= serde_json::from_slice::<IgnoredAny>(&line).is_ok();
        let message = understood(process, &line).map_err(|error| if has_spoken { error } else { hinted(error) })?;
        match message {
            EngineMessage { hello: Some(hello), .. } => return Ok(hello),
            EngineMessage { log: Some(note), .. } => tracing::info!("{}: {}", process.name(), shown(&note)),
            _ => return Err(process.broken("answered `hello` by another message")),
        }
    }
}

/// The error of an engine that may speak another protocol, with a hint.
fn hinted(error: EngineError) -> EngineError {
    match error {
        EngineError::Broken { engine, fault, said } => {
            EngineError::Broken { engine, fault: format!("{fault}{OTHER_PROTOCOL}"), said }
        }
        EngineError::Stopped(_) => error,
    }
}

/// The hint for an engine that has not written JSON.
const OTHER_PROTOCOL: &str = "; hint: it was asked in Gauntlet's JSON protocol: for an engine of UCI, GTP or Gomocup, write \
    `protocol = \"uci\"`, `\"gtp\"` or `\"gomocup\"`";

/// A line as a message; an error if it is none, or if the engine gives up.
fn understood<'l>(process: &Process, line: &'l [u8]) -> Result<EngineMessage<'l>, EngineError> {
    let message: EngineMessage<'l> = serde_json::from_slice(line).map_err(|error| {
        let line = shown(&String::from_utf8_lossy(line));
        let is_image =
            ["planes", "tensors"].iter().any(|word| error.to_string().contains(&format!("variant `{word}`")));
        let hint = if is_image { "; the key `planes` or `tensors` asks for images: `\"planes\":{}`" } else { "" };
        process.broken(format!("wrote a line that is not a message: `{line}`: {error}{hint}"))
    })?;
    if let Some(reason) = &message.error {
        return Err(process.broken(format!("gave up: {}", shown(reason))));
    }
    if message.hello.is_none() && message.moves.is_none() && message.log.is_none() {
        let line = shown(&String::from_utf8_lossy(line));
        return Err(process.broken(format!("wrote an unknown message: `{line}`")));
    }
    Ok(message)
}

/// Requires the version, the game and sensible settings.
fn require_fit(process: &Process, hello: &HelloFromEngine, facts: &GameFacts) -> Result<(), EngineError> {
    let HelloFromEngine { protocol, name, version, games, batch, .. } = hello;
    let refuse = |fault: String| Err(process.broken(fault));
    if *protocol != PROTOCOL {
        return refuse(format!("speaks version {protocol} of the protocol, and this program version {PROTOCOL}"));
    }
    if name.is_empty() || name.len() > LONGEST_NAME {
        return refuse(format!("has a name of {} bytes: 1 to {LONGEST_NAME} are allowed", name.len()));
    }
    if version.len() > LONGEST_NAME {
        return refuse(format!("has a version of {} bytes: at most {LONGEST_NAME} are allowed", version.len()));
    }
    if let Some(games) = games
        && !games.iter().any(|game| *game == facts.kind || *game == facts.name)
    {
        return refuse(format!("does not play {}, only {}", facts.name, shown(&games.join(", "))));
    }
    match batch {
        Some(batch) if !(1..=LARGEST_BATCH).contains(batch) => {
            refuse(format!("asks for {batch} positions at once: 1 to {LARGEST_BATCH} are allowed"))
        }
        _ => Ok(()),
    }
}

/// Weights as probabilities.
fn normalised(weights: &[f32], legal: usize) -> Result<Vec<f32>, String> {
    if weights.len() != legal {
        return Err(format!("has {} weights for {legal} legal moves", weights.len()));
    }
    if weights.iter().any(|weight| !weight.is_finite() || *weight < 0.0) {
        return Err("has a weight that is negative or not finite".to_owned());
    }
    let sum: f32 = weights.iter().sum();
    let largest = weights.iter().copied().fold(0.0, f32::max);
    match (sum > 0.0, sum.is_finite()) {
        (true, true) => Ok(weights.iter().map(|weight| weight / sum).collect()),
        // Their sum is too large for a number.
        (true, false) => normalised(&weights.iter().map(|weight| weight / largest).collect::<Vec<_>>(), legal),
        (false, _) => Err("has no weight above 0".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_of_another_protocol_gets_a_hint() {
        let broken = EngineError::broken("uci.py".to_owned(), "did not answer `hello` within 30 s".to_owned());
        let told = hinted(broken).to_string();
        assert!(told.starts_with("uci.py did not answer `hello` within 30 s; hint: it was asked in"), "{told}");
        assert!(told.ends_with("write `protocol = \"uci\"`, `\"gtp\"` or `\"gomocup\"`"), "{told}");
        assert!(!hinted(EngineError::Stopped("uci.py".to_owned())).to_string().contains("hint"));
    }

    #[test]
    fn policies_are_checked() {
        assert_eq!(normalised(&[1.0, 3.0], 2), Ok(vec![0.25, 0.75]));
        assert_eq!(normalised(&[f32::MAX, f32::MAX], 2), Ok(vec![0.5, 0.5]));
        for (weights, legal, reason) in [
            (&[1.0][..], 2, "has 1 weights for 2 legal moves"),
            (&[1.0, -1.0], 2, "negative"),
            (&[f32::NAN], 1, "not finite"),
            (&[0.0, 0.0], 2, "no weight above 0"),
        ] {
            assert!(normalised(weights, legal).unwrap_err().contains(reason));
        }
    }
}
