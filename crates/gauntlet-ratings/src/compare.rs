//! Comparison of two players by their ratings, and residuals of the ratings.
//!
//! The error of a difference comes from the covariance; it cannot be derived from the two marginal errors.

pub use super::elo::{ELO_PER_LOGIT, EloEstimate, elo_of_score, expected_score};
use super::ladder::Ladder;
use super::match_table::MatchTable;

/// Expected score of every player (row) against every other (column); `None` if they cannot be compared.
#[must_use]
pub fn expected_scores(ladder: &Ladder) -> Vec<Vec<Option<f64>>> {
    table_of(ladder, |difference| Some(expected_score(difference.elo)))
}

/// Likelihood that a player (row) is stronger than another (column); `None` if it is unknown.
#[must_use]
pub fn superiorities(ladder: &Ladder) -> Vec<Vec<Option<f64>>> {
    table_of(ladder, |difference| difference.superiority())
}

fn table_of(ladder: &Ladder, value: impl Fn(EloEstimate) -> Option<f64>) -> Vec<Vec<Option<f64>>> {
    let players = 0..ladder.n_players();
    players.clone().map(|a| players.clone().map(|b| ladder.difference(a, b).and_then(&value)).collect()).collect()
}

/// The score of one meeting compared with the score that the ratings predict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// The player whose score this is.
    pub a: usize,
    /// Its opponent.
    pub b: usize,
    /// Games played.
    pub games: u64,
    /// Score of `a`, in `[0, 1]`.
    pub score: f64,
    /// Predicted score.
    pub expected: f64,
    /// Their difference in standard errors of a binomial match; beyond 3 the ratings do not explain the meeting.
    pub z: f64,
}

/// Residuals of all meetings of comparable players, the largest first.
#[must_use]
pub fn residuals(ladder: &Ladder, table: &MatchTable) -> Vec<Residual> {
    let residual = |meeting: &super::match_table::Meeting| {
        let lead = ladder.difference(meeting.a, meeting.b)?.elo;
        let expected = expected_score(lead);
        let total = meeting.total();
        let games = total.games() as f64;
        let score = total.points() / games;
        let z = surprise(lead, score, games);
        Some(Residual { a: meeting.a, b: meeting.b, games: total.games(), score, expected, z })
    };
    let mut residuals: Vec<Residual> = table.meetings().filter_map(residual).collect();
    residuals.sort_by(|x, y| y.z.abs().total_cmp(&x.z.abs()));
    residuals
}

/// A score less the expected score at `lead` Elo, in standard errors.
fn surprise(lead: f64, score: f64, games: f64) -> f64 {
    let expected = expected_score(lead);
    if (1e-6..=1.0 - 1e-6).contains(&expected) {
        return (score - expected) / (expected * (1.0 - expected) / games).sqrt();
    }
    // Computed from the side where the expected score is small, which keeps its digits.
    let small = expected_score(-lead.abs());
    let (sign, score) = if lead > 0.0 { (-1.0, 1.0 - score) } else { (1.0, score) };
    sign * (score - small) / (small.max(f64::MIN_POSITIVE) / games).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::match_table::Tally;
    use crate::wls::{Errors, wls};

    #[test]
    fn elo_and_score_are_inverse() {
        assert!((expected_score(400.0) - 10.0 / 11.0).abs() < 1e-15);
        assert!((elo_of_score(expected_score(-123.0)) + 123.0).abs() < 1e-10);
        assert_eq!(elo_of_score(0.5), 0.0);
    }

    #[test]
    fn surprises_far_out_are_numbers() {
        for lead in [0.0, 100.0, 3000.0, 7000.0, 20_000.0, 1e6] {
            let [won, drawn] = [1.0, 0.5].map(|score| surprise(lead, score, 10.0));
            assert!(won.is_finite() && drawn.is_finite() && won >= 0.0 && drawn <= 0.0, "{lead}: {won} {drawn}");
            assert!((surprise(-lead, 0.5, 10.0) + drawn).abs() <= 1e-9 * drawn.abs(), "{lead}");
        }
        // The square root of ten losing probabilities, one of which is 10^-17.5.
        assert!((surprise(7000.0, 1.0, 10.0) / 10_f64.powf(-8.25) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn superiority_needs_an_error() {
        let sure = EloEstimate { elo: 196.0, error: Some(100.0) };
        assert!((sure.superiority().expect("an error is known") - 0.975).abs() < 1e-4);
        assert!(sure.interval(0.95).expect("an error is known").contains(0.01));
        let unsure = EloEstimate { elo: 196.0, error: None };
        assert_eq!((unsure.superiority(), unsure.interval(0.95)), (None, None));
    }

    #[test]
    fn rock_paper_scissors_is_all_residual() {
        let mut table = MatchTable::new(3);
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            table.add(a, b, Tally::new(50, 0, 10)).expect("fine");
        }
        let ladder = wls(&table, Errors::FixedScale, 1000.0);
        let found = residuals(&ladder, &table);
        assert!(found.iter().all(|r| r.z.abs() > 5.0 && (r.expected - 0.5).abs() < 1e-9), "{found:?}");
        let scores = expected_scores(&ladder);
        assert_eq!((scores[0][0], scores[0][1]), (None, Some(found[0].expected)));
        assert!((superiorities(&ladder)[1][2].expect("linked") - 0.5).abs() < 1e-9);
    }
}
