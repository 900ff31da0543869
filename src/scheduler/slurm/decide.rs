//! What is to be thought of an array task, from what Slurm says and from its signs of life. Whether its jobs are done says
//! the store alone, before this is asked.

use std::time::Duration;

use super::parse::{End, SlurmState};

/// How long to wait for what.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pace {
    /// Between two questions to Slurm.
    pub query: Duration,
    /// Between two signs of life of a worker.
    pub beat: Duration,
    /// For a worker without a sign of life, before it is said to be silent.
    pub silence: Duration,
    /// For a task that Slurm does not know, since it was submitted or last seen, before it is given up.
    pub absence: Duration,
    /// For files of a task that ended well, which may be late on a network file system.
    pub grace: Duration,
    /// For an answer of one of Slurm's programs.
    pub answer: Duration,
}

/// A variable that scales all waits, for tests: 0.01 waits a hundredth.
const PACE: &str = "GAUNTLET_CLUSTER_PACE";

impl Pace {
    /// The waits of a real cluster, or what the environment makes of them.
    pub fn from_environment() -> Pace {
        let scale = std::env::var(PACE).ok().and_then(|text| text.parse::<f64>().ok());
        Pace::scaled(scale.filter(|scale| *scale > 0.0 && *scale <= 1.0).unwrap_or(1.0))
    }

    fn scaled(scale: f64) -> Pace {
        let seconds = |seconds: f64| Duration::from_secs_f64(seconds * scale);
        Pace {
            query: seconds(30.0),
            beat: seconds(10.0),
            silence: seconds(600.0),
            absence: seconds(300.0),
            grace: seconds(60.0),
            // A program takes as long in a test as ever.
            answer: seconds(60.0).max(Duration::from_secs(2)),
        }
    }
}

/// What is known of an array task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Evidence {
    /// What Slurm said last; none where it was asked and does not know the task.
    pub state: Option<SlurmState>,
    /// Since it was submitted, or last seen by Slurm in a state that is not the end.
    pub unseen: Duration,
    /// Since its last sign of life, by the clock of the observer; none where there was none.
    pub silent: Option<Duration>,
    /// Since Slurm first said that it has ended.
    pub over: Duration,
}

/// What is to be thought of an array task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It waits for a node.
    Queued,
    /// It runs.
    Running,
    /// It runs, but has not given a sign of life for long.
    Silent,
    /// There is nothing to conclude yet.
    Open,
    /// It has ended so; what its jobs have not left by now, they will not leave.
    Over(End),
    /// Slurm does not know it any more, and its worker gives no sign of life.
    Lost,
}

/// The decision, from the top: a sign of life outweighs what Slurm has forgotten or believes to be over.
pub(super) fn decide(evidence: &Evidence, pace: &Pace) -> Verdict {
    let is_alive = evidence.silent.is_some_and(|silent| silent < pace.beat * 6);
    match evidence.state {
        Some(SlurmState::Waiting) => Verdict::Queued,
        Some(SlurmState::Running) if evidence.silent.is_some_and(|silent| silent >= pace.silence) => Verdict::Silent,
        Some(SlurmState::Running) => Verdict::Running,
        Some(SlurmState::Strange) => Verdict::Open,
        // An orphan goes on writing after its node was given up; another attempt beside it would only wait for it.
        Some(SlurmState::Ended(_)) if is_alive && evidence.over < pace.silence => Verdict::Open,
        Some(SlurmState::Ended(End::Completed)) if evidence.over < pace.grace => Verdict::Open,
        Some(SlurmState::Ended(end)) => Verdict::Over(end),
        None if is_alive => Verdict::Running,
        None if evidence.unseen < pace.absence => Verdict::Open,
        None => Verdict::Lost,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_decisions() {
        let pace = Pace::scaled(1.0);
        let seconds = Duration::from_secs;
        let (waiting, running) = (Some(SlurmState::Waiting), Some(SlurmState::Running));
        let ended = |end| Some(SlurmState::Ended(end));
        // State, seconds unseen, seconds silent, seconds since the end.
        let table = [
            ((waiting, 0, None, 0), Verdict::Queued),
            ((running, 0, None, 0), Verdict::Running),
            ((running, 0, Some(599), 0), Verdict::Running),
            ((running, 0, Some(600), 0), Verdict::Silent),
            ((Some(SlurmState::Strange), 9999, Some(9999), 0), Verdict::Open),
            ((ended(End::Completed), 0, None, 59), Verdict::Open),
            ((ended(End::Completed), 0, Some(99), 60), Verdict::Over(End::Completed)),
            ((ended(End::NodeFailed), 0, Some(20), 0), Verdict::Open),
            ((ended(End::NodeFailed), 0, Some(60), 0), Verdict::Over(End::NodeFailed)),
            ((ended(End::NodeFailed), 0, Some(1), 600), Verdict::Over(End::NodeFailed)),
            ((ended(End::OutOfMemory), 0, None, 0), Verdict::Over(End::OutOfMemory)),
            ((None, 299, None, 0), Verdict::Open),
            ((None, 300, None, 0), Verdict::Lost),
            ((None, 9999, Some(5), 0), Verdict::Running),
            ((None, 9999, Some(61), 0), Verdict::Lost),
        ];
        for ((state, unseen, silent, over), expected) in table {
            let evidence =
                Evidence { state, unseen: seconds(unseen), silent: silent.map(seconds), over: seconds(over) };
            assert_eq!(decide(&evidence, &pace), expected, "{evidence:?}");
        }
    }
}
