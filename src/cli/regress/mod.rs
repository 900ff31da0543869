//! `gauntlet regress`: compares tonight's candidates with the baseline. The gate in `app` plays, the room
//! `regression` decides, and results are printed here.
//!
//! Guarantees of a suite, over all its matches: a suite run without any change is red with probability `alpha` at most and
//! passes with 0.95 at least (simulated for the committed suite: 0.99); a match that drops by `delta` is missed with
//! `beta` at most. The probabilities are over baselines too: suite runs that are compared with the counts of one baseline
//! share its luck.

mod junit;
mod publish;
mod summary;
mod trend;

#[cfg(test)]
mod samples;

use clap::Args;

use super::limits::whole;
use super::output::{self, Misuse, REPORT, note, require_writable, result};
use super::{Exit, Flags};
use crate::app::{Gate, Identity, Replaced, Updated, update_baseline};
use gauntlet_plan::regression::{Baseline, Verdict, history};
use gauntlet_run::scheduler::{Stop, Workers, stop_on_signals};
use gauntlet_store::require_no_link;

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
        let options = &flags.options;
        let planned = options.planned(&self.manifest)?;
        let Some(suite) = &planned.plan.written.suite else {
            let message = format!("{} has no `[suite]`, so there is nothing to compare", self.manifest);
            return Err(Misuse::new(message, "gauntlet run plays its stages"));
        };
        if !matches!(options.workers()?, Workers::Here) {
            return Err(Misuse::new("the games of a suite run in this process", "leave --executor out"));
        }
        let name = planned.plan.written.name.as_str();
        let [results, reports] = [&options.results, &options.reports];
        let kept = [results.join("baselines/engines"), results.join("models"), Baseline::path(results, name)];
        for path in kept.into_iter().chain([history::path(results, name)]) {
            require_no_link(results, &path)?;
        }
        let identity =
            Identity::new(name, self.commit.as_deref(), self.attempt, self.seed)?.of_checkout([results, reports]);
        announce(flags, name, &identity);
        let stop = Stop::default();
        // A second handler in one process (tests) is refused; the first one stays.
        let _ = stop_on_signals(&stop);
        let wanted = Gate::wanted(suite, &options.only)?;
        let note = |line: &str| output::note(flags.quiet, line);
        let (warn, ask) = (output::tell, output::confirmed);
        let gate = Gate { options, planned: &planned, suite, wanted, identity, stop, note: &note, warn, ask };
        match (&self.reason, &self.update_baseline) {
            (Some(reason), Some(named)) => {
                Ok(updated(&update_baseline(gate, reason, &Replaced::new(named, self.all))?))
            }
            _ => compare(&gate, flags),
        }
    }
}

/// Reports the commit under test and the seed of the games.
fn announce(flags: &Flags, name: &str, identity: &Identity) {
    if identity.is_version() {
        note(flags.quiet, "there is no checkout here: the version stands for the commit; --commit names another");
    }
    let changed = if identity.is_changed { " with uncommitted changes" } else { "" };
    note(flags.quiet, &format!("{name}: commit {}{changed}, attempt {}", identity.commit, identity.attempt));
    note(flags.quiet, &format!("seed {}; replay with --seed {0}", identity.seed));
}

/// Reports the change of a baseline.
fn updated(ended: &Updated) -> Exit {
    match ended {
        Updated::Written(path, matches) => result(&format!("{}: {matches} matches", path.display())),
        Updated::Complete(path) => {
            let way = "--update-baseline MATCH replaces one, --update-baseline --all every one";
            result(&format!("{}: every match has a baseline already; {way}", path.display()));
        }
        Updated::Overtaken => {}
        Updated::Interrupted => return Exit::Interrupted,
        Updated::Failed => return Exit::JobFailed,
    }
    Exit::Done
}

fn compare(gate: &Gate<'_>, flags: &Flags) -> anyhow::Result<Exit> {
    let baseline = gate.baseline()?;
    require_writable(&gate.reports(), REPORT)?;
    if baseline.is_none() {
        let path = Baseline::path(&gate.options.results, gate.name());
        let way = "--update-baseline --reason TEXT makes one";
        note(flags.quiet, &format!("there is no baseline {}; {way}", path.display()));
    }
    let Some(suite_run) = gate.compare(baseline.as_ref())? else {
        note(flags.quiet, "interrupted; there are no rulings");
        return Ok(Exit::Interrupted);
    };
    publish::suite_run(gate, flags, &suite_run, baseline.as_ref())?;
    Ok(exit(suite_run.verdict))
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
