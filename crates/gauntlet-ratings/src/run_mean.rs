//! Means over runs, and the difference of two of them whose runs share nothing: Welch's interval, with Satterthwaite's
//! degrees of freedom (Welch, Biometrika 34 (1947)).
//!
//! If runs of equal seeds share a cause, the mean of their differences is the better estimate. Without a shared cause a
//! seed is only a label: each of the possible pairings gives another interval.

use super::intervals::{Interval, t_quantile, two_sided};

/// A mean over runs with its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunMean {
    /// The mean.
    pub value: f64,
    /// One standard error, above 0.
    pub error: f64,
    /// Degrees of freedom of the error.
    pub df: f64,
}

impl RunMean {
    /// The same with the larger of its error and another one. Runs cannot differ less than their games alone allow: if
    /// they do, it is chance, and the error over the games is the better one. The degrees of freedom stay those of the
    /// runs, whose true spread remains unknown.
    #[must_use]
    pub fn at_least(self, error: Option<f64>) -> RunMean {
        RunMean { error: error.map_or(self.error, |other| self.error.max(other)), ..self }
    }

    /// The excess over the mean of other runs, all independent.
    #[must_use]
    pub fn less(&self, other: &RunMean) -> RunMean {
        let [own, others] = [self, other].map(|mean| mean.error * mean.error);
        let df = (own + others).powi(2) / (own * own / self.df + others * others / other.df);
        RunMean { value: self.value - other.value, error: (own + others).sqrt(), df }
    }

    /// Student's interval at `level` (0.95 for 95 %).
    #[must_use]
    pub fn interval(&self, level: f64) -> Interval {
        Interval::around(self.value, self.error * t_quantile(self.df, two_sided(level)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R 4: `t.test(c(.5, .7, .6, .8), c(.1, .2, .6))`.
    #[test]
    fn the_difference_is_welch_s() {
        let own = RunMean { value: 0.65, error: (1.0_f64 / 240.0).sqrt(), df: 3.0 };
        let other = RunMean { value: 0.3, error: (0.07_f64 / 3.0).sqrt(), df: 2.0 };
        let found = own.less(&other);
        assert!((found.value - 0.35).abs() < 1e-12 && (found.error - 0.165_831_2).abs() < 1e-6, "{found:?}");
        assert!((found.df - 2.720_23).abs() < 1e-4, "{found:?}");
        assert_eq!(found.at_least(Some(0.1)), found);
        assert_eq!(found.at_least(Some(0.2)), RunMean { error: 0.2, ..found });
    }
}
