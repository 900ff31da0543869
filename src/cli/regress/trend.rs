//! The trend of the matches of a suite over the nights: one panel for each match, with the change of the score and its
//! interval.

use crate::manifest::exhibit::ErrorBars;
use crate::regression::Ruling;
use crate::regression::history::{MatchSummary, NightSummary};
use crate::reports::{Axis, AxisScale, Chart, Mark, Panel, Series, Sheet, Vertex};

/// Most nights in the picture; older ones are omitted.
const NIGHTS: usize = 60;
/// Most matches in the picture, those of the last night first.
const PANELS: usize = 12;

/// The picture of some nights, the oldest first.
#[must_use]
pub fn sheet(suite: &str, profile: &str, nights: &[NightSummary]) -> Sheet {
    let nights = &nights[nights.len().saturating_sub(NIGHTS)..];
    let names: Vec<&str> = nights
        .last()
        .map_or(Vec::new(), |last| last.matches.iter().map(|found| found.name.as_str()).take(PANELS).collect());
    Sheet {
        artefact: format!("{suite}/trend"),
        title: format!("{suite}: change of the score against the baseline, over nights"),
        caption: "Change of the score per game with its 95 % interval, as the first look of each night found it."
            .to_owned(),
        profile: profile.to_owned(),
        points: Vec::new(),
        table: None,
        chart: Chart::of(names.into_iter().map(|name| panel(name, nights)).collect()),
        errors: ErrorBars::Interval,
        criteria: Vec::new(),
        notes: Vec::new(),
    }
}

fn panel(name: &str, nights: &[NightSummary]) -> Panel {
    let found: Vec<(f64, &MatchSummary)> = nights
        .iter()
        .zip(1..)
        .flat_map(|(night, at)| night.matches.iter().map(move |found| (f64::from(at), found)))
        .filter(|(_, found)| found.name == name)
        .collect();
    let series = |name: &str, mark, colour, wanted: &dyn Fn(Ruling) -> bool| Series {
        name: name.to_owned(),
        mark,
        colour,
        points: found.iter().filter(|(_, found)| wanted(found.ruling)).filter_map(vertex).collect(),
    };
    let range = (0.5, nights.len() as f64 + 0.5);
    let is_red = |ruling| ruling == Ruling::Regressed;
    Panel {
        title: name.to_owned(),
        x: Axis { label: "night".to_owned(), scale: AxisScale::Linear, range: Some(range) },
        y: Axis::linear("change of score per game"),
        series: vec![
            Series::rule([(range.0, 0.0), (range.1, 0.0)]),
            series("not regressed", Mark::Dot, 0, &|ruling| !is_red(ruling)),
            series("regressed", Mark::Diamond, 1, &is_red),
        ],
    }
}

fn vertex((x, found): &(f64, &MatchSummary)) -> Option<Vertex> {
    let estimate = found.estimate?;
    Some(Vertex { x: *x, y: estimate.change, low: Some(estimate.low), high: Some(estimate.high) })
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn every_night_is_a_dot() {
        let rulings = [Ruling::Passed, Ruling::Regressed];
        let nights: Vec<NightSummary> =
            (0..70).map(|_| NightSummary::of(&samples::night(&rulings), "2026-01-01T00:00:00Z".into())).collect();
        let sheet = sheet("nightly", "laptop", &nights);
        let dots = |panel: &Panel| panel.series.iter().map(|series| series.points.len()).collect::<Vec<_>>();
        let found: Vec<_> = sheet.chart.panels.iter().map(dots).collect();
        assert_eq!(found, [[2, 0, NIGHTS], [2, NIGHTS, 0]]);
        assert!(crate::reports::plot::svg(&sheet).expect("it is drawn").contains("change of score"));
    }

    #[test]
    fn no_nights_are_no_picture() {
        assert!(sheet("nightly", "laptop", &[]).chart.panels.is_empty());
    }
}
