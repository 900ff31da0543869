//! Nightly suites as written in a manifest: the promised error rates, and the matches that `gauntlet regress` plays.
//!
//! A suite makes no jobs: the sequential test of a match decides its number of games, which a plan cannot know.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::named::write_out;
use super::names::Name;
use crate::manifest::text::later::ReadLater;
use crate::manifest::text::reader::read;
use crate::manifest::text::source::{Problem, Span};
use crate::manifest::text::tree::{Entry, Node, Table, Value};
use crate::regression::{Design, DesignError, Method, Promise};
use gauntlet_games::base::{Key, bounded};
use gauntlet_games::games::GameSpec;
use gauntlet_play::players::{PlayerSpec, essential};

/// A nightly suite.
#[derive(Debug, Clone, PartialEq)]
pub struct Suite {
    /// Its promised error rates.
    pub promise: Promise,
    /// The tests that keep the promise.
    pub design: Design,
    /// Random plies before the players move.
    pub opening: u16,
    /// The matches, in the order of the text.
    pub matches: Vec<SuiteMatch>,
}

/// One match of a suite, resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct SuiteMatch {
    /// Its name.
    pub name: Name,
    /// Its settings.
    pub spec: MatchSpec,
}

/// The settings of a match of a suite.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MatchSpec {
    /// The game.
    pub game: GameSpec,
    /// The candidate.
    pub agent: PlayerSpec,
    /// The opponent against which the baseline's counts were won.
    pub opponent: PlayerSpec,
    /// The test method if the baseline's player can play again and differs from the candidate.
    #[serde(default)]
    pub method: Method,
    /// Seed of the random weights of both players.
    #[serde(default = "first_seed")]
    pub weights_seed: u64,
    /// Name of a file in `results/models`: the candidate's trained weights.
    pub model: Option<Name>,
}

fn first_seed() -> u64 {
    1
}

/// A nightly suite: its promised error rates, and its matches.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline, extend("required" = ["delta", "alpha", "beta", "matches"]))]
pub(super) struct WrittenSuite {
    /// The drop that must be detected, in normalized Elo (one standard deviation of a game's score is 347).
    delta: f64,
    /// Probability that a night without any change turns red, over all matches, in `(0, 1/2)`.
    alpha: f64,
    /// Maximum probability that a drop of `delta` in a match stays undetected, in `(0, 1/2)`.
    beta: f64,
    /// Maximum number of pairs of a match, and again to confirm a red. Default: the number that the error rates need.
    pairs: Option<u64>,
    /// Random plies before the players move.
    #[serde(default = "usual_opening", with = "OpeningPlies")]
    opening: u16,
    /// The matches by name.
    #[serde(default)]
    #[schemars(extend("minProperties" = 1))]
    #[expect(dead_code, reason = "read with their places")]
    matches: ReadLater<BTreeMap<String, MatchSpec>>,
}

/// The number of plies that leaves each side two stones on the board.
fn usual_opening() -> u16 {
    4
}

bounded! {
    /// Plies of an opening; more would be a whole game.
    OpeningPlies: u16 from 0 to 40, "an opening has {range} plies"
}

impl Suite {
    /// Reads the section; names of games and agents are resolved. Every mistake becomes a problem.
    pub fn read(node: &Node, games: &Table, agents: &Table, problems: &mut Vec<Problem>) -> Option<Suite> {
        let header: Option<WrittenSuite> = read(node, problems);
        let matches = node.table().and_then(|table| table.get("matches"));
        let entries = matches.and_then(Node::table).map_or(&[][..], Table::entries);
        if entries.is_empty() {
            problems.push(
                Problem::at(node.span.clone(), "a suite without matches measures nothing")
                    .hint("for example `[suite.matches.naive]` with `game`, `agent` and `opponent`"),
            );
        }
        let found: Vec<_> = entries.iter().filter_map(|entry| read_match(entry, games, agents, problems)).collect();
        let WrittenSuite { delta, alpha, beta, pairs, opening, .. } = header?;
        let promise = Promise { delta, alpha, beta, pairs };
        match promise.design(entries.len()) {
            Ok(design) => Some(Suite { promise, design, opening, matches: found }),
            Err(error) => {
                let (key, hint) = remedy(&error);
                let place =
                    node.table().and_then(|table| table.entry(key)).map_or(&node.span, |entry| &entry.node.span);
                problems.push(Problem::at(place.clone(), error.to_string()).hint(hint));
                None
            }
        }
    }
}

/// The key that a design fails by, and advice.
fn remedy(error: &DesignError) -> (&'static str, &'static str) {
    match error {
        DesignError::Delta(_) => ("delta", "a drop of 50 to 100 takes hundreds to thousands of pairs"),
        DesignError::Rate { name, .. } => (name, "0.05 is usual: one night, or one drop, in twenty"),
        DesignError::Cap { .. } => {
            ("pairs", "leave `pairs` out to take as many as needed, or ask for a larger `delta`")
        }
    }
}

fn read_match(entry: &Entry, games: &Table, agents: &Table, problems: &mut Vec<Problem>) -> Option<SuiteMatch> {
    let name = match Name::try_from(entry.key.to_string()) {
        Ok(name) => name,
        Err(message) => {
            problems.push(Problem::at(entry.key_span.clone(), message));
            return None;
        }
    };
    let before = problems.len();
    let mut node = entry.node.clone();
    if let Value::Table(settings) = &mut node.value {
        problems.extend(own_opponent(&name, settings));
        write_out(settings, games, agents, problems);
    }
    if problems.len() > before {
        return None;
    }
    let spec: MatchSpec = read(&node, problems)?;
    check(&name, &spec, &entry.key_span, problems);
    Some(SuiteMatch { name, spec })
}

/// The problem of an agent that is its own opponent. With the weights of a file, the agent is another player.
fn own_opponent(name: &Name, settings: &Table) -> Option<Problem> {
    let (agent, opponent) = (settings.get("agent")?, settings.get("opponent")?);
    let is_one = agent.value.same(&opponent.value) && settings.get("model").is_none();
    let hint = "a change of the agent would change both: give the opponent a name of its own, which stays as it is";
    let problem = || Problem::at(opponent.span.clone(), format!("match `{name}`: the agent is its own opponent"));
    is_one.then(|| problem().hint(hint))
}

fn check(name: &Name, spec: &MatchSpec, span: &Span, problems: &mut Vec<Problem>) {
    let game = spec.game.build();
    for player in [&spec.agent, &spec.opponent] {
        let needs_clock = if let PlayerSpec::Engine(engine) = player.untuned() { engine.needs_clock() } else { None };
        let tuned = matches!(player, PlayerSpec::Tuned(_))
            .then_some("a gate keeps no tuned numbers: name the player with its numbers");
        let by_time = player.agent().thinking_time().map(|_| "a gate plays games side by side: leave `time-ms` out");
        let checked = needs_clock.or(tuned).or(by_time).map_or(Ok(()), |reason| Err(reason.to_owned()));
        if let Err(message) = checked.and_then(|()| player.check(&game)) {
            problems.push(Problem::at(span.clone(), format!("match `{name}`: {message}")));
        }
    }
}

impl SuiteMatch {
    /// Identity of the setting that candidate and baseline share: game, opponent and opening.
    #[must_use]
    pub fn setting(&self, opening: u16) -> Key {
        let spec = &self.spec;
        Key::of("setting", &essential(json!([spec.game, spec.opponent, self.opponents_seed(), opening])))
    }

    /// Identity of the setting and the candidate, without its trained weights.
    #[must_use]
    pub fn config(&self, opening: u16) -> Key {
        let spec = &self.spec;
        Key::of("config", &essential(json!([self.setting(opening).hex(), spec.agent, spec.weights_seed])))
    }

    /// The opponent's seed, if it has an effect.
    fn opponents_seed(&self) -> Option<u64> {
        self.spec.opponent.agent().depends_on_seed().then_some(self.spec.weights_seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::text::parse::parse;
    use crate::manifest::text::source::Sources;

    const GAMES: &str = "go.atari-go = { size = 5 }\nfive.gomoku = { size = 7 }";
    const AGENTS: &str = "naive.naive = {}\nrandom.random = {}\ntactician.tactician = { epsilon = 0.5 }";
    const PROMISE: &str = "delta = 100.0\nalpha = 0.05\nbeta = 0.05\n";

    fn suite(text: &str) -> (Option<Suite>, Vec<String>) {
        let mut sources = Sources::default();
        let mut tree = |text: &str| parse(&mut sources, "test.toml", text).0;
        let (games, agents, suite) = (tree(GAMES), tree(AGENTS), tree(text));
        let mut problems = Vec::new();
        let node = Node { span: 0..0, value: Value::Table(suite) };
        let suite = Suite::read(&node, &games, &agents, &mut problems);
        (suite, problems.into_iter().map(|problem| problem.message).collect())
    }

    #[test]
    fn a_suite_names_its_games_and_players() {
        let (suite, problems) = suite(&format!(
            "{PROMISE}opening = 2\n[matches.a]\ngame = \"go\"\nagent = \"naive\"\nopponent = \"random\"\n\
             [matches.b]\ngame = \"five\"\nagent = {{ random = {{}} }}\nopponent = \"naive\"\nmethod = \"reference\""
        ));
        assert_eq!(problems, Vec::<String>::new());
        let suite = suite.expect("no problems");
        assert_eq!((suite.opening, suite.matches.len()), (2, 2));
        assert_eq!(suite.matches[1].spec.method, Method::Reference);
        assert_eq!(suite.design, suite.promise.design(2).expect("fine"));
        assert_ne!(suite.matches[0].setting(2), suite.matches[0].setting(3));
        assert_ne!(suite.matches[0].config(2), suite.matches[1].config(2));
    }

    /// If the opponent's weights are drawn, another seed gives another opponent.
    #[test]
    fn a_seed_of_random_weights_is_part_of_the_setting() {
        let setting = |opponent: &str, seed: u64| {
            let text = format!(
                "{PROMISE}[matches.a]\ngame = \"five\"\nagent = \"naive\"\nopponent = {opponent}\nweights-seed = {seed}"
            );
            suite(&text).0.expect("no problems").matches[0].setting(2)
        };
        for drawn in ["{ guided = { network = { saz = {} } } }", "{ net = { network = { mdrnn = { units = 2 } } } }"] {
            assert_ne!(setting(drawn, 1), setting(drawn, 2), "{drawn}");
        }
        assert_eq!(setting("\"random\"", 1), setting("\"random\"", 2));
    }

    #[test]
    fn mistakes_of_a_suite_are_named() {
        for (text, message) in [
            (format!("{PROMISE}deltas = 3"), "unknown key `deltas`"),
            (PROMISE.to_owned(), "a suite without matches"),
            (
                format!("{PROMISE}pairs = 3\nmatches.a = {{ game = \"go\", agent = \"naive\", opponent = \"naive\" }}"),
                "3 pairs are too few",
            ),
            (
                format!("{PROMISE}matches.a = {{ game = \"go\", agent = \"naive\", opponent = \"naive\" }}"),
                "match `a`: the agent is its own opponent",
            ),
            (
                format!("{PROMISE}matches.a = {{ game = \"goo\", agent = \"naive\", opponent = \"naive\" }}"),
                "unknown game `goo`",
            ),
            (
                format!("{PROMISE}matches.a = {{ game = \"five\", agent = \"tactician\", opponent = \"naive\" }}"),
                "its tactics are those of atari-go",
            ),
        ] {
            let (_, problems) = suite(&text);
            assert!(problems.iter().any(|problem| problem.contains(message)), "{message}: {problems:?}");
        }
    }
}
