//! Sequential halving: the number of visits that the next followed action must have, simulation by simulation.
//!
//! Karnin, Koren and Somekh 2013, in the schedule of mctx: all considered actions are visited equally often, then the
//! better half of them, and so on until two are left, which share the remaining simulations. The ranking is made
//! elsewhere: of the actions with the required number of visits, the search follows the best.

/// An infinite sequence of the required visits of the next action.
#[derive(Debug, Clone, Default)]
pub(super) struct Halving {
    simulations: u32,
    /// Halvings until one action is left, `ceil(log2(m))`.
    halvings: u32,
    /// Actions still considered.
    considered: u32,
    /// Visits of each of them before the next halving.
    rounds: u32,
    /// Actions already visited in this round.
    done: u32,
    visits: u32,
}

impl Halving {
    /// The schedule for `considered` actions (at least one) and `simulations` simulations.
    pub fn new(considered: u32, simulations: u32) -> Halving {
        let halvings = considered.next_power_of_two().trailing_zeros();
        let mut halving = Halving { simulations, halvings, considered, rounds: 0, done: 0, visits: 0 };
        halving.rounds = halving.rounds();
        halving
    }

    /// Visits of each remaining action until the next halving: a share of the simulations, at least one.
    fn rounds(&self) -> u32 {
        (self.simulations / (self.halvings * self.considered).max(1)).max(1)
    }

    fn end_round(&mut self) {
        (self.done, self.visits, self.rounds) = (0, self.visits + 1, self.rounds - 1);
        if self.rounds == 0 {
            self.considered = self.considered.min((self.considered / 2).max(2));
            self.rounds = self.rounds();
        }
    }
}

impl Iterator for Halving {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.done == self.considered {
            self.end_round();
        }
        self.done += 1;
        Some(self.visits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_actions_are_halved_four_times() {
        let sequence: Vec<u32> = Halving::new(16, 128).take(128).collect();
        let expected = [(16, 0..2), (8, 2..6), (4, 6..14), (2, 14..30)];
        let expected = expected
            .into_iter()
            .flat_map(|(actions, visits)| visits.flat_map(move |visits| std::iter::repeat_n(visits, actions)));
        assert_eq!(sequence, expected.collect::<Vec<u32>>());
    }

    #[test]
    fn one_action_has_all_visits() {
        assert_eq!(Halving::new(1, 5).take(5).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    }
}
