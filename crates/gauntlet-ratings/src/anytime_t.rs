//! Student's t-test and its interval at any time: for few numbers that are normally distributed, such as means over
//! runs.
//!
//! The likelihood ratio of `n` numbers with the sum `S` and the sum of squares `V` against a mean of 0 compares their
//! likelihoods with and without an effect, of which the mean in standard deviations is drawn from N(0, 1) and the
//! variance is unknown (its prior is scale-invariant): `(1 + n)^(-1/2) (1 - S^2 / ((1 + n) V))^(-n/2)`. Without an effect
//! it ever reaches `1 / error` with a probability of at most `error`, at whatever number one looks: it is an
//! e-process. The ratio for a positive mean counts only while `S` is positive; a negative mean makes it smaller.
//!
//! Sources: T. L. Lai, Ann. Stat. 4 (1976); H. Wang and A. Ramdas, "Anytime-valid t-tests and confidence sequences for
//! Gaussian means with unknown variance", Sequential Analysis 44 (2025).

/// The likelihood ratio of numbers, for a positive mean.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LikelihoodRatio {
    n: f64,
    sum: f64,
    squares: f64,
}

impl LikelihoodRatio {
    /// Adds numbers.
    pub fn add(&mut self, numbers: &[f64]) {
        for number in numbers {
            (self.n, self.sum, self.squares) = (self.n + 1.0, self.sum + number, self.squares + number * number);
        }
    }

    /// Its logarithm; negative infinity if the mean is not positive.
    #[must_use]
    pub fn log(&self) -> f64 {
        let LikelihoodRatio { n, sum, squares } = *self;
        if sum <= 0.0 {
            return f64::NEG_INFINITY;
        }
        let explained = sum * sum / ((1.0 + n) * squares);
        -0.5 * (1.0 + n).ln() - 0.5 * n * (1.0 - explained).ln()
    }
}

/// A lower bound of the mean of normally distributed numbers: the probability that the mean ever lies below it, at any
/// number of numbers, is at most `error`. Negative infinity while the numbers tell nothing.
#[must_use]
pub fn lower_bound(numbers: &[f64], error: f64) -> f64 {
    let n = numbers.len() as f64;
    if n < 2.0 {
        return f64::NEG_INFINITY;
    }
    // The ratio reaches 1 / error where S^2 / V reaches this; it is at most n.
    let ratio = (1.0 + n) * (1.0 - (error * error / (1.0 + n)).powf(1.0 / n));
    if ratio >= n {
        return f64::NEG_INFINITY;
    }
    let mean = numbers.iter().sum::<f64>() / n;
    let variance = numbers.iter().map(|number| (number - mean) * (number - mean)).sum::<f64>() / (n - 1.0);
    let t = (ratio * (n - 1.0) / (n - ratio)).sqrt();
    mean - t * (variance / n).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng as _;
    use rand::rngs::StdRng;
    use rand_distr::{Distribution as _, Normal};
    use statrs::distribution::{Continuous as _, Normal as Density};

    fn evidence(numbers: &[f64]) -> f64 {
        let mut evidence = LikelihoodRatio::default();
        evidence.add(numbers);
        evidence.log()
    }

    /// The ratio of the two likelihoods by summation over a grid of standard deviations and effects.
    fn evidence_slowly(numbers: &[f64]) -> f64 {
        let likelihood = |mean: f64, deviation: f64| {
            let density = Density::new(mean, deviation).expect("a distribution");
            numbers.iter().map(|number| density.ln_pdf(*number)).sum::<f64>().exp()
        };
        let prior = Density::new(0.0, 1.0).expect("a distribution");
        let effects: Vec<f64> = (-600..=600).map(|at| f64::from(at) * 0.01).collect();
        let (mut with, mut without) = (0.0, 0.0);
        // Equal steps of the logarithm of the deviation are the scale-invariant prior.
        for step in -400..=400 {
            let deviation = (f64::from(step) * 0.02).exp();
            without += likelihood(0.0, deviation);
            let at_effect = |effect: &f64| likelihood(effect * deviation, deviation) * prior.pdf(*effect) * 0.01;
            with += effects.iter().map(at_effect).sum::<f64>();
        }
        (with / without).ln()
    }

    #[test]
    fn the_evidence_is_a_ratio_of_likelihoods() {
        for numbers in [vec![0.3, 0.5], vec![1.0, -0.2, 0.4], vec![0.2, 0.25, 0.22, 0.3, -0.1]] {
            let [fast, slow] = [evidence(&numbers), evidence_slowly(&numbers)];
            assert!((fast - slow).abs() < 1e-3, "{numbers:?}: {fast} {slow}");
            let scaled: Vec<f64> = numbers.iter().map(|number| number * 7.0).collect();
            assert!((evidence(&scaled) - fast).abs() < 1e-12, "it has no unit");
        }
        assert!(evidence(&[5.0]).abs() < 1e-12, "one number tells nothing");
    }

    #[test]
    fn extremes() {
        for nothing in [vec![], vec![0.0; 9], vec![-1.0; 9], vec![1.0, -1.0]] {
            assert_eq!(evidence(&nothing), f64::NEG_INFINITY);
        }
        let equal = evidence(&[0.4; 6]);
        assert!((equal - 2.5 * 7.0_f64.ln()).abs() < 1e-6, "equal numbers: {equal}");
        assert_eq!(lower_bound(&[1.0], 0.05), f64::NEG_INFINITY);
        assert_eq!(lower_bound(&[1.0, 1.0], 0.05), f64::NEG_INFINITY, "two numbers are too few for 5 %");
        assert_eq!(lower_bound(&[0.5; 20], 0.05), 0.5);
    }

    #[test]
    fn the_bound_lies_above_a_mean_when_the_evidence_does() {
        let numbers = [0.2, 0.35, 0.1, 0.3, 0.28, 0.22, 0.4];
        for error in [0.3_f64, 0.05, 0.01] {
            let bound = lower_bound(&numbers, error);
            let at = |mean: f64| evidence(&numbers.map(|number| number - mean));
            assert!(at(bound - 1e-6) > -error.ln() && at(bound + 1e-6) < -error.ln(), "{error}: {bound}");
        }
    }

    #[test]
    fn the_error_rate_holds_at_any_time() {
        let mut rng = StdRng::seed_from_u64(3);
        let normal = Normal::new(0.0, 0.1).expect("a distribution");
        for error in [0.2_f64, 0.05] {
            let is_wrong = |_: &u32| {
                let mut evidence = LikelihoodRatio::default();
                (0..100).any(|_| {
                    evidence.add(&[normal.sample(&mut rng)]);
                    evidence.log() >= -error.ln()
                })
            };
            let wrong = f64::from((0..4_000).filter(is_wrong).count() as u32) / 4_000.0;
            println!("an effect of 0 was found in {wrong} of 4,000 sequences, with {error} allowed");
            // Half of the error is that of the other side.
            assert!((0.1 * error..=0.5 * error + 0.02).contains(&wrong), "{wrong} of {error}");
        }
    }
}
