//! The covariance of a group's ratings: a dense matrix, or, for large groups, sparse factors or the matrix of the
//! comparisons itself, from which errors are computed on demand.
//!
//! The errors of all players of a large group follow from sparse factors at once. Without sparse factors, they are
//! estimated from each player's [`surroundings`](super::surroundings), within one percent.

use std::sync::{Arc, OnceLock};

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::covariance::Comparisons;
use super::dual::Dual;
use super::rows::{LANES, Lanes, Rows};
use super::sparse::Factor;
use super::surroundings::{AdvantageShift, Scratch, Surroundings, coordinate};

/// Maximum number of parameters for dense matrices.
pub(super) const DENSE: usize = 2048;

/// The covariance of the ratings of a group, in Elo squared.
#[derive(Debug, Clone)]
pub enum GroupCovariance {
    /// A dense matrix, in the order of the group's players.
    Dense(DMatrix<f64>),
    /// The data from which errors are computed on demand.
    Sparse(SparseCovariance),
}

/// Errors of many parameters, of one or several groups: `H^-1 M H^-1`, or `H^-1` without `M`.
#[derive(Debug)]
pub(super) struct SparseErrors {
    pub(super) curvature: Curvature,
    pub(super) bend: Comparisons,
    pub(super) meat: Option<Comparisons>,
    /// The free parameters, of which the first of each group without anchors is left out by factors.
    free: Vec<usize>,
    moving: Vec<usize>,
    /// The factors of `H + t M`, made on demand; `None` if there are none.
    along: OnceLock<Option<Along>>,
}

/// The factors of `H + t M`, and the diagonal of the inverse.
#[derive(Debug)]
struct Along {
    factor: Factor<Dual>,
    diagonal: Vec<Dual>,
}

/// Number of players whose errors are estimated in a row.
const AT_A_TIME: usize = 64;

/// Maximum relative deviation of an estimated variance from the exact one, among compared players.
const DEVIATION: f64 = 2e-2;

/// Number of players whose estimates are compared with exact variances.
const COMPARED: usize = 4 * LANES;

/// `H`, prepared for solving.
#[derive(Debug)]
pub(super) enum Curvature {
    /// Factors, for few meetings, as in a chain: conjugate gradients would need as many iterations as the chain has
    /// links.
    Factor(Factor<f64>),
    /// The matrix itself, for players who meet many others: its factors would be dense, and few iterations are
    /// needed.
    Rows(Rows),
}

impl Curvature {
    /// Prepares the matrix of some free parameters: factors of those in `moving`, if they stay sparse, or else the
    /// rows of all. `None` if it has no inverse.
    pub(super) fn new(matrix: &Comparisons, moving: Option<&[usize]>, free: &[usize]) -> Option<Curvature> {
        match moving.and_then(|moving| Factor::new(matrix, moving)) {
            Some(factor) => Some(Curvature::Factor(factor)),
            None => Rows::new(matrix, free).map(Curvature::Rows),
        }
    }

    /// Solves one right-hand side, `[n + 1]`; NaN if rounding prevents a solution.
    pub(super) fn solve_one(&self, right: &[f64]) -> Vec<f64> {
        let first = |&part: &f64| std::array::from_fn(|lane| if lane == 0 { part } else { 0.0 });
        self.solve(&right.iter().map(first).collect::<Vec<Lanes>>()).into_iter().map(|row| row[0]).collect()
    }

    fn solve(&self, right: &[Lanes]) -> Vec<Lanes> {
        let factor = match self {
            Curvature::Rows(rows) => return rows.solve(right),
            Curvature::Factor(factor) => factor,
        };
        let mut solution = vec![[0.0; LANES]; right.len()];
        for lane in (0..LANES).filter(|&lane| right.iter().any(|row| row[lane] != 0.0)) {
            let own = factor.solve(&right.iter().map(|row| row[lane]).collect::<Vec<f64>>());
            solution.iter_mut().zip(own).for_each(|(row, part)| row[lane] = part);
        }
        solution
    }
}

/// The covariance of a group, as a part of `SparseErrors`.
#[derive(Debug, Clone)]
pub struct SparseCovariance {
    pub(super) errors: Arc<SparseErrors>,
    /// Number of all parameters.
    pub(super) size: usize,
    /// The parameter of each player of the group.
    pub(super) parameters: Vec<usize>,
    /// The players, by their places in the group, whose average is the reference of errors; empty if anchors hold the
    /// group.
    pub(super) counted: Vec<usize>,
    pub(super) scale: f64,
}

impl SparseErrors {
    /// Errors with this curvature, of free parameters; `moving` are those without a free shift.
    pub(super) fn new(
        curvature: Curvature,
        bend: Comparisons,
        meat: Option<Comparisons>,
        [free, moving]: [Vec<usize>; 2],
    ) -> SparseErrors {
        SparseErrors { curvature, bend, meat, free, moving, along: OnceLock::new() }
    }

    /// The factors of `H + t M` if `H` has some.
    fn along(&self) -> Option<&Along> {
        let make = || {
            let none = Comparisons { n_players: self.bend.n_players, blocks: Vec::new() };
            let factor = Factor::along(&self.bend, self.meat.as_ref().unwrap_or(&none), &self.moving)?;
            let diagonal = factor.inverse_diagonal(self.bend.n_players + 1, Dual { value: 1.0, slope: 0.0 });
            Some(Along { factor, diagonal })
        };
        matches!(self.curvature, Curvature::Factor(_)).then(|| self.along.get_or_init(make).as_ref()).flatten()
    }

    /// The entry of the covariance behind an entry of the inverse of `H + t M`.
    fn entry(&self, entry: Dual) -> f64 {
        if self.meat.is_some() { -entry.slope } else { entry.value }
    }

    /// The response to the advantage of moving first, if it is estimated; `None` if it is not, or unknown.
    fn shift(&self) -> Option<Option<AdvantageShift>> {
        let n = self.bend.n_players;
        if self.free.last() != Some(&n) {
            return Some(None);
        }
        let mut right = vec![0.0; n + 1];
        right[n] = 1.0;
        AdvantageShift::new(&self.curvature.solve_one(&right), self.meat.as_ref()).map(Some)
    }

    /// Variances of weighted sums of parameters; NaN if rounding prevents a solution.
    pub(super) fn variances(&self, weights: &[Lanes]) -> Lanes {
        let solution = self.curvature.solve(weights);
        if let Some(meat) = &self.meat {
            return meat.quadratic(&solution);
        }
        let mut sums = [0.0; LANES];
        for (weights, parts) in weights.iter().zip(&solution) {
            sums.iter_mut().zip(weights.iter().zip(parts)).for_each(|(sum, (weight, part))| *sum += weight * part);
        }
        sums
    }
}

impl SparseCovariance {
    /// Variances of weighted sums of ratings, each relative to the average of some players.
    fn variances(&self, sums: &[Vec<(usize, f64)>], counted: &[usize]) -> Lanes {
        let mut weights = vec![[0.0; LANES]; self.size];
        let share = 1.0 / counted.len().max(1) as f64;
        for (lane, sum) in sums.iter().enumerate() {
            sum.iter().for_each(|&(k, weight)| weights[self.parameters[k]][lane] += weight);
            counted.iter().for_each(|&k| weights[self.parameters[k]][lane] -= share);
        }
        self.errors.variances(&weights).map(|variance| self.scale * variance)
    }
}

/// The variances of all ratings of a group.
impl SparseCovariance {
    /// From the diagonal of the inverse, exactly; `None` without sparse factors.
    fn by_factors(&self) -> Option<Vec<f64>> {
        let along = self.errors.along()?;
        let mut reference = vec![Dual::default(); self.size];
        let share = Dual { value: 1.0 / self.counted.len().max(1) as f64, slope: 0.0 };
        self.counted.iter().for_each(|&k| reference[self.parameters[k]] = share);
        let with_reference = along.factor.solve(&reference);
        let both = reference.iter().zip(&with_reference).fold(Dual::default(), |sum, (one, other)| sum + *one * *other);
        let variance = |&parameter: &usize| {
            let cross = with_reference[parameter] + with_reference[parameter];
            self.scale * self.errors.entry(along.diagonal[parameter] - cross + both)
        };
        Some(self.parameters.iter().map(variance).collect())
    }

    /// By conjugate gradients for each player.
    fn by_solving(&self, done: &(dyn Fn(usize) + Sync)) -> Vec<f64> {
        let players: Vec<usize> = (0..self.parameters.len()).collect();
        let of_some = |some: &[usize]| {
            let variances = self.of_players(some);
            done(some.len());
            variances
        };
        players.par_chunks(LANES).flat_map_iter(of_some).collect()
    }

    /// The exact variances of up to [`LANES`] players.
    fn of_players(&self, some: &[usize]) -> Vec<f64> {
        let sums: Vec<Vec<(usize, f64)>> = some.iter().map(|&k| vec![(k, 1.0)]).collect();
        self.variances(&sums, &self.counted)[..some.len()].to_vec()
    }

    /// From the surroundings of each player; `None` for small groups, and if some players' estimates are not close to
    /// their exact variances.
    fn by_surroundings(&self, done: &(dyn Fn(usize) + Sync)) -> Option<Vec<f64>> {
        let (errors, n) = (&self.errors, self.size - 1);
        let mut is_free = vec![false; self.size];
        errors.free.iter().for_each(|&parameter| is_free[parameter] = true);
        let free: Vec<usize> = self.parameters.iter().copied().filter(|&parameter| is_free[parameter]).collect();
        if free.len() <= DENSE {
            return None;
        }
        let counted: Vec<usize> = self.counted.iter().map(|&k| self.parameters[k]).collect();
        let (meat, shift) = (errors.meat.as_ref(), errors.shift()?);
        let along = coordinate(&free, self.size, |right| errors.curvature.solve_one(right));
        let around = Surroundings::new(&errors.bend, meat, &is_free, &self.parameters, &counted, &along, shift)?;
        let estimate = |scratch: &mut Scratch, k: usize| match is_free[self.parameters[k]] {
            true => self.scale * around.variance(self.parameters[k], scratch),
            false => 0.0,
        };
        let mut order: Vec<usize> = (0..self.parameters.len()).filter(|&k| is_free[self.parameters[k]]).collect();
        order.sort_by(|&one, &other| {
            around.information(self.parameters[one]).total_cmp(&around.information(self.parameters[other]))
        });
        let compared: Vec<usize> = (0..COMPARED).map(|at| order[at * (order.len() - 1) / (COMPARED - 1)]).collect();
        let is_close = |some: &[usize]| {
            let mut scratch = Scratch::new(n);
            let exact = self.of_players(some).into_iter();
            some.iter().zip(exact).all(|(&k, exact)| (estimate(&mut scratch, k) / exact - 1.0).abs() <= DEVIATION)
        };
        if !compared.par_chunks(LANES).all(is_close) {
            return None;
        }
        let players: Vec<usize> = (0..self.parameters.len()).collect();
        let of_some = |scratch: &mut Scratch, some: &[usize]| {
            let variances: Vec<f64> = some.iter().map(|&k| estimate(scratch, k)).collect();
            done(some.len());
            variances
        };
        Some(players.par_chunks(AT_A_TIME).map_init(|| Scratch::new(n), of_some).collect::<Vec<_>>().concat())
    }
}

impl GroupCovariance {
    /// Variance of the rating of a player, by its place in the group.
    #[must_use]
    pub fn variance(&self, k: usize) -> f64 {
        match self {
            GroupCovariance::Dense(matrix) => matrix[(k, k)],
            GroupCovariance::Sparse(sparse) => sparse.variances(&[vec![(k, 1.0)]], &sparse.counted)[0],
        }
    }

    /// The variances of all ratings, computed on all cores if there are many; calls `done` after every few.
    #[must_use]
    pub fn all_variances(&self, done: &(dyn Fn(usize) + Sync)) -> Vec<f64> {
        match self {
            GroupCovariance::Dense(matrix) => matrix.diagonal().iter().copied().collect(),
            GroupCovariance::Sparse(sparse) => {
                sparse.by_factors().or_else(|| sparse.by_surroundings(done)).unwrap_or_else(|| sparse.by_solving(done))
            }
        }
    }

    /// Variance of the difference of two ratings.
    #[must_use]
    pub fn variance_of_difference(&self, i: usize, j: usize) -> f64 {
        match self {
            GroupCovariance::Dense(c) => c[(i, i)] + c[(j, j)] - 2.0 * c[(i, j)],
            GroupCovariance::Sparse(sparse) => sparse.variances(&[vec![(i, 1.0), (j, -1.0)]], &[])[0],
        }
    }

    /// All variances times a factor.
    #[must_use]
    pub fn times(self, factor: f64) -> GroupCovariance {
        match self {
            GroupCovariance::Dense(matrix) => GroupCovariance::Dense(matrix * factor),
            GroupCovariance::Sparse(sparse) => {
                GroupCovariance::Sparse(SparseCovariance { scale: sparse.scale * factor, ..sparse })
            }
        }
    }

    /// Converts to the covariance of the differences from the average of some players.
    pub fn centre(&mut self, counted: &[usize]) {
        match self {
            GroupCovariance::Dense(matrix) => against_average(matrix, counted),
            GroupCovariance::Sparse(sparse) => sparse.counted = counted.to_vec(),
        }
    }
}

fn against_average(covariance: &mut DMatrix<f64>, counted: &[usize]) {
    let n = counted.len() as f64;
    for mut column in covariance.column_iter_mut() {
        let average = counted.iter().map(|&k| column[k]).sum::<f64>() / n;
        column.iter_mut().for_each(|entry| *entry -= average);
    }
    for mut row in covariance.row_iter_mut() {
        let average = counted.iter().map(|&k| row[k]).sum::<f64>() / n;
        row.iter_mut().for_each(|entry| *entry -= average);
    }
}

#[cfg(test)]
mod tests {
    use super::super::covariance::inverse;
    use super::super::free_shifts::FreeShifts;
    use super::*;
    use gauntlet_games::base::Seed;
    use rand::RngExt as _;

    /// Two groups, each without an anchor, and an advantage; blocks of any weights.
    fn comparisons(n: usize, salt: usize) -> Comparisons {
        let half = n / 2;
        let meets = |b: usize| (0..b.min(4)).map(move |k| ((b * 31 + k * 17) % b, b));
        let pairs = (1..half).flat_map(meets).flat_map(move |(a, b)| [(a, b), (a + half, b + half)]);
        let weight = |a: usize, b: usize| 0.05 + ((a * 7 + b * 13 + salt) % 11) as f64;
        let block = |(a, b): (usize, usize)| (a, b, [[weight(a, b), 0.3], [0.3, 0.5 + weight(b, a)]]);
        Comparisons { n_players: n, blocks: pairs.map(block).collect() }
    }

    #[test]
    fn variances_are_those_of_the_dense_matrices() {
        let n = 400;
        let (bend, meat) = (comparisons(n, 1), comparisons(n, 5));
        let free: Vec<usize> = (0..=n).collect();
        let groups = FreeShifts(vec![(0..n / 2).collect(), (n / 2..n).collect()]);
        let mut matrix = bend.dense(&free);
        groups.fix(&mut matrix);
        let plain = inverse(matrix).expect("positive definite");
        let sandwich = &plain * meat.times(&free, &plain);
        let rows = || Curvature::Rows(Rows::new(&bend, &free).expect("everyone has met someone"));
        let moving: Vec<usize> = free.iter().copied().filter(|k| ![0, n / 2].contains(k)).collect();
        let factor = || Curvature::Factor(Factor::new(&bend, &moving).expect("few"));
        let cases = [(rows(), None), (factor(), None), (rows(), Some(meat)), (factor(), Some(comparisons(n, 5)))];
        for (curvature, meat) in cases {
            let mut expected = if meat.is_some() { sandwich.clone() } else { plain.clone() };
            groups.centre(&mut expected);
            let errors = SparseErrors::new(curvature, comparisons(n, 1), meat, [free.clone(), moving.clone()]);
            let errors = Arc::new(errors);
            for players in [0..n / 2, n / 2..n] {
                let (parameters, counted) = (players.clone().collect(), (0..n / 2).collect());
                let sparse = SparseCovariance { errors: errors.clone(), size: n + 1, parameters, counted, scale: 3.0 };
                let found = GroupCovariance::Sparse(sparse);
                for (k, variance) in found.all_variances(&|_| ()).into_iter().enumerate() {
                    let dense = 3.0 * expected[(players.start + k, players.start + k)];
                    assert!((variance / dense - 1.0).abs() < 1e-7, "{k}: {variance} {dense}");
                }
            }
        }
    }

    /// A crowd: `H` and `M` of single games, each between a player and one of the `reach` next ones.
    fn crowd(n: usize, games: usize, reach: usize, spread: f64, coloured: bool) -> [Comparisons; 2] {
        let mut rng = Seed::new(3).rng();
        let strength: Vec<f64> = (0..n).map(|_| spread * (rng.random::<f64>() + rng.random::<f64>() - 1.0)).collect();
        let mut meetings = std::collections::BTreeSet::new();
        // A line links all.
        meetings.extend((1..n).map(|b| (b - 1, b)));
        while meetings.len() < games {
            let a = rng.random_range(0..n);
            let b = a + rng.random_range(1..=reach);
            meetings.extend((b < n).then_some((a, b)));
        }
        let (mut bend, mut meat) = (Vec::new(), Vec::new());
        for (a, b) in meetings {
            let share = 1.0 / (1.0 + (strength[b] - strength[a]).exp());
            let slope = if rng.random::<f64>() < share { 1.0 - share } else { share };
            let colour = if coloured { 1.0 } else { 0.0 };
            let block = |weight: f64| [[weight, colour * weight], [colour * weight, colour * weight]];
            bend.push((a, b, block(share * (1.0 - share))));
            meat.push((a, b, block(slope * slope)));
        }
        [bend, meat].map(|blocks| Comparisons { n_players: n, blocks })
    }

    fn of_crowd([bend, meat]: [Comparisons; 2], with_meat: bool, coloured: bool, anchor: bool) -> SparseCovariance {
        let n = bend.n_players;
        let free: Vec<usize> = (usize::from(anchor)..n + usize::from(coloured)).collect();
        let curvature = Curvature::Rows(Rows::new(&bend, &free).expect("all are linked"));
        let moving = free.iter().copied().filter(|&k| k > 0).collect();
        let errors = SparseErrors::new(curvature, bend, with_meat.then_some(meat), [free, moving]);
        let (parameters, counted) = ((0..n).collect(), if anchor { Vec::new() } else { (0..n / 2).collect() });
        SparseCovariance { errors: Arc::new(errors), size: n + 1, parameters, counted, scale: 1.0 }
    }

    #[test]
    fn estimates_from_the_surroundings_are_close() {
        let n = 2500;
        // All meet all, or players of near strength.
        let cases = [
            (20 * n, n - 1, 1.0, false, false),
            (20 * n, n - 1, 1.0, true, false),
            (20 * n, n / 20, 1.0, false, false),
            (20 * n, n / 20, 0.5, true, false),
        ];
        for (games, reach, spread, coloured, anchor) in cases {
            for with_meat in [false, true] {
                let what = format!("{games} {reach} {spread} {coloured} {anchor} {with_meat}");
                let of = of_crowd(crowd(n, games, reach, spread, coloured), with_meat, coloured, anchor);
                let Some(found) = of.by_surroundings(&|_| ()) else { panic!("{what}: not close") };
                let some: Vec<usize> = (usize::from(anchor)..n).step_by(41).collect();
                let exact = some.chunks(LANES).flat_map(|some| of.of_players(some));
                let worst =
                    some.iter().zip(exact).map(|(&k, exact)| (found[k] / exact - 1.0).abs()).fold(0.0, f64::max);
                assert!(worst < 1.5 * DEVIATION, "{what}: {worst}");
            }
        }
    }

    #[test]
    fn estimates_that_are_not_close_are_not_used() {
        let n = 5_000;
        let chain =
            || Comparisons { n_players: n, blocks: (1..n).map(|b| (b - 1, b, [[1.0, 0.0], [0.0; 2]])).collect() };
        assert!(of_crowd([chain(), chain()], false, false, true).by_surroundings(&|_| ()).is_none());
    }

    #[test]
    fn a_large_group_of_which_anchors_hold_nearly_all_is_solved() {
        let n = DENSE + 10;
        let [bend, _] = crowd(n, 5 * n, n - 1, 1.0, false);
        let free = vec![0, 1];
        let curvature = Curvature::Rows(Rows::new(&bend, &free).expect("anchors hold both"));
        let errors = Arc::new(SparseErrors::new(curvature, bend, None, [free.clone(), free]));
        let sparse =
            SparseCovariance { errors, size: n + 1, parameters: (0..n).collect(), counted: Vec::new(), scale: 1.0 };
        assert!(sparse.by_surroundings(&|_| ()).is_none());
        let found = GroupCovariance::Sparse(sparse).all_variances(&|_| ());
        assert!(
            found[..2].iter().all(|variance| *variance > 0.0) && found[2..].iter().all(|variance| *variance == 0.0)
        );
    }

    #[test]
    fn an_anchor_is_the_zero_of_the_others() {
        let n = 120;
        let matrix = comparisons(n, 3);
        let free: Vec<usize> = (0..=n).filter(|k| ![5, n / 2 + 9].contains(k)).collect();
        let dense = inverse(matrix.dense(&free)).expect("positive definite");
        let curvature = Curvature::Rows(Rows::new(&matrix, &free).expect("everyone has met someone"));
        let errors = Arc::new(SparseErrors::new(curvature, comparisons(n, 3), None, [free.clone(), free.clone()]));
        let parameters: Vec<usize> = (0..n).collect();
        let sparse = SparseCovariance { errors, size: n + 1, parameters, counted: Vec::new(), scale: 1.0 };
        let found = GroupCovariance::Sparse(sparse).all_variances(&|_| ());
        for (player, variance) in found.into_iter().enumerate() {
            match free.iter().position(|&k| k == player) {
                Some(k) => assert!((variance / dense[(k, k)] - 1.0).abs() < 1e-7, "{player}"),
                None => assert_eq!(variance, 0.0),
            }
        }
    }

    #[test]
    fn a_matrix_that_rounding_hides_has_no_errors() {
        let meeting = |a, b, weight| (a, b, [[weight, 0.0], [0.0; 2]]);
        let solved = |far: f64| {
            let blocks = vec![meeting(0, 1, 1.0), meeting(1, 2, far), meeting(2, 3, 1.0)];
            Rows::new(&Comparisons { n_players: 4, blocks }, &[0, 1, 2, 3])
        };
        let mut right = vec![[0.0; LANES]; 5];
        (right[0][0], right[3][0]) = (1.0, -1.0);
        let solution = solved(1e-6).expect("within rounding").solve(&right);
        assert!(((solution[0][0] - solution[3][0]) / 1_000_002.0 - 1.0).abs() < 1e-6);
        assert!(solved(1e-300).is_none() && solved(f64::NAN).is_none());
        let alone = Comparisons { n_players: 4, blocks: vec![meeting(0, 1, 1.0)] };
        assert!(Rows::new(&alone, &[0, 1, 2]).is_none(), "of a player without games it says nothing");
    }
}
