//! Tests of what a checkout or another program can bring: links, pipes and devices in the place of files, and commands
//! that change one file at the same time.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::engines::FIRST;
use crate::workshop::{Ended, MEASUREMENTS, Workshop, json};

/// The longest duration of a command here.
const PATIENCE: Duration = Duration::from_secs(60);

/// A suite of quick matches.
const SUITE: &str = r#"
schema = 1
name = "small"
title = "A small suite"
[games]
go.atari-go = { size = 5 }
[agents]
naive.naive = {}
random.random = {}
trained.net = { network = { mdlstm = { cells = 1, forget = "equations" } }, weights = "trained" }
[suite]
delta = 200.0
alpha = 0.1
beta = 0.1
[suite.matches.one]
game = "go"
agent = "naive"
opponent = "random"
[suite.matches.two]
game = "go"
agent = "random"
opponent = "naive"
"#;

const LADDER: &str = r#"schema = 1
name = "steps"
title = "Versions of a shell agent"
[games]
o.othello = { size = 4 }
[agents]
mine.engine = { command = ["sh", "mock.sh"], needs = ["part"], name = "mine" }
[stages.patches]
zip = [{ agent = [], opponent = [] }]
play.match = { game = "o", agent = "mine", opponent = "mine", games = 2, openings = { random = { plies = 2 } } }
[[exhibit]]
show.versions = { stage = "patches", versions = [] }
"#;

/// Runs the program with little memory, and fails if it does not end soon.
fn soon(workshop: &Workshop, arguments: &str) -> Ended {
    let program = workshop.command(arguments);
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -v 8000000; exec \"$@\"", "sh"]).arg(program.get_program()).args(program.get_args());
    shell.current_dir(workshop.path("")).stdin(std::process::Stdio::null());
    let mut child = shell.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("gauntlet {arguments} waits");
        }
        sleep(Duration::from_millis(5));
    }
    let ended = Ended::from(child.wait_with_output().unwrap());
    assert!(ended.code >= 0 && !ended.stderr.contains("panicked"), "gauntlet {arguments}: {ended:?}");
    ended
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn device(path: &Path) {
    symlink("/dev/zero", path).unwrap();
}

/// Puts a pipe, and then a device, in the place of a file, calls `then`, and puts the file back.
fn replaced(workshop: &Workshop, file: &str, mut then: impl FnMut()) {
    let (path, aside) = (workshop.path(file), workshop.path("aside"));
    for obstacle in [pipe as fn(&Path), device] {
        let was_there = fs::rename(&path, &aside).is_ok();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        obstacle(&path);
        then();
        let _ = fs::remove_file(&path);
        if was_there {
            fs::rename(&aside, &path).unwrap();
        }
    }
}

#[test]
fn no_file_of_results_or_reports_is_waited_for() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml --seeds 1");
    let mut files: Vec<String> = workshop.files("results", "").into_keys().collect();
    files.extend(workshop.files("reports", ".json").into_keys());
    files.extend([".owner.json", ".lock", "requests/.lock"].map(|file| format!("results/{file}")));
    let job = workshop.jobs("measure").remove(0);
    let of_job = |file: &str| job.strip_prefix(workshop.path("")).unwrap().join(file).to_str().unwrap().to_owned();
    files.extend([".claim", ".owner.json", "checkpoint.bin", "checkpoint.json", "games.jsonl"].map(of_job));
    files.sort();
    files.dedup();
    for file in files {
        replaced(&workshop, &file, || {
            soon(&workshop, if file.starts_with("reports") { "report m.toml --seeds 1" } else { "status m.toml" });
            // Where it can, a run puts a file of its own in the place.
            soon(&workshop, "run m.toml --seeds 1");
        });
    }
    let again = workshop.done("run m.toml --seeds 1");
    assert!(again.stderr.contains("nothing to do"), "{}", again.stderr);
}

#[test]
fn an_owner_file_without_an_owner_excludes_no_run() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml --seeds 1");
    for (text, seeds) in [("no JSON", 2), ("", 3), ("{}", 4), ("{\"process\":", 5)] {
        workshop.write("results/.owner.json", text);
        let ended = soon(&workshop, &format!("run m.toml --seeds {seeds}"));
        assert!(ended.code == 0 && !ended.stderr.contains("waiting"), "{text}: {}", ended.stderr);
    }
}

#[test]
fn baselines_models_and_data_are_regular_files() {
    let workshop = Workshop::new();
    let model = "\n[suite.matches.model]\ngame = \"go\"\nagent = \"trained\"\nopponent = \"random\"\n\
                 model = \"tonight.safetensors\"\n";
    workshop.write("small.toml", SUITE);
    workshop.done("regress small.toml --commit c0 --update-baseline --reason first");
    replaced(&workshop, "results/baselines/small.json", || {
        let ended = soon(&workshop, "regress small.toml --commit c1");
        let is_named =
            ["it is not a regular file", "small.json is a link"].iter().any(|what| ended.stderr.contains(what));
        assert!(ended.code != 0 && is_named, "{ended:?}");
    });
    replaced(&workshop, "results/baselines/small.history.jsonl", || {
        assert_ne!(soon(&workshop, "regress small.toml --commit c1").code, 0);
    });
    workshop.write("small.toml", &format!("{SUITE}{model}"));
    replaced(&workshop, "results/models/tonight.safetensors", || {
        let ended = soon(&workshop, "regress small.toml --commit c1 --only match=model");
        assert!(ended.code == 1 && ended.stdout.contains("it is not a regular file"), "{ended:?}");
    });
    let mut baseline: Value = json(&workshop.read("results/baselines/small.json"));
    for file in ["/dev/zero", "../../small.toml", ".."] {
        baseline["matches"]["one"]["model"] = json!({ "file": file, "hash": "0" });
        workshop.write("results/baselines/small.json", &baseline.to_string());
        let ended = soon(&workshop, "regress small.toml --commit c1");
        assert!(ended.code == 2 && ended.stderr.contains("is not the name of a file in"), "{ended:?}");
    }
    let manifest = "schema = 1\nname = \"m\"\ntitle = \"m\"\n[stages.l]\nmeasure.ladder = { results = \"r.json\" }\n";
    workshop.write("m.toml", manifest);
    replaced(&workshop, "data/r.json", || {
        let ended = soon(&workshop, "run m.toml --data data");
        assert!(ended.code == 2 && ended.stderr.contains("it is not a regular file"), "{ended:?}");
    });
}

#[test]
fn files_of_engines_and_of_the_command_line_are_not_waited_for() {
    let workshop = Workshop::with(LADDER);
    workshop.write("mock.sh", &format!("{FIRST}\nserve\n"));
    workshop.write("part", "one");
    for file in ["part", "mock.sh"] {
        replaced(&workshop, file, || {
            soon(&workshop, "check m.toml");
            let ended = soon(&workshop, "ladder add m.toml --name v1 --commit c1");
            assert!(file != "part" || ended.code == 2, "{ended:?}");
            workshop.write("m.toml", LADDER);
        });
    }
    for arguments in ["rate /dev/zero", "export /dev/zero games.pgn", "watch --replay /dev/zero", "check /dev/zero"] {
        let ended = soon(&workshop, arguments);
        assert!(ended.code > 0 && ended.stderr.contains("it is not a regular file"), "{arguments}: {ended:?}");
    }
    // The output of another program is read as it comes; a signal ends the wait.
    pipe(&workshop.path("pipe"));
    for arguments in ["rate pipe", "watch --replay pipe", "export pipe games.pgn"] {
        let mut child = workshop.command(arguments).spawn().unwrap();
        sleep(Duration::from_millis(300));
        assert!(child.try_wait().unwrap().is_none(), "{arguments}");
        assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
        let begun = Instant::now();
        child.wait().unwrap();
        assert!(begun.elapsed() < Duration::from_secs(5), "{arguments}");
    }
}

/// Asserts that a command does not write through a link at a path, which leads to a file or directory of the user's.
fn keeps(workshop: &Workshop, link: &str, command: &str) -> Ended {
    let (path, aside) = (workshop.path(link), workshop.path("aside"));
    workshop.write("theirs/start", "mine\n");
    workshop.write("theirs/below/start", "mine\n");
    let before = workshop.files("theirs", "");
    let was_there = fs::rename(&path, &aside).is_ok();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let is_directory = was_there && aside.is_dir() || !was_there && path.extension().is_none();
    symlink(workshop.path(if is_directory { "theirs/below" } else { "theirs/start" }), &path).unwrap();
    let ended = soon(workshop, command);
    assert_eq!(workshop.files("theirs", ""), before, "{link}: {command}: {ended:?}");
    // A command may remove the link itself.
    let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
    if was_there {
        fs::rename(&aside, &path).unwrap();
    }
    ended
}

#[test]
fn nothing_is_written_through_a_link() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.write("small.toml", SUITE);
    workshop.write("part", "one");
    workshop.write("mock.sh", &format!("{FIRST}\nserve\n"));
    workshop.write("games.csv", "white,black,result\na,b,1-0\nb,a,1/2-1/2\n");
    workshop.done("run m.toml --seeds 1");
    workshop.done("regress small.toml --commit c0 --update-baseline --reason first");
    let refused = [
        ("results/baselines/small.history.jsonl", "regress small.toml --commit c1"),
        ("results/baselines", "regress small.toml --commit c1"),
        ("results/models", "regress small.toml --commit c1"),
        ("results/baselines", "regress small.toml --commit c1 --update-baseline one --reason r"),
        ("results/.lock", "run m.toml --seeds 2"),
        ("results/jobs", "run m.toml --seeds 2"),
        ("results/requests", "run m.toml --seeds 2"),
        ("results/requests/.lock", "run m.toml --seeds 2"),
        ("reports/test", "report m.toml --seeds 1"),
        ("reports/test/custom", "report m.toml --seeds 1"),
        ("reports/test/custom/.sheets", "report m.toml --seeds 1"),
        ("reports/test/custom/.runs", "report m.toml --seeds 1"),
        ("reports/small", "regress small.toml --commit c1"),
        ("reports/rate", "rate games.csv --reports reports"),
        ("record.jsonl", "run m.toml --seeds 1 --record record.jsonl"),
        ("versions", "ladder add ladder.toml --name v1 --commit c1"),
    ];
    workshop.write("ladder.toml", LADDER);
    for (link, command) in refused {
        let ended = keeps(&workshop, link, command);
        assert!(ended.code > 0 && ended.stderr.contains("is a link"), "{link}: {command}: {ended:?}");
    }
    // Their files are replaced as a whole, or not needed.
    for (link, command) in [
        ("results/.owner.json", "run m.toml --seeds 2"),
        ("results/timing", "run m.toml --seeds 3"),
        ("results/runs", "run m.toml --seeds 4"),
        ("reports/index.html", "report m.toml --seeds 1"),
        ("results/baselines/small.json", "regress small.toml --commit c1 --update-baseline one --reason r"),
        ("results/baselines/.small.json.lock", "regress small.toml --commit c1 --update-baseline one --reason r"),
    ] {
        keeps(&workshop, link, command);
    }
    let ended = keeps(&workshop, "gallery/test", "gallery --add reports/test/custom gallery --changed-tree test");
    assert!(ended.code > 0 && ended.stderr.contains("is a link"), "{ended:?}");
}

#[test]
fn no_target_of_a_link_is_copied() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.write("secret", "secret words\n");
    workshop.write("ladder.toml", LADDER);
    workshop.write("mock.sh", &format!("{FIRST}\nserve\n"));
    symlink(workshop.path("secret"), workshop.path("part")).unwrap();
    let ended = soon(&workshop, "ladder add ladder.toml --name v1 --commit c1");
    assert!(ended.code == 2 && ended.stderr.contains("part is a link"), "{ended:?}");
    workshop.done("run m.toml --seeds 2");
    workshop.done("gallery --add reports/test/custom gallery --changed-tree test");
    for file in ["measurements.csv", "measurements.png"] {
        let path = workshop.path("reports/test/custom").join(file);
        fs::remove_file(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        symlink(workshop.path("secret"), &path).unwrap();
        let ended = soon(&workshop, "gallery --add reports/test/custom gallery --changed-tree test");
        assert!(ended.code == 2 && ended.stderr.contains("is a link"), "{ended:?}");
        workshop.done("report m.toml --seeds 2");
    }
    for file in ["README.md", "test/custom/measurements.md", "test/custom/measurements.csv", "test/paper.json"] {
        let path = workshop.path("gallery").join(file);
        let before = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        symlink(workshop.path("secret"), &path).unwrap();
        let ended = soon(&workshop, "gallery gallery");
        assert!(ended.code == 2 && ended.stderr.contains("is a link"), "{file}: {ended:?}");
        fs::remove_file(&path).unwrap();
        fs::write(&path, before).unwrap();
    }
    for directory in ["versions", "gallery"] {
        let copies = workshop.files(directory, "");
        assert!(copies.values().all(|bytes| !String::from_utf8_lossy(bytes).contains("secret words")), "{directory}");
    }
}

#[test]
fn results_on_a_disk_that_is_not_there_are_named() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.write("small.toml", SUITE);
    symlink("/no/such/disk", workshop.path("results")).unwrap();
    let regress = "regress small.toml --commit c0 --update-baseline --reason first";
    for command in ["run m.toml", "status m.toml", "report m.toml", "gc --yes", "verify m.toml", regress] {
        let ended = workshop.run(command);
        let reported = "results is a link to /no/such/disk, which does not exist";
        assert!(
            ended.code == 2 && ended.stderr.contains(reported) && ended.stderr.contains("mount"),
            "{command}: {ended:?}"
        );
    }
    let ended = workshop.run("run m.toml --seeds 1 --results elsewhere --reports results/reports");
    assert!(ended.code > 0 && ended.stderr.contains("which does not exist"), "{ended:?}");
}

#[test]
fn baselines_that_are_made_at_once_are_all_kept() {
    let workshop = Workshop::new();
    workshop.write("small.toml", SUITE);
    let both = |more: &str| {
        let update = |name: &str| {
            let arguments = format!("regress small.toml --commit c0 --only match={name} --reason {name} {more}");
            workshop.command(&arguments).spawn().unwrap()
        };
        let children = ["one", "two"].map(update);
        for child in children {
            let ended = Ended::from(child.wait_with_output().unwrap());
            assert_eq!(ended.code, 0, "{ended:?}");
        }
    };
    both("--update-baseline");
    for changes in [2, 4] {
        let baseline: Value = json(&workshop.read("results/baselines/small.json"));
        assert_eq!(baseline["matches"].as_object().unwrap().len(), 2);
        assert_eq!(baseline["changes"].as_array().unwrap().len(), changes);
        both("--update-baseline --all");
    }
    assert_eq!(fs::read_dir(workshop.path("results/baselines")).unwrap().count(), 1, "no lock is left");
}

#[test]
fn versions_that_are_added_at_once_are_all_kept() {
    let workshop = Workshop::with(LADDER);
    workshop.write("mock.sh", &format!("{FIRST}\nserve\n"));
    workshop.write("part", "one");
    let add = |name: String| {
        workshop.command(&format!("ladder add m.toml --name {name} --commit c1 --date 2026-01-05")).spawn().unwrap()
    };
    let children: Vec<_> = (1..=6).map(|number| add(format!("v{number}"))).collect();
    for child in children {
        let ended = Ended::from(child.wait_with_output().unwrap());
        assert_eq!(ended.code, 0, "{ended:?}");
    }
    let manifest = workshop.read("m.toml");
    for number in 1..=6 {
        assert!(manifest.contains(&format!("{{ name = \"v{number}\", date")), "v{number}: {manifest}");
    }
    workshop.done("check m.toml");
    assert!(!workshop.path(".m.toml.lock").exists());
}

#[test]
fn a_manifest_that_is_edited_meanwhile_is_not_overwritten() {
    let workshop = Workshop::with(LADDER);
    workshop.write("mock.sh", &format!("{FIRST}\nserve\n"));
    workshop.write("part", "one");
    // `ladder add` asks git for the commit; this one is an editor.
    workshop.write("bin/git", "#!/bin/sh\necho '# mine' >> m.toml\nexit 1\n");
    assert!(Command::new("chmod").args(["+x"]).arg(workshop.path("bin/git")).status().unwrap().success());
    let path = format!("{}:{}", workshop.path("bin").display(), std::env::var("PATH").unwrap());
    let ended = workshop.command("ladder add m.toml --name v1").env("PATH", path).output().unwrap();
    let ended = Ended::from(ended);
    assert!(ended.code == 2 && ended.stderr.contains("m.toml has changed meanwhile"), "{ended:?}");
    let manifest = workshop.read("m.toml");
    assert!(manifest.starts_with(LADDER) && manifest.ends_with("# mine\n") && !manifest.contains("v1"), "{manifest}");
    workshop.done("ladder add m.toml --name v1 --commit c1");
    assert!(workshop.read("m.toml").contains("# mine"));
}
