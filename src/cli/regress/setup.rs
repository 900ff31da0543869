//! What a night and a new baseline start from: a suite, who asks for it, and on how many cores.

use rayon::prelude::*;

use super::identity::Identity;
use super::play::MatchRunner;
use crate::app::Planned;
use crate::cli::Flags;
use crate::cli::output::Misuse;
use crate::manifest::{Suite, SuiteMatch};
use crate::scheduler::Stop;
use gauntlet_games::base::Seed;

/// What both ways of running start from.
pub(super) struct SuiteSetup<'a> {
    pub(super) flags: &'a Flags,
    pub(super) planned: &'a Planned,
    pub(super) suite: &'a Suite,
    /// The matches that were asked for.
    pub(super) wanted: Vec<&'a SuiteMatch>,
    pub(super) identity: Identity,
    pub(super) stop: Stop,
}

impl SuiteSetup<'_> {
    /// The suite's name.
    pub(super) fn name(&self) -> &str {
        self.planned.plan.written.name.as_str()
    }

    /// What plays tonight's games; `foreign` is what the baseline was measured on, where that is elsewhere.
    pub(super) fn runner<'a>(&'a self, foreign: Option<&'a str>) -> MatchRunner<'a> {
        MatchRunner {
            suite: self.suite,
            results: &self.flags.options.results,
            seed: Seed::new(self.identity.seed),
            foreign,
            stop: self.stop.clone(),
        }
    }

    /// Does something for every match that was asked for, on as many cores as allowed, in the order of the suite.
    pub(super) fn each<T: Send>(&self, work: impl Fn(&SuiteMatch) -> T + Sync) -> anyhow::Result<Vec<T>> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.flags.options.slots()).build()?;
        Ok(pool.install(|| self.wanted.par_iter().map(|wanted| work(wanted)).collect()))
    }
}

/// Whether a suite has a match of this name.
pub(super) fn is_match(suite: &Suite, name: &str) -> bool {
    suite.matches.iter().any(|found| found.name.as_str() == name)
}

/// That a suite has no such match, and which it has.
pub(super) fn no_match(suite: &Suite, given: &str, hint: &str) -> anyhow::Error {
    let known: Vec<&str> = suite.matches.iter().map(|found| found.name.as_str()).collect();
    let hint = format!("{hint}the matches are {}", known.join(", "));
    Misuse::new(format!("`{given}` names no match of the suite"), hint)
}
