//! Scaled-down pieces of work, to be repeated and timed. Timing happens elsewhere.

use std::num::NonZeroU32;
use std::sync::Arc;

use super::work::{EstimatedGame, WorkKind, decision, example, plies};
use gauntlet_games::base::{Rng, Seed};
use gauntlet_games::games::{Game, Position};
use gauntlet_nets::encoders::Batch;
use gauntlet_nets::nets::deep::Net;
use gauntlet_play::learning::{Adam, AlphaZeroSpec, StepRules, Targets, train_step};
use gauntlet_play::players::{
    AlphaBetaSpec, Guide, GuidedAgent, PlayOverrides, Player, PlayerSpec, SearchAgent, Source, Turn, Weights,
};

/// Maximum number of simulations of a probe's searches: more only repeat the same work.
const SIMULATIONS: u32 = 8;

/// Maximum depth and number of nodes of a probe's alpha-beta search: deeper ones may take hours.
const DEPTH: u32 = 3;
const NODES: u32 = 20_000;

/// Maximum number of play-outs for each leaf of a probe.
const ROLLOUTS: NonZeroU32 = NonZeroU32::new(16).expect("it is above 0");

/// Maximum number of positions in one decision of a probe; self-play and matches decide about as many.
const POSITIONS: f64 = 64.0;

/// Target duration of a round of decisions, seconds, if fewer positions suffice for it.
const ROUND: f64 = 6e-3;

/// Maximum estimated duration of a step, seconds; longer ones get fewer examples.
const STEP: f64 = 0.02;

/// Maximum network size for an estimate: drawing 10^8 weights alone takes half a minute.
const MOST_WEIGHTS: usize = 4_000_000;

/// Work that can be done and timed.
pub(super) struct Probe {
    /// Estimated seconds of one repetition.
    seconds: f64,
    work: Box<dyn FnMut() -> Option<()>>,
}

impl Probe {
    /// The scaled-down piece: random weights, few simulations, no cache. `None` if it cannot run, or not quickly.
    pub(super) fn new(piece: &WorkKind<'_>) -> Option<Probe> {
        match piece {
            WorkKind::Decision(player, game) => decisions(&in_small(player), game),
            WorkKind::Example(agent, settings, game) => step(agent, settings, &game.played),
            WorkKind::Ply | WorkKind::Operation => None,
        }
    }

    /// Does the work once. Returns its estimated seconds of one core; `None` if it fails.
    pub(super) fn work(&mut self) -> Option<f64> {
        (self.work)().map(|()| self.seconds)
    }
}

/// The player with a small number of simulations and without trained weights.
pub(super) fn in_small(player: &PlayerSpec) -> PlayerSpec {
    let mut small = player.clone();
    let PlayOverrides { weights, simulations, cache, .. } = small.agent_mut().play_overrides();
    weights.into_iter().for_each(|weights| *weights = Weights::Random);
    simulations.into_iter().for_each(|simulations| *simulations = SIMULATIONS.min(simulations.most()).into());
    cache.into_iter().for_each(|cache| *cache = 0);
    match &mut small {
        PlayerSpec::AlphaBeta(AlphaBetaSpec::Depth(depth)) => *depth = DEPTH.min(*depth),
        PlayerSpec::AlphaBeta(AlphaBetaSpec::Nodes(nodes)) => *nodes = NODES.min(*nodes),
        PlayerSpec::Uct(agent) => agent.rollouts = ROLLOUTS.min(agent.rollouts),
        PlayerSpec::Search(SearchAgent { guide: Guide::Rollouts(own), .. }) => own.count = ROLLOUTS.min(own.count),
        _ => {}
    }
    small
}

/// A player that decides some positions in the middle of a game.
fn decisions(small: &PlayerSpec, estimated: &EstimatedGame) -> Option<Probe> {
    let game = &estimated.played;
    if small.agent().thinking_time().is_some() {
        return None;
    }
    if let PlayerSpec::Guided(agent) = small
        && !is_small(agent, game)
    {
        return None;
    }
    let (seed, one) = (Seed::new(0), decision(small.agent(), &**game, 1.0));
    let count = (ROUND / one).clamp(1.0, POSITIONS) as usize;
    let half = (plies(estimated) / estimated.ratio()) as usize / 2;
    let positions: Vec<_> = (0..count).map(|index| midway(&**game, half, index as u64)).collect();
    let mut player = small.build(game, &Source { seed: &seed, checkpoint: None }).ok()?;
    let streams: Vec<Rng> = (0..count).map(|index| seed.child("game", index as u64).rng()).collect();
    let work = move || decide(&mut *player, &positions, streams.clone());
    Some(Probe { seconds: count as f64 * one, work: Box::new(work) })
}

fn decide(player: &mut dyn Player, positions: &[Box<dyn Position>], mut streams: Vec<Rng>) -> Option<()> {
    let positions = positions.iter().map(|position| &**position);
    let turn = |(game, (position, rng))| Turn::new(game, position, rng);
    let mut turns: Vec<Turn<'_>> = positions.zip(&mut streams).enumerate().map(turn).collect();
    player.decide(&mut turns).ok()?;
    (0..turns.len()).for_each(|game| player.forget(game));
    Some(())
}

/// A position after `plies` random plies, or the last one before the game is over.
fn midway(game: &dyn Game, plies: usize, index: u64) -> Box<dyn Position> {
    let (mut position, mut rng) = (game.start(), Seed::new(index).rng());
    for _ in 0..plies {
        let mut next = position.fork();
        next.play(position.random_action(&mut rng));
        if next.outcome().is_some() {
            break;
        }
        position = next;
    }
    position
}

/// A network with random weights, and optimisation steps on the same examples.
fn step(agent: &GuidedAgent, settings: &AlphaZeroSpec, game: &Arc<dyn Game>) -> Option<Probe> {
    let whole = GuidedAgent { subgraphs: None, weights: Weights::Random, ..agent.clone() };
    if !is_small(&whole, game) {
        return None;
    }
    let (boards, one) = ([Arc::clone(game)], example(&whole, settings, &**game));
    let (least, most) = (whole.network.architecture().least_batch(), settings.batch.get());
    let count = ((STEP / one) as u32).clamp(least.min(most), most);
    let net = whole.net(&boards, &Source { seed: &Seed::new(0), checkpoint: None }).ok()?;
    let adam = Adam::new(settings.adam, &*net).ok()?;
    let batch = starts(&whole, &boards, count);
    let work = steps(net, adam, batch, StepRules { loss: settings.loss, numbers: settings.numbers });
    Some(Probe { seconds: f64::from(count) * one, work: Box::new(work) })
}

fn steps(net: Box<dyn Net>, mut adam: Adam, batch: Batch, rules: StepRules) -> impl FnMut() -> Option<()> {
    let (targets, mut rng) = (uniform(&batch), Seed::new(0).rng());
    move || train_step(&*net, &mut adam, &batch, &targets, rules, &mut rng).ok().map(drop)
}

/// `count` copies of the starting position.
fn starts(agent: &GuidedAgent, boards: &[Arc<dyn Game>; 1], count: u32) -> Batch {
    let mut encoder = agent.encoder(boards);
    let mut batch = Batch::new(encoder.dims());
    let start = boards[0].start();
    let positions: Vec<&dyn Position> = (0..count).map(|_| &*start).collect();
    encoder.encode(&positions, &mut batch);
    batch
}

/// Targets with equal action probabilities and a draw.
fn uniform(batch: &Batch) -> Targets {
    let mut targets = Targets { values: vec![0.0; batch.positions()], ..Targets::default() };
    targets.legal.resize(batch.logits(), true);
    for index in 0..batch.positions() {
        let span = batch.span(index);
        targets.policy.resize(span.end, 1.0 / span.len() as f32);
    }
    targets
}

/// Whether the network is small enough to build while the user waits for a plan.
fn is_small(agent: &GuidedAgent, game: &Arc<dyn Game>) -> bool {
    let dims = agent.encoder(&[Arc::clone(game)]).dims();
    agent.network.architecture().weight_count(dims).is_some_and(|weights| weights <= MOST_WEIGHTS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::games::GameSpec;

    fn game(text: &str) -> EstimatedGame {
        EstimatedGame::new(&toml::from_str::<GameSpec>(text).unwrap())
    }

    #[test]
    fn probes_work_wherever_a_player_does_and_need_no_training() {
        for text in [
            "greedy = {}",
            "uct = { simulations = 500 }",
            "uct = { simulations = 1, rollouts = 4000000 }",
            "alpha-beta = { depth = 20 }",
            "alpha-beta = { nodes = 9000000 }",
            "search = { guide = { rollouts = { count = 2 } }, search = { reuse = \"keep\" } }",
            "guided = { network = { saz = { hidden = 4 } }, weights = \"trained\" }",
        ] {
            for board in ["othello = { size = 4 }", "gomoku = { size = 5, row = 4 }"] {
                let player: PlayerSpec = toml::from_str(text).unwrap();
                let mut probe = Probe::new(&WorkKind::Decision(&player, game(board))).unwrap();
                let seconds = probe.work().unwrap();
                assert!(seconds > 0.0 && seconds < 0.1, "{text}: {seconds}");
                assert_eq!(probe.work(), Some(seconds));
            }
        }
    }

    #[test]
    fn long_steps_are_shortened_and_short_ones_are_whole() {
        let (game, settings) = (game("othello = { size = 6 }"), AlphaZeroSpec::default());
        let seconds = |network: &str| {
            let agent: GuidedAgent = toml::from_str(&format!("network = {{ {network} }}")).unwrap();
            let mut probe = Probe::new(&WorkKind::Example(&agent, &settings, game.clone())).unwrap();
            (probe.work().unwrap(), example(&agent, &settings, &*game.whole))
        };
        let (small, one) = seconds("saz = { hidden = 4 }");
        assert_eq!(small, 64.0 * one);
        let (large, one) = seconds("az-cnn = { channels = 512, wide = 32, narrow = 32 }");
        assert!(large < 2.0 * STEP && large < 64.0 * one && large >= 2.0 * one);
    }
}
