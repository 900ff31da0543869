//! Bootstrap errors and intervals of any statistic of units (networks, runs, pairs of games).
//!
//! A statistic is a closure over the *indices* of the units drawn, so that one function serves means, correlations of
//! two columns and whole ratings. Resampling within a unit is not supported; units must be independent.
//!
//! Source: Efron, Tibshirani, An Introduction to the Bootstrap (1993), chapters 13 and 14.

use super::intervals::{Interval, normal_cdf, normal_quantile, proper_sd, two_sided};
use rand::{Rng, RngExt as _};
use rayon::prelude::*;

/// Settings of the resampling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BootstrapSettings {
    /// Number of resamples. Default 2000.
    pub resamples: usize,
    /// Confidence level. Default 0.95.
    pub level: f64,
}

impl Default for BootstrapSettings {
    fn default() -> BootstrapSettings {
        BootstrapSettings { resamples: 2000, level: 0.95 }
    }
}

/// The results of a bootstrap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bootstrap {
    /// The statistic of the original units.
    pub estimate: f64,
    /// Standard deviation of the resampled values; `None` if they never vary.
    pub standard_error: Option<f64>,
    /// Bias-corrected and accelerated interval at the given level; `None` if the resampled values never vary.
    pub interval: Option<Interval>,
    /// Resamples on which the statistic was defined.
    pub resamples: usize,
    /// All resamples.
    pub drawn: usize,
}

/// Up to this number, all possible resamples are drawn once each: those of six units.
const ALL: usize = 50_000;

/// Bootstraps `statistic` over `n_units` units, drawn with replacement. Of up to six units, every possible resample counts
/// once, so that nothing is random.
///
/// The statistic receives indices below `n_units` and returns `None` if it is undefined (a correlation without
/// variance, or any number that is not finite); such resamples are skipped. The result is `None` if the statistic is
/// undefined on the original units or on more than half of the resamples. It depends only on the arguments and the
/// state of `rng`.
#[must_use]
pub fn bootstrap(
    n_units: usize,
    settings: BootstrapSettings,
    mut rng: impl Rng,
    statistic: impl Fn(&[usize]) -> Option<f64> + Sync,
) -> Option<Bootstrap> {
    let units: Vec<usize> = (0..n_units).collect();
    let statistic = |units: &[usize]| statistic(units).filter(|value| value.is_finite());
    let estimate = statistic(&units)?;
    let possible = n_units.checked_pow(n_units as u32).filter(|&all| all <= ALL && settings.resamples > 0);
    let drawn = possible.unwrap_or(settings.resamples);
    let mut resample = |number: usize| -> Vec<usize> {
        match possible {
            // The digits of its number.
            Some(_) => (0..n_units as u32).map(|place| number / n_units.pow(place) % n_units).collect(),
            None => (0..n_units).map(|_| rng.random_range(0..n_units)).collect(),
        }
    };
    let mut values: Vec<f64> = (0..drawn).filter_map(|number| statistic(&resample(number))).collect();
    if values.is_empty() || 2 * values.len() < drawn {
        return None;
    }
    values.sort_by(f64::total_cmp);
    let standard_error = proper_sd(&values);
    let interval = standard_error.map(|_| {
        let acceleration = acceleration(&units, estimate, &statistic);
        let shift = Shift { bias: bias(&values, estimate), acceleration };
        let upper = two_sided(settings.level);
        Interval { low: quantile(&values, shift.apply(1.0 - upper)), high: quantile(&values, shift.apply(upper)) }
    });
    Some(Bootstrap { estimate, standard_error, interval, resamples: values.len(), drawn })
}

/// The quantile of ascending `values` by linear interpolation.
///
/// # Panics
/// If `values` is empty.
#[must_use]
pub fn quantile(values: &[f64], probability: f64) -> f64 {
    let place = probability.clamp(0.0, 1.0) * (values.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = place.ceil() as usize;
    values[below] + (place - below as f64) * (values[above] - values[below])
}

/// The correction of a probability for bias and for an error that grows with the value (BCa).
struct Shift {
    bias: f64,
    acceleration: f64,
}

impl Shift {
    fn apply(&self, probability: f64) -> f64 {
        let z = self.bias + normal_quantile(probability);
        if z.is_infinite() {
            return probability;
        }
        let slowed = 1.0 - self.acceleration * z;
        // Beyond this point the transformation is not monotonic, so the extreme quantile is returned.
        if slowed <= 0.0 { probability.round() } else { normal_cdf(self.bias + z / slowed) }
    }
}

/// Distance of the estimate from the median of the resamples, in normal quantiles; ties count half.
fn bias(values: &[f64], estimate: f64) -> f64 {
    let below = values.iter().filter(|&&value| value < estimate).count() as f64;
    let equal = values.iter().filter(|&&value| value == estimate).count() as f64;
    let n = values.len() as f64;
    normal_quantile(((below + 0.5 * equal) / n).clamp(0.5 / n, 1.0 - 0.5 / n))
}

/// Skewness of the units' influence, by the jackknife.
fn acceleration(units: &[usize], estimate: f64, statistic: &(impl Fn(&[usize]) -> Option<f64> + Sync)) -> f64 {
    let n = units.len() as f64;
    let without = |&unit: &usize| statistic(&[&units[..unit], &units[unit + 1..]].concat()).unwrap_or(estimate);
    let without: Vec<f64> = units.par_iter().map(without).collect();
    let centre = without.iter().sum::<f64>() / n;
    let influence = without.iter().map(|value| (n - 1.0) * (centre - value));
    let squares = influence.clone().map(|l| l.powi(2)).sum::<f64>() / n.powi(2);
    let cubes = influence.map(|l| l.powi(3)).sum::<f64>() / n.powi(3);
    if squares > 0.0 { cubes / (6.0 * squares.powf(1.5)) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::correlation::pearson;
    use crate::intervals::{mean, sd};
    use gauntlet_games::base::Seed;
    use rand_distr::{Distribution, StandardNormal};

    fn mean_of(values: &[f64]) -> impl Fn(&[usize]) -> Option<f64> + '_ {
        |units| mean(&units.iter().map(|&unit| values[unit]).collect::<Vec<_>>())
    }

    #[test]
    fn the_error_of_a_mean_is_the_textbook_one() {
        let mut rng = Seed::new(1).rng();
        let values: Vec<f64> = (0..100).map(|_| StandardNormal.sample(&mut rng)).collect();
        let found =
            bootstrap(100, BootstrapSettings::default(), Seed::new(2).rng(), mean_of(&values)).expect("a mean exists");
        let textbook = sd(&values).expect("many values") / 10.0;
        assert!((found.standard_error.expect("values vary") / textbook - 1.0).abs() < 0.05);
        assert_eq!(found.resamples, 2000);
    }

    #[test]
    fn a_seed_decides_everything() {
        let values: Vec<f64> = (0..20).map(|i| f64::from(i * i)).collect();
        let run = |seed| bootstrap(20, BootstrapSettings::default(), Seed::new(seed).rng(), mean_of(&values));
        assert_eq!(run(3), run(3));
        assert_ne!(run(3), run(4));
    }

    #[test]
    fn few_units_are_resampled_in_all_ways() {
        let values = [1.0, 2.0, 4.0, 7.0];
        let run = |seed| bootstrap(4, BootstrapSettings::default(), Seed::new(seed).rng(), mean_of(&values));
        let found = run(1).expect("defined");
        assert_eq!((Some(found), found.drawn), (run(2), 256));
        // The deviation over all resamples is that of the units over the root of their number.
        let variance = values.iter().map(|value| (value - 3.5_f64).powi(2)).sum::<f64>() / 4.0;
        let textbook = (variance / 4.0).sqrt() * (256.0_f64 / 255.0).sqrt();
        assert!((found.standard_error.expect("values vary") - textbook).abs() < 1e-12);
    }

    #[test]
    fn undefined_statistics_are_left_out() {
        let (xs, ys) = ([1.0, 2.0, 3.0], [1.0, 3.0, 2.0]);
        let pick = |column: &[f64], units: &[usize]| units.iter().map(|&unit| column[unit]).collect::<Vec<_>>();
        let found = bootstrap(3, BootstrapSettings::default(), Seed::new(6).rng(), |units| {
            pearson(&pick(&xs, units), &pick(&ys, units))
        });
        // Of 27 resamples, three draw one unit alone, and the correlation of two different points is defined.
        assert_eq!(found.map(|found| [found.resamples, found.drawn]), Some([24, 27]));
        assert_eq!(bootstrap(3, BootstrapSettings::default(), Seed::new(7).rng(), |_| None), None);
        assert_eq!(bootstrap(0, BootstrapSettings::default(), Seed::new(7).rng(), mean_of(&[])), None);
    }

    #[test]
    fn extremes_have_no_error_or_a_proper_one() {
        let run = |n: usize, settings, statistic: &(dyn Fn(&[usize]) -> Option<f64> + Sync)| {
            bootstrap(n, settings, Seed::new(9).rng(), statistic)
        };
        // A perfect correlation varies only by rounding.
        let xs: Vec<f64> = (0..12).map(|k| 0.1 * f64::from(k)).collect();
        let line = |units: &[usize]| {
            let (x, y): (Vec<f64>, Vec<f64>) = units.iter().map(|&unit| (xs[unit], 1.0 / 3.0 - 0.7 * xs[unit])).unzip();
            pearson(&x, &y)
        };
        let found = run(12, BootstrapSettings::default(), &line).expect("defined");
        assert_eq!((found.standard_error, found.interval), (None, None), "{found:?}");
        // The whole range: from the smallest to the largest resample.
        let all = run(12, BootstrapSettings { level: 1.0, resamples: 500 }, &mean_of(&xs)).expect("defined");
        let interval = all.interval.expect("values vary");
        assert!(interval.low >= 0.0 && interval.high <= 1.1 && interval.low < 0.4 && interval.high > 0.7, "{all:?}");
        // Infinite and undefined numbers are skipped, and one unit never varies.
        let odd = |units: &[usize]| Some(if units[0] == 0 { f64::INFINITY } else { units[1] as f64 });
        assert_eq!(run(12, BootstrapSettings::default(), &odd), None, "the units themselves");
        let rare = |units: &[usize]| Some(if units[0] == 3 { f64::NAN } else { units[1] as f64 });
        let found = run(12, BootstrapSettings::default(), &rare).expect("defined");
        assert!(found.resamples < 2000 && found.standard_error.is_some_and(f64::is_normal), "{found:?}");
        assert_eq!(run(1, BootstrapSettings::default(), &mean_of(&xs)).expect("defined").standard_error, None);
        assert_eq!(run(3, BootstrapSettings { resamples: 0, level: 0.9 }, &mean_of(&xs)), None);
    }

    #[test]
    fn intervals_of_the_spatial_test_data() {
        // Efron and Tibshirani, table 14.2: 90 % interval (BCa) of a plug-in variance of 171.5, n = 26.
        let values = [
            48.0, 36.0, 20.0, 29.0, 42.0, 42.0, 20.0, 42.0, 22.0, 41.0, 45.0, 14.0, 6.0, 0.0, 33.0, 28.0, 34.0, 4.0,
            32.0, 24.0, 47.0, 41.0, 24.0, 26.0, 30.0, 41.0,
        ];
        let variance = |units: &[usize]| {
            let drawn: Vec<f64> = units.iter().map(|&unit| values[unit]).collect();
            sd(&drawn).map(|spread| spread.powi(2) * (drawn.len() - 1) as f64 / drawn.len() as f64)
        };
        let settings = BootstrapSettings { resamples: 20_000, level: 0.9 };
        let found = bootstrap(values.len(), settings, Seed::new(8).rng(), variance).expect("values vary");
        let interval = found.interval.expect("values vary");
        assert!((found.estimate - 171.5).abs() < 0.1);
        assert!((interval.low - 115.8).abs() < 3.0 && (interval.high - 259.6).abs() < 5.0, "{interval:?}");
    }
}
