//! Where moves are gathered.

use std::cell::RefCell;

use super::bits::Bits;
use super::board::Move;
use super::tables::NOWHERE;

/// The most moves that a position is looked at for; no position of a sensible game has as many.
pub const MOST: usize = 1 << 16;

/// Where moves are gathered.
pub struct Gathered<'a, const W: usize> {
    /// The moves.
    pub list: &'a mut Vec<Move>,
    /// How many are enough.
    pub enough: usize,
    /// Where they have to end, if that matters.
    pub only: Option<Bits<W>>,
}

impl<const W: usize> Gathered<'_, W> {
    /// Whether there are enough.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.list.len() >= self.enough
    }

    /// Those of some sites where they may end.
    #[inline]
    pub fn ends(&self, to: Bits<W>) -> Bits<W> {
        self.only.map_or(to, |only| to.and(&only))
    }

    /// Adds a move that takes nothing between.
    #[inline]
    pub fn push(&mut self, rule: u8, from: usize, to: usize) {
        self.list.push(Move { rule, from: from as u16, to: to as u16, between: NOWHERE });
    }
}

thread_local! {
    static SPARE: RefCell<Vec<Vec<Move>>> = const { RefCell::new(Vec::new()) };
}

/// Lends an empty list that is kept for the next time.
pub fn with_list<T>(work: impl FnOnce(&mut Vec<Move>) -> T) -> T {
    let mut list = SPARE.with(|spare| spare.borrow_mut().pop()).unwrap_or_default();
    list.clear();
    let result = work(&mut list);
    SPARE.with(|spare| spare.borrow_mut().push(list));
    result
}
