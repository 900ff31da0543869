//! The numbers of tunings (`train.spsa`): before, after, and their course.

use std::sync::Arc;

use super::context::titled;
use super::draft::Draft;
use super::estimate::{STUDENT, Sample, blank, is_without_spread, of_run, over_runs};
use super::number::fixed;
use super::sheet::{Axis, AxisScale, ConfidenceInterval, Mark, Panel, Point, Series, Vertex};
use super::{Content, Context, Fact, FactGroup, JobResult, config_ids, distinct, group};
use gauntlet_play::learning::{SpsaResult, TunedNumber};
use gauntlet_play::players::{NumberRange, NumberScale};

const BEFORE: &str = "Before";
const AFTER: &str = "After";
const RANGE: &str = "Range";

/// Larger numbers are shown by their power of ten.
const LARGE: f64 = 1e9;

/// Decimal places of a number.
const DECIMALS: i32 = 3;

/// The table and the courses of the tunings of a stage.
pub(super) fn content(context: &Context<'_>, facts: &[Fact<'_>]) -> Content {
    let axes = varied(facts);
    let mut draft = Draft::of(facts);
    for group in &group(facts, &axes) {
        for (path, number) in group.facts.iter().find_map(tuning).into_iter().flat_map(|own| &own.numbers) {
            let name = name(context, &axes, group, path);
            draft.row(&name, summary(&name, path, number, group));
            draft.points.extend(group.facts.iter().filter_map(|fact| found(fact, &name, path)));
            draft.panels.push(panel(&name, path, number, &group.facts));
        }
    }
    let of_run = facts.iter().find_map(tuning);
    let has_ratios = of_run.is_some_and(|own| own.numbers.values().any(|own| own.range.scale == NumberScale::Log));
    let of_ratios = "Of numbers with a range of ratios, the table has the geometric mean with its 95 % interval. ";
    let caption = format!(
        "Numbers of a player's settings, tuned by games between two changed copies of it (SPSA; Spall 1992). The course \
         shows each run. A number with little effect wanders. {}An interval is that of the mean end of such tunings: \
         it does not bound the best value. {}",
        if has_ratios { of_ratios } else { "" },
        draft.errors(context, "runs", STUDENT)
    );
    draft.content("Number", [BEFORE, AFTER, RANGE], DECIMALS as usize, caption)
}

fn tuning<'a>(fact: &Fact<'a>) -> Option<&'a SpsaResult> {
    if let Some(JobResult::Spsa(own)) = fact.result() { Some(own) } else { None }
}

/// The axes on which the tunings differ.
fn varied(facts: &[Fact<'_>]) -> Vec<String> {
    let axes = distinct(facts.iter().flat_map(|fact| fact.config.labels.iter().map(|(axis, _)| Arc::clone(axis))));
    let differs = |axis: &Arc<str>| distinct(facts.iter().map(|fact| fact.label(axis))).len() > 1;
    axes.into_iter().filter(differs).map(|axis| axis.to_string()).collect()
}

/// The display name of a number, after the labels of its tuning.
fn name(context: &Context<'_>, axes: &[String], group: &FactGroup<'_>, path: &str) -> String {
    titled(&context.named(axes, &group.labels), &context.axis(&format!("agent.{path}")))
}

/// The number before and after, and its range.
fn summary(name: &str, path: &str, number: &TunedNumber, group: &FactGroup<'_>) -> [Point; 3] {
    let TunedNumber { start, range, .. } = number;
    let ids = config_ids(&group.facts);
    let text = format!("{} to {}", short(range.from), short(range.to));
    [
        Point {
            value: Some(*start),
            text: Some(short(*start)),
            config_ids: ids.clone(),
            ..blank("before", name, BEFORE)
        },
        after(name, path, number.range, &group.facts),
        Point { text: Some(text), config_ids: ids, ..blank("range", name, RANGE) },
    ]
}

/// The mean over runs: on a scale of ratios the geometric one, with its interval.
fn after(name: &str, path: &str, range: NumberRange, facts: &[Fact<'_>]) -> Point {
    let is_ratio = range.scale == NumberScale::Log;
    let scaled = |number: f64| if is_ratio { number.ln() } else { number };
    let unscaled = |number: f64| if is_ratio { number.exp() } else { number };
    let values = Sample::of(facts, |fact| Some(scaled(tuning(fact)?.numbers.get(path)?.found)));
    let ends = [range.from, range.to].map(scaled);
    let mean = over_runs(ends, ["after", name, AFTER], facts, &values);
    // Equal numbers in all runs say nothing of their error.
    let is_alike = is_without_spread(values.values());
    let value = mean.value.map(unscaled);
    let interval = mean.interval.filter(|_| !is_alike);
    let interval = interval.map(|own| ConfidenceInterval { low: unscaled(own.low), high: unscaled(own.high), ..own });
    let error = mean.error.filter(|_| !is_alike && !is_ratio);
    let text = match (value, interval) {
        (Some(value), Some(own)) if is_ratio => {
            Some(format!("{} [{}, {}]", short(value), short(own.low), short(own.high)))
        }
        (Some(value), _) if error.is_none() => Some(short(value)),
        _ => None,
    };
    Point { value, error, interval, text, ..mean }
}

/// A whole number as it is, others with three digits, small ones by their power of ten.
fn short(number: f64) -> String {
    match number.abs() {
        size if size >= LARGE => format!("{number:.1e}"),
        _ if number.fract() == 0.0 => number.to_string(),
        size if size < 0.01 => format!("{number:.1e}"),
        _ => fixed(number, DECIMALS),
    }
}

/// The number that one run found.
fn found(fact: &Fact<'_>, name: &str, path: &str) -> Option<Point> {
    let value = Some(tuning(fact)?.numbers.get(path)?.found);
    Some(Point { value, ..of_run(fact, "found", name, &format!("run {}", fact.seed)) })
}

/// The course of a number in each run.
fn panel(name: &str, path: &str, number: &TunedNumber, facts: &[Fact<'_>]) -> Panel {
    let line = |(colour, fact): (usize, &Fact<'_>)| {
        let steps = tuning(fact)?.curve.iter();
        let points = steps.filter_map(|step| Some(Vertex::at(f64::from(step.pairs), *step.numbers.get(path)?)));
        Some(Series::new(format!("run {}", fact.seed), Mark::Line, colour, points))
    };
    let range = number.range;
    let scale = if range.scale == NumberScale::Log { AxisScale::Log } else { AxisScale::Linear };
    let y = Axis { scale, ..Axis::within(name, (range.from, range.to)) };
    Panel::new("", Axis::linear("pairs of games"), y, facts.iter().enumerate().filter_map(line))
}
