//! Numbers that a gallery published, for the jobs of a plan that have no result here: a study goes on with more seeds on
//! another machine. The gallery holds no games and no weights of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::errors::Misuse;
use super::gallery::linking_pages;
use super::options::Options;
use super::plans::Planned;
use super::publish::directory;
use gauntlet_games::base::count;
use gauntlet_games::base::files::{LARGEST_NOTE, read_text};
use gauntlet_report::published_facts::{found, result_of};
use gauntlet_report::published_runs::{PublishedRun, parse};
use gauntlet_report::write::stem;
use gauntlet_run::scheduler::Batch;

/// The published runs of one plan.
#[derive(Default)]
pub struct PublishedResults {
    runs: BTreeMap<usize, PublishedRun>,
    /// The commits of the programs that made them, as their page names them.
    commit: String,
}

impl PublishedResults {
    /// The published runs of each plan; they fill the results that are missing.
    ///
    /// # Errors
    /// If the gallery has no runs of a plan, or those of another form of its manifest.
    pub fn fill(
        options: &Options,
        gallery: &Path,
        plans: &[Planned],
        batch: &Batch,
        results: &mut [Option<Value>],
    ) -> anyhow::Result<Vec<PublishedResults>> {
        let mut published = Vec::new();
        for (planned, places) in plans.iter().zip(&batch.places) {
            let mut own = PublishedResults::read(options, gallery, planned)?;
            own.runs.retain(|&at, _| results[places[at]].is_none());
            for (&at, run) in &own.runs {
                results[places[at]] = Some(result_of(&planned.plan, &planned.plan.jobs[at], run));
            }
            published.push(own);
        }
        Ok(published)
    }

    /// The runs of a plan in a gallery.
    fn read(options: &Options, gallery: &Path, planned: &Planned) -> anyhow::Result<PublishedResults> {
        if !planned.plan.races().is_empty() {
            let what = format!("{} has a race, whose rounds need the games of every run", planned.name);
            return Err(Misuse::new(what, "leave --gallery out"));
        }
        let report = directory(options, planned);
        let report = report.strip_prefix(&options.reports).unwrap_or(&report);
        let name = format!("{}.csv", stem(planned.plan.written.name.as_str()));
        let path: PathBuf = gallery.join(report).join("runs").join(name);
        let table = read_text(&path, LARGEST_NOTE).ok().as_deref().and_then(parse);
        let Some(runs) = table else {
            let what = format!("{} is no table of published runs", path.display());
            return Err(Misuse::new(what, "name the directory of a gallery, as reports/gallery, and its --profile"));
        };
        let form = format!("Resolved manifest {}", options.form(planned).key);
        let pages = linking_pages(&path);
        let Some(page) = pages.iter().find(|page| page.contains(&form)) else {
            let what = format!("the runs of {} are not those of {} in its form today", path.display(), planned.name);
            let way = "their page names another resolved manifest: take the manifest, the options and the class of \
                       processor of that page, or leave --gallery out";
            return Err(Misuse::new(what, way));
        };
        let commit = page.split_once(" at commit ").and_then(|(_, rest)| rest.split([' ', ':']).next());
        let runs = found(&planned.plan, &runs).into_iter().enumerate();
        let runs = runs.filter_map(|(at, run)| Some((at, run?.clone()))).collect();
        Ok(PublishedResults { runs, commit: commit.unwrap_or_default().to_owned() })
    }

    /// The published run of a job, by its index in the plan.
    pub fn run(&self, at: usize) -> Option<&PublishedRun> {
        self.runs.get(&at)
    }

    /// The note on an exhibit that shows some of these jobs, by their indices in the plan.
    pub fn note(&self, shown: impl Iterator<Item = usize>) -> Option<String> {
        let shown = shown.filter(|at| self.runs.contains_key(at)).count();
        (shown > 0).then(|| {
            format!(
                "The numbers of {} are those that the gallery had before, of commit {}. Their games are not known here, so \
                 that no dagger compares their errors over games; of a curve the last entry is known.",
                count(shown, "job"),
                self.commit
            )
        })
    }
}
