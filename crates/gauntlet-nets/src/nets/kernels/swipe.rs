//! Four swipes over the board, in the order of sums that keeps symmetric positions exactly tied.
//!
//! Schaul and Schmidhuber 2009, section 2.2. Two swipes in opposite directions run at once, which keeps the processor
//! busy while either waits for its own previous site. A swipe stores one row: the slot of a column holds the row
//! above until the swipe has passed and its own row afterwards, so that the upper neighbour of a site is in its own
//! slot and the left neighbour one slot before. (Up and left are relative to the swipe.)
//!
//! Invariant: flips, half turns and, for units that treat both neighbours alike, transpositions of the board permute
//! the logits and change no bit. Rationale: neighbours enter as `up + left`, opposite swipes are added first and the
//! two pairs after that, so that a symmetry only ever swaps the two operands of a sum.

use std::marker::PhantomData;

use super::unit::{MOST_SUMS, Place};
use super::{AlignedLanes, Bound, Compute, Lanes, Path, Unit, Vector, Vectorized};
use crate::nets::Kernel;

/// Number of weights before the hidden ones in each row: own stone, opponent's stone, border.
const FIXED: usize = 3;

/// Maximum number of units of a swiping layer.
const MOST_UNITS: usize = 64;

/// The weights of a swiping network as the optimiser stores them, all row-major.
#[derive(Debug, Clone, Copy)]
pub struct SwipeWeights<'a> {
    /// `[sums * units][2]`, own stone and opponent's stone.
    pub input: &'a [f64],
    /// `[sums * units][units]`.
    pub hidden: &'a [f64],
    /// `[sums * units]`.
    pub border: &'a [f64],
    /// `[units]`.
    pub output: &'a [f64],
}

impl<'a> SwipeWeights<'a> {
    /// Number of weights of a layer of `units` units with `sums` sums each.
    pub fn count(sums: usize, units: usize) -> usize {
        sums * units * (FIXED + units) + units
    }

    /// Splits a flat vector of weights: input, hidden, border, output.
    pub fn split(sums: usize, units: usize, weights: &'a [f64]) -> SwipeWeights<'a> {
        let rows = sums * units;
        let (input, rest) = weights.split_at(2 * rows);
        let (hidden, rest) = rest.split_at(rows * units);
        let (border, output) = rest.split_at(rows);
        SwipeWeights { input, hidden, border, output }
    }
}

/// The kernel of a swiping network with units of kind `U` on a board of `size` x `size`.
pub fn swipe<U: Unit + 'static>(path: Path, size: usize, weights: SwipeWeights<'_>) -> Box<dyn Kernel> {
    Box::new(Bound::new(Swipe::<U>::new(size, weights), path, size * size))
}

/// A swiping layer of units of kind `U`.
struct Swipe<U> {
    size: usize,
    layer: SwipeLayer<U>,
    /// The two swipes that run at once.
    lines: [Vec<Memory>; 2],
    /// The sum of each pair of opposite swipes, `[pair][site]`.
    pairs: [Vec<AlignedLanes>; 2],
}

/// The weights in the layout of the kernel.
struct SwipeLayer<U> {
    units: usize,
    /// `[sums][units][FIXED + units]`.
    rows: Vec<f32>,
    /// `[units]`.
    output: Vec<f32>,
    unit: PhantomData<U>,
}

/// The stored values of one unit; a line is `[1 + column][unit]`, and the column before the first stays zero.
#[derive(Clone, Copy)]
struct Memory {
    output: AlignedLanes,
    state: AlignedLanes,
}

impl Memory {
    const ZERO: Memory = Memory { output: AlignedLanes::ZERO, state: AlignedLanes::ZERO };
}

/// One site of a swipe: its position on the board, and the weights that apply.
struct SwipeSite {
    site: usize,
    missing: f32,
    groups: [usize; MOST_SUMS],
    /// Whether the state of the upper and of the left neighbour is dropped.
    dropped: [bool; 2],
}

/// The inputs of the sums of all units at one site.
struct Inputs<V, const K: usize> {
    own: V,
    opponent: V,
    missing: V,
    /// Sum of the outputs of both neighbours.
    before: [V; K],
}

impl<U: Unit> SwipeLayer<U> {
    fn new(weights: SwipeWeights<'_>) -> SwipeLayer<U> {
        let units = weights.output.len();
        assert!(units <= MOST_UNITS, "{units} units in a layer");
        let mut rows = Vec::with_capacity(U::SUMS * units * (FIXED + units));
        for row in 0..U::SUMS * units {
            let scale = if U::GATES.contains(&(row / units)) { 0.5 } else { 1.0 };
            let hidden = &weights.hidden[row * units..(row + 1) * units];
            let all = weights.input[2 * row..2 * row + 2].iter().chain([&weights.border[row]]).chain(hidden);
            rows.extend(all.map(|&weight| (scale * weight) as f32));
        }
        let output = weights.output.iter().map(|&weight| weight as f32).collect();
        SwipeLayer { units, rows, output, unit: PhantomData }
    }

    /// The number of units, as a constant if it is `K`, below 5; a larger `K` is an upper bound.
    #[inline(always)]
    fn units<const K: usize>(&self) -> usize {
        if K <= 4 { K } else { self.units }
    }

    /// `line` holds the units of the left neighbour, then those of the upper one.
    #[inline(always)]
    fn inputs<V: Vector, const K: usize>(
        &self,
        step: &SwipeSite,
        line: &[Memory],
        own: &[Lanes],
        opponent: &[Lanes],
    ) -> Inputs<V, K> {
        let (left, up) = line.split_at(self.units::<K>());
        let mut before = [V::splat(0.0); K];
        for unit in 0..self.units::<K>() {
            before[unit] = V::load(&up[unit].output.0).add(V::load(&left[unit].output.0));
        }
        let (own, opponent) = (V::load(&own[step.site]), V::load(&opponent[step.site]));
        Inputs { own, opponent, missing: V::splat(step.missing), before }
    }

    /// Computes one unit, which replaces that of the upper neighbour, and adds its contribution to the site's total.
    /// Unless the site is at the `EDGE` where the swipe begins, no neighbour is missing.
    #[inline(always)]
    #[expect(
        clippy::needless_range_loop,
        reason = "iterators over several slices are not reliably inlined here: 2.6 x"
    )]
    fn visit<V: Vector, const K: usize, const EDGE: bool>(
        &self,
        unit: usize,
        step: &SwipeSite,
        inputs: &Inputs<V, K>,
        line: &mut [Memory],
        total: V,
    ) -> V {
        let units = self.units::<K>();
        let mut sums = [V::splat(0.0); MOST_SUMS];
        for sum in 0..U::SUMS {
            let row = &self.rows[(step.groups[sum] * units + unit) * (FIXED + units)..][..FIXED + units];
            let mut value = V::splat(row[0]).mul(inputs.own);
            value = V::splat(row[1]).mul_add(inputs.opponent, value);
            if EDGE {
                value = V::splat(row[2]).mul_add(inputs.missing, value);
            }
            for other in 0..units {
                value = V::splat(row[FIXED + other]).mul_add(inputs.before[other], value);
            }
            sums[sum] = value;
        }
        let (left, up) = line.split_at_mut(units);
        let memory = &mut up[unit];
        let mut before = [V::load(&memory.state.0), V::load(&left[unit].state.0)];
        if U::DROPS {
            for (state, _) in before.iter_mut().zip(step.dropped).filter(|(_, is_dropped)| *is_dropped) {
                *state = V::splat(0.0);
            }
        }
        let (state, output) = U::activate(sums, before[0], before[1]);
        state.store(&mut memory.state.0);
        output.store(&mut memory.output.0);
        V::splat(self.output[unit]).mul_add(output, total)
    }
}

impl<U: Unit> Swipe<U> {
    /// Arranges the weights for a board of `size` x `size`.
    fn new(size: usize, weights: SwipeWeights<'_>) -> Swipe<U> {
        let layer = SwipeLayer::new(weights);
        let line = vec![Memory::ZERO; (1 + size) * layer.units];
        let pair = vec![AlignedLanes::ZERO; size * size];
        Swipe { size, layer, lines: [line.clone(), line], pairs: [pair.clone(), pair] }
    }

    #[inline(always)]
    fn step(&self, row: usize, column: usize, down: bool, right: bool) -> SwipeSite {
        let last = self.size - 1;
        let board_row = if down { row } else { last - row };
        let board_column = if right { column } else { last - column };
        let place = Place { down, last_row: row == last, last_column: column == last };
        SwipeSite {
            site: board_row * self.size + board_column,
            missing: f32::from(u8::from(row == 0) + u8::from(column == 0)),
            groups: U::groups(place),
            dropped: U::dropped(place),
        }
    }

    /// Advances a pair of opposite swipes by one site, to the row and column that each counts from its own start.
    /// `EDGE`: the first row or column.
    #[inline(always)]
    fn advance<V: Vector, const K: usize, const EDGE: bool>(
        &mut self,
        pair: usize,
        at: [usize; 2],
        own: &[Lanes],
        opponent: &[Lanes],
    ) {
        let right = pair == 0;
        let there = self.step(at[0], at[1], true, right);
        let back = self.step(at[0], at[1], false, !right);
        let layer = &self.layer;
        let slots = at[1] * layer.units::<K>()..(at[1] + 2) * layer.units::<K>();
        let [first, second] = &mut self.lines;
        let (first, second) = (&mut first[slots.clone()], &mut second[slots]);
        let first_inputs = layer.inputs::<V, K>(&there, first, own, opponent);
        let second_inputs = layer.inputs::<V, K>(&back, second, own, opponent);
        let (mut first_total, mut second_total) = (V::splat(0.0), V::splat(0.0));
        for unit in 0..layer.units::<K>() {
            first_total = layer.visit::<V, K, EDGE>(unit, &there, &first_inputs, first, first_total);
            second_total = layer.visit::<V, K, EDGE>(unit, &back, &second_inputs, second, second_total);
        }
        for (site, total) in [(there.site, first_total), (back.site, second_total)] {
            let slot = &mut self.pairs[pair][site].0;
            V::load(slot).add(total).store(slot);
        }
    }
}

impl<U: Unit> Compute for Swipe<U> {
    #[inline(always)]
    fn block<V: Vector>(&mut self, own: &[Lanes], opponent: &[Lanes], logits: &mut [Lanes]) {
        let (units, swipe) = (self.layer.units, self);
        if V::UNROLLED {
            match units {
                1 => V::perform(&mut Swipes::<_, 1> { swipe, own, opponent, logits }),
                2 => V::perform(&mut Swipes::<_, 2> { swipe, own, opponent, logits }),
                3 => V::perform(&mut Swipes::<_, 3> { swipe, own, opponent, logits }),
                4 => V::perform(&mut Swipes::<_, 4> { swipe, own, opponent, logits }),
                _ => V::perform(&mut Swipes::<_, MOST_UNITS> { swipe, own, opponent, logits }),
            }
        } else {
            V::perform(&mut Swipes::<_, MOST_UNITS> { swipe, own, opponent, logits });
        }
    }
}

/// A layer on one block of positions; `K` is the number of its units if it is below 5, and otherwise an upper bound.
struct Swipes<'a, U, const K: usize> {
    swipe: &'a mut Swipe<U>,
    own: &'a [Lanes],
    opponent: &'a [Lanes],
    logits: &'a mut [Lanes],
}

impl<U: Unit, const K: usize> Vectorized for Swipes<'_, U, K> {
    #[inline(always)]
    fn run<V: Vector>(&mut self) {
        let Swipes { swipe, own, opponent, logits } = self;
        for pair in 0..2 {
            swipe.pairs[pair].fill(AlignedLanes::ZERO);
            swipe.lines.iter_mut().for_each(|line| line.fill(Memory::ZERO));
            for row in 0..swipe.size {
                for column in 0..swipe.size {
                    if row == 0 || column == 0 {
                        swipe.advance::<V, K, true>(pair, [row, column], own, opponent);
                    } else {
                        swipe.advance::<V, K, false>(pair, [row, column], own, opponent);
                    }
                }
            }
        }
        for (site, into) in logits.iter_mut().enumerate() {
            V::load(&swipe.pairs[0][site].0).add(V::load(&swipe.pairs[1][site].0)).store(into);
        }
    }
}
