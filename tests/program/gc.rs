//! Tests of `gauntlet gc`: it removes only what no manifest wants.

use std::fs;

use crate::workshop::{MEASUREMENTS, Workshop, json};

#[test]
fn gc_lists_first_and_keeps_the_results_of_manifests() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("reproduce schaul2009/fig4a --profile smoke");
    let wanted = workshop.jobs("measure").len();
    workshop.done("run quickstart --seeds 1 --set stages.train.train.cma-es.settings.generations=2");
    workshop.done("run m.toml --seeds 2");
    let all = workshop.jobs("").len();
    let shown = workshop.done("gc");
    assert!(shown.stderr.contains("add --yes to remove them") && shown.stdout.contains("unwanted result"), "{shown:?}");
    assert_eq!(workshop.jobs("").len(), all, "shown, not removed");
    workshop.done("gc --yes");
    assert_eq!(workshop.jobs("").len(), wanted + 4, "m.toml's jobs are kept, the changed quickstart's are not");
    assert!(workshop.done("reproduce schaul2009/fig4a --profile smoke").stderr.contains("nothing to do"));
}

#[test]
fn gc_keeps_results_of_unknown_manifests_and_has_a_trash() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml --seeds 2");
    workshop.write("m.toml", &MEASUREMENTS.replace("games = 10", "games = 12"));
    workshop.done("run m.toml --seeds 1");
    let shown = workshop.done("gc");
    assert!(shown.stderr.contains("4 results, ") && shown.stdout.contains("/m.toml"), "who asked: {shown:?}");
    fs::rename(workshop.path("m.toml"), workshop.path("moved.toml")).unwrap();
    let nobody = |arguments: &str, reported: &str| {
        let kept = workshop.done(arguments);
        assert!(kept.stderr.contains("no unwanted results") && kept.stderr.contains(reported), "{}", kept.stderr);
        assert_eq!(workshop.jobs("").len(), 6);
    };
    nobody("gc --yes", "6 results, ");
    // A store without request notes keeps all its jobs too.
    fs::rename(workshop.path("results/requests"), workshop.path("requests")).unwrap();
    nobody("gc moved.toml --yes", "4 results, ");
    let removed = workshop.done("gc moved.toml --unknown --yes");
    assert!(removed.stderr.contains("removed 4 results, ") && removed.stderr.contains("for a week"), "{removed:?}");
    assert_eq!((workshop.jobs("").len(), workshop.files("results/trash", "done.json").len()), (2, 4));
    // Back from the trash, and then removed from it.
    let day = fs::read_dir(workshop.path("results/trash")).unwrap().next().unwrap().unwrap().path();
    let job = fs::read_dir(&day).unwrap().next().unwrap().unwrap();
    fs::rename(job.path(), workshop.path("results/jobs").join(job.file_name())).unwrap();
    assert_eq!(json(&workshop.done("gc moved.toml --unknown --json").stdout).as_array().unwrap().len(), 1);
    fs::rename(&day, day.with_file_name("2020-01-31")).unwrap();
    assert!(workshop.done("gc moved.toml --yes").stderr.contains("freed "));
    assert!(!workshop.path("results/trash").exists());
}

#[test]
fn gc_removes_the_files_of_killed_runs() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml --seeds 1");
    let whole = (workshop.files("results/jobs", ""), workshop.files("reports", ""));
    let job = workshop.jobs("").remove(0);
    for litter in [".claim", "checkpoint.bin", ".tmp-1-0123456789abcdef-3"] {
        fs::write(job.join(litter), "rubbish").unwrap();
    }
    let names = ["reports/test/.tmp-77-00ff00ff00ff00ff-1", "results/.tmp-77-00ff00ff00ff00ff-2", "reports/.tmp-mine"];
    names.iter().for_each(|name| workshop.write(name, "rubbish"));
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(7200);
    let aged = |name: &str| fs::File::options().write(true).open(workshop.path(name)).unwrap().set_modified(long_ago);
    names[1..].iter().for_each(|name| aged(name).unwrap());
    let cleared = workshop.done("gc --yes");
    assert!(cleared.stderr.contains("freed 28 B"), "{}", cleared.stderr);
    assert!(workshop.files("results/jobs", "") == whole.0 && workshop.path(names[2]).exists());
    assert!(workshop.path(names[0]).exists(), "a report that is being written is left alone");
    aged(names[0]).unwrap();
    workshop.done("gc --yes");
    fs::remove_file(workshop.path(names[2])).unwrap();
    assert!(workshop.files("reports", "") == whole.1);
}

#[test]
fn gc_keeps_results_of_manifests_under_experiments() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.write("experiments/mine.toml", &format!("{MEASUREMENTS}\n[profile.laptop]\nstages.fitness.seeds = 2\n"));
    workshop.done("run mine --profile base --only seed=20");
    workshop.done("run m.toml --set stages.fitness.measure.fitness.games=6 --seeds 1 --force");
    let shown = workshop.done("gc");
    assert!(shown.stderr.contains("2 results, "), "{}", shown.stderr);
    let broken = "experiments/broken.toml";
    workshop.write(broken, "schema = 1\nnames = 3\n");
    let reported = workshop.done("gc").stderr;
    assert!(
        reported.contains(broken) && reported.contains("has problems") && reported.contains("2 results, "),
        "{reported}"
    );
    let whole = workshop.read("m.toml");
    workshop.write("m.toml", &format!("{whole}\nbroken = \n"));
    let kept = workshop.done("gc --unknown --older --yes").stderr;
    assert!(kept.contains("no unwanted results") && kept.contains("kept, whose manifests have problems"), "{kept}");
    workshop.write("m.toml", &whole);
    let status = workshop.done("status");
    assert!(!status.stderr.contains("broken"), "it did not run here: {}", status.stderr);
    assert!(status.stdout.contains("\nm.toml  ") && status.stdout.contains("\nmine  "), "{}", status.stdout);
    fs::remove_file(workshop.path(broken)).unwrap();
    let removed = workshop.done("gc --yes");
    assert!(removed.stderr.contains("removed 2 results, "), "{}", removed.stderr);
    assert_eq!(workshop.jobs("").len(), 2, "built-in manifests are known beside those under experiments/");
    assert!(workshop.done("reproduce schaul2009/fig4a --profile smoke --list").stdout.contains("fig4a"));
}
