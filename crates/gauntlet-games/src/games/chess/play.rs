//! A chess position within a game: the board, its history, and the legal moves, computed once.

use rand::RngExt as _;

use super::board::{ChessBoard, ChessMove};
use super::geometry::{Geometry, Squares, bit, each};
use super::hash;
use super::history::{KEPT, Ring};
use super::legal::{checkers, each_piece};
use super::numbering::{Numbering, UNDER};
use super::repetition::PastPositions;
use super::spec::{ChessSpec, PassantKey};
use crate::base::{Action, Chessman, Outcome, Rng, Side};
use crate::games::kit::key::Mixer;
use crate::games::{Lookback, Past, Piece, State, View};

/// Maximum number of a side's pieces.
pub(super) const MOST_PIECES: u32 = 16;
/// Piece values in [`State::lead`], by kind: pawn 1, knight and bishop 3, rook 5, queen 9.
const VALUES: [i32; 6] = [1, 3, 3, 5, 9, 0];

/// The legal moves: destinations of each own piece, in ascending order of its squares.
#[derive(Debug, Clone, Copy)]
struct LegalMoves {
    targets: [Squares; MOST_PIECES as usize],
    /// Pawns whose every move is a promotion, in four variants.
    promoting: Squares,
    count: u32,
}

impl LegalMoves {
    #[inline]
    fn of(geometry: &Geometry, board: &ChessBoard) -> LegalMoves {
        let own = board.sides[board.side as usize];
        let mut moves = LegalMoves { targets: [0; MOST_PIECES as usize], promoting: 0, count: 0 };
        if board.of(board.side, Chessman::King) == 0 {
            return moves;
        }
        each_piece(geometry, board, |from, to, promotes| {
            moves.targets[(own & (bit(from) - 1)).count_ones() as usize] |= to;
            moves.promoting |= if promotes { bit(from) } else { 0 };
            moves.count += to.count_ones() * if promotes { 4 } else { 1 };
        });
        moves
    }
}

/// A chess position. Its `lead` counts material: pawn 1, knight and bishop 3, rook 5, queen 9.
///
/// A position that was set up may let the side to move capture a king; that wins, as in pgx.
#[derive(Debug)]
pub struct Chess {
    pub(super) rules: ChessSpec,
    pub(super) board: ChessBoard,
    /// Plies since the last capture or pawn move.
    pub(super) quiet: u32,
    /// Plies since the start.
    pub(super) plies: u32,
    /// Move number of the start, as in FEN.
    pub(super) number: u32,
    geometry: &'static Geometry,
    numbering: &'static Numbering,
    moves: LegalMoves,
    seen: PastPositions,
    earlier: Ring,
    outcome: Option<Outcome>,
}

/// All data except the hashes is stored inline.
impl Clone for Chess {
    fn clone(&self) -> Chess {
        Chess { seen: self.seen.clone(), ..*self }
    }

    fn clone_from(&mut self, from: &Chess) {
        let mut seen = std::mem::replace(&mut self.seen, PastPositions::empty());
        seen.clone_from(&from.seen);
        *self = Chess { seen, ..*from };
    }
}

impl Chess {
    /// The position with this board as its start.
    pub(super) fn new(rules: ChessSpec, board: ChessBoard, quiet: u32, number: u32) -> Chess {
        let (geometry, numbering) = (Geometry::of(rules.size.get()), Numbering::of(rules.size.get()));
        let moves = LegalMoves::of(geometry, &board);
        let seen = PastPositions::new();
        let mut start = Chess {
            rules,
            board,
            quiet,
            plies: 0,
            number,
            geometry,
            numbering,
            moves,
            seen,
            earlier: Ring::new(),
            outcome: None,
        };
        start.settle();
        start
    }

    /// Whether the king of the side to move is attacked.
    #[must_use]
    pub fn in_check(&self) -> bool {
        self.board.of(self.board.side, Chessman::King) != 0 && checkers(self.geometry, &self.board) != 0
    }

    /// The piece on a square, with its side.
    pub(super) fn piece_at(&self, square: u32) -> Option<(Side, Chessman)> {
        let kind = self.board.kind_at(square)?;
        let side = if self.board.sides[0] & bit(square) != 0 { Side::First } else { Side::Second };
        Some((side, kind))
    }

    /// Each piece's square and destinations.
    fn each_piece(&self) -> impl Iterator<Item = (u32, Squares)> {
        each(self.board.sides[self.board.side as usize]).zip(self.moves.targets)
    }

    /// The square of a legal capture en passant.
    pub(super) fn passant(&self) -> Option<u32> {
        let square = u32::from(self.board.passant?);
        let pawns = self.board.of(self.board.side, Chessman::Pawn);
        self.each_piece().any(|(from, to)| pawns & bit(from) != 0 && to & bit(square) != 0).then_some(square)
    }

    /// Computes the legal moves of a new position and checks for the end of the game.
    fn settle(&mut self) {
        self.moves = LegalMoves::of(self.geometry, &self.board);
        let passant = match self.rules.passant_key {
            PassantKey::Legal => self.passant(),
            PassantKey::Always => self.board.passant.map(u32::from),
        };
        let (earlier, plies) = (&self.earlier, self.plies);
        let oldest = || if plies < KEPT as u32 { 0 } else { earlier.at(plies + 1 - KEPT as u32).since };
        self.seen.push(self.board.hash ^ passant.map_or(0, hash::passant), oldest);
        self.outcome = self.ending();
    }

    /// The action played `plies` plies ago, 1 for the last one.
    fn played(&self, plies: u32) -> Option<Action> {
        Some(self.earlier.at(self.plies.checked_sub(plies)?).action)
    }

    fn ending(&self) -> Option<Outcome> {
        if self.moves.count == 0 {
            let lost = self.in_check() || self.board.of(self.board.side, Chessman::King) == 0;
            return Some(if lost { Outcome::Win(self.board.side.opponent()) } else { Outcome::Draw });
        }
        let rules = &self.rules;
        let drawn = rules.quiet_plies > 0 && self.quiet >= u32::from(rules.quiet_plies)
            || rules.insufficient_material && self.board.cannot_mate()
            || rules.cap().is_some_and(|cap| self.plies >= cap)
            || self.seen.has_come(usize::from(rules.repetitions));
        drawn.then_some(Outcome::Draw)
    }

    /// Appends the pieces, given by kind and the first side's squares.
    fn show(&self, kinds: &[Squares; 6], first: Squares, into: &mut Vec<Piece>) {
        let start = into.len();
        into.resize(start + self.geometry.board.count_ones() as usize, Piece::EMPTY);
        for (kind, &squares) in kinds.iter().enumerate() {
            for square in each(squares) {
                let side = if first & bit(square) != 0 { Side::First } else { Side::Second };
                into[start + self.geometry.site(square)] = Piece::new(side, kind as u8);
            }
        }
    }

    fn material(&self, side: Side) -> i32 {
        Chessman::ALL
            .into_iter()
            .map(|kind| VALUES[kind as usize] * self.board.of(side, kind).count_ones() as i32)
            .sum()
    }

    /// Promoting pawns and their destinations; does not check whether the game is over.
    fn promotions(&self) -> impl Iterator<Item = (u32, Squares)> {
        self.each_piece().filter(|&(from, _)| self.moves.promoting & bit(from) != 0)
    }
}

impl State for Chess {
    fn side(&self) -> Side {
        self.board.side
    }

    fn actions(&self, into: &mut Vec<Action>) {
        if self.outcome.is_some() {
            return;
        }
        let encode = |from, under| move |to| self.numbering.encode(ChessMove { from, to, under });
        for (from, targets) in self.each_piece() {
            into.extend(each(targets).map(encode(from, None)));
        }
        for (from, targets) in self.promotions() {
            into.extend(each(targets).flat_map(|to| UNDER.map(|kind| encode(from, Some(kind))(to))));
        }
    }

    fn play(&mut self, action: Action) {
        self.earlier.note(self.plies, &self.board, action, self.seen.since());
        let forgets = self.board.play(self.geometry, self.numbering.decode(action));
        if forgets {
            self.seen.leave_behind();
        }
        self.quiet = if forgets { 0 } else { self.quiet + 1 };
        self.plies += 1;
        self.settle();
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn view(&self, view: &mut View) {
        view.side = self.board.side;
        view.last = self.played(1);
        view.pieces.clear();
        self.show(&self.board.kinds, self.board.sides[0], &mut view.pieces);
        view.counts.clear();
        view.scalars.clear();
        view.scalars.extend((0..4).map(|right| f32::from(self.board.castling >> right & 1)));
        view.scalars.push(self.quiet as f32);
    }

    fn past(&self, wanted: Lookback, past: &mut Past) {
        past.clear();
        let kept = |wanted: u8| u32::from(wanted).min(KEPT as u32);
        past.actions.extend((1..=kept(wanted.actions)).map_while(|plies| self.played(plies)));
        for plies in 0..kept(wanted.positions).min(self.plies + 1) {
            let earlier = self.earlier.at(self.plies - plies);
            let (kinds, first) =
                if plies == 0 { (&self.board.kinds, self.board.sides[0]) } else { (&earlier.kinds, earlier.first) };
            self.show(kinds, first, &mut past.pieces);
            past.repetitions.push(self.seen.repetitions(self.plies - plies));
            past.plies = self.plies;
        }
    }

    fn key(&self) -> u128 {
        let sites = self.geometry.board.count_ones() as usize;
        let mut mixer = Mixer::new(sites, self.board.side, self.outcome.is_some());
        self.board.kinds.into_iter().for_each(|kind| mixer.word(kind));
        mixer.word(self.board.sides[0]);
        let passant = if self.outcome.is_some() { None } else { self.passant() };
        mixer.word(u64::from(self.quiet) << 16 | u64::from(self.board.castling) << 8 | u64::from(passant.unwrap_or(0)));
        mixer.finish()
    }

    fn lead(&self, side: Side) -> Option<f64> {
        Some(f64::from(self.material(side) - self.material(side.opponent())))
    }

    fn random_action(&self, rng: &mut Rng) -> Action {
        let mut at = rng.random_range(0..self.moves.count);
        for (from, targets) in self.each_piece() {
            let ways = if self.moves.promoting & bit(from) == 0 { 1 } else { 4 };
            let here = targets.count_ones() * ways;
            if at < here {
                let to = each(targets).nth((at / ways) as usize).expect("the index is below the count");
                let under = (at % ways).checked_sub(1).map(|kind| UNDER[kind as usize]);
                return self.numbering.encode(ChessMove { from, to, under });
            }
            at -= here;
        }
        unreachable!("a position that is not over has a legal action")
    }
}
