//! The first iterations of a training as a training of their own, with the same settings.

use std::num::NonZeroU32;

use super::{AlphaZeroJob, CmaesJob, CmaesSpec, Keep, TrainSpec};

/// The first `end` iterations (or generations) of a training, at least one. It keeps the intermediate networks that it
/// reaches, and no state. Its curve is the same unless the training's
/// [`Continuation`](crate::jobs::Continuation) names an obstacle.
#[must_use]
pub fn shorter(spec: &TrainSpec, end: u32) -> TrainSpec {
    match spec {
        // Its length is that of its budget.
        TrainSpec::External(job) => TrainSpec::External(job.clone()),
        // Its gains depend on its length.
        TrainSpec::Spsa(job) => TrainSpec::Spsa(job.clone()),
        TrainSpec::Cmaes(job) => TrainSpec::Cmaes(shorter_evolution(job, end.max(1))),
        TrainSpec::AlphaZero(job) => {
            TrainSpec::AlphaZero(Box::new(shorter_alpha_zero(job, NonZeroU32::new(end).unwrap_or(NonZeroU32::MIN))))
        }
    }
}

fn shorter_evolution(job: &CmaesJob, end: u32) -> CmaesJob {
    CmaesJob { settings: CmaesSpec { generations: end, keep: None, ..job.settings.clone() }, ..job.clone() }
}

fn shorter_alpha_zero(job: &AlphaZeroJob, end: NonZeroU32) -> AlphaZeroJob {
    let mut shorter = job.clone();
    let reached = job.settings.keep.iterations.iter().copied().take_while(|&kept| kept <= end.get());
    shorter.settings.keep = Keep { iterations: reached.collect(), state: false };
    shorter.settings.iterations = end;
    if let Some(evaluation) = &mut shorter.settings.evaluation {
        evaluation.past.retain(|past| *past <= end);
    }
    shorter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_training_begins_with_all_of_its_first_iterations() {
        for text in [
            r#"{"cma-es":{"game":{"gomoku":{"size":5}},"agent":{"net":{"network":{"mdrnn":{"units":2}}}},
                "opponent":{"naive":{}},"settings":{"generations":30,"keep":"state"}}}"#,
            r#"{"alpha-zero":{"game":{"othello":{"size":4}},"agent":{"guided":{"network":{"saz":{"hidden":8}}}},
                "settings":{"iterations":30,"compute":7.5,"keep":[2,9,"state"]}}}"#,
        ] {
            let whole: TrainSpec = serde_json::from_str(text).expect("a training");
            let first = shorter(&whole, 7);
            let [longer, own] = [&whole, &first].map(|spec| spec.job().continuation().expect("it trains"));
            assert_eq!((own.end, longer.beginning), (7, own.beginning.clone()));
            assert_eq!(own.compute.to_bits(), longer.compute.to_bits(), "the budget acts on the way");
            assert!(
                own.kept.iter().all(|kept| *kept == 2) && !serde_json::to_string(&first).unwrap().contains("state")
            );
            assert_eq!(shorter(&whole, 0).job().continuation().expect("it trains").end, 1);
        }
    }
}
