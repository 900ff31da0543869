//! Mean results over runs: a table of any axes, and a picture against a numeric axis or against the rows.

use super::abscissa::Spacing;
use super::context::titled;
use super::counted::{crossed, most_repeated};
use super::draft::Draft;
use super::estimate::{STUDENT, Sample, WITHOUT_SPREAD, is_without_spread, over_games, over_positions, over_runs_of};
use super::frame::repeats as repeats_of;
use super::mean_settings::{Means, Order};
use super::means_picture::{MeansColumn, MeansRow, Picture, drawn};
use super::repeats::FEW_DISTINCT;
use super::run_values::{ErrorsOver, Shown};
use super::sheet::Point;
use super::uncertainty::is_over_games;
use super::{About, Basis, Content, Context, Fact, Kind, Need, group};

impl Kind for Means {
    fn about(&self) -> About<'_> {
        let needs: Vec<Need> = self.values.iter().map(|shown| shown.need()).collect();
        let stages = self.stage.all().into_iter().map(|stage| (stage, needs.clone())).collect();
        let about = About::new("mean results", Basis::Means, stages).in_one_table();
        let about = about.with_axes(&self.panels, &self.rows, &self.columns);
        let judged = Some(self.judged());
        About { x: self.x.as_deref(), scale: self.scale, judged, values: self.values.len(), ..about }
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let facts = context.facts.stages(&self.stage.all());
        let columns = columns(context, self, &facts);
        let (mut draft, mut rows) = (Draft::of(&facts), Vec::new());
        let mut shown_of = 0;
        for panel in &group(&facts, &self.panels) {
            let title = context.phrase(&panel.labels);
            let heading = context.named(&self.panels, &panel.labels);
            let first = rows.len();
            for row in &group(&panel.facts, &self.rows) {
                let name = titled(&title, &context.phrase(&row.labels));
                let cells = columns.iter();
                let cells = cells.map(|column| draft.add(column.point(context, self, &name, &row.facts)?));
                let (cells, line) = (cells.collect(), self.line(context, &row.labels));
                rows.push(MeansRow { name, line, cells });
            }
            shown_of += rows.len() - first;
            self.order(&mut rows[first..], &draft.points);
            rows.truncate(self.top.map_or(rows.len(), |top| rows.len().min(first + top.get())));
            let rows = drawn(self, &rows[first..], &draft.points);
            let picture = Picture { context, show: self, columns: &columns, rows, points: &draft.points };
            draft.panels.extend(picture.panels(&heading));
        }
        draft.rows = rows.into_iter().map(|row| (row.name, row.cells)).collect();
        draft.notes.extend(self.selection([draft.rows.len(), shown_of]));
        draft.notes.extend(without_spread(self, &draft.points, &facts));
        draft.notes.extend(over_seeds(self, &draft.points));
        draft.notes.extend(off_axis(self, &draft.points));
        draft.notes.extend(repeats(context, self, &facts));
        draft.notes.extend(crossed(self.over == ErrorsOver::Runs, &facts));
        let (over, how, rest) = source_of_errors(self, &facts);
        let caption = format!("{}{rest}", draft.errors(context, &over, &how));
        let digits = if self.counts_effort() { 2 } else { 3 };
        draft.content(context.axes(&self.rows), columns.into_iter().map(|column| column.name), digits, caption)
    }
}

/// The source of the errors, the method of the intervals, and the rest of the caption.
fn source_of_errors(show: &Means, facts: &[Fact<'_>]) -> (String, String, String) {
    let each = games_each(show, facts).map(|games| format!(" of {games} games each")).unwrap_or_default();
    let counts_games = show.values.iter().any(|shown| shown.is_outcome());
    let is_of_games = |fact: &Fact<'_>| counts_games && !fact.config.varies_by_run;
    let is_over_positions =
        |fact: &&Fact<'_>| show.values.iter().any(|shown| shown.error_over_positions(&[**fact]).is_some());
    let over_positions = facts.iter().filter(is_over_positions).count();
    match (facts.iter().any(|fact| !is_of_games(fact)), facts.iter().any(is_of_games)) {
        _ if show.over == ErrorsOver::Games => {
            let rest = " They hold for these players alone, and not for others with the same training.";
            (format!("games (runs{each})"), WILSON.to_owned(), rest.to_owned())
        }
        (true, false) if over_positions == facts.len() => {
            ("positions".to_owned(), POSITIONS.to_owned(), " Nothing was trained.".to_owned())
        }
        (_, false) if over_positions > 0 => {
            let rest = " Where nothing was trained, they are over positions.";
            ("runs".to_owned(), format!("{STUDENT} over runs; over positions {POSITIONS}"), rest.to_owned())
        }
        (_, false) => (format!("runs{each}"), STUDENT.to_owned(), String::new()),
        (false, true) => {
            let units = if facts.iter().any(|fact| fact.pairs().is_some()) { "pairs of games" } else { "games" };
            let rest = format!(
                " Nothing was trained and no weights were drawn, so another seed only adds games. The games of all \
                 runs{each} are added up."
            );
            (units.to_owned(), WILSON.to_owned(), rest)
        }
        (true, true) => {
            let rest = " Where nothing was trained and no weights were drawn, another seed only adds games, and errors \
                        are over games.";
            (format!("runs{each}"), format!("{STUDENT} over runs; over games {WILSON}"), rest.to_owned())
        }
    }
}

/// The method of intervals over positions.
const POSITIONS: &str = "Wilson's, for the effective number of positions";

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
    let (fact, least) = most_repeated(facts).filter(|_| !show.counts_effort())?;
    let is_told = least.once.is_some() || (least.share() < FEW_DISTINCT && !show.values.contains(&Shown::Distinct));
    let axes = [show.panels.as_slice(), &show.rows, &show.columns].concat();
    let place = context.named(&axes, &axes.iter().map(|axis| fact.label(axis)).collect::<Vec<_>>());
    let whose = if fact.lines.is_some() { "games" } else { "games of a run" };
    is_told.then(|| least.at(&place, whose) + least.effect())
}

/// The note on measured points that a logarithmic axis has no place for, if there are any.
fn off_axis(show: &Means, points: &[Point]) -> Option<String> {
    let is_off = |point: &Point| point.value.is_some() && point.x.is_some_and(|x| x <= 0.0);
    let note = "Numbers that are not above 0 have no place on a logarithmic axis: the table has them.";
    (show.x_scale == Some(Spacing::Log) && points.iter().any(is_off)).then(|| note.to_owned())
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

fn columns(context: &Context<'_>, show: &Means, facts: &[Fact<'_>]) -> Vec<MeansColumn> {
    let groups = group(facts, &show.columns);
    let column = |labels: &[String], shown: Shown| {
        let own = (show.values.len() > 1 || labels.is_empty()).then(|| shown.title(show.scale).to_owned());
        let group = context.phrase(labels);
        let names = [group.as_str(), own.as_deref().unwrap_or_default()];
        let name = names.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(" / ");
        MeansColumn { labels: labels.to_vec(), shown, legend: context.named(&show.columns, labels), name }
    };
    groups.iter().flat_map(|group| show.values.iter().map(|&shown| column(&group.labels, shown))).collect()
}

impl MeansColumn {
    /// The point of this column for the facts of a row, if there are any.
    fn point(&self, context: &Context<'_>, show: &Means, row: &str, facts: &[Fact<'_>]) -> Option<Point> {
        let group = group(facts, &show.columns).into_iter().find(|group| group.labels == self.labels)?;
        let sample = Sample::of(&group.facts, |fact| self.shown.value(show.scale, fact));
        let values = sample.values();
        let (range, metric) = (self.shown.range(show.scale), self.shown.metric(show.scale));
        let cell = [&*metric, row, &self.name];
        let n_games = self.shown.n_games(&group.facts);
        let score = match show.over {
            ErrorsOver::Games => self.shown.score_over_games(&group.facts),
            ErrorsOver::Runs => self.shown.score_of_all(&group.facts),
        };
        let mut point = match score {
            Some(score) => over_games(score, range, cell, &group.facts, &sample),
            None => over_runs_of(n_games, range, cell, &group.facts, &sample),
        };
        point.n_games = n_games;
        if group.facts.iter().all(|fact| fact.config.varies_by_run) {
            point.floor = self.shown.error_within_runs(range[1] - range[0], &group.facts);
        }
        // The bound of equal runs applies to a mean over games, not to shares of distinct games or numbers of games.
        if !self.shown.is_outcome() && is_without_spread(values) {
            (point.error, point.interval) = (None, None);
        }
        if let Some(error) = self.shown.error_over_positions(&group.facts) {
            point = over_positions(point, range, error);
        }
        if self.shown == Shown::Distinct
            && let Some(repeats) = repeats_of(&group.facts)
        {
            (point.value, point.error, point.interval) = (Some(repeats.share()), None, None);
        }
        Some(Point { x: abscissa(show, &group.facts), ..context.with_published(point) })
    }
}

impl Means {
    /// Puts rows in the order of their first values.
    fn order(&self, rows: &mut [MeansRow], points: &[Point]) {
        let Some(order) = self.sort else { return };
        let value = |row: &MeansRow| row.cells.iter().flatten().next().and_then(|&at| points[at].value);
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
