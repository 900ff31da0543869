//! Settings of maximum-likelihood ratings, and their validation.

use crate::draw_model::Draws;
use crate::match_table::MatchTable;

/// Settings of the estimator.
#[derive(Debug, Clone, PartialEq)]
pub struct BradleyTerry {
    /// Mean rating of every group without anchors. Default 1000.
    pub mean: f64,
    /// The treatment of draws. Default: half a win.
    pub draws: Draws,
    /// Advantage of moving first. Default: none. Matters only for games with known colours.
    pub advantage: Advantage,
    /// Virtual draws per player, spread over its opponents as BayesElo does (its default is 2). Default 0.
    pub prior: f64,
    /// Players with given ratings.
    pub anchors: Vec<(usize, f64)>,
    /// The source of errors. Default: the sandwich.
    pub errors: ErrorSource,
}

/// Elo added to the player who moves first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Advantage {
    /// Given; 0 for none.
    Fixed(f64),
    /// Estimated, if the data carry colours.
    Fitted,
}

/// The source of standard errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorSource {
    /// The observed variance of the results of pairs and games.
    Sandwich,
    /// The variance under the model with independent games.
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
            errors: ErrorSource::Sandwich,
        }
    }
}

/// The largest rating, mean or other setting, in Elo. Beyond it, differences would lose the digits that are printed.
pub const LARGEST_RATING: f64 = 1e9;

/// The reason why there are no ratings.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum FitError {
    /// An advantage that the results push to infinity: the first player always won.
    #[error("the likelihood has no maximum: the results push the first-player advantage to infinity")]
    Unbounded,
    /// An advantage that other ratings explain as well: no player met an equal opponent with both colours.
    #[error(
        "the results do not tell the first-player advantage from strength: it needs players who met with both colours, \
         or in a circle"
    )]
    Inseparable,
    /// An iteration that did not reach the maximum: the likelihood is flat within rounding, as between anchors tens
    /// of thousands of Elo apart.
    #[error(
        "the ratings have not converged: anchors, an advantage or counts this far apart leave the likelihood flat \
         within rounding"
    )]
    NotConverged,
    /// An anchor that is not a player of the table, occurs twice, or has no rating within [`LARGEST_RATING`].
    #[error(
        "the anchor of player {0} is not usable: unknown player, named twice, or a rating outside -{LARGEST_RATING:e} \
         to {LARGEST_RATING:e}"
    )]
    BadAnchor(usize),
    /// A setting outside its range.
    #[error(
        "{0} is not usable: settings must lie within -{LARGEST_RATING:e} to {LARGEST_RATING:e}, draw widths be \
         positive, and priors at least 0"
    )]
    BadSetting(f64),
}

impl BradleyTerry {
    /// Checks the settings for a table.
    pub(super) fn check(&self, table: &MatchTable) -> Result<(), FitError> {
        let mut seen = vec![false; table.n_players()];
        for &(player, rating) in &self.anchors {
            let twice = seen.get_mut(player).is_none_or(|seen| std::mem::replace(seen, true));
            if twice || rating.is_nan() || rating.abs() > LARGEST_RATING {
                return Err(FitError::BadAnchor(player));
            }
        }
        let width = if let Draws::RaoKupper(width) = self.draws { width } else { 1.0 };
        let advantage = if let Advantage::Fixed(elo) = self.advantage { elo } else { 0.0 };
        let least = -LARGEST_RATING;
        let lowest = [(width, f64::MIN_POSITIVE), (self.prior, 0.0), (advantage, least), (self.mean, least)];
        match lowest.into_iter().find(|(setting, lowest)| !(*setting <= LARGEST_RATING && setting >= lowest)) {
            Some((setting, _)) => Err(FitError::BadSetting(setting)),
            None => Ok(()),
        }
    }
}
