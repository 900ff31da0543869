//! Operations of graph networks between matrix products: sums over neighbours, and layer norm.

use super::matrix::Rows;
use super::{AlignedLanes, Vector, Vectorized};
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
    V::perform(&mut Aggregate { graph, own, first, from, into, slots });
}

/// The arguments of [`aggregate`].
struct Aggregate<'a> {
    graph: &'a Graph,
    own: f32,
    first: usize,
    from: (&'a Rows, usize),
    into: &'a mut Rows,
    slots: usize,
}

impl Vectorized for Aggregate<'_> {
    #[inline(always)]
    fn run<V: Vector>(&mut self) {
        let &mut Aggregate { graph, own, first, from: (from, at), ref mut into, slots } = self;
        let sites = graph.sites();
        let hub = if graph.dummy() { Some(first + sites) } else { None };
        for site in 0..sites {
            let others = graph.neighbours(site).iter().map(|&other| first + other as usize);
            let row = &mut into.row_mut(first + site)[..slots];
            sum_rows::<V>(own, from.row(first + site), (others, hub), (from, at), row);
        }
        if let Some(hub) = hub {
            sum_rows::<V>(own, from.row(hub), (first..hub, None), (from, at), &mut into.row_mut(hub)[..slots]);
        }
    }
}

/// `own` times a row plus other rows in their order and a last one, from slot `at` on.
#[inline(always)]
fn sum_rows<V: Vector>(
    own: f32,
    row: &[AlignedLanes],
    (others, last): (impl Iterator<Item = usize> + Clone, Option<usize>),
    (from, at): (&Rows, usize),
    into: &mut [AlignedLanes],
) {
    let (blocks, rest) = into.as_chunks_mut::<4>();
    let behind = at + 4 * blocks.len();
    for (block, into) in blocks.iter_mut().enumerate() {
        sum_slots::<V, 4>(own, row, (others.clone(), last), (from, at + 4 * block), into);
    }
    for (slot, into) in rest.iter_mut().enumerate() {
        sum_slots::<V, 1>(own, row, (others.clone(), last), (from, behind + slot), std::array::from_mut(into));
    }
}

/// The same for a few slots, whose sums stay in registers.
#[inline(always)]
fn sum_slots<V: Vector, const N: usize>(
    own: f32,
    row: &[AlignedLanes],
    (others, last): (impl Iterator<Item = usize>, Option<usize>),
    (from, at): (&Rows, usize),
    into: &mut [AlignedLanes; N],
) {
    let own = V::splat(own);
    let row: &[AlignedLanes; N] = row[at..].first_chunk().expect("rows are equally long");
    let mut sums = [V::splat(0.0); N];
    for slot in 0..N {
        sums[slot] = own.mul(V::load(&row[slot].0));
    }
    for other in others {
        let row: &[AlignedLanes; N] = from.row(other)[at..].first_chunk().expect("rows are equally long");
        for slot in 0..N {
            sums[slot] = sums[slot].add(V::load(&row[slot].0));
        }
    }
    if let Some(last) = last {
        let row: &[AlignedLanes; N] = from.row(last)[at..].first_chunk().expect("rows are equally long");
        for slot in 0..N {
            sums[slot] = sums[slot].add(V::load(&row[slot].0));
        }
    }
    for slot in 0..N {
        sums[slot].store(&mut into[slot].0);
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
