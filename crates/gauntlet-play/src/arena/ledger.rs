//! The ledger of a tournament: its finished pairs, the state of the others, and their checkpoints.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{ArenaError, Listener, PlayedGame, RunningGame, SuspendedGame};
use crate::players::Turn;
use gauntlet_games::base::{Event, Interrupted, Record, ResumePoint, Seed, Sink};
use gauntlet_games::games::Game;

/// Two games with one opening: in the first one the pairing's first player starts, in the second the other.
pub type Pair = [Record; 2];

/// Journals up to this size, in bytes, are reported after every pair; the sink copies all of it each time.
const SMALL: usize = 1 << 20;

/// Time between two records of the games under way.
const SUSPENSION: Duration = Duration::from_secs(30);

/// The games of unfinished pairs: the end of a checkpoint.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Unfinished {
    pub halves: BTreeMap<usize, Record>,
    pub suspended: BTreeMap<usize, SuspendedGame>,
}

/// The finished pairs, the state of the others, and their checkpoint journal.
pub(super) struct Ledger<'a> {
    pub finished: BTreeMap<usize, Pair>,
    /// Finished games of unfinished pairs, by the number of their pair, and suspended games, by their number.
    pub unfinished: Unfinished,
    /// Whether each player remembers its decisions; its games cannot be suspended.
    remembers: Vec<bool>,
    /// The finished pairs in the order of completion, one JSON list a line.
    journal: ResumePoint,
    /// [`Unfinished`] as JSON, as old as `noted`; empty before the first record.
    note: Vec<u8>,
    noted: Instant,
    /// Length of the journal in the last checkpoint.
    saved_length: usize,
    total: usize,
    length: GameLength,
    /// The sum of the played shares of the games under way.
    under_way: f64,
    /// The largest number of games that was reported.
    reported: u64,
    sink: &'a mut dyn Sink,
}

/// The usual length of a game: the mean of one random game and of all games that have ended.
pub(super) struct GameLength {
    plies: f64,
    games: f64,
}

impl GameLength {
    /// The largest share of a game under way: it is longer than usual, but not over.
    const MOST: f64 = 0.99;
    /// On larger boards a random game takes too long: its length is taken to be the number of sites.
    const SITES: usize = 1024;

    /// The length before any game has ended; a random game stops after four plies for each site, or at the limit.
    pub fn estimated(game: &dyn Game, limit: Option<u32>) -> GameLength {
        let sites = game.topology().sites();
        let most = limit.map_or(4 * sites, |limit| (limit as usize).min(4 * sites));
        let (mut position, mut rng, mut plies) = (game.start(), Seed::new(0).rng(), 0);
        while sites <= GameLength::SITES && plies < most && position.outcome().is_none() {
            let action = position.random_action(&mut rng);
            position.play(action);
            plies += 1;
        }
        let plies = if sites <= GameLength::SITES { plies } else { sites.min(most) };
        GameLength { plies: plies as f64, games: 1.0 }
    }

    fn add(&mut self, ended: &Record) {
        self.plies += ended.actions.len() as f64;
        self.games += 1.0;
    }

    /// The played share of a game after some plies, as if it had the usual length.
    fn share(&self, plies: u32) -> f64 {
        (f64::from(plies) * self.games / self.plies.max(1.0)).min(GameLength::MOST)
    }
}

impl<'a> Ledger<'a> {
    /// The ledger of a tournament of `total` pairs, after its last checkpoint; `length` is an estimate.
    ///
    /// # Errors
    /// If the checkpoint belongs to another tournament.
    pub fn new(
        total: usize,
        mut length: GameLength,
        checkpoint: Option<&ResumePoint>,
        remembers: Vec<bool>,
        sink: &'a mut dyn Sink,
    ) -> Result<Ledger<'a>, ArenaError> {
        let mut journal = checkpoint.cloned().unwrap_or_default();
        let note = journal.head.split_off(journal.head.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1));
        let mut finished = BTreeMap::new();
        for line in journal.head.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            let pair: Pair = serde_json::from_slice(line).map_err(|_| ArenaError::Checkpoint)?;
            let number = pair[0].game / 2;
            if number >= total || pair[1].game / 2 != number || finished.insert(number, pair).is_some() {
                return Err(ArenaError::Checkpoint);
            }
        }
        let mut unfinished = match &*note {
            [] => Unfinished::default(),
            note => serde_json::from_slice::<Unfinished>(note).map_err(|_| ArenaError::Checkpoint)?,
        };
        // The note can be older than the last pairs.
        unfinished.halves.retain(|pair, _| !finished.contains_key(pair));
        unfinished.suspended.retain(|game, _| !finished.contains_key(&(game / 2)));
        finished.values().flatten().chain(unfinished.halves.values()).for_each(|record| length.add(record));
        let (saved_length, noted, under_way, reported) = (journal.head.len(), Instant::now(), 0.0, 0);
        Ok(Ledger {
            finished,
            unfinished,
            remembers,
            journal,
            note,
            noted,
            saved_length,
            total,
            length,
            under_way,
            reported,
            sink,
        })
    }

    /// Drops finished pairs.
    pub fn drop_pairs(&mut self, pairs: Range<usize>) {
        self.finished.retain(|pair, _| !pairs.contains(pair));
    }

    fn save(&mut self) -> Result<(), Interrupted> {
        self.saved_length = self.journal.head.len();
        self.journal.head.extend(&self.note);
        let saved = self.sink.record(Event::Checkpoint(&self.journal));
        self.journal.head.truncate(self.saved_length);
        saved
    }

    /// Records and reports the games under way.
    fn suspend(&mut self, games: &[RunningGame]) -> Result<(), Interrupted> {
        let can_go_on = |game: &&RunningGame| game.players.iter().all(|&player| !self.remembers[player]);
        let suspended = games.iter().filter(can_go_on).filter_map(RunningGame::suspended);
        self.unfinished.suspended.extend(suspended.map(|game| (game.game, game)));
        self.note = serde_json::to_vec(&self.unfinished).expect("games are plain data");
        self.noted = Instant::now();
        self.save()
    }

    /// Reports the number of played games, with the played shares of those under way.
    fn report(&mut self) -> Result<(), ArenaError> {
        let (ended, total) = (2 * self.finished.len() + self.unfinished.halves.len(), 2 * self.total as u64);
        self.reported = self.reported.max(ended as u64 + self.under_way as u64).min(total);
        Ok(self.sink.record(Event::Progress { done: self.reported, total })?)
    }
}

impl Listener for Ledger<'_> {
    fn between(&mut self, games: &[RunningGame]) -> Result<(), ArenaError> {
        self.under_way = games.iter().map(|game| self.length.share(game.plies)).sum();
        if self.noted.elapsed() >= SUSPENSION { Ok(self.suspend(games)?) } else { Ok(()) }
    }

    fn decided(&mut self, _: &[Turn<'_>]) -> Result<(), ArenaError> {
        self.report()
    }

    fn ended(&mut self, played: PlayedGame) -> Result<(), ArenaError> {
        let mut record = Record::from(played);
        // Many records are kept.
        record.actions.shrink_to_fit();
        self.length.add(&record);
        self.under_way = (self.under_way - 1.0).max(0.0);
        self.unfinished.suspended.remove(&record.game);
        let number = record.game / 2;
        let Some(other) = self.unfinished.halves.remove(&number) else {
            self.unfinished.halves.insert(number, record);
            return Ok(());
        };
        let pair = if record.game % 2 == 1 { [other, record] } else { [record, other] };
        pair.iter().try_for_each(|record| self.sink.record(Event::Game(record)))?;
        serde_json::to_writer(&mut self.journal.head, &pair).expect("records are plain data");
        self.journal.head.push(b'\n');
        self.finished.insert(number, pair);
        if self.journal.head.len() < SMALL || self.journal.head.len() - self.saved_length > self.saved_length / 64 {
            self.save()?;
        }
        self.report()
    }

    /// The last report: its result is already known.
    fn suspended(&mut self, games: &[RunningGame]) {
        let _ = self.suspend(games);
    }
}
