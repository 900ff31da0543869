//! Names of the players in records of games: one name for one player, also over the records of many jobs.
//!
//! A record names a player of a match by its kind and its main setting (`UCT 200`). `key.json` beside it has all
//! settings. Players of one name with different settings are distinguished by these: `UCT 200 (c = 0.01)`. Networks that
//! differ only in the seed of their training are runs of one player, as in reports, and keep one name.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use gauntlet_games::base::{Key, count};
use gauntlet_jobs::JobSpec;
use gauntlet_plan::manifest::plan::identity::KeyInputs;
use gauntlet_play::arena::PlaySpec;
use gauntlet_play::jobs::GAMES;
use gauntlet_play::players::{PlayerSpec, essential};
use gauntlet_store::read_path;

/// The file with the key inputs of a job, beside its records.
const KEY_INPUTS: &str = "key.json";

/// Digits of a key in the name of a directory.
const SHORT: usize = 16;

/// The settings of a player, by the path of each.
type Settings = BTreeMap<String, Value>;

/// The name of a player in the records of a job, and its name among those of several jobs.
pub type NewNames = BTreeMap<String, String>;

/// The players of the records of several jobs.
#[derive(Debug, Default)]
pub struct PlayerNames {
    /// By file.
    players: HashMap<PathBuf, Vec<StoredPlayer>>,
    /// By name, the different settings of the players with it.
    variants: BTreeMap<String, Vec<Settings>>,
}

/// A player in the records of a job.
#[derive(Debug)]
struct StoredPlayer {
    /// Its name there.
    recorded: String,
    /// Its name without the role that tells two players of one match apart.
    name: String,
    settings: Settings,
    /// The run that its network comes from, if several runs make several networks.
    run: Option<String>,
}

impl PlayerNames {
    /// The players of some files of records, as far as `key.json` lies beside them.
    #[must_use]
    pub fn of<'a>(files: impl IntoIterator<Item = &'a Path>) -> PlayerNames {
        let mut trees = Trees::default();
        PlayerNames::new(
            files.into_iter().filter_map(|file| Some((file.to_owned(), trees.players_of(file)?))).collect(),
        )
    }

    /// The players of a file of records and of all other records of its results tree.
    #[must_use]
    pub fn of_tree(file: &Path) -> PlayerNames {
        let jobs = file.parent().and_then(|job| job.parent().filter(|_| job.join(KEY_INPUTS).is_file()));
        let entries = jobs.and_then(|jobs| std::fs::read_dir(jobs).ok()).into_iter().flatten().flatten();
        let others: Vec<PathBuf> =
            entries.map(|entry| entry.path().join(GAMES)).filter(|path| path.is_file()).collect();
        PlayerNames::of(others.iter().map(PathBuf::as_path).chain([file]))
    }

    fn new(players: HashMap<PathBuf, Vec<StoredPlayer>>) -> PlayerNames {
        let mut variants: BTreeMap<String, Vec<Settings>> = BTreeMap::new();
        for player in players.values().flatten() {
            let known = variants.entry(player.name.clone()).or_default();
            if !known.contains(&player.settings) {
                known.push(player.settings.clone());
            }
        }
        PlayerNames { players, variants }
    }

    /// The new names of the players of a file of records that share their names with players of other settings.
    #[must_use]
    pub fn in_file(&self, file: &Path) -> NewNames {
        let own = self.players.get(file).into_iter().flatten();
        own.filter_map(|player| Some((player.recorded.clone(), self.told_apart(player)?))).collect()
    }

    /// Sentences on the names that stand for several networks.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let mut runs: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for player in self.players.values().flatten() {
            let name = self.told_apart(player).unwrap_or_else(|| player.name.clone());
            runs.entry(name).or_default().extend(player.run.as_deref());
        }
        let pooled = runs.into_iter().filter(|(_, runs)| runs.len() > 1);
        pooled.map(|(name, runs)| format!("{name} is {} of one configuration", count(runs.len(), "network"))).collect()
    }

    /// The name of a player with the settings that tell it from others of its name; `None` if it has the name alone.
    fn told_apart(&self, player: &StoredPlayer) -> Option<String> {
        let variants = self.variants.get(&player.name).filter(|variants| variants.len() > 1)?;
        let words = differing(&player.settings, variants);
        let is_same = |other: &&Settings| **other != player.settings && differing(other, variants) == words;
        let hash = variants.iter().find(is_same).map(|_| Key::of("player", &json!(player.settings)).to_string());
        let words: Vec<String> = words.into_iter().chain(hash).collect();
        Some(if words.is_empty() { player.name.clone() } else { format!("{} ({})", player.name, words.join(", ")) })
    }
}

/// The settings of a player that not all variants share, each by the end of its path that is its own: `c = 0.01`.
fn differing(own: &Settings, variants: &[Settings]) -> Vec<String> {
    let is_shared = |path: &str, value: &Value| variants.iter().all(|variant| variant.get(path) == Some(value));
    let paths: BTreeSet<&String> = variants.iter().flat_map(Settings::keys).collect();
    let short = |path: &str| {
        let end = path.rsplit('.').next().unwrap_or(path).to_owned();
        let shares = paths.iter().filter(|other| other.rsplit('.').next() == Some(&*end)).count() > 1;
        if shares { path.to_owned() } else { end }
    };
    let differing = own.iter().filter(|(path, value)| !is_shared(path, value));
    differing.map(|(path, value)| format!("{} = {}", short(path), value.to_string().trim_matches('"'))).collect()
}

/// The trainings of results trees, each tree listed once.
#[derive(Default)]
struct Trees(HashMap<PathBuf, HashMap<String, PathBuf>>);

impl Trees {
    /// The players of the job of a file of records; `None` if nothing beside it tells them.
    fn players_of(&mut self, file: &Path) -> Option<Vec<StoredPlayer>> {
        let directory = file.parent()?;
        let job = key_inputs(directory)?;
        let (players, mut names) = (job.spec.job().players(), Vec::new());
        if let JobSpec::Play(PlaySpec::Match(spec)) = &job.spec {
            names = spec.names();
        }
        let player = |(at, (role, player)): (usize, &(&str, &PlayerSpec))| {
            let (settings, run) = self.settings(directory, &job, role, player);
            // A tournament names its players, a match by their settings.
            let (recorded, name) = match names.get(at) {
                Some(name) => (name.clone(), player.name()),
                None => ((*role).to_owned(), (*role).to_owned()),
            };
            StoredPlayer { recorded, name, settings, run }
        };
        Some(players.iter().enumerate().map(player).collect())
    }

    /// The settings of a player and of the training of its network, and the run of that training.
    fn settings(
        &mut self,
        directory: &Path,
        job: &KeyInputs,
        role: &str,
        player: &PlayerSpec,
    ) -> (Settings, Option<String>) {
        let mut settings = Settings::new();
        flatten("", &essential(json!(player)), &mut settings);
        if let Some(file) = player.weights_file() {
            settings.insert("weights".to_owned(), json!(job.inputs.get(file)));
        }
        let is_own = job.upstream.is_string() && role == "agent";
        let of_role = if is_own { &job.upstream } else { &job.upstream[role]["job"] };
        let Some(key) = of_role.as_str() else {
            return (settings, player.draws_weights().then(|| job.seed.to_string()));
        };
        match self.training(directory, key) {
            Some(training) => flatten("training", &json!(training.spec), &mut settings),
            None => drop(settings.insert("training".to_owned(), json!(key.get(..SHORT)))),
        }
        let iteration = job.upstream[role]["iteration"].as_u64();
        iteration.map(|iteration| settings.insert("iteration".to_owned(), json!(iteration)));
        (settings, Some(key.to_owned()))
    }

    /// The key inputs of a training in the results tree of a job, by its key.
    fn training(&mut self, directory: &Path, key: &str) -> Option<KeyInputs> {
        let jobs = directory.parent()?;
        let trainings = self.0.entry(jobs.to_owned()).or_insert_with(|| by_key(jobs));
        key_inputs(trainings.get(key.get(..SHORT)?)?)
    }
}

/// The directories of jobs, by the keys in their names.
fn by_key(jobs: &Path) -> HashMap<String, PathBuf> {
    let entries = std::fs::read_dir(jobs).into_iter().flatten().flatten();
    let named = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        Some((name.rsplit('-').next()?.to_owned(), entry.path()))
    });
    named.collect()
}

/// The key inputs in a job's directory, if they can be read.
fn key_inputs(directory: &Path) -> Option<KeyInputs> {
    serde_json::from_slice(&read_path(&directory.join(KEY_INPUTS)).ok()?).ok()
}

/// Adds the settings of a table, by their paths.
fn flatten(path: &str, value: &Value, settings: &mut Settings) {
    match value {
        Value::Object(table) => table.iter().for_each(|(key, value)| {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            flatten(&path, value, settings);
        }),
        Value::Null => {}
        value => drop(settings.insert(path.to_owned(), value.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(name: &str, settings: &Value, run: Option<&str>) -> StoredPlayer {
        let mut flat = Settings::new();
        flatten("", settings, &mut flat);
        let name = name.to_owned();
        StoredPlayer { recorded: name.clone(), name, settings: flat, run: run.map(str::to_owned) }
    }

    /// The names in files with one player each.
    fn named(players: Vec<StoredPlayer>) -> (PlayerNames, Vec<String>) {
        let file = |at: usize| PathBuf::from(at.to_string());
        let recorded: Vec<String> = players.iter().map(|player| player.recorded.clone()).collect();
        let names = PlayerNames::new(players.into_iter().enumerate().map(|(at, one)| (file(at), vec![one])).collect());
        let name = |(at, recorded): (usize, String)| names.in_file(&file(at)).remove(&recorded).unwrap_or(recorded);
        let found = recorded.into_iter().enumerate().map(name).collect();
        (names, found)
    }

    #[test]
    fn only_players_of_one_name_get_their_settings_and_only_those_that_differ() {
        let uct = |c: f64, simulations: u64| json!({ "uct": { "c": c, "simulations": simulations } });
        let players = vec![
            player("UCT 200", &uct(1.4, 200), None),
            player("UCT 200", &uct(0.01, 200), None),
            player("UCT 200", &uct(1.4, 200), None),
            player("UCT 50", &uct(1.4, 50), None),
        ];
        assert_eq!(named(players).1, ["UCT 200 (c = 1.4)", "UCT 200 (c = 0.01)", "UCT 200 (c = 1.4)", "UCT 50"]);
    }

    #[test]
    fn a_setting_that_one_variant_lacks_and_equal_ends_of_paths_tell_apart_too() {
        let found = named(vec![
            player("a", &json!({ "search": { "c": 1 }, "guide": { "c": 2 } }), None),
            player("a", &json!({ "search": { "c": 1 }, "guide": { "c": 3 } }), None),
            player("a", &json!({ "search": { "c": 1 } }), None),
            player("a", &json!({ "search": { "c": 1 }, "more": "yes" }), None),
        ]);
        assert_eq!(found.1, ["a (guide.c = 2)", "a (guide.c = 3)", "a", "a (more = yes)"]);
    }

    #[test]
    fn runs_of_one_configuration_keep_one_name_and_are_counted() {
        let net = |run| player("MDLSTM k=3", &json!({ "cells": 3 }), Some(run));
        let (names, found) = named(vec![net("1"), net("2")]);
        assert_eq!(found, ["MDLSTM k=3"; 2]);
        assert_eq!(names.remarks(), ["MDLSTM k=3 is 2 networks of one configuration"]);
    }
}
