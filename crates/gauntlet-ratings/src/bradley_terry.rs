//! Elo ratings by maximum likelihood: Bradley and Terry's model, with calibrated errors. The default estimator.
//!
//! A player's expected score is logistic in the rating difference (Bradley, Terry, Biometrika 39 (1952)). The errors
//! come from a sandwich covariance (White, Econometrica 50 (1982)). Its unit is the pair of games if pairs are known,
//! else the single game, so that draws and paired openings narrow the errors correctly.
//!
//! The maximum exists only for players linked by wins and draws in both directions; others belong to separate groups,
//! as the likelihood implies: a player who won every game is infinitely far above. A [`prior`] of virtual draws keeps
//! the ratings of all players with games finite.
//!
//! The covariance of up to 2,048 players is dense. For more players, errors are computed on demand, from sparse
//! factors or by conjugate gradients, in memory that grows with the meetings. [`Ladder::errors`] computes all of them:
//! from sparse factors, or else from each player's surroundings, within one percent.
//!
//! [`prior`]: BradleyTerry::prior

pub use super::draw_model::Draws;
use super::elo::{ELO_PER_LOGIT, EloEstimate};
use super::ladder::{Ladder, positive_root};
use super::likelihood::Problem;
pub use super::likelihood_settings::{Advantage, BradleyTerry, ErrorSource, FitError, LARGEST_RATING};
use super::match_table::MatchTable;
use super::sandwich;

/// Ratings, and the advantage of moving first.
#[derive(Debug, Clone)]
pub struct Fit {
    /// The ratings.
    pub ladder: Ladder,
    /// Advantage of moving first; `None` if no colours are known.
    pub advantage: Option<EloEstimate>,
}

/// The factor that converts ratings of the Rao-Kupper model to the logistic scale near equal strength.
///
/// The factor of BayesElo's output: with `x = 10^(-draw_elo / 400)`, `4 x / (1 + x)^2`. Use with [`Ladder::scaled`].
#[must_use]
pub fn logistic_scale(draw_elo: f64) -> f64 {
    let x = (-draw_elo / ELO_PER_LOGIT).exp();
    4.0 * x / (1.0 + x).powi(2)
}

impl BradleyTerry {
    /// Rates every group of comparable players.
    ///
    /// # Errors
    /// [`FitError`], for invalid settings, for an advantage without a finite estimate, and for an iteration that does
    /// not reach a maximum.
    pub fn fit(&self, table: &MatchTable) -> Result<Fit, FitError> {
        self.check(table)?;
        let mut problem = Problem::new(self, table);
        if self.advantage == Advantage::Fitted && self.prior == 0.0 {
            problem.check_advantage()?;
        }
        problem.maximise()?;
        Ok(self.report(&problem))
    }

    fn report(&self, problem: &Problem<'_>) -> Fit {
        let bend = problem.hill(&problem.at).bend;
        let errors = sandwich::errors(problem, bend, self.errors);
        let advantage = || {
            let error = errors.of_advantage(problem).and_then(positive_root).map(|error| error * ELO_PER_LOGIT);
            EloEstimate { elo: problem.at[problem.n_players] * ELO_PER_LOGIT, error }
        };
        Fit { advantage: problem.coloured.then(advantage), ladder: sandwich::ladder(problem, self.mean, &errors) }
    }
}
