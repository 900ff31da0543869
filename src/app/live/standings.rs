//! The ratings of a tournament under way, from the pairs of games in its journal.

use std::collections::BTreeMap;

use serde::Serialize;

use gauntlet_games::base::{Outcome, Record, Side};
use gauntlet_plan::manifest::plan::identity::KeyInputs;
use gauntlet_ratings::{BradleyTerry, GameResult, MatchTable};

/// The ratings so far.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PartialStandings {
    /// The number of games.
    pub games: u64,
    /// The players, the strongest first; those without a rating are last.
    pub players: Vec<PartialStanding>,
}

/// One player.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PartialStanding {
    /// Its name.
    pub name: String,
    /// Its rating in Elo, relative to the mean; `None` if it won or lost all of its games.
    pub elo: Option<f64>,
    /// The standard error of the rating, over pairs of games.
    pub error: Option<f64>,
    /// Games played.
    pub games: u64,
    /// Points over games, 0 to 1.
    pub score: f64,
}

/// The names of the players of a job that plays; `None` with fewer than two.
pub fn players(inputs: &KeyInputs) -> Option<Vec<String>> {
    let names: Vec<String> = inputs.spec.job().players().iter().map(|(name, _)| (*name).to_owned()).collect();
    (names.len() > 1).then_some(names)
}

impl PartialStandings {
    /// The ratings from a journal: a list of two records a line. `None` without a pair, or if it is another file.
    pub fn new(players: &[String], journal: &[u8]) -> Option<PartialStandings> {
        let mut counts: BTreeMap<([usize; 2], [u8; 2]), u64> = BTreeMap::new();
        let mut points = vec![(0.0, 0_u64); players.len()];
        let mut games = 0;
        for line in journal.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            let pair: [Record; 2] = serde_json::from_slice(line).ok()?;
            games += 2;
            for record in &pair {
                for (place, side) in record.players.into_iter().zip([Side::First, Side::Second]) {
                    let (sum, played) = points.get_mut(place)?;
                    *sum += 0.5 * (record.outcome.score(side) + 1.0);
                    *played += 1;
                }
            }
            let [a, b] = pair[0].players;
            if a != b {
                *counts.entry(([a, b], pair.map(|record| code(record.outcome)))).or_default() += 1;
            }
        }
        (games > 0).then(|| rated(players, games, &counts, &points))
    }
}

/// An outcome for the first side: 0 a loss, 1 a draw, 2 a win.
fn code(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Win(Side::First) => 2,
        Outcome::Draw => 1,
        Outcome::Win(Side::Second) => 0,
    }
}

fn rated(
    players: &[String],
    games: u64,
    counts: &BTreeMap<([usize; 2], [u8; 2]), u64>,
    points: &[(f64, u64)],
) -> PartialStandings {
    let mut table = MatchTable::new(players.len());
    for (&([a, b], [first, second]), &count) in counts {
        // In the second game the other player moves first.
        let results = [result(first), result(2 - second)];
        // The players are different ones of the table.
        let _ = table.add_pairs(a, b, results, count);
    }
    let ladder = BradleyTerry::default().fit(&table).ok().map(|fit| fit.ladder);
    let errors = ladder.as_ref().map(|ladder| ladder.errors(&|_| ()));
    let standing = |(place, name): (usize, &String)| {
        let elo = ladder.as_ref().and_then(|ladder| ladder.rating(place));
        let error = elo.and(errors.as_ref().and_then(|errors| errors[place]));
        let (sum, played) = points[place];
        PartialStanding { name: name.clone(), elo, error, games: played, score: sum / played.max(1) as f64 }
    };
    let mut standings: Vec<PartialStanding> = players.iter().enumerate().map(standing).collect();
    let mean = BradleyTerry::default().mean;
    standings.iter_mut().for_each(|standing| standing.elo = standing.elo.map(|elo| elo - mean));
    let elo = |standing: &PartialStanding| standing.elo.unwrap_or(f64::NEG_INFINITY);
    standings.sort_by(|a, b| elo(b).total_cmp(&elo(a)).then(b.score.total_cmp(&a.score)));
    PartialStandings { games, players: standings }
}

fn result(code: u8) -> GameResult {
    match code {
        2 => GameResult::Win,
        1 => GameResult::Draw,
        _ => GameResult::Loss,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(pair: usize, [a, b]: [usize; 2], outcomes: [Outcome; 2]) -> String {
        let record = |game, players, outcome| Record::new(game, players, Vec::new(), outcome);
        let pair = [record(2 * pair, [a, b], outcomes[0]), record(2 * pair + 1, [b, a], outcomes[1])];
        serde_json::to_string(&pair).unwrap() + "\n"
    }

    #[test]
    fn a_journal_gives_ratings_with_errors() {
        let names = ["a", "b", "c"].map(str::to_owned);
        let (first, second) = (Outcome::Win(Side::First), Outcome::Win(Side::Second));
        let mut journal = String::new();
        for pair in 0..8 {
            // The first player wins with both colours in three of four pairs.
            let outcomes = if pair % 4 == 0 { [second, Outcome::Draw] } else { [first, second] };
            journal += &line(pair, [0, 1], outcomes);
        }
        let found = PartialStandings::new(&names, journal.as_bytes()).unwrap();
        let shown: Vec<(&str, u64)> = found.players.iter().map(|player| (player.name.as_str(), player.games)).collect();
        assert_eq!((found.games, shown), (16, vec![("a", 16), ("b", 16), ("c", 0)]));
        let (best, other) = (&found.players[0], &found.players[1]);
        assert!(best.elo.unwrap() > 50.0 && other.elo.unwrap() < -50.0, "{found:?}");
        assert!(best.error.unwrap() > 0.0 && found.players[2].elo.is_none());
        assert!((best.score + other.score - 1.0).abs() < 1e-12);
    }

    #[test]
    fn another_file_gives_none() {
        let names = ["a", "b"].map(str::to_owned);
        assert_eq!(PartialStandings::new(&names, b""), None);
        assert_eq!(PartialStandings::new(&names, b"weights\n\x00"), None);
        let torn = &line(0, [0, 1], [Outcome::Draw; 2])[..20];
        assert_eq!(PartialStandings::new(&names, torn.as_bytes()), None);
    }
}
