//! `gauntlet regress --update-baseline [MATCH] --reason TEXT`: the only way to change a baseline.

use std::collections::BTreeMap;

use super::play::Failure;
use super::setup::{SuiteSetup, is_match, no_match};
use super::{engines, identity};
use crate::cli::Exit;
use crate::cli::output::{Misuse, note, result};
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

/// Plays the candidates of matches without a baseline, and of those whose baseline is replaced, against their
/// opponents, with the number of pairs that later suite runs need; stores players and counts.
///
/// # Errors
/// If the reason is empty, a match is unknown, the manifest is overridden, counts of two device classes would be
/// mixed, or a file cannot be written.
pub fn run(mut setup: SuiteSetup<'_>, reason: &str, replaced: &Replaced<'_>) -> anyhow::Result<Exit> {
    if reason.trim().is_empty() {
        return Err(Misuse::new("a baseline does not change without a reason", "say why with --reason TEXT"));
    }
    if !setup.flags.options.set.is_empty() {
        let hint = "write the change into the manifest first";
        return Err(Misuse::new("a baseline is made of the manifest as written, without --set", hint));
    }
    let old = setup.baseline()?;
    choose(&mut setup, replaced, old.as_ref())?;
    if setup.wanted.is_empty() {
        let path = Baseline::path(&setup.flags.options.results, setup.name());
        let way = "--update-baseline MATCH replaces one, --update-baseline --all every one";
        result(&format!("{}: every match has a baseline already; {way}", path.display()));
        return Ok(Exit::Done);
    }
    check_device(&setup, old.as_ref())?;
    match measured(&setup)? {
        Ok(found) => write(&setup, found, reason, replaced),
        Err(exit) => Ok(exit),
    }
}

/// Adds the measured entries to the present baseline: another process may have changed it during the games. An entry
/// that it added stays, unless it is one to replace.
fn write(
    setup: &SuiteSetup<'_>,
    mut found: BTreeMap<String, BaselineEntry>,
    reason: &str,
    replaced: &Replaced<'_>,
) -> anyhow::Result<Exit> {
    let results = &setup.flags.options.results;
    let path = Baseline::path(results, setup.name());
    create_directory(results, path.parent().unwrap_or(results))?;
    let _alone = Alone::with(&path)?;
    let now = setup.baseline()?;
    check_device(setup, now.as_ref())?;
    found.retain(|name, _| {
        let is_kept = replaced.has(name) || now.as_ref().is_none_or(|now| !now.matches.contains_key(name));
        if !is_kept {
            note(false, &format!("{name}: another process has made its baseline meanwhile, which stays"));
        }
        is_kept
    });
    if found.is_empty() {
        return Ok(Exit::Done);
    }
    bless(&found, now.as_ref());
    let baseline = merged(setup, found, now, reason);
    baseline.write(results)?;
    result(&format!("{}: {} matches", path.display(), baseline.matches.len()));
    Ok(Exit::Done)
}

/// Selects the matches to measure.
fn choose(setup: &mut SuiteSetup<'_>, replaced: &Replaced<'_>, old: Option<&Baseline>) -> anyhow::Result<()> {
    if let Replaced::Named(names) = replaced
        && let Some(unknown) = names.iter().find(|name| !is_match(setup.suite, name))
    {
        return Err(no_match(setup.suite, unknown, ""));
    }
    let has_none = |name: &str| old.is_none_or(|old| !old.matches.contains_key(name));
    setup.wanted.retain(|wanted| has_none(wanted.name.as_str()) || replaced.has(wanted.name.as_str()));
    Ok(())
}

/// The entries of all requested matches, with their weights stored; or the exit code of a failure.
fn measured(setup: &SuiteSetup<'_>) -> anyhow::Result<Result<BTreeMap<String, BaselineEntry>, Exit>> {
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
                engines::keep(&wanted.spec.agent, &setup.flags.options.results)?;
                found.insert(wanted.name.to_string(), entry);
            }
            Err(Failure::Interrupted) => return Ok(Err(Exit::Interrupted)),
            Err(error) => {
                note(false, &format!("failed: {}: {error}; the baseline stays as it was", wanted.name));
                return Ok(Err(Exit::JobFailed));
            }
        }
    }
    Ok(Ok(found))
}

/// Requires one device class for all counts of a baseline.
fn check_device(setup: &SuiteSetup<'_>, old: Option<&Baseline>) -> anyhow::Result<()> {
    let device = &setup.flags.options.own_class;
    let stays = |name: &String| !setup.wanted.iter().any(|wanted| wanted.name.as_str() == name.as_str());
    match old.filter(|old| old.device != *device && kept(setup, old).any(|(name, _)| stays(name))) {
        Some(old) => {
            let message = format!("the matches that would stay were measured on {}, and this is {device}", old.device);
            Err(Misuse::new(message, "replace every one: --update-baseline --all, without --only"))
        }
        None => Ok(()),
    }
}

/// Reports the change of score of every replaced match; weaker ones are marked.
fn bless(found: &BTreeMap<String, BaselineEntry>, old: Option<&Baseline>) {
    let before = |name: &String| old.and_then(|old| old.matches.get(name));
    for (name, now, then) in found.iter().filter_map(|(name, now)| Some((name, now, before(name)?))) {
        note(false, &format!("{name}: {}", replacement(now, then)));
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
    setup: &SuiteSetup<'_>,
    wanted: &SuiteMatch,
    pairs: gauntlet_plan::regression::Pairs,
    distinct_games: u64,
    model: Option<Model>,
) -> BaselineEntry {
    let opening = setup.suite.opening;
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
fn keep_weights(setup: &SuiteSetup<'_>, entry: &BaselineEntry, weights: Option<&[u8]>) -> anyhow::Result<()> {
    let (Some(model), Some(weights)) = (&entry.model, weights) else { return Ok(()) };
    let results = &setup.flags.options.results;
    Ok(write_below(results, &results.join("models").join(&model.file), weights)?)
}

/// The matches of a baseline that are still in the suite.
fn kept<'a>(setup: &SuiteSetup<'_>, old: &'a Baseline) -> impl Iterator<Item = (&'a String, &'a BaselineEntry)> {
    old.matches.iter().filter(|(name, _)| is_match(setup.suite, name))
}

/// The new baseline: the earlier changes and the matches without a new measurement are kept.
fn merged(
    setup: &SuiteSetup<'_>,
    found: BTreeMap<String, BaselineEntry>,
    old: Option<Baseline>,
    reason: &str,
) -> Baseline {
    let commit = setup.identity.commit.clone();
    let change = BaselineChange {
        who: identity::who(),
        when: identity::now(),
        why: reason.trim().to_owned(),
        commit: commit.clone(),
    };
    let mut matches = BTreeMap::new();
    if let Some(old) = &old {
        matches.extend(kept(setup, old).map(|(name, entry)| (name.clone(), entry.clone())));
    }
    matches.extend(found);
    let mut changes = old.map(|old| old.changes).unwrap_or_default();
    changes.push(change);
    Baseline {
        version: Baseline::VERSION,
        suite: setup.name().to_owned(),
        commit,
        device: setup.flags.options.own_class.clone(),
        seed: setup.identity.seed,
        changes,
        matches,
    }
}
