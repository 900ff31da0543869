//! Parsers for the output of Slurm's programs.

use std::collections::BTreeMap;

/// The state of one array task at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct QueueRow {
    /// The name of its job: job ids are used again after a controller has lost its state, names are not.
    pub name: String,
    /// The id of the array.
    pub job: u64,
    /// Its index in the array.
    pub index: u32,
    /// Its state.
    pub state: SlurmState,
    /// The node where it runs or ran; empty if unknown.
    pub node: String,
    /// Why it waits; empty if unknown.
    pub reason: String,
}

/// The state of an array task, as far as decisions depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SlurmState {
    /// It has not started, or waits to start again.
    Waiting,
    /// It has a node.
    Running,
    /// It is over.
    Ended(End),
    /// A word that this program does not know.
    Strange,
}

/// The end of an array task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// With exit code 0.
    Completed,
    /// With another exit code, or by a signal.
    Failed,
    /// At its time limit.
    TimeLimit,
    /// Out of memory.
    OutOfMemory,
    /// Its node failed, or did not boot.
    NodeFailed,
    /// It was preempted by a job of higher priority.
    Preempted,
    /// It was cancelled, or a job that it depends on failed.
    Cancelled,
    /// Slurm does not know it any more, and its worker gives no sign of life.
    Lost,
}

impl SlurmState {
    /// The state for a word; `CANCELLED by 1234` and `RUNNING+` are valid words.
    pub fn of(word: &str) -> SlurmState {
        let word = word.split([' ', '+']).next().unwrap_or_default();
        match word {
            "PENDING" | "CONFIGURING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED" | "SPECIAL_EXIT"
            | "RESV_DEL_HOLD" => SlurmState::Waiting,
            "RUNNING" | "COMPLETING" | "STAGE_OUT" | "SIGNALING" | "SUSPENDED" | "STOPPED" | "RESIZING" => {
                SlurmState::Running
            }
            "COMPLETED" => SlurmState::Ended(End::Completed),
            "FAILED" => SlurmState::Ended(End::Failed),
            "TIMEOUT" | "DEADLINE" => SlurmState::Ended(End::TimeLimit),
            "OUT_OF_MEMORY" => SlurmState::Ended(End::OutOfMemory),
            "NODE_FAIL" | "BOOT_FAIL" | "LAUNCH_FAILED" | "RECONFIG_FAIL" => SlurmState::Ended(End::NodeFailed),
            "PREEMPTED" | "REVOKED" => SlurmState::Ended(End::Preempted),
            "CANCELLED" => SlurmState::Ended(End::Cancelled),
            _ => SlurmState::Strange,
        }
    }
}

/// The limits and the accounting of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SiteLimits {
    /// One more than the largest index of an array.
    pub array_size: u32,
    /// Whether `sacct` may know jobs that `squeue` has forgotten.
    pub has_accounts: bool,
}

/// Slurm's own default of `MaxArraySize`.
const USUAL_ARRAY_SIZE: u32 = 1001;

/// Reads `scontrol show config`.
pub(super) fn parse_config(said: &str) -> SiteLimits {
    let settings: BTreeMap<&str, &str> =
        said.lines().filter_map(|line| line.split_once('=')).map(|(key, value)| (key.trim(), value.trim())).collect();
    let size = settings.get("MaxArraySize").and_then(|size| size.parse().ok());
    let storage = settings.get("AccountingStorageType").copied().unwrap_or("accounting_storage/none");
    let has_accounts = !storage.ends_with("/none") && storage != "(null)";
    SiteLimits { array_size: size.unwrap_or(USUAL_ARRAY_SIZE).max(1), has_accounts }
}

/// Parses the output of `sbatch --parsable`: `123`, or `123;cluster`. A site's own words may precede and follow it.
pub(super) fn parse_job(said: &str) -> Option<u64> {
    said.lines().rev().find_map(|line| line.split(';').next()?.trim().parse().ok())
}

/// Reads lines `name|array|indices|state|node|reason` of `squeue`.
pub(super) fn parse_queue(said: &str) -> Vec<QueueRow> {
    let row = |line: &str| {
        let mut words = line.splitn(6, '|');
        let mut word = || words.next();
        let (name, job, indices, state, node, reason) = (word()?, word()?, word()?, word()?, word()?, word()?);
        Some(sightings(name, job.parse().ok()?, indices, state, node, reason))
    };
    said.lines().filter_map(row).flatten().collect()
}

/// Reads lines `name|id|state|nodes` of `sacct`. The last line of a task counts.
pub(super) fn parse_accounts(said: &str) -> Vec<QueueRow> {
    let row = |line: &str| {
        let mut words = line.splitn(4, '|');
        let mut word = || words.next();
        let (name, id, state, node) = (word()?, word()?, word()?, word()?);
        let (job, indices) = id.split_once('_')?;
        let node = if node.starts_with("None") { "" } else { node };
        Some(sightings(name, job.parse().ok()?, indices.trim_matches(['[', ']']), state, node, ""))
    };
    said.lines().filter_map(row).flatten().collect()
}

fn sightings(name: &str, job: u64, indices: &str, state: &str, node: &str, reason: &str) -> Vec<QueueRow> {
    let one = |index| QueueRow {
        name: name.to_owned(),
        job,
        index,
        state: SlurmState::of(state),
        node: node.to_owned(),
        reason: reason.to_owned(),
    };
    parse_indices(indices).into_iter().map(one).collect()
}

/// The indices in a text such as `0-3,7,9-12%2`.
pub(super) fn parse_indices(text: &str) -> Vec<u32> {
    let text = text.split('%').next().unwrap_or_default();
    let mut indices = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(first), Ok(last)) = (first.parse::<u32>(), last.split(':').next().unwrap_or_default().parse::<u32>())
        {
            indices.extend(first..=last);
        }
    }
    indices
}

/// Indices in the syntax of `sbatch`, with ranges.
pub(super) fn write_indices(indices: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &index in indices {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == index => *last = index,
            _ => ranges.push((index, index)),
        }
    }
    let text = |(first, last): &(u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    ranges.iter().map(text).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Output of Slurm 22.05.
    #[test]
    fn rows_of_the_queue_are_array_tasks() {
        let rows = parse_queue(
            "g-1|12|2-4%2|PENDING||JobArrayTaskLimit\ng-1|12|0|RUNNING|n1|None\nx|13|N/A|RUNNING|n1|None\n",
        );
        let found: Vec<_> = rows.iter().map(|row| (row.index, row.state)).collect();
        assert_eq!(
            found,
            [(2, SlurmState::Waiting), (3, SlurmState::Waiting), (4, SlurmState::Waiting), (0, SlurmState::Running)]
        );
        assert_eq!((rows[3].node.as_str(), rows[0].reason.as_str(), rows[0].job), ("n1", "JobArrayTaskLimit", 12));
    }

    #[test]
    fn rows_of_the_accounts_are_array_tasks() {
        let rows = parse_accounts(
            "g-1|36_2|CANCELLED by 1234|n1\ng-1|36_[4-5,12%2]|PENDING|None assigned\ng-1|36_3|OUT_OF_MEMORY|n2\n",
        );
        let found: Vec<_> = rows.iter().map(|row| (row.index, row.state, row.node.as_str())).collect();
        let [cancelled, memory] = [End::Cancelled, End::OutOfMemory].map(SlurmState::Ended);
        let waiting = SlurmState::Waiting;
        assert_eq!(
            found,
            [(2, cancelled, "n1"), (4, waiting, ""), (5, waiting, ""), (12, waiting, ""), (3, memory, "n2")]
        );
    }

    #[test]
    fn states_are_known_by_their_first_word() {
        assert_eq!(SlurmState::of("NODE_FAIL"), SlurmState::Ended(End::NodeFailed));
        assert_eq!(SlurmState::of("COMPLETED+"), SlurmState::Ended(End::Completed));
        assert_eq!(SlurmState::of("WHATEVER_NEXT"), SlurmState::Strange);
    }

    #[test]
    fn ids_limits_and_indices_are_read() {
        assert_eq!((parse_job("123\n"), parse_job("123;lab\n"), parse_job("")), (Some(123), Some(123), None));
        assert_eq!((parse_job("Welcome\n123\nBye\n"), parse_job("job 7 is in\n")), (Some(123), None));
        let said = "AccountingStorageType   = accounting_storage/slurmdbd\nMaxArraySize            = 10001\n";
        assert_eq!(parse_config(said), SiteLimits { array_size: 10_001, has_accounts: true });
        assert_eq!(parse_config(""), SiteLimits { array_size: 1001, has_accounts: false });
        let indices = [0, 1, 2, 5, 7, 8];
        assert_eq!(write_indices(&indices), "0-2,5,7-8");
        assert_eq!(parse_indices("0-2,5,7-8%3"), indices);
    }
}
