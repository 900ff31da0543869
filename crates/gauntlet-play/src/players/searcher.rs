//! Players that search: one tree for each game, all searched in lockstep.
//!
//! The search and its settings are in [`crate::search`]; this file turns it into a player. A game keeps its tree until
//! [`Player::forget`]; the settings decide whether a search continues from the previous one.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use rand::Rng as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agent::{Agent, Nothing, PlayOverrides, Source, Workload};
use super::timed::TimedPlayer;
use super::{Decision, Player, PlayerError, Turn};
use crate::search::{
    Anytime, Effort, Evaluator, ProgressiveBias, Rave, Reuse, Rollouts, Rule, SearchBudget, SearchResult, SearchSpec,
    SearchTask, Searcher, Temperature, Ties, Tree, Uct, Uniform, refusal,
};
use gauntlet_games::base::{Cores, FromZero, Seed, Stop};
use gauntlet_games::games::Game;

/// Monte-Carlo tree search without a network.
///
/// | key | default | range |
/// |---|---|---|
/// | `simulations` | 100 | 1 to 10,000,000, or `{ time-ms = 50 }` |
/// | `c` | the square root of 2 | 0 or more |
/// | `rollouts` | 1 | random play-outs for each leaf, 1 or more |
/// | `rave` | none | `{}`, `{ bias = 1e-5 }`, `{ ref = 50 }`, `{ c = 0.2 }` |
/// | `progressive-bias` | none | `{}`, `{ weight = 0.5 }` |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct UctAgent {
    /// The budget of the tree search for one move.
    pub simulations: SearchBudget,
    /// Exploration constant.
    #[serde(with = "FromZero")]
    pub c: f64,
    /// Random play-outs for each leaf.
    pub rollouts: NonZeroU32,
    /// Statistics of all moves as first: RAVE, or GRAVE. None by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rave: Option<Rave>,
    /// A heuristic term that fades with visits, in games with a lead. None by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progressive_bias: Option<ProgressiveBias>,
}

impl Default for UctAgent {
    fn default() -> UctAgent {
        let Uct { c, rave, progressive_bias } = Uct::default();
        UctAgent { simulations: SearchBudget::Simulations(100), c, rollouts: NonZeroU32::MIN, rave, progressive_bias }
    }
}

/// A tree search with a guide that evaluates the leaves, without a network.
///
/// The opponent of Soemers et al. 2021: the search of their networks with uniform priors and ten roll-outs a leaf,
/// each cut off after 200 moves and then counted as a draw.
///
/// ```toml
/// [agents.rollouts.search]
/// guide.rollouts = { count = 10, most-plies = 200 }
/// sampled-plies = 8
/// [agents.rollouts.search.search]
/// simulations = 800
/// count-root = true
/// rule.puct = { c = 1.1, unvisited = "siblings", first-visit = "own-visit" }
/// forced-visits = 2
/// forced-by = "simulations"
/// terminal-weight = 2
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SearchAgent {
    /// The evaluator of the leaves.
    pub guide: Guide,
    /// The tree search; its `noise` and `temperature` are those of self-play.
    pub search: SearchSpec,
    /// Tau of the played moves: 0 for the most visited, ties at random.
    #[serde(with = "FromZero")]
    pub temperature: f64,
    /// Plies of a game, of both sides together, in which moves are drawn in proportion to their visits, before
    /// `temperature` applies.
    #[serde(rename = "sampled-plies", skip_serializing_if = "none_sampled")]
    pub sampled_plies: u32,
}

/// Whether no plies are sampled.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
pub(super) fn none_sampled(plies: &u32) -> bool {
    *plies == 0
}

/// The evaluator of the leaves of a search tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Guide {
    /// No evaluation: uniform priors, value 0.
    Uniform(Nothing),
    /// Random play-outs, uniform priors.
    Rollouts(Playouts),
}

impl Default for Guide {
    fn default() -> Guide {
        Guide::Uniform(Nothing {})
    }
}

/// Random play-outs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Playouts {
    /// Number of play-outs for each leaf.
    pub count: NonZeroU32,
    /// Plies after which a play-out stops and counts as a draw; by default the game's maximum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_plies: Option<NonZeroU32>,
}

impl SearchAgent {
    /// The player, for any game.
    #[must_use]
    pub fn player(&self) -> SearchPlayer {
        let evaluator: Box<dyn Evaluator> = match self.guide {
            Guide::Uniform(Nothing {}) => Box::new(Uniform),
            Guide::Rollouts(Playouts { count, most_plies }) => {
                Box::new(Rollouts { count, most_plies: most_plies.map_or(u32::MAX, NonZeroU32::get) })
            }
        };
        SearchPlayer::new(&self.search, evaluator, self.temperature).sampling(self.sampled_plies)
    }
}

impl SearchAgent {
    /// Refuses hints that the guide or the game cannot give.
    fn check_hints(&self, uct: Uct, game: &dyn Game) -> Result<(), String> {
        let start = game.start();
        if uct.rave.is_some() && matches!(self.guide, Guide::Uniform(_)) {
            return Err("`rave` counts the actions of play-outs: set `guide.rollouts`, or leave `rave` out".to_owned());
        }
        if uct.progressive_bias.is_some() && start.lead(start.side()).is_none() {
            return Err(format!("`progressive-bias` reads a lead, which {} does not count: leave it out", game.name()));
        }
        Ok(())
    }
}

impl UctAgent {
    /// The equivalent search agent.
    pub(super) fn search(&self) -> SearchAgent {
        let &UctAgent { simulations, c, rollouts, rave, progressive_bias } = self;
        let (rule, ties) = (Rule::Uct(Uct { c, rave, progressive_bias }), Ties::Random);
        let search = SearchSpec { simulations, rule, ties, ..SearchSpec::default() };
        let guide = Guide::Rollouts(Playouts { count: rollouts, most_plies: None });
        SearchAgent { guide, search, ..SearchAgent::default() }
    }
}

impl Agent for UctAgent {
    fn name(&self) -> String {
        let biased = if self.progressive_bias.is_some() { " with progressive bias" } else { "" };
        format!("{} {}{biased}", Uct { rave: self.rave, ..Uct::default() }.name(), self.simulations)
    }

    fn build(&self, game: &Arc<dyn Game>, source: &Source<'_>) -> Result<Box<dyn Player>, PlayerError> {
        self.search().build(game, source)
    }

    fn check(&self, game: &Arc<dyn Game>) -> Result<(), String> {
        self.search().check(game)
    }

    fn workload(&self, game: &dyn Game) -> Workload {
        self.search().workload(game)
    }

    fn explainers(&self) -> Vec<(&'static str, Box<dyn Agent>)> {
        self.search().explainers()
    }

    fn thinking_time(&self) -> Option<Duration> {
        self.simulations.time()
    }

    fn play_overrides(&mut self) -> PlayOverrides<'_> {
        PlayOverrides { simulations: Some(&mut self.simulations), ..PlayOverrides::default() }
    }
}

impl Agent for SearchAgent {
    fn name(&self) -> String {
        let rule = match self.search.rule {
            Rule::Puct(_) => "PUCT",
            Rule::Uct(uct) => uct.name(),
            Rule::Gumbel(_) => "Gumbel",
        };
        let guide = match self.guide {
            Guide::Uniform(_) => "uniform".to_owned(),
            Guide::Rollouts(Playouts { count, most_plies: None }) => format!("{count} roll-outs"),
            Guide::Rollouts(Playouts { count, most_plies: Some(most) }) => {
                format!("{count} roll-outs of at most {most} plies")
            }
        };
        format!("{rule} {} over {guide}", self.search.simulations)
    }

    fn build(&self, _game: &Arc<dyn Game>, _source: &Source<'_>) -> Result<Box<dyn Player>, PlayerError> {
        Ok(self.player().boxed())
    }

    fn check(&self, game: &Arc<dyn Game>) -> Result<(), String> {
        check_search(&self.search, self.temperature, self.sampled_plies)?;
        if self.search.simulations.operations().is_some() {
            return Err("`operations` are those of a network, and this player has none: give it simulations".to_owned());
        }
        self.search.rule.hinted().map_or(Ok(()), |uct| self.check_hints(uct, &**game))
    }

    /// A progressive bias reads the board for every leaf. Counting the actions of a play-out is assumed to cost as much
    /// as the play-out.
    fn workload(&self, game: &dyn Game) -> Workload {
        let (simulations, uct) = (workload_of(self.search.simulations), self.search.rule.hinted());
        let playouts = match self.guide {
            Guide::Uniform(_) => 0.0,
            Guide::Rollouts(Playouts { count, .. }) => f64::from(count.get()),
        };
        let counted = if uct.is_some_and(|uct| uct.rave.is_some()) { 2.0 } else { 1.0 };
        let read = if uct.is_some_and(|uct| uct.progressive_bias.is_some()) { game.topology().sites() } else { 0 };
        Workload { sites: simulations * read as f64, simulations, playouts: counted * playouts, ..Workload::default() }
    }

    fn thinking_time(&self) -> Option<Duration> {
        self.search.simulations.time()
    }

    fn played_search(&self) -> Option<SearchSpec> {
        Some(self.search.in_play())
    }

    fn explainers(&self) -> Vec<(&'static str, Box<dyn Agent>)> {
        vec![("search", Box::new(SearchAgent { search: quiet(&self.search), temperature: 1.0, ..self.clone() }))]
    }

    fn play_overrides(&mut self) -> PlayOverrides<'_> {
        let temperature = draws_moves(&self.search).then_some(&mut self.temperature);
        PlayOverrides { simulations: Some(&mut self.search.simulations), temperature, ..PlayOverrides::default() }
    }
}

/// Refuses settings of a search that exclude each other, including those of the moves in matches.
pub(super) fn check_search(search: &SearchSpec, temperature: f64, sampled_plies: u32) -> Result<(), String> {
    search.check()?;
    match (draws_moves(search), temperature == 0.0, sampled_plies == 0) {
        (true, _, _) | (_, true, true) => Ok(()),
        (false, false, _) => Err(refusal("`temperature`")),
        (false, true, false) => Err(refusal("`sampled-plies`")),
    }
}

/// Whether moves are drawn from the search result: a Gumbel search chooses them itself.
pub(super) fn draws_moves(search: &SearchSpec) -> bool {
    !matches!(search.rule, Rule::Gumbel(_))
}

/// Whether the search determines every move outside self-play, without random choices.
pub(super) fn is_settled(search: &SearchSpec, temperature: f64, sampled_plies: u32) -> bool {
    let played = search.in_play();
    let is_quiet = played.simulations.time().is_none()
        && played.noise.is_none()
        && played.root_noise.is_none()
        && played.ties == Ties::First;
    let is_noisy_rule = matches!(played.rule, Rule::Gumbel(rule) if rule.scale > 0.0);
    is_quiet && !is_noisy_rule && temperature == 0.0 && sampled_plies == 0
}

/// The simulations of a decision; 0 if time limits them.
pub(super) fn workload_of(budget: SearchBudget) -> f64 {
    if budget.time().is_some() { 0.0 } else { f64::from(budget.most()) }
}

/// The search without self-play noise and without a kept tree.
pub(super) fn quiet(search: &SearchSpec) -> SearchSpec {
    SearchSpec { noise: None, root_noise: None, reuse: Reuse::Fresh, ..search.clone() }
}

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
        SearchPlayer { threads, cores: Cores::default(), temperature: None, trees: HashMap::new(), idle: Vec::new() }
    }

    /// The player with moves drawn in proportion to their visits for the first `plies` plies of a game.
    #[must_use]
    pub fn sampling(self, plies: u32) -> SearchPlayer {
        let temperature = self.temperature.map(|then| Temperature { plies, ..then });
        SearchPlayer { temperature, ..self }
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

    /// The player, with a limit of time if its settings have one.
    pub(super) fn boxed(self) -> Box<dyn Player> {
        let budget = self.threads[0].searcher.spec().simulations;
        match budget.time() {
            Some(time) => {
                let keeps = self.remembers();
                Box::new(TimedPlayer::new(self.anytime(), time, keeps))
            }
            None => Box::new(self),
        }
    }
}

/// The decision of a search: its action is drawn from its result.
pub(super) fn decision(found: SearchResult, temperature: Temperature, turn: &mut Turn<'_>) -> Decision {
    let policy = found.policy(temperature.at(turn.ply));
    let action = found.draw(&policy, turn.rng);
    Decision { action, resigns: false, value: Some(found.value), found: Some(found), policy }
}

impl Player for SearchPlayer {
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
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::arena::{Cohort, PlayedGame, Terms};
    use crate::players::{PlayerSpec, Source};
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
    fn play(agent: &mut dyn Player, games: usize, slots: usize) -> Vec<PlayedGame> {
        let terms = Terms { keep_actions: true, ..Terms::default() };
        let cohort = Cohort { slots, terms, ..Cohort::default() };
        let mut random = player("random = {}");
        let seats = |index: usize| [index % 2, 1 - index % 2];
        cohort.play(&*game(), &mut [agent, &mut *random], games, seats, &Seed::new(3)).unwrap()
    }

    fn wins(played: &[PlayedGame]) -> usize {
        let won =
            |played: &&PlayedGame| matches!(played.outcome, Outcome::Win(side) if played.players[side.index()] == 0);
        played.iter().filter(won).count()
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
        let cohort = Cohort { slots: 40, ..Cohort::default() };
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
