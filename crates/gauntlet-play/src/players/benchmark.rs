//! The benchmark player of "Reinforcement Learning for Gomoku" (Chen, Chin and Megas): points for chains, one ply deep.
//!
//! Section 3: "A feature vector v of 8 integers is associated with each possible move, given by the number of 2-chains,
//! 3-chains, 4-chains, and 5-chains the move would create for the player, and the number of opponent 2-chains, 3-chains,
//! 4-chains, and 5-chains the move would block. A weight vector w assigns points for each of these features, and was
//! hard-coded to be (1, 3, 9, 81, 1, 3, 9, 27). The algorithm chose a move with maximal score".
//!
//! The text leaves the following open. This player decides as listed; if the text is silent, as the authors' program
//! does:
//!
//! * A chain is an unbroken row along one of the four lines through the move: it ends at a gap. Chains on both sides of
//!   the move are joined by it into one, which counts once and by its whole length; the shorter ones within it do not.
//! * A blocked chain is the one that the opponent would have made with the same move, not the one that it has: an
//!   existing 5-chain has won already, so that its weight could never count otherwise.
//! * Lines longer than five count as five: they win too, under the rules of the paper.
//! * A chain counts the same whether its ends are open, blocked or at the border.
//! * Ties are broken at random, and the first move on an empty board is its centre (of four middle
//!   sites the one with the highest index). The text specifies neither.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::agent::{Agent, Source};
use super::chooser::any;
use super::{Chooser, Player, PlayerError};
use gauntlet_games::base::{Action, Rng};
use gauntlet_games::games::{Game, Gomoku, Position, View};

/// Points for a chain of 2, 3, 4, or 5 and more that the move makes.
const MADE: [u32; 4] = [1, 3, 9, 81];

/// Points for a chain that it blocks.
const BLOCKED: [u32; 4] = [1, 3, 9, 27];

/// Longest row distinguished beside a move: with the move, four make five.
const LONGEST: usize = 4;

/// Number of codes for half a line: 0 for nothing, 1 to 4 for own stones, 5 to 8 for 1 to 4 of the opponent's.
const CODES: usize = 2 * LONGEST + 1;

/// The value of a line, by the codes of its two halves.
const WORTH: [[u32; CODES]; CODES] = worth();

/// The code past a stone, by its owner (0 empty, 1 own, 2 the opponent's) and the code behind it.
const PAST: [[u8; CODES]; 3] = past();

/// The settings of the benchmark player: none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Nothing")]
pub struct BenchmarkAgent {}

impl Agent for BenchmarkAgent {
    fn name(&self) -> String {
        "benchmark".to_owned()
    }

    fn build(&self, game: &Arc<dyn Game>, _source: &Source<'_>) -> Result<Box<dyn Player>, PlayerError> {
        Ok(Box::new(Benchmark::new(game)?))
    }
}

/// Plays Gomoku by counting chains.
#[derive(Debug, Clone)]
pub struct Benchmark {
    centre: Action,
    /// Steps to the four neighbours that come later in `stones`; the lines' other halves lead the other way.
    steps: [usize; 4],
    /// The index of each site in `stones`.
    places: Vec<usize>,
    view: View,
    /// The owner of each stone: 0 empty, 1 own, 2 the opponent's; the board with an empty border.
    stones: Vec<u8>,
    /// The code seen from each place along the four steps, and against them.
    seen: Vec<[[u8; 4]; 2]>,
    best: Vec<Action>,
}

impl Benchmark {
    /// A benchmark player for one board.
    ///
    /// # Errors
    /// [`PlayerError::Unsuited`] if the game is not Gomoku with five in a row.
    pub fn new(game: &Arc<dyn Game>) -> Result<Benchmark, PlayerError> {
        let start = game.start();
        if start.state::<Gomoku>().is_none_or(|gomoku| gomoku.row() != 5) {
            let reason = "its chains are those of gomoku with five in a row".into();
            return Err(PlayerError::Unsuited { player: "benchmark".into(), game: game.name(), reason });
        }
        let (rows, columns) = (game.topology().rows(), game.topology().columns());
        // One column between a row's end and the next row's start keeps lines from wrapping.
        let width = columns + 1;
        let places = (0..rows * columns).map(|site| (site / columns + 1) * width + site % columns + 1).collect();
        let length = (rows + 2) * width + 2;
        Ok(Benchmark {
            centre: Action::from(rows / 2 * columns + columns / 2),
            steps: [1, width - 1, width, width + 1],
            places,
            view: View::new(),
            stones: vec![0; length],
            seen: vec![[[0; 4]; 2]; length],
            best: Vec::new(),
        })
    }

    /// Computes the codes of every place, each from its neighbour's.
    fn look(&mut self) {
        let own = self.view.side;
        for (&place, piece) in self.places.iter().zip(&self.view.pieces) {
            self.stones[place] = piece.side().map_or(0, |side| if side == own { 1 } else { 2 });
        }
        let past = |stone: u8, seen: u8| PAST[usize::from(stone)][usize::from(seen)];
        for &place in &self.places {
            for (line, step) in self.steps.into_iter().enumerate() {
                let from = place - step;
                self.seen[place][1][line] = past(self.stones[from], self.seen[from][1][line]);
            }
        }
        for &place in self.places.iter().rev() {
            for (line, step) in self.steps.into_iter().enumerate() {
                let from = place + step;
                self.seen[place][0][line] = past(self.stones[from], self.seen[from][0][line]);
            }
        }
    }

    /// The score of a move to an empty place.
    fn points(&self, place: usize) -> u32 {
        let [ahead, behind] = &self.seen[place];
        ahead.iter().zip(behind).map(|(&ahead, &behind)| WORTH[usize::from(ahead)][usize::from(behind)]).sum()
    }
}

const fn worth() -> [[u32; CODES]; CODES] {
    let mut table = [[0; CODES]; CODES];
    let mut at = 0;
    while at < CODES * CODES {
        let (ahead, behind) = (at / CODES, at % CODES);
        table[ahead][behind] = chain(&MADE, ahead, behind, 1) + chain(&BLOCKED, ahead, behind, LONGEST + 1);
        at += 1;
    }
    table
}

/// Points for the chain of the stones whose codes begin with `first`.
const fn chain(points: &[u32; 4], ahead: usize, behind: usize, first: usize) -> u32 {
    match stones(ahead, first) + stones(behind, first) {
        0 => 0,
        joined if joined < LONGEST => points[joined - 1],
        _ => points[LONGEST - 1],
    }
}

/// Number of stones of a code, if it is one of those that begin with `first`.
const fn stones(code: usize, first: usize) -> usize {
    if code >= first && code < first + LONGEST { code + 1 - first } else { 0 }
}

const fn past() -> [[u8; CODES]; 3] {
    let mut table = [[0; CODES]; 3];
    let mut at = 0;
    while at < 2 * CODES {
        let (whose, seen) = (at / CODES, at % CODES);
        let first = whose * LONGEST + 1;
        let longer = stones(seen, first) + 1;
        let kept = if longer > LONGEST { LONGEST } else { longer };
        table[whose + 1][seen] = (first + kept - 1) as u8;
        at += 1;
    }
    table
}

impl Chooser for Benchmark {
    fn choose(&mut self, position: &dyn Position, rng: &mut Rng) -> Action {
        position.view(&mut self.view);
        if self.view.last.is_none() && self.view.pieces.iter().all(|piece| piece.is_empty()) {
            return self.centre;
        }
        self.look();
        // A single pass over the board: collecting the empty places and scoring them afterwards takes a sixth longer.
        self.best.clear();
        let mut most = 0;
        for (site, &place) in self.places.iter().enumerate() {
            if self.stones[place] != 0 {
                continue;
            }
            let points = self.points(place);
            if points > most {
                self.best.clear();
                most = points;
            }
            if points == most {
                self.best.push(Action::from(site));
            }
        }
        any(&self.best, rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::{Naive, Player, Turn};
    use gauntlet_games::base::{Outcome, Seed, Side};
    use gauntlet_games::games::GameSpec;

    fn gomoku(size: usize) -> Arc<dyn Game> {
        let spec: GameSpec = serde_json::from_value(serde_json::json!({ "gomoku": { "size": size } })).unwrap();
        spec.build()
    }

    fn after(game: &Arc<dyn Game>, points: &str) -> Box<dyn Position> {
        let mut position = game.start();
        points.split_whitespace().for_each(|point| position.play(game.parse_action(point).unwrap()));
        position
    }

    /// The score of a move on 9x9 after these moves.
    fn score(points: &str, at: &str) -> u32 {
        let game = gomoku(9);
        let mut player = Benchmark::new(&game).unwrap();
        after(&game, points).view(&mut player.view);
        player.look();
        player.points(player.places[game.parse_action(at).unwrap().index()])
    }

    /// Every move played on 9x9 after these moves, with its frequency in 8,000 trials.
    fn answers(points: &str) -> Vec<(String, usize)> {
        let game = gomoku(9);
        let (position, mut player, mut rng) =
            (after(&game, points), Benchmark::new(&game).unwrap(), Seed::new(1).rng());
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..8000 {
            *counts.entry(game.action_name(player.choose(&*position, &mut rng))).or_insert(0) += 1;
        }
        counts.into_iter().collect()
    }

    fn answer(points: &str) -> String {
        let [(name, _)] = &answers(points)[..] else { panic!("more than one: {:?}", answers(points)) };
        name.clone()
    }

    #[test]
    fn the_first_move_is_the_centre() {
        assert_eq!(answer(""), "E5");
        let (even, mut rng) = (gomoku(8), Seed::new(1).rng());
        let action = Benchmark::new(&even).unwrap().choose(&*even.start(), &mut rng);
        assert_eq!(action, Action(4 * 8 + 4));
    }

    #[test]
    fn equal_scores_are_decided_by_lot() {
        // Each of the eight neighbours blocks one 2-chain.
        let found = answers("E5");
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["D4", "D5", "D6", "E4", "E6", "F4", "F5", "F6"]);
        assert!(found.iter().all(|(_, count)| (880..1120).contains(count)), "{found:?}");
    }

    #[test]
    fn every_weight_counts_once() {
        // Black's row lies along rank 1 from A1, White's along rank 9 from A9; it is Black's move.
        let mut moves = String::new();
        for (at, (stone, end)) in "ABCD".chars().zip("BCDE".chars()).enumerate() {
            moves += &format!("{stone}1 {stone}9 ");
            assert_eq!(score(&moves, &format!("{end}1")), MADE[at]);
            assert_eq!(score(&moves, &format!("{end}9")), BLOCKED[at]);
        }
    }

    #[test]
    fn a_move_joins_what_is_on_both_sides() {
        // Black has A1 B1 D1 E1: C1 makes one 5-chain; F1 makes a 3-chain, as the gap ends it.
        let row = "A1 A9 B1 C9 D1 E9 E1 G9";
        assert_eq!((score(row, "C1"), score(row, "F1")), (81, 3));
        // Of two colours on one line each is a chain of its own: A1 B1 black, D1 white.
        assert_eq!(score("A1 D1 B1 H9", "C1"), 3 + 1);
        // Lines add up: C3 makes 2-chains with B3, C2 and B2, and blocks a 3-chain with D4 and E5.
        assert_eq!(score("B3 D4 C2 E5 B2 J9", "C3"), 1 + 1 + 1 + 3);
    }

    #[test]
    fn longer_rows_count_as_five_and_ends_do_not_matter() {
        // A1 to C1 and E1 to G1: seven in a row.
        assert_eq!(score("A1 A9 B1 C9 C1 E9 E1 G9 F1 J9 G1 J7", "D1"), 81);
        // White's three is blocked at one end, or not.
        assert_eq!(score("D5 E5 A1 F5 A3 G5", "H5"), score("D7 E5 A1 F5 A3 G5", "H5"));
    }

    #[test]
    fn it_wins_before_it_blocks_and_blocks_before_it_builds() {
        // Both have four, open on one side: E1 wins for Black, E9 for White.
        assert_eq!(answer("A1 A9 B1 B9 C1 C9 D1 D9"), "E1");
        // White has four and Black three: the 27 points of E9 are more than the 9 of D1.
        assert_eq!(answer("A1 A9 B1 B9 C1 C9 J5 D9"), "E9");
    }

    /// The feature vector directly from its definition, by walking over coordinates.
    fn features(view: &View, size: isize, site: usize) -> [u32; 8] {
        let mut features = [0; 8];
        let at = |row: isize, column: isize| {
            let inside = (0..size).contains(&row) && (0..size).contains(&column);
            inside.then(|| view.pieces[(row * size + column) as usize].side()).flatten()
        };
        let (row, column) = (site as isize / size, site as isize % size);
        for (offset, side) in [(0, view.side), (4, view.side.opponent())] {
            for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                let run = |sign: isize| {
                    let far = |far: &isize| at(row + sign * down * far, column + sign * right * far) == Some(side);
                    (1..).take_while(far).count()
                };
                if let chain @ 2.. = 1 + run(1) + run(-1) {
                    features[offset + chain.min(5) - 2] += 1;
                }
            }
        }
        features
    }

    #[test]
    fn points_are_features_times_weights() {
        for size in [5, 9, 15] {
            let game = gomoku(size);
            let (mut player, mut rng) = (Benchmark::new(&game).unwrap(), Seed::new(7).rng());
            for _ in 0..20 {
                let mut position = game.start();
                while position.outcome().is_none() {
                    position.view(&mut player.view);
                    player.look();
                    for site in (0..size * size).filter(|&site| player.view.pieces[site].is_empty()) {
                        let features = features(&player.view, size as isize, site);
                        let plain: u32 = features.iter().zip(MADE.iter().chain(&BLOCKED)).map(|(v, w)| v * w).sum();
                        assert_eq!(player.points(player.places[site]), plain);
                    }
                    let action = position.random_action(&mut rng);
                    position.play(action);
                }
            }
        }
    }

    #[test]
    fn it_beats_the_naive_player_with_either_colour() {
        let game = gomoku(9);
        let mut players: [Box<dyn Player>; 2] = [Box::new(Benchmark::new(&game).unwrap()), Box::new(Naive::default())];
        for number in 0..40 {
            let (mut position, mut rng) = (game.start(), Seed::new(2).child("game", number).rng());
            let black = number as usize % 2;
            while position.outcome().is_none() {
                let mut turns = [Turn::new(0, &*position, &mut rng)];
                players[(black + turns[0].position.side().index()) % 2].decide(&mut turns).unwrap();
                let action = turns[0].decision.action.unwrap();
                position.play(action);
            }
            assert_eq!(position.outcome(), Some(Outcome::Win(Side::BOTH[black])));
        }
    }

    #[test]
    fn other_games_are_refused() {
        for text in [r#"{"gomoku":{"size":9,"row":4}}"#, r#"{"atari-go":{"size":9}}"#] {
            let game = serde_json::from_str::<GameSpec>(text).unwrap().build();
            let error = Benchmark::new(&game).unwrap_err().to_string();
            assert!(error.ends_with("its chains are those of gomoku with five in a row"), "{error}");
        }
    }
}
