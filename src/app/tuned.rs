//! The numbers that tunings (`train.spsa`) found, as far as they have finished.

use std::collections::BTreeMap;

use serde_json::Number;

use super::Planned;
use gauntlet_jobs::JobSpec;
use gauntlet_play::learning::{SpsaJob, SpsaResult, TrainSpec};
use gauntlet_play::players::NumberRange;
use gauntlet_run::scheduler::{Batch, RESULT};
use gauntlet_store::Store;

/// The numbers of one configuration of tunings.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundNumbers {
    /// The stage.
    pub stage: String,
    /// The stage, with the labels of its axes.
    pub name: String,
    /// The player whose settings they are.
    pub player: String,
    /// The runs of the plan.
    pub runs: usize,
    /// Those that have finished.
    pub finished: usize,
    /// The means over the finished runs by path, geometric for a range of ratios. Whole numbers are rounded.
    pub numbers: BTreeMap<String, Number>,
}

impl FoundNumbers {
    /// Whether all runs have finished.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.finished == self.runs
    }
}

/// The tunings of plans, in their order.
///
/// # Errors
/// If a result cannot be read.
pub fn found_numbers(plans: &[Planned], batch: &Batch, store: &Store) -> anyhow::Result<Vec<FoundNumbers>> {
    let mut found = Vec::new();
    for (planned, places) in plans.iter().zip(&batch.places) {
        let plan = &planned.plan;
        let mut tunings: Vec<(usize, &SpsaJob, Vec<usize>)> = Vec::new();
        for (job, &place) in plan.jobs.iter().zip(places) {
            let JobSpec::Train(TrainSpec::Spsa(own)) = &*plan.config(job).spec else { continue };
            match tunings.iter_mut().find(|(config, ..)| *config == job.config) {
                Some((.., runs)) => runs.push(place),
                None => tunings.push((job.config, own, vec![place])),
            }
        }
        for (config, job, runs) in tunings {
            let config = &plan.configs[config];
            let mut results: Vec<SpsaResult> = Vec::new();
            for &place in runs.iter().filter(|&&place| batch.jobs[place].state.is_done()) {
                results.push(serde_json::from_slice(&store.read(&batch.jobs[place].id, RESULT)?)?);
            }
            let numbers = means(job, &results);
            let stage = config.stage.to_string();
            found.push(FoundNumbers {
                stage,
                player: job.agent().map_or_else(String::new, |own| own.agent.name()),
                name: config.describe(),
                runs: runs.len(),
                finished: results.len(),
                numbers,
            });
        }
    }
    Ok(found)
}

/// The means of the numbers over runs.
fn means(job: &SpsaJob, results: &[SpsaResult]) -> BTreeMap<String, Number> {
    let Some(agent) = job.agent().filter(|_| !results.is_empty()) else { return BTreeMap::new() };
    let mean = |(path, range): (&String, &NumberRange)| {
        let coordinates = results.iter().filter_map(|own| Some(range.coordinate(own.numbers.get(path)?.found)));
        coordinates.sum::<f64>() / results.len() as f64
    };
    let (whole, coordinates) = (agent.whole(), agent.numbers.iter().map(mean).collect::<Vec<_>>());
    let number = |(path, number): (String, f64)| {
        let own = if whole.contains(&path.as_str()) { Some((number as i64).into()) } else { Number::from_f64(number) };
        Some((path, own?))
    };
    agent.numbers_at(&coordinates, f64::round).into_iter().filter_map(number).collect()
}
