//! `[cluster]`: the resources that jobs request, in Slurm's terms. Nothing here enters the identity of a job: the
//! section decides where and when jobs run, and never their results.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::manifest::text::reader::read;
use crate::manifest::text::source::Problem;
use crate::manifest::text::tree::{Node, Table};
use gauntlet_games::base::{FromOne, bounded};

/// The section of a manifest, or a file named with `--cluster` that overrides it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Cluster {
    /// Partition that jobs are submitted to. Default: the site's default.
    pub partition: Option<Word>,
    /// Account that is charged. Default: the user's default.
    pub account: Option<Word>,
    /// Longest time of an array task, in Slurm's notation: `30` (minutes), `2:00:00`, `1-12:00:00`. Default: the
    /// partition's limit.
    pub time: Option<TimeLimit>,
    /// Memory of an array task, in Slurm's notation: `4G`. Default: the site's default.
    pub memory: Option<Word>,
    /// GPUs of an array task.
    #[serde(with = "Gpus")]
    pub gpus: u16,
    /// Cores of an array task.
    #[serde(with = "CpuCores")]
    pub cores: u16,
    /// Maximum number of tasks of one array. The site's `MaxArraySize` bounds it, too.
    #[serde(with = "ArraySize")]
    pub array_size: u32,
    /// Maximum number of tasks of an array that run at the same time. Default: no limit.
    #[serde(with = "FromOne")]
    pub at_a_time: Option<u32>,
    /// Maximum number of array tasks that are submitted and have not ended; the others wait for `gauntlet run`.
    /// Default: no limit.
    #[serde(with = "FromOne")]
    pub in_flight: Option<u32>,
    /// Minutes of work, by the plan's estimate, up to which jobs share one array task; 0 for one task a job.
    pub pack: u32,
    /// Number of attempts at a job that is lost with its node, preempted or killed without having saved progress in
    /// between.
    #[serde(with = "Attempts")]
    pub attempts: u32,
    /// Seconds before the time limit at which a task is signalled to save its state and stop.
    #[serde(with = "Notice")]
    pub notice: u32,
    /// Whether jobs with unfinished dependencies are submitted at once, with `--dependency`. Some sites forbid it.
    pub dependencies: bool,
    /// More options of `sbatch`, passed through: `["--constraint=avx512", "--qos=long"]`.
    pub options: Vec<SlurmOption>,
    /// Lines of shell before the worker starts: `["module load cuda"]`.
    pub setup: Vec<Line>,
    /// The device class that workers must have. Default: that of the machine that plans. Example: `cuda-nvidia-h200`.
    pub device_class: Option<Word>,
    /// Overrides for the jobs of single stages.
    pub stages: BTreeMap<String, StageRequest>,
}

/// Overrides of the section for the jobs of one stage.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct StageRequest {
    /// Partition that jobs are submitted to.
    pub partition: Option<Word>,
    /// Longest time of an array task, in Slurm's notation.
    pub time: Option<TimeLimit>,
    /// Memory of an array task, in Slurm's notation.
    pub memory: Option<Word>,
    /// GPUs of an array task.
    #[serde(with = "Gpus")]
    pub gpus: Option<u16>,
    /// Cores of an array task.
    #[serde(with = "CpuCores")]
    pub cores: Option<u16>,
}

bounded! {
    /// GPUs of an array task.
    Gpus: u16 from 0 to 64
}
bounded! {
    /// Cores of an array task.
    CpuCores: u16 from 1 to 1024
}
bounded! {
    /// Tasks of an array.
    ArraySize: u32 from 1 to 10_000
}
bounded! {
    /// Attempts at a job.
    Attempts: u32 from 1 to 100
}
bounded! {
    /// Seconds before the time limit.
    Notice: u32 from 10 to 65_535
}

impl Default for Cluster {
    fn default() -> Cluster {
        Cluster {
            partition: None,
            account: None,
            time: None,
            memory: None,
            gpus: 0,
            cores: 1,
            array_size: 1000,
            at_a_time: None,
            in_flight: None,
            pack: 10,
            attempts: 3,
            notice: 120,
            dependencies: true,
            options: Vec::new(),
            setup: Vec::new(),
            device_class: None,
            stages: BTreeMap::new(),
        }
    }
}

/// One word of an option: it contains no spaces and is not an option itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct Word(String);

/// One line of shell.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct Line(String);

/// One option of `sbatch` that this program does not set itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct SlurmOption(String);

/// A time limit in Slurm's notation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct TimeLimit {
    text: String,
    seconds: u64,
}

impl TimeLimit {
    /// The limit in seconds.
    #[must_use]
    pub fn seconds(&self) -> u64 {
        self.seconds
    }

    /// The text of the limit.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl Word {
    /// The word.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Line {
    /// The line.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl SlurmOption {
    /// The option.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Word {
    type Error = String;

    fn try_from(text: String) -> Result<Word, String> {
        let is_word = !text.is_empty() && !text.starts_with('-') && text.chars().all(|c| c.is_ascii_graphic());
        if is_word { Ok(Word(text)) } else { Err(format!("`{text}` is not one word")) }
    }
}

impl TryFrom<String> for Line {
    type Error = String;

    fn try_from(text: String) -> Result<Line, String> {
        let is_line = !text.chars().any(char::is_control);
        if is_line { Ok(Line(text)) } else { Err("a line has no line breaks or control characters".to_owned()) }
    }
}

/// Options that every submission sets, or that would break an assumption of submissions.
const OWN: [&str; 14] = [
    "--array",
    "--job-name",
    "--output",
    "--error",
    "--open-mode",
    "--requeue",
    "--no-requeue",
    "--signal",
    "--parsable",
    "--dependency",
    "--wrap",
    "--wait",
    "--hold",
    "--chdir",
];

impl TryFrom<String> for SlurmOption {
    type Error = String;

    fn try_from(text: String) -> Result<SlurmOption, String> {
        let name = text.split(['=', ' ']).next().unwrap_or_default();
        if !text.starts_with("--") || text.chars().any(char::is_control) {
            return Err(format!("`{text}` is not an option: it begins with `--`, as `--constraint=avx512` does"));
        }
        // Slurm accepts abbreviations of long options.
        if let Some(own) = OWN.iter().find(|own| own.starts_with(name)) {
            return Err(format!("`{own}` is set by every submission"));
        }
        if let Some(second) = text.split_whitespace().skip(1).find(|word| word.starts_with('-')) {
            return Err(format!("`{second}` is a second option: write each as an entry of its own"));
        }
        Ok(SlurmOption(text))
    }
}

impl TryFrom<String> for TimeLimit {
    type Error = String;

    fn try_from(text: String) -> Result<TimeLimit, String> {
        let seconds = seconds(&text).filter(|seconds| *seconds > 0);
        let seconds =
            seconds.ok_or_else(|| format!("`{text}` is not a time: write 30 (minutes), 2:00:00 or 1-12:00:00"))?;
        Ok(TimeLimit { text, seconds })
    }
}

/// Seconds of `minutes`, `minutes:seconds`, `hours:minutes:seconds`, `days-hours[:minutes[:seconds]]`.
fn seconds(text: &str) -> Option<u64> {
    let (days, rest) = text.split_once('-').map_or((None, text), |(days, rest)| (Some(days), rest));
    let number = |part: &str| part.parse::<u32>().ok().map(u64::from);
    let parts: Vec<u64> = rest.split(':').map(number).collect::<Option<_>>()?;
    let units: &[u64] = match (days, parts.len()) {
        (Some(_), 1..=3) | (None, 3) => &[3600, 60, 1],
        (None, 1 | 2) => &[60, 1],
        _ => return None,
    };
    let days = days.map_or(Some(0), number)?;
    Some(days * 86_400 + parts.iter().zip(units).map(|(part, unit)| part * unit).sum::<u64>())
}

impl Cluster {
    /// Reads the section; its stages must exist in the manifest.
    pub(super) fn read(node: &Node, stages: &[&str], problems: &mut Vec<Problem>) -> Cluster {
        let written = node.table().and_then(|section| section.get("stages")).and_then(Node::table);
        for entry in written.map_or(&[][..], Table::entries).iter().filter(|entry| !stages.contains(&&*entry.key)) {
            let message = format!("there is no stage `{}`", entry.key);
            problems.push(Problem::at(entry.key_span.clone(), message).nearest(&entry.key, stages.iter().copied()));
        }
        read(node, problems).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_slurm_reads_them() {
        let found = ["30", "1:30", "2:00:00", "1-12", "1-12:30", "2-00:00:01"].map(seconds);
        assert_eq!(found, [1800, 90, 7200, 129_600, 131_400, 172_801].map(Some));
        for wrong in ["", "x", "1:2:3:4", "-1", "1-", "0", "2h"] {
            assert!(TimeLimit::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn options_are_those_that_a_submission_leaves_open() {
        let read = |text: &str| SlurmOption::try_from(text.to_owned());
        assert!(read("--constraint=avx512").is_ok() && read("--exclusive").is_ok());
        for wrong in [
            "--array=0-9",
            "--requeue",
            "-p main",
            "--qos=a\nrm -rf /",
            "--arr=0-9",
            "--qos=a --array=0-9",
            "--qos a\t-a 0-9",
            "--",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
