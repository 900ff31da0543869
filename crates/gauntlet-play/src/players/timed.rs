//! A tree search with a limit of time for each move, in matches and tournaments: its results depend on the machine.
//!
//! It searches one game at a time, on one core, a leaf at a time. A move ends after its time with the evaluation under way,
//! and at the latest after the most simulations of any search, which bounds its memory.

use std::time::{Duration, Instant};

use super::search_player::decision;
use super::{Player, PlayerError, Setting, TimedWork, Turn};
use crate::search::{Anytime, Temperature};
use gauntlet_games::base::{Seed, Stop};
use rand::Rng as _;

/// Searches each move for a time.
pub(super) struct TimedPlayer {
    search: Anytime,
    temperature: Temperature,
    time: Duration,
    /// Whether searches continue from the previous tree.
    keeps: bool,
    /// The game of the tree.
    game: Option<usize>,
    stop: Stop,
    timed_work: TimedWork,
}

impl TimedPlayer {
    /// A player with this search and this temperature of its moves.
    pub fn new((search, temperature): (Anytime, Temperature), time: Duration, keeps: bool) -> TimedPlayer {
        TimedPlayer {
            search,
            temperature,
            time,
            keeps,
            game: None,
            stop: Stop::default(),
            timed_work: TimedWork::default(),
        }
    }

    fn think(&mut self, turn: &mut Turn<'_>) -> Result<(), PlayerError> {
        let deadline = Instant::now() + self.time;
        if self.game != Some(turn.game) {
            self.search.clear();
            self.game = Some(turn.game);
        }
        let seed = turn.seed.unwrap_or_else(|| Seed::new(turn.rng.next_u64()));
        self.search.begin(turn.position, seed, None);
        let kept = self.search.simulations();
        // The first leaf is the root; the second gives a move.
        let mut leaves = 0;
        let is_open = |search: &Anytime| search.simulations() < search.usual().most();
        while self.search.step()? && is_open(&self.search) && (leaves < 2 || Instant::now() < deadline) {
            self.stop.check().map_err(crate::search::SearchError::from)?;
            leaves += 1;
        }
        self.timed_work.moves += 1;
        self.timed_work.simulations += u64::from(self.search.simulations().saturating_sub(kept));
        turn.decision = decision(self.search.found(), self.temperature, turn);
        turn.decision.action.into_iter().for_each(|action| self.search.played(action));
        Ok(())
    }
}

impl Player for TimedPlayer {
    fn decide(&mut self, turns: &mut [Turn<'_>]) -> Result<(), PlayerError> {
        turns.iter_mut().try_for_each(|turn| self.think(turn))
    }

    fn begin(&mut self, setting: &Setting<'_>) -> Result<(), PlayerError> {
        self.stop = setting.stop.clone();
        Ok(())
    }

    fn games_at_once(&self) -> usize {
        1
    }

    fn remembers(&self) -> bool {
        self.keeps
    }

    fn forget(&mut self, game: usize) {
        if self.game == Some(game) {
            self.search.clear();
            self.game = None;
        }
    }

    fn timed_work(&self) -> TimedWork {
        self.timed_work
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use crate::players::{Player, PlayerSpec, Source, Turn};
    use gauntlet_games::base::Seed;
    use gauntlet_games::games::{Game, GameSpec};

    fn game(text: &str) -> Arc<dyn Game> {
        toml::from_str::<GameSpec>(text).unwrap().build()
    }

    fn player(text: &str, game: &Arc<dyn Game>) -> Box<dyn Player> {
        let spec: PlayerSpec = toml::from_str(text).unwrap();
        assert_eq!(spec.agent().thinking_time(), Some(Duration::from_millis(30)), "{text}");
        spec.check(game).unwrap();
        spec.build(game, &Source { seed: &Seed::new(1), checkpoint: None }).unwrap()
    }

    const PLAYERS: [&str; 5] = [
        "uct = { simulations = { time-ms = 30 } }",
        "search.search = { simulations = { time-ms = 30 }, reuse = \"keep\" }",
        "search.search = { simulations = { time-ms = 30 }, rule.gumbel = {} }",
        "guided = { network = { saz = { hidden = 4 } }, search = { simulations = { time-ms = 30 } } }",
        "alpha-beta = { time-ms = 30 }",
    ];

    #[test]
    fn moves_take_their_time() {
        let game = game("othello = { size = 6 }");
        for text in PLAYERS {
            let (mut player, mut rng, mut position) = (player(text, &game), Seed::new(2).rng(), game.start());
            for ply in 0..4 {
                let begun = Instant::now();
                let mut turns = [Turn { ply, ..Turn::new(0, &*position, &mut rng) }];
                player.decide(&mut turns).unwrap();
                let [turn] = turns;
                let (action, took) = (turn.decision.action.unwrap(), begun.elapsed());
                let mut legal = Vec::new();
                position.actions(&mut legal);
                assert!(legal.contains(&action), "{text}");
                // A busy machine takes longer, never shorter; one action needs no search.
                assert!(
                    took < Duration::from_secs(3) && (legal.len() == 1 || took >= Duration::from_millis(29)),
                    "{text}: {took:?}"
                );
                position.play(action);
            }
            let timed_work = player.timed_work();
            let counts = !text.starts_with("alpha-beta");
            assert_eq!(timed_work.moves, if counts { 4 } else { 0 }, "{text}");
            assert!(!counts || timed_work.simulations > 4 * 16, "{text}: {timed_work:?}");
        }
    }

    /// In a solved end of a game no leaf is evaluated: the search must still look at the clock.
    #[test]
    fn games_that_are_nearly_over_take_no_longer() {
        let game = game("mnk = { rows = 3, columns = 3, row = 3 }");
        let mut position = game.start();
        let mut legal = Vec::new();
        for _ in 0..7 {
            position.actions(&mut legal);
            let safe = legal.iter().copied().find(|&action| position.outcome_after(action).is_none());
            position.play(safe.unwrap());
            legal.clear();
        }
        for text in PLAYERS {
            let (mut player, mut rng, begun) = (player(text, &game), Seed::new(3).rng(), Instant::now());
            let mut turns = [Turn { ply: 7, ..Turn::new(0, &*position, &mut rng) }];
            player.decide(&mut turns).unwrap();
            assert!(turns[0].decision.action.is_some() && begun.elapsed() < Duration::from_secs(5), "{text}");
        }
    }
}
