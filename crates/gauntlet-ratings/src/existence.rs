//! Test of whether a fitted advantage of moving first has a finite estimate.
//!
//! Inside a group linked by wins in both directions, ratings alone cannot go to infinity (see
//! [`components`](super::components)). Together with the advantage they can: along `r + t d`, with the advantage
//! changing by `t`, no result may become less likely. So a winner `w` with sign `s` of its colour over a loser `l`
//! requires `d_l <= d_w + s`, and a draw requires that both ways. Such differences exist unless a cycle of them has a
//! negative sum (Bellman, Q. Appl. Math. 16 (1958)). If they exist for one direction of the advantage, the likelihood
//! rises without limit; for both, it is flat. Compare Albert, Anderson, Biometrika 71 (1984), on separation in
//! logistic regression.

use super::likelihood::{ComparableMeeting, Problem, SIGNS};
use super::likelihood_settings::FitError;

/// `d_to <= d_from + by`.
struct Bound {
    from: usize,
    to: usize,
    by: f64,
}

impl Problem<'_> {
    /// Checks that the advantage has one finite estimate, if it is fitted.
    ///
    /// # Errors
    /// [`FitError::Unbounded`] and [`FitError::Inseparable`].
    pub(super) fn check_advantage(&self) -> Result<(), FitError> {
        if !self.coloured {
            return Ok(());
        }
        match [1.0, -1.0].map(|direction| self.may_run(direction)) {
            [false, false] => Ok(()),
            [true, true] => Err(FitError::Inseparable),
            _ => Err(FitError::Unbounded),
        }
    }

    /// Whether ratings can follow an advantage to infinity in this direction.
    fn may_run(&self, direction: f64) -> bool {
        let mut bounds = Vec::with_capacity(2 * self.comparable_meetings.len());
        for comparable in &self.comparable_meetings {
            let own = tightest(comparable, direction);
            if own[0] + own[1] < 0.0 {
                return false;
            }
            let (a, b) = (comparable.meeting.a, comparable.meeting.b);
            bounds.push(Bound { from: a, to: b, by: own[0] });
            bounds.push(Bound { from: b, to: a, by: own[1] });
        }
        for two in self.anchors.windows(2) {
            let (one, other) = (two[0].0, two[1].0);
            bounds.extend([(one, other), (other, one)].map(|(from, to)| Bound { from, to, by: 0.0 }));
        }
        have_solution(self.n_players, &bounds)
    }
}

/// The tightest bounds that the results of a meeting impose on `d_b - d_a` and on `d_a - d_b`.
fn tightest(comparable: &ComparableMeeting<'_>, direction: f64) -> [f64; 2] {
    let mut bounds = [f64::INFINITY; 2];
    for (&[wins, draws, losses], sign) in comparable.counts.iter().zip(SIGNS) {
        for (points, by, bound) in [(wins, sign, 0), (losses, -sign, 1)] {
            if points + draws > 0.0 {
                bounds[bound] = bounds[bound].min(by * direction);
            }
        }
    }
    bounds
}

/// Bellman-Ford relaxation: true if it converges, false if a value falls below the minimum of a path without a cycle.
fn have_solution(n_players: usize, bounds: &[Bound]) -> bool {
    let mut reach = vec![0.0; n_players];
    loop {
        let mut changed = false;
        for bound in bounds {
            let next = reach[bound.from] + bound.by;
            if next < reach[bound.to] {
                (reach[bound.to], changed) = (next, true);
            }
        }
        if !changed {
            return true;
        }
        if reach.iter().any(|&reach| reach < -(n_players as f64)) {
            return false;
        }
    }
}
