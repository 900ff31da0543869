//! The separately rated tournament of one run, and means over such runs with errors over trainings.

use super::estimate::{LEVEL, at_level};
use super::league::{RatingPool, seeds};
use super::sheet::{Axis, Mark, Panel, Point, Series, Spread};
use super::uncertainty::ANYWHERE;
use super::{ErrorBars, Fact, blank, config_ids};
use gauntlet_ratings::Ladder;
use gauntlet_ratings::intervals::{mean, standard_error, student_t};
use gauntlet_ratings::wls::{Errors, wls};

/// Mean rating of a group without the anchor.
pub const MEAN: f64 = 1000.0;

/// Index of the weighted least squares ratings of the AlphaGateau paper.
pub const LEAST_SQUARES: usize = 0;
/// Index of the maximum likelihood ratings.
pub const LIKELIHOOD: usize = 1;
/// The label of the axis of ratings.
pub const RATING: &str = "rating in Elo";
/// The names of these estimators, as columns and panels.
pub const ESTIMATORS: [&str; 2] = ["Weighted least squares", "Maximum likelihood"];

/// One run's tournament with its two ladders.
pub struct RatedRun {
    /// The seed of the run.
    pub seed: u64,
    /// Its players and games.
    pub league: RatingPool,
    /// Its ladders by [`LEAST_SQUARES`] and [`LIKELIHOOD`].
    ladders: [Option<Ladder>; 2],
}

impl RatedRun {
    /// Rates a tournament.
    pub fn new((seed, league): (u64, RatingPool)) -> RatedRun {
        let squares = wls(&league.table, Errors::FixedScale, MEAN);
        let ladders = [Some(squares), league.ladder()];
        RatedRun { seed, league, ladders }
    }

    /// The index of a player.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.league.names.iter().position(|known| known == name)
    }

    /// The rating difference between two players.
    pub fn difference(&self, estimator: usize, name: &str, from: &str) -> Option<f64> {
        let (own, other) = (self.place(name)?, self.place(from)?);
        if own == other {
            return Some(0.0);
        }
        Some(self.ladders[estimator].as_ref()?.difference(own, other)?.elo)
    }

    /// Games of a player.
    pub fn games(&self, name: &str) -> u64 {
        self.place(name).map_or(0, |own| self.league.total(own).games())
    }

    /// The largest group of players linked by wins and draws in both directions.
    fn linked(&self) -> &[usize] {
        let groups = self.ladders[LIKELIHOOD].as_ref().map_or(&[][..], Ladder::groups);
        // The first of equally large ones.
        groups.iter().rev().max_by_key(|group| group.players.len()).map_or(&[], |group| &group.players)
    }

    /// The names of these players.
    pub fn linked_names(&self) -> impl Iterator<Item = &String> {
        self.linked().iter().map(|&player| &self.league.names[player])
    }

    /// The rating of a linked player, such that the linked players among `averaged`, at least one, average to [`MEAN`].
    pub fn rating(&self, estimator: usize, name: &str, averaged: &[String]) -> Option<f64> {
        let ladder = self.ladders[estimator].as_ref()?;
        let linked = |name: &str| self.place(name).filter(|player| self.linked().contains(player));
        let ratings: Option<Vec<f64>> = averaged.iter().map(|name| ladder.rating(linked(name)?)).collect();
        Some(MEAN + ladder.rating(linked(name)?)? - mean(&ratings?)?)
    }
}

/// The heading of the panel of some runs; empty if there is one panel.
pub fn heading(runs: &[RatedRun]) -> &str {
    runs.first().map_or("", |run| &run.league.title)
}

/// A panel of players from top to bottom, with their ratings by both estimators.
pub fn both_ratings(
    title: &str,
    names: Vec<String>,
    errors: ErrorBars,
    rating: impl Fn(usize, usize) -> Point,
) -> Panel {
    let series = |name, mark, colour, estimator| {
        let vertex = |at| rating(estimator, at).sideways(at as f64, errors, ANYWHERE);
        Series::new(name, mark, colour, (0..names.len()).filter_map(vertex))
    };
    let series = [
        series("maximum likelihood", Mark::Dot, 0, LIKELIHOOD),
        series("weighted least squares", Mark::Diamond, 1, LEAST_SQUARES),
    ];
    Panel::new(title, Axis::linear(RATING), Axis::categories("", names), series)
}

/// The mean of a number over the runs that have it, each with its games, and its error over these runs.
pub fn mean_over_runs(
    runs: &[RatedRun],
    facts: &[Fact<'_>],
    number: impl Fn(&RatedRun) -> Option<f64>,
    games: impl Fn(&RatedRun) -> u64,
    [metric, row, column]: [&str; 3],
) -> Point {
    let number_and_games = |run: &RatedRun| Some((number(run)?, games(run)));
    let (values, games): (Vec<f64>, Vec<u64>) = runs.iter().filter_map(number_and_games).unzip();
    Point {
        value: mean(&values),
        error: standard_error(&values).map(Spread::standard_error),
        interval: student_t(&values, LEVEL).map(at_level),
        n_runs: values.len() as u64,
        n_requested: seeds(facts),
        n_games: games.iter().sum(),
        config_ids: config_ids(facts),
        ..blank(metric, row, column)
    }
}
