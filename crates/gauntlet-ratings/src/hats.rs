//! Functions of players that change slowly along a coordinate: between some knots they are linear.
//!
//! The knots hold equal numbers of players. A player's weights are those of linear interpolation between the two
//! knots around it, and add up to 1.

use nalgebra::{DMatrix, DVector};

/// The knots around each player.
pub(super) struct Hats {
    /// Number of knots.
    pub(super) size: usize,
    /// For each player the lower knot, and the weight of the next one.
    place: Vec<(usize, f64)>,
}

impl Hats {
    /// Knots at players of evenly spread ranks. `coordinate` has a number for every parameter, `players` are those of
    /// the functions.
    pub(super) fn new(players: &[usize], coordinate: &[f64], size: usize) -> Hats {
        let mut order = players.to_vec();
        order.sort_by(|&one, &other| coordinate[one].total_cmp(&coordinate[other]));
        let last = size.saturating_sub(1).max(1);
        let knot = |at: usize| coordinate[order[at * (order.len() - 1) / last]];
        let mut place = vec![(0, 0.0); coordinate.len()];
        let mut lower = 0;
        for &player in &order {
            while lower + 2 < size && coordinate[player] > knot(lower + 1) {
                lower += 1;
            }
            let (from, to) = (knot(lower), knot(lower + 1));
            let share = if size > 1 && to > from { (coordinate[player] - from) / (to - from) } else { 0.0 };
            place[player] = (lower, share);
        }
        Hats { size, place }
    }

    /// The knots with a weight for a player.
    pub(super) fn of(&self, player: usize) -> impl Iterator<Item = (usize, f64)> {
        let (lower, share) = self.place[player];
        [(lower, 1.0 - share), (lower + 1, share)].into_iter().filter(|&(_, weight)| weight != 0.0)
    }

    /// Adds a player's part of a sum over players.
    pub(super) fn add(&self, sum: &mut DVector<f64>, player: usize, value: f64) {
        self.of(player).for_each(|(knot, weight)| sum[knot] += weight * value);
    }

    /// Adds an entry of a matrix over players.
    pub(super) fn add_entry(&self, matrix: &mut DMatrix<f64>, row: usize, column: usize, value: f64) {
        for (knot, weight) in self.of(row) {
            self.of(column).for_each(|(other, share)| matrix[(knot, other)] += weight * share * value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_are_linear_in_the_coordinate_are_met() {
        let coordinate: Vec<f64> = (0..100).map(|k| f64::from(k * 37 % 100).powi(3)).collect();
        let players: Vec<usize> = (0..100).filter(|k| k % 7 != 0).collect();
        for size in [1, 2, 3, 20] {
            let hats = Hats::new(&players, &coordinate, size);
            // The knots' own coordinates, from the players at which a single knot counts.
            let mut knots = vec![f64::NAN; size];
            for &player in &players {
                let weights: Vec<(usize, f64)> = hats.of(player).collect();
                assert!((weights.iter().map(|(_, weight)| weight).sum::<f64>() - 1.0).abs() < 1e-12);
                assert!(weights.iter().all(|&(knot, weight)| knot < size && weight > 0.0));
                if let [(knot, _)] = weights[..] {
                    knots[knot] = coordinate[player];
                }
            }
            assert!(knots.iter().all(|knot| knot.is_finite()), "{size}: each knot is a player");
            let of = |player: usize| hats.of(player).map(|(knot, weight)| weight * knots[knot]).sum::<f64>();
            let is_met = |&player: &usize| size == 1 || (of(player) - coordinate[player]).abs() < 1e-6;
            assert!(players.iter().all(is_met), "{size}");
        }
    }

    #[test]
    fn players_of_one_coordinate_share_a_knot() {
        let hats = Hats::new(&[0, 1, 2], &[4.0; 3], 3);
        assert!((0..3).all(|player| hats.of(player).map(|(_, weight)| weight).sum::<f64>() == 1.0));
    }
}
