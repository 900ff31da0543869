//! The gate between two iterations: a candidate that does not beat the champion is discarded.
//!
//! After the steps of an iteration, the network is the candidate and plays the champion, the network from before these
//! steps. Pairs of games start with the same random plies and have their colours swapped; both sides search as in
//! matches. They are played on the boards of self-play, in proportion to their shares, so that the result covers all
//! of them. With less than the required share of the points, the champion and its earlier optimiser state enter the
//! next iteration. Only the examples remain of a rejected candidate; it would have trained on them as well.
//!
//! The gate is that of Silver et al. 2017, "Mastering the game of Go without human knowledge", Methods, "Evaluator": 400
//! games, 55 %. There the optimiser continues from a rejected network; here both are restored.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::arena::{EvenGames, OpeningsSpec, RandomOpenings, play_pairs};
use crate::learning::LearningError;
use crate::learning::selfplay::WeightedBoard;
use crate::players::SearchPlayer;
use crate::search::Effort;
use gauntlet_games::base::{Seed, Share};
use gauntlet_games::games::GameSpec;

/// Settings of the gate between two iterations.
///
/// | key | default | |
/// |---|---|---|
/// | `games` | 40 | of the candidate against the champion, in pairs, on the boards of self-play by their shares |
/// | `share` | 0.55 | minimum share of the points for promotion; a draw is half a point |
/// | `opening` | 2 | random plies at the start of both games of a pair |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GateSpec {
    /// Number of games.
    pub games: EvenGames,
    /// Minimum share of the points for promotion.
    #[serde(with = "Share")]
    pub share: f64,
    /// Random plies at the start of both games of a pair.
    pub opening: u16,
}

impl Default for GateSpec {
    fn default() -> GateSpec {
        let games = EvenGames::try_from(40).expect("an even number");
        GateSpec { games, share: 0.55, opening: 2 }
    }
}

impl GateSpec {
    /// Checks that games remain to be played after random openings.
    ///
    /// # Errors
    /// The reason, as a sentence.
    pub(super) fn check(&self, game: &GameSpec) -> Result<(), String> {
        let openings = OpeningsSpec::Random(RandomOpenings::new(self.opening));
        openings.build(game).map(|_| ()).map_err(|error| error.to_string())
    }

    /// The candidate's share of the points against the champion on all boards, and the search cost of both.
    pub(super) fn play(
        &self,
        boards: &[WeightedBoard],
        [mut candidate, mut champion]: [SearchPlayer; 2],
        seed: &Seed,
    ) -> Result<(f64, Effort), LearningError> {
        let (pairs, mut halves) = (self.games.get() / 2, 0);
        for (board, pairs) in boards.iter().zip(split(pairs, boards)) {
            let (game, seed) = (&*board.game, seed.child(&board.game.name(), 0));
            let played = play_pairs(game, [&mut candidate, &mut champion], pairs, self.opening, &seed)?;
            halves += played.iter().flat_map(|pair| pair.points).map(u32::from).sum::<u32>();
        }
        let mut effort = candidate.effort();
        effort += champion.effort();
        Ok((f64::from(halves) / (4 * pairs) as f64, effort))
    }
}

/// Distributes pairs over boards in proportion to their weights: whole pairs first, then by largest remainder, ties
/// to the first.
fn split(pairs: usize, boards: &[WeightedBoard]) -> Vec<usize> {
    let weight: f64 = boards.iter().map(|board| board.weight).sum();
    let quotas: Vec<f64> = boards.iter().map(|board| pairs as f64 * board.weight / weight).collect();
    let mut shares: Vec<usize> = quotas.iter().map(|quota| quota.floor() as usize).collect();
    let mut order: Vec<usize> = (0..boards.len()).collect();
    order.sort_by(|&one, &other| quotas[other].fract().total_cmp(&quotas[one].fract()));
    let left = pairs.saturating_sub(shares.iter().sum());
    order.into_iter().take(left).for_each(|board| shares[board] += 1);
    shares
}

#[cfg(test)]
mod tests {
    use super::super::Trainer;
    use super::*;
    use crate::jobs::UpstreamFiles;
    use crate::learning::AlphaZeroJob;
    use crate::players::Source;
    use gauntlet_games::base::{Silent, Stop};

    /// The games of a gate on two boards equal those of two gates, each on one of them.
    #[test]
    fn a_gate_plays_on_every_board_in_proportion() {
        let compared = |sizes: &str, pairs: usize| {
            let text = format!(
                "game = {{ mnk = {{ rows = 3, columns = 3, row = 3 }} }}\nsizes = [{sizes}]\n\
                 agent = {{ guided = {{ network = {{ saz = {{ hidden = 8 }} }}, search = {{ simulations = 9 }} }} }}"
            );
            let job: AlphaZeroJob = toml::from_str(&text).expect("a job");
            let (boards, agent) = (job.boards().expect("sizes"), job.agent().expect("it is guided"));
            let upstream = UpstreamFiles::default();
            let training = Trainer::new(&job, agent, &boards, Seed::new(1), &upstream);
            let network = |seed| {
                let source = Source { seed: &Seed::new(seed), checkpoint: None };
                training
                    .begin(&source, &Stop::default())
                    .and_then(|state| state.learner.network(""))
                    .expect("nothing fails")
            };
            let gate = GateSpec { games: EvenGames::try_from(2 * pairs as i64).expect("even"), ..GateSpec::default() };
            let (one, other) = (network(2), network(3));
            let (share, effort) = training.compare(&gate, [&one, &other], 0, &Silent).expect("nothing fails");
            (share * pairs as f64, effort.searches)
        };
        let (small, large) = ("{ size = 3, share = 0.7 }", "{ size = 4, share = 0.3 }");
        let (both, three, four) = (compared(&format!("{small}, {large}"), 10), compared(small, 7), compared(large, 3));
        assert!((both.0 - three.0 - four.0).abs() < 1e-9, "{both:?} {three:?} {four:?}");
        assert_eq!(both.1, three.1 + four.1);
    }

    #[test]
    fn pairs_are_shared_in_proportion_and_none_is_lost() {
        let game: GameSpec = toml::from_str("othello = { size = 4 }").expect("a game");
        let boards = |weights: &[f64]| -> Vec<WeightedBoard> {
            weights.iter().map(|&weight| WeightedBoard { game: game.build(), weight }).collect()
        };
        for (pairs, weights, shares) in [
            (20, &[0.4, 0.3, 0.2, 0.1][..], &[8, 6, 4, 2][..]),
            (5, &[3.0, 3.0], &[3, 2]),
            (2, &[0.6, 0.2, 0.2], &[1, 1, 0]),
            (1, &[0.1, 0.9], &[0, 1]),
            (7, &[2.0], &[7]),
        ] {
            assert_eq!(split(pairs, &boards(weights)), shares, "{pairs} over {weights:?}");
        }
    }
}
