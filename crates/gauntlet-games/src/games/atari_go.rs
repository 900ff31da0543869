//! Atari-Go, also Ponnuki-Go or the capture game: Go without passing, where the first capture wins.
//!
//! Schaul and Schmidhuber 2009, section 3.1. A suicidal move is legal and loses at once; a capturing move wins even
//! if it has no liberty of its own. As the game ends with the capture, no stone is ever removed. So groups only grow,
//! and so do the two sets that decide a move: the sites where a side can be captured, and the empty sites without an
//! empty neighbour.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kit::groups::Groups;
use super::kit::set_up::stones;
use super::kit::stone_board::{StoneBoard, beside};
use super::{BoardSize, GridGame, Piece, SetUpError, SiteSet, State, Topology, View};
use crate::base::{Action, Outcome, Rng, Side};

/// Settings of Atari-Go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AtariGoSpec {
    /// Points along one side of the board, 5 to 25.
    pub size: BoardSize,
}

impl AtariGoSpec {
    /// The game with these settings.
    #[must_use]
    pub fn build(&self) -> GridGame<AtariGo> {
        let size = self.size.get();
        GridGame::new(format!("atari-go {size}x{size}"), [size, size], AtariGo::new(self.size))
    }
}

/// A position of Atari-Go.
#[derive(Debug, Clone)]
pub struct AtariGo {
    board: StoneBoard,
    /// The neighbours of each site; the border's site for missing ones.
    beside: Arc<[[u16; 4]]>,
    groups: Groups,
    /// By side: the last liberties of its groups that have exactly one.
    ataris: [SiteSet; 2],
    /// Empty sites without an empty neighbour: the only ones where a move can be suicide.
    enclosed: SiteSet,
}

impl AtariGo {
    /// The empty board.
    #[must_use]
    pub fn new(size: BoardSize) -> AtariGo {
        AtariGo::empty(beside(&Topology::square(size.get())).into())
    }

    /// The empty board with these neighbours.
    fn empty(beside: Arc<[[u16; 4]]>) -> AtariGo {
        let (sites, none) = (beside.len(), SiteSet::new(beside.len()));
        let ataris = [none.clone(), none.clone()];
        AtariGo { board: StoneBoard::new(sites), beside, groups: Groups::new(sites), ataris, enclosed: none }
    }

    /// Whether a move of `side` on an empty site, without a capture, would leave its own group without liberties.
    fn is_suicide(&self, site: usize, side: Side) -> bool {
        let own = Piece::stone(side);
        let doomed = |&at: &u16| {
            let at = usize::from(at);
            self.board.pieces[at] != own || self.groups.last_liberty(self.groups.of(at)).is_some()
        };
        self.enclosed.contains(site) && self.beside[site].iter().all(doomed)
    }

    /// Updates groups, ataris and enclosed sites after `side` has put a stone on `site`.
    fn grow(&mut self, site: usize, side: Side) {
        let own = Piece::stone(side);
        self.enclosed.remove(site);
        self.ataris[side.index()].remove(site);
        self.groups.found(site);
        let mut group = site;
        for at in self.beside[site].map(usize::from) {
            let piece = self.board.pieces[at];
            if piece.is_empty() {
                self.groups.touch(group, at);
                self.enclose(at);
            } else if piece != StoneBoard::BORDER {
                let other = self.groups.of(at);
                self.groups.untouch(other, site);
                if piece == own {
                    group = self.groups.join(group, other);
                } else {
                    self.note_atari(other, side.opponent());
                }
            }
        }
        self.note_atari(group, side);
    }

    /// Marks an empty site that has lost its last empty neighbour.
    fn enclose(&mut self, site: usize) {
        if !self.beside[site].iter().any(|&at| self.board.pieces[usize::from(at)].is_empty()) {
            self.enclosed.insert(site);
        }
    }

    /// Marks a group that has only one liberty left. That liberty has to be filled before the group can gain another,
    /// so a mark stays valid until a stone is put there.
    fn note_atari(&mut self, group: usize, side: Side) {
        if let Some(site) = self.groups.last_liberty(group) {
            self.ataris[side.index()].insert(site);
        }
    }
}

impl State for AtariGo {
    fn side(&self) -> Side {
        self.board.side
    }
    fn actions(&self, into: &mut Vec<Action>) {
        self.board.actions(into);
    }
    fn play(&mut self, action: Action) {
        let (site, side) = (action.index(), self.board.side);
        let outcome = self.outcome_after(action);
        self.board.put(site, side);
        if outcome.is_none() {
            self.grow(site, side);
        }
        self.board.end_turn(action, outcome);
    }
    fn outcome(&self) -> Option<Outcome> {
        self.board.outcome
    }
    fn view(&self, view: &mut View) {
        self.board.view(&[], view);
    }
    fn key(&self) -> u128 {
        self.board.mix().finish()
    }
    fn has_history(&self) -> bool {
        false
    }
    fn set_up(&self, pieces: &[Piece], side: Side) -> Result<AtariGo, SetUpError> {
        let mut position = AtariGo::empty(Arc::clone(&self.beside));
        for stone in stones(pieces) {
            let (site, owner) = stone?;
            position.board.put(site, owner);
            position.grow(site, owner);
        }
        // A group without a liberty has been captured, so the game was already over.
        let is_dead = |&site: &usize| !pieces[site].is_empty() && position.groups.is_dead(position.groups.of(site));
        if let Some(site) = (0..pieces.len()).find(is_dead) {
            return Err(SetUpError::NoLiberty { site });
        }
        position.board.side = side;
        Ok(position)
    }
    fn outcome_after(&self, action: Action) -> Option<Outcome> {
        let (site, side) = (action.index(), self.board.side);
        if self.ataris[side.opponent().index()].contains(site) {
            return Some(Outcome::Win(side));
        }
        self.is_suicide(site, side).then_some(Outcome::Win(side.opponent()))
    }
    fn random_action(&self, rng: &mut Rng) -> Action {
        self.board.random_action(rng)
    }
    fn decisive(&self, wins: &mut Vec<Action>, losses: &mut Vec<Action>) {
        if self.board.outcome.is_some() {
            return;
        }
        let captures = &self.ataris[self.board.side.opponent().index()];
        wins.extend(captures.iter().map(Action::from));
        let suicide = |&site: &usize| !captures.contains(site) && self.is_suicide(site, self.board.side);
        losses.extend(self.enclosed.iter().filter(suicide).map(Action::from));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Game;

    /// Plays points by name on 5x5, black first, and returns the position.
    fn after(points: &str) -> AtariGo {
        let spec = AtariGoSpec { size: BoardSize::new(5).unwrap() };
        let (game, mut state) = (spec.build(), AtariGo::new(spec.size));
        for point in points.split_whitespace() {
            assert_eq!(State::outcome(&state), None, "before {point}");
            State::play(&mut state, game.parse_action(point).unwrap());
        }
        state
    }

    #[test]
    fn the_first_capture_wins() {
        assert_eq!(State::outcome(&after("A2 A1 B1")), Some(Outcome::Win(Side::First)));
        assert_eq!(State::outcome(&after("C3 C4 A1 B3 A5 D3 E5 C2")), Some(Outcome::Win(Side::Second)));
    }

    #[test]
    fn a_suicide_loses() {
        assert_eq!(State::outcome(&after("A2 E5 B1 A1")), Some(Outcome::Win(Side::First)));
        // A stone that joins a group without further liberties dies with it.
        assert_eq!(State::outcome(&after("E1 A1 A2 A4 B2 E5 C1 B1")), Some(Outcome::Win(Side::First)));
    }

    #[test]
    fn a_capture_wins_without_a_liberty() {
        // White's A1 has no liberty, yet takes the last one of B1 between C1 and B2.
        assert_eq!(State::outcome(&after("B1 C1 A2 B2 E5 A1")), Some(Outcome::Win(Side::Second)));
    }

    /// A reference implementation of the rules by flood fill.
    fn judge(state: &AtariGo, topology: &Topology, site: usize, side: Side) -> Option<Outcome> {
        let mut pieces = state.board.pieces.clone();
        pieces[site] = Piece::stone(side);
        let lives = |start: usize| {
            let (mut group, mut next) = (vec![start], 0);
            while let Some(&stone) = group.get(next) {
                for at in topology.neighbours(stone).iter().map(|&at| at as usize) {
                    if pieces[at].is_empty() {
                        return true;
                    }
                    if pieces[at] == pieces[start] && !group.contains(&at) {
                        group.push(at);
                    }
                }
                next += 1;
            }
            false
        };
        let enemy = |&at: &usize| pieces[at] == Piece::stone(side.opponent());
        let mut enemies = topology.neighbours(site).iter().map(|&at| at as usize).filter(enemy);
        if enemies.any(|stone| !lives(stone)) {
            return Some(Outcome::Win(side));
        }
        (!lives(site)).then_some(Outcome::Win(side.opponent()))
    }

    #[test]
    fn the_fast_rules_are_the_plain_ones() {
        for (size, games) in [(5, 40), (8, 20), (16, 3), (25, 1)] {
            let topology = Topology::square(size as usize);
            let mut rng = crate::base::Seed::new(size as u64).rng();
            for _ in 0..games {
                let mut state = AtariGo::new(BoardSize::new(size).unwrap());
                while State::outcome(&state).is_none() {
                    let again = state.set_up(state.board.stones(), state.board.side).unwrap();
                    for site in state.board.empty.iter() {
                        let plain = judge(&state, &topology, site, State::side(&state));
                        assert_eq!(State::outcome_after(&state, Action::from(site)), plain);
                        assert_eq!(State::outcome_after(&again, Action::from(site)), plain, "set up");
                    }
                    let action = State::random_action(&state, &mut rng);
                    State::play(&mut state, action);
                }
            }
        }
    }

    #[test]
    fn captured_stones_cannot_be_set_up() {
        let mut pieces = vec![Piece::EMPTY; 25];
        pieces[0] = Piece::stone(Side::First);
        [1, 5].into_iter().for_each(|site| pieces[site] = Piece::stone(Side::Second));
        let set_up = |pieces: &[Piece]| after("").set_up(pieces, Side::First).err();
        assert_eq!(set_up(&pieces), Some(SetUpError::NoLiberty { site: 0 }));
        pieces[5] = Piece::EMPTY;
        assert_eq!(set_up(&pieces), None);
    }

    #[test]
    fn one_ply_players_see_both_ends() {
        let (mut wins, mut losses) = (Vec::new(), Vec::new());
        State::decisive(&after("A2 E5 B1"), &mut wins, &mut losses);
        assert_eq!((wins, losses), (vec![], vec![Action(20)]));
    }
}
