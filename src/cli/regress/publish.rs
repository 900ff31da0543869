//! Writes the results of a suite run: JSON, JUnit XML, Markdown and the trend, the history, and the CI's summary.

use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;

use super::{junit, summary, trend};
use crate::app::{Gate, now};
use crate::cli::Flags;
use crate::cli::output::{self, json, note, result, table};
use gauntlet_plan::regression::history::{self, SuiteRunSummary};
use gauntlet_plan::regression::{Baseline, SuiteRun};
use gauntlet_report::plot;
use gauntlet_store::{Opening, open_to_write};

/// Writes every file and prints the verdicts.
///
/// # Errors
/// If a file cannot be written.
pub fn suite_run(
    gate: &Gate<'_>,
    flags: &Flags,
    suite_run: &SuiteRun,
    baseline: Option<&Baseline>,
) -> anyhow::Result<()> {
    let directory = gate.reports();
    let reports = &flags.options.reports;
    let write = |name: &str, bytes: &[u8]| output::write(reports, &directory.join(name), bytes, output::REPORT);
    let mut text = serde_json::to_string_pretty(suite_run)?;
    text.push('\n');
    write("night.json", text.as_bytes())?;
    write("junit.xml", junit::render(suite_run)?.as_bytes())?;
    let markdown = summary::render(suite_run, baseline, summary::LARGEST);
    write("summary.md", markdown.as_bytes())?;
    let sheet = trend::sheet(&suite_run.suite, &suite_run.profile, &suite_runs(gate, suite_run)?);
    write("trend.svg", plot::svg(&sheet)?.as_bytes())?;
    write("trend.png", &plot::png(&sheet)?)?;
    if let Some(file) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|file| !file.is_empty()) {
        append(Path::new(&file), suite_run, baseline)?;
    }
    match flags.json {
        true => json(suite_run),
        false => tell(suite_run, &directory),
    }
    if let Some(warning) = summary::foreign(suite_run) {
        note(false, &format!("warning: {warning}"));
    }
    note(flags.quiet, &format!("{}: {}", suite_run.suite, suite_run.verdict.word()));
    Ok(())
}

/// All suite runs with this one, which is added to the history unless it is a replay, partial, or of other settings.
fn suite_runs(gate: &Gate<'_>, suite_run: &SuiteRun) -> anyhow::Result<Vec<SuiteRunSummary>> {
    let results = &gate.options.results;
    let line = SuiteRunSummary::of(suite_run, now());
    let mut suite_runs = history::read(results, &suite_run.suite, &suite_run.profile);
    let known = suite_runs.iter().any(|known| known.is_replay_of(&line));
    let is_whole = suite_run.profile != "custom" && gate.options.only.is_empty();
    if !known && is_whole && !gate.identity.is_replay && suite_run.baseline.is_some() {
        history::append(results, &suite_run.suite, &line)?;
    }
    if !known {
        suite_runs.push(line);
    }
    Ok(suite_runs)
}

/// Appends to the summary of a CI step, up to its size limit.
fn append(file: &Path, suite_run: &SuiteRun, baseline: Option<&Baseline>) -> anyhow::Result<()> {
    let taken = std::fs::metadata(file).map_or(0, |found| found.len() as usize);
    let text = summary::render(suite_run, baseline, summary::LARGEST.saturating_sub(taken + 1));
    let written = open_to_write(file, Opening::Append).and_then(|mut open| open.write_all(text.as_bytes()));
    written.with_context(|| format!("cannot append to {}", file.display()))
}

fn tell(suite_run: &SuiteRun, directory: &Path) {
    let rows = suite_run.matches.iter().map(|found| {
        let pairs: u64 = found.rounds.iter().map(|round| round.pairs.total()).sum();
        vec![
            found.name.clone(),
            found.verdict.word().to_owned(),
            summary::changes(found),
            pairs.to_string(),
            found.method.map_or("-", |method| method.words()).to_owned(),
            found.reason.clone(),
        ]
    });
    result(&table(&["match", "ruling", "change of score", "pairs", "how", "why"], rows));
    result(&directory.join("{night.json,junit.xml,summary.md,trend.svg,trend.png}").display().to_string());
}
