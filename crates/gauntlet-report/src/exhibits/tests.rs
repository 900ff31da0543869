//! Exhibits on invented facts whose numbers can be computed by hand.

mod boards;
mod causes;
mod claims;
mod correlations;
mod curves;
mod equivalence;
mod ladders;
mod leagues;
mod means;
mod positions;
mod published;
mod samples;
mod searches;
mod versions;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{ExhibitScope, render};
use crate::facts::Facts;
use crate::sheet::{Agreement, AxisScale, Criterion, ErrorKind, Mark, Panel, Point, Sheet, Table};
use gauntlet_plan::manifest::{Overrides, Plan, load};

const COMMON: &str = r#"
schema = 1
name = "paper/table"
title = "A table"
[paper]
key = "paper"
title = "A paper"
authors = "Somebody"
venue = "Somewhere"
artefact = "Table 1"
[labels]
atari-go = "Atari-Go"
[games]
atari-go.atari-go = { size = 7 }
gomoku.gomoku = { size = 7 }
[agents]
naive.naive = {}
random.random = {}
[profile.paper]
"#;

/// The plan of a manifest at the scale of its paper.
fn plan(manifest: &str) -> Plan {
    plan_of(format!("{COMMON}{manifest}"))
}

fn plan_of(text: String) -> Plan {
    let source = BTreeMap::from([("m.toml".to_owned(), text)]);
    let overrides = Overrides { profile: Some("paper".to_owned()), ..Overrides::default() };
    let loaded = load(&source, "m.toml", &overrides).expect("the manifest is sound");
    Plan::new(loaded, "cpu").expect("the plan is sound")
}

/// Renders the first exhibit of a manifest over results that `result` computes from labels and seed.
fn sheet(manifest: &str, comparable: bool, result: impl Fn(&dyn Fn(&str) -> String, u64) -> Option<Value>) -> Sheet {
    let plan = plan(manifest);
    let label = |at: usize| {
        let config = plan.config(&plan.jobs[at]);
        move |axis: &str| config.label(axis).unwrap_or_default()
    };
    let results = (0..plan.jobs.len()).map(|at| result(&label(at), plan.jobs[at].seed)).collect();
    let facts = facts(&plan, results);
    render(&ExhibitScope { exhibit: &plan.written.exhibits[0], facts: &facts, comparable })
}

/// The facts of a plan with results that state only the fields that a test is about.
fn facts(plan: &Plan, results: Vec<Option<Value>>) -> Facts<'_> {
    Facts::new(plan, results.into_iter().map(|result| result.map(completed)).collect())
}

/// A result of any kind with the fields that a test leaves out: 0, or empty.
fn completed(stated: Value) -> Value {
    let mut whole = over(
        json!({
            "players": ["a", "b"], "games": 0, "distinct": 0, "adjudicated": 0, "plies": 0, "meetings": [], "scores": "",
            "mean": 0.0,
            "actions": 0, "sites-cubed": 0.0, "log-states": 0.0, "groups": 1, "df": 0
        }),
        stated,
    );
    let meeting = json!({ "players": [0, 1], "pentanomial": [0, 0, 0, 0, 0], "games": 0, "distinct": 0 });
    let generation = json!({ "mean": 0.0, "best": 0.0, "sigma": 1.0, "fitness": [] });
    let iteration = json!({
        "games": 0, "examples": 0, "length": 0.0, "first": 0.0, "target_entropy": 0.0, "value_error": 0.0,
        "value_loss": 0.0, "policy_loss": 0.0, "entropy": 0.0, "steps": 0, "evaluations": 0, "compute": 0
    });
    let lists = [("players", json!({ "opponents": 1 })), ("meetings", meeting), ("curve", over(generation, iteration))];
    for (name, blank) in lists {
        let entries = whole.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten();
        entries.filter(|entry| entry.is_object()).for_each(|entry| *entry = over(blank.clone(), entry.take()));
    }
    whole
}

/// The fields of a blank object, and the stated ones instead of them.
fn over(mut blank: Value, stated: Value) -> Value {
    if let (Value::Object(whole), Value::Object(fields)) = (&mut blank, stated) {
        whole.extend(fields);
    }
    blank
}

fn fitness(mean: f64) -> Option<Value> {
    Some(json!({ "mean": mean, "scores": "WLWLWWLD" }))
}

fn point<'a>(sheet: &'a Sheet, metric: &str, row: &str, column: &str) -> &'a Point {
    let found = sheet.points.iter().find(|p| p.metric == metric && p.row == row && p.column == column);
    found.unwrap_or_else(|| panic!("no {metric} at ({row}, {column}) in {:#?}", sheet.points))
}

/// Players that meet weights drawn by the seed, so that runs differ by more than games.
const MEANS: &str = r#"
[agents.drawn]
net = { network.mdrnn.units = 3 }
[stages.fitness]
seeds = 4
sweep = { agent = ["random", "naive"], "game.size" = [5, 7] }
measure.fitness = { game = "atari-go", agent = "random", opponent = "drawn", games = 8 }
[[exhibit]]
show.means = { stage = "fitness", rows = ["game.size"], columns = ["agent"], x = "game.size", scale = "fitness" }
"#;

const CLAIMS: &str = r#"
[[paper.published]]
metric = "average outcome"
columns = ["7"]
rows = { new = [0.9] }
errors = { new = [0.4] }
doubts = { new = { "7" = "No five shares spread so far." } }
[agents.drawn.net]
network.mdlstm = { cells = 2 }
[variant.old.set]
agent = "random"
[variant.new.set]
agent = "naive"
[stages.own]
seeds = 4
variants = ["new"]
sweep = { "game.size" = [5, 7] }
play.match = { game = "atari-go", agent = "random", opponent = "drawn", games = 8 }
[stages.other]
seeds = 5
variants = ["old"]
sweep = { "game.size" = [5, 7] }
play.match = { game = "atari-go", agent = "random", opponent = "drawn", games = 8 }
[[exhibit]]
show.means = { stage = ["own", "other"], rows = ["variant"], columns = ["game.size"], scale = "outcome", values = ["mean", "second", "distinct", "length"] }
[[exhibit.success]]
claim = "New beats old"
of = { variant = "new" }
over.runs = { variant = "old" }
each = ["game.size"]
[[exhibit.success]]
claim = "New wins"
of = { variant = "new", "game.size" = "7" }
over.number = 0.5
"#;

const BUDGETS: &str = r#"
[games.othello.othello]
size = 6
[agents.saz.guided.network.saz]
hidden = 4
[stages.train]
seeds = 3
train.alpha-zero = { game = "othello", agent = "saz", settings = { evaluation = { every = 1, games = 20, opponent = { random = {} } } } }
[[exhibit]]
show.curves = { stage = "train", curves = ["agent"], of = "skill" }
"#;

/// A match of fifty pairs of games: won, one each, lost.
fn fifty([won, split, lost]: [u64; 3], distinct: u64) -> Option<Value> {
    let mean = (won as f64 - lost as f64) / 50.0;
    let pairs = [[lost, 0, 0], [0, 0, 0], [split, 0, won]];
    Some(json!({ "mean": mean, "games": 100, "distinct": distinct, "plies": 4000, "meetings": [{ "pairs": pairs }] }))
}

/// Eight games in four pairs: moving first all are won, moving second `seed` of four.
fn played(mean: f64, seed: u64) -> Option<Value> {
    let pairs = [[0, 0, 0], [0, 0, 0], [4 - seed.min(4), 0, seed.min(4)]];
    Some(json!({ "mean": mean, "games": 8, "distinct": 6, "plies": 84, "meetings": [{ "pairs": pairs }] }))
}
/// Twenty games in pairs: both won, one each, both lost, by the first player named.
fn meeting(players: [usize; 2], [won, split, lost]: [u64; 3]) -> Value {
    json!({ "players": players, "pairs": [[lost, 0, 0], [0, 0, 0], [split, 0, won]], "distinct": 20 })
}
