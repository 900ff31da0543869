//! Sums over the steps of an iteration, and the means of its entry in the curve.

use std::collections::BTreeMap;

use super::Iteration;
use super::trained::is_of_iteration;
use crate::learning::{LearningError, Losses};

/// Sums over the steps so far.
#[derive(Debug, Default)]
pub struct StepSums {
    steps: u64,
    value: f64,
    policy: f64,
    /// With the number of steps that have it.
    entropy: (f64, u64),
    /// The numbers of a network's program, each with the number of steps that tell it.
    metrics: BTreeMap<String, (f64, u64)>,
}

impl StepSums {
    /// Adds a step: the parts of its loss, and the numbers that the program of a network tells.
    ///
    /// # Errors
    /// [`LearningError::MetricName`].
    pub fn add(&mut self, losses: Losses, metrics: BTreeMap<String, f64>) -> Result<(), LearningError> {
        self.steps += 1;
        self.value += losses.value;
        self.policy += losses.policy;
        if !losses.entropy.is_nan() {
            self.entropy = (self.entropy.0 + losses.entropy, self.entropy.1 + 1);
        }
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
        entry.value_loss = mean((self.value, self.steps));
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

    #[test]
    fn a_number_of_a_program_is_a_mean_over_the_steps_that_tell_it() {
        let (mut sums, mut entry) = (StepSums::default(), Iteration::of(&[], 0));
        for step in 0..4_u8 {
            let accuracy = step.is_multiple_of(2).then(|| ("accuracy".to_owned(), 0.5 + f64::from(step)));
            let told = accuracy.into_iter().chain([("norm".to_owned(), f64::from(step))]).collect();
            sums.add(losses(0.5), told).unwrap();
        }
        sums.write(&mut entry);
        assert_eq!((entry.steps, entry.value_loss, entry.policy_loss, entry.entropy), (4, 0.5, 1.0, None));
        assert_eq!(entry.metrics, BTreeMap::from([("accuracy".to_owned(), 1.5), ("norm".to_owned(), 1.5)]));
        let reserved = [("policy_loss".to_owned(), 1.0)].into();
        let refused = StepSums::default().add(losses(0.0), reserved).unwrap_err();
        assert!(refused.to_string().contains("`policy_loss`"), "{refused}");
    }
}
