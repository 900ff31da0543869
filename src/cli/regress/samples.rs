//! Nights for the tests of the renderers: realistic shapes, invented numbers.

use crate::regression::{ChangeEstimate, Match, Method, Night, Pairs, Promise, Round, Ruling};

/// A night with one match for each ruling.
pub fn night(rulings: &[Ruling]) -> Night {
    let mut night = Night {
        version: Night::VERSION,
        suite: "nightly".into(),
        profile: "laptop".into(),
        ruling: Ruling::Unmeasured,
        commit: "0123456789abcdef".into(),
        attempt: 1,
        seed: 42,
        device: "cpu-x86_64".into(),
        promise: Promise { delta: 50.0, alpha: 0.05, beta: 0.05, pairs: None },
        cap: 900,
        baseline: Some("fedcba9876543210".into()),
        baseline_device: Some("cpu-x86_64".into()),
        matches: rulings.iter().enumerate().map(|(at, &ruling)| found(at, ruling)).collect(),
    };
    night.close();
    night
}

fn found(at: usize, ruling: Ruling) -> Match {
    let round = Round {
        pairs: Pairs([10, 0, 20, 0, 12]),
        score: Some(0.52),
        llr: Some(1.5),
        p_worse: None,
        estimate: Some(ChangeEstimate { change: 0.02, low: -0.03, high: 0.07 }),
    };
    Match {
        name: format!("match-{at:05}"),
        ruling,
        reason: "for the test".into(),
        method: Some(Method::HeadToHead),
        game: "atari-go 7x7".into(),
        candidate: "naive".into(),
        opponent: "random".into(),
        config: "c0ffee".into(),
        rounds: vec![round],
        games: 84,
        distinct_games: 84,
    }
}
