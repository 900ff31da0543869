//! The tactician: hand-written tactics for Atari-Go, applied greedily, mixed with a share of random moves.
//!
//! It stands in for the heuristic player of Schaul and Schmidhuber 2009, section 3.1, "a publicly available
//! heuristic player (only for Atari-Go), based on a set of hand-coded heuristic tactics (exploited greedily)", whose
//! "difficulty can be adjusted by imposing that a proportion epsilon of its moves are chosen randomly". That player
//! was an applet by S. Gherman (2000) which is lost. This one is **ours, not the applet**: it shares the
//! applet's description and its epsilon, not its tactics, and results against the two cannot be compared move by move.
//!
//! Every legal move gets the sum of these points, and one of the best is played at random:
//!
//! 1. it captures, and wins; a suicide loses, and scores as low;
//! 2. it saves a group in atari by giving it two liberties or more;
//! 3. it leaves its own group in atari: the opponent would capture;
//! 4. it puts a group in atari that cannot escape: extending it gives it no second liberty;
//! 5. it extends a group that the opponent could catch so, or steps into being caught so;
//! 6. shape: few liberties for the opponent's groups beside it, many for its own, away from the border.
//!
//! It reads three plies at most (atari, extension, capture), so it loses to players that read longer ladders.

use std::sync::Arc;

use rand::RngExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agent::{Agent, Source};
use super::chooser::{any, keep_best};
use super::liberties::{StoneGroup, StoneGroups};
use super::{Chooser, Player, PlayerError};
use gauntlet_games::base::{Action, Rng, Share};
use gauntlet_games::games::{AtariGo, Game, Position, SiteSet};

/// The tactician's settings.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TacticianSpec {
    /// Share of uniformly random legal moves, 0 to 1; 0 by default.
    #[serde(default, with = "Share")]
    pub epsilon: f64,
}

impl Agent for TacticianSpec {
    fn name(&self) -> String {
        format!("tactician {}", self.epsilon)
    }

    fn build(&self, game: &Arc<dyn Game>, _source: &Source<'_>) -> Result<Box<dyn Player>, PlayerError> {
        Ok(Box::new(Tactician::new(*self, game)?))
    }
}

/// Points of the tactics. Each outweighs all below it together.
mod worth {
    pub const DECIDED: i32 = 1_000_000;
    pub const SAVED: i32 = 100_000;
    pub const IN_ATARI: i32 = -50_000;
    pub const CAUGHT: i32 = 10_000;
    pub const EXTENDED: i32 = 2_000;
    pub const EXPOSED: i32 = -1_000;
    /// Beside an opponent's group that is left with this many liberties.
    pub const PRESSURE: [i32; 5] = [0, 40, 40, 20, 10];
    /// For each liberty of its own group, up to [`MOST_LIBERTIES`].
    pub const LIBERTY: i32 = 10;
    pub const MOST_LIBERTIES: usize = 6;
    /// For each neighbour; border sites have fewer.
    pub const INNER: i32 = 5;
}

/// Plays Atari-Go by hand-written tactics.
pub struct Tactician {
    epsilon: f64,
    groups: StoneGroups,
    actions: Vec<Action>,
    /// Liberties of own groups that the opponent could catch if it moved.
    endangered: SiteSet,
}

impl Tactician {
    /// A tactician for one game.
    ///
    /// # Errors
    /// [`PlayerError::Unsuited`] if the game is not Atari-Go.
    pub fn new(spec: TacticianSpec, game: &Arc<dyn Game>) -> Result<Tactician, PlayerError> {
        if game.start().state::<AtariGo>().is_none() {
            let reason = "its tactics are those of atari-go".into();
            return Err(PlayerError::Unsuited { player: "tactician".into(), game: game.name(), reason });
        }
        let endangered = SiteSet::new(game.topology().sites());
        let (epsilon, actions) = (spec.epsilon, Vec::new());
        Ok(Tactician { epsilon, groups: StoneGroups::new(game), actions, endangered })
    }

    /// Collects the liberties of own groups in danger.
    fn find_endangered(&mut self) {
        self.endangered.clear();
        let side = self.groups.side();
        for group in self.groups.all() {
            if group.side == side && group.freedom == 2 && self.can_be_caught(&group.liberties, None) {
                self.endangered.extend(&group.liberties);
            }
        }
    }

    /// The points of a move.
    fn points(&self, site: usize) -> i32 {
        let side = self.groups.side();
        if self.groups.beside(site).any(|group| group.side != side && group.freedom == 1) {
            return worth::DECIDED;
        }
        let liberties = self.groups.joined(site, side);
        match liberties.len() {
            0 => -worth::DECIDED,
            1 => worth::IN_ATARI + self.attack(site) + self.shape(site, 1),
            freedom => self.defence(site, &liberties, freedom) + self.attack(site) + self.shape(site, freedom),
        }
    }

    /// Points for own groups that the move saves, extends or exposes.
    fn defence(&self, site: usize, liberties: &SiteSet, freedom: usize) -> i32 {
        let side = self.groups.side();
        let saved = self.groups.beside(site).any(|group| group.side == side && group.freedom == 1);
        let exposed = freedom == 2 && self.can_be_caught(liberties, Some(site));
        let extended = !exposed && self.endangered.contains(site);
        i32::from(saved) * worth::SAVED + i32::from(exposed) * worth::EXPOSED + i32::from(extended) * worth::EXTENDED
    }

    /// Points for opponent's groups that the move catches or threatens.
    fn attack(&self, site: usize) -> i32 {
        let side = self.groups.side();
        let pressed = self.groups.beside(site).filter(|group| group.side != side);
        pressed.map(|group| self.pressure(site, group)).sum()
    }

    fn pressure(&self, site: usize, group: &StoneGroup) -> i32 {
        let left = group.freedom - 1;
        let caught = left == 1 && self.cannot_escape(site, group);
        i32::from(caught) * worth::CAUGHT + worth::PRESSURE.get(left).copied().unwrap_or(0)
    }

    /// Whether a group with two liberties, one of which is filled at `site`, dies even if it fills the other.
    fn cannot_escape(&self, site: usize, group: &StoneGroup) -> bool {
        let escape = group.liberties.iter().find(|&liberty| liberty != site);
        escape.is_some_and(|escape| {
            let mut liberties = self.groups.joined(escape, group.side);
            liberties.remove(site);
            liberties.len() < 2
        })
    }

    /// Whether the opponent could catch an own group with these two liberties, once the own stone `played` is there:
    /// fill one, without being captured there, so that filling the other gives no second liberty.
    fn can_be_caught(&self, liberties: &SiteSet, played: Option<usize>) -> bool {
        let fills = |filled: usize| {
            let mut attacker = self.groups.joined(filled, self.groups.side().opponent());
            played.iter().for_each(|&site| attacker.remove(site));
            attacker.len() > 1
        };
        let escapes = |escape: usize, filled: usize| {
            let mut freed = self.groups.joined(escape, self.groups.side());
            freed.extend(liberties);
            [Some(escape), Some(filled), played].into_iter().flatten().for_each(|site| freed.remove(site));
            freed.len() > 1
        };
        let others = |filled| liberties.iter().filter(move |&escape| escape != filled);
        liberties.iter().any(|filled| fills(filled) && !others(filled).any(|escape| escapes(escape, filled)))
    }

    /// Points for many liberties and distance from the border.
    fn shape(&self, site: usize, freedom: usize) -> i32 {
        let liberties = freedom.min(worth::MOST_LIBERTIES) as i32;
        worth::LIBERTY * liberties + worth::INNER * self.groups.neighbours(site).len() as i32
    }
}

impl Chooser for Tactician {
    fn choose(&mut self, position: &dyn Position, rng: &mut Rng) -> Action {
        if self.epsilon > 0.0 && rng.random::<f64>() < self.epsilon {
            return position.random_action(rng);
        }
        self.groups.read(position);
        self.find_endangered();
        let mut actions = std::mem::take(&mut self.actions);
        actions.clear();
        position.actions(&mut actions);
        keep_best(&mut actions, |action| self.points(action.index()));
        self.actions = actions;
        any(&self.actions, rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::{Naive, Player, Turn};
    use gauntlet_games::base::{Seed, Side};
    use gauntlet_games::games::GameSpec;

    fn game(size: u8) -> Arc<dyn Game> {
        let spec: GameSpec = serde_json::from_value(serde_json::json!({ "atari-go": { "size": size } })).unwrap();
        spec.build()
    }

    fn tactician(epsilon: f64, game: &Arc<dyn Game>) -> Tactician {
        Tactician::new(TacticianSpec { epsilon }, game).unwrap()
    }

    /// The points that the tactician plays on 7x7 after these moves, over many random streams.
    fn answers(points: &str) -> Vec<String> {
        let game = game(7);
        let mut position = game.start();
        points.split(' ').for_each(|point| position.play(game.parse_action(point).unwrap()));
        let (mut player, mut rng) = (tactician(0.0, &game), Seed::new(1).rng());
        let mut names: Vec<String> = (0..50).map(|_| game.action_name(player.choose(&*position, &mut rng))).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    #[test]
    fn it_captures_before_it_saves() {
        assert_eq!(answers("A2 A1 D4 D5 G7 E4 G6 C4"), ["B1"]);
    }

    #[test]
    fn it_saves_a_group_in_atari() {
        assert_eq!(answers("D4 D5 G1 E4 G7 C4"), ["D3"]);
    }

    #[test]
    fn it_catches_what_cannot_escape() {
        // White's B1 has two liberties; a move at C1 drives it into the corner.
        assert_eq!(answers("B2 B1 F6 F3"), ["C1"]);
    }

    #[test]
    fn it_steps_out_of_danger() {
        assert_eq!(answers("B1 B2 F6"), ["C1"]);
    }

    /// Mean outcome for the first player of many games, colours alternating.
    fn score(game: &Arc<dyn Game>, players: &mut [&mut dyn Player; 2], games: u64) -> f64 {
        let mut total = 0.0;
        for index in 0..games {
            let mut rng = Seed::new(5).child("game", index).rng();
            let black = index as usize % 2;
            let mut position = game.start();
            while position.outcome().is_none() {
                let player = &mut players[(black + position.side().index()) % 2];
                let mut turns = [Turn::new(0, &*position, &mut rng)];
                player.decide(&mut turns).unwrap();
                let action = turns[0].decision.action.unwrap();
                position.play(action);
            }
            total += position.outcome().unwrap().score(Side::BOTH[black]);
        }
        total / games as f64
    }

    #[test]
    fn it_beats_the_naive_player() {
        for size in [7, 9] {
            let game = game(size);
            let mean = score(&game, &mut [&mut tactician(0.0, &game), &mut Naive::default()], 1000);
            assert!(mean > 0.9, "{size}: won less than 95 %: {mean}");
        }
    }

    #[test]
    fn its_strength_falls_with_epsilon() {
        let game = game(7);
        let epsilons = [0.0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0];
        let against = |opponent: &mut dyn Player| {
            epsilons.map(|epsilon| score(&game, &mut [&mut tactician(epsilon, &game), opponent], 2000))
        };
        for scores in [against(&mut Naive::default()), against(&mut tactician(0.0, &game))] {
            assert!(scores.is_sorted_by(|one, next| one > next), "{scores:?}");
        }
    }
}
