//! Mean results over runs: a table of any axes, and a picture against a numeric axis or against the rows.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::Deserialize;

use super::abscissa::Spacing;
use super::counted::{crossed, score_over_games};
use super::estimate::{STUDENT, Sample, WITHOUT_SPREAD, in_csv, is_without_spread, of_errors, over_games, over_runs};
use super::frame::{by_configuration, repeats as repeats_of, repeats_of_run};
use super::levels::even_score;
use super::repeats::{FEW_DISTINCT, Repeats};
use super::run_values::{ErrorsOver, OutcomeScale, Shown};
use super::sheet::{Axis, AxisScale, Chart, Mark, Panel, Point, Series, Table, Vertex};
use super::uncertainty::is_over_games;
use super::{About, Basis, Content, Context, Fact, Kind, Need, Stages, axes, distinct, group, lost};

/// Means with standard errors over runs.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Means {
    /// The stage, or several stages whose results share one table.
    pub stage: Stages,
    /// Axes whose values make panels of the figure.
    #[serde(default)]
    pub panels: Vec<String>,
    /// Axes whose values make the rows.
    pub rows: Vec<String>,
    /// Axes whose values make the columns.
    #[serde(default)]
    pub columns: Vec<String>,
    /// A numeric axis among the rows for the abscissa of the figure.
    pub x: Option<String>,
    /// Scale of the abscissa. Default: linear.
    pub x_scale: Option<Spacing>,
    /// Label of the ordinate (`score against naive`).
    pub y_label: Option<String>,
    /// Scale of results. Default: outcome, 0 to 1.
    #[serde(default)]
    pub scale: OutcomeScale,
    /// The values of each cell. Default: the mean.
    #[serde(default = "Shown::mean_alone")]
    pub values: Vec<Shown>,
    /// The source of the errors of means. Default: runs, or games if another run only adds games.
    #[serde(default)]
    pub over: ErrorsOver,
    /// The order of the rows of a panel, by their first value. Default: that of the plan.
    pub sort: Option<Order>,
    /// The number of rows of a panel that the table and the picture show, from the first; the CSV has all. Default: all.
    pub top: Option<NonZeroUsize>,
}

/// An order of rows. Rows without a value are last, equal ones stay in the order of the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// The largest value first.
    Descending,
    /// The smallest value first.
    Ascending,
}

impl Kind for Means {
    fn about(&self) -> About<'_> {
        let needs: Vec<Need> = self.values.iter().map(|shown| shown.need()).collect();
        let stages = self.stage.all().map(|stage| (stage, needs.clone())).collect();
        About {
            cells: axes(&[&self.panels, &self.rows, &self.columns]),
            panels: axes(&[&self.panels]),
            rows: axes(&[&self.rows]),
            columns: axes(&[&self.columns]),
            x: self.x.as_deref(),
            scale: self.scale,
            averages_crossed: true,
            ..About::new("mean results", Basis::Means, stages).in_one_table()
        }
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let stages: Vec<&str> = self.stage.all().collect();
        let facts = context.facts.stages(&stages);
        let columns = columns(context, self, &facts);
        let (mut points, mut rows, mut panels) = (Vec::new(), Vec::new(), Vec::new());
        let mut shown_of = 0;
        for panel in &group(&facts, &self.panels) {
            let title = context.phrase(&panel.labels);
            let heading = context.named(&self.panels, &panel.labels);
            let first = rows.len();
            for row in &group(&panel.facts, &self.rows) {
                let name = context.phrase(&row.labels);
                let name = if title.is_empty() { name } else { format!("{title}: {name}") };
                let cells = columns.iter().map(|column| {
                    let point = column.point(context, self, &name, &row.facts)?;
                    points.push(point);
                    Some(points.len() - 1)
                });
                let (cells, line) = (cells.collect(), self.line(context, &row.labels));
                rows.push(Row { name, line, cells });
            }
            shown_of += rows.len() - first;
            self.order(&mut rows[first..], &points);
            rows.truncate(self.top.map_or(rows.len(), |top| rows.len().min(first + top.get())));
            let rows = drawn(self, &rows[first..], &points);
            let picture = Picture { context, show: self, columns: &columns, rows, points: &points };
            panels.extend(picture.panels(&heading));
        }
        let columns = columns.into_iter().map(|column| column.name).collect();
        let rows = rows.into_iter().map(|row| (row.name, row.cells)).collect();
        let digits = if self.counts_effort() { 2 } else { 3 };
        let table = Table { corner: context.axes(&self.rows), columns, rows, digits };
        let mut notes = Vec::from_iter(lost(&facts));
        notes.extend(self.selection([table.rows.len(), shown_of]));
        notes.extend(without_spread(self, &points, &facts));
        notes.extend(over_seeds(self, &points));
        notes.extend(repeats(context, self, &facts));
        notes.extend(crossed(self.over == ErrorsOver::Runs, &facts));
        let (caption, how) = caption(context, self, &facts);
        notes.push(in_csv(context.errors, &how));
        Content { points, table: Some(table), chart: Chart::of(panels), notes, caption }
    }
}

/// The caption, with the source of the errors; and the method of the intervals.
fn caption(context: &Context<'_>, show: &Means, facts: &[Fact<'_>]) -> (String, String) {
    let errors = context.errors;
    let each = games_each(show, facts).map(|games| format!(" of {games} games each")).unwrap_or_default();
    let is_of_games = |fact: &Fact<'_>| !show.counts_effort() && !fact.config.varies_by_run;
    if show.over == ErrorsOver::Games {
        let errors = of_errors(errors, &format!("games (runs{each})"), WILSON);
        let caption = format!("{errors} They hold for these players alone, and not for others with the same training.");
        return (caption, WILSON.to_owned());
    }
    match (facts.iter().any(|fact| !is_of_games(fact)), facts.iter().any(is_of_games)) {
        (_, false) => (of_errors(errors, &format!("runs{each}"), STUDENT), STUDENT.to_owned()),
        (false, true) => {
            let units = if facts.iter().any(|fact| fact.pairs().is_some()) { "pairs of games" } else { "games" };
            let caption = format!(
                "{} Nothing was trained and no weights were drawn, so another seed only adds games. The games of all \
                 runs{each} are added up.",
                of_errors(errors, units, WILSON)
            );
            (caption, WILSON.to_owned())
        }
        (true, true) => {
            let how = format!("{STUDENT} over runs; over games {WILSON}");
            let caption = format!(
                "{} Where nothing was trained and no weights were drawn, another seed only adds games, and errors are \
                 over games.",
                of_errors(errors, &format!("runs{each}"), &how)
            );
            (caption, how)
        }
    }
}

/// The method of intervals over games.
const WILSON: &str = "Wilson's, for the effective number of games";

/// The note on cells whose runs have equal results, if there are any.
fn without_spread(show: &Means, points: &[Point], facts: &[Fact<'_>]) -> Option<String> {
    if show.over == ErrorsOver::Games {
        return None;
    }
    let varies = |point: &Point| {
        let own = facts.iter().find(|fact| point.config_ids.first() == Some(&fact.config.key.to_string()));
        own.is_some_and(|fact| fact.config.varies_by_run)
    };
    points.iter().any(|point| is_over_games(point) && varies(point)).then(|| WITHOUT_SPREAD.to_owned())
}

/// The note on values with errors over runs beside outcomes with errors over games, if there are any.
fn over_seeds(show: &Means, points: &[Point]) -> Option<String> {
    let other = |shown: &&Shown| !shown.is_outcome();
    let metrics: Vec<String> = show.values.iter().filter(other).map(|shown| shown.metric(show.scale)).collect();
    let is_other = |point: &&Point| metrics.contains(&point.metric);
    let games = points.iter().filter(|point| !is_other(point)).any(is_over_games);
    let runs = points.iter().filter(is_other).any(|point| point.error.is_some());
    (games && runs).then(|| {
        format!(
            "Errors of the {} are over runs, also where those of outcomes are over games: a result has only its mean over \
             all games.",
            metrics.join(" and the ")
        )
    })
}

/// The note on the match whose games repeat most, if most of them are repetitions: over all of its runs if they have the
/// same players, else of one run.
fn repeats(context: &Context<'_>, show: &Means, facts: &[Fact<'_>]) -> Option<String> {
    if show.counts_effort() {
        return None;
    }
    let matches = by_configuration(facts).into_iter().flat_map(|runs| match repeats_of(&runs) {
        Some(repeats) => vec![(runs[0], repeats)],
        None => runs.into_iter().filter_map(|fact| Some((fact, repeats_of_run(&fact)?))).collect(),
    });
    let (fact, least) = matches.min_by(|a, b| a.1.share().total_cmp(&b.1.share()))?;
    let is_told = least.once.is_some() || (least.share() < FEW_DISTINCT && !show.values.contains(&Shown::Distinct));
    let axes = [show.panels.as_slice(), &show.rows, &show.columns].concat();
    let place = context.named(&axes, &axes.iter().map(|axis| fact.label(axis)).collect::<Vec<_>>());
    let Repeats { distinct, games, .. } = least;
    let whose = if fact.lines.is_some() { "games" } else { "games of a run" };
    is_told.then(|| {
        format!(
            "Games repeat each other most at {place}: {distinct} of the {games} {whose} are different ({:.0} %).{}",
            100.0 * least.share(),
            least.effect()
        )
    })
}

/// The bias of results that were chosen by their size.
const CHOSEN: &str = " They were chosen by these results, which are biased for that reason: run the best again with other \
                      seeds, and report that.";

/// The number of games of each run, if outcomes over equal numbers of games are shown. The matches of a run are joined.
fn games_each(show: &Means, facts: &[Fact<'_>]) -> Option<u64> {
    let done: Vec<&Fact<'_>> = facts.iter().filter(|fact| fact.result.is_some()).collect();
    let runs = done.chunk_by(|one, other| std::ptr::eq(one.config, other.config) && one.seed == other.seed);
    let mut played = runs.map(|run| run.iter().map(|fact| fact.games()).sum::<u64>());
    let games = played.next()?;
    let is_even = played.all(|others| others == games);
    (games > 0 && is_even && !show.counts_effort()).then_some(games)
}

/// One column: the labels of its facts, and its value.
struct Column {
    labels: Vec<String>,
    shown: Shown,
    /// The labels for a legend.
    legend: String,
    name: String,
}

fn columns(context: &Context<'_>, show: &Means, facts: &[Fact<'_>]) -> Vec<Column> {
    let groups = group(facts, &show.columns);
    let column = |labels: &[String], shown: Shown| {
        let own = (show.values.len() > 1 || labels.is_empty()).then(|| shown.title(show.scale).to_owned());
        let group = context.phrase(labels);
        let names = [group.as_str(), own.as_deref().unwrap_or_default()];
        let name = names.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(" / ");
        Column { labels: labels.to_vec(), shown, legend: context.named(&show.columns, labels), name }
    };
    groups.iter().flat_map(|group| show.values.iter().map(|&shown| column(&group.labels, shown))).collect()
}

impl Column {
    /// The point of this column for the facts of a row, if there are any.
    fn point(&self, context: &Context<'_>, show: &Means, row: &str, facts: &[Fact<'_>]) -> Option<Point> {
        let group = group(facts, &show.columns).into_iter().find(|group| group.labels == self.labels)?;
        let sample = Sample::of(&group.facts, |fact| self.shown.value(show.scale, fact));
        let values = sample.values();
        let (range, metric, place) =
            (self.shown.range(show.scale), self.shown.metric(show.scale), (row, self.name.as_str()));
        let score = match (show.over, self.shown) {
            (ErrorsOver::Games, Shown::Mean) => score_over_games(&group.facts),
            (ErrorsOver::Games | ErrorsOver::Runs, shown) => shown.score_of_all(&group.facts),
        };
        let mut point = match score {
            Some(score) => over_games(score, range, &metric, place, &group.facts, &sample),
            None => over_runs(range, &metric, place, &group.facts, &sample),
        };
        if self.shown == Shown::Mean && group.facts.iter().all(|fact| fact.config.varies_by_run) {
            point.floor = score_over_games(&group.facts).map(|score| (range[1] - range[0]) * score.error);
        }
        // The bound of equal runs applies to a mean over games, not to shares of distinct games or numbers of games.
        if !self.shown.is_outcome() && is_without_spread(values) {
            (point.error, point.interval) = (None, None);
        }
        if self.shown == Shown::Distinct
            && let Some(repeats) = repeats_of(&group.facts)
        {
            point.value = Some(repeats.share());
        }
        point.n_games /= self.shown.games_between();
        Some(Point { x: abscissa(show, &group.facts), ..context.with_published(point) })
    }
}

impl Means {
    /// Puts rows in the order of their first values.
    fn order(&self, rows: &mut [Row], points: &[Point]) {
        let Some(order) = self.sort else { return };
        let value = |row: &Row| row.cells.iter().flatten().next().and_then(|&at| points[at].value);
        rows.sort_by(|one, other| match (value(one), value(other), order) {
            (Some(one), Some(other), Order::Ascending) => one.total_cmp(&other),
            (Some(one), Some(other), Order::Descending) => other.total_cmp(&one),
            (one, other, _) => other.is_some().cmp(&one.is_some()),
        });
    }

    /// The note on rows that were chosen by their results, if there are others.
    fn selection(&self, [shown, all]: [usize; 2]) -> Option<String> {
        let chosen = if self.sort.is_some() { CHOSEN } else { "" };
        (shown < all).then(|| format!("{shown} of {all} rows are shown; the CSV has all.{chosen}"))
    }

    /// Whether all shown values are efforts of trainings.
    fn counts_effort(&self) -> bool {
        self.values.iter().all(|shown| matches!(shown, Shown::Games | Shown::Evaluations | Shown::Compute))
    }

    /// The line of a row: its labels, except that of the abscissa if it is one of them.
    fn line(&self, context: &Context<'_>, labels: &[String]) -> String {
        if !self.x.as_ref().is_some_and(|x| self.rows.contains(x)) {
            return String::new();
        }
        let others = self.rows.iter().zip(labels).filter(|(axis, _)| Some(*axis) != self.x.as_ref());
        let (axes, labels): (Vec<String>, Vec<String>) =
            others.map(|(axis, label)| (axis.clone(), label.clone())).unzip();
        context.named(&axes, &labels)
    }
}

fn abscissa(show: &Means, facts: &[Fact<'_>]) -> Option<f64> {
    facts.first()?.label(show.x.as_ref()?).parse().ok()
}

/// One row, and its points by columns.
struct Row {
    name: String,
    line: String,
    cells: Vec<Option<usize>>,
}

/// The rows of a picture: all along an abscissa, else those with a measured value. Without any, all.
fn drawn<'a>(show: &Means, rows: &'a [Row], points: &[Point]) -> Vec<&'a Row> {
    let is_measured = |row: &Row| row.cells.iter().flatten().any(|&at| points[at].value.is_some());
    rows.iter().filter(|row| show.x.is_some() || is_measured(row) || !rows.iter().any(is_measured)).collect()
}

/// A part of the table, for drawing.
struct Picture<'a> {
    context: &'a Context<'a>,
    show: &'a Means,
    columns: &'a [Column],
    rows: Vec<&'a Row>,
    points: &'a [Point],
}

impl Picture<'_> {
    /// A panel for each shown value, as their units differ.
    fn panels(&self, title: &str) -> Vec<Panel> {
        if let [shown] = self.show.values[..] {
            let label = self.show.y_label.clone().unwrap_or_else(|| shown.metric(self.show.scale));
            return vec![self.panel(title.to_owned(), label, shown)];
        }
        let panel = |&shown: &Shown| {
            // Outcomes share an axis; the titles name their players.
            let of = if shown.is_outcome() { Shown::Mean } else { shown };
            let own = if shown.is_outcome() { shown.title(self.show.scale) } else { "" };
            let title = [title, own].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
            self.panel(title, of.metric(self.show.scale), shown)
        };
        self.show.values.iter().map(panel).collect()
    }

    fn panel(&self, title: String, label: String, shown: Shown) -> Panel {
        let columns = self.columns.iter().enumerate().filter(|(_, column)| column.shown == shown);
        let lines = columns.flat_map(|(at, column)| self.lines().into_iter().map(move |line| (at, column, line)));
        let series = lines.enumerate().flat_map(|(colour, (at, column, line))| self.series(at, column, line, colour));
        // Not every line has points in every column.
        let series: Vec<Series> = series.filter(|series| self.show.x.is_none() || !series.points.is_empty()).collect();
        let x = match &self.show.x {
            Some(axis) => self.abscissa(axis),
            None => {
                let names = self.rows.iter().map(|row| row.name.clone()).collect();
                Axis { label: self.context.axes(&self.show.rows), ..Axis::categories(names) }
            }
        };
        // Games and operations vary by orders of magnitude.
        let scale = if self.show.counts_effort() { AxisScale::Log } else { AxisScale::Linear };
        // Comparable panels have equal ends, and a single point is shown within the full range.
        let [low, high] = shown.range(self.show.scale);
        let is_alone = series.iter().map(|series| series.points.len()).sum::<usize>() == 1;
        let range = ((self.show.values.len() > 1 || is_alone) && high.is_finite()).then_some((low, high));
        let mut panel = Panel { title, x, y: Axis { label, scale, range }, series };
        if shown.is_outcome() {
            even_score(&mut panel, self.show.scale);
        }
        panel
    }

    fn abscissa(&self, axis: &str) -> Axis {
        let scale = if self.show.x_scale == Some(Spacing::Log) { AxisScale::Log } else { AxisScale::Linear };
        Axis { scale, ..Axis::linear(self.context.axis(axis)) }
    }

    /// The lines of a column, in the order of the rows: one `None` if the picture has no abscissa.
    fn lines(&self) -> Vec<Option<&str>> {
        if self.show.x.is_none() {
            return vec![None];
        }
        distinct(self.rows.iter().map(|row| Some(row.line.as_str())))
    }

    /// The measured series, and the paper's if it has any.
    fn series(&self, at: usize, column: &Column, line: Option<&str>, colour: usize) -> Vec<Series> {
        let name = match (column.legend.as_str(), line.unwrap_or_default()) {
            ("", "") => column.name.clone(),
            ("", line) => line.to_owned(),
            (legend, "") => legend.to_owned(),
            (legend, line) => format!("{legend}, {line}"),
        };
        let mark = if self.show.x.is_some() { self.mark(at, line) } else { Mark::Dot };
        let (errors, range) = (self.context.errors, column.shown.range(self.show.scale));
        let points = self.vertices(at, line, |point, x| point.vertex(x, errors, range));
        let own = Series { name: name.clone(), mark, names: Vec::new(), colour, points };
        let points = self.vertices(at, line, |point, x| point.printed_vertex(x, errors, range));
        let paper = Series { name: format!("{name}, paper"), mark: Mark::Diamond, names: Vec::new(), colour, points };
        if paper.points.is_empty() { vec![own] } else { vec![own, paper] }
    }

    /// The mark of a line: hatched if its errors are over games and those of others over runs.
    fn mark(&self, column: usize, line: Option<&str>) -> Mark {
        let own = self.of_line(line).filter_map(|(_, row)| row.cells[column]).map(|at| &self.points[at]);
        let mut own = own.filter(|point| point.error.is_some()).peekable();
        let others = self.points.iter().any(|point| point.error.is_some() && !is_over_games(point));
        let games = own.peek().is_some() && own.all(is_over_games);
        if games && others { Mark::Hatched } else { Mark::Line }
    }

    /// The rows of a line, with their places; all rows if there are no lines.
    fn of_line<'l>(&'l self, line: Option<&'l str>) -> impl Iterator<Item = (usize, &'l Row)> {
        self.rows.iter().copied().enumerate().filter(move |(_, row)| line.is_none_or(|line| row.line == line))
    }

    fn vertices(
        &self,
        column: usize,
        line: Option<&str>,
        vertex: impl Fn(&Point, f64) -> Option<Vertex>,
    ) -> Vec<Vertex> {
        let vertex = |(at, row): (usize, &Row)| {
            let point = &self.points[row.cells[column]?];
            vertex(point, point.x.unwrap_or(at as f64))
        };
        self.of_line(line).filter_map(vertex).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::blank;
    use super::*;

    #[test]
    fn rows_without_a_measurement_are_in_the_table_alone() {
        let show = |rest: &str| toml::from_str::<Means>(&format!("stage = \"s\"\nrows = [\"a\"]\n{rest}")).unwrap();
        let row =
            |name: &str, cells: &[Option<usize>]| Row { name: name.into(), line: String::new(), cells: cells.to_vec() };
        let rows = [row("measured", &[None, Some(0)]), row("lost", &[Some(1), None]), row("empty", &[None, None])];
        let point = |value| Point { value, ..blank("outcome", "r", "c") };
        let names = |show: &Means, points: &[Point]| -> Vec<String> {
            drawn(show, &rows, points).into_iter().map(|row| row.name.clone()).collect()
        };
        let (some, none) = ([point(Some(0.0)), point(None)], [point(None), point(None)]);
        assert_eq!(names(&show(""), &some), ["measured"]);
        assert_eq!(names(&show(""), &none), ["measured", "lost", "empty"], "the paper's numbers alone are a picture");
        assert_eq!(names(&show("x = \"a\""), &some), ["measured", "lost", "empty"], "a published curve stays whole");
        assert!(drawn(&show(""), &[], &none).is_empty());
    }
}
