//! `gauntlet ladder add`: keeps the present files of an agent as a new version, and adds it to the manifest.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;

use crate::app::{Planned, agent, keep_files, version_tree, versions};
use crate::cli::checkout::{git, is_file_changed};
use crate::cli::output::{Misuse, note};
use crate::cli::{Exit, Flags};
use gauntlet_exhibits::VersionTree;
use gauntlet_games::base::files::{LARGEST_DATA, read_regular};
use gauntlet_plan::manifest::{NewVersion, add_version};
use gauntlet_play::engines::{hash_of_files, inventory_file};
use gauntlet_play::players::{EngineAgent, PlayerSpec};
use gauntlet_store::{Alone, atomic_write, write_below};

/// The directory of kept versions, beside the manifest.
const DIRECTORY: &str = "versions";

/// Keep the present files of an agent as a new version, and add it to the manifest
#[derive(Debug, Args)]
pub struct Add {
    /// A manifest with an exhibit `show.versions`
    #[arg(value_name = "MANIFEST")]
    manifest: String,
    /// Name of the new version
    #[arg(long, value_name = "NAME")]
    name: String,
    /// The agent whose settings and files it gets [default: the only engine that is not a version]
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The version that it plays [default: the newest one that was not refused]
    #[arg(long, value_name = "NAME")]
    against: Option<String>,
    /// Its commit [default: that of the checkout, if the files of the agent are committed]
    #[arg(long, value_name = "COMMIT")]
    commit: Option<String>,
    /// Its date [default: that of the commit, or else today]
    #[arg(long, value_name = "DATE")]
    date: Option<String>,
}

impl Add {
    /// Copies the files and extends the manifest; a manifest that cannot be extended stays as it is.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        // A bare name has no directory that could be flushed.
        let file = &Path::new(".").join(&self.manifest);
        let alone = file.is_file().then(|| Alone::with(file)).transpose()?;
        let planned = flags.options.planned(&self.manifest)?;
        if alone.is_none() {
            let message = format!("{} is not the path of a file", self.manifest);
            return Err(Misuse::new(message, "name the manifest by its path, such as ./ladder.toml"));
        }
        let shown = versions(&planned)?;
        let tree = version_tree(&flags.options, &planned, shown)?;
        self.check_name(&planned)?;
        let (name, player) = self.player(&planned, &tree)?;
        if matches!(player, PlayerSpec::Tuned(_)) {
            let message = format!("{name} is a player with numbers to tune, and a ladder keeps none");
            return Err(Misuse::new(message, "name the player with its numbers: `gauntlet tune --apply` prints them"));
        }
        let against = self.opponent(&tree)?;
        let directory = match &player {
            PlayerSpec::Engine(engine) => {
                engine.cautions().iter().for_each(|caution| note(false, &format!("caution: {caution}")));
                Some(self.keep(file, engine)?)
            }
            _ => None,
        };
        let commit = self.commit.clone().or_else(|| self.commit_of_files(flags, &player));
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
        self.extend(flags, file, &planned.text, &new)?;
        let kept = directory.map_or(String::new(), |directory| format!(", kept in {directory}"));
        let against = against.map_or(String::new(), |against| format!(" against {against}"));
        note(flags.quiet, &format!("{}: the version {} of {name}{against}{kept}", self.manifest, self.name));
        Ok(Exit::Done)
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

    /// The commit of the checkout, if the files of the player are those of the commit.
    fn commit_of_files(&self, flags: &Flags, player: &PlayerSpec) -> Option<String> {
        let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
        let PlayerSpec::Engine(engine) = player else { return Some(commit) };
        match engine.kept_files().into_keys().find(|name| is_file_changed(&engine.place_of(name))) {
            Some(name) => {
                let way = "the version has no commit; commit first, or name one with --commit";
                note(flags.quiet, &format!("`{name}` is not as in the commit {commit}: {way}"));
                None
            }
            None => Some(commit),
        }
    }

    /// Copies the files of an engine; returns their directory, relative to the manifest.
    fn keep(&self, manifest: &Path, engine: &EngineAgent) -> anyhow::Result<String> {
        if let Some(name) = engine.missing_file() {
            return Err(Misuse::new(
                format!("there is no file `{name}`"),
                "mend the `command` or `needs` of the agent",
            ));
        }
        let files = engine.kept_files();
        let directory = format!("{DIRECTORY}/{}-{}", self.name, &hash_of_files(&files)[..8]);
        let place = beside(manifest).join(&directory);
        keep_files(engine, &beside(manifest), &place)?;
        let inventory = serde_json::to_vec_pretty(&files).expect("names and hashes are plain data");
        write_below(&beside(manifest), &inventory_file(&place), &inventory)?;
        Ok(directory)
    }

    /// Writes the extended manifest, if it is sound. An editor may have written the file meanwhile.
    fn extend(&self, flags: &Flags, file: &Path, text: &str, new: &NewVersion<'_>) -> anyhow::Result<()> {
        let hint = "add the version by hand; experiments/ladder.toml is an example";
        let extended = add_version(text, new).map_err(|message| Misuse::new(message, hint))?;
        flags.options.check_text(&self.manifest, &extended)?;
        if !read_regular(file, LARGEST_DATA).is_ok_and(|now| now == text.as_bytes()) {
            let message = format!("{} has changed meanwhile, and stays as it is", self.manifest);
            return Err(Misuse::new(message, "run the same command again"));
        }
        atomic_write(file, extended.as_bytes()).with_context(|| format!("cannot write {}", file.display()))
    }
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
