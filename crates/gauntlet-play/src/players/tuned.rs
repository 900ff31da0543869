//! A player whose numbers a tuning changes: the other player's settings, and the ranges of some of its numbers.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::agent::{Agent, Source, Weights, Workload};
use super::number_range::NumberRange;
use super::{Player, PlayerError};
use crate::search::SearchSpec;
use gauntlet_games::games::Game;
use gauntlet_nets::nets::{Bundle, CheckpointError, NumberFormat};

/// The file of a [`Bundle`] with the tuned numbers, as JSON.
const NUMBERS: &str = "numbers.json";

/// The file of a [`Bundle`] with the weights of the player.
const WEIGHTS: &str = "weights.safetensors";

/// A player with settings whose numbers can be tuned.
pub trait Tunable: Debug + Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Its settings.
    fn settings(&self) -> &dyn Agent;

    /// The same player with trained weights, if it has weights.
    #[must_use]
    fn with_trained_weights(self) -> Self;
}

/// A player whose numbers a `train.spsa` changes.
///
/// ```toml
/// [agents.mine.tuned]
/// agent.uct = { simulations = 100, c = 1.4 }
/// numbers.c = { from = 0.2, to = 4.0, scale = "log" }
/// ```
///
/// Before it is tuned, it plays with the numbers of its `agent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, bound = "P: Tunable")]
pub struct TunedAgent<P> {
    /// The player with its settings, as in `[agents]`: `{ uct = { c = 1.4 } }`. The numbers in it are those before tuning.
    #[schemars(with = "BTreeMap<String, Value>")]
    pub agent: Box<P>,
    /// The numbers that a tuning changes, by their dotted paths in the player's settings: `"search.rule.puct.c"`.
    pub numbers: BTreeMap<String, NumberRange>,
    /// The source of its numbers, and of the weights of its network: `"trained"` for those that the stage in `from` left,
    /// or `{ file = "..." }`. Default: those of `agent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Weights>,
}

impl<P: Tunable> TunedAgent<P> {
    /// The numbers of its `agent`, by their paths.
    ///
    /// # Errors
    /// If a path leads to no number: a sentence.
    pub fn own_numbers(&self) -> Result<BTreeMap<String, f64>, String> {
        let (_, settings) = self.written();
        let number = |path: &String| {
            let found = settings.pointer(&pointer(path)).and_then(Value::as_f64);
            Ok((path.clone(), found.ok_or_else(|| self.no_number(path, &settings))?))
        };
        self.numbers.keys().map(number).collect()
    }

    /// The coordinates of these numbers, in the order of their paths.
    ///
    /// # Errors
    /// Those of [`TunedAgent::own_numbers`], and a number outside its range: a sentence.
    pub fn start(&self) -> Result<Vec<f64>, String> {
        self.coordinates(&self.own_numbers()?).map_err(|reason| format!("{reason}, in `agent`"))
    }

    /// The coordinates of numbers, in the order of their paths.
    ///
    /// # Errors
    /// If they are not the numbers of this player, each within its range: a sentence.
    pub fn coordinates(&self, numbers: &BTreeMap<String, f64>) -> Result<Vec<f64>, String> {
        if !numbers.keys().eq(self.numbers.keys()) {
            let listed = |names: Vec<&String>| names.into_iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            let (own, other) = (listed(self.numbers.keys().collect()), listed(numbers.keys().collect()));
            return Err(format!(
                "the tuned numbers are {other}, and those of {} are {own}",
                self.agent.settings().name()
            ));
        }
        let coordinate = |(path, range): (&String, &NumberRange)| {
            range.check().map_err(|reason| format!("`numbers.{path}`: {reason}"))?;
            let (number, NumberRange { from, to, .. }) = (numbers[path], range);
            match (*from..=*to).contains(&number) {
                true => Ok(range.coordinate(number).clamp(0.0, 1.0)),
                false => Err(format!("`numbers.{path}`: {number} is outside {from} to {to}")),
            }
        };
        self.numbers.iter().map(coordinate).collect()
    }

    /// The numbers at these coordinates, by their paths. Whole numbers are rounded by `round`.
    pub fn numbers_at(&self, coordinates: &[f64], mut round: impl FnMut(f64) -> f64) -> BTreeMap<String, f64> {
        let (_, settings) = self.written();
        let is_whole = |path: &str| is_whole(&settings, path);
        let ranges = self.numbers.iter().zip(coordinates);
        let number = |((path, range), &coordinate): ((&String, &NumberRange), &f64)| {
            let number = range.number(coordinate);
            let rounded =
                if is_whole(path) { round(number).max(range.from.ceil()).min(range.to.floor()) } else { number };
            (path.clone(), rounded)
        };
        ranges.map(number).collect()
    }

    /// Its `agent` with other numbers.
    ///
    /// # Errors
    /// If a number is not one of its settings, or not within their bounds.
    pub fn with(&self, numbers: &BTreeMap<String, f64>) -> Result<P, String> {
        let (kind, mut settings) = self.written();
        for (path, &number) in numbers {
            let place = settings.pointer_mut(&pointer(path)).filter(|place| place.is_number());
            let Some(place) = place else { return Err(self.no_number(path, &self.written().1)) };
            *place = if place.is_f64() { number.into() } else { (number as i64).into() };
        }
        serde_json::from_value(serde_json::json!({ kind: settings })).map_err(|error| error.to_string())
    }

    /// Its `agent` with other numbers, if it can play with them.
    ///
    /// # Errors
    /// Those of [`TunedAgent::with`], and the player's reason against the game: a sentence with the numbers.
    pub fn checked(&self, numbers: &BTreeMap<String, f64>, game: &Arc<dyn Game>) -> Result<P, String> {
        let player = self.with(numbers).and_then(|player| player.settings().check(game).map(|()| player));
        player.map_err(|reason| {
            let shown: Vec<String> = numbers.iter().map(|(path, number)| format!("{path} = {number}")).collect();
            format!("with {}: {reason}", shown.join(", "))
        })
    }

    /// The paths of its whole numbers.
    #[must_use]
    pub fn whole(&self) -> Vec<&str> {
        let (_, settings) = self.written();
        self.numbers.keys().map(String::as_str).filter(|path| is_whole(&settings, path)).collect()
    }

    /// The player that its source describes, and the bytes of its weights: those of the tuning, or of a training. Where
    /// both are its own, it is the `agent` as written.
    ///
    /// # Errors
    /// Those of [`TunedAgent::source`].
    pub fn found(&self, source: &Source<'_>) -> Result<(P, Option<Vec<u8>>), PlayerError> {
        let TunedSource { agent, numbers, weights } = self.source(source)?;
        let player = match numbers {
            Some(numbers) => agent.with(&numbers).map_err(PlayerError::Numbers)?,
            None => *agent.agent,
        };
        Ok((player, weights))
    }

    /// The parts of the player that its source describes.
    ///
    /// # Errors
    /// If it takes its numbers from a stage or a file that has not just these numbers, each within its range, and is no
    /// source of its network's weights either.
    pub fn source(&self, source: &Source<'_>) -> Result<TunedSource<P>, PlayerError> {
        let (written, weights) = (TunedAgent { weights: None, ..self.clone() }, source.checkpoint.map(<[u8]>::to_vec));
        let Some(wanted) = &self.weights else { return Ok(TunedSource { agent: written, numbers: None, weights }) };
        let trained = |agent: TunedAgent<P>| {
            let player = Box::new(agent.agent.with_trained_weights());
            TunedAgent { agent: player, ..agent }
        };
        let bytes = source.checkpoint.ok_or_else(|| wanted.missing(self.name(), None))?;
        let found = Bundle::from_bytes(bytes).ok().filter(|bundle| bundle.files.contains_key(NUMBERS));
        let Some(mut bundle) = found else {
            return match self.agent.settings().weights() {
                // Weights of a training: the numbers are still to be tuned.
                Some(_) => Ok(TunedSource { agent: trained(written), numbers: None, weights }),
                None => {
                    Err(PlayerError::Numbers(format!("there are no tuned numbers of {}", self.agent.settings().name())))
                }
            };
        };
        let unread = |error: serde_json::Error| PlayerError::Numbers(error.to_string());
        let numbers = serde_json::from_slice(&bundle.files[NUMBERS]).map_err(unread)?;
        self.coordinates(&numbers).map_err(PlayerError::Numbers)?;
        let weights = bundle.files.remove(WEIGHTS);
        let agent = if weights.is_some() { trained(written) } else { written };
        Ok(TunedSource { agent, numbers: Some(numbers), weights })
    }

    /// The kind of its `agent`, and its settings.
    fn written(&self) -> (String, Value) {
        let whole = serde_json::to_value(&self.agent).expect("a player is plain data");
        let Value::Object(kinds) = whole else { return Default::default() };
        kinds.into_iter().next().unwrap_or_default()
    }

    fn no_number(&self, path: &str, settings: &Value) -> String {
        let mut known = Vec::new();
        collect(settings, "", &mut known);
        let known = if known.is_empty() { "it has none".to_owned() } else { format!("it has {}", known.join(", ")) };
        format!("`numbers.{path}`: {} has no number `{path}`: {known}", self.agent.settings().name())
    }

    /// The player with trained weights, if it has weights.
    fn trained(&self) -> P {
        (*self.agent).clone().with_trained_weights()
    }

    /// Whether both tune the same numbers of the same player.
    fn is_like(&self, other: &TunedAgent<P>) -> bool {
        self.agent == other.agent && self.numbers == other.numbers
    }
}

/// The parts of a tuned player.
pub struct TunedSource<P> {
    /// The player with the numbers that are written, and with the source of its weights.
    pub agent: TunedAgent<P>,
    /// The numbers of an earlier tuning.
    pub numbers: Option<BTreeMap<String, f64>>,
    /// The bytes of its weights.
    pub weights: Option<Vec<u8>>,
}

fn is_whole(settings: &Value, path: &str) -> bool {
    settings.pointer(&pointer(path)).is_some_and(|number| !number.is_f64())
}

/// The bytes of tuned numbers, and of the weights that their player plays with, for the players of later stages.
///
/// # Errors
/// Errors of the format.
pub fn tuned_bytes(
    numbers: &BTreeMap<String, f64>,
    weights: Option<&[u8]>,
    origin: String,
) -> Result<Vec<u8>, CheckpointError> {
    let text = serde_json::to_vec(numbers).map_err(|error| CheckpointError::Header(error.to_string()))?;
    let weights = weights.map(|weights| (WEIGHTS.to_owned(), weights.to_vec()));
    let files = [(NUMBERS.to_owned(), text)].into_iter().chain(weights).collect();
    Bundle { files, origin }.to_bytes()
}

/// The tuned numbers in the bytes of a file, as JSON, if it holds any.
#[must_use]
pub fn tuned_text(bytes: &[u8]) -> Option<String> {
    let mut bundle = Bundle::from_bytes(bytes).ok()?;
    bundle.files.remove(NUMBERS).map(|text| String::from_utf8_lossy(&text).into_owned())
}

/// A dotted path as a pointer into JSON.
fn pointer(path: &str) -> String {
    format!("/{}", path.replace('~', "~0").replace('/', "~1").replace('.', "/"))
}

/// The dotted paths of all numbers in settings.
fn collect(settings: &Value, path: &str, found: &mut Vec<String>) {
    match settings {
        Value::Number(_) => found.push(format!("`{path}`")),
        Value::Object(fields) => fields.iter().for_each(|(key, field)| {
            let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            collect(field, &below, found);
        }),
        _ => {}
    }
}

impl<P: Tunable> Agent for TunedAgent<P> {
    fn name(&self) -> String {
        match &self.weights {
            Some(_) => format!("tuned {}", self.trained().settings().name()),
            None => self.agent.settings().name(),
        }
    }

    fn build(&self, game: &Arc<dyn Game>, source: &Source<'_>) -> Result<Box<dyn Player>, PlayerError> {
        let (player, weights) = self.found(source)?;
        player.settings().build(game, &Source { checkpoint: weights.as_deref(), ..*source })
    }

    fn check(&self, game: &Arc<dyn Game>) -> Result<(), String> {
        let own: &dyn Any = self.agent.settings();
        if own.is::<TunedAgent<P>>() {
            return Err("a tuned player is not tuned again: name its `agent`".to_owned());
        }
        if self.weights == Some(Weights::Random) {
            return Err("tuned numbers are \"trained\" or those of a file: leave `weights` out".to_owned());
        }
        if let Some(path) = self.numbers.keys().find(|path| path.starts_with("network.")) {
            return Err(format!("`numbers.{path}` belongs to the network, which is not changed between games"));
        }
        if self.numbers.is_empty() {
            return Err(format!(
                "`numbers` of {} is empty: name a number with its range",
                self.agent.settings().name()
            ));
        }
        let start = self.start()?;
        for path in self.whole() {
            let NumberRange { from, to, .. } = self.numbers[path];
            if from.ceil() >= to.floor() {
                return Err(format!("`numbers.{path}`: there is one whole number at most from {from} to {to}"));
            }
        }
        for coordinates in [start.clone(), vec![0.0; start.len()], vec![1.0; start.len()]] {
            self.checked(&self.numbers_at(&coordinates, f64::round), game)?;
        }
        Ok(())
    }

    fn weights(&self) -> Option<&Weights> {
        self.weights.as_ref().or_else(|| self.agent.settings().weights())
    }

    fn weights_file(&self) -> Option<&str> {
        match &self.weights {
            Some(Weights::File(file)) => Some(file),
            Some(_) => None,
            None => self.agent.settings().weights_file(),
        }
    }

    fn numbers(&self) -> NumberFormat {
        self.agent.settings().numbers()
    }

    fn depends_on_seed(&self) -> bool {
        match &self.weights {
            Some(_) => self.trained().settings().depends_on_seed(),
            None => self.agent.settings().depends_on_seed(),
        }
    }

    fn shares_network(&self, other: &dyn Agent) -> bool {
        let own: &dyn Any = other;
        match own.downcast_ref::<TunedAgent<P>>() {
            Some(other) => self.is_like(other),
            None => self.agent.settings().shares_network(other),
        }
    }

    fn shares_input(&self, other: &dyn Agent) -> bool {
        let own: &dyn Any = other;
        own.is::<TunedAgent<P>>() || self.agent.settings().shares_input(other)
    }

    fn check_transfer(&self, learned: &Arc<dyn Game>, played: &Arc<dyn Game>) -> Result<(), String> {
        self.agent.settings().check_transfer(learned, played)
    }

    fn workload(&self, game: &dyn Game) -> Workload {
        self.agent.settings().workload(game)
    }

    fn thinking_time(&self) -> Option<Duration> {
        self.agent.settings().thinking_time()
    }

    fn repeats(&self) -> bool {
        self.agent.settings().repeats()
    }

    fn played_search(&self) -> Option<SearchSpec> {
        self.agent.settings().played_search()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::PlayerSpec;
    use gauntlet_games::base::Seed;
    use gauntlet_games::games::GameSpec;

    fn tuned(text: &str) -> TunedAgent<PlayerSpec> {
        toml::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn game() -> Arc<dyn Game> {
        toml::from_str::<GameSpec>("connect-four = {}").unwrap().build()
    }

    const UCT: &str = "agent.uct = { simulations = 20, c = 1.0 }\nnumbers.c = { from = 0.25, to = 4.0, scale = \"log\" }\n\
        numbers.simulations = { from = 10, to = 30 }";

    #[test]
    fn coordinates_and_numbers_are_inverse() {
        let agent = tuned(UCT);
        assert_eq!(agent.start().unwrap(), [0.5, 0.5]);
        for (coordinates, c, simulations) in
            [([0.0, 0.0], 0.25, 10.0), ([1.0, 1.0], 4.0, 30.0), ([0.75, 0.26], 2.0, 15.0), ([-1.0, 2.0], 0.25, 30.0)]
        {
            let numbers = agent.numbers_at(&coordinates, f64::round);
            assert!((numbers["c"] - c).abs() < 1e-12 && numbers["simulations"] == simulations, "{numbers:?}");
        }
        let PlayerSpec::Uct(found) = agent.with(&agent.numbers_at(&[0.75, 1.0], f64::round)).unwrap() else {
            panic!("another player")
        };
        assert!((found.c - 2.0).abs() < 1e-12);
        assert_eq!(found.simulations.most(), 30);
    }

    #[test]
    fn it_plays_with_the_numbers_of_its_source() {
        let agent = TunedAgent { weights: Some(Weights::Trained), ..tuned(UCT) };
        let seed = Seed::new(1);
        let numbers = agent.numbers_at(&[1.0, 0.0], f64::round);
        let bytes = tuned_bytes(&numbers, None, "a test".to_owned()).unwrap();
        let (found, weights) = agent.found(&Source { seed: &seed, checkpoint: Some(&bytes) }).unwrap();
        assert_eq!((found, weights), (agent.with(&numbers).unwrap(), None));
        assert_eq!(agent.name(), "tuned UCT 20");
        let error = agent.found(&Source { seed: &seed, checkpoint: None }).unwrap_err().to_string();
        assert!(error.starts_with("there are no trained weights of tuned UCT 20"), "{error}");
        let (own, _) = tuned(UCT).found(&Source { seed: &seed, checkpoint: None }).unwrap();
        assert_eq!(own, *tuned(UCT).agent);
    }

    #[test]
    fn other_bytes_are_no_numbers() {
        let agent = TunedAgent { weights: Some(Weights::Trained), ..tuned(UCT) };
        let seed = Seed::new(1);
        let error = |bytes: &[u8]| {
            agent.found(&Source { seed: &seed, checkpoint: Some(bytes) }).expect_err("no numbers").to_string()
        };
        assert!(error(b"something else").contains("there are no tuned numbers of UCT 20"));
        let bytes = |numbers: &[(&str, f64)]| {
            let numbers = numbers.iter().map(|&(path, number)| (path.to_owned(), number)).collect();
            tuned_bytes(&numbers, None, "a test".to_owned()).unwrap()
        };
        let other = error(&bytes(&[("c", 1.0)]));
        assert!(other.contains("the tuned numbers are c, and those of UCT 20 are c, simulations"), "{other}");
        let outside = error(&bytes(&[("c", 9.0), ("simulations", 20.0)]));
        assert!(outside.contains("`numbers.c`: 9 is outside 0.25 to 4"), "{outside}");
    }

    #[test]
    fn numbers_that_cannot_be_tuned_are_refused() {
        let uct = "agent.uct = { simulations = 20, c = 1.0 }\n";
        for (text, message) in [
            (
                format!("{uct}numbers.d = {{ from = 0, to = 1 }}"),
                "UCT 20 has no number `d`: it has `simulations`, `c`, `rollouts`",
            ),
            (format!("{uct}numbers.c = {{ from = 2, to = 4 }}"), "`numbers.c`: 1 is outside 2 to 4, in `agent`"),
            (
                format!("{uct}numbers.c = {{ from = 2, to = 2 }}"),
                "the range 2 to 2 is invalid: `from` must be below `to`",
            ),
            (format!("{uct}numbers.c = {{ from = 0, to = 2, scale = \"log\" }}"), "and both above 0"),
            (format!("{uct}numbers.c = {{ from = -1, to = 2 }}"), "with c = -1: "),
            (format!("{uct}numbers.simulations = {{ from = 0, to = 50 }}"), "with simulations = 0: "),
            (format!("{uct}numbers.simulations = {{ from = 19.9, to = 20.1 }}"), "there is one whole number at most"),
            (format!("{uct}numbers = {{}}"), "`numbers` of UCT 20 is empty"),
            ("agent.naive = {}\nnumbers.c = { from = 0, to = 1 }".to_owned(), "has no number `c`: it has none"),
        ] {
            let error = tuned(&text).check(&game()).unwrap_err();
            assert!(error.contains(message), "{text}: {error}");
        }
        tuned(UCT).check(&game()).unwrap();
    }
}
