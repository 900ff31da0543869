//! Slow reference implementations: each network in 64-bit scalars directly from its equations, site by site.
//!
//! They share only the order of the weights with the kernels, and are compiled for tests only.

use std::collections::HashMap;

use super::{Forget, NetSpec};

/// A board as input of a network, row-major: own stone, opponent's stone.
pub type Board = Vec<[f64; 2]>;

/// The logits, which are the input of the output sigmoid, `[site]`.
pub fn logits(net: &NetSpec, weights: &[f64], size: usize, board: &Board) -> Vec<f64> {
    match net {
        NetSpec::Mdlstm(net) => swipes(net.cells.get(), Some(net.forget), weights, size, board),
        NetSpec::Mdrnn(net) => swipes(net.units.get(), None, weights, size, board),
        NetSpec::Conv(net) => conv(net.maps.get(), net.field.get(), net.planes.get(), weights, size, board),
        NetSpec::Mlp(net) => mlp(net.hidden.get(), weights, board),
    }
}

/// The logistic sigmoid.
pub fn sigmoid(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A layer's outputs and states at one site.
#[derive(Clone)]
struct Site {
    h: Vec<f64>,
    c: Vec<f64>,
}

/// Equations 1 and 2 of the paper; LSTM cells with `forget`, tanh units without.
fn swipes(k: usize, forget: Option<Forget>, weights: &[f64], size: usize, board: &Board) -> Vec<f64> {
    let mut sums = vec![0.0; size * size];
    let w_out = &weights[weights.len() - k..];
    for (down, right) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
        let order = |step: isize| -> Vec<isize> {
            let along = 0..size as isize;
            if step > 0 { along.collect() } else { along.rev().collect() }
        };
        let mut sites: HashMap<(isize, isize), Site> = HashMap::new();
        for i in order(down) {
            for j in order(right) {
                let (up, left) = (sites.get(&(i - down, j)), sites.get(&(i, j - right)));
                let at = i as usize * size + j as usize;
                let z = sum(k, weights, &board[at], [up, left]);
                let site = match forget {
                    None => Site { h: z.iter().map(|z| z.tanh()).collect(), c: vec![0.0; k] },
                    Some(forget) => {
                        let inside = |index: isize| (0..size as isize).contains(&index);
                        // Whether the upper neighbour also sends its state along its row, and the left one along its
                        // column.
                        let sends = [inside(j + right), inside(i + down)];
                        cells(k, &z, forgets(k, forget, &z, down > 0, sends), [up, left])
                    }
                };
                sums[at] += dot(w_out, &site.h);
                sites.insert((i, j), site);
            }
        }
    }
    sums
}

/// The weighted sums of all gates of all units, gate by gate.
fn sum(k: usize, weights: &[f64], stones: &[f64; 2], neighbours: [Option<&Site>; 2]) -> Vec<f64> {
    let rows = (weights.len() - k) / (k + 3);
    let (w_in, rest) = weights.split_at(2 * rows);
    let (w_hidden, rest) = rest.split_at(k * rows);
    let one = |row: usize| {
        let from = neighbours.map(|neighbour| match neighbour {
            Some(site) => dot(&w_hidden[row * k..(row + 1) * k], &site.h),
            None => rest[row],
        });
        dot(&w_in[2 * row..2 * row + 2], stones) + from[0] + from[1]
    };
    (0..rows).map(one).collect()
}

/// The factors on the states of the upper and the left neighbour, for each cell.
fn forgets(k: usize, forget: Forget, z: &[f64], down: bool, sends: [bool; 2]) -> [Vec<f64>; 2] {
    let gate = |number: usize| -> Vec<f64> { z[number * k..(number + 1) * k].iter().map(|&z| sigmoid(z)).collect() };
    match forget {
        Forget::Equations => [gate(1), gate(2)],
        Forget::Shared => [gate(1), gate(1)],
        Forget::None => [vec![1.0; k], vec![1.0; k]],
        Forget::Library => {
            // A sender's connections in the order of their receivers on the board, rows first: in a downward swipe
            // the next in the row comes before the next in the column. Both are in the sender's list unless the
            // sender is at a border; the position in the list is the number of the forget gate.
            let up_sender = if down && sends[0] { 2 } else { 1 };
            let left_sender = if !down && sends[1] { 2 } else { 1 };
            [gate(up_sender), gate(left_sender)]
        }
        Forget::Arac => {
            // As in the library, but the second gate is never squashed: it stays 0.
            let [up, left] = [down && sends[0], !down && sends[1]];
            [up, left].map(|is_second| if is_second { vec![0.0; k] } else { gate(1) })
        }
    }
}

fn cells(k: usize, z: &[f64], forgets: [Vec<f64>; 2], neighbours: [Option<&Site>; 2]) -> Site {
    let gates = z.len() / k;
    let (input, cell, output) = (&z[..k], &z[(gates - 2) * k..(gates - 1) * k], &z[(gates - 1) * k..]);
    let state = |unit: usize| {
        let kept = |side: usize| neighbours[side].map_or(0.0, |site| forgets[side][unit] * site.c[unit]);
        sigmoid(input[unit]) * cell[unit].tanh() + kept(0) + kept(1)
    };
    let c: Vec<f64> = (0..k).map(state).collect();
    let h = (0..k).map(|unit| sigmoid(output[unit]) * c[unit].tanh()).collect();
    Site { h, c }
}

fn conv(k: usize, field: usize, planes: usize, weights: &[f64], size: usize, board: &Board) -> Vec<f64> {
    let (fields, rest) = weights.split_at(k * field * field * planes);
    let (w_out, border) = rest.split_at(k);
    let value = |row: isize, column: isize, plane: usize| {
        let inside = |index: isize| (0..size as isize).contains(&index);
        if !inside(row) || !inside(column) {
            return border[plane];
        }
        let [own, opponent] = board[row as usize * size + column as usize];
        if planes == 1 { own - opponent } else { [own, opponent][plane] }
    };
    let feature = |map: usize, site: usize| {
        let mut sum = 0.0;
        for (tap, weight) in fields[map * field * field * planes..].iter().take(field * field * planes).enumerate() {
            let (at, plane) = (tap / planes, tap % planes);
            let row = (site / size + at / field) as isize - (field / 2) as isize;
            let column = (site % size + at % field) as isize - (field / 2) as isize;
            sum += weight * value(row, column, plane);
        }
        sum.tanh()
    };
    (0..size * size).map(|site| (0..k).map(|map| w_out[map] * feature(map, site)).sum()).collect()
}

fn mlp(k: usize, weights: &[f64], board: &Board) -> Vec<f64> {
    let sites = board.len();
    let (w_in, rest) = weights.split_at(2 * sites * k);
    let (b_in, rest) = rest.split_at(k);
    let (w_out, b_out) = rest.split_at(sites * k);
    let inputs = board.as_flattened();
    let hidden: Vec<f64> =
        (0..k).map(|unit| (dot(&w_in[unit * 2 * sites..][..2 * sites], inputs) + b_in[unit]).tanh()).collect();
    (0..sites).map(|site| dot(&w_out[site * k..][..k], &hidden) + b_out[site]).collect()
}
