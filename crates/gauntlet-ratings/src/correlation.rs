//! Correlation of two measurements of the same units: Pearson's, its error, and the correction for noise.
//!
//! A correlation of noisy measurements is weaker than that of the true values. Split halves give the reliability of a
//! measurement (Spearman-Brown), and [`disattenuated`] removes the effect of noise.

use super::intervals::{mean, proper_sd};

/// Pearson's correlation; `None` for fewer than two units, if one side varies at most by rounding, and for values
/// that are not finite.
///
/// # Panics
/// If the slices differ in length.
#[must_use]
pub fn pearson(xs: &[f64], ys: &[f64]) -> Option<f64> {
    assert_eq!(xs.len(), ys.len(), "every unit needs both values");
    let (centre_x, centre_y) = (mean(xs)?, mean(ys)?);
    proper_sd(&scaled(xs)?)?;
    proper_sd(&scaled(ys)?)?;
    let sum = deviations(xs, centre_x, ys, centre_y);
    let [xx, yy, xy] = match (sum[0] * sum[1]).is_normal() && sum[2].is_finite() {
        true => sum,
        // The squares overflow or vanish, but those of scaled values do not.
        false => {
            let (xs, ys) = (scaled(xs)?, scaled(ys)?);
            deviations(&xs, mean(&xs)?, &ys, mean(&ys)?)
        }
    };
    Some((xy / (xx * yy).sqrt()).clamp(-1.0, 1.0))
}

/// The values divided by the largest of them; `None` for a value that is not finite.
fn scaled(values: &[f64]) -> Option<Vec<f64>> {
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let finite = values.iter().all(|value| value.is_finite());
    finite.then(|| values.iter().map(|value| if largest > 0.0 { value / largest } else { 0.0 }).collect())
}

/// Sums of squares and of products of deviations.
fn deviations(xs: &[f64], centre_x: f64, ys: &[f64], centre_y: f64) -> [f64; 3] {
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x, y) in xs.iter().zip(ys) {
        let (dx, dy) = (x - centre_x, y - centre_y);
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    [xx, yy, xy]
}

/// Standard error of a correlation `r` measured on `n` units, on the scale of `r`: `(1 - r^2) / sqrt(n - 3)`.
///
/// This is also the error that a published `r` with its `n` implies. By the delta method from Fisher's z = artanh r,
/// whose standard error is `1 / sqrt(n - 3)` for bivariate normal units; below about `n = 10` or beyond `|r| = 0.9`
/// the distribution of `r` is too skewed for it. `None` for `n <= 3` and for `|r| >= 1`.
///
/// Source: R. A. Fisher, Metron 1 (1921).
#[must_use]
pub fn fisher_error(r: f64, n: usize) -> Option<f64> {
    (n > 3 && r.abs() < 1.0).then(|| (1.0 - r * r) * (1.0 / ((n - 3) as f64).sqrt()))
}

/// Reliability of the mean of `times` measurements, each with reliability `r`: `k r / (1 + (k - 1) r)`.
///
/// Source: the Spearman-Brown formula, Br. J. Psychol. 3 (1910). `None` if the denominator is not positive.
#[must_use]
pub fn spearman_brown(r: f64, times: f64) -> Option<f64> {
    let denominator = 1.0 + (times - 1.0) * r;
    (denominator > 0.0).then(|| times * r / denominator)
}

/// Reliability of a measurement from its two halves (say, even and odd games of every unit): their correlation,
/// corrected to full length by [`spearman_brown`].
///
/// # Panics
/// If the slices differ in length.
#[must_use]
pub fn split_half_reliability(half_a: &[f64], half_b: &[f64]) -> Option<f64> {
    pearson(half_a, half_b).and_then(|r| spearman_brown(r, 2.0))
}

/// The correlation of the true values behind two noisy measurements: `r / sqrt(reliability_x reliability_y)`.
///
/// `None` unless both reliabilities are positive. The result may lie outside `[-1, 1]` if the reliabilities are
/// estimated too low; it is deliberately not clamped. Its standard error, with reliabilities taken as known, is that
/// of `r` divided by the same root.
///
/// Source: C. Spearman, Am. J. Psychol. 15 (1904).
#[must_use]
pub fn disattenuated(r: f64, reliability_x: f64, reliability_y: f64) -> Option<f64> {
    (reliability_x > 0.0 && reliability_y > 0.0).then(|| r / (reliability_x * reliability_y).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::{Rng, Seed};
    use rand_distr::{Distribution, StandardNormal};

    fn normals(rng: &mut Rng, n: usize) -> Vec<f64> {
        (0..n).map(|_| StandardNormal.sample(&mut *rng)).collect()
    }

    /// `a + factor * b`, unit by unit.
    fn plus(a: &[f64], factor: f64, b: &[f64]) -> Vec<f64> {
        a.iter().zip(b).map(|(x, y)| x + factor * y).collect()
    }

    #[test]
    fn pearson_of_a_known_sample() {
        // Anscombe's first set: r = 0.81642.
        let xs = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0];
        let ys = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];
        assert!((pearson(&xs, &ys).expect("both vary") - 0.816_420_5).abs() < 1e-6);
    }

    #[test]
    fn nothing_to_correlate() {
        assert_eq!(pearson(&[], &[]), None);
        assert_eq!(pearson(&[0.1; 5], &[1.0, 2.0, 3.0, 4.0, 5.0]), None);
        assert_eq!(pearson(&[1.0, 2.0], &[5.0, 3.0]), Some(-1.0));
        assert_eq!((fisher_error(0.5, 3), fisher_error(1.0, 50)), (None, None));
        assert_eq!((disattenuated(0.5, 0.0, 0.9), spearman_brown(-1.0, 2.0)), (None, None));
    }

    #[test]
    fn values_of_any_size_correlate() {
        let (xs, ys) = ([1.0, 2.0, 4.0, 3.0], [2.0, 1.0, 5.0, 6.0]);
        let expected = pearson(&xs, &ys).expect("both vary");
        for scale in [1e-300, 1e-160, 1e160, 1e300] {
            let found = pearson(&xs.map(|x| scale * x), &ys).expect("both vary");
            assert!((found - expected).abs() < 1e-12, "{scale}: {found}");
            let both = pearson(&xs.map(|x| scale * x), &ys.map(|y| scale * y)).expect("both vary");
            assert!((both - expected).abs() < 1e-12, "{scale}: {both}");
        }
        assert_eq!(pearson(&[0.1 + 0.2, 0.3, 0.3], &[1.0, 2.0, 3.0]), None, "rounding alone");
        assert_eq!(pearson(&[f64::NAN, 1.0, 2.0], &[1.0, 2.0, 3.0]), None);
        assert_eq!(pearson(&[f64::INFINITY, 1.0, 2.0], &[1.0, 2.0, 3.0]), None);
    }

    #[test]
    fn fisher_on_a_textbook_case() {
        assert!((fisher_error(0.5, 28).expect("n > 3") - 0.15).abs() < 1e-12);
    }

    #[test]
    fn noise_is_divided_out() {
        let mut rng = Seed::new(6).rng();
        let n = 20_000;
        let truth = normals(&mut rng, n);
        let other = normals(&mut rng, n);
        let related = plus(&other.iter().map(|x| 0.6 * x).collect::<Vec<_>>(), 0.8, &truth);
        let halves = [normals(&mut rng, n), normals(&mut rng, n)].map(|noise| plus(&truth, 1.0, &noise));
        let full: Vec<f64> = plus(&halves[0], 1.0, &halves[1]).iter().map(|x| x / 2.0).collect();
        let reliability = split_half_reliability(&halves[0], &halves[1]).expect("both vary");
        assert!((reliability - 2.0 / 3.0).abs() < 0.02, "{reliability}");
        let r = pearson(&full, &related).expect("both vary");
        let clean = disattenuated(r, reliability, 1.0).expect("reliable");
        assert!((clean - 0.8).abs() < 0.02 && r < 0.68, "{r} {clean}");
    }
}
