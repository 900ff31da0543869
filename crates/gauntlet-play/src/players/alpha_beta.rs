//! The alpha-beta player: searches a fixed number of plies and plays a best action.
//!
//! Knuth and Moore 1975 ("An Analysis of Alpha-Beta Pruning"): minimax values, without the children that cannot change
//! them. Games that end within the depth have their exact value; earlier wins and later losses rank first. Other
//! leaves have the greedy player's lead, or 0 in games without one. Among several best actions, the game's random
//! stream decides, as for the greedy player; all else is deterministic. The player keeps no state between moves.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agent::{Agent, Source, Workload};
use super::chooser::{any, keep_best};
use super::{Chooser, Player, PlayerError};
use gauntlet_games::base::{Action, Outcome, Rng, Side, bounded};
use gauntlet_games::games::{Game, Position};

/// The alpha-beta player's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AlphaBetaSpec {
    /// Search depth in plies, its own included: 1 to 20, 3 by default.
    #[serde(with = "Depth")]
    pub depth: u32,
}

impl Default for AlphaBetaSpec {
    fn default() -> AlphaBetaSpec {
        AlphaBetaSpec { depth: 3 }
    }
}

bounded! {
    /// Plies that are looked ahead.
    Depth: u32 from 1 to 20, "depth {value} is outside {range}"
}

impl Agent for AlphaBetaSpec {
    fn name(&self) -> String {
        format!("alpha-beta {}", self.depth)
    }

    fn build(&self, _game: &Arc<dyn Game>, _source: &Source<'_>) -> Result<Box<dyn Player>, PlayerError> {
        Ok(Box::new(AlphaBeta { depth: self.depth }))
    }

    /// Pruning leaves about the power 3/4 of the nodes; each enumerates its actions.
    fn workload(&self, game: &dyn Game) -> Workload {
        let mut actions = Vec::new();
        game.start().actions(&mut actions);
        let nodes = (actions.len() as f64).powf(0.75 * f64::from(self.depth - 1));
        Workload { sites: nodes * game.topology().sites() as f64, ..Workload::default() }
    }
}

/// Searches a fixed number of plies, in any game.
#[derive(Debug, Clone, Copy)]
pub struct AlphaBeta {
    depth: u32,
}

impl Chooser for AlphaBeta {
    fn choose(&mut self, position: &dyn Position, rng: &mut Rng) -> Action {
        let (mut actions, mut best) = (Vec::new(), f64::NEG_INFINITY);
        position.actions(&mut actions);
        keep_best(&mut actions, |action| {
            // The window includes the best value so far, so that ties are exact.
            let value = after(position, action, self.depth, best.next_down(), f64::INFINITY);
            best = best.max(value);
            value
        });
        any(&actions, rng)
    }
}

/// Above every lead.
const WIN: f64 = 1e9;

/// The value of an action for the side to move, at `depth` plies including this one; a bound if it lies outside
/// `alpha` to `beta`.
fn after(position: &dyn Position, action: Action, depth: u32, alpha: f64, beta: f64) -> f64 {
    let side = position.side();
    if let Some(outcome) = position.outcome_after(action) {
        return end(outcome, side, depth);
    }
    if depth == 1 {
        return position.lead_after(action).unwrap_or(0.0);
    }
    let mut next = position.fork();
    next.play(action);
    if next.side() == side { best(&*next, depth - 1, alpha, beta) } else { -best(&*next, depth - 1, -beta, -alpha) }
}

/// The value of a position that is not over, for its side to move.
fn best(position: &dyn Position, depth: u32, alpha: f64, beta: f64) -> f64 {
    let (mut actions, mut most) = (Vec::new(), f64::NEG_INFINITY);
    position.actions(&mut actions);
    for action in actions {
        most = most.max(after(position, action, depth, alpha.max(most), beta));
        if most >= beta {
            break;
        }
    }
    most
}

/// The value of an outcome with `depth` plies left.
fn end(outcome: Outcome, side: Side, depth: u32) -> f64 {
    outcome.score(side) * (WIN + f64::from(depth))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::Seed;
    use gauntlet_games::games::GameSpec;

    fn game(text: &str) -> Arc<dyn Game> {
        toml::from_str::<GameSpec>(text).unwrap().build()
    }

    /// The value of an action without pruning.
    fn plain(position: &dyn Position, action: Action, depth: u32) -> f64 {
        let (side, mut next) = (position.side(), position.fork());
        next.play(action);
        match next.outcome() {
            Some(outcome) => end(outcome, side, depth),
            None if depth == 1 => next.lead(side).unwrap_or(0.0),
            None => {
                let mut actions = Vec::new();
                next.actions(&mut actions);
                -actions.iter().map(|&action| plain(&*next, action, depth - 1)).fold(f64::NEG_INFINITY, f64::max)
            }
        }
    }

    #[test]
    fn it_plays_all_that_minimax_finds_best_and_nothing_else() {
        for (text, depth) in [
            ("connect-four = {}", 4),
            ("othello = { size = 6 }", 3),
            ("atari-go = { size = 5 }", 2),
            ("mnk = { rows = 3, columns = 3, row = 3 }", 9),
        ] {
            let (game, mut rng) = (game(text), Seed::new(1).rng());
            let mut position = game.start();
            (0..6).for_each(|_| position.play(position.random_action(&mut rng)));
            while position.outcome().is_none() {
                let mut wanted = Vec::new();
                position.actions(&mut wanted);
                keep_best(&mut wanted, |action| plain(&*position, action, depth));
                let choice = || AlphaBeta { depth }.choose(&*position, &mut rng);
                let mut found: Vec<Action> = std::iter::repeat_with(choice).take(60).collect();
                found.sort_unstable();
                found.dedup();
                assert!(found.iter().all(|action| wanted.contains(action)), "{text}: {found:?} of {wanted:?}");
                assert!(wanted.len() > 8 || found == wanted, "{text}: {found:?} of {wanted:?}");
                position.play(found[0]);
                for _ in 0..4 {
                    if position.outcome().is_none() {
                        position.play(position.random_action(&mut rng));
                    }
                }
            }
        }
    }

    #[test]
    fn it_wins_as_soon_as_it_can_and_stops_the_other_side() {
        let game = game("connect-four = {}");
        let names = |played: &str, depth| {
            let mut position = game.start();
            played.split(' ').for_each(|name| position.play(game.parse_action(name).unwrap()));
            game.action_name(AlphaBeta { depth }.choose(&*position, &mut Seed::new(3).rng()))
        };
        assert_eq!(names("A1 G1 B1 G2 C1 G3", 5), "D1");
        assert_eq!(names("A1 G1 A2 G2 D1 G3", 2), "G4");
    }

    #[test]
    fn a_depth_has_bounds() {
        let read = toml::from_str::<AlphaBetaSpec>;
        assert_eq!(read("").unwrap().name(), "alpha-beta 3");
        let error = read("depth = 0").unwrap_err().to_string();
        assert!(error.contains("depth 0 is outside 1 to 20"), "{error}");
    }
}
