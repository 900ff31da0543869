//! Random and quasi-random searches: cells whose values are drawn from ranges.
//!
//! `search = { samples = 20, space = { "settings.sigma" = { from = 0.1, to = 2.0, scale = "log" } } }` makes twenty
//! cells. More samples keep the earlier cells, so that a larger search continues a smaller one. Evenly spread values
//! are an additive recurrence by powers of the generalised golden ratio (M. Roberts, "The Unreasonable Effectiveness of
//! Quasirandom Sequences", 2018), from a start that the seed draws.

use std::collections::BTreeMap;
use std::sync::Arc;

use rand::RngExt as _;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use crate::manifest::text::later::ReadLater;
use crate::manifest::text::reader::read;
use crate::manifest::text::source::{Problem, Span};
use crate::manifest::text::tree::{Entry, Node, Setting, Table, Value};
use gauntlet_games::base::{Seed, bounded};

/// Axes whose values are drawn together: one cell a sample.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(inline, extend("required" = ["samples", "space"]))]
pub(super) struct Search {
    /// Number of cells that are drawn, 1 to 100,000. Equal cells, which whole numbers may give, count once.
    #[serde(with = "Samples")]
    samples: u32,
    /// Seed of the draws. Default: 1.
    #[serde(default = "first_seed")]
    seed: u64,
    /// Method of drawing values. Default: evenly spread.
    #[serde(default)]
    method: SearchMethod,
    /// The searched axes: dotted paths into the job, each with a range or a list of values.
    #[serde(default)]
    #[expect(dead_code, reason = "read with its places")]
    space: ReadLater<BTreeMap<String, AxisWritten>>,
}

bounded! {
    /// A number of cells.
    Samples: u32 from 1 to 100_000, "{value} samples are outside {range}"
}

/// The search space of one axis.
#[derive(JsonSchema)]
#[schemars(untagged, inline)]
#[expect(dead_code, reason = "the variants tell the schema what can be written")]
enum AxisWritten {
    Between(SearchRange),
    Listed(AxisValues),
}

/// The values of an axis as written.
#[derive(JsonSchema)]
#[schemars(inline)]
pub(super) struct AxisValues(#[schemars(schema_with = "some_values")] ());

fn some_values(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "minItems": 1 })
}

/// Method of drawing values.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum SearchMethod {
    /// Evenly spread over the whole space, for any number of samples.
    #[default]
    QuasiRandom,
    /// Independent uniform draws.
    Random,
}

/// A range of numbers between two ends; whole numbers if both ends are whole.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct SearchRange {
    /// The minimum.
    from: Bound,
    /// The maximum.
    to: Bound,
    /// Scale between the two ends. Default: linear.
    #[serde(default)]
    scale: RangeScale,
}

/// One end of a range.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a number")]
enum Bound {
    Whole(i64),
    Number(f64),
}

/// Scale of a range.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum RangeScale {
    /// Linear.
    #[default]
    Linear,
    /// Logarithmic; both ends are above 0.
    Log,
}

fn first_seed() -> u64 {
    1
}

/// An axis and its values.
struct SearchAxis<'a> {
    entry: &'a Entry,
    values: SearchValues<'a>,
}

enum SearchValues<'a> {
    Listed(&'a [Node]),
    Between(SearchRange),
}

/// A value for every axis.
type DrawnCell = Vec<Arc<Setting>>;

/// The cells of a search; empty if it has mistakes.
pub(super) fn searched(search: &Entry, problems: &mut Vec<Problem>) -> Vec<DrawnCell> {
    let Some(table) = search.node.table() else {
        problems
            .push(Problem::at(search.node.span.clone(), "`search` is a table: `{ samples = 20, space = { ... } }`"));
        return Vec::new();
    };
    let header: Option<Search> = read(&search.node, problems);
    let axes = axes(table, &search.key_span, problems);
    let Some(header) = header else { return Vec::new() };
    let mut cells: Vec<DrawnCell> = Vec::new();
    for sample in 0..u64::from(header.samples) {
        let cell: DrawnCell = (0..axes.len()).map(|at| Arc::new(header.setting(&axes, at, sample))).collect();
        let is_new = |known: &DrawnCell| known.iter().zip(&cell).any(|(a, b)| !a.node.value.same(&b.node.value));
        if !axes.is_empty() && cells.iter().all(is_new) {
            cells.push(cell);
        }
    }
    cells
}

/// The searched axes with their values.
fn axes<'a>(table: &'a Table, place: &Span, problems: &mut Vec<Problem>) -> Vec<SearchAxis<'a>> {
    let space = table.get("space").and_then(Node::table).map(Table::entries).unwrap_or_default();
    if space.is_empty() {
        let hint = "`space = { \"settings.sigma\" = { from = 0.1, to = 2.0 }, agent = [\"a\", \"b\"] }`";
        problems.push(Problem::at(place.clone(), "a search has a `space` of at least one axis").hint(hint));
    }
    space.iter().filter_map(|entry| SearchAxis::read(entry, problems)).collect()
}

impl<'a> SearchAxis<'a> {
    fn read(entry: &'a Entry, problems: &mut Vec<Problem>) -> Option<SearchAxis<'a>> {
        let wrong = |what: String| Problem::at(entry.node.span.clone(), what);
        let values = match &entry.node.value {
            Value::List(values) if !values.is_empty() => SearchValues::Listed(values),
            Value::Table(_) => SearchValues::Between(read(&entry.node, problems)?),
            _ => {
                let what = format!("`{}` is searched in a range `{{ from = 1, to = 9 }}`, or in a list", entry.key);
                problems.push(wrong(what));
                return None;
            }
        };
        if let SearchValues::Between(range) = &values {
            let [from, to] = range.ends();
            let is_log = range.scale == RangeScale::Log;
            if from >= to || is_log && from <= 0.0 {
                let above = if is_log { ", and both above 0" } else { "" };
                problems.push(wrong(format!("`from` lies below `to`{above}")));
                return None;
            }
        }
        Some(SearchAxis { entry, values })
    }

    /// The value at a position in [0, 1).
    fn value(&self, at: f64) -> Node {
        match &self.values {
            SearchValues::Listed(values) => values[(at * values.len() as f64) as usize].clone(),
            SearchValues::Between(range) => Node { span: self.entry.node.span.clone(), value: range.value(at) },
        }
    }
}

impl SearchRange {
    fn ends(&self) -> [f64; 2] {
        [self.from, self.to].map(|bound| match bound {
            Bound::Whole(number) => number as f64,
            Bound::Number(number) => number,
        })
    }

    /// The value at a position in [0, 1): a whole number, or one of four significant digits.
    fn value(&self, at: f64) -> Value {
        let [from, to] = self.ends();
        let between = |from: f64, to: f64| match self.scale {
            RangeScale::Linear => from + at * (to - from),
            RangeScale::Log => (from.ln() + at * (to.ln() - from.ln())).exp(),
        };
        match (self.from, self.to) {
            (Bound::Whole(_), Bound::Whole(_)) => Value::Integer(between(from, to + 1.0).floor().min(to) as i64),
            _ => {
                let number = between(from, to);
                Value::Float(format!("{number:.3e}").parse().unwrap_or(number).clamp(from, to))
            }
        }
    }
}

impl Search {
    fn setting(&self, axes: &[SearchAxis<'_>], axis: usize, sample: u64) -> Setting {
        let own = &axes[axis];
        let node = own.value(self.place(&own.entry.key, [axis, axes.len()], sample));
        Setting { path: own.entry.key.clone(), span: own.entry.key_span.clone(), node }
    }

    /// The position of a sample on one of `axes` axes, 0 to 1.
    fn place(&self, path: &str, [axis, axes]: [usize; 2], sample: u64) -> f64 {
        let seed = Seed::new(self.seed).child("search", 0).child(path, 0);
        match self.method {
            SearchMethod::Random => seed.child("sample", sample).rng().random(),
            SearchMethod::QuasiRandom => {
                let start: f64 = seed.rng().random();
                (start + (sample + 1) as f64 * golden(axes).powi(-(axis as i32 + 1))).fract()
            }
        }
    }
}

/// The root above 1 of `x^(n + 1) = x + 1`.
fn golden(n: usize) -> f64 {
    (0..64).fold(2.0_f64, |x, _| (1.0 + x).powf(1.0 / (n as f64 + 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::text::parse::parse;
    use crate::manifest::text::source::Sources;

    fn cells(text: &str) -> (Vec<Vec<String>>, Vec<String>) {
        let (stage, _) = parse(&mut Sources::default(), "test.toml", text);
        let mut problems = Vec::new();
        let cells = searched(stage.entry("search").unwrap(), &mut problems);
        let labels = |cell: &DrawnCell| cell.iter().map(|setting| setting.node.value.label()).collect();
        (cells.iter().map(labels).collect(), problems.into_iter().map(|problem| problem.message).collect())
    }

    const SEARCH: &str = "search = { samples = 40, space = { a = { from = 0.01, to = 1.0, scale = \"log\" }, \
        b = { from = 2, to = 5 }, c = [\"x\", \"y\"] } }";

    #[test]
    fn values_fill_their_ranges_and_more_samples_keep_those_before() {
        for method in ["quasi-random", "random"] {
            let text = SEARCH.replace("samples", &format!("method = \"{method}\", samples"));
            let (found, problems) = cells(&text);
            assert_eq!((found.len(), problems.len()), (40, 0), "{problems:?}");
            let tenths = found.iter().filter(|cell| cell[0].parse::<f64>().unwrap() < 0.1).count();
            assert!((12..=28).contains(&tenths), "half of a logarithmic range: {tenths}");
            for (axis, values) in [(1, vec!["2", "3", "4", "5"]), (2, vec!["x", "y"])] {
                assert!(values.iter().all(|value| found.iter().any(|cell| cell[axis] == *value)), "{found:?}");
            }
            assert_eq!(cells(&text.replace("40", "15")).0, found[..15]);
            assert_ne!(cells(&text.replace("samples", "seed = 2, samples")).0, found);
        }
    }

    #[test]
    fn evenly_spread_values_leave_no_gap() {
        let (found, _) = cells("search = { samples = 50, space = { a = { from = 0.0, to = 1.0 }, b = [1, 2] } }");
        let mut values: Vec<f64> = found.iter().map(|cell| cell[0].parse().unwrap()).collect();
        values.sort_by(f64::total_cmp);
        assert!(values.windows(2).all(|pair| pair[1] - pair[0] < 0.06), "{values:?}");
    }

    #[test]
    fn mistakes_are_told() {
        let reported = |from: &str, to: &str| cells(&SEARCH.replacen(from, to, 1)).1.join("; ");
        assert_eq!(reported("samples = 40", "samples = 0"), "0 samples are outside 1 to 100000");
        assert_eq!(reported("samples = 40", "sample = 40"), "unknown key `sample`");
        assert_eq!(reported("from = 0.01", "from = -1.0"), "`from` lies below `to`, and both above 0");
        assert_eq!(reported("from = 2, to = 5", "from = 5, to = 2"), "`from` lies below `to`");
        assert!(reported("[\"x\", \"y\"]", "3").starts_with("`c` is searched in a range"));
        assert_eq!(cells("search = { samples = 3 }").1, ["a search has a `space` of at least one axis"]);
        assert_eq!(cells("search = { samples = 9, space = { a = [1, 2] } }").0.len(), 2, "equal cells are one");
    }
}
