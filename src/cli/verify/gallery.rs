//! `gauntlet verify --gallery`: prints the outcome of the check of a gallery.

use std::collections::HashMap;
use std::path::Path;

use serde_json::json;

use super::settings::Verify;
use crate::app::{CheckedRun, GalleryRequest, check_gallery};
use crate::cli::output::{self, count, note, result, table};
use crate::cli::{Exit, Flags, Terminal};
use gauntlet_games::base::thousands;
use gauntlet_run::verification::{CONFIDENCE, Stratum};

/// Checks a gallery and prints the table.
///
/// # Errors
/// As of [`check_gallery`].
pub fn check(verify: &Verify, flags: &Flags, gallery: &Path) -> anyhow::Result<Exit> {
    let (names, budget, seed) = (&verify.names[..], verify.budget(flags), verify.seed);
    let request = GalleryRequest { directory: gallery, names, budget, seed };
    let Some(checked) = check_gallery(&flags.options, &request, &mut Terminal::new(flags))? else {
        return Ok(Exit::Interrupted);
    };
    let exit = print(flags, &checked.runs);
    bounds(flags, seed, &checked.runs, &checked.strata);
    Ok(exit)
}

/// Prints the table, and returns the exit code.
fn print(flags: &Flags, checked: &[CheckedRun]) -> Exit {
    if flags.json {
        let value = |run: &CheckedRun| {
            let outcome = if run.difference.is_some() { "differs" } else { "same" };
            json!({ "table": run.table, "run": run.run, "outcome": outcome, "difference": run.difference,
                "seconds": run.seconds })
        };
        output::json_list(checked.iter().map(value));
    } else if !checked.is_empty() {
        let row = |run: &CheckedRun| {
            let outcome = run.difference.as_ref().map_or("same".to_owned(), |differs| format!("differs: {differs}"));
            let seconds = run.seconds.map_or("-".to_owned(), |seconds| format!("{seconds:.1} s"));
            vec![run.table.clone(), run.run.clone(), outcome, seconds]
        };
        result(&table(&["table", "run", "outcome", "time"], checked.iter().map(row)));
    }
    let differ = checked.iter().filter(|run| run.difference.is_some()).count();
    if differ > 0 {
        let what = format!("{differ} of {} came out differently", count(checked.len(), "run"));
        let class = format!("trainings depend on the device class, which here is {}", flags.options.own_class);
        note(flags.quiet, &format!("{what}; {class}"));
        return Exit::Regression;
    }
    if checked.is_empty() {
        note(flags.quiet, "nothing could be compared");
        return Exit::Unmeasured;
    }
    note(flags.quiet, &format!("{} came out with the same numbers", count(checked.len(), "run")));
    Exit::Done
}

/// Prints the bound that follows from each random sample.
fn bounds(flags: &Flags, seed: u64, checked: &[CheckedRun], strata: &[Stratum]) {
    let outcomes: HashMap<usize, bool> = checked.iter().map(|run| (run.at, run.difference.is_some())).collect();
    for stratum in strata {
        let wrong = stratum.drawn.iter().filter(|at| outcomes.get(at).is_none_or(|differs| *differs)).count();
        note(flags.quiet, &bound(stratum, seed, wrong));
    }
}

/// The bound for the runs of a stratum, `wrong` of whose sample differ.
fn bound(stratum: &Stratum, seed: u64, wrong: usize) -> String {
    let (all, drawn) = (thousands(stratum.runs as u64), stratum.drawn.len());
    let of = format!("{}, with their dependencies: ", stratum.name);
    let Some(most) = stratum.most_wrong(wrong) else {
        return format!("{of}none of {all} drawn, so nothing follows for them");
    };
    let sample = format!(
        "{} of {all} drawn by seed {seed}, {} the same",
        thousands(drawn as u64),
        thousands((drawn - wrong) as u64)
    );
    if drawn == stratum.runs {
        return format!("{of}all {all} made again, {} the same", thousands((drawn - wrong) as u64));
    }
    // The smallest excluded share, rounded up.
    let share = (1e4 * (most + 1) as f64 / stratum.runs as f64).ceil() / 100.0;
    format!("{of}{sample}; with {} % confidence, fewer than {share} % of them are wrong", 100.0 * CONFIDENCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_told_with_its_bound() {
        let stratum = |runs, drawn| Stratum { name: "runs under 1 s", runs, drawn: (0..drawn).collect() };
        let of = "runs under 1 s, with their dependencies: ";
        for (runs, drawn, wrong, reported) in [
            (
                40,
                10,
                0,
                "10 of 40 drawn by seed 3, 10 the same; with 95 % confidence, fewer than 25 % of them are wrong",
            ),
            (4000, 0, 0, "none of 4,000 drawn, so nothing follows for them"),
            (40, 40, 1, "all 40 made again, 39 the same"),
        ] {
            assert_eq!(bound(&stratum(runs, drawn), 3, wrong), format!("{of}{reported}"));
        }
    }
}
