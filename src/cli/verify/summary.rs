//! The output of `gauntlet verify`: a row for every job, a conclusion for each group, and the exit code.

use serde_json::{Value, json};

use super::settings::Chosen;
use crate::cli::output::{self, count, duration, note, result, table};
use crate::cli::{Exit, Flags};
use gauntlet_run::scheduler::{CodeGroup, VerifiedCode};
use gauntlet_run::verification::{Candidate, DamagedJob, Drawn, Outcome};
use gauntlet_store::{Difference, VerifiedNote};

/// Prints the table to stdout and the conclusions to standard error.
pub fn print(flags: &Flags, chosen: &Chosen, outcomes: &[Option<Outcome>], recorded: &VerifiedCode) {
    let jobs = &chosen.found.jobs;
    let ended =
        || chosen.draw.drawn.iter().zip(outcomes).filter_map(|(drawn, outcome)| Some((drawn, outcome.as_ref()?)));
    let passed_over = || chosen.draw.passed_over.iter().map(|&at| &jobs[at]);
    let damaged = &chosen.found.damaged;
    if flags.json {
        let rows = ended().map(|(drawn, outcome)| value(&jobs[drawn.at], drawn, outcome));
        return output::json_list(
            rows.chain(passed_over().map(value_passed_over)).chain(damaged.iter().map(value_damaged)),
        );
    }
    if jobs.is_empty() && damaged.is_empty() {
        return;
    }
    let rows = ended().map(|(drawn, outcome)| row(&jobs[drawn.at], drawn, outcome));
    let header = ["code", "job", "run again", "outcome", "time"];
    result(&table(&header, rows.chain(passed_over().map(row_passed_over)).chain(damaged.iter().map(row_damaged))));
    if let number @ 1.. = damaged_number(chosen, outcomes) {
        let what =
            format!("{} damaged: remove the directories, and `gauntlet run` makes them again", count(number, "result"));
        note(flags.quiet, &what);
    }
    for group in &chosen.groups {
        let of_group = jobs.iter().filter(|job| job.group == *group).count();
        let notes =
            ended().filter(|(drawn, _)| jobs[drawn.at].group == *group).filter_map(|(_, outcome)| compared(outcome));
        let notes: Vec<&VerifiedNote> = notes.collect();
        note(flags.quiet, &format!("{}: {}", group.words(), conclusion(group, of_group, &notes, recorded.of(group))));
    }
}

/// The number of damaged results: those that could not be compared, and those whose files have changed.
fn damaged_number(chosen: &Chosen, outcomes: &[Option<Outcome>]) -> usize {
    let is_damaged = |outcome: &&Outcome| matches!(outcome, Outcome::Damaged(_));
    chosen.found.damaged.len() + outcomes.iter().flatten().filter(is_damaged).count()
}

/// The exit code: damage, no comparison, a difference now or on record, or no difference.
pub fn exit(chosen: &Chosen, outcomes: &[Option<Outcome>], recorded: &VerifiedCode) -> Exit {
    if damaged_number(chosen, outcomes) > 0 {
        return Exit::ResultsDamaged;
    }
    let mut compared = outcomes.iter().flatten().filter_map(compared).peekable();
    if compared.peek().is_none() {
        return Exit::Unmeasured;
    }
    let differs_on_record = chosen.groups.iter().any(|group| recorded.differing(group).is_some());
    if compared.all(VerifiedNote::is_same) && !differs_on_record { Exit::Done } else { Exit::Regression }
}

fn compared(outcome: &Outcome) -> Option<&VerifiedNote> {
    if let Outcome::Compared(note) = outcome { Some(note) } else { None }
}

/// The conclusion from the repeated jobs of a group, and from those that are on record.
fn conclusion(group: &CodeGroup, results: usize, notes: &[&VerifiedNote], recorded: &[VerifiedNote]) -> String {
    let results = count(results, "result");
    let is_older = group.stored != group.today;
    let parts = match notes.iter().filter(|note| note.iterations.is_some()).count() {
        0 => String::new(),
        parts => format!(" ({parts} in part)"),
    };
    let differed = recorded.iter().filter(|note| !note.is_same()).count();
    match (notes.len(), notes.iter().filter(|note| !note.is_same()).count()) {
        (0, _) => format!("nothing was compared of {results}"),
        (again, 0) if differed > 0 => {
            let way = if is_older {
                "`gauntlet run` makes all of them again"
            } else {
                "remove its directory to run it again"
            };
            format!(
                "{again} of {results} ran again{parts}: the same bytes; but {differed} on record had other bytes: {way}"
            )
        }
        (again, 0) if is_older => format!("{again} of {results} ran again{parts}: the same bytes; all are taken"),
        (again, 0) => format!("{again} of {results} ran again{parts}: the same bytes"),
        (again, differ) if is_older => {
            format!("{again} of {results} ran again, {differ} with other bytes: `gauntlet run` makes all of them again")
        }
        (again, differ) => {
            format!(
                "{differ} of {again} came out differently, with the same code; remove their directories to run them again"
            )
        }
    }
}

fn row(job: &Candidate, drawn: &Drawn, outcome: &Outcome) -> Vec<String> {
    let (words, seconds) = match outcome {
        Outcome::Compared(note) => (words(note), format!("{:.1} s", note.seconds)),
        Outcome::Damaged(reason) => (format!("damaged: {reason}"), "-".to_owned()),
    };
    vec![job.group.words(), job.name.clone(), extent(job, iterations(drawn, outcome)), words, seconds]
}

/// The iterations that were run again; none if the whole job was.
fn iterations(drawn: &Drawn, outcome: &Outcome) -> Option<u32> {
    compared(outcome).map_or(drawn.extent.iterations(), |note| note.iterations)
}

fn words(note: &VerifiedNote) -> String {
    note.difference.as_ref().map_or("same".to_owned(), |difference| format!("differs: {}", difference.sentence()))
}

fn extent(job: &Candidate, iterations: Option<u32>) -> String {
    let prefix = |some: u32| format!("{some} of {} iterations", job.iterations.unwrap_or(some));
    iterations.map_or("all".to_owned(), prefix)
}

fn row_passed_over(job: &Candidate) -> Vec<String> {
    let [none, skipped, time] = ["-".to_owned(), format!("skipped: {}", why(job)), "-".to_owned()];
    vec![job.group.words(), job.name.clone(), none, skipped, time]
}

/// Why a job was not run again.
fn why(job: &Candidate) -> String {
    let time = format!("takes about {}, more than --minutes", duration(job.seconds));
    match job.obstacle {
        Some(obstacle) => format!("{obstacle}, so that its first iterations say nothing, and all of it {time}"),
        None => format!("it {time}"),
    }
}

fn value(job: &Candidate, drawn: &Drawn, outcome: &Outcome) -> Value {
    let mut value = base(job);
    value["iterations"] = json!(iterations(drawn, outcome));
    match outcome {
        Outcome::Compared(note) => {
            value["outcome"] = json!(if note.is_same() { "same" } else { "differs" });
            value["difference"] = json!(note.difference.as_ref().map(Difference::sentence));
            (value["seconds"], value["recorded"]) = (json!(note.seconds), json!(drawn.seconds == 0.0));
        }
        Outcome::Damaged(reason) => {
            (value["outcome"], value["reason"]) = (json!("damaged"), json!(reason));
        }
    }
    value
}

fn value_passed_over(job: &Candidate) -> Value {
    let mut value = base(job);
    (value["outcome"], value["reason"]) = (json!("skipped"), json!(why(job)));
    value
}

fn row_damaged(job: &DamagedJob) -> Vec<String> {
    ["-", &job.name, "-", &format!("damaged: {}", job.reason), "-"].map(str::to_owned).to_vec()
}

fn value_damaged(job: &DamagedJob) -> Value {
    json!({ "job": job.name, "directory": job.directory, "outcome": "damaged", "reason": job.reason })
}

fn base(job: &Candidate) -> Value {
    let CodeGroup { stored, today, device } = &job.group;
    json!({ "job": job.name, "directory": job.version.id.directory(), "stored_code": stored, "code": today, "device": device })
}
