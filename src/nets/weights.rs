//! Random weights, before any training.

use rand_distr::{Distribution, StandardNormal};

use crate::base::Seed;

/// `count` weights from the standard normal distribution.
#[must_use]
pub fn random_weights(count: usize, seed: &Seed) -> Vec<f64> {
    StandardNormal.sample_iter(seed.rng()).take(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_weights_are_standard_normal() {
        let weights = random_weights(20_000, &Seed::new(1));
        let mean = weights.iter().sum::<f64>() / 20_000.0;
        let variance = weights.iter().map(|weight| (weight - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.04, "mean {mean}, variance {variance}");
        assert_eq!(random_weights(3, &Seed::new(1)), weights[..3]);
    }
}
