//! Laws of all flat networks: kernels agree with their reference implementations and with the published vectors, keep
//! the board's symmetries to the bit, and give a position the same bits in every batch.

use std::path::Path as FilePath;

use rand::Rng as _;
use rand_distr::{Distribution, StandardNormal};
use serde::Deserialize;

use super::kernels::Path;
use super::reference::{self, Board, sigmoid};
use super::{Conv, Count, Field, Forget, Mdlstm, Mdrnn, NetSpec};
use crate::encoders::{LANES, Stones, Topology};
use gauntlet_games::base::{Rng, Seed};

fn normal(count: usize, rng: &mut Rng) -> Vec<f64> {
    (0..count).map(|_| StandardNormal.sample(rng)).collect()
}

/// A board on which a site is empty, own or the opponent's with equal probability.
fn random_board(size: usize, rng: &mut Rng) -> Board {
    (0..size * size).map(|_| [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]][(rng.next_u32() % 3) as usize]).collect()
}

fn stones(boards: &[Board]) -> Stones {
    let mut stones = Stones::new();
    stones.clear(boards[0].len(), boards.len());
    for (index, board) in boards.iter().enumerate() {
        for (site, &[own, opponent]) in board.iter().enumerate() {
            if own + opponent > 0.0 {
                stones.put(index, site, own > 0.0);
            }
        }
    }
    stones
}

/// A kernel's logits, `[board][site]`.
fn compute(path: Path, net: &NetSpec, weights: &[f64], size: usize, boards: &[Board]) -> Vec<Vec<f32>> {
    let stones = stones(boards);
    let mut kernel = net.kernel_on(path, &Topology::square(size), weights).unwrap();
    let mut logits = Vec::new();
    kernel.prefer(&stones, &mut logits);
    let of = |index| (0..size * size).map(|site| logits[stones.at(index, site)]).collect();
    (0..boards.len()).map(of).collect()
}

fn bits(logits: &[f32]) -> Vec<u32> {
    // Adding zero turns -0 into 0, so that they are equal.
    logits.iter().map(|logit| (logit + 0.0).to_bits()).collect()
}

/// The examples, and swiping layers of other sizes.
fn nets() -> Vec<NetSpec> {
    let mut nets = NetSpec::examples();
    for k in [1, 2, 4, 7] {
        let count = Count::try_from(k).unwrap();
        nets.push(NetSpec::Mdrnn(Mdrnn { units: count }));
        nets.push(NetSpec::Mdlstm(Mdlstm { cells: count, forget: Forget::Equations }));
    }
    nets
}

/// Bound on a logit's error: rounding and the approximated tanh, which the recurrence of swipes amplifies.
fn kernel_error(net: &NetSpec) -> f64 {
    match net {
        NetSpec::Mdlstm(_) | NetSpec::Mdrnn(_) => 1e-3,
        NetSpec::Conv(_) | NetSpec::Mlp(_) => 2e-5,
    }
}

/// The standard deviation of weights for which that bound holds: with many units and weights from N(0,1) the swipes
/// are chaotic, and then neither implementation is accurate.
fn tame(net: &NetSpec) -> f64 {
    match net {
        NetSpec::Mdrnn(net) if net.units.get() > 4 => 0.5,
        NetSpec::Mdlstm(net) if net.cells.get() > 4 => 0.5,
        _ => 1.0,
    }
}

#[test]
fn kernels_agree_with_their_slow_twins() {
    for (index, net) in nets().iter().enumerate() {
        let mut rng = Seed::new(20).child("twins", index as u64).rng();
        let mut worst = 0.0f64;
        for size in [5, 6, 7, 9, 11, 13, 19] {
            for _ in 0..8 {
                let mut weights = normal(net.weight_count(size * size), &mut rng);
                weights.iter_mut().for_each(|weight| *weight *= tame(net));
                let board = random_board(size, &mut rng);
                let exact = reference::logits(net, &weights, size, &board);
                let fast = compute(Path::best(), net, &weights, size, &[board]);
                for (fast, exact) in fast[0].iter().zip(&exact) {
                    worst = worst.max((f64::from(*fast) - exact).abs());
                }
            }
        }
        assert!(worst <= kernel_error(net), "{}: {worst:e}", net.name());
    }
}

#[derive(Deserialize)]
struct Published {
    vectors: Vec<PublishedVector>,
}

#[derive(Deserialize)]
struct PublishedVector {
    network: String,
    k: i64,
    size: usize,
    weights_total: usize,
    w_in: Vec<Vec<f64>>,
    w_hidden: Vec<Vec<f64>>,
    w_border: Vec<f64>,
    w_out: Vec<f64>,
    board: Vec<usize>,
    pybrain_output: Vec<f64>,
    equations_output: Option<Vec<f64>>,
}

impl PublishedVector {
    fn weights(&self) -> Vec<f64> {
        [self.w_in.concat(), self.w_hidden.concat(), self.w_border.clone(), self.w_out.clone()].concat()
    }

    fn board(&self) -> Board {
        self.board.iter().map(|&stone| [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]][stone]).collect()
    }

    /// The networks with published outputs.
    fn networks(&self) -> Vec<(NetSpec, &[f64])> {
        let count = Count::try_from(self.k).unwrap();
        let lstm = |forget| NetSpec::Mdlstm(Mdlstm { cells: count, forget });
        match &self.equations_output {
            Some(equations) => vec![
                (lstm(Forget::Equations), equations.as_slice()),
                (lstm(Forget::Library), self.pybrain_output.as_slice()),
            ],
            None => vec![(NetSpec::Mdrnn(Mdrnn { units: count }), self.pybrain_output.as_slice())],
        }
    }
}

#[test]
fn outputs_are_those_of_the_authors_library_and_of_the_equations() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/oracles/mdlstm_vectors.json");
    if !FilePath::new(path).exists() {
        eprintln!("skipped: no published vectors beside this checkout");
        return;
    }
    let published: Published = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut compared = 0;
    for vector in &published.vectors {
        assert_eq!(vector.network == "mdrnn", vector.equations_output.is_none());
        for (net, outputs) in vector.networks() {
            let (weights, board) = (vector.weights(), vector.board());
            assert_eq!(net.weight_count(board.len()), vector.weights_total);
            let exact = reference::logits(&net, &weights, vector.size, &board);
            let fast = compute(Path::best(), &net, &weights, vector.size, &[board]);
            for ((exact, fast), output) in exact.iter().zip(&fast[0]).zip(outputs) {
                assert!((sigmoid(*exact) - output).abs() < 1e-12, "{} on {}", net.name(), vector.size);
                assert!((sigmoid(f64::from(*fast)) - output).abs() < 2e-6, "{} on {}", net.name(), vector.size);
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 3 * (25 + 49 + 81 + 361));
}

#[derive(Deserialize)]
struct AracCases {
    cases: Vec<AracCase>,
}

/// Border weights of 15 units, recurrent ones `[15][3]`, inputs `[15][2]` with the opponent's stone first, output.
#[derive(Deserialize)]
struct AracCase {
    size: usize,
    weights: Vec<f64>,
    boards: Vec<Vec<i8>>,
    outputs: Vec<Vec<f64>>,
}

impl AracCase {
    fn weights(&self) -> Vec<f64> {
        let (border, rest) = self.weights.split_at(15);
        let (hidden, rest) = rest.split_at(45);
        let (input, output) = rest.split_at(30);
        let input: Vec<f64> = input.chunks_exact(2).flat_map(|pair| [pair[1], pair[0]]).collect();
        [&input, hidden, border, output].concat()
    }
}

#[test]
fn outputs_are_those_of_the_authors_fast_back_end() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/oracles/arac_vectors.json");
    if !FilePath::new(path).exists() {
        eprintln!("skipped: no vectors of arac beside this checkout");
        return;
    }
    let published: AracCases = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let net = NetSpec::Mdlstm(Mdlstm { cells: Count::try_from(3).unwrap(), forget: Forget::Arac });
    let mut compared = 0;
    for case in &published.cases {
        let stone = |&stone: &i8| [f64::from(u8::from(stone == 1)), f64::from(u8::from(stone == -1))];
        let boards: Vec<Board> = case.boards.iter().map(|board| board.iter().map(stone).collect()).collect();
        let fast = compute(Path::best(), &net, &case.weights(), case.size, &boards);
        for ((board, fast), outputs) in boards.iter().zip(&fast).zip(&case.outputs) {
            let exact = reference::logits(&net, &case.weights(), case.size, board);
            for ((exact, fast), output) in exact.iter().zip(fast).zip(outputs) {
                assert!((sigmoid(*exact) - output).abs() < 1e-6, "{} on {}", net.name(), case.size);
                assert!((sigmoid(f64::from(*fast)) - output).abs() < 3e-6, "{} on {}", net.name(), case.size);
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 20 * (25 + 49 + 81));
}

/// The symmetries, by their index in the topology, that a network keeps for all weights.
fn kept_symmetries(net: &NetSpec) -> &'static [usize] {
    match net {
        NetSpec::Mdrnn(_) => &[0, 1, 2, 3, 4, 5, 6, 7],
        NetSpec::Mdlstm(net) => match net.forget {
            Forget::Shared | Forget::None => &[0, 1, 2, 3, 4, 5, 6, 7],
            Forget::Equations => &[0, 1, 2, 3],
            // The order of connections is the order of rows, so that only columns may be flipped.
            Forget::Library | Forget::Arac => &[0, 1],
        },
        NetSpec::Conv(_) | NetSpec::Mlp(_) => &[0],
    }
}

#[test]
fn symmetric_boards_have_symmetric_preferences_to_the_bit() {
    for (index, net) in nets().iter().enumerate() {
        let mut rng = Seed::new(21).child("symmetry", index as u64).rng();
        for size in [5, 8, 19] {
            let topology = Topology::square(size);
            let weights = normal(net.weight_count(size * size), &mut rng);
            let board = random_board(size, &mut rng);
            let moved = |map: &Vec<u32>| {
                let mut moved = board.clone();
                (0..board.len()).for_each(|site| moved[map[site] as usize] = board[site]);
                moved
            };
            let boards: Vec<Board> = topology.symmetries().iter().map(moved).collect();
            let logits: Vec<Vec<u32>> =
                compute(Path::best(), net, &weights, size, &boards).iter().map(|one| bits(one)).collect();
            for (symmetry, map) in topology.symmetries().iter().enumerate() {
                let kept = (0..board.len()).all(|s| logits[0][s] == logits[symmetry][map[s] as usize]);
                let expected = kept_symmetries(net).contains(&symmetry);
                assert_eq!(kept, expected, "{} on {size}, symmetry {symmetry}", net.name());
            }
        }
    }
}

#[test]
fn all_paths_give_the_same_bits() {
    for (index, net) in nets().iter().enumerate() {
        let mut rng = Seed::new(22).child("paths", index as u64).rng();
        for (size, scale) in [(6, 1.0), (9, 1e15)] {
            let weights: Vec<f64> =
                normal(net.weight_count(size * size), &mut rng).iter().map(|w| w.clamp(-1.0, 1.0) * scale).collect();
            let boards: Vec<Board> = (0..3).map(|_| random_board(size, &mut rng)).collect();
            let all =
                |path| compute(path, net, &weights, size, &boards).iter().map(|one| bits(one)).collect::<Vec<_>>();
            let best = all(Path::best());
            for path in Path::available() {
                assert_eq!(all(path), best, "{} on {path:?}", net.name());
            }
            assert!(best.iter().flatten().all(|&bits| f32::from_bits(bits).is_finite()), "{}", net.name());
        }
    }
}

#[test]
fn a_position_does_not_depend_on_its_batch() {
    let size = 7;
    for (index, net) in nets().iter().enumerate() {
        let mut rng = Seed::new(23).child("lanes", index as u64).rng();
        let weights = normal(net.weight_count(size * size), &mut rng);
        let boards: Vec<Board> = (0..2 * LANES + 5).map(|_| random_board(size, &mut rng)).collect();
        let together = compute(Path::best(), net, &weights, size, &boards);
        for (board, together) in boards.iter().zip(&together) {
            let alone = compute(Path::best(), net, &weights, size, std::slice::from_ref(board));
            assert_eq!(bits(&alone[0]), bits(together), "{}", net.name());
        }
        let mut kernel = net.kernel(&Topology::square(size), &weights).unwrap();
        let (mut first, mut again) = (Vec::new(), vec![f32::NAN; 3]);
        kernel.prefer(&stones(&boards), &mut first);
        kernel.prefer(&stones(&boards[..1]), &mut again);
        kernel.prefer(&stones(&boards), &mut again);
        assert_eq!(bits(&first), bits(&again), "{} remembers earlier calls", net.name());
    }
}

/// The change of logits near a group of stones when the group moves by two rows and a column.
fn translation_error(net: &NetSpec, weights: &[f64], size: usize) -> f32 {
    let group = [(0, 0, true), (0, 1, false), (1, 1, true), (2, 0, false)];
    let place = |row: usize, column: usize| {
        let mut board = vec![[0.0; 2]; size * size];
        for (down, right, own) in group {
            board[(row + down) * size + column + right] = if own { [1.0, 0.0] } else { [0.0, 1.0] };
        }
        board
    };
    let logits = compute(Path::best(), net, weights, size, &[place(8, 9), place(10, 10)]);
    let near = (6..12).flat_map(|row| (7..12).map(move |column| row * size + column));
    near.map(|site| (logits[0][site] - logits[1][site + 2 * size + 1]).abs()).fold(0.0, f32::max)
}

#[test]
fn networks_that_scale_do_not_mind_where_stones_stand_far_from_the_border() {
    let size = 21;
    let mut rng = Seed::new(24).child("translation", 0).rng();
    let three = Count::try_from(3).unwrap();
    for planes in [1, 2] {
        let net = NetSpec::Conv(Conv {
            maps: three,
            field: Field::try_from(5).unwrap(),
            planes: Count::try_from(planes).unwrap(),
        });
        let weights = normal(net.weight_count(size * size), &mut rng);
        assert_eq!(translation_error(&net, &weights, size), 0.0, "a field sees no further than it reaches");
    }
    // With weights this small, the border's influence vanishes within a few sites.
    let small = |net: &NetSpec, rng: &mut Rng| -> Vec<f64> {
        normal(net.weight_count(size * size), rng).iter().map(|weight| 0.05 * weight).collect()
    };
    let mdrnn = NetSpec::Mdrnn(Mdrnn { units: three });
    let weights = small(&mdrnn, &mut rng);
    assert!(translation_error(&mdrnn, &weights, size) < 1e-6);
    let fixed = NetSpec::examples().into_iter().find(|net| !net.scales()).unwrap();
    let weights = small(&fixed, &mut rng);
    assert!(translation_error(&fixed, &weights, size) > 1e-3, "the MLP has no such symmetry");
}
