//! Means over pairs of runs, in which every run meets several runs of its opponent.
//!
//! The result of a pair is modelled as `mean + own effect + opponent's effect + rest`, all independent. Then neither
//! all pairs nor one side's runs are independent results: the variance of the mean is `(own + opponent's) / n + rest
//! / pairs`, for `n` runs of either side. Its parts are estimated by the method of moments, with negative ones set to
//! 0: Searle, Casella and McCulloch, Variance Components (1992), chapters 4 and 5.

use std::collections::{BTreeMap, BTreeSet};

use super::intervals::{Interval, mean, proper_sd, sd, standard_error, t_quantile, two_sided};

/// Standard error of the mean of values of pairs, by the seeds of both runs of each; `None` for fewer than two runs
/// of either side and for a spread of zero. If every run has one opponent of its own, it is the plain standard error.
///
/// # Panics
/// If the numbers of values and of pairs differ.
#[must_use]
pub fn crossed_error(pairs: &[[u64; 2]], values: &[f64]) -> Option<f64> {
    assert_eq!(pairs.len(), values.len(), "one value for each pair");
    let sides = [0, 1].map(|side| means_of(pairs, values, side));
    let n = sides[0].len().min(sides[1].len());
    if n < 2 {
        return None;
    }
    proper_sd(values)?;
    if sides.iter().all(|means| means.len() == values.len()) {
        return standard_error(values);
    }
    let is_once = pairs.iter().collect::<BTreeSet<_>>().len() == pairs.len();
    let variance = match per_run(&sides).filter(|_| is_once) {
        Some(each) => even_variance(&sides, each, values),
        None => uneven_variance(&sides, values),
    };
    Some(variance.sqrt())
}

/// Student-t interval of that mean at `level` (0.95 for 95 %), with one degree of freedom fewer than the number of
/// runs of the side with fewer runs; `None` if [`crossed_error`] is.
///
/// # Panics
/// If the numbers of values and of pairs differ.
#[must_use]
pub fn crossed_interval(pairs: &[[u64; 2]], values: &[f64], level: f64) -> Option<Interval> {
    let error = crossed_error(pairs, values)?;
    let runs = [0, 1].map(|side| means_of(pairs, values, side).len());
    let degrees = runs[0].min(runs[1]) as f64 - 1.0;
    Some(Interval::around(mean(values)?, error * t_quantile(degrees, two_sided(level))))
}

/// The mean of the values of each run of a side, and their number.
type Side = BTreeMap<u64, (f64, usize)>;

fn means_of(pairs: &[[u64; 2]], values: &[f64], side: usize) -> Side {
    let mut runs: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for (pair, value) in pairs.iter().zip(values) {
        runs.entry(pair[side]).or_default().push(*value);
    }
    let summary = |values: Vec<f64>| (mean(&values).unwrap_or_default(), values.len());
    runs.into_iter().map(|(run, values)| (run, summary(values))).collect()
}

/// Number of values of each run, if it is the same for all runs and both sides have equally many runs.
fn per_run(sides: &[Side; 2]) -> Option<usize> {
    let (_, first) = sides[0].values().next()?;
    let is_even = sides.iter().flat_map(BTreeMap::values).all(|(_, count)| count == first);
    (is_even && sides[0].len() == sides[1].len()).then_some(*first)
}

/// The sample variance of the means of a side's runs, counting each run once.
fn variance_of(side: &Side) -> f64 {
    let means: Vec<f64> = side.values().map(|(mean, _)| *mean).collect();
    square(sd(&means))
}

fn square(sd: Option<f64>) -> f64 {
    sd.map_or(0.0, |sd| sd * sd)
}

/// The variance of the mean if each of `n` runs of either side has met `each` of the other's.
fn even_variance(sides: &[Side; 2], each: usize, values: &[f64]) -> f64 {
    let (n, each, all) = (sides[0].len() as f64, each as f64, values.len() as f64);
    let of_means = variance_of(&sides[0]) + variance_of(&sides[1]);
    let squares = square(sd(values)) * (all - 1.0) / all;
    // Expectations for the effects of runs, together, and for the rest: sides share a part of each other's effects if
    // a run does not meet all opponents.
    let shared = (n - each) / (each * (n - 1.0));
    let (of_runs, of_rest) = ([1.0 + shared, 1.0 - 1.0 / n], [2.0 / each, 1.0 - 1.0 / all]);
    let determinant = of_runs[0] * of_rest[1] - of_rest[0] * of_runs[1];
    let effects = (of_means * of_rest[1] - of_rest[0] * squares) / determinant;
    let rest = (of_runs[0] * squares - of_means * of_runs[1]) / determinant;
    match (effects < 0.0, rest < 0.0) {
        (true, _) => squares / of_rest[1] / all,
        (false, true) => of_means / of_runs[0] / n,
        (false, false) => effects / n + rest / all,
    }
}

/// The variance of the mean if runs have met different numbers of opponents, or one of them twice: as if the two
/// sides' means were independent, each run with its weight in the mean, and at least that of as many independent
/// values. In most cases this is an overestimate; it is kept simple because only reports of unfinished runs need it.
fn uneven_variance(sides: &[Side; 2], values: &[f64]) -> f64 {
    let all = values.len() as f64;
    let weight = |side: &Side| side.values().map(|(_, count)| (*count as f64 / all).powi(2)).sum::<f64>();
    let of_sides: f64 = sides.iter().map(|side| variance_of(side) * weight(side)).sum();
    of_sides.max(square(sd(values)) / all)
}

#[cfg(test)]
mod tests {
    use rand_distr::{Distribution as _, StandardNormal};

    use super::*;
    use gauntlet_games::base::{Rng, Seed};

    /// The pairs of `n` runs with `each` opponents, in a circle.
    fn pairs(n: u64, each: u64) -> Vec<[u64; 2]> {
        (0..n).flat_map(|run| (0..each).map(move |turn| [run, (run + turn) % n])).collect()
    }

    /// Values with effects of these sizes: own, the opponent's, and the rest.
    fn draw(pairs: &[[u64; 2]], n: usize, [own, other, rest]: [f64; 3], rng: &mut Rng) -> Vec<f64> {
        let mut normal = |size: f64| {
            let unit: f64 = StandardNormal.sample(rng);
            size * unit
        };
        let sides = [own, other].map(|size| (0..n).map(|_| normal(size)).collect::<Vec<f64>>());
        pairs.iter().map(|[run, met]| sides[0][*run as usize] + sides[1][*met as usize] + normal(rest)).collect()
    }

    #[test]
    fn one_opponent_each_is_the_plain_error() {
        let (pairs, values) = (pairs(4, 1), [0.5, 0.25, 1.0, 0.75]);
        assert_eq!(crossed_error(&pairs, &values), standard_error(&values));
        let plain = super::super::intervals::student_t(&values, 0.95);
        assert_eq!(crossed_interval(&pairs, &values, 0.95), plain);
    }

    #[test]
    fn the_error_is_that_of_the_mean_over_new_runs_of_both_sides() {
        let mut rng = Seed::new(1).rng();
        for (n, each, effects) in [
            (3, 3, [0.1, 0.2, 0.02]),
            (3, 2, [0.1, 0.2, 0.02]),
            (6, 3, [0.2, 0.1, 0.1]),
            (8, 3, [0.1, 0.0, 0.2]),
            (6, 6, [0.0, 0.1, 0.1]),
        ] {
            let (pairs, draws) = (pairs(n, each), 10_000);
            let (mut means, mut variances, mut covered) = (Vec::new(), Vec::new(), 0);
            for _ in 0..draws {
                let values = draw(&pairs, n as usize, effects, &mut rng);
                means.push(mean(&values).unwrap());
                variances.push(crossed_error(&pairs, &values).unwrap().powi(2));
                covered += usize::from(crossed_interval(&pairs, &values, 0.95).unwrap().contains(0.0));
            }
            let covered = covered as f64 / draws as f64;
            assert!((0.93..0.99).contains(&covered), "{n} {each} {effects:?}: {covered}");
            let (truth, found) = (sd(&means).unwrap().powi(2), mean(&variances).unwrap());
            // Parts that are set to 0 are missing in others.
            assert!((0.95..1.15).contains(&(found / truth)), "{n} {each} {effects:?}: {found} for {truth}");
        }
    }

    /// Mean estimated squared error, divided by the true variance of the mean.
    fn ratio(pairs: &[[u64; 2]], n: usize, effects: [f64; 3], rng: &mut Rng) -> f64 {
        let draws: Vec<Vec<f64>> = (0..10_000).map(|_| draw(pairs, n, effects, rng)).collect();
        let means: Vec<f64> = draws.iter().map(|values| mean(values).unwrap()).collect();
        let found: Vec<f64> = draws.iter().map(|values| crossed_error(pairs, values).unwrap().powi(2)).collect();
        mean(&found).unwrap() / sd(&means).unwrap().powi(2)
    }

    #[test]
    fn runs_that_have_lost_pairs_count_by_what_they_have() {
        let mut rng = Seed::new(2).rng();
        let mut lost = pairs(4, 3);
        lost.remove(5);
        assert!(ratio(&lost, 4, [0.1, 0.2, 0.1], &mut rng) > 1.0);
        // One run has met all, four have begun.
        let begun: Vec<[u64; 2]> = pairs(5, 5).into_iter().filter(|[run, met]| *run == 0 || met == run).collect();
        for effects in [[0.1, 0.0, 0.01], [0.0, 0.1, 0.01], [0.1, 0.1, 0.1]] {
            let ratio = ratio(&begun, 5, effects, &mut rng);
            assert!(ratio > 0.95, "{effects:?}: {ratio}");
        }
    }

    #[test]
    fn pairs_that_met_twice_are_no_further_runs() {
        // Two runs of either side, each of which met one opponent ten times: two independent values.
        let pairs: Vec<[u64; 2]> = (0..20).map(|k| [k % 2, k % 2]).collect();
        let values: Vec<f64> = (0..20).map(|k| 0.5 * f64::from(k % 2) + 0.001 * f64::from(k)).collect();
        let error = crossed_error(&pairs, &values).expect("values vary");
        let means = [0, 1].map(|run| mean(&values.iter().skip(run).step_by(2).copied().collect::<Vec<_>>()).unwrap());
        assert!(error >= standard_error(&means).unwrap() && error.is_finite(), "{error}");
    }

    #[test]
    fn without_runs_or_spread_there_is_no_error() {
        assert_eq!(crossed_error(&pairs(3, 3), &[0.5; 9]), None);
        assert_eq!(crossed_error(&[[1, 1], [1, 2]], &[0.0, 1.0]), None);
        assert_eq!(crossed_interval(&[], &[], 0.95), None);
    }
}
