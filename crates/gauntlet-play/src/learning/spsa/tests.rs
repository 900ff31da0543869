//! Tests of a tuning: its gains, its two players, its way up a hill, and its wandering without one.

use super::*;
use gauntlet_games::base::Rng;

fn spec(pairs: u32) -> SpsaSpec {
    SpsaSpec { pairs, ..SpsaSpec::default() }
}

/// The result of a pair of games between players whose strengths differ by some Elo: two independent games without draws.
fn pair(elo: f64, rng: &mut Rng) -> f64 {
    let wins = 1.0 / (1.0 + 10_f64.powf(-elo / 400.0));
    (0..2).map(|_| if rng.random::<f64>() < wins { 1.0 } else { -1.0 }).sum()
}

/// Tunes coordinates whose strength is a function of them, in Elo.
fn tune(spec: &SpsaSpec, start: &[f64], seed: u64, strength: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let (mut spsa, seed) = (Spsa::new(start.to_vec()), Seed::new(seed));
    let mut rng = seed.child("games", 0).rng();
    while let Some(trial) = spsa.trial(spec, &seed) {
        let elo = strength(&trial.players[0]) - strength(&trial.players[1]);
        let result = (0..trial.pairs).map(|_| pair(elo, &mut rng)).sum();
        spsa.learn(&trial, result);
    }
    spsa.coordinates().to_vec()
}

/// `Elo = -400 |x - 0.7|^2 / n`, so that a start at 0.2 loses 100 Elo, whatever the number of coordinates.
fn hill(coordinates: &[f64]) -> f64 {
    coordinates.iter().map(|coordinate| -400.0 * (coordinate - 0.7).powi(2)).sum::<f64>() / coordinates.len() as f64
}

#[test]
fn gains_end_where_the_settings_say() {
    let spec = SpsaSpec { c_end: 0.04, r_end: 0.01, ..spec(2000) };
    let (c, step) = spec.gains(2000);
    assert!((c - 0.04).abs() < 1e-12 && (step - 0.01 * 0.04).abs() < 1e-12, "{c} {step}");
    // Fishtest's way to the same numbers: the constants first, then the powers.
    for pair in [1_u32, 7, 500, 2000] {
        let (n, k) = (2000_f64, f64::from(pair));
        let c_first = 0.04 * n.powf(0.101);
        let a_first = 0.01 * 0.04 * 0.04 * (200.0 + n).powf(0.602);
        let (c_k, a_k) = (c_first / k.powf(0.101), a_first / (200.0 + k).powf(0.602));
        let (c, step) = spec.gains(pair);
        assert!((c / c_k - 1.0).abs() < 1e-12 && (step / (a_k / c_k) - 1.0).abs() < 1e-12, "{pair}: {c} {step}");
    }
}

#[test]
fn the_two_players_stand_on_both_sides_within_the_ranges() {
    let spec = SpsaSpec { c_end: 0.1, gamma: 0.0, batch: 4, ..spec(10) };
    let (mut spsa, seed) = (Spsa::new(vec![0.5, 0.02, 1.0]), Seed::new(3));
    let trial = spsa.trial(&spec, &seed).unwrap();
    let [one, other] = &trial.players;
    assert!((one[0] + other[0] - 1.0).abs() < 1e-12 && ((one[0] - other[0]).abs() - 0.2).abs() < 1e-12);
    assert!(one[1].min(other[1]) == 0.0 && (one[1].max(other[1]) - 0.12).abs() < 1e-12, "{one:?} {other:?}");
    assert!(one[2].max(other[2]) == 1.0 && (one[2].min(other[2]) - 0.9).abs() < 1e-12);
    assert_eq!(spsa.trial(&spec, &seed).unwrap(), trial, "the signs depend on the seed and the pairs alone");
    // The numbers move towards the player that won.
    spsa.learn(&trial, 8.0);
    assert!((spsa.coordinates()[0] - 0.5).signum() == (one[0] - other[0]).signum());
    let lengths: Vec<u32> = std::iter::from_fn(|| {
        let trial = spsa.trial(&spec, &seed)?;
        spsa.learn(&trial, 0.0);
        Some(trial.pairs)
    })
    .collect();
    assert_eq!((lengths, spsa.pairs()), (vec![4, 2], 10));
}

/// The mean loss and its standard deviation are those of `tests/peers/spsa.py`, from 2,000 tunings. A random search has as
/// many games: 50 settings, each with an equal share of the games against the start.
#[test]
fn it_climbs_a_noisy_hill_as_far_as_another_program_and_further_than_a_random_search() {
    const TUNINGS: u64 = 100;
    for (numbers, reference, deviation) in [(2, 1.0, 1.0), (5, 7.0, 3.5), (10, 25.4, 6.8)] {
        let start = vec![0.2; numbers];
        assert!((hill(&start) + 100.0).abs() < 1e-9);
        let mean = |found: &dyn Fn(u64) -> Vec<f64>| {
            (0..TUNINGS).map(|seed| -hill(&found(seed))).sum::<f64>() / TUNINGS as f64
        };
        let lost = mean(&|seed| tune(&spec(5000), &start, seed, hill));
        let searched = mean(&|seed| random_search(5000, &start, seed));
        println!("{numbers} numbers: SPSA loses {lost:.1} Elo, a random search {searched:.1}");
        let error = 4.0 * deviation / (TUNINGS as f64).sqrt();
        assert!((lost - reference).abs() < error, "{numbers} numbers: {lost} instead of {reference} ± {error}");
        assert!(lost < searched, "{numbers} numbers: {lost} {searched}");
    }
}

/// The best of 50 drawn settings by their games against the start.
fn random_search(pairs: u32, start: &[f64], seed: u64) -> Vec<f64> {
    let mut rng = Seed::new(seed).child("search", 0).rng();
    let each = pairs / 50;
    let drawn = (0..50).map(|_| {
        let setting: Vec<f64> = start.iter().map(|_| rng.random()).collect();
        let elo = hill(&setting) - hill(start);
        let result: f64 = (0..each).map(|_| pair(elo, &mut rng)).sum();
        (setting, result)
    });
    drawn.max_by(|(_, one), (_, other)| one.total_cmp(other)).expect("50 settings").0
}

/// Where no number matters, the numbers stay near the start: the expected wandering follows from the gains.
#[test]
fn without_an_effect_the_numbers_wander_as_the_gains_say() {
    let spec = SpsaSpec { r_end: 0.004, ..spec(5000) };
    let ends: Vec<f64> = (0..400).map(|seed| tune(&spec, &[0.5, 0.5], seed, |_| 0.0)[0] - 0.5).collect();
    let mean = ends.iter().sum::<f64>() / ends.len() as f64;
    let sd = (ends.iter().map(|end| (end - mean).powi(2)).sum::<f64>() / (ends.len() - 1) as f64).sqrt();
    // A pair of two even games has the variance 2; the step is that of the first pair of its batch.
    let batches = (0..spec.pairs / spec.batch).map(|batch| spec.gains(batch * spec.batch + 1).1.powi(2));
    let expected = (2.0 * f64::from(spec.batch) * batches.sum::<f64>()).sqrt();
    assert!((sd / expected - 1.0).abs() < 0.12, "{sd} instead of {expected}");
    assert!(mean.abs() < 4.0 * expected / 20.0, "{mean}");
}

/// A tuning of three batches, with bytes of another job for its player.
fn tuned(agent: &str, upstream: Option<&[u8]>) -> SpsaResult {
    use crate::jobs::{Given, Inputs, Job as _, RESULT, UpstreamFiles};
    let text = format!("game.connect-four = {{}}\nagent.tuned = {agent}\nsettings = {{ pairs = 6, batch = 2 }}");
    let job: SpsaJob = toml::from_str(&text).unwrap();
    let upstream: UpstreamFiles = upstream.map(|bytes| (None, bytes.to_vec())).into_iter().collect();
    let given = Given { seed: 1, upstream: &upstream, inputs: &Inputs::new(), checkpoint: None };
    let files = job.run(&given, &mut gauntlet_games::base::Silent).unwrap();
    let (_, result) = files.iter().find(|(name, _)| name == RESULT).unwrap();
    serde_json::from_slice(result).unwrap()
}

/// `from = "stage"` names no player: the only one goes on from what the stage left.
#[test]
fn a_tuning_goes_on_from_an_earlier_one() {
    let agent = "{ agent.uct = { simulations = 6, rave = { bias = 1e-7, ref = 3 } }, numbers.\"rave.ref\" = { from = 0, to = 9 } }";
    assert_eq!(tuned(agent, None).numbers["rave.ref"].start, 3.0);
    // 0 is the default of this number, so that settings do not write it.
    for found in [0.0, 7.0] {
        let numbers = [("rave.ref".to_owned(), found)].into();
        let bytes = crate::players::tuned_bytes(&numbers, None, "a test".to_owned()).unwrap();
        assert_eq!(tuned(agent, Some(&bytes)).numbers["rave.ref"].start, found);
    }
}
