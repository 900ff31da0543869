//! Test that a move allocates no memory: neither the legal actions, nor a random action, nor playing it, nor reading
//! the new position.
//!
//! The allocator of this program counts. The start of a game and copies of a position may allocate. So may queries that
//! copy internally: leads and outcomes of actions that a game cannot decide locally.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use gauntlet_games::base::{Rng, Seed};
use gauntlet_games::games::{GameSpec, Position, View};

/// Number of games of each kind.
const GAMES: u64 = 4;

thread_local! {
    /// Number of allocations by this thread. The tests of a program run in separate threads.
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

/// The system allocator with a count.
struct Counting;

fn count() {
    ASKED.set(ASKED.get() + 1);
}

// SAFETY: each call is passed unchanged to the system allocator, which keeps the contract.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The number of allocations of a call.
fn asked<T>(call: impl FnOnce() -> T) -> u64 {
    let before = ASKED.get();
    std::hint::black_box(call());
    ASKED.get() - before
}

/// The output buffers of every move, with room for the largest board of these tests.
struct Buffers {
    actions: Vec<gauntlet_games::base::Action>,
    view: View,
}

impl Buffers {
    fn new() -> Buffers {
        let mut view = View::new();
        view.pieces.reserve(1000);
        view.scalars.reserve(100);
        Buffers { actions: Vec::with_capacity(1000), view }
    }
}

/// Plays a game to its end, by random actions or by actions from the list, and returns the number of moves.
fn play(position: &mut dyn Position, buffers: &mut Buffers, rng: &mut Rng, listed: bool) -> u64 {
    for moves in 0.. {
        if position.outcome().is_some() {
            return moves;
        }
        buffers.actions.clear();
        position.actions(&mut buffers.actions);
        let among = buffers.actions.len();
        let action = if listed { buffers.actions[moves as usize * 31 % among] } else { position.random_action(rng) };
        position.play(action);
        position.view(&mut buffers.view);
        position.lead(position.side());
    }
    unreachable!("a game ends")
}

/// Asserts that games of this kind do not allocate after their start.
fn asks_for_nothing(spec: &GameSpec, listed: bool) {
    let (game, mut buffers) = (spec.build(), Buffers::new());
    for index in 0..GAMES {
        let (mut position, mut rng) = (game.start(), Seed::new(1).child("game", index).rng());
        let mut moves = 0;
        let asked = asked(|| moves = play(&mut *position, &mut buffers, &mut rng, listed));
        assert!(moves > 0 && asked == 0, "{}: {asked} times in {moves} moves", game.name());
    }
}

fn read(text: &str) -> GameSpec {
    toml::from_str(text).expect("a game")
}

#[test]
fn the_count_counts() {
    assert_eq!(asked(|| vec![0_u8; 10]), 1);
    assert_eq!(asked(|| Box::new(7_u64)), 1);
    let mut list = vec![1];
    assert_eq!(asked(|| (0..3).for_each(|_| list.clear())), 0);
    assert!(asked(|| read("othello = { size = 4 }").build().start()) > 0);
}

#[test]
fn a_move_asks_for_no_memory() {
    let large = ["othello = { size = 20 }", "go = { size = 19 }", "gomoku = { size = 15 }", "pente = { size = 19 }"];
    let large = large.into_iter().chain(["atari-go = { size = 19 }", "mnk = { rows = 9, columns = 9, row = 5 }"]);
    for spec in GameSpec::examples().into_iter().chain(large.map(read)) {
        asks_for_nothing(&spec, false);
        asks_for_nothing(&spec, true);
    }
}

/// Beyond 20x20 Othello is played step by step; a random action is then drawn from a list.
#[test]
fn a_listed_move_asks_for_no_memory_on_the_largest_boards() {
    asks_for_nothing(&read("othello = { size = 22 }"), true);
}

/// Go finds deciding moves without a list, except on the last ply before its cap, where any move may decide.
#[test]
fn go_looks_for_decisive_moves_without_memory() {
    let (mut position, mut rng) = (read("go = { size = 9, move-cap = 300 }").build().start(), Seed::new(1).rng());
    let (mut wins, mut losses, mut decided) = (Vec::with_capacity(8), Vec::with_capacity(8), 0);
    for _ in 0..299 {
        wins.clear();
        losses.clear();
        assert_eq!(asked(|| position.decisive(&mut wins, &mut losses)), 0);
        decided += wins.len() + losses.len();
        if position.outcome().is_some() {
            break;
        }
        let action = position.random_action(&mut rng);
        position.play(action);
    }
    assert!(decided > 0, "after a pass, another one decides");
}
