//! Tests of the architecture: the imports of all crates against the table in `src/lib.rs`, and rules for every file.
//!
//! They read text without a grammar: formatted code is regular enough that lines and indentation suffice.

use crate::{circles, modules};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Maximum number of lines of a file, without tests.
const LONGEST: usize = 400;

/// The package at the top; the other crates lie in directories of `crates` with their names.
const TOP: &str = "gauntlet";

/// Crates that are a single room, without a directory for it.
const SINGLE: [(&str, &str); 5] = [
    ("gauntlet-ratings", "ratings"),
    ("gauntlet-store", "store"),
    ("gauntlet-jobs", "specs"),
    ("gauntlet-exhibits", "exhibits"),
    ("gauntlet-report", "reports"),
];

/// A source file, without its tests.
struct Source {
    /// Its crate.
    package: String,
    /// Path below the crate's `src`, with slashes.
    name: String,
    /// The whole text.
    text: String,
    /// Line numbers and lines outside of test code; empty if the whole file is test code.
    code: Vec<(usize, String)>,
}

impl Source {
    /// The directory of `src` that contains the file, or the file's own name; the room of a single-room crate.
    fn room(&self) -> &str {
        match SINGLE.iter().find(|(package, _)| *package == self.package) {
            Some((_, room)) => room,
            None => self.name.split('/').next().expect("a name has a first part"),
        }
    }

    /// Path below the top, with slashes.
    fn path(&self) -> String {
        format!("{}/{}", src(&self.package), self.name)
    }

    /// Lines of code, without comments, that contain one of these.
    fn lines_with(&self, needles: &[&str]) -> Vec<String> {
        let found = self.code.iter().filter(|(_, line)| {
            !line.trim_start().starts_with("//") && needles.iter().any(|needle| line.contains(needle))
        });
        found.map(|(at, line)| format!("{}:{at}: {}", self.path(), line.trim())).collect()
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The directory of a crate, below the top.
fn folder(package: &str) -> String {
    if package == TOP { ".".to_owned() } else { format!("crates/{package}") }
}

/// The directory of a crate's sources, below the top.
fn src(package: &str) -> String {
    if package == TOP { "src".to_owned() } else { format!("crates/{package}/src") }
}

/// All crates, the one at the top first.
fn packages() -> Vec<String> {
    let mut crates: Vec<String> = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        crates.push(entry.unwrap().file_name().into_string().unwrap());
    }
    crates.sort();
    crates.insert(0, TOP.to_owned());
    crates
}

fn files_below(directory: &Path, ends: &str) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    let nested = |path: PathBuf| if path.is_dir() { files_below(&path, ends) } else { vec![path] };
    entries.into_iter().flat_map(nested).filter(|path| path.to_string_lossy().ends_with(ends)).collect()
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Numbered lines outside of test-only items, and the test-only modules in other files.
fn without_tests(text: &str) -> (Vec<(usize, String)>, Vec<String>) {
    let (mut code, mut modules) = (Vec::new(), Vec::new());
    let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    while let Some((at, line)) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            code.push((at, line.to_owned()));
            continue;
        }
        let item = lines.by_ref().map(|(_, line)| line).find(|line| !line.trim_start().starts_with("#["));
        let item = item.expect("an attribute stands before an item");
        if let Some(module) =
            item.trim().trim_start_matches("pub(super) ").strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';'))
        {
            modules.push(module.to_owned());
        } else if !item.trim_end().ends_with(';') {
            // The item ends with the first closing brace at its own indentation.
            lines.by_ref().find(|(_, line)| line.trim() == "}" && indentation(line) == indentation(item));
        }
    }
    (code, modules)
}

/// The sources of all crates.
fn sources() -> Vec<Source> {
    packages().iter().flat_map(|package| sources_of(package)).collect()
}

fn sources_of(package: &str) -> Vec<Source> {
    let src = root().join(src(package));
    let mut tests: Vec<PathBuf> = Vec::new();
    let mut sources = Vec::new();
    for path in files_below(&src, ".rs") {
        let text = fs::read_to_string(&path).unwrap();
        let (code, modules) = without_tests(&text);
        let folder = match path.file_name().unwrap().to_str().unwrap() {
            "mod.rs" | "lib.rs" | "main.rs" => path.parent().unwrap().to_owned(),
            _ => path.with_extension(""),
        };
        tests.extend(modules.iter().map(|module| folder.join(module)));
        let name = path.strip_prefix(&src).unwrap().to_string_lossy().replace('\\', "/");
        sources.push(Source { package: package.to_owned(), name, text, code });
    }
    for source in &mut sources {
        let path = src.join(source.name.trim_end_matches(".rs"));
        if tests.iter().any(|test| path.starts_with(test)) {
            source.code.clear();
        }
    }
    sources
}

/// A row of the table in `src/lib.rs`.
struct Row {
    room: String,
    package: String,
    /// The rooms that it may import; `None`: all.
    may: Option<BTreeSet<String>>,
}

/// The table of `src/lib.rs`, in its order.
fn table() -> Vec<Row> {
    let text = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let cells = |row: &str| row.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let rows = text.lines().filter_map(|line| line.strip_prefix("//! | `")).map(cells);
    let may = |list: &str| match list {
        "everything" => None,
        "nothing" => Some(BTreeSet::new()),
        list => Some(list.split_whitespace().map(str::to_owned).collect()),
    };
    let name = |cell: &str| cell.trim_matches('`').to_owned();
    let table = rows.map(|row| Row { room: name(&row[0]), package: name(&row[1]), may: may(&row[3]) });
    let table: Vec<Row> = table.collect();
    assert!(table.len() > 10, "the table of src/lib.rs is not where this test looks for it");
    table
}

/// Every `crate::<room>` in these lines, and every room of another crate, one by one or in braces. Within a single room,
/// `crate` has no rooms.
fn imported(code: &str, is_single: bool) -> BTreeSet<String> {
    let single = SINGLE.iter().filter(|(package, _)| code.contains(&format!("{}::", package.replace('-', "_"))));
    let mut found: BTreeSet<String> = single.map(|(_, room)| (*room).to_owned()).collect();
    let below = |start: &str| code.split(start).skip(1).collect::<Vec<_>>();
    let starts =
        ["crate::", "gauntlet_games::", "gauntlet_nets::", "gauntlet_play::", "gauntlet_plan::", "gauntlet_run::"];
    for rest in starts.into_iter().skip(usize::from(is_single)).flat_map(below) {
        let word = |text: &str| text.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect::<String>();
        match rest.strip_prefix('{') {
            None => found.extend([word(rest)]),
            Some(list) => {
                let mut depth = 0;
                let ends = |c: char| {
                    depth += i32::from(c == '{') - i32::from(c == '}');
                    depth < 0 || (depth == 0 && c == ',')
                };
                let whole = &list[..list.find("};").expect("an import ends")];
                found.extend(whole.split(ends).map(|part| word(part.trim_start())));
            }
        }
    }
    found.remove("");
    found
}

/// The rooms that each room's code names, without itself.
fn imports(sources: &[Source]) -> BTreeMap<String, BTreeSet<String>> {
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let is_single = |source: &Source| SINGLE.iter().any(|(package, _)| *package == source.package);
    for source in sources.iter().filter(|source| source.name.contains('/') || is_single(source)) {
        let code = source.code.iter().map(|(_, line)| line.as_str());
        let code: Vec<&str> = code.filter(|line| !line.trim_start().starts_with("//")).collect();
        let room = imports.entry(source.room().to_owned()).or_default();
        room.extend(imported(&code.join("\n"), is_single(source)));
        room.remove(source.room());
    }
    imports
}

fn assert_none(what: &str, found: &[String]) {
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

#[test]
fn rooms_import_what_the_table_allows() {
    let table: BTreeMap<_, _> = table().into_iter().map(|row| (row.room, row.may)).collect();
    let mut wrong = Vec::new();
    for (room, imports) in imports(&sources()) {
        let Some(allowed) = table.get(&room) else {
            wrong.push(format!("the room {room} is not in the table"));
            continue;
        };
        let Some(allowed) = allowed else { continue };
        wrong.extend(imports.difference(allowed).map(|other| format!("{room} imports {other}")));
        // The build script of `specs` needs the sources of `ratings`.
        let unused =
            allowed.difference(&imports).filter(|other| [room.as_str(), other.as_str()] != ["specs", "ratings"]);
        wrong.extend(unused.map(|other| format!("{room} does not import {other}")));
    }
    assert_none("against the table of src/lib.rs", &wrong);
}

#[test]
fn the_table_is_in_dependency_order() {
    let mut above = BTreeSet::new();
    for Row { room, may, .. } in table() {
        let allowed = may.unwrap_or_default();
        let below: Vec<String> = allowed.difference(&above).cloned().collect();
        assert_none(&format!("{room} would import rooms that do not stand above it"), &below);
        assert!(above.insert(room.clone()), "{room} is listed twice");
    }
}

/// Every room is in its crate, and a crate depends on those whose rooms its own may import.
#[test]
fn crates_depend_on_each_other_as_their_rooms_do() {
    let table = table();
    let package_of = |room: &String| table.iter().find(|row| row.room == *room).map(|row| row.package.clone());
    for package in packages() {
        let (mut rooms, mut expected) = (BTreeSet::new(), BTreeSet::new());
        for row in table.iter().filter(|row| row.package == package) {
            rooms.insert(row.room.clone());
            expected.extend(row.may.iter().flatten().filter_map(package_of));
        }
        expected.remove(&package);
        let found: BTreeSet<String> = imports(&sources_of(&package)).into_keys().collect();
        assert_eq!(found, rooms, "the rooms of {package}");
        let text = fs::read_to_string(root().join(folder(&package)).join("Cargo.toml")).unwrap();
        let manifest: toml::Table = text.parse().unwrap();
        let named = manifest["dependencies"].as_table().unwrap().keys().filter(|name| name.starts_with("gauntlet-"));
        assert_eq!(named.cloned().collect::<BTreeSet<_>>(), expected, "the dependencies of {package}");
    }
}

/// For each file of all crates, the files whose items it names.
fn edges() -> circles::Edges {
    let crates: Vec<modules::Crate> =
        packages().iter().map(|package| (package.replace('-', "_"), root().join(src(package)))).collect();
    let edges = circles::edges(root(), &crates);
    assert!(edges.len() > 300 && edges.values().map(BTreeMap::len).sum::<usize>() > 1000, "the paths are not found");
    edges
}

/// Code that two files of a cycle share belongs in a third one.
#[test]
fn no_files_need_each_other_in_a_circle() {
    let found: Vec<String> =
        circles::circles(&edges()).iter().map(|circle| format!("{}\n", circle.join("\n"))).collect();
    assert_none("files that need each other", &found);
}

/// Its directories in the order of its `mod.rs`.
#[test]
fn every_floor_of_the_manifest_knows_only_those_above_it() {
    const FLOORS: [&str; 4] = ["text", "read", "resolve", "plan"];
    let floor = |file: &str| {
        let folder = file.strip_prefix("crates/gauntlet-plan/src/manifest/")?.split_once('/')?.0;
        Some(FLOORS.iter().position(|floor| *floor == folder).expect("every folder is a floor"))
    };
    let edges = edges();
    let all = edges.iter().flat_map(|(from, others)| others.iter().map(move |(to, names)| (from, to, names)));
    let wrong = all.filter(|(from, to, _)| floor(from).zip(floor(to)).is_some_and(|(own, other)| other > own));
    let wrong: Vec<String> = wrong.map(|(from, to, names)| format!("{from} -> {to} ({names})")).collect();
    assert_none("against the order of the floors", &wrong);
}

#[test]
fn every_file_says_what_it_is() {
    let silent = sources().into_iter().filter(|source| !source.text.starts_with("//! "));
    let silent: Vec<String> = silent.map(|source| source.path()).collect();
    assert_none("without a first line `//!`", &silent);
    let of = |package: String| {
        ["tests", "examples", "build", "build.rs"].map(|name| root().join(folder(&package)).join(name))
    };
    for place in packages().into_iter().flat_map(of).filter(|place| place.exists()) {
        let files = if place.is_dir() { files_below(&place, ".rs") } else { vec![place] };
        for file in files {
            assert!(fs::read_to_string(&file).unwrap().starts_with("//! "), "{} has no `//!`", file.display());
        }
    }
}

#[test]
fn files_are_short() {
    let lengths = sources().into_iter().map(|source| (source.code.len(), source.path()));
    let long: Vec<String> = lengths.filter(|(n, _)| *n > LONGEST).map(|(n, name)| format!("{name}: {n}")).collect();
    assert_none("longer than a file should be, without its tests", &long);
}

#[test]
fn only_the_command_line_prints() {
    let sources = sources();
    let others = sources.iter().filter(|source| !matches!(source.room(), "cli" | "main.rs"));
    let found: Vec<String> = others.flat_map(|source| source.lines_with(&["println!(", "print!(", "dbg!("])).collect();
    assert_none("printing outside of the command line", &found);
}

#[test]
fn nothing_is_unwrapped_outside_tests() {
    let found: Vec<String> = sources().iter().flat_map(|source| source.lines_with(&[".unwrap()"])).collect();
    assert_none("`unwrap` outside tests", &found);
}

/// A link, a pipe or a device in the place of a file is refused where files are opened: for reading in `base/files.rs`,
/// for writing in `writing.rs` of the store. The other files rename, or work in a directory that they have just made.
#[test]
fn files_are_opened_in_two_places() {
    let reads = ["fs::read(", "fs::read_to_string(", "File::open(", "OpenOptions::new("];
    let writes = [
        "fs::write(",
        "fs::copy(",
        "fs::create_dir",
        "File::create",
        "fs::rename(",
        "fs::hard_link(",
        "set_permissions(",
    ];
    let allowed = [
        "gauntlet-games/src/base/files.rs",
        "src/app/kept_engines.rs",
        "src/diagnosis/machine.rs",
        "crates/gauntlet-play/src/engines/family.rs",
        "crates/gauntlet-play/src/engines/sealed.rs",
        "crates/gauntlet-play/src/engines/workplace.rs",
        "crates/gauntlet-store/src/atomic.rs",
        "crates/gauntlet-store/src/look.rs",
        "crates/gauntlet-store/src/owner.rs",
        "crates/gauntlet-store/src/trash.rs",
        "crates/gauntlet-store/src/writing.rs",
    ];
    let is_allowed = |source: &&Source| allowed.iter().any(|name| source.path().ends_with(name));
    let sources = sources();
    let others = sources.iter().filter(|source| !is_allowed(source));
    let mut found: Vec<String> = others.flat_map(|source| source.lines_with(&[&reads[..], &writes].concat())).collect();
    // Files of the kernel have no substitutes.
    let of_kernel = ["(\"/proc/", "(\"/sys/", "format!(\"/proc/", "(\"/dev/null\")"];
    found.retain(|line| !of_kernel.iter().any(|file| line.contains(file)));
    assert_none("a file that is opened elsewhere", &found);
}

/// Published files contain no path of the machine they were written on.
#[test]
fn no_path_of_a_machine_is_named() {
    let places = ["home", "root", "Users", "work", "mnt", "tmp"].map(|name| format!("/{name}/"));
    let mut files = files_below(&root().join("src"), ".rs");
    for ends in [".rs", ".md", ".toml"] {
        files.extend(files_below(&root().join("crates"), ends));
    }
    files.extend(files_below(&root().join("experiments"), ".toml"));
    files.extend(files_below(&root().join("docs"), ".md"));
    files.extend(["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Cargo.toml"].map(|name| root().join(name)));
    let mut found = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for place in &places {
            // Within a longer path, as in `https://example.org/home/`, it is not a path of this machine.
            let outer = |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric() || ".-_>}".contains(c));
            if text.match_indices(place.as_str()).any(|(at, _)| outer(at)) {
                found.push(format!("{} names {place}", file.display()));
            }
        }
    }
    assert_none("absolute paths", &found);
}

#[test]
fn this_test_reads_code_as_it_should() {
    let (code, modules) = without_tests(
        "use a;\n#[cfg(test)]\nmod laws;\n#[cfg(test)]\nuse b;\nfn f() {\n}\n#[cfg(test)]\nmod tests {\n    {\n    }\n}\nfn g() {}\n",
    );
    let kept: Vec<&str> = code.iter().map(|(_, line)| line.as_str()).collect();
    assert_eq!(kept, ["use a;", "fn f() {", "}", "fn g() {}"]);
    assert_eq!(modules, ["laws"]);
    let names = |text: &str| imported(text, false).into_iter().collect::<Vec<_>>();
    assert_eq!(names("use crate::base::{Side, Seed};\nuse crate::games::Game;"), ["base", "games"]);
    assert_eq!(names("use crate::{\n    base::{Side, Seed},\n    nets,\n};"), ["base", "nets"]);
    assert_eq!(names("pub(in crate::arena) fn f() {}"), ["arena"]);
    assert_eq!(
        names("use gauntlet_games::base::Side;\nuse gauntlet_nets::{encoders, nets::Mlp};\n"),
        ["base", "encoders", "nets"]
    );
    assert_eq!(names("fn f(ladder: &gauntlet_ratings::Ladder) {}"), ["ratings"]);
    assert_eq!(imported("use crate::code::Code;\nuse gauntlet_store::Store;", true), ["store".to_owned()].into());
}
