//! The game loop of matches and self-play: many games in lockstep, so that a player decides all its positions in one
//! batch.
//!
//! A listener receives the played games; pairings, scores and training are its business. A game depends on its index,
//! its players and its random streams alone, never on the games beside it.

use super::ArenaError;
use super::clock::Stopwatch;
use super::running_game::{GameStart, PlayedGame, PlayerChoice, RunningGame, Terms};
use crate::players::{Player, Turn};
use gauntlet_games::base::{Rng, Seed};
use gauntlet_games::formats::Opening;
use gauntlet_games::games::Game;

/// The number of simultaneous games, and their terms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cohort {
    /// Games under way at the same time; no game depends on it.
    pub games_at_once: usize,
    /// Total plies of all games after which play stops, even within games; `None` to play every game to
    /// its end.
    pub plies: Option<u64>,
    /// The terms of each game.
    pub terms: Terms,
}

/// Observes the games of a cohort during play. An error from it ends the cohort.
pub trait Listener {
    /// Called when a game is over. Games end in any order.
    ///
    /// # Errors
    /// Any error that should end the cohort.
    fn ended(&mut self, played: PlayedGame) -> Result<(), ArenaError>;

    /// Called when a player has decided these turns, before their actions are played.
    ///
    /// # Errors
    /// Any error that should end the cohort, such as an interruption.
    fn decided(&mut self, turns: &[Turn<'_>]) -> Result<(), ArenaError> {
        let _ = turns;
        Ok(())
    }

    /// Called before each decision, with the games under way.
    ///
    /// # Errors
    /// Any error that should end the cohort.
    fn between(&mut self, games: &[RunningGame]) -> Result<(), ArenaError> {
        let _ = games;
        Ok(())
    }

    /// Called when an error ends the cohort, with the games under way: those of a decision that was not played are as
    /// they were before it.
    fn suspended(&mut self, games: &[RunningGame]) {
        let _ = games;
    }
}

/// Stores every game by its index.
impl Listener for Vec<Option<PlayedGame>> {
    fn ended(&mut self, played: PlayedGame) -> Result<(), ArenaError> {
        let game = played.game;
        self[game] = Some(played);
        Ok(())
    }
}

impl Default for Cohort {
    fn default() -> Cohort {
        Cohort { games_at_once: Cohort::GAMES_AT_ONCE, plies: None, terms: Terms::default() }
    }
}

impl Cohort {
    /// All games of a usual fitness, a whole number of lanes, and few enough games for a core's cache.
    pub const GAMES_AT_ONCE: usize = 112;

    /// Plays games `0..games`, game `i` between the two players of `players` that `seats(i)` names, first side first.
    ///
    /// The games are returned in order.
    ///
    /// # Errors
    /// If a player cannot answer.
    pub fn play(
        &self,
        game: &dyn Game,
        players: &mut [&mut dyn Player],
        games: usize,
        seats: impl Fn(usize) -> [usize; 2],
        seed: &Seed,
    ) -> Result<Vec<PlayedGame>, ArenaError> {
        let start = |game| GameStart::new(game, seats(game), Opening::default());
        let mut played: Vec<Option<PlayedGame>> = vec![None; games];
        self.play_each(game, players, (0..games).map(start), seed, &mut played)?;
        Ok(played.into_iter().map(|played| played.expect("the loop ends when every game has ended")).collect())
    }

    /// Plays every game of `starts` and reports each to the listener. They start in their order.
    ///
    /// # Errors
    /// If a player cannot answer, and if the listener returns an error.
    pub fn play_each(
        &self,
        game: &dyn Game,
        players: &mut [&mut dyn Player],
        starts: impl IntoIterator<Item = GameStart>,
        seed: &Seed,
        listener: &mut dyn Listener,
    ) -> Result<(), ArenaError> {
        let mut starts = starts.into_iter();
        let next = |_| starts.next().map(|start| RunningGame::begin(start, game, seed, &self.terms));
        self.run(players, next, listener)
    }

    /// The loop: plays the games that `next` starts, and reports every decision and every end to the listener.
    ///
    /// `next` is called with `None` for each of the first games, and with the index of a game whenever it is over. No game
    /// follows if `next` returns `None`.
    ///
    /// A player gets a whole number of its lanes as long as it has enough games, and later players go before
    /// earlier ones: put the player that gains most from large batches first.
    ///
    /// # Errors
    /// If a player cannot answer, and if the listener returns an error.
    pub fn run(
        &self,
        players: &mut [&mut dyn Player],
        mut next: impl FnMut(Option<usize>) -> Option<RunningGame>,
        listener: &mut dyn Listener,
    ) -> Result<(), ArenaError> {
        let mut games: Vec<RunningGame> = (0..self.games_at_once.max(1)).map_while(|_| next(None)).collect();
        let played = self.rounds(&mut games, players, &mut next, listener);
        if played.is_err() {
            listener.suspended(&games);
        }
        forget(games.iter(), players);
        played
    }

    fn rounds(
        &self,
        games: &mut Vec<RunningGame>,
        players: &mut [&mut dyn Player],
        next: &mut impl FnMut(Option<usize>) -> Option<RunningGame>,
        listener: &mut dyn Listener,
    ) -> Result<(), ArenaError> {
        let mut plies = 0;
        loop {
            forget(games.iter().filter(|running| running.outcome.is_some()), players);
            settle(games, next, listener, &self.terms)?;
            listener.between(games)?;
            let to_move = next_player(games, players).filter(|_| self.plies.is_none_or(|most| plies < most));
            let Some(player) = to_move else { return Ok(()) };
            let mut asked = asked(games, player, players[player].lanes());
            plies += asked.len() as u64;
            let before: Vec<Rng> = asked.iter_mut().map(|running| running.generator().clone()).collect();
            match decide(player, players[player], &mut asked, listener, self.terms.clock.is_some()) {
                Ok(choices) => {
                    asked.into_iter().zip(choices).for_each(|(running, choice)| running.decided(choice, &self.terms))
                }
                Err(error) => {
                    asked.into_iter().zip(before).for_each(|(running, rng)| *running.generator() = rng);
                    return Err(error);
                }
            }
        }
    }
}

/// The last player with at least a whole batch of games to decide, or else the last with any.
fn next_player(games: &[RunningGame], players: &[&mut dyn Player]) -> Option<usize> {
    let mut waiting = vec![0; players.len()];
    games.iter().for_each(|running| waiting[running.player()] += 1);
    let candidates = (0..players.len()).filter(|&player| waiting[player] > 0);
    candidates.max_by_key(|&player| (waiting[player] >= players[player].lanes(), player))
}

/// The games where `player` is to move; beyond a whole number of lanes, the least advanced ones.
fn asked(games: &mut [RunningGame], player: usize, lanes: usize) -> Vec<&mut RunningGame> {
    let mut asked: Vec<&mut RunningGame> = games.iter_mut().filter(|running| running.player() == player).collect();
    let whole = asked.len() / lanes * lanes;
    if 0 < whole && whole < asked.len() {
        asked.select_nth_unstable_by_key(whole, |running| running.plies);
        asked.truncate(whole);
    }
    asked
}

/// Calls `player`, whose index is `index`, for a choice in each of these games.
///
/// The lists borrow the games and therefore live for one call: a few allocations for a whole batch.
fn decide(
    index: usize,
    player: &mut dyn Player,
    games: &mut [&mut RunningGame],
    listener: &mut dyn Listener,
    is_timed: bool,
) -> Result<Vec<PlayerChoice>, ArenaError> {
    let mut turns: Vec<Turn<'_>> = games.iter_mut().map(|running| running.turn()).collect();
    if is_timed {
        player.prepare(&turns)?;
    }
    // Without a clock, no time is read.
    let watch = is_timed.then(|| Stopwatch::start(player));
    player.decide(&mut turns)?;
    let spent = watch.map(|watch| watch.stop(player));
    listener.decided(&turns)?;
    let choice = |turn: &Turn<'_>| match turn.decision.action {
        action if action.is_some() || turn.decision.resigns => {
            Ok(PlayerChoice { action, expected: turn.decision.value, spent })
        }
        _ => Err(ArenaError::Undecided { player: index, game: turn.game }),
    };
    turns.iter().map(choice).collect()
}

/// Makes the players drop their state of these games.
fn forget<'a>(games: impl Iterator<Item = &'a RunningGame>, players: &mut [&mut dyn Player]) {
    for running in games {
        running.players.iter().for_each(|&player| players[player].forget(running.game));
    }
}

/// Removes finished games and appends new ones. After an error, it goes on with the other finished games, so that all of
/// them are reported; the first error counts.
fn settle(
    games: &mut Vec<RunningGame>,
    next: &mut impl FnMut(Option<usize>) -> Option<RunningGame>,
    listener: &mut dyn Listener,
    terms: &Terms,
) -> Result<(), ArenaError> {
    let (mut at, mut settled) = (0, Ok(()));
    while at < games.len() {
        let Some(outcome) = games[at].outcome else {
            at += 1;
            continue;
        };
        let over = games.remove(at);
        games.extend(next(Some(over.game)));
        settled = settled.and(listener.ended(over.end(outcome, terms)));
    }
    settled
}

#[cfg(test)]
mod tests {
    use super::super::resign::Resign;
    use super::super::running_game::{Streams, extend};
    use super::super::testing::{Chaser, Pessimist, RaceGame, Strider};
    use super::*;
    use gauntlet_games::base::{Action, Ending, Outcome, Side};

    const KEEPING: Terms = Terms { max_plies: None, resign: None, adjudicate: None, clock: None, keep_actions: true };

    fn of(terms: Terms) -> Cohort {
        Cohort { terms, ..Cohort::default() }
    }

    fn play(games_at_once: usize, keep_actions: bool, seed: u64) -> Vec<PlayedGame> {
        let cohort = Cohort { games_at_once, ..of(Terms { keep_actions, ..Terms::default() }) };
        let seats = |index: usize| [index % 3, (index + 1) % 3];
        let (mut a, mut b, mut c) = (Chaser::default(), Strider, Chaser::default());
        cohort
            .play(&RaceGame::default(), &mut [&mut a, &mut b, &mut c], 37, seats, &Seed::new(seed))
            .expect("no player fails")
    }

    #[test]
    fn no_result_depends_on_the_games_at_once() {
        let whole = play(37, true, 1);
        assert_eq!(whole.iter().map(|played| played.game).collect::<Vec<_>>(), (0..37).collect::<Vec<_>>());
        [1, 2, 5, 36, 128].into_iter().for_each(|most| assert_eq!(play(most, true, 1), whole, "{most} at once"));
        assert_ne!(play(37, true, 2), whole);
    }

    #[test]
    fn the_actions_of_a_game_replay_to_its_outcome() {
        for played in play(8, true, 3) {
            let mut position = RaceGame::default().start();
            played.actions.iter().for_each(|&action| position.play(action));
            assert_eq!(position.outcome(), Some(played.outcome));
            assert_eq!(played.actions.len(), played.plies as usize);
            assert_eq!(played.actions.iter().fold(0, |line, &action| extend(line, action)), played.line);
        }
        assert!(play(8, false, 3).iter().all(|played| played.actions.is_empty()));
    }

    #[test]
    fn the_first_player_decides_whole_batches() {
        let (mut net, mut opponent) = (Chaser { lanes: 8, batches: Vec::new() }, Strider);
        let seats = |index: usize| if index < 50 { [0, 1] } else { [1, 0] };
        Cohort::default()
            .play(&RaceGame::default(), &mut [&mut net, &mut opponent], 100, seats, &Seed::new(1))
            .expect("fine");
        assert_eq!(net.batches[0], 96, "of 100 games, eight at a time");
        assert!(net.batches.iter().all(|&batch| batch % 8 == 0 || batch < 8), "{:?}", net.batches);
    }

    #[test]
    fn an_endless_game_may_be_called_a_draw() {
        let cohort = of(Terms { max_plies: Some(2), ..KEEPING });
        let (mut a, mut b) = (Strider, Strider);
        let played =
            cohort.play(&RaceGame::default(), &mut [&mut a, &mut b], 4, |_| [0, 1], &Seed::new(1)).expect("fine");
        assert!(
            played
                .iter()
                .all(|game| game.ending == Ending::MaxPlies && game.outcome == Outcome::Draw && game.plies == 2)
        );
    }

    #[test]
    fn openings_are_played_before_anybody_is_asked() {
        let opening = Opening { actions: vec![Action(2), Action(1)], ..Opening::default() };
        let starts = (0..3).map(|game| GameStart::new(game, [0, 1], opening.clone()));
        let mut played = vec![None; 3];
        let cohort = of(KEEPING);
        let (mut a, mut b) = (Strider, Strider);
        let mut players: [&mut dyn Player; 2] = [&mut a, &mut b];
        cohort.play_each(&RaceGame::default(), &mut players, starts, &Seed::new(1), &mut played).expect("fine");
        for game in played.into_iter().flatten() {
            assert_eq!((&game.actions[..2], game.opening), (&opening.actions[..], 2));
            assert!(game.plies > 2 && game.ending == Ending::Rules);
        }
    }

    #[test]
    fn who_sees_no_hope_resigns_unless_the_game_is_played_out() {
        let resign = Some(Resign { below: -0.9, plies: 2, played_out: 0.5 });
        let cohort = of(Terms { resign, ..KEEPING });
        let start = |game: usize| {
            let (players, opening) = ([game % 2, 1 - game % 2], Opening::default());
            GameStart { played_out: game >= 20, ..GameStart::new(game, players, opening) }
        };
        let mut played: Vec<Option<PlayedGame>> = vec![None; 40];
        let (mut gloomy, mut other) = (Pessimist, Strider);
        let mut players: [&mut dyn Player; 2] = [&mut gloomy, &mut other];
        cohort
            .play_each(&RaceGame::default(), &mut players, (0..40).map(start), &Seed::new(1), &mut played)
            .expect("fine");
        let played: Vec<PlayedGame> = played.into_iter().flatten().collect();
        for game in &played[..20] {
            let gloomy = Side::BOTH[game.players.iter().position(|&player| player == 0).expect("it plays")];
            assert_eq!((game.ending, game.outcome), (Ending::Resigned, Outcome::Win(gloomy.opponent())));
            assert_eq!(game.plies, 2 + gloomy.index() as u32, "its second move is not played");
            assert_eq!((game.played_out, game.would_resign), (false, None));
        }
        for game in &played[20..] {
            let gloomy = Side::BOTH[game.players.iter().position(|&player| player == 0).expect("it plays")];
            assert_eq!((game.ending, game.would_resign), (Ending::Rules, Some(gloomy)));
        }
        let wrong = |game: &&PlayedGame| game.outcome.score(game.would_resign.expect("see above")) >= 0.0;
        assert!(played[20..].iter().filter(wrong).count() >= 10, "it never moves by 1 and often wins");
    }

    #[test]
    fn a_position_that_was_set_up_is_played_on() {
        let game: gauntlet_games::games::GameSpec =
            serde_json::from_str(r#"{"mnk":{"rows":3,"columns":3,"row":3}}"#).unwrap();
        let game = game.build();
        let opening = |start: &str| Opening { start: Some(start.to_owned()), ..Opening::default() };
        let starts = ["xx1/3/oo1 o", "xx1/oo1/3 x"].into_iter().enumerate();
        let starts = starts.map(|(game, text)| GameStart::new(game, [0, 1], opening(text)));
        let mut played = vec![None; 2];
        let (mut a, mut b) = (crate::players::Naive::default(), crate::players::Naive::default());
        let mut players: [&mut dyn Player; 2] = [&mut a, &mut b];
        Cohort::default().play_each(&*game, &mut players, starts, &Seed::new(1), &mut played).expect("fine");
        let played: Vec<PlayedGame> = played.into_iter().flatten().collect();
        // The side to move wins at once.
        assert_eq!((played[0].plies, played[0].outcome), (1, Outcome::Win(Side::Second)));
        assert_eq!((played[1].plies, played[1].outcome), (1, Outcome::Win(Side::First)));
        assert_eq!(played[0].start.as_deref(), Some("xx1/3/oo1 o"));
        assert_ne!(played[0].line, played[1].line);
    }

    /// The games in the order of their ends, and the decided plies of every game.
    #[derive(Default)]
    struct Notes {
        ended: Vec<PlayedGame>,
        decided: Vec<(usize, u32, Option<Action>)>,
    }

    impl Listener for Notes {
        fn ended(&mut self, played: PlayedGame) -> Result<(), ArenaError> {
            self.ended.push(played);
            Ok(())
        }

        fn decided(&mut self, turns: &[Turn<'_>]) -> Result<(), ArenaError> {
            self.decided.extend(turns.iter().map(|turn| (turn.game, turn.ply, turn.decision.action)));
            Ok(())
        }
    }

    /// Five environments restart their games until each has spent its plies: its `n`-th game has the index `e + 5 n`.
    #[test]
    fn environments_restart_until_the_plies_are_spent_and_know_nothing_of_each_other() {
        const PLIES: usize = 23;
        let environments = |from: usize, to: usize| {
            let (mut notes, mut waiting, mut player) = (Notes::default(), from..to, Strider);
            let next = |over: Option<usize>| {
                let game = over.map_or_else(|| waiting.next(), |game| Some(game + 5))?;
                let seed = Seed::new(1).child("game", game as u64);
                Some(RunningGame::new(game, [0, 0], RaceGame::default().start(), Streams::Shared(seed.rng(), seed)))
            };
            let plies = Some((PLIES * (to - from)) as u64);
            let cohort = Cohort { games_at_once: to - from, plies, ..of(KEEPING) };
            cohort.run(&mut [&mut player], next, &mut notes).expect("no player fails");
            notes.decided.sort_unstable();
            notes.ended.sort_unstable_by_key(|played| played.game);
            notes
        };
        let whole = environments(0, 5);
        for environment in 0..5 {
            let alone = environments(environment, environment + 1);
            assert_eq!(alone.decided.len(), PLIES);
            assert!(alone.ended.len() >= 2, "a game takes five to ten plies");
            let own = whole.decided.iter().filter(|(game, ..)| game % 5 == environment);
            assert!(own.eq(&alone.decided));
            assert!(whole.ended.iter().filter(|played| played.game % 5 == environment).eq(&alone.ended));
        }
        let played = whole.ended.iter().map(|played| played.plies as usize).sum::<usize>();
        assert!((PLIES..5 * PLIES).contains(&played), "{played}: games under way are left as they are");
    }
}
