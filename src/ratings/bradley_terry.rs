//! Elo ratings by maximum likelihood: Bradley and Terry's model, with calibrated errors. The default estimator.
//!
//! A player's expected score is logistic in the rating difference (Bradley, Terry, Biometrika 39 (1952)). The errors
//! come from a sandwich covariance whose unit is the pair of games where pairs are known and the single game
//! otherwise, so that draws and paired openings narrow them as they should (White, Econometrica 50 (1982)).
//!
//! The maximum exists only for players linked by wins and draws in both directions; others go to separate groups, as
//! the likelihood itself would have it: a player who won every game is infinitely far above. A [`prior`] of virtual
//! draws keeps everybody finite who played at all.
//!
//! The covariance is dense: 8 bytes times the square of the number of players, and a few such matrices at a time.
//!
//! [`prior`]: BradleyTerry::prior

use super::compare::{ELO_PER_LOGIT, Estimate};
pub use super::draw_model::Draws;
use super::ladder::Ladder;
use super::likelihood::Problem;
use super::match_table::{MatchTable, Meeting};
use super::sandwich;

/// How to rate.
#[derive(Debug, Clone, PartialEq)]
pub struct BradleyTerry {
    /// Mean rating of every group without anchors. Default 1000.
    pub mean: f64,
    /// What a draw is worth. Default: half a win.
    pub draws: Draws,
    /// Advantage of moving first. Default: none. Matters only for games with known colours.
    pub advantage: Advantage,
    /// Virtual draws per player, spread over its opponents as BayesElo does (its default is 2). Default 0.
    pub prior: f64,
    /// Players with given ratings.
    pub anchors: Vec<(usize, f64)>,
    /// What errors are measured by. Default: the sandwich.
    pub errors: Errors,
}

/// Elo added to the player who moves first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Advantage {
    /// Given; 0 for none.
    Fixed(f64),
    /// Estimated, if the data carry colours.
    Fitted,
}

/// What a standard error is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errors {
    /// How much the results of pairs and games vary in fact.
    Sandwich,
    /// How much they would vary if the model held and games were independent.
    Fisher,
}

impl Default for BradleyTerry {
    fn default() -> BradleyTerry {
        BradleyTerry {
            mean: 1000.0,
            draws: Draws::HalfWin,
            advantage: Advantage::Fixed(0.0),
            prior: 0.0,
            anchors: Vec::new(),
            errors: Errors::Sandwich,
        }
    }
}

/// Ratings, and what moving first is worth.
#[derive(Debug, Clone)]
pub struct Fit {
    /// The ratings.
    pub ladder: Ladder,
    /// Advantage of moving first; `None` where no colours are known.
    pub advantage: Option<Estimate>,
}

/// Why no ratings came out.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum FitError {
    /// An advantage that the results push to infinity: the first player always won.
    #[error("the likelihood has no maximum: the results push the first-player advantage to infinity")]
    Unbounded,
    /// An anchor that is no player of the table, stands twice, or has no finite rating.
    #[error("the anchor of player {0} is not usable: unknown player, named twice, or not a number")]
    BadAnchor(usize),
    /// A setting outside its range.
    #[error("{0} is not usable: settings must be finite, draw widths positive, and priors at least 0")]
    BadSetting(f64),
}

/// The factor that brings ratings of the Rao-Kupper model to the logistic scale near equal strength.
///
/// As BayesElo prints them: with `x = 10^(-draw_elo / 400)`, `4 x / (1 + x)^2`. Use with [`Ladder::scaled`].
#[must_use]
pub fn logistic_scale(draw_elo: f64) -> f64 {
    let x = (-draw_elo / ELO_PER_LOGIT).exp();
    4.0 * x / (1.0 + x).powi(2)
}

impl BradleyTerry {
    /// Rates every group of comparable players.
    ///
    /// # Errors
    /// [`FitError`], for settings that make no sense and for an advantage without a finite estimate.
    pub fn fit(&self, table: &MatchTable) -> Result<Fit, FitError> {
        self.check(table)?;
        let mut problem = Problem::new(self, table);
        problem.maximise()?;
        Ok(self.report(&problem))
    }

    fn check(&self, table: &MatchTable) -> Result<(), FitError> {
        let mut seen = vec![false; table.n_players()];
        for &(player, rating) in &self.anchors {
            let twice = seen.get_mut(player).is_none_or(|seen| std::mem::replace(seen, true));
            if twice || !rating.is_finite() {
                return Err(FitError::BadAnchor(player));
            }
        }
        let width = if let Draws::RaoKupper(width) = self.draws { width } else { 1.0 };
        let advantage = if let Advantage::Fixed(elo) = self.advantage { elo } else { 0.0 };
        let lowest = [(width, f64::MIN_POSITIVE), (self.prior, 0.0), (advantage, f64::MIN), (self.mean, f64::MIN)];
        match lowest.into_iter().find(|(setting, lowest)| !(setting.is_finite() && setting >= lowest)) {
            Some((setting, _)) => Err(FitError::BadSetting(setting)),
            None => Ok(()),
        }
    }

    fn report(&self, problem: &Problem<'_>) -> Fit {
        let bend = problem.hill(&problem.at).bend;
        let meetings: Vec<&Meeting> = problem.bouts.iter().map(|bout| bout.meeting).collect();
        let errors = sandwich::covariance(problem, &meetings, &bend, self.errors);
        let advantage = || {
            let place = problem.free.iter().position(|&free| free == problem.n_players);
            let variance = place.and_then(|place| Some(errors.as_ref()?[(place, place)]));
            let error = variance.map(|variance| variance.sqrt() * ELO_PER_LOGIT);
            Estimate { elo: problem.at[problem.n_players] * ELO_PER_LOGIT, error }
        };
        Fit {
            advantage: problem.coloured.then(advantage),
            ladder: sandwich::ladder(problem, &meetings, self.mean, errors.as_ref()),
        }
    }
}
