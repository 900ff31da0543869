//! The trend of the matches of a suite over the suite runs: one panel for each match, with the change of the score and its
//! interval.

use gauntlet_plan::manifest::exhibit::ErrorBars;
use gauntlet_plan::regression::Verdict;
use gauntlet_plan::regression::history::{MatchSummary, SuiteRunSummary};
use gauntlet_report::{Axis, Chart, Mark, Panel, Series, Sheet, Vertex};

/// Most suite runs in the picture; older ones are omitted.
const SUITE_RUNS: usize = 60;
/// Most matches in the picture, those of the last suite run first.
const PANELS: usize = 12;
/// Length of commits on the axis.
const COMMIT: usize = 7;

/// The picture of some suite runs, the oldest first.
#[must_use]
pub fn sheet(suite: &str, profile: &str, suite_runs: &[SuiteRunSummary]) -> Sheet {
    let suite_runs = &suite_runs[suite_runs.len().saturating_sub(SUITE_RUNS)..];
    let names: Vec<&str> = suite_runs
        .last()
        .map_or(Vec::new(), |last| last.matches.iter().map(|found| found.name.as_str()).take(PANELS).collect());
    Sheet {
        artefact: format!("{suite}/trend"),
        title: format!("{suite}: change of the score against the baseline, over nights"),
        caption: "Change of the score per game with its 95 % interval, as the first look of each night found it."
            .to_owned(),
        profile: profile.to_owned(),
        chart: Chart::of(names.into_iter().map(|name| panel(name, suite_runs)).collect()),
        errors: ErrorBars::Interval,
        ..Sheet::default()
    }
}

fn panel(name: &str, suite_runs: &[SuiteRunSummary]) -> Panel {
    let found: Vec<(f64, &MatchSummary)> = suite_runs
        .iter()
        .zip(0..)
        .flat_map(|(suite_run, at)| suite_run.matches.iter().map(move |found| (f64::from(at), found)))
        .filter(|(_, found)| found.name == name)
        .collect();
    let series = |name, mark, colour, wanted: &dyn Fn(Verdict) -> bool| {
        let own = found.iter().filter(|(_, found)| wanted(found.verdict));
        Series::new(name, mark, colour, own.filter_map(vertex))
    };
    let nights: Vec<String> = suite_runs.iter().map(night).collect();
    let is_red = |verdict| verdict == Verdict::Regressed;
    let series = [
        Series::rule([(-0.5, 0.0), (suite_runs.len() as f64 - 0.5, 0.0)]),
        series("not regressed", Mark::Dot, 0, &|verdict| !is_red(verdict)),
        series("regressed", Mark::Diamond, 1, &is_red),
    ];
    let (x, y) = (Axis::categories("night and commit", nights), Axis::linear("change of score per game"));
    Panel::new(name, x, y, series)
}

/// The day and the commit of a suite run.
fn night(suite_run: &SuiteRunSummary) -> String {
    let (day, commit) = (suite_run.when.split('T').next().unwrap_or_default(), &suite_run.commit);
    format!("{day} {}", commit.get(..COMMIT).unwrap_or(commit))
}

fn vertex((x, found): &(f64, &MatchSummary)) -> Option<Vertex> {
    let estimate = found.estimate?;
    Some(Vertex { low: Some(estimate.low), high: Some(estimate.high), ..Vertex::at(*x, estimate.change) })
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn every_night_is_a_dot() {
        let verdicts = [Verdict::Passed, Verdict::Regressed];
        let suite_runs: Vec<SuiteRunSummary> = (0..70)
            .map(|_| SuiteRunSummary::of(&samples::suite_run(&verdicts), "2026-01-01T00:00:00Z".into()))
            .collect();
        let sheet = sheet("nightly", "laptop", &suite_runs);
        let dots = |panel: &Panel| panel.series.iter().map(|series| series.points.len()).collect::<Vec<_>>();
        let found: Vec<_> = sheet.chart.panels.iter().map(dots).collect();
        assert_eq!(found, [[2, 0, SUITE_RUNS], [2, SUITE_RUNS, 0]]);
        let svg = gauntlet_report::plot::svg(&sheet).expect("it is drawn");
        assert!(svg.contains("change of score") && svg.contains("2026-01-01 "));
    }

    #[test]
    fn no_nights_are_no_picture() {
        assert!(sheet("nightly", "laptop", &[]).chart.panels.is_empty());
    }
}
