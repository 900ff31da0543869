//! Selection rules and their settings, as a manifest writes them.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use gauntlet_games::base::{FromZero, bounded};

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

impl Rule {
    /// The settings of a UCT search that needs more than visits and values.
    #[must_use]
    pub fn hinted(&self) -> Option<Uct> {
        if let Rule::Uct(uct) = self { Some(*uct).filter(Uct::has_hints) } else { None }
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
///
/// | key | default | choices |
/// |---|---|---|
/// | `c` | the square root of 2 | 0 or more |
/// | `rave` | none | `{}`, `{ bias = 1e-5 }`, `{ ref = 50 }`, `{ c = 0.2 }` |
/// | `progressive-bias` | none | `{}`, `{ weight = 0.5 }` |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Uct {
    /// Exploration constant `c` of `Q + c sqrt(ln(sum N) / n)`; mean outcomes `Q` are from -1 to 1. By default the square
    /// root of 2.
    #[serde(with = "FromZero")]
    pub c: f64,
    /// Statistics of all moves as first. None by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rave: Option<Rave>,
    /// A heuristic term that fades with visits. None by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progressive_bias: Option<ProgressiveBias>,
}

impl Default for Uct {
    fn default() -> Uct {
        Uct { c: std::f64::consts::SQRT_2, rave: None, progressive_bias: None }
    }
}

impl Uct {
    /// The name of the search: `UCT`, `RAVE` or `GRAVE`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self.rave {
            None => "UCT",
            Some(Rave { reference: 0, .. }) => "RAVE",
            Some(_) => "GRAVE",
        }
    }

    /// Whether its scores need more than visits and values.
    #[must_use]
    pub fn has_hints(&self) -> bool {
        self.rave.is_some() || self.progressive_bias.is_some()
    }
}

/// All moves as first: an action's value includes the play-outs that contain it later (Gelly and Silver 2007; 2011,
/// "Monte-Carlo tree search and rapid action value estimation in computer Go").
///
/// The score of an action with `n` visits is `(1 - beta) Q + beta A + c sqrt(ln(sum N) / n)`. `A` is the mean outcome of
/// the `m` play-outs from this node or below it in which the side to move plays the action at this node or later. The
/// path through the tree belongs to a play-out, which counts once for an action. Actions are equal if their indices
/// are, in any position. If a leaf has several play-outs, each counts as its share of one.
///
/// `beta = m / (m + n + bias m n)`, which minimises the mean squared error (Gelly and Silver 2011) in the notation of
/// Cazenave 2015 ("Generalized Rapid Action Value Estimation", IJCAI): `bias` is `4 b^2` of the first paper. Without
/// visits the value is `A`, with many it is `Q`.
///
/// With `ref` this is GRAVE (Cazenave 2015): `A` is that of the nearest node, at or above this one, with more than `ref`
/// play-outs, or else of the root.
///
/// Both papers leave exploration out, so `c` is 0 here. An action without visits comes first if no play-out contains
/// it, or if `c` is above 0.
///
/// | key | default | range |
/// |---|---|---|
/// | `bias` | 1e-7 | 0 or more |
/// | `ref` | 0 | play-outs, 0 to 10,000,000 |
/// | `c` | 0 | 0 or more |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Rave {
    /// Squared error of `A` relative to the variance of an outcome: greater values trust visits sooner.
    #[serde(with = "FromZero")]
    pub bias: f64,
    /// Play-outs that a node needs for its own statistics; until then those of a node above count. 0 for RAVE.
    #[serde(rename = "ref", with = "References", skip_serializing_if = "is_zero")]
    pub reference: u32,
    /// Exploration constant, instead of that of UCT.
    #[serde(with = "FromZero")]
    pub c: f64,
}

impl Default for Rave {
    fn default() -> Rave {
        Rave { bias: 1e-7, reference: 0, c: 0.0 }
    }
}

impl Rave {
    /// Weight of the mean of `m` play-outs with the action, beside the mean of its `n` visits; 0 without play-outs.
    #[must_use]
    pub fn beta(&self, n: f64, m: f64) -> f64 {
        if m > 0.0 { m / (m + n + self.bias * m * n) } else { 0.0 }
    }
}

bounded! {
    /// Play-outs that a node needs for its own statistics.
    References: u32 from 0 to 10_000_000
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Progressive bias: the score of an action with `n` visits has one more term, `weight G / (n + 1)` (Chaslot, Winands,
/// Uiterwijk, van den Herik and Bouzy 2008, "Progressive strategies for Monte-Carlo tree search").
///
/// The heuristic `G` is the lead that the action gains for the side to move: the lead after it, which the greedy player
/// maximises, less the lead before it. Actions without visits are tried in the order of `G`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProgressiveBias {
    /// Factor of the gained lead, in values of a win for each unit of the lead; 1 by default.
    #[serde(with = "FromZero")]
    pub weight: f64,
}

impl Default for ProgressiveBias {
    fn default() -> ProgressiveBias {
        ProgressiveBias { weight: 1.0 }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beta_is_one_without_visits_and_falls_to_nothing() {
        for bias in [0.0, 1e-7, 0.1] {
            let rave = Rave { bias, ..Rave::default() };
            assert_eq!([rave.beta(0.0, 1.0), rave.beta(0.0, 1e6)], [1.0, 1.0], "play-outs alone");
            assert_eq!([rave.beta(0.0, 0.0), rave.beta(5.0, 0.0)], [0.0, 0.0], "visits alone");
            assert!(rave.beta(1e9, 10.0) < 1e-7, "many more visits");
            let falling = [0.0, 1.0, 10.0, 1e3, 1e6].map(|n| rave.beta(n, 100.0));
            assert!(falling.is_sorted_by(|one, next| one > next), "{falling:?}");
        }
        // As many play-outs as visits: 1 / (2 + bias n).
        let rave = Rave { bias: 0.001, ..Rave::default() };
        for (n, beta) in [(10.0, 10.0 / 20.1), (8000.0, 0.1)] {
            assert!((rave.beta(n, n) - beta).abs() < 1e-12, "{n}");
        }
    }

    #[test]
    fn a_name_says_which_statistics_count() {
        let name = |text: &str| toml::from_str::<Uct>(text).map(|uct| (uct.name(), uct.has_hints())).unwrap();
        assert_eq!(name(""), ("UCT", false));
        assert_eq!(name("progressive-bias = {}"), ("UCT", true));
        assert_eq!(name("rave = { ref = 0 }"), ("RAVE", true));
        assert_eq!(name("rave.ref = 50"), ("GRAVE", true));
        let written = serde_json::to_string(&toml::from_str::<Uct>("c = 1.0\nrave = {}").unwrap()).unwrap();
        assert_eq!(written, r#"{"c":1.0,"rave":{"bias":1e-7,"c":0.0}}"#);
    }
}
