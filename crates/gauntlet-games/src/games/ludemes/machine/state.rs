//! A position of a described game as a [`State`].

use std::sync::Arc;

use rand::RngExt as _;

use super::super::super::kit::key::Mixer;
use super::super::super::{Lookback, Past, State, View as Shown};
use super::super::program::{ActionKind, Bool, MoveKind, Moves, Program, Who};
use super::board::{Board, Move};
use super::gathered::with_list;
use super::moves::all;
use super::origins::Origins;
use super::shifts::BoardShift;
use super::tables::{NOWHERE, Tables};
use super::values::{EvalContext, Registers};
use super::{apply, pieces, threats};
use crate::base::{Action, Outcome, Rng, Side};

/// A position of a game on `64 * W` sites; `S` is 1 for games with stacks, else 0.
#[derive(Debug, Clone)]
pub struct DescribedPosition<const W: usize, const S: usize> {
    tables: Arc<Tables<W>>,
    /// The position itself.
    pub board: Board<W, S>,
}

impl<const W: usize, const S: usize> DescribedPosition<W, S> {
    /// The start of a game.
    pub fn start(tables: &Arc<Tables<W>>) -> DescribedPosition<W, S> {
        let mut board = Board::new();
        for colour in [1, 2] {
            let open = |phase: &super::super::program::Phase| phase.owner == 0 || usize::from(phase.owner) == colour;
            board.phase[colour] = tables.program.phases.iter().position(open).unwrap_or(0) as u8;
        }
        for placed in &tables.program.start {
            (0..placed.count).for_each(|_| pieces::add(tables, &mut board, usize::from(placed.site), placed.piece));
        }
        DescribedPosition { tables: Arc::clone(tables), board }
    }

    /// The game.
    pub fn program(&self) -> &Program {
        &self.tables.program
    }

    #[inline]
    fn view(&self) -> EvalContext<'_, W, S> {
        EvalContext { tables: &self.tables, board: &self.board }
    }

    /// All moves that the rules give the mover, including those with the same sites and effects; without a forced
    /// pass and without a swap.
    pub fn moves(&self, list: &mut Vec<Move>) {
        if self.board.ended.is_none() {
            all(&self.view(), threats::play(&self.view(), self.board.mover), &Registers::of(self.board.mover), list);
        }
    }

    /// Whether the mover may take over the other colour.
    #[inline]
    pub fn may_swap(&self) -> bool {
        self.tables.program.swap && self.board.moves == 1 && self.board.ended.is_none()
    }

    /// Makes a legal move.
    pub fn make(&mut self, made: &Move) {
        apply::play(&self.tables, &mut self.board, made);
    }

    /// The number of a move.
    #[inline]
    pub fn number(&self, made: &Move) -> u32 {
        let rule = &self.tables.program.rules[usize::from(made.rule)];
        self.tables.number(rule.class, made.from, made.to)
    }

    /// The numbers of the legal moves, ascending and unique.
    fn numbers(&self, into: &mut Vec<Action>) {
        let start = into.len();
        with_list(|list| {
            self.moves(list);
            into.extend(list.iter().map(|made| Action(self.number(made))));
        });
        if into.len() == start && self.board.ended.is_none() {
            into.push(Action(self.tables.pass));
        }
        if self.may_swap() {
            into.push(Action(self.tables.swap));
        }
        if !into[start..].is_sorted_by(|one, next| one < next) {
            into[start..].sort_unstable();
            let mut kept = start;
            for index in start..into.len() {
                if index == start || into[index] != into[kept - 1] {
                    into[kept] = into[index];
                    kept += 1;
                }
            }
            into.truncate(kept);
        }
    }

    /// Whether the rules test if a player had no move.
    fn asks_who_is_stuck(&self) -> bool {
        let asks = |bool: &Bool| matches!(bool, Bool::NoMoves(who) if *who != Who::Next);
        self.tables.program.bools.iter().any(asks)
    }

    /// Whether the rules give the mover a move.
    fn can_move(&self) -> bool {
        let view = self.view();
        view.exists(threats::play(&view, self.board.mover), &Registers::of(self.board.mover), None)
    }

    /// The side that plays a colour.
    fn side_of(&self, colour: u8) -> Side {
        if (colour == 1) == self.board.swapped { Side::Second } else { Side::First }
    }

    /// The piece to add and the empty sites for it, if the rules allow all of these moves and no others.
    #[inline]
    fn free_sites(&self) -> Option<(u8, super::bits::Bits<W>)> {
        let view = self.view();
        match self.tables.program.moves[usize::from(threats::play(&view, self.board.mover).0)] {
            Moves::On { rule, sites } => Some((rule, view.region(sites, &Registers::of(self.board.mover)))),
            _ => None,
        }
    }

    fn made(&self, class: u8, from: u16, to: u16) -> Move {
        let rule = self.tables.program.classes[usize::from(class)];
        let hops = self.tables.program.rules[usize::from(rule)].kind == MoveKind::Hop && from != NOWHERE;
        let between = if hops { self.tables.hopped(from, to) } else { NOWHERE };
        Move { rule, from, to, between }
    }

    fn outcome_of(&self, ended: u8) -> Outcome {
        if ended == 0 { Outcome::Draw } else { Outcome::Win(self.side_of(ended)) }
    }
}

impl<const W: usize, const S: usize> State for DescribedPosition<W, S> {
    fn side(&self) -> Side {
        self.side_of(self.board.mover)
    }
    fn actions(&self, into: &mut Vec<Action>) {
        self.numbers(into);
    }
    fn play(&mut self, action: Action) {
        let passes = action.0 == self.tables.pass;
        self.board.stuck = passes && self.asks_who_is_stuck() && !self.can_move();
        match self.tables.program.actions[action.index()] {
            ActionKind::Sites { from, to, class } => {
                let made = self.made(class, from, to);
                self.make(&made);
            }
            ActionKind::Alone(class) => {
                let made = self.made(class, NOWHERE, NOWHERE);
                self.make(&made);
            }
            ActionKind::Pass => apply::pass(&self.tables, &mut self.board),
            ActionKind::Swap => apply::swap(&self.tables, &mut self.board),
        }
        self.board.last_actions = [action.0 + 1, self.board.last_actions[0]];
    }
    fn outcome(&self) -> Option<Outcome> {
        self.board.ended.map(|ended| self.outcome_of(ended))
    }
    fn view(&self, view: &mut Shown) {
        super::show::show(&self.tables.program, &self.board, view);
        view.side = State::side(self);
    }
    fn past(&self, wanted: Lookback, past: &mut Past) {
        past.clear();
        let played = self.board.last_actions.iter().take(usize::from(wanted.actions));
        past.actions.extend(played.filter_map(|number| number.checked_sub(1)).map(Action));
    }
    fn key(&self) -> u128 {
        let board = &self.board;
        let program = &self.tables.program;
        let mut mixer = Mixer::new(program.sites, State::side(self), board.ended.is_some());
        if S > 0 {
            board.stacks[0]
                .iter()
                .for_each(|stack| [*stack as u64, (stack >> 64) as u64].into_iter().for_each(|word| mixer.word(word)));
        } else {
            board
                .what
                .as_flattened()
                .chunks_exact(8)
                .for_each(|eight| mixer.word(u64::from_le_bytes(eight.try_into().unwrap_or_default())));
        }
        super::show::scalars(program, board, |scalar| mixer.word(u64::from(scalar.to_bits())));
        let hands = program.sites - program.board_sites();
        board.counts[..hands].iter().for_each(|&count| mixer.word(u64::from(count)));
        let mut numbers: Vec<Action> = Vec::new();
        self.numbers(&mut numbers);
        mixer.actions(&numbers);
        mixer.finish()
    }
    fn random_action(&self, rng: &mut Rng) -> Action {
        let swap = usize::from(self.may_swap());
        if let Some((rule, sites)) = self.free_sites() {
            let count = sites.len();
            let drawn = rng.random_range(0..(count + swap).max(1));
            return Action(match drawn {
                _ if count + swap == 0 => self.tables.pass,
                drawn if drawn < count => {
                    let site = sites.nth(drawn) as u16;
                    self.tables.number(self.tables.program.rules[usize::from(rule)].class, site, site)
                }
                _ => self.tables.swap,
            });
        }
        match self.shifts() {
            [] => self.random_listed(rng),
            shifts => self.random_step(&Origins::new(&self.view(), shifts), rng),
        }
    }
}

impl<const W: usize, const S: usize> DescribedPosition<W, S> {
    /// The mover's moves as shifts of the whole board, if available.
    #[inline]
    fn shifts(&self) -> &[BoardShift<W>] {
        self.tables.shifts(threats::play(&self.view(), self.board.mover), self.board.mover)
    }

    /// Whether random moves are drawn by shifts of the whole board, without a list.
    #[cfg(test)]
    pub(super) fn has_shifts(&self) -> bool {
        !self.shifts().is_empty()
    }

    /// A random step, an allowed swap, or a forced pass: the same draw as [`Self::random_listed`], without the list.
    fn random_step(&self, steps: &Origins<W>, rng: &mut Rng) -> Action {
        let swap = usize::from(self.may_swap());
        match steps.nth(rng.random_range(0..(steps.len() + swap).max(1))) {
            Some(made) => Action(self.number(&made)),
            None => Action(if swap > 0 { self.tables.swap } else { self.tables.pass }),
        }
    }

    pub(super) fn random_listed(&self, rng: &mut Rng) -> Action {
        with_list(|list| {
            self.moves(list);
            let swap = usize::from(self.may_swap());
            loop {
                let drawn = rng.random_range(0..(list.len() + swap).max(1));
                match list.get(drawn) {
                    // Several moves with the same action count once, as the first of them.
                    Some(made) if self.is_repeated(&list[..drawn], made) => {}
                    Some(made) => return Action(self.number(made)),
                    None if swap > 0 => return Action(self.tables.swap),
                    None => return Action(self.tables.pass),
                }
            }
        })
    }

    /// Whether one of these moves is the same action as another.
    fn is_repeated(&self, before: &[Move], made: &Move) -> bool {
        let same = |other: &Move| (other.from, other.to) == (made.from, made.to);
        before.iter().any(|other| same(other) && self.number(other) == self.number(made))
    }
}
