//! The bound that a random sample without replacement sets to the number of wrong items of a whole: the exact upper
//! limit of the hypergeometric law (Katz, J. Am. Stat. Assoc. 48 (1953); Cochran, Sampling Techniques (1977), section
//! 3.6).

use statrs::function::factorial::ln_binomial;

/// The largest number of wrong items among `all` that is plausible if `wrong` of `drawn` are: with a larger one, a sample
/// has as few with a probability of at most `1 - level`. It covers the true number with at least `level`.
///
/// # Panics
/// If more are drawn than exist, or more are wrong than drawn.
#[must_use]
pub fn most_wrong(all: u64, drawn: u64, wrong: u64, level: f64) -> u64 {
    assert!(wrong <= drawn && drawn <= all, "{wrong} of {drawn} of {all}");
    let (mut plausible, mut excluded) = (wrong, all - (drawn - wrong) + 1);
    while excluded - plausible > 1 {
        let middle = plausible + (excluded - plausible) / 2;
        if at_most(all, middle, drawn, wrong) > 1.0 - level { plausible = middle } else { excluded = middle }
    }
    plausible
}

/// Probability of at most `found` wrong items in a sample, if `wrong` of `all` are.
fn at_most(all: u64, wrong: u64, drawn: u64, found: u64) -> f64 {
    let least = drawn.saturating_sub(all - wrong);
    let chance = |k: u64| (ln_binomial(wrong, k) + ln_binomial(all - wrong, drawn - k) - ln_binomial(all, drawn)).exp();
    (least..=found.min(wrong)).map(chance).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For each number of wrong items, the probability that a sample's bound covers it, from the law itself.
    #[test]
    fn the_bound_covers_every_number() {
        for (all, drawn) in [(1, 1), (7, 3), (40, 10), (40, 40), (300, 59), (5000, 20)] {
            for wrong in
                [0, 1, 2, 3, all / 10, all / 3, all / 2, all - 1, all].into_iter().filter(|wrong| *wrong <= all)
            {
                let chance = |k: u64| {
                    at_most(all, wrong, drawn, k) - if k > 0 { at_most(all, wrong, drawn, k - 1) } else { 0.0 }
                };
                let covers = |k: &u64| most_wrong(all, drawn, *k, 0.95) >= wrong;
                let possible = drawn.saturating_sub(all - wrong)..=drawn.min(wrong);
                let covered: f64 = possible.filter(covers).map(chance).sum();
                assert!(covered >= 0.95 - 1e-9, "{wrong} of {all}, {drawn} drawn: {covered}");
            }
        }
    }

    #[test]
    fn known_bounds() {
        // All drawn: the number is known. None drawn: everything is plausible.
        assert_eq!((most_wrong(40, 40, 3, 0.95), most_wrong(40, 0, 0, 0.95)), (3, 40));
        // The rule of three: 3 / n for a large whole.
        let share = most_wrong(1_000_000, 300, 0, 0.95) as f64 / 1e6;
        assert!((share - (1.0 - 0.05_f64.powf(1.0 / 300.0))).abs() < 1e-4, "{share}");
        // (38 choose 10) / (40 choose 10) = 0.558, with five wrong 0.217, ten 0.035, nine 0.0523.
        assert_eq!(most_wrong(40, 10, 0, 0.95), 9);
    }
}
