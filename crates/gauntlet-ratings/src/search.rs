//! Global search for the likeliest distribution of outcomes whose mean lies `t` standard deviations above one half.
//!
//! Let the mean be `1/2 + m`, for `t > 0`; then the standard deviation is `m / t`. By Lagrange, a stationary point of
//! the likelihood is `share / (1 + x value)` with the value `a + m / 2 - (t a)^2 / 2 m` of an outcome `a` above the
//! mean. This leaves one equation in `m`: the mean of this distribution is `1/2 + m`. An outcome `c` above one half
//! has a positive value for `m` between `c (1 - k)` and `c (1 + k)`, with `k = 1 / sqrt(1 + t^2)`; all others have
//! negative values. If none is positive, there is no such distribution. The ranges of the outcomes may overlap or
//! not, so there are one or more intervals of `m`. At the lower end of each, everything goes to one outcome above the
//! mean, and at the upper end to one below it, so each contains a solution; the best of all is the maximum.
//!
//! The distributions at most `t` standard deviations above one half are a convex set. A sample outside of it has one
//! maximum, a sample inside up to one for each outcome above one half.

use super::outcomes::{Sample, moments, tilted};

/// Number of cells of an interval that are searched for solutions.
const CELLS: usize = 64;
/// Halvings of a cell.
const HALVINGS: usize = 60;

impl Sample {
    /// The likeliest of all stationary distributions, for `t` other than 0.
    pub(super) fn searched(&self, t: f64) -> Vec<f64> {
        if t < 0.0 {
            let mirror = Sample { shares: self.shares.iter().rev().copied().collect(), ..self.clone() };
            return mirror.searched(-t).into_iter().rev().collect();
        }
        let means = stretches(&self.scores, t).into_iter().flat_map(|ends| self.solutions(t, ends));
        let found = means.map(|m| self.stationary(t, m));
        let height = |p: &Vec<f64>| self.shares.iter().zip(p).map(|(share, p)| share * p.ln()).sum::<f64>();
        found.max_by(|p, q| height(p).total_cmp(&height(q))).expect("every stretch has a solution")
    }

    /// The distribution of the multiplier, for a mean `m` above one half.
    fn stationary(&self, t: f64, m: f64) -> Vec<f64> {
        let value = |score: &f64| {
            let above = score - 0.5 - m;
            above + 0.5 * m - (t * above).powi(2) / (2.0 * m)
        };
        tilted(&self.shares, &self.scores.iter().map(value).collect::<Vec<_>>())
    }

    /// The means in an interval that are consistent with their distribution.
    fn solutions(&self, t: f64, [low, high]: [f64; 2]) -> Vec<f64> {
        let is_low = |m: f64| moments(&self.scores, &self.stationary(t, m)).0 > 0.5 + m;
        let point = |k: usize| low + (high - low) * k as f64 / CELLS as f64;
        let signs: Vec<bool> = (0..=CELLS).map(|k| k == 0 || (k < CELLS && is_low(point(k)))).collect();
        let turns = (0..CELLS).filter(|&k| signs[k] != signs[k + 1]);
        let halved = |k: usize| {
            let mut ends = [point(k), point(k + 1)];
            for _ in 0..HALVINGS {
                let middle = 0.5 * (ends[0] + ends[1]);
                ends[usize::from(is_low(middle) != signs[k])] = middle;
            }
            0.5 * (ends[0] + ends[1])
        };
        turns.map(halved).collect()
    }
}

/// The intervals of the mean above one half in which some outcome has a positive value, ascending.
fn stretches(scores: &[f64], t: f64) -> Vec<[f64; 2]> {
    let k = 1.0 / (1.0 + t * t).sqrt();
    // 1 - k, without cancellation.
    let rest = (t * k).powi(2) / (1.0 + k);
    let mut stretches: Vec<[f64; 2]> = Vec::new();
    for above in scores.iter().map(|score| score - 0.5).filter(|above| *above > 0.0) {
        let [low, high] = [above * rest, f64::min(above * (1.0 + k), 0.5)];
        match stretches.last_mut().filter(|last| last[1] >= low) {
            Some(last) => last[1] = high,
            None => stretches.push([low, high]),
        }
    }
    stretches
}
