//! Tests of the documents: the guide's manifest, its commands, the length of README, and every link to a file.
//!
//! `tests/peers/guide.py` runs what README and guide show, and follows the links of all of their pages.

use std::fs;
use std::path::Path;
use std::process::Command;

use gauntlet_games::base::Key;
use gauntlet_plan::manifest::{ManifestSource, Overrides, Plan, load};

fn read(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// A source with one manifest, under any name.
struct Only(String);

impl ManifestSource for Only {
    fn text(&self, _name: &str) -> Result<String, String> {
        Ok(self.0.clone())
    }
}

/// The jobs of a manifest at a profile.
fn keys(text: &str, profile: Option<&str>) -> Vec<Key> {
    let overrides = Overrides { profile: profile.map(str::to_owned), ..Overrides::default() };
    let plan = load(&Only(text.to_owned()), "quickstart.toml", &overrides).and_then(|loaded| Plan::new(loaded, "cpu"));
    plan.unwrap_or_else(|problems| panic!("{problems:?}")).jobs.iter().map(|job| job.key).collect()
}

#[test]
fn the_manifest_of_the_guide_is_the_quickstart() {
    let page = read("docs/manifests/README.md");
    let shown = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let quickstart = read("experiments/quickstart.toml");
    assert_eq!(shown, quickstart);
    for profile in [None, Some("smoke")] {
        assert!(!keys(shown, profile).is_empty(), "{profile:?}");
    }
}

#[test]
fn the_readme_is_one_page() {
    let readme = read("README.md");
    assert!(readme.lines().count() <= 150, "{} lines", readme.lines().count());
    assert!(readme.split_whitespace().count() <= 1300, "{} words", readme.split_whitespace().count());
}

#[test]
fn the_commands_of_the_guide_are_there() {
    let page = read("docs/reference/commands.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| [`"));
    let named: Vec<&str> = rows.filter_map(|row| row.split('`').next()).collect();
    assert!(named.len() >= 8, "{named:?}");
    for name in named {
        let help = Command::new(env!("CARGO_BIN_EXE_gauntlet")).args([name, "--help"]).output().unwrap();
        assert!(help.status.success(), "{name}");
    }
}

#[test]
fn every_link_to_a_file_leads_somewhere() {
    let crates = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("crates")).unwrap();
    let crates = crates.map(|entry| format!("crates/{}/README.md", entry.unwrap().file_name().display()));
    let documents = [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "docs/README.md",
        "docs/SUMMARY.md",
        "docs/engine-protocol.md",
        "docs/gate.md",
        "experiments/engines/README.md",
        "reports/gallery/README.md",
    ];
    let documents = documents.map(str::to_owned);
    for document in documents.into_iter().chain(crates) {
        let text = read(&document);
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join(&document);
        let (folder, name) = (place.parent().unwrap(), place.file_name().unwrap());
        let targets = text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap());
        for target in targets.filter(|target| !target.starts_with("http")) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { folder.join(name) } else { folder.join(file) };
            assert!(file.exists(), "{document}: {target}");
            if !anchor.is_empty() {
                let text = std::fs::read_to_string(&file).unwrap();
                assert!(headings(&text).any(|heading| heading == anchor), "{document}: {target}");
            }
        }
    }
}

/// The anchors of a document's headings.
fn headings(text: &str) -> impl Iterator<Item = String> {
    let titles = text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches(['#', ' ']));
    let keep = |sign: &char| sign.is_alphanumeric() || matches!(sign, '-' | '_' | ' ');
    titles.map(move |title| title.to_lowercase().chars().filter(keep).collect::<String>().replace(' ', "-"))
}

/// The first step of the action reads these files, and stops where one is missing.
#[test]
fn the_files_that_the_action_reads_are_there() {
    let action = read("action.yml");
    let files =
        action.split_once("$(find ").and_then(|(_, rest)| rest.split_once(" -type f")).expect("the step `source`");
    assert!(files.0.split(' ').count() > 5, "{}", files.0);
    for name in files.0.split(' ') {
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(name).exists(), "action.yml names {name}");
    }
}
