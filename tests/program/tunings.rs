//! Tests of tunings (`train.spsa`): numbers of a player are found, played with, printed and drawn, and no kill changes them.

use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::engines::FIRST;
use crate::workshop::{Workshop, assert_told, json};

const TUNING: &str = r#"schema = 1
name = "tuning"
title = "Which numbers are best?"
games.board.connect-four = {}

[agents]
default.uct = { simulations = 12 }

[agents.mine.tuned]
agent.uct = { simulations = 12, c = 1.4 }
numbers.c = { from = 0.2, to = 4.0, scale = "log" }
numbers.simulations = { from = 4, to = 20 }

[stages.tune]
seeds = 2
train.spsa = { game = "board", agent = "mine", openings = { random = { plies = 2 } }, settings = { pairs = 60, batch = 5, r-end = 0.2 } }

[stages.test]
from = "tune"
play.match = { opponent = "default", games = 20, openings = { random = { plies = 2 } } }

[[exhibit]]
name = "course"
show.tuning = { stage = "tune" }

[[exhibit]]
name = "test"
show.means = { stage = "test", rows = ["agent"], scale = "outcome" }
"#;

/// The results of the tunings.
fn found(workshop: &Workshop) -> Vec<Value> {
    let result = |job: std::path::PathBuf| json(&std::fs::read_to_string(job.join("result.json")).unwrap());
    workshop.jobs("train-").into_iter().map(result).collect()
}

#[test]
fn a_tuning_finds_numbers_that_later_stages_play_with() {
    let workshop = Workshop::with(TUNING);
    let told = workshop.ends(4, &["tune", "m.toml", "--apply"]).stdout;
    assert!(told.contains("tuning `tune game=board agent=mine`: 0 of 2 runs"), "{told}");
    workshop.done("run m.toml --jobs 2");
    for result in found(&workshop) {
        assert_eq!(result["games"], 120);
        let simulations = &result["numbers"]["simulations"];
        assert_eq!((&simulations["start"], simulations["found"].as_f64().unwrap().fract()), (&Value::from(12.0), 0.0));
        // More simulations win, whatever the constant.
        assert!(simulations["found"].as_f64() > Some(12.0), "{simulations}");
        let curve = result["curve"].as_array().unwrap();
        assert_eq!((curve.len(), &curve[0]["pairs"], &curve[12]["pairs"]), (13, &0.into(), &60.into()));
    }
    let table = workshop.read("reports/tuning/base/course.md");
    assert!(table.contains("simulations | 12 |") && table.contains("4 to 20"), "{table}");
    let test = workshop.read("reports/tuning/base/test.md");
    assert!(test.contains("| mine |"), "{test}");
    let applied = workshop.done("tune m.toml --apply").stdout;
    assert!(
        applied.contains("2 of 2 runs, the mean over runs") && applied.contains("\"agent.simulations\" = 1"),
        "{applied}"
    );
    let numbers = json(&workshop.done("tune m.toml --json").stdout);
    assert!(numbers[0]["numbers"]["simulations"].is_u64(), "{numbers}");
    // The printed variant is one of a manifest.
    let head = &TUNING[..TUNING.find("[agents.mine.tuned]").unwrap()];
    let again = "[stages.again]\nvariants = [\"tuned-by-tune\"]\nplay.match = { game = \"board\", agent = \"default\", \
        opponent = \"default\", games = 2 }\n[[exhibit]]\nshow.means = { stage = \"again\", rows = [\"variant\"] }\n";
    workshop.write("again.toml", &format!("{head}{applied}{again}"));
    workshop.done("check again.toml");
    workshop.done("verify m.toml --all");
}

#[test]
fn no_kill_and_no_executor_changes_the_numbers() {
    let longer = TUNING.replace("pairs = 60", "pairs = 400");
    let whole = Workshop::with(&longer);
    whole.done("run m.toml --jobs 2");
    let killed = Workshop::with(&longer);
    for pause in 0..20 {
        let mut run =
            killed.command("run m.toml --jobs 2 --quiet").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(40 + 10 * pause));
        // It may have ended already.
        let _ = run.kill();
        run.wait().unwrap();
    }
    killed.done("run m.toml --jobs 1 --threads-per-job 2");
    assert_eq!(found(&killed), found(&whole));
    assert!(killed.tables() == whole.tables(), "the tables differ");
    let apart = Workshop::with(&longer);
    apart.done("run m.toml --executor process --jobs 2");
    assert_eq!(found(&apart), found(&whole));
}

/// An engine's options are numbers like others: both copies get theirs, whole ones whole.
#[test]
fn options_of_an_engine_are_tuned() {
    let engine = "[agents.mine.tuned]\nagent.engine = { command = [\"sh\", \"mock.sh\"], options = { depth = 5 }, \
        writes = [\"heard.log\"] }\nnumbers.\"options.depth\" = { from = 1, to = 9 }\n[stages.tune]";
    let begin = TUNING.find("[agents.mine.tuned]").unwrap();
    let end = TUNING.find("[stages.tune]").unwrap();
    let manifest = format!("{}{engine}{}", &TUNING[..begin], &TUNING[end + "[stages.tune]".len()..]);
    let manifest = manifest.replace("seeds = 2", "seeds = 1").replace("pairs = 60", "pairs = 6");
    let workshop = Workshop::with(&manifest);
    let noted =
        FIRST.replace("'{\"hello\"'*) hello ;;", "'{\"hello\"'*) printf '%s\\n' \"$line\" >> heard.log; hello ;;");
    workshop.write("mock.sh", &format!("{noted}\nserve\n"));
    workshop.ends(2, &["run", "m.toml"]);
    workshop.done("run m.toml --allow-engines");
    let heard = workshop.read("heard.log");
    let depths: Vec<f64> =
        heard.lines().map(|line| json(line)["hello"]["options"]["depth"].as_f64().unwrap()).collect();
    assert!(depths.iter().all(|depth| depth.fract() == 0.0 && (1.0..=9.0).contains(depth)), "{depths:?}");
    // Two batches of two copies, and the match.
    assert_eq!(depths.len(), 5, "{depths:?}");
    assert!(depths[0] != depths[1], "{depths:?}");
    let result = &found(&workshop)[0];
    assert_eq!(result["numbers"]["options.depth"]["found"].as_f64(), depths.last().copied());
    assert!(!result["program"].is_null(), "{result}");
}

/// Other files are no source of numbers.
#[test]
fn a_file_without_the_numbers_is_refused() {
    let tuned = "numbers.simulations = { from = 4, to = 20 }";
    let begin = TUNING.find("[stages.tune]").unwrap();
    let manifest = TUNING[..begin].replace(tuned, &format!("{tuned}\nweights = {{ file = \"junk.safetensors\" }}"));
    let stage = "[stages.test]\nplay.match = { game = \"board\", agent = \"mine\", opponent = \"default\", games = 2 }\n\
        [[exhibit]]\nshow.means = { stage = \"test\", rows = [\"agent\"] }\n";
    let workshop = Workshop::with(&format!("{manifest}{stage}"));
    workshop.write("data/junk.safetensors", "a hundred bytes of something else");
    let ended = workshop.run("run m.toml --data data");
    assert!(ended.stderr.contains("there are no tuned numbers of UCT 12"), "{}", ended.stderr);
}

#[test]
fn mistakes_of_tunings_are_told() {
    assert_told(
        TUNING,
        &[
            (
                "numbers.c =",
                "numbers.d =",
                "16 spsa: `numbers.d`: UCT 12 has no number `d`: it has `simulations`, `c`, `rollouts`",
            ),
            ("from = 0.2", "from = 2.0", "16 spsa: `numbers.c`: 1.4 is outside 2 to 4, in `agent`"),
            ("from = 4, to = 20", "from = 0, to = 20", "16 spsa: with c = 0.2, simulations = 0: "),
            ("agent = \"mine\"", "agent = \"default\"", "16 spsa: UCT 12 has no `numbers` to tune"),
            ("pairs = 60", "pairs = 0", "16 0: 0 pairs are outside 1 to 100000000"),
            ("r-end = 0.2", "c-end = 0.7", "16 0.7: c-end is 0.7: a part of the range is a number above 0 to 0.5"),
            ("r-end = 0.2", "alpha = 400.0", "16 400.0: an exponent of 400 is outside 0 to 10"),
            ("scale = \"log\"", "scale = \"lag\"", "11 \"lag\": "),
            ("agent.uct = {", "agent.utc = {", "10 utc: "),
        ],
    );
}
