//! A new baseline, with a reason: the only way to change one.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::play::Failure;
use super::{Gate, engines, identity, is_match, no_match};
use crate::app::errors::Misuse;
use gauntlet_plan::manifest::SuiteMatch;
use gauntlet_plan::regression::{Baseline, BaselineChange, BaselineEntry, Model};
use gauntlet_play::players::essential;
use gauntlet_ratings::intervals::Interval;
use gauntlet_ratings::two_sample::change;
use gauntlet_store::{Alone, create_directory, write_below};

/// The matches whose baseline is replaced, if they have one.
pub enum Replaced<'a> {
    /// The named matches.
    Named(&'a [String]),
    /// All matches.
    All,
}

impl<'a> Replaced<'a> {
    /// From the options of the command line.
    #[must_use]
    pub fn new(named: &'a [String], all: bool) -> Replaced<'a> {
        if all { Replaced::All } else { Replaced::Named(named) }
    }

    fn has(&self, name: &str) -> bool {
        match self {
            Replaced::Named(names) => names.iter().any(|named| named == name),
            Replaced::All => true,
        }
    }
}

/// How the change of a baseline ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Updated {
    /// The baseline is in this file, with this number of matches.
    Written(PathBuf, usize),
    /// Every match has a baseline already, in this file.
    Complete(PathBuf),
    /// Another process has made every one of them meanwhile.
    Overtaken,
    /// It was stopped.
    Interrupted,
    /// A player failed.
    Failed,
}

/// Plays the candidates of matches without a baseline, and of those whose baseline is replaced, against their
/// opponents, with the number of pairs that later suite runs need; stores players and counts.
///
/// # Errors
/// If the reason is empty, a match is unknown, the manifest is overridden, counts of two device classes would be
/// mixed, or a file cannot be written.
pub fn update_baseline(mut gate: Gate<'_>, reason: &str, replaced: &Replaced<'_>) -> anyhow::Result<Updated> {
    gate.require_consent(Vec::new())?;
    if reason.trim().is_empty() {
        return Err(Misuse::new("a baseline does not change without a reason", "say why with --reason TEXT"));
    }
    if !gate.options.set.is_empty() {
        let hint = "write the change into the manifest first";
        return Err(Misuse::new("a baseline is made of the manifest as written, without --set", hint));
    }
    let old = gate.baseline()?;
    choose(&mut gate, replaced, old.as_ref())?;
    if gate.wanted.is_empty() {
        return Ok(Updated::Complete(Baseline::path(&gate.options.results, gate.name())));
    }
    check_device(&gate, old.as_ref())?;
    match measured(&gate)? {
        Ok(found) => write(&gate, found, reason, replaced),
        Err(ended) => Ok(ended),
    }
}

/// Adds the measured entries to the present baseline: another process may have changed it during the games. An entry
/// that it added stays, unless it is one to replace.
fn write(
    gate: &Gate<'_>,
    mut found: BTreeMap<String, BaselineEntry>,
    reason: &str,
    replaced: &Replaced<'_>,
) -> anyhow::Result<Updated> {
    let results = &gate.options.results;
    let path = Baseline::path(results, gate.name());
    create_directory(results, path.parent().unwrap_or(results))?;
    let _alone = Alone::with(&path)?;
    let now = gate.baseline()?;
    check_device(gate, now.as_ref())?;
    found.retain(|name, _| {
        let is_kept = replaced.has(name) || now.as_ref().is_none_or(|now| !now.matches.contains_key(name));
        if !is_kept {
            (gate.warn)(&format!("{name}: another process has made its baseline meanwhile, which stays"));
        }
        is_kept
    });
    if found.is_empty() {
        return Ok(Updated::Overtaken);
    }
    bless(gate, &found, now.as_ref());
    let baseline = merged(gate, found, now, reason);
    baseline.write(results)?;
    Ok(Updated::Written(path, baseline.matches.len()))
}

/// Selects the matches to measure.
fn choose(gate: &mut Gate<'_>, replaced: &Replaced<'_>, old: Option<&Baseline>) -> anyhow::Result<()> {
    if let Replaced::Named(names) = replaced
        && let Some(unknown) = names.iter().find(|name| !is_match(gate.suite, name))
    {
        return Err(no_match(gate.suite, unknown, ""));
    }
    let has_none = |name: &str| old.is_none_or(|old| !old.matches.contains_key(name));
    gate.wanted.retain(|wanted| has_none(wanted.name.as_str()) || replaced.has(wanted.name.as_str()));
    Ok(())
}

/// The entries of all requested matches, with their weights stored; or how it ended without them.
fn measured(gate: &Gate<'_>) -> anyhow::Result<Result<BTreeMap<String, BaselineEntry>, Updated>> {
    let runner = gate.runner(None);
    let entries = gate.each(|wanted| {
        let weights = runner.weights(wanted)?;
        let (pairs, distinct_games) = runner.measure(wanted, weights.as_deref())?;
        (gate.note)(&format!("{}: {} pairs", wanted.name, pairs.total()));
        let model = weights.as_deref().map(|bytes| Model::of(wanted.name.as_str(), bytes));
        Ok((entry(gate, wanted, pairs, distinct_games, model), weights))
    })?;
    let mut found = BTreeMap::new();
    for (wanted, entry) in gate.wanted.iter().zip(entries) {
        match entry {
            Ok((entry, weights)) => {
                keep_weights(gate, &entry, weights.as_deref())?;
                engines::keep(&wanted.spec.agent, &gate.options.results)?;
                found.insert(wanted.name.to_string(), entry);
            }
            Err(Failure::Interrupted) => return Ok(Err(Updated::Interrupted)),
            Err(error) => {
                (gate.warn)(&format!("failed: {}: {error}; the baseline stays as it was", wanted.name));
                return Ok(Err(Updated::Failed));
            }
        }
    }
    Ok(Ok(found))
}

/// Requires one device class for all counts of a baseline.
fn check_device(gate: &Gate<'_>, old: Option<&Baseline>) -> anyhow::Result<()> {
    let device = &gate.options.own_class;
    let stays = |name: &String| !gate.wanted.iter().any(|wanted| wanted.name.as_str() == name.as_str());
    match old.filter(|old| old.device != *device && kept(gate, old).any(|(name, _)| stays(name))) {
        Some(old) => {
            let message = format!("the matches that would stay were measured on {}, and this is {device}", old.device);
            Err(Misuse::new(message, "replace every one: --update-baseline --all, without --only"))
        }
        None => Ok(()),
    }
}

/// Reports the change of score of every replaced match; weaker ones are marked.
fn bless(gate: &Gate<'_>, found: &BTreeMap<String, BaselineEntry>, old: Option<&Baseline>) {
    let before = |name: &String| old.and_then(|old| old.matches.get(name));
    for (name, now, then) in found.iter().filter_map(|(name, now)| Some((name, now, before(name)?))) {
        (gate.warn)(&format!("{name}: {}", replacement(now, then)));
    }
}

/// The description of a changed baseline.
fn replacement(now: &BaselineEntry, then: &BaselineEntry) -> String {
    let scores = [then, now].map(|entry| entry.pairs.score().unwrap_or_default());
    let scores = format!("score {:.3} before, {:.3} now", scores[0], scores[1]);
    let change = (now.setting == then.setting).then(|| change(&now.pairs.results(), &then.pairs.results())).flatten();
    let Some(change) = change else {
        return format!("the baseline is of another game, opponent or opening, and is replaced; {scores}");
    };
    let Interval { low, high } = change.interval(0.95);
    let word = match (high < 0.0, low > 0.0) {
        (true, _) => "WEAKER than the baseline that it replaces",
        (_, true) => "stronger than the baseline that it replaces",
        _ => "no difference to the baseline that it replaces is seen",
    };
    format!("{word}: {scores}, change {:+.3} (95 % interval {low:+.3} to {high:+.3})", change.score)
}

fn entry(
    gate: &Gate<'_>,
    wanted: &SuiteMatch,
    pairs: gauntlet_plan::regression::Pairs,
    distinct_games: u64,
    model: Option<Model>,
) -> BaselineEntry {
    let opening = gate.suite.opening;
    BaselineEntry {
        setting: wanted.setting(opening),
        config: wanted.config(opening),
        player: essential(serde_json::to_value(&wanted.spec.agent).expect("a player's settings are plain data")),
        weights_seed: wanted.spec.weights_seed,
        model,
        pairs,
        distinct_games,
    }
}

/// Stores trained weights beside the other models, under a separate name.
fn keep_weights(gate: &Gate<'_>, entry: &BaselineEntry, weights: Option<&[u8]>) -> anyhow::Result<()> {
    let (Some(model), Some(weights)) = (&entry.model, weights) else { return Ok(()) };
    let results = &gate.options.results;
    Ok(write_below(results, &results.join("models").join(&model.file), weights)?)
}

/// The matches of a baseline that are still in the suite.
fn kept<'a>(gate: &Gate<'_>, old: &'a Baseline) -> impl Iterator<Item = (&'a String, &'a BaselineEntry)> {
    old.matches.iter().filter(|(name, _)| is_match(gate.suite, name))
}

/// The new baseline: the earlier changes and the matches without a new measurement are kept.
fn merged(gate: &Gate<'_>, found: BTreeMap<String, BaselineEntry>, old: Option<Baseline>, reason: &str) -> Baseline {
    let commit = gate.identity.commit.clone();
    let change = BaselineChange {
        who: identity::who(),
        when: identity::now(),
        why: reason.trim().to_owned(),
        commit: commit.clone(),
    };
    let mut matches = BTreeMap::new();
    if let Some(old) = &old {
        matches.extend(kept(gate, old).map(|(name, entry)| (name.clone(), entry.clone())));
    }
    matches.extend(found);
    let mut changes = old.map(|old| old.changes).unwrap_or_default();
    changes.push(change);
    Baseline {
        version: Baseline::VERSION,
        suite: gate.name().to_owned(),
        commit,
        device: gate.options.own_class.clone(),
        seed: gate.identity.seed,
        changes,
        matches,
    }
}
