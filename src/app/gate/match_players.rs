//! The players of one match: built from specs, played in batches of pairs, counted.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use super::engines::restored;
use gauntlet_games::base::files::{LARGEST_DATA, read_regular};
use gauntlet_games::base::{Seed, Stop};
use gauntlet_games::games::{Game, GameSpec};
use gauntlet_plan::manifest::suite::MatchSpec;
use gauntlet_plan::regression::{BaselineEntry, Method, Pairs};
use gauntlet_play::arena::{PlayedPair, play_pairs};
use gauntlet_play::players::{Player, PlayerSpec, Setting, Source};

/// The players of a match.
pub struct MatchPlayers {
    spec: GameSpec,
    game: Arc<dyn Game>,
    opening: u16,
    candidate: Box<dyn Player>,
    opponent: Box<dyn Player>,
    /// The baseline's player, if it plays.
    baseline: Option<Box<dyn Player>>,
    lines: HashSet<u64>,
    games: u64,
    /// When it is set, waiting for an engine ends.
    stop: Stop,
}

impl MatchPlayers {
    /// Builds candidate and opponent; `weights` are the candidate's trained weights.
    ///
    /// # Errors
    /// A message for the user: weights that do not fit, or are missing.
    pub fn new(spec: &MatchSpec, opening: u16, weights: Option<&[u8]>, stop: Stop) -> Result<MatchPlayers, String> {
        let (game, seed) = (spec.game.build(), Seed::new(spec.weights_seed));
        let candidate = spec.agent.build(&game, &Source { seed: &seed, checkpoint: weights });
        let own = Source { seed: &seed.child("opponent", 0), checkpoint: None };
        let mut opponent = spec.opponent.build(&game, &own).map_err(|error| error.to_string())?;
        let mut candidate = candidate.map_err(|error| error.to_string())?;
        let (baseline, lines, spec) = (None, HashSet::new(), spec.game.clone());
        let setting = Setting { game: &spec, stop: stop.clone() };
        for player in [&mut candidate, &mut opponent] {
            player.begin(&setting).map_err(|error| error.to_string())?;
        }
        Ok(MatchPlayers { spec, game, opening, candidate, opponent, baseline, lines, games: 0, stop })
    }

    /// Ends the players.
    ///
    /// # Errors
    /// A message for the user: an engine is not as declared.
    pub fn end(&mut self) -> Result<(), String> {
        let mut players = [&mut self.candidate, &mut self.opponent].into_iter().chain(&mut self.baseline);
        players.try_for_each(|player| player.end().map(drop)).map_err(|error| error.to_string())
    }

    /// Builds the player of a baseline, with the weights or the files that a results tree keeps, and adds it to the match.
    ///
    /// # Errors
    /// A message for the user: the player is unknown, or its weights have changed.
    pub fn seat_baseline(&mut self, entry: &BaselineEntry, results: &Path) -> Result<(), String> {
        let player: PlayerSpec = serde_json::from_value(entry.player.clone()).map_err(|error| error.to_string())?;
        let player = restored(player, results).map_err(|error| error.to_string())?;
        let mut weights = None;
        if let Some(model) = &entry.model {
            let path = results.join("models").join(&model.file);
            let bytes = read_regular(&path, LARGEST_DATA).map_err(|error| format!("{}: {error}", path.display()))?;
            if !model.is(&bytes) {
                return Err(format!("{} has changed since the baseline was measured", path.display()));
            }
            weights = Some(bytes);
        }
        let source = Source { seed: &Seed::new(entry.weights_seed), checkpoint: weights.as_deref() };
        let mut player = player.build(&self.game, &source).map_err(|error| error.to_string())?;
        let setting = Setting { game: &self.spec, stop: self.stop.clone() };
        player.begin(&setting).map_err(|error| error.to_string())?;
        self.baseline = Some(player);
        Ok(())
    }

    /// Plays a batch and counts its pairs by points.
    ///
    /// # Errors
    /// A message for the user: a player failed.
    pub fn play(&mut self, method: Method, pairs: u64, seed: &Seed) -> Result<Pairs, String> {
        let (game, opening) = (Arc::clone(&self.game), self.opening);
        let play = |first: &mut dyn Player, second: &mut dyn Player| {
            play_pairs(&*game, [first, second], pairs as usize, opening, seed).map_err(|error| error.to_string())
        };
        let (ours, theirs) = match (method, &mut self.baseline) {
            (Method::HeadToHead, Some(baseline)) => (play(&mut *self.candidate, &mut **baseline)?, None),
            (Method::Reference, Some(baseline)) => {
                let ours = play(&mut *self.candidate, &mut *self.opponent)?;
                (ours, Some(play(&mut **baseline, &mut *self.opponent)?))
            }
            _ => (play(&mut *self.candidate, &mut *self.opponent)?, None),
        };
        self.note(&ours);
        match theirs {
            None => Ok(counts(&ours)),
            Some(theirs) => {
                self.note(&theirs);
                Ok(compared(&ours, &theirs))
            }
        }
    }

    fn note(&mut self, played: &[PlayedPair]) {
        self.games += 2 * played.len() as u64;
        self.lines.extend(played.iter().flat_map(|pair| pair.lines));
    }

    /// Number of games played so far, and of distinct games.
    #[must_use]
    pub fn games(&self) -> (u64, u64) {
        (self.games, self.lines.len() as u64)
    }
}

fn counts(pairs: &[PlayedPair]) -> Pairs {
    pairs.iter().map(|pair| pair.points.iter().map(|&points| usize::from(points)).sum::<usize>()).collect()
}

/// The candidate against the baseline, from the games of both against the same opponent.
fn compared(ours: &[PlayedPair], theirs: &[PlayedPair]) -> Pairs {
    ours.iter().zip(theirs).map(|(ours, theirs)| Pairs::points_compared(ours.points, theirs.points)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(points: [u8; 2]) -> PlayedPair {
        PlayedPair { points, lines: [0; 2], plies: 0 }
    }

    #[test]
    fn points_are_counted_and_compared() {
        let ours = [pair([2, 0]), pair([1, 1]), pair([2, 2]), pair([0, 0])];
        let theirs = [pair([2, 0]), pair([0, 0]), pair([0, 2]), pair([2, 1])];
        assert_eq!(counts(&ours), Pairs([1, 0, 2, 0, 1]));
        assert_eq!(compared(&ours, &theirs), Pairs([1, 0, 1, 1, 1]));
        assert_eq!(compared(&ours, &ours), Pairs([0, 0, 4, 0, 0]));
    }
}
