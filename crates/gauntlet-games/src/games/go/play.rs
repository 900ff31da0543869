//! A position of Go, and the effect of a move.

use std::sync::Arc;

use rand::RngExt as _;

use super::super::kit::stone_board::{StoneBoard, beside};
use super::super::{Piece, SetUpError, State, Topology, View};
use super::area::areas;
use super::chains::Chains;
use super::history::History;
use super::{Komi, Superko};
use crate::base::{Action, Outcome, Rng, Seed, Side};

/// A position of Go, with the history that its rules need.
#[derive(Debug, Clone)]
pub struct Go {
    board: StoneBoard,
    constants: Arc<GoConstants>,
    chains: Chains,
    /// The site of a lone stone just captured by a lone stone, which may not be recaptured at once.
    ko: Option<u16>,
    /// Number of passes in a row.
    passes: u8,
    plies: usize,
    hash: u64,
    history: History,
}

/// Constants of a game.
#[derive(Debug)]
struct GoConstants {
    beside: Box<[[u16; 4]]>,
    /// Hashes by site and side.
    hashes: Box<[[u64; 2]]>,
    /// Twice the komi.
    komi: i32,
    superko: Superko,
    cap: usize,
}

impl Go {
    /// The empty board of `size` x `size` points, in a game of at most `cap` moves.
    #[must_use]
    pub fn new(size: usize, komi: Komi, superko: Superko, cap: usize) -> Go {
        let topology = Topology::square(size);
        let sites = topology.sites();
        let mut rng = Seed::new(0).child("go hashes", 0).rng();
        let constants = GoConstants {
            beside: beside(&topology),
            hashes: (0..sites).map(|_| [rng.random(), rng.random()]).collect(),
            komi: komi.halves(),
            superko,
            cap,
        };
        let mut go = Go::empty(Arc::new(constants));
        go.remember();
        go
    }

    fn empty(constants: Arc<GoConstants>) -> Go {
        let sites = constants.beside.len();
        // Every move of a game, and the starting position.
        let room = if constants.superko == Superko::Simple { 0 } else { constants.cap + 1 };
        let (board, chains, history) = (StoneBoard::new(sites), Chains::new(sites), History::new(room));
        Go { board, constants, chains, ko: None, passes: 0, plies: 0, hash: 0, history }
    }

    fn remember(&mut self) {
        if self.constants.superko != Superko::Simple {
            self.history.insert(self.hash);
        }
    }

    fn pass(&self) -> usize {
        self.constants.beside.len()
    }

    /// Whether a stone of the side to move on an empty site would have a liberty.
    fn lives(&self, site: usize) -> bool {
        let own = Piece::stone(self.board.side);
        self.constants.beside[site].iter().any(|&at| {
            let at = usize::from(at);
            let piece = self.board.pieces[at];
            piece.is_empty()
                || (piece != StoneBoard::BORDER && self.chains.is_in_atari(self.chains.of(at)) != (piece == own))
        })
    }

    /// Whether ko or superko forbids an otherwise legal move on an empty site.
    fn is_banned(&self, site: usize) -> bool {
        self.ko == Some(site as u16) || (self.constants.superko == Superko::Positional && self.repeats(site))
    }

    fn is_legal(&self, site: usize) -> bool {
        self.lives(site) && !self.is_banned(site)
    }

    /// Whether a stone on an empty site would repeat an earlier position.
    fn repeats(&self, site: usize) -> bool {
        let (side, mut chains) = (self.board.side, [usize::MAX; 4]);
        let other = Piece::stone(side.opponent());
        let mut hash = self.hash ^ self.constants.hashes[site][side.index()];
        for (slot, &at) in self.constants.beside[site].iter().enumerate() {
            let at = usize::from(at);
            if self.board.pieces[at] == other {
                let chain = self.chains.of(at);
                if self.chains.is_in_atari(chain) && !chains.contains(&chain) {
                    hash ^= self.chains.hash(chain);
                    chains[slot] = chain;
                }
            }
        }
        self.history.contains(hash)
    }

    /// Puts a stone of the side to move on an empty site where it lives, and removes dead stones.
    fn place(&mut self, site: usize) {
        let side = self.board.side;
        let (own, other) = (Piece::stone(side), Piece::stone(side.opponent()));
        let beside = self.constants.beside[site];
        let mut pieces = [StoneBoard::BORDER; 4];
        for (slot, piece) in pieces.iter_mut().enumerate() {
            *piece = self.board.pieces[usize::from(beside[slot])];
        }
        self.board.put(site, side);
        self.join(site, own, &beside, &pieces);
        let mut taken = 0;
        for &at in &beside {
            let at = usize::from(at);
            if self.board.pieces[at] == other && self.chains.is_dead(self.chains.of(at)) {
                taken += self.take(at);
            }
        }
        let lone = pieces.iter().all(|&piece| piece == other || piece == StoneBoard::BORDER);
        self.ko = (taken == 1 && lone).then(|| self.freed_beside(site));
    }

    /// Adds the new stone on a site to the neighbouring chains, and removes their liberty.
    fn join(&mut self, site: usize, own: Piece, beside: &[u16; 4], pieces: &[Piece; 4]) {
        let hash = self.constants.hashes[site][self.board.side.index()];
        self.chains.found(site, hash);
        self.hash ^= hash;
        let mut chain = site;
        for (slot, &piece) in pieces.iter().enumerate() {
            let at = usize::from(beside[slot]);
            if piece.is_empty() {
                self.chains.touch(chain, at);
            } else if piece != StoneBoard::BORDER {
                let other = self.chains.of(at);
                self.chains.untouch(other, site);
                if piece == own {
                    chain = self.chains.join(chain, other);
                }
            }
        }
    }

    /// The only empty site beside a lone stone.
    fn freed_beside(&self, site: usize) -> u16 {
        let freed = self.constants.beside[site].into_iter().find(|&at| self.board.pieces[usize::from(at)].is_empty());
        freed.expect("a stone beside it was taken off")
    }

    /// Removes a dead stone's chain and returns its number of stones.
    fn take(&mut self, stone: usize) -> usize {
        let chain = self.chains.of(stone);
        let stones = self.chains.stones(chain);
        self.hash ^= self.chains.hash(chain);
        let mut site = stone;
        for _ in 0..stones {
            self.board.lift(site);
            site = self.chains.next(site);
        }
        for _ in 0..stones {
            for &at in &self.constants.beside[site] {
                let at = usize::from(at);
                let piece = self.board.pieces[at];
                if !piece.is_empty() && piece != StoneBoard::BORDER {
                    self.chains.touch(self.chains.of(at), site);
                }
            }
            site = self.chains.next(site);
        }
        stones
    }

    fn areas(&self) -> [i32; 2] {
        areas(&self.board.pieces, &self.constants.beside)
    }

    fn score(&self) -> Outcome {
        let [first, second] = self.areas();
        match (2 * (first - second)).cmp(&self.constants.komi) {
            std::cmp::Ordering::Greater => Outcome::Win(Side::First),
            std::cmp::Ordering::Less => Outcome::Win(Side::Second),
            std::cmp::Ordering::Equal => Outcome::Draw,
        }
    }

    fn is_last(&self) -> bool {
        self.plies + 1 >= self.constants.cap
    }
}

impl State for Go {
    fn side(&self) -> Side {
        self.board.side
    }
    fn actions(&self, into: &mut Vec<Action>) {
        if self.board.outcome.is_none() {
            into.reserve(self.board.free + 1);
            into.extend(self.board.empty.iter().filter(|&site| self.is_legal(site)).map(Action::from));
            into.push(Action::from(self.pass()));
        }
    }
    fn play(&mut self, action: Action) {
        let (site, mut outcome) = (action.index(), None);
        if site == self.pass() {
            self.passes += 1;
            self.ko = None;
        } else {
            self.passes = 0;
            self.place(site);
            let back = self.constants.superko == Superko::Draw && self.history.contains(self.hash);
            outcome = back.then_some(Outcome::Draw);
            self.remember();
        }
        if outcome.is_none() && (self.passes == 2 || self.is_last()) {
            outcome = Some(self.score());
        }
        self.plies += 1;
        self.board.end_turn(action, outcome);
    }
    fn outcome(&self) -> Option<Outcome> {
        self.board.outcome
    }
    fn view(&self, view: &mut View) {
        self.board.view(&[f32::from(u8::from(self.passes > 0))], view);
    }
    fn key(&self) -> u128 {
        let mut mixer = self.board.mix();
        mixer.word(u64::from(self.passes > 0));
        if self.board.outcome.is_none() {
            let banned = self.board.empty.iter().filter(|&site| self.lives(site) && self.is_banned(site));
            banned.for_each(|site| mixer.word(site as u64));
        }
        mixer.finish()
    }
    fn lead(&self, side: Side) -> Option<f64> {
        let areas = self.areas();
        Some(f64::from(areas[side.index()] - areas[side.opponent().index()]))
    }
    fn set_up(&self, pieces: &[Piece], side: Side) -> Result<Go, SetUpError> {
        let mut go = Go::empty(Arc::clone(&self.constants));
        for (site, &piece) in pieces.iter().enumerate() {
            if let Some(owner) = piece.side() {
                if piece.kind() != 0 {
                    return Err(SetUpError::Piece { site });
                }
                go.board.side = owner;
                go.place(site);
            }
        }
        // A chain without a liberty is found here, or was removed when its last liberty was filled.
        let stands = |&site: &usize| go.board.pieces[site] == pieces[site];
        let lives = |&site: &usize| pieces[site].is_empty() || !go.chains.is_dead(go.chains.of(site));
        if let Some(site) = (0..pieces.len()).find(|site| !stands(site) || !lives(site)) {
            return Err(SetUpError::NoLiberty { site });
        }
        (go.board.side, go.ko) = (side, None);
        go.remember();
        Ok(go)
    }
    fn outcome_after(&self, action: Action) -> Option<Outcome> {
        if self.is_last() {
            let mut next = self.clone();
            State::play(&mut next, action);
            return next.board.outcome;
        }
        if action.index() == self.pass() {
            return (self.passes == 1).then(|| self.score());
        }
        (self.constants.superko == Superko::Draw && self.repeats(action.index())).then_some(Outcome::Draw)
    }
    fn random_action(&self, rng: &mut Rng) -> Action {
        loop {
            let drawn = rng.random_range(0..=self.board.free);
            if drawn == self.board.free {
                return Action::from(self.pass());
            }
            let site = self.board.empty.nth(drawn).expect("`free` counts the empty sites");
            if self.is_legal(site) {
                return Action::from(site);
            }
        }
    }
    fn decisive(&self, wins: &mut Vec<Action>, losses: &mut Vec<Action>) {
        if self.board.outcome.is_some() || !(self.passes == 1 || self.is_last()) {
            return;
        }
        let mut note = |action: Action| match self.outcome_after(action) {
            Some(Outcome::Win(winner)) if winner == self.board.side => wins.push(action),
            Some(Outcome::Win(_)) => losses.push(action),
            Some(Outcome::Draw) | None => {}
        };
        if self.is_last() {
            let mut actions = Vec::new();
            State::actions(self, &mut actions);
            actions.into_iter().for_each(note);
        } else {
            note(Action::from(self.pass()));
        }
    }
}
