//! The ledger of a tournament: its finished pairs, the state of the others, and their checkpoints.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{ArenaError, GameSlot, Listener, PlayedGame, SuspendedGame};
use crate::players::Turn;
use gauntlet_games::base::{Event, Interrupted, Record, ResumePoint, Sink};

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
    /// Length of the journal at the last report to the sink.
    told: usize,
    total: usize,
    sink: &'a mut dyn Sink,
}

impl<'a> Ledger<'a> {
    /// The ledger of a tournament of `total` pairs, after its last checkpoint.
    ///
    /// # Errors
    /// If the checkpoint belongs to another tournament.
    pub fn new(
        total: usize,
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
        let (told, noted) = (journal.head.len(), Instant::now());
        Ok(Ledger { finished, unfinished, remembers, journal, note, noted, told, total, sink })
    }

    /// Drops finished pairs.
    pub fn drop_pairs(&mut self, pairs: Range<usize>) {
        self.finished.retain(|pair, _| !pairs.contains(pair));
    }

    fn save(&mut self) -> Result<(), Interrupted> {
        self.told = self.journal.head.len();
        self.journal.head.extend(&self.note);
        let saved = self.sink.record(Event::Checkpoint(&self.journal));
        self.journal.head.truncate(self.told);
        saved
    }

    /// Records and reports the games under way.
    fn suspend(&mut self, games: &[GameSlot]) -> Result<(), Interrupted> {
        let can_go_on = |game: &&GameSlot| game.players.iter().all(|&player| !self.remembers[player]);
        let suspended = games.iter().filter(can_go_on).filter_map(GameSlot::suspended);
        self.unfinished.suspended.extend(suspended.map(|game| (game.game, game)));
        self.note = serde_json::to_vec(&self.unfinished).expect("games are plain data");
        self.noted = Instant::now();
        self.save()
    }

    /// Reports the number of finished pairs.
    fn tell(&mut self) -> Result<(), ArenaError> {
        let (done, total) = (self.finished.len() as u64, self.total as u64);
        Ok(self.sink.record(Event::Progress { done, total })?)
    }
}

impl Listener for Ledger<'_> {
    fn between(&mut self, games: &[GameSlot]) -> Result<(), ArenaError> {
        if self.noted.elapsed() >= SUSPENSION { Ok(self.suspend(games)?) } else { Ok(()) }
    }

    fn decided(&mut self, _: &[Turn<'_>]) -> Result<(), ArenaError> {
        self.tell()
    }

    fn ended(&mut self, played: PlayedGame) -> Result<(), ArenaError> {
        let mut record = Record::from(played);
        // Many records are kept.
        record.actions.shrink_to_fit();
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
        if self.journal.head.len() < SMALL || self.journal.head.len() - self.told > self.told / 64 {
            self.save()?;
        }
        self.tell()
    }

    /// The last report: its result is already known.
    fn suspended(&mut self, games: &[GameSlot]) {
        let _ = self.suspend(games);
    }
}
