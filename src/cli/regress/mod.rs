//! `gauntlet regress`: compares tonight's candidates with the baseline. The room `regression` decides; games are
//! played and results printed here.
//!
//! Guarantees of a suite, over all its matches: a suite run without any change is red with probability `alpha` at most and
//! passes with 0.95 at least (simulated for the committed suite: 0.99); a match that drops by `delta` is missed with
//! `beta` at most. The probabilities are over baselines too: suite runs that are compared with the counts of one baseline
//! share its luck.

mod engines;
mod identity;
mod junit;
mod match_players;
mod play;
mod publish;
mod setup;
mod summary;
mod trend;
mod update;

#[cfg(test)]
mod samples;

use clap::Args;

use super::limits::whole;
use super::output::{Misuse, REPORT, note, require_writable};
use super::{Exit, Flags};
use gauntlet_plan::manifest::{Suite, SuiteMatch};
use gauntlet_plan::regression::{Baseline, Match, SuiteRun, Verdict, history};
use gauntlet_run::scheduler::{Stop, Workers, stop_on_signals};
use gauntlet_store::require_no_link;
use identity::Identity;
use setup::{SuiteSetup, is_match, no_match};

/// Compare the current players with a suite's baseline: exit code 0 no regression, 3 regression, 4 nothing measured,
/// 6 inconclusive
#[derive(Debug, Args)]
pub struct Regress {
    /// A manifest with a `[suite]`
    #[arg(value_name = "MANIFEST")]
    manifest: String,
    /// The commit under test [default: that of the checkout, or else the version of this program]
    #[arg(long, value_name = "COMMIT")]
    commit: Option<String>,
    /// Number of the attempt at this commit; each attempt plays other games
    #[arg(long, value_name = "N", env = "GITHUB_RUN_ATTEMPT", default_value_t = 1, value_parser = whole(0..=u32::MAX))]
    attempt: u32,
    /// Replay the suite run that printed this seed; it is not added to the history
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX))]
    seed: Option<u64>,
    /// Make the baseline of matches without one, instead of comparing; replace the baseline of these matches
    #[arg(long, value_name = "MATCH", num_args = 0.., requires = "reason")]
    update_baseline: Option<Vec<String>>,
    /// With --update-baseline: replace the baseline of every match
    #[arg(long, requires = "update_baseline")]
    all: bool,
    /// Reason for the change of the baseline, which is stored in it
    #[arg(long, value_name = "TEXT", requires = "update_baseline")]
    reason: Option<String>,
}

impl Regress {
    /// Plays the suite and gives its verdicts, or makes a new baseline.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let planned = flags.options.planned(&self.manifest)?;
        let Some(suite) = &planned.plan.written.suite else {
            let message = format!("{} has no `[suite]`, so there is nothing to compare", self.manifest);
            return Err(Misuse::new(message, "gauntlet run plays its stages"));
        };
        if !matches!(flags.options.workers()?, Workers::Here) {
            return Err(Misuse::new("the games of a suite run in this process", "leave --executor out"));
        }
        let name = planned.plan.written.name.as_str();
        let [results, reports] = [&flags.options.results, &flags.options.reports];
        let kept = [results.join("baselines/engines"), results.join("models"), Baseline::path(results, name)];
        for path in kept.into_iter().chain([history::path(results, name)]) {
            require_no_link(results, &path)?;
        }
        let identity =
            Identity::new(name, self.commit.as_deref(), self.attempt, self.seed).of_checkout([results, reports]);
        if identity.is_version() {
            note(flags.quiet, "there is no checkout here: the version stands for the commit; --commit names another");
        }
        let changed = if identity.is_changed { " with uncommitted changes" } else { "" };
        note(flags.quiet, &format!("{name}: commit {}{changed}, attempt {}", identity.commit, identity.attempt));
        note(flags.quiet, &format!("seed {}; replay with --seed {0}", identity.seed));
        let stop = Stop::default();
        // A second handler in one process (tests) is refused; the first one stays.
        let _ = stop_on_signals(&stop);
        let wanted = wanted(suite, &flags.options.only)?;
        let setup = SuiteSetup { flags, planned: &planned, suite, wanted, identity, stop };
        match (&self.reason, &self.update_baseline) {
            (Some(reason), Some(named)) => {
                setup.require_consent(Vec::new())?;
                update::run(setup, reason, &update::Replaced::new(named, self.all))
            }
            _ => compare(&setup),
        }
    }
}

/// The matches that match the filter `--only match=NAME`.
fn wanted<'a>(suite: &'a Suite, only: &[String]) -> anyhow::Result<Vec<&'a SuiteMatch>> {
    let mut names = Vec::new();
    for filter in only {
        let name = filter.split_once('=').filter(|(axis, _)| *axis == "match").map(|(_, name)| name);
        let Some(name) = name.filter(|name| is_match(suite, name)) else {
            return Err(no_match(suite, filter, "write --only match=NAME; "));
        };
        names.push(name);
    }
    Ok(suite.matches.iter().filter(|found| names.is_empty() || names.contains(&found.name.as_str())).collect())
}

fn compare(setup: &SuiteSetup<'_>) -> anyhow::Result<Exit> {
    let baseline = setup.baseline()?;
    require_writable(&setup.reports(), REPORT)?;
    if baseline.is_none() {
        let path = Baseline::path(&setup.flags.options.results, setup.name());
        let way = "--update-baseline --reason TEXT makes one";
        note(setup.flags.quiet, &format!("there is no baseline {}; {way}", path.display()));
    }
    let foreign = baseline
        .as_ref()
        .map(|baseline| baseline.device.as_str())
        .filter(|&other| other != setup.flags.options.own_class);
    let runner = setup.runner(foreign);
    setup.require_consent(setup.old_engines(&runner, baseline.as_ref())?)?;
    let played = setup.each(|wanted| {
        let entry = baseline.as_ref().and_then(|baseline| baseline.matches.get(wanted.name.as_str()));
        let found = runner.play(wanted, entry)?;
        note(setup.flags.quiet, &format!("{}: {}, {}", found.name, found.verdict.word(), found.reason));
        Some(found)
    })?;
    let Some(matches) = played.into_iter().collect::<Option<Vec<Match>>>() else {
        note(setup.flags.quiet, "interrupted; there are no rulings");
        return Ok(Exit::Interrupted);
    };
    let suite_run = suite_run(setup, matches, baseline.as_ref());
    publish::suite_run(setup, &suite_run, baseline.as_ref())?;
    Ok(exit(suite_run.verdict))
}

fn suite_run(setup: &SuiteSetup<'_>, matches: Vec<Match>, baseline: Option<&Baseline>) -> SuiteRun {
    let mut suite_run = SuiteRun {
        version: SuiteRun::VERSION,
        suite: setup.name().to_owned(),
        profile: setup.planned.plan.profile.clone(),
        verdict: Verdict::Unmeasured,
        commit: setup.identity.commit.clone(),
        changed: setup.identity.is_changed,
        attempt: setup.identity.attempt,
        seed: setup.identity.seed,
        device: setup.flags.options.own_class.clone(),
        promise: setup.suite.promise,
        cap: setup.suite.design.cap,
        baseline: baseline.map(|baseline| baseline.commit.clone()),
        baseline_device: baseline.map(|baseline| baseline.device.clone()),
        matches,
    };
    suite_run.close();
    suite_run
}

fn exit(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Failed => Exit::JobFailed,
        Verdict::Unmeasured => Exit::Unmeasured,
        Verdict::Regressed => Exit::Regression,
        Verdict::Inconclusive => Exit::Inconclusive,
        Verdict::Improved | Verdict::Passed => Exit::Done,
    }
}
