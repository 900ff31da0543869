//! Operations of graph networks between matrix products: sums over neighbours, and layer norm.

use super::matrix::Rows;
use super::{AlignedLanes, Vector};
use crate::encoders::{Graph, LANES};

/// Sums over the neighbours of every node of one graph, whose rows start at `first`, plus `own` times the node itself.
///
/// Neighbours are added in their order, then the dummy node; the dummy node adds the sites in theirs.
#[inline(always)]
pub fn aggregate<V: Vector>(
    graph: &Graph,
    own: f32,
    first: usize,
    from: (&Rows, usize),
    into: &mut Rows,
    slots: usize,
) {
    let ((from, at), own, sites) = (from, V::splat(own), graph.sites());
    for site in 0..sites {
        let row = &mut into.row_mut(first + site)[..slots];
        let (neighbours, own_row) = (graph.neighbours(site), &from.row(first + site)[at..at + slots]);
        let hub = if graph.dummy() { Some(&from.row(first + sites)[at..at + slots]) } else { None };
        for slot in 0..slots {
            let mut sum = own.mul(V::load(&own_row[slot].0));
            for &other in neighbours {
                sum = sum.add(V::load(&from.row(first + other as usize)[at + slot].0));
            }
            if let Some(hub) = hub {
                sum = sum.add(V::load(&hub[slot].0));
            }
            sum.store(&mut row[slot].0);
        }
    }
    if graph.dummy() {
        let row = &mut into.row_mut(first + sites)[..slots];
        for (slot, into) in row.iter_mut().enumerate() {
            let mut sum = own.mul(V::load(&from.row(first + sites)[at + slot].0));
            for site in 0..sites {
                sum = sum.add(V::load(&from.row(first + site)[at + slot].0));
            }
            sum.store(&mut into.0);
        }
    }
}

/// Layer norm and ReLU of one row with mean zero, in place: `relu(x / sqrt(mean x^2 + 1e-5) g + b)`.
///
/// The mean is over `count` features; entries beyond them are zero in `row`, `gain` and `bias`, and stay zero.
#[inline(always)]
pub fn norm_relu<V: Vector>(row: &mut [AlignedLanes], count: usize, gain: &[AlignedLanes], bias: &[AlignedLanes]) {
    let mut squares = V::splat(0.0);
    for slot in row.iter() {
        let value = V::load(&slot.0);
        squares = value.mul_add(value, squares);
    }
    let scale = V::splat(1.0 / (total(squares) / count as f32 + EPSILON).sqrt());
    for ((slot, gain), bias) in row.iter_mut().zip(gain).zip(bias) {
        let value = V::load(&slot.0).mul(scale).mul_add(V::load(&gain.0), V::load(&bias.0));
        value.max(V::splat(0.0)).store(&mut slot.0);
    }
}

/// Added to a variance before the square root.
const EPSILON: f32 = 1e-5;

/// The inner product of two rows.
#[inline(always)]
pub fn dot<V: Vector>(row: &[AlignedLanes], weights: &[AlignedLanes]) -> f32 {
    let mut sum = V::splat(0.0);
    for (slot, weight) in row.iter().zip(weights) {
        sum = V::load(&slot.0).mul_add(V::load(&weight.0), sum);
    }
    total(sum)
}

/// The sum of all lanes, halves first.
#[inline(always)]
pub(super) fn total<V: Vector>(lanes: V) -> f32 {
    let mut sums = AlignedLanes::ZERO;
    lanes.store(&mut sums.0);
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            sums.0[lane] += sums.0[lane + half];
        }
        half /= 2;
    }
    sums.0[0]
}
