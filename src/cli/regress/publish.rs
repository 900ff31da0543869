//! Writes the results of a night: JSON, JUnit XML, Markdown and the trend, the history, and the CI's summary.

use std::io::Write as _;
use std::path::Path;

use super::{SuiteSetup, identity, junit, summary, trend};
use crate::cli::output::{self, json, note, result, table};
use crate::regression::history::{self, NightSummary};
use crate::regression::{Baseline, Night};
use crate::reports::plot;

/// Writes every file and prints the rulings.
///
/// # Errors
/// If a file cannot be written.
pub fn night(setup: &SuiteSetup<'_>, night: &Night, baseline: Option<&Baseline>) -> anyhow::Result<()> {
    let flags = setup.flags;
    let directory = flags.options.reports.join(&night.suite).join(&night.profile);
    let write = |name: &str, bytes: &[u8]| output::write(&directory.join(name), bytes, output::REPORT);
    let mut text = serde_json::to_string_pretty(night)?;
    text.push('\n');
    write("night.json", text.as_bytes())?;
    write("junit.xml", junit::render(night)?.as_bytes())?;
    let markdown = summary::render(night, baseline, summary::LARGEST);
    write("summary.md", markdown.as_bytes())?;
    let sheet = trend::sheet(&night.suite, &night.profile, &nights(setup, night)?);
    write("trend.svg", plot::svg(&sheet)?.as_bytes())?;
    write("trend.png", &plot::png(&sheet)?)?;
    if let Some(file) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|file| !file.is_empty()) {
        append(Path::new(&file), night, baseline)?;
    }
    match flags.json {
        true => json(night),
        false => tell(night, &directory),
    }
    if let Some(warning) = summary::foreign(night) {
        note(false, &format!("warning: {warning}"));
    }
    note(flags.quiet, &format!("{}: {}", night.suite, night.ruling.word()));
    Ok(())
}

/// All nights with this one, which is added to the history unless it is a replay, partial, or of other settings.
fn nights(setup: &SuiteSetup<'_>, night: &Night) -> anyhow::Result<Vec<NightSummary>> {
    let results = &setup.flags.options.results;
    let line = NightSummary::of(night, identity::now());
    let mut nights = history::read(results, &night.suite, &night.profile);
    let known = nights.iter().any(|known| known.is_replay_of(&line));
    let is_whole = night.profile != "custom" && setup.flags.options.only.is_empty();
    if !known && is_whole && !setup.identity.is_replay && night.baseline.is_some() {
        history::append(results, &night.suite, &line)?;
    }
    if !known {
        nights.push(line);
    }
    Ok(nights)
}

/// Appends to the summary of a CI step, up to its size limit.
fn append(file: &Path, night: &Night, baseline: Option<&Baseline>) -> anyhow::Result<()> {
    let taken = std::fs::metadata(file).map_or(0, |found| found.len() as usize);
    let text = summary::render(night, baseline, summary::LARGEST.saturating_sub(taken + 1));
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(file)?;
    Ok(file.write_all(text.as_bytes())?)
}

fn tell(night: &Night, directory: &Path) {
    let rows = night.matches.iter().map(|found| {
        let pairs: u64 = found.rounds.iter().map(|round| round.pairs.total()).sum();
        vec![
            found.name.clone(),
            found.ruling.word().to_owned(),
            summary::changes(found),
            pairs.to_string(),
            found.method.map_or("-", |method| method.words()).to_owned(),
            found.reason.clone(),
        ]
    });
    result(&table(&["match", "ruling", "change of score", "pairs", "how", "why"], rows));
    result(&directory.join("{night.json,junit.xml,summary.md,trend.svg,trend.png}").display().to_string());
}
