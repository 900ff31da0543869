//! `gauntlet verify`: checks that finished results are identical with today's program, byte for byte.

mod gallery;
mod settings;
mod summary;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::output::{Misuse, confirmed, count, duration, note};
use super::report::named_plans;
use super::{ExecutorKind, Exit, Flags, Terminal};
use crate::app::{NamedEngine, require_consent};
use gauntlet_run::scheduler::{Batch, CodeGroup, Older, Stop, VerifiedCode, stop_on_signals, wait_for_tree};
use gauntlet_run::verification::{Candidate, Candidates, Drawable, Outcome, Rerun, draw, find};
use gauntlet_store::{Program, Store};
pub use settings::Verify;
use settings::{Chosen, span};

impl Verify {
    /// Draws jobs, runs them again, compares, prints the table, and returns the exit code.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        require_threads(flags)?;
        if let Some(directory) = &self.gallery {
            return gallery::check(self, flags, directory);
        }
        let stop = Stop::default();
        // A second handler in one process (tests) is refused; the first one stays.
        let _ = stop_on_signals(&stop);
        let plans = named_plans(flags, &flags.options.look()?, &self.names)?;
        if flags.options.look()?.directories()?.is_empty() {
            note(flags.quiet, &format!("there is no result in {}", flags.options.results.display()));
            return Ok(Exit::Unmeasured);
        }
        let store = flags.options.store()?;
        let (Some(_lock), _) = wait_for_tree(&store, &stop, &mut Terminal::new(flags))? else {
            return Ok(Exit::Interrupted);
        };
        let plans = plans.iter().map(|planned| Arc::clone(&planned.plan)).collect();
        // Damaged results stay as they are: who checks a store may want to know how they came about.
        let checked = flags.options.look()?;
        let mut batch = Batch::with(plans, &checked, Older::Nothing)?;
        let scratch = store.scratch()?;
        let mut found = find(&mut batch, &checked, &scratch, self.all || self.sample.is_some())?;
        if self.sample.is_some() {
            found.jobs.iter_mut().for_each(|job| job.note = None);
        }
        let chosen = self.choose(flags, found);
        chosen.announce(flags);
        if let Some(programs) = require_consent(&flags.options, &chosen.engines(&batch), &[], Some(confirmed))? {
            note(flags.quiet, &programs);
        }
        let Some(outcomes) = self.compare(flags, &batch, &chosen, [&checked, &scratch], &stop)? else {
            note(flags.quiet, "interrupted; run the same command again to continue");
            return Ok(Exit::Interrupted);
        };
        drop(scratch);
        store.clear_scratch()?;
        // Those of this run are among them, and those of jobs that it did not draw.
        let recorded = VerifiedCode::read(&checked)?;
        summary::print(flags, &chosen, &outcomes, &recorded);
        Ok(summary::exit(&chosen, &outcomes, &recorded))
    }

    fn choose(&self, flags: &Flags, found: Candidates) -> Chosen {
        let groups: BTreeSet<&CodeGroup> = found.jobs.iter().map(|job| &job.group).collect();
        let groups: Vec<CodeGroup> = groups.into_iter().cloned().collect();
        let numbers: BTreeMap<&CodeGroup, usize> = groups.iter().zip(0..).collect();
        let drawable = |job: &Candidate| job.drawable(numbers[&job.group]);
        let jobs: Vec<Drawable> = found.jobs.iter().map(drawable).collect();
        let draw = draw(&jobs, self.budget(flags), self.seed);
        Chosen { found, groups, draw }
    }

    /// The outcome of every drawn job; none if it was stopped.
    fn compare(
        &self,
        flags: &Flags,
        batch: &Batch,
        chosen: &Chosen,
        [store, scratch]: [&Store; 2],
        stop: &Stop,
    ) -> anyhow::Result<Option<Vec<Option<Outcome>>>> {
        let (candidates, drawn) = (&chosen.found.jobs[..], &chosen.draw.drawn[..]);
        let data = flags.options.data.as_deref();
        let rerun = Rerun { store, scratch, data, program: this_program(), batch, candidates, drawn };
        let (outcomes, summary) = rerun.run(flags.options.pool_settings(), stop, &mut Terminal::new(flags))?;
        // Only an unwritable store fails here: failures of jobs are outcomes.
        if let Some((_, reason)) = summary.failed.first() {
            anyhow::bail!("{reason}");
        }
        Ok((!summary.interrupted).then_some(outcomes))
    }
}

/// The identity of this program.
fn this_program() -> Program {
    Program { commit: env!("GAUNTLET_COMMIT").to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
}

/// Requires the default executor: jobs run beside the results, in this process.
fn require_threads(flags: &Flags) -> anyhow::Result<()> {
    match flags.options.executor {
        ExecutorKind::Local | ExecutorKind::Inline => Ok(()),
        ExecutorKind::Process | ExecutorKind::Slurm => {
            Err(Misuse::new("verify runs jobs on threads of its own process", "leave --executor out"))
        }
    }
}

impl Chosen {
    /// The engines of the jobs to run again.
    fn engines(&self, batch: &Batch) -> Vec<NamedEngine> {
        let again = self.draw.drawn.iter().filter(|drawn| drawn.seconds > 0.0);
        let engines = again.flat_map(|drawn| {
            let (plan, job) = batch.planned(self.found.jobs[drawn.at].version.at);
            let named = |engine: &_| NamedEngine::of_manifest(engine, plan.written.name.as_str());
            plan.engines_of(job).iter().map(named).collect::<Vec<_>>()
        });
        engines.collect()
    }

    /// Prints the amount of work, and the estimated time.
    fn announce(&self, flags: &Flags) {
        let Candidates { jobs, damaged, own, unread, unrepeatable } = &self.found;
        if *own > 0 {
            let what = format!("{} made by today's code on a processor like this one", count(*own, "result"));
            note(flags.quiet, &format!("{what} left out; --all or --sample runs them again, too"));
        }
        if *unrepeatable > 0 {
            let what = format!("{} left out", count(*unrepeatable, "result"));
            note(flags.quiet, &format!("{what}: their games have a clock, or engines that are not deterministic"));
        }
        if *unread > 0 {
            let what = format!("{} left out", count(*unread, "result"));
            note(flags.quiet, &format!("{what}: the trainings that they read are not in the store any more"));
        }
        if jobs.is_empty() {
            return note(flags.quiet || !damaged.is_empty(), "there is nothing to verify");
        }
        let known = self.draw.drawn.iter().filter(|drawn| drawn.seconds == 0.0).count();
        let known = if known > 0 { format!(" and {known} on record") } else { String::new() };
        let again = || self.draw.drawn.iter().filter(|drawn| drawn.seconds > 0.0);
        let begun = again().filter(|drawn| jobs[drawn.at].begun.is_some()).count();
        let begun = if begun > 0 { format!(" ({begun} begun before)") } else { String::new() };
        let (results, groups) = (count(jobs.len(), "result"), count(self.groups.len(), "group"));
        let time =
            format!("about {} on {}", duration(span(flags, &self.draw.drawn)), count(flags.options.slots(), "slot"));
        note(
            flags.quiet,
            &format!("{results} in {groups} of code: {} to run again{begun}{known}; {time}", again().count()),
        );
    }
}
