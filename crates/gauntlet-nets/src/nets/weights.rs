//! Random initial weights.

use rand_distr::{Distribution, StandardNormal};

use gauntlet_games::base::Seed;

/// `count` weights from the normal distribution with mean 0 and the standard deviation `deviation`.
#[must_use]
pub fn random_weights(count: usize, deviation: f64, seed: &Seed) -> Vec<f64> {
    let standard = StandardNormal.sample_iter(seed.rng()).take(count);
    standard.map(|weight: f64| deviation * weight).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_weights_are_normal_with_the_deviation_asked_for() {
        let weights = random_weights(20_000, 1.0, &Seed::new(1));
        let mean = weights.iter().sum::<f64>() / 20_000.0;
        let variance = weights.iter().map(|weight| (weight - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.04, "mean {mean}, variance {variance}");
        assert_eq!(random_weights(3, 1.0, &Seed::new(1)), weights[..3]);
        assert_eq!(random_weights(1, 0.5, &Seed::new(1)), [weights[0] / 2.0]);
    }
}
