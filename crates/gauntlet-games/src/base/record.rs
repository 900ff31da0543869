//! The record of one played game, and statistics about resignations.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::{Action, Outcome, Side};

/// Why a game ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// The rules ended it.
    #[default]
    Rules,
    /// A limit of plies ended it as a draw before the rules did.
    MaxPlies,
    /// The loser resigned.
    Resigned,
    /// Both players expected this outcome, in a number of moves in a row.
    Agreed,
    /// The loser used more time than it had.
    Time,
}

impl Ending {
    fn is_by_the_rules(&self) -> bool {
        *self == Ending::Rules
    }
}

/// The time that a side used for its moves in a game with a clock, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct SideTime {
    /// Time on the clock.
    pub wall_ms: u64,
    /// Processor time.
    pub processor_ms: u64,
}

/// One played game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Record {
    /// Index of the game within its match.
    pub game: usize,
    /// Player indices, first side first.
    pub players: [usize; 2],
    /// The initial position, in the game's own notation. Default: the start by the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Every action played, in order, including the opening's.
    pub actions: Vec<Action>,
    /// Number of actions from an opening, which neither player chose.
    #[serde(default)]
    pub opening: u32,
    /// The outcome.
    pub outcome: Outcome,
    /// Why it ended. Records of version 1 wrote `adjudicated: true` for a limit of plies.
    #[serde(default, alias = "adjudicated", deserialize_with = "ending")]
    #[serde(skip_serializing_if = "Ending::is_by_the_rules")]
    pub ending: Ending,
    /// Whether resigning was off, so that the game shows whether a resignation would have been wrong.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub played_out: bool,
    /// The side that would have resigned first in a game with resigning off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub would_resign: Option<Side>,
    /// The times of the sides, first side first, in a game with a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<[SideTime; 2]>,
}

fn ending<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Ending, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Ending(Ending),
        Adjudicated(bool),
    }
    Ok(match Written::deserialize(deserializer)? {
        Written::Ending(ending) => ending,
        Written::Adjudicated(true) => Ending::MaxPlies,
        Written::Adjudicated(false) => Ending::Rules,
    })
}

impl Record {
    /// A game from the start by the rules, ended by the rules, without an opening.
    #[must_use]
    pub fn new(game: usize, players: [usize; 2], actions: Vec<Action>, outcome: Outcome) -> Record {
        let (start, opening, ending) = (None, 0, Ending::Rules);
        let (played_out, would_resign, times) = (false, None, None);
        Record { game, players, start, actions, opening, outcome, ending, played_out, would_resign, times }
    }

    /// Win 1, draw 0, loss -1, from the point of view of player `player` (an index as in `players`).
    #[must_use]
    #[inline]
    pub fn score(&self, player: usize) -> f64 {
        let side = if self.players[0] == player { Side::First } else { Side::Second };
        self.outcome.score(side)
    }
}

/// Counts of resignations, and of would-be resignations in games with resigning off.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Resignations {
    /// Games that ended by a resignation.
    pub resigned: u64,
    /// Games in which resigning was off.
    pub played_out: u64,
    /// Games of those in which a player would have resigned.
    pub would_be: u64,
    /// Games of those that this player did not lose: false resignations.
    pub wrong: u64,
}

impl Resignations {
    /// Counts a game.
    pub fn add(&mut self, record: &Record) {
        let lost = |side: Side| record.outcome == Outcome::Win(side.opponent());
        self.resigned += u64::from(record.ending == Ending::Resigned);
        self.played_out += u64::from(record.played_out);
        self.would_be += u64::from(record.would_resign.is_some());
        self.wrong += u64::from(record.would_resign.is_some_and(|side| !lost(side)));
    }

    /// The sum of both counts.
    #[must_use]
    pub fn and(self, other: Resignations) -> Resignations {
        Resignations {
            resigned: self.resigned + other.resigned,
            played_out: self.played_out + other.played_out,
            would_be: self.would_be + other.would_be,
            wrong: self.wrong + other.wrong,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_records_are_read_and_new_ones_come_back() {
        let read = |more: &str| {
            let text = format!("{{\"game\":0,\"players\":[0,1],\"actions\":[],\"outcome\":\"draw\"{more}}}");
            serde_json::from_str::<Record>(&text)
        };
        let plain = Record::new(0, [0, 1], Vec::new(), Outcome::Draw);
        assert_eq!(read("").unwrap(), plain);
        assert_eq!(read(",\"adjudicated\":false").unwrap(), plain);
        let limited = Record { ending: Ending::MaxPlies, ..plain.clone() };
        assert_eq!(read(",\"adjudicated\":true").unwrap(), limited);
        assert_eq!(read(",\"ending\":\"max-plies\"").unwrap(), limited);
        assert!(read(",\"ending\":\"flagged\"").is_err());
        let start = Some("8 x".to_owned());
        let whole = Record { start, played_out: true, would_resign: Some(Side::Second), ..limited };
        let text = serde_json::to_string(&whole).unwrap();
        assert!(text.contains("\"played-out\":true") && text.contains("\"would-resign\":\"second\""), "{text}");
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), whole);
    }

    #[test]
    fn a_resignation_is_wrong_where_it_would_not_have_been_lost() {
        let mut counts = Resignations::default();
        for (outcome, would_resign) in [
            (Outcome::Win(Side::First), Some(Side::First)),
            (Outcome::Win(Side::First), Some(Side::Second)),
            (Outcome::Draw, Some(Side::Second)),
            (Outcome::Draw, None),
        ] {
            let record = Record::new(0, [0, 1], Vec::new(), outcome);
            counts.add(&Record { played_out: true, would_resign, ..record });
        }
        counts
            .add(&Record { ending: Ending::Resigned, ..Record::new(0, [0, 1], Vec::new(), Outcome::Win(Side::First)) });
        assert_eq!(counts, Resignations { resigned: 1, played_out: 4, would_be: 3, wrong: 2 });
        assert_eq!(counts.and(counts).wrong, 4);
    }
}
