//! The programs of engines: they are named, with the place of their names, and start only with the consent of the user.
//!
//! Every command that may start engines asks here, before anything starts; `engines::consent` refuses the others.

use std::collections::BTreeSet;

use super::errors::{Misuse, Unmeasured};
use super::options::{ExecutorKind, Options};
use super::plans::Planned;
use gauntlet_games::base::visible;
use gauntlet_play::engines::{allow, broken_seal, is_sealed};
use gauntlet_play::players::{EngineAgent, PlayerSpec};

/// Asks the user to allow some programs; returns the answer. `None` without a terminal.
pub type Ask = fn(&str) -> Option<bool>;

/// An engine with the origin of its name.
#[derive(Debug, Clone)]
pub struct NamedEngine {
    /// The engine.
    pub engine: EngineAgent,
    /// Where it is named: `gate.toml`, `the baseline results/baselines/gate.json`.
    pub origin: String,
}

impl NamedEngine {
    /// An engine of a manifest.
    #[must_use]
    pub fn of_manifest(engine: &EngineAgent, manifest: &str) -> NamedEngine {
        let version = engine.directory.0.file_name().filter(|_| is_sealed(&engine.directory.0));
        let version = version.map(|name| format!(", as the version {}", name.display()));
        NamedEngine { engine: engine.clone(), origin: format!("{manifest}{}", version.unwrap_or_default()) }
    }

    /// The command of the engine, with its directory and its origin.
    fn shown(&self) -> String {
        let directory = self.engine.directory.0.display().to_string();
        let command = visible(&self.engine.command.join(" "));
        format!("{command} (in {}, named by {})", visible(&directory), visible(&self.origin))
    }
}

impl Planned {
    /// The engines of its jobs and of its suite.
    #[must_use]
    pub fn engines(&self) -> Vec<NamedEngine> {
        self.plan.engines().iter().map(|engine| NamedEngine::of_manifest(engine, &self.name)).collect()
    }

    /// The lines of shell that a cluster runs for its jobs, unless the user's own file has written them.
    #[must_use]
    pub fn shell_lines(&self, options: &Options) -> Vec<String> {
        let is_own = options.set.iter().any(|(key, _)| key == "cluster.setup") || options.cluster_file_has("setup");
        let lines =
            self.plan.written.cluster.setup.iter().filter(|_| options.executor == ExecutorKind::Slurm && !is_own);
        lines
            .map(|line| {
                format!("{} (in the shell of the cluster, named by {})", visible(line.as_str()), visible(&self.name))
            })
            .collect()
    }
}

/// Requires the consent of the user to start these engines, and to run these lines of shell; and that the files of the
/// engines exist and are those of their version. Returns their names if the consent was given by an option, so that nothing starts without a word.
///
/// # Errors
/// If a program or a file of an engine is missing or is not that of its version, or there is no consent.
pub fn require_consent(
    options: &Options,
    engines: &[NamedEngine],
    lines: &[String],
    ask: Option<Ask>,
) -> anyhow::Result<Option<String>> {
    engines.iter().try_for_each(|named| require_files(&named.engine))?;
    let mut programs: Vec<String> = engines.iter().map(NamedEngine::shown).chain(lines.iter().cloned()).collect();
    if programs.is_empty() {
        return Ok(None);
    }
    programs.sort();
    programs.dedup();
    let notice = format!("this starts other programs:\n  {}", programs.join("\n  "));
    let is_given = options.yes || options.allow_engines;
    match is_given.then_some(true).or_else(|| ask.and_then(|ask| ask(&notice))) {
        Some(true) => engines.iter().for_each(|named| allow(&named.engine.command, &named.engine.directory.0)),
        Some(false) => return Err(Misuse::new("no program was started", "--allow-engines starts them without asking")),
        None => return Err(Misuse::new(notice, "add --allow-engines if you trust them")),
    }
    Ok(is_given.then_some(notice))
}

/// Cautions for files that engines read and that belong to no key, each once.
#[must_use]
pub fn cautions(engines: &[NamedEngine]) -> BTreeSet<String> {
    engines.iter().flat_map(|named| named.engine.cautions()).collect()
}

/// Refuses an engine where one game is played alone; `origin` names the place of the engine's name.
///
/// # Errors
/// If the player is an engine.
pub fn refuse_engine(player: &PlayerSpec, origin: &str) -> anyhow::Result<()> {
    let Some(program) = player.started_program() else { return Ok(()) };
    let command = visible(&program.command.join(" "));
    let kind =
        if matches!(player.untuned(), PlayerSpec::Engine(_)) { "an engine" } else { "a network of another program" };
    Err(Misuse::new(
        format!("{} names {kind} (`{command}`), which plays in matches and tournaments", visible(origin)),
        "let it play by `play.match` in a manifest, or name another --agent",
    ))
}

fn require_files(engine: &EngineAgent) -> anyhow::Result<()> {
    let directory = visible(&engine.directory.0.display().to_string());
    let is_sealed = is_sealed(&engine.directory.0);
    if let Some(fault) = is_sealed.then(|| broken_seal(&engine.directory.0, &engine.kept_files())).flatten() {
        return Err(Unmeasured::new(format!("{} in {directory}", visible(&fault)), KEPT));
    }
    let Some(file) = engine.missing_file().map(visible) else { return Ok(()) };
    if engine.command.first().is_some_and(|program| visible(program) == file) {
        let what = format!("there is no program `{file}` for the engine {}", visible(&engine.command.join(" ")));
        let hint = match engine.command.len() == 1 && file.contains(char::is_whitespace) {
            true => "write its words apart: `command = [\"python3\", \"engine.py\"]`",
            false => "install it, or write its path, relative to the manifest",
        };
        return Err(Misuse::new(what, hint));
    }
    if is_sealed {
        return Err(Unmeasured::new(format!("`{file}` is not kept in {directory}"), UNKEPT));
    }
    Err(Misuse::new(
        format!("there is no file `{file}` in {directory}"),
        "the engine needs it: see `needs` and `directory`",
    ))
}

/// The way out if an old version names a file that is not kept.
const UNKEPT: &str = "an old version plays with its own files alone: make the version, or the baseline, again";

/// The way out if files of an old version are not what they were.
const KEPT: &str = "an old version plays with its own files alone: restore the directory from version control (.gitignore and Git \
                    LFS may leave files out), or remove the added file";
