//! Application of moves: the change itself, its effects, the end of the game, the next turn.

use super::super::program::{Change, EndResult, EndRule, MoveKind, Program, Rule};
use super::bits::Bits;
use super::board::{Board, Move};
use super::tables::{NOWHERE, Tables};
use super::values::{EvalContext, Registers};
use super::{execute, pieces};

/// Turns after which a game is a draw.
const MOST_TURNS: u32 = 2500;
/// Moves after which a game is a draw.
const MOST_MOVES: u32 = 10_000;

/// A site of the last move: -1 if there is none.
fn site(at: u16) -> i16 {
    if at == NOWHERE { -1 } else { at as i16 }
}

/// Makes a move, without checking for the end of the game and without the next turn.
pub fn perform<const W: usize, const S: usize>(tables: &Tables<W>, board: &mut Board<W, S>, made: &Move, mover: u8) {
    let rule = tables.program.rules[usize::from(made.rule)];
    let at = Registers { mover, sites: [made.from, made.to, made.between, NOWHERE].map(|at| i32::from(site(at))) };
    execute::run(tables, board, rule.before, &at);
    change(tables, board, &rule, made, mover);
    board.last = [[site(made.from), site(made.to)], board.last[0]];
    board.moves += 1;
    if tables.program.visits && made.from != NOWHERE {
        board.visited.insert(usize::from(made.from));
        board.visited.insert(usize::from(made.to));
    }
    execute::run(tables, board, rule.then, &at);
}

fn change<const W: usize, const S: usize>(
    tables: &Tables<W>,
    board: &mut Board<W, S>,
    rule: &Rule,
    made: &Move,
    mover: u8,
) {
    let (from, to) = (usize::from(made.from), usize::from(made.to));
    match rule.change {
        Change::None => {}
        Change::Put(kinds) => pieces::add(tables, board, to, kinds[usize::from(mover)]),
        Change::Take => pieces::remove(tables, board, to),
        Change::Carry { stack } => pieces::carry(tables, board, from, to, stack),
        Change::Become(kinds) => pieces::turn(tables, board, to, kinds[usize::from(mover)]),
        Change::Propose(text) => {
            board.proposed = text + 1;
            board.votes = [0; 3];
            board.votes[usize::from(mover)] = text + 1;
        }
        Change::Vote(text) => vote(board, mover, text + 1),
    }
}

/// Counts a vote; two equal votes decide.
fn vote<const W: usize, const S: usize>(board: &mut Board<W, S>, mover: u8, text: u8) {
    board.votes[usize::from(mover)] = text;
    let [_, one, other] = board.votes;
    if one != 0 && other != 0 {
        board.decided = if one == other { one } else { 0 };
        board.proposed = 0;
        board.votes = [0; 3];
    }
}

/// Makes a legal move: change, effects, end of the game, next turn.
pub fn play<const W: usize, const S: usize>(tables: &Tables<W>, board: &mut Board<W, S>, made: &Move) {
    let mover = board.mover;
    board.again = false;
    perform(tables, board, made, mover);
    let kind = tables.program.rules[usize::from(made.rule)].kind;
    finish(tables, board, mover, kind == MoveKind::Pass);
}

/// Passes if there is no other move.
pub fn pass<const W: usize, const S: usize>(tables: &Tables<W>, board: &mut Board<W, S>) {
    alone(tables, board, true);
}

/// The players exchange their colours.
pub fn swap<const W: usize, const S: usize>(tables: &Tables<W>, board: &mut Board<W, S>) {
    board.swapped = true;
    board.previous = 3 - board.mover;
    let mover = board.mover;
    alone(tables, board, false);
    // The stones stay, and the same colour is to move.
    if board.ended.is_none() {
        board.mover = mover;
    }
}

fn alone<const W: usize, const S: usize>(tables: &Tables<W>, board: &mut Board<W, S>, passed: bool) {
    board.again = false;
    board.last = [[-1; 2], board.last[0]];
    board.moves += 1;
    finish(tables, board, board.mover, passed);
}

fn finish<const W: usize, const S: usize>(tables: &Tables<W>, board: &mut Board<W, S>, mover: u8, passed: bool) {
    let alone = passed && !board.again && board.previous != mover;
    board.passes = if alone { board.passes + 1 } else { 0 };
    board.ended = end(&EvalContext { tables, board }, mover).or_else(|| drawn(board));
    board.counter += 1;
    if board.ended.is_none() {
        advance(tables, board, mover);
    }
}

/// The draw by the universal limits, if they are reached.
fn drawn<const W: usize, const S: usize>(board: &Board<W, S>) -> Option<u8> {
    let turns = !board.again && board.turns >= MOST_TURNS;
    (turns || board.passes >= 2 || board.moves >= MOST_MOVES).then_some(0)
}

/// Continues with the next turn, or with the next move of this one.
pub fn advance<const W: usize, const S: usize>(tables: &Tables<W>, board: &mut Board<W, S>, mover: u8) {
    phases(tables, board, mover);
    board.previous = mover;
    if !board.again {
        board.mover = 3 - mover;
        board.turns += 1;
        board.visited = Bits::EMPTY;
    }
    board.again = false;
}

fn phases<const W: usize, const S: usize>(tables: &Tables<W>, board: &mut Board<W, S>, mover: u8) {
    if tables.program.phases.len() < 2 {
        return;
    }
    for colour in [1, 2] {
        let phase = &tables.program.phases[usize::from(board.phase[colour])];
        let view = EvalContext { tables, board };
        let mine = |who| who == super::super::program::Who::Both || usize::from(view.colour(who, mover)) == colour;
        let next = phase.next.iter().find(|(who, when, _)| mine(*who) && view.bool(*when, &Registers::of(mover)));
        if let Some(&(_, _, to)) = next {
            board.phase[colour] = to;
        }
    }
}

/// The outcome by the game's rules, if it has ended: the colour that wins, or 0.
fn end<const W: usize, const S: usize>(view: &EvalContext<W, S>, mover: u8) -> Option<u8> {
    let program: &Program = &view.tables.program;
    let phase = &program.phases[usize::from(view.board.phase[usize::from(mover)])];
    let at = Registers::of(mover);
    let hit = |rule: &&EndRule| view.bool(rule.when, &at);
    let rule = phase.ends.iter().chain(&program.ends).find(hit)?;
    Some(match &rule.verdict {
        EndResult::Win(who) => view.colour(*who, mover),
        EndResult::Loss(who) => 3 - view.colour(*who, mover).clamp(1, 2),
        EndResult::Draw => 0,
        EndResult::ByScore(scores) => {
            let [one, other] = scores.map(|score| view.int(score, &at));
            match one.cmp(&other) {
                std::cmp::Ordering::Greater => 1,
                std::cmp::Ordering::Less => 2,
                std::cmp::Ordering::Equal => 0,
            }
        }
    })
}
