//! `gauntlet regress --update-baseline --reason TEXT`: the only way in which a baseline changes.

use std::collections::BTreeMap;

use anyhow::Context as _;

use super::play::Failure;
use super::{SuiteSetup, identity};
use crate::cli::Exit;
use crate::cli::output::{Misuse, note, result};
use crate::manifest::SuiteMatch;
use crate::regression::{Baseline, BaselineChange, BaselineEntry, BaselineError, Model};
use crate::store::atomic_write;
use gauntlet_nets::nets::deep::device_class;

/// Plays every candidate against its opponent, with the pairs that later nights need, and keeps players and counts.
///
/// # Errors
/// When the reason is empty, the manifest is overridden, counts of two device classes would stand side by side, or
/// something cannot be written.
pub fn run(setup: &SuiteSetup<'_>, reason: &str) -> anyhow::Result<Exit> {
    if reason.trim().is_empty() {
        return Err(Misuse::new("a baseline does not change without a reason", "say why with --reason TEXT"));
    }
    if !setup.flags.set.is_empty() {
        let hint = "write the change into the manifest first";
        return Err(Misuse::new("a baseline is made of the manifest as written, without --set", hint));
    }
    check_device(setup)?;
    let runner = setup.runner(None);
    let entries = setup.each(|wanted| {
        let weights = runner.weights(wanted)?;
        let (pairs, distinct_games) = runner.measure(wanted, weights.as_deref())?;
        note(setup.flags.quiet, &format!("{}: {} pairs", wanted.name, pairs.total()));
        let model = weights.as_deref().map(|bytes| Model::of(wanted.name.as_str(), bytes));
        Ok((entry(setup, wanted, pairs, distinct_games, model), weights))
    })?;
    let mut found = BTreeMap::new();
    for (wanted, entry) in setup.wanted.iter().zip(entries) {
        match entry {
            Ok((entry, weights)) => {
                keep_weights(setup, &entry, weights.as_deref())?;
                found.insert(wanted.name.to_string(), entry);
            }
            Err(Failure::Interrupted) => return Ok(Exit::Interrupted),
            Err(error) => {
                note(false, &format!("failed: {}: {error}; the baseline stays as it was", wanted.name));
                return Ok(Exit::JobFailed);
            }
        }
    }
    let baseline = merged(setup, found, reason)?;
    let path = baseline.write(&setup.flags.results)?;
    result(&format!("{}: {} matches", path.display(), baseline.matches.len()));
    Ok(Exit::Done)
}

/// The counts of a baseline are those of one device class.
fn check_device(setup: &SuiteSetup<'_>) -> anyhow::Result<()> {
    let device = device_class();
    let old = Baseline::read(&setup.flags.results, setup.name()).ok().filter(|old| old.device != device);
    match old.filter(|_| !setup.flags.only.is_empty()) {
        Some(old) => {
            let message = format!("the matches that would stay were measured on {}, and this is {device}", old.device);
            Err(Misuse::new(message, "renew the whole baseline: leave --only out"))
        }
        None => Ok(()),
    }
}

fn entry(
    setup: &SuiteSetup<'_>,
    wanted: &SuiteMatch,
    pairs: crate::regression::Pairs,
    distinct_games: u64,
    model: Option<Model>,
) -> BaselineEntry {
    let opening = setup.suite.opening;
    BaselineEntry {
        setting: wanted.setting(opening),
        config: wanted.config(opening),
        player: serde_json::to_value(&wanted.spec.agent).expect("a player's settings are plain data"),
        weights_seed: wanted.spec.weights_seed,
        model,
        pairs,
        distinct_games,
    }
}

/// Puts trained weights beside the other models, under a name of their own.
fn keep_weights(setup: &SuiteSetup<'_>, entry: &BaselineEntry, weights: Option<&[u8]>) -> anyhow::Result<()> {
    let (Some(model), Some(weights)) = (&entry.model, weights) else { return Ok(()) };
    let models = setup.flags.results.join("models");
    std::fs::create_dir_all(&models).with_context(|| format!("cannot create {}", models.display()))?;
    Ok(atomic_write(&models.join(&model.file), weights)?)
}

/// The new baseline: earlier changes are kept, and where only some matches were asked for, the others too.
fn merged(setup: &SuiteSetup<'_>, found: BTreeMap<String, BaselineEntry>, reason: &str) -> anyhow::Result<Baseline> {
    let old = match Baseline::read(&setup.flags.results, setup.name()) {
        Ok(old) => Some(old),
        Err(BaselineError::Absent(_)) => None,
        // A new baseline replaces a damaged one.
        Err(error @ BaselineError::Unreadable { .. }) => {
            tracing::warn!("{error}; it is replaced");
            None
        }
    };
    let commit = setup.identity.commit.clone();
    let change = BaselineChange {
        who: identity::who(),
        when: identity::now(),
        why: reason.trim().to_owned(),
        commit: commit.clone(),
    };
    let (mut changes, kept) = old.map_or_else(Default::default, |old| (old.changes, old.matches));
    changes.push(change);
    let is_kept = |name: &String| {
        setup.suite.matches.iter().any(|known| known.name.as_str() == name) && !found.contains_key(name)
    };
    let mut matches: BTreeMap<String, BaselineEntry> = kept.into_iter().filter(|(name, _)| is_kept(name)).collect();
    matches.extend(found);
    Ok(Baseline {
        version: Baseline::VERSION,
        suite: setup.name().to_owned(),
        commit,
        device: device_class(),
        seed: setup.identity.seed,
        changes,
        matches,
    })
}
