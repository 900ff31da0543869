//! Tests of the error rates of the nightly gate, on simulated suite runs with a newly drawn baseline for each.
//!
//! A suite has three matches with different draw rates and strengths. A game's result depends on a latent luck that a
//! pair's two games partly share, like that of an unbalanced opening. Over 2,000 suite runs without any change the
//! share of red ones must lie below the promised alpha with 99 % confidence (Clopper and Pearson's exact bound) and
//! that of passed ones above 95 %. Over 500 suite runs with a drop of exactly delta in one match, the share of missed
//! ones must lie below beta. The simulation covers the complete procedure: both stages, and the caps.

use gauntlet_games::base::{Rng, Seed};
use gauntlet_plan::manifest::{Overrides, load};
use gauntlet_plan::regression::{Baseline, Design, Pairs, Promise, Trial, Verdict};
use gauntlet_ratings::intervals::{Interval, clopper_pearson};
use rand::RngExt as _;
use rand_distr::{Binomial, Distribution as _};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

const PROMISE: Promise = Promise { delta: 80.0, alpha: 0.05, beta: 0.05, pairs: None };
const MATCHES: usize = 3;

/// Probabilities of 0, 1/2, 1, 3/2 and 2 points in a pair.
type Shares = [f64; 5];

/// A pair whose games have these probabilities of loss, draw and win, with equal results (in points) with probability
/// `bond`.
fn shares(lost: f64, drawn: f64, bond: f64) -> Shares {
    let chances = [lost, drawn, 1.0 - lost - drawn];
    let mut shares = [0.0; 5];
    for (a, first) in chances.iter().enumerate() {
        for (b, second) in chances.iter().enumerate() {
            shares[a + b] += (1.0 - bond) * first * second;
        }
        shares[2 * a] += bond * first;
    }
    shares
}

fn mean(shares: &Shares) -> f64 {
    shares.iter().zip(0..).map(|(share, points)| share * f64::from(points) / 4.0).sum()
}

/// Normalized Elo of such pairs, against `even` points a game.
fn normalized_elo(shares: &Shares, even: f64) -> f64 {
    let mean = mean(shares);
    let square = |(share, points): (&f64, i32)| share * (f64::from(points) / 4.0 - mean).powi(2);
    let variance: f64 = shares.iter().zip(0..).map(square).sum();
    (mean - even) / (2.0 * variance).sqrt() * 800.0 / std::f64::consts::LN_10
}

/// The amount in `[0, most]` that makes `weaker(amount)` weaker by exactly `delta` normalized Elo than `even`.
fn amount(delta: f64, even: f64, most: f64, weaker: impl Fn(f64) -> Shares) -> f64 {
    let (mut low, mut high) = (0.0, most);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let is_too_little = normalized_elo(&weaker(middle), even) > -delta;
        if is_too_little { low = middle } else { high = middle }
    }
    low
}

/// The same match after a drop of `delta` normalized Elo: part of the wins have become losses.
fn dropped((lost, drawn, bond): (f64, f64, f64), delta: f64) -> Shares {
    let weaker = |amount: f64| shares(lost + amount, drawn, bond);
    weaker(amount(delta, mean(&weaker(0.0)), 1.0 - lost - drawn, weaker))
}

/// Counts of `n` pairs; remainders of the first outcomes go to the later ones.
fn draw(n: u64, shares: &Shares, rng: &mut Rng) -> Pairs {
    let (mut left, mut share_left) = (n, 1.0);
    Pairs(shares.map(|share| {
        let chance = if share_left > share { share / share_left } else { 1.0 };
        let count = Binomial::new(left, chance).expect("a chance").sample(rng);
        (left, share_left) = (left - count, share_left - share);
        count
    }))
}

/// Plays a trial to its end, with pairs from `play`.
fn decide(mut trial: Trial<'_>, mut play: impl FnMut(u64) -> Pairs) -> (Verdict, u64) {
    let mut pairs = 0;
    while let Some(order) = trial.order() {
        trial.take(play(order.pairs));
        pairs += order.pairs;
    }
    (trial.verdict().expect("the trial is over"), pairs)
}

/// Results of some suite runs: the numbers of red, inconclusive and passed ones and of those with a red first match,
/// and the mean number of pairs a match.
struct Nights {
    count: u64,
    red: u64,
    inconclusive: u64,
    passed: u64,
    caught: u64,
    pairs: f64,
}

/// Simulates `count` suite runs of `matches` matches; `suite_run` plays one match.
fn suite_runs(count: u64, matches: usize, suite_run: impl Fn(usize, &mut Rng) -> (Verdict, u64) + Sync) -> Nights {
    let all: Vec<Vec<(Verdict, u64)>> = (0..count)
        .into_par_iter()
        .map(|at| {
            let mut rng = Seed::new(2009).child("night", at).rng();
            (0..matches).map(|at| suite_run(at, &mut rng)).collect()
        })
        .collect();
    let with =
        |wanted: Verdict| all.iter().filter(|suite_run| suite_run.iter().any(|found| found.0 == wanted)).count() as u64;
    let is_fine = |found: &(Verdict, u64)| matches!(found.0, Verdict::Passed | Verdict::Improved);
    let pairs: u64 = all.iter().flatten().map(|found| found.1).sum();
    Nights {
        count,
        red: with(Verdict::Regressed),
        inconclusive: with(Verdict::Inconclusive),
        passed: all.iter().filter(|suite_run| suite_run.iter().all(is_fine)).count() as u64,
        caught: all.iter().filter(|suite_run| suite_run[0].0 == Verdict::Regressed).count() as u64,
        pairs: pairs as f64 / (count as f64 * matches as f64),
    }
}

/// The probabilities that are compatible with `events` events: each end holds with 99 % confidence.
fn compatible(events: u64, suite_runs: &Nights) -> Interval {
    clopper_pearson(events, suite_runs.count, 0.98).expect("there are nights")
}

/// Minimum probability that an unchanged suite run passes.
const PASSES: f64 = 0.95;

fn check_unchanged(name: &str, alpha: f64, suite_runs: &Nights) {
    let (alarm, pass) = (compatible(suite_runs.red, suite_runs).high, compatible(suite_runs.passed, suite_runs).low);
    eprintln!(
        "{name}: of {} unchanged nights {} red (at most {alarm:.4}), {} inconclusive, {} passed (at least {pass:.4}), \
         {:.0} pairs a match",
        suite_runs.count, suite_runs.red, suite_runs.inconclusive, suite_runs.passed, suite_runs.pairs
    );
    assert!(alarm <= alpha, "{name}: {} of {} nights were red", suite_runs.red, suite_runs.count);
    assert!(pass >= PASSES, "{name}: {} of {} nights passed", suite_runs.passed, suite_runs.count);
}

fn check_dropped(name: &str, beta: f64, suite_runs: &Nights) {
    let miss = compatible(suite_runs.count - suite_runs.caught, suite_runs).high;
    eprintln!(
        "{name}: {} of {} drops caught (missed at most {miss:.4}), {:.0} pairs a match",
        suite_runs.caught, suite_runs.count, suite_runs.pairs
    );
    assert!(miss <= beta, "{name}: {} of {} drops were caught", suite_runs.caught, suite_runs.count);
}

/// Checks both promises for a method: `play` decides a match from the design, the number of the match, whether
/// it has dropped, and a random stream.
fn check(name: &str, play: impl Fn(&Design, usize, bool, &mut Rng) -> (Verdict, u64) + Sync) {
    let design = PROMISE.design(MATCHES).expect("the promise can be kept");
    check_unchanged(name, PROMISE.alpha, &suite_runs(2000, MATCHES, |at, rng| play(&design, at, false, rng)));
    for which in 0..MATCHES {
        let one_dropped = suite_runs(500, MATCHES, |at, rng| play(&design, (at + which) % MATCHES, at == 0, rng));
        check_dropped(name, PROMISE.beta, &one_dropped);
    }
}

/// Even matches without draws, with some, and with many.
const EVEN: [(f64, f64, f64); MATCHES] = [(0.5, 0.0, 0.0), (0.35, 0.3, 0.3), (0.15, 0.7, 0.1)];

#[test]
fn head_to_head_keeps_its_promises() {
    let level = EVEN.map(|(lost, drawn, bond)| shares(lost, drawn, bond));
    let weaker = EVEN.map(|chances| dropped(chances, PROMISE.delta));
    assert!((normalized_elo(&weaker[1], 0.5) + PROMISE.delta).abs() < 1e-6);
    check("head to head", |design, at, has_dropped, rng| {
        let truth = if has_dropped { &weaker[at] } else { &level[at] };
        decide(Trial::sequential(design), |pairs| draw(pairs, truth, rng))
    });
}

/// Against an opponent the candidate may be stronger or weaker: 50 %, 80 % and 35 %.
const OPPOSED: [(f64, f64, f64); MATCHES] = [(0.5, 0.0, 0.2), (0.2, 0.0, 0.0), (0.5, 0.3, 0.1)];

/// A suite run against a newly measured baseline, with these shares then and now.
fn against_counts(design: &Design, [then, now]: [&Shares; 2], rng: &mut Rng) -> (Verdict, u64) {
    let then = draw(design.baseline_pairs(), then, rng);
    let trial = Trial::counts(design, then).expect("the baseline is large enough");
    decide(trial, |pairs| draw(pairs, now, rng))
}

#[test]
fn a_noisy_baseline_keeps_its_promises() {
    let level = OPPOSED.map(|(lost, drawn, bond)| shares(lost, drawn, bond));
    let weaker = OPPOSED.map(|chances| dropped(chances, PROMISE.delta));
    check("counts", |design, at, has_dropped, rng| {
        against_counts(design, [&level[at], if has_dropped { &weaker[at] } else { &level[at] }], rng)
    });
}

/// Two players, the same opponent, the same openings. An opening favours the first side by a luck in `(0, 1)`, and
/// the other side in the swapped game; with probability `bond` it alone decides a game, for either player.
#[derive(Clone, Copy)]
struct Openings {
    bond: f64,
    /// Probabilities of loss and draw of the candidate and of the baseline's player.
    chances: [(f64, f64); 2],
}

/// Number of lucks.
const LUCKS: u64 = 2000;

impl Openings {
    fn luck(which: u64) -> f64 {
        (which as f64 + 0.5) / LUCKS as f64
    }

    /// Half points of a player at this luck.
    fn points((lost, drawn): (f64, f64), luck: f64) -> u8 {
        u8::from(luck >= lost) + u8::from(luck >= lost + drawn)
    }

    fn draw(&self, pairs: u64, rng: &mut Rng) -> Pairs {
        let mut pair = || {
            let luck = Openings::luck(rng.random_range(0..LUCKS));
            let [ours, theirs] = self.chances.map(|chances| {
                [luck, 1.0 - luck].map(|luck| {
                    let own = if rng.random_bool(self.bond) { luck } else { rng.random() };
                    Openings::points(chances, own)
                })
            });
            Pairs::points_compared(ours, theirs)
        };
        (0..pairs).map(|_| pair()).collect()
    }

    /// Probabilities of 0, 1 and 2 half points of a player in a game, given the opening's luck.
    fn given(&self, (lost, drawn): (f64, f64), luck: f64) -> [f64; 3] {
        let mut chances = [lost, drawn, 1.0 - lost - drawn].map(|chance| (1.0 - self.bond) * chance);
        chances[usize::from(Openings::points((lost, drawn), luck))] += self.bond;
        chances
    }

    /// The exact shares for [`draw`](Self::draw).
    fn shares(&self) -> Shares {
        let mut shares = [0.0; 5];
        for which in 0..LUCKS {
            let luck = Openings::luck(which);
            let game = |luck: f64| self.chances.map(|chances| self.given(chances, luck));
            let [[ours, theirs], [ours_swapped, theirs_swapped]] = [game(luck), game(1.0 - luck)];
            for [a, b, c, d] in (0..81).map(|at| [at / 27, at / 9 % 3, at / 3 % 3, at % 3]) {
                let points = Pairs::points_compared([a as u8, b as u8], [c as u8, d as u8]);
                shares[points] += ours[a] * ours_swapped[b] * theirs[c] * theirs_swapped[d] / LUCKS as f64;
            }
        }
        shares
    }

    /// The same with a candidate that is weaker by `delta`: part of its wins become losses.
    fn dropped(self, delta: f64) -> Openings {
        let (lost, drawn) = self.chances[0];
        let weaker = |amount: f64| Openings { chances: [(lost + amount, drawn), self.chances[1]], ..self };
        weaker(amount(delta, 0.5, 1.0 - lost - drawn, |amount| weaker(amount).shares()))
    }
}

/// Openings that decide no games, some games, and most; opponents of different strengths.
const SHARED: [Openings; MATCHES] = [
    Openings { bond: 0.0, chances: [(0.5, 0.0); 2] },
    Openings { bond: 0.4, chances: [(0.2, 0.1); 2] },
    Openings { bond: 0.8, chances: [(0.6, 0.3); 2] },
];

#[test]
fn the_same_openings_against_a_reference_keep_their_promises() {
    let weaker = SHARED.map(|openings| openings.dropped(PROMISE.delta));
    for openings in weaker {
        let (exact, drawn) = (openings.shares(), openings.draw(100_000, &mut Seed::new(1).rng()));
        // Lucks are discrete: the drop is at most delta, and hardly less.
        assert!((0.0..1.0).contains(&(normalized_elo(&exact, 0.5) + PROMISE.delta)), "{exact:?}");
        let drawn = drawn.0.map(|count| count as f64 / 1e5);
        assert!(exact.iter().zip(drawn).all(|(exact, drawn)| (exact - drawn).abs() < 0.008), "{exact:?} {drawn:?}");
    }
    check("reference", |design, at, has_dropped, rng| {
        let openings = if has_dropped { &weaker[at] } else { &SHARED[at] };
        decide(Trial::sequential(design), |pairs| openings.draw(pairs, rng))
    });
}

/// The committed suite with the promise of its manifest; the data of its baseline for each match are the truth. The
/// players of an unchanged suite run equal the baseline's exactly, so that counts decide.
#[test]
fn an_unchanged_night_of_the_committed_suite_passes() {
    let checkout = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let Ok(baseline) = Baseline::read(&checkout.join("results"), "nightly") else {
        eprintln!("skipped: results/baselines/nightly.json is not there");
        return;
    };
    let text = std::fs::read_to_string(checkout.join("experiments/nightly.toml")).expect("the manifest is there");
    let source = BTreeMap::from([("nightly.toml".to_owned(), text)]);
    let loaded = load(&source, "nightly.toml", &Overrides::default());
    let suite = loaded.unwrap_or_else(|_| panic!("the manifest is right")).written.suite.expect("it has a suite");
    let truths: Vec<Shares> =
        suite.matches.iter().map(|found| shares_of(baseline.matches[found.name.as_str()].pairs)).collect();
    let unchanged = suite_runs(2000, truths.len(), |at, rng| against_counts(&suite.design, [&truths[at]; 2], rng));
    check_unchanged("nightly", suite.promise.alpha, &unchanged);
    for (found, truth) in suite.matches.iter().zip(&truths) {
        let weaker = collapsed(truth, suite.promise.delta);
        let changed = suite_runs(500, 1, |_, rng| against_counts(&suite.design, [truth, &weaker], rng));
        check_dropped(found.name.as_str(), suite.promise.beta, &changed);
    }
}

fn shares_of(pairs: Pairs) -> Shares {
    pairs.0.map(|count| count as f64 / pairs.total() as f64)
}

/// After a drop of `delta`: part of the pairs become total losses.
fn collapsed(before: &Shares, delta: f64) -> Shares {
    let weaker = |amount: f64| {
        let mut shares = before.map(|share| (1.0 - amount) * share);
        shares[0] += amount;
        shares
    };
    weaker(amount(delta, mean(before), 1.0, weaker))
}

#[test]
fn the_numbers_decide_and_not_the_order_of_asking() {
    let design = PROMISE.design(1).expect("the promise can be kept");
    let play = || {
        let mut rng = Seed::new(5).rng();
        decide(Trial::sequential(&design), |pairs| draw(pairs, &shares(0.5, 0.0, 0.0), &mut rng))
    };
    assert_eq!(play(), play());
}
