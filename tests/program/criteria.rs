//! Tests of success criteria: verdicts, exit codes, and the time of the claim.

use std::fs;

use crate::workshop::{MEASUREMENTS, Workshop};

/// A player that beats the random one, and a claim about it.
const CLAIM: &str = r#"schema = 1
name = "test/claim"
title = "Naive against random"

[games]
go.atari-go = { size = 5 }

[agents]
naive.naive = {}
random.random = {}

[stages.test]
seeds = 4
sweep = { opponent = ["random"] }
play.match = { game = "go", agent = "naive", opponent = "random", games = 40 }

[[exhibit]]
show.means = { stage = "test", rows = ["opponent"], columns = ["game"], scale = "outcome" }

[[exhibit.success]]
claim = "Naive beats random"
of = { opponent = "random" }
over.number = 0.5
"#;

#[test]
fn require_success_decides_the_exit_code() {
    let workshop = Workshop::with(CLAIM);
    workshop.done("run m.toml --require-success");
    workshop.write("m.toml", &CLAIM.replace("over.number = 0.5", "over.number = 0.999"));
    workshop.done("run m.toml");
    let ended = workshop.run("run m.toml --require-success");
    assert_eq!(ended.code, 3);
    assert!(ended.stderr.contains("Naive beats random: not met."), "{}", ended.stderr);
    workshop.write("m.toml", MEASUREMENTS);
    let ended = workshop.run("run m.toml --require-success");
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("m.toml has no success criterion"), "{}", ended.stderr);
}

#[test]
fn equivalence_is_judged_and_shown() {
    let claim = CLAIM.replace("over.number = 0.5", "equivalent.margin = 100");
    let claim = claim.replace("agent = \"naive\"", "agent = \"random\"").replace("games = 40", "games = 80");
    let workshop = Workshop::with(&claim);
    workshop.done("run m.toml --require-success");
    let page = fs::read_to_string(workshop.path("reports/test/base/claim.md")).unwrap();
    assert!(page.contains(": met. Equivalent within 100 normalized Elo: difference "), "{page}");
    assert!(page.contains(", the 90 % interval over games, 160 pairs, n = 4. Equal players need 52 pairs"), "{page}");
    let html = fs::read_to_string(workshop.path("reports/test/base/index.html")).unwrap();
    assert!(html.contains("Equivalent within 100 normalized Elo"), "{html}");
    for (margin, exit, verdict) in
        [(2, 3, "Naive beats random: undecided. Equivalence within 2 normalized Elo"), (90, 0, "")]
    {
        workshop.write("m.toml", &claim.replace("margin = 100", &format!("margin = {margin}")));
        let ended = workshop.run("run m.toml --require-success");
        assert!(ended.code == exit && ended.stderr.contains(verdict), "{margin}: {} {}", ended.code, ended.stderr);
    }
    workshop.write("m.toml", &claim.replace("margin = 100", "margin = 2"));
    let checked = workshop.run("check m.toml").stderr;
    assert!(
        checked.contains("caution: the claim `Naive beats random` rests on 160 pairs; equal players need"),
        "{checked}"
    );
}

#[test]
fn a_report_says_whether_a_claim_preceded_its_results() {
    let workshop = Workshop::with(CLAIM);
    let said = |command: &str| {
        workshop.done(command);
        fs::read_to_string(workshop.path("reports/test/base/claim.md")).unwrap()
    };
    assert!(said("run m.toml").contains("n = 4. Fixed before its runs."));
    let another = CLAIM.replace("over.number = 0.5", "over.number = 0.6");
    workshop.write("m.toml", &another);
    assert!(said("report m.toml").contains("Written after 4 of its 4 results."), "nobody has run it");
    assert!(said("run m.toml").contains("Written after 4 of its 4 results."));
    // Neither more runs nor unrelated changes alter the record.
    workshop.write("m.toml", &another.replace("seeds = 4", "seeds = 6"));
    assert!(said("run m.toml").contains("n = 6. Written after 4 of its 6 results."));
    workshop.write("m.toml", CLAIM);
    assert!(said("run m.toml").contains("Fixed before its runs."), "as it was");
    workshop.age();
    assert!(said("run m.toml").contains("Fixed before its runs."), "whatever code runs it");
    // For results from elsewhere, nothing is recorded.
    ["requests", "criteria"].iter().for_each(|notes| fs::remove_dir_all(workshop.path("results").join(notes)).unwrap());
    assert!(said("run m.toml").contains("Whether it was fixed before its runs is not known."));
    let page = fs::read_to_string(workshop.path("reports/test/base/index.html")).unwrap();
    assert!(page.contains("Whether it was fixed before its runs is not known.") && !page.contains(", fixed before"));
}

/// The same numbers come again, and they were shown before.
#[test]
fn results_that_were_removed_are_no_blind_test() {
    let workshop = Workshop::with(CLAIM);
    workshop.done("run m.toml");
    workshop.jobs("").iter().for_each(|job| fs::remove_dir_all(job).unwrap());
    workshop.write("m.toml", &CLAIM.replace("over.number = 0.5", "over.number = 0.6"));
    workshop.done("run m.toml");
    let page = workshop.read("reports/test/base/claim.md");
    assert!(page.contains("Whether it was fixed before its runs is not known."), "{page}");
}

/// Only the report reads the games of these jobs, which can repeat each other.
#[test]
fn damage_that_a_report_finds_is_mended_by_the_same_run() {
    let workshop = Workshop::with(CLAIM);
    workshop.done("run m.toml");
    let whole = workshop.read("reports/test/base/claim.csv");
    let games = workshop.jobs("play")[0].join("games.jsonl");
    let intact = fs::read(&games).unwrap();
    let mut damaged = intact.clone();
    damaged[50] ^= 1;
    fs::write(&games, damaged).unwrap();
    let ended = workshop.done("run m.toml");
    assert!(ended.stderr.contains("the content of `games.jsonl` has changed"), "{}", ended.stderr);
    assert!(fs::read(&games).unwrap() == intact && workshop.read("reports/test/base/claim.csv") == whole);
    assert!(workshop.done("run m.toml").stderr.contains("nothing to do"));
}
