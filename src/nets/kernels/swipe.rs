//! Four swipes over the board, in the order of sums that keeps symmetric positions exactly tied.
//!
//! Schaul and Schmidhuber 2009, section 2.2. Two swipes in opposite directions run at once, which keeps the
//! processor busy while either waits for its own previous site. A swipe remembers one row: the slot of a column
//! holds the row above until the swipe has passed and its own row afterwards, so that a site finds its upper
//! neighbour in its own slot and its left neighbour one slot before. (Up and left are the swipe's own.)
//!
//! Invariant: flips, half turns and, for units that treat both neighbours alike, transpositions of the board
//! permute the preferences and change no bit. Rationale: neighbours enter as `up + left`, opposite swipes are added
//! first and the two pairs after that, so that a symmetry only ever swaps the two operands of a sum.

use std::marker::PhantomData;

use super::unit::{MOST_SUMS, Place};
use super::{Bound, Compute, Lanes, Path, Slot, Unit, Vector};
use crate::nets::Kernel;

/// Weights in front of the hidden ones in each row: own stone, opponent's stone, border.
const FIXED: usize = 3;

/// The most units of a swiping layer.
const MOST_UNITS: usize = 64;

/// The weights of a swiping network as an optimiser sees them, all row-major.
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

    /// Takes a flat vector of that many weights apart: input, hidden, border, output.
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
    fn bind<U: Unit + 'static, const K: usize>(path: Path, size: usize, weights: SwipeWeights<'_>) -> Box<dyn Kernel> {
        Box::new(Bound::new(Swipe::<U, K>::new(size, weights), path, size * size))
    }
    match weights.output.len() {
        1 => bind::<U, 1>(path, size, weights),
        2 => bind::<U, 2>(path, size, weights),
        3 => bind::<U, 3>(path, size, weights),
        4 => bind::<U, 4>(path, size, weights),
        _ => bind::<U, MOST_UNITS>(path, size, weights),
    }
}

/// A swiping layer of units of kind `U`; `K` is their number where it is below 5, and otherwise a bound on it.
struct Swipe<U, const K: usize> {
    size: usize,
    units: usize,
    /// `[sums][units][FIXED + units]`.
    rows: Vec<f32>,
    /// `[units]`.
    output: Vec<f32>,
    /// The two swipes that run at once.
    lines: [Line; 2],
    /// What each pair of opposite swipes adds up to, `[pair][site]`.
    pairs: [Vec<Slot>; 2],
    unit: PhantomData<U>,
}

/// What a swipe remembers, `[1 + column][unit]`; the slots of the column before the first stay zero.
struct Line {
    outputs: Vec<Slot>,
    states: Vec<Slot>,
}

/// One site of a swipe, as the swipe counts: the board's site is `site`.
struct Step {
    site: usize,
    column: usize,
    missing: f32,
    groups: [usize; MOST_SUMS],
}

impl<U: Unit, const K: usize> Swipe<U, K> {
    /// Arranges the weights for a board of `size` x `size`.
    fn new(size: usize, weights: SwipeWeights<'_>) -> Swipe<U, K> {
        let units = weights.output.len();
        assert!(units <= K && (units == K || K > 4), "{units} units in a layer for {K}");
        let mut rows = Vec::with_capacity(U::SUMS * units * (FIXED + units));
        for row in 0..U::SUMS * units {
            let scale = if U::GATES.contains(&(row / units)) { 0.5 } else { 1.0 };
            let hidden = &weights.hidden[row * units..(row + 1) * units];
            let all = weights.input[2 * row..2 * row + 2].iter().chain([&weights.border[row]]).chain(hidden);
            rows.extend(all.map(|&weight| (scale * weight) as f32));
        }
        let line = || {
            let slots = vec![Slot::ZERO; (1 + size) * units];
            Line { outputs: slots.clone(), states: slots }
        };
        let output = weights.output.iter().map(|&weight| weight as f32).collect();
        let (lines, pairs) = ([line(), line()], [vec![Slot::ZERO; size * size], vec![Slot::ZERO; size * size]]);
        Swipe { size, units, rows, output, lines, pairs, unit: PhantomData }
    }

    /// The number of units, as a constant wherever the type knows it.
    #[inline(always)]
    fn units(&self) -> usize {
        if K <= 4 { K } else { self.units }
    }

    #[inline(always)]
    fn step(&self, row: usize, column: usize, down: bool, right: bool) -> Step {
        let last = self.size - 1;
        let board_row = if down { row } else { last - row };
        let board_column = if right { column } else { last - column };
        Step {
            site: board_row * self.size + board_column,
            column,
            missing: f32::from(u8::from(row == 0) + u8::from(column == 0)),
            groups: U::groups(Place { down, last_row: row == last, last_column: column == last }),
        }
    }

    /// Takes both swipes one site on.
    #[inline(always)]
    fn advance<V: Vector>(&mut self, pair: usize, steps: [Step; 2], own: &[Lanes], opponent: &[Lanes]) {
        let units = self.units();
        let width = FIXED + units;
        let mut before = [[V::splat(0.0); K]; 2];
        for (swipe, step) in steps.iter().enumerate() {
            let (left, up) = self.lines[swipe].outputs[step.column * units..].split_at(units);
            for unit in 0..units {
                before[swipe][unit] = V::load(&up[unit].0).add(V::load(&left[unit].0));
            }
        }
        let mut total = [V::splat(0.0); 2];
        for unit in 0..units {
            for swipe in 0..2 {
                let step = &steps[swipe];
                let (own, opponent) = (V::load(&own[step.site]), V::load(&opponent[step.site]));
                let mut sums = [V::splat(0.0); MOST_SUMS];
                for (sum, group) in sums.iter_mut().zip(step.groups).take(U::SUMS) {
                    let row = &self.rows[(group * units + unit) * width..][..width];
                    *sum = V::splat(row[0]).mul(own);
                    *sum = V::splat(row[1]).mul_add(opponent, *sum);
                    *sum = V::splat(row[2]).mul_add(V::splat(step.missing), *sum);
                    for (&weight, &value) in row[FIXED..].iter().zip(&before[swipe]) {
                        *sum = V::splat(weight).mul_add(value, *sum);
                    }
                }
                let line = &mut self.lines[swipe];
                let at = (1 + step.column) * units + unit;
                let (up, left) = (V::load(&line.states[at].0), V::load(&line.states[at - units].0));
                let (state, output) = U::activate(sums, up, left);
                state.store(&mut line.states[at].0);
                output.store(&mut line.outputs[at].0);
                total[swipe] = V::splat(self.output[unit]).mul_add(output, total[swipe]);
            }
        }
        for (step, total) in steps.iter().zip(total) {
            let slot = &mut self.pairs[pair][step.site].0;
            V::load(slot).add(total).store(slot);
        }
    }
}

impl<U: Unit, const K: usize> Compute for Swipe<U, K> {
    #[inline(always)]
    fn block<V: Vector>(&mut self, own: &[Lanes], opponent: &[Lanes], preferences: &mut [Lanes]) {
        for pair in 0..2 {
            self.pairs[pair].fill(Slot::ZERO);
            for line in &mut self.lines {
                line.outputs.fill(Slot::ZERO);
                line.states.fill(Slot::ZERO);
            }
            let right = pair == 0;
            for row in 0..self.size {
                for column in 0..self.size {
                    let steps = [self.step(row, column, true, right), self.step(row, column, false, !right)];
                    self.advance::<V>(pair, steps, own, opponent);
                }
            }
        }
        for ((into, first), second) in preferences.iter_mut().zip(&self.pairs[0]).zip(&self.pairs[1]) {
            V::load(&first.0).add(V::load(&second.0)).store(into);
        }
    }
}
