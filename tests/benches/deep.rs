//! Benchmark of the deep networks: evaluations per second on one core and their share of the core's measured ceiling
//! for matrix products (`gemm`, 1024 x 1024 x 1024, one thread); then steps of optimisation, on the number of threads
//! set by `RAYON_NUM_THREADS` and `CANDLE_NUM_THREADS`. The last columns are ratios to `f32`, measured alternately: of
//! evaluations in `bf16` and in `int8`, and of steps in `bf16`. Last, simulations per second of searches of games in lockstep,
//! as in the self-play of "Reinforcement Learning for Gomoku" (Gomoku 9 x 9, 500 simulations, noise at every expanded
//! node) and of AlphaGateau (chess, 128 simulations of Gumbel's search with the network `gateau-128-no-g`).
//!
//! Operations are counted by the formulas, so that a table lookup in the place of a product counts as the product.
//! Times are the best of several, alternating with the ceiling's, because other work on the machine only adds time.
//! They are processor times (all threads together) where Linux reports them, so that waiting does not count.
//!
//! `cargo bench --bench deep -- [NAME] [--save=DIR]` measures the networks whose names contain NAME, and saves each
//! with its batch and its answers for the scripts in `tests/peers`.

mod clock;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clock::clock;
use gauntlet_games::base::{Rng, Seed};
use gauntlet_games::games::{Game, GameSpec, Position};
use gauntlet_nets::encoders::{Batch, Dims, EdgeFeatures, Encoding as _, Graph, MoveEncoding, Topology};
use gauntlet_nets::nets::NumberFormat;
use gauntlet_nets::nets::deep::{Answers, DeepCheckpoint, DeepSpec, Init, Net, Saved, write_tensors};
use gauntlet_play::learning::{Adam, AdamSpec, LossSpec, StepRules, Targets, train_step};
use gauntlet_play::players::{GuidedAgent, Source};
use gauntlet_play::search::{SearchTask, Searcher, Tree};
use rand::RngExt as _;

/// Rows of the board, except for Gomoku's networks, with nine as in their paper, and Gardner's chess.
const BOARD: usize = 8;

/// A measured network, and its input.
struct Case {
    name: &'static str,
    spec: DeepSpec,
    dims: Dims,
    /// Rows of the board.
    side: usize,
    /// Positions of a batch.
    batch: usize,
}

/// Repetitions of each measurement.
const TIMES: usize = 3;

fn main() {
    // `cargo test --benches` only checks that a benchmark starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let source = std::env::args().find_map(|argument| argument.strip_prefix("--save=").map(PathBuf::from));
    println!(
        "{:24} {:>14} {:>10} {:>10} {:>7} {:>12} {:>6} {:>6} {:>11}",
        "network", "evaluations/s", "GFLOP/s", "ceiling", "share", "steps/s", "bf16", "int8", "bf16 steps"
    );
    for case in networks().into_iter().filter(|case| case.name.contains(&wanted)) {
        let Case { name, ref spec, dims, .. } = case;
        let net = spec.build(dims, Init::Torch, &Seed::new(1)).expect("the settings are possible");
        let (batch, targets) = lesson(&case);
        let ([seconds, bf16, int8], ceiling) = inference(&*net, &batch);
        let rate = case.batch as f64 / seconds;
        let speed = rate * net.flops(&batch, 0) as f64 / 1e9;
        let [step, bf16_step] = steps(&*net, &batch, &targets);
        if let Some(source) = &source {
            save(&source.join(name), spec.clone(), &*net, &batch, &targets);
        }
        let share = 100.0 * speed / ceiling;
        let [bf16, int8, steps] = [seconds / bf16, seconds / int8, step / bf16_step];
        println!(
            "{name:24} {rate:14.0} {speed:10.1} {ceiling:10.1} {share:6.1}% {:12.3} {bf16:6.2} {int8:6.2} {steps:11.2}",
            1.0 / step
        );
    }
    for case in searches().into_iter().filter(|case| case.name.contains(&wanted)) {
        println!("{:24} {:14.0} simulations/s", case.name, simulations(&case));
    }
}

/// A measured search.
struct SearchCase {
    name: &'static str,
    game: &'static str,
    agent: &'static str,
    /// Simulations of one search.
    simulations: usize,
    /// Games in lockstep.
    games: usize,
    /// Random plies before the first search, by the game's index.
    plies: fn(usize) -> usize,
}

fn searches() -> Vec<SearchCase> {
    let gomoku = "network = { agz-cnn = {} }\ninit = \"glorot\"\nplanes = { stones = \"split\", last = true, colour = true }\n\
        cache = 0\nsearch = { simulations = 500, rule = { puct = { c = 4.0 } }, noise = { alpha = 0.3 } }";
    let gateau = "network = { gateau = { sync-updates = false, norm = \"frozen\" } }\ninit = \"lecun\"\ncache = 0\n\
        search = { simulations = 128, rule = { gumbel = {} } }";
    let chess = |name, games| {
        let (game, simulations) = ("chess = {}", 128);
        SearchCase { name, game, agent: gateau, simulations, games, plies: |index| index }
    };
    let (name, game) = ("gomoku-search", "gomoku = { size = 9 }");
    vec![
        SearchCase { name, game, agent: gomoku, simulations: 500, games: 112, plies: |index| index / 4 },
        chess("gateau-search-8", 8),
        chess("gateau-search-16", 16),
    ]
}

/// Simulations a second.
fn simulations(case: &SearchCase) -> f64 {
    let agent: GuidedAgent = toml::from_str(case.agent).expect("the settings are well-formed");
    let game = [toml::from_str::<GameSpec>(case.game).expect("a game").build()];
    let net = agent.net(&game, &Source { seed: &Seed::new(1), checkpoint: None }).expect("random weights");
    let mut evaluator =
        agent.evaluator(&game, net.inference(NumberFormat::F32).expect("the network is whole"), &Seed::new(2));
    let position = |index| after(&*game[0], (case.plies)(index), &mut Seed::new(index as u64).rng());
    let positions: Vec<_> = (0..case.games).map(position).collect();
    let mut searcher = Searcher::new(agent.search.clone());
    let mut trees: Vec<Tree> = positions.iter().map(|_| Tree::new()).collect();
    let seconds = time(|| {
        let mut tasks = Vec::with_capacity(trees.len());
        for (tree, position) in trees.iter_mut().zip(&positions) {
            tasks.push(SearchTask { tree, position: &**position, seed: Seed::new(1) });
        }
        searcher.search(&mut tasks, &mut *evaluator).expect("answers are sound");
    });
    (positions.len() * case.simulations) as f64 / seconds
}

fn networks() -> Vec<Case> {
    let graphs = Dims::Graphs { features: 1 };
    let planes = |channels, rows| Dims::Planes { channels, rows, columns: rows, actions: rows * rows + 1 };
    let history = |channels, rows, actions| Dims::Planes { channels, rows, columns: rows, actions };
    let moves = |side| MoveEncoding { edges: EdgeFeatures::Paper }.extent(&*chess(side)).dims;
    let case = |name, spec, dims, side, batch| {
        let spec = serde_json::from_str(spec).expect("the settings are well-formed");
        Case { name, spec, dims, side, batch }
    };
    let window = r#"{"window-cnn":{"window":6,"cnn":{"channels":32,"wide":64,"narrow":32}}}"#;
    let (laptop, large) = (r#"{"poly-cnn":{"width":1,"nets":2,"convolutions":2}}"#, history(10, 13, 3 * 169));
    vec![
        case("saz-32", r#"{"saz":{"hidden":32}}"#, graphs, BOARD, 64),
        case("saz-64", r#"{"saz":{"hidden":64}}"#, graphs, BOARD, 64),
        case("saz-512", r#"{"saz":{"hidden":512}}"#, graphs, BOARD, 64),
        case("az-cnn-64", r#"{"az-cnn":{"channels":64,"wide":128,"narrow":64}}"#, planes(1, BOARD), BOARD, 64),
        case("az-cnn-512", r#"{"az-cnn":{}}"#, planes(1, BOARD), BOARD, 64),
        case("window-6-cnn-32", window, planes(1, BOARD), BOARD, 64),
        case("agz-cnn", r#"{"agz-cnn":{}}"#, history(4, 9, 81), 9, 64),
        case("gateau-128", r#"{"gateau":{}}"#, moves(8), 8, 32),
        case("gateau-128-no-g", r#"{"gateau":{"sync-updates":false,"norm":"frozen"}}"#, moves(8), 8, 16),
        case("gateau-32-5x5", r#"{"gateau":{"hidden":32,"blocks":3}}"#, moves(5), 5, 32),
        case("gat-128", r#"{"gat":{}}"#, moves(8), 8, 32),
        case("saz-128-moves", r#"{"saz":{"hidden":128,"moves":true}}"#, moves(8), 8, 32),
        case("res-net-128", r#"{"res-net-v2":{}}"#, history(119, 8, 4672), 8, 64),
        case("res-net-32-5x5", r#"{"res-net-v2":{"channels":32,"blocks":3}}"#, history(115, 5, 1225), 5, 64),
        case("poly-cnn-laptop", laptop, large, 13, 64),
        case("poly-cnn", r#"{"poly-cnn":{}}"#, history(9, 8, 51 * 64), 8, 64),
    ]
}

/// Chess on a board with `side` rows.
fn chess(side: usize) -> Arc<dyn Game> {
    toml::from_str::<GameSpec>(&format!("chess = {{ size = {side} }}")).expect("a game").build()
}

/// Seconds for a batch in each number format, and the ceiling in GFLOP/s measured at the same time.
fn inference(net: &dyn Net, batch: &Batch) -> ([f64; 3], f64) {
    let mut formats = NumberFormat::formats().map(|numbers| net.inference(numbers).expect("the network is whole"));
    let (mut answers, mut seconds, mut ceiling) = (Answers::default(), [f64::INFINITY; 3], 0.0f64);
    for _ in 0..TIMES {
        ceiling = ceiling.max(matrix_ceiling());
        for (inference, seconds) in formats.iter_mut().zip(&mut seconds) {
            *seconds = seconds.min(time(|| {
                inference.infer(batch, &mut answers).expect("the batch fits");
                black_box(&answers);
            }));
        }
    }
    (seconds, ceiling)
}

/// Seconds for a step of optimisation in `f32` and in `bf16`.
fn steps(net: &dyn Net, batch: &Batch, targets: &Targets) -> [f64; 2] {
    let mut adam = Adam::new(AdamSpec::default(), net).expect("the network is whole");
    let (mut rng, loss) = (Seed::new(1).rng(), LossSpec::default());
    let mut seconds = [f64::INFINITY; 2];
    for _ in 0..TIMES {
        for (numbers, seconds) in [NumberFormat::F32, NumberFormat::Bf16].into_iter().zip(&mut seconds) {
            let rules = StepRules { loss, numbers };
            *seconds = seconds.min(time(|| {
                train_step(net, &mut adam, batch, targets, rules, &mut rng).expect("the loss is finite");
            }));
        }
    }
    seconds
}

/// Seconds of a call: the mean over half a second of calls, since the processor time has coarse steps.
fn time(mut call: impl FnMut()) -> f64 {
    call();
    let (start, mut calls) = (Instant::now(), 0);
    let before = clock(start);
    loop {
        call();
        calls += 1;
        let spent = clock(start) - before;
        if spent > 0.5 {
            return spent / f64::from(calls);
        }
    }
}

fn matrix_ceiling() -> f64 {
    const SIDE: usize = 1024;
    let (a, b) = (vec![0.5f32; SIDE * SIDE], vec![0.25f32; SIDE * SIDE]);
    let mut c = vec![0.0f32; SIDE * SIDE];
    let side = SIDE as isize;
    let seconds = time(|| {
        // SAFETY: three matrices of 1024 x 1024 numbers, row by row.
        unsafe {
            gemm::gemm(
                SIDE,
                SIDE,
                SIDE,
                c.as_mut_ptr(),
                1,
                side,
                false,
                a.as_ptr(),
                1,
                side,
                b.as_ptr(),
                1,
                side,
                0.0,
                1.0,
                false,
                false,
                false,
                gemm::Parallelism::None,
            );
        }
        black_box(&c);
    });
    2.0 * (SIDE as f64).powi(3) / seconds / 1e9
}

/// Writes `NAME.safetensors`, the network after its steps, and `NAME.lesson.safetensors`: its inputs and targets,
/// and its current answers.
fn save(stem: &Path, spec: DeepSpec, net: &dyn Net, batch: &Batch, targets: &Targets) {
    let checkpoint = DeepCheckpoint::of(spec, net, "a benchmark").expect("the network is whole");
    let mut answers = Answers::default();
    net.inference(NumberFormat::F32)
        .and_then(|mut inference| inference.infer(batch, &mut answers))
        .expect("the batch fits");
    let tensor = |name: &str, values: Vec<f32>| {
        let shape = vec![batch.positions(), values.len() / batch.positions()];
        Saved { name: name.to_owned(), shape, values }
    };
    let mut lesson = vec![
        tensor("policy_logits", answers.policy_logits),
        tensor("values", answers.values),
        tensor("policy_targets", targets.policy.clone()),
        tensor("value_targets", targets.values.clone()),
    ];
    match batch {
        Batch::Graphs(graphs) => lesson.push(tensor("inputs", graphs.values().to_vec())),
        Batch::Planes(planes) => lesson.push(tensor("inputs", planes.values().to_vec())),
        Batch::Moves(moves) => {
            let nodes = |nodes: &[u32]| nodes.iter().map(|&node| node as f32).collect();
            let ends =
                |name: &str, ends: Vec<f32>| Saved { name: name.to_owned(), shape: vec![ends.len()], values: ends };
            lesson.push(tensor("inputs", moves.node_values()));
            lesson.push(tensor("edges", moves.edge_values()));
            lesson.push(ends("senders", nodes(moves.graph(0).senders())));
            lesson.push(ends("receivers", nodes(moves.graph(0).receivers())));
        }
    }
    let network = checkpoint.to_bytes().expect("tensors can be written");
    let lesson = write_tensors(&lesson, "{}".to_owned()).expect("tensors can be written");
    for (ending, bytes) in [("safetensors", network), ("lesson.safetensors", lesson)] {
        std::fs::write(stem.with_extension(ending), bytes).expect("the directory is there");
    }
}

/// Random stones, or positions of chess after some random moves; random policies and outcomes.
fn lesson(case: &Case) -> (Batch, Targets) {
    let (mut batch, mut rng) = (Batch::new(case.dims), Seed::new(1).rng());
    let board = Arc::new(Graph::board(&Topology::square(BOARD)));
    let channels = if let Dims::Planes { channels, .. } = case.dims { channels } else { 1 };
    let numbers = channels * case.side * case.side;
    let stones = |rng: &mut Rng| (0..numbers).map(|_| f32::from(rng.random_range(-1i8..=1))).collect::<Vec<_>>();
    match &mut batch {
        Batch::Graphs(graphs) => (0..case.batch).for_each(|_| graphs.push(&board, stones(&mut rng))),
        Batch::Planes(planes) => (0..case.batch).for_each(|_| planes.push(&stones(&mut rng))),
        Batch::Moves(_) => {
            let game = chess(case.side);
            let positions: Vec<_> = (0..case.batch).map(|plies| after(&*game, plies, &mut rng)).collect();
            let positions: Vec<&dyn Position> = positions.iter().map(|position| &**position).collect();
            MoveEncoding { edges: EdgeFeatures::Paper }.encoder(&[game]).encode(&positions, &mut batch);
        }
    }
    let mut targets = Targets::default();
    for index in 0..case.batch {
        let count = batch.span(index).len();
        targets.policy.resize(targets.policy.len() + count, 1.0 / count as f32);
        targets.values.push(f32::from(rng.random_range(-1i8..=1)));
    }
    (batch, targets)
}

/// The position after `plies` random plies, or before the end of the game.
fn after(game: &dyn Game, plies: usize, rng: &mut Rng) -> Box<dyn Position> {
    let mut position = game.start();
    for _ in 0..plies {
        let mut next = position.fork();
        let action = next.random_action(rng);
        next.play(action);
        if next.outcome().is_some() {
            break;
        }
        position = next;
    }
    position
}
