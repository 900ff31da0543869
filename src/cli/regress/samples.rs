//! Nights for the tests of the renderers: realistic shapes, invented numbers.

use gauntlet_plan::regression::{ChangeEstimate, Match, Method, Pairs, Promise, Round, SuiteRun, Verdict};

/// A suite run with one match for each verdict.
pub fn suite_run(verdicts: &[Verdict]) -> SuiteRun {
    let mut suite_run = SuiteRun {
        version: SuiteRun::VERSION,
        suite: "nightly".into(),
        profile: "laptop".into(),
        verdict: Verdict::Unmeasured,
        commit: "0123456789abcdef".into(),
        changed: false,
        attempt: 1,
        seed: 42,
        device: "cpu-x86_64".into(),
        promise: Promise { delta: 50.0, alpha: 0.05, beta: 0.05, pairs: None },
        cap: 900,
        baseline: Some("fedcba9876543210".into()),
        baseline_device: Some("cpu-x86_64".into()),
        matches: verdicts.iter().enumerate().map(|(at, &verdict)| found(at, verdict)).collect(),
    };
    suite_run.close();
    suite_run
}

fn found(at: usize, verdict: Verdict) -> Match {
    let round = Round {
        pairs: Pairs([10, 0, 20, 0, 12]),
        score: Some(0.52),
        llr: Some(1.5),
        p_worse: None,
        estimate: Some(ChangeEstimate { change: 0.02, low: -0.03, high: 0.07 }),
    };
    Match {
        name: format!("match-{at:05}"),
        verdict,
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
