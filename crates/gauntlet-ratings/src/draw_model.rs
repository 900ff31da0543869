//! Models of draws: probabilities of a win, a draw and a loss by rating difference, and the slopes of their
//! logarithms.
//!
//! Both models are built from two logistic terms, `log s(x - w)` for points won and `log s(-x - w)` for points lost,
//! with `s` the logistic function, `x` the difference and `w` half the width of the band of draws, both in logits.

use super::compare::ELO_PER_LOGIT;

/// The treatment of draws.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Draws {
    /// Half a win and half a loss; there is no assumption about the frequency of draws.
    HalfWin,
    /// A separate outcome with its own probability (Rao, Kupper, J. Am. Stat. Assoc. 62 (1967); the model of
    /// BayesElo). The parameter is half the rating difference over which equal players would draw, in Elo: BayesElo's
    /// `drawelo`. Ratings are then on this model's scale; see
    /// [`logistic_scale`](super::bradley_terry::logistic_scale).
    RaoKupper(f64),
}

/// Wins, draws and losses; fractions occur in priors.
pub(super) type Counts = [f64; 3];

/// Log-likelihood of some games with its first two derivatives by `x`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Terms {
    pub(super) log_likelihood: f64,
    pub(super) slope: f64,
    /// Minus the second derivative.
    pub(super) bend: f64,
    /// The sum of the absolute slopes of points won and of points lost: the scale of the slope.
    pub(super) pull: f64,
}

impl Draws {
    /// `w`.
    fn width(&self) -> f64 {
        if let Draws::RaoKupper(elo) = self { elo / ELO_PER_LOGIT } else { 0.0 }
    }

    /// The terms of `counts` games, all at the same difference `x`.
    pub(super) fn terms(&self, [wins, draws, losses]: Counts, x: f64) -> Terms {
        let (share, w) = (if *self == Draws::HalfWin { 0.5 } else { 1.0 }, self.width());
        let (won, lost) = (wins + share * draws, losses + share * draws);
        let (up, down) = (logistic(x - w), logistic(-x - w));
        let (not_up, not_down) = (complement(up, x - w), complement(down, -x - w));
        let (bend_up, bend_down) = (won * up * not_up, lost * down * not_down);
        let mut terms = Terms {
            log_likelihood: won * log_logistic(x - w) + lost * log_logistic(-x - w),
            slope: won * not_up - lost * not_down,
            bend: bend_up + bend_down,
            pull: won * not_up + lost * not_down,
        };
        if share == 1.0 && draws > 0.0 {
            terms.log_likelihood += draws * log_exp_m1(2.0 * w);
        }
        terms
    }

    /// Variance of one game's slope by `x` under the model; with draws as half wins, its upper bound.
    pub(super) fn slope_variance(&self, x: f64) -> f64 {
        let w = self.width();
        let (win, loss) = (logistic(x - w), logistic(-x - w));
        let slope = |counts: Counts| self.terms(counts, x).slope;
        let decisive = win * slope([1.0, 0.0, 0.0]).powi(2) + loss * slope([0.0, 0.0, 1.0]).powi(2);
        decisive + (1.0 - win - loss).max(0.0) * slope([0.0, 1.0, 0.0]).powi(2)
    }
}

fn logistic(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

/// `1 - s(z)` for `s = logistic(z)`, with full precision for `s` near 1.
fn complement(s: f64, z: f64) -> f64 {
    if s < NEARLY_ONE { 1.0 - s } else { logistic(-z) }
}

/// Beyond this value (2,800 Elo), the complement of a logistic function would have a relative error of more than
/// 1e-9.
const NEARLY_ONE: f64 = 0.999_999_9;

/// `log(e^z - 1)`, without overflow.
fn log_exp_m1(z: f64) -> f64 {
    if z < 100.0 { z.exp_m1().ln() } else { z }
}

fn log_logistic(z: f64) -> f64 {
    z.min(0.0) - (-z.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_the_derivatives() {
        let counts = [7.0, 4.0, 2.5];
        for draws in [Draws::HalfWin, Draws::RaoKupper(70.0)] {
            let (x, h) = (0.7, 1e-5);
            let at = |x: f64| draws.terms(counts, x);
            let slope = (at(x + h).log_likelihood - at(x - h).log_likelihood) / (2.0 * h);
            let bend = (at(x - h).slope - at(x + h).slope) / (2.0 * h);
            assert!((slope - at(x).slope).abs() < 1e-7 && (bend - at(x).bend).abs() < 1e-7, "{draws:?}");
        }
    }

    #[test]
    fn slopes_far_out_keep_their_digits() {
        for x in [9.0_f64, 20.0, 60.0, 600.0] {
            let terms = Draws::HalfWin.terms([3.0, 0.0, 2.0], x);
            assert!((terms.pull - terms.slope - 4.0 * logistic(x)).abs() < 1e-15);
            let won = Draws::HalfWin.terms([3.0, 0.0, 0.0], x);
            assert!((won.slope / (3.0 * (-x).exp()) - 1.0).abs() < 2e-4 && won.bend > 0.0, "{x}: {won:?}");
        }
        assert!(Draws::RaoKupper(1e6).terms([1.0, 1.0, 1.0], 0.0).log_likelihood.is_finite());
    }

    #[test]
    fn probabilities_sum_to_one() {
        let chance = |counts: Counts| Draws::RaoKupper(97.3).terms(counts, -0.3).log_likelihood.exp();
        let total = chance([1.0, 0.0, 0.0]) + chance([0.0, 1.0, 0.0]) + chance([0.0, 0.0, 1.0]);
        assert!((total - 1.0).abs() < 1e-14);
    }

    #[test]
    fn a_half_win_varies_at_most_like_a_coin() {
        assert!((Draws::HalfWin.slope_variance(0.0) - 0.25).abs() < 1e-15);
    }
}
