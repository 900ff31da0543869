//! The results of a search over settings: a table with the best configurations first, a picture of the result against each
//! setting, and of two settings together.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::Deserialize;

use super::error_bars::ErrorBars;
use super::levels::even_score;
use super::mean_settings::{Means, Order};
use super::run_values::{ErrorsOver, OutcomeScale, Shown};
use super::sheet::{Axis, AxisScale, Chart, Mark, Panel, Point, Series, Vertex};
use super::{About, Content, Context, FactGroup, Kind, Stages, distinct, group};

/// Results against the settings of a search or of a sweep.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "Written")]
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
const WIDE: f64 = 30.0;

impl Kind for Search {
    fn about(&self) -> About<'_> {
        About { title: "results of a search", ..self.table.about() }
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let content = self.table.render(context);
        let facts = context.facts.stages(&self.table.stage.all());
        let configurations = group(&facts, &self.table.rows);
        // The table has one column, so that each configuration has one point, in this order.
        let own: Vec<(&FactGroup<'_>, &Point)> = configurations.iter().zip(&content.points).collect();
        let panels = (0..self.table.rows.len()).map(|axis| self.panel(context, axis, &own));
        let pair = self.pair.as_ref().map(|pair| self.tiles(context, pair, &own));
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
        let labels: Vec<&str> = own.iter().map(|(group, _)| group.labels[axis].as_str()).collect();
        let (x, places) = setting_axis(context, &self.table.rows[axis], &labels);
        let range = self.shown().range(self.table.scale);
        let vertex = |((group, point), x): (&(&FactGroup<'_>, &Point), &f64)| {
            let name = context.named(&self.table.rows, &group.labels);
            point.vertex(*x, context.errors, range).map(|vertex| (name, vertex))
        };
        let (names, points): (_, Vec<_>) = own.iter().zip(&places).filter_map(vertex).unzip();
        let dots = Series { names, ..Series::new("", Mark::Dot, 0, points) };
        let mut panel = Panel::new("", x, Axis::linear(self.shown().metric(self.table.scale)), [dots]);
        if self.shown().is_outcome() {
            even_score(&mut panel, self.table.scale);
        }
        panel
    }

    /// The results at each pair of values of two settings: means over the configurations with both, with the error of a
    /// configuration that is alone.
    fn tiles(&self, context: &Context<'_>, pair: &[String; 2], own: &[(&FactGroup<'_>, &Point)]) -> Panel {
        let place = pair.each_ref().map(|axis| self.table.rows.iter().position(|row| row == axis).unwrap_or_default());
        let mut cells: BTreeMap<[usize; 2], Vec<&Point>> = BTreeMap::new();
        let values = place.map(|at| ascending(distinct(own.iter().map(|(group, _)| group.labels[at].clone()))));
        for (group, point) in own.iter().filter(|(_, point)| point.value.is_some()) {
            let cell = [0, 1].map(|at| values[at].iter().position(|value| *value == group.labels[place[at]]));
            if let [Some(column), Some(row)] = cell {
                cells.entry([column, row]).or_default().push(point);
            }
        }
        let mean = |points: &[&Point]| points.iter().filter_map(|point| point.value).sum::<f64>() / points.len() as f64;
        let means = || cells.values().map(|points| mean(points));
        let (low, high) = (means().fold(f64::INFINITY, f64::min), means().fold(f64::NEG_INFINITY, f64::max));
        let tile = |([column, row], points): (&[usize; 2], &Vec<&Point>)| {
            let value = mean(points);
            let depth = if high > low { (value - low) / (high - low) } else { 0.5 };
            let alone = if let [point] = points[..] { point.error.map(|error| error.size) } else { None };
            let error = alone.filter(|_| context.errors == ErrorBars::StandardError);
            Series::new("", Mark::Tile { value, error, depth }, 0, [Vertex::at(*column as f64, *row as f64)])
        };
        let axis = |at: usize| {
            let names: Vec<String> = values[at].iter().map(|label| context.show(label)).collect();
            Axis::categories(context.axis(&pair[at]), names)
        };
        let title = format!("{}, mean", self.shown().metric(self.table.scale));
        Panel::new(title, axis(0), axis(1), cells.iter().map(tile))
    }
}

/// The abscissa of one setting, and the places of its labels: numbers, or names if one of them is none.
pub(super) fn setting_axis(context: &Context<'_>, axis: &str, labels: &[&str]) -> (Axis, Vec<f64>) {
    let name = context.axis(axis);
    let numbers: Option<Vec<f64>> = labels.iter().map(|label| label.parse().ok()).collect();
    match numbers.filter(|numbers| numbers.iter().all(|number| number.is_finite())) {
        Some(numbers) => (Axis { scale: spacing(&numbers), ..Axis::linear(name) }, numbers),
        None => {
            let names = distinct(labels.iter().copied());
            let place = |label: &&str| names.iter().position(|name| name == label).unwrap_or_default() as f64;
            let shown: Vec<String> = names.iter().map(|name| context.show(name)).collect();
            (Axis::categories(name, shown), labels.iter().map(place).collect())
        }
    }
}

/// The scale of an axis with these numbers.
fn spacing(numbers: &[f64]) -> AxisScale {
    let (low, high) = numbers.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &x| (low.min(x), high.max(x)));
    if low > 0.0 && high / low >= WIDE { AxisScale::Log } else { AxisScale::Linear }
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
