//! The gate between two iterations: a candidate that does not beat the champion is forgotten.
//!
//! After the steps of an iteration the network, which is the candidate, plays the champion: the network of before these
//! steps. Pairs of games begin with the same random plies and have their colours swapped; both sides search as at play.
//! With less than the wanted share of the points the champion goes on to the next iteration, together with its optimiser
//! as it was: of a rejected candidate nothing stays but the examples that it would have learned from as well.
//!
//! The gate is that of Silver et al. 2017, "Mastering the game of Go without human knowledge", Methods, "Evaluator": 400
//! games, 55 %. There the optimiser goes on from a rejected network; here both go back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::state::State;
use super::{Iteration, Training};
use crate::arena::{EvenGames, OpeningsSpec, RandomOpenings, play_pairs};
use crate::base::{Sink, Stop};
use crate::games::GameSpec;
use crate::learning::LearningError;
use crate::nets::deep::DeepCheckpoint;
use crate::players::Share;
use crate::search::Effort;

/// When the network of an iteration goes on to the next one.
///
/// | key | default | |
/// |---|---|---|
/// | `games` | 40 | of the candidate against the champion, in pairs, on the first board of self-play |
/// | `share` | 0.55 | least share of the points with which the candidate goes on; a draw is half a point |
/// | `opening` | 2 | random plies that both games of a pair begin with |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GateSpec {
    /// Number of games.
    pub games: EvenGames,
    /// Least share of the points with which the candidate goes on.
    pub share: Share,
    /// Random plies that both games of a pair begin with.
    pub opening: u16,
}

impl Default for GateSpec {
    fn default() -> GateSpec {
        let games = EvenGames::try_from(40).expect("an even number");
        GateSpec { games, share: Share::new(0.55).expect("a share"), opening: 2 }
    }
}

impl GateSpec {
    /// Whether random openings leave games to play.
    ///
    /// # Errors
    /// A sentence for people.
    pub(super) fn check(&self, game: &GameSpec) -> Result<(), String> {
        let openings = OpeningsSpec::Random(RandomOpenings { plies: self.opening });
        openings.build(game).map(|_| ()).map_err(|error| error.to_string())
    }
}

impl Training<'_> {
    /// Learns from the window; where there is a gate, goes back to where it began unless the candidate passes.
    pub(super) fn improve(
        &self,
        state: &mut State,
        number: u64,
        entry: &mut Iteration,
        sink: &mut dyn Sink,
    ) -> Result<(), LearningError> {
        let Some(gate) = &self.job.settings.gate else { return self.optimise(state, number, entry, sink) };
        let (champion, adam) = (state.network("")?, state.adam.to_bytes()?);
        self.optimise(state, number, entry, sink)?;
        let (share, effort) = self.compare(gate, [&state.network("")?, &champion], number, &sink.stop())?;
        let promoted = share >= gate.share.get();
        (entry.gate, entry.promoted) = (Some(share), Some(promoted));
        entry.evaluations += effort.work.evaluations;
        entry.compute += self.searched(effort);
        if promoted { Ok(()) } else { state.restore(&champion, &adam) }
    }

    /// The candidate's share of the points against the champion, and what both searched.
    fn compare(
        &self,
        gate: &GateSpec,
        [candidate, champion]: [&DeepCheckpoint; 2],
        number: u64,
        stop: &Stop,
    ) -> Result<(f64, Effort), LearningError> {
        let (game, seed) = (&self.games[0], self.seed.child("gate", number));
        let (mut candidate, mut champion) =
            (self.contender(candidate, game, &seed)?.until(stop), self.contender(champion, game, &seed)?.until(stop));
        let pairs = gate.games.get() / 2;
        let played = play_pairs(&**game, [&mut candidate, &mut champion], pairs, gate.opening, &seed)?;
        let halves: u32 = played.iter().flat_map(|pair| pair.points).map(u32::from).sum();
        let mut effort = candidate.effort();
        effort += champion.effort();
        Ok((f64::from(halves) / (4 * pairs) as f64, effort))
    }
}
