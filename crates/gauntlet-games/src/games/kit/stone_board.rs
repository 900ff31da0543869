//! The common state of stone games: a board with stones, a side to move and an outcome.
//!
//! It holds no rules: a game decides what a stone does.

use rand::RngExt as _;

use super::key::Mixer;
use super::{Piece, SetUpError, SiteSet, Topology, View};
use crate::base::{Action, Outcome, Rng, Side};

/// Stones on a board, the side to move, and the outcome.
#[derive(Debug, Clone)]
pub(crate) struct StoneBoard {
    /// The piece on each site; one more at the end, [`StoneBoard::BORDER`], for missing neighbours.
    pub pieces: Box<[Piece]>,
    /// The sites without a stone.
    pub empty: SiteSet,
    /// Number of empty sites.
    pub free: usize,
    /// The side to move.
    pub side: Side,
    /// The action played last, if any.
    pub last: Option<Action>,
    /// How the game ended, if it has.
    pub outcome: Option<Outcome>,
}

impl StoneBoard {
    /// The piece outside the board: equal to no stone and not empty.
    pub const BORDER: Piece = Piece::new(Side::First, 1);

    /// An empty board, the first side to move.
    pub fn new(sites: usize) -> StoneBoard {
        let mut pieces = vec![Piece::EMPTY; sites + 1];
        pieces[sites] = StoneBoard::BORDER;
        let (pieces, empty) = (pieces.into_boxed_slice(), SiteSet::all(sites));
        StoneBoard { pieces, empty, free: sites, side: Side::First, last: None, outcome: None }
    }

    /// Puts a stone on an empty site.
    #[inline]
    pub fn put(&mut self, site: usize, side: Side) {
        debug_assert!(self.pieces[site].is_empty(), "a stone stands there");
        self.pieces[site] = Piece::stone(side);
        self.empty.remove(site);
        self.free -= 1;
    }

    /// Removes a stone.
    #[inline]
    pub fn lift(&mut self, site: usize) {
        self.pieces[site] = Piece::EMPTY;
        self.empty.insert(site);
        self.free += 1;
    }

    /// Ends the turn after this action, with this outcome.
    #[inline]
    pub fn end_turn(&mut self, action: Action, outcome: Option<Outcome>) {
        self.last = Some(action);
        self.outcome = outcome;
        self.side = self.side.opponent();
    }

    /// Sets the side to move and the outcome of a position that was set up, in which these sides have a winning row.
    pub fn settle(&mut self, side: Side, [first, second]: [bool; 2]) -> Result<(), SetUpError> {
        self.side = side;
        self.outcome = match (first, second) {
            (true, true) => return Err(SetUpError::BothWon),
            (false, false) => (self.free == 0).then_some(Outcome::Draw),
            _ => Some(Outcome::Win(if first { Side::First } else { Side::Second })),
        };
        Ok(())
    }

    /// Appends every empty site, unless the game is over.
    pub fn actions(&self, into: &mut Vec<Action>) {
        if self.outcome.is_none() {
            into.reserve(self.free);
            self.empty.iter().for_each(|site| into.push(Action::from(site)));
        }
    }

    /// A uniformly random empty site.
    #[inline]
    pub fn random_action(&self, rng: &mut Rng) -> Action {
        let site = self.empty.nth(rng.random_range(0..self.free));
        Action::from(site.expect("`free` counts the empty sites"))
    }

    /// Writes the neutral view.
    pub fn view(&self, scalars: &[f32], view: &mut View) {
        view.side = self.side;
        view.last = self.last;
        view.pieces.clear();
        view.pieces.extend_from_slice(self.stones());
        view.counts.clear();
        view.scalars.clear();
        view.scalars.extend_from_slice(scalars);
    }

    /// The piece on each site, without the border.
    pub fn stones(&self) -> &[Piece] {
        &self.pieces[..self.pieces.len() - 1]
    }

    /// The start of a key: the board, the stones, the side to move, and whether the game is over.
    pub fn mix(&self) -> Mixer {
        let mut mixer = Mixer::new(self.stones().len(), self.side, self.outcome.is_some());
        mixer.pieces(self.stones());
        mixer
    }
}

/// The four neighbours of each site, with the border's site for missing ones.
pub(crate) fn beside(topology: &Topology) -> Box<[[u16; 4]]> {
    let sites = topology.sites();
    let four = |site| {
        let mut four = [sites as u16; 4];
        for (slot, &at) in four.iter_mut().zip(topology.neighbours(site)) {
            *slot = at as u16;
        }
        four
    };
    (0..sites).map(four).collect()
}
