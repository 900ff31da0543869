//! The player that searches: one tree for each game, all searched in lockstep.
//!
//! A game keeps its tree until [`Player::forget`]; the settings decide whether a search continues from the previous one.

use std::collections::HashMap;
use std::time::Duration;

use rand::Rng as _;

use super::{Decision, Player, PlayerError, Setting, Turn};
use crate::engines::EngineFacts;
use crate::search::{
    Anytime, Effort, Evaluator, Reuse, SearchResult, SearchSpec, SearchTask, Searcher, Temperature, Tree,
};
use gauntlet_games::base::{Cores, Seed, Stop};

/// Plays the move that a search selects, with any evaluator.
pub struct SearchPlayer {
    /// One searcher for each thread; the caller's first.
    threads: Vec<SearchThread>,
    cores: Cores,
    /// The temperature of moves; `None` for that of the search's settings.
    temperature: Option<Temperature>,
    /// The trees of games under way, by the index of the game.
    trees: HashMap<usize, Tree>,
    /// Unused trees, whose allocations the next games take.
    idle: Vec<Tree>,
    /// The facts about the program of its network, if it is that of another program.
    program: Option<EngineFacts>,
}

/// The searcher and evaluator of one thread.
struct SearchThread {
    searcher: Searcher,
    evaluator: Box<dyn Evaluator>,
}

/// Minimum number of searches that one thread runs in lockstep: enough to fill the networks' kernels.
const TOGETHER: usize = 4;

impl SearchPlayer {
    /// A player for matches, measurements and evaluations; `temperature` is tau of every move.
    #[must_use]
    pub fn new(search: &SearchSpec, evaluator: Box<dyn Evaluator>, temperature: f64) -> SearchPlayer {
        let temperature = Temperature { opening: 1.0, plies: 0, rest: temperature };
        SearchPlayer { temperature: Some(temperature), ..SearchPlayer::in_self_play(search.in_play(), evaluator) }
    }

    /// A player for self-play: with the noise and the temperature of its search.
    #[must_use]
    pub fn in_self_play(search: SearchSpec, evaluator: Box<dyn Evaluator>) -> SearchPlayer {
        let threads = vec![SearchThread { searcher: Searcher::new(search), evaluator }];
        let (trees, idle) = (HashMap::new(), Vec::new());
        SearchPlayer { threads, cores: Cores::default(), temperature: None, trees, idle, program: None }
    }

    /// The player with moves drawn in proportion to their visits for the first `plies` plies of a game.
    #[must_use]
    pub fn sampling(self, plies: u32) -> SearchPlayer {
        let temperature = self.temperature.map(|then| Temperature { plies, ..then });
        SearchPlayer { temperature, ..self }
    }

    /// The player with the facts about the program of its network.
    #[must_use]
    pub fn of_program(self, facts: EngineFacts) -> SearchPlayer {
        SearchPlayer { program: Some(facts), ..self }
    }

    /// The player with a check of `stop` before every batch of evaluations.
    #[must_use]
    pub fn until(mut self, stop: &Stop) -> SearchPlayer {
        self.threads[0].searcher.heed(stop);
        self
    }

    /// Its search as one that can be watched and stopped, and the temperature of its moves.
    #[must_use]
    pub fn anytime(mut self) -> (Anytime, Temperature) {
        let SearchThread { searcher, evaluator } = self.threads.swap_remove(0);
        let temperature = self.temperature.unwrap_or_else(|| searcher.spec().temperature);
        (Anytime::new(searcher.spec().clone(), evaluator), temperature)
    }

    /// Cost of all searches so far.
    #[must_use]
    pub fn effort(&self) -> Effort {
        let mut effort = Effort::default();
        self.threads.iter().for_each(|thread| effort += thread.searcher.effort());
        effort
    }

    /// Adds threads up to the number that may search now.
    fn enlist(&mut self) {
        while self.threads.len() < self.cores.limit() {
            let Some(evaluator) = self.threads[0].evaluator.fork() else { return };
            self.threads.push(SearchThread { searcher: self.threads[0].searcher.fork(), evaluator });
        }
    }

    /// The tree of a game, or a fresh one; two turns of one game in one call get separate trees.
    fn tree(&mut self, game: usize) -> Tree {
        self.trees.remove(&game).or_else(|| self.idle.pop()).unwrap_or_default()
    }

    fn answer(&self, tree: &mut Tree, turn: &mut Turn<'_>) {
        let temperature = self.temperature.unwrap_or_else(|| self.threads[0].searcher.spec().temperature);
        turn.decision = decision(tree.search_result(), temperature, turn);
        turn.decision.action.into_iter().for_each(|action| tree.played(action));
    }

    /// The time of each move, if time limits its search.
    pub(super) fn time(&self) -> Option<Duration> {
        self.threads[0].searcher.spec().simulations.time()
    }
}

/// The decision of a search: its action is drawn from its result.
pub(super) fn decision(found: SearchResult, temperature: Temperature, turn: &mut Turn<'_>) -> Decision {
    let policy = found.policy(temperature.at(turn.ply));
    let action = found.draw(&policy, turn.rng);
    Decision { action, resigns: false, value: Some(found.value), found: Some(found), policy }
}

impl Player for SearchPlayer {
    fn begin(&mut self, setting: &Setting<'_>) -> Result<(), PlayerError> {
        self.threads.iter_mut().for_each(|thread| thread.searcher.heed(&setting.stop));
        Ok(())
    }

    fn decide(&mut self, turns: &mut [Turn<'_>]) -> Result<(), PlayerError> {
        self.enlist();
        let mut trees: Vec<Tree> = turns.iter().map(|turn| self.tree(turn.game)).collect();
        let task = |(turn, tree)| {
            let turn: &mut Turn<'_> = turn;
            let seed = turn.seed.unwrap_or_else(|| Seed::new(turn.rng.next_u64()));
            SearchTask { tree, position: turn.position, seed }
        };
        let mut tasks: Vec<SearchTask<'_>> = turns.iter_mut().zip(&mut trees).map(task).collect();
        let search =
            |on: &mut SearchThread, tasks: &mut [SearchTask<'_>]| on.searcher.search(tasks, &mut *on.evaluator);
        self.cores.spread(&mut self.threads, &mut tasks, TOGETHER, search)?;
        for (turn, mut tree) in turns.iter_mut().zip(trees) {
            self.answer(&mut tree, turn);
            self.trees.insert(turn.game, tree);
        }
        Ok(())
    }

    fn helped_by(&mut self, cores: &Cores) {
        self.cores = cores.clone();
    }

    fn remembers(&self) -> bool {
        self.threads[0].searcher.spec().reuse != Reuse::Fresh
    }

    fn forget(&mut self, game: usize) {
        if let Some(mut tree) = self.trees.remove(&game) {
            tree.clear();
            self.idle.push(tree);
        }
    }

    fn end(&mut self) -> Result<Option<EngineFacts>, PlayerError> {
        Ok(self.program.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::arena::{Cohort, PlayedGame, Terms};
    use crate::players::{PlayerSpec, Source, UctAgent};
    use crate::search::Uniform;
    use gauntlet_games::base::Outcome;
    use gauntlet_games::games::{Game, GameSpec};

    fn game() -> Arc<dyn Game> {
        toml::from_str::<GameSpec>("gomoku = { size = 5, row = 4 }").unwrap().build()
    }

    fn player(text: &str) -> Box<dyn Player> {
        let spec: PlayerSpec = toml::from_str(text).unwrap();
        assert_eq!(serde_json::from_str::<PlayerSpec>(&serde_json::to_string(&spec).unwrap()).unwrap(), spec);
        spec.build(&game(), &Source { seed: &Seed::new(0), checkpoint: None }).unwrap()
    }

    /// Games against the random player, half of them as the first side.
    fn play(agent: &mut dyn Player, games: usize, games_at_once: usize) -> Vec<PlayedGame> {
        let terms = Terms { keep_actions: true, ..Terms::default() };
        let cohort = Cohort { games_at_once, terms, ..Cohort::default() };
        let mut random = player("random = {}");
        let seats = |index: usize| [index % 2, 1 - index % 2];
        cohort.play(&*game(), &mut [agent, &mut *random], games, seats, &Seed::new(3)).unwrap()
    }

    fn wins(played: &[PlayedGame]) -> usize {
        let won =
            |played: &&PlayedGame| matches!(played.outcome, Outcome::Win(side) if played.players[side.index()] == 0);
        played.iter().filter(won).count()
    }

    #[test]
    fn a_request_ends_a_search() {
        let (spec, mut rng) =
            (toml::from_str::<GameSpec>("gomoku = { size = 5, row = 4 }").unwrap(), Seed::new(1).rng());
        let (game, stop, mut player) = (spec.build(), Stop::default(), player("uct = { simulations = 10000000 }"));
        let start = game.start();
        player.begin(&Setting { game: &spec, stop: stop.clone() }).unwrap();
        stop.request();
        let mut turns = [Turn::new(0, &*start, &mut rng)];
        assert!(player.decide(&mut turns).is_err() && turns[0].decision.action.is_none());
    }

    #[test]
    fn a_search_without_chance_repeats_its_games() {
        let repeats = |text: &str| toml::from_str::<PlayerSpec>(text).unwrap().agent().repeats();
        assert!(repeats("search = { search = { simulations = 9, rule.gumbel = { scale = 0 } } }"));
        for random in [
            "uct = { simulations = 9 }",
            "search = { search = { simulations = 9 } }",
            "search = { search = { simulations = 9, rule.gumbel = {} } }",
            "search = { search = { simulations = 9, rule.gumbel = { scale = 0 } }, sampled-plies = 2 }",
            "search = { guide.rollouts.count = 1, search = { simulations = 9, rule.gumbel = { scale = 0 } } }",
        ] {
            assert!(!repeats(random), "{random}");
        }
    }

    const AGENTS: [&str; 8] = [
        "uct = { simulations = 60 }",
        "search = { search = { simulations = 60 } }",
        "search = { guide = { rollouts = { count = 2 } }, search = { simulations = 30, reuse = \"keep\" } }",
        "search = { search = { simulations = 30, reuse = \"top-up\", solve = true }, temperature = 0.1 }",
        "search = { search = { simulations = 120, rule = { gumbel = {} } } }",
        "search = { guide.rollouts = { count = 2, most-plies = 9 }, search = { simulations = 60, rule.puct.unvisited = \"siblings\", terminal-weight = 2 }, sampled-plies = 2 }",
        "uct = { simulations = 60, rave = { ref = 10 } }",
        "uct = { simulations = 60, rollouts = 2, rave = { bias = 0.001 }, progressive-bias = { weight = 0.2 } }",
    ];

    #[test]
    fn searchers_beat_the_random_player() {
        for text in AGENTS {
            let won = wins(&play(&mut *player(text), 20, 20));
            assert!(won >= 16, "{text}: {won} of 20");
        }
    }

    /// Stones stay where they are in Hex, so that an action is worth about the same at any time.
    #[test]
    fn all_moves_as_first_help_in_hex() {
        let game = toml::from_str::<GameSpec>("hex = { size = 5 }").unwrap().build();
        let [mut rave, mut uct] = ["rave = {}", ""].map(|text| {
            let agent: UctAgent = toml::from_str(&format!("simulations = 50\n{text}")).unwrap();
            agent.search().player()
        });
        let seats = |index: usize| [index % 2, 1 - index % 2];
        let cohort = Cohort { games_at_once: 40, ..Cohort::default() };
        let played = cohort.play(&*game, &mut [&mut rave, &mut uct], 40, seats, &Seed::new(1)).unwrap();
        assert!(wins(&played) >= 20, "{} of 40", wins(&played));
    }

    #[test]
    fn no_game_depends_on_the_slots_or_on_games_before() {
        for text in AGENTS {
            let (mut one, mut other) = (player(text), player(text));
            let played = play(&mut *one, 12, 12);
            assert_eq!(play(&mut *other, 12, 1), played, "{text}");
            assert_eq!(play(&mut *one, 12, 5), played, "{text}, once more");
        }
    }

    #[test]
    fn trees_last_as_long_as_their_games() {
        let search = toml::from_str::<SearchSpec>("simulations = 20\nreuse = \"keep\"").unwrap();
        let mut agent = SearchPlayer::new(&search, Box::new(Uniform), 0.0);
        play(&mut agent, 10, 4);
        assert!(agent.trees.is_empty() && agent.idle.len() <= 4, "{} {}", agent.trees.len(), agent.idle.len());
    }

    #[test]
    fn a_decision_says_why() {
        let (game, mut agent) = (game(), player("search = { search = { simulations = 50 } }"));
        let (position, mut rng) = (game.start(), Seed::new(1).rng());
        let mut turns = [Turn::new(0, &*position, &mut rng)];
        agent.decide(&mut turns).unwrap();
        let decision = &turns[0].decision;
        assert_eq!((decision.policy.len(), decision.considered().count()), (25, 25));
        assert!((decision.policy.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!(decision.considered().any(|(likely, p)| Some(likely) == decision.action && p > 0.0));
        assert!(decision.value.is_some_and(|value| value.abs() <= 1.0));
    }

    #[test]
    fn the_first_plies_are_drawn_and_the_others_are_not() {
        let mut agent = player("search = { search = { simulations = 30 }, sampled-plies = 8 }");
        let (game, mut rng) = (game(), Seed::new(1).rng());
        let position = game.start();
        let mut likely = |ply: u32| {
            let mut turns = [Turn { ply, ..Turn::new(ply as usize, &*position, &mut rng) }];
            agent.decide(&mut turns).unwrap();
            turns[0].decision.policy.iter().filter(|&&probability| probability > 0.0).count()
        };
        assert!(likely(7) > 10 && likely(8) < 10, "{} {}", likely(7), likely(8));
    }

    #[test]
    fn a_gumbel_search_draws_no_moves() {
        let check = |text: &str| toml::from_str::<PlayerSpec>(text).unwrap().check(&game());
        assert_eq!(check(AGENTS[4]), Ok(()));
        for text in [
            "search = { rule = { gumbel = {} } }, temperature = 0.5",
            "search = { rule = { gumbel = {} } }, sampled-plies = 8",
            "search = { rule = { gumbel = {} }, noise = { alpha = 1 } }",
        ] {
            let network = "guided = { network = { saz = { hidden = 8 } }, ";
            for agent in ["search = { ", network] {
                let message = check(&format!("{agent}{text} }}")).unwrap_err();
                assert!(
                    message.starts_with("a Gumbel search excludes `") && message.contains("leave that out"),
                    "{message}"
                );
            }
        }
    }

    #[test]
    fn invalid_players_report_key_and_range() {
        for (text, message) in [
            ("uct = { simulations = 0 }", "0 simulations: a search takes from 1"),
            ("uct = { c = -1.0 }", "-1 is not a number from 0"),
            ("uct = { rave = { bias = -1.0 } }", "-1 is not a number from 0"),
            ("uct = { rave = { ref = 10000001 } }", "10000001 is outside 0 to 10000000"),
            ("uct = { rave = { equivalence = 10 } }", "unknown field `equivalence`"),
            ("uct = { progressive-bias = { weight = inf } }", "inf is not a number from 0"),
            ("search = { guide = { rollouts = {} } }", "missing field `count`"),
            ("search = { temperature = inf }", "inf is not a number from 0"),
        ] {
            let error = toml::from_str::<PlayerSpec>(text).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn hints_are_refused_where_nothing_gives_them() {
        let check = |game: &str, text: &str| {
            let game = toml::from_str::<GameSpec>(game).unwrap().build();
            toml::from_str::<PlayerSpec>(text).unwrap().check(&game)
        };
        let (gomoku, hex) = ("gomoku = { size = 5 }", "hex = { size = 5 }");
        assert_eq!(check(hex, "uct = { rave = { ref = 50 } }"), Ok(()));
        assert_eq!(check(gomoku, "uct = { rave = {}, progressive-bias = {} }"), Ok(()));
        assert_eq!(check(gomoku, "search = { search.rule.uct.progressive-bias = {} }"), Ok(()));
        let network = "guided = { network = { saz = { hidden = 8 } }, search.rule.uct.rave = {} }";
        for (game, text, message) in [
            (hex, "uct = { progressive-bias = {} }", "a lead, which hex 5x5 does not count: leave it out"),
            (hex, "uct = { c = 0.5, rave = {} }", "write `c` into its table"),
            (hex, "search = { search.rule.uct.rave = {} }", "set `guide.rollouts`, or leave `rave` out"),
            (gomoku, network, "are for searches without a network"),
            (
                gomoku,
                "search = { search = { reuse = \"keep\", solve = true, rule.uct.progressive-bias = {} } }",
                "exclude `reuse`, `solve`: leave that out",
            ),
        ] {
            let refused = check(game, text).unwrap_err();
            assert!(refused.contains(message), "{refused}");
        }
    }

    #[test]
    fn settings_without_hints_are_written_as_before() {
        let written = |text: &str| serde_json::to_string(&toml::from_str::<PlayerSpec>(text).unwrap()).unwrap();
        assert_eq!(written("uct = { c = 1.0 }"), r#"{"uct":{"simulations":100,"c":1.0,"rollouts":1}}"#);
        let name = |text: &str| toml::from_str::<PlayerSpec>(text).unwrap().name();
        assert_eq!(name("uct = {}"), "UCT 100");
        assert_eq!(name("uct = { rave = {} }"), "RAVE 100");
        assert_eq!(name("uct = { rave = { ref = 9 }, progressive-bias = {} }"), "GRAVE 100 with progressive bias");
    }
}
