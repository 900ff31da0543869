//! Means, standard errors and confidence intervals of plain samples and of proportions.
//!
//! Intervals of ratings, which need a covariance, and of arbitrary statistics are elsewhere (see
//! [`bootstrap`](super::bootstrap)).
//!
//! Runs that all end with the same number have no measurable spread; that does not prove certainty.
//! [`standard_error`] and [`student_t`] then return `None`, and [`game_level_bound`] gives the error of the mean from
//! the games alone.

use statrs::distribution::{Binomial, DiscreteCDF as _};

use super::quantiles::beta_quantile;
pub use super::quantiles::{normal_cdf, normal_quantile, t_cdf, t_quantile};

/// A range of plausible values, `low <= high`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// The range `centre - half_width ..= centre + half_width`.
    #[must_use]
    pub fn around(centre: f64, half_width: f64) -> Interval {
        Interval { low: centre - half_width, high: centre + half_width }
    }

    /// The interval of the difference of two independent estimates, each with its own interval, of which the arms are
    /// added in squares (method 10 of Newcombe, Statistics in Medicine 17 (1998)).
    #[must_use]
    pub fn of_difference([(value, own), (other, others)]: [(f64, Interval); 2]) -> Interval {
        let below = (value - own.low).hypot(others.high - other);
        let above = (own.high - value).hypot(other - others.low);
        Interval { low: value - other - below, high: value - other + above }
    }

    /// Its intersection with a range of possible values. If the intersection is empty, the result is the nearest end
    /// of the range.
    #[must_use]
    pub fn within(&self, [lowest, highest]: [f64; 2]) -> Interval {
        Interval { low: self.low.clamp(lowest, highest), high: self.high.clamp(lowest, highest) }
    }

    /// Whether `value` lies in the interval, ends included.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// Arithmetic mean; `None` if empty.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Sample standard deviation (ddof 1); `None` for fewer than two values. Equal values give exactly 0.
#[must_use]
pub fn sd(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    if values.iter().all(|&value| value == values[0]) {
        return Some(0.0);
    }
    let centre = mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// Standard error of the mean, `sd / sqrt(n)`; `None` for fewer than two values and for a spread that is only
/// rounding.
#[must_use]
pub fn standard_error(values: &[f64]) -> Option<f64> {
    proper_sd(values).map(|spread| spread / (values.len() as f64).sqrt())
}

/// The standard deviation; `None` if it is 0 or only rounding, as for 0.3 and 0.1 + 0.2.
pub(super) fn proper_sd(values: &[f64]) -> Option<f64> {
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    sd(values).filter(|&spread| spread > 1e-14 * largest)
}

/// Student-t interval of the mean at `level` (0.95 for 95 %); `None` if [`standard_error`] is.
#[must_use]
pub fn student_t(values: &[f64], level: f64) -> Option<Interval> {
    let (error, degrees) = (standard_error(values)?, values.len() as f64 - 1.0);
    Some(Interval::around(mean(values)?, error * t_quantile(degrees, two_sided(level))))
}

/// One standard error of the mean score of `n_games` games, as an upper bound that is never 0.
///
/// For means without spread over runs. `score` lies in `range` (`[0, 1]` for win rates, `[-1, 1]` for fitness). The
/// result is the distance from `score` to the farther end of the one-sigma Wilson interval: about `sqrt(p (1 - p) /
/// n)` in the middle and `1 / (n + 1)` at both ends of the range. No score in `range` can vary more than a
/// win-or-loss with the same mean, so this is an upper bound for every draw rate. `None` without games or for a score
/// outside the range.
#[must_use]
pub fn game_level_bound(score: f64, range: [f64; 2], n_games: u64) -> Option<f64> {
    let width = range[1] - range[0];
    let games = n_games as f64;
    let share = (score - range[0]) / width;
    // A mean of ones may exceed 1 by a rounding error.
    let share = if (share - 0.5).abs() < 0.5 + 1e-12 { share.clamp(0.0, 1.0) } else { share };
    let interval = wilson(share * games, games, 2.0 * normal_cdf(1.0) - 1.0)?;
    Some(width * (share - interval.low).max(interval.high - share))
}

/// Wilson's score interval of a proportion: `successes` of `n` (fractions are allowed: a draw is half a success, and
/// the interval is then conservative). `None` for `n = 0` or `successes` outside `0..=n`.
///
/// Source: E. B. Wilson, J. Am. Stat. Assoc. 22 (1927); recommended by Brown, Cai, DasGupta, Stat. Sci. 16 (2001).
#[must_use]
pub fn wilson(successes: f64, n: f64, level: f64) -> Option<Interval> {
    if !(n > 0.0 && (0.0..=n).contains(&successes)) {
        return None;
    }
    let share = successes / n;
    let z = normal_quantile(two_sided(level));
    let shrink = 1.0 + z * z / n;
    let centre = (share + z * z / (2.0 * n)) / shrink;
    let half_width = z / shrink * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let raw = Interval::around(centre, half_width);
    let low = if successes == 0.0 { 0.0 } else { raw.low.max(0.0) };
    let high = if successes == n { 1.0 } else { raw.high.min(1.0) };
    Some(Interval { low, high })
}

/// Clopper and Pearson's exact interval of a proportion: covers at least `level` for every true value. `None` for `n
/// = 0` or more successes than trials. Above a billion trials it is Wilson's.
///
/// Source: Clopper, Pearson, Biometrika 26 (1934), as quantiles of the beta distribution.
#[must_use]
pub fn clopper_pearson(successes: u64, n: u64, level: f64) -> Option<Interval> {
    if n == 0 || successes > n {
        return None;
    }
    let (hits, misses) = (successes as f64, (n - successes) as f64);
    if n > MOST_EXACT {
        return wilson(hits, n as f64, level);
    }
    let upper = two_sided(level);
    let low = if successes == 0 { 0.0 } else { beta_quantile(hits, misses + 1.0, 1.0 - upper) };
    let high = if successes == n { 1.0 } else { beta_quantile(hits + 1.0, misses, upper) };
    Some(Interval { low, high })
}

/// The order statistics that enclose a quantile, distribution-free: of `n` results in descending order, the ranks of
/// the highest and of the lowest end, from 1. The quantile is the result that a `share` of all results reach, `0 < share
/// <= 1`; the ends cover it with at least `level`. `None` where `n` results are too few, as for an extreme share.
///
/// Source: David, Nagaraja, Order Statistics (2003), section 7.1: the number of results above the quantile is binomial.
#[must_use]
pub fn quantile_ranks(n: u64, share: f64, level: f64) -> Option<[u64; 2]> {
    let above = Binomial::new(share, n).ok()?;
    let tail = 1.0 - two_sided(level);
    let ranks: Vec<u64> = (1..=n).collect();
    // The result at a rank is below the quantile if fewer results are above it, and above the quantile otherwise.
    let highest = ranks.partition_point(|rank| above.cdf(rank - 1) <= tail) as u64;
    let lowest = ranks.partition_point(|rank| above.sf(rank - 1) > tail) as u64 + 1;
    (highest >= 1 && lowest <= n).then_some([highest, lowest])
}

/// A level of intervals, 0 to 1, in percent, with as many digits as it needs: `95`, `99.9`.
#[must_use]
pub fn percent(level: f64) -> String {
    let text = format!("{:.10}", 100.0 * level);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The upper quantile with half of `1 - level` above it.
pub(super) fn two_sided(level: f64) -> f64 {
    0.5 + 0.5 * level
}

/// Maximum number of trials for an exact interval: beyond it, the digits would be lost.
const MOST_EXACT: u64 = 1_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_the_digits_that_they_need() {
        let levels = [0.5, 0.95, 0.995, 0.999, 0.99999, 1e-12];
        assert_eq!(levels.map(percent), ["50", "95", "99.5", "99.9", "99.999", "0.0000000001"]);
    }

    #[test]
    fn order_statistics_cover_quantiles_as_the_binomial_distribution_says() {
        for n in [1_u32, 2, 5, 6, 20, 100, 400] {
            for percent in [1, 5, 50, 95, 99, 100] {
                let share = f64::from(percent) / 100.0;
                // The chance that exactly `above` of the results are above the quantile, from logarithms.
                let (mut log, mut chances) = (f64::from(n) * (1.0 - share).ln(), Vec::new());
                for above in 0..=n {
                    chances.push(if share < 1.0 { log.exp() } else { f64::from(u8::from(above == n)) });
                    log += (f64::from(n - above) / f64::from(above + 1)).ln() + share.ln() - (1.0 - share).ln();
                }
                let below = |rank: u64| chances[..rank as usize].iter().sum::<f64>();
                let beyond = |rank: u64| chances[rank as usize..].iter().sum::<f64>();
                let n = u64::from(n);
                match quantile_ranks(n, share, 0.95) {
                    Some([high, low]) => {
                        assert!(below(high) <= 0.025 && beyond(low) <= 0.025, "{n} {percent}: {high} {low}");
                        assert!(below(high + 1) > 0.025 && beyond(low - 1) > 0.025, "{n} {percent}: wider than needed");
                    }
                    None => assert!(below(1) > 0.025 || beyond(n) > 0.025, "{n} {percent}"),
                }
            }
        }
        assert_eq!(quantile_ranks(100, 0.5, 0.95), Some([40, 61]));
        assert_eq!([quantile_ranks(5, 0.5, 0.95), quantile_ranks(0, 0.5, 0.95)], [None; 2]);
    }

    fn close(interval: Option<Interval>, low: f64, high: f64) {
        let interval = interval.expect("the input is fine");
        assert!((interval.low - low).abs() < 1e-6 && (interval.high - high).abs() < 1e-6, "{interval:?}");
    }

    #[test]
    fn moments_of_a_sample() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert_eq!(mean(&values), Some(5.0));
        assert!((sd(&values).expect("eight values") - (32.0_f64 / 7.0).sqrt()).abs() < 1e-14);
        // 5 -+ 2.364624 * 2.138090 / sqrt(8).
        close(student_t(&values, 0.95), 3.212_512, 6.787_488);
    }

    #[test]
    fn no_spread_is_no_certainty() {
        assert_eq!(sd(&[0.1; 7]), Some(0.0));
        assert_eq!(standard_error(&[0.1; 7]), None);
        assert_eq!(student_t(&[0.1; 7], 0.95), None);
        assert_eq!((standard_error(&[0.1 + 0.2, 0.3]), student_t(&[0.1 + 0.2, 0.3], 0.95)), (None, None));
        assert_eq!(game_level_bound(1.0 + 1e-15, [0.0, 1.0], 9), game_level_bound(1.0, [0.0, 1.0], 9));
        assert_eq!(game_level_bound(1.1, [0.0, 1.0], 9), None);
        assert_eq!((student_t(&[0.1], 0.95), student_t(&[], 0.95)), (None, None));
        assert_eq!((mean(&[]), sd(&[3.0])), (None, None));
        let bound = game_level_bound(1.0, [-1.0, 1.0], 99).expect("games were played");
        assert!((bound - 0.02).abs() < 1e-9, "{bound}");
        let middle = game_level_bound(0.5, [0.0, 1.0], 10_000).expect("games were played");
        assert!((middle - 0.005).abs() < 1e-6, "{middle}");
        assert_eq!(game_level_bound(0.5, [0.0, 1.0], 0), None);
    }

    #[test]
    fn proportions_match_published_values() {
        // Clopper-Pearson by bisection of exact binomial tails.
        close(wilson(15.0, 20.0, 0.95), 0.531299, 0.888138);
        close(wilson(0.0, 20.0, 0.95), 0.0, 0.161125);
        close(clopper_pearson(15, 20, 0.95), 0.508954, 0.913429);
        close(clopper_pearson(20, 20, 0.95), 0.831566, 1.0);
        close(clopper_pearson(58, 60, 0.95), 0.884719, 0.995937);
        assert_eq!((wilson(0.0, 0.0, 0.95), clopper_pearson(3, 2, 0.95)), (None, None));
    }

    #[test]
    fn quantiles_match_tables() {
        assert!((normal_quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-9);
        for (df, expected) in [(1.0, 12.706_204_736), (2.0, 4.302_652_730), (9.0, 2.262_157_163), (99.0, 1.984_216_952)]
        {
            assert!((t_quantile(df, 0.975) - expected).abs() < 1e-6, "{df}");
        }
    }

    #[test]
    fn clopper_pearson_covers_what_it_promises() {
        let (n, truth) = (60_u64, 0.95_f64);
        let mut chance = (1.0 - truth).powi(60);
        let mut covered = 0.0;
        for hits in 0..=n {
            let inside = clopper_pearson(hits, n, 0.95).expect("n > 0").contains(truth);
            covered += if inside { chance } else { 0.0 };
            chance *= (n - hits) as f64 / (hits + 1) as f64 * truth / (1.0 - truth);
        }
        assert!(covered >= 0.95, "{covered}");
    }
}
