//! Export of the metrics of all trainings of a manifest: one CSV with a row for each step, or an event file for each
//! training.

use std::path::Path;

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::app::Planned;
use crate::cli::Flags;
use crate::cli::output::{self, Misuse, count, visible};
use crate::manifest::source::nearest;
use crate::reports::runs::share;
use crate::scheduler::Batch;
use crate::store::Store;
use crate::store::frames::{Column, columns, to_csv};
use gauntlet_games::formats::tensorboard;
use gauntlet_play::jobs::{METRICS, RESULT};
use gauntlet_play::learning::TrainingResult;

/// The ending of tables.
const TABLE: &str = "csv";

/// The name of the event file of a training, in its own directory.
const EVENTS: &str = "metrics.tfevents";

/// The mean score of an evaluation, -1 to 1 in the files of a training.
const SCORE: &str = "score";
/// The iteration or generation of a row.
const STEP: &str = "step";

/// The metrics of one training.
struct TrainingMetrics {
    name: String,
    stage: String,
    axes: Map<String, Value>,
    seed: u64,
    key: String,
    lines: Vec<u8>,
    /// The score before the first iteration, if it was measured.
    untrained: Option<f64>,
}

/// Writes the metrics of every finished training of a manifest, and returns a description of the amount.
///
/// # Errors
/// If no training is finished, the metrics of one are damaged, or a file cannot be written.
pub fn write(flags: &Flags, planned: &Planned, file: &Path) -> anyhow::Result<String> {
    let is_table = is_table(file)?;
    let trainings = read(flags, planned)?;
    if is_table {
        output::write_named(file, &table(&trainings)?)?;
    } else {
        for training in &trainings {
            let file = std::path::absolute(file)?;
            let place = file.join(training.name.replace([' ', '/', '\\'], "_")).join(EVENTS);
            output::write(&file, &place, &tensorboard::write(&training.lines)?, output::FILE)?;
        }
    }
    Ok(format!("metrics of {}", count(trainings.len(), "training")))
}

/// Whether a file with this name is a table, not a directory.
///
/// # Errors
/// For a name with another ending that is not an existing directory.
fn is_table(file: &Path) -> anyhow::Result<bool> {
    let ending = file.extension().map(|ending| ending.to_string_lossy().into_owned());
    match ending.as_deref() {
        Some(TABLE) if !file.is_dir() => Ok(true),
        Some(ending) if !file.is_dir() => {
            let rest = "a directory of event files has a name without an ending, or is there already";
            let hint = match nearest(ending, &[TABLE]) {
                Some(near) => format!("did you mean {}? {rest}", visible(&file.with_extension(near).to_string_lossy())),
                None => format!("the metrics of a manifest go into one .csv; {rest}"),
            };
            let name = visible(&file.to_string_lossy());
            Err(Misuse::new(format!("the name {name} does not tell the format of the file"), hint))
        }
        _ => Ok(false),
    }
}

fn read(flags: &Flags, planned: &Planned) -> anyhow::Result<Vec<TrainingMetrics>> {
    let store = flags.options.look()?;
    let batch = flags.options.batch([planned], &store)?;
    let plan = &planned.plan;
    let trains = |at: &usize| plan.spec(&plan.jobs[*at]).job().training().is_some();
    let trainings: Vec<usize> = (0..plan.jobs.len()).filter(trains).collect();
    let is_done = |at: &&usize| batch.jobs[batch.places[0][**at]].state.is_done();
    let measured: anyhow::Result<Vec<TrainingMetrics>> =
        trainings.iter().filter(is_done).map(|&at| measured(&store, &batch, planned, at)).collect();
    match measured? {
        _ if trainings.is_empty() => {
            let what = format!("{} has no training, and only trainings have a table", planned.name);
            Err(Misuse::new(
                what,
                "the numbers of all runs are in `runs.csv` of its report; `export` converts games, too",
            ))
        }
        none if none.is_empty() => {
            let what = format!("none of {} of {} is finished", count(trainings.len(), "training"), planned.name);
            Err(Misuse::new(what, format!("`gauntlet run {}` trains", planned.name)))
        }
        measured => Ok(measured),
    }
}

fn measured(store: &Store, batch: &Batch, planned: &Planned, at: usize) -> anyhow::Result<TrainingMetrics> {
    let (plan, id) = (&planned.plan, &batch.jobs[batch.places[0][at]].id);
    let job = &plan.jobs[at];
    let config = plan.config(job);
    let axes = config.labels.iter().map(|(axis, label)| (axis.to_string(), Value::from(label.to_string())));
    Ok(TrainingMetrics {
        name: plan.describe(job),
        stage: config.stage.clone(),
        axes: axes.collect(),
        seed: job.seed,
        key: id.key.to_string(),
        lines: store.read(id, METRICS)?,
        untrained: serde_json::from_slice::<TrainingResult<IgnoredAny>>(&store.read(id, RESULT)?)?.untrained,
    })
}

/// One row for each step: the labels of the training, then the step and its numbers. Step 0 is before the first
/// iteration. Scores are from 0 to 1.
fn table(trainings: &[TrainingMetrics]) -> anyhow::Result<Vec<u8>> {
    let (mut owners, mut steps): (Vec<&TrainingMetrics>, Vec<Map<String, Value>>) = (Vec::new(), Vec::new());
    for training in trainings {
        if let Some(score) = training.untrained {
            steps.push(Map::from_iter([(STEP.to_owned(), 0.into()), (SCORE.to_owned(), share(score).into())]));
            owners.push(training);
        }
        for line in training.lines.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            let mut step: Map<String, Value> = serde_json::from_slice(line)?;
            if let Some(score) = step.get_mut(SCORE) {
                *score = score.as_f64().map(share).into();
            }
            steps.push(step);
            owners.push(training);
        }
    }
    let axes: Vec<Map<String, Value>> = owners.iter().map(|training| training.axes.clone()).collect();
    let texts =
        |name, text: fn(&TrainingMetrics) -> &str| Column::strings(name, owners.iter().map(|training| text(training)));
    let mut table = vec![texts("stage", |training| &training.stage)];
    table.extend(columns(&axes));
    table.push(Column::integers("seed", owners.iter().map(|training| i64::try_from(training.seed).ok())));
    table.push(texts("key", |training| &training.key));
    table.extend(columns(&steps));
    Ok(to_csv(table)?)
}
