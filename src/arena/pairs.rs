//! Pairs of games: the same random opening twice, colours swapped. The unit of match statistics.
//!
//! What a number of pairs proves is said elsewhere; here they are only played.

use super::{ArenaError, Cohort, Played};
use crate::base::{Action, Seed, Side};
use crate::games::{Game, Position};
use crate::players::Player;

/// One pair: what the first of the two players got, and which games they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlayedPair {
    /// Half points of the first player in the game where it is the first side, and in the other: 0, 1 or 2.
    pub points: [u8; 2],
    /// A hash of each game's actions, the opening's included.
    pub lines: [u64; 2],
}

/// Openings that end the game are drawn again, this often; then the game starts where it always does.
const TRIES: u64 = 100;

/// Plays `pairs` pairs between two players, each from `opening` random plies.
///
/// Pair `i` and its opening depend on `i`, the players and the seed alone: two matches with equal seeds have equal
/// openings, whoever plays.
///
/// # Errors
/// When a player cannot answer.
pub fn play_pairs(
    game: &dyn Game,
    [first, second]: [&mut dyn Player; 2],
    pairs: usize,
    opening: u32,
    seed: &Seed,
) -> Result<Vec<PlayedPair>, ArenaError> {
    let openings: Vec<Opening> = (0..pairs).map(|pair| Opening::draw(game, opening, pair as u64, seed)).collect();
    let start = |index: usize| openings[index / 2].position.fork();
    let mut players = [first, second];
    let seats = |index: usize| if index.is_multiple_of(2) { [0, 1] } else { [1, 0] };
    let played = Cohort::new(2 * pairs).play_from(start, &mut players, seats, &seed.child("games", 0))?;
    Ok(played.chunks_exact(2).zip(&openings).map(|(games, opening)| opening.pair(games)).collect())
}

/// A position after a few random plies.
struct Opening {
    position: Box<dyn Position>,
    line: u64,
}

impl Opening {
    fn draw(game: &dyn Game, plies: u32, pair: u64, seed: &Seed) -> Opening {
        let mut rng = seed.child("opening", pair).rng();
        for _ in 0..TRIES {
            let (mut position, mut actions) = (game.start(), Vec::new());
            while actions.len() < plies as usize && position.outcome().is_none() {
                let action = position.random_action(&mut rng);
                position.play(action);
                actions.push(action);
            }
            if position.outcome().is_none() {
                return Opening { position, line: line(&actions) };
            }
        }
        Opening { position: game.start(), line: 0 }
    }

    fn pair(&self, games: &[Played]) -> PlayedPair {
        let points = |game: &Played| {
            let side = if game.players[0] == 0 { Side::First } else { Side::Second };
            (game.outcome.score(side) + 1.0) as u8
        };
        let line = |game: &Played| game.line ^ self.line;
        PlayedPair { points: [points(&games[0]), points(&games[1])], lines: [line(&games[0]), line(&games[1])] }
    }
}

/// A hash of an opening; different ones hardly ever have the same.
fn line(actions: &[Action]) -> u64 {
    actions
        .iter()
        .fold(0, |line, action| (line ^ u64::from(action.0 + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Chaser, Line, Strider};
    use super::*;

    fn play(pairs: usize, opening: u32, seed: u64) -> Vec<PlayedPair> {
        let (mut a, mut b) = (Chaser::default(), Strider);
        play_pairs(&Line::default(), [&mut a, &mut b], pairs, opening, &Seed::new(seed)).expect("nobody fails")
    }

    #[test]
    fn a_pair_depends_on_its_index_alone() {
        let pairs = play(40, 2, 1);
        assert_eq!(pairs.len(), 40);
        assert_eq!(play(7, 2, 1), pairs[..7]);
        assert_ne!(play(40, 2, 2), pairs);
    }

    #[test]
    fn points_are_those_of_the_first_player() {
        // Striders move by 2 more often than chasers and get there first.
        let points: u32 = play(400, 0, 3).iter().flat_map(|pair| pair.points).map(u32::from).sum();
        assert!(points < 800, "{points} half points of 1600");
        let (mut a, mut b) = (Strider, Chaser::default());
        let swapped = play_pairs(&Line::default(), [&mut a, &mut b], 400, 0, &Seed::new(3)).expect("nobody fails");
        assert!(swapped.iter().flat_map(|pair| pair.points).map(u32::from).sum::<u32>() > 800);
    }

    #[test]
    fn openings_are_played_before_the_players_are_asked_and_never_end_the_game() {
        let opened = |plies| Opening::draw(&Line::default(), plies, 0, &Seed::new(1)).position;
        assert_eq!(opened(1).side(), Side::Second);
        assert_eq!(opened(2).side(), Side::First);
        // Nobody can be kept from the goal for 30 plies: the game then starts where it always does.
        assert!(opened(30).outcome().is_none());
    }
}
