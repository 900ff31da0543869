//! The provenance of the artefacts of a manifest: the command, the commit, the processors, the seeds and the time. As
//! it contains clock readings, it is kept beside the reports' files until a gallery takes it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::kept::directory;
use super::older_code::OlderCode;
use super::origin::RequestOrigin;
use super::sealed;
use crate::app::options::Options;
use crate::app::plans::Planned;
use gauntlet_games::base::{count, duration};
use gauntlet_nets::nets::deep::{Precision, is_card};
use gauntlet_plan::manifest::written::CUSTOM;
use gauntlet_report::{number, write};
use gauntlet_store::{JobId, Reading};

/// Its directory.
const MADE: &str = ".made";

/// The provenance of the artefacts of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The command that makes them.
    command: String,
    /// The commit of the program.
    commit: String,
    /// The models of the processors, as far as the journals record them.
    processors: Vec<String>,
    /// The device class, if it is that of a card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    card: Option<String>,
    /// The jobs, and their time.
    work: String,
    /// The jobs that another program ran again, with the same bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    again: Option<String>,
    /// The hash of the resolved manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resolved: Option<String>,
    /// The time at which it was first planned in this form, if it was noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    planned: Option<String>,
    /// The reasons for which the commit cannot be named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
}

impl Provenance {
    /// The provenance of a plan, some of whose results may be of older code; `id` gives a job by its index in the
    /// plan.
    pub fn of<'a>(
        options: &Options,
        planned: &Planned,
        (taken, origin): (&OlderCode, &RequestOrigin),
        id: impl Copy + Fn(usize) -> &'a JobId,
        readings: &HashMap<String, Reading>,
    ) -> Provenance {
        let jobs = &planned.plan.jobs;
        let read: Vec<&Reading> = (0..jobs.len()).filter_map(|at| readings.get(&id(at).directory())).collect();
        let processors: BTreeSet<_> = read.iter().filter_map(|reading| reading.processor.as_deref()).collect();
        let seeds: BTreeSet<u64> = jobs.iter().map(|job| job.seed).collect();
        let whole: Vec<f64> = read.iter().filter(|reading| reading.is_whole).map(|reading| reading.seconds).collect();
        let untimed = match jobs.len() - whole.len() {
            0 => String::new(),
            others => format!(
                " (without {} that were interrupted, continued shorter ones, or ran elsewhere)",
                count(others, "job")
            ),
        };
        let older = if taken.accepted > 0 { format!(" ({} by older code)", taken.accepted) } else { String::new() };
        let (time, today) = (duration(whole.iter().sum()), env!("GAUNTLET_COMMIT"));
        Provenance {
            command: command(options, planned),
            commit: taken.commits(today).unwrap_or_else(|| today.to_owned()),
            processors: processors.into_iter().map(str::to_owned).collect(),
            card: Some(planned.plan.device.clone()).filter(|class| is_card(class)),
            work: format!(
                "{} {}{older}, {} {}, {time} in sum{untimed}",
                number::thousands(jobs.len() as u64),
                if jobs.len() == 1 { "job" } else { "jobs" },
                if seeds.len() == 1 { "seed" } else { "seeds" },
                ranges(&seeds)
            ),
            again: taken.again(),
            resolved: Some(origin.resolved()),
            planned: origin.planned(),
            doubts: origin.doubts(&(0..jobs.len()).map(id).collect::<Vec<_>>(), readings, today),
        }
    }

    /// One sentence, in Markdown.
    pub fn sentence(&self) -> String {
        let processors = match self.processors.as_slice() {
            [] => String::new(),
            processors => format!(" on {}", processors.join(" and ")),
        };
        let card =
            self.card.as_ref().map_or(String::new(), |class| format!(" with a card of the device class {class}"));
        let again = self.again.as_ref().map_or(String::new(), |again| format!("; {again}"));
        let made =
            format!("Made by `{}` at commit {}{processors}{card}: {}{again}.", self.command, self.commit, self.work);
        let planned = self.planned.as_ref().map_or(String::new(), |time| format!(", first planned {time}"));
        let form = self.resolved.as_ref().map(|key| format!("Resolved manifest {key}{planned}."));
        std::iter::once(made).chain(form).collect::<Vec<_>>().join(" ")
    }

    /// Writes it beside the reports.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn keep(&self, options: &Options, planned: &Planned) -> anyhow::Result<()> {
        let name = format!("{}.json", write::stem(planned.plan.written.name.as_str()));
        sealed::write(&options.reports, &directory(options, planned).join(MADE).join(name), self)
    }

    /// The provenance of a manifest, by its name, from the directory of its report.
    pub fn read(report: &Path, manifest: &str) -> Option<Provenance> {
        sealed::read(&report.join(MADE).join(format!("{}.json", write::stem(manifest))))
    }
}

/// The command that makes the artefacts of a plan.
fn command(options: &Options, planned: &Planned) -> String {
    let verb = if planned.name.ends_with(".toml") { "run" } else { "reproduce" };
    // A plan with changes has no profile that could be named.
    let own = Some(planned.plan.profile.as_str()).filter(|profile| *profile != CUSTOM);
    let words = options.profile.as_deref().or(own).into_iter().map(|profile| ("profile", profile.to_owned()));
    let words = words.chain(options.set.iter().map(|(key, value)| ("set", format!("'{key}={value}'"))));
    let words = words.chain(options.seeds.iter().map(|seeds| ("seeds", seeds.to_string())));
    let words = words.chain(options.only.iter().map(|filter| ("only", format!("'{filter}'"))));
    let words = words.chain(of_device(&planned.plan.device));
    let words = words.map(|(option, value)| format!(" --{option} {value}"));
    format!("gauntlet {verb} {}{}", planned.name, words.collect::<String>())
}

/// The options that choose a card of a device class; none for the CPU.
fn of_device(class: &str) -> Vec<(&'static str, String)> {
    let precision = Precision::of_class(class);
    let device = is_card(class).then_some(("device", "cuda".to_owned()));
    let precision = (precision != Precision::default()).then(|| ("precision", precision.word().to_owned()));
    device.into_iter().chain(precision).collect()
}

/// Ranges of numbers as text: `1 to 5 and 9`.
fn ranges(numbers: &BTreeSet<u64>) -> String {
    let mut ranges: BTreeMap<u64, u64> = BTreeMap::new();
    for &number in numbers {
        match ranges.last_entry() {
            Some(mut last) if *last.get() + 1 == number => *last.get_mut() = number,
            _ => drop(ranges.insert(number, number)),
        }
    }
    let word = |(from, to): (u64, u64)| if from == to { from.to_string() } else { format!("{from} to {to}") };
    ranges.into_iter().map(word).collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_told_as_ranges() {
        let reported = |numbers: &[u64]| ranges(&numbers.iter().copied().collect());
        assert_eq!(reported(&[1, 2, 3, 4, 5]), "1 to 5");
        assert_eq!(reported(&[7, 1, 2, 9]), "1 to 2 and 7 and 9");
    }

    #[test]
    fn a_card_is_part_of_the_command() {
        let reported =
            |class| of_device(class).into_iter().map(|(option, value)| format!("{option} {value}")).collect::<Vec<_>>();
        assert_eq!(reported("cpu-x86_64-avx512"), [""; 0]);
        assert_eq!(reported("cuda-nvidia-h200"), ["device cuda"]);
        assert_eq!(reported("cuda-nvidia-h200-bf16"), ["device cuda", "precision bf16"]);
    }

    #[test]
    fn a_sentence_names_everything() {
        let made = Provenance {
            command: "gauntlet reproduce a/b --profile paper".to_owned(),
            commit: "0a1b2c3".to_owned(),
            processors: vec!["X".to_owned(), "Y".to_owned()],
            card: None,
            work: "3 jobs, seeds 1 to 3, 2 s in sum".to_owned(),
            again: None,
            resolved: None,
            planned: None,
            doubts: Vec::new(),
        };
        let said = "Made by `gauntlet reproduce a/b --profile paper` at commit 0a1b2c3 on X and Y: 3 jobs, seeds 1 to 3, 2 s in sum.";
        assert_eq!(made.sentence(), said);
        let on_card = Provenance { card: Some("cuda-z".to_owned()), ..made.clone() };
        assert!(on_card.sentence().contains(" on X and Y with a card of the device class cuda-z: 3 jobs"));
        let (resolved, planned) = (Some("89ab".to_owned()), Some("2026-11-27 12:00 UTC".to_owned()));
        let noted = Provenance { resolved, planned, ..made.clone() };
        assert!(noted.sentence().ends_with(" 2 s in sum. Resolved manifest 89ab, first planned 2026-11-27 12:00 UTC."));
        let again = Provenance { again: Some("1 of its 3 jobs run again by B: the same bytes".to_owned()), ..made };
        assert!(again.sentence().ends_with("2 s in sum; 1 of its 3 jobs run again by B: the same bytes."));
    }
}
