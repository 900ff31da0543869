//! Tests of the laws of weighted least squares, over the random tables of [`laws`](super::laws).

use super::dense::{Matrix, inverse_of, times};
use super::laws::{TABLES, assert_same, same, table, tournament};
use super::plain::groups;
use gauntlet_games::base::Seed;
use gauntlet_ratings::compare::{ELO_PER_LOGIT, EloEstimate};
use gauntlet_ratings::wls::{Errors, anchored_wls};
use gauntlet_ratings::{Ladder, MatchTable};
use rand::RngExt as _;

/// The normal equations of the paper's Eq. 11 and 15, solved densely with one player of each group at 0.
struct Squares {
    groups: Vec<usize>,
    elo: Vec<f64>,
    /// The inverse of the weighted normal equations.
    inverse: Matrix,
    /// Mean squared weighted residual and degrees of freedom, by group.
    scale: Vec<(f64, f64)>,
}

/// Players, explained difference and weight.
type Row = (usize, usize, f64, f64);

fn rows(table: &MatchTable) -> Vec<Row> {
    let row = |meeting: &gauntlet_ratings::Meeting| {
        let (points, games) = (meeting.total().points(), meeting.total().games() as f64);
        let p = (points + 0.5) / (games + 1.0);
        (meeting.a, meeting.b, -ELO_PER_LOGIT * (1.0 / p - 1.0).ln(), games * p * (1.0 - p) / ELO_PER_LOGIT.powi(2))
    };
    table.meetings().map(row).collect()
}

fn solve(table: &MatchTable, anchors: &[(usize, f64)]) -> Squares {
    let (n, groups, rows) = (table.n_players(), groups(table, false, anchors), rows(table));
    let mut elo = vec![0.0; n];
    anchors.iter().for_each(|anchor| elo[anchor.0] = anchor.1 - anchors[0].1);
    let is_anchored = |player: usize| anchors.iter().any(|anchor| groups[anchor.0] == groups[player]);
    let stays = |player: usize| match is_anchored(player) {
        true => anchors.iter().any(|anchor| anchor.0 == player),
        false => groups[player] == player,
    };
    let free: Vec<usize> = (0..n).filter(|&player| !stays(player)).collect();
    let (mut normal, mut right) = (vec![vec![0.0; n]; n], vec![0.0; n]);
    for &(a, b, y, weight) in &rows {
        for (i, left) in [(a, 1.0), (b, -1.0)] {
            right[i] += left * weight * (y - elo[a] + elo[b]);
            [(a, 1.0), (b, -1.0)].iter().for_each(|(j, sign)| normal[i][*j] += left * sign * weight);
        }
    }
    let inverse = inverse_of(&normal, &free).expect("free players are linked");
    times(&inverse, &right).iter().zip(&mut elo).for_each(|(step, elo)| *elo += step);
    let misfit = |&(a, b, y, weight): &Row| weight * (y - elo[a] + elo[b]).powi(2);
    let of = |group: usize| {
        let own: Vec<&Row> = rows.iter().filter(|row| groups[row.0] == group).collect();
        let df = own.len() as f64 - free.iter().filter(|&&player| groups[player] == group).count() as f64;
        (own.into_iter().map(misfit).sum::<f64>() / df, df)
    };
    let scale = (0..n).map(of).collect();
    Squares { groups, elo, inverse, scale }
}

impl Squares {
    fn difference(&self, a: usize, b: usize, errors: Errors) -> Option<EloEstimate> {
        let c = &self.inverse;
        let (scale, df) = self.scale[self.groups[a]];
        let scale = match errors {
            Errors::FixedScale => Some(1.0),
            Errors::ResidualScaled => (df > 0.5 && scale > 1e-12).then_some(scale),
        };
        let variance = scale.map(|scale| scale * (c[a][a] + c[b][b] - 2.0 * c[a][b]));
        let error = variance.filter(|variance| *variance > 1e-9).map(f64::sqrt);
        let together = a != b && self.groups[a] == self.groups[b];
        together.then_some(EloEstimate { elo: self.elo[a] - self.elo[b], error })
    }

    fn assert_found(&self, ladder: &Ladder, errors: Errors, what: &str) {
        for (a, b) in (0..ladder.n_players()).flat_map(|a| (0..ladder.n_players()).map(move |b| (a, b))) {
            let (found, expected) = (ladder.difference(a, b), self.difference(a, b, errors));
            assert!(same(found, expected), "{what}: {a} {b} {found:?} {expected:?}");
        }
    }
}

#[test]
fn least_squares_are_the_textbook_s_and_depend_on_no_zero() {
    for round in 0..TABLES {
        let mut rng = Seed::new(104).child("table", round).rng();
        let (n, entries) = tournament(&mut rng);
        let plain = table(n, &entries, 1, |k| k);
        let errors = if rng.random_bool(0.5) { Errors::FixedScale } else { Errors::ResidualScaled };
        let mean = rng.random_range(-3000.0..3000.0);
        let anchors: Vec<(usize, f64)> =
            (0..rng.random_range(0..3)).map(|k| (k, rng.random_range(0.0..2000.0))).take(n).collect();
        let what = format!("{round}: {errors:?} {mean} {anchors:?}");
        let found = anchored_wls(&plain, errors, mean, &anchors);
        solve(&plain, &anchors).assert_found(&found, errors, &what);

        let far = 10_f64.powf(rng.random_range(0.0..6.0));
        let moved: Vec<(usize, f64)> = anchors.iter().map(|anchor| (anchor.0, anchor.1 - far)).collect();
        assert_same(&found, &anchored_wls(&plain, errors, mean + far, &moved), |k| k, &what);
        let free = anchored_wls(&plain, errors, mean, &[]);
        let held = anchored_wls(&plain, errors, mean, &[(n - 1, far)]);
        assert_same(&free, &held, |k| k, &what);
        assert!(held.rating(n - 1).is_none_or(|rating| rating == far), "{what}");
        let turned = table(n, &entries, 1, |k| n - 1 - k);
        assert_same(&free, &anchored_wls(&turned, errors, mean, &[]), |k| n - 1 - k, &what);
    }
}

#[test]
fn what_rounding_leaves_unsolved_has_no_rating() {
    let mut table = MatchTable::new(4);
    for (a, b, games) in [(0, 1, 1_000_000_000_000_000_000), (1, 2, 1), (2, 3, 1_000_000_000_000_000_000)] {
        table.add(a, b, gauntlet_ratings::Tally::new(games, games / 2, games / 3)).expect("two players");
    }
    // Floating point has no digits for the single game between the two strong links.
    assert!(anchored_wls(&table, Errors::FixedScale, 1000.0, &[]).groups().is_empty());
    // With anchors on both sides none are needed.
    let held = anchored_wls(&table, Errors::FixedScale, 1000.0, &[(0, 0.0), (3, 50.0)]);
    assert!(held.rating(1).is_some_and(f64::is_finite) && held.rating(2).is_some_and(f64::is_finite));
}
