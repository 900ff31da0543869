//! What the stone games share: sets of sites, and a board with stones, a side to move and an end.
//!
//! No rules: a game decides what a stone does.

use rand::RngExt as _;

use super::{Piece, View};
use crate::base::{Action, Outcome, Rng, Side};

/// Words for the 625 sites of the largest board.
const WORDS: usize = 10;

/// A set of sites of a board with at most 625, as bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteSet {
    words: [u64; WORDS],
    used: usize,
}

impl SiteSet {
    /// No site of a board with `sites` sites.
    #[must_use]
    pub fn new(sites: usize) -> SiteSet {
        SiteSet { words: [0; WORDS], used: sites.div_ceil(64) }
    }

    /// Every site of a board with `sites` sites.
    #[must_use]
    pub fn all(sites: usize) -> SiteSet {
        let mut set = SiteSet::new(sites);
        (0..sites).for_each(|site| set.insert(site));
        set
    }

    /// Whether the site is in the set.
    #[must_use]
    pub fn contains(&self, site: usize) -> bool {
        self.words[site / 64] >> (site % 64) & 1 != 0
    }

    /// Puts the site in.
    pub fn insert(&mut self, site: usize) {
        self.words[site / 64] |= 1 << (site % 64);
    }

    /// Takes the site out.
    pub fn remove(&mut self, site: usize) {
        self.words[site / 64] &= !(1 << (site % 64));
    }

    /// Takes all sites out.
    pub fn clear(&mut self) {
        self.words[..self.used].fill(0);
    }

    /// Puts in every site of another set of the same board.
    pub fn extend(&mut self, other: &SiteSet) {
        for (word, more) in self.words[..self.used].iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// Number of sites in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words[..self.used].iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether no site is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words[..self.used].iter().all(|&word| word == 0)
    }

    /// The sites, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words[..self.used].iter().enumerate().flat_map(|(index, &word)| bits(word).map(move |bit| index * 64 + bit))
    }

    /// The site before which `nth` others lie, if the set is that large.
    #[must_use]
    pub fn nth(&self, nth: usize) -> Option<usize> {
        let mut left = nth;
        for (index, &word) in self.words[..self.used].iter().enumerate() {
            let ones = word.count_ones() as usize;
            if left < ones {
                return bits(word).nth(left).map(|bit| index * 64 + bit);
            }
            left -= ones;
        }
        None
    }
}

/// The positions of a word's ones, ascending.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        bit
    })
}

/// Stones on a square board, whose turn it is, and how the game ended.
#[derive(Debug, Clone)]
pub(super) struct Board {
    /// What stands on each site; one more at the end, [`Board::BORDER`], for neighbours that are missing.
    pub pieces: Box<[Piece]>,
    /// The sites without a stone.
    pub empty: SiteSet,
    /// How many those are.
    pub free: usize,
    /// Who is to move.
    pub side: Side,
    last: Option<Action>,
    /// How the game ended, if it has.
    pub outcome: Option<Outcome>,
}

impl Board {
    /// Stands outside of the board: equal to no stone and not empty.
    pub const BORDER: Piece = Piece::new(Side::First, 1);

    /// An empty board, the first side to move.
    pub fn new(size: usize) -> Board {
        let sites = size * size;
        let mut pieces = vec![Piece::EMPTY; sites + 1];
        pieces[sites] = Board::BORDER;
        let (pieces, empty) = (pieces.into_boxed_slice(), SiteSet::all(sites));
        Board { pieces, empty, free: sites, side: Side::First, last: None, outcome: None }
    }

    /// Puts a stone on an empty site.
    pub fn put(&mut self, site: usize, side: Side) {
        debug_assert!(self.pieces[site].is_empty(), "a stone stands there");
        self.pieces[site] = Piece::stone(side);
        self.empty.remove(site);
        self.free -= 1;
    }

    /// Takes a stone off.
    pub fn lift(&mut self, site: usize) {
        self.pieces[site] = Piece::EMPTY;
        self.empty.insert(site);
        self.free += 1;
    }

    /// The turn's action is done, with this outcome.
    pub fn end_turn(&mut self, action: Action, outcome: Option<Outcome>) {
        self.last = Some(action);
        self.outcome = outcome;
        self.side = self.side.opponent();
    }

    /// Appends every empty site, unless the game is over.
    pub fn actions(&self, into: &mut Vec<Action>) {
        if self.outcome.is_none() {
            into.extend(self.empty.iter().map(Action::from));
        }
    }

    /// A uniformly random empty site.
    pub fn random_action(&self, rng: &mut Rng) -> Action {
        let site = self.empty.nth(rng.random_range(0..self.free));
        Action::from(site.expect("`free` counts the empty sites"))
    }

    /// Writes the neutral view.
    pub fn view(&self, scalars: &[f32], view: &mut View) {
        view.side = self.side;
        view.last = self.last;
        view.pieces.clear();
        view.pieces.extend_from_slice(&self.pieces[..self.pieces.len() - 1]);
        view.scalars.clear();
        view.scalars.extend_from_slice(scalars);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_lists_what_was_put_in() {
        let mut set = SiteSet::new(625);
        for site in [624, 3, 64, 63, 300] {
            set.insert(site);
        }
        set.remove(300);
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 63, 64, 624]);
        assert_eq!(set.len(), 4);
        assert_eq!((0..5).map(|nth| set.nth(nth)).collect::<Vec<_>>(), [Some(3), Some(63), Some(64), Some(624), None]);
        assert!(set.contains(63) && !set.contains(300));
        set.clear();
        assert!(set.is_empty());
        assert_eq!(SiteSet::all(49).len(), 49);
    }
}
