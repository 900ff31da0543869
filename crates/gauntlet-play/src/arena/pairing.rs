//! Tournament formats: the next pairing, as a function of the matches played so far.
//!
//! A [`Format`] keeps no state: the same results always give the same next pairing, so that an interrupted tournament
//! continues where it stopped.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use gauntlet_games::base::{Outcome, Side};
use gauntlet_ratings::match_table::{GameResult, MatchTable, TableError};
use gauntlet_ratings::wls::{Errors, wls};

/// A match between two players, by their indices; the first one starts the first game of every pair.
pub type Pairing = [usize; 2];

/// The format of a tournament.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Every player meets every other one once.
    #[default]
    RoundRobin,
    /// Challengers meet every player of the field; there are no other matches.
    Gauntlet(Gauntlet),
    /// Newcomers meet players with similar ratings (AlphaGateau, Algorithm 2).
    Matchmaking(Matchmaking),
}

/// Challengers against a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gauntlet {
    /// Number of challengers, the first players of the list; the others are the field.
    pub challengers: u32,
}

/// The paper's Algorithm 2: a pool plays a round robin; then each newcomer, one after another, meets the nearest-rated
/// players that it has not met, one at a time, and all ratings are fitted again (weighted least squares, mean 1000)
/// after each match. A newcomer starts at 1000; among equally near players, the one with the larger error is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Matchmaking {
    /// Number of players in the pool, the first of the list. The paper's: 10.
    pub pool: u32,
    /// Distinct opponents of each newcomer. The paper's: 5.
    pub opponents: u32,
}

impl Default for Matchmaking {
    fn default() -> Matchmaking {
        Matchmaking { pool: 10, opponents: 5 }
    }
}

/// The rating of a newcomer, and the mean of all ratings.
const MEAN: f64 = 1000.0;

/// Elo differences below this count as rounding.
const GRAIN: f64 = 1e-6;

/// The input of a format: the matches played so far.
#[derive(Debug, Clone)]
pub struct PlayedMatches {
    table: MatchTable,
    matches: usize,
    met: HashSet<Pairing>,
}

impl PlayedMatches {
    /// No matches.
    #[must_use]
    pub fn new(n_players: usize) -> PlayedMatches {
        PlayedMatches { table: MatchTable::new(n_players), matches: 0, met: HashSet::new() }
    }

    /// Adds a match: the outcomes of its pairs of games, of which `pairing[0]` starts the first and the other the
    /// second.
    ///
    /// # Errors
    /// [`TableError`] for equal or unknown players.
    pub fn add(&mut self, pairing: Pairing, pairs: &[[Outcome; 2]]) -> Result<(), TableError> {
        let [a, b] = pairing;
        pairs.iter().try_for_each(|&outcomes| self.table.add_pair(a, b, results_of(outcomes)))?;
        self.matches += 1;
        self.met.insert([a.min(b), a.max(b)]);
        Ok(())
    }

    /// The games so far.
    #[must_use]
    pub fn table(&self) -> &MatchTable {
        &self.table
    }

    fn have_met(&self, a: usize, b: usize) -> bool {
        self.met.contains(&[a.min(b), a.max(b)])
    }
}

impl Format {
    /// Checks that the format supports this number of players.
    ///
    /// # Errors
    /// The reason, as a sentence.
    pub fn check(&self, n_players: usize) -> Result<(), String> {
        match *self {
            _ if n_players < 2 => Err(format!(
                "a tournament has at least two players, and this one has {}",
                if n_players == 1 { "one" } else { "none" }
            )),
            Format::RoundRobin => Ok(()),
            Format::Gauntlet(Gauntlet { challengers }) if (1..n_players).contains(&(challengers as usize)) => Ok(()),
            Format::Gauntlet(Gauntlet { challengers }) => {
                Err(format!("{challengers} challengers of {n_players} players leave no match to play"))
            }
            Format::Matchmaking(Matchmaking { pool, opponents }) if opponents == 0 || pool < 2.max(opponents) => {
                Err(format!("a newcomer cannot meet {opponents} distinct players of a pool of {pool}"))
            }
            Format::Matchmaking(Matchmaking { pool, .. }) if pool as usize > n_players => {
                Err(format!("{n_players} players make no pool of {pool}"))
            }
            Format::Matchmaking(_) => Ok(()),
        }
    }

    /// The total number of matches.
    #[must_use]
    pub fn matches(&self, n_players: usize) -> usize {
        match *self {
            Format::RoundRobin => all_pairs(n_players),
            Format::Gauntlet(Gauntlet { challengers }) => {
                let challengers = challengers as usize;
                challengers * n_players.saturating_sub(challengers)
            }
            Format::Matchmaking(Matchmaking { pool, opponents }) => {
                let pool = pool as usize;
                all_pairs(pool) + n_players.saturating_sub(pool) * opponents as usize
            }
        }
    }

    /// The next match; `None` if the tournament is over.
    #[must_use]
    pub fn next(&self, results: &PlayedMatches) -> Option<Pairing> {
        let (n_players, played) = (results.table.n_players(), results.matches);
        if played >= self.matches(n_players) {
            return None;
        }
        Some(match *self {
            Format::RoundRobin => round_robin(n_players, played),
            Format::Gauntlet(gauntlet) => gauntlet.pairing(played),
            Format::Matchmaking(matchmaking) => matchmaking.next(results),
        })
    }

    /// All matches, in order; `None` if results decide about them.
    #[must_use]
    pub fn schedule(&self, n_players: usize) -> Option<Vec<Pairing>> {
        let matches = 0..self.matches(n_players);
        match *self {
            Format::RoundRobin => Some(matches.map(|played| round_robin(n_players, played)).collect()),
            Format::Gauntlet(gauntlet) => Some(matches.map(|played| gauntlet.pairing(played)).collect()),
            Format::Matchmaking(_) => None,
        }
    }
}

/// The results of a pair of games for the player who moves first in the first one.
pub(crate) fn results_of([first, second]: [Outcome; 2]) -> [GameResult; 2] {
    let of_first = |outcome| match outcome {
        Outcome::Win(Side::First) => GameResult::Win,
        Outcome::Draw => GameResult::Draw,
        Outcome::Win(Side::Second) => GameResult::Loss,
    };
    [of_first(first), of_first(second).reversed()]
}

fn all_pairs(n_players: usize) -> usize {
    n_players * n_players.saturating_sub(1) / 2
}

/// Match number `played` of a round robin by the circle method: in every round each player plays at most once.
fn round_robin(n_players: usize, played: usize) -> Pairing {
    let is_odd = n_players % 2;
    // With an odd number one seat is empty, and its opponent has a bye.
    let circle = n_players + is_odd - 1;
    let a_round = n_players / 2;
    let (round, place) = (played / a_round, played % a_round + is_odd);
    let [a, b] = match place {
        0 => [round, circle],
        _ => [(round + place) % circle, (round + circle - place) % circle],
    };
    [a.min(b), a.max(b)]
}

impl Gauntlet {
    /// Match number `played`: one player of the field after the other meets all challengers.
    fn pairing(self, played: usize) -> Pairing {
        let challengers = self.challengers as usize;
        [played % challengers, challengers + played / challengers]
    }
}

impl Matchmaking {
    fn next(self, results: &PlayedMatches) -> Pairing {
        let (pool, opponents) = (self.pool as usize, self.opponents as usize);
        let Some(later) = results.matches.checked_sub(all_pairs(pool)) else {
            return round_robin(pool, results.matches);
        };
        let newcomer = pool + later / opponents;
        let ladder = wls(&results.table, Errors::ResidualScaled, MEAN);
        let own = ladder.rating(newcomer).unwrap_or(MEAN);
        let grains = |elo: f64| (elo / GRAIN).round();
        let away = |player: usize| grains((ladder.rating(player).unwrap_or(MEAN) - own).abs());
        // An error that the data do not determine counts as infinite.
        let error = |player: usize| ladder.error(player).map_or(f64::INFINITY, grains);
        let strangers = (0..newcomer).filter(|&player| !results.have_met(newcomer, player));
        let nearest =
            strangers.min_by(|&a, &b| away(a).total_cmp(&away(b)).then(error(b).total_cmp(&error(a))).then(a.cmp(&b)));
        [newcomer, nearest.expect("a newcomer has more strangers before it than opponents to meet")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_ratings::compare::elo_of_score;

    const WIN: Outcome = Outcome::Win(Side::First);
    const LOSS: Outcome = Outcome::Win(Side::Second);

    /// `wins` pairs with both games won by the pairing's first player, and `losses` with both lost.
    fn pairs(wins: usize, losses: usize) -> Vec<[Outcome; 2]> {
        [vec![[WIN, LOSS]; wins], vec![[LOSS, WIN]; losses]].concat()
    }

    fn schedule(format: Format, n_players: usize) -> Vec<Pairing> {
        let mut results = PlayedMatches::new(n_players);
        let mut schedule = Vec::new();
        while let Some(pairing) = format.next(&results) {
            assert_eq!(format.next(&results), Some(pairing), "asking changes nothing");
            results.add(pairing, &pairs(1, 1)).unwrap();
            schedule.push(pairing);
        }
        assert_eq!(schedule.len(), format.matches(n_players));
        assert!(format.schedule(n_players).is_none_or(|known| known == schedule));
        schedule
    }

    #[test]
    fn everybody_meets_everybody_once_and_nobody_twice_a_round() {
        for n_players in 2..=11 {
            let schedule = schedule(Format::RoundRobin, n_players);
            let distinct: HashSet<_> = schedule.iter().copied().collect();
            assert_eq!(distinct.len(), all_pairs(n_players));
            assert!(schedule.iter().all(|[a, b]| a < b && *b < n_players));
            for round in schedule.chunks(n_players / 2) {
                assert_eq!(round.concat().into_iter().collect::<HashSet<_>>().len(), n_players / 2 * 2);
            }
        }
        assert_eq!(schedule(Format::RoundRobin, 4), [[0, 3], [1, 2], [1, 3], [0, 2], [2, 3], [0, 1]]);
    }

    #[test]
    fn challengers_meet_the_field_alone() {
        let gauntlet = Format::Gauntlet(Gauntlet { challengers: 2 });
        assert_eq!(schedule(gauntlet, 5), [[0, 2], [1, 2], [0, 3], [1, 3], [0, 4], [1, 4]]);
    }

    #[test]
    fn a_newcomer_meets_distinct_players_who_came_before() {
        let schedule = schedule(Format::Matchmaking(Matchmaking { pool: 4, opponents: 3 }), 8);
        assert!(schedule[..6].iter().flatten().all(|&player| player < 4));
        for (at, matches) in schedule[6..].chunks(3).enumerate() {
            assert!(matches.iter().all(|&[newcomer, opponent]| newcomer == 4 + at && opponent < newcomer));
            assert_eq!(matches.iter().map(|[_, opponent]| opponent).collect::<HashSet<_>>().len(), 3);
        }
    }

    #[test]
    fn a_hand_computed_case_of_algorithm_2() {
        let matchmaking = Format::Matchmaking(Matchmaking { pool: 3, opponents: 2 });
        let mut results = PlayedMatches::new(4);
        // The round robin of three: 1 meets 2, 0 meets 2, 0 meets 1. 0 beats 1 and 1 beats 2 by 12 to 4 of 16.
        assert_eq!(matchmaking.next(&results), Some([1, 2]));
        results.add([1, 2], &pairs(6, 2)).unwrap();
        assert_eq!(matchmaking.next(&results), Some([0, 2]));
        results.add([0, 2], &pairs(7, 1)).unwrap();
        assert_eq!(matchmaking.next(&results), Some([0, 1]));
        results.add([0, 1], &pairs(6, 2)).unwrap();
        // With y = 400 log10(p / (1 - p)) of p = 12.5/17 (twice) and 14.5/17, and weights 16 p (1 - p): by symmetry
        // player 1 is rated 1000 and the others 1000 + x and 1000 - x, where x minimises 2 w (y - x)^2 + v (z - 2 x)^2.
        let (p, q): (f64, f64) = (12.5 / 17.0, 14.5 / 17.0);
        let (y, z, w, v) = (elo_of_score(p), elo_of_score(q), p * (1.0 - p), q * (1.0 - q));
        let x = (w * y + v * z) / (w + 2.0 * v);
        let ladder = wls(results.table(), Errors::ResidualScaled, MEAN);
        for (player, rating) in [1000.0 + x, 1000.0, 1000.0 - x].into_iter().enumerate() {
            assert!((ladder.rating(player).unwrap() - rating).abs() < 1e-9);
        }
        // The newcomer starts at 1000, equal to player 1. It loses 2 to 14, so that it falls below all others (a score
        // of 2.5/17 is 305 Elo) and player 2, at about 1000 - 168 + shift, is the nearer of the two remaining ones.
        assert_eq!(matchmaking.next(&results), Some([3, 1]));
        let mut lost = results.clone();
        lost.add([3, 1], &pairs(1, 7)).unwrap();
        assert_eq!(matchmaking.next(&lost), Some([3, 2]));
        // Had it won 14 to 2, player 0 would be nearer.
        let mut won = results.clone();
        won.add([3, 1], &pairs(7, 1)).unwrap();
        assert_eq!(matchmaking.next(&won), Some([3, 0]));
        // Had it drawn, players 0 and 2 would be equally near with equal errors: the first one is met.
        results.add([3, 1], &pairs(4, 4)).unwrap();
        assert_eq!(matchmaking.next(&results), Some([3, 0]));
        results.add([3, 0], &pairs(4, 4)).unwrap();
        assert_eq!(matchmaking.next(&results), None);
    }

    /// The rating differences of Eq. 10 and 11 solved by elimination, with the first player at 0 and then all shifted
    /// to the mean. Every player has an opponent.
    fn rated_slowly(players: usize, matches: &[(Pairing, f64, f64)]) -> Vec<f64> {
        let mut rows = vec![vec![0.0; players + 1]; players];
        for &([i, j], points, games) in matches {
            let (p, scale) = ((points + 0.5) / (games + 1.0), 400.0 / std::f64::consts::LN_10);
            let (difference, weight) = (scale * (p / (1.0 - p)).ln(), games * p * (1.0 - p) / (scale * scale));
            for (own, other, sign) in [(i, j, 1.0), (j, i, -1.0)] {
                rows[own][own] += weight;
                rows[own][other] -= weight;
                rows[own][players] += sign * weight * difference;
            }
        }
        rows[0] = vec![0.0; players + 1];
        rows[0][0] = 1.0;
        for pivot in 0..players {
            for row in (0..players).filter(|&row| row != pivot) {
                let factor = rows[row][pivot] / rows[pivot][pivot];
                (0..=players).for_each(|column| rows[row][column] -= factor * rows[pivot][column]);
            }
        }
        let ratings: Vec<f64> = (0..players).map(|player| rows[player][players] / rows[player][player]).collect();
        let mean = ratings.iter().sum::<f64>() / players as f64;
        ratings.into_iter().map(|rating| rating - mean + MEAN).collect()
    }

    /// Algorithm 2 as printed, with outcomes determined by the pairing alone.
    fn algorithm_2(players: usize, pool: usize, opponents: usize, points: impl Fn(Pairing) -> f64) -> Vec<Pairing> {
        const GAMES: f64 = 16.0;
        let played = |pairing: Pairing| (pairing, points(pairing), GAMES);
        let mut matches: Vec<_> = (0..pool).flat_map(|b| (0..b).map(move |a| [a, b])).map(played).collect();
        let mut schedule = Vec::new();
        for player in pool..players {
            let mut met = Vec::new();
            while met.len() < opponents {
                let known = player + usize::from(!met.is_empty());
                let mut ratings = rated_slowly(known, &matches);
                ratings.resize(player + 1, MEAN);
                let away = |other: &usize| (ratings[*other] - ratings[player]).abs();
                let strangers = (0..player).filter(|other| !met.contains(other));
                let nearest = strangers.min_by(|a, b| away(a).total_cmp(&away(b))).expect("the pool is large enough");
                met.push(nearest);
                matches.push(played([player, nearest]));
                schedule.push([player, nearest]);
            }
        }
        schedule
    }

    #[test]
    fn matchmaking_is_algorithm_2() {
        let (players, pool, opponents) = (14, 5, 5);
        for run in 0..20_u64 {
            // Unordered strengths, and luck: the number of pairs, out of 8, that the lower index wins.
            let strength = |player: usize| (player as u64 * (7 + run) + run * run) % 13;
            let wins = |[a, b]: Pairing| {
                let luck = (a as u64 * 31 + b as u64 * 17 + run) % 5;
                (2 + strength(a) + luck).saturating_sub(strength(b)).min(8) as usize
            };
            let won = |pairing: Pairing| wins([pairing[0].min(pairing[1]), pairing[0].max(pairing[1])]);
            let of = |pairing: Pairing| if pairing[0] < pairing[1] { won(pairing) } else { 8 - won(pairing) };
            let matchmaking = Matchmaking { pool: pool as u32, opponents: opponents as u32 };
            let (mut results, mut schedule) = (PlayedMatches::new(players), Vec::new());
            while let Some(pairing) = Format::Matchmaking(matchmaking).next(&results) {
                results.add(pairing, &pairs(of(pairing), 8 - of(pairing))).unwrap();
                schedule.push(pairing);
            }
            let expected = algorithm_2(players, pool, opponents, |pairing| 2.0 * of(pairing) as f64);
            assert_eq!(schedule[all_pairs(pool)..], expected, "run {run}");
        }
    }

    #[test]
    fn of_equally_near_players_the_less_known_is_met() {
        let matchmaking = Format::Matchmaking(Matchmaking { pool: 4, opponents: 1 });
        let pool = |wins, losses| {
            let mut results = PlayedMatches::new(5);
            // The first three beat each other in a circle, and the fourth has drawn a few games with each.
            [[0, 1], [1, 2], [2, 0]].into_iter().for_each(|met| results.add(met, &pairs(wins, losses)).unwrap());
            (0..3).for_each(|other| results.add([3, other], &pairs(1, 1)).unwrap());
            results
        };
        let ladder = wls(pool(6, 2).table(), Errors::ResidualScaled, MEAN);
        (0..4).for_each(|player| assert!((ladder.rating(player).unwrap() - MEAN).abs() < 1e-9));
        assert!(ladder.error(3) > ladder.error(0));
        assert_eq!(matchmaking.next(&pool(6, 2)), Some([4, 3]));
        // Without residuals no error is known: the order decides.
        assert_eq!(matchmaking.next(&pool(4, 4)), Some([4, 0]));
    }

    #[test]
    fn impossible_arrangements_are_named() {
        let matchmaking = |pool, opponents| Format::Matchmaking(Matchmaking { pool, opponents });
        assert_eq!(matchmaking(10, 5).check(8).unwrap_err(), "8 players make no pool of 10");
        assert!(matchmaking(4, 5).check(8).unwrap_err().contains("5 distinct players of a pool of 4"));
        assert!(Format::Gauntlet(Gauntlet { challengers: 3 }).check(3).is_err());
        assert!(Format::RoundRobin.check(1).is_err());
        assert!(matchmaking(10, 5).check(10).is_ok() && Format::default().check(2).is_ok());
    }
}
