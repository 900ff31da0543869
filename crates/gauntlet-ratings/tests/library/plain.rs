//! Textbook maximum likelihood as a reference: dense, slow, and independent of the library's code.
//!
//! One row for every kind of result; Newton's steps by Gaussian elimination, halved until the slope along them has
//! not changed sign; errors from the inverse of the dense curvature.

use super::dense::{Matrix, inverse_of, multiply, times};
use gauntlet_ratings::bradley_terry::Draws;
use gauntlet_ratings::compare::ELO_PER_LOGIT;
use gauntlet_ratings::{MatchTable, Meeting, Tally};

/// Games of two players with one sign of the advantage.
struct Row {
    players: [usize; 2],
    /// The sign of the advantage for the first player.
    colour: f64,
    /// Won, drawn, lost, with virtual draws.
    counts: [f64; 3],
}

/// A model of a table.
pub struct Model<'a> {
    pub table: &'a MatchTable,
    pub draws: Draws,
    /// Virtual draws per player.
    pub prior: f64,
    /// A given advantage in Elo, or none if it is fitted.
    pub advantage: Option<f64>,
    pub anchors: &'a [(usize, f64)],
    pub sandwich: bool,
}

/// Ratings relative to an arbitrary zero in each group, and the covariance of all parameters; the advantage is last.
pub struct Plain {
    pub groups: Vec<usize>,
    pub elo: Vec<f64>,
    pub covariance: Matrix,
}

/// Counts of a meeting by colour: first moves first, second does, unknown.
fn by_colour(meeting: &Meeting) -> [[f64; 3]; 3] {
    let plain = |tally: &Tally| [tally.wins as f64, tally.draws as f64, tally.losses as f64];
    let mut counts = [plain(&meeting.first), plain(&meeting.second), plain(&meeting.uncoloured)];
    for first in 0..3 {
        for second in 0..3 {
            counts[0][2 - first] += meeting.pairs[first][second] as f64;
            counts[1][2 - second] += meeting.pairs[first][second] as f64;
        }
    }
    counts
}

pub const COLOURS: [f64; 3] = [1.0, -1.0, 0.0];

/// For every player the smallest index that it is linked with by wins (or by games) in both directions.
pub fn groups(table: &MatchTable, by_wins: bool, anchors: &[(usize, f64)]) -> Vec<usize> {
    let n = table.n_players();
    let mut reach = vec![vec![false; n]; n];
    (0..n).for_each(|k| reach[k][k] = true);
    anchors.iter().for_each(|one| anchors.iter().for_each(|other| reach[one.0][other.0] = true));
    for meeting in table.meetings() {
        let total = meeting.total();
        reach[meeting.a][meeting.b] |= !by_wins || total.wins + total.draws > 0;
        reach[meeting.b][meeting.a] |= !by_wins || total.losses + total.draws > 0;
    }
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                reach[i][j] |= reach[i][k] && reach[k][j];
            }
        }
    }
    (0..n).map(|i| (0..n).find(|&j| reach[i][j] && reach[j][i]).unwrap_or(i)).collect()
}

impl Model<'_> {
    fn rows(&self, groups: &[usize]) -> Vec<Row> {
        let totals = self.table.totals();
        let mut rows = Vec::new();
        for meeting in self.table.meetings().filter(|meeting| groups[meeting.a] == groups[meeting.b]) {
            let games = |player: usize| totals[player].0.games() as f64;
            let virtual_draws =
                self.prior * meeting.total().games() as f64 * (1.0 / games(meeting.a) + 1.0 / games(meeting.b)) / 2.0;
            let known = |(colour, counts): (f64, [f64; 3])| colour != 0.0 && counts.iter().sum::<f64>() > 0.0;
            let is_coloured = COLOURS.into_iter().zip(by_colour(meeting)).any(known);
            for (colour, mut counts) in COLOURS.into_iter().zip(by_colour(meeting)) {
                counts[1] += match (colour == 0.0, is_coloured) {
                    (false, true) => virtual_draws / 2.0,
                    (true, false) => virtual_draws,
                    _ => 0.0,
                };
                rows.push(Row { players: [meeting.a, meeting.b], colour, counts });
            }
        }
        rows.retain(|row| row.counts.iter().sum::<f64>() > 0.0);
        rows
    }

    /// Slope of one game by the difference, and its curvature, for a win, a draw and a loss.
    fn game(&self, x: f64) -> [[f64; 2]; 3] {
        let s = |z: f64| 1.0 / (1.0 + (-z).exp());
        let w = if let Draws::RaoKupper(elo) = self.draws { elo / ELO_PER_LOGIT } else { 0.0 };
        let (win, loss) = ([s(w - x), s(x - w) * s(w - x)], [-s(w + x), s(-x - w) * s(x + w)]);
        let share = if self.draws == Draws::HalfWin { 0.5 } else { 1.0 };
        [win, [share * (win[0] + loss[0]), share * (win[1] + loss[1])], loss]
    }

    /// Slope and curvature of the likelihood.
    fn hill(&self, rows: &[Row], at: &[f64]) -> (Vec<f64>, Matrix) {
        let n = at.len();
        let (mut slope, mut curvature) = (vec![0.0; n], vec![vec![0.0; n]; n]);
        for Row { players: [a, b], colour, counts } in rows {
            let along = [(*a, 1.0), (*b, -1.0), (n - 1, *colour)];
            let game = self.game(at[*a] - at[*b] + colour * at[n - 1]);
            let [up, bend] = [0, 1].map(|k| (0..3).map(|result| counts[result] * game[result][k]).sum::<f64>());
            for (i, left) in along {
                slope[i] += left * up;
                along.iter().for_each(|(j, right)| curvature[i][*j] += left * right * bend);
            }
        }
        (slope, curvature)
    }

    /// Free parameters; the first player of a group without anchors stays at 0.
    fn moving(&self, groups: &[usize], coloured: bool) -> Vec<usize> {
        let held = |player: &usize| {
            let anchored = self.anchors.iter().any(|anchor| groups[anchor.0] == groups[*player]);
            let alone = groups.iter().filter(|group| **group == groups[*player]).count() == 1;
            alone || if anchored { self.anchors.iter().any(|a| a.0 == *player) } else { groups[*player] == *player }
        };
        let mut moving: Vec<usize> = (0..groups.len()).filter(|player| !held(player)).collect();
        moving.extend((self.advantage.is_none() && coloured).then_some(groups.len()));
        moving
    }

    /// The fit. An advantage must have a finite estimate, see [`runs`].
    pub fn fit(&self) -> Plain {
        let groups = groups(self.table, self.prior == 0.0, self.anchors);
        let rows = self.rows(&groups);
        let mut at = vec![0.0; groups.len() + 1];
        let zero = self.anchors.first().map_or(0.0, |anchor| anchor.1);
        self.anchors.iter().for_each(|anchor| at[anchor.0] = (anchor.1 - zero) / ELO_PER_LOGIT);
        at[groups.len()] = self.advantage.unwrap_or(0.0) / ELO_PER_LOGIT;
        let moving = self.moving(&groups, rows.iter().any(|row| row.colour != 0.0));
        for _ in 0..2000 {
            let (slope, curvature) = self.hill(&rows, &at);
            let step = inverse_of(&curvature, &moving).map(|inverse| times(&inverse, &slope)).expect("not flat");
            let slope_at = |t: f64| {
                let at: Vec<f64> = at.iter().zip(&step).map(|(here, part)| here + t * part).collect();
                self.hill(&rows, &at).0.iter().zip(&step).map(|(slope, part)| slope * part).sum::<f64>()
            };
            let size = step.iter().map(|part| part.abs()).fold(0.0, f64::max);
            let mut t = f64::min(1.0, 2.0 / size);
            while size > 1e-3 && !(slope_at(t) >= 0.0 || slope_at(t).abs() < 0.5 * slope_at(0.0)) {
                t *= 0.5;
            }
            at.iter_mut().zip(&step).for_each(|(here, part)| *here += t * part);
            if size < 1e-11 {
                break;
            }
        }
        let covariance = self.covariance(&rows, &groups, &at, &moving);
        Plain { groups, elo: at.iter().map(|logit| logit * ELO_PER_LOGIT).collect(), covariance }
    }

    fn covariance(&self, rows: &[Row], groups: &[usize], at: &[f64], moving: &[usize]) -> Matrix {
        let inverse = inverse_of(&self.hill(rows, at).1, moving).expect("not flat");
        let scale = ELO_PER_LOGIT.powi(2);
        if !self.sandwich {
            return inverse.iter().map(|row| row.iter().map(|entry| scale * entry).collect()).collect();
        }
        let meat = self.meat(rows, groups, at, moving);
        let product = multiply(&multiply(&inverse, &meat), &inverse);
        product.iter().map(|row| row.iter().map(|entry| scale * entry).collect()).collect()
    }

    /// The factor for the parameters that are fitted to a group; its zero is one of them, with or without anchors.
    fn correction(&self, groups: &[usize], group: usize, moving: &[usize]) -> f64 {
        let own = self.table.meetings().filter(|meeting| groups[meeting.a] == group && groups[meeting.b] == group);
        let number = |meeting: &Meeting| {
            let single = [meeting.first, meeting.second, meeting.uncoloured].map(|tally| tally.games());
            (single.iter().sum::<u64>() + meeting.pairs.iter().flatten().sum::<u64>()) as f64
        };
        let units: f64 = own.map(number).sum();
        let fitted = moving.iter().filter(|&&k| k == groups.len() || groups[k] == group).count() as f64 + 1.0;
        units / (units - fitted).max(units / 2.0)
    }

    /// The sum of squared slopes of all units.
    fn meat(&self, rows: &[Row], groups: &[usize], at: &[f64], moving: &[usize]) -> Matrix {
        let n = at.len();
        let mut meat = vec![vec![0.0; n]; n];
        for meeting in self.table.meetings().filter(|meeting| groups[meeting.a] == groups[meeting.b]) {
            let x = COLOURS.map(|colour| at[meeting.a] - at[meeting.b] + colour * at[n - 1]);
            let slope = |colour: usize, result: usize| self.game(x[colour])[2 - result][0];
            let variance = |colour: usize| {
                let chance = self.chances(x[colour]);
                (0..3).map(|result| chance[result] * slope(colour, result).powi(2)).sum::<f64>()
            };
            // Three sums: by the difference twice, by the difference and the advantage, by the advantage twice.
            let (mut seen, mut believed, mut with_draws, mut number) = ([0.0; 3], [0.0; 3], [0.0; 3], 0.0);
            let add = |sums: &mut [f64; 3], [d, a]: [f64; 2], weight: f64| {
                [d * d, d * a, a * a].iter().zip(sums).for_each(|(term, sum)| *sum += weight * term);
            };
            let is_half = self.draws == Draws::HalfWin;
            let spare = |result: usize| if is_half && result == 1 { 0.25 } else { 0.0 };
            for (colour, tally) in [meeting.first, meeting.second, meeting.uncoloured].iter().enumerate() {
                for (result, count) in [tally.losses, tally.draws, tally.wins].into_iter().enumerate() {
                    let (up, count, along) = (slope(colour, result), count as f64, [1.0, COLOURS[colour]]);
                    add(&mut seen, [up, COLOURS[colour] * up], count);
                    add(&mut believed, along, count * variance(colour));
                    add(&mut with_draws, along, count * (variance(colour) - spare(result)));
                    number += count;
                }
            }
            for (first, second) in (0..9).map(|k| (k / 3, k % 3)) {
                let (up, down) = (slope(0, first), slope(1, second));
                let count = meeting.pairs[first][second] as f64;
                add(&mut seen, [up + down, up - down], count);
                for (colour, result) in [(0, first), (1, second)] {
                    let along = [1.0, COLOURS[colour]];
                    add(&mut believed, along, count * variance(colour));
                    add(&mut with_draws, along, count * (variance(colour) - spare(result)));
                }
                number += count;
            }
            let factor = self.correction(groups, groups[meeting.a], moving) * number / (number + 1.0);
            let mut sums: [f64; 3] = std::array::from_fn(|k| factor * (seen[k] + believed[k] / number));
            if self.prior > 0.0 && sums[0] < with_draws[0] {
                sums = with_draws;
            }
            let parts = [(meeting.a, 1.0, 0), (meeting.b, -1.0, 0), (n - 1, 1.0, 1)];
            for (i, left, k) in parts {
                parts.iter().for_each(|(j, right, l)| meat[i][*j] += left * right * sums[k + l]);
            }
        }
        if self.prior > 0.0 {
            self.add_curvature_of_prior(rows, at, &mut meat);
        }
        meat
    }

    /// The curvature of all rows, less that of the games.
    fn add_curvature_of_prior(&self, rows: &[Row], at: &[f64], meat: &mut Matrix) {
        let played = Model { prior: 0.0, ..*self };
        let groups = groups(self.table, false, self.anchors);
        let [all, games] = [self.hill(rows, at).1, self.hill(&played.rows(&groups), at).1];
        for ((sum, all), games) in meat.iter_mut().flatten().zip(all.iter().flatten()).zip(games.iter().flatten()) {
            *sum += all - games;
        }
    }

    /// Probabilities of a loss, a draw and a win; a draw that counts as half a win has none.
    fn chances(&self, x: f64) -> [f64; 3] {
        let w = if let Draws::RaoKupper(elo) = self.draws { elo / ELO_PER_LOGIT } else { 0.0 };
        let s = |z: f64| 1.0 / (1.0 + (-z).exp());
        [s(-x - w), (1.0 - s(-x - w) - s(x - w)).max(0.0), s(x - w)]
    }
}

/// Whether ratings can follow the advantage to plus and to minus infinity without making a result less likely: no
/// cycle of results prevents it (shortest paths by Floyd and Warshall).
pub fn runs(table: &MatchTable, groups: &[usize], anchors: &[(usize, f64)]) -> [bool; 2] {
    let n = table.n_players();
    [1.0, -1.0].map(|direction| {
        let mut bound = vec![vec![f64::INFINITY; n]; n];
        anchors.iter().for_each(|one| anchors.iter().for_each(|other| bound[one.0][other.0] = 0.0));
        for meeting in table.meetings().filter(|meeting| groups[meeting.a] == groups[meeting.b]) {
            for (colour, [wins, draws, losses]) in COLOURS.into_iter().zip(by_colour(meeting)) {
                let (a, b) = (meeting.a, meeting.b);
                if wins + draws > 0.0 {
                    bound[a][b] = bound[a][b].min(direction * colour);
                }
                if losses + draws > 0.0 {
                    bound[b][a] = bound[b][a].min(-direction * colour);
                }
            }
        }
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    bound[i][j] = bound[i][j].min(bound[i][k] + bound[k][j]);
                }
            }
        }
        (0..n).all(|k| bound[k][k] >= 0.0)
    })
}
