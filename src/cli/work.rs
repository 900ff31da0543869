//! Doing what manifests ask for: the questions before a run, what is told on the way, and the exit code.

use std::path::Path;

use super::load_plans::Planned;
use super::output::{Misuse, count, duration, note, tell, visible};
use super::publish::WrittenArtefact;
use super::room::require_memory;
use super::{ExecutorKind, Exit, Flags, cluster, live_page, memory, publish, render};
use crate::manifest::plan::LARGE;
use crate::reports::Criterion;
use crate::scheduler::{
    Batch, Detached, Display, Ended, JobState, PoolSettings, RunListener, Setup, Stop, Summary, complete,
    stop_on_signals,
};
use crate::store::{GONE, Held, Store, host};

/// Seconds that a run may be estimated to take before it asks: 1,000 hours.
const LONG: f64 = 3.6e6;

/// Runs the missing jobs of some manifests, renders their exhibits and says what happened. With `require_success` their
/// success criteria decide how that ends.
///
/// # Errors
/// When a manifest has problems, or the store or the reports cannot be written.
pub fn run(flags: &Flags, names: &[String], require_success: bool) -> anyhow::Result<Exit> {
    let stop = Stop::default();
    // A second handler in one process (tests) is refused; the first one stays.
    let _ = stop_on_signals(&stop);
    let plans = flags.plans(names)?;
    plans.iter().try_for_each(|planned| planned.require_inputs(flags))?;
    plans.iter().try_for_each(|planned| planned.require_weights(flags))?;
    plans.iter().try_for_each(require_jobs)?;
    plans.iter().try_for_each(|planned| require_memory(flags, planned))?;
    publish::require_own(flags, &plans)?;
    ask(flags, &plans)?;
    if require_success {
        plans.iter().try_for_each(require_criteria)?;
    }
    let store = flags.look()?;
    let mut batch = flags.batch(&plans, &store)?;
    batch.measure(&store);
    ask_for_time(flags, batch.seconds_left(&store, flags.slots()))?;
    let store = flags.store()?;
    memory::remember(&plans, &batch, &store)?;
    let setup = Setup {
        store: &store,
        data: flags.data.as_deref(),
        workers: flags.workers()?,
        settings: PoolSettings {
            slots: flags.slots(),
            threads_per_job: flags.threads_per_job(),
            fail_fast: flags.fail_fast,
        },
        accept_code: flags.accept_code,
        stop: &stop,
    };
    let run = |batch| complete(batch, &setup, &mut Told { flags, store: &store }).map_err(cluster::explained);
    let ended = match flags.live {
        true => live_page::keep(flags, &plans, &store, || run(batch))?,
        false => run(batch)?,
    };
    match ended {
        Ended::Complete { batch, results, is_done, lock: _lock } => {
            let written = render::publish(flags, &plans, &batch, &store, &results)?;
            let success = || if require_success { judge(&written) } else { Exit::Done };
            Ok(if is_done { success() } else { Exit::JobFailed })
        }
        Ended::Interrupted => {
            // What stays with a cluster was told.
            if flags.executor != ExecutorKind::Slurm {
                note(flags.quiet, "interrupted; run the same command again to continue");
            }
            Ok(Exit::Interrupted)
        }
        Ended::Damaged => {
            tell(&format!("error: results in {} are damaged as soon as they are written", flags.results.display()));
            tell("\nhint: check the disk, or name another directory with --results");
            Ok(Exit::Damaged)
        }
    }
}

/// Tells on stderr what happens on the way.
struct Told<'a> {
    flags: &'a Flags,
    store: &'a Store,
}

impl RunListener for Told<'_> {
    fn waits(&mut self, held: &Held) {
        // Not even a quiet run stands still without a word.
        tell(&waiting(held, &self.flags.results));
    }

    fn begins(&mut self, batch: &Batch) {
        announce(self.flags, batch, self.store);
    }

    fn display(&mut self) -> Display {
        if self.flags.quiet { Display::hidden() } else { Display::for_stderr(self.flags.no_progress) }
    }

    fn detaches(&mut self, detached: &Detached) {
        cluster::tell_detached(self.flags, detached);
    }

    fn ends(&mut self, batch: &Batch, summary: &Summary) {
        for (at, reason) in &summary.failed {
            tell(&format!("failed: {}: {reason}", batch.describe(*at)));
        }
        let (failed, skipped) = (summary.failed.len(), summary.skipped.len());
        if failed > 0 {
            let line = format!("{} failed, {skipped} that wait for them were skipped", count(failed, "job"));
            note(self.flags.quiet, &line);
        }
    }
}

/// What is there, what is missing, and what it will cost.
fn announce(flags: &Flags, batch: &Batch, store: &Store) {
    let at = |state| batch.count(state);
    let (cached, stale, broken) = (batch.done(), at(JobState::Stale), at(JobState::Broken));
    let new = at(JobState::New);
    let mut line = format!("{}: {new} new, {cached} cached, {stale} stale", count(batch.jobs.len(), "job"));
    if broken > 0 {
        line += &format!(", {broken} damaged");
    }
    if let begun @ 1.. = batch.begun(store) {
        line += &format!("; {begun} continue from a checkpoint");
    }
    if let continuing @ 1.. = batch.continuing() {
        line += &format!("; {continuing} continue a shorter training");
    }
    if batch.is_complete() {
        line += "; all jobs are cached, nothing to do";
    } else {
        let slots = flags.slots();
        let place = if flags.executor == ExecutorKind::Slurm { "array task" } else { "slot" };
        line += &format!("; about {} on {}", duration(batch.seconds_left(store, slots)), count(slots, place));
    }
    note(flags.quiet, &line);
    if stale > 0 {
        let ways = "`gauntlet verify` finds out whether they come out the same, --accept-code takes them as they are";
        note(flags.quiet, &format!("stale jobs were run by other code and run again; {ways}"));
    }
    match at(JobState::Accepted) {
        0 => {}
        accepted => note(flags.quiet, &format!("{accepted} results of older code are taken as they are")),
    }
    match at(JobState::Verified) {
        0 => {}
        verified => note(flags.quiet, &format!("{verified} results of older code are verified, and taken")),
    }
}

fn ask(flags: &Flags, plans: &[Planned]) -> anyhow::Result<()> {
    let jobs: usize = plans.iter().map(|planned| planned.plan.jobs.len()).sum();
    if jobs > LARGE && !flags.yes {
        return Err(Misuse::new(format!("{jobs} jobs are more than {LARGE}"), "add --yes to run them"));
    }
    Ok(())
}

/// Refuses waits that were not meant: estimates have been wrong by half, but not a thousandfold.
fn ask_for_time(flags: &Flags, seconds: f64) -> anyhow::Result<()> {
    if seconds > LONG && !flags.yes {
        let what = format!("this takes about {} here, on {}", duration(seconds), count(flags.slots(), "slot"));
        return Err(Misuse::new(what, "add --yes to begin, or choose a smaller --profile"));
    }
    Ok(())
}

/// A suite has matches and no jobs.
pub fn require_jobs(planned: &Planned) -> anyhow::Result<()> {
    if planned.plan.jobs.is_empty() && planned.plan.written.suite.is_some() {
        let what = format!("{} is a suite of matches, and has no jobs", planned.name);
        return Err(Misuse::new(what, format!("`gauntlet regress {}` plays it", planned.name)));
    }
    Ok(())
}

/// Where nothing is claimed, nothing can be required.
fn require_criteria(planned: &Planned) -> anyhow::Result<()> {
    if planned.plan.written.exhibits.iter().all(|exhibit| exhibit.success.is_empty()) {
        let what = format!("{} has no success criterion", planned.name);
        return Err(Misuse::new(what, "add [[exhibit.success]], or leave --require-success out"));
    }
    Ok(())
}

/// Names the success criteria that are not met; whether there are any.
fn judge(written: &[WrittenArtefact]) -> Exit {
    let criteria = written.iter().flat_map(|written| &written.sheet.criteria);
    let unmet: Vec<String> = criteria.filter(|criterion| !criterion.met).map(Criterion::sentence).collect();
    unmet.iter().for_each(|sentence| tell(sentence));
    if unmet.is_empty() { Exit::Done } else { Exit::Regression }
}

/// That another process is in the way, since when, and the way out.
pub fn waiting(held: &Held, results: &Path) -> String {
    let (who, since) = held.holder.as_ref().map_or(("another process".to_owned(), String::new()), |holder| {
        // To the second: `2026-11-21T21:27:26`.
        let since = holder.since.get(..19).unwrap_or(&holder.since).replace('T', " ");
        let place = if holder.host == host() { String::new() } else { format!(" on {}", visible(&holder.host)) };
        (format!("process {}{place}", holder.process), format!(" (since {since} UTC)"))
    });
    let line = format!("{who} is running on `{}`{since}; waiting for it, Ctrl-C gives up", results.display());
    let Some(file) = &held.file else { return line };
    let silent = if held.holder.is_none() { "; the file that should name it is empty or torn" } else { "" };
    let way = format!("if it has ended, remove {}", file.display());
    format!("{line}{silent}\nhint: it counts as ended after {} s without a sign of life; {way}", GONE.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Holder;

    #[test]
    fn who_waits_is_told_for_whom_how_long_and_what_to_remove() {
        let holder = Holder { process: 7, since: "2026-11-21T21:27:26.5Z".to_owned(), host: "n7".to_owned() };
        let file = Some("r/.owner.json".into());
        let told = |holder, file| waiting(&Held { holder, file }, Path::new("r"));
        let line = "process 7 on n7 is running on `r` (since 2026-11-21 21:27:26 UTC); waiting for it, Ctrl-C gives up";
        assert_eq!(told(Some(holder.clone()), None), line);
        let hint =
            "\nhint: it counts as ended after 180 s without a sign of life; if it has ended, remove r/.owner.json";
        assert_eq!(told(Some(holder), file.clone()), format!("{line}{hint}"));
        let silent = "; waiting for it, Ctrl-C gives up; the file that should name it is empty or torn\nhint: ";
        assert!(told(None, file).contains(silent));
    }
}
