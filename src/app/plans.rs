//! From names of manifests to plans.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::errors::{BadManifest, Misuse};
use super::library::{Disk, ManifestLibrary};
use super::options::{ExecutorKind, Options};
use super::paper_scale::PaperScales;
use gauntlet_games::base::files::{LARGEST_DATA, read_regular};
use gauntlet_games::base::{Key, visible};
use gauntlet_games::games::GameSpec;
use gauntlet_nets::nets::{Checksum, checksum};
use gauntlet_plan::manifest::source::nearest;
use gauntlet_plan::manifest::written::BASE;
use gauntlet_plan::manifest::{BadFilter, Cluster, Loaded, ManifestSource, PaperScale, Plan, Problems, load};
use gauntlet_play::players::PlayerSpec;
use gauntlet_run::scheduler::{Batch, Listener, RunEvent, content_hash};
use gauntlet_store::Store;

/// A plan with the origin of its manifest.
#[derive(Clone)]
pub struct Planned {
    /// Name of the manifest as the user gave it.
    pub name: String,
    /// Its place in the form that the store keeps.
    pub place: String,
    /// Text of the manifest.
    pub text: String,
    /// The plan.
    pub plan: Arc<Plan>,
    /// The relation of its profile to the profile `paper`, as written.
    pub scale: PaperScale,
    /// The relation of its jobs, and those of each exhibit, to the profile `paper`; computed once.
    scales: OnceLock<PaperScales>,
    /// The changes of the command line beyond the choice of a profile, as text; may be empty.
    pub changes: String,
}

impl Planned {
    /// The same with fewer jobs.
    #[must_use]
    pub fn with_plan(&self, plan: Plan) -> Planned {
        Planned { plan: Arc::new(plan), ..self.clone() }
    }
}

/// The resolved form of a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResolvedForm {
    /// Its identity.
    pub key: Key,
    /// Whether this program was built from a commit that holds the manifest in this form, without changes.
    pub is_held: bool,
}

impl Options {
    /// The plans of some manifests.
    ///
    /// # Errors
    /// If a manifest has problems.
    pub fn plans(&self, names: &[String]) -> anyhow::Result<Vec<Planned>> {
        names.iter().map(|name| self.planned(name)).collect()
    }

    /// The plans of the manifests that have the profile of the command line; all of them if no profile is named.
    ///
    /// # Errors
    /// If a manifest has problems.
    pub fn plans_with_profile(&self, names: &[String]) -> anyhow::Result<Vec<Planned>> {
        let wanted = self.profile.as_deref().filter(|wanted| *wanted != BASE);
        let has_profile =
            |loaded: &Loaded| wanted.is_none_or(|wanted| loaded.written.profiles.iter().any(|own| own == wanted));
        let plans = names.iter().filter_map(|name| self.planned_if(name, has_profile).transpose());
        plans.collect()
    }

    /// The plans of all known manifests: those of the library, and files elsewhere that requested results here.
    /// Manifests with problems are skipped, with a message.
    ///
    /// # Errors
    /// If the place of a manifest cannot be found, or a note of the store cannot be read.
    pub fn known_plans(&self, store: &Store, listener: &mut dyn Listener) -> anyhow::Result<Vec<Planned>> {
        let library = ManifestLibrary::open().names();
        let places = library.iter().map(|name| place_of(name)).collect::<anyhow::Result<HashSet<String>>>()?;
        let asked = store.requests()?.into_iter().map(|requests| requests.manifest);
        let elsewhere = asked.filter(|place| !places.contains(place) && Path::new(place).is_file());
        let mut plans = Vec::new();
        for name in library.into_iter().chain(elsewhere.map(nearer)) {
            match self.plans_with_profile(std::slice::from_ref(&name)) {
                Ok(found) => plans.extend(found),
                Err(error) => {
                    listener.event(&RunEvent::Note(format!("{} is left out: {error}", visible(&name))));
                }
            }
        }
        Ok(plans)
    }

    /// The plan of a committed manifest, or of a file on disk.
    ///
    /// # Errors
    /// If the manifest does not exist, or has problems.
    pub fn planned(&self, name: &str) -> anyhow::Result<Planned> {
        Ok(self.planned_if(name, |_| true)?.expect("every manifest is wanted"))
    }

    /// The plan of a manifest if it is wanted; it is read once.
    fn planned_if(&self, name: &str, is_wanted: impl Fn(&Loaded) -> bool) -> anyhow::Result<Option<Planned>> {
        let (source, file) = find(name)?;
        let loaded = self.loaded(&*source, &file)?;
        if !is_wanted(&loaded) {
            return Ok(None);
        }
        let (text, scale) = (loaded.sources.main_text().to_owned(), loaded.scale);
        let plan = Arc::new(self.plan_of(loaded, &file)?);
        let (name, place, changes) = (name.to_owned(), place_of(name)?, self.changes());
        Ok(Some(Planned { name, place, text, plan, scale, scales: OnceLock::new(), changes }))
    }

    /// The plan alone.
    ///
    /// # Errors
    /// See [`Options::planned`].
    pub fn plan(&self, name: &str) -> anyhow::Result<Plan> {
        let (source, file) = find(name)?;
        self.plan_of(self.loaded(&*source, &file)?, &file)
    }

    /// Checks a text that is to replace that of a manifest's file.
    ///
    /// # Errors
    /// If it has problems.
    pub fn check_text(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let (source, file) = find(name)?;
        let draft = Draft { source: &*source, file: &file, text };
        self.plan_of(self.loaded(&draft, &file)?, &file).map(drop)
    }

    fn loaded(&self, source: &dyn ManifestSource, file: &str) -> anyhow::Result<Loaded> {
        Ok(load(source, file, &self.overrides_with_files()?).map_err(|problems| bad_manifest(file, problems))?)
    }

    fn plan_of(&self, loaded: Loaded, file: &str) -> anyhow::Result<Plan> {
        let device = self.planned_class(&loaded.written.cluster);
        let plan = Plan::new(loaded, &device).map_err(|problems| bad_manifest(file, problems))?;
        let mut plan = plan.with_engines(&directory_of(file)).with_inputs(|file| self.hash_of(file));
        plan.only(&self.only).map_err(|BadFilter { message, hint }| Misuse::new(message, hint))?;
        Ok(plan)
    }

    /// The resolved form of a plan's manifest, and whether the commit of this program holds it.
    #[must_use]
    pub fn form(&self, planned: &Planned) -> ResolvedForm {
        let key = find(&planned.name).and_then(|(source, file)| self.resolved(&*source, &file));
        let key = key.unwrap_or_else(|_| Key::of("manifest", &serde_json::Value::Null));
        let file = format!("{}.toml", planned.plan.written.name);
        let held = self.resolved(&ManifestLibrary::embedded(), &file);
        let is_clean = !env!("GAUNTLET_COMMIT").contains(' ');
        ResolvedForm { key, is_held: is_clean && held.is_ok_and(|held| held == key) }
    }

    /// The identity of a resolved manifest.
    fn resolved(&self, source: &dyn ManifestSource, file: &str) -> anyhow::Result<Key> {
        let bad = |problems| bad_manifest(file, problems);
        let loaded = load(source, file, &self.overrides_with_files()?).map_err(bad)?;
        let device = self.planned_class(&loaded.written.cluster);
        Ok(Plan::without_jobs(loaded, &device).map_err(bad)?.key())
    }

    /// The device class to plan for: the named one, or that of a cluster's workers, or that of this process.
    fn planned_class(&self, cluster: &Cluster) -> String {
        let of_cluster = || cluster.device_class.as_ref().filter(|_| self.executor == ExecutorKind::Slurm);
        let named =
            self.named_class().map(str::to_owned).or_else(|| of_cluster().map(|class| class.as_str().to_owned()));
        named.unwrap_or_else(|| self.own_class.clone())
    }

    /// A file of weights in the data directory.
    ///
    /// # Errors
    /// If it cannot be read, or no data directory is named.
    pub fn weights_file(&self, file: &str) -> anyhow::Result<Vec<u8>> {
        let hint = "name the directory that holds it: --data DIR (or GAUNTLET_DATA)";
        let Some(data) = &self.data else {
            return Err(Misuse::new(format!("the weights are those of `{file}`"), hint));
        };
        let path = data.join(file);
        read_regular(&path, LARGEST_DATA)
            .map_err(|error| Misuse::new(format!("cannot read {}: {error}", path.display()), hint))
    }

    /// Whether the data directory holds a file.
    fn has_data(&self, file: &str) -> bool {
        self.data.as_ref().is_some_and(|data| data.join(file).exists())
    }

    /// The hash of a file of the data directory, if it exists.
    fn hash_of(&self, file: &str) -> Option<String> {
        Some(content_hash(&read_regular(&self.data.as_ref()?.join(file), LARGEST_DATA).ok()?))
    }

    /// The jobs of some plans, with their states in the store.
    ///
    /// # Errors
    /// If the store cannot be listed.
    pub fn batch<'a>(&self, plans: impl IntoIterator<Item = &'a Planned>, store: &Store) -> anyhow::Result<Batch> {
        let plans = plans.into_iter().map(|planned| Arc::clone(&planned.plan)).collect();
        let mut batch = Batch::new(plans, store, self.accept_code)?;
        if self.reads_any_class() {
            batch.take_other_classes(store, self.accept_code)?;
        }
        Ok(batch)
    }
}

/// The files of a manifest with another text of its own.
struct Draft<'a> {
    source: &'a dyn ManifestSource,
    file: &'a str,
    text: &'a str,
}

impl ManifestSource for Draft<'_> {
    fn text(&self, name: &str) -> Result<String, String> {
        if name == self.file { Ok(self.text.to_owned()) } else { self.source.text(name) }
    }

    fn text_below(&self, directory: &str, name: &str) -> Result<String, String> {
        self.source.text_below(directory, name)
    }
}

fn bad_manifest(file: &str, problems: Problems) -> BadManifest {
    BadManifest { name: shown(file), problems }
}

/// The source and name of a manifest: a committed one by its name, any other by its path.
fn find(name: &str) -> anyhow::Result<(Box<dyn ManifestSource>, String)> {
    let library = ManifestLibrary::open();
    if library.holds(name) {
        return Ok((Box::new(library), format!("{name}.toml")));
    }
    if !Path::new(name).exists() {
        return Err(no_manifest(name));
    }
    Ok((Box::new(Disk), name.to_owned()))
}

/// The place of a file, in the form of [`find`].
fn shown(file: &str) -> String {
    let own = Path::new("experiments").join(file);
    if own.is_file() && !Path::new(file).exists() { own.display().to_string() } else { file.to_owned() }
}

/// The directory of a manifest's file, where its engines start; the working directory for built-in manifests.
pub(super) fn directory_of(file: &str) -> PathBuf {
    let own = Path::new("experiments").join(file);
    let path = if ManifestLibrary::open().holds(file.trim_end_matches(".toml")) { own } else { PathBuf::from(file) };
    let directory = path.parent().filter(|directory| directory.is_dir() && path.is_file());
    let directory =
        directory.map(|directory| if directory.as_os_str().is_empty() { Path::new(".") } else { directory });
    directory.unwrap_or(Path::new(".")).canonicalize().unwrap_or_default()
}

/// A path relative to the working directory, if it is below it.
pub(super) fn nearer(path: String) -> String {
    let own = std::env::current_dir().and_then(|own| own.canonicalize()).ok();
    let below = own.and_then(|own| Path::new(&path).strip_prefix(own).ok().map(|path| path.display().to_string()));
    below.unwrap_or(path)
}

/// The prefix of the places of built-in manifests.
pub const BUILT_IN: &str = "built-in:";

/// The place of a manifest: the whole path of its file, or the built-in prefix with its name.
///
/// # Errors
/// If the manifest does not exist.
pub fn place_of(name: &str) -> anyhow::Result<String> {
    let (_, file) = find(name)?;
    let own = Path::new("experiments").join(&file);
    let is_named = ManifestLibrary::open().holds(name);
    let path = if is_named { own } else { file.into() };
    let whole = path.canonicalize().map(|path| path.to_string_lossy().into_owned());
    Ok(whole.unwrap_or_else(|_| format!("{BUILT_IN}{name}")))
}

impl Planned {
    /// The relation of its jobs, and those of each exhibit, to the profile `paper`. The first call plans that profile.
    pub fn paper_scales(&self) -> &PaperScales {
        self.scales.get_or_init(|| match find(&self.name) {
            Ok((source, file)) => PaperScales::new(&*source, &file, &self.plan),
            Err(_) => PaperScales::unknown(),
        })
    }

    /// Requires that every file that a job reads exists.
    ///
    /// # Errors
    /// The first missing file, with the place where it is published.
    pub fn require_inputs(&self, options: &Options) -> anyhow::Result<()> {
        let Some(missing) = self.plan.missing_input() else { return Ok(()) };
        let unread = |data: &PathBuf| match read_regular(&data.join(missing), LARGEST_DATA) {
            Err(error) if error.kind() != ErrorKind::NotFound => Some(error),
            _ => None,
        };
        if let Some(error) = options.data.as_ref().and_then(unread) {
            let message = format!("{} reads `{missing}` of the data directory: {error}", self.name);
            return Err(Misuse::new(message, "put a regular file in its place"));
        }
        let place = match &options.data {
            None => ", a file that is not part of this program".to_owned(),
            Some(data) if data.is_dir() => format!(", which {} does not hold", data.display()),
            Some(data) => format!(", but there is no directory {}", data.display()),
        };
        let message = format!("{} reads `{missing}`{place}", self.name);
        let source = self.plan.written.data.get(missing);
        let source = source.map_or(String::new(), |source| format!("get it from {source}, "));
        let hint = format!("{source}then name the directory that holds it: --data DIR (or GAUNTLET_DATA)");
        Err(Misuse::new(message, hint))
    }

    /// Requires that every file of weights fits the player that takes them, and gives the answers of the file beside it, if
    /// there is one. Missing files are reported by [`Planned::require_inputs`].
    ///
    /// # Errors
    /// The first file that does not fit, with the player of its weights.
    pub fn require_weights(&self, options: &Options) -> anyhow::Result<()> {
        let mut seen: Vec<(GameSpec, &PlayerSpec)> = Vec::new();
        for config in &self.plan.configs {
            let job = config.spec.job();
            let Some(game) = job.game() else { continue };
            for (name, player) in job.players() {
                let is_new =
                    |file: &&str| self.plan.inputs.contains_key(*file) && !seen.contains(&(game.clone(), player));
                let Some(file) = player.weights_file().filter(is_new) else { continue };
                let hint = match file.ends_with(".onnx") {
                    true => "`gauntlet explain FILE` shows the inputs, outputs and operators of a file",
                    false => "take a player with the network that the weights are of, or weights of its own",
                };
                let refused = |error| Misuse::new(format!("`{name}` in {}: {error}", self.name), hint);
                let (board, bytes) = (game.build(), options.weights_file(file)?);
                if matches!(checksum(&bytes), Ok(Checksum::Wrong)) {
                    let what =
                        format!("`{name}` in {}: `{file}` is damaged: its checksum is of something else", self.name);
                    return Err(Misuse::new(what, "take an undamaged copy of the file, or train it again"));
                }
                player.check_weights(&board, &bytes).map_err(refused)?;
                if let Some(answers) = player.answers_file().filter(|answers| options.has_data(answers)) {
                    let hint = "`gauntlet.write_onnx` in Python writes it anew; without it, nothing is compared";
                    let refused = |error| Misuse::new(format!("`{name}` in {}: {error}", self.name), hint);
                    player.check_answers(&board, &bytes, &options.weights_file(&answers)?).map_err(refused)?;
                }
                seen.push((game.clone(), player));
            }
        }
        Ok(())
    }
}

/// The error for a missing manifest, with suggestions.
pub fn no_manifest(name: &str) -> anyhow::Error {
    Misuse::new(
        format!("there is no manifest `{}`", visible(name)),
        way_to_manifest(name, &ManifestLibrary::open().names()),
    )
}

/// Suggestions for a missing manifest. Built-in ones have the names of the checkout's files.
fn way_to_manifest(name: &str, known: &[String]) -> String {
    let name = name.strip_prefix("experiments/").unwrap_or(name);
    if known.iter().any(|manifest| manifest.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))) {
        return format!("{name} is a paper: `gauntlet reproduce {name}` makes all of it");
    }
    let words: Vec<&str> = known.iter().map(String::as_str).collect();
    if let Some(near) = nearest(name.strip_suffix(".toml").unwrap_or(name), &words) {
        return format!("did you mean {near}?");
    }
    let examples: Vec<&str> = words.into_iter().filter(|name| !name.contains('/')).collect();
    format!("name a TOML file, {}, or an artefact of `gauntlet reproduce --list`", examples.join(", "))
}
