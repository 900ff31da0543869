//! Export of the metrics of all trainings of a manifest: one CSV with a row for each step, or an event file for each
//! training.

use std::path::Path;

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::{Finished, Owner, TABLE, finished, identity};
use crate::app::{FILE, Misuse, Options, Planned, write, write_named};
use gauntlet_games::base::{count, visible};
use gauntlet_games::formats::tensorboard;
use gauntlet_plan::manifest::PlanJob;
use gauntlet_plan::manifest::source::nearest;
use gauntlet_play::jobs::{METRICS, RESULT};
use gauntlet_play::learning::TrainingResult;
use gauntlet_report::runs::share;
use gauntlet_store::frames::{columns, to_csv};

/// The name of the event file of a training, in its own directory.
const EVENTS: &str = "metrics.tfevents";

/// The files for the results of a manifest.
const FILES: &str = "the metrics of a manifest go into one .csv, its games into games.csv, and its tables and figures into \
    .tex, .pdf, .svg or .png; `export` writes .pgn and .sgf from the games of one job";

/// The mean score of an evaluation, -1 to 1 in the files of a training.
const SCORE: &str = "score";
/// The iteration or generation of a row.
const STEP: &str = "step";

/// The metrics of one training.
struct TrainingMetrics {
    owner: Owner,
    lines: Vec<u8>,
    /// The score before the first iteration, if it was measured.
    untrained: Option<f64>,
}

/// Writes the metrics of every finished training of a manifest, and returns a description of the amount.
///
/// # Errors
/// If no training is finished, the metrics of one are damaged, or a file cannot be written.
pub fn write_metrics(options: &Options, planned: &Planned, file: &Path) -> anyhow::Result<String> {
    let is_table = is_table(file)?;
    let (trainings, missing) = read(options, planned)?;
    if is_table {
        write_named(file, &table(&trainings)?)?;
    } else {
        for training in &trainings {
            let file = std::path::absolute(file)?;
            let place = file.join(training.owner.name.replace([' ', '/', '\\'], "_")).join(EVENTS);
            write(&file, &place, &tensorboard::write(&training.lines)?, FILE)?;
        }
    }
    Ok(format!("metrics of {}{missing}", count(trainings.len(), "training")))
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
                None => format!("{FILES}; {rest}"),
            };
            let name = visible(&file.to_string_lossy());
            Err(Misuse::new(format!("the name {name} does not tell the format of the file"), hint))
        }
        _ => Ok(false),
    }
}

/// The metrics of finished trainings, and a remark on those that are not.
fn read(options: &Options, planned: &Planned) -> anyhow::Result<(Vec<TrainingMetrics>, String)> {
    let (store, plan) = (options.look()?, &planned.plan);
    let batch = options.batch([planned], &store)?;
    let none = [
        "no training, and only trainings have metrics",
        "the numbers of all runs are in `runs.csv` of its report; the games of a manifest go into games.csv",
    ];
    let is_wanted = |job: &PlanJob| plan.spec(job).job().training().is_some();
    let Finished { jobs, missing } = finished(planned, &batch, is_wanted, none, "training")?;
    let measured = |at: usize| {
        let id = &batch.jobs[batch.places[0][at]].id;
        let result: TrainingResult<IgnoredAny> = serde_json::from_slice(&store.read(id, RESULT)?)?;
        let owner = Owner::new(planned, &plan.jobs[at], id);
        Ok(TrainingMetrics { owner, lines: store.read(id, METRICS)?, untrained: result.untrained })
    };
    Ok((jobs.into_iter().map(measured).collect::<anyhow::Result<_>>()?, missing))
}

/// One row for each step: the labels of the training, then the step and its numbers. Step 0 is before the first
/// iteration. Scores are from 0 to 1.
fn table(trainings: &[TrainingMetrics]) -> anyhow::Result<Vec<u8>> {
    let (mut owners, mut steps): (Vec<&Owner>, Vec<Map<String, Value>>) = (Vec::new(), Vec::new());
    for training in trainings {
        if let Some(score) = training.untrained {
            steps.push(Map::from_iter([(STEP.to_owned(), 0.into()), (SCORE.to_owned(), share(score).into())]));
            owners.push(&training.owner);
        }
        for line in training.lines.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            let mut step: Map<String, Value> = serde_json::from_slice(line)?;
            let is_score = |name: &str| name == SCORE || name.starts_with("score ");
            for (_, score) in step.iter_mut().filter(|(name, _)| is_score(name)) {
                *score = score.as_f64().map(share).into();
            }
            steps.push(step);
            owners.push(&training.owner);
        }
    }
    let identity = identity(&owners);
    // A program may name a number like an axis.
    let is_taken = |name: &str| identity.iter().any(|column| column.name() == name);
    let own = |name: String| if is_taken(&name) { format!("metric.{name}") } else { name };
    let renamed = |step: Map<String, Value>| step.into_iter().map(|(name, value)| (own(name), value)).collect();
    let steps: Vec<Map<String, Value>> = steps.into_iter().map(renamed).collect();
    Ok(to_csv(identity.into_iter().chain(columns(&steps)).collect())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_tells_its_kind() {
        assert!(is_table(Path::new("metrics.csv")).unwrap() && !is_table(Path::new("metrics")).unwrap());
        let hint = |name: &str| {
            let error = is_table(Path::new(name)).unwrap_err();
            error.downcast_ref::<Misuse>().unwrap().hint.clone()
        };
        assert!(hint("metrics.cvs").starts_with("did you mean metrics.csv?"));
        assert!(hint("g.pgn").contains("`export` writes .pgn and .sgf from the games of one job"));
    }
}
