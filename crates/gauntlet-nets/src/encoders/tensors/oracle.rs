//! Tests of the tensors of fifteen games against the reference system, value by value and slot by slot.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::Value;

use super::write::{Seen, Writer};
use super::*;
use crate::encoders::{Dims, Encoder as _};
use gauntlet_games::base::Side;
use gauntlet_games::games::{GameSpec, Offsite, Piece, Step, View};

/// Number of parameters of every network of Table 1.
const TABLE_1: [(&str, usize); 15] = [
    ("Breakthrough", 188_296),
    ("Connect6", 180_472),
    ("Dai Hasami Shogi", 188_296),
    ("Fanorona", 188_296),
    ("Feed the Ducks", 231_152),
    ("Gomoku", 180_472),
    ("Hex", 222_464),
    ("HeXentafl", 231_152),
    ("Konane", 188_296),
    ("Lasca", 5_450_268),
    ("Minishogi", 2_009_752),
    ("Pentalath", 180_472),
    ("Squava", 222_464),
    ("Surakarta", 188_948),
    ("Yavalath", 222_464),
];

/// One game of the oracles.
struct Truth {
    name: String,
    tensors: Value,
    places: Vec<[f64; 2]>,
    hands: Vec<usize>,
}

fn truths() -> Vec<Truth> {
    let read = |file: &str| -> Option<BTreeMap<String, Value>> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracles/ludemes").join(file);
        let Ok(text) = fs::read_to_string(path) else {
            eprintln!("skipped: ../shared/oracles/ludemes/{file} is not there");
            return None;
        };
        Some(serde_json::from_value(serde_json::from_str::<Value>(&text).unwrap()["games"].take()).unwrap())
    };
    let (Some(tensors), Some(mut boards)) = (read("tensors.json"), read("topology.json")) else { return Vec::new() };
    let truth = |(name, tensors): (String, Value)| {
        let board = boards.get_mut(&name).unwrap();
        let places = serde_json::from_value(board["centroid"].take()).unwrap();
        let hands =
            board["containers"].as_array().unwrap()[1..].iter().map(|hand| hand["sites"].as_u64().unwrap() as usize);
        Truth { hands: hands.collect(), name, tensors, places }
    };
    tensors.into_iter().map(truth).collect()
}

impl Truth {
    fn facts(&self) -> TensorFacts {
        let channels = self.channels();
        let has = |name: &str| channels.iter().any(|channel| channel == name);
        let moves: Vec<&Value> = self.positions().iter().flat_map(|it| it["legal"].as_array().unwrap()).collect();
        let votes = moves.iter().any(|legal| legal[0][0] == "vote");
        TensorFacts {
            pieces: self.pieces(),
            stacks: has("stack_height"),
            counts: has("count"),
            swap: has("swapped"),
            moves: moves.iter().any(|legal| legal[0][1] != legal[0][2]),
            proposals: if votes { 2 } else { 0 },
        }
    }

    fn channels(&self) -> Vec<String> {
        serde_json::from_value(self.tensors["channels"].clone()).unwrap()
    }

    fn positions(&self) -> &[Value] {
        self.tensors["positions"].as_array().unwrap()
    }

    /// The kinds of pieces; their names end in their owners' numbers, and pieces of one name are one kind.
    fn pieces(&self) -> Vec<Piece> {
        let mut kinds: Vec<String> = Vec::new();
        let mut pieces = Vec::new();
        for channel in self.channels().iter().filter(|channel| channel.starts_with("piece:")) {
            let name = channel.split(':').nth(2).unwrap();
            let (kind, owner) = name.split_at(name.len() - 1);
            let number = kinds.iter().position(|other| other == kind).unwrap_or(kinds.len());
            if number == kinds.len() {
                kinds.push(kind.to_owned());
            }
            let piece = match owner {
                "0" => Piece::neutral(number as u8),
                owner => Piece::new(Side::BOTH[usize::from(owner == "2")], number as u8),
            };
            if !pieces.contains(&piece) {
                pieces.push(piece);
            }
        }
        pieces
    }

    /// A position as a view, with the colour of each piece of the board by its present player: 1 or 2.
    fn view(&self, position: &Value) -> View {
        let (pieces, sites) = (self.pieces(), self.places.len() + self.hands.iter().sum::<usize>());
        let stacks = self.facts().stacks;
        let swapped = position["mover"] != position["agent"];
        let piece = |number: &Value| {
            let piece = pieces[number.as_u64().unwrap() as usize - 1];
            match piece.side().filter(|_| swapped) {
                Some(side) => Piece::new(side.opponent(), piece.kind()),
                None => piece,
            }
        };
        let levels = if stacks { 22 } else { 1 };
        let mut view = View { pieces: vec![Piece::EMPTY; sites * levels], ..View::new() };
        view.side = Side::BOTH[position["agent"].as_u64().unwrap() as usize - 1];
        view.counts = if self.facts().counts { vec![0; sites] } else { Vec::new() };
        for entry in position["board"].as_array().unwrap() {
            let site = entry[0].as_u64().unwrap() as usize;
            if stacks {
                for (level, it) in entry[1].as_array().unwrap().iter().enumerate() {
                    view.pieces[site * levels + level] = piece(&it[1]);
                }
                continue;
            }
            view.pieces[site] = piece(&entry[2]);
            if let Some(count) = view.counts.get_mut(site) {
                *count = entry[3].as_u64().unwrap() as u16;
            }
        }
        view
    }
}

/// A stored move as a step.
fn step(it: &Value) -> (Step, Option<Offsite>) {
    let site = |at: usize| u32::try_from(it[at].as_i64().unwrap()).ok();
    let number = u8::from(it[5]["s"] == "No");
    let offsite = match it[0].as_str().unwrap() {
        "pass" => Some(Offsite::Pass),
        "swap" => Some(Offsite::Swap),
        "propose" => Some(Offsite::Propose(number)),
        "vote" => Some(Offsite::Vote(number)),
        _ => None,
    };
    (Step { from: site(1), to: site(2), aux: 0 }, offsite)
}

#[test]
fn every_value_and_slot_is_that_of_the_reference() {
    for truth in truths() {
        let (facts, name) = (truth.facts(), &truth.name);
        let places = ImageCells::new(&truth.places, &truth.hands, HandPlaces::Reference);
        let planes = ActionPlanes::new(&facts);
        let shape = |key: &str| -> [usize; 3] { serde_json::from_value(truth.tensors[key].clone()).unwrap() };
        let writer = Writer::new(&facts, places.clone(), false);
        assert_eq!([writer.channels(), places.width(), places.height()], shape("state_shape"), "{name}");
        assert_eq!([planes.count(), places.width(), places.height()], shape("action_shape"), "{name}");
        let spots: [Vec<usize>; 2] =
            ["site_x", "site_y"].map(|key| serde_json::from_value(truth.tensors[key].clone()).unwrap());
        let own: Vec<[usize; 2]> = (0..places.cells().len()).map(|site| places.spot(site)).collect();
        assert_eq!(own, spots[0].iter().zip(&spots[1]).map(|(&x, &y)| [x, y]).collect::<Vec<_>>(), "{name}");
        for position in truth.positions() {
            let moves = position["moves"].as_array().unwrap();
            let view = truth.view(position);
            let last = |ago: usize| moves.iter().rev().nth(ago).map(|it| step(it).0);
            let seen = Seen { view: &view, swapped: position["mover"] != position["agent"], steps: [last(0), last(1)] };
            let mut image = vec![0.0; writer.channels() * places.area()];
            writer.write(&seen, &mut image);
            assert_eq!(image, values(position, image.len()), "{name} after {} moves", moves.len());
            for legal in position["legal"].as_array().unwrap() {
                let (step, offsite) = step(&legal[0]);
                let height = if facts.stacks { legal[0][5]["lmax"].as_u64().unwrap_or(0) as usize + 1 } else { 0 };
                let slot = planes.slot(&places, step, offsite, height) as usize;
                let [c, x, y] = [1, 2, 3].map(|at| legal[at].as_u64().unwrap() as usize);
                assert_eq!(slot, y + places.height() * (x + places.width() * c), "{name} {legal}");
            }
        }
    }
}

/// The shapes `[channels, width, height]` and the numbers of move planes of the described games.
const SHAPES: [(&str, [usize; 3], usize); 15] = [
    ("breakthrough", [9, 8, 8], 51),
    ("connect6", [9, 19, 19], 3),
    ("dai-hasami-shogi", [9, 9, 9], 51),
    ("fanorona", [9, 9, 5], 51),
    ("feed-the-ducks", [10, 17, 9], 51),
    ("gomoku", [9, 15, 15], 3),
    ("hex", [10, 21, 21], 3),
    ("hexentafl", [10, 7, 13], 51),
    ("konane", [9, 8, 8], 51),
    ("lasca", [48, 7, 7], 443),
    ("minishogi", [30, 8, 5], 51),
    ("pentalath", [9, 25, 7], 3),
    ("squava", [10, 5, 5], 3),
    ("surakarta", [9, 6, 6], 55),
    ("yavalath", [10, 9, 17], 3),
];

/// The descriptions alone determine the tensors and parameters of Table 1.
#[test]
fn described_games_have_the_tensors_and_networks_of_the_paper() {
    for ((name, [channels, rows, columns], planes), (_, parameters)) in SHAPES.into_iter().zip(TABLE_1) {
        let spec = format!(r#"{{"ludeme":{{"name":"{name}"}}}}"#);
        let game = serde_json::from_str::<GameSpec>(&spec).unwrap().build();
        let dims = Dims::Planes { channels, rows, columns, actions: planes * rows * columns };
        assert_eq!(TensorsSpec::default().build(&*game).dims(), dims, "{name}");
        let (c, a) = (channels, planes);
        assert_eq!(2194 * c * c + 252 * c + 1 + a * (18 * c + 1), parameters, "{name}");
    }
}

fn values(position: &Value, size: usize) -> Vec<f32> {
    let mut image = vec![0.0; size];
    for (number, at) in position["nz"].as_array().unwrap().iter().enumerate() {
        let value = position["val"].as_array().map_or(1.0, |values| values[number].as_f64().unwrap());
        image[at.as_u64().unwrap() as usize] = value as f32;
    }
    image
}

/// `P(C, A) = 2194 C^2 + 252 C + 1 + A (18 C + 1)` parameters, for the channels and planes of the published tensors.
#[test]
fn the_networks_of_table_1_have_the_published_parameters() {
    for truth in truths() {
        let facts = truth.facts();
        let (c, a) = (facts.channels(truth.hands.len()).len(), ActionPlanes::new(&facts).count());
        let published = TABLE_1.iter().find(|(name, _)| *name == truth.name).unwrap().1;
        assert_eq!(2194 * c * c + 252 * c + 1 + a * (18 * c + 1), published, "{}", truth.name);
    }
}

#[test]
fn hands_stand_beside_the_board() {
    // Shogi of the paper's Figure 5: nine columns, an empty one, and the hands of seven.
    let board: Vec<[f64; 2]> = (0..81).map(|site| [f64::from(site % 9), f64::from(site / 9)]).collect();
    let shogi = ImageCells::new(&board, &[7, 7], HandPlaces::Published);
    assert_eq!((shogi.width(), shogi.height()), (12, 9));
    assert_eq!(
        [0, 80, 81, 87, 88, 94].map(|site| shogi.spot(site)),
        [[0, 0], [8, 8], [10, 0], [10, 6], [11, 0], [11, 6]]
    );
    let reference = ImageCells::new(&board, &[7, 7], HandPlaces::Reference);
    assert_eq!([81, 88, 94].map(|site| reference.spot(site)), [[11, 0], [0, 0], [0, 0]]);
    // A board that is higher than wide has short hands as rows.
    let tall =
        ImageCells::new(&board[..63].iter().map(|[x, y]| [*y, *x]).collect::<Vec<_>>(), &[3], HandPlaces::Published);
    assert_eq!((tall.width(), tall.height(), tall.spot(65)), (7, 11, [2, 10]));
}
