//! Errors of many players with many meetings, each from the surroundings of the player: the matrices of random pairings
//! have no sparse factors, and a solution over all meetings for each of 100,000 players takes hours.
//!
//! The variance of a rating is a quadratic form of the solution `x` of `H x = e_k - c`, with `c` the reference of the
//! group. Conjugate gradients from `e_k` reach one meeting farther with each step, and settle its near part after three
//! or four. The rest is smooth: it is taken as linear between knots along a [coordinate], for which a dense matrix is
//! solved (a two-level method; Nicolaides, SIAM J. Numer. Anal. 24 (1987)). The advantage of moving first touches all
//! players, and is separated exactly. The caller compares some players with exact solutions.
//!
//! The slowest function of the matrix orders the players (Fiedler, Czech. Math. J. 25 (1975)): by strength, if they meet
//! others of their strength. The coordinate is the potential between the two ends of this order. Unlike the function
//! itself, it is not flat there.
//!
//! [coordinate]: coordinate

use nalgebra::{DMatrix, DVector};

use super::covariance::{Comparisons, inverse};
use super::hats::Hats;

/// Maximum number of knots of a group.
const MOST_KNOTS: usize = 400;

/// Minimum number of players between two knots.
const FEWEST_BETWEEN: usize = 10;

/// Number of steps of inverse iteration to the slowest function: players in a line need two.
const STEPS_TO_SLOWEST: usize = 2;

/// The share of the players at each end of the order between which the potential is taken: one of this number.
const ENDS: usize = 40;

/// Maximum number of meetings that are read for a player.
const MOST_LINKS: usize = 60_000;

/// The share of the next step in the form in `H`, as far as the last two predict it, that ends the iteration. For that
/// form it is the error; for the form in `M`, the error is of the order of its root.
const ENOUGH: [f64; 2] = [2e-4, 1e-5];

/// The meetings of the free players.
struct Graph {
    /// The start of each player's links, and the end of the last.
    starts: Vec<usize>,
    /// The other player, and the weight in `H`.
    links: Vec<(u32, f64)>,
    /// The weight in `M`.
    meat: Vec<f64>,
    /// The diagonals of `H` and `M`.
    diagonal: Vec<[f64; 2]>,
}

/// A group of players, prepared for estimates.
pub(super) struct Surroundings {
    graph: Graph,
    /// The share of each player in the reference of errors; all 0 if anchors hold the group.
    shares: Vec<f64>,
    hats: Hats,
    /// The inverse of `H` on knots.
    coarse: DMatrix<f64>,
    /// `M` on knots; `None` if the variance is that of `H^-1`.
    coarse_meat: Option<DMatrix<f64>>,
    coarse_shares: DVector<f64>,
    advantage: Option<AdvantageShift>,
}

/// The response of ratings to the advantage of moving first: `H shift` is 0 for all players.
pub(super) struct AdvantageShift {
    /// The vector, `[n + 1]`, with -1 for the advantage.
    shift: Vec<f64>,
    /// Its average over the players of the reference.
    reference: f64,
    /// Its quadratic form in `H`.
    weight: f64,
    /// Its product with `M`, the same on knots, and its quadratic form in `M`.
    product: Vec<f64>,
    on_knots: DVector<f64>,
    square: f64,
}

/// The vectors of one estimate, which are 0 outside of `touched`.
pub(super) struct Scratch {
    solution: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
    is_touched: Vec<bool>,
    /// The players that the iteration has reached; those of the solution come first.
    touched: Vec<usize>,
}

impl Graph {
    fn new(bend: &Comparisons, meat: Option<&Comparisons>, is_free: &[bool]) -> Graph {
        let n = bend.n_players;
        let mut starts = vec![0; n + 1];
        let met = || bend.blocks.iter().map(|&(a, b, _)| (a, b)).filter(|&(a, b)| is_free[a] && is_free[b]);
        met().for_each(|(a, b)| [a, b].into_iter().for_each(|player| starts[player + 1] += 1));
        (0..n).for_each(|player| starts[player + 1] += starts[player]);
        let (mut at, size) = (starts.clone(), starts[n]);
        let (mut links, mut meats, mut diagonal) = (vec![(0, 0.0); size], vec![0.0; size], vec![[0.0; 2]; n]);
        for (place, &(a, b, [[weight, _], _])) in bend.blocks.iter().enumerate() {
            let meat = meat.map_or(0.0, |meat| meat.blocks[place].2[0][0]);
            for (own, other) in [(a, b), (b, a)] {
                diagonal[own] = [diagonal[own][0] + weight, diagonal[own][1] + meat];
                if is_free[a] && is_free[b] {
                    (links[at[own]], meats[at[own]]) = ((other as u32, weight), meat);
                    at[own] += 1;
                }
            }
        }
        Graph { starts, links, meat: meats, diagonal }
    }

    fn links(&self, player: usize) -> &[(u32, f64)] {
        &self.links[self.starts[player]..self.starts[player + 1]]
    }

    fn degree(&self, player: usize) -> usize {
        self.starts[player + 1] - self.starts[player]
    }

    /// `H` and `M` of players, on knots.
    fn on_knots(&self, players: &[usize], hats: &Hats) -> [DMatrix<f64>; 2] {
        let mut matrices = [0, 1].map(|_| DMatrix::zeros(hats.size, hats.size));
        for &player in players {
            (0..2).for_each(|kind| hats.add_entry(&mut matrices[kind], player, player, self.diagonal[player][kind]));
            for (&(other, weight), meat) in self.links(player).iter().zip(&self.meat[self.starts[player]..]) {
                hats.add_entry(&mut matrices[0], player, other as usize, -weight);
                hats.add_entry(&mut matrices[1], player, other as usize, -meat);
            }
        }
        matrices
    }
}

/// The coordinate of some players, `[size]`; `solve` solves for right-hand sides that sum to 0.
pub(super) fn coordinate(players: &[usize], size: usize, solve: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    // Any start will do that is not orthogonal to the function.
    let mut slowest: Vec<f64> = (0..size).map(|at| (at as f64 * 0.618_033_988_749_894_9).fract()).collect();
    for _ in 0..STEPS_TO_SLOWEST {
        let mean = players.iter().map(|&player| slowest[player]).sum::<f64>() / players.len() as f64;
        let mut right = vec![0.0; size];
        players.iter().for_each(|&player| right[player] = slowest[player] - mean);
        slowest = solve(&right);
    }
    let mut order = players.to_vec();
    order.sort_by(|&one, &other| slowest[one].total_cmp(&slowest[other]));
    let (end, mut right) = (order.len().div_ceil(ENDS), vec![0.0; size]);
    order[..end].iter().for_each(|&player| right[player] += 1.0);
    order[order.len() - end..].iter().for_each(|&player| right[player] -= 1.0);
    solve(&right)
}

impl AdvantageShift {
    /// From the solution of `H x = e` for the advantage.
    pub(super) fn new(solution: &[f64], meat: Option<&Comparisons>) -> Option<AdvantageShift> {
        let weight = solution.last()?.recip();
        let shift: Vec<f64> = solution.iter().map(|part| -part * weight).collect();
        let mut product = vec![0.0; shift.len()];
        meat.iter().for_each(|meat| meat.add_product(&shift, &mut product));
        let square = product.iter().zip(&shift).map(|(one, other)| one * other).sum();
        let (reference, on_knots) = (0.0, DVector::zeros(0));
        (weight > 0.0).then_some(AdvantageShift { shift, reference, weight, product, on_knots, square })
    }

    /// The factor of the vector in the solution for a player.
    fn turn(&self, player: usize) -> f64 {
        (self.shift[player] - self.reference) / self.weight
    }
}

impl Surroundings {
    /// Prepares a group of players, with their coordinate. `None` if rounding hides its matrix of knots.
    pub(super) fn new(
        bend: &Comparisons,
        meat: Option<&Comparisons>,
        is_free: &[bool],
        players: &[usize],
        counted: &[usize],
        coordinate: &[f64],
        mut advantage: Option<AdvantageShift>,
    ) -> Option<Surroundings> {
        let graph = Graph::new(bend, meat, is_free);
        let free: Vec<usize> = players.iter().copied().filter(|&player| is_free[player]).collect();
        let hats = Hats::new(&free, coordinate, (free.len() / FEWEST_BETWEEN).clamp(1, MOST_KNOTS));
        let [mut coarse, coarse_meat] = graph.on_knots(&free, &hats);
        let mut shares = vec![0.0; graph.diagonal.len()];
        counted.iter().for_each(|&player| shares[player] = 1.0 / counted.len() as f64);
        let mut coarse_shares = DVector::zeros(hats.size);
        free.iter().for_each(|&player| hats.add(&mut coarse_shares, player, shares[player]));
        if !counted.is_empty() {
            // A common shift is free; its weight changes no difference.
            let weight = coarse.trace() / (hats.size as f64).powi(2);
            coarse.add_scalar_mut(weight);
        }
        if let Some(own) = &mut advantage {
            own.reference = shares.iter().zip(&own.shift).map(|(share, part)| share * part).sum();
            own.on_knots = DVector::zeros(hats.size);
            free.iter().for_each(|&player| hats.add(&mut own.on_knots, player, own.product[player]));
        }
        let coarse_meat = meat.map(|_| coarse_meat);
        Some(Surroundings { graph, shares, hats, coarse: inverse(coarse)?, coarse_meat, coarse_shares, advantage })
    }

    /// The weight of a player's own meetings.
    pub(super) fn information(&self, player: usize) -> f64 {
        self.graph.diagonal[player][0]
    }

    /// The variance of a free player's rating, relative to the reference.
    pub(super) fn variance(&self, player: usize, scratch: &mut Scratch) -> f64 {
        let reached = self.descend(player, scratch);
        let (near, far) = scratch.touched.split_at(reached);
        let mut rest = -&self.coarse_shares;
        near.iter().chain(far).for_each(|&at| self.hats.add(&mut rest, at, scratch.residual[at]));
        let smooth = &self.coarse * &rest;
        let mean: f64 = near.iter().map(|&at| self.shares[at] * scratch.solution[at]).sum();
        let turn = self.advantage.as_ref().map_or(0.0, |own| own.turn(player));
        let variance = match &self.coarse_meat {
            Some(meat) => self.observed(reached, scratch, &smooth, meat, turn),
            None => {
                let own = scratch.solution[player];
                let missed: f64 = near.iter().map(|&at| scratch.solution[at] * scratch.residual[at]).sum();
                let weight = self.advantage.as_ref().map_or(0.0, |own| own.weight);
                own - 2.0 * mean + missed + rest.dot(&smooth) + turn * turn * weight
            }
        };
        scratch.clear();
        variance
    }

    /// The quadratic form in `M` of the solution: its near part, its part on knots, and the advantage's.
    fn observed(
        &self,
        reached: usize,
        scratch: &mut Scratch,
        smooth: &DVector<f64>,
        meat: &DMatrix<f64>,
        turn: f64,
    ) -> f64 {
        let Scratch { touched, solution, product, .. } = scratch;
        let near = &touched[..reached];
        touched.iter().for_each(|&at| product[at] = 0.0);
        for &at in near {
            let own = solution[at];
            product[at] += self.graph.diagonal[at][1] * own;
            for (&(other, _), meat) in self.graph.links(at).iter().zip(&self.graph.meat[self.graph.starts[at]..]) {
                product[other as usize] -= meat * own;
            }
        }
        let square: f64 = near.iter().map(|&at| solution[at] * product[at]).sum();
        let mut on_knots = DVector::zeros(smooth.len());
        touched.iter().for_each(|&at| self.hats.add(&mut on_knots, at, product[at]));
        let advantage = self.advantage.as_ref().map_or(0.0, |own| {
            let along: f64 = near.iter().map(|&at| solution[at] * own.product[at]).sum();
            2.0 * turn * (along + own.on_knots.dot(smooth)) + turn * turn * own.square
        });
        square + 2.0 * on_knots.dot(smooth) + smooth.dot(&(meat * smooth)) + advantage
    }

    /// Conjugate gradients from a player; returns the number of touched players that the solution covers.
    fn descend(&self, player: usize, scratch: &mut Scratch) -> usize {
        scratch.touch(player);
        scratch.residual[player] = 1.0;
        scratch.direction[player] = 1.0 / self.graph.diagonal[player][0];
        let (mut energy, mut value, mut last) = (scratch.direction[player], 0.0, f64::INFINITY);
        let (mut read, mut reached) = (0, 0);
        let enough = ENOUGH[usize::from(self.coarse_meat.is_some())];
        loop {
            let next = scratch.touched.len();
            read += scratch.touched.iter().map(|&at| self.graph.degree(at)).sum::<usize>();
            if read > MOST_LINKS && reached > 0 {
                return reached;
            }
            reached = next;
            let step = energy / self.multiply(reached, scratch);
            let gain = step * energy;
            // A gain that grows is that of the free common shift, or of rounding.
            if gain.is_nan() || gain >= last {
                return reached;
            }
            let before = std::mem::replace(&mut energy, self.advance(reached, step, scratch));
            (value, last) = (value + gain, gain);
            if gain * (energy / before).min(0.5) < enough * value || energy <= 0.0 {
                return reached;
            }
            let Scratch { touched, direction, residual, .. } = &mut *scratch;
            for &at in &*touched {
                direction[at] = residual[at] / self.graph.diagonal[at][0] + energy / before * direction[at];
            }
        }
    }

    /// Multiplies the direction, which covers the first touched players; returns its curvature.
    fn multiply(&self, reached: usize, scratch: &mut Scratch) -> f64 {
        scratch.touched.iter().for_each(|&at| scratch.product[at] = 0.0);
        for place in 0..reached {
            let at = scratch.touched[place];
            let own = scratch.direction[at];
            scratch.product[at] += self.graph.diagonal[at][0] * own;
            for &(other, weight) in self.graph.links(at) {
                scratch.touch(other as usize);
                scratch.product[other as usize] -= weight * own;
            }
        }
        scratch.touched[..reached].iter().map(|&at| scratch.direction[at] * scratch.product[at]).sum()
    }

    /// Moves along the direction; returns the energy of the rest.
    fn advance(&self, reached: usize, step: f64, scratch: &mut Scratch) -> f64 {
        let Scratch { touched, solution, residual, direction, product, .. } = scratch;
        touched[..reached].iter().for_each(|&at| solution[at] += step * direction[at]);
        let energy = touched.iter().map(|&at| {
            residual[at] -= step * product[at];
            residual[at] * residual[at] / self.graph.diagonal[at][0]
        });
        energy.sum()
    }
}

impl Scratch {
    /// Vectors for this number of players.
    pub(super) fn new(n_players: usize) -> Scratch {
        let zeros = || vec![0.0; n_players];
        Scratch {
            solution: zeros(),
            residual: zeros(),
            direction: zeros(),
            product: zeros(),
            is_touched: vec![false; n_players],
            touched: Vec::new(),
        }
    }

    fn touch(&mut self, player: usize) {
        if !self.is_touched[player] {
            self.is_touched[player] = true;
            self.touched.push(player);
        }
    }

    fn clear(&mut self) {
        for at in self.touched.drain(..) {
            self.is_touched[at] = false;
            for vector in [&mut self.solution, &mut self.residual, &mut self.direction, &mut self.product] {
                vector[at] = 0.0;
            }
        }
    }
}
