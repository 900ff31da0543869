//! Settings of subgraph sampling.

use rand::RngExt as _;
use rand::seq::index::sample;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use gauntlet_games::base::{Rng, bounded};

/// The settings of subgraph sampling, for a board of n rows.
///
/// | key | default | | the paper |
/// |---|---|---|---|
/// | `count` | none | number k of subgraphs of a position, 0 to 1000; none: `round(n / 2)` | `round(n / 2)` |
/// | `rounding` | `"even"` | halves to the `"even"` number, as Python rounds, or `"up"`: 2 or 3 of 5 | not given |
/// | `margin` | 1 | m = n - margin, at least 2 | 1 or 2 |
/// | `sizes` | `"text"` | the law of the sizes | both |
/// | `priors` | `"text"` | the law of the priors | both; model4: `"subgraphs"` |
/// | `combine` | `"mean"` | combination over the subgraphs in which an action was sampled: `"mean"`, `"max"` | "scatter mean/max" |
/// | `nodes` | `"uniform"` | sites drawn one by one, or a connected `"window"` | "sample d nodes" |
/// | `dummy` | true | whether each subgraph has a dummy node; without one it may fall apart | not given |
/// | `pass` | `"dummy"` | p2 of a pass: the `"dummy"` nodes', the `"full"` graph's p1, or 0 (`"none"`) | not given |
/// | `value` | `"full"` | the value of the `"full"` graph, or the mean of the `"subgraphs"` | "remains unchanged"; model4 not given |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SubgraphSpec {
    /// Number of subgraphs of a position.
    #[serde(with = "Subgraphs", skip_serializing_if = "Option::is_none")]
    pub count: Option<u16>,
    /// The rounding of halves in `round(n / 2)`.
    pub rounding: Rounding,
    /// The difference n - m.
    pub margin: u8,
    /// The law of the sizes.
    pub sizes: SizeLaw,
    /// The law of the priors.
    pub priors: PriorLaw,
    /// The combination of an action's probabilities.
    pub combine: Combine,
    /// The sampling of sites.
    pub nodes: NodeLaw,
    /// Whether each subgraph has a dummy node.
    pub dummy: bool,
    /// p2 of a pass.
    #[serde(skip_serializing_if = "PassLaw::is_default")]
    pub pass: PassLaw,
    /// The source of the value.
    pub value: ValueFrom,
}

bounded! {
    /// A number of subgraphs.
    Subgraphs: u16 from 0 to 1000, "{value} subgraphs are outside {range}"
}

impl Default for SubgraphSpec {
    fn default() -> SubgraphSpec {
        SubgraphSpec {
            count: None,
            rounding: Rounding::default(),
            margin: 1,
            sizes: SizeLaw::default(),
            priors: PriorLaw::default(),
            combine: Combine::default(),
            nodes: NodeLaw::default(),
            dummy: true,
            pass: PassLaw::default(),
            value: ValueFrom::default(),
        }
    }
}

/// The rounding of halves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rounding {
    /// The even neighbour.
    #[default]
    Even,
    /// The greater neighbour.
    Up,
}

/// The number of sites of a subgraph, every number equally likely; never more than the board.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SizeLaw {
    /// `(m-1)^2` to `m^2`.
    #[default]
    Text,
    /// `(m-1)^2` to `(m+1)^2`.
    Algorithm,
}

/// The formula of the priors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PriorLaw {
    /// `(p1 + p1 o p2) / 2`.
    #[default]
    Text,
    /// `(p1 + p2) / 2`.
    Algorithm,
    /// `p2`.
    Subgraphs,
}

/// The combination of an action's probabilities in several subgraphs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Combine {
    /// Their mean.
    #[default]
    Mean,
    /// Their maximum.
    Max,
}

/// The sampling of a subgraph's sites.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NodeLaw {
    /// One by one, all equally likely.
    #[default]
    Uniform,
    /// The first sites, row by row, of the smallest square that holds them, anywhere on the board.
    Window,
}

/// p2 of a pass.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PassLaw {
    /// That of the subgraphs' dummy nodes. Without dummy nodes it is p1, or 0 if the priors come from the subgraphs
    /// alone.
    #[default]
    Dummy,
    /// p1, that of the whole board; subgraphs share their probability among their sites.
    Full,
    /// 0; subgraphs share their probability among their sites.
    None,
}

impl PassLaw {
    // Serde passes a reference.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
    fn is_default(&self) -> bool {
        *self == PassLaw::default()
    }
}

/// The source of the value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ValueFrom {
    /// The whole board.
    #[default]
    Full,
    /// The mean over the subgraphs.
    Subgraphs,
}

impl SubgraphSpec {
    /// The number k of subgraphs on a board of `n` rows.
    #[must_use]
    pub fn subgraphs(&self, n: usize) -> usize {
        match (self.count, self.rounding) {
            (Some(count), _) => count.into(),
            (None, Rounding::Up) => n.div_ceil(2),
            (None, Rounding::Even) => n / 2 + usize::from(n % 4 == 3),
        }
    }

    /// The minimum and maximum number of sites of a subgraph on a board of `n` rows.
    #[must_use]
    pub fn sizes(&self, n: usize) -> (usize, usize) {
        let m = n.saturating_sub(self.margin.into()).max(2);
        let most = if self.sizes == SizeLaw::Text { m * m } else { (m + 1) * (m + 1) };
        (((m - 1) * (m - 1)).min(n * n), most.min(n * n))
    }

    /// The sites of one subgraph, ascending.
    pub(super) fn draw(&self, n: usize, rng: &mut Rng) -> Vec<u32> {
        let (least, most) = self.sizes(n);
        let size = rng.random_range(least..=most);
        match self.nodes {
            NodeLaw::Uniform => {
                let mut sites: Vec<u32> = sample(rng, n * n, size).into_iter().map(|site| site as u32).collect();
                sites.sort_unstable();
                sites
            }
            NodeLaw::Window => {
                let side = (1..=n).find(|side| side * side >= size).expect("no subgraph is larger than its board");
                let (top, left) = (rng.random_range(0..=n - side), rng.random_range(0..=n - side));
                (0..size).map(|index| ((top + index / side) * n + left + index % side) as u32).collect()
            }
        }
    }

    /// Whether the whole board must be evaluated.
    pub(super) fn wants_full(&self) -> bool {
        self.priors != PriorLaw::Subgraphs || self.value == ValueFrom::Full || self.pass == PassLaw::Full
    }

    /// Whether a pass is the dummy node of every subgraph.
    pub(super) fn has_pass(&self) -> bool {
        self.dummy && self.pass == PassLaw::Dummy
    }

    /// Whether p2 of a pass is p1.
    pub(super) fn passes_as_full(&self) -> bool {
        match self.pass {
            PassLaw::Dummy => !self.dummy && self.priors != PriorLaw::Subgraphs,
            PassLaw::Full => true,
            PassLaw::None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_subgraphs_beyond_the_limit_are_refused() {
        let read = |count: u32| serde_json::from_str::<SubgraphSpec>(&format!(r#"{{"count":{count}}}"#));
        assert_eq!(read(1000).unwrap().count, Some(1000));
        assert_eq!(serde_json::from_str::<SubgraphSpec>("{}").unwrap().count, None);
        let error = read(1001).unwrap_err().to_string();
        assert!(error.contains("1001 subgraphs are outside 0 to 1000"), "{error}");
    }
}
