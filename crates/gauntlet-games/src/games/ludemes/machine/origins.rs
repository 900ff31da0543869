//! Origins of the steps of all of a colour's pieces at once.

use super::bits::Bits;
use super::board::Move;
use super::shifts::{BoardShift, MOST_SHIFTS};
use super::tables::NOWHERE;
use super::values::{EvalContext, Registers};

/// Origins of the legal steps, by shift.
pub struct Origins<'a, const W: usize> {
    shifts: &'a [BoardShift<W>],
    from: [Bits<W>; MOST_SHIFTS],
}

impl<'a, const W: usize> Origins<'a, W> {
    /// The origins of the mover's steps.
    #[inline]
    pub fn new<const S: usize>(view: &EvalContext<W, S>, shifts: &'a [BoardShift<W>]) -> Origins<'a, W> {
        let (mover, at) = (view.board.mover, Registers::of(view.board.mover));
        let own = &view.board.own[usize::from(mover)];
        let mut from = [Bits::EMPTY; MOST_SHIFTS];
        let (mut to, mut known) = (Bits::EMPTY, None);
        for (shift, from) in shifts.iter().zip(&mut from) {
            if known != Some(shift.to) {
                (to, known) = (view.region(shift.to, &at), Some(shift.to));
            }
            *from = to.shifted(-shift.by).and(&shift.inner).and(own);
        }
        Origins { shifts, from }
    }

    #[inline]
    fn sets(&self) -> &[Bits<W>] {
        &self.from[..self.shifts.len()]
    }

    /// Number of steps.
    #[inline]
    pub fn len(&self) -> usize {
        self.sets().iter().map(Bits::len).sum()
    }

    /// The step at index `nth`, if there are more than `nth`.
    #[inline]
    pub fn nth(&self, nth: usize) -> Option<Move> {
        let mut left = nth;
        for from in self.sets().iter().fold(Bits::EMPTY, |all, set| all.or(set)) {
            let here: usize = self.sets().iter().map(|set| usize::from(set.has(from))).sum();
            if left < here {
                let allowed = self.shifts.iter().zip(self.sets()).filter(|(_, set)| set.has(from));
                return allowed.map(|(shift, _)| step(shift, from)).nth(left);
            }
            left -= here;
        }
        None
    }
}

/// The step from a site.
#[inline]
fn step<const W: usize>(shift: &BoardShift<W>, from: usize) -> Move {
    Move { rule: shift.rule, from: from as u16, to: (from as i32 + shift.by) as u16, between: NOWHERE }
}

#[cfg(test)]
mod tests {
    use super::super::super::library::{LIBRARY, described};
    use super::super::super::spec::LudemeSpec;
    use super::super::DescribedPosition;
    use crate::base::{Action, Rng, Seed};
    use crate::games::{Game as _, Position, State};

    /// The move drawn by random play, the move drawn from the list, and whether random play shifts the board.
    fn drawn(position: &dyn Position, rng: &Rng) -> (Action, Action, bool) {
        fn of<const W: usize, const S: usize>(position: &dyn Position, rng: &Rng) -> Option<(Action, Action, bool)> {
            let played = position.state::<DescribedPosition<W, S>>()?;
            Some((
                State::random_action(played, &mut rng.clone()),
                played.random_listed(&mut rng.clone()),
                played.has_shifts(),
            ))
        }
        let narrow =
            of::<1, 0>(position, rng).or_else(|| of::<1, 1>(position, rng)).or_else(|| of::<2, 0>(position, rng));
        narrow.or_else(|| of::<4, 0>(position, rng)).or_else(|| of::<6, 0>(position, rng)).unwrap()
    }

    #[test]
    fn what_is_drawn_without_a_list_is_what_is_drawn_from_it() {
        let wide = described("breakthrough").unwrap().text.replace("<8>", "<11>");
        let others = LIBRARY.iter().map(|game| (game.name, game.text, game.name == "breakthrough"));
        for (name, text, shifts) in others.chain([("wide", wide.as_str(), true)]) {
            let game = LudemeSpec::read(name, text, &[], &[]).unwrap().build();
            let (mut position, mut rng) = (game.start(), Seed::new(6).rng());
            while position.outcome().is_none() {
                let (fast, listed, shifted) = drawn(&*position, &rng);
                assert_eq!((fast, shifted), (listed, shifts), "{name}");
                position.play(position.random_action(&mut rng));
            }
        }
    }
}
