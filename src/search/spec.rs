//! Everything that implementations of this search differ on, each as a named setting. No search happens here.
//!
//! The defaults are ScalableAlphaZero 2021, appendix A.1, read as its text says; where the text is silent, the first
//! choice of each table.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};

/// How a tree is searched.
///
/// | key | default | choices | the paper |
/// |---|---|---|---|
/// | `simulations` | 100 | 1 to 10,000,000 | 100 |
/// | `count-root` | false | whether the evaluation of a fresh root is one of the simulations | silent |
/// | `rule` | `puct` | `{ puct = {} }`, `{ uct = {} }`, `{ gumbel = {} }` | PUCT |
/// | `ties` | `"first"` | of equal scores the `"first"` action, or one at `"random"` | silent |
/// | `noise` | none | Dirichlet noise in the priors of every expanded node, over its legal actions | none |
/// | `root-noise` | none | the same at the root alone, on top of `noise`; a kept root gets it too | none |
/// | `forced-visits` | none | `k`: at the root, an action has at least `floor(sqrt(k P sum N))` visits | none |
/// | `reuse` | `"fresh"` | `"fresh"`, `"keep"`, `"top-up"` | silent |
/// | `solve` | false | whether decided subtrees count as decided | no |
/// | `temperature` | 1, 25, 0 | of the moves of self-play | 1 for 25 plies, then 0 |
///
/// A Gumbel search chooses its moves itself and goes without what would disturb that: [`SearchSpec::check`] refuses it
/// with `noise`, `root-noise`, `forced-visits`, `reuse`, `solve` and a `temperature`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct SearchSpec {
    /// Descents of the tree for one decision.
    #[schemars(range(min = 1, max = 10_000_000))]
    #[serde(deserialize_with = "simulations")]
    pub simulations: u32,
    /// Whether the evaluation of a fresh root is one of the simulations; it leads to no action.
    pub count_root: bool,
    /// Which action a descent follows.
    pub rule: Rule,
    /// Which of several actions with equal scores.
    pub ties: Ties,
    /// Noise in the priors of every node, the root's too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<Noise>,
    /// More noise in the priors of the root, once a search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_noise: Option<Noise>,
    /// `k` of the least number of visits `floor(sqrt(k P sum N))` of each action of the root.
    #[schemars(range(min = 0))]
    #[serde(deserialize_with = "some_weight", skip_serializing_if = "Option::is_none")]
    pub forced_visits: Option<f64>,
    /// What a search keeps of the tree of the move before.
    pub reuse: Reuse,
    /// Whether a node counts as decided once its outcome under best play is known; a decided root ends the search.
    pub solve: bool,
    /// How moves are drawn from the visits.
    pub temperature: Temperature,
}

impl Default for SearchSpec {
    fn default() -> SearchSpec {
        SearchSpec {
            simulations: 100,
            count_root: false,
            rule: Rule::default(),
            ties: Ties::default(),
            noise: None,
            root_noise: None,
            forced_visits: None,
            reuse: Reuse::default(),
            solve: false,
            temperature: Temperature::default(),
        }
    }
}

impl SearchSpec {
    /// Refuses settings that exclude each other.
    ///
    /// # Errors
    /// Which they are, and the way out.
    pub fn check(&self) -> Result<(), String> {
        if !matches!(self.rule, Rule::Gumbel(_)) {
            return Ok(());
        }
        let excluded = [
            ("noise", self.noise.is_some()),
            ("root-noise", self.root_noise.is_some()),
            ("forced-visits", self.forced_visits.is_some()),
            ("reuse", self.reuse != Reuse::Fresh),
            ("solve", self.solve),
            ("temperature", self.temperature != Temperature::default()),
        ];
        let given: Vec<String> =
            excluded.iter().filter(|(_, given)| *given).map(|(key, _)| format!("`{key}`")).collect();
        if given.is_empty() { Ok(()) } else { Err(refusal(&given.join(", "))) }
    }
}

/// What is said of settings that a Gumbel search excludes.
pub(crate) fn refusal(keys: &str) -> String {
    format!(
        "a Gumbel search excludes {keys}: its own noise makes it explore, and it chooses the move itself; leave that \
         out, or choose the rule puct or uct"
    )
}

/// Which action a descent follows: the one with the greatest score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// `Q + c P sqrt(sum N) / (1 + N)`.
    Puct(Puct),
    /// `Q + c sqrt(ln(sum N) / N)`, every action once before any twice, greater priors first.
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
/// | `unvisited` | `"zero"` | `"zero"`, `"one"`, `"parent"`, `{ reduced = 0.25 }` | silent |
/// | `first-visit` | `"prior"` | `"prior"`, `"order"`, `"own-visit"` | `"order"` to the letter |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Puct {
    /// Weight of the priors.
    #[schemars(range(min = 0))]
    #[serde(deserialize_with = "weight")]
    pub c: f64,
    /// Q of an action without visits.
    pub unvisited: Unvisited,
    /// What stands under the root, so that a node's first visit is decided by something.
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
    /// Weight of the exploration; by default the square root of 2.
    #[schemars(range(min = 0))]
    #[serde(deserialize_with = "weight")]
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
/// The root considers the actions with the greatest `g + ln P` (`g` from the Gumbel distribution) and halves them until
/// the visits are used up. Anywhere, `sigma = (maxvisit-init + max N) value-scale q`, where `q` is the completed Q mapped
/// to 0 to 1, and the improved policy is `pi' = softmax(ln P + sigma)`: it is what a decision and a training have as
/// their policy.
///
/// | key | default | choices |
/// |---|---|---|
/// | `considered` | 16 | actions that the root considers at most |
/// | `scale` | 1 | of the noise `g`; 0 for none |
/// | `value-scale` | 0.1 | 0 or more |
/// | `maxvisit-init` | 50 | 0 or more |
/// | `range` | `"game"` | `"game"`, `"legal"`: whose completed Q are mapped to 0 to 1 |
/// | `endings` | `"count"` | `"count"`, `"free"`: whether a simulation that ends where the game is over is one |
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Gumbel {
    /// Actions that the root considers at most.
    pub considered: NonZeroU32,
    /// Factor of the Gumbel noise at the root; 0 for none.
    #[schemars(range(min = 0))]
    #[serde(deserialize_with = "weight")]
    pub scale: f64,
    /// Factor of all values against the priors.
    #[schemars(range(min = 0))]
    #[serde(deserialize_with = "weight")]
    pub value_scale: f64,
    /// Visits that values weigh with before there are any.
    #[schemars(range(min = 0))]
    #[serde(deserialize_with = "weight")]
    pub maxvisit_init: f64,
    /// Which values span the range that is mapped to 0 to 1.
    pub range: ValueRange,
    /// Whether a simulation that ends where the game is over is one of the simulations.
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

/// The values that a Gumbel search maps to 0 to 1. What has no visits counts with the mixed value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ValueRange {
    /// Those of all actions of the game, so that the mixed value always counts: in mctx illegal actions hold it.
    #[default]
    Game,
    /// Those of the legal actions: the mixed value counts as long as one of them has no visits.
    Legal,
}

/// Whether a simulation that meets the end of the game is one of the simulations of a Gumbel search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Endings {
    /// It is, as under the other rules and in mctx: the halving shares out exactly the simulations that were asked for.
    #[default]
    Count,
    /// It is not: simulations are evaluations, so that the duel of the last two actions lasts longer; a search makes at
    /// most twice its simulations.
    Free,
}

/// Q of an action that no simulation has followed yet, for the side to move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unvisited {
    /// An even game.
    #[default]
    Zero,
    /// A win: optimism, so that everything is tried.
    One,
    /// The mean of the node's own evaluation and of all values that went through it.
    Parent,
    /// The parent's less this number times the square root of the priors already visited (first-play urgency).
    Reduced(#[serde(deserialize_with = "weight")] f64),
}

/// What PUCT takes the square root of, where N are the visits of a node's actions.
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

/// Which of several actions with the same score.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// The one with the lowest index.
    #[default]
    First,
    /// Each of them as likely.
    Random,
}

/// Dirichlet noise over the legal actions, mixed into their priors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Noise {
    /// Concentration of every action; above 0.
    #[schemars(extend("exclusiveMinimum" = 0))]
    #[serde(deserialize_with = "concentration")]
    pub alpha: f64,
    /// Share of the noise in the mixture, 0 to 1; 0.25 where it is not given.
    #[schemars(range(min = 0, max = 1))]
    #[serde(default = "quarter", deserialize_with = "share")]
    pub weight: f64,
}

/// What a search keeps of the tree of the search before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reuse {
    /// Nothing: every decision grows its own tree.
    #[default]
    Fresh,
    /// Continues below the actions that were played, with as many simulations as always.
    Keep,
    /// Continues below them until the root has as many visits as a fresh search has.
    TopUp,
}

/// How moves are drawn: in proportion to `N^(1/tau)`; a tau of 0 means the most visited, ties at random.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Temperature {
    /// Tau of the first plies.
    #[schemars(range(min = 0))]
    #[serde(deserialize_with = "weight")]
    pub opening: f64,
    /// How many plies those are, of both sides together.
    pub plies: u32,
    /// Tau of all later plies.
    #[schemars(range(min = 0))]
    #[serde(deserialize_with = "weight")]
    pub rest: f64,
}

impl Default for Temperature {
    fn default() -> Temperature {
        Temperature { opening: 1.0, plies: 25, rest: 0.0 }
    }
}

impl Temperature {
    /// Tau of the move after `ply` others.
    #[must_use]
    pub fn at(&self, ply: u32) -> f64 {
        if ply < self.plies { self.opening } else { self.rest }
    }
}

fn quarter() -> f64 {
    0.25
}

/// Reads a number of simulations.
pub(crate) fn simulations<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match u32::deserialize(deserializer)? {
        count @ 1..=10_000_000 => Ok(count),
        other => Err(D::Error::custom(format!("{other} simulations: a search takes from 1 to 10000000"))),
    }
}

/// Reads a finite number from 0.
pub(crate) fn weight<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    match f64::deserialize(deserializer)? {
        weight if weight >= 0.0 && weight.is_finite() => Ok(weight),
        other => Err(D::Error::custom(format!("{other} is no number from 0"))),
    }
}

fn some_weight<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    weight(deserializer).map(Some)
}

fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    match f64::deserialize(deserializer)? {
        share if (0.0..=1.0).contains(&share) => Ok(share),
        other => Err(D::Error::custom(format!("share {other} is outside 0 to 1"))),
    }
}

fn concentration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    match f64::deserialize(deserializer)? {
        alpha if alpha > 0.0 && alpha.is_finite() => Ok(alpha),
        other => Err(D::Error::custom(format!("alpha is {other}: a concentration is a number above 0"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables of [`SearchSpec`], [`Puct`], [`Uct`] and [`Noise`].
    #[test]
    fn the_defaults_are_those_of_the_tables() {
        let written = serde_json::json!({
            "simulations": 100,
            "count-root": false,
            "rule": { "puct": { "c": 1.5, "unvisited": "zero", "first-visit": "prior" } },
            "ties": "first",
            "reuse": "fresh",
            "solve": false,
            "temperature": { "opening": 1.0, "plies": 25, "rest": 0.0 },
        });
        let spec = SearchSpec::default();
        assert_eq!(serde_json::to_value(&spec).unwrap(), written);
        assert!(spec.noise.is_none() && spec.root_noise.is_none() && spec.forced_visits.is_none());
        let spec: SearchSpec = toml::from_str("rule.uct = {}\nnoise.alpha = 0.3").unwrap();
        assert_eq!(spec.noise, Some(Noise { alpha: 0.3, weight: 0.25 }));
        assert!(matches!(spec.rule, Rule::Uct(Uct { c }) if c == 2.0f64.sqrt()));
    }

    #[test]
    fn an_empty_table_is_the_default() {
        assert_eq!(toml::from_str::<SearchSpec>("").unwrap(), SearchSpec::default());
        assert_eq!(toml::from_str::<SearchSpec>("rule.puct = {}").unwrap(), SearchSpec::default());
    }

    #[test]
    fn what_was_written_is_read_back() {
        let text = r#"simulations = 500
count-root = true
ties = "random"
forced-visits = 2.0
reuse = "top-up"
solve = true

[rule.puct]
c = 4.0
first-visit = "own-visit"

[rule.puct.unvisited]
reduced = 0.25

[noise]
alpha = 0.3
weight = 0.25

[root-noise]
alpha = 1.75
weight = 0.5

[temperature]
opening = 1.0
plies = 10
rest = 0.5
"#;
        let spec: SearchSpec = toml::from_str(text).unwrap();
        assert_eq!(toml::from_str::<SearchSpec>(&toml::to_string(&spec).unwrap()).unwrap(), spec);
        let json = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<SearchSpec>(&json).unwrap(), spec);
        assert_eq!(spec.noise.unwrap().weight, 0.25);
        assert!(matches!(spec.rule, Rule::Puct(Puct { unvisited: Unvisited::Reduced(r), .. }) if r == 0.25));
    }

    #[test]
    fn impossible_values_are_refused_where_they_stand() {
        for (text, message) in [
            ("simulations = 0", "0 simulations"),
            ("rule.puct.c = -1.0", "-1 is no number from 0"),
            ("rule.puct.unvisited.reduced = nan", "NaN is no number from 0"),
            ("rule.uct.d = 1.0", "unknown field `d`"),
            ("noise = { alpha = 0.0 }", "alpha is 0"),
            ("root-noise = { alpha = 1.0, weight = 1.5 }", "share 1.5 is outside 0 to 1"),
            ("reuse = \"always\"", "unknown variant `always`"),
            ("forced-visits = -2", "-2 is no number from 0"),
            ("rule.gumbel.considered = 0", "nonzero"),
            ("rule.gumbel.value-scale = -1", "-1 is no number from 0"),
            ("simulation = 1", "unknown field `simulation`"),
        ] {
            let error = toml::from_str::<SearchSpec>(text).expect_err(text);
            assert!(error.message().contains(message), "{text}: {}", error.message());
            assert!(error.span().is_some(), "{text} has no place");
        }
    }

    #[test]
    fn a_gumbel_search_refuses_what_it_excludes_in_one_message() {
        let check = |text: &str| toml::from_str::<SearchSpec>(&format!("rule.gumbel = {{}}\n{text}")).unwrap().check();
        assert_eq!(check("simulations = 16\ncount-root = true\nties = \"random\""), Ok(()));
        let all = "noise.alpha = 1\nroot-noise.alpha = 1\nforced-visits = 2\nsolve = true\nreuse = \"keep\"";
        let message = check(&format!("{all}\ntemperature.plies = 4")).unwrap_err();
        for key in
            ["`noise`", "`root-noise`", "`forced-visits`", "`solve`", "`reuse`", "`temperature`", "leave that out"]
        {
            assert!(message.contains(key), "{message}");
        }
        assert_eq!(toml::from_str::<SearchSpec>(all).unwrap().check(), Ok(()), "PUCT has all of it");
    }

    #[test]
    fn the_temperature_falls_after_its_plies() {
        let taus = [0, 24, 25, 80].map(|ply| Temperature::default().at(ply));
        assert_eq!(taus, [1.0, 1.0, 0.0, 0.0]);
    }
}
