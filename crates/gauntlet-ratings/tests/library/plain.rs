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
            for (colour, mut counts) in COLOURS.into_iter().zip(by_colour(meeting)) {
                counts[1] += if colour == 0.0 { 0.0 } else { virtual_draws / 2.0 };
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
        let (meat, units) = self.meat(groups, at);
        // The zero of each group counts as a parameter, with or without anchors.
        let firsts = (0..groups.len()).filter(|&k| groups[k] == k && groups.iter().filter(|g| **g == k).count() > 1);
        let fitted = moving.len() as f64 + firsts.count() as f64;
        let scale = scale * units / (units - fitted).max(units / 2.0);
        let product = multiply(&multiply(&inverse, &meat), &inverse);
        product.iter().map(|row| row.iter().map(|entry| scale * entry).collect()).collect()
    }

    /// The sum of squared slopes of all units, and their number.
    fn meat(&self, groups: &[usize], at: &[f64]) -> (Matrix, f64) {
        let n = at.len();
        let (mut meat, mut all) = (vec![vec![0.0; n]; n], 0.0);
        for meeting in self.table.meetings().filter(|meeting| groups[meeting.a] == groups[meeting.b]) {
            let x = COLOURS.map(|colour| at[meeting.a] - at[meeting.b] + colour * at[n - 1]);
            let slope = |colour: usize, result: usize| self.game(x[colour])[2 - result][0];
            let variance = |colour: usize| {
                let chance = self.chances(x[colour]);
                (0..3).map(|result| chance[result] * slope(colour, result).powi(2)).sum::<f64>()
            };
            // Slope by the difference, slope by the advantage, model's variance, number.
            let mut units: Vec<[f64; 4]> = Vec::new();
            for (colour, tally) in [meeting.first, meeting.second, meeting.uncoloured].iter().enumerate() {
                for (result, count) in [tally.losses, tally.draws, tally.wins].into_iter().enumerate() {
                    let up = slope(colour, result);
                    units.push([up, COLOURS[colour] * up, variance(colour), count as f64]);
                }
            }
            for (first, second) in (0..9).map(|k| (k / 3, k % 3)) {
                let [up, down] = [slope(0, first), slope(1, second)];
                units.push([up + down, up - down, variance(0) + variance(1), meeting.pairs[first][second] as f64]);
            }
            let number: f64 = units.iter().map(|unit| unit[3]).sum();
            let expected = units.iter().map(|unit| unit[2] * unit[3]).sum::<f64>() / number;
            let shrink = number / (number + 1.0);
            let mut add = |[by_difference, by_advantage]: [f64; 2], weight: f64| {
                let along = [(meeting.a, by_difference), (meeting.b, -by_difference), (n - 1, by_advantage)];
                for (i, left) in along {
                    along.iter().for_each(|(j, right)| meat[i][*j] += weight * shrink * left * right);
                }
            };
            units.iter().for_each(|unit| add([unit[0], unit[1]], unit[3]));
            add([1.0, 0.0], expected);
            all += number;
        }
        (meat, all)
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
