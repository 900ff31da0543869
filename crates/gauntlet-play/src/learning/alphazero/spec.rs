//! Settings of an AlphaZero training.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::selfplay::{Amount, PliesSpec, PolicyTarget, ValueTarget, WeightedBoard};
use super::super::{AdamSpec, Keep, LossSpec, RateSchedule, Symmetries, Window};
use super::GateSpec;
use crate::arena::{Entrant, EvenGames, OpeningsSpec};
use crate::players::{GuidedAgent, PlayerSpec};
use gauntlet_games::base::AboveZero;
use gauntlet_games::games::GameSpec;
use gauntlet_nets::nets::NumberFormat;

/// The cost of one move of the rules, in floating-point operations.
pub const RULE_STEP: u64 = 1000;

/// One AlphaZero training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AlphaZeroJob {
    /// The rules, and the board if `sizes` is empty.
    pub game: GameSpec,
    /// The boards of self-play. Default: the game's own.
    #[serde(default)]
    pub sizes: Vec<SizeShare>,
    /// The player to train: a guided one. Its `weights` are the initial weights: drawn by the run's
    /// seed, from the training in the stage's `from` (with a new optimiser), or from a file.
    pub agent: PlayerSpec,
    /// The training settings.
    #[serde(default)]
    pub settings: AlphaZeroSpec,
}

/// A board of self-play.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SizeShare {
    /// Rows and columns.
    pub size: u32,
    /// Its share of the games, relative to the others'.
    #[serde(with = "AboveZero")]
    pub share: f64,
}

/// Settings of AlphaZero training (Ben-Assayag and El-Yaniv 2021, section 3.3, Algorithm 3 and appendices A.2 and D).
///
/// | key | default | | the paper |
/// |---|---|---|---|
/// | `iterations` | 100 | of self-play, then optimisation | not given; days of one GPU |
/// | `games` | 100 | games of an iteration | not given; 100 in its code base |
/// | `plies` | none | `{ environments = 256, each = 512 }`: plies of an iteration, instead of `games`; games restart, and the last one of each environment is cut off, without value targets | none |
/// | `compute` | none | budget of 10^12 operations; the iteration that reaches it is the last | none |
/// | `processor-seconds` | none | budget of processor time on one core, evaluations included; the iteration that reaches it is the last. The length of such a training depends on the machine | none |
/// | `draw` | `"game"` | a board size for each `"game"` or each `"iteration"` | appendix D; Algorithm 3 |
/// | `history` | 20 | iterations in the replay window | 20 |
/// | `window` | none | `{ frames = 1000000 }`: examples in the replay window, instead of `history`: all of the newest iteration, and a uniform sample of the older ones | none |
/// | `samples` | none | limit to the latest examples of the window, each symmetry of `"all"` counted | none |
/// | `epochs` | 10 | passes over them in an iteration, rounded down to whole batches | not given; 10 in its code base |
/// | `steps` | none | steps of an iteration, instead of epochs | none |
/// | `reuse` | none | average draws of each example, instead of epochs: the steps of an iteration draw this many times the number of examples it added, rounded down, at least one step | none |
/// | `batch` | 64 | examples of a step | not given; 64 in its code base |
/// | `numbers` | `"f32"` | the number format of the matrix products of a step, `"f32"` or `"bf16"`; sums, norms, weights and Adam are `f32` | not given; `f32` in its code base |
/// | `symmetries` | `"none"` | `"none"`, `"random"`, `"all"` | none; model1: all |
/// | `value` | `"outcome"` | z; `"search"` is `sum_a pi(a) Q(a)` | outcome |
/// | `policy` | `"visits"` | pi; `"played"` has the temperature of the ply | `N^(1/tau)`, which is `"played"` |
/// | `adam`, `loss` | | see there; c = 0 | Adam by its code base; c = 0 |
/// | `fresh-adam` | false | whether every iteration starts with a new state of Adam | not given; true in its code base |
/// | `gate` | none | match against the previous network that a network must pass to enter the next iteration | none |
/// | `evaluation` | none | games against an opponent every few iterations, for the metrics | none |
/// | `rates` | none | learning rates by iteration, starting from that of `adam` | none |
/// | `keep` | none | iterations, ascending, whose network is kept as a file of its own; `"state"` is the last state, from which a longer training continues | none |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct AlphaZeroSpec {
    /// Iterations of self-play and optimisation.
    pub iterations: NonZeroU32,
    /// Games of an iteration.
    pub games: NonZeroU32,
    /// Plies of an iteration in environments that play one game after another, instead of whole games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<PliesSpec>,
    /// Floating-point operations, in 10^12, after which no further iteration begins.
    #[serde(with = "AboveZero", skip_serializing_if = "Option::is_none")]
    pub compute: Option<f64>,
    /// Seconds of processor time on one core, after which no further iteration begins. The length is not repeatable.
    #[serde(with = "AboveZero", skip_serializing_if = "Option::is_none")]
    pub processor_seconds: Option<f64>,
    /// The unit for which a board size is drawn.
    pub draw: Draw,
    /// Iterations in the replay window.
    pub history: NonZeroU32,
    /// Examples in the replay window, instead of those of whole iterations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<FramesSpec>,
    /// Limit to the latest examples of the window, each symmetry counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<NonZeroU32>,
    /// Passes over the examples in an iteration.
    pub epochs: NonZeroU32,
    /// Steps of an iteration, instead of epochs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<NonZeroU32>,
    /// Draws of each example that an iteration adds, instead of epochs: the ratio of training to self-play.
    #[serde(with = "AboveZero", skip_serializing_if = "Option::is_none")]
    pub reuse: Option<f64>,
    /// Examples of a step.
    pub batch: NonZeroU32,
    /// The number format of the matrix products of a step: `f32` or `bf16`. That of self-play is the agent's.
    #[serde(skip_serializing_if = "NumberFormat::is_f32")]
    pub numbers: NumberFormat,
    /// Symmetries applied to examples.
    pub symmetries: Symmetries,
    /// Target of the values.
    pub value: ValueTarget,
    /// Target of the policies.
    pub policy: PolicyTarget,
    /// The optimiser.
    pub adam: AdamSpec,
    /// The loss.
    pub loss: LossSpec,
    /// Whether every iteration starts with a new optimiser state.
    pub fresh_adam: bool,
    /// The gate that a network must pass to enter the next iteration. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateSpec>,
    /// Games against an opponent every few iterations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<EvaluationSpec>,
    /// Learning rates by iteration. Default: that of `adam`, always.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rates: Option<RateSchedule>,
    /// Iterations, counted from 1, whose network is kept beside the last one (a budget of `compute` may end earlier),
    /// and `"state"`: the last state, from which a longer training continues.
    #[serde(skip_serializing_if = "Keep::is_empty")]
    pub keep: Keep,
}

/// A window of a fixed number of examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FramesSpec {
    /// Number of examples: all of the newest iteration, even if it has more, and a uniform sample of the older
    /// ones.
    pub frames: NonZeroU32,
}

/// The unit for which a board size is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Draw {
    /// For each game.
    #[default]
    Game,
    /// For all games of an iteration.
    Iteration,
}

/// Games against an opponent every few iterations; they are not trained on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EvaluationSpec {
    /// Iterations between two evaluations.
    pub every: NonZeroU32,
    /// Number of games.
    pub games: EvenGames,
    /// The opponent. `score` is the mean score against it or, without one, against the panel, past selves left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponent: Option<PlayerSpec>,
    /// More opponents, each with a curve of its own; their games have a joint rating.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub panel: Vec<Entrant>,
    /// Iterations of this training, which `keep` keeps: their networks join the panel of later evaluations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub past: Vec<NonZeroU32>,
    /// Rows and columns of the board. Default: the game's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u32>,
    /// Openings of the two games of a pair; no files here. Default: the starting position.
    #[serde(default, skip_serializing_if = "is_none")]
    pub openings: OpeningsSpec,
    /// Whether the network is also evaluated before its training. Default: no.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untrained: bool,
}

impl EvaluationSpec {
    /// The opponents that are not past selves, by their names; `opponent` is that of the key.
    pub fn opponents(&self) -> impl Iterator<Item = (&str, &PlayerSpec)> {
        let own = self.opponent.iter().map(|opponent| (OPPONENT, opponent));
        own.chain(self.panel.iter().map(|entrant| (&*entrant.name, &entrant.agent)))
    }

    /// The names of the opponents whose games are counted one by one: the panel, past selves, and an engine.
    #[must_use]
    pub fn counted(&self) -> Vec<String> {
        let engine = self.opponent.iter().filter(|opponent| matches!(opponent.untuned(), PlayerSpec::Engine(_)));
        let panel = self.panel.iter().map(|entrant| entrant.name.clone());
        let past = self.past.iter().map(|past| super::panel::iteration(past.get()));
        engine.map(PlayerSpec::name).chain(panel).chain(past).collect()
    }

    /// The number of opponents over which `score` is a mean: one, or the panel without past selves.
    #[must_use]
    pub fn scored(&self) -> u64 {
        if self.opponent.is_some() { 1 } else { self.panel.len() as u64 }
    }

    /// Refuses an evaluation without opponents, two opponents of one name, and past selves that are not kept.
    pub(super) fn check_opponents(&self, keep: &Keep) -> Result<(), String> {
        if self.opponent.is_none() && self.panel.is_empty() && self.past.is_empty() {
            return Err("an evaluation has no opponent: name an `opponent` or a `panel`".to_owned());
        }
        for (at, Entrant { name, .. }) in self.panel.iter().enumerate() {
            if self.panel[..at].iter().any(|other| other.name == *name) {
                return Err(format!("two opponents of the panel are called `{name}`"));
            }
            if name.is_empty() || [AGENT, OPPONENT].contains(&&**name) || name.starts_with("iteration ") {
                return Err(format!("an opponent of the panel cannot be called `{name}`: take another name"));
            }
        }
        match self.past.iter().find(|past| !keep.iterations.contains(&past.get())) {
            Some(past) => Err(format!("`past` plays the network of iteration {past}: name it in `keep`, too")),
            None => Ok(()),
        }
    }
}

/// The names of the learner and of the opponent among the players.
const AGENT: &str = "agent";
const OPPONENT: &str = "opponent";

fn is_none(openings: &OpeningsSpec) -> bool {
    *openings == OpeningsSpec::None
}

impl Default for AlphaZeroSpec {
    fn default() -> AlphaZeroSpec {
        let count = |count| NonZeroU32::new(count).expect("the defaults are above 0");
        AlphaZeroSpec {
            iterations: count(100),
            games: count(100),
            plies: None,
            compute: None,
            processor_seconds: None,
            draw: Draw::default(),
            history: count(20),
            window: None,
            samples: None,
            epochs: count(10),
            steps: None,
            reuse: None,
            batch: count(64),
            numbers: NumberFormat::F32,
            symmetries: Symmetries::default(),
            value: ValueTarget::default(),
            policy: PolicyTarget::default(),
            adam: AdamSpec::default(),
            loss: LossSpec::default(),
            fresh_adam: false,
            gate: None,
            evaluation: None,
            rates: None,
            keep: Keep::default(),
        }
    }
}

impl AlphaZeroJob {
    /// The boards of self-play.
    ///
    /// # Errors
    /// A sentence about a size that the game does not have.
    pub fn boards(&self) -> Result<Vec<WeightedBoard>, String> {
        let board = |(game, weight): (GameSpec, f64)| WeightedBoard { game: game.build(), weight };
        Ok(self.games()?.into_iter().map(board).collect())
    }

    /// The games on the boards of self-play, with their weights.
    ///
    /// # Errors
    /// A sentence about a size that the game does not have.
    pub fn games(&self) -> Result<Vec<(GameSpec, f64)>, String> {
        if self.sizes.is_empty() {
            return Ok(vec![(self.game.clone(), 1.0)]);
        }
        self.sizes.iter().map(|share| Ok((self.game.resized(share.size)?, share.share))).collect()
    }

    /// The game on the first of the boards of self-play.
    #[must_use]
    pub fn first_board(&self) -> GameSpec {
        let first = self.sizes.first().and_then(|share| self.game.resized(share.size).ok());
        first.unwrap_or_else(|| self.game.clone())
    }

    /// The game of the evaluations.
    ///
    /// # Errors
    /// A sentence about a size that the game does not have.
    pub fn arena(&self, evaluation: &EvaluationSpec) -> Result<GameSpec, String> {
        evaluation.size.map_or_else(|| Ok(self.game.clone()), |size| self.game.resized(size))
    }

    /// The agent to train, if it can be trained.
    #[must_use]
    pub fn agent(&self) -> Option<&GuidedAgent> {
        if let PlayerSpec::Guided(agent) = &self.agent { Some(agent) } else { None }
    }
}

impl AlphaZeroSpec {
    /// The amount of self-play in an iteration.
    #[must_use]
    pub fn amount(&self) -> Amount {
        self.plies.map_or_else(|| Amount::Games(self.games.get().into()), Amount::Plies)
    }

    /// The capacity of the replay window.
    #[must_use]
    pub fn window(&self) -> Window {
        let iterations = self.history.min(self.iterations).get() as usize;
        self.window.map_or(Window::Iterations(iterations), |window| Window::Frames(window.frames.get() as usize))
    }

    /// Number of steps of an iteration that added `added` examples and draws from `window`.
    pub(super) fn steps(&self, added: usize, window: usize) -> usize {
        let batch = self.batch.get() as usize;
        match (self.steps, self.reuse) {
            (Some(steps), _) => steps.get() as usize,
            (None, Some(reuse)) => ((reuse * added as f64 / batch as f64) as usize).max(1),
            (None, None) => self.epochs.get() as usize * (window / batch).max(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::Job as _;

    const JOB: &str = "game = { othello = { size = 6 } }\nsizes = [{ size = 5, share = 0.6 }, { size = 6, share = 0.4 }]\n\
        agent = { guided = { network = { saz = { hidden = 8 } } } }\n";

    /// The tables of [`AlphaZeroSpec`], [`AdamSpec`], [`LossSpec`] and [`GateSpec`].
    #[test]
    fn written_out_defaults_equal_the_default_settings() {
        let job: AlphaZeroJob = toml::from_str(JOB).unwrap();
        let written = serde_json::json!({
            "iterations": 100,
            "games": 100,
            "draw": "game",
            "history": 20,
            "epochs": 10,
            "batch": 64,
            "symmetries": "none",
            "value": "outcome",
            "policy": "visits",
            "adam": { "rate": 0.001, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8 },
            "loss": { "policy": "all", "l2": 0.0 },
            "fresh-adam": false,
        });
        assert_eq!(serde_json::to_value(&job.settings).unwrap(), written);
        let job: AlphaZeroJob = toml::from_str(&format!("{JOB}[settings.gate]\n")).unwrap();
        let gate = serde_json::json!({ "games": 40, "share": 0.55, "opening": 2 });
        assert_eq!(serde_json::to_value(job.settings.gate).unwrap(), gate);
    }

    #[test]
    fn a_job_survives_the_round_trip() {
        let settings = "[settings]\niterations = 3\nplies = { environments = 4, each = 30 }\nwindow = { frames = 90 }\nsamples = 1000\ncompute = 2.5\ndraw = \"iteration\"\nreuse = 1.5\nadam = { clip = 0.25 }\n\
            symmetries = \"all\"\nevaluation = { every = 2, games = 4, opponent = { greedy = {} }, size = 8 }\n\
            keep = [1, 3, \"state\"]\nrates = { steps = [{ from = 2, rate = 0.1 }] }\ngate = { games = 10, share = 0.5 }\n";
        let job: AlphaZeroJob = toml::from_str(&format!("{JOB}{settings}")).unwrap();
        job.check().unwrap();
        assert_eq!(job.boards().unwrap()[1].game.topology().sites(), 36);
        let text = serde_json::to_string(&job).unwrap();
        assert!(!text.contains("openings") && !text.contains("untrained"), "the default changes no job's key");
        assert_eq!(serde_json::from_str::<AlphaZeroJob>(&text).unwrap(), job);
    }

    #[test]
    fn an_iteration_learns_in_proportion_to_what_it_has_played() {
        let steps = |text: &str| toml::from_str::<AlphaZeroSpec>(text).unwrap().steps(1000, 9000);
        assert_eq!(
            [steps("reuse = 2.0\nbatch = 128"), steps("reuse = 0.01"), steps("epochs = 2\nbatch = 100")],
            [15, 1, 180]
        );
    }

    #[test]
    fn a_network_for_one_board_is_evaluated_on_it() {
        let check = |network: &str, size: &str| {
            let text = format!(
                "game = {{ othello = {{ size = 8 }} }}\nsizes = [{{ size = 6, share = 1.0 }}]\n\
                 agent = {{ guided = {{ network = {{ {network} = {{}} }} }} }}\n\
                 settings.evaluation = {{ every = 1, games = 2, opponent = {{ greedy = {{}} }}{size} }}"
            );
            toml::from_str::<AlphaZeroJob>(&text).unwrap().check()
        };
        for network in ["az-cnn", "agz-cnn"] {
            let reason = check(network, "").unwrap_err();
            assert!(reason.contains("is made for one board: what it learns in othello 6x6 cannot play othello 8x8"));
            assert_eq!(check(network, ", size = 6"), Ok(()));
        }
        assert_eq!(check("saz", ""), Ok(()));
    }

    #[test]
    fn invalid_settings_report_key_and_range() {
        let refused = |text: &str| match toml::from_str::<AlphaZeroJob>(text) {
            Ok(job) => job.check().unwrap_err(),
            Err(error) => error.message().to_owned(),
        };
        assert!(refused(&JOB.replace("size = 5", "size = 3")).contains("board size 3 is outside 4 to 350"));
        assert!(refused(&JOB.replace("share = 0.4", "share = 0.0")).contains("0 is not a number above 0"));
        let cnn = JOB.replace("saz = { hidden = 8 }", "az-cnn = {}");
        assert!(refused(&cnn).contains("learns on one board size"));
        let single =
            "game = { othello = { size = 6 } }\nagent = { guided = { network = { az-cnn = {} } } }\nsettings.batch = 1";
        assert!(refused(single).contains("says nothing of 1: batch = 2 is the least"));
        let few = single.replace("batch", "samples");
        assert!(refused(&few).contains("says nothing of 1: samples = 2 is the least"));
        let evaluation = "settings.evaluation = { every = 1, games = 2, opponent = { greedy = {} }";
        let opened = format!("{JOB}{evaluation}, openings = {{ random = {{ plies = 60 }} }} }}");
        assert!(refused(&opened).contains("no random opening of 60 plies"));
        for kept in ["0, 1", "2, 2", "3, 1"] {
            assert!(refused(&format!("{JOB}settings.keep = [{kept}]")).contains("ascend, each once"));
        }
        let late = format!("{JOB}settings = {{ iterations = 3, keep = [2, 4] }}");
        let gate = |text: &str| refused(&format!("{JOB}settings.gate = {{ {text} }}"));
        assert!(gate("games = 7").contains("7 games cannot be split evenly"));
        assert!(gate("share = 1.2").contains("share 1.2 is outside 0 to 1"));
        assert!(gate("opening = 60").contains("no random opening of 60 plies"));
        assert_eq!(refused(&late), "iteration 4 cannot be kept: the last one is 3");
        let turned = "game = { breakthrough = { size = 5 } }\nsettings.symmetries = \"all\"\n\
            agent = { guided = { network = { az-cnn = {} }, planes = { pieces = true } } }";
        assert!(refused(turned).contains("the actions of breakthrough 5x5 are none"));
        let tensors = turned.replace("breakthrough = { size = 5 }", "gomoku = { size = 5 }");
        let tensors = tensors.replace("az-cnn = {} }, planes = { pieces = true }", "poly-cnn = {} }");
        assert!(refused(&tensors).contains("the tensors of gomoku 5x5 have places of their own"));
        let described = "game.ludeme = { name = \"gomoku\" }\nsettings.symmetries = \"random\"\n\
            agent = { guided = { network = { saz = {} } } }";
        assert!(refused(described).contains("no symmetry but the identity"), "{}", refused(described));
        let counted = refused(&format!("{JOB}settings = {{ steps = 9, reuse = 2.0 }}"));
        assert!(counted.contains("leave one out"), "{counted}");
        let random = JOB.replace("guided = { network = { saz = { hidden = 8 } } }", "random = {}");
        assert_eq!(refused(&random), "random has no network to train");
    }
}
