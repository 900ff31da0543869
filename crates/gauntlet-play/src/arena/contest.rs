//! Common code of matches and tournaments: players of a game meet, and their game records are kept.

use std::time::Duration;

use super::{
    Adjudication, ArenaError, Cohort, EvenGames, Format, OpeningsSpec, Pair, Standing, Terms, Thinking, Tournament,
};
use crate::jobs::{Files, GAMES, Given, JobError, file, result};
use crate::players::{Player, PlayerSpec, Setting, TimedWork};
use gauntlet_games::base::{Seed, Sink};
use gauntlet_games::formats::records::{RecordsHeader, write};
use gauntlet_games::games::{Game, GameSpec};
use gauntlet_ratings::sprt::Sprt;

/// The settings of recorded games, except their players.
pub(super) struct Contest<'a> {
    pub game: &'a GameSpec,
    pub format: Format,
    pub mirrors: bool,
    pub games: EvenGames,
    pub openings: &'a OpeningsSpec,
    pub terms: Terms,
    pub sprt: Option<Sprt>,
    /// The names on which all random streams depend, besides the game and the seed.
    pub streams: Vec<&'a str>,
    /// The time of each move of a player, for those that have one.
    pub thinking: Vec<Option<Duration>>,
}

/// The number of games under way at the same time: as many as every player can play; one if time decides.
pub(super) fn games_at_once(players: &[Box<dyn Player>], is_timed: bool) -> usize {
    let most = players.iter().map(|player| player.games_at_once()).fold(Cohort::GAMES_AT_ONCE, usize::min);
    if is_timed { 1 } else { most }
}

/// The time of each player's moves, for those that have one.
pub(super) fn thinking<'a>(players: impl IntoIterator<Item = &'a PlayerSpec>) -> Vec<Option<Duration>> {
    players.into_iter().map(|player| player.agent().thinking_time()).collect()
}

/// Names and players, in order.
pub(super) type Players = (Vec<String>, Vec<Box<dyn Player>>);

/// The played pairs of games, and the counted results.
pub(super) struct ContestResult {
    pub pairs: Vec<Pair>,
    pub standing: Standing,
    /// The header of the records file.
    pub header: RecordsHeader,
}

impl Contest<'_> {
    /// Whether its results depend on time: on a clock, or on a limit of a player.
    pub fn is_timed(&self) -> bool {
        self.terms.clock.is_some() || self.thinking.iter().any(Option::is_some)
    }

    /// Checks that the openings can be played.
    ///
    /// # Errors
    /// The reason, as a sentence.
    pub fn check(&self) -> Result<(), String> {
        if self.terms.adjudicate.is_some_and(|rule| rule == Adjudication::default()) {
            return Err("`adjudicate` needs `draw` or `win`".to_owned());
        }
        if self.terms.max_plies == Some(0) {
            return Err("`max-plies = 0` ends every game at its start: take 1 or more, or leave it out".to_owned());
        }
        let openings = self.openings.build(self.game).map_err(|error| error.to_string())?;
        let within = |most: u32| self.openings.check_within(&openings, most).map_err(|error| error.to_string());
        self.terms.max_plies.map_or(Ok(()), within)
    }

    /// Plays all games.
    ///
    /// # Errors
    /// If a player cannot answer, and if the sink interrupts.
    pub fn play(
        &self,
        game: &dyn Game,
        players: Players,
        given: &Given<'_>,
        sink: &mut dyn Sink,
    ) -> Result<ContestResult, ArenaError> {
        let (names, mut players) = players;
        let Contest { format, mirrors, games, terms, sprt, .. } = *self;
        let openings = &self.openings.build(self.game)?;
        let setting = Setting { game: self.game, stop: sink.stop() };
        players.iter_mut().try_for_each(|player| player.begin(&setting))?;
        let games_at_once = games_at_once(&players, self.is_timed());
        let common = Seed::new(given.seed).child("match", 0).child(&game.name(), 0);
        let seed = self.streams.iter().fold(common, |seed, name| seed.child("of", 0).child(name, 0));
        let opening_seed = if openings.are_same() { common } else { seed };
        let tournament =
            Tournament { game, format, mirrors, games, openings, terms, sprt, games_at_once, opening_seed, seed };
        let mut playing: Vec<&mut dyn Player> = Vec::new();
        for player in &mut players {
            // Times compare only if every player has one core.
            if !self.is_timed() {
                player.helped_by(&sink.cores());
            }
            playing.push(&mut **player);
        }
        let pairs = tournament.play(&mut playing, given.checkpoint, sink)?;
        let facts = players.iter_mut().map(|player| player.end()).collect::<Result<Vec<_>, _>>()?;
        let header = RecordsHeader::new(self.game.clone(), names.clone()).for_records(pairs.iter().flatten());
        let named = names.iter().cloned().zip(facts).filter_map(|(name, facts)| Some((name, facts?)));
        let engines = named.collect();
        let works =
            players.iter().zip(&self.thinking).map(|(player, time)| Some((time.as_ref()?, player.timed_work())));
        let named = names.iter().cloned().zip(works).filter_map(|(name, work)| Some((name, work?)));
        let thinking = named.map(|(name, (time, TimedWork { moves, simulations }))| {
            (name, Thinking { time_ms: time.as_millis() as u64, moves, simulations })
        });
        let thinking = thinking.collect();
        let standing = Standing::new(names, &pairs, terms.resign).timed(terms.clock, &pairs);
        let standing = Standing { engines, thinking, ..standing };
        Ok(ContestResult { pairs, standing, header })
    }
}

impl ContestResult {
    /// The files with the games and the numbers. No game is in memory twice.
    ///
    /// # Errors
    /// If the numbers cannot be written as JSON.
    pub fn files(self) -> Result<Files, JobError> {
        let games = write(&self.header, self.pairs.into_iter().flatten());
        Ok(vec![file(GAMES, games), result(&self.standing)?])
    }
}
