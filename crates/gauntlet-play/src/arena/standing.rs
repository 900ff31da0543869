//! The results of a tournament for reports: the counted pairs of games of every two players that met.
//!
//! Ratings are computed in reports, from these counts.

use std::collections::{BTreeMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ledger::Pair;
use super::{Clock, Resign};
use crate::engines::EngineFacts;
use gauntlet_games::base::{Action, Ending, Outcome, Record, Resignations, Side};
use gauntlet_ratings::intervals::clopper_pearson;

/// The counted results of a tournament.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Standing {
    /// Names of the players.
    pub players: Vec<String>,
    /// Number of games.
    pub games: u64,
    /// Number of different games; swapped sides count as different.
    pub distinct: u64,
    /// Games adjudicated a draw at the ply limit.
    pub adjudicated: u64,
    /// Counts of resignations, if resigning was allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resignations: Option<Resigned>,
    /// Actions played in all games.
    pub plies: u64,
    /// All encounters, in the order of their first match.
    pub meetings: Vec<Encounter>,
    /// Games that ended by agreed scores, if there are any.
    #[serde(default, skip_serializing_if = "is_none")]
    pub agreed: u64,
    /// Times and losses on time, in games with a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timed: Option<Timed>,
    /// The facts about the players that are engines, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub engines: BTreeMap<String, EngineFacts>,
    /// The work of the players whose moves have a limit of time, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub thinking: BTreeMap<String, Thinking>,
}

/// The work of a player whose moves have a limit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Thinking {
    /// The limit, in milliseconds.
    pub time_ms: u64,
    /// Moves whose simulations are counted: those since the job was last started; 0 if it has none.
    pub moves: u64,
    /// Simulations of these moves.
    pub simulations: u64,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

/// Times of games with a clock, for each player.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Timed {
    /// The time of a game.
    pub clock: Clock,
    /// Games that each player lost on time.
    pub losses: Vec<u64>,
    /// Seconds on the clock that each player used.
    pub wall_seconds: Vec<f64>,
    /// Seconds of processor time that each player used.
    pub processor_seconds: Vec<f64>,
}

/// Resignations in the games of a tournament.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Resigned {
    /// The resignation rule.
    pub rule: Resign,
    /// Numbers of resignations and of wrong would-be resignations.
    #[serde(flatten)]
    pub counts: Resignations,
    /// Clopper and Pearson's 95 % interval, low and high, of the share of would-be resignations that were wrong,
    /// assuming independent games; null without any.
    pub wrong_interval: Option<[f64; 2]>,
}

/// All games of two players.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Encounter {
    /// The two players, by their indices.
    pub players: [usize; 2],
    /// Pairs of games, `pairs[x][y]`: `x` is the result of the first player moving first, `y` moving second (0 loss,
    /// 1 draw, 2 win).
    pub pairs: [[u64; 3]; 3],
    /// Pairs by the points of the first player: 0, 1/2, 1, 3/2, 2.
    pub pentanomial: [u64; 5],
    /// Number of games.
    pub games: u64,
    /// Number of different games.
    pub distinct: u64,
}

/// The identity of a game, to count different ones.
type GameIdentity<'a> = ([usize; 2], Option<&'a str>, &'a [Action]);

impl Standing {
    /// Counts the games; `resign` is the resignation rule they were played by.
    #[must_use]
    pub fn new(players: Vec<String>, pairs: &[Pair], resign: Option<Resign>) -> Standing {
        let mut order: Vec<[usize; 2]> = Vec::new();
        let mut by_players: BTreeMap<[usize; 2], Vec<&Pair>> = BTreeMap::new();
        for pair in pairs {
            let own = by_players.entry(pair[0].players).or_default();
            if own.is_empty() {
                order.push(pair[0].players);
            }
            own.push(pair);
        }
        let records = || pairs.iter().flatten();
        Standing {
            players,
            games: 2 * pairs.len() as u64,
            distinct: distinct(records()),
            adjudicated: records().filter(|record| record.ending == Ending::MaxPlies).count() as u64,
            resignations: resign.map(|rule| Resigned::new(rule, records())),
            plies: records().map(|record| record.actions.len() as u64).sum(),
            meetings: order.into_iter().map(|players| Encounter::new(players, &by_players[&players])).collect(),
            agreed: records().filter(|record| record.ending == Ending::Agreed).count() as u64,
            timed: None,
            engines: BTreeMap::new(),
            thinking: BTreeMap::new(),
        }
    }

    /// The same, with the times of the games if they had a clock.
    #[must_use]
    pub fn timed(self, clock: Option<Clock>, pairs: &[Pair]) -> Standing {
        let players = self.players.len();
        Standing { timed: clock.map(|clock| Timed::new(clock, players, pairs.iter().flatten())), ..self }
    }

    /// Adds the results of other games, between other players. `places` are the indices of their players here; games
    /// that are counted already have other players.
    pub fn add(&mut self, other: &Standing, places: &[usize]) {
        self.games += other.games;
        self.distinct += other.distinct;
        self.adjudicated += other.adjudicated;
        self.plies += other.plies;
        self.agreed += other.agreed;
        if let (Some(own), Some(other)) = (&mut self.resignations, &other.resignations) {
            *own = Resigned::counted(own.rule, own.counts.and(other.counts));
        }
        if let (Some(own), Some(other)) = (&mut self.timed, &other.timed) {
            own.add(other, places);
        }
        let meetings = other.meetings.iter();
        self.meetings.extend(
            meetings.map(|meeting| Encounter { players: meeting.players.map(|at| places[at]), ..meeting.clone() }),
        );
        for (player, facts) in &other.engines {
            let known = self.engines.entry(player.clone()).or_insert_with(|| facts.clone());
            known.repeatable &= facts.repeatable;
        }
        for (player, thinking) in &other.thinking {
            let known =
                self.thinking.entry(player.clone()).or_insert(Thinking { moves: 0, simulations: 0, ..*thinking });
            (known.moves, known.simulations) = (known.moves + thinking.moves, known.simulations + thinking.simulations);
        }
    }
}

impl Timed {
    fn new<'a>(clock: Clock, players: usize, records: impl Iterator<Item = &'a Record>) -> Timed {
        let mut losses = vec![0; players];
        let mut milliseconds = vec![[0; 2]; players];
        for record in records {
            for side in Side::BOTH {
                let player = record.players[side.index()];
                let is_lost = record.ending == Ending::Time && record.outcome == Outcome::Win(side.opponent());
                losses[player] += u64::from(is_lost);
                if let Some(times) = &record.times {
                    let time = times[side.index()];
                    milliseconds[player][0] += time.wall_ms;
                    milliseconds[player][1] += time.processor_ms;
                }
            }
        }
        let seconds = |at: usize| milliseconds.iter().map(|times| times[at] as f64 / 1000.0).collect();
        Timed { clock, losses, wall_seconds: seconds(0), processor_seconds: seconds(1) }
    }

    fn add(&mut self, other: &Timed, places: &[usize]) {
        for (at, &place) in places.iter().enumerate() {
            self.losses[place] += other.losses[at];
            self.wall_seconds[place] += other.wall_seconds[at];
            self.processor_seconds[place] += other.processor_seconds[at];
        }
    }
}

impl Resigned {
    fn new<'a>(rule: Resign, records: impl Iterator<Item = &'a Record>) -> Resigned {
        let mut counts = Resignations::default();
        records.for_each(|record| counts.add(record));
        Resigned::counted(rule, counts)
    }

    fn counted(rule: Resign, counts: Resignations) -> Resigned {
        let interval = clopper_pearson(counts.wrong, counts.would_be, 0.95);
        Resigned { rule, counts, wrong_interval: interval.map(|interval| [interval.low, interval.high]) }
    }
}

impl Encounter {
    fn new(players: [usize; 2], pairs: &[&Pair]) -> Encounter {
        let mut counts = [[0; 3]; 3];
        for [one, two] in pairs {
            let (x, y) = (result(one.outcome, Side::First), result(two.outcome, Side::Second));
            counts[x][y] += 1;
        }
        Encounter::counted(players, counts, distinct(pairs.iter().flat_map(|pair| pair.iter())))
    }

    /// The encounter with these counts of pairs, and this number of different games.
    pub(crate) fn counted(players: [usize; 2], pairs: [[u64; 3]; 3], distinct: u64) -> Encounter {
        let mut pentanomial = [0; 5];
        for (x, counts) in pairs.iter().enumerate() {
            counts.iter().enumerate().for_each(|(y, count)| pentanomial[x + y] += count);
        }
        Encounter { players, pairs, pentanomial, games: 2 * pentanomial.iter().sum::<u64>(), distinct }
    }
}

fn distinct<'a>(records: impl Iterator<Item = &'a Record>) -> u64 {
    let line = |record: &'a Record| -> GameIdentity<'a> { (record.players, record.start.as_deref(), &record.actions) };
    records.map(line).collect::<HashSet<_>>().len() as u64
}

fn result(outcome: Outcome, side: Side) -> usize {
    (outcome.score(side) + 1.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(number: usize, players: [usize; 2], outcomes: [Outcome; 2], line: u32) -> Pair {
        let record = |half: usize, players| {
            let (actions, is_draw) = (vec![Action(line), Action(half as u32)], outcomes[half] == Outcome::Draw);
            let ending = if is_draw { Ending::MaxPlies } else { Ending::Rules };
            Record { opening: 1, ending, ..Record::new(2 * number + half, players, actions, outcomes[half]) }
        };
        [record(0, players), record(1, [players[1], players[0]])]
    }

    #[test]
    fn pairs_are_counted_from_the_first_players_view() {
        let (black, white) = (Outcome::Win(Side::First), Outcome::Win(Side::Second));
        let pairs = [
            pair(0, [1, 0], [black, white], 5),
            pair(1, [1, 0], [black, white], 5),
            pair(2, [1, 0], [Outcome::Draw, black], 6),
            pair(3, [0, 2], [black, black], 5),
        ];
        let standing = Standing::new(["a", "b", "c"].map(str::to_owned).to_vec(), &pairs, None);
        let found = (standing.games, standing.distinct, standing.adjudicated, standing.plies);
        assert_eq!(found, (8, 6, 1, 16));
        let [first, second] = &standing.meetings[..] else { panic!("two meetings") };
        assert_eq!((first.players, first.games, first.distinct), ([1, 0], 6, 4));
        assert_eq!(first.pairs, [[0, 0, 0], [1, 0, 0], [0, 0, 2]]);
        assert_eq!(first.pentanomial, [0, 1, 0, 0, 2]);
        assert_eq!((second.players, second.pentanomial), ([0, 2], [0, 0, 1, 0, 0]));
        let text = serde_json::to_string(&standing).unwrap();
        assert_eq!(serde_json::from_str::<Standing>(&text).unwrap(), standing);
    }
}
