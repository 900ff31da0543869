//! Running times of published trainings from a file of the data directory, as the x-axis of figures over time.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MeasureError;
use crate::jobs::{Files, Given, Inputs, Job, JobError, check_inputs, result};
use gauntlet_games::base::Sink;
use gauntlet_games::formats::results::rows;

/// Reads the running times of trainings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HoursJob {
    /// The file in the data directory: a CSV with the columns `run,iteration,train_hours,selfplay_hours`, cumulative.
    pub hours: String,
}

impl Job for HoursJob {
    fn slug(&self) -> String {
        format!("hours {}", self.hours)
    }

    fn check(&self) -> Result<(), String> {
        check_inputs(&self.inputs())
    }

    fn run(&self, given: &Given<'_>, _sink: &mut dyn Sink) -> Result<Files, JobError> {
        Ok(vec![result(&read_hours(self, given.inputs)?)?])
    }

    fn inputs(&self) -> Vec<&str> {
        vec![&self.hours]
    }
}

/// Hours by run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hours {
    /// For every run its iterations, each with the cumulative hours of training and self-play.
    pub runs: BTreeMap<String, Vec<(u32, f64)>>,
}

const COLUMNS: [&str; 4] = ["run", "iteration", "train_hours", "selfplay_hours"];

/// Reads the file of the job.
///
/// # Errors
/// If the file is missing or has another format.
pub fn read_hours(job: &HoursJob, inputs: &Inputs) -> Result<Hours, MeasureError> {
    let bad = |what: String| MeasureError::Input { file: job.hours.clone(), what };
    let bytes = inputs.get(&job.hours).ok_or_else(|| bad("it is not in the data directory".to_owned()))?;
    let mut runs: BTreeMap<String, Vec<(u32, f64)>> = BTreeMap::new();
    for (line, row) in rows(bytes, &COLUMNS).map_err(bad)? {
        let number = |at: usize| row[at].parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
        let (Ok(iteration), Some(train), Some(play)) = (row[1].parse(), number(2), number(3)) else {
            return Err(bad(format!("line {line}: iteration and hours are numbers of at least 0")));
        };
        runs.entry(row[0].clone()).or_default().push((iteration, train + play));
    }
    Ok(Hours { runs })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_add_up_and_nonsense_has_a_line() {
        let job = HoursJob { hours: "t.csv".to_owned() };
        let read = |text: &str| read_hours(&job, &Inputs::from([("t.csv".to_owned(), text.as_bytes().to_vec())]));
        let head = "run,iteration,train_hours,selfplay_hours\n";
        let hours = read(&format!("{head}a,0,0.5,1.0\na,1,1.0,2.5\n")).expect("fine");
        assert_eq!(hours.runs["a"], [(0, 1.5), (1, 3.5)]);
        let error = read(&format!("{head}a,0,0.5,1.0\na,1,-1.0,2.5\n")).expect_err("negative");
        assert!(error.to_string().starts_with("t.csv: line 3"), "{error}");
    }
}
