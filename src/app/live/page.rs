//! The page during a run: written at the start and then ever more rarely, from the results in the store and the jobs
//! under way, and marked as partial.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::{LiveReader, fragment};
use crate::app::options::Options;
use crate::app::plans::Planned;
use crate::app::publish::{pages, render};
use gauntlet_games::base::count;
use gauntlet_report::page::Partial;
use gauntlet_store::Store;

/// The seconds between the first two pages; each later pause is twice as long, up to a limit.
const FIRST: u64 = 2;

/// Runs a long operation, and updates the pages of these plans meanwhile, at last every `seconds`. Browsers do not
/// reload the pages after the end.
pub fn keep<T>(
    options: &Options,
    plans: &[Planned],
    store: &Store,
    seconds: u64,
    work: impl FnOnce() -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    write(options, plans, store, Some(FIRST.min(seconds)))?;
    let ended = thread::scope(|scope| {
        let (end, ends) = mpsc::channel::<()>();
        scope.spawn(move || follow(options, plans, store, (&ends, seconds)));
        let ended = work();
        drop(end);
        ended
    })?;
    write(options, plans, store, None)?;
    Ok(ended)
}

/// Writes the pages until the other end of the channel is dropped. A page that cannot be written stops no job.
fn follow(options: &Options, plans: &[Planned], store: &Store, (ends, most): (&Receiver<()>, u64)) {
    let mut pause = FIRST.min(most);
    while ends.recv_timeout(Duration::from_secs(pause)) == Err(RecvTimeoutError::Timeout) {
        pause = (2 * pause).min(most);
        if let Err(error) = write(options, plans, store, Some(pause)) {
            tracing::warn!("the page of the run is not written: {error:#}");
        }
    }
}

/// Writes the pages as of now; `pause` is the time in seconds until the next ones, if there are any.
fn write(options: &Options, plans: &[Planned], store: &Store, pause: Option<u64>) -> anyhow::Result<()> {
    let batch = options.batch(plans, store)?;
    let (results, _) = batch.results(store)?;
    let done = results.iter().flatten().count();
    // The terminal belongs to the run.
    let written = render(options, plans, &batch, store, (&results, &[]), &mut ())?;
    let now = jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M:%S UTC");
    let of = count(results.len(), "job");
    // The next page is there a moment after the pause.
    let refreshed = pause.map(|pause| pause + 1);
    let again = refreshed.map_or(String::new(), |after| format!(", while they run; loaded again after {after} s"));
    let state = format!("{done} of {of} done at {now}{again}.");
    let own = refreshed.map(|_| LiveReader::default().read(store, Some(std::process::id())));
    let partial = Partial { state, refreshed, under_way: fragment(&own.unwrap_or_default()) };
    pages(options, &written, Some(&partial), &mut ())
}
