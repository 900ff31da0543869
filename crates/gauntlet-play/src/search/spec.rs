//! Settings of the search: every point on which implementations differ has a name.
//!
//! The defaults are ScalableAlphaZero 2021, appendix A.1, read as its text says; where the text is silent, the first
//! choice of each table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::budget::SearchBudget;
use super::numbers::Concentration;
use super::rules::{Rule, Uct};
use gauntlet_games::base::{FromZero, Share};

/// Settings of the tree search.
///
/// Every key acts in self-play. All but `noise`, `root-noise` and `temperature` also act in matches, measurements and
/// evaluations.
///
/// | key | default | choices | the paper |
/// |---|---|---|---|
/// | `simulations` | 100 | 1 to 10,000,000, `{ operations = 1e8 }`, `{ time-ms = 50 }` | 100 |
/// | `count-root` | false | whether the evaluation of a fresh root is one of the simulations | silent |
/// | `rule` | `puct` | `{ puct = {} }`, `{ uct = {} }`, `{ gumbel = {} }` | PUCT |
/// | `ties` | `"first"` | of equal scores the `"first"` action, or one at `"random"` | silent |
/// | `noise` | none | Dirichlet noise in the priors of every expanded node, over its legal actions; in self-play alone, unless its `at-play` is true | none |
/// | `root-noise` | none | the same at the root alone, on top of `noise`; a kept root gets it too; in self-play alone, unless its `at-play` is true | none |
/// | `forced-visits` | none | `k`: at the root, an action has at least `floor(sqrt(k P sum N))` visits | none |
/// | `forced-by` | `"visits"` | `sum N` in that formula: the `"visits"` so far, or all `"simulations"` of the search | silent |
/// | `prune-forced` | false | whether policies exclude forced visits that PUCT would not have made | silent |
/// | `terminal-weight` | 1 | weight in Q of the outcome of a finished game, relative to evaluations | 1 |
/// | `reuse` | `"fresh"` | `"fresh"`, `"keep"`, `"top-up"` | silent |
/// | `solve` | false | whether decided subtrees count as decided | no |
/// | `temperature` | 1, 25, 0 | of the moves of self-play alone | 1 for 25 plies, then 0 |
///
/// A Gumbel search chooses its moves itself. It excludes `noise`, `root-noise`, `forced-visits`, `terminal-weight`,
/// `reuse`, `solve` and a `temperature`.
///
/// Polygames (Cazenave et al. 2020), with which Soemers et al. 2021 train and evaluate, uses the settings below.
/// Another difference of its code has no setting here: it visits several actions at once if they share a logit.
///
/// ```toml
/// simulations = 40
/// count-root = true
/// rule.puct = { c = 1.1, unvisited = "siblings", first-visit = "own-visit" }
/// forced-visits = 2
/// forced-by = "simulations"
/// prune-forced = true
/// terminal-weight = 2
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct SearchSpec {
    /// The budget of the tree search for one move, in simulations or otherwise. Also outside self-play.
    pub simulations: SearchBudget,
    /// Whether the evaluation of a fresh root is one of the simulations; it leads to no action. Also outside self-play.
    pub count_root: bool,
    /// The selection rule. Also outside self-play.
    pub rule: Rule,
    /// The choice among actions with equal scores. Also outside self-play.
    pub ties: Ties,
    /// Noise in the priors of every node, including the root. In self-play alone, unless its `at-play` is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<Noise>,
    /// More noise in the priors of the root, once a search. In self-play alone, unless its `at-play` is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_noise: Option<Noise>,
    /// `k` of the least number of visits `floor(sqrt(k P sum N))` of each action of the root. Also outside self-play.
    #[serde(with = "FromZero", skip_serializing_if = "Option::is_none")]
    pub forced_visits: Option<f64>,
    /// `sum N` in the number of forced visits. Also outside self-play.
    #[serde(skip_serializing_if = "is_default")]
    pub forced_by: ForcedBy,
    /// Whether forced visits that PUCT would not have made are removed before moves are drawn and learned, together
    /// with single visits (Wu 2020). Also outside self-play.
    #[serde(skip_serializing_if = "is_default")]
    pub prune_forced: bool,
    /// Factor of the outcome of a finished game, 0 or more; evaluations have 1. The reported root value is at most
    /// that of a won game. Also outside self-play.
    #[serde(with = "FromZero", skip_serializing_if = "is_one")]
    pub terminal_weight: f64,
    /// The part of the previous move's tree that a search keeps. Also outside self-play.
    pub reuse: Reuse,
    /// Whether a node counts as solved once its outcome under best play is known; a solved root ends the search.
    /// Also outside self-play.
    pub solve: bool,
    /// The temperature of moves. In self-play alone: elsewhere the player's own `temperature` applies.
    pub temperature: Temperature,
}

impl Default for SearchSpec {
    fn default() -> SearchSpec {
        SearchSpec {
            simulations: SearchBudget::Simulations(100),
            count_root: false,
            rule: Rule::default(),
            ties: Ties::default(),
            noise: None,
            root_noise: None,
            forced_visits: None,
            forced_by: ForcedBy::default(),
            prune_forced: false,
            terminal_weight: 1.0,
            reuse: Reuse::default(),
            solve: false,
            temperature: Temperature::default(),
        }
    }
}

impl SearchSpec {
    /// The search outside self-play: without exploration noise, except noise with `at-play`.
    #[must_use]
    pub fn in_play(&self) -> SearchSpec {
        let kept = |noise: Option<Noise>| noise.filter(|noise| noise.at_play);
        SearchSpec { noise: kept(self.noise), root_noise: kept(self.root_noise), ..self.clone() }
    }

    /// Refuses settings that exclude each other.
    ///
    /// # Errors
    /// A list of the conflicting settings and a fix.
    pub fn check(&self) -> Result<(), String> {
        let mut mistakes: Vec<String> = self.disturbing().map(|keys| refusal(&keys)).into_iter().collect();
        if self.solve && !is_one(&self.terminal_weight) {
            mistakes.push("`solve` excludes `terminal-weight`: solved nodes keep their outcome; choose one".to_owned());
        }
        if self.forced_by != ForcedBy::Visits && self.forced_visits.is_none() {
            mistakes.push("`forced-by` says how `forced-visits` counts, which is not there; add it".to_owned());
        }
        if self.forced_by == ForcedBy::Simulations && self.simulations.time().is_some() {
            mistakes.push("`forced-by` counts all simulations, which `time-ms` does not know: choose one".to_owned());
        }
        if self.prune_forced && (self.forced_visits.is_none() || !matches!(self.rule, Rule::Puct(_))) {
            mistakes.push(
                "`prune-forced` takes off `forced-visits` of the rule puct; add both, or leave it out".to_owned(),
            );
        }
        mistakes.extend(self.rule.hinted().into_iter().flat_map(|uct| self.unhinted(uct)));
        if mistakes.is_empty() { Ok(()) } else { Err(mistakes.join("; ")) }
    }

    /// The mistakes of a search with `rave` or `progressive-bias`.
    fn unhinted(&self, uct: Uct) -> Vec<String> {
        let mut mistakes = Vec::new();
        let excluded = [
            ("noise", self.noise.is_some()),
            ("root-noise", self.root_noise.is_some()),
            ("forced-visits", self.forced_visits.is_some()),
            ("reuse", self.reuse != Reuse::Fresh),
            ("solve", self.solve),
        ];
        if let Some(keys) = named(&excluded) {
            mistakes.push(format!("`rave` and `progressive-bias` exclude {keys}: leave that out, or leave them out"));
        }
        if uct.rave.is_some() && uct.c != Uct::default().c {
            mistakes.push("`rave` has an exploration constant of its own: write `c` into its table".to_owned());
        }
        mistakes
    }

    /// The keys that a Gumbel search excludes; `None` if this is not a Gumbel search or has none of them.
    fn disturbing(&self) -> Option<String> {
        let excluded = [
            ("noise", self.noise.is_some()),
            ("root-noise", self.root_noise.is_some()),
            ("forced-visits", self.forced_visits.is_some()),
            ("terminal-weight", !is_one(&self.terminal_weight)),
            ("reuse", self.reuse != Reuse::Fresh),
            ("solve", self.solve),
            ("temperature", self.temperature != Temperature::default()),
        ];
        named(&excluded).filter(|_| matches!(self.rule, Rule::Gumbel(_)))
    }
}

/// The keys that are given; `None` if none is.
fn named(keys: &[(&str, bool)]) -> Option<String> {
    let given = keys.iter().filter(|(_, given)| *given).map(|(key, _)| format!("`{key}`"));
    Some(given.collect::<Vec<_>>().join(", ")).filter(|given| !given.is_empty())
}

fn is_one(number: &f64) -> bool {
    *number == 1.0
}

fn is_default<T: Default + PartialEq>(setting: &T) -> bool {
    *setting == T::default()
}

/// The error for settings that a Gumbel search excludes.
pub(crate) fn refusal(keys: &str) -> String {
    format!(
        "a Gumbel search excludes {keys}: its own noise makes it explore, and it chooses the move itself; leave that \
         out, or choose the rule puct or uct"
    )
}

/// The choice among actions with the same score.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// The one with the lowest index.
    #[default]
    First,
    /// Each with the same probability.
    Random,
}

/// `sum N` in the number of forced visits at the root.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ForcedBy {
    /// The visits of all actions so far (KataGo, Wu 2020). Unlike KataGo, the search forces actions without a visit, too.
    #[default]
    Visits,
    /// The simulations of the whole search; only actions that have a visit are forced (Polygames).
    Simulations,
}

impl ForcedBy {
    /// `sum N` if it is constant throughout a search.
    pub(super) fn simulations(self, spec: &SearchSpec) -> Option<u32> {
        match self {
            ForcedBy::Visits => None,
            ForcedBy::Simulations => Some(spec.simulations.most()),
        }
    }
}

/// Dirichlet noise over the legal actions, mixed into their priors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Noise {
    /// Concentration of every action; above 0.
    #[serde(with = "Concentration")]
    pub alpha: f64,
    /// Share of the noise in the mixture, 0 to 1; 0.25 by default.
    #[serde(default = "quarter", with = "Share")]
    pub weight: f64,
    /// Whether the noise also acts in matches, measurements and evaluations. Default: false, in self-play alone.
    #[serde(default, skip_serializing_if = "is_default")]
    pub at_play: bool,
}

/// The part of the previous search's tree that a search keeps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reuse {
    /// Nothing: every decision grows its own tree.
    #[default]
    Fresh,
    /// Continues below the played actions, with the full number of simulations.
    Keep,
    /// Continues below the played actions until the root has as many visits as after a fresh search.
    TopUp,
}

/// How moves are drawn: in proportion to `N^(1/tau)`; a tau of 0 means the most visited, ties at random.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Temperature {
    /// Tau of the first plies.
    #[serde(with = "FromZero")]
    pub opening: f64,
    /// Number of those plies, of both sides together.
    pub plies: u32,
    /// Tau of all later plies.
    #[serde(with = "FromZero")]
    pub rest: f64,
}

impl Default for Temperature {
    fn default() -> Temperature {
        Temperature { opening: 1.0, plies: 25, rest: 0.0 }
    }
}

impl Temperature {
    /// Tau of the move after `ply` plies.
    #[must_use]
    pub fn at(&self, ply: u32) -> f64 {
        if ply < self.plies { self.opening } else { self.rest }
    }
}

fn quarter() -> f64 {
    0.25
}

#[cfg(test)]
mod tests {
    use super::super::rules::{Puct, Unvisited};
    use super::*;

    /// The tables of [`SearchSpec`], [`Puct`], [`Uct`] and [`Noise`].
    #[test]
    fn written_out_defaults_equal_the_default_search() {
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
        assert_eq!(spec.noise, Some(Noise { alpha: 0.3, weight: 0.25, at_play: false }));
        assert!(matches!(spec.rule, Rule::Uct(Uct { c, rave: None, progressive_bias: None }) if c == 2.0f64.sqrt()));
    }

    #[test]
    fn noise_stays_in_self_play_unless_it_is_kept() {
        let spec: SearchSpec =
            toml::from_str("noise = { alpha = 0.3 }\nroot-noise = { alpha = 1.0, at-play = true }").unwrap();
        let played = spec.in_play();
        assert_eq!((played.noise, played.root_noise), (None, spec.root_noise));
        assert_eq!(SearchSpec { noise: spec.noise, ..played }, spec);
    }

    #[test]
    fn an_empty_table_is_the_default() {
        assert_eq!(toml::from_str::<SearchSpec>("").unwrap(), SearchSpec::default());
        assert_eq!(toml::from_str::<SearchSpec>("rule.puct = {}").unwrap(), SearchSpec::default());
    }

    #[test]
    fn written_searches_are_read_back() {
        let text = r#"simulations = 500
count-root = true
ties = "random"
forced-visits = 2.0
forced-by = "simulations"
prune-forced = true
terminal-weight = 2.0
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
at-play = true

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
            ("rule.puct.c = -1.0", "-1 is not a number from 0"),
            ("rule.puct.unvisited.reduced = nan", "NaN is not a number from 0"),
            ("rule.uct.d = 1.0", "unknown field `d`"),
            ("noise = { alpha = 0.0 }", "alpha is 0"),
            ("root-noise = { alpha = 1.0, weight = 1.5 }", "share 1.5 is outside 0 to 1"),
            ("reuse = \"always\"", "unknown variant `always`"),
            ("forced-visits = -2", "-2 is not a number from 0"),
            ("rule.gumbel.considered = 0", "nonzero"),
            ("rule.gumbel.value-scale = -1", "-1 is not a number from 0"),
            ("terminal-weight = -1", "-1 is not a number from 0"),
            ("forced-by = \"prior\"", "unknown variant `prior`"),
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
    fn what_says_nothing_together_is_refused() {
        let check = |text: &str| toml::from_str::<SearchSpec>(text).unwrap().check();
        assert_eq!(check("forced-visits = 2\nforced-by = \"simulations\"\nterminal-weight = 2"), Ok(()));
        assert!(
            check("forced-by = \"simulations\"").unwrap_err().contains("`forced-visits` counts, which is not there")
        );
        for text in ["prune-forced = true", "prune-forced = true\nforced-visits = 2\nrule.uct = {}"] {
            assert!(check(text).unwrap_err().contains("`forced-visits` of the rule puct"));
        }
        let message = check("solve = true\nterminal-weight = 2\nrule.gumbel = {}").unwrap_err();
        assert!(message.contains("excludes `terminal-weight`, `solve`: ") && message.contains("`solve` excludes `ter"));
    }

    #[test]
    fn the_temperature_falls_after_its_plies() {
        let taus = [0, 24, 25, 80].map(|ply| Temperature::default().at(ply));
        assert_eq!(taus, [1.0, 1.0, 0.0, 0.0]);
    }
}
