//! Output about interrupted jobs: how far their checkpoints are.

use serde_json::{Value, json};

use super::output::{count, result, table, visible};
use gauntlet_run::scheduler::Batch;
use gauntlet_store::CheckpointProgress;

/// Most jobs that are shown one by one.
const MOST_SHOWN: usize = 20;

/// A job of a batch, and the progress of its checkpoint if that was noted.
pub type Begun = (usize, Option<CheckpointProgress>);

/// A row for each interrupted job.
pub fn rows(batch: &Batch, begun: &[Begun]) -> Vec<Vec<String>> {
    let row = |&(at, progress): &Begun| {
        let (share, of) = progress.filter(|progress| progress.total > 0).map_or(
            ("?".to_owned(), "an older checkpoint".to_owned()),
            |CheckpointProgress { done, total }| {
                (format!("{:.0} %", 100.0 * done as f64 / total as f64), format!("{done} of {total}"))
            },
        );
        vec![visible(&batch.describe(at)), share, of]
    };
    begun.iter().map(row).collect()
}

/// The interrupted jobs as JSON.
pub fn values(batch: &Batch, begun: &[Begun]) -> Vec<Value> {
    begun.iter().map(|&(at, progress)| value(batch, at, progress)).collect()
}

fn value(batch: &Batch, at: usize, progress: Option<CheckpointProgress>) -> Value {
    let job = &batch.jobs[at];
    json!({ "job": batch.describe(at), "directory": job.id.directory(), "done": progress.map(|it| it.done),
        "total": progress.map(|it| it.total) })
}

/// Prints the interrupted jobs, if there are any.
pub fn show(rows: Vec<Vec<String>>) {
    if rows.is_empty() {
        return;
    }
    let more = rows.len().saturating_sub(MOST_SHOWN);
    result(&format!("\n{}", table(&["interrupted, continues from", "", ""], rows.into_iter().take(MOST_SHOWN))));
    if more > 0 {
        result(&format!("and {}", count(more, "more job")));
    }
}
