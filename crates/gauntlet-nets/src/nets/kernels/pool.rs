//! Operations of residual networks between their convolutions and over whole boards: sums, ReLUs, pooling.

use super::matrix::Rows;
use super::{AlignedLanes, Vector};
use crate::encoders::LANES;

/// The ReLU of one row.
#[inline(always)]
pub fn relu<V: Vector>(from: &[AlignedLanes], into: &mut [AlignedLanes]) {
    for (into, from) in into.iter_mut().zip(from) {
        V::load(&from.0).max(V::splat(0.0)).store(&mut into.0);
    }
}

/// Adds one row to another, and writes the ReLU of the sum to a third.
#[inline(always)]
pub fn add_relu<V: Vector>(from: &[AlignedLanes], onto: &mut [AlignedLanes], into: &mut [AlignedLanes]) {
    for ((from, onto), into) in from.iter().zip(onto).zip(into) {
        let sum = V::load(&from.0).add(V::load(&onto.0));
        sum.store(&mut onto.0);
        sum.max(V::splat(0.0)).store(&mut into.0);
    }
}

/// Maxima and means of the columns of `sites` rows from `first` on, none of which is below 0: first the `width`
/// maxima, then the means.
#[inline(always)]
pub fn pool<V: Vector>(from: &Rows, first: usize, sites: usize, width: usize, into: &mut [f32]) {
    let (greatest, means) = into[..2 * width].split_at_mut(width);
    let share = V::splat(1.0 / sites as f32);
    for (slot, (greatest, means)) in greatest.chunks_mut(LANES).zip(means.chunks_mut(LANES)).enumerate() {
        let (mut most, mut sum) = (V::splat(0.0), V::splat(0.0));
        for site in first..first + sites {
            let numbers = V::load(&from.row(site)[slot].0);
            (most, sum) = (most.max(numbers), sum.add(numbers));
        }
        let mut lanes = [AlignedLanes::ZERO; 2];
        most.store(&mut lanes[0].0);
        sum.mul(share).store(&mut lanes[1].0);
        greatest.copy_from_slice(&lanes[0].0[..greatest.len()]);
        means.copy_from_slice(&lanes[1].0[..means.len()]);
    }
}
