//! Tests of packed examples: packing preserves every bit, and incomplete bytes are refused.

use proptest::prelude::*;

use super::*;
use gauntlet_games::base::{Rng, Seed};
use gauntlet_nets::encoders::{Graph, Graphs, Planes, Topology};

/// Planes of chess with eight positions of history, and its actions.
const CHESS: Dims = Dims::Planes { channels: 119, rows: 8, columns: 8, actions: 4672 };

const KINDS: [Dims; 3] = [
    Dims::Planes { channels: 3, rows: 3, columns: 4, actions: 13 },
    Dims::Graphs { features: 1 },
    Dims::Graphs { features: 3 },
];

/// A batch of one position with these numbers, on a board of 3 x 4 or on one of two others.
fn position(dims: Dims, mut number: impl FnMut() -> f32, board: usize) -> Batch {
    match dims {
        Dims::Planes { channels, rows, columns, actions } => {
            let mut planes = Planes::new(channels, rows, columns, actions);
            planes.push(&(0..channels * rows * columns).map(|_| number()).collect::<Vec<_>>());
            Batch::Planes(planes)
        }
        Dims::Graphs { features } => {
            let (mut graphs, board) = (Graphs::new(features), Arc::new(Graph::board(&boards()[board])));
            let numbers: Vec<f32> = (0..board.sites() * features).map(|_| number()).collect();
            graphs.push(&board, numbers);
            Batch::Graphs(graphs)
        }
        Dims::Moves(_) => panic!("graphs of moves are tried on games"),
    }
}

/// A position of each of `boards` boards.
fn known(dims: Dims, boards: usize) -> Batch {
    let mut known = Batch::new(dims);
    (0..boards).for_each(|board| known.append(&position(dims, || 0.0, board), 0, None));
    known
}

fn boards() -> [Topology; 2] {
    [Topology::square(3), Topology::square(5)]
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

fn assert_same(one: &Examples, other: &Examples) {
    assert_eq!((one.len(), one.batch().dims()), (other.len(), other.batch().dims()));
    for index in 0..one.len() {
        assert_eq!((one.sites(index), one.batch().span(index)), (other.sites(index), other.batch().span(index)));
    }
    let numbers = |examples: &Examples| match examples.batch() {
        Batch::Planes(planes) => bits(planes.values()),
        Batch::Graphs(graphs) => bits(graphs.values()),
        Batch::Moves(moves) => bits(&moves.node_values()),
    };
    assert_eq!(numbers(one), numbers(other));
    let (one, other) = (one.targets(), other.targets());
    assert_eq!((bits(&one.policy), &one.legal), (bits(&other.policy), &other.legal));
    assert_eq!(bits(&one.values), bits(&other.values));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn unpacked_they_are_what_was_packed(kind in 0..KINDS.len(), seed: u64, count in 0..9_usize, wild: bool) {
        let (dims, mut rng) = (KINDS[kind], Seed::new(seed).rng());
        let (mut dense, mut packed) = (Examples::new(dims), PackedExamples::new(dims));
        for at in 0..count {
            let spread = rng.random_range(0..4_u8);
            let number = || match spread {
                0 if wild => f32::from_bits(rng.random()),
                spread => f32::from(rng.random_range(-1_i8..=1)).clamp(0.0 - f32::from(spread), 1.0),
            };
            let batch = position(dims, number, at % 2);
            let mut policy: Vec<(usize, f32)> = (0..batch.logits()).map(|slot| (slot, rng.random())).collect();
            policy.retain(|(_, probability)| *probability < 0.4);
            policy.iter_mut().filter(|(slot, _)| slot % 3 == 0).for_each(|(_, probability)| *probability = 0.0);
            // In any order, as in searches.
            policy.reverse();
            dense.push(&batch, 0, policy.iter().copied(), at as f32);
            packed.push(&batch, 0, policy, at as f32);
        }
        assert_same(&packed.unpacked(), &dense);
        let mut cut = packed.clone();
        cut.forget_values();
        let targets = cut.unpacked().targets().clone();
        prop_assert_eq!(targets.unknown, (0..count as u32).collect::<Vec<_>>());
        prop_assert_eq!((bits(&targets.policy), bits(&targets.values)), (bits(&dense.targets().policy), vec![0; count]));
        let mut twice = packed.clone();
        twice.extend(&packed);
        let mut both = dense.clone();
        both.extend(&dense);
        assert_same(&twice.unpacked(), &both);
        let segment = twice.freeze(vec![7; 40]);
        let odd: Vec<u32> = (0..count as u32).filter(|at| at % 2 == 1).collect();
        let mut halved = Examples::new(dims);
        odd.iter().for_each(|&at| halved.append(&dense, at as usize, None));
        assert_same(&segment.select(&odd).unpacked(), &halved);
        let opened = ExampleSegment::open(Arc::clone(segment.segment()), &known(dims, 2));
        prop_assert!(opened.is_some_and(|opened| opened.segment() == segment.segment() && opened.len() == both.len()));
    }
}

#[test]
fn what_is_not_whole_is_refused() {
    let (dims, boards) = (KINDS[1], known(KINDS[1], 2));
    let mut packed = PackedExamples::new(dims);
    for board in [0, 1] {
        let mut numbers = [1.0, 0.0, -1.0].into_iter().cycle();
        packed.push(&position(dims, || numbers.next().unwrap(), board), 0, [(4, 0.5), (9, 0.0)], 1.0);
    }
    let whole = packed.freeze(Vec::new()).segment().bytes().to_vec();
    let open = |bytes: &[u8], boards: &Batch| ExampleSegment::open(Segment::new(bytes.to_vec()), boards);
    assert!(open(&whole, &boards).is_some());
    assert!(open(&whole, &known(dims, 1)).is_none(), "a board is unknown");
    assert!((0..whole.len()).all(|end| open(&whole[..end], &boards).is_none()));
    assert!(open(&[&*whole, &[0]].concat(), &boards).is_none());
    // After any change of a byte: refused or other examples, but no panic.
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 0x85;
        if let Some(segment) = open(&changed, &boards) {
            assert_eq!(segment.unpacked().len(), segment.len());
        }
    }
    let other = Dims::Planes { channels: 1, rows: 5, columns: 5, actions: 26 };
    assert!(ExampleSegment::open(Segment::new(whole), &known(other, 1)).is_none());
}

/// A middle game of chess as feature planes: eight positions of 20 pieces on twelve planes with two planes of
/// repetitions each, the colour, two counts and four castling rights; 35 legal moves, of which 18 were visited.
fn chess(rng: &mut Rng, ply: usize) -> (Batch, Vec<(usize, f32)>) {
    let mut image = vec![0.0; 119 * 64];
    for position in 0..8 {
        (0..20).for_each(|_| image[(14 * position + rng.random_range(0..12)) * 64 + rng.random_range(0..64)] = 1.0);
    }
    for (plane, number) in [(112, 1.0), (113, ply as f32 / 100.0), (118, 0.07)] {
        image[plane * 64..][..64].fill(number);
    }
    let mut planes = Planes::new(119, 8, 8, 4672);
    planes.push(&image);
    let policy = (0..35).map(|at| (at * 130 + ply % 100, if at % 2 == 0 { 1.0 / 18.0 } else { 0.0 }));
    (Batch::Planes(planes), policy.collect())
}

/// A middle game of Othello: 30 discs, ten legal moves, of which five were visited.
fn othello(rng: &mut Rng, dims: Dims) -> (Batch, Vec<(usize, f32)>) {
    let board = Arc::new(Graph::board(&Topology::square(8)));
    let discs = (0..64).map(|site| if site < 30 { f32::from(2 * rng.random_range(0..2_i8) - 1) } else { 0.0 });
    let mut batch = Batch::new(dims);
    match &mut batch {
        Batch::Graphs(graphs) => graphs.push(&board, discs),
        Batch::Planes(planes) => planes.push(&discs.collect::<Vec<_>>()),
        Batch::Moves(_) => panic!("images are asked for"),
    }
    (batch, (0..10).map(|at| (30 + 3 * at, if at % 2 == 0 { 0.2 } else { 0.0 })).collect())
}

/// The size of positions, in memory and in a checkpoint: a window of 1,000,000 positions of chess takes less than 500
/// MB.
#[test]
fn positions_take_few_bytes() {
    let planes = Dims::Planes { channels: 1, rows: 8, columns: 8, actions: 65 };
    for (name, dims, most) in [("chess", CHESS, 500), ("othello graph", KINDS[1], 70), ("othello planes", planes, 70)] {
        let (mut rng, mut packed) = (Seed::new(1).rng(), PackedExamples::new(dims));
        for ply in 0..200 {
            let (batch, policy) = if dims == CHESS { chess(&mut rng, ply) } else { othello(&mut rng, dims) };
            packed.push(&batch, 0, policy, 1.0);
        }
        let each = packed.size() as f64 / packed.len() as f64;
        eprintln!("{name}: {each:.0} bytes a position");
        assert!(each < f64::from(most), "{name}: {each}");
    }
}
