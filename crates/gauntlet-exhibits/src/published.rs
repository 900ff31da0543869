//! Published numbers beside measured ones, and the verdicts whether they agree.

use super::axis_names::AxisNames;
use super::context::{Basis, Context};
use super::estimate::share_error;
use super::number::DOUBTED;
use super::printed::{self, ImpliedError, PrintedNumbers};
use super::sheet::{Agreement, Point, Published, Spread};
use gauntlet_ratings::correlation::fisher_error;
use gauntlet_ratings::{Tally, WinMatrix};

/// The two halves of a cell of rates.
pub(super) const HALVES: [&str; 2] = ["win", "lose"];

impl Context<'_> {
    /// Adds the published number of a point's cell, with the verdict.
    pub(super) fn with_published(&self, point: Point) -> Point {
        let mut point = self.recorded(point);
        let printed = if self.published { self.facts.printed } else { &[] };
        if let Some((value, implied)) = printed::number(printed, &point.metric, &point.row, &point.column) {
            let error = self.implied_error(&point, value, implied).map(Spread::standard_error);
            let is_doubted = printed::doubt(printed, &point.metric, &point.row, &point.column).is_some();
            point.published = Some(Published { value, error, is_doubted });
            point.verdict = self.is_judged(&point, error).then(|| self.verdict(&point, value, error));
        }
        point
    }

    /// The reasons to doubt the published numbers that are shown.
    #[must_use]
    pub fn doubts(&self, points: &[Point], names: &AxisNames) -> Vec<String> {
        let doubt = |point: &Point| {
            let doubt = printed::doubt(self.facts.printed, &point.metric, &point.row, &point.column)?;
            Some(format!("{DOUBTED} {}: {doubt}", names.place(&point.row, &point.column)))
        };
        points.iter().filter(|point| point.published.is_some()).filter_map(doubt).collect()
    }

    /// The standard error of a printed number in a point's cell.
    fn implied_error(&self, point: &Point, value: f64, implied: ImpliedError) -> Option<f64> {
        match implied {
            ImpliedError::Unknown => None,
            ImpliedError::Printed { size } => Some(size),
            ImpliedError::Fisher { n } => fisher_error(value, n as usize),
            ImpliedError::Binomial { n } => share_error(value, u64::from(n)),
            ImpliedError::Rates { n } => printed_error(self.facts.printed, u64::from(n), &point.row, &point.column),
        }
    }

    /// Whether a verdict is meaningful: not if both errors are unknown, unless the numbers were counted.
    fn is_judged(&self, point: &Point, published_error: Option<Spread>) -> bool {
        let is_compared = self.comparable && point.value.is_some();
        !is_compared || self.basis == Basis::Counts || point.error.or(published_error).is_some()
    }

    /// Agreement within twice the combined standard error, or within the rounding of a printed number without an error;
    /// nothing is judged at another scale. Of the errors over runs and over their games, the larger one counts.
    pub(super) fn verdict(&self, point: &Point, published: f64, published_error: Option<Spread>) -> Agreement {
        let (Some(value), true) = (point.value, self.comparable) else { return Agreement::NotComparable };
        let size = |spread: Option<Spread>| spread.map_or(0.0, |spread| spread.size);
        let rounding = match published_error {
            None => printed::rounding(self.facts.printed, &point.metric, &point.row).unwrap_or(0.0),
            Some(_) => 0.0,
        };
        let most = (2.0 * point.larger_error()).hypot(2.0 * size(published_error)).hypot(rounding * (1.0 + 1e-9));
        if (value - published).abs() <= most { Agreement::Agrees } else { Agreement::Differs }
    }
}

/// The error of a printed score of `a` against `b` implied by the printed rates of `games` games with each colour;
/// `None` for a player against itself, whose score is always 0.
fn printed_error(printed: &[PrintedNumbers], games: u64, b: &str, a: &str) -> Option<f64> {
    if a == b {
        return None;
    }
    let tally = |black: &str, white: &str| {
        let count = |half: &str| {
            let (rate, _) = printed::number(printed, &format!("{half} rate"), white, &format!("{black} / {half}"))?;
            Some((rate * games as f64).round() as u64)
        };
        let [wins, losses] = [count(HALVES[0])?, count(HALVES[1])?];
        Some(Tally::new(wins, games.checked_sub(wins + losses)?, losses))
    };
    let mut wins = WinMatrix::new(2);
    wins.add(0, 1, tally(a, b)?);
    wins.add(1, 0, tally(b, a)?);
    wins.score(0, 1)?.error
}
