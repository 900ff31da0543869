//! The result of every estimator: ratings with a covariance, group by group.
//!
//! Players without linking games have no common zero, so a [`Ladder`] consists of groups, each with its own mean. An
//! error that cannot be estimated is `None`; it is never 0 and never infinite.

use super::elo::EloEstimate;
use super::group_covariance::GroupCovariance;

/// Players who can be compared with one another.
#[derive(Debug, Clone)]
pub struct Group {
    /// Their indices, ascending.
    pub players: Vec<usize>,
    /// Their ratings in Elo, in the same order.
    pub ratings: Vec<f64>,
    /// Covariance of these ratings, in Elo squared, relative to the group's mean (or its anchors); `None` if the data
    /// do not determine it.
    pub covariance: Option<GroupCovariance>,
    /// Degrees of freedom: meetings minus free ratings. 0 when the pairings form a tree.
    pub df: usize,
    /// Whether given ratings, instead of a mean, determine its zero.
    pub anchored: bool,
}

/// Ratings of all players of a table.
#[derive(Debug, Clone)]
pub struct Ladder {
    groups: Vec<Group>,
    places: Vec<Option<(usize, usize)>>,
}

impl Ladder {
    pub(super) fn new(n_players: usize, groups: Vec<Group>) -> Ladder {
        let mut places = vec![None; n_players];
        for (g, group) in groups.iter().enumerate() {
            group.players.iter().enumerate().for_each(|(k, &player)| places[player] = Some((g, k)));
        }
        Ladder { groups, places }
    }

    /// The groups, in order of their first player. Players without a comparable opponent are in none.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Whether all players are in one group.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.groups.len() == 1 && self.places.iter().all(Option::is_some)
    }

    /// Number of players, rated or not.
    #[must_use]
    pub fn n_players(&self) -> usize {
        self.places.len()
    }

    /// The group of a player; `None` for an unrated player.
    #[must_use]
    pub fn group_of(&self, player: usize) -> Option<usize> {
        self.places[player].map(|(group, _)| group)
    }

    /// A player's rating in Elo; `None` for an unrated player.
    #[must_use]
    pub fn rating(&self, player: usize) -> Option<f64> {
        self.places[player].map(|(group, k)| self.groups[group].ratings[k])
    }

    /// One standard error of a rating, relative to the mean of the group (or its anchors). For two players use
    /// [`Ladder::difference`]: their errors are correlated.
    #[must_use]
    pub fn error(&self, player: usize) -> Option<f64> {
        let (group, k) = self.places[player]?;
        positive_root(self.groups[group].covariance.as_ref()?.variance(k))
    }

    /// The result of [`Ladder::error`] for every player, much faster for thousands. Calls `done` after every few.
    #[must_use]
    pub fn errors(&self, done: &(dyn Fn(usize) + Sync)) -> Vec<Option<f64>> {
        let mut errors = vec![None; self.places.len()];
        for group in &self.groups {
            let variances = group.covariance.as_ref().map(|covariance| covariance.all_variances(done));
            for (&player, variance) in group.players.iter().zip(variances.into_iter().flatten()) {
                errors[player] = positive_root(variance);
            }
        }
        errors
    }

    /// A player's rating with its error.
    #[must_use]
    pub fn estimate(&self, player: usize) -> Option<EloEstimate> {
        Some(EloEstimate { elo: self.rating(player)?, error: self.error(player) })
    }

    /// The rating difference of `a` over `b`; `None` if they are in different groups or are the same.
    #[must_use]
    pub fn difference(&self, a: usize, b: usize) -> Option<EloEstimate> {
        let ((group_a, i), (group_b, j)) = (self.places[a]?, self.places[b]?);
        if group_a != group_b || a == b {
            return None;
        }
        let group = &self.groups[group_a];
        let variance = group.covariance.as_ref().map(|covariance| covariance.variance_of_difference(i, j));
        Some(EloEstimate { elo: group.ratings[i] - group.ratings[j], error: variance.and_then(positive_root) })
    }

    /// The same ladder with another zero: in every group without anchors, the counted players average to `mean`, and
    /// errors are relative to their average. If a group has no counted player, all of its players count.
    #[must_use]
    pub fn centred_on(&self, mean: f64, counts: impl Fn(usize) -> bool) -> Ladder {
        let mut ladder = self.clone();
        ladder.groups.iter_mut().filter(|group| !group.anchored).for_each(|group| group.centre(mean, &counts));
        ladder
    }

    /// The ladder stretched by `factor` about the mean of every group, errors included.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Ladder {
        let mut ladder = self.clone();
        for group in &mut ladder.groups {
            let mean = group.ratings.iter().sum::<f64>() / group.ratings.len() as f64;
            group.ratings.iter_mut().for_each(|rating| *rating = mean + factor * (*rating - mean));
            group.covariance = group.covariance.take().map(|covariance| covariance.times(factor.powi(2)));
        }
        ladder
    }
}

impl Group {
    fn centre(&mut self, mean: f64, counts: impl Fn(usize) -> bool) {
        let all: Vec<usize> = (0..self.players.len()).collect();
        let mut counted: Vec<usize> = all.iter().copied().filter(|&k| counts(self.players[k])).collect();
        if counted.is_empty() {
            counted = all;
        }
        let shift = mean - counted.iter().map(|&k| self.ratings[k]).sum::<f64>() / counted.len() as f64;
        self.ratings.iter_mut().for_each(|rating| *rating += shift);
        if let Some(covariance) = &mut self.covariance {
            covariance.centre(&counted);
        }
    }
}

/// The root of a variance; `None` for rounding noise around zero (anchored players, an advantage with only draws).
pub(super) fn positive_root(variance: f64) -> Option<f64> {
    (variance > 1e-12).then(|| variance.sqrt())
}
