//! Pairs of games in PGN and SGF: two games of two players with swapped colours, of one event, one round and one start.
//!
//! Pairs may finish in any order, so games wait until the end of the file. They are paired if their group has exactly
//! one game of each colour; games of a larger group would be paired by guess, and stay single. Where the round numbers
//! the games of a pair (`12.1`, `12.2`), two such games in a row are a pair at once: files may hold several matches.

use std::collections::HashMap;

use super::tally::Tally;
use super::{GameResults, outcome_of, place_of};
use crate::base::Outcome;
use crate::formats::pgn::PairTags;

/// A game as its file has it.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlayedGame {
    /// The players; the first one moves first.
    pub(super) players: [usize; 2],
    pub(super) outcome: Outcome,
    pub(super) pair: Option<PairTags>,
}

impl PlayedGame {
    /// Whether another game is the second one of the pair that this game begins, by the numbers in their rounds.
    fn is_answered_by(&self, other: &PlayedGame) -> bool {
        let [a, b] = self.players;
        match (self.pair, other.pair) {
            (Some(one), Some(two)) => {
                (one.place, two.place, one.id, other.players) == (Some(1), Some(2), two.id, [b, a])
            }
            _ => false,
        }
    }
}

/// Finds the pairs of one file.
#[derive(Debug, Default)]
pub(super) struct Pairing {
    /// The last game, if the next one may be the other game of its pair.
    waiting: Option<PlayedGame>,
    /// Games by players, in the order of their numbers, and by the data that a pair shares.
    groups: HashMap<([usize; 2], u128), Group>,
}

/// Counts of games by colour (0: the player with the smaller number moves first) and outcome.
type Colours = [[u32; 3]; 2];

/// The games of one round by the number in it: unknown, 1, 2.
#[derive(Debug, Clone, Copy, Default)]
struct Group([Colours; 3]);

impl Pairing {
    /// Takes the next game of the file.
    pub(super) fn take(&mut self, game: PlayedGame, results: &mut GameResults) {
        if let Some(one) = self.waiting.take_if(|one| one.is_answered_by(&game)) {
            let [a, b] = one.players;
            results.add_pair(a, b, [one.outcome, game.outcome]);
            return;
        }
        if let Some(earlier) = self.waiting.replace(game) {
            self.hold(earlier, results);
        }
    }

    /// Puts a game into its group.
    fn hold(&mut self, game: PlayedGame, results: &mut GameResults) {
        let [first, second] = game.players;
        let Some(pair) = game.pair else { return results.add_game(first, second, game.outcome) };
        let group = self.groups.entry(([first.min(second), first.max(second)], pair.id)).or_default();
        let colours = &mut group.0[usize::from(pair.place.unwrap_or(0))];
        colours[usize::from(first > second)][place_of(game.outcome)] += 1;
    }

    /// Adds all games that were held, and notes those that could belong to more than one pair.
    pub(super) fn end(self, results: &mut GameResults, tally: &mut Tally<'_>) {
        let ambiguous = self.finish(results);
        if ambiguous > 0 {
            let why = "could belong to more than one pair (same event, round, start and players)";
            tally.note(format!("{ambiguous} games {why}, and count as single games"));
        }
    }

    /// Adds all games that were held. Returns the number of games that could belong to more than one pair.
    pub(super) fn finish(mut self, results: &mut GameResults) -> u64 {
        if let Some(last) = self.waiting.take() {
            self.hold(last, results);
        }
        self.groups.into_iter().map(|((players, _), group)| group.settle(players, results)).sum()
    }
}

impl Group {
    /// Adds the games, paired if there is one way to do so. Returns the number of games that could belong to more than
    /// one pair.
    fn settle(self, [a, b]: [usize; 2], results: &mut GameResults) -> u64 {
        let Group([unnumbered, one, two]) = self;
        let mut ambiguous = 0;
        // The games 1 and 2 of a round are a pair; else the numbers are those of boards or of further rounds.
        let parts = match sole_pair(&sum(&one, &two)) {
            true => vec![unnumbered, sum(&one, &two)],
            false => vec![unnumbered, one, two],
        };
        for games in parts {
            if sole_pair(&games) {
                let [first, second] = games.map(|outcomes| outcomes.iter().position(|&count| count > 0).unwrap_or(0));
                results.add_pair(a, b, [first, second].map(|place| outcome_of(place as u8)));
                continue;
            }
            let [first, second] = games.map(|outcomes| outcomes.iter().map(|&count| u64::from(count)).sum::<u64>());
            ambiguous += if first.min(second) > 0 { first + second } else { 0 };
            for (outcomes, [white, black]) in games.into_iter().zip([[a, b], [b, a]]) {
                let games = outcomes.into_iter().enumerate();
                games.for_each(|(place, count)| results.add_games(white, black, outcome_of(place as u8), count.into()));
            }
        }
        ambiguous
    }
}

/// Whether there is exactly one game of each colour.
fn sole_pair(games: &Colours) -> bool {
    games.iter().all(|outcomes| outcomes.iter().sum::<u32>() == 1)
}

fn sum(one: &Colours, two: &Colours) -> Colours {
    std::array::from_fn(|colour| std::array::from_fn(|outcome| one[colour][outcome] + two[colour][outcome]))
}
