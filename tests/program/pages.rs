//! Tests of reports and of the gallery: their pages, tables and provenance.

use std::fs;
use std::path::Path;

use crate::workshop::{ALPHA_ZERO, MEASUREMENTS, TRAINING, Workshop, json};

#[test]
fn a_partial_report_names_the_missing_jobs() {
    let workshop = Workshop::with(TRAINING);
    workshop.done("run m.toml --only stage=train");
    let ended = workshop.done("report m.toml");
    assert!(ended.stdout.contains("Nothing has been measured yet."), "{}", ended.stdout);
    assert!(ended.stderr.contains("8 of 12 jobs have no result"), "{}", ended.stderr);
}

#[test]
fn a_report_states_the_changes_of_the_command_line_and_the_program() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml --seeds 3 --set stages.fitness.measure.fitness.games=6 --only game.size=5,seed=1");
    let said = "Changed on the command line: stages.fitness.measure.fitness.games = 6; seeds = 3; \
                only game.size=5,seed=1.";
    for file in ["measurements.md", "index.html"] {
        let text = fs::read_to_string(workshop.path(&format!("reports/test/custom/{file}"))).unwrap();
        assert!(text.contains(said), "{text}");
    }
    workshop.done("run m.toml --seeds 3 --only seed=1 --profile base");
    let text = fs::read_to_string(workshop.path("reports/test/custom/measurements.md")).unwrap();
    assert!(text.contains("Changed on the command line: profile base; seeds = 3; only seed=1."), "{text}");
    workshop.done("report m.toml");
    let page = fs::read_to_string(workshop.path("reports/test/base/index.html")).unwrap();
    assert!(page.contains(env!("GAUNTLET_COMMIT")), "the commit of the program, where there is no checkout");
    assert!(!page.contains("Profile:") && !page.contains("Changed on"), "{page}");
}

#[test]
fn a_report_without_results_replaces_no_report() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.write("other.toml", &MEASUREMENTS.replace("games = 10", "games = 12").replace("test/m", "other/m"));
    workshop.done("run m.toml --seeds 1");
    let before = workshop.files("reports", "");
    let ended = workshop.run("report m.toml --seeds 1 --results elsewhere");
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("none of 2 jobs has a result in elsewhere"), "{}", ended.stderr);
    assert!(ended.stderr.contains("`gauntlet run m.toml` makes them"), "{}", ended.stderr);
    assert!(workshop.files("reports", "") == before && !workshop.path("elsewhere").exists());
    let ended = workshop.done("report m.toml other.toml");
    assert!(ended.stderr.contains("other.toml has no result; its report is unchanged"), "{}", ended.stderr);
    assert!(!workshop.path("reports/other").exists());
}

#[test]
fn reports_that_cannot_be_written_are_found_before_any_job() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.write("blocked", "a file");
    for reports in ["blocked", "blocked/below"] {
        let ended = workshop.ends(1, &["run", "m.toml", "--reports", reports]);
        assert!(ended.stderr.contains("no report is written") && ended.stderr.contains("--reports"), "{ended:?}");
    }
    assert!(!workshop.path("results/jobs").exists());
}

#[test]
fn a_report_without_a_result_keeps_no_name() {
    let engine = "[agents]\nbroken.engine = { command = [\"sh\", \"-c\", \"exit 3\"] }\nrandom.random = {}\n";
    let manifest = |agent: &str| {
        format!(
            "schema = 1\nname = \"test/kept\"\ntitle = \"{agent}\"\ngames.othello.othello = {{ size = 4 }}\n{engine}\
             [stages.p.play.match]\ngame = \"othello\"\nagent = \"{agent}\"\nopponent = \"random\"\ngames = 2\n\
             [[exhibit]]\nshow.means = {{ stage = \"p\", rows = [\"agent\"] }}\n"
        )
    };
    let workshop = Workshop::with(&manifest("broken"));
    workshop.write("other.toml", &manifest("random"));
    workshop.ends(1, &["run", "m.toml", "--yes"]);
    workshop.done("run other.toml --yes");
    let refused = workshop.ends(2, &["run", "m.toml", "--yes"]);
    assert!(refused.stderr.contains("would overwrite it"), "{}", refused.stderr);
}

#[test]
fn report_and_reproduce_write_the_same_tables() {
    let workshop = Workshop::new();
    assert_eq!(workshop.run("report").code, 2, "there are no results");
    workshop.done("reproduce schaul2009/fig4a --profile smoke");
    // One table has the runs of all artefacts.
    let written = workshop.tables();
    for arguments in ["report schaul2009 --profile smoke", "report --profile smoke"] {
        fs::remove_dir_all(workshop.path("reports")).unwrap();
        workshop.done(arguments);
        // Artefacts that share jobs with it have results too.
        let again = workshop.files("reports", ".csv");
        assert!(written.iter().all(|(name, bytes)| again.get(name) == Some(bytes)), "{arguments}: {:?}", again.keys());
    }
}

#[test]
fn the_directory_of_a_training_is_not_named_after_its_start() {
    let workshop =
        Workshop::with(&ALPHA_ZERO.replace("iterations = 30", "iterations = 3").replace("[2, 30]", "[2, 3]"));
    workshop.done("run m.toml");
    let directory = workshop.jobs("train").remove(0);
    let name = directory.file_name().unwrap().to_str().unwrap().to_owned();
    assert!(!name.contains("untrained"), "{name}");
}

#[test]
fn only_its_own_manifest_replaces_a_report() {
    let workshop = Workshop::with(MEASUREMENTS);
    let (one, other) = ("run m.toml --seeds 1", "run other.toml --seeds 1");
    workshop.write("other.toml", MEASUREMENTS);
    workshop.done(one);
    workshop.done(other);
    workshop.write("other.toml", &MEASUREMENTS.replace("games = 10", "games = 12"));
    workshop.done(one);
    let before = workshop.files("reports", "");
    let refused = |arguments: &str| {
        let ended = workshop.run(arguments);
        assert_eq!(ended.code, 2, "{arguments}: {}", ended.stderr);
        let reported = ["the report `test/measurements` is that of", "m.toml", "other.toml", "--force"];
        assert!(reported.iter().all(|word| ended.stderr.contains(word)), "{arguments}: {}", ended.stderr);
    };
    refused(other);
    refused("run m.toml other.toml --seeds 1 --reports new");
    assert!(workshop.files("reports", "") == before && !workshop.path("new").exists());
    assert_eq!(workshop.jobs("").len(), 2, "nothing ran");
    // An edited manifest, or one with a deleted file, does not block others.
    workshop.write("m.toml", &MEASUREMENTS.replace("games = 10", "games = 14"));
    workshop.done(one);
    workshop.done(&format!("{other} --force"));
    refused("report m.toml --seeds 1");
    fs::remove_file(workshop.path("other.toml")).unwrap();
    workshop.done(one);
    workshop.write("m.toml", &MEASUREMENTS.replace("test/measurements", "test/runs"));
    assert!(workshop.run(one).stderr.contains("the report's table of runs is called `runs`"));
}

/// Without names, the reports are those of the profiles that ran.
#[test]
fn a_bare_report_renders_the_profiles_that_ran() {
    let profiles = "\n[profile.few]\nstages.fitness.seeds = 1\n[profile.other]\nstages.fitness.seeds = 2\n\
        stages.fitness.measure.fitness.games = 4\n";
    let workshop = Workshop::with(&format!("{MEASUREMENTS}{profiles}"));
    workshop.done("run m.toml --profile few");
    workshop.done("run m.toml --profile other");
    fs::remove_dir_all(workshop.path("reports")).unwrap();
    let shown = json(&workshop.done("report --json").stdout);
    let shown: Vec<&str> = shown.as_array().unwrap().iter().map(|sheet| sheet["profile"].as_str().unwrap()).collect();
    assert_eq!(shown, ["few", "other"]);
    assert!(workshop.path("reports/test/few/index.html").is_file() && !workshop.path("reports/test/base").exists());
}

/// A page is that of one manifest, also where the exhibits have other names.
#[test]
fn a_page_has_the_exhibits_of_one_manifest() {
    let named = |name: &str| MEASUREMENTS.replace("[[exhibit]]", &format!("[[exhibit]]\nname = \"{name}\""));
    let workshop = Workshop::with(&named("one"));
    workshop.write("other.toml", &named("two").replace("games = 10", "games = 12"));
    workshop.done("run m.toml --seeds 1");
    let refused = workshop.ends(2, &["run", "other.toml", "--seeds", "1"]);
    let words = ["the report `test/one` is that of", "m.toml, and", "other.toml would overwrite it"];
    assert!(words.iter().all(|words| refused.stderr.contains(words)), "{}", refused.stderr);
    let page = |name: &str| workshop.read("reports/test/custom/index.html").contains(&format!("id=\"{name}\""));
    assert!(page("one"));
    workshop.write("m.toml", &named("three"));
    workshop.done("run m.toml --seeds 1");
    assert!(page("three") && !page("one"), "an exhibit that the manifest has no longer");
}

#[test]
fn a_page_keeps_the_order_of_its_manifest_and_counts_what_it_shows() {
    let workshop = Workshop::with(&TRAINING.replace("name = \"curves\"", "name = \"zebra\""));
    workshop.done("run m.toml");
    let read = |name: &str| fs::read_to_string(workshop.path(&format!("reports/{name}"))).unwrap();
    let (page, index) = (read("test/base/index.html"), read("index.html").replace("&#x2f;", "/"));
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is missing"));
    assert!(place("Two networks learn: learning curves of train over iterations by agent") < place("id=\"transfer\""));
    assert!(
        place("complete · 4 jobs · 37,200 games")
            < place("Two networks learn: mean results of transfer by agent, board size</h2>")
    );
    assert!(place("complete · 8 jobs · 160 games") > place("id=\"transfer\""));
    assert!(index.contains("test/base/index.html#zebra") && index.contains("test/base/runs.csv"), "{index}");
}

#[test]
fn all_metrics_and_all_runs_come_in_one_table_each() {
    let workshop = Workshop::with(TRAINING);
    assert!(workshop.run("export m.toml all.csv").stderr.contains("none of 4 trainings of m.toml is finished"));
    assert!(workshop.run("compare m.toml m.toml").stderr.contains("none of the 24 jobs of m.toml and m.toml has"));
    workshop.done("run m.toml");
    workshop.done("export m.toml all.csv");
    let table = fs::read_to_string(workshop.path("all.csv")).unwrap();
    assert!(
        table.starts_with("stage,game,agent,opponent,seed,key,step,mean,best,sigma\ntrain,go,mdlstm,naive,1,"),
        "{table}"
    );
    assert_eq!(table.lines().count(), 1 + 4 * 30);
    let misnamed = workshop.run("export m.toml all.cvs");
    assert!(misnamed.code == 2 && misnamed.stderr.contains("did you mean all.csv?"), "{misnamed:?}");
    assert!(!workshop.path("all.cvs").exists());
    workshop.done("export m.toml board");
    assert_eq!(workshop.files("board", "metrics.tfevents").len(), 4);
    workshop.write("n.toml", &format!("{TRAINING}\n[profile.few]\nstages.transfer.measure.fitness.games = 10\n"));
    workshop.done("run n.toml --profile few");
    let compared = json(&workshop.done("compare m.toml n.toml@few --json").stdout);
    let rows = compared.as_array().unwrap();
    assert_eq!((rows.len(), rows[0]["number"].as_str(), rows[0]["shared"].as_u64()), (6, Some("last.mean"), Some(2)));
    assert_eq!((rows[2]["number"].as_str(), rows[2]["shared"].as_u64()), (Some("score"), Some(0)));
    let shown = workshop.done("compare m.toml n.toml@few --of games").stdout;
    assert!(shown.contains("the same runs") && shown.contains("20 (n = 2, all the same)"), "{shown}");
    let absent = workshop.ends(2, &["compare", "m.toml", "n.toml@few", "--of", "games", "--of", "gmaes"]).stderr;
    assert!(absent.contains("no result has a number `gmaes`"), "{absent}");
    assert!(workshop.run("compare m.toml n.toml@few --of gmaes").stderr.contains("no result has a number `gmaes`"));
}

#[test]
fn control_characters_are_removed_from_reports_and_messages() {
    let title = "title = \"a\\u0001b\\u001b[2J\\u202ec\"";
    let line = MEASUREMENTS.lines().find(|line| line.starts_with("title = ")).unwrap();
    let workshop = Workshop::with(&MEASUREMENTS.replace(line, title));
    workshop.done("run m.toml");
    for ending in [".svg", ".csv", ".md", ".tex"] {
        for (name, bytes) in workshop.files("reports", ending) {
            let text = String::from_utf8(bytes).unwrap();
            let hidden = text.chars().find(|c| c.is_control() && !c.is_whitespace() || *c == '\u{202e}');
            assert_eq!(hidden, None, "{name}");
        }
    }
    workshop.write("m.toml", &MEASUREMENTS.replace(line, "title = 3 # \u{1b}[2J\u{7}"));
    let ended = workshop.run("check m.toml");
    assert!(ended.code == 2 && !ended.stderr.contains(['\u{1b}', '\u{7}']), "{:?}", ended.stderr);
}

/// A copy of a directory: its pages with their contents, its other files as empty files.
fn copy_pages(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (name, place) = (entry.file_name(), to.join(entry.file_name()));
        match entry.path() {
            path if path.is_dir() => copy_pages(&path, &place),
            path if [".md", ".csv", ".json"].iter().any(|ending| name.to_string_lossy().ends_with(ending)) => {
                fs::copy(path, place).unwrap();
            }
            _ => fs::write(place, "").unwrap(),
        }
    }
}

#[test]
fn a_gallery_adds_a_report_with_its_provenance() {
    let workshop = Workshop::new();
    workshop.done("reproduce schaul2009/fig2a --profile smoke");
    workshop.ends(0, &["gallery", "gallery", "--add", "reports/schaul2009/smoke", "--changed-tree", "a *test*"]);
    let page = workshop.read("gallery/schaul2009/smoke/fig2a.md");
    let made = page.lines().last().unwrap();
    assert!(made.starts_with("Made by `gauntlet reproduce schaul2009/fig2a --profile smoke` at commit "), "{made}");
    assert!(made.contains(" jobs, seeds 1") && made.contains(" in sum. Resolved manifest "), "{made}");
    assert!(made.contains(", first planned 2") && made.contains(". [Every run](runs/fig2a.csv)."), "{made}");
    // The reason stands on the page if the program of the tests was built from a changed tree.
    let has_reason = made.ends_with(". Reason: a \\*test\\*");
    assert_eq!(has_reason, made.contains("(changed)") || made.contains("unknown"), "{made}");
    let runs = workshop.read("gallery/schaul2009/smoke/runs/fig2a.csv");
    let (heads, all) = (runs.lines().next().unwrap(), workshop.read("reports/schaul2009/smoke/runs.csv"));
    assert!(heads.starts_with("manifest,stage,kind,") && heads.contains(",seed,key,done,"), "{heads}");
    assert!(heads.ends_with(",games,wins,draws,losses,score,fitness"), "{heads}");
    assert_eq!(runs.lines().count(), all.lines().count());
    assert!(!runs.contains(workshop.path("").to_str().unwrap()) && !runs.contains("/jobs/"), "{runs}");
    assert!(page.contains("](fig2a.png)") && workshop.path("gallery/schaul2009/smoke/fig2a.png").is_file());
    let taken = |directory: &str| workshop.read(&format!("{directory}/schaul2009/smoke/fig2a.csv"));
    assert_eq!(taken("gallery"), taken("reports"));
    assert!(workshop.read("gallery/index.html").contains("fig2a.png"));
    let nothing = workshop.run("gallery gallery --add reports/schaul2009");
    assert!(nothing.code == 2 && nothing.stderr.contains("there is no artefact of today's program"), "{nothing:?}");
}

#[test]
fn a_gallery_takes_no_results_without_a_commit_that_holds_their_manifest() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml --seeds 2");
    let report = workshop.files("reports", "runs.csv").into_keys().next().unwrap();
    let report = report.strip_suffix("/runs.csv").unwrap().to_owned();
    let refused = workshop.ends(2, &["gallery", "gallery", "--add", &report]).stderr;
    for part in [
        "no commit can be named for these results: ",
        "no commit of the program held the manifest in this form when it requested ",
        "--changed-tree",
    ] {
        assert!(refused.contains(part), "{refused}");
    }
    assert!(!workshop.path("gallery").exists(), "nothing is written");
    let empty = workshop.ends(2, &["gallery", "gallery", "--add", &report, "--changed-tree", " "]).stderr;
    assert!(empty.contains("state the reason in words"), "{empty}");
    workshop.ends(0, &["gallery", "gallery", "--add", &report, "--changed-tree", "made for a test"]);
    let page = workshop.files("gallery", ".md").into_iter().find(|(name, _)| !name.ends_with("README.md")).unwrap().1;
    let page = String::from_utf8(page).unwrap();
    assert!(page.trim_end().ends_with(". Reason: made for a test"), "{page}");
    // The store holds the form and the time.
    let requests = workshop.files("results/requests", ".json").into_values().next().unwrap();
    let requests: serde_json::Value = serde_json::from_slice(&requests).unwrap();
    let planning = &requests["plannings"][0];
    assert!(planning["resolved"].as_str().unwrap().len() == 64 && planning["is_held"] == false, "{requests}");
    assert!(planning["time"].as_str().unwrap().starts_with('2'), "{requests}");
}

#[test]
fn a_picture_is_drawn_again_from_the_csv_alone() {
    let workshop = Workshop::new();
    workshop.done("reproduce schaul2009/fig2a schaul2009/fig4b schaul2009/table1 saz2021/early --profile smoke");
    for report in ["reports/schaul2009/smoke", "reports/saz2021/smoke"] {
        workshop.ends(0, &["gallery", "gallery", "--add", report, "--changed-tree", "a test"]);
    }
    let pictures = workshop.files("gallery", ".png");
    let (pages, tables) = (workshop.files("gallery", ".md"), workshop.files("gallery", ".csv"));
    pictures.keys().for_each(|name| workshop.write(name, "an old picture"));
    fs::remove_dir_all(workshop.path("results")).unwrap();
    let reported = workshop.done("gallery gallery --redraw").stderr;
    assert!(reported.contains(&format!("{} pictures drawn again", pictures.len())), "{reported}");
    assert!(workshop.files("gallery", ".png") == pictures, "the same pictures: {reported}");
    assert!(!workshop.path("results").exists(), "no job runs");
    // Criteria by today's rules are as they were. Their errors over games know no pairs.
    assert_eq!(workshop.files("gallery", ".md").keys().collect::<Vec<_>>(), pages.keys().collect::<Vec<_>>());
    assert_eq!(workshop.files("gallery", ".csv").keys().collect::<Vec<_>>(), tables.keys().collect::<Vec<_>>());
    // Another number in the CSV is another picture; one that the manifest does not show leaves the picture as it is.
    let table = "gallery/schaul2009/smoke/table1.csv";
    let text = workshop.read(table);
    workshop.write(table, &text.replacen("5x5", "4x4", 1));
    let reported = workshop.done("gallery gallery --redraw").stderr;
    assert!(reported.contains("schaul2009/smoke/table1 is left as it is: today's program shows "), "{reported}");
}

/// The first machine made both seeds and published them. The second one has the gallery and seed 2 alone.
#[test]
fn a_study_goes_on_with_the_runs_of_a_gallery() {
    let workshop = Workshop::new();
    workshop.done("run saz2021/heads --profile smoke");
    let add = ["gallery", "gallery", "--add", "reports/saz2021/smoke", "--changed-tree", "a test"];
    workshop.ends(0, &add);
    let runs = workshop.read("gallery/saz2021/smoke/runs/heads.csv");
    let whole = workshop.read("reports/saz2021/smoke/heads.csv");
    for tree in ["results", "reports"] {
        fs::remove_dir_all(workshop.path(tree)).unwrap();
    }
    workshop.done("run saz2021/heads --profile smoke --only seed=2");
    workshop.done("report saz2021/heads --profile smoke --gallery gallery");
    let table = workshop.read("reports/saz2021/smoke/heads.csv");
    let means = |table: &str| -> Vec<Vec<String>> {
        let rows = table.lines().map(|line| line.split(',').take(13).map(str::to_owned).collect());
        rows.collect()
    };
    assert_eq!(means(&table), means(&whole), "means, errors, runs and games");
    let page = workshop.read("reports/saz2021/smoke/heads.md");
    assert!(page.contains("- The numbers of 3 jobs are those that the gallery had before, of commit "), "{page}");
    workshop.ends(0, &add);
    assert_eq!(workshop.read("gallery/saz2021/smoke/runs/heads.csv"), runs);
    // Another form of the manifest has other runs, and another profile has none.
    let other =
        workshop.ends(2, &["report", "saz2021/heads", "--profile", "smoke", "--seeds", "3", "--gallery", "gallery"]);
    assert!(other.stderr.contains("is no table of published runs"), "{other:?}");
    for name in ["heads", "heads-early", "heads-length", "heads-deeper"] {
        let name = format!("gallery/saz2021/smoke/{name}.md");
        workshop.write(&name, &workshop.read(&name).replace("Resolved manifest ", "Resolved manifest 0"));
    }
    let other = workshop.ends(2, &["report", "saz2021/heads", "--profile", "smoke", "--gallery", "gallery"]);
    assert!(other.stderr.contains("in its form today"), "{other:?}");
}

#[test]
fn a_page_that_shows_the_same_jobs_twice_says_so() {
    let workshop = Workshop::with(MEASUREMENTS);
    let other = workshop.read("m.toml");
    let name = other.lines().find(|line| line.starts_with("name = ")).unwrap();
    let own = name.trim_start_matches("name = \"").trim_end_matches('"');
    workshop.write("n.toml", &other.replace(name, &format!("name = \"{own}-again\"")));
    workshop.done("run m.toml n.toml --seeds 2");
    let page =
        workshop.files("reports", "index.html").into_iter().find(|(name, _)| name.matches('/').count() > 1).unwrap().1;
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains("Shown elsewhere on this page, too: all "), "{page}");
    assert!(page.contains("It is one measurement."));
}

#[test]
fn the_gallery_shows_all_of_its_pictures_with_their_verdicts() {
    let (workshop, gallery) = (Workshop::new(), Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/gallery"));
    copy_pages(&gallery, &workshop.path("gallery"));
    workshop.done("gallery gallery");
    let written = |name: &str| workshop.read(&format!("gallery/{name}"));
    let page = written("index.html").replace("&#x2f;", "/");
    assert!(page.contains("<img src=\"schaul2009/paper/table1.png\"") && page.contains(">≈ 19<"));
    assert!(written("README.md").contains("](saz2021/laptop/table2.md)<br>Table 2."));
    for name in ["index.html", "README.md", "schaul2009/paper/index.html", "saz2021/laptop/index.html"] {
        let committed = fs::read_to_string(gallery.join(name)).unwrap();
        assert!(committed == written(name), "run `gauntlet gallery`: {name} is older than the gallery");
    }
    let nothing = workshop.run("gallery elsewhere");
    assert!(
        nothing.code == 2 && nothing.stderr.contains("there is no <paper>/<profile>/<artefact>.png"),
        "{nothing:?}"
    );
}
