//! `gauntlet gc`: moves results that no manifest requests to the trash.

use clap::Args;

use super::output::{self, Misuse, bytes, count, result, table, visible};
use super::{Exit, Flags, Terminal};
use crate::app::{Origin, Wanted};
use gauntlet_run::scheduler::{Stop, clear_submissions, stop_on_signals, wait_for_tree};
use gauntlet_store::{Leftover, Removal, Store, sweep_abandoned};

/// Show the results that no manifest requests at any profile; move them to the trash with --yes
#[derive(Debug, Args)]
pub struct Gc {
    /// Further manifests whose results are kept, with --set and --seeds applied (all built-in manifests, those under
    /// experiments/ and those that requested results here are always kept)
    #[arg(value_name = "MANIFEST")]
    manifests: Vec<String>,
    /// Include results of unknown origin: their manifests have moved, or no manifest is recorded
    #[arg(long)]
    unknown: bool,
    /// Include results of older code and of other device classes that manifests can still use
    #[arg(long)]
    older: bool,
    /// Remove at once, and empty the trash: for a full disk
    #[arg(long)]
    for_good: bool,
}

impl Gc {
    /// Shows the unwanted results, or moves them to the trash.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        if !flags.options.only.is_empty() {
            return Err(Misuse::new("gc keeps all jobs of a manifest", "leave --only out"));
        }
        let is_asked = flags.options.yes && flags.options.results.is_dir();
        // A directory that is not a store is refused before any planning.
        let store = if is_asked { flags.options.store()? } else { flags.options.look()? };
        let terminal = &mut Terminal::new(flags);
        if !is_asked {
            let wanted = Wanted::of(&self.manifests, &flags.options, &store, terminal)?;
            let leftovers = self.show(flags, &store, &wanted)?;
            if !leftovers.is_empty() {
                output::note(flags.quiet, &format!("{}; add --yes to remove them", sum(&leftovers)));
            }
            return Ok(Exit::Done);
        }
        // A mistake in a named manifest is reported before the wait.
        self.manifests.iter().try_for_each(|name| flags.options.plan(name).map(drop))?;
        let stop = Stop::default();
        // A second handler in one process (tests) is refused; the first one stays.
        let _ = stop_on_signals(&stop);
        // A run still needs its finished results for later jobs and its report.
        let (Some(_lock), _) = wait_for_tree(&store, &stop, terminal)? else { return Ok(Exit::Interrupted) };
        let wanted = Wanted::of(&self.manifests, &flags.options, &store, terminal)?;
        let leftovers = self.show(flags, &store, &wanted)?;
        let removal = if self.for_good { Removal::ForGood } else { Removal::Trash };
        remove(flags, &store, &leftovers, removal)?;
        Ok(Exit::Done)
    }

    /// Prints the unwanted results with their manifests, and the number of results that are kept.
    fn show(&self, flags: &Flags, store: &Store, wanted: &Wanted) -> anyhow::Result<Vec<Leftover>> {
        let mut leftovers = store.unwanted(&wanted.jobs)?;
        leftovers.retain(|leftover| !wanted.may_be_wanted(leftover));
        let mut kept: [Vec<Leftover>; KEPT.len()] = Default::default();
        let mut ours = Vec::new();
        for leftover in leftovers {
            match wanted.origin(&leftover.directory) {
                Origin::Unplanned => &mut kept[0],
                _ if !self.older && wanted.can_serve(store, &leftover)? => &mut kept[1],
                Origin::Elsewhere | Origin::Unknown if !self.unknown => &mut kept[2],
                _ => &mut ours,
            }
            .push(leftover);
        }
        list(flags, &ours, wanted);
        for (kept, why) in kept.iter().zip(KEPT).filter(|(kept, _)| !kept.is_empty()) {
            output::note(flags.quiet, &format!("{} kept, {why}", sum(kept)));
        }
        Ok(ours)
    }
}

/// The reasons for which results are kept.
const KEPT: [&str; 3] = [
    "whose manifests have problems",
    "of older code or other device classes, which manifests can still use; --older takes them, too",
    "whose manifests are elsewhere or unknown; --unknown takes them, too",
];

fn list(flags: &Flags, leftovers: &[Leftover], wanted: &Wanted) {
    if flags.json {
        let value = |Leftover { directory, bytes }: &Leftover| {
            let asked = wanted.requesters(directory);
            serde_json::json!({ "directory": directory, "bytes": bytes, "manifests": asked })
        };
        output::json_list(leftovers.iter().map(value));
    } else if !leftovers.is_empty() {
        let row = |leftover: &Leftover| {
            let asked = wanted.requesters(&leftover.directory).join(", ");
            vec![leftover.directory.clone(), bytes(leftover.bytes), visible(&asked)]
        };
        result(&table(&["unwanted result", "size", "requested by"], leftovers.iter().map(row)));
    }
    if leftovers.is_empty() {
        output::note(flags.quiet, "no unwanted results");
    }
}

/// Removes results, old items of the trash, and files of dead processes.
fn remove(flags: &Flags, store: &Store, leftovers: &[Leftover], removal: Removal) -> anyhow::Result<()> {
    let removed = store.remove(leftovers, removal)?;
    if !removed.is_empty() {
        let size = bytes(removed.iter().map(|leftover| leftover.bytes).sum());
        let way = match removal {
            Removal::Trash => format!("; they stay in {} for a week", store.trash().display()),
            Removal::ForGood => String::new(),
        };
        output::note(flags.quiet, &format!("removed {}, {size}{way}", count(removed.len(), "result")));
    }
    if let over @ 1.. = clear_submissions(store, removal) {
        output::note(flags.quiet, &format!("removed the files of {} to a cluster", count(over, "submission")));
    }
    let verified = store.clear_scratch()? + store.forget_verified()?;
    let freed = store.tidy()? + verified + store.empty_trash(removal)? + sweep_abandoned(&flags.options.reports)?;
    if freed > 0 {
        output::note(flags.quiet, &format!("freed {}", bytes(freed)));
    }
    Ok(())
}

/// The number and total size of results.
fn sum(leftovers: &[Leftover]) -> String {
    let total: u64 = leftovers.iter().map(|leftover| leftover.bytes).sum();
    format!("{}, {}", count(leftovers.len(), "result"), bytes(total))
}
