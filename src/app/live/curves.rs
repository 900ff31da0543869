//! The learning curves of a training under way, from its growing file of metrics.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::reports::runs::share;
use crate::scheduler::METRICS;
use crate::store::Store;

/// Most points of a line; of longer ones, every second, third, ... point is taken.
const MOST_POINTS: usize = 400;

/// A chart of numbers over a training.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// Its heading.
    pub title: String,
    /// The unit of the abscissa: iterations of an AlphaZero training, generations of an evolution.
    pub x: &'static str,
    /// The range of the ordinate, if it is fixed.
    pub range: Option<[f64; 2]>,
    /// Its lines.
    pub lines: Vec<CurveLine>,
}

/// A line of a chart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CurveLine {
    /// The name of the number.
    pub name: String,
    /// Abscissa and value, ascending.
    pub points: Vec<[f64; 2]>,
}

/// A chart of some metrics: its heading, its range, and whether values from -1 to 1 are shown from 0 to 1.
struct Chart {
    title: &'static str,
    range: Option<[f64; 2]>,
    is_score: bool,
    names: &'static [&'static str],
}

/// The charts of all trainings; those without points are left out. Losses differ in their units, so none share a chart.
const CHARTS: [Chart; 4] = [
    Chart { title: "score of the evaluations", range: Some([0.0, 1.0]), is_score: true, names: &["score"] },
    Chart { title: "fitness", range: Some([-1.0, 1.0]), is_score: false, names: &["mean", "best"] },
    Chart { title: "policy loss", range: None, is_score: false, names: &["policy_loss"] },
    Chart { title: "value loss", range: None, is_score: false, names: &["value_loss"] },
];

/// The curves of a training; none if it has measured nothing yet. An AlphaZero training writes its metrics while it
/// runs; an evolution has them in its checkpoint alone.
pub fn read(store: &Store, directory: &str) -> Vec<Curve> {
    match store.draft(directory, METRICS) {
        Some(lines) => curves(&steps(&lines), "iteration"),
        None => {
            curves(&store.checkpoint_head(directory).map_or_else(Vec::new, |head| generations(&head)), "generation")
        }
    }
}

/// The lines of a metrics file. The last one may be torn.
fn steps(lines: &[u8]) -> Vec<Value> {
    let lines = lines.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// The part of an evolution's checkpoint that is shown.
#[derive(Deserialize)]
struct EvolutionCurve {
    curve: Vec<EvolutionStep>,
}

#[derive(Deserialize)]
struct EvolutionStep {
    fitness: Vec<f64>,
}

/// The generations in the checkpoint of an evolution; none if it is another one.
fn generations(head: &[u8]) -> Vec<Value> {
    let Ok(EvolutionCurve { curve }) = serde_json::from_slice(head) else { return Vec::new() };
    let entry = |(at, step): (usize, &EvolutionStep)| {
        let best = step.fitness.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mean = step.fitness.iter().sum::<f64>() / step.fitness.len().max(1) as f64;
        json!({ "step": at + 1, "mean": mean, "best": best })
    };
    curve.iter().enumerate().map(entry).collect()
}

fn curves(steps: &[Value], x: &'static str) -> Vec<Curve> {
    let curve = |chart: &Chart| {
        let line = |name: &&str| line(steps, name, chart.is_score);
        let lines: Vec<CurveLine> = chart.names.iter().filter_map(line).collect();
        (!lines.is_empty()).then(|| Curve { title: chart.title.to_owned(), x, range: chart.range, lines })
    };
    CHARTS.iter().filter_map(curve).collect()
}

fn line(steps: &[Value], name: &str, is_score: bool) -> Option<CurveLine> {
    let point = |step: &Value| {
        let value = step.get(name)?.as_f64()?;
        Some([step.get("step")?.as_f64()?, if is_score { share(value) } else { value }])
    };
    let points: Vec<[f64; 2]> = steps.iter().filter_map(point).collect();
    let stride = points.len().div_ceil(MOST_POINTS).max(1);
    // The last point is always shown.
    let is_taken = |at: usize| at.is_multiple_of(stride) || at + 1 == points.len();
    let taken: Vec<[f64; 2]> = (0..points.len()).filter(|&at| is_taken(at)).map(|at| points[at]).collect();
    (!taken.is_empty()).then(|| CurveLine { name: name.replace('_', " "), points: taken })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_metrics_of_a_training_are_curves() {
        let lines =
            b"{\"step\":1,\"policy_loss\":2.5,\"score\":-0.5}\n{\"step\":2,\"policy_loss\":2.0}\n{\"step\":3,\"po";
        let found = curves(&steps(lines), "iteration");
        let titles: Vec<&str> = found.iter().map(|curve| curve.title.as_str()).collect();
        assert_eq!(titles, ["score of the evaluations", "policy loss"]);
        assert_eq!(found[0].lines[0].points, [[1.0, 0.25]]);
        assert_eq!(found[1].lines, [CurveLine { name: "policy loss".into(), points: vec![[1.0, 2.5], [2.0, 2.0]] }]);
        assert_eq!(curves(&steps(b""), "iteration"), []);
    }

    #[test]
    fn an_evolution_has_its_generations_in_its_checkpoint() {
        let head = br#"{"search":{},"curve":[{"sigma":1.0,"fitness":[-1.0,0.5]},{"sigma":0.9,"fitness":[0.5,0.5]}]}"#;
        let found = curves(&generations(head), "generation");
        let lines: Vec<(&str, &[[f64; 2]])> =
            found[0].lines.iter().map(|line| (line.name.as_str(), line.points.as_slice())).collect();
        assert_eq!(lines, [("mean", [[1.0, -0.25], [2.0, 0.5]].as_slice()), ("best", &[[1.0, 0.5], [2.0, 0.5]])]);
        assert!(generations(b"weights").is_empty());
    }

    #[test]
    fn long_curves_keep_their_last_point() {
        let lines: String = (1..=1001).map(|step| format!("{{\"step\":{step},\"mean\":0.5}}\n")).collect();
        let points = &curves(&steps(lines.as_bytes()), "iteration")[0].lines[0].points;
        assert!(points.len() <= MOST_POINTS && points.last() == Some(&[1001.0, 0.5]));
    }
}
