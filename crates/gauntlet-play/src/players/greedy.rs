//! The greedy player: looks one ply ahead and takes the action with the greatest lead in the game's own count.
//!
//! Ben-Assayag and El-Yaniv 2021 (ScalableAlphaZero), appendix D: in Othello the difference of discs, in Gomoku the
//! longest own row minus the opponent's, in Go the difference of territories (here areas, as the game is scored). It
//! recognises no wins and no threats beyond that. Ties are broken at random. The code that the paper builds on,
//! alpha-zero-general, takes the lowest action; `ties` selects that.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agent::{Agent, Source};
use super::chooser::{any, keep_best};
use super::{Chooser, Player, PlayerError};
use gauntlet_games::base::{Action, Rng};
use gauntlet_games::games::{Game, Position};

/// The greedy player's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GreedySpec {
    /// The choice among several best actions: random by default.
    #[serde(default)]
    pub ties: GreedyTies,
}

/// The choice among several best actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GreedyTies {
    /// Each with the same probability.
    #[default]
    Random,
    /// The lowest action.
    Lowest,
}

impl Agent for GreedySpec {
    fn repeats(&self) -> bool {
        self.ties == GreedyTies::Lowest
    }

    fn name(&self) -> String {
        match self.ties {
            GreedyTies::Random => "greedy".to_owned(),
            GreedyTies::Lowest => "greedy, lowest action".to_owned(),
        }
    }

    fn build(&self, game: &Arc<dyn Game>, _source: &Source<'_>) -> Result<Box<dyn Player>, PlayerError> {
        Ok(Box::new(Greedy::new(*self, game)?))
    }
}

/// Maximises its lead after its own action, in any game with a lead.
#[derive(Debug, Clone)]
pub struct Greedy {
    ties: GreedyTies,
    actions: Vec<Action>,
}

impl Greedy {
    /// A greedy player for one game.
    ///
    /// # Errors
    /// [`PlayerError::Unsuited`] if the game has no lead.
    pub fn new(spec: GreedySpec, game: &Arc<dyn Game>) -> Result<Greedy, PlayerError> {
        let start = game.start();
        if start.lead(start.side()).is_none() {
            let reason = "it does not count who is ahead".into();
            return Err(PlayerError::Unsuited { player: "greedy".into(), game: game.name(), reason });
        }
        Ok(Greedy { ties: spec.ties, actions: Vec::new() })
    }
}

impl Chooser for Greedy {
    fn choose(&mut self, position: &dyn Position, rng: &mut Rng) -> Action {
        self.actions.clear();
        position.actions(&mut self.actions);
        keep_best(&mut self.actions, |action| {
            position.lead_after(action).expect("the game was asked for its lead before")
        });
        match self.ties {
            GreedyTies::Random => any(&self.actions, rng),
            GreedyTies::Lowest => self.actions[0],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::Seed;
    use gauntlet_games::games::GameSpec;

    fn game(spec: serde_json::Value) -> Arc<dyn Game> {
        serde_json::from_value::<GameSpec>(spec).unwrap().build()
    }

    /// All answers of the player after these actions, over many random streams.
    fn answers(game: &Arc<dyn Game>, ties: GreedyTies, played: &str) -> Vec<String> {
        let mut position = game.start();
        played.split_whitespace().for_each(|name| position.play(game.parse_action(name).unwrap()));
        let (mut player, mut rng) = (Greedy::new(GreedySpec { ties }, game).unwrap(), Seed::new(1).rng());
        let mut names: Vec<String> = (0..200).map(|_| game.action_name(player.choose(&*position, &mut rng))).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    #[test]
    fn it_takes_the_most_discs() {
        let othello = game(serde_json::json!({ "othello": { "size": 8 } }));
        assert_eq!(answers(&othello, GreedyTies::Random, ""), ["C4", "D3", "E6", "F5"]);
        assert_eq!(answers(&othello, GreedyTies::Lowest, ""), ["D3"]);
        let mut position = othello.start();
        let mut rng = Seed::new(2).rng();
        let mut player = Greedy::new(GreedySpec::default(), &othello).unwrap();
        while position.outcome().is_none() {
            let mut legal = Vec::new();
            position.actions(&mut legal);
            let side = position.side();
            let lead = |action: Action| {
                let mut next = position.fork();
                next.play(action);
                next.lead(side).unwrap()
            };
            let chosen = player.choose(&*position, &mut rng);
            assert!(legal.iter().all(|&action| lead(action) <= lead(chosen)));
            position.play(chosen);
        }
    }

    #[test]
    fn it_makes_its_longest_row_longer_and_blocks_none() {
        let gomoku = game(serde_json::json!({ "gomoku": { "size": 7 } }));
        assert_eq!(answers(&gomoku, GreedyTies::Random, "A1 G7 B1 G6"), ["C1"]);
        // White has four in a row; black makes two of its own.
        let answers = answers(&gomoku, GreedyTies::Random, "D4 A1 A7 B1 G7 C1 G4 D1");
        assert!(!answers.contains(&"E1".to_owned()) && answers.contains(&"E5".to_owned()), "{answers:?}");
    }

    #[test]
    fn it_counts_areas_in_go() {
        let go = game(serde_json::json!({ "go": { "size": 3 } }));
        // Anything but a pass makes the whole board black's; so does a capture.
        assert_eq!(answers(&go, GreedyTies::Lowest, ""), ["A3"]);
        assert!(!answers(&go, GreedyTies::Random, "").contains(&"pass".to_owned()));
        assert_eq!(answers(&go, GreedyTies::Random, "A3 B3 B1"), ["A2"]);
    }

    #[test]
    fn games_without_a_count_are_refused() {
        let atari = game(serde_json::json!({ "atari-go": { "size": 7 } }));
        let error = Greedy::new(GreedySpec::default(), &atari).err().unwrap().to_string();
        assert_eq!(error, "greedy cannot play atari-go 7x7: it does not count who is ahead");
    }
}
