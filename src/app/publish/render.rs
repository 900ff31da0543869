//! From results to reports: the facts of every plan, its exhibits, its table of runs, and the pages.

use std::borrow::Cow;

use serde_json::Value;

use super::exhibits::{WrittenArtefact, exhibits};
use super::older_code::OlderCode;
use super::origin::RequestOrigin;
use super::owner::drop_gone;
use super::pages::{pages, write_hours};
use super::provenance::Provenance;
use super::runs::runs;
use super::training_times::training_times;
use crate::app::lines::lines;
use crate::app::options::Options;
use crate::app::plans::Planned;
use crate::app::played::played;
use crate::app::published_results::PublishedResults;
use crate::app::requests::precedences;
use gauntlet_exhibits::printed::unshown;
use gauntlet_games::base::visible;
use gauntlet_plan::manifest::{Admission, Plan};
use gauntlet_report::facts::Facts;
use gauntlet_run::scheduler::{Batch, Listener, RunEvent};
use gauntlet_store::Store;

/// Renders and writes every plan's exhibits, and the pages. Some of the results can be those of a gallery, plan by plan.
///
/// # Errors
/// If the games of a job cannot be read, a picture cannot be drawn, or a file cannot be written.
pub fn publish(
    options: &Options,
    plans: &[Planned],
    batch: &Batch,
    store: &Store,
    (results, published): (&[Option<Value>], &[PublishedResults]),
    listener: &mut dyn Listener,
) -> anyhow::Result<Vec<WrittenArtefact>> {
    let written = render(options, plans, batch, store, (results, published), listener)?;
    pages(options, &written, None, listener)?;
    Ok(written)
}

/// The same without the pages.
///
/// # Errors
/// See [`publish`].
pub fn render(
    options: &Options,
    plans: &[Planned],
    batch: &Batch,
    store: &Store,
    (results, published): (&[Option<Value>], &[PublishedResults]),
    listener: &mut dyn Listener,
) -> anyhow::Result<Vec<WrittenArtefact>> {
    let (mut written, readings) = (Vec::new(), store.readings());
    let none = PublishedResults::default();
    for (at, planned) in plans.iter().enumerate() {
        let published = published.get(at).unwrap_or(&none);
        let (planned, places) = without_losers(planned, at, batch);
        let (planned, places) = (&*planned, &*places);
        let own = places.iter().map(|&place| results[place].as_ref());
        let id = |at: usize| &batch.jobs[places[at]].id;
        let whole = |at: usize| readings.get(&id(at).directory()).filter(|reading| reading.is_whole);
        let timed = (0..places.len()).filter_map(|at| Some((at, whole(at)?.seconds))).collect();
        let facts = Facts::of(&planned.plan, own).with_played(played(planned, id, store)?);
        let lines = lines(&facts, id, store)?;
        let facts = facts.with_lines(lines);
        let facts = facts.with_seconds(timed);
        let facts = facts.with_precedences(precedences(planned, places, batch, store)?);
        let taken = OlderCode::of(batch, places, &readings);
        let own = exhibits(options, planned, (&facts, published), &taken)?;
        note_unshown(planned, &own, listener);
        written.extend(own);
        let hours = training_times(planned, id, |at| results[places[at]].is_some(), &readings);
        for (what, hours) in &hours {
            let text = visible(&format!("{}: {what}: {hours}", planned.plan.written.name));
            listener.event(&RunEvent::Note(text));
        }
        write_hours(options, planned, &hours)?;
        runs(options, planned, (&facts, published), id, listener)?;
        let origin = RequestOrigin::read(options, planned, store)?;
        Provenance::of(options, planned, (&taken, &origin), id, &readings).keep(options, planned)?;
    }
    drop_gone(options, plans);
    Ok(written)
}

/// Notes the published rows at the paper's scale that stand beside no row of ours.
fn note_unshown(planned: &Planned, written: &[WrittenArtefact], listener: &mut dyn Listener) {
    let manifest = &planned.plan.written;
    let (Some(paper), scales) = (&manifest.paper, planned.paper_scales()) else { return };
    if !(0..manifest.exhibits.len()).all(|place| scales.is_comparable(place)) {
        return;
    }
    let points = || written.iter().flat_map(|written| &written.sheet.points);
    let is_shown = |metric: &str, row: &str| points().any(|point| point.metric == metric && point.row == row);
    for (metric, row) in unshown(&paper.published, is_shown) {
        let text = format!("{}: no table has the row `{row}` of the published `{metric}`", manifest.name);
        listener.event(&RunEvent::Note(visible(&text)));
    }
}

/// A plan without the jobs that its races have no use for, and the places of the others in the batch.
fn without_losers<'a>(planned: &'a Planned, at: usize, batch: &'a Batch) -> (Cow<'a, Planned>, Cow<'a, [usize]>) {
    let (places, admissions) = (&batch.places[at], &batch.races[at].of_jobs);
    if !admissions.contains(&Admission::Out) {
        return (Cow::Borrowed(planned), Cow::Borrowed(places));
    }
    let is_kept: Vec<bool> = admissions.iter().map(|admission| *admission != Admission::Out).collect();
    let mut plan = Plan::clone(&planned.plan);
    plan.keep(&is_kept);
    let kept = places.iter().zip(is_kept).filter(|(_, is_kept)| *is_kept).map(|(&place, _)| place).collect();
    (Cow::Owned(planned.with_plan(plan)), Cow::Owned(kept))
}
