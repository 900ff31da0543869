//! Work items, and the table of their assumed costs.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use super::formats::speed;
use gauntlet_games::base::Seed;
use gauntlet_games::games::{Game, GameSpec};
use gauntlet_play::learning::AlphaZeroSpec;
use gauntlet_play::players::{Agent, GuidedAgent, PlayerSpec};

/// Seconds of one core for a ply of any player: the move, its record, batch overhead.
const MOVE: f64 = 4e-7;

/// Seconds of one core for each site visited in a decision.
const SITE: f64 = 3e-8;

/// Seconds of one core for a ply of a random play-out.
const PLY: f64 = 1.5e-7;

/// Seconds of one core for a simulation without its evaluation.
const SIMULATION: f64 = 1.2e-6;

/// Floating-point operations of evaluations in a second of one core, for large networks: 0.9e11 to 2.5e11 by network.
const EVALUATED: f64 = 2e11;

/// Additional seconds of one core for an evaluation, for each node of the board and its subgraphs.
const NODE: f64 = 8e-8;

/// Floating-point operations of steps in a second of one core, for large networks.
const LEARNED: f64 = 1e11;

/// Additional seconds of one core for an example of a step, for each node.
const LEARNED_NODE: f64 = 8e-7;

/// Floating-point operations of other work in a second of one core.
const COMPUTED: f64 = 2e10;

/// Share of the evaluations that miss the cache.
const NEW: f64 = 0.7;

/// A piece of work of a job, and its number of repetitions.
pub struct WorkItem<'a> {
    /// The piece.
    pub piece: WorkKind<'a>,
    /// Approximate number of repetitions.
    pub times: f64,
}

/// The kinds of work.
pub enum WorkKind<'a> {
    /// A decision of a player in a game.
    Decision(&'a PlayerSpec, EstimatedGame),
    /// The cost of a ply without its decision.
    Ply,
    /// An example of a step of optimisation, on a board.
    Example(&'a GuidedAgent, &'a AlphaZeroSpec, EstimatedGame),
    /// A floating-point operation of other work.
    Operation,
}

/// Sites of the largest board that is played for an estimate: games on larger ones take seconds to hours.
const PLAYED: usize = 20 * 20;

/// The game of a piece of work, and the game that its estimate plays: the same one or, for a large board, the same
/// rules on a smaller board.
#[derive(Clone)]
pub struct EstimatedGame {
    /// The game itself, whose sites are counted.
    pub whole: Arc<dyn Game>,
    /// The game that is played.
    pub played: Arc<dyn Game>,
}

impl EstimatedGame {
    /// The estimated game of a game.
    #[must_use]
    pub fn new(spec: &GameSpec) -> EstimatedGame {
        let whole = spec.build();
        let small = spec.resized(PLAYED.isqrt() as u32).ok().filter(|_| whole.topology().sites() > PLAYED);
        EstimatedGame { played: small.map_or_else(|| Arc::clone(&whole), |small| small.build()), whole }
    }

    /// The ratio of the sites of the game to those of the played one.
    pub(super) fn ratio(&self) -> f64 {
        self.whole.topology().sites() as f64 / self.played.topology().sites() as f64
    }
}

impl WorkItem<'_> {
    /// Estimated seconds of one core.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.times * self.piece.seconds()
    }
}

impl WorkKind<'_> {
    fn seconds(&self) -> f64 {
        match self {
            WorkKind::Decision(player, game) => decision(player.agent(), &*game.whole, NEW),
            WorkKind::Ply => MOVE,
            WorkKind::Example(agent, settings, game) => example(agent, settings, &*game.whole),
            WorkKind::Operation => 1.0 / COMPUTED,
        }
    }
}

/// Estimated seconds of one core for a decision, if the share `new` of its evaluations misses the cache.
pub(super) fn decision(agent: &dyn Agent, game: &dyn Game, new: f64) -> f64 {
    if let Some(time) = agent.thinking_time() {
        return time.as_secs_f64();
    }
    let work = agent.workload(game);
    // A play-out starts anywhere between the start and a full board.
    let playouts = work.playouts * game.topology().sites() as f64 / 2.0 * PLY;
    let evaluation = new * (work.operations / EVALUATED / speed(agent.numbers()) + work.nodes * NODE);
    work.sites * SITE + work.simulations * (playouts + evaluation + SIMULATION)
}

/// Estimated seconds of one core for an example of a step. A step reads no subgraphs.
pub(super) fn example(agent: &GuidedAgent, settings: &AlphaZeroSpec, game: &dyn Game) -> f64 {
    let whole = GuidedAgent { subgraphs: None, ..agent.clone() };
    3.0 * whole.flops(game) / LEARNED / speed(settings.numbers) + whole.nodes(game) * LEARNED_NODE
}

/// Number of random games from which the length of games is estimated.
const SAMPLE: u64 = 4;

/// The plies of `games` games, and their decisions, in equal shares for all players.
pub(super) fn decisions<'a>(game: &EstimatedGame, players: &[&'a PlayerSpec], games: f64) -> Vec<WorkItem<'a>> {
    let all = games * plies(game);
    let times = all / players.len().max(1) as f64;
    let part = |player: &&'a PlayerSpec| WorkItem { piece: WorkKind::Decision(player.untuned(), game.clone()), times };
    players.iter().map(part).chain([WorkItem { piece: WorkKind::Ply, times: all }]).collect()
}

/// Estimated number of plies of a game, from some random ones; scaled up to a larger board by the number of sites.
pub(super) fn plies(game: &EstimatedGame) -> f64 {
    static KNOWN: LazyLock<Mutex<HashMap<String, f64>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let played = &*game.played;
    let mean = || (0..SAMPLE).map(|index| length(played, index)).sum::<f64>() / SAMPLE as f64;
    game.ratio() * *known.entry(played.name()).or_insert_with(mean)
}

fn length(game: &dyn Game, index: u64) -> f64 {
    let (mut position, mut rng, mut plies) = (game.start(), Seed::new(index).rng(), 0.0);
    while position.outcome().is_none() {
        let action = position.random_action(&mut rng);
        position.play(action);
        plies += 1.0;
    }
    plies
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_play::players::Source;
    use gauntlet_play::search::{Evaluations, Evaluator as _, Leaf};

    /// Operations of one evaluation of the starting position.
    fn operations(agent: &GuidedAgent, game: &Arc<dyn Game>) -> f64 {
        let (boards, seed, mut actions, mut out) = ([Arc::clone(game)], Seed::new(0), Vec::new(), Evaluations::new());
        let net = agent.net(&boards, &Source { seed: &seed, checkpoint: None }).unwrap();
        let start = game.start();
        start.actions(&mut actions);
        let leaves = [Leaf { position: &*start, actions: &actions, seed: &seed, simulation: 0 }];
        out.prepare(&leaves);
        agent.evaluator(&boards, agent.inference(net).unwrap(), &seed).evaluate(&leaves, &mut out).unwrap();
        out.total_work().operations as f64
    }

    /// Budgets of operations end at about the estimated number of iterations.
    #[test]
    fn what_is_counted_beforehand_is_about_what_is_done() {
        for (agent, size) in [
            ("network = { saz = { hidden = 8 } }", 6),
            ("network = { saz = { hidden = 32 } }\nsubgraphs = {}", 8),
            ("network = { az-cnn = { channels = 16, wide = 32, narrow = 16 } }", 8),
            ("network = { agz-cnn = { channels = [8, 16, 32] } }", 8),
        ] {
            let game = toml::from_str::<GameSpec>(&format!("othello = {{ size = {size} }}")).unwrap().build();
            let agent: GuidedAgent = toml::from_str(agent).unwrap();
            let (counted, done) = (agent.flops(&*game), operations(&agent, &game));
            assert!((0.7..1.4).contains(&(counted / done)), "{}: {counted} {done}", agent.name());
        }
    }

    #[test]
    fn games_are_as_long_as_random_ones() {
        let plies = |text: &str| plies(&EstimatedGame::new(&toml::from_str::<GameSpec>(text).unwrap()));
        assert!((50.0..=64.0).contains(&plies("othello = { size = 8 }")));
        // Not played, which would take hours.
        assert!((115_000.0..130_000.0).contains(&plies("othello = { size = 350 }")));
        let gomoku = plies("gomoku = { size = 9 }");
        assert!((20.0..81.0).contains(&gomoku), "{gomoku}");
    }

    #[test]
    fn searching_costs_more_than_looking() {
        let game = toml::from_str::<GameSpec>("othello = { size = 8 }").unwrap().build();
        let seconds = |text: &str| decision(toml::from_str::<PlayerSpec>(text).unwrap().agent(), &*game, 1.0);
        let [few, many] = [50, 500].map(|n| seconds(&format!("uct = {{ simulations = {n} }}")));
        assert!((many / few - 10.0).abs() < 1e-9 && few > 10.0 * seconds("greedy = {}"));
        let [few, many] = [1000, 10_000].map(|n| seconds(&format!("alpha-beta = {{ nodes = {n} }}")));
        assert!((many / few - 10.0).abs() < 1e-9 && few > 100.0 * seconds("greedy = {}"));
        assert!(seconds("uct = { rave = {} }") > 1.5 * seconds("uct = {}"), "play-outs are counted");
        let net = |hidden| seconds(&format!("guided = {{ network = {{ saz = {{ hidden = {hidden} }} }} }}"));
        assert!(net(512) > 50.0 * net(32));
    }
}
