//! Counted numbers, in contrast to measured ones: a row a number and a column a place, or transposed. They have no
//! errors and depend on no runs. Counts per second of wall-clock time, over all runs, are here too.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::draft::Draft;
use super::frame::by_configuration;
use super::number::fixed;
use super::sheet::{Agreement, Axis, AxisScale, Mark, Panel, Point, Series, Vertex};
use super::{About, Basis, Content, Context, Fact, FactGroup, Kind, Stages, blank, config_ids, group};

/// The metric of published numbers.
const METRIC: &str = "number";

/// Numbers without errors from the results of stages, unchanged.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Numbers {
    /// The stage, or several stages.
    pub stage: Stages,
    /// Axes whose values make the columns.
    #[serde(default)]
    pub columns: Vec<String>,
    /// Axes whose values make the rows, for many values: the numbers are columns then, one for each value of `columns`.
    /// Default: a row a number.
    #[serde(default)]
    pub rows: Vec<String>,
    /// The numbers, top to bottom, or left to right.
    pub numbers: Vec<NamedNumber>,
    /// Label of the ordinate.
    pub y_label: String,
}

/// One number of a result.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NamedNumber {
    /// Its name in the result: `actions`.
    pub number: String,
    /// Its display name.
    pub label: String,
    /// Its divisor. Default: none.
    pub per: Option<Per>,
    /// The same number from another source, neither measured here nor published in the paper. Default: none.
    pub beside: Option<GivenNumbers>,
}

/// Numbers given in a manifest.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GivenNumbers {
    /// Their source: `Ludii 1.2.0, another machine`.
    pub label: String,
    /// The numbers, by the label of the place.
    pub of: BTreeMap<String, f64>,
}

/// The divisor of a number of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Per {
    /// A wall-clock second of the machine that ran the job: the sum of the numbers of all runs by the sum of their
    /// seconds.
    Second,
}

impl Kind for Numbers {
    fn about(&self) -> About<'_> {
        let is_counted = self.numbers.iter().all(|named| named.per.is_none());
        let basis = if is_counted { Basis::Counts } else { Basis::Results };
        let stages = self.stage.all().into_iter().map(|stage| (stage, Vec::new())).collect();
        About::new("numbers", basis, stages).with_axes(&[], &self.rows, &self.columns)
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let facts: Vec<Fact<'_>> = self.stage.all().iter().flat_map(|stage| context.facts.stage(stage)).collect();
        let mut draft = Draft::of(&facts);
        let is_timed = self.numbers.iter().any(|named| named.per.is_some());
        draft.notes.extend(Some(&facts).filter(|_| is_timed).and_then(|facts| untimed(facts)));
        draft.notes.extend(absent(&self.numbers, &facts));
        draft.notes.extend(unlike(&self.numbers, &facts));
        let caption = if is_timed { TIMED } else { "Counted: without errors." };
        let axes = if self.rows.is_empty() { &self.columns } else { &self.rows };
        let places = group(&facts, axes);
        let names: Vec<String> = places.iter().map(|place| context.phrase(&place.labels)).collect();
        let across = context.axes(axes);
        match self.rows.is_empty() {
            true => numbers_by_place(context, &self.numbers, &places, &mut draft),
            false => places_by_number(context, self, &places, &mut draft),
        }
        draft.panels = panels(self, &across, &names, &draft);
        let (corner, columns) = match self.rows.is_empty() {
            true => (String::new(), names),
            false => (across, draft.turn(names)),
        };
        draft.content(corner, columns, 0, caption)
    }
}

/// The caption of numbers per second.
const TIMED: &str = "Numbers per second are those of all runs, divided by the seconds of all, on one core each. Other \
    load on the machine counts: no two runs agree on them.";

/// The note on jobs without a measured time.
fn untimed(facts: &[Fact<'_>]) -> Option<String> {
    let finished = facts.iter().filter(|fact| fact.result.is_some());
    let untimed = finished.filter(|fact| fact.seconds.is_none()).count();
    let of = facts.len();
    (untimed > 0).then(|| {
        format!(
            "{untimed} of {of} jobs were interrupted, or ran elsewhere: numbers per second are those of the others."
        )
    })
}

/// The note on numbers in which runs of one configuration differ: the table has that of the first run.
fn unlike(numbers: &[NamedNumber], facts: &[Fact<'_>]) -> Option<String> {
    let range = |number: &str, runs: &[Fact<'_>]| {
        let found: Vec<f64> = runs.iter().filter_map(|fact| fact.number(number)).collect();
        let [low, high] = [f64::min, f64::max].map(|end| found.iter().copied().reduce(end));
        low.zip(high).filter(|(low, high)| low < high)
    };
    let widest = |named: &&NamedNumber| {
        let ranges = by_configuration(facts).into_iter().filter_map(|runs| range(&named.number, &runs));
        ranges.max_by(|one, other| (one.1 - one.0).total_cmp(&(other.1 - other.0)))
    };
    let counted = numbers.iter().filter(|named| named.per.is_none());
    let (named, (low, high)) = counted.filter_map(|named| Some((named, widest(&named)?))).next()?;
    let [low, high] = [low, high].map(|end| fixed(end, if end.fract() == 0.0 { 0 } else { 3 }));
    Some(format!(
        "The runs of a configuration differ, as in `{}`: from {low} to {high}. Shown is the first run.",
        named.number
    ))
}

/// The note on numbers that no finished result has.
fn absent(numbers: &[NamedNumber], facts: &[Fact<'_>]) -> Option<String> {
    let has = |named: &NamedNumber| facts.iter().any(|fact| fact.number(&named.number).is_some());
    let absent: Vec<String> =
        numbers.iter().filter(|named| !has(named)).map(|named| format!("`{}`", named.number)).collect();
    let is_finished = facts.iter().any(|fact| fact.result.is_some());
    let hint = "`gauntlet explain result.json` lists the numbers of each kind of job";
    (is_finished && !absent.is_empty()).then(|| format!("No result has {}: {hint}.", absent.join(", ")))
}

/// The content of a line of the table.
#[derive(Clone, Copy)]
enum NumberLine<'a> {
    /// A number of results.
    Counted(&'a NamedNumber),
    /// The same number from another source.
    Given(&'a GivenNumbers),
}

impl NumberLine<'_> {
    fn label(&self) -> &str {
        match self {
            NumberLine::Counted(named) => &named.label,
            NumberLine::Given(given) => &given.label,
        }
    }
}

/// The lines of a table, in order: every number, and the given numbers beside it.
fn shown(numbers: &[NamedNumber]) -> Vec<NumberLine<'_>> {
    let lines = |named| std::iter::once(NumberLine::Counted(named)).chain(named.beside.as_ref().map(NumberLine::Given));
    numbers.iter().flat_map(lines).collect()
}

/// A row a number, with a cell a place.
fn numbers_by_place(context: &Context<'_>, numbers: &[NamedNumber], places: &[FactGroup<'_>], draft: &mut Draft) {
    for line in shown(numbers) {
        let cell = |place: &FactGroup<'_>| {
            let name = context.phrase(&place.labels);
            counted(context, line, &name, place, blank(METRIC, line.label(), &name))
        };
        draft.row(line.label(), places.iter().map(cell));
    }
}

/// A row for each number and value of the columns, with a cell a place.
fn places_by_number(context: &Context<'_>, show: &Numbers, places: &[FactGroup<'_>], draft: &mut Draft) {
    for (at, place) in places.iter().enumerate() {
        let of = context.phrase(&place.labels);
        for within in group(&place.facts, &show.columns) {
            for line in shown(&show.numbers) {
                let names = [context.phrase(&within.labels), line.label().to_owned()];
                let name = names.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ");
                let cell = draft.add(counted(context, line, &of, &within, blank(METRIC, &of, &name)));
                let row = draft.rows.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
                    draft.rows.push((name, vec![None; places.len()]));
                    draft.rows.len() - 1
                });
                draft.rows[row].1[at] = cell;
            }
        }
    }
}

/// The point of a line at a place, with its published number.
fn counted(context: &Context<'_>, line: NumberLine<'_>, name: &str, place: &FactGroup<'_>, blank: Point) -> Point {
    let named = match line {
        NumberLine::Counted(named) => named,
        NumberLine::Given(given) => return Point { value: given.of.get(name).copied(), ..blank },
    };
    let (value, n_runs) = match named.per {
        None => (place.facts.iter().find_map(|fact| fact.number(&named.number)), blank.n_runs),
        Some(Per::Second) => per_second(&named.number, &place.facts),
    };
    // Counts are whole; few events a second are not.
    let text = named.per.and(value).filter(|value| value.abs() < 10.0).map(|value| fixed(value, 2));
    context.with_published(Point { value, text, n_runs, config_ids: config_ids(&place.facts), ..blank })
}

/// The sum of a number over all timed runs by the sum of their seconds, and the number of these runs.
fn per_second(number: &str, facts: &[Fact<'_>]) -> (Option<f64>, u64) {
    let timed: Vec<[f64; 2]> = facts.iter().filter_map(|fact| Some([fact.number(number)?, fact.seconds?])).collect();
    let [counted, seconds] = timed.iter().fold([0.0; 2], |[a, b], [number, seconds]| [a + number, b + seconds]);
    ((seconds > 0.0).then(|| counted / seconds), timed.len() as u64)
}

/// A panel for each number, as scales may differ between numbers; given numbers are drawn in the panel of theirs.
fn panels(show: &Numbers, across: &str, places: &[String], draft: &Draft) -> Vec<Panel> {
    let lines = shown(&show.numbers);
    let series = |name: &str, mark, colour, row: usize, value: fn(&Point) -> Option<f64>| {
        let cells = draft.rows[row].1.iter().enumerate();
        let vertex = |(x, cell): (usize, &Option<usize>)| Some(Vertex::at(x as f64, value(&draft.points[(*cell)?])?));
        Series::new(name, mark, colour, cells.filter_map(vertex))
    };
    let panel = |row: usize| {
        let NumberLine::Counted(named) = lines[row % lines.len()] else { return None };
        let own = if named.per.is_some() { "measured" } else { "counted" };
        let own = series(own, Mark::Dot, 0, row, |point| point.value);
        let published = series("published", Mark::Diamond, 1, row, |point| Some(point.published?.value));
        // Equal labels share a row, so that the last number may have no row behind it.
        let beside = named.beside.as_ref().filter(|_| row + 1 < draft.rows.len());
        let beside = beside.map(|given| series(&given.label, Mark::Dot, 2, row + 1, |point| point.value));
        let unequal = |point: &Point| {
            let differs = point.verdict == Some(Agreement::Differs);
            differs.then(|| Some(point.value?.max(point.published?.value))).flatten()
        };
        let unequal = series(DIFFERS, Mark::Unequal, 0, row, unequal);
        let others = [Some(published), beside, Some(unequal)].into_iter().flatten();
        let others = others.filter(|series| !series.points.is_empty());
        let series: Vec<Series> = std::iter::once(own).chain(others).collect();
        let (x, y) = (Axis::categories(across, places), ordinate(show, named, &series));
        Some(Panel::new(&draft.rows[row].0, x, y, series))
    };
    (0..draft.rows.len()).filter_map(panel).collect()
}

/// The upper end of a linear axis, in its largest number: with room for a sign above it.
const TOP: f64 = 1.12;
/// The name of numbers that differ from the published ones.
const DIFFERS: &str = "counted and published differ";

/// The axis of a number: from zero, or logarithmic for numbers per second, as they differ by powers of ten.
fn ordinate(show: &Numbers, named: &NamedNumber, series: &[Series]) -> Axis {
    let most = series.iter().flat_map(|series| &series.points).map(|vertex| vertex.y).fold(0.0, f64::max);
    let linear = Axis::linear(show.y_label.as_str());
    match named.per {
        Some(Per::Second) => Axis { scale: AxisScale::Log, ..linear },
        // Separate ends: panels with equal axes share theirs.
        None => Axis { range: (most > 0.0).then_some((0.0, TOP * most)), ..linear },
    }
}
