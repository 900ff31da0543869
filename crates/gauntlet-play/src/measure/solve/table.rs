//! The table of a solver: bounds of the values of positions, in bounded memory (a transposition table, Slate and Atkin
//! 1977, "CHESS 4.5").
//!
//! A position overwrites the earlier one at its place. It is recognised by 64 bits: in a search of ten million nodes, two
//! positions are mistaken for each other with a probability below 10^-11.

/// Bounds of the value of a position for its side to move: win 1, draw 0, loss -1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ValueBounds {
    /// Lower bound.
    pub low: i8,
    /// Upper bound.
    pub high: i8,
    /// The action that decided last.
    pub best: u32,
}

impl ValueBounds {
    /// The bounds of a position that no search has met.
    pub const NOTHING: ValueBounds = ValueBounds { low: -1, high: 1, best: u32::MAX };

    /// The answer to the question whether the value is at least `least`: a lower bound if it is, else an upper one.
    #[inline]
    pub fn answer(&self, least: i8) -> Option<i8> {
        if self.low >= least { Some(self.low) } else { Some(self.high).filter(|high| *high < least) }
    }

    /// Adds an answer to that question.
    #[inline]
    pub fn learn(&mut self, least: i8, answer: i8) {
        let bound = if answer >= least { &mut self.low } else { &mut self.high };
        *bound = answer;
    }
}

/// The name of a position: the first number gives its place, the second one identifies it.
pub(super) type Name = [u64; 2];

/// The most places of a table, of 16 bytes each.
const MOST: u64 = 1 << 22;

/// Bounds of positions, at a power of two of places.
pub(super) struct TranspositionTable {
    entries: Vec<(u64, ValueBounds)>,
    /// Distinguishes the entries of different searches.
    salt: u64,
}

impl TranspositionTable {
    /// An empty table for searches of at most `nodes` nodes.
    pub fn new(nodes: u64) -> TranspositionTable {
        let places = nodes.clamp(1, MOST).next_power_of_two();
        TranspositionTable { entries: vec![(0, ValueBounds::NOTHING); places as usize], salt: 0 }
    }

    /// Forgets everything. Old entries stay in memory under names that no longer occur, and every new entry overwrites the
    /// one at its place. So a search does not depend on earlier ones.
    pub fn clear(&mut self) {
        self.salt = self.salt.wrapping_add(0x9E37_79B9_7F4A_7C15);
    }

    #[inline]
    fn place(&self, name: Name) -> usize {
        name[0] as usize & (self.entries.len() - 1)
    }

    /// The bounds of a position.
    #[inline]
    pub fn get(&self, name: Name) -> ValueBounds {
        let (identity, known) = self.entries[self.place(name)];
        if identity == name[1] ^ self.salt { known } else { ValueBounds::NOTHING }
    }

    /// Stores the bounds of a position.
    #[inline]
    pub fn put(&mut self, name: Name, known: ValueBounds) {
        let place = self.place(name);
        self.entries[place] = (name[1] ^ self.salt, known);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_table_overwrites_and_a_cleared_one_forgets() {
        let mut table = TranspositionTable::new(3);
        let known = |best| ValueBounds { low: 0, high: 0, best };
        table.put([1, 10], known(1));
        table.put([5, 11], known(2));
        assert_eq!((table.get([1, 10]), table.get([5, 11])), (ValueBounds::NOTHING, known(2)));
        table.clear();
        assert_eq!(table.get([5, 11]), ValueBounds::NOTHING);
    }

    #[test]
    fn answers_are_the_bounds_that_decide() {
        let mut known = ValueBounds::NOTHING;
        assert_eq!([1, 0].map(|least| known.answer(least)), [None, None]);
        known.learn(1, 0);
        assert_eq!([1, 0].map(|least| known.answer(least)), [Some(0), None]);
        known.learn(0, 0);
        assert_eq!([1, 0].map(|least| known.answer(least)), [Some(0), Some(0)]);
    }
}
