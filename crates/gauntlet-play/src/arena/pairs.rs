//! Pairs of games: the same random opening twice, colours swapped. The unit of match statistics.
//!
//! This file only plays pairs; `regression` tests their results.

use std::ops::Range;

use super::{ArenaError, Cohort, GameStart, Openings, PlayedGame, RandomOpenings};
use crate::players::Player;
use gauntlet_games::base::{Seed, Side};
use gauntlet_games::games::Game;

/// One pair: the points of the first of the two players, and hashes of the games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlayedPair {
    /// Half points of the first player, in the game where it is the first side and in the other: 0, 1 or 2.
    pub points: [u8; 2],
    /// A hash of each game's actions, including the opening's.
    pub lines: [u64; 2],
    /// Actions of both games.
    pub plies: u32,
}

/// Plays `pairs` pairs between two players, each from `opening` random plies.
///
/// # Errors
/// Those of [`play_pairs_from`].
pub fn play_pairs(
    game: &dyn Game,
    players: [&mut dyn Player; 2],
    pairs: usize,
    opening: u16,
    seed: &Seed,
) -> Result<Vec<PlayedPair>, ArenaError> {
    play_pairs_from(game, players, 0..pairs, &Openings::Random(RandomOpenings::new(opening)), seed)
}

/// Plays pairs between two players, each from its opening. In a list of openings, the first one has the place
/// `turns.start`.
///
/// Pair `i` and its opening depend on `i`, the players and the seed alone: two matches with equal seeds have equal
/// openings, for any players.
///
/// # Errors
/// If a player cannot answer, or if random openings of this length always end the game.
pub fn play_pairs_from(
    game: &dyn Game,
    [first, second]: [&mut dyn Player; 2],
    turns: Range<usize>,
    openings: &Openings,
    seed: &Seed,
) -> Result<Vec<PlayedPair>, ArenaError> {
    let pairs = turns.len();
    // Those that are drawn depend on the seed of these pairs.
    let first_turn = if matches!(openings, Openings::Book(_)) { turns.start } else { 0 };
    let mut starts = Vec::with_capacity(2 * pairs);
    for pair in 0..pairs {
        let opening = openings.of(game, pair as u64, first_turn + pair, seed)?;
        starts.push(GameStart::new(2 * pair, [0, 1], opening.clone()));
        starts.push(GameStart::new(2 * pair + 1, [1, 0], opening));
    }
    let mut played: Vec<Option<PlayedGame>> = vec![None; 2 * pairs];
    let games_at_once = first.games_at_once().min(second.games_at_once()).min(Cohort::GAMES_AT_ONCE);
    let cohort = Cohort { games_at_once, ..Cohort::default() };
    cohort.play_each(game, &mut [first, second], starts, &seed.child("games", 0), &mut played)?;
    let played: Vec<PlayedGame> = played.into_iter().flatten().collect();
    Ok(played.chunks_exact(2).map(PlayedPair::of).collect())
}

impl PlayedPair {
    /// Mean score of the first player, -1 to 1.
    #[must_use]
    pub fn score(&self) -> f64 {
        f64::from(self.points[0] + self.points[1]) / 2.0 - 1.0
    }

    fn of(games: &[PlayedGame]) -> PlayedPair {
        let points = |game: &PlayedGame| {
            let side = if game.players[0] == 0 { Side::First } else { Side::Second };
            (game.outcome.score(side) + 1.0) as u8
        };
        let plies = games[0].plies + games[1].plies;
        PlayedPair { points: [points(&games[0]), points(&games[1])], lines: [games[0].line, games[1].line], plies }
    }
}

#[cfg(test)]
mod tests {

    use super::super::testing::{Chaser, RaceGame, Strider};
    use super::*;
    use gauntlet_games::formats::Opening;

    fn play(pairs: usize, opening: u16, seed: u64) -> Vec<PlayedPair> {
        let (mut a, mut b) = (Chaser::default(), Strider);
        play_pairs(&RaceGame::default(), [&mut a, &mut b], pairs, opening, &Seed::new(seed)).expect("no player fails")
    }

    #[test]
    fn a_pair_depends_on_its_index_alone() {
        let pairs = play(40, 2, 1);
        assert_eq!(pairs.len(), 40);
        assert_eq!(play(7, 2, 1), pairs[..7]);
        assert_ne!(play(40, 2, 2), pairs);
    }

    /// As batch after batch goes through a list.
    #[test]
    fn a_list_of_openings_begins_at_the_first_turn() {
        let (game, seed) = (RaceGame::default(), Seed::new(1));
        let opening = |pair| Openings::Random(RandomOpenings::new(3)).of(&game, pair, 0, &seed).unwrap();
        let (one, other) = (opening(0), (1..20).map(opening).find(|other| *other != opening(0)).unwrap());
        let played = |list: &[&Opening], turns| {
            let (mut a, mut b) = (Chaser::default(), Strider);
            let book = Openings::Book(list.iter().map(|&opening| opening.clone()).collect());
            play_pairs_from(&game, [&mut a, &mut b], turns, &book, &seed).unwrap()
        };
        assert_eq!(played(&[&one, &other], 1..3), played(&[&other, &one], 0..2));
        assert_eq!(played(&[&one, &other], 2..4), played(&[&one, &other], 0..2));
        assert_ne!(played(&[&one, &other], 1..3), played(&[&one, &other], 0..2));
    }

    #[test]
    fn points_are_those_of_the_first_player() {
        // Striders move by 2 more often than chasers and get there first.
        let points: u32 = play(400, 0, 3).iter().flat_map(|pair| pair.points).map(u32::from).sum();
        assert!(points < 800, "{points} half points of 1600");
        let (mut a, mut b) = (Strider, Chaser::default());
        let swapped =
            play_pairs(&RaceGame::default(), [&mut a, &mut b], 400, 0, &Seed::new(3)).expect("no player fails");
        assert!(swapped.iter().flat_map(|pair| pair.points).map(u32::from).sum::<u32>() > 800);
    }
}
