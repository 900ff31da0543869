//! `gauntlet doctor` on a machine without a GPU.

use serde_json::Value;

use crate::workshop::Workshop;

fn report(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn lines<'a>(report: &'a Value, verdict: &str) -> Vec<&'a Value> {
    report["lines"].as_array().unwrap().iter().filter(|line| line["verdict"] == verdict).collect()
}

#[test]
fn a_machine_that_computes_right_passes_all_checks() {
    let workshop = Workshop::new();
    let ended = workshop.done("doctor --json --results results");
    let report = report(&ended.stdout);
    assert_eq!(report["good"], true);
    assert!(lines(&report, "bad").is_empty() && lines(&report, "good").len() > 15, "{}", ended.stdout);
    for name in ["processor", "file locks", "class", "AlphaGateau 2x8", "steps of optimisation", "cores", "self-play"] {
        let found = report["lines"].as_array().unwrap().iter().filter(|line| line["name"] == name).count();
        assert_eq!(found, 1, "{name}");
    }
    // Without a card, its checks say why they were skipped.
    let skipped = lines(&report, "skipped");
    assert!(skipped.iter().any(|line| line["text"].as_str().unwrap().contains("no card")), "{skipped:?}");
    assert!(!workshop.path("results").exists(), "nothing is left behind");
}

#[test]
fn parts_are_chosen_and_stay_in_order() {
    let workshop = Workshop::new();
    let report = report(&workshop.done("doctor device machine --json").stdout);
    let subjects: Vec<&str> =
        report["lines"].as_array().unwrap().iter().map(|line| line["subject"].as_str().unwrap()).collect();
    assert!(subjects.is_sorted_by_key(|subject| subject != &"machine"), "{subjects:?}");
    assert!(subjects.contains(&"machine") && subjects.contains(&"device") && !subjects.contains(&"speed"));
    let ended = workshop.ends(2, &["doctor", "spede"]);
    assert!(ended.stderr.contains("speed"), "{}", ended.stderr);
}

#[test]
fn a_directory_without_files_fails_with_a_hint() {
    let workshop = Workshop::new();
    let ended = workshop.ends(1, &["doctor", "--results", "/proc/self/results"]);
    assert!(ended.stdout.contains("FAIL  files: ") && ended.stdout.contains("hint: choose another directory"));
    assert!(ended.stdout.trim_end().ends_with("checks FAILED."), "{}", ended.stdout);
}
