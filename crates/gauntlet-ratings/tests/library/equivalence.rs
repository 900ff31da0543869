//! Tests of equivalence: their error rate and their power in simulated matches, the exact error rate of few units, and
//! their decisions against both one-sided tests, computed another way.
//!
//! Players are equal but for a chosen difference; a game is drawn with a given probability, and in some pairs the
//! second game repeats the luck of the first. The bounds are three standard errors of a share of the rounds.

use std::cell::Cell;

use gauntlet_games::base::{Rng, Seed};
use gauntlet_ratings::elo_conversion::EloConversion;
use gauntlet_ratings::equivalence::{EquivalenceDecision, EquivalenceTest};
use gauntlet_ratings::intervals::normal_cdf;
use gauntlet_ratings::sprt::{EloScale, MatchCounts};
use rand::RngExt as _;

const SCALES: [EloScale; 2] = [EloScale::Logistic, EloScale::Normalized];

/// Draws of a game, and pairs whose second game repeats the luck of the first.
const KINDS: [[f64; 2]; 4] = [[0.0, 0.0], [0.4, 0.0], [0.9, 0.0], [0.4, 0.3]];

/// Probabilities of the points of a pair, from 0 to 4 halves, if a game has this score.
fn pair_shares(score: f64, [draw, together]: [f64; 2]) -> [f64; 5] {
    let game = [1.0 - score - 0.5 * draw, draw, score - 0.5 * draw];
    let mut shares = [0.0; 5];
    for (one, p) in game.iter().enumerate() {
        shares[2 * one] += together * p;
        for (two, q) in game.iter().enumerate() {
            shares[one + two] += (1.0 - together) * p * q;
        }
    }
    shares
}

/// Mean and standard deviation of the score of a pair.
fn moments(shares: &[f64; 5]) -> [f64; 2] {
    let sum = |value: &dyn Fn(f64) -> f64| -> f64 {
        shares.iter().enumerate().map(|(points, share)| share * value(points as f64 / 4.0)).sum()
    };
    let mean = sum(&|score| score);
    [mean, sum(&|score| (score - mean).powi(2)).sqrt()]
}

/// The difference of these players in Elo.
fn elo(scale: EloScale, shares: &[f64; 5]) -> f64 {
    let [mean, sd] = moments(shares);
    match scale {
        EloScale::Logistic => 400.0 * (mean / (1.0 - mean)).log10(),
        EloScale::Normalized => (mean - 0.5) / (2_f64.sqrt() * sd) * 800.0 / 10_f64.ln(),
    }
}

/// The distribution of pairs with this difference, by bisection.
fn shares_with(scale: EloScale, wanted: f64, kind: [f64; 2]) -> [f64; 5] {
    let (mut low, mut high) = (0.5 * kind[0], 1.0 - 0.5 * kind[0]);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if elo(scale, &pair_shares(middle, kind)) < wanted { low = middle } else { high = middle }
    }
    pair_shares(low, kind)
}

fn play(shares: &[f64; 5], pairs: u64, rng: &mut Rng) -> MatchCounts {
    let mut counts = [0; 5];
    for _ in 0..pairs {
        let mut luck: f64 = rng.random();
        let points = shares.iter().position(|share| {
            luck -= share;
            luck < 0.0
        });
        counts[points.unwrap_or(2)] += 1;
    }
    MatchCounts::Pentanomial(counts)
}

/// The share of simulated matches whose decision is "equivalent".
fn equivalent(test: &EquivalenceTest, shares: &[f64; 5], pairs: u64, rounds: u64, seed: Seed) -> f64 {
    let mut rng = seed.rng();
    let decide = || test.difference(&play(shares, pairs, &mut rng)).map(|found| test.decision(found.interval));
    let found = std::iter::repeat_with(decide).take(rounds as usize);
    found.filter(|decision| *decision == Some(EquivalenceDecision::Equivalent)).count() as f64 / rounds as f64
}

/// Three standard errors of a share.
fn allowance(share: f64, rounds: u64) -> f64 {
    3.0 * (share * (1.0 - share) / rounds as f64).sqrt()
}

/// Calls back for each scale, kind of pairs and margin, with the number of pairs for a power of 80 % and a seed.
fn each_case(seed: u64, check: impl Fn(&EquivalenceTest, [f64; 2], u64, Seed)) {
    for (number, scale) in SCALES.into_iter().enumerate() {
        for (k, kind) in KINDS.into_iter().enumerate() {
            for margin in [25.0, 100.0] {
                for level in [0.05, 0.01] {
                    let test = EquivalenceTest { scale, margin, level };
                    let [_, sd] = moments(&pair_shares(0.5, kind));
                    let distance = match scale {
                        EloScale::Logistic => (1.0 / (1.0 + 10_f64.powf(-margin / 400.0)) - 0.5) / sd,
                        EloScale::Normalized => margin * 10_f64.ln() / 800.0 * 2_f64.sqrt(),
                    };
                    // The quantiles of 5 %, of 1 %, and of 10 %.
                    let reach = if level == 0.05 { 1.644_854 } else { 2.326_348 } + 1.281_552;
                    let pairs = (reach / distance).powi(2).ceil() as u64;
                    let case = (100 * number + 10 * k) as u64 + u64::from(margin > 60.0) + 2 * u64::from(level < 0.05);
                    check(&test, kind, pairs, Seed::new(seed).child("case", case));
                }
            }
        }
    }
}

/// At 50 pairs normal quantiles are a little short.
#[test]
fn players_that_differ_by_the_margin_are_rarely_equivalent() {
    let (rounds, cases) = (2000, Cell::new(0));
    each_case(301, |test, kind, pairs, seed| {
        for (sign, pairs) in [(1.0, pairs), (-1.0, pairs), (1.0, 5 * pairs)] {
            let shares = shares_with(test.scale, sign * test.margin, kind);
            if (elo(test.scale, &shares) - sign * test.margin).abs() > 1e-6 {
                // No sample with this share of draws has such a score.
                continue;
            }
            let found = equivalent(test, &shares, pairs, rounds, seed.child("sign", u64::from(sign > 0.0)));
            eprintln!("{test:?} {kind:?}, {pairs} pairs: {found:.4}");
            let most = test.level * (1.0 + 20.0 / pairs as f64);
            assert!(found <= most + allowance(most, rounds), "{test:?} {kind:?} {pairs}: {found}");
            cases.set(cases.get() + 1);
        }
    });
    assert!(cases.get() >= 90, "{cases:?}");
}

/// If nearly all games are drawn, few pairs have less power than the normal approximation says: the interval allows
/// for differences that have not shown yet.
#[test]
fn equal_players_are_equivalent_as_often_as_the_power_says() {
    let rounds = 2000;
    each_case(302, |test, kind, pairs, seed| {
        let shares = pair_shares(0.5, kind);
        let conversion = conversion(test.scale, &shares);
        assert!(test.units_for(&conversion, 0.8).abs_diff(pairs) <= 1 + pairs / 500, "{test:?} {kind:?} {pairs}");
        for pairs in [pairs / 2, pairs, 2 * pairs] {
            let power = test.power(&conversion, pairs);
            let found = equivalent(test, &shares, pairs, rounds, seed.child("pairs", pairs));
            eprintln!("{test:?} {kind:?}, {pairs} pairs: {found:.3} for {power:.3}");
            // Few pairs have few possible scores.
            let allowed = 0.01 + 0.7 / (pairs as f64).sqrt() + allowance(power, rounds);
            let decisive = pairs as f64 * moments(&shares)[1].powi(2);
            let is_right = found < power + allowed && (found > power - allowed || decisive < 4.0);
            assert!(is_right, "{test:?} {kind:?} {pairs}: {found} for {power}");
        }
    });
}

/// The conversion for a distribution: that of a very long match.
fn conversion(scale: EloScale, shares: &[f64; 5]) -> EloConversion {
    let counts = shares.map(|share| (1e12 * share).round() as u64);
    EloConversion::of(scale, &MatchCounts::Pentanomial(counts)).expect("pairs were played")
}

/// Both one-sided tests reject if the interval lies within the margin: z statistics of the distances of the mean score
/// from the ends of the margin, in matches long enough for the normal approximation.
#[test]
fn decisions_are_those_of_two_one_sided_tests() {
    let (mut decided, mut checked) = ([0; 3], 0);
    for round in 0..3000 {
        let mut rng = Seed::new(303).child("match", round).rng();
        let test = EquivalenceTest {
            scale: SCALES[rng.random_range(0..2)],
            margin: rng.random_range(1.0..60.0),
            level: rng.random_range(0.005..0.3),
        };
        let shares = pair_shares(rng.random_range(0.46..0.54), KINDS[rng.random_range(0..4)]);
        let MatchCounts::Pentanomial(counts) = play(&shares, rng.random_range(2000..6000), &mut rng) else { continue };
        let n: f64 = counts.iter().map(|&count| count as f64).sum();
        let [mean, sd] = moments(&counts.map(|count| count as f64 / n));
        let end = match test.scale {
            EloScale::Logistic => 1.0 / (1.0 + 10_f64.powf(-test.margin / 400.0)) - 0.5,
            EloScale::Normalized => test.margin * 10_f64.ln() / 800.0 * 2_f64.sqrt() * sd,
        };
        let [below, above] = [-end, end].map(|end| normal_cdf((mean - 0.5 - end) / sd * n.sqrt()));
        // Probabilities of "not above the lower end" and "not below the upper end".
        let expected = match (1.0 - below, above) {
            (p, q) if p.max(q) < test.level => EquivalenceDecision::Equivalent,
            (p, q) if 1.0 - p < test.level || 1.0 - q < test.level => EquivalenceDecision::Different,
            _ => EquivalenceDecision::Undecided,
        };
        // Wilson's interval differs from the normal one by a small part of its width.
        let is_close = [1.0 - below, above, below, 1.0 - above].iter().any(|p| (p / test.level - 1.0).abs() < 0.1);
        if is_close {
            continue;
        }
        let found = test.difference(&MatchCounts::Pentanomial(counts)).expect("pairs were played");
        assert_eq!(test.decision(found.interval), expected, "{round} {test:?} {counts:?} {found:?}");
        assert!((found.elo - elo(test.scale, &counts.map(|count| count as f64 / n))).abs() < 0.05, "{found:?}");
        decided[expected as usize] += 1;
        checked += 1;
    }
    eprintln!("{checked} matches: {decided:?}");
    assert!(checked > 2000 && decided.iter().all(|&count| count > 200), "{decided:?}");
}

/// All ways to divide units among outcomes.
fn divisions(units: u64, outcomes: usize) -> Vec<Vec<u64>> {
    if outcomes == 1 {
        return vec![vec![units]];
    }
    let with =
        |first: u64| divisions(units - first, outcomes - 1).into_iter().map(move |rest| [vec![first], rest].concat());
    (0..=units).flat_map(with).collect()
}

fn match_counts(counts: &[u64]) -> MatchCounts {
    match *counts {
        [a, b, c] => MatchCounts::Trinomial([a, b, c]),
        [a, b, c, d, e] => MatchCounts::Pentanomial([a, b, c, d, e]),
        _ => unreachable!("units are games or pairs"),
    }
}

/// Probability of these counts.
fn multinomial(counts: &[u64], shares: &[f64]) -> f64 {
    let factorial = |n: u64| (1..=n).map(|i| (i as f64).ln()).sum::<f64>();
    let terms = counts.iter().zip(shares).filter(|(count, _)| **count > 0);
    let log = terms.map(|(&count, &share)| count as f64 * share.ln() - factorial(count)).sum::<f64>();
    (factorial(counts.iter().sum()) + log).exp()
}

/// The exact probability of "equivalent" for players that differ by the margin, at the worst of many draw rates and
/// correlations in pairs. A single game is half a pair of equal games, whose normalized difference is `sqrt(2)` times
/// smaller.
fn worst_error(test: &EquivalenceTest, units: u64, outcomes: usize) -> f64 {
    let is_equivalent = |counts: &Vec<u64>| {
        let found = test.difference(&match_counts(counts)).expect("units were played");
        test.decision(found.interval) == EquivalenceDecision::Equivalent
    };
    let accepted: Vec<_> = divisions(units, outcomes).into_iter().filter(is_equivalent).collect();
    let mut worst: f64 = 0.0;
    for draw in 0..40 {
        for together in if outcomes == 3 { vec![1.0] } else { vec![0.0, 0.3, 1.0] } {
            let kind = [f64::from(draw) / 40.0, together];
            let wanted = match test.scale {
                EloScale::Normalized if outcomes == 3 => test.margin / 2_f64.sqrt(),
                _ => test.margin,
            };
            let shares = shares_with(test.scale, wanted, kind);
            if (elo(test.scale, &shares) - wanted).abs() < 1e-6 {
                let shares = if outcomes == 3 { vec![shares[0], shares[2], shares[4]] } else { shares.to_vec() };
                worst = worst.max(accepted.iter().map(|counts| multinomial(counts, &shares)).sum());
            }
        }
    }
    worst
}

/// Wilson's interval of a few units is a little short, the more so for low levels.
#[test]
fn few_units_keep_the_level_nearly() {
    for scale in SCALES {
        for margin in [15.0, 50.0, 100.0, 150.0, 200.0] {
            for (level, most) in [(0.001, 8.0), (0.01, 4.0), (0.05, 2.5), (0.1, 2.5)] {
                let test = EquivalenceTest { scale, margin, level };
                for (outcomes, units) in [(3, vec![1, 2, 3, 5, 8, 12, 20, 40]), (5, vec![1, 2, 3, 5, 8, 12, 16])] {
                    for units in units {
                        let worst = worst_error(&test, units, outcomes);
                        eprintln!("{test:?}, {units} units, {outcomes} outcomes: {worst:.4}");
                        assert!(worst < most * level, "{test:?} {units} {outcomes}: {worst}");
                    }
                }
            }
        }
    }
}
