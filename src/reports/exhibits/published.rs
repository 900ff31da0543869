//! Published numbers beside measured ones, and whether the two agree.

use super::Scene;
use super::estimate::share_error;
use crate::manifest::exhibit::Show;
use crate::manifest::paper::{ImpliedError, Paper};
use crate::reports::number::DOUBTED;
use crate::reports::sheet::{Point, Published, Spread, Verdict};
use gauntlet_ratings::correlation::fisher_error;
use gauntlet_ratings::{Tally, WinMatrix};

/// The two halves of a cell of rates.
pub(super) const HALVES: [&str; 2] = ["win", "lose"];

impl Scene<'_> {
    /// Puts the published number of a point's place beside it, with the verdict.
    pub(super) fn with_published(&self, mut point: Point) -> Point {
        let paper = self.facts.plan().written.paper.as_ref().filter(|_| self.exhibit.published);
        if let Some((value, implied)) = paper.and_then(|paper| paper.number(&point.metric, &point.row, &point.column)) {
            let error = self.implied_error(&point, value, implied).map(Spread::standard_error);
            let is_doubted = paper.is_some_and(|paper| paper.doubt(&point.metric, &point.row, &point.column).is_some());
            point.published = Some(Published { value, error, is_doubted });
            point.verdict = self.is_judged(&point, error).then(|| self.verdict(&point, value, error));
        }
        point
    }

    /// What is wrong with published numbers that are shown.
    pub(super) fn doubts(&self, points: &[Point]) -> Vec<String> {
        let paper = self.facts.plan().written.paper.as_ref();
        let doubt = |point: &Point| {
            let doubt = paper?.doubt(&point.metric, &point.row, &point.column)?;
            Some(format!("{DOUBTED} {}, {}: {doubt}", point.row, point.column))
        };
        points.iter().filter(|point| point.published.is_some()).filter_map(doubt).collect()
    }

    /// The standard error of a printed number in the place of a point.
    fn implied_error(&self, point: &Point, value: f64, implied: ImpliedError) -> Option<f64> {
        match implied {
            ImpliedError::Unknown => None,
            ImpliedError::Printed { size } => Some(size),
            ImpliedError::Fisher { n } => fisher_error(value, n as usize),
            ImpliedError::Binomial { n } => share_error(value, u64::from(n)),
            ImpliedError::Rates { n } => {
                let paper = self.facts.plan().written.paper.as_ref()?;
                printed_error(paper, u64::from(n), &point.row, &point.column)
            }
        }
    }

    /// Whether a verdict says something: not of two numbers whose errors are both unknown, unless they were counted.
    fn is_judged(&self, point: &Point, published_error: Option<Spread>) -> bool {
        let is_compared = self.comparable && point.value.is_some();
        let is_counted =
            matches!(&self.exhibit.show, Show::Numbers(show) if show.numbers.iter().all(|named| named.per.is_none()));
        !is_compared || is_counted || point.error.or(published_error).is_some()
    }

    /// Agreement within twice the combined standard error; nothing is judged at another scale.
    pub(super) fn verdict(&self, point: &Point, published: f64, published_error: Option<Spread>) -> Verdict {
        let (Some(value), true) = (point.value, self.comparable) else { return Verdict::NotComparable };
        let size = |spread: Option<Spread>| spread.map_or(0.0, |spread| spread.size);
        let combined = size(point.error).hypot(size(published_error));
        if (value - published).abs() <= 2.0 * combined { Verdict::Agrees } else { Verdict::Differs }
    }
}

/// The error of a printed score of `a` against `b` that the printed rates of `games` games with each colour imply; none
/// for a player against itself, whose score is 0 whatever its games.
fn printed_error(paper: &Paper, games: u64, b: &str, a: &str) -> Option<f64> {
    if a == b {
        return None;
    }
    let tally = |black: &str, white: &str| {
        let count = |half: &str| {
            let (rate, _) = paper.number(&format!("{half} rate"), white, &format!("{black} / {half}"))?;
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
