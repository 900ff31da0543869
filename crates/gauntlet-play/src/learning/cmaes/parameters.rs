//! The strategy parameters of CMA-ES, which depend on dimension and population alone.
//!
//! Hansen 2016 (arXiv:1604.00772), with the constants of pycma 4.5, the reference of this project.

use serde::{Deserialize, Serialize};

/// Learning rates, damping and recombination weights, in the notation of the tutorial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// Number of weights that are searched for (`N`).
    pub dimension: usize,
    /// Recombination weights, best candidate first; the first `mu` are positive and sum to 1.
    pub weights: Vec<f64>,
    /// Number of positive weights.
    pub mu: usize,
    /// Variance-effective number of parents.
    pub mueff: f64,
    /// Decay of the step-size path.
    pub cs: f64,
    /// Damping of the step size.
    pub damps: f64,
    /// Decay of the covariance path.
    pub cc: f64,
    /// Learning rate of the rank-one update.
    pub c1: f64,
    /// Learning rate of the rank-mu update.
    pub cmu: f64,
    /// Expected length of a standard normal vector.
    pub chi: f64,
    /// Generations that may pass between two eigendecompositions.
    pub lazy_gap: f64,
}

/// `4 + floor(3 ln n)`, the default population.
#[must_use]
pub fn default_population(dimension: usize) -> usize {
    4 + (3.0 * (dimension as f64).ln()) as usize
}

impl Parameters {
    /// The parameters for `dimension` >= 1 and a `population` >= 2; `active` also uses the worse half.
    #[must_use]
    pub fn new(dimension: usize, population: usize, active: bool) -> Parameters {
        let n = dimension as f64;
        let mut weights = raw_weights(population);
        let mu = weights.iter().filter(|&&weight| weight > 0.0).count();
        let mueff = effective(&weights[..mu]);
        let cs = ((mueff + 2.0) / (n + mueff + 3.0)).min(0.5);
        let cc = (4.0 + mueff / n) / (n + 4.0 + 2.0 * mueff / n);
        let c1 = (population as f64 / 6.0).min(1.0) * 2.0 / ((n + 1.3).powi(2) + mueff);
        let cmu = (2.0 * (0.25 + mueff + 1.0 / mueff - 2.0) / ((n + 2.0).powi(2) + mueff)).min(1.0 - c1);
        let negative = if active { negative_sum(&weights[mu..], n, mueff, c1, cmu) } else { 0.0 };
        weights[mu..].iter_mut().for_each(|weight| *weight *= negative);
        let chi = n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));
        let lazy_gap = 1.0 / (c1 + cmu + 1e-23) / n / 10.0;
        Parameters { dimension, weights, mu, mueff, cs, damps: damping(n, mueff, cs), cc, c1, cmu, chi, lazy_gap }
    }

    /// Number of candidates of a generation.
    #[must_use]
    pub fn population(&self) -> usize {
        self.weights.len()
    }
}

/// Log-shaped weights; the positive ones sum to 1, the others to -1.
fn raw_weights(population: usize) -> Vec<f64> {
    let middle = ((population + 1) as f64 / 2.0).ln();
    let raw: Vec<f64> = (1..=population).map(|rank| middle - (rank as f64).ln()).collect();
    let positive: f64 = raw.iter().filter(|&&weight| weight > 0.0).sum();
    let negative: f64 = raw.iter().filter(|&&weight| weight < 0.0).sum();
    raw.iter().map(|&weight| if weight > 0.0 { weight / positive } else { weight / -negative }).collect()
}

/// `(sum |w|)^2 / sum w^2`.
fn effective(weights: &[f64]) -> f64 {
    let sum: f64 = weights.iter().map(|weight| weight.abs()).sum();
    sum * sum / weights.iter().map(|weight| weight * weight).sum::<f64>()
}

/// Total negative weight of the worse half: no decay of the covariance, yet it stays positive definite.
fn negative_sum(worse: &[f64], n: f64, mueff: f64, c1: f64, cmu: f64) -> f64 {
    if cmu <= 0.0 {
        return 0.0;
    }
    let mueff_minus = effective(worse);
    let no_decay = 1.0 + c1 / cmu;
    let definite = (1.0 - c1 - cmu) / cmu / n;
    let learnable = 1.0 + 2.0 * mueff_minus / (mueff + 2.0);
    no_decay.min(definite).min(learnable)
}

/// pycma 4.5 damps large populations more than the tutorial; with the default population it is `1 + cs`.
fn damping(n: f64, mueff: f64, cs: f64) -> f64 {
    let inner = (3.0 * (1.0 - 0.5_f64.powf(n / 9.0))).max(1.0);
    1.0 + 2.0 * (inner * ((mueff - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + cs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(value: f64, expected: f64) {
        assert!((value - expected).abs() <= 1e-13 * expected.abs(), "{value} is not {expected}");
    }

    /// `es.sp` and `es.adapt_sigma` of `cma.CMAEvolutionStrategy(n * [0], 1)` after a first `tell`, pycma 4.5.0:
    /// population, mu, mueff, cs, damps, cc, c1, cmu, sum of negative weights, first weight, last weight, gap.
    #[test]
    fn the_defaults_are_those_of_pycma() {
        let published = [
            (10, 10, 5, 3.1672992814107017, 0.3196142529106334, 1.3196142529106334, 0.29499038303562225),
            (21, 13, 6, 3.9808691729539927, 0.21374851281371332, 1.2137485128137133, 0.16507914704348212),
            (93, 17, 8, 5.096188878610173, 0.07019244698858848, 1.0701924469885884, 0.0417548617176348),
        ];
        let rates = [
            (0.015283824524751714, 0.02355177665041747, -1.648945714440647, 0.45627264690340597, -0.5497499176973853),
            (0.00398985882283524, 0.009313920026992956, -1.4283758944968508, 0.3818347890600878, -0.3760174533552274),
            (
                0.0002247800647887926,
                0.0007845794487014786,
                -1.2864975180790368,
                0.3150958752676225,
                -0.2617857075667894,
            ),
        ];
        let gaps = [0.2574956920299673, 0.35793625372585447, 1.0652981448464498];
        for (((n, population, mu, mueff, cs, damps, cc), (c1, cmu, negative, first, last)), gap) in
            published.into_iter().zip(rates).zip(gaps)
        {
            assert_eq!(default_population(n), population);
            let parameters = Parameters::new(n, population, true);
            assert_eq!(parameters.mu, mu);
            let ours = [parameters.mueff, parameters.cs, parameters.damps, parameters.cc, parameters.c1];
            ours.into_iter()
                .zip([mueff, cs, damps, cc, c1])
                .for_each(|(value, expected)| assert_close(value, expected));
            assert_close(parameters.cmu, cmu);
            assert_close(parameters.weights[mu..].iter().sum(), negative);
            assert_close(parameters.weights[0], first);
            assert_close(*parameters.weights.last().expect("not empty"), last);
            assert_close(parameters.lazy_gap, gap);
        }
    }

    #[test]
    fn a_passive_search_ignores_the_worse_half() {
        let parameters = Parameters::new(10, 10, false);
        assert!(parameters.weights[parameters.mu..].iter().all(|&weight| weight == 0.0));
        assert_close(parameters.weights.iter().sum(), 1.0);
    }
}
