//! Dirichlet noise: makes a search explore beyond its priors.
//!
//! AlphaGo Zero mixes it into the root's priors; the Gomoku models of Chen, Chin and Megas into every node's.

use rand::seq::IndexedMutRandom as _;
use rand_distr::{Distribution as _, Gamma};

use super::spec::Noise;
use gauntlet_games::base::Rng;

impl Noise {
    /// Mixes Dirichlet(alpha) noise into `priors`; their sum does not change. `buffer` is scratch memory.
    pub(super) fn mix(&self, priors: &mut [f32], buffer: &mut Vec<f64>, rng: &mut Rng) {
        let gamma = Gamma::new(self.alpha, 1.0).expect("alpha is above 0 and finite");
        buffer.clear();
        buffer.extend(priors.iter().map(|_| gamma.sample(rng)));
        let mut sum: f64 = buffer.iter().sum();
        if sum <= 0.0 || sum.is_infinite() {
            bring_to_limit(buffer, sum, rng);
            sum = buffer.iter().sum();
        }
        for (prior, noise) in priors.iter_mut().zip(buffer) {
            *prior = ((1.0 - self.weight) * f64::from(*prior) + self.weight * *noise / sum) as f32;
        }
    }
}

/// Replaces gammas whose sum is 0 or infinite by the limit of their law: one random action for a tiny alpha, all actions
/// alike for a huge one.
fn bring_to_limit(gammas: &mut [f64], sum: f64, rng: &mut Rng) {
    if sum > 0.0 {
        gammas.fill(1.0);
    } else if let Some(chosen) = gammas.choose_mut(rng) {
        *chosen = 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::Seed;

    #[test]
    fn the_mixture_has_the_moments_of_its_parts() {
        let (noise, mut rng) = (Noise { alpha: 0.5, weight: 0.25, at_play: false }, Seed::new(1).rng());
        let (mut sums, mut squares, mut buffer) = ([0.0; 4], [0.0; 4], Vec::new());
        let clean = [0.7_f32, 0.2, 0.1, 0.0];
        let rounds = 20_000;
        for _ in 0..rounds {
            let mut priors = clean;
            noise.mix(&mut priors, &mut buffer, &mut rng);
            assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            for action in 0..4 {
                let noise = (f64::from(priors[action]) - 0.75 * f64::from(clean[action])) / 0.25;
                sums[action] += noise;
                squares[action] += noise * noise;
            }
        }
        for action in 0..4 {
            let mean = sums[action] / f64::from(rounds);
            let variance = squares[action] / f64::from(rounds) - mean * mean;
            // Dirichlet(0.5, ..., 0.5) of four: mean 1/4, variance (1/4)(3/4)/(2 + 1).
            assert!((mean - 0.25).abs() < 0.008, "{mean}");
            assert!((variance - 0.0625).abs() < 0.003, "{variance}");
        }
    }

    /// In the limits of alpha, one action has all of the noise, or each has as much.
    #[test]
    fn extreme_noise_has_the_limits_of_its_law() {
        let mut rng = Seed::new(3).rng();
        let mut mixed = |alpha: f64| {
            let mut priors = [0.25_f32; 4];
            Noise { alpha, weight: 1.0, at_play: false }.mix(&mut priors, &mut Vec::new(), &mut rng);
            priors
        };
        let mut chosen = [0; 4];
        for _ in 0..400 {
            let priors = mixed(1e-6);
            let at = priors.iter().position(|&prior| prior > 0.999).expect("one has all");
            chosen[at] += 1;
        }
        assert!(chosen.iter().all(|count| (60..140).contains(count)), "{chosen:?}");
        for alpha in [1e300, 1e308] {
            assert!(mixed(alpha).iter().all(|prior| (prior - 0.25).abs() < 1e-6), "{alpha}");
        }
    }

    #[test]
    fn noise_without_weight_is_none() {
        let mut priors = [0.25_f32, 0.75];
        Noise { alpha: 0.3, weight: 0.0, at_play: false }.mix(&mut priors, &mut Vec::new(), &mut Seed::new(1).rng());
        assert_eq!(priors, [0.25, 0.75]);
    }
}
