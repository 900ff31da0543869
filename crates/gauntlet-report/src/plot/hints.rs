//! The texts of points, for readers who point at them: the names of a point, and the numbers that the CSV has.

use std::collections::{BTreeMap, HashMap};

use super::axes::Frame;
use super::marks::Lanes;
use super::scene::{Hint, Owner, Scene};
use crate::number;
use crate::sheet::{Axis, AxisScale, ErrorKind, Mark, Panel, Point, Series, Sheet, Spread, Vertex};
use gauntlet_ratings::intervals::percent;

/// The most texts of a picture; beyond, series with many points have none.
const MOST: usize = 2_000;
const MANY: usize = 200;
/// Significant digits of numbers, and of errors.
const DIGITS: i32 = 6;
const DIGITS_OF_ERRORS: i32 = 3;

/// The points of a sheet by their values.
pub(super) struct PointNames<'a> {
    points: &'a [Point],
    measured: HashMap<u64, Vec<usize>>,
    published: HashMap<u64, Vec<usize>>,
}

/// A drawn point with its surroundings.
struct Drawn<'a> {
    panel: &'a Panel,
    series: &'a Series,
    vertex: Vertex,
    /// Its name in the series.
    name: &'a str,
    /// Its category, if an axis has categories.
    category: Option<&'a str>,
}

/// Adds the texts of all points of a panel.
pub(super) fn add(scene: &mut Scene, names: &PointNames<'_>, panel: &Panel, frame: &Frame) {
    let lanes = Lanes::of(panel);
    for (at, series) in panel.series.iter().enumerate().filter(|(_, series)| is_pointed_at(series)) {
        let (lane, owner) = (lanes.of_series(at), scene.owner(&series.name));
        for (place, &vertex) in series.points.iter().enumerate() {
            let shifted = lane.shift(vertex);
            let Some(spot) = frame.spot(shifted.x, shifted.y).filter(|spot| frame.holds(*spot)) else { continue };
            let name = series.names.get(place).map_or("", String::as_str);
            let category = category(&panel.y, vertex.y).or_else(|| category(&panel.x, vertex.x));
            let text = names.text(&Drawn { panel, series, vertex, name, category });
            scene.hints.push(Hint { at: spot, owner, text });
        }
    }
}

fn is_pointed_at(series: &Series) -> bool {
    !matches!(series.mark, Mark::Rule | Mark::Stone { .. } | Mark::Unequal)
}

/// Removes the texts of series with many points if a picture has too many.
pub(super) fn limit(scene: &mut Scene) {
    if scene.hints.len() <= MOST {
        return;
    }
    let mut counts: BTreeMap<Owner, usize> = BTreeMap::new();
    scene.hints.iter().for_each(|hint| *counts.entry(hint.owner).or_default() += 1);
    scene.hints.retain(|hint| counts[&hint.owner] <= MANY);
}

/// The category at a place of an axis.
fn category(axis: &Axis, place: f64) -> Option<&str> {
    let AxisScale::Categories(names) = &axis.scale else { return None };
    (place >= 0.0 && place.fract() == 0.0).then(|| names.get(place as usize).map(String::as_str))?
}

impl<'a> PointNames<'a> {
    /// The points of a sheet.
    pub fn new(sheet: &'a Sheet) -> Self {
        let by = |value: fn(&Point) -> Option<f64>| {
            let mut known: HashMap<u64, Vec<usize>> = HashMap::new();
            for (at, point) in sheet.points.iter().enumerate() {
                if let Some(value) = value(point) {
                    known.entry(value.to_bits()).or_default().push(at);
                }
            }
            known
        };
        let published = by(|point| point.published.map(|published| published.value));
        Self { points: &sheet.points, measured: by(|point| point.value), published }
    }

    fn text(&self, drawn: &Drawn<'_>) -> String {
        let sideways = matches!(drawn.panel.y.scale, AxisScale::Categories(_));
        let value = if sideways { drawn.vertex.x } else { drawn.vertex.y };
        let measured = self.find(&self.measured, value, drawn);
        let published = self.find(&self.published, value, drawn);
        let (point, is_ours) = match drawn.series.mark {
            Mark::Diamond => (published.or(measured), published.is_none()),
            _ => (measured.or(published), measured.is_some()),
        };
        let mut lines = vec![drawn.heading(sideways)];
        match (point, is_ours) {
            (Some(point), true) => lines.extend(of_measured(point)),
            (Some(point), false) => lines.push(of_published(point)),
            (None, _) => lines.push(drawn.number(value)),
        }
        lines.retain(|line| !line.is_empty());
        lines.join("\n")
    }

    /// The point with this value whose names fit best.
    fn find(&self, known: &HashMap<u64, Vec<usize>>, value: f64, drawn: &Drawn<'_>) -> Option<&'a Point> {
        let points = known.get(&value.to_bits())?.iter().map(|at| &self.points[*at]);
        let at_place = |point: &&Point| point.x.is_none_or(|x| drawn.category.is_some() || x == drawn.vertex.x);
        // The first of equal ones, so that the text does not depend on an order.
        points.filter(at_place).rev().max_by_key(|point| drawn.fit(point))
    }
}

impl Drawn<'_> {
    /// The number of names that a point shares with this one.
    fn fit(&self, point: &Point) -> usize {
        let own = [self.category.unwrap_or_default(), &self.series.name, &self.panel.title, self.name];
        let own = own.into_iter().filter(|name| !name.is_empty());
        own.filter(|name| [&point.row, &point.column].into_iter().any(|theirs| theirs.contains(name))).count()
    }

    /// Its names: panel, category or abscissa, series.
    fn heading(&self, sideways: bool) -> String {
        let abscissa = match (self.category, sideways) {
            (Some(category), _) => category.to_owned(),
            (None, false) if self.name.is_empty() => place(&self.panel.x, self.vertex.x),
            _ => String::new(),
        };
        let names = [self.panel.title.as_str(), self.name, abscissa.as_str(), self.series.name.as_str()];
        names.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(" · ")
    }

    /// Its number, with the ends of its bar or band.
    fn number(&self, value: f64) -> String {
        let ends = self.vertex.low.zip(self.vertex.high);
        let ends = ends.map(|(low, high)| format!(" [{}, {}]", short(low), short(high))).unwrap_or_default();
        let across = match self.name {
            "" => String::new(),
            _ => place(&self.panel.x, self.vertex.x) + ": ",
        };
        match self.series.mark {
            Mark::Tile { value, error, .. } => short(value) + &error.map(plus_minus).unwrap_or_default(),
            _ => format!("{across}{}{ends}", short(value)),
        }
    }
}

/// `generation 12`, or a date.
fn place(axis: &Axis, value: f64) -> String {
    match axis.scale {
        AxisScale::Dates => super::dates::name(value),
        _ if axis.label.is_empty() => short(value),
        _ => format!("{} {}", axis.label, short(value)),
    }
}

fn of_measured(point: &Point) -> Vec<String> {
    let error = point.error.filter(|error| point.n_runs != 1 || error.kind != ErrorKind::StandardError);
    let value = point.value.map(short).unwrap_or_default();
    let interval = point.interval.map(|interval| {
        format!("{} % interval [{}, {}]", percent(interval.level), short(interval.low), short(interval.high))
    });
    let runs = (point.n_runs > 0).then(|| number::runs(point.n_runs, point.n_requested));
    let games = (point.n_games > 0).then(|| format!("{} games", number::thousands(point.n_games)));
    let counts: Vec<String> = runs.into_iter().chain(games).collect();
    let first = format!("{value}{}", error.map(with_kind).unwrap_or_default());
    let published = if point.published.is_some() { of_published(point) } else { String::new() };
    vec![first, interval.unwrap_or_default(), counts.join(", "), published]
}

/// The published number with the verdict on ours.
fn of_published(point: &Point) -> String {
    let Some(published) = point.published else { return String::new() };
    let error = published.error.map(|error| plus_minus(error.size)).unwrap_or_default();
    let verdict = point.verdict.map(|verdict| format!(" ({} {})", verdict.mark(), verdict.word())).unwrap_or_default();
    format!("paper: {}{error}{verdict}", short(published.value))
}

fn with_kind(error: Spread) -> String {
    let kind = match error.kind {
        ErrorKind::StandardError => "standard error over runs",
        ErrorKind::StandardDeviation => "standard deviation",
        ErrorKind::Games | ErrorKind::TwoSigma => "standard error over games",
        ErrorKind::Positions => "standard error over positions",
    };
    format!("{} ({kind})", plus_minus(error.size))
}

fn plus_minus(size: f64) -> String {
    format!(" ± {}", rounded(size, DIGITS_OF_ERRORS))
}

fn short(value: f64) -> String {
    rounded(value, DIGITS)
}

/// A number with at most this many significant digits, without trailing zeros.
fn rounded(value: f64, digits: i32) -> String {
    let whole = if value == 0.0 || !value.is_finite() { 0 } else { value.abs().log10().floor() as i32 };
    let text = number::fixed(value, (digits - 1 - whole).clamp(0, 12));
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::super::compose;
    use super::super::scene::Viewport;
    use super::*;
    use crate::samples;

    fn hints(sheet: &Sheet) -> Vec<String> {
        compose::scene(sheet, Viewport::Wide).hints.into_iter().map(|hint| hint.text).collect()
    }

    #[test]
    fn a_point_is_told_with_the_numbers_of_the_csv() {
        let hints = hints(&samples::small_table());
        let reported = "CONV · 7x7 vs. 9x9 · this run, ± 1 s.e.\n0.84 ± 0.031 (standard error over runs)\n95 % interval [0.778, \
                    0.902]\nn = 100, 50,000 games\npaper: 0.86 ± 0.026 (≈ agrees)";
        assert_eq!(hints[0], reported);
        assert!(hints.iter().any(|hint| hint.ends_with("\npaper: 0.72 ± 0.0482 (≠ differs)")), "{hints:?}");
    }

    #[test]
    fn names_of_points_replace_their_abscissa() {
        let mut sheet = samples::scatter();
        let series = &mut sheet.chart.panels[0].series[1];
        series.names = (0..series.points.len()).map(|at| format!("network {at}")).collect();
        assert!(hints(&sheet)[0].contains("network 0"));
    }

    #[test]
    fn numbers_have_six_digits() {
        let cases = [
            (0.169_999_99, "0.17"),
            (0.0, "0"),
            (1234.5678, "1234.57"),
            (-0.031_234_567, "−0.0312346"),
            (2e7, "20000000"),
        ];
        cases.into_iter().for_each(|(value, text)| assert_eq!(short(value), text));
    }
}
