//! Tests of graphs of moves against values of the paper's authors, along whole games.
//!
//! The values are in `shared` beside the checkout.

use std::collections::HashMap;
use std::io::Read as _;
use std::sync::Arc;

use serde::Deserialize;

use super::{Batch, EdgeFeatures, Encoding as _, MoveEncoding, MoveGraphs, PlanesSpec, keeps_enough};
use gauntlet_games::games::{Game, GameSpec, Position};

#[derive(Deserialize)]
struct BoardVectors {
    size: usize,
    edges: EdgeVectors,
    edge_features: FeatureVectors,
    games: Vec<Vec<String>>,
    positions: Vec<PositionVectors>,
}

#[derive(Deserialize)]
struct EdgeVectors {
    label: Vec<u32>,
    sender: Vec<usize>,
    receiver: Vec<usize>,
    promotion: Vec<i8>,
}

#[derive(Deserialize)]
struct FeatureVectors {
    delta_file: Vec<f32>,
    delta_rank: Vec<f32>,
    ones: HashMap<String, Vec<usize>>,
}

#[derive(Deserialize)]
struct PositionVectors {
    game: usize,
    ply: usize,
    fen: String,
    #[serde(rename = "const")]
    constant: HashMap<String, f32>,
    ones: HashMap<String, Vec<usize>>,
    legal: Vec<usize>,
}

/// The test vectors, if they exist.
fn vectors() -> Vec<BoardVectors> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/oracles/alphagateau/chess_features.json.gz");
    let Ok(file) = std::fs::File::open(path) else {
        eprintln!("skipped: {path} is not there");
        return Vec::new();
    };
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let all: serde_json::Value = serde_json::from_str(&text).unwrap();
    ["8x8", "5x5"].map(|size| BoardVectors::deserialize(&all[size]).unwrap()).into()
}

impl BoardVectors {
    /// Our site of one of their nodes, which are counted by files from the first rank.
    fn site(&self, node: usize) -> usize {
        (self.size - 1 - node % self.size) * self.size + node / self.size
    }

    /// Our edge of each of theirs: from, to, and the promotion, by the third, fourth and fifth feature of variants.
    fn edges(&self, moves: &MoveGraphs) -> Vec<usize> {
        let graph = moves.graph(0);
        let ours = |edge: usize| {
            let way = (4..7).position(|feature| graph.features(edge)[feature] == 1.0);
            ((graph.senders()[edge] as usize, graph.receivers()[edge] as usize, way), edge)
        };
        let ours: HashMap<_, usize> = (0..graph.edges()).map(ours).collect();
        assert_eq!((graph.edges(), ours.len()), (self.edges.sender.len(), self.edges.sender.len()));
        let EdgeVectors { sender, receiver, promotion, .. } = &self.edges;
        let theirs = sender.iter().zip(receiver).zip(promotion);
        let key = |((&from, &to), &promotion): ((&usize, &usize), &i8)| {
            (self.site(from), self.site(to), usize::try_from(promotion).ok())
        };
        theirs.map(|edge| ours[&key(edge)]).collect()
    }

    /// The position after a number of moves of a game.
    fn position(&self, game: &dyn Game, seen: &PositionVectors) -> Box<dyn Position> {
        let mut position = game.start();
        for name in &self.games[seen.game][..seen.ply] {
            let action = game.read_move(&*position, name).unwrap_or_else(|| panic!("{name} in {}", seen.fen));
            position.play(action);
        }
        position
    }

    /// Their features of the nodes of a position, `[site][channel]`.
    fn nodes(&self, seen: &PositionVectors) -> Vec<f32> {
        let mut numbers = vec![0.0; 119 * self.size * self.size];
        for (channel, &value) in &seen.constant {
            let channel: usize = channel.parse().unwrap();
            numbers.iter_mut().skip(channel).step_by(119).for_each(|number| *number = value);
        }
        for (channel, nodes) in &seen.ones {
            let channel: usize = channel.parse().unwrap();
            nodes.iter().for_each(|&node| numbers[119 * self.site(node) + channel] = 1.0);
        }
        numbers
    }
}

#[test]
fn positions_are_written_as_by_the_authors() {
    for board in vectors() {
        let text = format!("chess = {{ size = {}, passant-key = \"always\" }}", board.size);
        let game: Arc<dyn Game> = toml::from_str::<GameSpec>(&text).unwrap().build();
        let mut encoder = MoveEncoding { edges: EdgeFeatures::Code }.encoder(&[Arc::clone(&game)]);
        let mut batch = Batch::new(encoder.dims());
        for seen in &board.positions {
            let position = board.position(&*game, seen);
            encoder.encode(&[&*position], &mut batch);
            let Batch::Moves(moves) = &batch else { panic!("graphs of moves") };
            let (theirs, place) = (board.nodes(seen), format!("{} after {} plies", seen.fen, seen.ply));
            for (at, (ours, theirs)) in moves.node_values().iter().zip(&theirs).enumerate() {
                assert!((ours - theirs).abs() < 1e-6, "{place}: channel {} of site {}: {ours}", at % 119, at / 119);
            }
            let (edges, legal) = (board.edges(moves), moves.legal(0));
            let mut expected = vec![false; legal.len()];
            seen.legal.iter().for_each(|&edge| expected[edges[edge]] = true);
            assert_eq!(legal, expected, "{place}");
        }
        let Batch::Moves(moves) = &batch else { panic!("graphs of moves") };
        let FeatureVectors { delta_file, delta_rank, ones } = &board.edge_features;
        for (theirs, ours) in board.edges(moves).into_iter().enumerate() {
            let mut expected = vec![0.0; 19];
            (expected[1], expected[2]) = (delta_file[theirs], delta_rank[theirs]);
            let has = |feature: &usize| ones.get(&feature.to_string()).is_some_and(|edges| edges.contains(&theirs));
            (3..19).filter(has).for_each(|feature| expected[feature] = 1.0);
            assert_eq!(moves.graph(0).features(ours), expected, "edge {theirs} of {}", board.size);
        }
    }
}

/// The images of pgx have the same features and labels.
#[test]
fn images_with_a_history_are_those_of_pgx() {
    for board in vectors() {
        let text = format!("chess = {{ size = {}, passant-key = \"always\" }}", board.size);
        let game: Arc<dyn Game> = toml::from_str::<GameSpec>(&text).unwrap().build();
        let spec: PlanesSpec = toml::from_str("history = true").unwrap();
        spec.check(&*game).unwrap();
        let mut encoder = spec.encoder(&[Arc::clone(&game)]);
        let (mut batch, sites) = (Batch::new(encoder.dims()), board.size * board.size);
        assert_eq!(spec.extent(&*game).dims, encoder.dims());
        let channels: Vec<usize> = if board.size == 8 { (0..119).collect() } else { (0..114).chain([118]).collect() };
        for seen in &board.positions {
            let position = board.position(&*game, seen);
            encoder.encode(&[&*position], &mut batch);
            let Batch::Planes(planes) = &batch else { panic!("images") };
            assert_eq!(
                (planes.channels(), planes.actions()),
                (channels.len(), if board.size == 8 { 4672 } else { 1225 })
            );
            let theirs = board.nodes(seen);
            for (image, &channel) in planes.values().chunks_exact(sites).zip(&channels) {
                let expected = theirs.iter().skip(channel).step_by(119);
                assert!(image.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{}: {channel}", seen.fen);
            }
            let (mut actions, mut slots) = (Vec::new(), Vec::new());
            position.actions(&mut actions);
            encoder.slots(&*position, &actions, &mut slots);
            slots.sort_unstable();
            assert_eq!(
                slots,
                seen.legal.iter().map(|&edge| board.edges.label[edge]).collect::<Vec<_>>(),
                "{}",
                seen.fen
            );
        }
    }
}

/// The paper's table has four features fewer, and marks only the plain move as a promotion to a queen.
#[test]
fn the_papers_edges_have_fifteen_features() {
    for (size, sites, edges) in [(8, 64, 1858), (5, 25, 455)] {
        let game = toml::from_str::<GameSpec>(&format!("chess = {{ size = {size} }}")).unwrap().build();
        let encoding = MoveEncoding { edges: EdgeFeatures::Paper };
        encoding.check(&*game).unwrap();
        let extent = encoding.extent(&*game);
        assert_eq!((extent.sites, extent.slots), (sites, edges));
        let super::Dims::Moves(dims) = extent.dims else { panic!("graphs of moves") };
        assert_eq!((dims.node(), dims.edge), (119, 15));
        let mut batch = Batch::new(extent.dims);
        encoding.encoder(&[Arc::clone(&game)]).encode(&[&*game.start()], &mut batch);
        let Batch::Moves(moves) = &batch else { panic!("graphs of moves") };
        let graph = moves.graph(0);
        let queens = (0..graph.edges()).filter(|&edge| graph.features(edge)[3] == 1.0);
        let ways = queens.inspect(|&edge| assert_eq!(graph.features(edge)[4..7], [0.0; 3])).count();
        assert_eq!(ways, 3 * size as usize - 2);
    }
}

#[test]
fn games_whose_actions_are_no_moves_or_that_keep_too_little_are_refused() {
    let encoding = MoveEncoding { edges: EdgeFeatures::Paper };
    let game = |text: &str| toml::from_str::<GameSpec>(text).unwrap().build();
    assert!(encoding.check(&*game("othello = { size = 6 }")).unwrap_err().contains("moves from site to site"));
    let enough = |text: &str| {
        let game = game(text);
        encoding.check(&*game).and_then(|()| keeps_enough(&*game, encoding.lookback(&*game)))
    };
    assert!(enough("breakthrough = { size = 5 }").unwrap_err().contains("looks back on 8 positions"));
    enough("chess = { size = 5 }").unwrap();
}
