//! Decisions about array tasks, from Slurm's rows and the workers' signs of life. The store alone tells whether jobs
//! are done; it is asked first.

use std::time::Duration;

use super::parse::{End, SlurmState};

/// The waiting times of a cluster run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pace {
    /// Between two queries to Slurm.
    pub query: Duration,
    /// Between two signs of life of a worker.
    pub beat: Duration,
    /// For a worker without a sign of life, before it is reported as silent.
    pub silence: Duration,
    /// For a task that is unknown to Slurm, since its submission or last sighting, before it is given up.
    pub absence: Duration,
    /// For files of a task that succeeded, which may be late on a network file system.
    pub grace: Duration,
    /// For an answer of one of Slurm's programs.
    pub answer: Duration,
}

/// A variable that scales all waits, for tests: 0.01 waits a hundredth.
const PACE: &str = "GAUNTLET_CLUSTER_PACE";

impl Pace {
    /// The waits of a real cluster, scaled by the environment variable.
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
            // A program takes the same time in a test.
            answer: seconds(60.0).max(Duration::from_secs(2)),
        }
    }
}

/// The observation of an array task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Observation {
    /// Its last state in Slurm; none if Slurm was asked and does not know the task.
    pub state: Option<SlurmState>,
    /// Since its submission, or since its last sighting in Slurm in a state other than an end.
    pub unseen: Duration,
    /// Since its last sign of life, by the clock of the observer; none if there was none.
    pub silent: Option<Duration>,
    /// Since Slurm first reported its end.
    pub over: Duration,
    /// Whether `gauntlet cancel` has ended its submission. Slurm may then list the array without its tasks.
    pub cancelled: bool,
}

/// Whether a task runs, but has given no sign of life for a long time.
pub(super) fn is_silent(observation: &Observation, pace: &Pace) -> bool {
    observation.state == Some(SlurmState::Running) && observation.silent.is_some_and(|silent| silent >= pace.silence)
}

/// The end of a task: files of its jobs that are absent now will not appear later. `None` if it waits or runs, or if
/// the observation permits no conclusion yet. By rows from the top: a sign of life outweighs an end or an absence in Slurm.
pub(super) fn decide(observation: &Observation, pace: &Pace) -> Option<End> {
    let is_alive = observation.silent.is_some_and(|silent| silent < pace.beat * 6);
    match observation.state {
        Some(SlurmState::Waiting | SlurmState::Running | SlurmState::Strange) => None,
        // An orphan may write after its node was given up; another attempt beside it would only wait for it.
        Some(SlurmState::Ended(_)) if is_alive && observation.over < pace.silence => None,
        Some(SlurmState::Ended(End::Completed)) if observation.over < pace.grace => None,
        Some(SlurmState::Ended(end)) => Some(end),
        None if observation.cancelled && !is_alive => Some(End::Cancelled),
        None if is_alive || observation.unseen < pace.absence => None,
        None => Some(End::Lost),
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
            ((waiting, 0, None, 0), None),
            ((running, 0, None, 0), None),
            ((running, 0, Some(599), 0), None),
            ((running, 0, Some(600), 0), None),
            ((Some(SlurmState::Strange), 9999, Some(9999), 0), None),
            ((ended(End::Completed), 0, None, 59), None),
            ((ended(End::Completed), 0, Some(99), 60), Some(End::Completed)),
            ((ended(End::NodeFailed), 0, Some(20), 0), None),
            ((ended(End::NodeFailed), 0, Some(60), 0), Some(End::NodeFailed)),
            ((ended(End::NodeFailed), 0, Some(1), 600), Some(End::NodeFailed)),
            ((ended(End::OutOfMemory), 0, None, 0), Some(End::OutOfMemory)),
            ((None, 299, None, 0), None),
            ((None, 300, None, 0), Some(End::Lost)),
            ((None, 9999, Some(5), 0), None),
            ((None, 9999, Some(61), 0), Some(End::Lost)),
        ];
        for ((state, unseen, silent, over), expected) in table {
            let (unseen, silent, over) = (seconds(unseen), silent.map(seconds), seconds(over));
            let observation = Observation { state, unseen, silent, over, cancelled: false };
            assert_eq!(decide(&observation, &pace), expected, "{observation:?}");
            assert_eq!(
                is_silent(&observation, &pace),
                state == running && silent == Some(seconds(600)),
                "{observation:?}"
            );
        }
        let cancelled =
            |silent| Observation { state: None, unseen: seconds(1), silent, over: seconds(0), cancelled: true };
        assert_eq!(decide(&cancelled(None), &pace), Some(End::Cancelled));
        assert_eq!(decide(&cancelled(Some(seconds(5))), &pace), None, "its worker still ends");
        assert_eq!(decide(&Observation { state: waiting, ..cancelled(None) }, &pace), None, "Slurm still has it");
    }
}
