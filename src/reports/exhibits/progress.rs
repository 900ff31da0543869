//! How trainings come along: Elo of their kept networks against one fixed player, over the games of self-play.

use super::super::doubt::ANYWHERE;
use super::super::facts::Fact;
use super::super::sheet::{Axis, Chart, Mark, Panel, Point, Series, Spread, Table, Vertex};
use super::estimate::{LEVEL, at_level, blank, told};
use super::league::{RatingPool, leagues};
use super::{Content, Scene, progress_by_run};
use crate::manifest::exhibit::{ErrorBars, Progress, ProgressCurve};
use gauntlet_ratings::Ladder;
use gauntlet_ratings::compare::EloEstimate;

const CAPTION: &str = "Elo by maximum likelihood (Bradley and Terry, a draw as half a win), as the difference to the \
    anchor, whose rating is 0; errors are of that difference, from a sandwich covariance over pairs of games: match noise \
    alone, as training again would add its own. A network that won or lost all of its games has no rating.";

pub(super) fn render(scene: &Scene<'_>, show: &Progress) -> Content {
    if show.by_run {
        return progress_by_run::render(scene, show);
    }
    let (mut points, mut rows, mut panels, mut notes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let anchor = scene.show(&show.anchor);
    for league in &leagues(scene, &show.league()) {
        let ladder = league.ladder();
        let (mut series, first) = (Vec::new(), points.len());
        for (colour, curve) in show.curves.iter().enumerate() {
            let start = points.len();
            points.extend(rated(scene, league, ladder.as_ref(), (&anchor, show), curve));
            notes.extend(unknown(scene, league, (show, curve)).filter(|_| points.len() == start));
            rows.extend((start..points.len()).map(|at| (points[at].row.clone(), vec![Some(at)])));
            series.push(line(curve, colour, &points[start..], scene.exhibit.errors));
        }
        panels.push(panel(league, (&anchor, show), series));
        notes.extend(league.notes());
        let dashes = points[first..].iter().filter(|point| point.value.is_none());
        let dashes: Vec<String> = dashes.map(|point| point.row.clone()).collect();
        notes.extend(unrated(league, ladder.as_ref(), &anchor, &dashes));
    }
    let columns = vec![column(&anchor)];
    let table = Table { corner: "Network".to_owned(), columns, rows, digits: 0 };
    let caption = format!("{CAPTION} {}", told(scene.exhibit.errors, "pairs of games", "normal"));
    Content { points, table: Some(table), chart: Chart::of(panels), notes, caption }
}

/// Why networks stand there without a number, where some do.
fn unrated(league: &RatingPool, ladder: Option<&Ladder>, anchor: &str, dashes: &[String]) -> Option<String> {
    let Some(ladder) = ladder else {
        return Some(league.titled("The likelihood has no maximum, so that nobody is rated by it."));
    };
    let Some(own) = league.names.iter().position(|known| known == anchor) else {
        return (!league.names.is_empty()).then(|| league.titled(&format!("There is no player {anchor}.")));
    };
    if dashes.is_empty() {
        return None;
    }
    let total = league.total(own);
    let ending = match total.games() {
        _ if ladder.rating(own).is_some() => {
            let reason =
                "they won or lost all games against the others, or no chain of wins and draws in both directions";
            let names = dashes.join("; ");
            return Some(format!("No distance from {anchor} can be said of {names}: {reason} links them to it."));
        }
        games if games == total.wins => format!("won all of its {games} games"),
        games if games == total.losses => format!("lost all of its {games} games"),
        games => format!("has no finite rating after {games} games"),
    };
    Some(league.titled(&format!("{anchor} {ending}, so that nobody's distance from it can be said.")))
}

/// Why a curve has no point although games were played.
fn unknown(scene: &Scene<'_>, league: &RatingPool, (show, curve): (&Progress, &ProgressCurve)) -> Option<String> {
    let ProgressCurve { stage, prefix, .. } = curve;
    let text = match places(scene, show, curve).is_empty() {
        true => format!("No training of stage {stage} has a result."),
        false => format!("There is no player {prefix} with the number of an iteration of stage {stage} behind it."),
    };
    (!league.names.is_empty()).then(|| league.titled(&text))
}

fn column(anchor: &str) -> String {
    format!("Elo above {anchor}")
}

/// The networks of a curve that played, in order.
fn rated(
    scene: &Scene<'_>,
    league: &RatingPool,
    ladder: Option<&Ladder>,
    (anchor, show): (&str, &Progress),
    curve: &ProgressCurve,
) -> Vec<Point> {
    let player = |name: &str| league.names.iter().position(|known| known == name);
    let [n_runs, n_requested] = league.training_runs();
    let point = |(iteration, x): (usize, f64)| {
        let own = player(&scene.show(&format!("{}{iteration}", curve.prefix)))?;
        let found = ladder.zip(player(anchor)).and_then(|(ladder, anchor)| ladder.difference(own, anchor));
        let range = found.and_then(|found| found.interval(LEVEL));
        Some(Point {
            x: Some(x),
            value: found.map(|found: EloEstimate| found.elo),
            error: found.and_then(|found| found.error).map(Spread::over_games),
            interval: range.map(at_level),
            n_runs,
            n_requested,
            n_games: league.total(own).games(),
            config_ids: league.config_ids.clone(),
            ..blank("elo", &format!("{}, {iteration}", league.titled(&curve.label)), &column(anchor))
        })
    };
    (1..).zip(places(scene, show, curve)).filter_map(point).collect()
}

/// Where the iterations of a curve stand, by its first training that has a result.
fn places(scene: &Scene<'_>, show: &Progress, curve: &ProgressCurve) -> Vec<f64> {
    let facts = scene.facts.stage(&curve.stage);
    let length = |fact: &Fact<'_>| fact.result?.get("curve")?.as_array().map(Vec::len);
    let own = facts.iter().filter(|fact| fact.has(&curve.only));
    let Some((first, length)) = own.filter_map(|fact| Some((fact, length(fact)?))).next() else { return Vec::new() };
    (0..length).map_while(|entry| show.abscissa().at(first, entry)).collect()
}

fn line(curve: &ProgressCurve, colour: usize, points: &[Point], errors: ErrorBars) -> Series {
    let vertex = |point: &Point| point.vertex(point.x?, errors, ANYWHERE);
    Series { name: curve.label.clone(), mark: Mark::Line, colour, points: points.iter().filter_map(vertex).collect() }
}

fn panel(league: &RatingPool, (anchor, show): (&str, &Progress), mut series: Vec<Series>) -> Panel {
    let ends = series.iter().flat_map(|series| &series.points).map(|vertex| vertex.x).fold(0.0, f64::max);
    let level = [0.0, ends].map(|x| Vertex::at(x, 0.0));
    let colour = series.len();
    series.push(Series { name: anchor.to_owned(), mark: Mark::Dashed, colour, points: level.to_vec() });
    let x = show.x.map_or("games of self-play", |x| x.label("iteration"));
    Panel { title: league.title.clone(), x: Axis::linear(x), y: Axis::linear(column(anchor)), series }
}
