//! The learning curves of a training under way, from its growing file of metrics.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use gauntlet_play::learning::{EvolutionState, Generation, Iteration, MetricsLine};
use gauntlet_report::runs::share;
use gauntlet_run::scheduler::METRICS;
use gauntlet_store::Store;

/// Most points of a line; of longer ones, every second, third, ... point is taken.
const MOST_POINTS: usize = 400;

/// Most charts of a training by another program.
const MOST_NAMED: usize = 6;

/// A chart of numbers over a training.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// Its heading.
    pub title: String,
    /// The unit of the abscissa: iterations of an AlphaZero training, generations of an evolution, games or jobs of a race.
    pub x: String,
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

/// A chart of some numbers of the entries of a training: its heading, its range, and its lines by name.
struct Chart<T: 'static> {
    title: &'static str,
    range: Option<[f64; 2]>,
    lines: &'static [ChartLine<T>],
}

/// A line of a chart: its name, and its number at an entry.
type ChartLine<T> = (&'static str, fn(&T) -> Option<f64>);

/// The charts of an AlphaZero training. Losses differ in their units, so none share a chart.
const ITERATIONS: [Chart<Iteration>; 3] = [
    Chart {
        title: "score of the evaluations",
        range: Some([0.0, 1.0]),
        lines: &[("score", |iteration| iteration.score.map(share))],
    },
    Chart { title: "policy loss", range: None, lines: &[("policy loss", |iteration| Some(iteration.policy_loss))] },
    Chart { title: "value loss", range: None, lines: &[("value loss", |iteration| Some(iteration.value_loss))] },
];

/// The chart of an evolution.
const GENERATIONS: [Chart<Generation>; 1] = [Chart {
    title: "fitness",
    range: Some([-1.0, 1.0]),
    lines: &[("mean", |generation| Some(generation.mean)), ("best", |generation| Some(generation.best))],
}];

/// The curves of a training; none if it has measured nothing yet. An AlphaZero training writes its metrics while it
/// runs; an evolution has them in its checkpoint alone.
pub fn read(store: &Store, directory: &str) -> Vec<Curve> {
    match store.draft(directory, METRICS) {
        Some(lines) => match curves(&ITERATIONS, &steps(&lines), "iteration") {
            found if found.is_empty() => named(&lines),
            found => found,
        },
        None => {
            let head = store.checkpoint_head(directory);
            curves(&GENERATIONS, &head.map_or_else(Vec::new, |head| generations(&head)), "generation")
        }
    }
}

/// The first numbers of a training by another program, under their own names.
fn named(lines: &[u8]) -> Vec<Curve> {
    let mut found: BTreeMap<String, Vec<[f64; 2]>> = BTreeMap::new();
    for line in steps::<BTreeMap<String, f64>>(lines) {
        for (name, value) in line.entry {
            found.entry(name).or_default().push([line.step as f64, value]);
        }
    }
    let curve = |(name, points): (String, Vec<[f64; 2]>)| {
        let lines = vec![CurveLine { name: name.clone(), points: taken(&points) }];
        Curve { title: name, x: "step".to_owned(), range: None, lines }
    };
    found.into_iter().take(MOST_NAMED).map(curve).collect()
}

/// The iterations in a metrics file. The last line may be torn.
fn steps<T: DeserializeOwned>(lines: &[u8]) -> Vec<MetricsLine<T>> {
    let lines = lines.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// The generations in the checkpoint of an evolution; none if it is another one.
fn generations(head: &[u8]) -> Vec<MetricsLine<Generation>> {
    let state = serde_json::from_slice::<EvolutionState<IgnoredAny>>(head);
    let curve = state.map_or_else(|_| Vec::new(), |state| state.curve);
    (1..).zip(curve).map(|(step, entry)| MetricsLine { step, entry }).collect()
}

/// The charts with points.
fn curves<T>(charts: &[Chart<T>], steps: &[MetricsLine<T>], x: &'static str) -> Vec<Curve> {
    let curve = |chart: &Chart<T>| {
        let lines: Vec<CurveLine> = chart.lines.iter().filter_map(|(name, number)| line(steps, name, number)).collect();
        (!lines.is_empty()).then(|| Curve { title: chart.title.to_owned(), x: x.to_owned(), range: chart.range, lines })
    };
    charts.iter().filter_map(curve).collect()
}

fn line<T>(steps: &[MetricsLine<T>], name: &str, number: impl Fn(&T) -> Option<f64>) -> Option<CurveLine> {
    let point = |step: &MetricsLine<T>| Some([step.step as f64, number(&step.entry)?]);
    let points = taken(&steps.iter().filter_map(point).collect::<Vec<_>>());
    (!points.is_empty()).then(|| CurveLine { name: name.to_owned(), points })
}

/// Not more points than a line has.
fn taken(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let stride = points.len().div_ceil(MOST_POINTS).max(1);
    // The last point is always shown.
    let is_taken = |at: usize| at.is_multiple_of(stride) || at + 1 == points.len();
    (0..points.len()).filter(|&at| is_taken(at)).map(|at| points[at]).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn iteration(step: usize, policy_loss: f64, score: Option<f64>) -> String {
        let entry = Iteration {
            games: 0,
            examples: 0,
            length: 0.0,
            first: 0.0,
            target_entropy: 0.0,
            value_error: 0.0,
            value_loss: 1.0,
            policy_loss,
            entropy: Some(0.0),
            steps: 0,
            evaluations: 0,
            compute: 0,
            processor_seconds: None,
            divergence: None,
            gate: None,
            promoted: None,
            score,
            metrics: BTreeMap::new(),
            panel: Vec::new(),
        };
        serde_json::to_string(&MetricsLine { step, entry }).unwrap() + "\n"
    }

    fn found(lines: &str) -> Vec<Curve> {
        curves(&ITERATIONS, &steps(lines.as_bytes()), "iteration")
    }

    #[test]
    fn the_metrics_of_a_training_are_curves() {
        let found = |lines: &[&str]| found(&lines.concat());
        let lines = [iteration(1, 2.5, Some(-0.5)), iteration(2, 2.0, None), iteration(3, 1.5, None)];
        let curves = found(&[&lines[0], &lines[1], &lines[2][..20]]);
        let titles: Vec<&str> = curves.iter().map(|curve| curve.title.as_str()).collect();
        assert_eq!(titles, ["score of the evaluations", "policy loss", "value loss"]);
        assert_eq!(curves[0].lines[0].points, [[1.0, 0.25]]);
        assert_eq!(curves[1].lines, [CurveLine { name: "policy loss".into(), points: vec![[1.0, 2.5], [2.0, 2.0]] }]);
        assert_eq!(found(&[""]), []);
    }

    #[test]
    fn a_training_by_another_program_has_its_own_numbers() {
        let lines = b"{\"step\":1,\"loss\":2.5}\n{\"step\":2,\"loss\":2.0,\"norm\":1.0}\n{\"step\":3,\"lo";
        let found = named(lines);
        let points: Vec<(&str, &[[f64; 2]])> =
            found.iter().map(|curve| (curve.title.as_str(), curve.lines[0].points.as_slice())).collect();
        assert_eq!(points, [("loss", [[1.0, 2.5], [2.0, 2.0]].as_slice()), ("norm", &[[2.0, 1.0]])]);
        assert!(named(b"").is_empty());
    }

    #[test]
    fn an_evolution_has_its_generations_in_its_checkpoint() {
        let generation = |mean: f64| Generation { mean, best: 0.5, sigma: 1.0, fitness: vec![2.0 * mean - 0.5, 0.5] };
        let curve = [generation(-0.25), generation(0.5)];
        let head = serde_json::json!({ "search": {}, "champion": null, "curve": curve }).to_string();
        let found = curves(&GENERATIONS, &generations(head.as_bytes()), "generation");
        let lines: Vec<(&str, &[[f64; 2]])> =
            found[0].lines.iter().map(|line| (line.name.as_str(), line.points.as_slice())).collect();
        assert_eq!(lines, [("mean", [[1.0, -0.25], [2.0, 0.5]].as_slice()), ("best", &[[1.0, 0.5], [2.0, 0.5]])]);
        assert!(generations(b"weights").is_empty());
    }

    #[test]
    fn long_curves_keep_their_last_point() {
        let lines: String = (1..=1001).map(|step| iteration(step, 0.5, None)).collect();
        let points = &found(&lines)[0].lines[0].points;
        assert!(points.len() <= MOST_POINTS && points.last() == Some(&[1001.0, 0.5]));
    }
}
