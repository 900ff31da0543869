//! Selection rules and their settings, as a manifest writes them.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use gauntlet_games::base::FromZero;

/// The selection rule: a descent follows the action with the greatest score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// `Q + c P sqrt(sum N) / (1 + N)`.
    Puct(Puct),
    /// `Q + c sqrt(ln(sum N) / N)`. Every action is visited once before any is visited twice, greater priors first.
    Uct(Uct),
    /// Sequential halving at the root, `pi' - N / (1 + sum N)` below it.
    Gumbel(Gumbel),
}

impl Default for Rule {
    fn default() -> Rule {
        Rule::Puct(Puct::default())
    }
}

/// Settings of PUCT (ScalableAlphaZero 2021, appendix A.1).
///
/// | key | default | choices | the paper |
/// |---|---|---|---|
/// | `c` | 1.5 | 0 or more | 1.5 |
/// | `unvisited` | `"zero"` | `"zero"`, `"one"`, `"parent"`, `"siblings"`, `{ reduced = 0.25 }` | silent |
/// | `first-visit` | `"prior"` | `"prior"`, `"order"`, `"own-visit"` | `"order"`, read literally |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Puct {
    /// Weight of the priors.
    #[serde(with = "FromZero")]
    pub c: f64,
    /// Q of an action without visits.
    pub unvisited: Unvisited,
    /// The number under the root, which decides a node's first visit.
    pub first_visit: FirstVisit,
}

impl Default for Puct {
    fn default() -> Puct {
        Puct { c: 1.5, unvisited: Unvisited::default(), first_visit: FirstVisit::default() }
    }
}

/// Settings of UCT (Kocsis and Szepesvari 2006).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Uct {
    /// Exploration constant; by default the square root of 2.
    #[serde(with = "FromZero")]
    pub c: f64,
}

impl Default for Uct {
    fn default() -> Uct {
        Uct { c: std::f64::consts::SQRT_2 }
    }
}

/// Settings of the Gumbel search (Danihelka, Guez, Schrittwieser and Silver 2022); the defaults are those of mctx, its
/// authors' library.
///
/// The root considers the actions with the greatest `g + ln P` (`g` from the Gumbel distribution) and halves them
/// until the visits are used up. At every node, `sigma = (maxvisit-init + max N) value-scale q`, where `q` is the
/// completed Q mapped to 0 to 1. The improved policy is `pi' = softmax(ln P + sigma)`; decisions and training use it
/// as the policy.
///
/// | key | default | choices |
/// |---|---|---|
/// | `considered` | 16 | maximum number of actions that the root considers |
/// | `scale` | 1 | factor of the noise `g`; 0 for none |
/// | `value-scale` | 0.1 | 0 or more |
/// | `maxvisit-init` | 50 | 0 or more |
/// | `range` | `"game"` | `"game"`, `"legal"`: the actions whose completed Q are mapped to 0 to 1 |
/// | `endings` | `"count"` | `"count"`, `"free"`: whether a simulation that ends in a finished game counts |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Gumbel {
    /// Maximum number of actions that the root considers.
    pub considered: NonZeroU32,
    /// Factor of the Gumbel noise at the root; 0 for none.
    #[serde(with = "FromZero")]
    pub scale: f64,
    /// Factor of all values relative to the priors.
    #[serde(with = "FromZero")]
    pub value_scale: f64,
    /// Visits that values are weighted with before there are any.
    #[serde(with = "FromZero")]
    pub maxvisit_init: f64,
    /// The values that span the range mapped to 0 to 1.
    pub range: ValueRange,
    /// Whether a simulation that ends in a finished game counts as a simulation.
    pub endings: Endings,
}

impl Default for Gumbel {
    fn default() -> Gumbel {
        Gumbel {
            considered: NonZeroU32::new(16).expect("16 is above 0"),
            scale: 1.0,
            value_scale: 0.1,
            maxvisit_init: 50.0,
            range: ValueRange::default(),
            endings: Endings::default(),
        }
    }
}

/// The values that a Gumbel search maps to 0 to 1. Actions without visits count with the mixed value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ValueRange {
    /// All actions of the game, so that the mixed value always counts: in mctx illegal actions have it.
    #[default]
    Game,
    /// The legal actions: the mixed value counts as long as one of them has no visits.
    Legal,
}

/// Whether a simulation that ends in a finished game counts as a simulation of a Gumbel search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Endings {
    /// It counts, as under the other rules and in mctx: the halving distributes exactly the configured simulations.
    #[default]
    Count,
    /// It does not count: simulations are evaluations, so that the last two actions are compared for longer. A search
    /// makes at most twice its simulations.
    Free,
}

/// Q of an action without visits, for the side to move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unvisited {
    /// 0: an even game.
    #[default]
    Zero,
    /// 1: a win, so that every action is tried.
    One,
    /// The parent's Q: the mean of the node's own evaluation and of all values below it.
    Parent,
    /// The mean of the first-visit values of its siblings; an even game before there is one (Polygames).
    Siblings,
    /// The parent's Q minus this number times the square root of the priors already visited (first-play urgency).
    Reduced(#[serde(with = "FromZero")] f64),
}

/// The number under PUCT's square root, where N are the visits of a node's actions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FirstVisit {
    /// `max(1, sum N)`: the greatest prior is followed first.
    #[default]
    Prior,
    /// `sum N`: at first all scores are equal, and `ties` decides.
    Order,
    /// `1 + sum N`: the node's own visit counts.
    OwnVisit,
}
