//! Quantiles of the normal distribution, Student's t and the beta distribution, with fixes for inputs that `statrs`
//! cannot handle.
//!
//! Its inverse of the incomplete beta function (AS 64, AS 109) has five digits and more for up to 1e5 trials and 1e4
//! degrees of freedom. Beyond, it loses digits (7 % at 1e7 degrees) and does not terminate (at 1e9), and it stops too
//! early in tails below 1e-8.

use statrs::distribution::{Beta, ContinuousCDF, Normal, StudentsT};
use statrs::function::gamma::ln_gamma;

/// Quantile of the standard normal distribution.
#[must_use]
pub fn normal_quantile(probability: f64) -> f64 {
    standard_normal().inverse_cdf(probability)
}

/// Distribution function of the standard normal distribution.
#[must_use]
pub fn normal_cdf(x: f64) -> f64 {
    standard_normal().cdf(x)
}

fn standard_normal() -> Normal {
    Normal::standard()
}

/// Distribution function of Student's t with `df > 0` degrees of freedom.
#[must_use]
pub fn t_cdf(df: f64, x: f64) -> f64 {
    if df > 1e6 { t_cdf_of_many(df, x) } else { student(df).cdf(x) }
}

/// Quantile of Student's t distribution with `df > 0` degrees of freedom; infinite for probabilities of 0 and 1.
#[must_use]
pub fn t_quantile(df: f64, probability: f64) -> f64 {
    match probability.min(1.0 - probability) {
        _ if df > 1e4 => t_quantile_of_many(df, probability),
        tail if tail < 1e-8 => t_quantile_far(df, probability),
        _ => student(df).inverse_cdf(probability),
    }
}

fn student(df: f64) -> StudentsT {
    StudentsT::new(0.0, 1.0, df).expect("callers have at least two values")
}

/// Quantile of the beta distribution.
pub(super) fn beta_quantile(a: f64, b: f64, probability: f64) -> f64 {
    if a + b > 1e5 + 1.0 {
        return beta_quantile_of_many(a, b, probability);
    }
    Beta::new(a, b).expect("both counts are at least one").inverse_cdf(probability)
}

/// Quantile of Student's t with many degrees of freedom: the Cornish-Fisher expansion around the normal quantile
/// (Abramowitz, Stegun, Handbook of Mathematical Functions (1964), 26.7.5).
fn t_quantile_of_many(df: f64, probability: f64) -> f64 {
    let z = normal_quantile(probability);
    if !z.is_finite() {
        return z;
    }
    let terms = [
        (z.powi(3) + z) / 4.0,
        (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
        (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
    ];
    z + terms[0] / df + terms[1] / df.powi(2) + terms[2] / df.powi(3)
}

/// Distribution function of Student's t with many degrees of freedom (Abramowitz, Stegun, 26.7.8).
fn t_cdf_of_many(df: f64, x: f64) -> f64 {
    if x.is_infinite() {
        return normal_cdf(x);
    }
    normal_cdf(x * (1.0 - 0.25 / df) / (1.0 + x / df * 0.5 * x).sqrt())
}

/// Quantile of Student's t in the far tail, by bisection of the logarithm.
fn t_quantile_far(df: f64, probability: f64) -> f64 {
    let tail = probability.min(1.0 - probability);
    if tail == 0.0 {
        return if probability < 0.5 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    let (mut near, mut far) = (0.0_f64, 700.0_f64);
    for _ in 0..80 {
        let middle = 0.5 * (near + far);
        if t_cdf(df, -middle.exp()) > tail { near = middle } else { far = middle }
    }
    let found = (0.5 * (near + far)).exp();
    if probability < 0.5 { -found } else { found }
}

/// Quantile of the beta distribution, by bisection.
fn beta_quantile_of_many(a: f64, b: f64, probability: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..120 {
        let middle = 0.5 * (low + high);
        if beta_cdf(a, b, middle) < probability { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The incomplete beta function by its continued fraction (Abramowitz, Stegun, 26.5.8), with Lentz's algorithm.
fn beta_cdf(a: f64, b: f64, x: f64) -> f64 {
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_cdf(b, a, 1.0 - x);
    }
    let front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p();
    let terms = 1000 + 10 * a.max(b).sqrt() as u64;
    let safe = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut d = 1.0 / safe(1.0 - (a + b) * x / (a + 1.0));
    let (mut c, mut fraction) = (1.0, d);
    for m in (1..terms).map(|m| m as f64) {
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for part in [even, odd] {
            d = 1.0 / safe(1.0 + part * d);
            c = safe(1.0 + part / c);
            change = c * d;
            fraction *= change;
        }
        if (change - 1.0_f64).abs() < 1e-15 {
            break;
        }
    }
    front.exp() * fraction / a
}

#[cfg(test)]
mod tests {
    use super::super::intervals::{clopper_pearson, wilson};
    use super::*;

    fn close(found: f64, expected: f64, share: f64) {
        assert!((found / expected - 1.0).abs() < share, "{found:e} {expected:e}");
    }

    /// Expected values from scipy 1.17.
    #[test]
    fn student_s_quantiles_have_digits_at_every_size() {
        close(t_quantile(1.0, 1.0 - 1e-9), 318_309_895.186_209_3, 1e-6);
        close(t_quantile(1.0, 1e-9), -318_309_886.183_790_7, 1e-6);
        close(t_quantile(1.3, 1.0 - 1e-9), 3_709_172.100_838_857, 1e-6);
        for (df, expected) in
            [(1e5, 1.959_987_707_534_609_5), (1e6, 1.959_966_356_814_107), (1e7, 1.959_964_221_767_205)]
        {
            close(t_quantile(df, 0.975), expected, 1e-9);
            close(t_quantile(df, 0.025), -expected, 1e-9);
        }
        close(t_quantile(1e9, 0.975), 1.959_963_987, 1e-8);
        assert_eq!((t_quantile(3.0, 1.0), t_quantile(1e12, 0.0)), (f64::INFINITY, f64::NEG_INFINITY));
        close(t_cdf(1e7, -5.0), 2.866_564_037_504_268e-7, 1e-9);
        close(t_cdf(1e15, -5.0), normal_cdf(-5.0), 1e-9);
    }

    #[test]
    fn both_ways_to_quantiles_meet() {
        for df in [1.0, 2.0, 5.5, 100.0, 9_999.0] {
            for probability in [0.9, 0.975, 0.999_999] {
                close(t_quantile_far(df, probability), t_quantile(df, probability), 1e-7);
                close(t_cdf(df, t_quantile(df, probability)), probability, 1e-7);
            }
        }
        for (a, b) in [(1.0, 60.0), (30.0, 2.0), (500.0, 501.0), (3.0, 99_998.0)] {
            for probability in [1e-6, 0.025, 0.5, 0.975] {
                let known = Beta::new(a, b).expect("positive").inverse_cdf(probability);
                close(beta_quantile_of_many(a, b, probability), known, 3e-5);
            }
        }
    }

    /// Expected values from scipy 1.17.
    #[test]
    fn exact_intervals_of_many_trials_end() {
        for (hits, n, low, high) in [
            (1, 1_000_000, 2.531_780_766_379_42e-8, 5.571_630_655_166_939e-6),
            (2, 1_000_000, 2.422_093_703_160_033e-7, 7.224_668_794_452_281_4e-6),
        ] {
            let found = clopper_pearson(hits, n, 0.95).expect("trials");
            close(found.low, low, 1e-8);
            close(found.high, high, 1e-8);
            let mirror = clopper_pearson(n - hits, n, 0.95).expect("trials");
            close(1.0 - mirror.high, low, 1e-6);
        }
        for (hits, n) in [(1, 1_000_000_000), (300_000_000, 1_000_000_000), (1 << 59, 1 << 60), (0, u64::MAX)] {
            let found = clopper_pearson(hits, n, 0.95).expect("trials");
            assert!(found.low <= hits as f64 / n as f64 && hits as f64 / n as f64 <= found.high && found.high < 1.0);
        }
        let (exact, score) = (clopper_pearson(300_000, 1_000_000, 0.95), wilson(300_000.0, 1e6, 0.95));
        close(exact.expect("trials").low, score.expect("trials").low, 1e-5);
    }
}
