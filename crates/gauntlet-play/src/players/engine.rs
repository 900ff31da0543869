//! The engine player: a program of its own that speaks a protocol.
//!
//! The processes start with the first match and end with the job. A broken engine fails the job and never loses a game.

mod spec;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::agent::{Agent, Source, Workload};
use super::repeat::{Repeat, difference};
use super::{Player, PlayerError, Setting, Turn, Weights};
use crate::engines::{Ask, Engine, EngineError, EngineFacts, Reply, Stage, Workplace, shown};
use crate::search::{RootChild, SearchResult};
use gauntlet_games::base::{Action, Seed, Stop};
use gauntlet_games::games::{Game, GameSpec, Position};
use gauntlet_nets::nets::Bundle;
pub use spec::EngineAgent;

impl Agent for EngineAgent {
    fn name(&self) -> String {
        self.called()
    }

    fn build(&self, _game: &Arc<dyn Game>, source: &Source<'_>) -> Result<Box<dyn Player>, PlayerError> {
        let artefacts = match &self.weights {
            None => None,
            Some(weights) => {
                let bytes = source.checkpoint.ok_or_else(|| weights.missing(self.called(), None))?;
                Some(Bundle::from_bytes(bytes)?)
            }
        };
        Ok(Box::new(EnginePlayer::new(self.clone(), artefacts, *source.seed)))
    }

    fn check(&self, game: &Arc<dyn Game>) -> Result<(), String> {
        self.check_settings()?;
        let protocol = self.protocol.protocol();
        match (protocol.plays)(&**game) {
            true => Ok(()),
            false => Err(format!("engines with the protocol `{}` do not play {}", protocol.name, game.name())),
        }
    }

    fn weights(&self) -> Option<&Weights> {
        self.weights.as_ref()
    }

    fn check_transfer(&self, learned: &Arc<dyn Game>, played: &Arc<dyn Game>) -> Result<(), String> {
        match (learned.name(), played.name()) {
            (one, other) if one == other => Ok(()),
            (one, other) => Err(format!("the files of this engine are of a training in {one}, and it plays {other}")),
        }
    }

    fn repeats(&self) -> bool {
        self.deterministic
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
    stop: Stop,
    engines: Vec<Box<dyn Engine>>,
    /// The files of the training that it plays with.
    artefacts: Option<Bundle>,
    /// Its settings where it plays, and its directories.
    placed: Option<Placed>,
    /// The process of each game under way.
    seats: HashMap<usize, usize>,
    /// Games that are over, for each process.
    over: Vec<Vec<usize>>,
    repeat: Repeat,
}

/// An engine in its directories, which are removed after its games.
struct Placed {
    agent: EngineAgent,
    /// The copy of its files that an old version plays on.
    _copy: Option<Stage>,
    /// The files of a training.
    _artefacts: Option<Workplace>,
}

impl Placed {
    fn of(agent: &EngineAgent, artefacts: Option<&Bundle>) -> Result<Placed, EngineError> {
        let (copy, agent) = match agent.staged()? {
            Some((copy, agent)) => (Some(copy), agent),
            None => (None, agent.clone()),
        };
        let Some(artefacts) = artefacts else { return Ok(Placed { agent, _copy: copy, _artefacts: None }) };
        let place = Workplace::with(&artefacts.files);
        let place = place.map_err(|error| agent.broken(format!("cannot get the files of its training: {error}")))?;
        let agent = agent.with_artefacts(place.path());
        Ok(Placed { agent, _copy: copy, _artefacts: Some(place) })
    }
}

impl EnginePlayer {
    fn new(agent: EngineAgent, artefacts: Option<Bundle>, seed: Seed) -> EnginePlayer {
        let repeat = Repeat::new(agent.deterministic);
        let (engines, seats, over) = (Vec::new(), HashMap::new(), Vec::new());
        let stop = Stop::default();
        EnginePlayer { agent, seed, game: None, stop, engines, artefacts, placed: None, seats, over, repeat }
    }

    /// A turn as a question.
    fn ask<'t>(&self, turn: &Turn<'t>) -> Ask<'t> {
        let Turn { game, start, actions, position, clock, .. } = *turn;
        let stream = turn.stream.unwrap_or_else(|| self.seed.child("game", turn.game as u64));
        Ask { game, start, actions, position, stream, clock }
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

    /// Asks a game again of a further process, if one is due, and compares. `is_last` tells that no game follows.
    fn repeat(&mut self, is_last: bool) -> Result<(), EngineError> {
        let Some(game) = &self.game else { return Ok(()) };
        let Some(asked) = self.repeat.due(is_last) else { return Ok(()) };
        let agent = self.placed.as_ref().map_or(&self.agent, |placed| &placed.agent);
        let mut engine = agent.start_engine(&Setting { game, stop: self.stop.clone() }, &self.seed)?;
        let fault = difference(&asked, &*game.build(), |ask| {
            engine.ask(&[ask])?;
            Ok::<_, EngineError>(engine.answers(&[ask])?.into_iter().next().and_then(|reply| reply.action))
        })?;
        engine.quit();
        fault.map_or(Ok(()), |fault| Err(self.agent.broken(fault)))
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
        self.repeat(false)?;
        let asks: Vec<Ask<'_>> = turns.iter().map(|turn| self.ask(turn)).collect();
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

    fn prepare(&mut self, turns: &[Turn<'_>]) -> Result<(), PlayerError> {
        self.tell_over();
        self.repeat(false)?;
        for ask in turns.iter().map(|turn| self.ask(turn)).collect::<Vec<_>>() {
            let seat = self.seat(ask.game);
            if let Some(engine) = self.engines.get_mut(seat) {
                engine.prepare(&ask)?;
            }
        }
        Ok(())
    }

    fn remembers(&self) -> bool {
        true
    }

    fn forget(&mut self, game: usize) {
        self.repeat.end(game);
        if let Some(seat) = self.seats.remove(&game) {
            self.over[seat].push(game);
        }
    }

    fn begin(&mut self, setting: &Setting<'_>) -> Result<(), PlayerError> {
        self.agent.require_startable()?;
        let placed = Placed::of(&self.agent, self.artefacts.as_ref())?;
        let (agent, seed) = (&placed.agent, &self.seed);
        let started = std::thread::scope(|scope| {
            let starts: Vec<_> =
                (0..agent.instances).map(|_| scope.spawn(|| agent.start_engine(setting, seed))).collect();
            let ended = starts.into_iter().map(|start| start.join().expect("a start does not panic"));
            ended.collect::<Result<Vec<_>, _>>()
        })?;
        (self.over, self.game) = (vec![Vec::new(); started.len()], Some(setting.game.clone()));
        (self.engines, self.placed, self.stop) = (started, Some(placed), setting.stop.clone());
        Ok(())
    }

    fn games_at_once(&self) -> usize {
        let each = self.engines.iter().map(|engine| engine.games()).min().unwrap_or(usize::MAX);
        each.saturating_mul(self.engines.len().max(1))
    }

    fn processor_time(&self) -> Option<Duration> {
        self.engines.iter().map(|engine| engine.process().processor_time()).sum()
    }

    fn end(&mut self) -> Result<Option<EngineFacts>, PlayerError> {
        self.tell_over();
        self.repeat(true)?;
        let says = self.engines.first().map_or_else(String::new, |engine| shown(&engine.process().says));
        std::thread::scope(|scope| {
            self.engines.iter_mut().for_each(|engine| drop(scope.spawn(|| engine.quit())));
        });
        self.engines.clear();
        self.placed = None;
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
