//! The results of a search over settings: a table with the best configurations first, a picture of the result against each
//! setting, and of two settings together.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::Deserialize;

use super::error_bars::ErrorBars;
use super::estimate::{Sample, over_runs};
use super::levels::even_score;
use super::mean_settings::{Means, Order};
use super::run_values::{ErrorsOver, OutcomeScale, Shown};
use super::sheet::{Axis, AxisScale, Chart, Mark, Panel, Point, Series, Vertex};
use super::{About, Content, Context, Fact, FactGroup, Kind, Stages, distinct, group};

/// Results against the settings of a search or of a sweep.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "Written", deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(with = "Written")]
pub struct Search {
    /// The table, with a row for each configuration.
    table: Means,
    /// The two axes of the coloured table.
    pair: Option<[String; 2]>,
}

/// Results against the settings of a search or of a sweep.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Written {
    /// The stage, or several stages whose results share one table.
    stage: Stages,
    /// The axes of the settings; each makes a panel of the figure: `["settings.sigma", "agent"]`.
    settings: Vec<String>,
    /// Two of the axes, for a coloured table of the means at each pair of values. Default: none.
    pair: Option<[String; 2]>,
    /// The value of each configuration. Default: the mean.
    value: Option<Shown>,
    /// Scale of results. Default: outcome, 0 to 1.
    #[serde(default)]
    scale: OutcomeScale,
    /// The order of the table. Default: descending, the largest value first.
    sort: Option<Order>,
    /// The number of configurations in the table, from the first; the figure and the CSV have all. Default: all.
    top: Option<NonZeroUsize>,
}

impl TryFrom<Written> for Search {
    type Error = String;

    fn try_from(written: Written) -> Result<Search, String> {
        let Written { stage, settings: rows, pair, value, scale, sort, top } = written;
        if rows.is_empty() {
            return Err("`settings` needs an axis, such as \"settings.sigma\"".to_owned());
        }
        match pair.iter().flatten().find(|axis| !rows.contains(axis)) {
            Some(axis) => return Err(format!("`pair` names `{axis}`, which is not among `settings`")),
            None if pair.as_ref().is_some_and(|[one, other]| one == other) => {
                return Err("`pair` names one axis twice".to_owned());
            }
            None => {}
        }
        let values = vec![value.unwrap_or(Shown::Mean)];
        let (panels, columns, x, x_scale, y_label, over) =
            (Vec::new(), Vec::new(), None, None, None, ErrorsOver::default());
        let sort = Some(sort.unwrap_or(Order::Descending));
        let table = Means { stage, panels, rows, columns, x, x_scale, y_label, scale, values, over, sort, top };
        Ok(Search { table, pair })
    }
}

/// Positive numbers whose largest is this many times the smallest have a logarithmic axis.
const DECADES: f64 = 30.0;

impl Kind for Search {
    fn about(&self) -> About<'_> {
        About { title: "results of a search", ..self.table.about() }
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let content = self.table.render(context);
        let stages: Vec<&str> = self.table.stage.all().collect();
        let facts = context.facts.stages(&stages);
        let configurations = group(&facts, &self.table.rows);
        // The table has one column, so that each configuration has one point, in this order.
        let own: Vec<(&FactGroup<'_>, &Point)> = configurations.iter().zip(&content.points).collect();
        let panels = (0..self.table.rows.len()).map(|axis| self.panel(context, axis, &own));
        let pair = self.pair.as_ref().map(|pair| self.tiles(context, pair, &facts));
        let chart = Chart::of(panels.chain(pair).collect());
        let caption = format!("{} Each mark is one configuration.", content.caption);
        Content { chart, caption: caption.trim().to_owned(), ..content }
    }
}

impl Search {
    fn shown(&self) -> Shown {
        self.table.values[0]
    }

    /// The results against one setting.
    fn panel(&self, context: &Context<'_>, axis: usize, own: &[(&FactGroup<'_>, &Point)]) -> Panel {
        let name = context.axis(&self.table.rows[axis]);
        let labels: Vec<&str> = own.iter().map(|(group, _)| group.labels[axis].as_str()).collect();
        let numbers: Option<Vec<f64>> = labels.iter().map(|label| label.parse().ok()).collect();
        let numbers = numbers.filter(|numbers| numbers.iter().all(|number| number.is_finite()));
        let (x, places) = match numbers {
            Some(numbers) => (Axis { scale: spacing(&numbers), ..Axis::linear(name) }, numbers),
            None => {
                let names = distinct(labels.iter().copied());
                let place = |label: &&str| names.iter().position(|name| name == label).unwrap_or_default() as f64;
                let shown = names.iter().map(|name| context.show(name)).collect();
                (Axis { label: name, ..Axis::categories(shown) }, labels.iter().map(place).collect())
            }
        };
        let range = self.shown().range(self.table.scale);
        let vertex = |((group, point), x): (&(&FactGroup<'_>, &Point), &f64)| {
            let name = context.named(&self.table.rows, &group.labels);
            point.vertex(*x, context.errors, range).map(|vertex| (name, vertex))
        };
        let (names, points) = own.iter().zip(&places).filter_map(vertex).unzip();
        let series = vec![Series { name: String::new(), mark: Mark::Dot, colour: 0, names, points }];
        let y = Axis::linear(self.shown().metric(self.table.scale));
        let mut panel = Panel { title: String::new(), x, y, series };
        if self.shown().is_outcome() {
            even_score(&mut panel, self.table.scale);
        }
        panel
    }

    /// The means at each pair of values of two settings, over all runs with both.
    fn tiles(&self, context: &Context<'_>, pair: &[String; 2], facts: &[Fact<'_>]) -> Panel {
        let axis = |at: usize| ascending(distinct(facts.iter().map(|fact| fact.label(&pair[at]))));
        let [columns, rows] = [axis(0), axis(1)];
        let range = self.shown().range(self.table.scale);
        let found: Vec<(Vertex, Point)> = group(facts, pair)
            .iter()
            .filter_map(|cell| {
                let sample = Sample::of(&cell.facts, |fact| self.shown().value(self.table.scale, fact));
                let point = over_runs(range, "", ("", ""), &cell.facts, &sample);
                let place = |names: &[String], label: &String| names.iter().position(|name| name == label);
                let place = Vertex::at(place(&columns, &cell.labels[0])? as f64, place(&rows, &cell.labels[1])? as f64);
                point.value.is_some().then_some((place, point))
            })
            .collect();
        let values = || found.iter().filter_map(|(_, point)| point.value);
        let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        let tile = |(place, point): &(Vertex, Point)| {
            let value = point.value.unwrap_or_default();
            let depth = if high > low { (value - low) / (high - low) } else { 0.5 };
            let is_one = point.config_ids.len() == 1 && context.errors == ErrorBars::StandardError;
            let error = point.error.filter(|_| is_one).map(|error| error.size);
            let mark = Mark::Tile { value, error, depth };
            Series { name: String::new(), mark, colour: 0, names: Vec::new(), points: vec![*place] }
        };
        let names = |labels: &[String]| labels.iter().map(|label| context.show(label)).collect();
        let heading =
            |at: usize, labels: &[String]| Axis { label: context.axis(&pair[at]), ..Axis::categories(names(labels)) };
        let title = format!("{}, mean of all runs", self.shown().metric(self.table.scale));
        Panel { title, x: heading(0, &columns), y: heading(1, &rows), series: found.iter().map(tile).collect() }
    }
}

/// The scale of an axis with these numbers.
fn spacing(numbers: &[f64]) -> AxisScale {
    let (low, high) = numbers.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &x| (low.min(x), high.max(x)));
    if low > 0.0 && high / low >= DECADES { AxisScale::Log } else { AxisScale::Linear }
}

/// Labels in the order of their numbers if all are numbers, else as they stand.
fn ascending(mut labels: Vec<String>) -> Vec<String> {
    let number = |label: &String| label.parse::<f64>().ok().filter(|number| number.is_finite());
    if labels.iter().all(|label| number(label).is_some()) {
        labels.sort_by(|one, other| number(one).unwrap_or(0.0).total_cmp(&number(other).unwrap_or(0.0)));
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_over_decades_have_a_logarithmic_axis() {
        assert_eq!(spacing(&[1.0, 29.0]), AxisScale::Linear);
        assert_eq!(spacing(&[0.001, 0.1]), AxisScale::Log);
        assert_eq!(spacing(&[0.0, 100.0]), AxisScale::Linear);
        assert_eq!(ascending(["10", "9", "-1"].map(str::to_owned).to_vec()), ["-1", "9", "10"]);
        assert_eq!(ascending(["b", "9", "a"].map(str::to_owned).to_vec()), ["b", "9", "a"]);
    }

    #[test]
    fn settings_are_checked() {
        let read = |text: &str| toml::from_str::<Search>(&format!("stage = \"s\"\n{text}")).map_err(|e| e.to_string());
        assert!(read("settings = [\"a\", \"b\"]\npair = [\"b\", \"a\"]").is_ok());
        for (text, message) in [
            ("settings = []", "`settings` needs an axis"),
            ("settings = [\"a\"]\npair = [\"a\", \"c\"]", "`pair` names `c`, which is not among `settings`"),
            ("settings = [\"a\"]\npair = [\"a\", \"a\"]", "`pair` names one axis twice"),
            ("settings = [\"a\"]\ntop = 0", "nonzero"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
