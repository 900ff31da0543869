//! Errors of many players with many meetings, each from the surroundings of the player: the matrices of random pairings
//! have no sparse factors, and a solution over all meetings for each of 100,000 players takes hours.
//!
//! The variance of a rating is a quadratic form of the solution `x` of `H x = e_k - c`, with `c` the reference of the
//! group. Conjugate gradients from `e_k` reach one meeting farther with each step, and settle its near part after three
//! or four. The rest is smooth: it is constant on clusters of nearby players, for which a dense matrix is solved (a
//! two-level method; Nicolaides, SIAM J. Numer. Anal. 24 (1987)). The advantage of moving first touches all players,
//! and is separated exactly. The caller compares some players with exact solutions.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use nalgebra::{DMatrix, DVector};

use super::covariance::{Comparisons, inverse};

/// Maximum number of clusters of a group.
const MOST_CLUSTERS: usize = 400;

/// Minimum number of players of a cluster, on average.
const FEWEST_IN_CLUSTER: usize = 10;

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
    /// The cluster of each player.
    cluster: Vec<usize>,
    /// The inverse of `H` on clusters.
    coarse: DMatrix<f64>,
    /// `M` on clusters; `None` if the variance is that of `H^-1`.
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
    /// Its product with `M`, the same on clusters, and its quadratic form in `M`.
    product: Vec<f64>,
    on_clusters: DVector<f64>,
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

    /// For each player the nearest of some centres; a meeting is as long as it is uninformative.
    fn nearest(&self, centres: &[usize]) -> Vec<usize> {
        let (mut cluster, mut length) = (vec![0; self.diagonal.len()], vec![f64::INFINITY; self.diagonal.len()]);
        let mut open = BinaryHeap::new();
        for (at, &centre) in centres.iter().enumerate() {
            (cluster[centre], length[centre]) = (at, 0.0);
            open.push(Reverse((0_u64, centre)));
        }
        while let Some(Reverse((bits, player))) = open.pop() {
            if f64::from_bits(bits) > length[player] {
                continue;
            }
            for &(other, weight) in self.links(player) {
                let (other, there) = (other as usize, length[player] + weight.recip());
                if there < length[other] {
                    (cluster[other], length[other]) = (cluster[player], there);
                    // The order of positive numbers is that of their bits.
                    open.push(Reverse((there.to_bits(), other)));
                }
            }
        }
        cluster
    }

    /// `H` and `M` of players, on the clusters of these.
    fn on_clusters(&self, players: &[usize], cluster: &[usize], size: usize) -> [DMatrix<f64>; 2] {
        let mut matrices = [0, 1].map(|_| DMatrix::zeros(size, size));
        for &player in players {
            let own = cluster[player];
            (0..2).for_each(|kind| matrices[kind][(own, own)] += self.diagonal[player][kind]);
            for (at, &(other, weight)) in self.links(player).iter().enumerate() {
                let other = cluster[other as usize];
                matrices[0][(own, other)] -= weight;
                matrices[1][(own, other)] -= self.meat[self.starts[player] + at];
            }
        }
        matrices
    }
}

impl AdvantageShift {
    /// From the solution of `H x = e` for the advantage.
    pub(super) fn new(solution: &[f64], meat: Option<&Comparisons>) -> Option<AdvantageShift> {
        let weight = solution.last()?.recip();
        let shift: Vec<f64> = solution.iter().map(|part| -part * weight).collect();
        let mut product = vec![0.0; shift.len()];
        meat.iter().for_each(|meat| meat.add_product(&shift, &mut product));
        let square = product.iter().zip(&shift).map(|(one, other)| one * other).sum();
        let (reference, on_clusters) = (0.0, DVector::zeros(0));
        (weight > 0.0).then_some(AdvantageShift { shift, reference, weight, product, on_clusters, square })
    }

    /// The factor of the vector in the solution for a player.
    fn turn(&self, player: usize) -> f64 {
        (self.shift[player] - self.reference) / self.weight
    }
}

impl Surroundings {
    /// Prepares a group of players. `None` if rounding hides its matrix of clusters.
    pub(super) fn new(
        bend: &Comparisons,
        meat: Option<&Comparisons>,
        is_free: &[bool],
        players: &[usize],
        counted: &[usize],
        mut advantage: Option<AdvantageShift>,
    ) -> Option<Surroundings> {
        let graph = Graph::new(bend, meat, is_free);
        let free: Vec<usize> = players.iter().copied().filter(|&player| is_free[player]).collect();
        let size = (free.len() / FEWEST_IN_CLUSTER).clamp(1, MOST_CLUSTERS);
        let centres: Vec<usize> = (0..size).map(|at| free[at * free.len() / size]).collect();
        let cluster = graph.nearest(&centres);
        let [mut coarse, coarse_meat] = graph.on_clusters(&free, &cluster, size);
        let mut shares = vec![0.0; graph.diagonal.len()];
        counted.iter().for_each(|&player| shares[player] = 1.0 / counted.len() as f64);
        let mut coarse_shares = DVector::zeros(size);
        free.iter().for_each(|&player| coarse_shares[cluster[player]] += shares[player]);
        if !counted.is_empty() {
            // A common shift is free; its weight changes no difference.
            let weight = coarse.trace() / (size as f64).powi(2);
            coarse.add_scalar_mut(weight);
        }
        if let Some(own) = &mut advantage {
            own.reference = shares.iter().zip(&own.shift).map(|(share, part)| share * part).sum();
            own.on_clusters = DVector::zeros(size);
            free.iter().for_each(|&player| own.on_clusters[cluster[player]] += own.product[player]);
        }
        let coarse_meat = meat.map(|_| coarse_meat);
        Some(Surroundings { graph, shares, cluster, coarse: inverse(coarse)?, coarse_meat, coarse_shares, advantage })
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
        near.iter().chain(far).for_each(|&at| rest[self.cluster[at]] += scratch.residual[at]);
        let smooth = &self.coarse * &rest;
        let mean: f64 = near.iter().map(|&at| self.shares[at] * scratch.solution[at]).sum();
        let turn = self.advantage.as_ref().map_or(0.0, |own| own.turn(player));
        let variance = match &self.coarse_meat {
            Some(meat) => self.observed(near, scratch, &smooth, meat, turn),
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

    /// The quadratic form in `M` of the solution: its near part, its part on clusters, and the advantage's.
    fn observed(
        &self,
        near: &[usize],
        scratch: &Scratch,
        smooth: &DVector<f64>,
        meat: &DMatrix<f64>,
        turn: f64,
    ) -> f64 {
        let (mut square, mut on_clusters) = (0.0, DVector::zeros(smooth.len()));
        for &at in near {
            let own = scratch.solution[at];
            let mut product = self.graph.diagonal[at][1] * own;
            on_clusters[self.cluster[at]] += product;
            for (&(other, _), meat) in self.graph.links(at).iter().zip(&self.graph.meat[self.graph.starts[at]..]) {
                product -= meat * scratch.solution[other as usize];
                on_clusters[self.cluster[other as usize]] -= meat * own;
            }
            square += own * product;
        }
        let advantage = self.advantage.as_ref().map_or(0.0, |own| {
            let along: f64 = near.iter().map(|&at| scratch.solution[at] * own.product[at]).sum();
            2.0 * turn * (along + own.on_clusters.dot(smooth)) + turn * turn * own.square
        });
        square + 2.0 * on_clusters.dot(smooth) + smooth.dot(&(meat * smooth)) + advantage
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
