//! From results to reports: the facts of every plan, its exhibits, its table of runs, and the pages.

use serde_json::Value;

use super::load_plans::Planned;
use super::output::{note, visible};
use super::played::played;
use super::publish::WrittenArtefact;
use super::training_times::training_times;
use super::{Flags, memory, publish};
use crate::reports::facts::Facts;
use crate::scheduler::Batch;
use crate::store::Store;

/// Renders every plan's exhibits and says where they are.
pub fn publish(
    flags: &Flags,
    plans: &[Planned],
    batch: &Batch,
    store: &Store,
    results: &[Option<Value>],
) -> anyhow::Result<Vec<WrittenArtefact>> {
    let written = render(flags, plans, batch, store, results)?;
    publish::pages(flags, &written, None)?;
    publish::announce(flags, &written);
    Ok(written)
}

/// Renders every plan's exhibits, without the pages.
pub fn render(
    flags: &Flags,
    plans: &[Planned],
    batch: &Batch,
    store: &Store,
    results: &[Option<Value>],
) -> anyhow::Result<Vec<WrittenArtefact>> {
    let (mut written, readings) = (Vec::new(), store.readings());
    for (planned, places) in plans.iter().zip(&batch.places) {
        let own = places.iter().map(|&place| results[place].as_ref());
        let id = |at: usize| &batch.jobs[places[at]].id;
        let whole = |at: usize| readings.get(&id(at).directory()).filter(|reading| reading.is_whole);
        let timed = (0..places.len()).filter_map(|at| Some((at, whole(at)?.seconds))).collect();
        let facts = Facts::of(&planned.plan, own).with_played(played(planned, id, store)?).with_seconds(timed);
        let facts = facts.with_precedences(memory::precedences(planned, places, batch, store)?);
        let taken = publish::Taken::of(batch, places, &readings);
        written.extend(publish::exhibits(flags, planned, &facts, &taken)?);
        let hours = training_times(planned, id, &readings);
        for (what, hours) in &hours {
            note(flags.quiet, &visible(&format!("{}: {what}: {hours}", planned.plan.written.name)));
        }
        publish::hours(flags, planned, &hours)?;
        publish::runs(flags, planned, &facts, id)?;
        publish::Made::of(flags, planned, &taken, id, &readings).keep(flags, planned)?;
    }
    Ok(written)
}
