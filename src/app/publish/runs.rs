//! The table of all runs of a report: each manifest replaces its own rows.

use std::path::Path;

use super::kept::{directory, write_report};
use super::sealed;
use crate::app::library::natural;
use crate::app::options::Options;
use crate::app::plans::Planned;
use crate::app::published_results::PublishedResults;
use gauntlet_report::facts::Facts;
use gauntlet_report::runs::{RunRow, csv};
use gauntlet_report::write::stem;
use gauntlet_run::scheduler::Listener;
use gauntlet_store::JobId;

/// The directory of the runs of each manifest, which wait for the table.
const RUNS: &str = ".runs";
/// The table.
pub(super) const TABLE: &str = "runs.csv";

/// Writes the table of the report's runs, with the current runs of a plan; `id` gives a job by its index in the plan.
///
/// # Errors
/// If a file cannot be written.
pub fn runs<'a>(
    options: &Options,
    planned: &Planned,
    (facts, published): (&Facts<'_>, &PublishedResults),
    id: impl Fn(usize) -> &'a JobId,
    listener: &mut dyn Listener,
) -> anyhow::Result<()> {
    let (directory, own) = (directory(options, planned), rows(options, planned, (facts, published), id));
    let name = format!("{}.json", stem(planned.plan.written.name.as_str()));
    let is_own = |path: &Path| path.file_name().is_some_and(|other| *other == *name);
    let mut manifests: Vec<Vec<RunRow>> = sealed::read_others(&directory.join(RUNS), is_own, listener);
    sealed::write(&options.reports, &directory.join(RUNS).join(&name), &own)?;
    manifests.push(own);
    manifests.sort_by_cached_key(|runs| runs.first().map(|run| natural(&run.manifest)));
    let runs: Vec<RunRow> = manifests.into_iter().flatten().collect();
    write_report(&options.reports, &directory.join(TABLE), &csv(&runs)?)
}

/// The runs of one manifest for a gallery, by its name: as CSV without the directories of this machine, if the report
/// has them.
///
/// # Errors
/// If the table cannot be built, which would be a bug.
pub fn shared_runs(report: &Path, manifest: &str) -> anyhow::Result<Option<Vec<u8>>> {
    let kept: Option<Vec<RunRow>> = sealed::read(&report.join(RUNS).join(format!("{}.json", stem(manifest))));
    let apart = |run| RunRow { directory: String::new(), ..run };
    Ok(kept.map(|runs| csv(&runs.into_iter().map(apart).collect::<Vec<_>>())).transpose()?)
}

/// The runs of a plan; published ones have the numbers of their table. The games of a meeting are those of its tournament.
pub fn rows<'a>(
    options: &Options,
    planned: &Planned,
    (facts, published): (&Facts<'_>, &PublishedResults),
    id: impl Fn(usize) -> &'a JobId,
) -> Vec<RunRow> {
    let (plan, name) = (&planned.plan, planned.plan.written.name.as_str());
    let row = |(at, fact)| {
        let id: &JobId = id(at);
        let place = options.results.join("jobs").join(id.directory());
        let row = RunRow::new(name, &fact, id.key, place.display().to_string());
        match published.run(at) {
            Some(run) => run.row(row),
            None => row,
        }
    };
    let is_run = |(at, _): &(usize, _)| !plan.config(&plan.jobs[*at]).is_part();
    facts.all().enumerate().filter(is_run).map(row).collect()
}
