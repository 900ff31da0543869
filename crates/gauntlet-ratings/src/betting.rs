//! Inference at any time on the mean of numbers from -1 to 1, by betting.
//!
//! A player with the capital 1 bets before each number that it exceeds `m`: the stake `s` multiplies the capital by
//! `1 + s (number - m)`. If the mean of every number, given those before, is at most `m`, no strategy gains on average,
//! and the capital ever reaches `1 / error` with a probability of at most `error` (Ville's inequality). So one may look
//! after each number, and stop at any of them. The strategy divides the capital among fixed stakes: large stakes gain most
//! if the mean is large, small ones if it is small. The whole capital is the mean of the parts, and does not depend on the
//! order of the numbers. Nothing is assumed but the range: no distribution, no variance, no number of numbers.
//!
//! Sources: I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting", JRSS B 86 (2024),
//! sections 3 and 4; mixtures of stakes are T. Cover's universal portfolios (1991).

/// The number of stakes.
const STAKES: usize = 12;

/// The largest stake: with it, no number from -1 to 1 makes the capital negative, whatever `m` is tested.
const LARGEST: f64 = 0.5;

/// Numbers whose factors are multiplied before a logarithm is taken; their product does not leave the range of numbers.
const TOGETHER: usize = 64;

/// The stakes, each smaller than the one before by the square root of two.
fn stakes() -> [f64; STAKES] {
    std::array::from_fn(|at| LARGEST * 0.5_f64.powf(0.5 * at as f64))
}

/// The capital of bets that the mean exceeds 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Capital {
    /// The logarithm of the capital of each stake.
    logs: [f64; STAKES],
}

impl Default for Capital {
    fn default() -> Capital {
        Capital { logs: [0.0; STAKES] }
    }
}

impl Capital {
    /// Bets on these numbers, each from -1 to 1.
    pub fn bet(&mut self, numbers: &[f64]) {
        self.bet_above(0.0, numbers);
    }

    fn bet_above(&mut self, mean: f64, numbers: &[f64]) {
        for (log, stake) in self.logs.iter_mut().zip(stakes()) {
            let factor = |number: &f64| 1.0 + stake * (number - mean);
            *log += numbers.chunks(TOGETHER).map(|few| few.iter().map(factor).product::<f64>().ln()).sum::<f64>();
        }
    }

    /// The logarithm of the capital.
    #[must_use]
    pub fn log(&self) -> f64 {
        let most = self.logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if most == f64::NEG_INFINITY {
            return most;
        }
        most + (self.logs.iter().map(|log| (log - most).exp()).sum::<f64>() / STAKES as f64).ln()
    }
}

/// Whether the mean of numbers from -1 to 1 lies above a mean: [`lower_bound`] does.
#[must_use]
pub fn is_above(mean: f64, numbers: &[f64], error: f64) -> bool {
    let mut capital = Capital::default();
    capital.bet_above(mean, numbers);
    capital.log() >= -error.ln()
}

/// A lower bound of the mean of numbers from -1 to 1: the probability that the mean ever lies below it, at any number of
/// numbers, is at most `error`. It is -1 if the numbers tell nothing.
#[must_use]
pub fn lower_bound(numbers: &[f64], error: f64) -> f64 {
    let is_refuted = |mean: f64| is_above(mean, numbers, error);
    if !is_refuted(-1.0) {
        return -1.0;
    }
    // The capital falls with the tested mean.
    let (mut low, mut high) = (-1.0, 1.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if is_refuted(middle) { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{RngExt as _, SeedableRng as _};

    #[test]
    fn the_capital_is_the_mean_of_single_bets() {
        let numbers = [0.5, -0.25, 1.0, -1.0, 0.75];
        let mut capital = Capital::default();
        assert_eq!(capital.log(), 0.0);
        numbers.chunks(2).for_each(|few| capital.bet(few));
        let of_stake = |stake: f64| numbers.iter().map(|number| 1.0 + stake * number).product::<f64>();
        let mean = stakes().map(of_stake).iter().sum::<f64>() / STAKES as f64;
        assert!((capital.log() - mean.ln()).abs() < 1e-12);
    }

    fn upper_bound(numbers: &[f64], error: f64) -> f64 {
        -lower_bound(&numbers.iter().map(|number| -number).collect::<Vec<_>>(), error)
    }

    #[test]
    fn bounds_of_extreme_numbers() {
        for error in [0.5, 0.05, 1e-6] {
            assert_eq!((lower_bound(&[], error), upper_bound(&[], error)), (-1.0, 1.0));
            for same in [-1.0, -0.5, 0.0, 1.0] {
                let few = [same; 10];
                let many = vec![same; 10_000];
                let [low, high] = [lower_bound(&many, error), upper_bound(&many, error)];
                assert!(low <= same && same <= high && high - low < 0.05, "{same}: {low} to {high}");
                assert!(lower_bound(&few, error) <= low && upper_bound(&few, error) >= high);
            }
        }
        let mut ruined = Capital::default();
        ruined.bet_above(1.0, &[-1.0]);
        assert!(ruined.log() < 0.0 && ruined.log().is_finite(), "smaller stakes remain");
    }

    /// The share of 2,000 sequences, of up to 400 numbers, whose bound ever lies above the true mean.
    fn missed(number: impl Fn(&mut StdRng) -> f64, mean: f64, error: f64) -> f64 {
        let mut rng = StdRng::seed_from_u64(5);
        let is_missed = |_: &u32| {
            let mut capital = Capital::default();
            (0..100).any(|_| {
                let few: Vec<f64> = (0..4).map(|_| number(&mut rng)).collect();
                capital.bet_above(mean, &few);
                capital.log() >= -error.ln()
            })
        };
        f64::from((0..2_000).filter(is_missed).count() as u32) / 2_000.0
    }

    #[test]
    fn the_error_rate_holds_at_any_time() {
        for error in [0.2, 0.05] {
            let even = missed(|rng| f64::from(rng.random_range(-1..=1)), 0.0, error);
            let rare = missed(|rng| if rng.random_bool(0.01) { 1.0 } else { 0.0 }, 0.01, error);
            let skewed = missed(|rng| if rng.random_bool(0.9) { 0.1 } else { -0.9 }, 0.0, error);
            // Three standard errors of the simulation.
            let most = error + 3.0 * (error * (1.0 - error) / 2_000.0).sqrt();
            assert!([even, rare, skewed].iter().all(|share| *share <= most), "{even} {rare} {skewed}");
            assert!(even > 0.2 * error, "the test uses a part of what it may: {even}");
        }
    }
}
