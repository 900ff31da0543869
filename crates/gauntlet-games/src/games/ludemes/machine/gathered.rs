//! The list that collects the moves of a generator.

use std::cell::RefCell;

use super::bits::Bits;
use super::board::Move;
use super::tables::NOWHERE;

/// Maximum number of moves of a position; no realistic game reaches it.
pub const MOST: usize = 1 << 16;

/// The moves collected so far, and limits on them.
pub struct Gathered<'a, const W: usize> {
    /// The moves.
    pub list: &'a mut Vec<Move>,
    /// Number of moves after which generation stops.
    pub enough: usize,
    /// The allowed destinations, if limited.
    pub only: Option<Bits<W>>,
}

impl<const W: usize> Gathered<'_, W> {
    /// Whether the limit is reached.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.list.len() >= self.enough
    }

    /// The allowed destinations among some sites.
    #[inline]
    pub fn ends(&self, to: Bits<W>) -> Bits<W> {
        self.only.map_or(to, |only| to.and(&only))
    }

    /// Adds a move that captures nothing in between.
    #[inline]
    pub fn push(&mut self, rule: u8, from: usize, to: usize) {
        self.list.push(Move { rule, from: from as u16, to: to as u16, between: NOWHERE });
    }
}

thread_local! {
    static SPARE: RefCell<Vec<Vec<Move>>> = const { RefCell::new(Vec::new()) };
}

/// Lends an empty list that is reused.
pub fn with_list<T>(work: impl FnOnce(&mut Vec<Move>) -> T) -> T {
    let mut list = SPARE.with(|spare| spare.borrow_mut().pop()).unwrap_or_default();
    list.clear();
    let result = work(&mut list);
    SPARE.with(|spare| spare.borrow_mut().push(list));
    result
}
