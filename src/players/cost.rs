//! What decisions cost, roughly: for estimates that people see before anything runs.
//!
//! No result depends on these numbers, and no clock is read here: whoever has one lets a [`Probe`] work for a moment, and
//! learns by how much this machine differs from what they assume.

use std::sync::Arc;

use super::{Guide, GuidedAgent, Player, PlayerError, PlayerSpec, SearchAgent, Source, Turn, UctAgent, Weights};
use crate::base::{Rng, Seed};
use crate::games::{Game, Position};
use crate::search::{Reuse, SearchSpec};

/// Floating-point operations of evaluations in a second of one core, where they are many: 0.9e11 to 2.5e11 by network.
const OPERATIONS_PER_SECOND: f64 = 2e11;

/// Seconds of one core that an evaluation takes besides, for each node of the board and its subgraphs.
const SECONDS_PER_NODE: f64 = 1.7e-7;

/// Seconds of one core that a simulation takes besides its evaluation.
pub const SECONDS_PER_SIMULATION: f64 = 1.2e-6;

/// Seconds of one core that a ply of a random play-out takes.
const SECONDS_PER_PLY: f64 = 1.5e-7;

/// Random games whose length is taken for that of others.
const SAMPLE: u64 = 4;

/// Rough number of plies of a game, from some random ones.
#[must_use]
pub fn plies(game: &dyn Game) -> f64 {
    let length = |index| {
        let (mut position, mut rng, mut plies) = (game.start(), Seed::new(index).rng(), 0.0);
        while position.outcome().is_none() {
            let action = position.random_action(&mut rng);
            position.play(action);
            plies += 1.0;
        }
        plies
    };
    (0..SAMPLE).map(length).sum::<f64>() / SAMPLE as f64
}

impl GuidedAgent {
    /// Rough seconds of one core that judging a position of this game takes, its subgraphs too.
    #[must_use]
    pub fn evaluation_seconds(&self, game: &dyn Game) -> f64 {
        self.flops(game) / OPERATIONS_PER_SECOND + self.nodes(game) * SECONDS_PER_NODE
    }
}

/// Simulations of a probe's searches at most: more of them are more of the same.
const SIMULATIONS: u32 = 8;

/// Positions that a probe decides at once at most; self-play and matches decide about as many.
const POSITIONS: f64 = 64.0;

/// What a probe's work is estimated to take, seconds, where so few positions are enough of it.
const MOMENT: f64 = 6e-3;

impl PlayerSpec {
    /// Rough seconds of one core that a decision on this board takes, besides a look at each action.
    #[must_use]
    pub fn seconds(&self, game: &dyn Game) -> f64 {
        // A play-out begins somewhere between the start and a full board.
        let playout = game.topology().sites() as f64 / 2.0 * SECONDS_PER_PLY;
        let (simulations, evaluation) = match self {
            PlayerSpec::Uct(agent) => (agent.simulations, f64::from(agent.rollouts.get()) * playout),
            PlayerSpec::Search(agent) => match agent.guide {
                Guide::Uniform(_) => (agent.search.simulations, 0.0),
                Guide::Rollouts(playouts) => (agent.search.simulations, f64::from(playouts.count.get()) * playout),
            },
            PlayerSpec::Guided(agent) => (agent.search.simulations, agent.evaluation_seconds(game)),
            _ => (0, 0.0),
        };
        f64::from(simulations) * (evaluation + SECONDS_PER_SIMULATION)
    }

    /// Whether the player searches, so that a [`Probe`] can work.
    #[must_use]
    pub fn searches(&self) -> bool {
        matches!(self, PlayerSpec::Uct(_) | PlayerSpec::Search(_) | PlayerSpec::Guided(_))
    }

    /// The player that does the same for a decision in a small number of simulations, without a training.
    #[must_use]
    pub fn in_small(&self) -> PlayerSpec {
        let few = |simulations: u32| simulations.min(SIMULATIONS);
        let short = |search: &SearchSpec| SearchSpec {
            simulations: few(search.simulations),
            reuse: Reuse::Fresh,
            solve: false,
            ..search.clone()
        };
        match self {
            PlayerSpec::Uct(agent) => {
                PlayerSpec::Uct(UctAgent { simulations: few(agent.simulations), ..agent.clone() })
            }
            PlayerSpec::Search(agent) => {
                PlayerSpec::Search(SearchAgent { search: short(&agent.search), ..agent.clone() })
            }
            PlayerSpec::Guided(agent) => PlayerSpec::Guided(Box::new(GuidedAgent {
                weights: Weights::Random,
                cache: 0,
                search: short(&agent.search),
                ..(**agent).clone()
            })),
            other => other.clone(),
        }
    }

    /// The network that guides the player, if one does.
    #[must_use]
    pub fn guided(&self) -> Option<&GuidedAgent> {
        match self {
            PlayerSpec::Guided(agent) => Some(agent),
            _ => None,
        }
    }
}

/// A player that searches, at work on some positions in the middle of a game.
pub struct Probe {
    player: Box<dyn Player>,
    positions: Vec<Box<dyn Position>>,
    rng: Rng,
    /// What deciding the positions is estimated to take.
    seconds: f64,
}

impl Probe {
    /// The player in small on this game: random weights, few simulations, no memory.
    ///
    /// # Errors
    /// When the player cannot be built for the game.
    pub fn new(player: &PlayerSpec, game: &Arc<dyn Game>) -> Result<Probe, PlayerError> {
        let (small, seed) = (player.in_small(), Seed::new(0));
        let decision = small.seconds(&**game);
        let count = (MOMENT / decision).clamp(1.0, POSITIONS) as usize;
        let half = plies(&**game) as usize / 2;
        let positions = (0..count).map(|index| midway(&**game, half, index as u64)).collect();
        let player = small.build(game, &Source { seed: &seed, checkpoint: None })?;
        Ok(Probe { player, positions, rng: seed.rng(), seconds: count as f64 * decision })
    }

    /// Decides the positions once. Seconds of one core that this is estimated to take.
    ///
    /// # Errors
    /// When the player fails.
    pub fn work(&mut self) -> Result<f64, PlayerError> {
        let mut streams: Vec<Rng> = self.positions.iter().map(|_| self.rng.clone()).collect();
        let positions = self.positions.iter().map(|position| &**position);
        let turn = |(game, (position, rng))| Turn::new(game, position, rng);
        let mut turns: Vec<Turn<'_>> = positions.zip(&mut streams).enumerate().map(turn).collect();
        self.player.decide(&mut turns)?;
        Ok(self.seconds)
    }
}

/// A position after so many random plies, or the last one before the game is over.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::GameSpec;
    use crate::nets::deep::at_play;
    use crate::search::{Evaluations, Evaluator as _, Leaf};

    fn player(text: &str) -> PlayerSpec {
        toml::from_str(text).unwrap()
    }

    /// Operations of judging the start once.
    fn operations(agent: &GuidedAgent, game: &Arc<dyn Game>) -> f64 {
        let (boards, seed, mut actions, mut out) = ([Arc::clone(game)], Seed::new(0), Vec::new(), Evaluations::new());
        let net = agent.net(&boards, &Source { seed: &seed, checkpoint: None }).unwrap();
        let start = game.start();
        start.actions(&mut actions);
        let leaves = [Leaf { position: &*start, actions: &actions, seed: &seed, simulation: 0 }];
        out.prepare(&leaves);
        agent.evaluator(&boards, at_play(net).unwrap(), &seed).evaluate(&leaves, &mut out).unwrap();
        out.total_work().operations as f64
    }

    /// Budgets of operations end where trainings were estimated to end.
    #[test]
    fn what_is_counted_beforehand_is_about_what_is_done() {
        for (agent, size) in [
            ("guided = { network = { saz = { hidden = 8 } } }", 6),
            ("guided = { network = { saz = { hidden = 32 } }, subgraphs = {} }", 8),
            ("guided = { network = { az-cnn = { channels = 16, wide = 32, narrow = 16 } } }", 8),
            ("guided = { network = { agz-cnn = { channels = [8, 16, 32] } } }", 8),
        ] {
            let game = toml::from_str::<GameSpec>(&format!("othello = {{ size = {size} }}")).unwrap().build();
            let agent = player(agent);
            let agent = agent.guided().unwrap();
            let (counted, done) = (agent.flops(&*game), operations(agent, &game));
            assert!((0.7..1.4).contains(&(counted / done)), "{}: {counted} {done}", agent.name());
        }
    }

    #[test]
    fn probes_work_wherever_a_search_does_and_need_no_training() {
        for text in [
            "uct = { simulations = 500 }",
            "search = { guide = { rollouts = { count = 2 } }, search = { reuse = \"keep\" } }",
            "guided = { network = { saz = { hidden = 4 } }, weights = \"trained\" }",
        ] {
            for game in ["othello = { size = 4 }", "gomoku = { size = 5, row = 4 }"] {
                let (game, spec) = (toml::from_str::<GameSpec>(game).unwrap().build(), player(text));
                let mut probe = Probe::new(&spec, &game).unwrap();
                let seconds = probe.work().unwrap();
                assert!(spec.searches() && seconds > 0.0 && seconds < 0.1, "{text}: {seconds}");
                assert_eq!(probe.work().unwrap(), seconds);
            }
        }
        assert!(!player("greedy = {}").searches());
    }

    #[test]
    fn games_are_as_long_as_random_ones() {
        let plies = |text: &str| plies(&*toml::from_str::<GameSpec>(text).unwrap().build());
        assert!((50.0..=64.0).contains(&plies("othello = { size = 8 }")));
        let gomoku = plies("gomoku = { size = 9 }");
        assert!((20.0..81.0).contains(&gomoku), "{gomoku}");
    }

    #[test]
    fn searching_costs_and_looking_does_not() {
        let game = toml::from_str::<GameSpec>("othello = { size = 8 }").unwrap().build();
        let seconds = |text: &str| player(text).seconds(&*game);
        assert_eq!(seconds("greedy = {}"), 0.0);
        let [few, many] = [50, 500].map(|n| seconds(&format!("uct = {{ simulations = {n} }}")));
        assert!((many / few - 10.0).abs() < 1e-9 && few > 0.0);
        let net = |hidden| seconds(&format!("guided = {{ network = {{ saz = {{ hidden = {hidden} }} }} }}"));
        assert!(net(512) > 50.0 * net(32));
    }
}
