//! The CSV of an exhibit, read again: its points, and the verdicts on its criteria. It reads the output of
//! [`csv`](super::csv).

use super::csv::{AGREEMENTS, ERROR_KINDS};
use super::published_runs::{plain, records};
use super::sheet::{ConfidenceInterval, Point, Published, Spread};
use gauntlet_exhibits::estimate::LEVEL;

/// The rows of a CSV.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedSheet {
    /// The points.
    pub points: Vec<Point>,
    /// The gains of its criteria, with their verdicts in words.
    pub criteria: Vec<(String, Point)>,
}

/// The words of verdicts on criteria.
const VERDICTS: [&str; 4] = ["met", "not-met", "undecided", "not-measured"];

/// Reads a CSV; `None` if it is none of an exhibit.
#[must_use]
pub fn read(text: &str) -> Option<RecordedSheet> {
    let mut rows = records(text).into_iter();
    let headings = rows.next()?;
    let place = |name: &str| headings.iter().position(|heading| heading == name);
    let mut sheet = RecordedSheet { points: Vec::new(), criteria: Vec::new() };
    for row in rows {
        let cell = |name: &str| place(name).and_then(|at| row.get(at)).map(String::as_str).unwrap_or_default();
        place("artefact").and(place("config_ids"))?;
        let (point, verdict) = (point(&cell)?, cell("verdict"));
        match VERDICTS.contains(&verdict) {
            true => sheet.criteria.push((verdict.replace('-', " "), point)),
            false => sheet.points.push(Point { verdict: named(&AGREEMENTS, verdict), ..point }),
        }
    }
    Some(sheet)
}

fn point<'a>(cell: &impl Fn(&str) -> &'a str) -> Option<Point> {
    let number = |name: &str| cell(name).parse::<f64>().ok();
    let count = |name: &str| cell(name).parse::<u64>().ok();
    let text = |name: &str| plain(cell(name));
    let spread = |name: &str, kind: &str| Some(Spread { size: number(name)?, kind: named(&ERROR_KINDS, cell(kind))? });
    let interval = number("interval_low").zip(number("interval_high"));
    let published = number("published").map(|value| Published {
        value,
        error: spread("published_error", "published_error_kind"),
        is_doubted: false,
    });
    Some(Point {
        row: text("row"),
        column: text("column"),
        x: number("x"),
        metric: text("metric"),
        value: number("value"),
        error: spread("error", "error_kind"),
        interval: interval.map(|(low, high)| ConfidenceInterval { low, high, level: LEVEL }),
        n_runs: count("n_runs")?,
        n_requested: count("n_requested")?,
        n_games: count("n_games")?,
        published,
        verdict: None,
        config_ids: cell("config_ids").split_whitespace().map(str::to_owned).collect(),
        floor: number("error_over_games"),
        text: Some(text("text")).filter(|text| !text.is_empty()),
    })
}

/// The first item that a list gives this word.
fn named<T: Copy>(words: &[(T, &str)], word: &str) -> Option<T> {
    words.iter().find(|(_, own)| *own == word).map(|(item, _)| *item)
}

/// The first point in which a drawn sheet differs from its CSV, as a sentence; `None` if it shows the same numbers.
#[must_use]
pub fn first_difference(drawn: &[Point], recorded: &[Point]) -> Option<String> {
    let cell = |point: &Point| format!("{} of {}, {}", point.metric, point.row, point.column);
    let same = |one: Option<f64>, other: Option<f64>| one == other || one.zip(other).is_some_and(|(a, b)| near(a, b));
    let error = |point: &Point| point.error.map(|error| error.size);
    let is_same = |(one, other): &(&Point, &Point)| {
        (&one.metric, &one.row, &one.column) == (&other.metric, &other.row, &other.column)
            && same(one.x, other.x)
            && same(one.value, other.value)
            && same(error(one), error(other))
    };
    let differs = drawn.iter().zip(recorded).find(|pair| !is_same(pair));
    match differs {
        Some((one, other)) => Some(format!("today's program shows {} where the CSV has {}", cell(one), cell(other))),
        None if drawn.len() != recorded.len() => {
            Some(format!("today's program shows {} numbers, and the CSV has {}", drawn.len(), recorded.len()))
        }
        None => None,
    }
}

/// Whether two numbers are equal but for the rounding of their computation.
fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs()).max(1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{csv, samples};

    #[test]
    fn the_written_numbers_are_read() {
        let sheet = samples::small_table();
        let text = String::from_utf8(csv::render(&sheet).unwrap()).unwrap();
        let read = read(&text).unwrap();
        let forgotten = |point: &Point| Point {
            published: point.published.map(|one| Published { is_doubted: false, ..one }),
            ..point.clone()
        };
        assert_eq!(read.points, sheet.points.iter().map(forgotten).collect::<Vec<_>>());
        assert!(read.criteria.is_empty() && first_difference(&sheet.points, &read.points).is_none());
        let mut other = sheet.points.clone();
        other[1].value = other[1].value.map(|value| value + 0.001);
        assert!(first_difference(&other, &read.points).unwrap().starts_with("today's program shows "));
        other.pop();
        assert!(first_difference(&sheet.points[1..], &read.points).is_some());
        assert_eq!(super::read("a,b\n1,2\n"), None);
    }
}
