//! The gate: plays the matches of a suite and compares them with its baseline, or makes a new baseline. The room
//! `regression` decides.

mod engines;
mod identity;
mod match_players;
mod play;
mod update;

use std::collections::BTreeSet;
use std::path::PathBuf;

use rayon::prelude::*;

use super::errors::Misuse;
use super::opened::OpenedFiles;
use super::options::Options;
use super::plans::Planned;
use super::programs::{Ask, NamedEngine, cautions, require_consent};
use engines::old_engine;
use gauntlet_games::base::Seed;
use gauntlet_plan::manifest::{Suite, SuiteMatch};
use gauntlet_plan::regression::{Baseline, BaselineError, Match, SuiteRun, Verdict};
use gauntlet_play::players::PlayerSpec;
use gauntlet_run::scheduler::Stop;
pub use identity::{Identity, now};
use play::MatchRunner;
pub use update::{Replaced, Updated, update_baseline};

/// A suite with the matches that are requested of it.
pub struct Gate<'a> {
    /// The options of the command line.
    pub options: &'a Options,
    /// The manifest of the suite.
    pub planned: &'a Planned,
    /// The suite.
    pub suite: &'a Suite,
    /// The requested matches.
    pub wanted: Vec<&'a SuiteMatch>,
    /// The identity of this suite run.
    pub identity: Identity,
    /// Ends the games when it is requested.
    pub stop: Stop,
    /// Receives news.
    pub note: &'a (dyn Fn(&str) + Sync),
    /// Receives messages that are shown in any case.
    pub warn: fn(&str),
    /// Asks the user whether engines may start.
    pub ask: Ask,
}

impl<'a> Gate<'a> {
    /// The matches of a suite that match the filters `match=NAME`; all of them without a filter.
    ///
    /// # Errors
    /// If a filter names no match.
    pub fn wanted(suite: &'a Suite, only: &[String]) -> anyhow::Result<Vec<&'a SuiteMatch>> {
        let mut names = Vec::new();
        for filter in only {
            let name = filter.split_once('=').filter(|(axis, _)| *axis == "match").map(|(_, name)| name);
            let Some(name) = name.filter(|name| is_match(suite, name)) else {
                return Err(no_match(suite, filter, "write --only match=NAME; "));
            };
            names.push(name);
        }
        let is_wanted = |found: &&SuiteMatch| names.is_empty() || names.contains(&found.name.as_str());
        Ok(suite.matches.iter().filter(is_wanted).collect())
    }

    /// The suite's name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.planned.plan.written.name.as_str()
    }

    /// The directory of its reports.
    #[must_use]
    pub fn reports(&self) -> PathBuf {
        self.options.reports.join(self.name()).join(&self.planned.plan.profile)
    }

    /// The stored baseline, if there is one. A damaged one is refused: it contains the reasons of all changes.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn baseline(&self) -> anyhow::Result<Option<Baseline>> {
        let hint = "restore it from version control, or remove it to make a new one";
        match Baseline::read(&self.options.results, self.name()) {
            Ok(baseline) => Ok(Some(baseline)),
            Err(BaselineError::Absent(_)) => Ok(None),
            Err(error @ BaselineError::Unreadable { .. }) => Err(Misuse::new(error.to_string(), hint)),
        }
    }

    /// Plays the requested matches and compares them with a baseline; none if it is stopped.
    ///
    /// # Errors
    /// If an engine may not start, or has no kept files.
    pub fn compare(&self, baseline: Option<&Baseline>) -> anyhow::Result<Option<SuiteRun>> {
        let device = baseline.map(|baseline| baseline.device.as_str());
        let runner = self.runner(device.filter(|&other| other != self.options.own_class));
        self.require_consent(self.old_engines(&runner, baseline)?)?;
        let played = self.each(|wanted| {
            let entry = baseline.and_then(|baseline| baseline.matches.get(wanted.name.as_str()));
            let found = runner.play(wanted, entry)?;
            (self.note)(&format!("{}: {}, {}", found.name, found.verdict.word(), found.reason));
            Some(found)
        })?;
        let matches = played.into_iter().collect::<Option<Vec<Match>>>();
        Ok(matches.map(|matches| self.suite_run(matches, baseline)))
    }

    fn suite_run(&self, matches: Vec<Match>, baseline: Option<&Baseline>) -> SuiteRun {
        let mut suite_run = SuiteRun {
            version: SuiteRun::VERSION,
            suite: self.name().to_owned(),
            profile: self.planned.plan.profile.clone(),
            verdict: Verdict::Unmeasured,
            commit: self.identity.commit.clone(),
            changed: self.identity.is_changed,
            attempt: self.identity.attempt,
            seed: self.identity.seed,
            device: self.options.own_class.clone(),
            promise: self.suite.promise,
            cap: self.suite.design.cap,
            baseline: baseline.map(|baseline| baseline.commit.clone()),
            baseline_device: baseline.map(|baseline| baseline.device.clone()),
            matches,
        };
        suite_run.close();
        suite_run
    }

    /// The runner of tonight's games; `foreign` is the device class of the baseline, if it differs.
    fn runner<'r>(&'r self, foreign: Option<&'r str>) -> MatchRunner<'r> {
        MatchRunner {
            suite: self.suite,
            results: &self.options.results,
            seed: Seed::new(self.identity.seed),
            foreign,
            stop: self.stop.clone(),
        }
    }

    /// Requires consent to the engines of the requested matches, and to those of the baseline that play again.
    fn require_consent(&self, old: Vec<NamedEngine>) -> anyhow::Result<()> {
        let engines: Vec<NamedEngine> = self.engines().into_iter().chain(old).collect();
        if let Some(programs) = require_consent(self.options, &engines, &[], Some(self.ask))? {
            (self.note)(&programs);
        }
        cautions(&engines).iter().for_each(|caution| (self.note)(&format!("caution: {caution}")));
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
    fn old_engines(&self, runner: &MatchRunner<'_>, baseline: Option<&Baseline>) -> anyhow::Result<Vec<NamedEngine>> {
        let origin = format!("the baseline {}", Baseline::path(&self.options.results, self.name()).display());
        let mut engines = Vec::new();
        for wanted in &self.wanted {
            let entry = baseline.and_then(|baseline| baseline.matches.get(wanted.name.as_str()));
            if let Some(entry) = entry.filter(|entry| runner.plays_again(wanted, entry))
                && let Some(engine) = old_engine(entry, &self.options.results)?
            {
                engines.push(NamedEngine { engine, origin: format!("{origin}, match {}", wanted.name) });
            }
        }
        Ok(engines)
    }

    /// Calls a function for every requested match, on the allowed number of cores; results are in the order of the
    /// suite.
    fn each<T: Send>(&self, work: impl Fn(&SuiteMatch) -> T + Sync) -> anyhow::Result<Vec<T>> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.options.slots()).build()?;
        let opened = OpenedFiles::watch(&self.engines(), &BTreeSet::new());
        let found = pool.install(|| self.wanted.par_iter().map(|wanted| work(wanted)).collect());
        opened.cautions().iter().for_each(|caution| (self.note)(&format!("caution: {caution}")));
        Ok(found)
    }
}

/// Whether a suite has a match of this name.
fn is_match(suite: &Suite, name: &str) -> bool {
    suite.matches.iter().any(|found| found.name.as_str() == name)
}

/// The error for an unknown match, with the names of the suite's matches.
fn no_match(suite: &Suite, given: &str, hint: &str) -> anyhow::Error {
    let known: Vec<&str> = suite.matches.iter().map(|found| found.name.as_str()).collect();
    let hint = format!("{hint}the matches are {}", known.join(", "));
    let what = if is_match(suite, given) { "is no filter" } else { "names no match of the suite" };
    Misuse::new(format!("`{given}` {what}"), hint)
}
