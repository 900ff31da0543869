//! Players of single games: found by names of models, jobs, manifests, or by their settings.

mod entrants;
mod models;

use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::errors::Misuse;
use super::options::Options;
use super::plans::Planned;
use super::programs::refuse_engine;
use entrants::TrainedEntrant;
use gauntlet_games::base::files::{LARGEST_NOTE, read_regular};
use gauntlet_games::base::visible;
use gauntlet_games::games::GameSpec;
use gauntlet_games::games::ludemes::library::described;
use gauntlet_jobs::JobSpec;
use gauntlet_nets::nets::deep::DeepCheckpoint;
use gauntlet_nets::nets::{Checkpoint, CheckpointError, Checksum, checksum};
use gauntlet_plan::manifest::reader::read;
use gauntlet_plan::manifest::source::nearest;
use gauntlet_plan::manifest::tree::Table;
use gauntlet_play::players::{GuidedAgent, ModelMetadata, NetAgent, PlayOverrides, PlayerSpec, Weights, tuned_text};
use gauntlet_play::search::SearchBudget;
use gauntlet_run::scheduler::WEIGHTS;
use gauntlet_store::read_path;
use models::{ENDING, Models};

/// Shorter prefixes of keys are not accepted.
const SHORTEST_KEY: usize = 6;

/// The name suffix of networks with random weights.
const UNTRAINED: &str = ", untrained";

/// The description of a player, with its game and the settings of its search.
#[derive(Debug, Clone, Default)]
pub struct PlayerRequest {
    /// A model: its name, its file, or its training.
    pub model: Option<String>,
    /// A player of the manifest, or its kind and settings.
    pub agent: Option<String>,
    /// The manifest that names the agent and the game.
    pub manifest: Option<String>,
    /// A game of the manifest, or its kind and settings. Default: the game of the model.
    pub game: Option<String>,
    /// Rows and columns of the board.
    pub size: Option<u32>,
    /// Simulations of its search.
    pub simulations: Option<u32>,
    /// Temperature of its moves.
    pub temperature: Option<f64>,
}

/// The opponent, and the game.
pub struct Opponent {
    /// Its name, for messages and files.
    pub name: String,
    /// The game.
    pub spec: GameSpec,
    /// The player.
    pub player: PlayerSpec,
    /// Its trained weights, if it has any.
    pub weights: Option<Vec<u8>>,
}

impl Opponent {
    /// Finds the opponent of a request.
    ///
    /// # Errors
    /// If it does not exist, has no game, or cannot play the game.
    pub fn find(asked: &PlayerRequest, options: &Options, note: &dyn Fn(&str)) -> anyhow::Result<Opponent> {
        let Found { name, spec, player, weights } = Found::find(asked, options, note, "no opponent is given")?;
        let spec = spec.ok_or_else(|| {
            let message = if weights.is_some() { "the model does not say which game it plays" } else { "no game" };
            Misuse::new(message, "name one: --game gomoku --size 9")
        })?;
        let fits = player.check(&spec.build());
        fits.map_err(|message| Misuse::new(message, "say --game, --size, or another --agent"))?;
        Ok(Opponent { name, spec, player, weights })
    }
}

/// A player, and its game if that is known.
pub struct Found {
    /// Its name, for messages and files.
    pub name: String,
    /// The game of the command line, of the model or of the manifest.
    pub spec: Option<GameSpec>,
    /// The player.
    pub player: PlayerSpec,
    /// Its trained weights, if it has any.
    pub weights: Option<Vec<u8>>,
}

impl Found {
    /// Finds the player of a request; `absent` is the error for one without a player. `note` receives a message on
    /// random weights.
    ///
    /// # Errors
    /// If it does not exist.
    pub fn find(asked: &PlayerRequest, options: &Options, note: &dyn Fn(&str), absent: &str) -> anyhow::Result<Found> {
        if asked.model.is_none() && asked.agent.is_none() {
            let models = Models::below(&options.results).names().join(", ");
            let hint = format!("name a model (there are {models}; or a file or a training), or a player: --agent uct");
            return Err(Misuse::new(absent, hint));
        }
        let used = [&asked.agent, &asked.game].into_iter().flatten().cloned().collect();
        let planning = Options { used, ..options.clone() };
        let manifest = asked.manifest.as_deref().map(|name| planning.planned(name)).transpose()?;
        let model = asked.model.as_deref().map(|name| Model::find(name, options)).transpose()?;
        let agent = match &asked.agent {
            Some(text) => Some(named("agent", text, "", manifest.as_ref().map(|it| &it.plan.written.agents))?),
            None => None,
        };
        if let (Some(model), Some(agent)) = (&asked.model, &agent) {
            require_network(agent, model)?;
        }
        let spec = game(asked, manifest.as_ref(), model.as_ref())?;
        let (name, weights, own) = match model {
            Some(model) => (model.name, Some(model.bytes), Some(model.agent)),
            None => (asked.agent.clone().filter(|name| is_word(name)), None, None),
        };
        let trained = |agent: PlayerSpec| if weights.is_some() { agent.trained() } else { agent };
        let player = agent.map(trained).or(own).expect("a model has a player of its own");
        let of_model = || format!("the metadata of the model {}", asked.model.as_deref().unwrap_or_default());
        refuse_engine(&player, &asked.agent.as_ref().map_or_else(of_model, |text| format!("--agent {text}")))?;
        let player = adjusted(player, asked)?;
        let weights = match (weights, player.weights_file()) {
            (None, Some(file)) => Some(options.weights_file(file)?),
            (weights, _) => weights,
        };
        let name = name.unwrap_or_else(|| player.name());
        if !player.draws_weights() {
            return Ok(Found { name, spec, player, weights });
        }
        note(&format!("{name} plays with random weights; name a MODEL, which has trained ones"));
        let name = if name.ends_with(UNTRAINED) { name } else { name + UNTRAINED };
        Ok(Found { name, spec, player, weights })
    }
}

/// The game: of the command line, or else of the model or the manifest, if any names one.
fn game(asked: &PlayerRequest, manifest: Option<&Planned>, model: Option<&Model>) -> anyhow::Result<Option<GameSpec>> {
    let games = manifest.map(|it| &it.plan.written.games);
    let only = games.filter(|games| games.keys().count() == 1).and_then(|games| games.keys().next());
    let known = model.and_then(|model| model.game.clone());
    let spec = match (&asked.game, known, only) {
        (Some(text), ..) => described_game(text, games).unwrap_or_else(|| {
            let size = asked.size.map_or(String::new(), |size| format!("size = {size}"));
            // Games with rows and columns are resized below.
            named("game", text, &size, games).or_else(|error| named("game", text, "", games).map_err(|_| error))
        })?,
        (None, Some(game), _) => game,
        (None, None, Some(name)) => named("game", name, "", games)?,
        (None, None, None) => return Ok(None),
    };
    let resized = asked.size.map_or_else(|| Ok(spec.clone()), |size| spec.resized(size));
    let hint = match spec {
        GameSpec::Ludeme(_) => {
            "leave --size out, or say --game 'ludeme = { name = \"konane\", options = [\"Board/6x6\"] }'"
        }
        _ => "give --size another value",
    };
    resized.map(Some).map_err(|message| Misuse::new(message, hint))
}

/// A game that has only a description, by its name (`yavalath`, or `ludeme yavalath` as tables print it) or its file.
fn described_game(text: &str, games: Option<&Table>) -> Option<anyhow::Result<GameSpec>> {
    let own = games.is_some_and(|games| games.get(text).is_some());
    let native = toml::from_str::<GameSpec>(&format!("{text} = {{}}"));
    let unknown = || native.is_err_and(|error| error.message().starts_with("unknown variant"));
    let printed = text.strip_prefix("ludeme ");
    let name = printed.unwrap_or(text);
    let written = match text {
        _ if own => return None,
        _ if text.ends_with(".lud") => format!("ludeme = {{ file = {text:?} }}"),
        _ if is_word(name) && described(name).is_some() && (printed.is_some() || unknown()) => {
            format!("ludeme = {{ name = \"{name}\" }}")
        }
        _ => return None,
    };
    let wrong = |error: toml::de::Error| Misuse::new(error.message(), "`gauntlet check` tells all of its mistakes");
    Some(toml::from_str(&written).map_err(wrong))
}

/// Refuses a player that would not use the model's network.
fn require_network(agent: &PlayerSpec, model: &str) -> anyhow::Result<()> {
    if agent.agent().weights().is_some() {
        return Ok(());
    }
    let message = format!("{} asks no network, so that {model} would not play", agent.name());
    Err(Misuse::new(message, "leave out the one or the other"))
}

fn is_word(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// A game or an agent: one of the manifest's names, a kind (`uct`), which gets these settings, or a kind with explicit
/// settings (`uct = { c = 1 }`).
fn named<T: DeserializeOwned>(what: &str, text: &str, settings: &str, known: Option<&Table>) -> anyhow::Result<T> {
    if let Some(node) = known.and_then(|known| known.get(text)) {
        let mut problems = Vec::new();
        let wrong = |message: String| Misuse::new(format!("{what} `{text}`: {message}"), "write its settings out");
        return read(node, &mut problems).ok_or_else(|| {
            wrong(problems.first().map_or("it is not complete".to_owned(), |problem| problem.message.clone()))
        });
    }
    let written = if is_word(text) { format!("{text} = {{ {settings} }}") } else { text.to_owned() };
    toml::from_str(&written).map_err(|error| {
        let kinds = kinds(error.message());
        let names: Vec<&str> = known.into_iter().flat_map(Table::keys).chain(kinds).collect();
        let word = text.split(['=', ' ']).next().unwrap_or(text);
        let hint = match nearest(word, &names) {
            Some(near) => format!("did you mean {near}?"),
            None if what == "game" => "for example --game gomoku --size 9".to_owned(),
            None => "for example --agent benchmark, or --agent 'uct = { simulations = 500 }'".to_owned(),
        };
        Misuse::new(refusal(what, text, error.message()), hint)
    })
}

/// The valid choices in the message on an unknown variant: the words in backticks after the unknown one.
fn kinds(message: &str) -> impl Iterator<Item = &str> {
    let words = message.split('`').skip(1).step_by(2);
    let listed = if message.starts_with("unknown variant") { usize::MAX } else { 0 };
    words.skip(1).take(listed)
}

/// The message for an unknown game or player, or for wrong settings.
fn refusal(what: &str, text: &str, reason: &str) -> String {
    if reason.starts_with("unknown variant") || !is_word(text) {
        return format!("no {what} `{text}`: {reason}");
    }
    match reason {
        "missing field `size`" => format!("{what} `{text}` needs a size: --size 9"),
        reason => format!("{what} `{text}`: {reason}"),
    }
}

/// The player with the search settings of the command line.
fn adjusted(mut player: PlayerSpec, asked: &PlayerRequest) -> anyhow::Result<PlayerSpec> {
    let name = player.name();
    let PlayOverrides { simulations, temperature, .. } = player.agent_mut().play_overrides();
    if let Some(wanted) = asked.simulations {
        let hint = "leave --simulations out";
        *simulations.ok_or_else(|| Misuse::new(format!("{name} has no simulations"), hint))? =
            SearchBudget::Simulations(wanted);
    }
    if let Some(wanted) = asked.temperature {
        let hint = "leave --temperature out";
        *temperature.ok_or_else(|| Misuse::new(format!("{name} has no temperature"), hint))? = wanted;
    }
    Ok(player)
}

/// A trained network, with its metadata if it has any.
struct Model {
    /// Its name, if it has one.
    name: Option<String>,
    bytes: Vec<u8>,
    game: Option<GameSpec>,
    agent: PlayerSpec,
}

impl Model {
    /// The model of this name, in this file, or of this job.
    fn find(name: &str, options: &Options) -> anyhow::Result<Model> {
        let path = Path::new(name);
        if path.is_file() {
            let bytes = weights_at(path)?;
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            // All trainings use the same file name.
            let own = stem.filter(|stem| WEIGHTS.strip_suffix(ENDING).is_none_or(|weights| !stem.starts_with(weights)));
            return Model::read(own, bytes, path.parent().unwrap_or(path));
        }
        if path.join(WEIGHTS).is_file() {
            return Model::of_job(path);
        }
        let models = Models::below(&options.results);
        if let Some(bytes) = models.find(name.strip_suffix(ENDING).unwrap_or(name))? {
            require_intact(name, &bytes)?;
            return Model::read(Some(name.to_owned()), bytes, Path::new(""));
        }
        if let Some(directory) = job(name, &options.results) {
            return Model::of_job(&directory);
        }
        let family = name.split_once('/').map(|(family, _)| TrainedEntrant::of_family(family, options));
        let entrants = family.transpose()?.unwrap_or_default();
        match entrants.iter().find(|entrant| entrant.name == name) {
            Some(entrant) => Model::of_entrant(entrant, options),
            None => Err(unknown(name, models.names(), &entrants)),
        }
    }

    fn of_entrant(entrant: &TrainedEntrant, options: &Options) -> anyhow::Result<Model> {
        let ModelMetadata { game, agent } = entrant.purpose.clone();
        Ok(Model { name: Some(entrant.name.clone()), bytes: entrant.weights(options)?, game: Some(game), agent })
    }

    fn of_job(directory: &Path) -> anyhow::Result<Model> {
        Model::read(None, weights_at(&directory.join(WEIGHTS))?, directory)
    }

    /// Reads a model file, with or without metadata; `directory` may be that of its job.
    fn read(name: Option<String>, bytes: Vec<u8>, directory: &Path) -> anyhow::Result<Model> {
        let purpose = trained_in(directory);
        if let Ok(checkpoint) = Checkpoint::from_bytes(&bytes) {
            let agent =
                PlayerSpec::Net(NetAgent { network: checkpoint.net, weights: Weights::Trained, deviation: None });
            let game = purpose.map(|purpose| purpose.game);
            return Ok(Model { name, bytes, game, agent });
        }
        if tuned_text(&bytes).is_some() {
            let hint = "`weights = { file = \"...\" }` of a player of the kind `tuned` takes them, in a manifest";
            let shown = name.as_deref().unwrap_or(WEIGHTS);
            return Err(Misuse::new(format!("{} holds tuned numbers, and no network", visible(shown)), hint));
        }
        let no_model = |error: CheckpointError| {
            let shown = name.as_deref().unwrap_or(WEIGHTS);
            Misuse::new(format!("{shown} is not a model: {error}"), "a model is a safetensors file of this program")
        };
        let checkpoint = DeepCheckpoint::from_bytes(&bytes).map_err(no_model)?;
        let purpose = ModelMetadata::of(&checkpoint).map_err(no_model)?.or(purpose);
        let (game, agent) = purpose.map_or((None, None), |purpose| (Some(purpose.game), Some(purpose.agent)));
        let plain = || PlayerSpec::Guided(Box::new(GuidedAgent::trained(checkpoint.net)));
        Ok(Model { name, bytes, game, agent: agent.unwrap_or_else(plain) })
    }
}

/// A file of weights, in the directory of a job or elsewhere; in a job's directory it is checked against the
/// inventory.
fn weights_at(path: &Path) -> anyhow::Result<Vec<u8>> {
    let directory = path.parent().unwrap_or(path);
    if directory.join("key.json").is_file() && !directory.join("done.json").is_file() {
        let message = format!("{} is not finished: nothing says what its weights are", directory.display());
        return Err(Misuse::new(message, "`gauntlet run` its manifest first"));
    }
    let bytes = read_path(path)?;
    require_intact(&path.to_string_lossy(), &bytes)?;
    Ok(bytes)
}

/// Refuses a file whose own checksum, if it has one, does not match.
fn require_intact(name: &str, bytes: &[u8]) -> anyhow::Result<()> {
    match checksum(bytes) {
        Ok(Checksum::Wrong) => Err(anyhow::anyhow!("{} is damaged: its checksum is of something else", visible(name))),
        _ => Ok(()),
    }
}

/// The model of a training, if the directory belongs to one.
fn trained_in(directory: &Path) -> Option<ModelMetadata> {
    let note: Value = serde_json::from_slice(&read_regular(&directory.join("key.json"), LARGEST_NOTE).ok()?).ok()?;
    let spec: JobSpec = serde_json::from_value(note.get("spec")?.clone()).ok()?;
    let training = spec.job().training()?;
    Some(ModelMetadata::new(spec.job().game()?, training.agent?.clone()))
}

/// The directory of a finished training with this name, or with this prefix of its key, if it is unique.
fn job(name: &str, results: &Path) -> Option<std::path::PathBuf> {
    let entries = std::fs::read_dir(results.join("jobs")).ok()?.flatten().map(|entry| entry.path());
    let is_meant = |path: &std::path::PathBuf| {
        let own = path.file_name().map(|own| own.to_string_lossy().into_owned()).unwrap_or_default();
        let key = own.rsplit('-').next().unwrap_or_default();
        own == name || name.len() >= SHORTEST_KEY && key.starts_with(name)
    };
    let mut meant = entries.filter(|path| is_meant(path) && path.join(WEIGHTS).is_file());
    meant.next().filter(|_| meant.next().is_none())
}

fn unknown(name: &str, models: Vec<String>, entrants: &[TrainedEntrant]) -> anyhow::Error {
    let known: Vec<String> = models.into_iter().chain(entrants.iter().map(|entrant| entrant.name.clone())).collect();
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    let is_player = toml::from_str::<PlayerSpec>(&format!("{name} = {{}}")).is_ok();
    let hint = match nearest(name, &names) {
        _ if is_player => format!("for the player of this kind, write --agent {name}"),
        Some(near) => format!("did you mean {near}?"),
        None if names.is_empty() => "name a checkpoint file, or a training by its job's directory or key".to_owned(),
        None => format!("there are {}; or name a checkpoint file or a training", names.join(", ")),
    };
    Misuse::new(format!("there is no model `{name}`"), hint)
}
