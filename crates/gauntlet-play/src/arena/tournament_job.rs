//! The tournament job: matches between many players, with their records.
//!
//! A tournament whose pairings are known before its games is the sum of its meetings. Each meeting is a tournament of its
//! own, of two players in the order of their names, or of one player against itself. The random streams of a meeting
//! depend on the seed and on these names alone: another player in the list, or another order, changes no game.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::contest::{Contest, Players, thinking};
use super::match_job::repeated;
use super::pairing::Pairing;
use super::{Adjudication, Clock, EvenGames, Format, OpeningsSpec, Resign, Standing, Terms};
use crate::jobs::{Files, GAMES, Given, Job, JobError, RESULT, UpstreamFiles, file, result};
use crate::players::{PlayerError, PlayerSpec, Source};
use gauntlet_games::base::{Record, Seed, Sink};
use gauntlet_games::formats::records::{RecordsHeader, write};
use gauntlet_games::games::{Game, GameSpec};

/// Maximum length of a name, so that it fits in a table.
const LONGEST_NAME: usize = 200;

/// Settings of a tournament.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TournamentJob {
    /// The game.
    pub game: GameSpec,
    /// The players; in a manifest, names of agents.
    pub players: Vec<Entrant>,
    /// The format, which pairs the players. Default: all pairs.
    #[serde(default)]
    pub format: Format,
    /// Whether every player also plays a match against itself. Default: no. No rating counts those games.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mirrors: bool,
    /// Games of a match. The paper's matches have 60.
    pub games: EvenGames,
    /// Openings of the pairs of games. Default: the starting position.
    #[serde(default)]
    pub openings: OpeningsSpec,
    /// Plies after which an unfinished game is adjudicated a draw. Default: no limit.
    #[serde(default)]
    pub max_plies: Option<u32>,
    /// The resignation rule; players without expected outcomes never resign. Default: no resignation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<Resign>,
    /// Adjudication of draws and wins by scores on which both players agree. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjudicate: Option<Adjudication>,
    /// The time of each side for a game. Such results depend on the machine. Default: no clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
}

/// A meeting of a tournament: two of its players, or one with itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Meeting {
    /// The names of the players; different for all meetings of a tournament.
    pub name: String,
    /// The indices of its players in the tournament.
    places: Vec<usize>,
    /// The meeting as a tournament of its own.
    pub job: TournamentJob,
}

/// A player of a tournament. Random weights are drawn by its name, so that two of the same kind differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Entrant {
    /// Its name in tables; names are unique.
    pub name: String,
    /// Its kind and settings.
    pub agent: PlayerSpec,
}

impl TournamentJob {
    /// The number of matches, including those against oneself.
    #[must_use]
    pub fn matches(&self) -> usize {
        self.format.matches(self.players.len()) + if self.mirrors { self.players.len() } else { 0 }
    }

    /// The pairings, if they are known before the games; those of players against themselves come last.
    fn pairings(&self) -> Option<Vec<Pairing>> {
        let mut pairings = self.format.schedule(self.players.len())?;
        pairings.extend((0..self.players.len()).filter(|_| self.mirrors).map(|player| [player; 2]));
        Some(pairings)
    }

    /// The meetings whose sum this tournament is; none if it is one itself, or if results decide about its pairings.
    #[must_use]
    pub fn meetings(&self) -> Vec<Meeting> {
        let pairings = self.pairings().filter(|_| self.is_divided()).unwrap_or_default();
        pairings.into_iter().map(|pairing| self.meeting(pairing)).collect()
    }

    /// Whether it is the sum of meetings.
    #[must_use]
    pub fn is_divided(&self) -> bool {
        !self.is_meeting() && !matches!(self.format, Format::Matchmaking(_)) && self.matches() > 0
    }

    /// Whether it is a meeting itself: of two players in the order of their names, or of one with itself.
    fn is_meeting(&self) -> bool {
        let is_pair = match &self.players[..] {
            [_] => self.mirrors,
            [a, b] => !self.mirrors && a.name < b.name,
            _ => false,
        };
        is_pair && self.format == Format::RoundRobin
    }

    fn meeting(&self, [a, b]: Pairing) -> Meeting {
        let mut places = vec![a, b];
        places.sort_by_key(|&place| &self.players[place].name);
        let name = places.iter().map(|&place| named(&self.players[place].name)).collect::<Vec<_>>().join(BETWEEN);
        places.dedup();
        let players = places.iter().map(|&place| self.players[place].clone()).collect();
        let job = TournamentJob { players, format: Format::RoundRobin, mirrors: a == b, ..self.clone() };
        Meeting { name, places, job }
    }

    fn contest(&self) -> Contest<'_> {
        let TournamentJob { game, games, openings, .. } = self;
        let TournamentJob { format, mirrors, max_plies, resign, adjudicate, clock, .. } = *self;
        let (games, sprt) = (*games, None);
        let streams = match format {
            Format::Matchmaking(_) => Vec::new(),
            _ => self.players.iter().map(|entrant| &*entrant.name).collect(),
        };
        let thinking = thinking(self.players.iter().map(|entrant| &entrant.agent));
        let terms = Terms { max_plies, resign, adjudicate, clock, keep_actions: true };
        Contest { game, format, mirrors, games, openings, terms, sprt, streams, thinking }
    }

    /// The files of the sum of played meetings.
    fn sum(&self, meetings: &[Meeting], upstream: &UpstreamFiles) -> Result<Files, JobError> {
        let (mut standings, mut records) = (Vec::new(), Vec::new());
        for meeting in meetings {
            let Meeting { name, places, .. } = meeting;
            let read =
                |file: &str| upstream.of_job(name, file).ok_or_else(|| format!("the meeting {name} has no {file}"));
            standings.push((meeting, serde_json::from_slice(read(RESULT)?)?));
            // The first line is the header. The store has compared the hash of the file.
            let lines = read(GAMES)?.split(|&byte| byte == b'\n').skip(1).filter(|line| !line.is_empty());
            let first = records.len();
            for line in lines {
                let record: Record = serde_json::from_slice(line)?;
                let players = record.players.map(|player| places[player]);
                records.push(Record { game: first + record.game, players, ..record });
            }
        }
        let standing = self.standing(standings.iter().map(|(meeting, standing)| (*meeting, standing)));
        let header = RecordsHeader::new(self.game.clone(), standing.players.clone()).for_records(&records);
        Ok(vec![file(GAMES, write(&header, records)), result(&standing)?])
    }

    /// The sum of the results of some of its meetings.
    #[must_use]
    pub fn standing<'a>(&self, meetings: impl IntoIterator<Item = (&'a Meeting, &'a Standing)>) -> Standing {
        let names = self.players.iter().map(|entrant| entrant.name.clone()).collect();
        let mut sum = Standing::new(names, &[], self.resign).timed(self.clock, &[]);
        meetings.into_iter().for_each(|(meeting, standing)| sum.add(standing, &meeting.places));
        sum
    }

    fn seated(&self, game: &Arc<dyn Game>, given: &Given<'_>) -> Result<Players, PlayerError> {
        let names = self.players.iter().map(|entrant| entrant.name.clone()).collect();
        let player = |entrant: &Entrant| {
            let seed = Seed::new(given.seed).child("player", 0).child(&entrant.name, 0);
            entrant.agent.build(game, &Source { seed: &seed, checkpoint: given.upstream.of(&entrant.name) })
        };
        self.players.iter().map(player).collect::<Result<Vec<_>, _>>().map(|players| (names, players))
    }

    fn check_entrants(&self, game: &Arc<dyn Game>) -> Result<(), String> {
        for (at, Entrant { name, agent }) in self.players.iter().enumerate() {
            if name.is_empty() || name.len() > LONGEST_NAME {
                return Err(format!("a player's name has 1 to {LONGEST_NAME} bytes, not {}", name.len()));
            }
            if self.players[..at].iter().any(|other| other.name == *name) {
                return Err(format!("two players are called `{name}`"));
            }
            agent.check(game)?;
        }
        // Files of other jobs are found by the name of a player or of a meeting.
        let is_taken = |name: &str| self.meetings().iter().any(|meeting| meeting.name == name);
        match self.players.iter().find(|player| player.name.contains(BETWEEN) && is_taken(&player.name)) {
            Some(Entrant { name, .. }) => Err(format!("the player `{name}` has the name of a meeting: change it")),
            None => Ok(()),
        }
    }
}

/// The sign between the names of a meeting.
const BETWEEN: &str = " – ";

/// The name of a player within that of a meeting: in quotes if its end would be unclear.
fn named(player: &str) -> String {
    if player.contains(['–', '"']) { format!("{player:?}") } else { player.to_owned() }
}

impl Job for TournamentJob {
    fn slug(&self) -> String {
        format!("{} tournament of {}", self.game.build().name(), self.players.len())
    }

    fn check(&self) -> Result<(), String> {
        // A meeting of one player with itself.
        if !(self.players.len() == 1 && self.mirrors) {
            self.format.check(self.players.len())?;
        }
        self.check_entrants(&self.game.build())?;
        self.contest().check()
    }

    fn caution(&self) -> Option<String> {
        let mut repeating = self.players.iter().map(|entrant| &entrant.agent).filter(|agent| agent.agent().repeats());
        repeated([repeating.next()?, repeating.next()?], &self.openings, self.games)
    }

    fn run(&self, given: &Given<'_>, sink: &mut dyn Sink) -> Result<Files, JobError> {
        let meetings = self.meetings();
        if !meetings.is_empty() {
            return self.sum(&meetings, given.upstream);
        }
        let game = self.game.build();
        self.contest().play(&*game, self.seated(&game, given)?, given, sink)?.files()
    }

    fn is_timed(&self) -> bool {
        self.contest().is_timed()
    }

    fn game(&self) -> Option<GameSpec> {
        Some(self.game.clone())
    }

    fn players(&self) -> Vec<(&str, &PlayerSpec)> {
        self.players.iter().map(|entrant| (&*entrant.name, &entrant.agent)).collect()
    }
}
