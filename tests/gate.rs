//! Does the nightly gate keep what it promises? Simulated nights, the baseline drawn anew for every one.
//!
//! A suite of three matches with different draw rates and strengths. A game's result depends on a latent luck that a
//! pair's two games partly share, as a lopsided opening makes them. Over 2,000 nights without any change the share of
//! red ones must lie below the promised alpha with 99 % confidence (Clopper and Pearson's exact bound), and over 500
//! nights on which one match has dropped by exactly delta, the share of uncaught ones below beta.

use gauntlet::base::{Rng, Seed};
use gauntlet::gate::{Design, Pairs, Promise, Ruling, Trial};
use gauntlet::ratings::intervals::clopper_pearson;
use rand::RngExt as _;
use rayon::prelude::*;

const PROMISE: Promise = Promise { delta: 80.0, alpha: 0.05, beta: 0.05, pairs: None };
const MATCHES: usize = 3;

/// Probabilities of 0, 1/2, 1, 3/2 and 2 points in a pair.
type Shares = [f64; 5];

/// A pair whose games are lost, drawn and won with these chances, and end alike (in points) with a share `bond`.
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

/// Normalized Elo of such pairs, against `even` points a game.
fn normalized_elo(shares: &Shares, even: f64) -> f64 {
    let mean: f64 = shares.iter().zip(0..).map(|(share, points)| share * f64::from(points) / 4.0).sum();
    let square = |(share, points): (&f64, i32)| share * (f64::from(points) / 4.0 - mean).powi(2);
    let variance: f64 = shares.iter().zip(0..).map(square).sum();
    (mean - even) / (2.0 * variance).sqrt() * 800.0 / std::f64::consts::LN_10
}

/// The same match after a drop of `delta` normalized Elo: part of the wins have become losses.
fn dropped(chances: (f64, f64, f64), delta: f64) -> Shares {
    let (lost, drawn, bond) = chances;
    let before = shares(lost, drawn, bond);
    let even: f64 = before.iter().zip(0..).map(|(share, points)| share * f64::from(points) / 4.0).sum();
    let (mut low, mut high) = (0.0, 1.0 - lost - drawn);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let is_too_little = normalized_elo(&shares(lost + middle, drawn, bond), even) > -delta;
        if is_too_little { low = middle } else { high = middle }
    }
    shares(lost + low, drawn, bond)
}

fn draw(n: u64, shares: &Shares, rng: &mut Rng) -> Pairs {
    let point = |luck: f64| {
        let mut left = luck;
        shares.iter().position(|share| {
            left -= share;
            left < 0.0
        })
    };
    (0..n).map(|_| point(rng.random()).unwrap_or(4)).collect()
}

fn decide(mut trial: Trial<'_>, truth: &Shares, rng: &mut Rng) -> (Ruling, u64) {
    while let Some(order) = trial.order() {
        trial.take(draw(order.pairs, truth, rng));
    }
    (trial.ruling().expect("the trial is over"), trial.pairs())
}

/// What became of some nights: how many were red or inconclusive, on how many the first match was red, and the mean
/// number of pairs a match.
struct Nights {
    red: u64,
    caught: u64,
    inconclusive: u64,
    pairs: f64,
}

fn nights(count: u64, night: impl Fn(&Design, usize, &mut Rng) -> (Ruling, u64) + Sync) -> Nights {
    let design = PROMISE.design(MATCHES).expect("the promise can be kept");
    let all: Vec<Vec<(Ruling, u64)>> = (0..count)
        .into_par_iter()
        .map(|at| {
            let mut rng = Seed::new(2009).child("night", at).rng();
            (0..MATCHES).map(|at| night(&design, at, &mut rng)).collect()
        })
        .collect();
    let with = |wanted: Ruling| all.iter().filter(|night| night.iter().any(|found| found.0 == wanted)).count() as u64;
    let pairs: u64 = all.iter().flatten().map(|found| found.1).sum();
    Nights {
        red: with(Ruling::Regressed),
        caught: all.iter().filter(|night| night[0].0 == Ruling::Regressed).count() as u64,
        inconclusive: with(Ruling::Inconclusive),
        pairs: pairs as f64 / (count as f64 * MATCHES as f64),
    }
}

/// The largest probability that is compatible with so many events, at 99 %.
fn upper_bound(events: u64, nights: u64) -> f64 {
    clopper_pearson(events, nights, 0.98).expect("there are nights").high
}

fn check(name: &str, unchanged: &Nights, changed: &Nights) {
    let (alarm, miss) = (upper_bound(unchanged.red, 2000), upper_bound(500 - changed.caught, 500));
    eprintln!(
        "{name}: {} of 2000 unchanged nights red (at most {alarm:.4}), {} inconclusive, {:.0} pairs a match; {} of 500 \
         drops caught (missed at most {miss:.4}), {:.0} pairs a match",
        unchanged.red, unchanged.inconclusive, unchanged.pairs, changed.caught, changed.pairs
    );
    assert!(alarm <= PROMISE.alpha, "{name}: {} of 2000 nights were red", unchanged.red);
    assert!(miss <= PROMISE.beta, "{name}: {} of 500 drops were caught", changed.caught);
}

/// Even matches without draws, with some, and with many.
const EVEN: [(f64, f64, f64); MATCHES] = [(0.5, 0.0, 0.0), (0.35, 0.3, 0.3), (0.15, 0.7, 0.1)];

#[test]
fn head_to_head_keeps_its_promises() {
    let level = EVEN.map(|(lost, drawn, bond)| shares(lost, drawn, bond));
    let weaker = EVEN.map(|chances| dropped(chances, PROMISE.delta));
    assert!((normalized_elo(&weaker[1], 0.5) + PROMISE.delta).abs() < 1e-6);
    let unchanged = nights(2000, |design, at, rng| decide(Trial::sequential(design), &level[at], rng));
    for which in 0..MATCHES {
        let changed = nights(500, |design, at, rng| {
            let at = (at + which) % MATCHES;
            decide(Trial::sequential(design), if at == which { &weaker[at] } else { &level[at] }, rng)
        });
        check("head to head", &unchanged, &changed);
    }
}

/// Against an opponent the candidate may be stronger or weaker: 50 %, 80 % and 35 %.
const OPPOSED: [(f64, f64, f64); MATCHES] = [(0.5, 0.0, 0.2), (0.2, 0.0, 0.0), (0.5, 0.3, 0.1)];

#[test]
fn a_noisy_baseline_keeps_its_promises() {
    let level = OPPOSED.map(|(lost, drawn, bond)| shares(lost, drawn, bond));
    let weaker = OPPOSED.map(|chances| dropped(chances, PROMISE.delta));
    let night = |design: &Design, then: &Shares, now: &Shares, rng: &mut Rng| {
        let then = draw(design.baseline_pairs(), then, rng);
        decide(Trial::counts(design, then).expect("the baseline is large enough"), now, rng)
    };
    let unchanged = nights(2000, |design, at, rng| night(design, &level[at], &level[at], rng));
    for which in 0..MATCHES {
        let changed = nights(500, |design, at, rng| {
            let at = (at + which) % MATCHES;
            night(design, &level[at], if at == which { &weaker[at] } else { &level[at] }, rng)
        });
        check("counts", &unchanged, &changed);
    }
}

#[test]
fn the_numbers_decide_and_not_the_order_of_asking() {
    let design = PROMISE.design(1).expect("the promise can be kept");
    let play = || decide(Trial::sequential(&design), &shares(0.5, 0.0, 0.0), &mut Seed::new(5).rng());
    assert_eq!(play(), play());
}
