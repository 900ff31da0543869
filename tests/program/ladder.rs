//! Tests of ladders: versions of an agent, kept with their files, accepted and refused.

use crate::engines::{FIRST, weighed};
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
fn a_version_plays_with_the_files_that_it_had() {
    let ladder = MANIFEST.replace("command = [\"sh\", \"mock.sh\"], name", "SETTINGS, name");
    for form in [
        "command = [\"sh\", \"mock.sh\", \"--weights=PLACE/w.txt\"]",
        "command = [\"sh\", \"mock.sh\"], options = { weights = \"PLACE/../here/w.txt\" }",
    ] {
        let workshop = weighed(form, &ladder);
        let add = |name: &str| {
            workshop
                .ends(0, &["ladder", "add", "here/m.toml", "--name", name, "--date", "2026-01-05", "--commit", name])
        };
        add("v1");
        workshop.write("here/w.txt", "bad");
        add("v2");
        let run = |code: i32| workshop.ends(code, &["ladder", "run", "here/m.toml", "--allow-engines"]).stderr;
        assert!(run(3).contains("v2 against v1: refused"));
        workshop.write("here/w.txt", "good");
        add("v3");
        // Its opponent v1 is its equal; v2 was refused.
        let equal = workshop.run("ladder run here/m.toml --allow-engines").stderr;
        assert!(equal.contains("v3 against v1") && !equal.contains("accepted"), "{form}: {equal}");

        let kept = workshop.files("here/versions", "w.txt").into_keys().find(|name| name.contains("v1-")).unwrap();
        let directory = kept.split('/').take(3).collect::<Vec<_>>().join("/");
        workshop.write(&kept, "bad");
        for command in ["ladder run", "run"] {
            let arguments = [&command.split(' ').collect::<Vec<_>>()[..], &["here/m.toml", "--allow-engines"]].concat();
            let ended = workshop.ends(4, &arguments);
            assert!(
                ended.stderr.contains("w.txt` has changed in") && ended.stderr.contains("/v1-"),
                "{}",
                ended.stderr
            );
        }
        // The list of files is a help: without it, the name of the directory tells.
        std::fs::remove_file(workshop.path(&format!("{directory}.json"))).unwrap();
        assert!(run(4).contains("has changed in"));
        std::fs::remove_file(workshop.path(&kept)).unwrap();
        let reported = run(4);
        assert!(reported.contains("is missing in") || reported.contains("is not kept in"), "{reported}");
        workshop.write(&kept, "good");
        workshop.write(&format!("{directory}/json.py"), "");
        assert!(run(4).contains("`json.py` was added in"));
    }
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
    let reported = add("v2");
    assert!(reported.contains("`mock.sh` is not as in the commit"), "{reported}");
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
    let fails = |arguments: &[&str], reported: &str| {
        let ended = workshop.ends(2, &[&["ladder", "add", "m.toml"], arguments].concat());
        assert!(ended.stderr.contains(reported), "{reported}: {}", ended.stderr);
        assert_eq!(workshop.read("m.toml"), MANIFEST);
    };
    fails(&["--name", "mine"], "already has an agent `mine`");
    fails(&["--name", "../up"], "is not a name of a version");
    fails(&["--name", "v1", "--agent", "other"], "there is no agent `other`");
    fails(&["--name", "v1", "--against", "v0"], "there is no version `v0`");
    fails(&["--name", "v1", "--date", "soon"], "`soon` is not a date");
    assert!(!workshop.path("versions").exists(), "a refused version has no copies");
    let other = MANIFEST
        .replace("show.versions = { stage = \"patches\", versions = [] }", "show.crosstable = { stage = \"patches\" }");
    workshop.write("other.toml", &other);
    let ended = workshop.ends(2, &["ladder", "run", "other.toml"]);
    assert!(ended.stderr.contains("shows no versions of an agent"), "{}", ended.stderr);
}

#[test]
fn a_manifest_keeps_its_line_ends() {
    let workshop = Workshop::new();
    workshop.write("m.toml", &MANIFEST.replace('\n', "\r\n"));
    workshop.write("mock.sh", &agent("false"));
    workshop.ends(0, &["ladder", "add", "m.toml", "--name", "v1", "--date", "2026-01-05", "--commit", "v1"]);
    let text = workshop.read("m.toml");
    assert!(text.contains("v1.engine") && !text.replace("\r\n", "").contains('\n'), "{text:?}");
}

#[test]
fn a_version_without_a_place_leaves_no_copies() {
    let workshop = Workshop::new();
    workshop.write("m.toml", &MANIFEST.replace("zip = [{ agent = [], opponent = [] }]\n", ""));
    workshop.write("mock.sh", &agent("false"));
    let ended = workshop.ends(2, &["ladder", "add", "m.toml", "--name", "v1", "--agent", "mine"]);
    assert!(ended.stderr.contains("stages.patches pairs no versions"), "{}", ended.stderr);
    assert!(!workshop.path("versions").exists());
}
