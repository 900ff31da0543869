//! The kinds of exhibits. One file is one kind: from facts to a [`Sheet`].
//!
//! To add one: a file, a variant of `manifest::exhibit::Show`, and an arm of [`render`].

mod apart;
mod boards;
mod correlations;
mod criteria;
mod crosstable;
mod curves;
mod elo_curves;
mod elo_differences;
mod elo_table;
mod embeddings;
mod estimate;
mod ladder;
mod league;
mod matrices;
mod means;
mod numbers;
mod percentiles;
mod progress;
mod ratings;
mod running_times;
mod scatter;
#[cfg(test)]
mod tests;

pub(super) use estimate::blank;

use super::facts::{Fact, Facts};
use super::resignations;
use super::sheet::{Chart, DOUBTED, Point, Published, Sheet, Spread, Table, Verdict};
use crate::manifest::exhibit::{Exhibit, Show};
use crate::manifest::paper::ImpliedError;
use crate::ratings::correlation::fisher_error;

/// The profiles that are smaller than their paper by what they are for; others have settings of their own kind.
const REDUCED: [&str; 2] = ["smoke", "laptop"];

/// An exhibit together with everything that its rendering may look at.
pub struct Scene<'a> {
    /// What the manifest asks for.
    pub exhibit: &'a Exhibit,
    /// What the store holds.
    pub facts: &'a Facts<'a>,
    /// Whether these are exactly the jobs of the profile `paper`, so that published numbers may be judged.
    pub comparable: bool,
}

/// The measured part of a sheet.
pub(super) struct Content {
    points: Vec<Point>,
    table: Option<Table>,
    chart: Chart,
    notes: Vec<String>,
    caption: String,
}

/// Renders an exhibit.
#[must_use]
pub fn render(scene: &Scene<'_>) -> Sheet {
    let mut content = match &scene.exhibit.show {
        Show::Correlations(show) => correlations::render(scene, show),
        Show::Percentiles(show) => percentiles::render(scene, show),
        Show::Curves(show) => curves::render(scene, show),
        Show::Scatter(show) => scatter::render(scene, show),
        Show::Means(show) => means::render(scene, show),
        Show::Ratings(show) => ratings::render(scene, show),
        Show::Crosstable(show) => crosstable::render(scene, show),
        Show::EloTable(show) => elo_table::render(scene, show),
        Show::EloCurves(show) => elo_curves::render(scene, show),
        Show::EloDifferences(show) => elo_differences::render(scene, show),
        Show::RunningTimes(show) => running_times::render(scene, show),
        Show::WinMatrix(show) => matrices::render_wins(scene, show),
        Show::ScoreMatrix(show) => matrices::render_scores(scene, show),
        Show::Boards(show) => boards::render(scene, show),
        Show::Numbers(show) => numbers::render(scene, show),
        Show::Embeddings(show) => embeddings::render(scene, show),
        Show::Progress(show) => progress::render(scene, show),
    };
    apart::append(scene, &mut content);
    let plan = scene.facts.plan();
    let written = &plan.written;
    let name = match &scene.exhibit.name {
        Some(name) => written.name.sibling(name),
        None => written.name.clone(),
    };
    let heading = scene.exhibit.title.clone().unwrap_or_else(|| written.title.clone());
    let published = written.paper.as_ref().and_then(|paper| paper.artefact.as_ref());
    let title = match published {
        Some(artefact) if scene.exhibit.title.is_none() => format!("{artefact}. {heading}"),
        _ => heading,
    };
    let mut notes = content.notes;
    notes.extend(scene.doubts(&content.points));
    notes.extend(resignations::note(&scene.shown()));
    notes.extend(scene.few_runs(&content.points, content.table.as_ref()));
    let caption = [scene.exhibit.caption.trim(), content.caption.as_str(), &scene.scale()];
    let caption: Vec<&str> = caption.into_iter().filter(|part| !part.is_empty()).collect();
    Sheet {
        artefact: name.to_string(),
        title,
        caption: caption.join(" "),
        profile: plan.profile.clone(),
        points: content.points,
        table: content.table,
        chart: content.chart,
        criteria: criteria::decide(scene),
        notes,
    }
}

impl Scene<'_> {
    /// At which scale this was measured, for the caption.
    fn scale(&self) -> String {
        let plan = self.facts.plan();
        let artefact = plan.written.paper.as_ref().map(|paper| paper.artefact.as_deref());
        let what = match plan.profile.as_str() {
            "custom" => "with settings of its own (profile custom)".to_owned(),
            profile if REDUCED.contains(&profile) => format!("at reduced scale (profile {profile})"),
            profile => format!("with the settings of profile {profile}, not the paper's"),
        };
        if self.is_empty() {
            return format!("Nothing has been measured yet (profile {}).", plan.profile);
        }
        match (artefact, self.comparable) {
            (None, _) => String::new(),
            (Some(Some(_)), true) => "Measured at the paper's scale.".to_owned(),
            (Some(Some(artefact)), false) => format!("Measured {what}: not comparable with {artefact}."),
            (Some(None), true) => "Our addition: the paper has no such exhibit.".to_owned(),
            (Some(None), false) => format!("Our addition: the paper has no such exhibit. Measured {what}."),
        }
    }

    /// Whether there is not one result to show.
    fn is_empty(&self) -> bool {
        let facts = self.shown();
        !facts.is_empty() && facts.iter().all(|fact| fact.result.is_none())
    }

    /// The facts whose results are shown. Kinds that are not named here have further stages for an abscissa alone.
    fn shown(&self) -> Vec<Fact<'_>> {
        let stages: Vec<&str> = match &self.exhibit.show {
            Show::Means(show) => show.stage.all().collect(),
            Show::Curves(show) => show.stage.all().collect(),
            show => vec![show.stage()],
        };
        self.facts.stages(&stages)
    }

    /// The note on rows of means that rest on too few runs to be put in order, if there are several rows.
    fn few_runs(&self, points: &[Point], table: Option<&Table>) -> Option<String> {
        let is_of_means = matches!(self.exhibit.show, Show::Means(_) | Show::Curves(_));
        let cells = table.filter(|table| is_of_means && table.rows.len() > 1)?.rows.iter().flat_map(|(_, cells)| cells);
        estimate::few_runs(cells.filter_map(|&cell| points.get(cell?)))
    }

    /// A label as it is shown.
    fn show(&self, label: &str) -> String {
        self.facts.plan().written.labels.get(label).cloned().unwrap_or_else(|| label.to_owned())
    }

    /// Labels as one phrase.
    fn phrase(&self, labels: &[String]) -> String {
        let shown: Vec<String> =
            labels.iter().filter(|label| !label.is_empty()).map(|label| self.show(label)).collect();
        shown.join(", ")
    }

    /// Puts the published number of a point's place beside it, with the verdict.
    fn with_published(&self, mut point: Point) -> Point {
        let paper = self.facts.plan().written.paper.as_ref();
        if let Some((value, implied)) = paper.and_then(|paper| paper.number(&point.metric, &point.row, &point.column)) {
            let error = self.implied_error(&point, value, implied).map(Spread::standard_error);
            let is_doubted = paper.is_some_and(|paper| paper.doubt(&point.metric, &point.row, &point.column).is_some());
            point.published = Some(Published { value, error, is_doubted });
            point.verdict = self.is_judged(&point, error).then(|| self.verdict(&point, value, error));
        }
        point
    }

    /// What is wrong with published numbers that are shown.
    fn doubts(&self, points: &[Point]) -> Vec<String> {
        let paper = self.facts.plan().written.paper.as_ref();
        let doubt = |point: &Point| {
            let doubt = paper?.doubt(&point.metric, &point.row, &point.column)?;
            Some(format!("{DOUBTED} {}, {}: {doubt}", point.row, point.column))
        };
        points.iter().filter(|point| point.published.is_some()).filter_map(doubt).collect()
    }

    /// The standard error of a printed number in the place of a point.
    fn implied_error(&self, point: &Point, value: f64, implied: ImpliedError) -> Option<f64> {
        match implied {
            ImpliedError::Unknown => None,
            ImpliedError::Printed { size } => Some(size),
            ImpliedError::Fisher { n } => fisher_error(value, n as usize),
            ImpliedError::Binomial { n } => estimate::share_error(value, u64::from(n)),
            ImpliedError::Rates { n } => {
                let paper = self.facts.plan().written.paper.as_ref()?;
                matrices::printed_error(paper, u64::from(n), &point.row, &point.column)
            }
        }
    }

    /// Whether a verdict says something: not of two numbers whose errors are both unknown, unless they were counted.
    fn is_judged(&self, point: &Point, published_error: Option<Spread>) -> bool {
        let is_compared = self.comparable && point.value.is_some();
        let is_counted = matches!(self.exhibit.show, Show::Numbers(_));
        !is_compared || is_counted || point.error.or(published_error).is_some()
    }

    /// Agreement within twice the combined standard error; nothing is judged at another scale.
    fn verdict(&self, point: &Point, published: f64, published_error: Option<Spread>) -> Verdict {
        let (Some(value), true) = (point.value, self.comparable) else { return Verdict::NotComparable };
        let size = |spread: Option<Spread>| spread.map_or(0.0, |spread| spread.size);
        let combined = size(point.error).hypot(size(published_error));
        if (value - published).abs() <= 2.0 * combined { Verdict::Agrees } else { Verdict::Differs }
    }
}

/// The note on lost runs, if there are any.
fn lost(facts: &[Fact<'_>]) -> Option<String> {
    let lost = facts.iter().filter(|fact| fact.result.is_none()).count();
    (lost > 0).then(|| format!("{lost} of {} jobs have no result.", facts.len()))
}

/// Short ids of the configurations behind some facts.
fn config_ids(facts: &[Fact<'_>]) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for fact in facts {
        let id = fact.config.key.to_string();
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}
