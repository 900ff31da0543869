//! Sums over the steps of an iteration, and the means of its entry in the curve.

use std::collections::BTreeMap;

use super::Iteration;
use super::trained::is_of_iteration;
use crate::learning::{LearningError, Losses, Targets};

/// Sums over the steps so far.
#[derive(Debug, Default)]
pub struct StepSums {
    steps: u64,
    value: f64,
    policy: f64,
    /// With the number of steps that have it.
    entropy: (f64, u64),
    /// The squared errors of the values of all positions with known outcomes.
    squares: f64,
    positions: usize,
    /// The positions with known outcomes.
    known: usize,
    /// The numbers of a network's program, each with the number of steps that tell it.
    metrics: BTreeMap<String, (f64, u64)>,
}

impl StepSums {
    /// Adds a step: the parts of its loss, and the numbers that the program of a network tells.
    ///
    /// # Errors
    /// [`LearningError::MetricName`].
    pub fn add(
        &mut self,
        losses: Losses,
        targets: &Targets,
        metrics: BTreeMap<String, f64>,
    ) -> Result<(), LearningError> {
        let positions = targets.values.len();
        self.steps += 1;
        self.value += losses.value;
        self.policy += losses.policy;
        if !losses.entropy.is_nan() {
            self.entropy = (self.entropy.0 + losses.entropy, self.entropy.1 + 1);
        }
        // The loss is a mean over all positions, and those with unknown outcomes have no error.
        self.squares += losses.value * positions as f64;
        self.positions += positions;
        self.known += positions - targets.unknown.len();
        for (name, value) in metrics {
            if is_of_iteration(&name) {
                return Err(LearningError::MetricName(name));
            }
            let (sum, told) = self.metrics.entry(name).or_default();
            *sum += value;
            *told += 1;
        }
        Ok(())
    }

    /// Writes the means into the entry of an iteration.
    pub fn write(self, entry: &mut Iteration) {
        let mean = |(sum, steps): (f64, u64)| sum / steps as f64;
        entry.steps = self.steps;
        entry.value_loss = match self.known {
            0 => None,
            // A mean over the steps: trainings without cut-off games keep the bits of their results.
            all if all == self.positions => Some(mean((self.value, self.steps))),
            known => Some(self.squares / known as f64),
        };
        entry.policy_loss = mean((self.policy, self.steps));
        entry.entropy = (self.entropy.1 > 0).then(|| mean(self.entropy));
        entry.metrics = self.metrics.into_iter().map(|(name, told)| (name, mean(told))).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn losses(value: f64) -> Losses {
        Losses { value, policy: 1.0, entropy: f64::NAN }
    }

    /// The targets of this number of positions, of which the first ones have no outcome.
    fn targets(positions: usize, unknown: u32) -> Targets {
        Targets { values: vec![0.0; positions], unknown: (0..unknown).collect(), ..Targets::default() }
    }

    fn no_metrics() -> BTreeMap<String, f64> {
        BTreeMap::new()
    }

    /// The entry after steps with these losses of values and these targets.
    fn entry(steps: &[(f64, Targets)]) -> Iteration {
        let (mut sums, mut entry) = (StepSums::default(), Iteration::of(&[], 0));
        steps.iter().for_each(|(value, targets)| sums.add(losses(*value), targets, no_metrics()).unwrap());
        sums.write(&mut entry);
        entry
    }

    #[test]
    fn the_value_loss_is_a_mean_over_known_outcomes() {
        let whole = entry(&[(0.1, targets(4, 0)), (0.2, targets(4, 0)), (0.4, targets(4, 0))]);
        assert_eq!(whole.value_loss, Some((0.1 + 0.2 + 0.4) / 3.0), "to the bit");
        assert_eq!((whole.steps, whole.policy_loss, whole.entropy), (3, 1.0, None));
        // One squared error of 2 in four positions, and three of 1: the mean of four.
        let part = entry(&[(0.5, targets(4, 3)), (0.75, targets(4, 1))]);
        assert_eq!(part.value_loss, Some(1.25));
        assert_eq!(entry(&[(0.0, targets(4, 4))]).value_loss, None);
    }

    #[test]
    fn a_number_of_a_program_is_a_mean_over_the_steps_that_tell_it() {
        let (mut sums, mut entry) = (StepSums::default(), Iteration::of(&[], 0));
        for step in 0..4_u8 {
            let accuracy = step.is_multiple_of(2).then(|| ("accuracy".to_owned(), 0.5 + f64::from(step)));
            let told = accuracy.into_iter().chain([("norm".to_owned(), f64::from(step))]).collect();
            sums.add(losses(0.0), &targets(1, 0), told).unwrap();
        }
        sums.write(&mut entry);
        assert_eq!(entry.metrics, BTreeMap::from([("accuracy".to_owned(), 1.5), ("norm".to_owned(), 1.5)]));
        let reserved = [("policy_loss".to_owned(), 1.0)].into();
        let refused = StepSums::default().add(losses(0.0), &targets(1, 0), reserved).unwrap_err();
        assert!(refused.to_string().contains("`policy_loss`"), "{refused}");
    }
}
