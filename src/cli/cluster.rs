//! Output about jobs on a cluster: the arrays of a plan, the places of jobs, and the jobs of a detached run.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::Flags;
use super::output::{count, duration, json_list, note, result, table, visible};
use gauntlet_run::scheduler::{ArrayPlan, Batch, ClusterJob, ClusterPlace, Overview, arrays};
use gauntlet_store::Store;

/// Most jobs that are shown one by one.
const MOST_SHOWN: usize = 200;

/// Prints the arrays that a run would submit.
pub fn show_arrays(flags: &Flags, batch: &Batch, store: &Store) {
    let left: Vec<usize> = batch.left().collect();
    let plans = arrays(batch, &left, &batch.seconds(store), u32::MAX, |job| batch.jobs[job].state.is_done());
    if flags.json {
        return json_list(plans.iter().map(as_json));
    }
    let header = ["array", "tasks", "jobs", "work", "request of each task"];
    result(&table(&header, plans.iter().enumerate().map(row)));
    let tasks = plans.iter().map(|plan| plan.packs.len()).sum();
    let work: f64 = plans.iter().map(|plan| plan.seconds).sum();
    let arrays = count(plans.len(), "array");
    result(&format!(
        "{arrays} of {}, {}, about {} of work",
        count(tasks, "task"),
        count(left.len(), "job"),
        duration(work)
    ));
}

fn row((at, plan): (usize, &ArrayPlan)) -> Vec<String> {
    let waits = if plan.level > 0 { format!("{} (waits)", at + 1) } else { (at + 1).to_string() };
    let jobs: usize = plan.packs.iter().map(Vec::len).sum();
    vec![waits, plan.packs.len().to_string(), jobs.to_string(), duration(plan.seconds), plan.request.describe()]
}

fn as_json(plan: &ArrayPlan) -> Value {
    let jobs: Vec<usize> = plan.packs.iter().map(Vec::len).collect();
    let request = &plan.request;
    json!({ "tasks": plan.packs.len(), "jobs": jobs, "level": plan.level, "seconds": plan.seconds,
        "partition": request.partition, "time": request.time, "memory": request.memory, "gpus": request.gpus,
        "cores": request.cores })
}

/// Prints the places of submitted jobs, in the order running, failed, queued.
pub fn show(flags: &Flags, overview: &Overview) {
    if let Some(silence) = &overview.silence {
        note(flags.quiet, &format!("Slurm gives no answer ({silence}); this list is from the workers' reports"));
    }
    if overview.jobs.is_empty() {
        return;
    }
    let order = |job: &&ClusterJob| match job.place {
        ClusterPlace::Running { .. } => 0,
        ClusterPlace::Failed(_) => 1,
        ClusterPlace::Over => 2,
        ClusterPlace::Queued(_) => 3,
    };
    let mut jobs: Vec<&ClusterJob> = overview.jobs.iter().collect();
    jobs.sort_by_key(order);
    let counts = [(0, "running"), (1, "failed"), (2, "over"), (3, "queued")].map(|(place, word)| {
        let number = jobs.iter().filter(|job| order(job) == place).count();
        (number > 0).then(|| format!("{number} {word}"))
    });
    result(&format!("\non the cluster: {}", counts.into_iter().flatten().collect::<Vec<_>>().join(", ")));
    let rows = jobs.iter().take(MOST_SHOWN).map(|job| job_row(job));
    result(&table(&["job", "attempt", "state", "log"], rows));
    if let more @ 1.. = jobs.len().saturating_sub(MOST_SHOWN) {
        result(&format!("and {more} more; --json shows all"));
    }
}

fn job_row(job: &ClusterJob) -> Vec<String> {
    let state = match &job.place {
        ClusterPlace::Running { node, total: 0, .. } => format!("runs on {node}"),
        ClusterPlace::Running { node, done, total } => format!("runs on {node}, {done} of {total}"),
        ClusterPlace::Queued(reason) if reason.is_empty() || reason == "None" => "queued".to_owned(),
        ClusterPlace::Queued(reason) => format!("queued, {reason}"),
        ClusterPlace::Over => "over; the next run checks its result".to_owned(),
        ClusterPlace::Failed(reason) => format!("failed: {}", reason.lines().next().unwrap_or_default()),
    };
    let has_log = !matches!(job.place, ClusterPlace::Queued(_));
    let log = if has_log { job.log.display().to_string() } else { String::new() };
    vec![job.directory.clone(), job.attempt.to_string(), visible(&state), visible(&log)]
}

/// The submitted jobs among some, as JSON.
pub fn values(overview: &Overview, own: &HashSet<String>) -> Vec<Value> {
    overview.jobs.iter().filter(|job| own.contains(&job.directory)).map(value).collect()
}

fn value(job: &ClusterJob) -> Value {
    let (state, node, reason, done, total) = match &job.place {
        ClusterPlace::Running { node, done, total } => ("running", Some(node), None, Some(done), Some(total)),
        ClusterPlace::Queued(reason) => ("queued", None, Some(reason), None, None),
        ClusterPlace::Over => ("over", None, None, None, None),
        ClusterPlace::Failed(reason) => ("failed", None, Some(reason), None, None),
    };
    json!({ "directory": job.directory, "attempt": job.attempt, "state": state, "node": node, "reason": reason,
        "done": done, "total": total, "log": job.log })
}
