//! A reference search for the likeliest distribution of outcomes with a given strength, over all means and the dual
//! of each.

use gauntlet_ratings::compare::{ELO_PER_LOGIT, expected_score};
use gauntlet_ratings::sprt::{EloScale, MatchCounts, Sprt};

/// A sample, in the test's own representation.
pub struct Plain {
    scores: Vec<f64>,
    pub counts: Vec<f64>,
    /// Standard deviations of a unit in one of a game.
    per_game: f64,
}

pub fn plain(results: &MatchCounts) -> Plain {
    let (counts, per_game) = match results {
        MatchCounts::Trinomial(counts) => (counts.to_vec(), 1.0),
        MatchCounts::Pentanomial(counts) => (counts.to_vec(), 2.0_f64.sqrt()),
    };
    let counts: Vec<f64> = counts.iter().map(|&count| if count == 0 { 1e-3 } else { count as f64 }).collect();
    let scores = (0..counts.len()).map(|k| k as f64 / (counts.len() - 1) as f64).collect();
    Plain { scores, counts, per_game }
}

impl Plain {
    /// The maximum log-likelihood with a sum of `p value` of 0: that of `share / (1 + x value)`, with `x` by
    /// bisection.
    fn balanced(&self, values: &[f64]) -> f64 {
        let n: f64 = self.counts.iter().sum();
        let [least, most] = [f64::min, f64::max].map(|pick| values.iter().copied().reduce(pick).expect("outcomes"));
        let (mut low, mut high) = (-1.0 / most, -1.0 / least);
        let sum = |x: f64| self.counts.iter().zip(values).map(|(count, value)| count * value / (1.0 + x * value)).sum();
        for _ in 0..300 {
            let middle = 0.5 * (low + high);
            let sum: f64 = sum(middle);
            if sum > 0.0 { low = middle } else { high = middle }
        }
        let x = 0.5 * (low + high);
        self.counts.iter().zip(values).map(|(count, value)| count * (count / n / (1.0 + x * value)).ln()).sum()
    }

    /// The maximum log-likelihood with both sums of `p column` equal to 0, by the dual: the minimum of `-sum counts
    /// ln(1 + x column)`, by Newton's steps that stay inside. Minus infinity if there is no solution.
    fn constrained(&self, columns: &[Vec<f64>; 2]) -> f64 {
        let n: f64 = self.counts.iter().sum();
        let mut x = vec![0.0; 2];
        let weights = |x: &[f64]| -> Vec<f64> {
            (0..self.counts.len()).map(|i| 1.0 + columns.iter().zip(x).map(|(c, x)| x * c[i]).sum::<f64>()).collect()
        };
        for _ in 0..400 {
            let weight = weights(&x);
            let sum =
                |value: &dyn Fn(usize) -> f64| (0..weight.len()).map(|i| self.counts[i] / n * value(i)).sum::<f64>();
            let slope: Vec<f64> = columns.iter().map(|c| sum(&|i| c[i] / weight[i])).collect();
            let bend = |j: usize, k: usize| sum(&|i| columns[j][i] * columns[k][i] / weight[i].powi(2));
            let (a, b, d) = (bend(0, 0), bend(0, 1), bend(1, 1));
            let det = a * d - b * b;
            let step = vec![(d * slope[0] - b * slope[1]) / det, (a * slope[1] - b * slope[0]) / det];
            let gain: f64 = step.iter().zip(&slope).map(|(step, slope)| step * slope).sum();
            if !gain.is_finite() || x.iter().any(|x| x.abs() > 1e40) {
                return f64::NEG_INFINITY;
            }
            if gain < 1e-14 {
                let height = |i: usize| (self.counts[i] / n / weight[i]).ln();
                return (0..weight.len()).map(|i| self.counts[i] * height(i)).sum();
            }
            // The dual must fall as predicted by Newton's step, and no weight may become negative.
            let depth = |x: &[f64]| -> f64 {
                weights(x).iter().zip(&self.counts).map(|(weight, count)| -count / n * weight.ln()).sum()
            };
            let (here, mut fraction) = (depth(&x), 1.0);
            let gains = |fraction: f64| here + 1e-15 - depth(&moved(&x, &step, fraction)) >= 0.1 * fraction * gain;
            while fraction > 1e-9 && !gains(fraction) {
                fraction *= 0.5;
            }
            x = moved(&x, &step, fraction);
        }
        f64::NEG_INFINITY
    }

    /// The maximum log-likelihood at a difference of logistic Elo.
    fn logistic(&self, elo: f64) -> f64 {
        // Distances from the nearer end keep the digits of scores near it.
        let value =
            |score: &f64| if elo > 0.0 { expected_score(-elo) - (1.0 - score) } else { score - expected_score(elo) };
        self.balanced(&self.scores.iter().map(value).collect::<Vec<_>>())
    }

    /// Whether a distribution with this mean and variance exists: between that of the two nearest outcomes and of the
    /// farthest.
    fn can_have(&self, mean: f64, variance: f64) -> bool {
        let step = self.scores[1];
        let below = (mean / step).floor() * step;
        mean > 0.0 && mean < 1.0 && variance > (mean - below) * (below + step - mean) && variance < mean * (1.0 - mean)
    }

    /// The maximum log-likelihood at a difference of normalized Elo, over all means with their standard deviations.
    fn normalized(&self, elo: f64) -> f64 {
        let t = elo * self.per_game / (2.0 * ELO_PER_LOGIT);
        let at = |m: f64| {
            let (mean, variance) = (0.5 + m, (m / t).powi(2));
            if !self.can_have(mean, variance) {
                return f64::NEG_INFINITY;
            }
            if let [lost, drawn, won] = self.counts[..] {
                // Two moments determine the distribution.
                let square = variance + mean * mean;
                let p = [1.0 - 3.0 * mean + 2.0 * square, 4.0 * (mean - square), 2.0 * square - mean];
                return [lost, drawn, won].iter().zip(p).map(|(count, p)| count * p.ln()).sum();
            }
            let above: Vec<f64> = self.scores.iter().map(|score| score - 0.5 - m).collect();
            let squares = above.iter().map(|above| above * above - (m / t).powi(2)).collect();
            self.constrained(&[above, squares])
        };
        if t == 0.0 {
            return self.balanced(&self.scores.iter().map(|score| score - 0.5).collect::<Vec<_>>());
        }
        // For a small standard deviation the intervals of means are small, too: points are denser there.
        let k = 1.0 / (1.0 + t * t).sqrt();
        let mut points: Vec<f64> = (1..100).map(|i| 0.005 * f64::from(i)).collect();
        points.extend((1..100).map(|i| 0.005 * f64::from(i) * t.abs()));
        points
            .extend([0.25, 0.5].into_iter().flat_map(|c| (-50..50).map(move |i| c * (1.0 + k * f64::from(i) / 50.0))));
        points.retain(|m| *m > 0.0 && *m < 0.5);
        points.sort_by(f64::total_cmp);
        let heights: Vec<f64> = points.iter().map(|m| at(t.signum() * m)).collect();
        let peaks = (0..points.len()).filter(|&i| {
            heights[i].is_finite()
                && [i.wrapping_sub(1), i + 1].iter().all(|j| heights.get(*j).is_none_or(|h| *h <= heights[i]))
        });
        let best = |i: usize| {
            let ends = [if i == 0 { 0.0 } else { points[i - 1] }, points.get(i + 1).copied().unwrap_or(0.5)];
            golden(ends, points[i], |m| at(t.signum() * m))
        };
        peaks.map(best).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The difference in normalized Elo of the sample.
    pub fn normalized_elo(&self) -> f64 {
        let n: f64 = self.counts.iter().sum();
        let sum = |value: &dyn Fn(f64) -> f64| {
            self.scores.iter().zip(&self.counts).map(|(s, c)| c / n * value(*s)).sum::<f64>()
        };
        let mean = sum(&|score| score);
        let sd = sum(&|score| (score - mean).powi(2)).sqrt();
        (mean - 0.5) / sd * 2.0 * ELO_PER_LOGIT / self.per_game
    }

    pub fn llr(&self, test: &Sprt) -> f64 {
        let height = |elo: f64| match test.scale {
            EloScale::Logistic => self.logistic(elo),
            EloScale::Normalized => self.normalized(elo),
        };
        height(test.elo1) - height(test.elo0)
    }
}

fn moved(x: &[f64], step: &[f64], fraction: f64) -> Vec<f64> {
    x.iter().zip(step).map(|(x, step)| x + fraction * step).collect()
}

/// The maximum of a function with one peak between two ends, near a point where it is finite.
fn golden([mut low, mut high]: [f64; 2], near: f64, height: impl Fn(f64) -> f64) -> f64 {
    const SECTION: f64 = 0.618_033_988_749_894_9;
    let mut best = height(near);
    for _ in 0..60 {
        let [one, two] = [high - SECTION * (high - low), low + SECTION * (high - low)];
        let [left, right] = [height(one), height(two)];
        best = best.max(left).max(right);
        let is_left = if left == right { near < 0.5 * (low + high) } else { left > right };
        if is_left { high = two } else { low = one }
    }
    best
}
