//! The units of swiping layers: activation of their weighted sums, the only difference between the swiping networks.
//!
//! The sums of a gate are already halved (see [`twice_sigmoid`]).

use super::Vector;
use super::tanh::{Quotient, tanh, twice_sigmoid};

/// Maximum number of weighted sums of a unit.
pub const MOST_SUMS: usize = 5;

/// The place of a swipe, as far as the library's forget gates depend on it.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// Whether the swipe runs towards higher rows.
    pub down: bool,
    /// Whether this is the last row that the swipe visits.
    pub last_row: bool,
    /// Whether this is the last column that the swipe visits.
    pub last_column: bool,
}

/// A kind of unit. `up` and `left` are the states at the neighbours that the swipe comes from.
pub trait Unit: Send {
    /// Number of weighted sums of one unit.
    const SUMS: usize;
    /// Indices of the sums that belong to gates.
    const GATES: &'static [usize];

    /// The group of weights of each sum; the identity unless gates are exchanged.
    #[inline(always)]
    fn groups(_place: Place) -> [usize; MOST_SUMS] {
        [0, 1, 2, 3, 4]
    }

    /// Whether a neighbour's state may be dropped.
    const DROPS: bool = false;

    /// Whether the state of the upper and of the left neighbour is dropped. Called only if the kind [drops] states.
    ///
    /// [drops]: Unit::DROPS
    #[inline(always)]
    fn dropped(_place: Place) -> [bool; 2] {
        [false; 2]
    }

    /// The unit's new state and its output.
    fn activate<V: Vector>(sums: [V; MOST_SUMS], up: V, left: V) -> (V, V);
}

/// MDRNN: tanh of the one sum, no state.
pub struct TanhUnit;

impl Unit for TanhUnit {
    const SUMS: usize = 1;
    const GATES: &'static [usize] = &[];

    #[inline(always)]
    fn activate<V: Vector>(sums: [V; MOST_SUMS], _up: V, _left: V) -> (V, V) {
        let tanh = tanh(sums[0]);
        (V::splat(0.0), tanh.above.div(tanh.below))
    }
}

/// MDLSTM: sums are input gate, forget gates of the upper and the left neighbour, cell, output gate.
pub struct TwoForget;

impl Unit for TwoForget {
    const SUMS: usize = 5;
    const GATES: &'static [usize] = &[0, 1, 2, 4];

    #[inline(always)]
    fn activate<V: Vector>(sums: [V; MOST_SUMS], up: V, left: V) -> (V, V) {
        let (from_up, from_left) = (twice_sigmoid(sums[1]), twice_sigmoid(sums[2]));
        let kept = Quotient {
            above: up.mul(from_up.above).mul_add(from_left.below, left.mul(from_left.above).mul(from_up.below)),
            below: from_up.below.mul(from_left.below),
        };
        let twice = gated(sums[0], sums[3]).add(kept);
        emit(twice.above.div(twice.below).mul(V::splat(0.5)), sums[4])
    }
}

/// [`TwoForget`] with the assignment of forget gates in the authors' library.
///
/// There, a unit numbers the connections that propagate its state in the order of their creation, and the number is
/// the forget gate used at the other end. Connections are created in the row-major order of the receivers, in every
/// swipe. So in a downward swipe the one along the row comes first and in an upward swipe the one along the column;
/// at the end of a row or column only one is left, and it is the first.
pub struct Library;

impl Unit for Library {
    const SUMS: usize = TwoForget::SUMS;
    const GATES: &'static [usize] = TwoForget::GATES;

    #[inline(always)]
    fn groups(place: Place) -> [usize; MOST_SUMS] {
        let second_for_up = place.down && !place.last_column;
        let second_for_left = !place.down && !place.last_row;
        [0, 1 + usize::from(second_for_up), 1 + usize::from(second_for_left), 3, 4]
    }

    #[inline(always)]
    fn activate<V: Vector>(sums: [V; MOST_SUMS], up: V, left: V) -> (V, V) {
        TwoForget::activate(sums, up, left)
    }
}

/// [`Library`] as implemented in the authors' C++ back end of 2009: its loop over forget gates ended after the first
/// one, so that the second stayed 0 and its state was lost.
pub struct Arac;

impl Unit for Arac {
    const SUMS: usize = Library::SUMS;
    const GATES: &'static [usize] = Library::GATES;
    const DROPS: bool = true;

    #[inline(always)]
    fn groups(place: Place) -> [usize; MOST_SUMS] {
        Library::groups(place)
    }

    #[inline(always)]
    fn dropped(place: Place) -> [bool; 2] {
        let groups = Library::groups(place);
        [groups[1] == 2, groups[2] == 2]
    }

    #[inline(always)]
    fn activate<V: Vector>(sums: [V; MOST_SUMS], up: V, left: V) -> (V, V) {
        Library::activate(sums, up, left)
    }
}

/// MDLSTM with one forget gate for both neighbours: sums are input, forget, cell, output.
pub struct OneForget;

impl Unit for OneForget {
    const SUMS: usize = 4;
    const GATES: &'static [usize] = &[0, 1, 3];

    #[inline(always)]
    fn activate<V: Vector>(sums: [V; MOST_SUMS], up: V, left: V) -> (V, V) {
        let forget = twice_sigmoid(sums[1]);
        let kept = Quotient { above: up.add(left).mul(forget.above), below: forget.below };
        let twice = gated(sums[0], sums[2]).add(kept);
        emit(twice.above.div(twice.below).mul(V::splat(0.5)), sums[3])
    }
}

/// MDLSTM without forget gates: sums are input, cell, output.
pub struct NoForget;

impl Unit for NoForget {
    const SUMS: usize = 3;
    const GATES: &'static [usize] = &[0, 2];

    #[inline(always)]
    fn activate<V: Vector>(sums: [V; MOST_SUMS], up: V, left: V) -> (V, V) {
        let fresh = gated(sums[0], sums[1]);
        let half = V::splat(0.5);
        emit(fresh.above.div(fresh.below).mul_add(half, up.add(left)), sums[2])
    }
}

/// Twice sigmoid(gate) * tanh(value).
#[inline(always)]
fn gated<V: Vector>(gate: V, value: V) -> Quotient<V> {
    let (gate, value) = (twice_sigmoid(gate), tanh(value));
    Quotient { above: gate.above.mul(value.above), below: gate.below.mul(value.below) }
}

/// The state, and its output through the output gate.
#[inline(always)]
fn emit<V: Vector>(state: V, gate: V) -> (V, V) {
    let out = gated(gate, state);
    (state, out.above.div(out.below).mul(V::splat(0.5)))
}
