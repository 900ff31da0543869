//! Players that search without a network, and what all players that search have in common.
//!
//! The search and its settings are in [`crate::search`].

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agent::{Agent, Nothing, PlayOverrides, Source, Workload};
use super::search_player::SearchPlayer;
use super::timed::TimedPlayer;
use super::{Player, PlayerError};
use crate::search::{
    Evaluator, ProgressiveBias, Rave, Reuse, Rollouts, Rule, SearchBudget, SearchSpec, Ties, Uct, Uniform, refusal,
};
use gauntlet_games::base::FromZero;
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
    /// Exploration constant `c` of `Q + c sqrt(ln(sum N) / n)`; mean outcomes `Q` are from -1 to 1.
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
        Ok(boxed(self.player()))
    }

    /// With uniform priors, PUCT and UCT have many actions with equal visits, and draw among them.
    fn repeats(&self) -> bool {
        let is_fixed = matches!((&self.guide, &self.search.rule), (Guide::Uniform(_), Rule::Gumbel(_)));
        is_fixed && is_settled(&self.search, self.temperature, self.sampled_plies)
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

/// A player that searches, with a limit of time if its settings have one.
pub(super) fn boxed(player: SearchPlayer) -> Box<dyn Player> {
    match player.time() {
        Some(time) => {
            let keeps = player.remembers();
            Box::new(TimedPlayer::new(player.anytime(), time, keeps))
        }
        None => Box::new(player),
    }
}
