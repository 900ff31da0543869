//! Tests of log-likelihood ratios of sequential tests, for all supported differences, against a search for the
//! constrained maximum of the likelihood.

use super::likeliest::plain;
use gauntlet_games::base::{Rng, Seed};
use gauntlet_ratings::sprt::{EloScale, LARGEST_ELO, MatchCounts, Sprt, TestDecision};
use rand::RngExt as _;

fn random_counts(rng: &mut Rng, pairs: bool) -> MatchCounts {
    let most = [2, 10, 100, 2000][rng.random_range(0..4)];
    let mut count = || if rng.random_bool(0.25) { 0 } else { rng.random_range(0..most) };
    match pairs {
        true => MatchCounts::Pentanomial(std::array::from_fn(|_| count())),
        false => MatchCounts::Trinomial(std::array::from_fn(|_| count())),
    }
}

fn random_test(rng: &mut Rng) -> Sprt {
    let scale = if rng.random_bool(0.7) { EloScale::Normalized } else { EloScale::Logistic };
    let most = [100.0, 400.0, 1000.0, 3000.0, LARGEST_ELO][rng.random_range(0..5)];
    let [one, two] = [0; 2].map(|_| rng.random_range(-most..most));
    let one = if rng.random_bool(0.3) { 0.0 } else { one };
    Sprt { scale, elo0: f64::min(one, two), elo1: f64::max(one, two), alpha: 0.05, beta: 0.05 }
}

#[test]
fn the_ratio_is_that_of_the_constrained_maxima() {
    let (mut worst, rounds) = (0.0_f64, 2000);
    for round in 0..rounds {
        let mut rng = Seed::new(201).child("match", round).rng();
        let (test, results) = (random_test(&mut rng), random_counts(&mut rng, round % 2 == 0));
        let n: f64 = plain(&results).counts.iter().sum();
        if n < 0.5 {
            continue;
        }
        let (found, expected) = (test.llr(&results), plain(&results).llr(&test));
        let off = (found - expected).abs() / (1.0 + expected.abs());
        worst = worst.max(off);
        assert!(off < 1e-6, "{round}: {test:?} {results:?}: {found} {expected}");
    }
    eprintln!("{rounds} ratios, worst relative difference {worst:e}");
}

/// A ratio of normalized Elo falls too, except for samples far on one side of both hypotheses: there one win more may
/// make the score, and thereby the unit of the hypotheses, vary more. The decision is unaffected.
#[test]
fn a_loss_in_place_of_a_win_lowers_the_ratio() {
    let mut rose = 0;
    for round in 0..10_000 {
        let mut rng = Seed::new(202).child("match", round).rng();
        let (test, results) = (random_test(&mut rng), random_counts(&mut rng, round % 2 == 0));
        let worse = match results {
            MatchCounts::Trinomial([l, d, w]) if w > 0 => MatchCounts::Trinomial([l + 1, d, w - 1]),
            MatchCounts::Pentanomial([a, b, c, d, e]) if e > 0 => MatchCounts::Pentanomial([a + 1, b, c, d, e - 1]),
            _ => continue,
        };
        let [before, after] = [results, worse].map(|results| test.llr(&results));
        if after >= before + 1e-9 * before.abs() {
            let elo = [results, worse].map(|results| plain(&results).normalized_elo());
            let beside = elo.iter().all(|elo| *elo > test.elo1) || elo.iter().all(|elo| *elo < test.elo0);
            let what = format!("{round}: {test:?} {results:?} {elo:?}: {before} {after}");
            assert!(test.scale == EloScale::Normalized && beside && before.signum() == after.signum(), "{what}");
            rose += 1;
        }
    }
    assert!(rose < 150, "{rose}");
}

#[test]
fn many_games_of_a_hypothesis_speak_for_it() {
    for round in 0..2000 {
        let mut rng = Seed::new(203).child("match", round).rng();
        let test = Sprt { scale: EloScale::Normalized, ..random_test(&mut rng) };
        let results = random_counts(&mut rng, round % 2 == 0);
        let elo = plain(&results).normalized_elo();
        // A sample has exactly its own strength: that of one hypothesis, or of the other.
        let [least, most] = [elo - 20.0 - elo.abs(), elo + 20.0 + elo.abs()];
        if !elo.is_finite()
            || least < -LARGEST_ELO
            || most > LARGEST_ELO
            || plain(&results).counts.iter().sum::<f64>() < 0.5
        {
            continue;
        }
        assert!(Sprt { elo0: least, elo1: elo, ..test }.llr(&results) > 0.0, "{round} {elo} {results:?}");
        assert!(Sprt { elo0: elo, elo1: most, ..test }.llr(&results) < 0.0, "{round} {elo} {results:?}");
    }
}

#[test]
fn whoever_loses_every_game_is_not_stronger_and_whoever_wins_is() {
    for scale in [EloScale::Logistic, EloScale::Normalized] {
        for elo1 in [5.0, 100.0, 231.0, 232.0, 300.0, 341.0, 500.0, 1000.0, 3000.0, LARGEST_ELO] {
            for n in [20, 200, 20_000] {
                let test = Sprt { scale, elo0: 0.0, elo1, alpha: 0.05, beta: 0.05 };
                for (lost, won) in [
                    (MatchCounts::Trinomial([n, 0, 0]), MatchCounts::Trinomial([0, 0, n])),
                    (MatchCounts::Pentanomial([n, 0, 0, 0, 0]), MatchCounts::Pentanomial([0, 0, 0, 0, n])),
                ] {
                    // Small differences need more games.
                    if elo1 >= 100.0 || n > 200 {
                        let decisions = [lost, won].map(|results| test.decision(&results));
                        assert_eq!(decisions, [TestDecision::AcceptH0, TestDecision::AcceptH1], "{test:?} {n}");
                    }
                }
            }
        }
    }
}
