//! The displayed uncertainty of a number: its error or its interval, by one rule for tables and pictures, and the
//! sentence in a picture that names it.

use std::collections::BTreeSet;

use super::error_bars::ErrorBars;
use super::frame::distinct;
use super::sheet::{ConfidenceInterval, ErrorKind, Mark, Point, Published, Series, Sheet, Spread, Vertex};
use gauntlet_ratings::intervals::{normal_quantile, percent};

/// The uncertainty of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Uncertainty {
    /// Its error.
    Error(Spread),
    /// Its interval.
    Interval(ConfidenceInterval),
}

impl Uncertainty {
    /// The level of an interval.
    #[must_use]
    pub fn level(&self) -> Option<f64> {
        if let Uncertainty::Interval(interval) = self { Some(interval.level) } else { None }
    }

    /// The ends around a value: low, then high. A two-sigma band is doubled, as in print.
    #[must_use]
    pub fn ends(&self, value: f64) -> [f64; 2] {
        match self {
            Uncertainty::Error(Spread { size, kind: ErrorKind::TwoSigma }) => [value - 2.0 * size, value + 2.0 * size],
            Uncertainty::Error(Spread { size, .. }) => [value - size, value + size],
            Uncertainty::Interval(interval) => [interval.low, interval.high],
        }
    }
}

impl Point {
    /// The shown uncertainty of the measured value. One run has none, except that of its games; a two-sigma band
    /// follows the paper's rule and stays one.
    #[must_use]
    pub fn uncertainty(&self, errors: ErrorBars) -> Option<Uncertainty> {
        let is_of_games = |error: &Spread| is_within_run(error.kind);
        let error = self.error.filter(|error| self.n_runs != 1 || is_of_games(error));
        let interval = self.interval.filter(|_| error.is_some() || (self.error.is_none() && self.n_runs != 1));
        let is_band = error.is_some_and(|error| error.kind == ErrorKind::TwoSigma);
        match (error, interval) {
            (_, Some(interval)) if errors == ErrorBars::Interval && !is_band => Some(Uncertainty::Interval(interval)),
            (Some(error), _) => Some(Uncertainty::Error(error)),
            (None, interval) => interval.map(Uncertainty::Interval),
        }
    }

    /// The measured value at a place, with its uncertainty along the ordinate, cut to a range.
    #[must_use]
    pub fn vertex(&self, x: f64, errors: ErrorBars, range: [f64; 2]) -> Option<Vertex> {
        let y = self.value?;
        let ends = self
            .uncertainty(errors)
            .map(|uncertainty| uncertainty.ends(y).map(|end| end.clamp(range[0].min(y), range[1].max(y))));
        let (low, high) = ends.map(|[low, high]| (low, high)).unzip();
        Some(Vertex { x, y, low, high, over_games: is_over_games(self) })
    }

    /// Like `vertex`, for a picture whose vertical axis holds categories: the value lies along the abscissa.
    #[must_use]
    pub fn sideways(&self, category: f64, errors: ErrorBars, range: [f64; 2]) -> Option<Vertex> {
        self.vertex(0.0, errors, range).map(|vertex| Vertex { x: vertex.y, y: category, ..vertex })
    }
}

impl Point {
    /// The published value at a place, with its standard error; beside our intervals, with an interval of their level by
    /// the normal law, cut to a range. One picture has one kind of bars.
    #[must_use]
    pub fn printed_vertex(&self, x: f64, errors: ErrorBars, range: [f64; 2]) -> Option<Vertex> {
        let (y, error) = self.printed()?;
        let half = error.map(|error| if errors.is_standard_error() { error } else { error * in_interval() });
        let end = |end: f64| end.clamp(range[0].min(y), range[1].max(y));
        Some(Vertex { low: half.map(|half| end(y - half)), high: half.map(|half| end(y + half)), ..Vertex::at(x, y) })
    }
}

/// The standard errors in half an interval of 95 %, by the normal law.
fn in_interval() -> f64 {
    normal_quantile(0.975)
}

/// The unbounded range.
pub const ANYWHERE: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// The meaning of the bars and bands of a picture, if it has any.
#[must_use]
pub fn in_picture(sheet: &Sheet) -> Option<String> {
    let series = || sheet.chart.panels.iter().flat_map(|panel| &panel.series);
    let is_line = |series: &&Series| matches!(series.mark, Mark::Line | Mark::Hatched);
    let has = |wanted: bool| {
        let mut own = series().filter(|series| is_line(series) == wanted);
        own.any(|series| series.points.iter().any(|vertex| vertex.low.is_some() && vertex.high.is_some()))
    };
    let tiles = series().any(|series| matches!(series.mark, Mark::Tile { error: Some(_), .. }));
    let what = match (has(false), has(true)) {
        (true, true) => "Bars and bands",
        (true, false) => "Bars",
        (false, true) => "Bands",
        (false, false) => return tiles.then(|| in_cells(sheet)),
    };
    let meanings = format!("{what}: {}.", meanings(sheet).join("; "));
    Some(if tiles { format!("{meanings} {}", in_cells(sheet)) } else { meanings })
}

/// Whether some bars of a picture are over games and others over runs: they are then drawn differently.
#[must_use]
pub fn is_mixed(sheet: &Sheet) -> bool {
    let drawn =
        || sheet.points.iter().filter(|point| point.value.is_some() && point.uncertainty(sheet.errors).is_some());
    drawn().any(is_over_games) && drawn().any(|point| !is_over_games(point))
}

/// Maximum number of rows that are named after a kind of error.
const MOST_NAMES: usize = 4;

/// The meaning of errors in coloured cells.
fn in_cells(sheet: &Sheet) -> String {
    let has = |games: bool| sheet.points.iter().any(|point| point.error.is_some() && is_over_games(point) == games);
    let over = match [has(true), has(false)] {
        [true, false] => " over games",
        [false, true] => " over runs",
        _ => "",
    };
    format!("±: one standard error{over}.")
}

/// The meanings of the drawn errors of a sheet, without duplicates.
fn meanings(sheet: &Sheet) -> Vec<String> {
    let drawn =
        || sheet.points.iter().filter_map(|point| Some((point, point.value.and(point.uncertainty(sheet.errors))?)));
    let runs: BTreeSet<u64> =
        drawn().filter(|(point, _)| !is_over_games(point)).map(|(point, _)| point.n_runs).collect();
    let runs = match runs.iter().collect::<Vec<_>>()[..] {
        [&n] if n > 1 => format!("over {n} runs"),
        _ => "over runs".to_owned(),
    };
    let games = format!("over games{}", whose_games(sheet).unwrap_or_default());
    let series = || sheet.chart.panels.iter().flat_map(|panel| &panel.series);
    let over_games = |own: &Series| own.points.iter().any(|vertex| vertex.over_games);
    let is_line = |own: &Series| matches!(own.mark, Mark::Line | Mark::Hatched);
    let has_bars = |own: &Series| matches!(own.mark, Mark::Dot | Mark::Diamond | Mark::Cross | Mark::Bar);
    let is_mixed = is_mixed(sheet);
    let looks = match is_mixed {
        _ if series().any(|own| own.mark == Mark::Hatched) => "hatched, ",
        true if series().any(|own| is_line(own) && over_games(own)) => "hatched, ",
        true if series().any(|own| has_bars(own) && over_games(own)) => "broken, ",
        _ => "",
    };
    // Numbers that stand in the table alone.
    let are_games_drawn = !is_mixed || !looks.is_empty();
    let mut meanings: Vec<String> = Vec::new();
    for (point, uncertainty) in drawn().filter(|(point, _)| are_games_drawn || !is_over_games(point)) {
        let over = match point {
            _ if is_over_positions(point) => "over positions",
            _ if is_over_games(point) => &games,
            _ => &runs,
        };
        let looks = if is_over_games(point) { looks } else { "" };
        let meaning = match uncertainty {
            Uncertainty::Error(Spread { kind: ErrorKind::TwoSigma, .. }) => "two standard errors over games".to_owned(),
            Uncertainty::Error(Spread { kind: ErrorKind::StandardDeviation, .. }) => {
                "one standard deviation".to_owned()
            }
            Uncertainty::Error(_) => format!("one standard error {over}"),
            Uncertainty::Interval(interval) => format!("{} % intervals {over}", percent(interval.level)),
        };
        meanings.push(format!("{looks}{meaning}"));
    }
    let bars: Vec<f64> = sheet.points.iter().filter_map(|point| printed_bar(sheet, point)).collect();
    let has = |errors: f64| bars.iter().any(|bar| (bar / errors - 1.0).abs() < 1e-6);
    if has(1.0) {
        meanings.push("the paper's, one standard error".to_owned());
    }
    if has(in_interval()) {
        meanings.push("the paper's, 95 % by its standard error".to_owned());
    }
    if series().any(lacks_bars) {
        meanings.push("without a bar, no error is known".to_owned());
    }
    if meanings.is_empty() {
        let meaning = if sheet.errors.is_standard_error() { "one standard error" } else { "95 % intervals" };
        meanings.push(meaning.to_owned());
    }
    distinct(meanings)
}

/// The length of the drawn bar of a published value, in its standard errors; `None` without a bar.
fn printed_bar(sheet: &Sheet, point: &Point) -> Option<f64> {
    let Published { value, error: Some(error), .. } = point.published? else { return None };
    let series = sheet.chart.panels.iter().flat_map(|panel| &panel.series);
    let mut drawn = series.filter(|series| series.mark == Mark::Diamond).flat_map(|series| &series.points);
    let bar =
        drawn.find_map(|vertex| Some((value - vertex.low?).max(vertex.high? - value)).filter(|_| vertex.y == value));
    Some(bar? / error.size).filter(|_| error.kind == ErrorKind::StandardError)
}

/// Whether some points of a series have bars and others have none.
fn lacks_bars(series: &Series) -> bool {
    let is_point = matches!(series.mark, Mark::Dot | Mark::Diamond | Mark::Bar);
    let has = |wanted: bool| series.points.iter().any(|vertex| vertex.low.is_some() == wanted);
    is_point && has(true) && has(false)
}

/// In brackets, the few rows with errors over games, if other rows have errors over runs and none has both.
fn whose_games(sheet: &Sheet) -> Option<String> {
    let drawn = sheet.points.iter().filter(|point| point.value.is_some() && point.uncertainty(sheet.errors).is_some());
    let (games, runs): (Vec<&Point>, Vec<&Point>) = drawn.partition(|point| is_over_games(point));
    let [games, runs] = [games, runs].map(|own| distinct(own.into_iter().map(|point| point.row.as_str())));
    let is_told = !runs.is_empty() && games.len() <= MOST_NAMES && games.iter().all(|row| !runs.contains(row));
    is_told.then(|| format!(" ({})", games.iter().map(|row| sheet.names.row(row)).collect::<Vec<_>>().join("; ")))
}

/// Whether the error of a point is that of its games, or of its positions: it holds for these players alone.
#[must_use]
pub fn is_over_games(point: &Point) -> bool {
    point.error.is_some_and(|error| is_within_run(error.kind))
}

fn is_within_run(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Games | ErrorKind::TwoSigma | ErrorKind::Positions)
}

/// Whether the error of a point is that of its positions.
pub(super) fn is_over_positions(point: &Point) -> bool {
    point.error.is_some_and(|error| error.kind == ErrorKind::Positions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{blank_point, curves, scatter, small_table};

    fn point(n_runs: u64, kind: ErrorKind) -> Point {
        let interval = Some(ConfidenceInterval { low: 0.2, high: 1.0, level: 0.95 });
        Point { value: Some(0.9), error: Some(Spread { size: 0.2, kind }), interval, n_runs, ..blank_point() }
    }

    #[test]
    fn one_rule_decides_what_is_shown() {
        let shown =
            |n_runs, kind, errors| point(n_runs, kind).uncertainty(errors).map(|uncertainty| uncertainty.ends(0.9));
        let (error, interval) = (Some([0.7, 1.1]), Some([0.2, 1.0]));
        use ErrorBars::{Interval as Level, StandardError as One};
        assert_eq!(
            shown(5, ErrorKind::StandardError, One).map(|ends| ends.map(|end| (10.0 * end).round() / 10.0)),
            error
        );
        assert_eq!(shown(5, ErrorKind::StandardError, Level), interval);
        assert_eq!(shown(1, ErrorKind::Games, Level), interval);
        assert_eq!([One, Level].map(|errors| shown(1, ErrorKind::StandardError, errors)), [None, None]);
        assert_eq!(shown(1, ErrorKind::TwoSigma, One), shown(1, ErrorKind::TwoSigma, Level));
        let bare = Point { interval: None, ..point(5, ErrorKind::StandardError) };
        assert_eq!(bare.uncertainty(Level), bare.uncertainty(One));
    }

    #[test]
    fn no_bar_leaves_its_range() {
        let vertex = point(5, ErrorKind::StandardError).sideways(3.0, ErrorBars::StandardError, [0.0, 1.0]).unwrap();
        assert_eq!((vertex.x, vertex.y, vertex.high), (0.9, 3.0, Some(1.0)));
    }

    #[test]
    fn published_bars_are_of_the_kind_of_ours_and_named_only_if_drawn() {
        let published = Published { value: 0.97, error: Some(Spread::standard_error(0.01)), is_doubted: false };
        let point = Point { published: Some(published), ..point(5, ErrorKind::StandardError) };
        let drawn = |errors| point.printed_vertex(0.0, errors, [0.0, 1.0]).unwrap();
        let low = |errors| 0.97 - drawn(errors).low.unwrap();
        assert!((low(ErrorBars::StandardError) - 0.01).abs() < 1e-12);
        assert!((low(ErrorBars::Interval) - 0.019_599_64).abs() < 1e-8);
        let cut = point.printed_vertex(0.0, ErrorBars::Interval, [0.0, 0.975]).unwrap();
        assert_eq!(cut.high, Some(0.975));
        let said = |errors, marks: &[Mark]| {
            let mut sheet = Sheet { points: vec![point.clone()], errors, ..small_table() };
            let vertices = [point.vertex(0.0, errors, ANYWHERE).unwrap(), drawn(errors)];
            let series = marks
                .iter()
                .zip(vertices)
                .map(|(&mark, vertex)| Series::new("a", mark, 0, [vertex, Vertex::at(1.0, 0.4)]));
            sheet.chart.panels[0].series = series.collect();
            sheet.chart.panels.truncate(1);
            in_picture(&sheet).unwrap()
        };
        let bare = "; without a bar, no error is known.";
        let both = [Mark::Dot, Mark::Diamond];
        assert_eq!(said(ErrorBars::StandardError, &both[..1]), format!("Bars: one standard error over 5 runs{bare}"));
        let one = format!("Bars: one standard error over 5 runs; the paper's, one standard error{bare}");
        assert_eq!(said(ErrorBars::StandardError, &both), one);
        let level = format!("Bars: 95 % intervals over 5 runs; the paper's, 95 % by its standard error{bare}");
        assert_eq!(said(ErrorBars::Interval, &both), level);
    }

    #[test]
    fn every_picture_with_bars_says_what_they_are() {
        let said = |errors| in_picture(&Sheet { errors, ..small_table() });
        assert_eq!(
            said(ErrorBars::StandardError).as_deref(),
            Some("Bars: one standard error over 100 runs; the paper's, one standard error.")
        );
        let both =
            "Bars: 95 % intervals over 100 runs; one standard error over 100 runs; the paper's, one standard error.";
        assert_eq!(said(ErrorBars::Interval).as_deref(), Some(both));
        assert!(in_picture(&curves()).is_some_and(|said| said.starts_with("Bands: ")));
        assert_eq!(in_picture(&scatter()), None);
        let mut mixed = small_table();
        mixed.points[0] = Point { row: "uniform".to_owned(), ..point(5, ErrorKind::Games) };
        let alone = "Bars: one standard error over 100 runs; the paper's, one standard error.";
        assert_eq!(in_picture(&mixed).as_deref(), Some(alone), "no bar of the picture is over games");
        mixed.chart.panels[0].series[1].points[0].over_games = true;
        assert_eq!(
            in_picture(&mixed).as_deref(),
            Some(
                "Bars: broken, one standard error over games (uniform); one standard error over 100 runs; the paper's, one standard \
                 error."
            )
        );
    }
}
