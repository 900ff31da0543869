//! A manifest's results for other programs: tables with a row for each step of a training, or for each game; and LaTeX and
//! figures for a paper.

mod games;
mod metrics;
mod paper;

use serde_json::{Map, Value};

use super::errors::Misuse;
use super::plans::Planned;
use gauntlet_games::base::count;
use gauntlet_plan::manifest::{OPPONENT_RUN, PlanJob};
use gauntlet_run::scheduler::Batch;
use gauntlet_store::JobId;
use gauntlet_store::frames::{Column, columns};

pub use games::write_games;
pub use metrics::write_metrics;
pub use paper::{PaperRequest, is_for_paper, write_paper};

/// The ending of tables.
const TABLE: &str = "csv";

/// A finished job: the first cells of its rows.
struct Owner {
    /// One line that describes it.
    name: String,
    stage: String,
    axes: Map<String, Value>,
    seed: u64,
    opponent_run: Option<u64>,
    key: String,
}

impl Owner {
    fn new(planned: &Planned, job: &PlanJob, id: &JobId) -> Owner {
        let (plan, config) = (&planned.plan, planned.plan.config(job));
        let labels = config.labels.iter().chain(&config.left_axes);
        let axes = labels.map(|(axis, label)| (axis.to_string(), Value::from(label.to_string())));
        let (name, opponent_run) = (plan.describe(job), plan.opponent_run(job));
        let (stage, key) = (config.stage.clone(), id.key.to_string());
        Owner { name, stage, axes: axes.collect(), seed: job.seed, opponent_run, key }
    }
}

/// Finished jobs of a plan.
struct Finished {
    jobs: Vec<usize>,
    /// The rest of a sentence about those that are not; empty if there are none.
    missing: String,
}

/// The wanted jobs of a plan with a result; `none` are the message and the hint for a plan without wanted jobs, `one` is the
/// word for such a job.
///
/// # Errors
/// If there are none.
fn finished(
    planned: &Planned,
    batch: &Batch,
    is_wanted: impl Fn(&PlanJob) -> bool,
    none: [&str; 2],
    one: &str,
) -> anyhow::Result<Finished> {
    let (name, jobs) = (&planned.name, &planned.plan.jobs);
    let wanted: Vec<usize> = (0..jobs.len()).filter(|&at| is_wanted(&jobs[at])).collect();
    if wanted.is_empty() {
        return Err(Misuse::new(format!("{name} has {}", none[0]), none[1]));
    }
    let number = count(wanted.len(), one);
    let is_done = |at: &usize| batch.jobs[batch.places[0][*at]].state.is_done();
    let all = wanted.len();
    let done: Vec<usize> = wanted.into_iter().filter(is_done).collect();
    if done.is_empty() {
        let hint = format!("`gauntlet run {name}` runs them");
        return Err(Misuse::new(format!("none of {number} of {name} is finished"), hint));
    }
    let missing = match all - done.len() {
        0 => String::new(),
        left => format!(" ({left} of {number} {} not finished)", if left == 1 { "is" } else { "are" }),
    };
    Ok(Finished { jobs: done, missing })
}

/// The columns that identify the job of each row: stage, axes, seed, the seed of the opponent's run if there are some, key.
fn identity(owners: &[&Owner]) -> Vec<Column> {
    let axes: Vec<Map<String, Value>> = owners.iter().map(|owner| owner.axes.clone()).collect();
    let texts = |name, text: fn(&Owner) -> &str| Column::strings(name, owners.iter().map(|owner| text(owner)));
    let integer = |number: u64| i64::try_from(number).ok();
    let mut table = vec![texts("stage", |owner| &owner.stage)];
    table.extend(columns(&axes));
    table.push(Column::integers("seed", owners.iter().map(|owner| integer(owner.seed))));
    if owners.iter().any(|owner| owner.opponent_run.is_some()) {
        table.push(Column::integers(OPPONENT_RUN, owners.iter().map(|owner| owner.opponent_run.and_then(integer))));
    }
    table.push(texts("key", |owner| &owner.key));
    table
}
