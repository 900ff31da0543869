//! Plays one match of a suite for the gate: selects the players, plays the ordered pairs, returns the counts.
//!
//! The baseline's player plays again if it is stored. A candidate that is identical to the baseline's player would
//! play only itself, which would not show a change of the code: its counts are then compared with those that the older
//! code left in the baseline. A failing player is never counted as a lost game.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use super::match_players::MatchPlayers;
use gauntlet_games::base::Seed;
use gauntlet_games::base::files::{LARGEST_DATA, read_regular};
use gauntlet_plan::manifest::{Suite, SuiteMatch};
use gauntlet_plan::regression::{BaselineEntry, Match, Method, Pairs, Trial, Verdict};
use gauntlet_play::players::{PlayerSpec, essential};
use gauntlet_run::scheduler::Stop;

/// Plays the matches of a suite run.
pub struct MatchRunner<'a> {
    /// The suite.
    pub suite: &'a Suite,
    /// The results tree, which contains the models.
    pub results: &'a Path,
    /// The suite run's seed.
    pub seed: Seed,
    /// The device class of the baseline, if it differs from tonight's.
    pub foreign: Option<&'a str>,
    /// Checked between two batches.
    pub stop: Stop,
}

/// Why a match has no verdict from its games.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// A player failed.
    #[error("{0}")]
    Player(String),
    /// There is no valid comparison.
    #[error("{0}")]
    Baseline(String),
    /// It was stopped.
    #[error("interrupted")]
    Interrupted,
}

/// Pairs of a baseline that are played in one batch.
const BATCH: u64 = 112;

impl MatchRunner<'_> {
    /// Plays a match until it is decided; `None` if it is stopped.
    #[must_use]
    pub fn play(&self, wanted: &SuiteMatch, entry: Option<&BaselineEntry>) -> Option<Match> {
        let mut found = self.blank(wanted);
        match shielded(|| self.decide(wanted, entry, &mut found)) {
            Ok(()) => {}
            Err(Failure::Interrupted) => return None,
            Err(Failure::Baseline(reason)) => (found.verdict, found.reason) = (Verdict::Unmeasured, reason),
            Err(Failure::Player(reason)) => (found.verdict, found.reason) = (Verdict::Failed, reason),
        }
        Some(found)
    }

    fn blank(&self, wanted: &SuiteMatch) -> Match {
        Match {
            name: wanted.name.to_string(),
            verdict: Verdict::Unmeasured,
            reason: String::new(),
            method: None,
            game: wanted.spec.game.build().name(),
            candidate: wanted.spec.agent.name(),
            opponent: wanted.spec.opponent.name(),
            config: wanted.config(self.suite.opening).to_string(),
            rounds: Vec::new(),
            games: 0,
            distinct_games: 0,
        }
    }

    fn decide(&self, wanted: &SuiteMatch, entry: Option<&BaselineEntry>, found: &mut Match) -> Result<(), Failure> {
        // The players are built first: a failure is reported even if there is no valid comparison.
        let weights = self.weights(wanted)?;
        let mut players = self.players(wanted, weights.as_deref())?;
        let entry = entry.ok_or_else(|| Failure::Baseline("there is no baseline of it".to_owned()))?;
        if entry.setting != wanted.setting(self.suite.opening) {
            return Err(Failure::Baseline("the baseline is of another game, opponent or opening".to_owned()));
        }
        let method = self.method(wanted, entry, weights.as_deref(), &mut players);
        (found.method, found.opponent) = (Some(method), opponent_of(method, wanted, entry));
        let mut trial = self.trial(method, entry)?;
        while let Some(order) = trial.order() {
            let seed = self.seed.child(wanted.name.as_str(), 0).child("stage", order.stage).child("batch", order.batch);
            trial.take(self.batch(&mut players, method, order.pairs, &seed)?);
            (found.games, found.distinct_games) = players.games();
        }
        players.end().map_err(Failure::Player)?;
        found.verdict = trial.verdict().expect("a trial without orders is ruled");
        found.reason = self.reason(method, &trial);
        found.rounds = trial.rounds();
        Ok(())
    }

    fn players(&self, wanted: &SuiteMatch, weights: Option<&[u8]>) -> Result<MatchPlayers, Failure> {
        let stop = self.stop.clone();
        let players = MatchPlayers::new(&wanted.spec, self.suite.opening, weights, stop);
        players.map_err(|reason| if self.stop.is_requested() { Failure::Interrupted } else { Failure::Player(reason) })
    }

    fn batch(&self, players: &mut MatchPlayers, method: Method, pairs: u64, seed: &Seed) -> Result<Pairs, Failure> {
        if self.stop.is_requested() {
            return Err(Failure::Interrupted);
        }
        let played = players.play(method, pairs, seed);
        played.map_err(|reason| if self.stop.is_requested() { Failure::Interrupted } else { Failure::Player(reason) })
    }

    /// The path of trained weights.
    #[must_use]
    pub fn models(&self) -> PathBuf {
        self.results.join("models")
    }

    /// The bytes of the candidate's trained weights, if the manifest names a model.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn weights(&self, wanted: &SuiteMatch) -> Result<Option<Vec<u8>>, Failure> {
        let Some(model) = &wanted.spec.model else { return Ok(None) };
        let path = self.models().join(model.as_str());
        let read = read_regular(&path, LARGEST_DATA);
        read.map(Some).map_err(|error| Failure::Player(format!("cannot read {}: {error}", path.display())))
    }

    /// Whether the baseline's player plays, besides its counts.
    #[must_use]
    pub fn plays_again(&self, wanted: &SuiteMatch, entry: &BaselineEntry) -> bool {
        let is_other = |weights: Option<Vec<u8>>| !is_same_player(wanted, entry, weights.as_deref());
        let is_comparable = entry.setting == wanted.setting(self.suite.opening);
        is_comparable && wanted.spec.method != Method::Counts && self.weights(wanted).is_ok_and(is_other)
    }

    /// The method of the decision; adds the baseline's player if it plays.
    fn method(
        &self,
        wanted: &SuiteMatch,
        entry: &BaselineEntry,
        weights: Option<&[u8]>,
        players: &mut MatchPlayers,
    ) -> Method {
        let spec = &wanted.spec;
        if spec.method == Method::Counts || is_same_player(wanted, entry, weights) {
            return Method::Counts;
        }
        match players.seat_baseline(entry, self.results) {
            Ok(()) => spec.method,
            Err(reason) => {
                tracing::warn!("{}: the baseline's player cannot play: {reason}; its counts are compared", wanted.name);
                Method::Counts
            }
        }
    }

    fn trial(&self, method: Method, entry: &BaselineEntry) -> Result<Trial<'_>, Failure> {
        let design = &self.suite.design;
        match method {
            Method::HeadToHead | Method::Reference => Ok(Trial::sequential(design)),
            Method::Counts => Trial::counts(design, entry.pairs).ok_or_else(|| {
                let pairs = entry.pairs.total();
                Failure::Baseline(format!("the {pairs} pairs of the baseline are too few to compare with; update it"))
            }),
        }
    }

    /// The reason for the verdict, with any doubts.
    fn reason(&self, method: Method, trial: &Trial<'_>) -> String {
        match self.foreign.filter(|_| method == Method::Counts) {
            Some(device) => format!("{}; its counts are those of {device}", trial.reason()),
            None => trial.reason().to_owned(),
        }
    }

    /// Plays the candidate against the opponent for a new baseline; returns its counts, and the number of distinct
    /// games.
    ///
    /// # Errors
    /// If a player fails, or the match is stopped.
    pub fn measure(&self, wanted: &SuiteMatch, weights: Option<&[u8]>) -> Result<(Pairs, u64), Failure> {
        shielded(|| {
            let mut players = self.players(wanted, weights)?;
            let (total, mut pairs) = (self.suite.design.baseline_pairs(), Pairs::default());
            while pairs.total() < total {
                let left = total - pairs.total();
                let seed = self.seed.child(wanted.name.as_str(), 0).child("baseline", left);
                pairs = pairs.with(self.batch(&mut players, Method::Counts, left.min(BATCH), &seed)?);
            }
            players.end().map_err(Failure::Player)?;
            Ok((pairs, players.games().1))
        })
    }
}

/// Turns a panic of a player into a failure of its match alone.
fn shielded<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(Failure::Player("a player panicked".to_owned())))
}

/// Whether the candidate is identical to the baseline's player, including the weights.
fn is_same_player(wanted: &SuiteMatch, entry: &BaselineEntry, weights: Option<&[u8]>) -> bool {
    let spec = &wanted.spec;
    let same_seed = entry.weights_seed == spec.weights_seed || !spec.agent.agent().depends_on_seed();
    let same_weights = match (&entry.model, weights) {
        (Some(model), Some(bytes)) => model.is(bytes),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    same_seed && same_weights && serde_json::to_value(&spec.agent).is_ok_and(|player| essential(player) == entry.player)
}

fn opponent_of(method: Method, wanted: &SuiteMatch, entry: &BaselineEntry) -> String {
    let opponent = wanted.spec.opponent.name();
    let baseline = serde_json::from_value::<PlayerSpec>(entry.player.clone()).map(|player| player.name());
    let baseline = baseline.unwrap_or_else(|_| "unknown".to_owned());
    match method {
        Method::HeadToHead => format!("{baseline} (baseline)"),
        Method::Reference => format!("{opponent}, as did {baseline} (baseline)"),
        Method::Counts => opponent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_failure_of_its_match() {
        assert_eq!(shielded::<()>(|| panic!("an illegal move")), Err(Failure::Player("a player panicked".to_owned())));
        assert_eq!(shielded(|| Ok(1)), Ok(1));
    }
}
