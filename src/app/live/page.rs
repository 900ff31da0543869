//! The page during a run: written at the start and then every minute from the results in the store and the jobs under
//! way, and marked as partial.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::{LiveReader, fragment};
use crate::app::options::Options;
use crate::app::plans::Planned;
use crate::app::publish::{pages, render};
use crate::reports::page::Partial;
use crate::store::Store;
use gauntlet_games::base::count;

/// Time between two pages.
const INTERVAL: Duration = Duration::from_secs(60);

/// Runs a long operation, and updates the pages of these plans meanwhile. Browsers do not reload the pages after the
/// end.
pub fn keep<T>(
    options: &Options,
    plans: &[Planned],
    store: &Store,
    work: impl FnOnce() -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    write(options, plans, store, true)?;
    let ended = thread::scope(|scope| {
        let (end, ends) = mpsc::channel::<()>();
        scope.spawn(move || follow(options, plans, store, &ends));
        let ended = work();
        drop(end);
        ended
    })?;
    write(options, plans, store, false)?;
    Ok(ended)
}

/// Writes the pages every minute until the other end of the channel is dropped. A page that cannot be written stops no
/// job.
fn follow(options: &Options, plans: &[Planned], store: &Store, ends: &Receiver<()>) {
    while ends.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
        if let Err(error) = write(options, plans, store, true) {
            tracing::warn!("the page of the run is not written: {error:#}");
        }
    }
}

/// Writes the pages as of now.
fn write(options: &Options, plans: &[Planned], store: &Store, refreshed: bool) -> anyhow::Result<()> {
    let batch = options.batch(plans, store)?;
    let (results, _) = batch.results(store)?;
    let done = results.iter().flatten().count();
    // The terminal belongs to the run.
    let written = render(options, plans, &batch, store, &results, &mut ())?;
    let now = jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC");
    let of = count(results.len(), "job");
    let again = if refreshed { ", while they run; loaded again every minute" } else { "" };
    let state = format!("{done} of {of} done at {now}{again}.");
    let own = refreshed.then(|| LiveReader::default().read(store, Some(std::process::id())));
    let partial = Partial { state, refreshed, under_way: fragment(&own.unwrap_or_default()) };
    pages(options, &written, Some(&partial), &mut ())
}
