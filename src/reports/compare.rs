//! Two sets of runs side by side: for every configuration that either has, what each number is on average and how far the
//! two are apart.

use serde::Serialize;

use super::number::{fixed, runs, with_error};
use super::runs::RunRow;
use crate::ratings::intervals::{mean, standard_error};

/// The numbers that say how well a configuration did: those that are compared where none is named.
const OUTCOMES: [&str; 3] = ["mean", "last.score", "last.mean"];
/// Digits behind the point of numbers that are no counts, as far as their errors allow.
const DIGITS: usize = 3;

/// One number of one configuration, on both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// Stage and labels.
    pub configuration: String,
    /// Which number of the results.
    pub number: String,
    /// The average of the first runs, where there are any.
    pub a: Option<Average>,
    /// The average of the second runs, where there are any.
    pub b: Option<Average>,
    /// The second average less the first, and its standard error where both have one.
    pub difference: Option<(f64, Option<f64>)>,
    /// Jobs that are the same on both sides: there is nothing to tell apart in them.
    pub shared: usize,
}

/// An average over runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Average {
    /// The mean.
    pub value: f64,
    /// Its standard error over runs; none of one run, or without any spread.
    pub error: Option<f64>,
    /// How many runs have the number.
    pub runs: usize,
}

/// Compares the numbers of two sets of runs: the wanted ones, or where none is named those that say how well a configuration
/// did, or all that it has.
#[must_use]
pub fn compare(a: &[RunRow], b: &[RunRow], wanted: &[String]) -> Vec<Compared> {
    let mut configurations: Vec<String> = Vec::new();
    for configuration in a.iter().chain(b).map(RunRow::configuration) {
        if !configurations.contains(&configuration) {
            configurations.push(configuration);
        }
    }
    let of = |runs: &[RunRow], name: &str| -> Vec<RunRow> {
        runs.iter().filter(|run| run.done && run.configuration() == name).cloned().collect()
    };
    configurations.iter().flat_map(|name| rows(name, &of(a, name), &of(b, name), wanted)).collect()
}

/// The rows of one configuration.
fn rows(configuration: &str, a: &[RunRow], b: &[RunRow], wanted: &[String]) -> Vec<Compared> {
    let shared = a.iter().filter(|run| b.iter().any(|other| other.key == run.key)).count();
    let row = |number: String| {
        let (one, other) = (average(a, &number), average(b, &number));
        let difference = one.zip(other).map(|(one, other)| one.to(other));
        Compared { configuration: configuration.to_owned(), number, a: one, b: other, difference, shared }
    };
    numbers(a, b, wanted).into_iter().map(row).filter(|row| row.a.is_some() || row.b.is_some()).collect()
}

/// The names of the numbers that are compared.
fn numbers(a: &[RunRow], b: &[RunRow], wanted: &[String]) -> Vec<String> {
    if !wanted.is_empty() {
        return wanted.to_vec();
    }
    let mut known: Vec<String> = Vec::new();
    for name in a.iter().chain(b).flat_map(|run| run.numbers.keys()) {
        if !known.contains(name) {
            known.push(name.clone());
        }
    }
    let outcome = OUTCOMES.into_iter().find(|outcome| known.iter().any(|name| name == outcome));
    outcome.map_or(known, |outcome| vec![outcome.to_owned()])
}

fn average(runs: &[RunRow], number: &str) -> Option<Average> {
    let values: Vec<f64> = runs.iter().filter_map(|run| run.numbers.get(number)?.as_f64()).collect();
    Some(Average { value: mean(&values)?, error: standard_error(&values), runs: values.len() })
}

impl Average {
    /// How far it is from this one to another, as of independent runs.
    fn to(self, other: Average) -> (f64, Option<f64>) {
        let error = self.error.zip(other.error).map(|(one, other)| one.hypot(other));
        (other.value - self.value, error)
    }

    /// For people: `0.512 ± 0.034 (n = 5)`.
    #[must_use]
    pub fn text(self) -> String {
        let n = self.runs as u64;
        format!("{} ({})", rounded(self.value, self.error), runs(n, n))
    }
}

impl Compared {
    /// The difference for people, where there is one.
    #[must_use]
    pub fn difference_text(&self) -> String {
        let runs = self.a.map_or(0, |average| average.runs).max(self.b.map_or(0, |average| average.runs));
        match self.difference {
            Some(_) if self.shared == runs => "the same runs".to_owned(),
            Some((value, error)) if value > 0.0 => format!("+{}", rounded(value, error)),
            Some((value, error)) => rounded(value, error),
            None => String::new(),
        }
    }
}

fn rounded(value: f64, error: Option<f64>) -> String {
    match error {
        Some(error) => with_error(value, error, DIGITS),
        None if value.fract() == 0.0 => fixed(value, 0),
        None => fixed(value, DIGITS as i32),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Runs of one configuration, one for each mean, whose keys begin so.
    fn sample(agent: &str, key: &str, means: &[f64]) -> Vec<RunRow> {
        let numbers = |mean: f64| json!({ "mean": mean, "games": 10 }).as_object().cloned().unwrap_or_default();
        let run = |(seed, &mean): (u64, &f64)| RunRow {
            manifest: "m".into(),
            stage: "s".into(),
            kind: "play".into(),
            axes: vec![("agent".into(), agent.into())],
            seed,
            key: format!("{key}{seed}"),
            directory: String::new(),
            done: true,
            numbers: numbers(mean),
        };
        (1..).zip(means).map(run).collect()
    }

    #[test]
    fn configurations_meet_by_their_labels_and_say_what_they_rest_on() {
        let a = [sample("x", "k", &[0.1, 0.3]), sample("y", "k", &[0.5])].concat();
        let b = [sample("x", "l", &[0.4, 0.8]), sample("z", "l", &[0.0])].concat();
        let found = compare(&a, &b, &[]);
        let names: Vec<&str> = found.iter().map(|row| row.configuration.as_str()).collect();
        assert_eq!(names, ["s agent=x", "s agent=y", "s agent=z"]);
        assert_eq!(found[0].a.unwrap().text(), "0.20 ± 0.10 (n = 2)");
        // Errors of .1 and .2.
        assert_eq!(found[0].difference_text(), "+0.40 ± 0.22");
        assert_eq!((found[1].b, found[1].difference_text().as_str()), (None, ""));
        let same = compare(&a, &a, &["games".to_owned()]);
        assert_eq!((same[0].number.as_str(), same[0].difference_text().as_str()), ("games", "the same runs"));
    }
}
