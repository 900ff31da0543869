//! Attention over edges between matrix products: scores of the edges into a node, their softmax, weighted sums.

use super::matrix::Rows;
use super::nodes::{dot, total};
use super::{AlignedLanes, Vector};

/// Slope of a leaky ReLU below 0.
const SLOPE: f32 = 0.01;

/// `relu(x f + b)` of one row into another.
#[inline(always)]
pub fn scale_relu<V: Vector>(
    from: &[AlignedLanes],
    factor: &[AlignedLanes],
    bias: &[AlignedLanes],
    into: &mut [AlignedLanes],
) {
    for (((into, from), factor), bias) in into.iter_mut().zip(from).zip(factor).zip(bias) {
        V::load(&from.0).mul_add(V::load(&factor.0), V::load(&bias.0)).max(V::splat(0.0)).store(&mut into.0);
    }
}

/// `relu(x + b)` of a row, in place.
#[inline(always)]
pub fn offset_relu<V: Vector>(bias: &[AlignedLanes], row: &mut [AlignedLanes]) {
    for (slot, bias) in row.iter_mut().zip(bias) {
        V::load(&slot.0).add(V::load(&bias.0)).max(V::splat(0.0)).store(&mut slot.0);
    }
}

/// Adds one row to another.
#[inline(always)]
pub fn add<V: Vector>(from: &[AlignedLanes], into: &mut [AlignedLanes]) {
    for (into, from) in into.iter_mut().zip(from) {
        V::load(&into.0).add(V::load(&from.0)).store(&mut into.0);
    }
}

/// Adds one row to another, and writes `relu(x f + b)` of the sum into a third.
#[inline(always)]
pub fn add_scale_relu<V: Vector>(
    from: &[AlignedLanes],
    sum: &mut [AlignedLanes],
    [factor, bias]: [&[AlignedLanes]; 2],
    into: &mut [AlignedLanes],
) {
    for ((((into, from), sum), factor), bias) in into.iter_mut().zip(from).zip(sum).zip(factor).zip(bias) {
        let new = V::load(&sum.0).add(V::load(&from.0));
        new.store(&mut sum.0);
        new.mul_add(V::load(&factor.0), V::load(&bias.0)).max(V::splat(0.0)).store(&mut into.0);
    }
}

/// Adds two rows to a third, and the inner product of the sum with `weights`.
#[inline(always)]
pub fn join<V: Vector>(
    row: &mut [AlignedLanes],
    one: &[AlignedLanes],
    other: &[AlignedLanes],
    weights: &[AlignedLanes],
) -> f32 {
    for ((row, one), other) in row.iter_mut().zip(one).zip(other) {
        V::load(&row.0).add(V::load(&one.0)).add(V::load(&other.0)).store(&mut row.0);
    }
    dot::<V>(row, weights)
}

/// The inner product of `relu(one + other)` with `weights`.
#[inline(always)]
pub fn dot_of_sum<V: Vector>(one: &[AlignedLanes], other: &[AlignedLanes], weights: &[AlignedLanes]) -> f32 {
    let mut sum = V::splat(0.0);
    for ((one, other), weight) in one.iter().zip(other).zip(weights) {
        sum = V::load(&one.0).add(V::load(&other.0)).max(V::splat(0.0)).mul_add(V::load(&weight.0), sum);
    }
    total(sum)
}

/// Leaky ReLU: `x` above 0, and a hundredth of it below.
#[inline(always)]
pub fn leaky_relu(x: f32) -> f32 {
    if x > 0.0 { x } else { SLOPE * x }
}

/// The sum of `weight x[row]` over weights and rows, in their order.
#[inline(always)]
pub fn weighted_sum<V: Vector>(
    weights: &[f32],
    rows: impl Iterator<Item = usize> + Clone,
    from: &Rows,
    into: &mut [AlignedLanes],
) {
    let wide = if V::WIDE { into.len() / 8 * 8 } else { 0 };
    for slot in (0..wide).step_by(8) {
        some_slots::<V, 8>(weights, rows.clone(), (from, slot), into);
    }
    for slot in (wide..into.len()).step_by(2) {
        some_slots::<V, 2>(weights, rows.clone(), (from, slot), into);
    }
}

/// The same for some slots, whose sums stay in registers.
#[inline(always)]
fn some_slots<V: Vector, const SLOTS: usize>(
    weights: &[f32],
    rows: impl Iterator<Item = usize>,
    (from, slot): (&Rows, usize),
    into: &mut [AlignedLanes],
) {
    let mut sums = [V::splat(0.0); SLOTS];
    for (&weight, row) in weights.iter().zip(rows) {
        let (weight, row) = (V::splat(weight), &from.row(row)[slot..slot + SLOTS]);
        for (sum, number) in sums.iter_mut().zip(row) {
            *sum = weight.mul_add(V::load(&number.0), *sum);
        }
    }
    for (sum, into) in sums.into_iter().zip(&mut into[slot..slot + SLOTS]) {
        sum.store(&mut into.0);
    }
}
