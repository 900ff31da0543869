//! The alpha-beta player: searches a number of plies, or within a number of nodes, and plays a best action.
//!
//! Knuth and Moore 1975 ("An Analysis of Alpha-Beta Pruning"): minimax values, without the children that cannot change
//! them. Games that end within the depth have their exact value; earlier wins and later losses rank first. Other
//! leaves have the greedy player's lead, or 0 in games without one. Among several best actions, the game's random
//! stream decides, as for the greedy player; all else is deterministic. The player keeps no state between moves.
//!
//! With a budget of nodes it searches 1 ply, then 2, and so on (iterative deepening, Slate and Atkin 1977, "CHESS 4.5"),
//! with a table of positions. It plays the result of the last complete iteration: the best actions are exact at that
//! depth, ties included. An iteration that the budget cuts off has no effect.

mod minimax;

use std::sync::Arc;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agent::{Agent, Source, Workload};
use super::chooser::any;
use super::{Player, PlayerError, Setting, Turn};
use crate::search::{Milliseconds, SearchError};
use gauntlet_games::base::{Action, Rng, Stop, bounded};
use gauntlet_games::games::{Game, Position};
use minimax::Minimax;

/// The alpha-beta player's settings: the limit of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", try_from = "AlphaBetaKeys")]
pub enum AlphaBetaSpec {
    /// Search depth in plies, its own included.
    Depth(u32),
    /// Nodes of a move.
    Nodes(u32),
    /// Milliseconds of a move.
    TimeMs(u32),
}

/// The alpha-beta player's settings: `depth`, `nodes` or `time-ms`.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
struct AlphaBetaKeys {
    /// Search depth in plies, its own included: 1 to 20, 3 by default.
    #[serde(with = "Depth", skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    /// Budget of a move in nodes, instead of `depth`: 1 to 10,000,000. Every action that the search tries is a node. One
    /// ply is always searched. None by default.
    #[serde(with = "Nodes", skip_serializing_if = "Option::is_none")]
    nodes: Option<u32>,
    /// Milliseconds of a move, instead of `depth`: 1 to 3,600,000, in matches and tournaments alone. The search ends after
    /// 10,000,000 nodes, too. The depth that it reaches depends on the machine. None by default.
    #[serde(with = "Milliseconds", skip_serializing_if = "Option::is_none")]
    time_ms: Option<u32>,
}

impl TryFrom<AlphaBetaKeys> for AlphaBetaSpec {
    type Error = String;

    fn try_from(keys: AlphaBetaKeys) -> Result<AlphaBetaSpec, String> {
        let given = [
            ("`depth`", keys.depth.map(AlphaBetaSpec::Depth)),
            ("`nodes`", keys.nodes.map(AlphaBetaSpec::Nodes)),
            ("`time-ms`", keys.time_ms.map(AlphaBetaSpec::TimeMs)),
        ];
        let limits: Vec<_> = given.into_iter().filter_map(|(key, limit)| Some((key, limit?))).collect();
        match &limits[..] {
            [] => Ok(AlphaBetaSpec::default()),
            [(_, limit)] => Ok(*limit),
            [(one, _), (other, _), ..] => {
                Err(format!("{one} and {other} both limit the search: leave one of them out"))
            }
        }
    }
}

impl Default for AlphaBetaSpec {
    fn default() -> AlphaBetaSpec {
        AlphaBetaSpec::Depth(3)
    }
}

bounded! {
    /// Plies that are looked ahead.
    Depth: u32 from 1 to 20, "depth {value} is outside {range}"
}
bounded! {
    /// Nodes of a move.
    Nodes: u32 from 1 to 10_000_000, "{value} nodes: a search takes from {range}"
}

/// The most nodes of a search that time limits: its table has an entry for most of them.
const MOST: u64 = 10_000_000;

impl Agent for AlphaBetaSpec {
    fn name(&self) -> String {
        match self {
            AlphaBetaSpec::Depth(depth) => format!("alpha-beta {depth}"),
            AlphaBetaSpec::Nodes(nodes) => format!("alpha-beta {nodes} nodes"),
            AlphaBetaSpec::TimeMs(ms) => format!("alpha-beta {ms} ms"),
        }
    }

    fn build(&self, _game: &Arc<dyn Game>, _source: &Source<'_>) -> Result<Box<dyn Player>, PlayerError> {
        Ok(Box::new(AlphaBeta { limit: *self, stop: Stop::default() }))
    }

    /// Pruning leaves about the power 3/4 of the nodes; each enumerates its actions. Of a budget, few nodes have
    /// children: each reads the board about once.
    fn workload(&self, game: &dyn Game) -> Workload {
        let mut actions = Vec::new();
        game.start().actions(&mut actions);
        let nodes = match self {
            AlphaBetaSpec::Depth(depth) => (actions.len() as f64).powf(0.75 * f64::from(depth - 1)),
            AlphaBetaSpec::Nodes(nodes) => f64::from(*nodes),
            AlphaBetaSpec::TimeMs(_) => 0.0,
        };
        Workload { sites: nodes * game.topology().sites() as f64, ..Workload::default() }
    }

    fn thinking_time(&self) -> Option<Duration> {
        if let AlphaBetaSpec::TimeMs(ms) = self { Some(Duration::from_millis((*ms).into())) } else { None }
    }
}

/// Searches to a limit, in any game.
#[derive(Debug, Clone)]
pub struct AlphaBeta {
    limit: AlphaBetaSpec,
    /// Ends a search, however deep it is.
    stop: Stop,
}

impl Player for AlphaBeta {
    fn begin(&mut self, setting: &Setting<'_>) -> Result<(), PlayerError> {
        self.stop = setting.stop.clone();
        Ok(())
    }

    fn decide(&mut self, turns: &mut [Turn<'_>]) -> Result<(), PlayerError> {
        for turn in turns {
            let action = self.choose(turn.position, turn.rng);
            self.stop.check().map_err(SearchError::from)?;
            turn.decision.action = Some(action);
        }
        Ok(())
    }
}

impl AlphaBeta {
    fn choose(&self, position: &dyn Position, rng: &mut Rng) -> Action {
        any(&self.best(position), rng)
    }

    /// The best actions of a search, ascending; any actions after a stop.
    fn best(&self, position: &dyn Position) -> Vec<Action> {
        let search = |search: Minimax| search.until(&self.stop);
        match self.limit {
            AlphaBetaSpec::Depth(depth) => {
                let mut actions = Vec::new();
                position.actions(&mut actions);
                search(Minimax::plain()).keep_best(position, &mut actions, depth);
                actions
            }
            AlphaBetaSpec::Nodes(nodes) => search(Minimax::within(nodes.into())).deepen(position, None),
            AlphaBetaSpec::TimeMs(_) => {
                let deadline = self.limit.thinking_time().map(|time| Instant::now() + time);
                search(Minimax::within(MOST)).deepen(position, deadline)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::chooser::keep_best;
    use super::minimax::end;
    use super::*;
    use gauntlet_games::base::{Outcome, Seed, Side};
    use gauntlet_games::games::{GameSpec, State, View};

    fn game(text: &str) -> Arc<dyn Game> {
        toml::from_str::<GameSpec>(text).unwrap().build()
    }

    fn player(text: &str) -> AlphaBeta {
        AlphaBeta { limit: toml::from_str(text).unwrap(), stop: Stop::default() }
    }

    /// The position after random actions, without those that end the game.
    fn after(game: &dyn Game, plies: usize, seed: u64) -> Box<dyn Position> {
        let (mut position, mut rng) = (game.start(), Seed::new(seed).rng());
        for _ in 0..plies {
            let action = position.random_action(&mut rng);
            if position.outcome_after(action).is_none() {
                position.play(action);
            }
        }
        position
    }

    /// The value of an action without pruning.
    fn plain(position: &dyn Position, action: Action, depth: u32) -> f64 {
        let (side, mut next) = (position.side(), position.fork());
        next.play(action);
        match next.outcome() {
            Some(outcome) => end(outcome, side, depth),
            None if depth == 1 => next.lead(side).unwrap_or(0.0),
            None => {
                let mut actions = Vec::new();
                next.actions(&mut actions);
                let values = actions.iter().map(|&action| plain(&*next, action, depth - 1));
                let best = values.fold(f64::NEG_INFINITY, f64::max);
                if next.side() == side { best } else { -best }
            }
        }
    }

    /// The actions that minimax without pruning finds best, and their value.
    fn wanted(position: &dyn Position, depth: u32) -> (Vec<Action>, f64) {
        let (mut actions, mut best) = (Vec::new(), f64::NEG_INFINITY);
        position.actions(&mut actions);
        keep_best(&mut actions, |action| {
            let value = plain(position, action, depth);
            best = best.max(value);
            value
        });
        (actions, best)
    }

    #[test]
    fn it_plays_all_that_minimax_finds_best_and_nothing_else() {
        for (text, depth) in [
            ("connect-four = {}", 4),
            ("othello = { size = 6 }", 3),
            ("atari-go = { size = 5 }", 2),
            ("mnk = { rows = 3, columns = 3, row = 3 }", 9),
        ] {
            let (game, mut rng) = (game(text), Seed::new(1).rng());
            let mut position = game.start();
            (0..6).for_each(|_| position.play(position.random_action(&mut rng)));
            while position.outcome().is_none() {
                let (wanted, _) = wanted(&*position, depth);
                let choice = || player(&format!("depth = {depth}")).choose(&*position, &mut rng);
                let mut found: Vec<Action> = std::iter::repeat_with(choice).take(60).collect();
                found.sort_unstable();
                found.dedup();
                assert!(found.iter().all(|action| wanted.contains(action)), "{text}: {found:?} of {wanted:?}");
                assert!(wanted.len() > 8 || found == wanted, "{text}: {found:?} of {wanted:?}");
                position.play(found[0]);
                for _ in 0..4 {
                    if position.outcome().is_none() {
                        position.play(position.random_action(&mut rng));
                    }
                }
            }
        }
    }

    /// The last four games look back: there the table only orders actions.
    #[test]
    fn deepening_finds_what_plain_minimax_finds() {
        let mut visited = [0; 2];
        for (text, plies, depth) in [
            ("connect-four = {}", 6, 5),
            ("othello = { size = 6 }", 8, 4),
            ("atari-go = { size = 5 }", 8, 3),
            ("mnk = { rows = 3, columns = 3, row = 3 }", 1, 8),
            ("hex = { size = 3, swap = true }", 0, 4),
            ("breakthrough = { size = 5 }", 4, 4),
            ("pente = { size = 5 }", 10, 3),
            ("go = { size = 3, move-cap = 10 }", 6, 4),
            ("go = { size = 3, superko = \"draw\" }", 8, 4),
            ("chess = { size = 5, ply-cap = 12 }", 8, 3),
            ("ludeme = { name = \"lasca\" }", 10, 4),
        ] {
            let game = game(text);
            for seed in 0..3 {
                let position = after(&*game, plies, seed);
                let (actions, value) = wanted(&*position, depth);
                for (mut search, visited) in [Minimax::plain(), Minimax::within(u64::MAX)].into_iter().zip(&mut visited)
                {
                    let found: Vec<_> = (1..=depth).map(|depth| exact(&mut search, &*position, depth)).collect();
                    assert_eq!(found.last(), Some(&(actions.clone(), Some(value))), "{text}, {seed}");
                    *visited += u64::MAX - search.left;
                }
            }
        }
        assert!(visited[1] < visited[0], "the table saves nodes: {visited:?}");
    }

    /// The best actions of one iteration, and their value.
    fn exact(search: &mut Minimax, position: &dyn Position, depth: u32) -> (Vec<Action>, Option<f64>) {
        let mut actions = Vec::new();
        position.actions(&mut actions);
        let value = search.keep_best(position, &mut actions, depth);
        (actions, value)
    }

    /// Six plies of 0 or 1. Their order decides the game, and the key holds their sum alone.
    #[derive(Clone)]
    struct Ordered {
        played: Vec<u32>,
        has_history: bool,
    }

    impl State for Ordered {
        fn side(&self) -> Side {
            Side::BOTH[self.played.len() % 2]
        }
        fn actions(&self, into: &mut Vec<Action>) {
            if self.played.len() < 6 {
                into.extend([Action(0), Action(1)]);
            }
        }
        fn play(&mut self, action: Action) {
            self.played.push(action.0);
        }
        fn outcome(&self) -> Option<Outcome> {
            let number = self.played.iter().fold(0, |number, bit| 2 * number + bit);
            let winner = Side::BOTH[usize::from((number * 11) & 8 == 0)];
            (self.played.len() == 6).then_some(Outcome::Win(winner))
        }
        fn view(&self, view: &mut View) {
            *view = View { side: State::side(self), ..View::new() };
        }
        fn key(&self) -> u128 {
            (self.played.len() as u128) << 8 | u128::from(self.played.iter().sum::<u32>())
        }
        fn has_history(&self) -> bool {
            self.has_history
        }
    }

    /// A game that denies its history gets another result: both actions are equal, and it finds one.
    #[test]
    fn histories_are_not_mixed_up() {
        let best = |has_history| {
            let position = Ordered { played: Vec::new(), has_history };
            (wanted(&position, 6).0.len(), Minimax::within(u64::MAX).deepen(&position, None).len())
        };
        assert_eq!((best(true), best(false)), ((2, 2), (2, 1)));
    }

    #[test]
    fn a_budget_plays_the_last_complete_iteration() {
        let game = game("othello = { size = 6 }");
        for seed in 0..3 {
            let position = after(&*game, 6, seed);
            let sets: Vec<Vec<Action>> = (1..=6).map(|depth| wanted(&*position, depth).0).collect();
            assert_eq!(player("nodes = 1").best(&*position), sets[0]);
            let mut reached = 0;
            for nodes in (1..300).step_by(7) {
                let found = player(&format!("nodes = {nodes}")).best(&*position);
                let depth = sets.iter().skip(reached).position(|set| *set == found);
                reached += depth.unwrap_or_else(|| panic!("{nodes} nodes: {found:?} of {sets:?}"));
            }
        }
    }

    #[test]
    fn a_search_ends_where_all_games_end() {
        let (game, mut search) = (game("mnk = { rows = 3, columns = 3, row = 3 }"), Minimax::within(10_000_000));
        assert_eq!(search.deepen(&*game.start(), None).len(), 9, "every first move draws");
        assert!(search.left > 9_000_000, "{}", search.left);
    }

    #[test]
    fn it_wins_as_soon_as_it_can_and_stops_the_other_side() {
        let game = game("connect-four = {}");
        let names = |played: &str, limit: &str| {
            let mut position = game.start();
            played.split(' ').for_each(|name| position.play(game.parse_action(name).unwrap()));
            let best = player(limit).best(&*position).into_iter().map(|action| game.action_name(action));
            best.collect::<Vec<_>>().join(" ")
        };
        for (deep, shallow) in [("depth = 5", "depth = 2"), ("nodes = 100", "nodes = 100")] {
            assert_eq!(names("A1 G1 B1 G2 C1 G3", deep), "D1");
            assert_eq!(names("A1 G1 A2 G2 D1 G3", shallow), "G4");
        }
        // Three in a row with two open ends, in three plies.
        for limit in ["depth = 3", "nodes = 400", "nodes = 100000"] {
            assert_eq!(names("D1 D2 C1 C2", limit), "B1 E1");
        }
    }

    /// A search of twenty plies on a large board would take years.
    #[test]
    fn a_request_ends_a_search_at_once() {
        let (spec, mut rng) = (toml::from_str::<GameSpec>("gomoku = { size = 15 }").unwrap(), Seed::new(1).rng());
        let (game, stop) = (spec.build(), Stop::default());
        let (start, mut player) = (game.start(), player("depth = 20"));
        player.begin(&Setting { game: &spec, stop: stop.clone() }).unwrap();
        stop.request();
        let mut turns = [Turn::new(0, &*start, &mut rng)];
        assert!(player.decide(&mut turns).is_err() && turns[0].decision.action.is_none());
    }

    #[test]
    fn a_limit_has_bounds_and_is_one() {
        let read = toml::from_str::<AlphaBetaSpec>;
        for (text, name, json) in [
            ("", "alpha-beta 3", r#"{"depth":3}"#),
            ("depth = 4", "alpha-beta 4", r#"{"depth":4}"#),
            ("nodes = 500", "alpha-beta 500 nodes", r#"{"nodes":500}"#),
        ] {
            let spec = read(text).unwrap();
            assert_eq!((&*spec.name(), &*serde_json::to_string(&spec).unwrap()), (name, json));
            assert_eq!(serde_json::from_str::<AlphaBetaSpec>(json).unwrap(), spec);
        }
        for (text, message) in [
            ("depth = 0", "depth 0 is outside 1 to 20"),
            ("nodes = 0", "0 nodes: a search takes from 1 to 10000000"),
            ("depth = 3\nnodes = 500", "`depth` and `nodes` both limit the search: leave one of them out"),
            ("node = 500", "unknown field `node`"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
