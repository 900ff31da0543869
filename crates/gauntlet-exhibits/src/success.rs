//! Success criteria: claims that the numbers decide. The store records whether they were planned before the numbers
//! existed.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::de::Deserializer;
use serde::{Deserialize, Serialize};

use super::equivalent::Equivalent;
use gauntlet_games::base::bounded;

/// Axis and label.
pub type Labels = BTreeMap<String, String>;

/// A claim that the numbers decide: the mean of some runs exceeds a number, or the mean of other runs (`over`); or a
/// player is as strong as its opponent (`equivalent`). It should be fixed before any job runs; reports state whether
/// it was.
///
/// A claim with `over` is met if Student's t interval over runs lies above 0. The interval is that of the differences
/// from the number, or from the other runs. Runs of equal seeds are pairs only if they share weights: those of one
/// training, or those of an untrained network that one of them plays with. Else a seed is only a label, and the
/// interval is Welch's. The larger error decides, that over the runs or that over their games.
///
/// If nothing was trained and no weights were drawn, on neither side, another seed only adds games. The interval is
/// then over all pairs of games of each side (Wilson's kind), and a single seed is enough for results of games; lengths,
/// shares of games and efforts need several runs that differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(extend("not" = { "required": ["over", "equivalent"] }))]
pub struct Success {
    /// The text of the claim.
    pub claim: String,
    /// The runs whose mean is tested: labels of axes, `{ variant = "SAZ", "game.size" = 9 }`.
    #[serde(deserialize_with = "labels")]
    #[schemars(with = "BTreeMap<String, WrittenLabel>")]
    pub of: Labels,
    /// The threshold of the mean. A claim has this key, or `equivalent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<Over>,
    /// Whether runs of equal seeds are pairs, for a claim with `over.runs`. Default: only if they share weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paired: Option<bool>,
    /// The claim is that the player and its opponent are equally strong, up to a margin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equivalent: Option<Equivalent>,
    /// Axes; the claim is tested at each of their values.
    #[serde(default)]
    pub each: Vec<String>,
    /// Coverage of the two-sided interval of a claim with `over`. Default: 0.95.
    #[serde(default = "usual_coverage", with = "Coverage")]
    pub interval: f64,
}

/// The threshold of a mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Over {
    /// A number, on the exhibit's scale.
    Number(f64),
    /// The mean of the runs with these labels.
    Runs(
        #[serde(deserialize_with = "labels")]
        #[schemars(with = "BTreeMap<String, WrittenLabel>")]
        Labels,
    ),
}

impl Success {
    /// Every axis with its required label.
    pub fn labels(&self) -> impl Iterator<Item = (&String, &String)> {
        let over = match &self.over {
            None | Some(Over::Number(_)) => None,
            Some(Over::Runs(labels)) => Some(labels),
        };
        self.of.iter().chain(over.into_iter().flatten())
    }
}

/// A label as written: text, a number, or true or false.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a label: text, a number, or true or false")]
pub(super) enum WrittenLabel {
    Switch(bool),
    Whole(i64),
    Number(f64),
    Text(String),
}

impl From<WrittenLabel> for String {
    fn from(label: WrittenLabel) -> String {
        match label {
            WrittenLabel::Switch(is_on) => is_on.to_string(),
            WrittenLabel::Whole(number) => number.to_string(),
            WrittenLabel::Number(number) => number.to_string(),
            WrittenLabel::Text(text) => text,
        }
    }
}

pub(super) fn labels<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Labels, D::Error> {
    let written = BTreeMap::<String, WrittenLabel>::deserialize(deserializer)?;
    Ok(written.into_iter().map(|(axis, label)| (axis, label.into())).collect())
}

fn usual_coverage() -> f64 {
    0.95
}

bounded! {
    /// Coverage of an interval.
    Coverage: f64 from 0.5 to 0.999, "an interval covers from {range}, not {value}"
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Notes of the store are found by the hash of this form.
    #[test]
    fn the_identity_of_a_claim_holds_what_it_says() {
        let written = |claim: &str| {
            let claim: Success = toml::from_str(&format!("claim = \"c\"\nof = {{ agent = \"a\" }}\n{claim}")).unwrap();
            json!(claim)
        };
        let head = json!({ "claim": "c", "of": { "agent": "a" }, "each": [], "interval": 0.95 });
        let with = |key: &str, value: serde_json::Value| {
            let mut whole = head.clone();
            whole[key] = value;
            whole
        };
        assert_eq!(written("over.number = 0.5"), with("over", json!({ "number": 0.5 })));
        assert_eq!(written("over.runs = { agent = \"b\" }"), with("over", json!({ "runs": { "agent": "b" } })));
        let usual = json!({ "margin": 15.0, "scale": "normalized", "level": 0.05 });
        assert_eq!(written("equivalent.margin = 15"), with("equivalent", usual));
    }
}
