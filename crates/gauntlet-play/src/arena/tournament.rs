//! Tournaments: matches of pairs of games, one after another, in the order of a format.
//!
//! The unit is the pair: two games with one opening and swapped colours. Every finished pair goes into the checkpoint,
//! and so do the games under way, unless a player remembers its decisions or there is a clock. So an interrupted
//! tournament goes on within its games and ends with the same bytes. A killed one loses at most half a minute of the
//! games under way, and the last 64th of its pairs, as long checkpoints are not written after each pair. A game depends
//! on its number in the tournament, its players and the seed alone.

use std::ops::Range;

use super::flag::judge;
use super::ledger::{GameLength, Ledger, Pair};
use super::sequential::{BLOCK, SequentialMatch};
use super::{ArenaError, Clock, Cohort, EvenGames, Format, GameStart, Openings, Pairing, PlayedMatches, Terms};
use crate::players::Player;
use gauntlet_games::base::{Outcome, ResumePoint, Seed, Sink};
use gauntlet_games::games::Game;
use gauntlet_ratings::sprt::Sprt;

/// Settings of a tournament, except its players.
pub struct Tournament<'a> {
    /// The game.
    pub game: &'a dyn Game,
    /// The format, which pairs the players.
    pub format: Format,
    /// Whether every player also plays a match against itself, after all others.
    pub mirrors: bool,
    /// Games of a match.
    pub games: EvenGames,
    /// Openings of the pairs.
    pub openings: &'a Openings,
    /// The terms of each game.
    pub terms: Terms,
    /// A sequential test that ends a match with the first pair that decides it; `None` to play all pairs.
    pub sprt: Option<Sprt>,
    /// Games under way at the same time, at most those of a match; no result depends on it.
    pub games_at_once: usize,
    /// The seed of random openings.
    pub opening_seed: Seed,
    /// The seed of all other random streams.
    pub seed: Seed,
}

impl Tournament<'_> {
    /// Plays all matches and returns their pairs in order; game `2 i + j` is game `j` of pair `i`.
    ///
    /// `checkpoint` is the last one that an interrupted call with the same arguments reported to its sink.
    ///
    /// # Errors
    /// If a player cannot answer, the sink interrupts, or the checkpoint belongs to another tournament.
    pub fn play(
        &self,
        players: &mut [&mut dyn Player],
        checkpoint: Option<&ResumePoint>,
        sink: &mut dyn Sink,
    ) -> Result<Vec<Pair>, ArenaError> {
        let pairs = self.games.get() / 2;
        let mirrors = if self.mirrors { players.len() } else { 0 };
        let total = (self.format.matches(players.len()) + mirrors) * pairs;
        let remembers = players.iter().map(|player| player.remembers()).collect();
        let length = GameLength::estimated(self.game, self.terms.max_plies);
        let mut ledger = Ledger::new(total, length, checkpoint, remembers, sink)?;
        let mut results = PlayedMatches::new(players.len());
        let mut first = 0;
        while let Some(pairing) = self.format.next(&results) {
            let outcomes = self.play_match(pairing, first..first + pairs, players, &mut ledger)?;
            results.add(pairing, &outcomes).expect("a format pairs two different players of the tournament");
            first += pairs;
        }
        for player in 0..mirrors {
            self.play_match([player; 2], first..first + pairs, players, &mut ledger)?;
            first += pairs;
        }
        Ok(ledger.finished.into_values().collect())
    }

    /// Plays a match, to its end or until its pairs have decided the test, and returns the outcomes of its pairs.
    fn play_match(
        &self,
        pairing: Pairing,
        pairs: Range<usize>,
        players: &mut [&mut dyn Player],
        ledger: &mut Ledger<'_>,
    ) -> Result<Vec<[Outcome; 2]>, ArenaError> {
        let Some(test) = self.sprt else {
            return self.play_pairs(pairing, pairs.clone(), pairs.start, players, ledger);
        };
        let (mut played, mut outcomes) = (SequentialMatch::new(test), Vec::new());
        for block in pairs.clone().step_by(BLOCK).map(|first| first..pairs.end.min(first + BLOCK)) {
            for outcome in self.play_pairs(pairing, block, pairs.start, players, ledger)? {
                outcomes.push(outcome);
                if played.ends_with(outcome) {
                    ledger.drop_pairs(pairs.start + outcomes.len()..pairs.end);
                    return Ok(outcomes);
                }
            }
        }
        Ok(outcomes)
    }

    /// Plays the unfinished ones of some pairs of a match whose pairs start at `first`, and returns the
    /// outcomes of all.
    fn play_pairs(
        &self,
        pairing: Pairing,
        pairs: Range<usize>,
        first: usize,
        players: &mut [&mut dyn Player],
        ledger: &mut Ledger<'_>,
    ) -> Result<Vec<[Outcome; 2]>, ArenaError> {
        let mut starts = Vec::new();
        for pair in pairs.clone().filter(|pair| !ledger.finished.contains_key(pair)) {
            let opening = self.openings.of(self.game, pair as u64, pair - first, &self.opening_seed)?;
            let played_out = self.terms.resign.is_some_and(|rule| rule.plays_out(pair as u64, &self.seed));
            let [a, b] = pairing;
            for (game, players) in [(2 * pair, [a, b]), (2 * pair + 1, [b, a])] {
                if ledger.unfinished.halves.get(&pair).is_some_and(|half| half.game == game) {
                    continue;
                }
                let suspended = ledger.unfinished.suspended.get(&game).cloned();
                if suspended.as_ref().is_some_and(|suspended| !suspended.fits(self.game, &opening)) {
                    return Err(ArenaError::Checkpoint);
                }
                starts.push(GameStart { game, players, opening: opening.clone(), played_out, suspended });
            }
        }
        let cohort = Cohort { games_at_once: self.games_at_once, plies: None, terms: self.terms };
        cohort.play_each(self.game, players, starts, &self.seed, ledger)?;
        // The pattern puts the rule into the keys of jobs with a clock, and of no other.
        if let Some(Clock { .. }) = self.terms.clock {
            let records = ledger.finished.range_mut(pairs.clone()).flat_map(|(_, pair)| pair);
            records.for_each(|record| judge(self.game, record));
        }
        let finished: Vec<&Pair> = pairs.map(|pair| &ledger.finished[&pair]).collect();
        if finished.iter().any(|pair| pair[0].players != pairing) {
            return Err(ArenaError::Checkpoint);
        }
        Ok(finished.iter().map(|pair| [pair[0].outcome, pair[1].outcome]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::pairing::Matchmaking;
    use super::super::sequential::SequentialResult;
    use super::super::testing::{Chaser, Impatient, Pessimist, RaceGame, Strider};
    use super::super::{RandomOpenings, Resign};
    use super::*;
    use crate::players::Turn;
    use gauntlet_games::base::{Ending, Event, Interrupted, Silent};
    use gauntlet_ratings::sprt::TestDecision;

    /// Interrupts after some checkpoints, and keeps the last.
    #[derive(Default)]
    struct Stopper {
        left: usize,
        checkpoint: Option<ResumePoint>,
    }

    impl Sink for Stopper {
        fn record(&mut self, event: Event<'_>) -> Result<(), Interrupted> {
            if let Event::Checkpoint(point) = event {
                self.checkpoint = Some(point.clone());
                self.left = self.left.checked_sub(1).ok_or(Interrupted)?;
            }
            Ok(())
        }
    }

    fn resigning() -> Terms {
        let resign = Some(Resign { below: -0.5, plies: 2, played_out: 0.4 });
        Terms { resign, keep_actions: true, ..Terms::default() }
    }

    fn play(
        games_at_once: usize,
        checkpoint: Option<&ResumePoint>,
        sink: &mut dyn Sink,
    ) -> Result<Vec<Pair>, ArenaError> {
        let (line, openings) = (RaceGame::default(), Openings::Random(RandomOpenings::new(2)));
        let tournament = Tournament {
            game: &line,
            format: Format::Matchmaking(Matchmaking { pool: 3, opponents: 2 }),
            mirrors: true,
            games: EvenGames::try_from(6).expect("even"),
            openings: &openings,
            terms: resigning(),
            sprt: None,
            games_at_once,
            opening_seed: Seed::new(7),
            seed: Seed::new(7),
        };
        let (mut a, mut b, mut c, mut d) = (Chaser::default(), Strider, Chaser::default(), Pessimist);
        tournament.play(&mut [&mut a, &mut b, &mut c, &mut d], checkpoint, sink)
    }

    fn whole() -> Vec<Pair> {
        play(Cohort::GAMES_AT_ONCE, None, &mut Silent).expect("no player fails")
    }

    #[test]
    fn the_games_of_a_pair_share_the_opening_and_swap_colours() {
        let pairs = whole();
        assert_eq!(pairs.len(), (5 + 4) * 3);
        for (number, [one, two]) in pairs.iter().enumerate() {
            assert_eq!((one.game, two.game), (2 * number, 2 * number + 1));
            assert_eq!((one.players[0], one.players[1]), (two.players[1], two.players[0]));
            assert_eq!((one.opening, two.opening), (2, 2));
            assert_eq!(one.actions[..2], two.actions[..2]);
        }
        let openings: std::collections::HashSet<_> = pairs.iter().map(|pair| &pair[0].actions[..2]).collect();
        assert!(openings.len() > 1, "pairs differ");
        assert!(pairs[9..15].iter().all(|pair| pair[0].players[0] == 3), "the newcomer comes last");
        assert!(
            pairs[15..].iter().enumerate().all(|(at, pair)| pair[0].players == [at / 3; 2]),
            "then everybody alone"
        );
    }

    #[test]
    fn both_games_of_a_pair_are_played_out_or_neither() {
        let pairs = whole();
        assert!(pairs.iter().all(|[one, two]| one.played_out == two.played_out));
        let played_out = pairs.iter().filter(|pair| pair[0].played_out).count();
        assert!((5..20).contains(&played_out), "{played_out} of {}", pairs.len());
        let records = || pairs.iter().flatten();
        assert!(records().all(|game| !(game.played_out && game.ending == Ending::Resigned)));
        assert!(records().all(|game| game.would_resign.is_none_or(|side| game.players[side.index()] == 3)));
        assert!(
            records().any(|game| game.ending == Ending::Resigned) && records().any(|game| game.would_resign.is_some())
        );
    }

    #[test]
    fn no_result_depends_on_the_games_at_once() {
        let whole = whole();
        [1, 2, 5]
            .into_iter()
            .for_each(|games_at_once| assert_eq!(play(games_at_once, None, &mut Silent).expect("fine"), whole));
    }

    #[test]
    fn a_tournament_continues_after_every_pair_and_ends_alike() {
        let whole = whole();
        for pairs in 0..whole.len() {
            let mut stopper = Stopper { left: pairs, checkpoint: None };
            let interrupted = play(4, None, &mut stopper);
            assert!(matches!(interrupted, Err(ArenaError::Interrupted(_))));
            let mut counter = Stopper { left: usize::MAX, checkpoint: None };
            let resumed = play(3, stopper.checkpoint.as_ref(), &mut counter).expect("fine");
            assert_eq!(resumed, whole, "after {pairs} pairs");
            let kept =
                stopper.checkpoint.expect("it was interrupted").head.iter().filter(|&&byte| byte == b'\n').count();
            assert!(kept > pairs);
            assert_eq!(usize::MAX - counter.left, whole.len() - kept, "nothing is played twice");
        }
    }

    /// A [`Chaser`] whose games cannot be suspended.
    #[derive(Default)]
    struct Rememberer(Chaser);

    impl Player for Rememberer {
        fn decide(&mut self, turns: &mut [Turn<'_>]) -> Result<(), crate::players::PlayerError> {
            self.0.decide(turns)
        }
        fn remembers(&self) -> bool {
            true
        }
    }

    /// A match between two players of 12 pairs, with resignations; `left` as in [`Impatient`].
    fn duel(
        players: &mut [&mut dyn Player],
        left: usize,
        checkpoint: Option<&ResumePoint>,
    ) -> (Result<Vec<Pair>, ArenaError>, Option<ResumePoint>) {
        let (line, openings) = (RaceGame::default(), Openings::Random(RandomOpenings::new(1)));
        let tournament = Tournament {
            game: &line,
            format: Format::RoundRobin,
            mirrors: false,
            games: EvenGames::try_from(24).expect("even"),
            openings: &openings,
            terms: resigning(),
            sprt: None,
            games_at_once: 10,
            opening_seed: Seed::new(5),
            seed: Seed::new(5),
        };
        let mut sink = Impatient { left, checkpoint: None };
        let played = tournament.play(players, checkpoint, &mut sink);
        (played, sink.checkpoint)
    }

    #[test]
    fn interrupted_games_go_on_and_no_played_decision_is_made_again() {
        let made = |player: &Chaser| player.batches.iter().sum::<usize>();
        let mut whole = Chaser::default();
        let pairs = duel(&mut [&mut whole, &mut Pessimist], usize::MAX, None).0.expect("no player fails");
        for left in 1..6 {
            let (mut player, mut checkpoint, mut repeated) = (Chaser::default(), None, 0);
            loop {
                let (played, state) = duel(&mut [&mut player, &mut Pessimist], left, checkpoint.as_ref());
                checkpoint = state;
                if let Ok(played) = played {
                    assert_eq!(played, pairs, "{left} reports at a time");
                    break;
                }
                // At most the decisions of the last batch were not played.
                repeated += player.batches.last().copied().unwrap_or(0);
            }
            assert!((made(&whole)..=made(&whole) + repeated).contains(&made(&player)), "{left}: {}", made(&player));
        }
    }

    /// Keeps the reported progress.
    #[derive(Default)]
    struct Watcher {
        games: usize,
        reports: Vec<(usize, u64, u64)>,
    }

    impl Sink for Watcher {
        fn record(&mut self, event: Event<'_>) -> Result<(), Interrupted> {
            match event {
                Event::Game(_) => self.games += 1,
                Event::Progress { done, total } => self.reports.push((self.games, done, total)),
                _ => {}
            }
            Ok(())
        }
    }

    #[test]
    fn progress_counts_the_played_shares_of_games_under_way() {
        let mut watcher = Watcher::default();
        play(200, None, &mut watcher).expect("no player fails");
        let Watcher { games, reports } = watcher;
        assert!(reports.iter().any(|&(ended, done, _)| ended == 0 && done > 0), "games under way count");
        assert!(reports.windows(2).all(|pair| pair[0].1 <= pair[1].1), "it never falls");
        assert!(reports.iter().all(|&(ended, done, total)| total == games as u64 && (done < total || ended == games)));
        assert_eq!(reports.last().map(|&(_, done, _)| done), Some(games as u64));
    }

    #[test]
    fn games_of_players_that_remember_start_again() {
        let pairs = duel(&mut [&mut Chaser::default(), &mut Strider], usize::MAX, None).0.expect("no player fails");
        for left in 0..10 {
            let (played, checkpoint) = duel(&mut [&mut Rememberer::default(), &mut Strider], left, None);
            played.expect_err("interrupted");
            let head = &checkpoint.as_ref().expect("the last report").head;
            assert!(head.ends_with(b"\"suspended\":{}}"), "{}", String::from_utf8_lossy(head));
            let resumed = duel(&mut [&mut Rememberer::default(), &mut Strider], usize::MAX, checkpoint.as_ref()).0;
            assert_eq!(resumed.expect("no player fails"), pairs, "after {left} reports");
        }
    }

    /// A match with a sequential test, of the faster player against the other one.
    fn tested(
        sprt: Option<Sprt>,
        games_at_once: usize,
        checkpoint: Option<&ResumePoint>,
        sink: &mut dyn Sink,
    ) -> Vec<Pair> {
        let (line, openings) = (RaceGame::default(), Openings::Random(RandomOpenings::new(1)));
        let (format, games) = (Format::RoundRobin, EvenGames::try_from(200).expect("even"));
        let (game, openings, seed) = (&line, &openings, Seed::new(3));
        let (mirrors, opening_seed, terms) = (false, seed, Terms { keep_actions: true, ..Terms::default() });
        let played =
            Tournament { game, format, mirrors, games, openings, terms, sprt, games_at_once, opening_seed, seed };
        let found = played.play(&mut [&mut Strider, &mut Chaser::default()], checkpoint, sink);
        found.or_else(|error| if checkpoint.is_none() { Ok(Vec::new()) } else { Err(error) }).expect("no player fails")
    }

    #[test]
    fn a_match_ends_with_the_pair_that_decides_its_test() {
        let test: Sprt = toml::from_str("elo0 = 0\nelo1 = 100\nalpha = 0.1\nbeta = 0.1").expect("a test");
        let found = tested(Some(test), Cohort::GAMES_AT_ONCE, None, &mut Silent);
        let decision = |pairs: &[Pair]| {
            let outcomes = pairs.iter().map(|[one, two]| [one.outcome, two.outcome]);
            SequentialResult::new(test, outcomes).expect("pairs were played").decision
        };
        assert!((5..95).contains(&found.len()) && decision(&found) == TestDecision::AcceptH1, "{}", found.len());
        assert_eq!(decision(&found[..found.len() - 1]), TestDecision::Undecided);
        assert!(tested(None, 7, None, &mut Silent).starts_with(&found), "the games are those of the whole match");
        [1, 3]
            .into_iter()
            .for_each(|games_at_once| assert_eq!(tested(Some(test), games_at_once, None, &mut Silent), found));
        for left in [0, found.len() / 2, found.len() - 1] {
            let mut stopper = Stopper { left, checkpoint: None };
            assert!(tested(Some(test), 4, None, &mut stopper).is_empty(), "it was interrupted");
            assert_eq!(tested(Some(test), 2, stopper.checkpoint.as_ref(), &mut Silent), found, "after {left} pairs");
        }
    }

    #[test]
    fn a_foreign_checkpoint_is_refused() {
        let mut stopper = Stopper { left: 0, checkpoint: None };
        play(4, None, &mut stopper).expect_err("interrupted");
        let good = String::from_utf8(stopper.checkpoint.expect("a pair, and games under way").head).expect("text");
        assert!(good.contains("\"suspended\":{\""), "{good}");
        let twice = format!("{good}{good}");
        let swapped = good.replace("\"players\":[0,", "\"players\":[9,").replace("\"players\":[1,", "\"players\":[9,");
        let impossible = good.replacen("\"actions\":[", "\"actions\":[7,", 1_000);
        for bad in ["[]", "{}", &good[..good.len() / 2], &twice, &swapped, &impossible] {
            let error = play(4, Some(&bad.as_bytes().to_vec().into()), &mut Silent).expect_err("no checkpoint");
            assert_eq!(error.to_string(), "the checkpoint is none of this tournament");
        }
    }
}
