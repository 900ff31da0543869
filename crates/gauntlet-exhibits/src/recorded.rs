//! Numbers of an exhibit as its CSV has them: pictures are drawn again from them, without the results.

use super::context::Context;
use super::sheet::Point;

impl Context<'_> {
    /// A point with the recorded numbers of its cell, if the picture is drawn from a CSV.
    #[must_use]
    pub fn recorded(&self, point: Point) -> Point {
        let Some(all) = self.facts.recorded else { return point };
        let is_it = |other: &&Point| {
            (&other.metric, &other.row, &other.column) == (&point.metric, &point.row, &point.column)
                && (point.x.is_none() || point.x == other.x)
        };
        let Some(found) = all.iter().find(is_it) else { return point };
        let Point { value, error, interval, n_runs, n_requested, n_games, config_ids, floor, text, .. } = found.clone();
        Point { value, error, interval, n_runs, n_requested, n_games, config_ids, floor, text, ..point }
    }

    /// The recorded points of a kind, in order; `None` if the picture is drawn from results.
    pub(super) fn recorded_where(&self, holds: impl Fn(&Point) -> bool) -> Option<Vec<Point>> {
        Some(self.facts.recorded?.iter().filter(|point| holds(point)).cloned().collect())
    }
}
