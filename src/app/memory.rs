//! The memory check: a plan with a job that exceeds the available memory is refused before it runs.

use std::fs;

use super::errors::Misuse;
use super::options::{ExecutorKind, Options};
use super::plans::Planned;
use gauntlet_games::base::bytes;
use gauntlet_plan::costs;
use gauntlet_plan::manifest::Cluster;

/// Refuses a plan with a job that needs more memory than is available: that of this machine, or on a cluster that of
/// its array tasks, if the manifest states it.
///
/// # Errors
/// The first such job, with both numbers.
pub fn require_memory(options: &Options, planned: &Planned) -> anyhow::Result<()> {
    let written = &planned.plan.written;
    for config in &planned.plan.configs {
        let needed = costs::memory(&config.spec);
        let Some((place, limit)) = limit(options, &written.cluster, &config.stage) else { continue };
        if needed > limit {
            let (name, profile) = (&planned.name, &planned.plan.profile);
            let job = format!(
                "{name} at {profile}: a job of stage `{}` takes at least {}",
                config.stage,
                bytes(needed as u64)
            );
            let hint = "ask for fewer environments, a smaller window or a smaller network; or run it with --executor slurm \
                        and enough `memory` in [cluster]";
            return Err(Misuse::new(format!("{job} of memory, and {place} has {}", bytes(limit as u64)), hint));
        }
    }
    Ok(())
}

/// The place where a job runs, and its memory limit in bytes; none if unknown.
fn limit(options: &Options, cluster: &Cluster, stage: &str) -> Option<(&'static str, f64)> {
    let own = cluster.stages.get(stage).and_then(|own| own.memory.as_ref());
    let asked = own.or(cluster.memory.as_ref()).and_then(|memory| in_bytes(memory.as_str()));
    let asked = asked.map(|bytes| ("an array task", bytes));
    if options.executor == ExecutorKind::Slurm { asked } else { machine_memory().map(|bytes| ("this machine", bytes)) }
}

/// Bytes of memory in Slurm's syntax: `4G`, or megabytes without a unit. 0 is the whole memory of a node.
fn in_bytes(text: &str) -> Option<f64> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "K" | "KB" => 10,
        "" | "M" | "MB" => 20,
        "G" | "GB" => 30,
        "T" | "TB" => 40,
        _ => return None,
    };
    let number: f64 = digits.parse().ok()?;
    (number > 0.0).then(|| number * f64::from(2_u32).powi(unit))
}

/// Bytes of this machine's memory, with swap, or of the limit of this process; none if the system does not report
/// them.
#[must_use]
pub fn machine_memory() -> Option<f64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let kilobytes = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<f64>().ok()
    };
    let all = 1024.0 * (kilobytes("MemTotal:")? + kilobytes("SwapTotal:").unwrap_or(0.0));
    let group = fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse::<f64>().ok());
    Some(group.map_or(all, |group| group.min(all)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_as_slurm_writes_it() {
        let gigabyte = 1_073_741_824.0;
        for (text, bytes) in [("4G", 4.0 * gigabyte), ("1024", gigabyte), ("2048M", 2.0 * gigabyte)] {
            assert_eq!(in_bytes(text), Some(bytes), "{text}");
        }
        assert!(["0", "", "much", "4X"].iter().all(|text| in_bytes(text).is_none()));
    }
}
