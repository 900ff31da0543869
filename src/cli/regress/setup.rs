//! The common setup of a suite run and of a new baseline: the suite, the flags, and the cores.

use std::collections::BTreeSet;
use std::path::PathBuf;

use rayon::prelude::*;

use super::engines::old_engine;
use super::identity::Identity;
use super::play::MatchRunner;
use crate::app::{NamedEngine, OpenedFiles, Planned, cautions, require_consent};
use crate::cli::Flags;
use crate::cli::output::{Misuse, confirmed, note};
use gauntlet_games::base::Seed;
use gauntlet_plan::manifest::{Suite, SuiteMatch};
use gauntlet_plan::regression::{Baseline, BaselineError};
use gauntlet_play::players::PlayerSpec;
use gauntlet_run::scheduler::Stop;

/// The common setup of both modes.
pub(super) struct SuiteSetup<'a> {
    pub(super) flags: &'a Flags,
    pub(super) planned: &'a Planned,
    pub(super) suite: &'a Suite,
    /// The requested matches.
    pub(super) wanted: Vec<&'a SuiteMatch>,
    pub(super) identity: Identity,
    pub(super) stop: Stop,
}

impl SuiteSetup<'_> {
    /// The suite's name.
    pub(super) fn name(&self) -> &str {
        self.planned.plan.written.name.as_str()
    }

    /// The directory of its reports.
    pub(super) fn reports(&self) -> PathBuf {
        self.flags.options.reports.join(self.name()).join(&self.planned.plan.profile)
    }

    /// The runner of tonight's games; `foreign` is the device class of the baseline, if it differs.
    pub(super) fn runner<'a>(&'a self, foreign: Option<&'a str>) -> MatchRunner<'a> {
        MatchRunner {
            suite: self.suite,
            results: &self.flags.options.results,
            seed: Seed::new(self.identity.seed),
            foreign,
            stop: self.stop.clone(),
        }
    }

    /// Requires consent to the engines of the requested matches, and to those of the baseline that play again.
    pub(super) fn require_consent(&self, old: Vec<NamedEngine>) -> anyhow::Result<()> {
        let engines: Vec<NamedEngine> = self.engines().into_iter().chain(old).collect();
        if let Some(programs) = require_consent(&self.flags.options, &engines, &[], Some(confirmed))? {
            note(self.flags.quiet, &programs);
        }
        cautions(&engines).iter().for_each(|caution| note(self.flags.quiet, &format!("caution: {caution}")));
        Ok(())
    }

    /// The engines of the requested matches.
    fn engines(&self) -> Vec<NamedEngine> {
        let players = self.wanted.iter().flat_map(|wanted| [&wanted.spec.agent, &wanted.spec.opponent]);
        let engines = players.filter_map(|player| match player {
            PlayerSpec::Engine(engine) => Some(NamedEngine::of_manifest(engine, &self.planned.name)),
            _ => None,
        });
        engines.collect()
    }

    /// The engines of a baseline that play again.
    pub(super) fn old_engines(
        &self,
        runner: &MatchRunner<'_>,
        baseline: Option<&Baseline>,
    ) -> anyhow::Result<Vec<NamedEngine>> {
        let origin = format!("the baseline {}", Baseline::path(&self.flags.options.results, self.name()).display());
        let mut engines = Vec::new();
        for wanted in &self.wanted {
            let entry = baseline.and_then(|baseline| baseline.matches.get(wanted.name.as_str()));
            if let Some(entry) = entry.filter(|entry| runner.plays_again(wanted, entry))
                && let Some(engine) = old_engine(entry, &self.flags.options.results)?
            {
                engines.push(NamedEngine { engine, origin: format!("{origin}, match {}", wanted.name) });
            }
        }
        Ok(engines)
    }

    /// The stored baseline, if there is one. A damaged one is refused: it contains the reasons of all changes.
    pub(super) fn baseline(&self) -> anyhow::Result<Option<Baseline>> {
        let hint = "restore it from version control, or remove it to make a new one";
        match Baseline::read(&self.flags.options.results, self.name()) {
            Ok(baseline) => Ok(Some(baseline)),
            Err(BaselineError::Absent(_)) => Ok(None),
            Err(error @ BaselineError::Unreadable { .. }) => Err(Misuse::new(error.to_string(), hint)),
        }
    }

    /// Calls a function for every requested match, on the allowed number of cores; results are in the order of the
    /// suite.
    pub(super) fn each<T: Send>(&self, work: impl Fn(&SuiteMatch) -> T + Sync) -> anyhow::Result<Vec<T>> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.flags.options.slots()).build()?;
        let opened = OpenedFiles::watch(&self.engines(), &BTreeSet::new());
        let found = pool.install(|| self.wanted.par_iter().map(|wanted| work(wanted)).collect());
        opened.cautions().iter().for_each(|caution| note(self.flags.quiet, &format!("caution: {caution}")));
        Ok(found)
    }
}

/// Whether a suite has a match of this name.
pub(super) fn is_match(suite: &Suite, name: &str) -> bool {
    suite.matches.iter().any(|found| found.name.as_str() == name)
}

/// The error for an unknown match, with the names of the suite's matches.
pub(super) fn no_match(suite: &Suite, given: &str, hint: &str) -> anyhow::Error {
    let known: Vec<&str> = suite.matches.iter().map(|found| found.name.as_str()).collect();
    let hint = format!("{hint}the matches are {}", known.join(", "));
    let what = if is_match(suite, given) { "is no filter" } else { "names no match of the suite" };
    Misuse::new(format!("`{given}` {what}"), hint)
}
