//! Tests of ladders: versions of an agent, kept with their files, accepted and refused.

use crate::engines::FIRST;
use crate::workshop::Workshop;

#[test]
fn the_example_runs_at_smoke() {
    let workshop = Workshop::new();
    workshop.done("run ladder --profile smoke");
    let report = workshop.read("reports/ladder/smoke/versions.md");
    let rows: Vec<&str> = report.lines().filter(|line| line.starts_with("| v")).collect();
    assert_eq!(rows.len(), 4, "{report}");
    assert!(rows[2].contains("| 2026-02-02 | 91d5c60 | v2 |") && report.contains("v4 against v1 directly"), "{report}");
    let points = workshop.read("reports/ladder/smoke/versions.csv");
    assert!(points.lines().next().unwrap().ends_with(",text") && points.contains("sum of elo"), "{points}");
}

const MANIFEST: &str = r#"schema = 1
name = "steps"
title = "Versions of a shell agent"
[games]
o.othello = { size = 4 }
[agents]
mine.engine = { command = ["sh", "mock.sh"], name = "mine" }
[stages.patches]
zip = [{ agent = [], opponent = [] }]
play.match = { game = "o", agent = "mine", opponent = "mine", games = 200, openings = { random = { plies = 2 } }, sprt = { elo0 = 0.0, elo1 = 300.0 } }
[[exhibit]]
show.versions = { stage = "patches", versions = [] }
"#;

/// An agent that resigns in the games for which the shell's test holds.
fn agent(resigns: &str) -> String {
    let answer = format!(
        "answer() {{ if {resigns}; then echo \"{{\\\"moves\\\":[{{\\\"game\\\":$game,\\\"resign\\\":true}}]}}\"; else \
         echo \"{{\\\"moves\\\":[{{\\\"game\\\":$game,\\\"move\\\":\\\"$move\\\"}}]}}\"; fi; }}"
    );
    format!("{FIRST}\n{answer}\nserve\n")
}

#[test]
fn a_version_that_got_worse_is_refused() {
    let workshop = Workshop::new();
    workshop.write("m.toml", MANIFEST);
    let add = |name: &str, resigns: &str| {
        workshop.write("mock.sh", &agent(resigns));
        let date = ["ladder", "add", "m.toml", "--name", name, "--date", "2026-01-05", "--commit", name];
        workshop.ends(0, &date)
    };
    let run = |code: i32| workshop.ends(code, &["ladder", "run", "m.toml", "--allow-engines"]);
    add("v1", "[ $((game % 2)) = 0 ]");
    add("v2", "false");
    let accepted = run(0);
    assert!(accepted.stderr.contains("v2 against v1: accepted"), "{}", accepted.stderr);
    add("v3", "true");
    let refused = run(3);
    assert!(refused.stderr.contains("v3 against v2: refused"), "{}", refused.stderr);
    assert!(refused.stderr.contains("1 cached"), "{}", refused.stderr);
    let report = workshop.read("reports/steps/base/steps.md");
    assert!(report.contains("- Accepted: v2.") && report.contains("- Refused: v3."), "{report}");

    // The next version plays the last one that was not refused, and is its equal.
    let added = add("v4", "false");
    assert!(added.stderr.contains("the version v4 of mine against v2, kept in versions/v4-"), "{}", added.stderr);
    let manifest = workshop.read("m.toml");
    assert!(manifest.contains("agent = [\"v2\", \"v3\", \"v4\"], opponent = [\"v1\", \"v2\", \"v2\"]"), "{manifest}");
    assert!(manifest.contains("{ name = \"v4\", date = \"2026-01-05\", commit = \"v4\" }"), "{manifest}");
    assert_eq!(workshop.files("versions", "mock.sh").len(), 4);
    // The files of a version never change: nothing is played again.
    workshop.write("mock.sh", &agent("true"));
    let last = workshop.run("ladder run m.toml --allow-engines");
    assert!(last.stderr.contains("2 cached"), "{}", last.stderr);
}

#[test]
fn a_version_has_the_commit_that_its_files_are_in() {
    let workshop = Workshop::new();
    workshop.write("m.toml", MANIFEST);
    workshop.write("mock.sh", &agent("false"));
    for arguments in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "--message", "first"]] {
        workshop.git(arguments);
    }
    let add = |name: &str| workshop.ends(0, &["ladder", "add", "m.toml", "--name", name]).stderr;
    add("v1");
    workshop.write("mock.sh", &agent("true"));
    let told = add("v2");
    assert!(told.contains("`mock.sh` is not as in the commit"), "{told}");
    let manifest = workshop.read("m.toml");
    let listed = manifest.split_once("{ name = \"v1\"").unwrap().1;
    let (first, second) = listed.split_once("{ name = \"v2\"").unwrap();
    assert!(first.contains("commit = ") && !second.contains("commit = "), "{manifest}");
}

#[test]
fn mistakes_leave_the_manifest_alone() {
    let workshop = Workshop::new();
    workshop.write("m.toml", MANIFEST);
    workshop.write("mock.sh", &agent("false"));
    let fails = |arguments: &[&str], told: &str| {
        let ended = workshop.ends(2, &[&["ladder", "add", "m.toml"], arguments].concat());
        assert!(ended.stderr.contains(told), "{told}: {}", ended.stderr);
        assert_eq!(workshop.read("m.toml"), MANIFEST);
    };
    fails(&["--name", "mine"], "already has an agent `mine`");
    fails(&["--name", "../up"], "is not a name of a version");
    fails(&["--name", "v1", "--agent", "other"], "there is no agent `other`");
    fails(&["--name", "v1", "--against", "v0"], "there is no version `v0`");
    fails(&["--name", "v1", "--date", "soon"], "`soon` is not a date");
    let other = MANIFEST
        .replace("show.versions = { stage = \"patches\", versions = [] }", "show.crosstable = { stage = \"patches\" }");
    workshop.write("other.toml", &other);
    let ended = workshop.ends(2, &["ladder", "run", "other.toml"]);
    assert!(ended.stderr.contains("shows no versions of an agent"), "{}", ended.stderr);
}
