//! A new version of an agent: its present files are kept, and the manifest gets it.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::checkout::{git, is_file_changed};
use super::errors::Misuse;
use super::kept_engines::keep_files;
use super::options::Options;
use super::plans::Planned;
use super::versions::{agent, version_tree, versions};
use gauntlet_exhibits::VersionTree;
use gauntlet_games::base::files::{LARGEST_DATA, read_regular};
use gauntlet_plan::manifest::{NewVersion, add_version};
use gauntlet_play::engines::{hash_of_files, inventory_file};
use gauntlet_play::players::{EngineAgent, PlayerSpec};
use gauntlet_store::{Alone, atomic_write, write_below};

/// The directory of kept versions, beside the manifest.
const DIRECTORY: &str = "versions";

/// The request for a new version.
#[derive(Debug, Clone)]
pub struct VersionRequest {
    /// The path of a manifest with an exhibit `show.versions`.
    pub manifest: String,
    /// Name of the new version.
    pub name: String,
    /// The agent whose settings and files it gets. Default: the only engine that is not a version.
    pub agent: Option<String>,
    /// The version that it plays. Default: the newest one that was not refused.
    pub against: Option<String>,
    /// Its commit. Default: that of the checkout, if the files of the agent are committed.
    pub commit: Option<String>,
    /// Its date. Default: that of the commit, or else today.
    pub date: Option<String>,
}

impl VersionRequest {
    /// Copies the files and extends the manifest, and says so in a sentence; a manifest that cannot be extended stays as
    /// it is. `note` receives messages, `warn` cautions.
    ///
    /// # Errors
    /// If the request names nothing that a version can be, or a file cannot be read or written.
    pub fn add(&self, options: &Options, note: &dyn Fn(&str), warn: fn(&str)) -> anyhow::Result<String> {
        // A bare name has no directory that could be flushed.
        let file = &Path::new(".").join(&self.manifest);
        let alone = file.is_file().then(|| Alone::with(file)).transpose()?;
        let planned = options.planned(&self.manifest)?;
        if alone.is_none() {
            let message = format!("{} is not the path of a file", self.manifest);
            return Err(Misuse::new(message, "name the manifest by its path, such as ./ladder.toml"));
        }
        let shown = versions(&planned)?;
        let tree = version_tree(options, &planned, shown)?;
        self.check_name(&planned)?;
        let (name, player) = self.player(&planned, &tree)?;
        if matches!(player, PlayerSpec::Tuned(_)) {
            let message = format!("{name} is a player with numbers to tune, and a ladder keeps none");
            return Err(Misuse::new(message, "name the player with its numbers: `gauntlet tune --apply` prints them"));
        }
        let against = self.opponent(&tree)?;
        let engine = if let PlayerSpec::Engine(engine) = &player { Some(&**engine) } else { None };
        engine.iter().flat_map(|it| it.cautions()).for_each(|caution| warn(&format!("caution: {caution}")));
        let directory = engine.map(|engine| self.directory(engine)).transpose()?;
        let commit = self.commit.clone().or_else(|| self.commit_of_files(engine, note));
        let date = self.date.clone().unwrap_or_else(|| date_of(commit.as_deref()));
        let new = NewVersion {
            name: &self.name,
            agent: &name,
            directory: directory.as_deref(),
            stage: &shown.stage,
            against: against.as_deref(),
            date: Some(&date),
            commit: commit.as_deref(),
        };
        let hint = "add the version by hand; experiments/ladder.toml is an example";
        let extended = add_version(&planned.text, &new).map_err(|message| Misuse::new(message, hint))?;
        // The refusals above leave no copies. The check of the new manifest needs them.
        let place = directory.as_deref().map(|directory| beside(file).join(directory));
        let is_new = place.as_ref().is_some_and(|place| !place.exists());
        if let (Some(engine), Some(place)) = (engine, &place) {
            keep(file, engine, place)?;
        }
        if let Err(error) = self.extend(options, file, &planned.text, &extended) {
            return Err(place.filter(|_| is_new).map_or(Ok(()), |place| remove(&place)).err().unwrap_or(error));
        }
        let kept = directory.map_or(String::new(), |directory| format!(", kept in {directory}"));
        let against = against.map_or(String::new(), |against| format!(" against {against}"));
        Ok(format!("{}: the version {} of {name}{against}{kept}", self.manifest, self.name))
    }

    /// Refuses a name that is taken, or that is not a name of a directory.
    fn check_name(&self, planned: &Planned) -> anyhow::Result<()> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if !self.name.starts_with(|c: char| c.is_ascii_alphanumeric()) || !self.name.chars().all(is_plain) {
            let message = format!("`{}` is not a name of a version", self.name);
            return Err(Misuse::new(message, "letters from a to z, digits, `-`, `_` and `.` make one: --name v4"));
        }
        if planned.plan.written.agents.get(&self.name).is_some() {
            let message = format!("{} already has an agent `{}`", self.manifest, self.name);
            return Err(Misuse::new(message, "versions stay as they are: choose another --name"));
        }
        Ok(())
    }

    /// The agent of the new version, with its name.
    fn player(&self, planned: &Planned, tree: &VersionTree) -> anyhow::Result<(String, PlayerSpec)> {
        let hint = "--agent NAME names one of `[agents]`";
        if let Some(name) = &self.agent {
            let found = agent(planned, name).map(|player| (name.clone(), player));
            return found.ok_or_else(|| Misuse::new(format!("there is no agent `{name}`"), hint));
        }
        let names = planned.plan.written.agents.entries().iter().map(|entry| entry.key.to_string());
        let others = names.filter(|name| tree.nodes.iter().all(|node| node.name != *name));
        let engines = others.filter_map(|name| Some((name.clone(), agent(planned, &name)?)));
        let mut engines: Vec<_> = engines.filter(|(_, player)| matches!(player, PlayerSpec::Engine(_))).collect();
        match (engines.pop(), engines.is_empty()) {
            (Some(found), true) => Ok(found),
            (None, _) => Err(Misuse::new("no agent is an engine besides the versions".to_owned(), hint)),
            _ => Err(Misuse::new("several agents are engines besides the versions".to_owned(), hint)),
        }
    }

    /// The version that the new one plays; none if it is the first.
    fn opponent(&self, tree: &VersionTree) -> anyhow::Result<Option<String>> {
        match &self.against {
            Some(name) if tree.nodes.iter().all(|node| node.name != *name) => {
                let known: Vec<&str> = tree.nodes.iter().map(|node| node.name.as_str()).collect();
                let hint = format!("versions: {}", known.join(", "));
                Err(Misuse::new(format!("there is no version `{name}`"), hint))
            }
            Some(name) => Ok(Some(name.clone())),
            None => Ok(tree.head().map(|at| tree.nodes[at].name.clone())),
        }
    }

    /// The commit of the checkout, if the files of an engine are those of the commit.
    fn commit_of_files(&self, engine: Option<&EngineAgent>, note: &dyn Fn(&str)) -> Option<String> {
        let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
        let Some(engine) = engine else { return Some(commit) };
        match engine.kept_files().into_keys().find(|name| is_file_changed(&engine.place_of(name))) {
            Some(name) => {
                let way = "the version has no commit; commit first, or name one with --commit";
                note(&format!("`{name}` is not as in the commit {commit}: {way}"));
                None
            }
            None => Some(commit),
        }
    }

    /// The directory for the files of an engine, relative to the manifest.
    fn directory(&self, engine: &EngineAgent) -> anyhow::Result<String> {
        if let Some(name) = engine.missing_file() {
            let hint = "mend the `command` or `needs` of the agent";
            return Err(Misuse::new(format!("there is no file `{name}`"), hint));
        }
        Ok(format!("{DIRECTORY}/{}-{}", self.name, &hash_of_files(&engine.kept_files())[..8]))
    }

    /// Writes the extended manifest, if it is sound. An editor may have written the file meanwhile.
    fn extend(&self, options: &Options, file: &Path, text: &str, extended: &str) -> anyhow::Result<()> {
        options.check_text(&self.manifest, extended)?;
        if !read_regular(file, LARGEST_DATA).is_ok_and(|now| now == text.as_bytes()) {
            let message = format!("{} has changed meanwhile, and stays as it is", self.manifest);
            return Err(Misuse::new(message, "run the same command again"));
        }
        atomic_write(file, extended.as_bytes()).with_context(|| format!("cannot write {}", file.display()))
    }
}

/// Copies the files of an engine to a directory beside the manifest.
fn keep(manifest: &Path, engine: &EngineAgent, place: &Path) -> anyhow::Result<()> {
    keep_files(engine, &beside(manifest), place)?;
    let inventory = serde_json::to_vec_pretty(&engine.kept_files()).expect("names and hashes are plain data");
    Ok(write_below(&beside(manifest), &inventory_file(place), &inventory)?)
}

/// Removes the copies of a refused version.
fn remove(place: &Path) -> anyhow::Result<()> {
    let left = || format!("cannot remove the copies of a refused version, {}", place.display());
    std::fs::remove_dir_all(place).and_then(|()| std::fs::remove_file(inventory_file(place))).with_context(left)?;
    // A directory with other versions stays.
    let _ = place.parent().map(std::fs::remove_dir);
    Ok(())
}

/// The directory of a manifest.
fn beside(manifest: &Path) -> PathBuf {
    manifest.parent().unwrap_or(Path::new("")).to_owned()
}

/// The date of a commit, or else today.
fn date_of(commit: Option<&str>) -> String {
    let of_commit = commit.and_then(|commit| git(&["show", "-s", "--format=%cs", commit, "--"]));
    of_commit.unwrap_or_else(|| jiff::Timestamp::now().strftime("%Y-%m-%d").to_string())
}
