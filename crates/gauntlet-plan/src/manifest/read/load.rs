//! Loading a manifest file: includes, the profile and the command line are merged into one manifest.

use std::collections::{BTreeMap, HashSet};

use super::files;
use super::misplaced::tell_of_misplaced;
use super::replaced::{Given, tell_of_replaced};
use super::scale::{PaperScale, scale};
use super::stage::KINDS;
use super::variant;
use super::written::{BASE, CUSTOM, WrittenManifest};
use crate::manifest::text::parse::{parse, parse_value};
use crate::manifest::text::source::{Problem, Problems, Sources, Span, nearest};
use crate::manifest::text::tree::{Entry, Node, Table, Value};

/// Changes from the command line.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// `--profile`. Default: `laptop` if the manifest has it.
    pub profile: Option<String>,
    /// The default profile instead of `laptop`, if the manifest has it.
    pub usual_profile: Option<String>,
    /// `--set key=value`, in order.
    pub set: Vec<(String, String)>,
    /// `--seeds`: a count or a list, as TOML.
    pub seeds: Option<String>,
    /// `--cluster`: the name and the text of a file that overrides `[cluster]`.
    pub cluster: Option<(String, String)>,
    /// Names of games and agents that the command itself uses, as `play --agent`.
    pub used: Vec<String>,
}

/// Prefix of paths into `[cluster]`, which affects no result.
const OF_CLUSTER: &str = "cluster.";

impl Overrides {
    /// Whether there are changes beyond the choice of a profile, so that the profile becomes `custom`.
    #[must_use]
    pub fn custom(&self) -> bool {
        self.set.iter().any(|(key, _)| !key.starts_with(OF_CLUSTER)) || self.seeds.is_some()
    }
}

/// The section on the paper, and the profile of its scale.
const PAPER: &str = "paper";

/// The default profile.
pub const DEFAULT_PROFILE: &str = "laptop";

/// A source of manifests and the files that they include.
pub trait ManifestSource {
    /// The text of a manifest file by its name (relative to the directory of manifests or as typed).
    ///
    /// # Errors
    /// If the file cannot be read: a message.
    fn text(&self, name: &str) -> Result<String, String>;

    /// The text of a file in or below a directory (empty, or with a trailing slash); links must not lead out of it.
    ///
    /// # Errors
    /// If the file cannot be read: a message.
    fn text_below(&self, directory: &str, name: &str) -> Result<String, String> {
        self.text(&format!("{directory}{name}"))
    }
}

/// A manifest read with all its texts. Its mistakes are reported together with those from planning.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The manifest as written.
    pub written: WrittenManifest,
    /// The profile that was applied: its name, `custom`, or `base` if there is none.
    pub profile: String,
    /// The relation of the profile to the profile `paper`, as written.
    pub scale: PaperScale,
    /// All texts, for problems that are found later.
    pub sources: Sources,
    /// Syntax errors.
    syntax: Vec<Problem>,
    /// All other problems that were found while reading.
    problems: Vec<Problem>,
}

impl Loaded {
    /// All problems: those from reading and these from planning.
    #[must_use]
    pub fn problems(&self, planning: Vec<Problem>) -> Problems {
        let line = |problem: &Problem| {
            let place = problem.span.as_ref().and_then(|span| self.sources.locate(span));
            place.map(|(file, line)| (file.to_owned(), line))
        };
        let torn: HashSet<_> = self.syntax.iter().filter_map(line).collect();
        let others = self.problems.iter().chain(&planning);
        // Beside syntax errors, parts seem wrong or missing that are not.
        let sound = others
            .filter(|other| torn.is_empty() || !other.is_echo && line(other).is_none_or(|at| !torn.contains(&at)));
        let mut all: Vec<Problem> = self.syntax.iter().chain(sound).cloned().collect();
        tell_of_misplaced(&mut all);
        Problems::new(self.sources.clone(), all)
    }
}

/// Loads a manifest. [`Loaded::problems`] reports its mistakes.
///
/// # Errors
/// If the file cannot be read, or is only a part that manifests include.
pub fn load(source: &dyn ManifestSource, name: &str, overrides: &Overrides) -> Result<Loaded, Problems> {
    let no_file = |message| Problems::new(Sources::default(), vec![Problem::general(message)]);
    let text = source.text(name).map_err(no_file)?;
    let (mut sources, mut problems) = (Sources::default(), Vec::new());
    let (main, mut syntax) = parse(&mut sources, name, &text);
    if syntax.is_empty() && is_part(&main) {
        let problem = Problem::at(0..0, "this is a file that manifests include, not a manifest");
        let hint = "name a manifest that includes it; a manifest begins with `schema = 1`, a `name` and a `title`";
        return Err(Problems::new(sources, vec![problem.hint(hint)]));
    }
    let mut root =
        Includes { source, name, sources: &mut sources, syntax: &mut syntax, problems: &mut problems }.lay(main);
    let names = NAMED.map(|section| names_in(&root, section));
    let plain = root.clone();
    let profile = lay_profile(&mut root, overrides, &mut sources, &mut problems);
    lay_command_line(&mut root, overrides, &mut sources, &mut problems);
    for entry in chosen_profile(&plain, overrides).into_iter().flat_map(Table::entries) {
        let given = Given { path: &entry.key, span: &entry.key_span, node: &entry.node, is_flag: false };
        tell_of_replaced(&root, &given, &mut problems);
    }
    let scale = scale_of(plain, &root, &profile);
    let [others @ .., stages] = &names;
    drop_mistyped_stages(&mut root, stages, &mut problems);
    for (section, known) in NAMED.iter().zip(others) {
        tell_of_unused(&root, section, &[known, &*overrides.used].concat(), &mut problems);
    }
    lay_cluster(&mut root, overrides, &mut sources, &mut syntax);
    files::put_in_place(&mut root, &|file| read_beside(source, name, file), &mut problems);
    let written = WrittenManifest::read(root, &mut problems);
    Ok(Loaded { written, profile, scale, sources, syntax, problems })
}

/// The relation of a manifest with its profile and changes to the one with the profile `paper`.
fn scale_of(mut plain: Table, chosen: &Table, profile: &str) -> PaperScale {
    let paper = plain.lookup(&format!("profile.{PAPER}")).cloned();
    match paper {
        _ if plain.get(PAPER).is_none() => PaperScale::Other,
        _ if profile == PAPER => PaperScale::Same,
        Some(Value::Table(changes)) => {
            lay_paths(&mut plain, &changes);
            variant::by_name(&mut plain, &mut Vec::new());
            scale(chosen, &plain)
        }
        _ => PaperScale::Other,
    }
}

/// Whether a text has sections but none of the keys that every manifest has.
fn is_part(main: &Table) -> bool {
    !main.entries().is_empty() && ["schema", "name", "title", "include"].iter().all(|key| main.get(key).is_none())
}

/// Reads the files that a file includes.
struct Includes<'a> {
    source: &'a dyn ManifestSource,
    /// The including file.
    name: &'a str,
    sources: &'a mut Sources,
    syntax: &'a mut Vec<Problem>,
    problems: &'a mut Vec<Problem>,
}

impl Includes<'_> {
    /// Merges the file over its included files. Included files cannot include files.
    fn lay(mut self, mut main: Table) -> Table {
        variant::by_name(&mut main, self.problems);
        let Some(include) = main.remove("include") else { return main };
        let Value::List(items) = &include.node.value else {
            self.problems.push(Problem::at(include.node.span, "`include` is a list of file names"));
            return main;
        };
        let mut below = Table::default();
        for item in items {
            match self.read(item) {
                Ok(mut table) => {
                    variant::by_name(&mut table, self.problems);
                    below.merge(&table);
                }
                Err(message) => self.problems.push(Problem::at(item.span.clone(), message)),
            }
        }
        below.merge(&main);
        below
    }

    fn read(&mut self, item: &Node) -> Result<Table, String> {
        let file = item.text().ok_or("a file name is a string")?;
        let (path, text) = read_beside(self.source, self.name, file)?;
        let (table, mut found) = parse(self.sources, &path, &text);
        self.syntax.append(&mut found);
        Ok(table)
    }
}

/// The path and the text of a file in or below the manifest's directory.
fn read_beside(source: &dyn ManifestSource, manifest: &str, file: &str) -> Result<(String, String), String> {
    if file.split(['/', '\\']).any(|part| part == ".." || part.is_empty()) {
        return Err(format!("`{file}` would leave the manifest's directory"));
    }
    let directory = manifest.rsplit_once('/').map_or(String::new(), |(directory, _)| format!("{directory}/"));
    source.text_below(&directory, file).map(|text| (format!("{directory}{file}"), text))
}

/// The profile that the command line or the command itself asks for.
fn wanted_profile<'a>(profiles: &Table, overrides: &'a Overrides) -> Option<&'a str> {
    let usual = overrides.usual_profile.as_deref().filter(|usual| profiles.get(usual).is_some());
    overrides.profile.as_deref().or(usual)
}

/// The changes of the chosen profile, if the manifest has it.
fn chosen_profile<'a>(root: &'a Table, overrides: &Overrides) -> Option<&'a Table> {
    let profiles = root.get("profile")?.table()?;
    profiles.get(wanted_profile(profiles, overrides).unwrap_or(DEFAULT_PROFILE))?.table()
}

/// Merges the chosen profile over the root and returns the profile name of the results.
fn lay_profile(root: &mut Table, overrides: &Overrides, sources: &mut Sources, problems: &mut Vec<Problem>) -> String {
    let profiles = root.get("profile").and_then(Node::table).cloned().unwrap_or_default();
    let wanted = wanted_profile(&profiles, overrides);
    let name = match (profiles.get(wanted.unwrap_or(DEFAULT_PROFILE)), wanted) {
        (Some(profile), _) => {
            // The reading of the section reports a profile that is not a table.
            profile.table().inspect(|changes| lay_paths(root, changes));
            wanted.unwrap_or(DEFAULT_PROFILE)
        }
        (None, None | Some(BASE)) => BASE,
        (None, Some(wanted)) => {
            let start = sources.add("--profile", wanted);
            let problem = Problem::at(start..start + wanted.len(), format!("there is no profile `{wanted}`"));
            problems.push(problem.nearest(wanted, profiles.keys().chain([BASE])).echo());
            wanted
        }
    };
    if overrides.custom() { CUSTOM.to_owned() } else { name.to_owned() }
}

/// Merges a table over the root; quoted keys with dots are paths like unquoted ones.
fn lay_paths(root: &mut Table, changes: &Table) {
    for entry in changes.entries() {
        if entry.key.contains('.') {
            set(root, &entry.key, &entry.key_span, entry.node.clone());
        } else {
            root.merge(&Table::from(vec![entry.clone()]));
        }
    }
}

fn lay_command_line(root: &mut Table, overrides: &Overrides, sources: &mut Sources, problems: &mut Vec<Problem>) {
    let mut laid = Vec::new();
    for (key, value) in &overrides.set {
        let start = sources.add("--set", &format!("{key}={value}"));
        if key.split('.').next() == Some("profile") {
            let problem = Problem::at(start..start + key.len(), "the profile has been laid over the manifest already");
            problems.push(problem.hint("choose it with --profile, and set the value itself, without `profile.NAME.`"));
        }
        let node = parse_value(value, start + key.len() + 1, problems);
        let span = start..start + key.len();
        set(root, key, &span, node.clone());
        laid.push((key, span, node));
    }
    for (path, span, node) in &laid {
        tell_of_replaced(root, &Given { path, span, node, is_flag: true }, problems);
    }
    variant::by_name(root, problems);
    let Some(seeds) = &overrides.seeds else { return };
    let start = sources.add("--seeds", seeds);
    let node = parse_value(seeds, start, problems);
    let Some(Node { value: Value::Table(stages), .. }) = root.get_mut("stages") else {
        problems.push(Problem::at(node.span, "there are no stages to give seeds to").echo());
        return;
    };
    for name in stages.keys().map(str::to_owned).collect::<Vec<_>>() {
        if let Some(Node { value: Value::Table(stage), .. }) = stages.get_mut(&name)
            && stage.get("from").is_none()
        {
            stage.insert(Entry { key: "seeds".into(), key_span: node.span.clone(), node: node.clone() });
        }
    }
    variant::forget_seeds(root);
}

/// Sections whose keys are names; the stages come last.
const NAMED: [&str; 4] = ["games", "agents", "trainings", "stages"];

fn names_in(root: &Table, section: &str) -> Vec<String> {
    let names = root.get(section).and_then(Node::table);
    names.map_or(Vec::new(), |names| names.keys().map(str::to_owned).collect())
}

/// Sets the value at a path. The name in a section is never omitted, even if the section has only one.
fn set(root: &mut Table, path: &str, span: &Span, node: Node) {
    let (section, rest) = path.split_once('.').unwrap_or((path, ""));
    match root.get_mut(section).and_then(Node::table_mut) {
        Some(names) if NAMED.contains(&section) && !rest.is_empty() => names.set(rest, span, node),
        _ => root.set(path, span, node),
    }
}

/// Reports names that a profile or the command line has added to a section, and that nothing uses: a mistyped path
/// would have no effect.
fn tell_of_unused(root: &Table, section: &str, known: &[String], problems: &mut Vec<Problem>) {
    let Some(names) = root.get(section).and_then(Node::table) else { return };
    for entry in names.entries().iter().filter(|entry| !known.iter().any(|name| **name == *entry.key)) {
        let uses = |other: &Entry| &*other.key != "profile" && has_text(&other.node, &entry.key);
        if !root.entries().iter().any(uses) {
            let what = format!("`{}` is new in `{section}`, and nothing uses it", entry.key);
            let problem = Problem::at(entry.key_span.clone(), what);
            problems.push(problem.nearest(&entry.key, known.iter().map(String::as_str)).echo());
        }
    }
}

fn has_text(node: &Node, text: &str) -> bool {
    match &node.value {
        Value::Table(table) => table.entries().iter().any(|entry| has_text(&entry.node, text)),
        Value::List(items) => items.iter().any(|item| has_text(item, text)),
        value => value.text() == Some(text),
    }
}

/// Removes stages that a mistyped path of a profile or the command line has created: their names are similar to that of
/// a stage of the manifest, and their jobs are incomplete.
fn drop_mistyped_stages(root: &mut Table, known: &[String], problems: &mut Vec<Problem>) {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let Some(Node { value: Value::Table(stages), .. }) = root.get_mut("stages") else { return };
    for name in stages.keys().map(str::to_owned).collect::<Vec<_>>() {
        let is_complete = stages.get(&name).and_then(Node::table).is_some_and(is_complete);
        let near = nearest(&name, &known).filter(|_| !is_complete && !known.contains(&&*name));
        let Some(near) = near else { continue };
        let entry = stages.remove(&name).expect("a key of the table");
        let problem = Problem::at(entry.key_span, format!("there is no stage `{name}`"));
        problems.push(problem.hint(format!("did you mean the stage `{near}`?")).echo());
    }
}

/// Whether the job of a stage has a game, of its own or of another stage or training, or needs none.
fn is_complete(stage: &Table) -> bool {
    let job = |kind: &str| stage.get(kind).is_some_and(|job| job.text().is_some() || needs_no_game(job));
    let has_job = KINDS.into_iter().any(|kind| stage.get(kind).is_some());
    stage.get("from").is_some() || KINDS.into_iter().any(job) || has_job && has_game(stage)
}

/// Whether a table has the key `game`, at any depth: a job's, or that of an axis.
fn has_game(table: &Table) -> bool {
    table.entries().iter().any(|entry| &*entry.key == "game" || tables(&entry.node).into_iter().any(has_game))
}

fn tables(node: &Node) -> Vec<&Table> {
    match &node.value {
        Value::Table(table) => vec![table],
        Value::List(items) => items.iter().flat_map(tables).collect(),
        _ => Vec::new(),
    }
}

/// Whether a job reads results from a file and plays no game.
fn needs_no_game(job: &Node) -> bool {
    job.table().and_then(Table::tagged).is_some_and(|(kind, _)| ["ladder", "hours"].contains(&&*kind.key))
}

/// Merges the `--cluster` file over the section: its keys, or a `[cluster]` section in it.
fn lay_cluster(root: &mut Table, overrides: &Overrides, sources: &mut Sources, syntax: &mut Vec<Problem>) {
    let Some((name, text)) = &overrides.cluster else { return };
    let (mut keys, mut found) = parse(sources, name, text);
    syntax.append(&mut found);
    if let ([Entry { .. }], Some(section)) = (keys.entries(), keys.get("cluster").and_then(Node::table)) {
        keys = section.clone();
    }
    let entry = Entry { key: "cluster".into(), key_span: 0..0, node: Node::from(keys) };
    root.merge(&Table::from(vec![entry]));
}

/// In-memory manifests by name, for tests.
impl ManifestSource for BTreeMap<String, String> {
    fn text(&self, name: &str) -> Result<String, String> {
        self.get(name).cloned().ok_or_else(|| format!("there is no manifest `{name}`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIN: &str = "schema = 1\nname = \"p/a\"\ntitle = \"t\"\ninclude = [\"common.toml\"]\n[stages.s]\nseeds = 3\n\
                        measure.fitness = { games = 10 }\n[profile.smoke]\nstages.s.seeds = 2\n\"stages.s.measure.fitness.games\" = 4\n";
    const COMMON: &str = "[games]\ng.gomoku = { size = 7 }\n[stages.s]\nseeds = 9\nfrom = 3\n";

    fn loaded(main: &str, common: &str, overrides: &Overrides) -> Loaded {
        let source: BTreeMap<String, String> = [("p/a.toml", main), ("p/common.toml", common)]
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .into();
        load(&source, "p/a.toml", overrides).unwrap()
    }

    /// Every problem as `file:line message`.
    fn messages_of(loaded: &Loaded) -> Vec<String> {
        let problems = loaded.problems(Vec::new());
        let show = |problem: &Problem| {
            let (file, line) = problems.locate(problem).unwrap();
            format!("{file}:{line} {}", problem.message)
        };
        problems.list().iter().map(show).collect()
    }

    fn games(loaded: &Loaded) -> String {
        loaded.written.stages[0].job.lookup("measure.games").map(Value::label).unwrap_or_default()
    }

    #[test]
    fn the_command_line_lies_over_the_profile_over_the_manifest_over_what_it_includes() {
        let common = COMMON.replace("from = 3\n", "");
        let seeds = |overrides: &Overrides| {
            let loaded = loaded(MAIN, &common, overrides);
            (loaded.written.stages[0].seeds.len(), games(&loaded), loaded.profile.clone())
        };
        let plain = Overrides::default();
        assert_eq!(seeds(&plain), (3, "10".to_owned(), "base".to_owned()));
        let smoke = Overrides { profile: Some("smoke".to_owned()), ..plain };
        assert_eq!(seeds(&smoke), (2, "4".to_owned(), "smoke".to_owned()));
        let set = vec![("stages.s.measure.fitness.games".to_owned(), "6".to_owned())];
        let custom = Overrides { set, seeds: Some("[7, 8, 9, 10]".to_owned()), ..smoke };
        assert_eq!(seeds(&custom), (4, "6".to_owned(), "custom".to_owned()));
    }

    #[test]
    fn a_mistyped_stage_of_a_profile_or_the_command_line_is_named() {
        let main = "schema = 1\nname = \"p/a\"\ntitle = \"t\"\ngames.g.gomoku = { size = 7 }\n[stages.test]\n\
                    measure.fitness = { game = \"g\", games = 10 }\n[profile.smoke]\n";
        let messages_of = |line: &str, set: &[(&str, &str)]| {
            let set = set.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
            let overrides = Overrides { profile: Some("smoke".to_owned()), set, ..Overrides::default() };
            self::messages_of(&loaded(&format!("{main}{line}\n"), "", &overrides))
        };
        let wanted = "there is no stage `tets`";
        for line in ["stages.tets.seeds = 2", "stages.tets.measure.fitness.games = 2", "\"stages.tets.seeds\" = 2"] {
            let found = messages_of(line, &[]);
            assert!(found.len() == 1 && found[0].contains(wanted), "{line}: {found:?}");
        }
        let found = messages_of("", &[("stages.tets.seeds", "2")]);
        assert!(found.len() == 1 && found[0].contains(wanted), "{found:?}");
        for own in [
            "measure.fitness = { game = \"g\" }",
            "measure.fitness = { games = 2 }\nstages.tests.sweep.game = [\"g\"]",
            "measure.fitness = { games = 2 }\nstages.tests.zip = [{ game = [\"g\"] }]",
            "measure.ladder = { results = \"r.json\" }",
        ] {
            assert_eq!(messages_of(&format!("stages.tests.{own}"), &[]), [""; 0], "a stage of the profile's own");
        }
        let wanted = "`gg` is new in `games`, and nothing uses it";
        for found in [messages_of("games.gg.gomoku.size = 9", &[]), messages_of("", &[("games.gg.gomoku.size", "9")])] {
            assert!(found.len() == 1 && found[0].contains(wanted), "{found:?}");
        }
        let line = "[profile.smoke]\ngames.gg.gomoku.size = 9\nagents.deep.uct.simulations = 9\n";
        let used = ["gg", "deep"].map(str::to_owned).into();
        let overrides = Overrides { profile: Some("smoke".to_owned()), used, ..Overrides::default() };
        let found = self::messages_of(&loaded(&main.replace("[profile.smoke]\n", line), "", &overrides));
        assert_eq!(found, [""; 0], "names that the command uses");
        let set = [("games.gg.gomoku.size", "9"), ("stages.test.measure.fitness.game", "\"gg\"")];
        assert_eq!(messages_of("", &set), [""; 0], "a new name that is used");
    }

    #[test]
    fn problems_point_into_the_text_that_holds_them() {
        let set = vec![("stages.s.sweep.games".to_owned(), "[5, 99999999999999999999]".to_owned())];
        let overrides =
            Overrides { set, profile: Some("smok".to_owned()), seeds: Some("0".to_owned()), ..Overrides::default() };
        let found = messages_of(&loaded(&MAIN.replace("\"t\"", "7"), COMMON, &overrides));
        assert_eq!(
            found,
            [
                "p/a.toml:3 expected a string, found integer `7`",
                "p/common.toml:5 `from` names a stage, or players with stages",
                "--profile:1 there is no profile `smok`",
                "--set:1 the whole numbers of a manifest are from -9223372036854775808 to 9223372036854775807",
            ]
        );
        let common = COMMON.replace("from = 3\n", "");
        assert_eq!(
            messages_of(&loaded(MAIN, &common, &Overrides { seeds: Some("0".into()), ..Overrides::default() })),
            ["--seeds:1 0 seeds are outside 1 to 1000000"]
        );
    }

    #[test]
    fn includes_stay_in_their_directory_and_are_there() {
        let include = |files: &str| {
            messages_of(&loaded(&MAIN.replace("[\"common.toml\"]", files), "include = []", &Overrides::default()))
        };
        assert_eq!(include("[\"../x.toml\"]"), ["p/a.toml:4 `../x.toml` would leave the manifest's directory"]);
        assert_eq!(include("[\"/etc/passwd\"]"), ["p/a.toml:4 `/etc/passwd` would leave the manifest's directory"]);
        assert_eq!(
            include("[\"x.toml\", 3]"),
            ["p/a.toml:4 there is no manifest `p/x.toml`", "p/a.toml:4 a file name is a string",]
        );
        assert_eq!(include("\"common.toml\""), ["p/a.toml:4 `include` is a list of file names"]);
        assert_eq!(include("[\"common.toml\"]"), ["p/common.toml:1 an included file includes nothing itself"]);
    }

    #[test]
    fn a_file_to_include_is_no_manifest() {
        let source: BTreeMap<String, String> = [("p/common.toml".to_owned(), COMMON.to_owned())].into();
        let found = load(&source, "p/common.toml", &Overrides::default()).unwrap_err();
        assert_eq!((found.list().len(), found.locate(&found.list()[0])), (1, Some(("p/common.toml", 1))));
        assert!(found.list()[0].message.contains("a file that manifests include"), "{found:?}");
    }

    #[test]
    fn a_torn_line_hides_no_other_mistake_and_invents_none() {
        let found = messages_of(&loaded(
            &MAIN.replace("\"t\"", "").replace("seeds = 3", "seeds = -1"),
            "",
            &Overrides::default(),
        ));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("p/a.toml:3 "), "{found:?}");
        assert_eq!(found[1], "p/a.toml:6 -1 seeds are outside 1 to 1000000");
    }
}
