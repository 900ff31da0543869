//! The position that a manager of the Gomocup lists.

use std::cmp::Ordering;

use gauntlet_games::base::Side;

/// The lines of a `BOARD` or `YXBOARD` so far.
#[derive(Default)]
pub(super) struct Listing {
    /// Column, row and owner of each stone.
    pub(super) stones: Vec<[usize; 3]>,
    /// Whether the engine moves after it.
    pub(super) asks: bool,
}

impl Listing {
    /// The engine's side: of a list that asks for its move, by the numbers of stones; else the first stone's owner moved
    /// first, if the numbers allow it. `None` if they fit neither.
    pub(super) fn engine(&self) -> Option<Side> {
        let own = self.stones.iter().filter(|[.., owner]| *owner == 1).count();
        let other = self.stones.len() - own;
        let begins = self.stones.first().is_none_or(|[.., owner]| *owner == 1);
        match own.cmp(&other) {
            Ordering::Equal => Some(if self.asks || begins { Side::First } else { Side::Second }),
            Ordering::Less => (own + 1 == other).then_some(Side::Second),
            Ordering::Greater => (!self.asks && own == other + 1).then_some(Side::First),
        }
    }
}
