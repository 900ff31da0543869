//! A manifest as written: its sections as types, before expansion.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::claims::check_claims;
use super::cluster::Cluster;
use super::exhibit::Exhibit;
use super::names::{ArtefactName, Name};
use super::paper::Paper;
use super::stage::{Stage, WrittenStage, read_stage};
use super::suite::{Suite, WrittenSuite};
use super::tuned::take_settings;
use super::variant::{Paths, Variant, WrittenVariants, read_variants};
use crate::manifest::text::later::ReadLater;
use crate::manifest::text::reader::{read, read_known, unknown_keys};
use crate::manifest::text::source::{Problem, Span};
use crate::manifest::text::tree::{Entry, Node, Table, Value};
use gauntlet_games::games::GameSpec;
use gauntlet_play::learning::TrainSpec;
use gauntlet_play::players::PlayerSpec;

/// The only version of the manifest language.
pub const SCHEMA: i64 = 1;

/// The profile name of results if no profile is applied: the manifest has no default profile, or `base` is chosen. It
/// is reserved.
pub const BASE: &str = "base";

/// The profile name of results after any change on the command line. It is reserved.
pub const CUSTOM: &str = "custom";

/// Name of the table of runs in every report, beside the exhibits.
const RUNS: &str = "runs";

/// A manifest as written, with includes, profile and overrides merged.
#[derive(Debug, Clone)]
pub struct WrittenManifest {
    /// Key of the artefact, or of the family of artefacts: `schaul2009/table1`.
    pub name: ArtefactName,
    /// A one-line title.
    pub title: String,
    /// The paper that it reproduces, if any.
    pub paper: Option<Paper>,
    /// Display names of axis values: `atari-go = "Atari-Go"`.
    pub labels: BTreeMap<String, String>,
    /// The display names as written, for the places of problems.
    pub(in crate::manifest) label_nodes: Table,
    /// Download URLs of the data files that its jobs read: `"rankings.json" = "https://..."`.
    pub data: BTreeMap<String, String>,
    /// Named games, as trees (sweeps reach into them before they are read).
    pub games: Table,
    /// Named agents, as trees.
    pub agents: Table,
    /// Arms of an ablation; empty if there is none.
    pub variants: Vec<Variant>,
    /// Stages, in the order of the text.
    pub stages: Vec<Stage>,
    /// The names of all stages, including those with mistakes.
    pub stage_names: Vec<String>,
    /// Its tables and figures.
    pub exhibits: Vec<Exhibit>,
    /// Each exhibit as written, for the places of problems.
    pub(in crate::manifest) exhibit_nodes: Vec<Node>,
    /// Names of the profiles.
    pub profiles: Vec<String>,
    /// The matches of a nightly suite, if it is one.
    pub suite: Option<Suite>,
    /// The cluster resources; not part of any job's identity.
    pub cluster: Cluster,
}

// Sections are read as trees: profiles, sweeps and variants reach into them.
/// The keys of a manifest.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[expect(dead_code, reason = "trees are read with their places")]
pub(super) struct Sections {
    /// Version of the manifest language: 1.
    schema: i64,
    /// Key of the artefact: `paper/artefact`, or one name.
    name: ArtefactName,
    /// A one-line title.
    title: String,
    /// The paper that it reproduces.
    paper: Option<Paper>,
    /// Display names of axis values.
    #[serde(default)]
    labels: BTreeMap<String, String>,
    /// Download URLs of the files that jobs read, by their names in the data directory.
    #[serde(default)]
    data: BTreeMap<String, String>,
    /// Files of the same directory that this one overrides.
    #[serde(default)]
    include: ReadLater<Vec<String>>,
    /// Games by name.
    #[serde(default)]
    games: ReadLater<BTreeMap<String, GameSpec>>,
    /// Players by name.
    #[serde(default)]
    agents: ReadLater<BTreeMap<String, PlayerSpec>>,
    /// Trainings by name, for `train = "name"` in stages.
    #[serde(default)]
    trainings: ReadLater<BTreeMap<String, TrainSpec>>,
    /// Arms of an ablation: `[[variant]]` with a `name`, or `[variant.NAME]`.
    #[serde(default)]
    variant: ReadLater<WrittenVariants>,
    /// Job templates by name, each with its axes.
    #[serde(default)]
    stages: ReadLater<BTreeMap<String, WrittenStage>>,
    /// The tables and figures.
    #[serde(default)]
    exhibit: ReadLater<Vec<Exhibit>>,
    /// A nightly suite: its promised error rates, and its matches.
    #[serde(default)]
    suite: ReadLater<WrittenSuite>,
    /// Resources requested from a cluster with `--executor slurm`; they change no result.
    #[serde(default)]
    cluster: ReadLater<Cluster>,
    /// Profiles by name: dotted paths with the values that override the manifest's.
    #[serde(default)]
    profile: ReadLater<BTreeMap<String, Paths>>,
}

/// The header of a manifest: name, title, paper, labels, data.
type Header = (ArtefactName, String, Option<Paper>, BTreeMap<String, String>, BTreeMap<String, String>);

impl WrittenManifest {
    /// Reads all sections; every mistake becomes a problem. Parts with mistakes are left out or replaced by
    /// placeholders: a manifest with problems is never planned completely.
    pub fn read(mut root: Table, problems: &mut Vec<Problem>) -> WrittenManifest {
        let (name, title, paper, labels, data) = read_header(&root, problems);
        let [games, agents, trainings, variants, stages, exhibits, profiles, suite, cluster] =
            ["games", "agents", "trainings", "variant", "stages", "exhibit", "profile", "suite", "cluster"]
                .map(|section| root.remove(section));
        let [games, agents, trainings, stages, profiles] =
            [games, agents, trainings, stages, profiles].map(|section| names_in(section, problems));
        check_named::<GameSpec>(&games, problems);
        check_named::<PlayerSpec>(&agents, problems);
        check_profiles(&profiles, problems);
        let names: Vec<&str> = stages.keys().collect();
        let read_stage = |entry| read_stage(entry, &names, &trainings, problems);
        let mut read_stages: Vec<Stage> = stages.entries().iter().filter_map(read_stage).collect();
        take_settings(&mut read_stages, &names, problems);
        let suite = suite.and_then(|entry| Suite::read(&entry.node, &games, &agents, problems));
        let (exhibits, exhibit_nodes) = read_exhibits(exhibits, problems);
        let cluster = cluster.map_or(Cluster::default(), |entry| Cluster::read(&entry.node, &names, problems));
        WrittenManifest {
            name,
            title,
            paper,
            labels,
            label_nodes: root.remove("labels").and_then(|entry| entry.node.table().cloned()).unwrap_or_default(),
            data,
            games,
            agents,
            variants: variants.map_or(Vec::new(), |entry| read_variants(&entry.node, problems)),
            stages: read_stages,
            stage_names: names.into_iter().map(str::to_owned).collect(),
            exhibits,
            exhibit_nodes,
            profiles: profiles.keys().map(str::to_owned).collect(),
            suite,
            cluster,
        }
    }
}

/// Checks all keys, and reads those of the header; if there are mistakes, returns a placeholder header.
fn read_header(root: &Table, problems: &mut Vec<Problem>) -> Header {
    if let Some(paper) = root.get("paper") {
        check_published(paper, problems);
    }
    if let Some(entry) = root.entry("include") {
        problems.push(Problem::at(entry.key_span.clone(), "an included file includes nothing itself"));
    }
    let mut found = Vec::new();
    let sections: Option<Sections> = read_known(&Node::from(root.clone()), &mut found);
    let strangers = unknown_keys(root, &mut found).filter(|(stranger, _)| stranger.node.table().is_some());
    strangers.for_each(|(stranger, problem)| problem.message = format!("unknown section `{}`", stranger.key));
    problems.append(&mut found);
    let Some(Sections { schema, name, title, paper, labels, data, .. }) = sections else {
        let name = ArtefactName::try_from("unreadable".to_owned()).expect("it is a name");
        return (name, String::new(), None, BTreeMap::new(), BTreeMap::new());
    };
    if schema != SCHEMA {
        let span = root.get("schema").map_or(0..0, |node| node.span.clone());
        problems.push(Problem::at(span, format!("schema {schema} is not known")).hint("write `schema = 1`"));
    }
    check_labels(root, problems);
    (name, title, paper, labels, data)
}

/// Checks that no two names get one label, and that no label is the name of another player, game or variant: tables could
/// not tell them apart, and ratings would take two players for one.
fn check_labels(root: &Table, problems: &mut Vec<Problem>) {
    let Some(labels) = root.get("labels").and_then(Node::table) else { return };
    let keys = |section: &str| root.get(section).and_then(Node::table).into_iter().flat_map(Table::keys);
    let stages = root.get("stages").and_then(Node::table).into_iter().flat_map(Table::entries);
    // A training can give a player its name.
    let trained = stages.filter_map(|stage| stage.node.table()?.get("from")?.table()).flat_map(Table::keys);
    let players = keys("agents").chain(trained).collect();
    let sections: [BTreeSet<&str>; 3] = [players, keys("games").collect(), keys("variant").collect()];
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    for entry in labels.entries() {
        let Some(label) = entry.node.text() else { continue };
        let hint = "tables could not tell them apart: give each a label of its own";
        if let Some(other) = known.insert(label, &entry.key) {
            let message = format!("`{other}` and `{}` have one label: `{label}`", entry.key);
            problems.push(Problem::at(entry.node.span.clone(), message).hint(hint));
        }
        let is_another = *entry.key != *label && labels.get(label).is_none();
        let is_of = |names: &BTreeSet<&str>| names.contains(&*entry.key) && names.contains(label);
        if let Some(at) = sections.iter().position(is_of).filter(|_| is_another) {
            let what = ["player", "game", "variant"][at];
            let message = format!("the label of `{}` is the name of another {what}: `{label}`", entry.key);
            problems.push(Problem::at(entry.node.span.clone(), message).hint(hint));
        }
    }
}

/// Checks that rows of published numbers, and of their errors, have a number for every column.
fn check_published(paper: &Node, problems: &mut Vec<Problem>) {
    let Some(Value::List(blocks)) = paper.table().and_then(|paper| paper.lookup("published")) else { return };
    for block in blocks.iter().filter_map(Node::table) {
        let (Some(Value::List(columns)), Some(Value::Table(rows))) = (block.lookup("columns"), block.lookup("rows"))
        else {
            continue;
        };
        check_lengths(rows, "numbers", columns.len(), problems);
        if let Some(errors) = block.get("errors").and_then(Node::table) {
            check_lengths(errors, "errors", columns.len(), problems);
            errors.entries().iter().for_each(|row| check_row(row, rows, problems));
        }
        check_doubts(block, rows, columns, problems);
    }
}

/// Checks that every row of a table has one entry a column.
fn check_lengths(rows: &Table, what: &str, columns: usize, problems: &mut Vec<Problem>) {
    for row in rows.entries() {
        if let Value::List(numbers) = &row.node.value
            && numbers.len() != columns
        {
            let message = format!("{} {what} for {columns} columns", numbers.len());
            problems.push(Problem::at(row.node.span.clone(), message));
        }
    }
}

/// Checks that a row exists.
fn check_row(row: &Entry, rows: &Table, problems: &mut Vec<Problem>) {
    if rows.get(&row.key).is_none() {
        let message = format!("there is no row `{}`", row.key);
        problems.push(Problem::at(row.key_span.clone(), message).nearest(&row.key, rows.keys()));
    }
}

/// Checks that doubts refer to existing numbers.
fn check_doubts(block: &Table, rows: &Table, columns: &[Node], problems: &mut Vec<Problem>) {
    let known: Vec<&str> = columns.iter().filter_map(Node::text).collect();
    for row in block.get("doubts").and_then(Node::table).map_or(&[][..], Table::entries) {
        check_row(row, rows, problems);
        let strangers = row.node.table().map_or(&[][..], Table::entries);
        for column in strangers.iter().filter(|column| !known.contains(&&*column.key)) {
            let message = format!("there is no column `{}`", column.key);
            problems.push(Problem::at(column.key_span.clone(), message).nearest(&column.key, known.iter().copied()));
        }
    }
}

/// Reads a section that is a table of names, and checks each name.
fn names_in(section: Option<Entry>, problems: &mut Vec<Problem>) -> Table {
    let Some(entry) = section else { return Table::default() };
    let Some(table) = entry.node.table() else {
        problems.push(Problem::at(entry.node.span, format!("`{}` is a table of names", entry.key)));
        return Table::default();
    };
    for entry in table.entries() {
        if let Err(message) = Name::try_from(entry.key.to_string()) {
            problems.push(Problem::at(entry.key_span.clone(), message));
        }
    }
    table.clone()
}

/// Reads every named game or agent, used or not; sweeps may supply missing keys.
fn check_named<T: DeserializeOwned>(named: &Table, problems: &mut Vec<Problem>) {
    for entry in named.entries() {
        let mut found = Vec::new();
        let _: Option<T> = read(&entry.node, &mut found);
        problems.extend(found.into_iter().filter(|problem| !problem.is_echo));
    }
}

/// Checks that profiles are tables of dotted paths, and that their names are not reserved.
fn check_profiles(profiles: &Table, problems: &mut Vec<Problem>) {
    for entry in profiles.entries() {
        if entry.node.table().is_none() {
            problems.push(Problem::at(entry.node.span.clone(), format!("profile `{}` is a table", entry.key)));
        }
        let taken = match &*entry.key {
            CUSTOM => "every changed profile is called",
            BASE => "a manifest without any profile is called",
            _ => continue,
        };
        let message = format!("`{}` is what {taken}", entry.key);
        problems.push(Problem::at(entry.key_span.clone(), message).hint("give the profile another name"));
    }
}

fn read_exhibits(section: Option<Entry>, problems: &mut Vec<Problem>) -> (Vec<Exhibit>, Vec<Node>) {
    match section.map(|entry| entry.node) {
        None => (Vec::new(), Vec::new()),
        Some(Node { value: Value::List(nodes), .. }) => {
            let read = nodes.into_iter().filter_map(|node| Some((read(&node, problems)?, node)));
            read.unzip()
        }
        Some(node) => {
            problems.push(Problem::at(node.span, "exhibits are written `[[exhibit]]`"));
            (Vec::new(), Vec::new())
        }
    }
}

impl WrittenManifest {
    /// The stage of a name.
    pub(in crate::manifest) fn stage(&self, name: &str) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.name == name)
    }

    /// Whether a stage runs the winner of a race, itself or by the stages from which it takes its players.
    pub(in crate::manifest) fn runs_winner_of(&self, stage: &str, race: &str) -> bool {
        self.stage(stage).is_some_and(|stage| {
            let is_own = stage.tuned.as_ref().is_some_and(|(raced, _)| **raced == *race);
            is_own || stage.from.iter().any(|upstream| self.runs_winner_of(&upstream.stage.0, race))
        })
    }

    /// Checks the stages, claims and names of the exhibits.
    pub(in crate::manifest) fn check_exhibits(&self, problems: &mut Vec<Problem>) {
        let stages: Vec<&str> = self.stage_names.iter().map(String::as_str).collect();
        let mut names: Vec<ArtefactName> = Vec::new();
        for (exhibit, node) in self.exhibits.iter().zip(&self.exhibit_nodes) {
            check_claims(exhibit, node, problems);
            for stage in exhibit.show.stages().into_iter().filter(|stage| !stages.contains(stage)) {
                let message = format!("there is no stage `{stage}` to show");
                problems.push(Problem::at(shown(node, stage), message).nearest(stage, stages.iter().copied()).echo());
            }
            let name = exhibit.name.as_ref().map_or(self.name.clone(), |name| self.name.sibling(name));
            if names.contains(&name) {
                let named = exhibit.name.as_ref().and_then(|name| node.place_of(name.as_str()));
                let problem =
                    Problem::at(named.unwrap_or(&node.span).clone(), format!("two exhibits are named `{name}`"));
                problems.push(problem.hint("give each `[[exhibit]]` a `name` of its own"));
            }
            if name.member() == RUNS {
                let message = format!("the report's table of runs is called `{RUNS}`");
                problems.push(Problem::at(node.span.clone(), message).hint("give the exhibit another `name`"));
            }
            names.push(name);
        }
    }
}

/// The place of a word in the settings of an exhibit.
pub(in crate::manifest) fn shown(exhibit: &Node, word: &str) -> Span {
    let show = exhibit.table().and_then(|table| table.get("show")).unwrap_or(exhibit);
    show.place_of(word).unwrap_or(&exhibit.span).clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::text::parse::parse;
    use crate::manifest::text::source::Sources;

    const HEAD: &str = "schema = 1\nname = \"a/b\"\ntitle = \"t\"\n";

    /// The underlined text of each problem, with the message.
    fn problems(text: &str) -> Vec<String> {
        let (root, _) = parse(&mut Sources::default(), "test.toml", text);
        let mut problems = Vec::new();
        WrittenManifest::read(root, &mut problems).check_exhibits(&mut problems);
        let show = |problem: Problem| format!("{}: {}", &text[problem.span.unwrap()], problem.message);
        problems.into_iter().map(show).collect()
    }

    #[test]
    fn sections_are_checked_though_the_header_is_wrong() {
        let found = problems(
            "schema = 2\nname = \"../x\"\ntitle = 3\n[gmaes]\n[stages.s]\nseeds = [1, 1]\nmeasure.fitness = {}",
        );
        let expected = [
            "\"../x\": `..` is not a name: letters from a to z, digits, `-`, `_` and `.`, not starting with a dot",
            "3: expected a string, found integer `3`",
            "gmaes: unknown section `gmaes`",
            "[1, 1]: the seed 1 twice would count one run as two",
        ];
        assert_eq!(found, expected);
        assert_eq!(problems("schema = 2\nname = \"x\"\ntitle = \"t\""), ["2: schema 2 is not known"]);
    }

    #[test]
    fn games_and_agents_are_read_though_nothing_names_them() {
        let text =
            format!("{HEAD}[games]\ng.gomoku = {{ size = 400, roww = 3 }}\nh.pente = {{ }}\n[agents]\na.naiv = {{}}");
        let found = problems(&text);
        assert_eq!(
            found,
            ["400: board size 400 is outside 5 to 25", "roww: unknown key `roww`", "naiv: unknown choice `naiv`",],
            "a size may come with a sweep"
        );
    }

    #[test]
    fn profiles_have_names_that_stay_in_their_directory() {
        let text = format!("{HEAD}[profile.\"../x\"]\n[profile.custom]\n[profile]\nsmoke = 3");
        let text = text.replace("[profile]\nsmoke = 3", "");
        assert!(problems(&text)[0].starts_with("\"../x\": `../x` is not a name"), "{:?}", problems(&text));
        assert_eq!(problems(&text)[1], "custom: `custom` is what every changed profile is called");
        assert_eq!(problems(&format!("{HEAD}profile.smoke = 3")), ["3: profile `smoke` is a table"]);
    }

    #[test]
    fn stages_have_one_job_and_their_own_keys() {
        let stage = |text: &str| problems(&format!("{HEAD}[stages.s]\nmeasure.fitness = {{}}\n[stages.t]\n{text}"));
        assert_eq!(stage("measure.fitness = {}\nsweeep = 3"), ["sweeep: unknown key `sweeep` in a stage"]);
        assert_eq!(stage("mesure.fitness = {}"), ["mesure: unknown key `mesure` in a stage"]);
        assert_eq!(
            stage("seeds = 0"),
            ["0: 0 seeds are outside 1 to 1000000", "t: stage `t` needs exactly one of `train`, `play` and `measure`",]
        );
        let both = stage("measure.fitness = {}\nplay.match = {}");
        assert_eq!(both, ["measure: stage `t` needs exactly one of `train`, `play` and `measure`"]);
        assert_eq!(stage("measure = {}"), ["{}: `measure` of stage `t` needs exactly one job in it"]);
        assert_eq!(
            stage("seeds = 1.5\nmeasure.fitness = {}"),
            ["1.5: expected a number of seeds or a list of seeds, found floating point `1.5`"]
        );
    }

    #[test]
    fn exhibits_show_stages_that_are_there_under_names_of_their_own() {
        let exhibit = |name: &str, stage: &str| {
            format!("[[exhibit]]\n{name}show.curves = {{ stage = \"{stage}\", curves = [] }}\n")
        };
        let text = format!(
            "{HEAD}[stages.s]\nmeasure.fitness = {{}}\n{}{}{}",
            exhibit("", "z"),
            exhibit("name = \"b\"\n", "s"),
            exhibit("", "s")
        );
        let found = problems(&text);
        assert_eq!(found[0], "\"z\": there is no stage `z` to show");
        assert_eq!(found[1], "\"b\": two exhibits are named `a/b`");
        assert!(found[2].ends_with("two exhibits are named `a/b`"), "{found:?}");
    }

    #[test]
    fn published_errors_fit_rows_and_columns() {
        let text = format!(
            "{HEAD}[paper]\nkey = \"k\"\ntitle = \"t\"\nauthors = \"a\"\nvenue = \"v\"\n[[paper.published]]\nmetric = \"m\"\ncolumns = [\"a\", \"b\"]\nrows = {{ model1 = [1.0, 2.0] }}\nerrors = {{ modle1 = [0.1, 0.1], model1 = [0.1] }}"
        );
        assert_eq!(problems(&text), ["[0.1]: 1 errors for 2 columns", "modle1: there is no row `modle1`"]);
    }

    #[test]
    fn published_rows_fit_their_columns() {
        let text = format!(
            "{HEAD}[paper]\nkey = \"k\"\ntitle = \"t\"\nauthors = \"a\"\nvenue = \"v\"\n[[paper.published]]\nmetric = \"m\"\ncolumns = [\"a\", \"b\"]\nrows = {{ x = [1.0], y = [1, nan] }}"
        );
        assert_eq!(
            problems(&text),
            ["[1.0]: 1 numbers for 2 columns", "nan: NaN: the numbers of a manifest are finite"]
        );
    }
}
