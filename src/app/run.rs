//! A run: the checks before it, the missing jobs, and the reports.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::errors::{FILE, Misuse, REPORT, require_writable};
use super::live::page as live_page;
use super::memory::require_memory;
use super::opened::OpenedFiles;
use super::options::Options;
use super::plans::Planned;
use super::programs::{Ask, NamedEngine, cautions, require_consent};
use super::publish::{WrittenArtefact, directory, publish, require_own};
use super::requests::remember;
use gauntlet_games::base::{count, duration};
use gauntlet_plan::manifest::plan::LARGE;
use gauntlet_report::Criterion;
use gauntlet_run::scheduler::{
    CommandError, Finished, Listener, Recorder, RunEvent, RunOutcome, Setup, Stop, complete, stop_on_signals,
};

/// Most rounds of damage that only a report finds.
const REPAIRS: usize = 3;

/// The estimated seconds above which a run needs `--yes`: 1,000 hours.
const LONG: f64 = 3.6e6;

/// The request for a run.
#[derive(Debug, Clone, Default)]
pub struct RunRequest {
    /// Names of manifests.
    pub names: Vec<String>,
    /// Whether every manifest needs a success criterion.
    pub require_success: bool,
    /// The file for a recording of the events.
    pub record: Option<PathBuf>,
    /// Asks the user whether engines may start.
    pub ask: Option<Ask>,
}

/// Runs the missing jobs of some manifests and renders their exhibits: the artefacts, and whether every job is done.
///
/// # Errors
/// If a manifest has problems, or the store or the reports cannot be written.
pub fn run(
    options: &Options,
    request: &RunRequest,
    listener: &mut dyn Listener,
) -> anyhow::Result<RunOutcome<(Vec<WrittenArtefact>, bool)>> {
    for _ in 0..REPAIRS {
        match once(options, request, listener)? {
            RunOutcome::Finished((_, _, true)) => {}
            RunOutcome::Finished((written, is_done, false)) => return Ok(RunOutcome::Finished((written, is_done))),
            RunOutcome::Interrupted => return Ok(RunOutcome::Interrupted),
            RunOutcome::Damaged => return Ok(RunOutcome::Damaged),
        }
    }
    Ok(RunOutcome::Damaged)
}

/// The same once: the last value says whether a job was damaged in a file that only the report reads.
fn once(
    options: &Options,
    request: &RunRequest,
    listener: &mut dyn Listener,
) -> anyhow::Result<RunOutcome<(Vec<WrittenArtefact>, bool, bool)>> {
    let stop = Stop::default();
    // A second handler in one process (tests) is refused; the first one stays.
    let _ = stop_on_signals(&stop);
    let plans = checked_plans(options, &request.names, request.require_success)?;
    let engines: Vec<NamedEngine> = plans.iter().flat_map(Planned::engines).collect();
    let lines: Vec<String> = plans.iter().flat_map(|planned| planned.shell_lines(options)).collect();
    if let Some(programs) = require_consent(options, &engines, &lines, request.ask)? {
        listener.event(&RunEvent::Note(programs));
    }
    warn(listener, cautions(&engines));
    let store = options.look()?;
    let mut batch = options.batch(&plans, &store)?;
    batch.measure(&store);
    require_yes_for_long_runs(options, batch.seconds_left(&store, options.slots()))?;
    plans.iter().try_for_each(|planned| require_writable(&directory(options, planned), REPORT))?;
    let store = options.store()?;
    remember(options, &plans, &batch, &store)?;
    let setup = Setup {
        store: &store,
        data: options.data.as_deref(),
        workers: options.workers()?,
        settings: options.pool_settings(),
        accept_code: options.accept_code,
        stop: &stop,
    };
    let mut recorder = recorder(request.record.as_deref())?;
    let mut run = |batch| complete(batch, &setup, &mut (&mut recorder, &mut *listener)).map_err(with_hint);
    let opened = OpenedFiles::watch(&engines, &read_here(options, &plans));
    let ended = match options.live {
        Some(seconds) => live_page::keep(options, &plans, &store, seconds, || run(batch))?,
        None => run(batch)?,
    };
    warn(listener, opened.cautions());
    // The rounds have repeated what they discarded.
    let _ = store.take_discarded();
    let outcome = match ended {
        RunOutcome::Finished(Finished { batch, results, is_done, lock: _lock }) => {
            let written = publish(options, &plans, &batch, &store, (&results, &[]), listener)?;
            // Games are read for the report alone: jobs with damaged ones were discarded only now.
            RunOutcome::Finished((written, is_done, store.take_discarded()))
        }
        RunOutcome::Interrupted => RunOutcome::Interrupted,
        RunOutcome::Damaged => RunOutcome::Damaged,
    };
    // An incomplete recording does not undo the run.
    if let Some(Err(error)) = recorder.map(Recorder::finish) {
        listener.event(&RunEvent::Warning(format!("warning: the recording is incomplete: {error}")));
    }
    Ok(outcome)
}

/// Sends cautions to the listener.
fn warn(listener: &mut dyn Listener, cautions: impl IntoIterator<Item = String>) {
    let warnings = cautions.into_iter().map(|caution| RunEvent::Warning(format!("caution: {caution}")));
    warnings.for_each(|warning| listener.event(&warning));
}

/// The data files that jobs read in this program.
fn read_here(options: &Options, plans: &[Planned]) -> BTreeSet<PathBuf> {
    let files = plans.iter().flat_map(|planned| planned.plan.inputs.keys());
    options.data.iter().flat_map(|data| files.clone().map(|file| data.join(file))).collect()
}

/// The plans of some manifests, checked for all known causes of failures.
fn checked_plans(options: &Options, names: &[String], require_success: bool) -> anyhow::Result<Vec<Planned>> {
    let plans = options.plans(names)?;
    plans.iter().try_for_each(|planned| planned.require_inputs(options))?;
    plans.iter().try_for_each(|planned| planned.require_weights(options))?;
    plans.iter().try_for_each(require_jobs)?;
    plans.iter().try_for_each(|planned| require_memory(options, planned))?;
    require_one_class(&plans)?;
    require_own(options, &plans)?;
    require_yes_for_many_jobs(options, &plans)?;
    if require_success {
        plans.iter().try_for_each(require_criteria)?;
    }
    // The manifest may be edited while the jobs run.
    plans.iter().for_each(|planned| _ = planned.paper_scales());
    Ok(plans)
}

/// The recorder, if a recording was requested.
fn recorder(path: Option<&Path>) -> anyhow::Result<Option<Recorder>> {
    let create = |path: &Path| {
        let named = |error| anyhow::Error::new(error).context(format!("cannot write {}", path.display())).context(FILE);
        Recorder::create(path).map_err(named)
    };
    path.map(create).transpose()
}

/// Adds a hint to the error of missing Slurm programs.
fn with_hint(error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<CommandError>() {
        Ok(error) => Misuse::new(error.to_string(), "is this a machine of the cluster? --executor local runs here"),
        Err(error) => error,
    }
}

/// The sentences of the success criteria that are not met.
#[must_use]
pub fn unmet_criteria(written: &[WrittenArtefact]) -> Vec<String> {
    let criteria = written.iter().flat_map(|written| &written.sheet.criteria);
    criteria.filter(|criterion| !criterion.met).map(Criterion::sentence).collect()
}

fn require_yes_for_many_jobs(options: &Options, plans: &[Planned]) -> anyhow::Result<()> {
    let jobs: usize = plans.iter().map(|planned| planned.plan.jobs.len()).sum();
    if jobs > LARGE && !options.yes {
        return Err(Misuse::new(format!("{jobs} jobs are more than {LARGE}"), "add --yes to run them"));
    }
    Ok(())
}

/// Refuses runs of more than 1,000 estimated hours: estimates have been wrong by a factor of two, not of a thousand.
fn require_yes_for_long_runs(options: &Options, seconds: f64) -> anyhow::Result<()> {
    if seconds > LONG && !options.yes {
        let what = format!("this takes about {} here, on {}", duration(seconds), count(options.slots(), "slot"));
        return Err(Misuse::new(what, "add --yes to begin, or choose a smaller --profile"));
    }
    Ok(())
}

/// Refuses a suite: it has matches and no jobs.
pub fn require_jobs(planned: &Planned) -> anyhow::Result<()> {
    if planned.plan.jobs.is_empty() && planned.plan.written.suite.is_some() {
        let what = format!("{} is a suite of matches, and has no jobs", planned.name);
        return Err(Misuse::new(what, format!("`gauntlet regress {}` plays it", planned.name)));
    }
    Ok(())
}

/// Requires one device class for all plans of a run.
fn require_one_class(plans: &[Planned]) -> anyhow::Result<()> {
    let first = plans.first().map(|planned| &planned.plan.device);
    match plans.iter().find(|planned| Some(&planned.plan.device) != first) {
        None => Ok(()),
        Some(other) => {
            let first = first.map_or("", String::as_str);
            let what = format!(
                "{} is for the device class {}, and the first manifest for {first}",
                other.name, other.plan.device
            );
            Err(Misuse::new(what, "run the manifests one after another, or name one class with --device-class"))
        }
    }
}

/// Requires a success criterion.
fn require_criteria(planned: &Planned) -> anyhow::Result<()> {
    if planned.plan.written.exhibits.iter().all(|exhibit| exhibit.success.is_empty()) {
        let what = format!("{} has no success criterion", planned.name);
        return Err(Misuse::new(what, "add [[exhibit.success]], or leave --require-success out"));
    }
    Ok(())
}
