//! Golden test of self-play: games, examples and counts against recorded ones. Test code.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Amount, PolicyTarget, SelfPlay, Trajectory, ValueTarget, WeightedBoard};
use crate::golden;
use crate::learning::{Examples, Targets};
use crate::players::{GuidedAgent, Source};
use crate::search::Effort;
use gauntlet_games::base::{Cores, Seed, Stop};
use gauntlet_games::games::{Game, GameSpec};
use gauntlet_nets::encoders::Batch;
use gauntlet_nets::nets::NumberFormat;
use gauntlet_nets::nets::deep::{Saved, write_tensors};

/// Name, agent, boards with their weights, number of games, and whether targets are the search's and the policy played.
type Case = (&'static str, &'static str, &'static [(&'static str, f64)], u64, bool);

const OTHELLO: &[(&str, f64)] = &[("othello = { size = 4 }", 1.0), ("othello = { size = 5 }", 2.0)];
const NOUGHTS: &[(&str, f64)] = &[("mnk = { rows = 3, columns = 3, row = 3 }", 1.0)];
const GOMOKU: &[(&str, f64)] = &[("gomoku = { size = 5, row = 4 }", 1.0)];
const GO: &[(&str, f64)] = &[("go = { size = 3, move-cap = 30 }", 1.0), ("go = { size = 4, move-cap = 40 }", 0.5)];

const CASES: [Case; 10] = [
    (
        "subgraphs, noise, trees kept",
        "network.saz = { hidden = 8 }\nsubgraphs = {}\nsearch = { simulations = 6, root-noise = { alpha = 0.3 }, reuse = \"keep\" }",
        OTHELLO,
        9,
        false,
    ),
    ("fresh trees, two boards", "network.saz = { hidden = 8 }\nsearch.simulations = 9", OTHELLO, 9, false),
    (
        "no cache, targets of the search",
        "network.saz = { hidden = 8 }\ncache = 0\nsearch = { simulations = 12, temperature = { plies = 3, rest = 0.4 } }",
        OTHELLO,
        7,
        true,
    ),
    (
        "a small cache, noise everywhere",
        "network.saz = { hidden = 8 }\ncache = 40\nsearch = { simulations = 10, noise = { alpha = 0.5 }, reuse = \"keep\" }",
        GO,
        8,
        false,
    ),
    (
        "subgraphs with a pass, topped up",
        "network.saz = { hidden = 8 }\nsubgraphs = { pass = \"full\" }\ncache = 60\nsearch = { simulations = 8, reuse = \"top-up\" }",
        GO,
        8,
        true,
    ),
    (
        "more games than slots",
        "network.saz = { hidden = 4 }\nsearch = { simulations = 4, root-noise = { alpha = 1.0 } }",
        NOUGHTS,
        260,
        false,
    ),
    (
        "more games than slots, a small cache",
        "network.saz = { hidden = 4 }\ncache = 64\nsearch = { simulations = 4, reuse = \"keep\" }",
        NOUGHTS,
        150,
        false,
    ),
    (
        "solved, ties at random, greedy",
        "network.saz = { hidden = 4 }\nsearch = { simulations = 30, solve = true, ties = \"random\", temperature = { opening = 0, plies = 1 } }",
        NOUGHTS,
        12,
        true,
    ),
    (
        "AZ-CNN, counting the root",
        "network.az-cnn = { channels = 4, wide = 8, narrow = 8 }\nsearch = { simulations = 8, count-root = true, forced-visits = 2.0 }",
        &[("othello = { size = 4 }", 1.0)],
        10,
        true,
    ),
    (
        "AGZ-CNN, UCT",
        "network.agz-cnn = { channels = [4, 4, 4], hidden = 4 }\nplanes = {}\nsearch = { simulations = 8, rule = { uct = {} }, reuse = \"keep\" }",
        GOMOKU,
        10,
        false,
    ),
];

fn play(rules: &SelfPlay<'_>, games: u64, cores: usize) -> (Vec<Trajectory>, Effort) {
    let boards: Vec<Arc<dyn Game>> = rules.boards.iter().map(|board| Arc::clone(&board.game)).collect();
    let seed = Seed::new(11);
    let net = rules.agent.net(&boards, &Source { seed: &seed, checkpoint: None }).expect("a network");
    let (inference, help) =
        (net.inference(NumberFormat::F32).expect("the network is whole"), (&Cores::alone(cores), &Stop::default()));
    rules.play(inference, Amount::Games(games), &seed, help, &mut |_, _| Ok(())).expect("nothing interrupts")
}

/// Examples in the format from before packing: tensors of all numbers, `-1` for illegal actions.
fn dense_bytes(examples: &Examples) -> Vec<u8> {
    let Targets { policy, legal, values, .. } = examples.targets();
    let sites = |index: usize| examples.sites(index);
    let numbers: Vec<f32> = match examples.batch() {
        Batch::Graphs(graphs) => (0..examples.len())
            .flat_map(|index| &graphs.values()[graphs.span(index).start * graphs.features()..][..sites(index)])
            .copied()
            .collect(),
        Batch::Planes(planes) => planes.values().to_vec(),
        Batch::Moves(moves) => moves.node_values(),
    };
    let policy = policy.iter().zip(legal).map(|(&p, &legal)| if legal { p } else { -1.0 }).collect();
    let sites = (0..examples.len()).map(|index| sites(index) as f32).collect();
    let parts = [("numbers", numbers), ("policy", policy), ("sites", sites), ("values", values.clone())];
    let saved = |(name, values): (&str, Vec<f32>)| Saved { name: name.into(), shape: vec![values.len()], values };
    let dims = json!(examples.batch().dims()).to_string();
    write_tensors(&parts.map(saved), dims).expect("examples can be written")
}

fn text(trajectory: &Trajectory) -> String {
    let examples = golden::hash(&dense_bytes(&trajectory.examples.unpacked()));
    format!(
        "{examples} {:?} {:x} {:x}\n",
        trajectory.outcome.expect("games end"),
        trajectory.entropy.to_bits(),
        trajectory.surprise.to_bits()
    )
}

fn picture(trajectories: &[Trajectory], effort: &Effort) -> Value {
    let texts: String = trajectories.iter().map(text).collect();
    let plies: usize = trajectories.iter().map(|trajectory| trajectory.examples.len()).sum();
    json!({ "games": golden::hash(texts.as_bytes()), "plies": plies, "effort": format!("{effort:?}") })
}

#[test]
fn self_play_has_the_recorded_bytes() {
    let mut seen = serde_json::Map::new();
    for (name, agent, boards, games, searched) in CASES {
        let agent: GuidedAgent = toml::from_str(agent).expect("an agent");
        let board = |&(text, weight): &(&str, f64)| WeightedBoard {
            game: toml::from_str::<GameSpec>(text).expect("a game").build(),
            weight,
        };
        let boards: Vec<WeightedBoard> = boards.iter().map(board).collect();
        let (value, policy) = match searched {
            true => (ValueTarget::Search, PolicyTarget::Played),
            false => (ValueTarget::Outcome, PolicyTarget::Visits),
        };
        let rules = SelfPlay { agent: &agent, boards: &boards, value, policy };
        let (trajectories, effort) = play(&rules, games, 1);
        let (others, more) = play(&rules, games, 3);
        assert!(
            others == trajectories && more.work == effort.work && more.searches == effort.searches,
            "{name}: cores"
        );
        seen.insert(name.to_owned(), picture(&trajectories, &effort));
    }
    if golden::same_bits() {
        golden::compare("games/selfplay", &seen.into());
    }
}
