//! Intervals of single ratings with the opponents taken as exactly known: BayesElo's `+` and `-` columns.
//!
//! They show how lopsided the knowledge about one player is (a player who hardly ever lost may be much stronger, but
//! not much weaker). They are no basis for comparing two players; see [`Ladder::difference`](super::Ladder::difference).

use super::bradley_terry::{BradleyTerry, Fit};
use super::compare::{ELO_PER_LOGIT, Estimate};
use super::intervals::Interval;
use super::likelihood::{Bout, Problem, SIGNS};
use super::match_table::MatchTable;

/// For every rated player, the range of Elo that holds `level` of its likelihood, prior included.
///
/// As one rating moves, all others of its group move the other way, so that their mean stays. `fit` must come from
/// `settings` and `table`. On the Rao-Kupper model's own scale, like the fit. `None` for players without rating.
#[must_use]
pub fn opponents_exact(settings: &BradleyTerry, table: &MatchTable, fit: &Fit, level: f64) -> Vec<Option<Interval>> {
    let problem = Problem::new(settings, table);
    let mut own: Vec<Vec<&Bout>> = vec![Vec::new(); table.n_players()];
    for bout in &problem.bouts {
        own[bout.meeting.a].push(bout);
        own[bout.meeting.b].push(bout);
    }
    let interval = |player: usize| {
        let rating = fit.ladder.rating(player)?;
        let group = &fit.ladder.groups()[fit.ladder.group_of(player)?];
        let n = group.players.len() as f64;
        let height = |elo: f64| {
            let moved = elo * n / (n - 1.0);
            own[player].iter().map(|bout| log_likelihood(&problem, fit, bout, player, moved)).sum::<f64>()
        };
        let shift = central_range(height, level);
        Some(Interval { low: rating + shift.low, high: rating + shift.high })
    };
    (0..table.n_players()).map(interval).collect()
}

/// Log-likelihood of one meeting's games if `player` were `moved` Elo stronger against the opponent than rated.
fn log_likelihood(problem: &Problem<'_>, fit: &Fit, bout: &Bout<'_>, player: usize, moved: f64) -> f64 {
    let (a, b) = (bout.meeting.a, bout.meeting.b);
    let rated = fit.ladder.difference(a, b).expect("meetings of a likelihood are within groups").elo;
    let elo = if player == a { rated + moved } else { rated - moved };
    let logits = |estimate: Option<Estimate>| estimate.map(|estimate| estimate.elo / ELO_PER_LOGIT);
    let advantage = logits(fit.advantage).unwrap_or(problem.at[problem.n_players]);
    let width = logits(fit.draw_elo).unwrap_or(0.0);
    let term = |(&counts, sign)| problem.draws.terms(counts, elo / ELO_PER_LOGIT + sign * advantage, width);
    bout.counts.iter().zip(SIGNS).map(|colour| term(colour).log_likelihood).sum()
}

/// The range around 0 that leaves the same mass of `e^height` on either side, found on a grid.
fn central_range(height: impl Fn(f64) -> f64, level: f64) -> Interval {
    let top = height(0.0);
    let density: Vec<f64> = (-POINTS..=POINTS).map(|k| (height(k as f64 * STEP) - top).exp()).collect();
    let total: f64 = density.iter().sum();
    let tail = 0.5 * (1.0 - level) * total;
    let bound = |density: &mut dyn Iterator<Item = &f64>| {
        let mut mass = 0.0;
        for (k, weight) in density.enumerate() {
            if mass + weight >= tail {
                return (k as f64 + (tail - mass) / weight - 0.5 - POINTS as f64) * STEP;
            }
            mass += weight;
        }
        POINTS as f64 * STEP
    };
    Interval { low: bound(&mut density.iter()), high: -bound(&mut density.iter().rev()) }
}

/// Grid of [`central_range`]: steps of 4 Elo up to 2000 on either side.
const STEP: f64 = 4.0;
const POINTS: i32 = 500;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_normal_likelihood_gives_the_normal_interval() {
        let range = central_range(|x| -0.5 * ((x - 10.0) / 50.0).powi(2), 0.95);
        assert!((range.low - (10.0 - 98.0)).abs() < 0.1 && (range.high - (10.0 + 98.0)).abs() < 0.1, "{range:?}");
    }
}
