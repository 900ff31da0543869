//! Counts of pairs of games by points: the input of every decision.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use gauntlet_ratings::sprt::MatchCounts;

/// The numbers of pairs with 0, 1/2, 1, 3/2 and 2 points.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pairs(pub [u64; 5]);

impl Pairs {
    /// Number of pairs.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The sum of both.
    #[must_use]
    pub fn with(self, other: Pairs) -> Pairs {
        Pairs(std::array::from_fn(|i| self.0[i] + other.0[i]))
    }

    /// The points, in halves, of a pair that a candidate and a baseline have both played against the same opponent
    /// from the same opening, given the half points of each in its two games. A game counts as won if the candidate's
    /// has more points, as drawn if both have the same.
    #[must_use]
    pub fn points_compared(ours: [u8; 2], theirs: [u8; 2]) -> usize {
        let game = |at: usize| match ours[at].cmp(&theirs[at]) {
            Ordering::Less => 0,
            Ordering::Equal => 1,
            Ordering::Greater => 2,
        };
        game(0) + game(1)
    }

    /// The same counts, for the tests.
    #[must_use]
    pub fn results(&self) -> MatchCounts {
        MatchCounts::Pentanomial(self.0)
    }

    /// Mean score per game, in `[0, 1]`; `None` without pairs.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        let points: u64 = self.0.iter().zip(0..).map(|(count, points)| count * points).sum();
        (self.total() > 0).then(|| points as f64 / (4 * self.total()) as f64)
    }

    /// Standard deviation of a pair's mean score, never 0: one total loss and one total win are added, so that a
    /// clean sweep has uncertainty too (as in [`gauntlet_ratings::two_sample`]).
    #[must_use]
    pub fn sd(&self) -> f64 {
        let enlarged = self.with(Pairs([1, 0, 0, 0, 1]));
        let n = enlarged.total() as f64;
        let mean = enlarged.score().expect("two pairs were added");
        let square = |(count, points): (&u64, u32)| *count as f64 * (f64::from(points) / 4.0 - mean).powi(2);
        (enlarged.0.iter().zip(0..).map(square).sum::<f64>() / (n - 1.0)).sqrt()
    }
}

impl FromIterator<usize> for Pairs {
    /// Counts pairs by their points, in halves: 0 to 4.
    fn from_iter<I: IntoIterator<Item = usize>>(points: I) -> Pairs {
        let mut pairs = Pairs::default();
        points.into_iter().for_each(|points| pairs.0[points] += 1);
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_of_the_same_opening_are_compared() {
        let pairs = [([2, 0], [2, 0]), ([1, 1], [0, 0]), ([2, 2], [0, 2]), ([0, 0], [2, 1]), ([2, 0], [0, 2])];
        assert_eq!(pairs.map(|(ours, theirs)| Pairs::points_compared(ours, theirs)), [2, 4, 3, 0, 2]);
    }

    #[test]
    fn counts_have_a_score_and_a_spread() {
        let pairs: Pairs = [0, 4, 4, 2].into_iter().collect();
        assert_eq!(pairs, Pairs([1, 0, 1, 0, 2]));
        assert_eq!(pairs.score(), Some(0.625));
        assert_eq!(Pairs::default().score(), None);
        assert!(Pairs([0, 0, 0, 0, 50]).sd() > 0.0);
        // Two outcomes, equally often: a standard deviation of one half.
        assert!((Pairs([500, 0, 0, 0, 500]).sd() - 0.5).abs() < 1e-3);
    }
}
