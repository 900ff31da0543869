//! Groups and liberties of an Atari-Go position, read from its neutral view.

use std::sync::Arc;

use gauntlet_games::base::Side;
use gauntlet_games::games::{Game, Piece, Position, SiteSet, View};

/// One group of joined stones.
#[derive(Debug, Clone)]
pub(super) struct StoneGroup {
    /// Its owner.
    pub side: Side,
    /// Its liberties.
    pub liberties: SiteSet,
    /// The number of its liberties.
    pub freedom: usize,
}

/// The groups of a position, in buffers that are reused.
pub(super) struct StoneGroups {
    game: Arc<dyn Game>,
    view: View,
    /// The group on each site; meaningless on empty sites.
    of: Vec<usize>,
    groups: Vec<StoneGroup>,
    stack: Vec<usize>,
}

/// Marks a site without a group yet.
const UNSEEN: usize = usize::MAX;

impl StoneGroups {
    /// No groups, for positions of one game.
    pub fn new(game: &Arc<dyn Game>) -> StoneGroups {
        let game = Arc::clone(game);
        StoneGroups { game, view: View::new(), of: Vec::new(), groups: Vec::new(), stack: Vec::new() }
    }

    /// Finds the groups of a position.
    pub fn read(&mut self, position: &dyn Position) {
        position.view(&mut self.view);
        self.of.clear();
        self.of.resize(self.view.pieces.len(), UNSEEN);
        self.groups.clear();
        for site in 0..self.view.pieces.len() {
            if let Some(side) = self.view.pieces[site].side().filter(|_| self.of[site] == UNSEEN) {
                self.flood(site, side);
            }
        }
    }

    /// Finds the group of a stone.
    fn flood(&mut self, start: usize, side: Side) {
        let (own, index) = (Piece::stone(side), self.groups.len());
        let mut liberties = SiteSet::new(self.of.len());
        let topology = self.game.topology();
        self.of[start] = index;
        self.stack.push(start);
        while let Some(site) = self.stack.pop() {
            for &at in topology.neighbours(site) {
                let at = at as usize;
                let piece = self.view.pieces[at];
                if piece.is_empty() {
                    liberties.insert(at);
                } else if piece == own && self.of[at] == UNSEEN {
                    self.of[at] = index;
                    self.stack.push(at);
                }
            }
        }
        let freedom = liberties.len();
        self.groups.push(StoneGroup { side, liberties, freedom });
    }

    /// The side to move.
    pub fn side(&self) -> Side {
        self.view.side
    }

    /// All groups.
    pub fn all(&self) -> &[StoneGroup] {
        &self.groups
    }

    /// The groups adjacent to a site, once for each adjacent stone.
    pub fn beside(&self, site: usize) -> impl Iterator<Item = &StoneGroup> {
        let stones = self.neighbours(site).filter(|&at| !self.view.pieces[at].is_empty());
        stones.map(|at| &self.groups[self.of[at]])
    }

    /// The neighbours of a site.
    pub fn neighbours(&self, site: usize) -> impl ExactSizeIterator<Item = usize> {
        self.game.topology().neighbours(site).iter().map(|&at| at as usize)
    }

    /// The liberties of the group that a stone of `side` on this empty site would join, ignoring captures.
    pub fn joined(&self, site: usize, side: Side) -> SiteSet {
        let mut liberties = SiteSet::new(self.of.len());
        for at in self.neighbours(site) {
            match self.view.pieces[at].side() {
                None => liberties.insert(at),
                Some(owner) if owner == side => liberties.extend(&self.groups[self.of[at]].liberties),
                Some(_) => {}
            }
        }
        liberties.remove(site);
        liberties
    }
}
