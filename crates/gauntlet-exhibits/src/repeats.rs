//! Repeated games: games of the same players with the same start and the same moves.
//!
//! Two players that choose no moves at random repeat their game whenever an opening returns. A repetition tells nothing
//! new, so that each game of such players counts once, over all runs. Players that choose at random may repeat a short
//! game by chance; each of their games counts.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

use gauntlet_games::base::{Outcome, Record, Side};

/// A pair of games with one opening, in which two players swap sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlayedPair {
    /// The two players: the first one moves first in the first game.
    pub players: [usize; 2],
    /// A hash of the start and the opening.
    opening: u64,
    /// Hashes of the starts and the moves of both games.
    games: [u64; 2],
    /// The results of the first player: 0 loss, 1 draw, 2 win.
    results: [usize; 2],
}

/// The games of two players.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeats {
    /// All games.
    pub games: u64,
    /// Different games; between two players, swapped sides count as different.
    pub distinct: u64,
    /// The pairs that count, by the results of the first player moving first and second, if repetitions count once.
    pub once: Option<[[u64; 3]; 3]>,
}

impl PlayedPair {
    /// A pair of two records.
    #[must_use]
    pub fn new(one: &Record, two: &Record) -> PlayedPair {
        let opening = hash(&(&one.start, &one.actions[..one.actions.len().min(one.opening as usize)]));
        let games = [one, two].map(|record| hash(&(&record.start, &record.actions)));
        let results = [result(one.outcome, Side::First), result(two.outcome, Side::Second)];
        PlayedPair { players: one.players, opening, games, results }
    }

    /// The same pair with other numbers of its players, the lower number first.
    #[must_use]
    pub fn between(self, [a, b]: [usize; 2]) -> PlayedPair {
        if a <= b {
            return PlayedPair { players: [a, b], ..self };
        }
        let ([one, two], [x, y]) = (self.games, self.results);
        PlayedPair { players: [b, a], games: [two, one], results: [2 - y, 2 - x], ..self }
    }
}

impl Repeats {
    /// The repetitions among some pairs of two players, in the same order.
    #[must_use]
    pub fn of(pairs: &[PlayedPair]) -> Repeats {
        let half = |half: usize| pairs.iter().map(move |pair| pair.games[half]);
        // Between two players, equal moves with exchanged colours are other games.
        let distinct = match pairs.iter().all(|pair| pair.players[0] == pair.players[1]) {
            true => half(0).chain(half(1)).collect::<HashSet<_>>().len(),
            false => [0, 1].map(|at| half(at).collect::<HashSet<_>>().len()).iter().sum(),
        };
        let mut first: HashMap<u64, &PlayedPair> = HashMap::new();
        let always = pairs.iter().all(|pair| first.entry(pair.opening).or_insert(pair).games == pair.games);
        let always_repeat = always && first.len() < pairs.len();
        let mut once = [[0; 3]; 3];
        first.values().for_each(|PlayedPair { results: [x, y], .. }| once[*x][*y] += 1);
        Repeats { games: 2 * pairs.len() as u64, distinct: distinct as u64, once: always_repeat.then_some(once) }
    }

    /// The repetitions over the runs of a match; `None` without its games, or if others than its two players played.
    pub fn of_match<'a>(runs: impl Iterator<Item = Option<&'a [PlayedPair]>>) -> Option<Repeats> {
        let pairs = runs.collect::<Option<Vec<_>>>()?.concat();
        let is_of_two = pairs.iter().all(|pair| pair.players == [0, 1]);
        (is_of_two && !pairs.is_empty()).then(|| Repeats::of(&pairs))
    }

    /// The share of distinct games, 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.distinct as f64 / self.games as f64
    }

    /// A sentence on the match that repeats most.
    pub(super) fn at(&self, place: &str, whose: &str) -> String {
        let (Repeats { games, distinct, .. }, share) = (self, 100.0 * self.share());
        format!(
            "Games repeat each other most at {place}: {distinct} of the {games} {whose} are different ({share:.0} %)."
        )
    }

    /// The effect of the repetitions on errors, as a sentence; empty if there is none.
    #[must_use]
    pub fn effect(&self) -> &'static str {
        match self.once {
            Some(_) => ONCE_COUNTED,
            None if self.share() < FEW_DISTINCT => ALL_COUNTED,
            None => "",
        }
    }
}

/// Below this share of distinct games, a note reports the repetitions.
pub(super) const FEW_DISTINCT: f64 = 0.5;

/// The effect of repeated games on errors, if they may be repetitions by chance.
const ALL_COUNTED: &str = " Errors count every game as a new one, and are too small there.";

/// The effect of repeated games on errors, if an opening always leads to the same game.
const ONCE_COUNTED: &str = " The same opening always leads to the same game there: only the different games count.";

fn hash(line: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

fn result(outcome: Outcome, side: Side) -> usize {
    (outcome.score(side) + 1.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::Action;

    /// A pair with an opening of one move; `won` by the player that begins.
    fn pair(opening: u32, moves: [u32; 2], won: [bool; 2]) -> PlayedPair {
        let record = |half: usize| {
            let winner = if won[half] { Side::First } else { Side::Second };
            let actions = vec![Action(opening), Action(moves[half])];
            let players = if half == 0 { [0, 1] } else { [1, 0] };
            Record { opening: 1, ..Record::new(half, players, actions, Outcome::Win(winner)) }
        };
        PlayedPair::new(&record(0), &record(1))
    }

    #[test]
    fn players_without_chance_count_once_for_each_opening() {
        let (one, two) = (pair(1, [5, 6], [true, true]), pair(2, [5, 5], [false, true]));
        let found = Repeats::of(&[one, two, one, one, two]);
        assert_eq!((found.games, found.distinct), (10, 4));
        assert_eq!(found.once, Some([[1, 0, 0], [0, 0, 0], [1, 0, 0]]), "each opening once");
        assert!(found.effect().contains("only the different games count"));
        // Another game after the same opening: somebody chooses at random.
        let other = pair(1, [5, 7], [true, true]);
        let found = Repeats::of(&[one, one, other, one, one, one]);
        assert_eq!((found.games, found.distinct, found.once), (12, 3, None));
        assert!(found.effect().contains("too small there"));
        assert_eq!(Repeats::of(&[one, two]).effect(), "");
    }

    #[test]
    fn the_order_of_players_is_that_of_their_numbers() {
        let won = pair(1, [5, 6], [true, false]);
        let turned = won.between([3, 2]);
        assert_eq!((turned.players, turned.results, turned.games), ([2, 3], [0, 0], [won.games[1], won.games[0]]));
        assert_eq!(won.between([0, 1]), won);
        assert_eq!(Repeats::of(&[won.between([2, 3]), turned.between([3, 2])]).distinct, 2);
    }
}
