//! Tests of engines as players: small agents in the shell play, are checked, timed and compared.

use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::workshop::Workshop;

/// An agent that plays the first legal move. `$1` is a mark by which its process is found.
pub const FIRST: &str = r#"
hello() { echo '{"hello":{"protocol":1,"name":"first","version":"1","wants":["legal"],"batch":1}}'; }
read_question() { game=${line#*\"game\":}; game=${game%%,*}; move=${line#*\"legal\":[\"}; move=${move%%\"*}; }
answer() { echo "{\"moves\":[{\"game\":$game,\"move\":\"$move\"}]}"; }
think() { read_question; answer; }
serve() {
  while IFS= read -r line; do
    case $line in
      '{"hello"'*) hello ;;
      '{"think"'*) think ;;
      '{"over"'*) : ;;
      '{"quit"'*) quit ;;
    esac
  done
}
quit() { exit 0; }
"#;

/// A manifest in which an engine with these settings meets a random player.
pub fn manifest(settings: &str, more: &str) -> String {
    format!(
        "schema = 1\nname = \"engines\"\ntitle = \"Engines\"\n[games]\no.othello = {{ size = 4 }}\n\
         [agents]\nrandom.random = {{}}\nnaive.naive = {{}}\nmine.engine = {{ command = [\"sh\", \"mock.sh\", \"MARK\"]{settings} }}\n\
         [stages.engine.play.match]\ngame = \"o\"\nagent = \"mine\"\nopponent = \"random\"\ngames = 6\n{more}\n\
         openings = {{ random = {{ plies = 2 }} }}\n\
         [stages.other.play.match]\ngame = \"o\"\nagent = \"naive\"\nopponent = \"random\"\ngames = 6\n\
         [[exhibit]]\nname = \"scores\"\nshow.crosstable = {{ stage = \"engine\" }}\n"
    )
}

/// A directory with a manifest and an agent, whose processes have a mark of their own.
pub fn workshop(settings: &str, more: &str, agent: &str) -> (Workshop, String) {
    let workshop = Workshop::new();
    let mark = format!("mark-{}-{:?}", std::process::id(), std::thread::current().id()).replace(['(', ')'], "");
    workshop.write("m.toml", &manifest(settings, more).replace("MARK", &mark));
    workshop.write("mock.sh", &format!("{FIRST}\n{agent}\nserve\n"));
    (workshop, mark)
}

/// The number of processes with a mark, as far as `/proc` tells.
pub fn alive(mark: &str) -> usize {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_marked = |entry: &std::fs::DirEntry| {
        let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&command).contains(mark)
    };
    processes.filter(is_marked).count()
}

/// Waits until no process with this mark is left.
pub fn assert_gone(mark: &str) {
    let begin = Instant::now();
    while alive(mark) > 0 {
        assert!(begin.elapsed() < Duration::from_secs(10), "{} processes are left", alive(mark));
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The result of the engine's match.
fn result(workshop: &Workshop) -> Value {
    let results = workshop.files("results/jobs", "result.json");
    let of_engine = results.into_iter().find(|(_, bytes)| String::from_utf8_lossy(bytes).contains("\"engines\""));
    serde_json::from_slice(&of_engine.unwrap().1).unwrap()
}

#[test]
fn programs_start_only_with_consent() {
    let (workshop, mark) = workshop("", "", "");
    let ended = workshop.ends(2, &["run", "m.toml"]);
    assert!(
        ended.stderr.contains("this starts other programs:\n  sh mock.sh") && ended.stderr.contains("--allow-engines")
    );
    assert!(workshop.files("results", "").is_empty());
    let ended = workshop.done("run m.toml --allow-engines");
    assert!(ended.stderr.contains("this starts other programs:"), "{}", ended.stderr);
    let found = result(&workshop);
    assert_eq!(found["engines"]["mock.sh"].to_string(), r#"{"says":"first 1","repeatable":false}"#);
    let report = workshop.read("reports/engines/base/scores.md");
    assert!(report.contains("calls itself \"first 1\"") && report.contains("not repeatable bit for bit"), "{report}");
    // A finished job starts nothing.
    assert!(workshop.done("run m.toml --yes").stderr.contains("2 cached"));
    assert_gone(&mark);
}

#[test]
fn a_deterministic_engine_gives_the_same_bytes_however_it_runs() {
    let of = |arguments: &str| {
        let (workshop, mark) = workshop(", deterministic = true, name = \"mine\"", "", "");
        workshop.done(&format!("run m.toml --allow-engines {arguments}"));
        assert_gone(&mark);
        let games = workshop.files("results/jobs", "games.jsonl");
        games.into_values().collect::<Vec<_>>()
    };
    let whole = of("--jobs 1");
    assert_eq!(whole.len(), 2);
    for arguments in ["--jobs 2", "--executor process", "--executor inline"] {
        assert_eq!(of(arguments), whole, "{arguments}");
    }
}

#[test]
fn files_of_an_engine_are_part_of_the_key_and_its_place_is_not() {
    let (workshop, _) = workshop(", needs = [\"weights.bin\"]", "", "");
    let missing = workshop.ends(2, &["run", "m.toml", "--yes"]);
    assert!(missing.stderr.contains("there is no file `weights.bin`"), "{}", missing.stderr);
    workshop.write("weights.bin", "one");
    workshop.done("run m.toml --yes");
    let again = |reported: &str| {
        let ended = workshop.done("run m.toml --yes");
        assert!(ended.stderr.contains(reported), "{reported}: {}", ended.stderr);
    };
    again("2 cached");
    workshop.write("weights.bin", "two");
    again("1 new, 1 cached");
    let moved = workshop.read("m.toml");
    for file in ["mock.sh", "weights.bin"] {
        workshop.write(&format!("elsewhere/{file}"), &workshop.read(file));
    }
    workshop.write("elsewhere/m.toml", &moved);
    assert!(workshop.done("run elsewhere/m.toml --yes").stderr.contains("2 cached"));
}

#[test]
fn an_interrupted_match_continues_and_ends_alike() {
    let settings = ", deterministic = true, name = \"mine\"";
    let (whole, _) = workshop(settings, "", "");
    whole.done("run m.toml --yes --only stage=engine");
    let (slow, mark) = workshop(settings, "", "think() { sleep 0.05; read_question; answer; }");
    let mut child = slow.command("run m.toml --yes --only stage=engine").stderr(Stdio::null()).spawn().unwrap();
    let begin = Instant::now();
    while slow.files("results/jobs", "checkpoint").is_empty() && begin.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    // SIGKILL: neither the program nor its checkpoint can prepare for it.
    child.kill().unwrap();
    child.wait().unwrap();
    assert_gone(&mark);
    slow.done("run m.toml --yes --only stage=engine");
    let games = |workshop: &Workshop| workshop.files("results/jobs", "games.jsonl").into_values().collect::<Vec<_>>();
    assert_eq!(games(&slow), games(&whole));
    assert_gone(&mark);
}

#[test]
fn a_slow_engine_loses_on_time() {
    let slow = "think() { read_question; case $game in 2 | 3) sleep 2.5 ;; esac; answer; }";
    let (workshop, mark) = workshop(", name = \"mine\"", "clock = { seconds = 2, increment = 1 }", slow);
    workshop.done("run m.toml --yes");
    let found = result(&workshop);
    assert_eq!(found["timed"]["losses"].to_string(), "[2,0]", "{found}");
    assert!(found["timed"]["wall_seconds"][0].as_f64().unwrap() >= 4.0, "{found}");
    let games = workshop.files("results/jobs", "games.jsonl");
    let games = games.into_values().map(|bytes| String::from_utf8(bytes).unwrap()).find(|text| text.contains("times"));
    let games = games.unwrap();
    assert!(games.starts_with("{\"records\":3") && games.matches("\"ending\":\"time\"").count() == 2, "{games}");
    let report = workshop.read("reports/engines/base/scores.md");
    assert!(report.contains("Lost on time: mine lost 2") && report.contains("depend on the machine"), "{report}");
    assert!(workshop.run("verify m.toml --yes").stderr.contains("1 result left out: their games have a clock"));
    assert_gone(&mark);
}

/// Engines of other protocols, in the shell; every line that they hear is in `heard`.
fn talks(protocol: &str, game: &str, settings: &str, answers: &str) -> Workshop {
    let budget = if protocol == "uci" { ", budget = { nodes = 1 }" } else { "" };
    let workshop = Workshop::with(&format!(
        "schema = 1\nname = \"talks\"\ntitle = \"Talks\"\n[games]\ng.{game}\n[agents]\nrandom.random = {{}}\n\
         mine.engine = {{ command = [\"sh\", \"talks.sh\"], protocol = \"{protocol}\", timeout-seconds = 2{budget} }}\n\
         [stages.t.play.match]\ngame = \"g\"\nagent = \"mine\"\nopponent = \"random\"\ngames = 2\nmax-plies = 4\n\
         {settings}\n[[exhibit]]\nname = \"x\"\nshow.crosstable = {{ stage = \"t\" }}\n"
    ));
    let script = format!(
        "while IFS= read -r line; do echo \"$line\" >> heard; case $line in\n{answers}\nquit | END) exit 0 ;;\nesac; done\n"
    );
    workshop.write("talks.sh", &script);
    workshop
}

#[test]
fn an_engine_that_talks_without_an_answer_runs_out_of_time() {
    let flood = "uci) echo uciok ;;\nisready) echo readyok ;;\n\
                 go*) while :; do echo info depth 1 score cp 10; sleep 0.1; done ;;";
    let workshop = talks("uci", "chess = {}", "clock = { seconds = 1 }", flood);
    let begin = Instant::now();
    let ended = workshop.run("run m.toml --yes");
    assert!(ended.code == 1 && ended.stderr.contains("did not answer `go` within 3 s"), "{ended:?}");
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[test]
fn setting_up_a_game_takes_no_time_from_the_clock() {
    // The first legal moves of white and of black in chess, after openings of no plies.
    let slow = "uci) echo uciok ;;\nucinewgame) sleep 0.7 ;;\nisready) echo readyok ;;\nposition*) position=$line ;;\n\
                go*) case $position in *moves*) echo '  bestmove a7a6 ponder a2a3' ;; *) echo bestmove a2a3 ;; esac ;;";
    let workshop = talks("uci", "chess = {}", "clock = { seconds = 0.5 }", slow);
    let settings = workshop.read("m.toml").replace("max-plies = 4", "max-plies = 2");
    workshop.write("m.toml", &settings);
    workshop.done("run m.toml --yes");
    let found = result(&workshop);
    assert_eq!(found["timed"]["losses"].to_string(), "[0,0]", "{found}");
}

/// The slow engine is White, a bare king, in one game, and Black against it in the other.
#[test]
fn a_bare_king_does_not_win_on_time() {
    let slow = "uci) echo uciok ;;\nisready) echo readyok ;;\nposition*) position=$line ;;\n\
                go*) sleep 1.2; case $position in *moves*) echo bestmove h8g8 ;; *) echo bestmove d1d2 ;; esac ;;";
    let settings = "clock = { seconds = 0.5 }\nopenings = { file = \"bare.epd\" }";
    let workshop = talks("uci", "chess = {}", settings, slow);
    workshop.write("bare.epd", "7k/8/8/8/8/q7/8/3K4 w - -\n");
    workshop.write("m.toml", &workshop.read("m.toml").replace(", budget = { nodes = 1 }", ""));
    workshop.done("run m.toml --yes");
    let found = result(&workshop);
    let reported = (found["scores"].as_str(), found["timed"]["losses"].to_string());
    assert_eq!(reported, (Some("LD"), "[1,0]".to_owned()), "{found}");
    let games = workshop.files("results/jobs", "games.jsonl").into_values().next().unwrap();
    assert_eq!(String::from_utf8_lossy(&games).matches("\"ending\":\"time\"").count(), 2);
}

#[test]
fn gomocup_engines_hear_of_limits_alone_that_there_are() {
    let answers = "START*) echo OK ;;\nRESTART) echo OK ;;\nABOUT) echo 'name=\"mine\"' ;;\nBEGIN) echo 0,0 ;;\n\
                   DONE) echo 6,6 ;;\nTURN*) echo 5,6 ;;";
    let heard = |settings: &str| {
        let workshop = talks("gomocup", "gomoku = { size = 7 }", settings, answers);
        // Moves of the random player may take a point of the engine.
        workshop.run("run m.toml --yes");
        workshop.read("heard")
    };
    assert!(!heard("").contains("timeout"), "no limit is set");
    let timed = heard("clock = { seconds = 9 }");
    assert!(timed.contains("INFO timeout_match 9000\nINFO timeout_turn 9000\n"), "{timed}");
    assert!(!timed.contains("timeout_turn 0") && timed.contains("INFO time_left 9000"), "{timed}");
}

/// A run of a talking engine with these options, and the lines that the engine heard.
fn with_options(protocol: &str, game: &str, options: &str, answers: &str) -> (i32, String, String) {
    let workshop = talks(protocol, game, "", answers);
    let named = format!("protocol = \"{protocol}\"");
    let text = workshop.read("m.toml").replace(&named, &format!("{named}, options = {{ {options} }}"));
    workshop.write("m.toml", &text);
    let ended = workshop.run("run m.toml --yes");
    let heard = std::fs::read_to_string(workshop.path("heard")).unwrap_or_default();
    (ended.code, ended.stderr, heard)
}

#[test]
fn options_are_set_as_the_engine_declares_them_or_not_at_all() {
    let uci = "uci) echo 'option name Hash type spin default 16 min 1 max 1024'; echo 'option name Own Book type check default true'\n\
               echo 'option name Clear Hash type button'; echo 'option name Style type combo default Calm var Calm var Wild'\n\
               echo uciok ;;\nisready) echo readyok ;;\nposition*) position=$line ;;\n\
               go*) case $position in *moves*) echo bestmove a7a6 ;; *) echo bestmove a2a3 ;; esac ;;";
    let (_, _, heard) =
        with_options("uci", "chess = {}", "hash = 64, 'own book' = false, style = 'WILD', 'clear hash' = true", uci);
    for set in ["Clear Hash", "Hash value 64", "Own Book value false", "Style value Wild"] {
        assert!(heard.contains(&format!("setoption name {set}\n")), "{heard}");
    }
    let gtp = "name | version | boardsize* | clear_board | komi* | play*) echo '= x'; echo ;;\n\
               list_commands) printf '= name\\nLevel\\nset-param\\n\\n' ;;\nknown_command*) printf '= false\\n\\n' ;;\n\
               Level* | set-param*) printf '=\\n\\n' ;;\ngenmove*) printf '= pass\\n\\n' ;;";
    let (_, _, heard) = with_options("gtp", "go = { size = 5 }", "level = 3, 'SET-param visits' = 9", gtp);
    assert!(heard.contains("\nset-param visits 9\n") && heard.contains("\nLevel 3\n"), "{heard}");
    let gomocup = "START* | RESTART) echo OK ;;\nABOUT) echo 'name=\"mine\"' ;;\nINFO\\ THREADS*) echo UNKNOWN key ;;\nBEGIN) echo 0,0 ;;";
    let (_, _, heard) = with_options("gomocup", "gomoku = { size = 7 }", "Max_Memory = 1000", gomocup);
    assert!(heard.contains("INFO max_memory 1000\n"), "{heard}");
    for (protocol, game, options, answers, message) in [
        ("uci", "chess = {}", "Hash = 2048", uci, "`option name Hash type spin default 16 min 1 max 1024`"),
        ("uci", "chess = {}", "Hash = 16, hash = 32", uci, "one option by the names `Hash` and `hash`"),
        ("uci", "chess = {}", "'Clear Hash' = 1", uci, "it declares `option name Clear Hash type button`"),
        ("uci", "chess = {}", "Style = 'Odd'", uci, "var Calm var Wild`"),
        ("uci", "chess = {}", "'Own Book' = 'yes'", uci, "does not take `yes` for `Own Book`"),
        ("uci", "chess = {}", "Threads = 1", uci, "has no option `Threads`, only Hash, Own Book, Clear Hash, Style"),
        ("gtp", "go = { size = 5 }", "depth = 3", gtp, "has no command `depth`"),
        ("gtp", "go = { size = 5 }", "level = 3, Level = 4", gtp, "has one option by the names `"),
        ("gtp", "go = { size = 5 }", "komi = 3.5", gtp, "cannot take the option `komi`"),
        ("gomocup", "gomoku = { size = 7 }", "rule = 1", gomocup, "the protocol allows 0, the rule of the game"),
        ("gomocup", "gomoku = { size = 7 }", "threads = 2, THREADS = 3", gomocup, "has one option by the names `"),
        ("gomocup", "gomoku = { size = 7 }", "THREADS = 2", gomocup, "answered `INFO THREADS 2` by `UNKNOWN key`"),
    ] {
        let (code, stderr, heard) = with_options(protocol, game, options, answers);
        assert!(code == 1 && stderr.contains(message), "{options}: {stderr}");
        assert!(
            !heard.contains("setoption") && !heard.contains("genmove") && !heard.contains("BEGIN"),
            "{options}: {heard}"
        );
    }
}

#[test]
fn gomocup_engines_have_the_manners_that_piskvork_takes() {
    let play = |turns: &str| {
        let answers = format!("START*) echo message hello; echo OK - everything is good ;;\n{turns}");
        let workshop = talks("gomocup", "gomoku = { size = 9 }", "openings = { random = { plies = 0 } }", &answers);
        // The opponent is the same engine: no move of a random player takes its point.
        let text = workshop.read("m.toml").replace("opponent = \"random\"", "opponent = \"mine\"");
        workshop.write("m.toml", &text);
        (workshop.run("run m.toml --yes"), workshop)
    };
    let about = "RESTART) echo ok ;;\nABOUT) echo 'name=\"mine\"' ;;";
    let moves = "BEGIN) echo debug thinking; echo Message hm; echo '0,0 sure' ;;\n\
                 DONE) echo SUGGEST 1,0 ;;\nTURN\\ 1,0) echo suggest 2,0 ;;\nTURN\\ 2,0) echo 3,0 ;;";
    for confirms in ["PLAY*) sleep 0.2; echo ${line#PLAY } ;;", "PLAY*) echo UNKNOWN command ;;", ""] {
        let (ended, workshop) = play(&format!("{about}\n{moves}\n{confirms}"));
        assert_eq!(ended.code, 0, "{confirms}: {}", ended.stderr);
        assert!(workshop.read("heard").contains("PLAY 1,0\n"));
    }
    // Commands that the protocol does not require, and one that has no answer.
    let (ended, _) = play(&format!("RESTART | ABOUT | INFO*) echo UNKNOWN ;;\n{moves}"));
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let (ended, workshop) = play(&format!("INFO*) echo UNKNOWN info ;;\n{about}\n{moves}"));
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(workshop.read("heard").contains("INFO game_type 1"));
    let (code, stderr, _) = with_options("gomocup", "gomoku = { size = 9 }", "", "START*) echo not OK ;;");
    assert!(code == 1 && stderr.contains("answered `START` by `not OK`"), "{stderr}");
    for (answers, message) in [
        ("BEGIN) echo UNKNOWN what is that ;;", "answered its turn by `UNKNOWN what is that`"),
        ("BEGIN) echo error no memory ;;", "answered its turn by `error no memory`"),
        ("BEGIN) echo SUGGEST 9,9 ;;", "chose `SUGGEST 9,9`, which is not a legal move"),
    ] {
        let begin = Instant::now();
        let (ended, _) = play(&format!("{about}\n{answers}"));
        assert!(ended.code == 1 && ended.stderr.contains(message), "{}", ended.stderr);
        assert!(begin.elapsed() < Duration::from_secs(10));
    }
}

#[test]
fn engines_resign_and_agree() {
    let gives_up = "answer() { echo \"{\\\"moves\\\":[{\\\"game\\\":$game,\\\"resign\\\":true}]}\"; }";
    let (workshop, _) = workshop("", "", gives_up);
    workshop.done("run m.toml --yes");
    let found = result(&workshop);
    assert_eq!((found["scores"].as_str(), found["mean"].as_f64()), (Some("LLLLLL"), Some(-1.0)));
}

/// Matches with repeated games, and with a program without a name.
const REPEATED: &str = "schema = 1\nname = \"d\"\ntitle = \"d\"\n[games]\no.othello = { size = 6 }\n[agents]\n\
     a.engine = { command = [\"sh\", \"a.sh\"], name = \"a\" }\nb.engine = { command = [\"sh\", \"b.sh\"], name = \"b\" }\n\
     random.random = {}\nnaive.naive = {}\nnameless.engine = { command = [\"sh\", \"a.sh\"] }\n\
     [stages.nameless]\nplay.match = { game = \"o\", agent = \"nameless\", opponent = \"naive\", games = 4 }\n\
     [stages.test]\nseeds = 3\nplay.match = { game = \"o\", agent = \"a\", opponent = \"b\", games = 40 }\n\
     [stages.uneven]\nseeds = 3\nzip = [{ agent = [\"a\"], opponent = [\"b\"] }]\n\
     play.match = { game = \"o\", agent = \"a\", opponent = \"b\", games = 40, openings = { random = { plies = 1 } } }\n\
     [stages.chance]\nseeds = 3\nplay.match = { game = \"o\", agent = \"naive\", opponent = \"random\", games = 40 }\n\
     [[exhibit]]\nname = \"m\"\ntitle = \"m\"\nshow.means = { stage = \"test\", rows = [\"agent\"], values = [\"mean\", \"distinct\"] }\n\
     [[exhibit]]\nname = \"r\"\ntitle = \"r\"\nshow.ratings = { stage = \"test\" }\n\
     [[exhibit]]\nname = \"u\"\ntitle = \"u\"\nshow.means = { stage = \"uneven\", rows = [\"agent\"] }\n\
     [[exhibit]]\nname = \"v\"\ntitle = \"v\"\nshow.versions = { stage = \"uneven\" }\n\
     [[exhibit]]\nname = \"s\"\ntitle = \"s\"\nshow.ratings = { stage = \"nameless\", anchor = \"a.sh\" }\n\
     [[exhibit]]\nname = \"i\"\ntitle = \"i\"\nshow.ratings = { stage = \"nameless\", anchor = \"sh\" }\n\
     [[exhibit]]\nname = \"c\"\ntitle = \"c\"\nshow.ratings = { stage = \"chance\" }\n";

/// Two agents without chance, whose 120 games over three seeds are two different ones.
#[test]
fn repeated_games_of_all_seeds_count_once() {
    let last = r#"read_question() { game=${line#*\"game\":}; game=${game%%,*}; move=${line#*\"legal\":[}; move=${move%%]*};
        move=${move##*,}; move=${move#\"}; move=${move%\"}; }"#;
    let workshop = Workshop::with(REPEATED);
    workshop.write("a.sh", &format!("{FIRST}\nserve\n"));
    workshop.write("b.sh", &format!("{FIRST}\n{last}\nserve\n"));
    workshop.done("run m.toml --yes");
    let row = |exhibit: &str, line: &str| {
        let table = workshop.read(&format!("reports/d/base/{exhibit}.md"));
        let found = table.lines().find(|row| row.contains(line)).unwrap_or_else(|| panic!("{line}: {table}"));
        found.to_owned()
    };
    assert!(row("r", "repeat each other most").contains("2 of 120 are different (2 %). The same opening always"));
    assert!(row("m", "repeat each other most").contains("2 of the 120 games are different (2 %). The same opening"));
    let cells = |exhibit: &str| {
        let text = workshop.read(&format!("reports/d/base/{exhibit}.csv"));
        let head: Vec<&str> = text.lines().next().unwrap().split(',').collect();
        let of = |row: &str, name: &str| {
            row.split(',').nth(head.iter().position(|own| *own == name).unwrap()).unwrap().to_owned()
        };
        text.lines()
            .skip(1)
            .map(|row| ["column", "value", "error", "n_games"].map(|name| of(row, name)))
            .collect::<Vec<_>>()
    };
    let number = |text: &str| text.parse::<f64>().unwrap_or(f64::NAN);
    for [column, value, error, games] in cells("r") {
        match column.as_str() {
            "Games" => assert_eq!(number(&value), 120.0),
            "Distinct games" => assert_eq!(number(&value), 2.0),
            "Elo" => {
                assert!(number(&error).is_nan() || number(&error) > 50.0 && games == "2", "{value} {error} {games}")
            }
            _ => {}
        }
    }
    let [mean, distinct] = &cells("m")[..] else { panic!("two cells") };
    assert!(number(&mean[2]) > 0.2, "{mean:?}");
    assert!((number(&distinct[1]) - 2.0 / 120.0).abs() < 1e-6, "{distinct:?}");
    assert_eq!(distinct[2], "", "a share of all games together has no error over runs");
    // Each of the four first moves counts once in the value, too.
    let score = number(&cells("u")[0][1]);
    assert!((16.0 * score).fract() == 0.0 && (0.01..0.99).contains(&score), "{score}");
    let elo = cells("v").into_iter().find(|cell| cell[0] == "Elo").map(|cell| number(&cell[1])).unwrap();
    assert!((elo - 400.0 * (score / (1.0 - score)).log10()).abs() < 1e-6, "{elo} {score}");
    assert!(row("v", "repeat each other most").contains("only the different games count"));
    let uneven = workshop.done("compare m.toml m.toml --only stage=uneven").stdout;
    assert!(uneven.contains("(8 of 120 games)"), "{uneven}");
    let compared = workshop.done("compare m.toml m.toml --only stage=test").stdout;
    assert!(compared.contains("(2 of 120 games)"), "{compared}");
    // A program without a name is called after its script, and not after its interpreter.
    assert!(workshop.read("reports/d/base/s.md").contains("differences from a.sh, which has no error"));
    let of_nobody = workshop.read("reports/d/base/i.md");
    assert!(of_nobody.contains("There is no player sh") && !of_nobody.contains("differences from sh"), "{of_nobody}");
    // Players with chance: every game counts.
    assert!(cells("c").iter().any(|[column, value, ..]| column == "Games" && number(value) == 120.0));
    assert!(cells("c").iter().any(|[_, _, error, games]| games == "120" && number(error) < 60.0));
}

#[test]
fn several_instances_share_the_games() {
    let (workshop, mark) = workshop(", deterministic = true, instances = 3, name = \"mine\"", "", "");
    workshop.done("run m.toml --yes");
    assert_eq!(result(&workshop)["games"], 6);
    assert_gone(&mark);
}

#[test]
fn the_gate_catches_an_agent_made_worse() {
    let workshop = Workshop::new();
    workshop.write("mock.sh", &format!("{FIRST}\nserve\n"));
    workshop.write(
        "gate.toml",
        "schema = 1\nname = \"gate\"\ntitle = \"Gate\"\n[games]\no.othello = { size = 4 }\n[agents]\nrandom.random = {}\n\
         mine.engine = { command = [\"sh\", \"mock.sh\"], name = \"mine\" }\n[suite]\ndelta = 300.0\nalpha = 0.1\nbeta = 0.1\n\
         [suite.matches.mine]\ngame = \"o\"\nagent = \"mine\"\nopponent = \"random\"\n",
    );
    workshop.ends(2, &["regress", "gate.toml", "--commit", "a"]);
    let update = ["regress", "gate.toml", "--allow-engines", "--update-baseline", "--reason", "first", "--commit", "a"];
    workshop.ends(0, &update);
    assert!(!workshop.files("results/baselines/engines", "mock.sh").is_empty());
    let baseline = workshop.read("results/baselines/gate.json");
    assert!(!baseline.contains("\"directory\""), "no place of this machine: {baseline}");
    // The same agent is compared by counts, a changed one plays the kept one.
    let worse = "think() { read_question; echo \"{\\\"moves\\\":[{\\\"game\\\":$game,\\\"resign\\\":true}]}\"; }";
    workshop.write("mock.sh", &format!("{FIRST}\n{worse}\nserve\n"));
    let ended = workshop.ends(3, &["regress", "gate.toml", "--allow-engines", "--commit", "b"]);
    assert!(ended.stdout.contains("regressed"), "{}{}", ended.stdout, ended.stderr);
    let junit = workshop.files("reports", ".xml");
    assert!(junit.values().any(|text| String::from_utf8_lossy(text).contains("<failure")), "{:?}", junit.keys());
}

/// An agent that resigns unless a file says `good`; its name is that of an option or of the first word with `=`.
const WEIGHED: &str = r#"
for word; do case $word in *=*) weights=${word#*=} ;; esac; done
hello() {
  case $line in *'"weights":"'*) weights=${line#*\"weights\":\"}; weights=${weights%%\"*} ;; esac
  echo '{"hello":{"protocol":1,"name":"weighed","version":"1","wants":["legal"],"batch":1}}'
}
think() {
  read_question
  if [ "$(cat "$weights")" = good ]; then answer; else echo "{\"moves\":[{\"game\":$game,\"resign\":true}]}"; fi
}
"#;

/// The settings of an engine that name a file in all ways; PLACE is the full path of its directory.
const FORMS: [&str; 7] = [
    "command = [\"sh\", \"mock.sh\", \"--weights=w.txt\"]",
    "command = [\"sh\", \"mock.sh\", \"--weights=PLACE/w.txt\"]",
    "command = [\"sh\", \"mock.sh\"], options = { weights = \"PLACE/w.txt\" }",
    "command = [\"sh\", \"mock.sh\"], options = { weights = \"PLACE/w.txt\" }, needs = [\"w.txt\"]",
    "command = [\"sh\", \"PLACE/mock.sh\", \"w=../here/w.txt\"], directory = \".\"",
    "command = [\"sh\", \"-c\", \"weights=$W . ./mock.sh\"], environment = { W = \"PLACE/w.txt\" }, needs = [\"mock.sh\"]",
    "command = [\"PLACE/mock.sh\", \"w=PLACE/w.txt\"]",
];

/// A workshop in which an agent with these settings plays in a directory `here`.
pub fn weighed(form: &str, manifest: &str) -> Workshop {
    let workshop = Workshop::new();
    let place = workshop.path("here").display().to_string();
    workshop.write("here/m.toml", &manifest.replace("SETTINGS", form).replace("PLACE", &place));
    workshop.write("here/mock.sh", &format!("#!/bin/sh\n{FIRST}\n{WEIGHED}\nserve\n"));
    std::fs::set_permissions(workshop.path("here/mock.sh"), PermissionsExt::from_mode(0o755)).unwrap();
    workshop.write("here/w.txt", "good");
    workshop
}

const GATE: &str = "schema = 1\nname = \"gate\"\ntitle = \"Gate\"\n[games]\no.othello = { size = 4 }\n[agents]\nrandom.random = {}\n\
    mine.engine = { SETTINGS, name = \"mine\" }\n[suite]\ndelta = 300.0\nalpha = 0.1\nbeta = 0.1\n\
    [suite.matches.mine]\ngame = \"o\"\nagent = \"mine\"\nopponent = \"random\"\n";

/// Ends a suite run with an exit code; `more` are more arguments.
fn regress(workshop: &Workshop, code: i32, more: &[&str]) -> String {
    let ended = workshop.ends(code, &[&["regress", "here/m.toml", "--allow-engines", "--commit", "a"], more].concat());
    ended.stdout + &ended.stderr
}

const UPDATE: [&str; 3] = ["--update-baseline", "--reason", "first"];

#[test]
fn a_baseline_plays_with_the_files_that_it_had() {
    for form in FORMS {
        let workshop = weighed(form, GATE);
        regress(&workshop, 0, &UPDATE);
        workshop.write("here/w.txt", "bad");
        let reported = regress(&workshop, 3, &[]);
        assert!(reported.contains("head to head"), "{form}: {reported}");
        // The same the other way round.
        regress(&workshop, 0, &["--update-baseline", "mine", "--reason", "bad"]);
        workshop.write("here/w.txt", "good");
        assert!(regress(&workshop, 0, &[]).contains("improved"), "{form}");
    }
}

#[test]
fn kept_files_are_those_of_the_baseline_or_nothing_starts() {
    let workshop = weighed(FORMS[1], GATE);
    regress(&workshop, 0, &UPDATE);
    workshop.write("here/w.txt", "bad");
    let kept = workshop.files("results/baselines/engines", "w.txt").into_keys().next().unwrap();
    let script = workshop.files("results/baselines/engines", "mock.sh").into_keys().next().unwrap();
    let directory = script.trim_end_matches("/mock.sh");
    let fails = |reported: &str| {
        let ended = regress(&workshop, 4, &[]);
        assert!(ended.contains(reported) && !ended.contains("this starts"), "{reported}: {ended}");
    };
    for (file, text) in [(&kept, "good"), (&script, &workshop.read(&script))] {
        let name = file.rsplit('/').next().unwrap();
        std::fs::remove_file(workshop.path(file)).unwrap();
        fails(&format!("{name}` is missing in"));
        workshop.write(file, "version https://git-lfs.github.com/spec/v1\n");
        fails(&format!("{name}` has changed in"));
        workshop.write(file, text);
    }
    for added in ["json.py", "lib/helper.py", ".hidden"] {
        let added = format!("{directory}/{added}");
        workshop.write(&added, "");
        fails("` was added in");
        std::fs::remove_file(workshop.path(&added)).unwrap();
    }
    workshop.write(&format!("{directory}/__pycache__/json.pyc"), "");
    regress(&workshop, 3, &[]);
    std::fs::rename(workshop.path(directory), workshop.path("elsewhere")).unwrap();
    fails("is missing in");
    // Counts need no file.
    regress(&workshop, 3, &["--set", "suite.matches.mine.method=counts"]);
}

#[test]
fn a_baseline_without_a_file_that_it_names_is_refused() {
    let workshop = weighed(FORMS[2], GATE);
    regress(&workshop, 0, &UPDATE);
    // A baseline as earlier programs made them: files of options were neither hashed nor kept.
    let mut baseline: Value = serde_json::from_str(&workshop.read("results/baselines/gate.json")).unwrap();
    let files = baseline["matches"]["mine"]["player"]["engine"]["files"].as_object_mut().unwrap();
    files.retain(|name, _| !name.contains("w.txt"));
    let text = serde_json::to_vec(&files).unwrap();
    let place = format!("results/baselines/engines/{}", &blake3::hash(&text).to_hex()[..16]);
    workshop.write(&format!("{place}/mock.sh"), &workshop.read("here/mock.sh"));
    workshop.write("results/baselines/gate.json", &baseline.to_string());
    workshop.write("here/w.txt", "bad");
    let reported = regress(&workshop, 4, &[]);
    assert!(reported.contains("here/w.txt` is not kept in"), "{reported}");
}

#[test]
fn links_are_not_kept() {
    let workshop = weighed(FORMS[0], GATE);
    workshop.write("secret", "good");
    std::fs::remove_file(workshop.path("here/w.txt")).unwrap();
    std::os::unix::fs::symlink("../secret", workshop.path("here/w.txt")).unwrap();
    let reported = regress(&workshop, 2, &UPDATE);
    assert!(reported.contains("w.txt is a link, and is not kept"), "{reported}");
    assert!(workshop.files("results/baselines", "w.txt").is_empty());
}

/// Every file that an engine can open, however it is named, makes its job new, or a caution names it.
#[test]
fn no_result_outlives_a_change_of_a_file_without_a_word() {
    let long = "sh\", \"mock.sh\", ";
    let forms = [
        ("w.txt", format!("command = [\"{long}\"w.txt\"]")),
        ("w.txt", format!("command = [\"{long}\"--weights=w.txt\"]")),
        ("w.txt", format!("command = [\"{long}\"-ww.txt\"]")),
        ("w.txt", format!("command = [\"{long}\"-w\", \"PLACE/w.txt\"]")),
        ("w.txt", format!("command = [\"{long}\"{{'net': 'w.txt'}}\"]")),
        ("w.txt", "command = [\"sh\", \"-c\", \"cat w.txt >/dev/null; . ./mock.sh\"]".to_owned()),
        ("mock.sh", "command = [\"sh\", \"-c\", \"exec sh ./mock.sh\"]".to_owned()),
        ("mock.sh", "command = [\"./mock.sh\"]".to_owned()),
        ("w.txt", "command = [\"sh\", \"mock.sh\"], options = { net = \"w.txt\" }".to_owned()),
        ("w.txt", "command = [\"sh\", \"mock.sh\"], options = { a = { b = [1, \"x;w.txt\"] } }".to_owned()),
        ("w.txt", "command = [\"sh\", \"mock.sh\"], options = { \"w.txt\" = true }".to_owned()),
        ("w.txt", "command = [\"sh\", \"mock.sh\"], environment = { NET = \"PLACE/w.txt\" }".to_owned()),
        ("lib/w.txt", "command = [\"sh\", \"mock.sh\"], environment = { LIBRARY = \"/usr/lib:lib\" }".to_owned()),
        ("lib/w.txt", format!("command = [\"{long}\"--data=PLACE/lib\"]")),
        ("lib/w.txt", "command = [\"sh\", \"mock.sh\"], needs = [\"lib\"]".to_owned()),
        ("w.txt", "command = [\"sh\", \"mock.sh\"], needs = [\"w.txt\"]".to_owned()),
        ("lib/w.txt", "command = [\"sh\", \"../mock.sh\", \"--w=w.txt\"], directory = \"lib\"".to_owned()),
        ("pkg/__main__.py", "command = [\"sh\", \"mock.sh\", \"-m\", \"pkg\"]".to_owned()),
        // These names are in the files of the engine alone, or nowhere.
        ("helper.sh", "command = [\"sh\", \"start.sh\"]".to_owned()),
        ("far.txt", "command = [\"sh\", \"start.sh\"]".to_owned()),
        ("program", "command = [\"sh\", \"start.sh\"]".to_owned()),
        ("secret.bin", "command = [\"sh\", \"start.sh\"]".to_owned()),
    ];
    let manifest = "schema = 1\nname = \"forms\"\ntitle = \"Forms\"\n[games]\no.othello = { size = 4 }\n[agents]\nrandom.random = {}\n\
        mine.engine = { SETTINGS }\n[stages.s.play.match]\ngame = \"o\"\nagent = \"mine\"\nopponent = \"random\"\ngames = 2\n\
        [[exhibit]]\nname = \"x\"\nshow.crosstable = { stage = \"s\" }\n";
    for (file, form) in &forms {
        let workshop = weighed(form, manifest);
        workshop.write("here/mock.sh", &format!("#!/bin/sh\n{FIRST}\nserve\n"));
        workshop.write(
            "here/start.sh",
            ". ./helper.sh\n./program\ncat secr[e]t.bin >/dev/null\n. ./mock.sh # See README.md.\n",
        );
        workshop.write("here/helper.sh", "cat far.txt >/dev/null\n");
        workshop.write("here/program", "#!/bin/sh\n");
        std::fs::set_permissions(workshop.path("here/program"), PermissionsExt::from_mode(0o755)).unwrap();
        for name in ["lib/w.txt", "pkg/__main__.py", "far.txt", "secret.bin", "README.md"] {
            workshop.write(&format!("here/{name}"), "");
        }
        let first = workshop.done("run here/m.toml --yes").stderr;
        let path = format!("here/{file}");
        workshop.write(&path, &format!("{}\n# Another one.\n", workshop.read(&path)));
        let again = workshop.done("run here/m.toml --yes").stderr;
        let forms = [format!("reads `{file}` beside"), format!("opened {}: ", workshop.path(&path).display())];
        let is_told = |text: &str| text.lines().filter(|line| forms.iter().any(|form| line.contains(form))).count();
        let is_seen =
            again.contains("1 new") || is_told(&again) == 1 || cfg!(target_os = "linux") && is_told(&first) == 1;
        assert!(is_seen, "{file} by {form}: {first}\n{again}");
        assert!(!first.contains("README"), "{first}");
        let is_cached = again.contains("1 cached");
        assert!(is_cached == (is_told(&first) > 0), "cautions are for files that are not hashed: {form}: {first}");
        let checked = workshop.done("check here/m.toml").stderr;
        assert!(is_told(&checked) == is_told(&again), "{checked}\n{again}");
    }
}

#[test]
fn files_that_an_engine_writes_are_no_part_of_the_key() {
    let log = "think() { echo thinks >> run.log; read_question; answer; }";
    let run = |settings: &str| {
        let (workshop, _) = workshop(&format!(", options = {{ log = \"run.log\" }}{settings}"), "", log);
        workshop.done("run m.toml --yes");
        workshop.done("run m.toml --yes").stderr
    };
    assert!(run("").contains("1 new, 1 cached"));
    assert!(run(", writes = [\"run.log\"]").contains("2 cached"));
}

#[test]
fn check_warns_of_files_that_an_engine_lacks() {
    let (workshop, _) = workshop(", needs = [\"none.txt\"]", "", "");
    let checked = workshop.done("check m.toml");
    assert!(checked.stderr.contains("none.txt`, which the job needs"), "{}", checked.stderr);
    workshop.write("none.txt", "");
    assert!(!workshop.done("check m.toml").stderr.contains("which the job needs"));
}

#[test]
fn mistakes_in_settings_are_found_before_anything_starts() {
    for (settings, message) in [
        ("protocol = \"uci\"", "an engine with the protocol `uci` needs a budget"),
        ("protocol = \"uci\", budget = { depth = 2 }", "engines with the protocol `uci` do not play othello 4x4"),
        ("protocol = \"xboard\"", "unknown choice `xboard`"),
        ("instances = 0", "0 instances"),
        ("timeout-seconds = 0", "0 s: an engine gets above 0"),
        ("budget = { time-ms = 5 }, deterministic = true", "never deterministic"),
        ("protocol = \"gtp\", budget = { nodes = 5 }", "`gtp` cannot tell an engine the budget"),
        ("colour = \"red\"", "unknown key `colour`"),
    ] {
        let (workshop, _) = workshop(&format!(", {settings}"), "", "");
        let ended = workshop.ends(2, &["check", "m.toml"]);
        assert!(ended.stderr.contains(message), "{settings}: {}", ended.stderr);
    }
    let (workshop, _) = workshop("", "clock = { seconds = 0 }", "");
    assert!(workshop.run("check m.toml").stderr.contains("m.toml:"), "the line is shown");
    let timed = talks("uci", "chess = {}", "clock = { seconds = 9 }", "");
    timed.write("m.toml", &timed.read("m.toml").replace(", budget = { nodes = 1 }", ""));
    assert!(timed.read("m.toml").contains("uci") && timed.run("check m.toml").code == 0, "the clock replaces a budget");
    let (workshop, _) = self::workshop(", deterministic = true", "clock = { seconds = 9 }", "");
    assert!(workshop.ends(2, &["check", "m.toml"]).stderr.contains("no engine is deterministic where time decides"));
}

/// The fastest way to see that a remote player is the same: our own program as an engine.
#[test]
fn our_players_give_the_same_bytes_through_the_protocol() {
    let players = [
        ("othello = { size = 4 }", "guided = { network = { saz = { hidden = 8 } }, search = { simulations = 6 } }"),
        ("chess = { size = 5 }", "uct = { simulations = 5 }"),
        (
            "ludeme = { name = \"yavalath\" }",
            "search = { guide.rollouts = { count = 1 }, search = { simulations = 6 } }",
        ),
    ];
    for (game, agent) in players {
        let program = env!("CARGO_BIN_EXE_gauntlet");
        let engine = format!(
            "engine = {{ command = ['{program}', 'engine', '--protocol', 'json', '--agent', '{agent}'], deterministic = true }}"
        );
        let games = |one: &str, other: &str| {
            let workshop = Workshop::with(&format!(
                "schema = 1\nname = \"same\"\ntitle = \"Same\"\n[games]\ng.{game}\n[agents]\na.{one}\nb.{other}\n\
                 [stages.t.play.tournament]\ngame = \"g\"\nplayers = [\"a\", \"b\"]\ngames = 4\nmax-plies = 40\n\
                 openings = {{ random = {{ plies = 2 }} }}\n[[exhibit]]\nname = \"x\"\nshow.crosstable = {{ stage = \"t\" }}\n"
            ));
            workshop.done("run m.toml --yes");
            workshop.files("results/jobs", "games.jsonl").into_values().collect::<Vec<_>>()
        };
        let inside = games(agent, agent);
        assert_eq!(games(&engine, agent), inside, "{agent}");
        assert_eq!(games(&engine, &engine), inside, "{agent}");
    }
}

/// Engines of other programs, where this machine has them.
#[test]
fn known_engines_play_chess_and_go() {
    let played = |program: &str, game: &str, settings: &str| {
        let places =
            [format!("/usr/games/{program}"), format!("/usr/bin/{program}"), format!("/usr/local/bin/{program}")];
        let Some(path) = places.iter().find(|path| std::path::Path::new(path).is_file()) else {
            eprintln!("skipped: there is no {program} here");
            return;
        };
        let workshop = Workshop::with(&format!(
            "schema = 1\nname = \"known\"\ntitle = \"Known\"\n[games]\ng.{game}\n[agents]\nrandom.random = {{}}\n\
             known.engine = {{ command = [\"{path}\"{settings} }}\n[stages.t.play.match]\ngame = \"g\"\nagent = \"known\"\n\
             opponent = \"random\"\ngames = 4\nmax-plies = 150\nopenings = {{ random = {{ plies = 2 }} }}\n\
             [[exhibit]]\nname = \"x\"\nshow.crosstable = {{ stage = \"t\" }}\n"
        ));
        workshop.done("run m.toml --yes");
        let found = result(&workshop);
        assert!(found["mean"].as_f64().unwrap() >= 0.5, "{program}: {found}");
        let says =
            found["engines"].as_object().unwrap().values().next().unwrap()["says"].as_str().unwrap().to_lowercase();
        assert!(says.contains(&program.replace("gnugo", "gnu go")), "{says}");
    };
    played(
        "stockfish",
        "chess = {}",
        "], protocol = \"uci\", budget = { nodes = 100 }, options = { Hash = 16 }, deterministic = true",
    );
    played(
        "gnugo",
        "go = { size = 7 }",
        ", \"--mode\", \"gtp\", \"--chinese-rules\"], protocol = \"gtp\", options = { level = 1 }",
    );
}

#[test]
fn engines_of_every_protocol_meet_our_own() {
    let program = env!("CARGO_BIN_EXE_gauntlet");
    for (protocol, game, budget) in [
        ("gomocup", "gomoku = { size = 7 }", "budget = { time-ms = 20 }"),
        ("gtp", "go = { size = 5 }", "instances = 2"),
        ("gtp", "hex = { size = 4 }", "deterministic = true"),
        ("gtp", "chess = { size = 5 }", "deterministic = true"),
        ("uci", "chess = {}", "budget = { nodes = 4 }, deterministic = true"),
    ] {
        let kind = game.split(' ').next().unwrap();
        let size = game
            .split("size = ")
            .nth(1)
            .map_or(String::new(), |rest| format!(", '--size', '{}'", rest.trim_end_matches(" }")));
        let workshop = Workshop::with(&format!(
            "schema = 1\nname = \"own\"\ntitle = \"Own\"\n[games]\ng.{game}\n[agents]\nrandom.random = {{}}\n\
             own.engine = {{ command = ['{program}', 'engine', '--protocol', '{protocol}', '--agent', 'uct = {{ simulations = 8 }}', \
             '--game', '{kind}'{size}], protocol = \"{protocol}\", {budget} }}\n[stages.t.play.match]\ngame = \"g\"\nagent = \"own\"\n\
             opponent = \"random\"\ngames = 4\nmax-plies = 60\nopenings = {{ random = {{ plies = 2 }} }}\n\
             [[exhibit]]\nname = \"x\"\nshow.crosstable = {{ stage = \"t\" }}\n"
        ));
        workshop.done("run m.toml --yes");
        assert_eq!(result(&workshop)["games"], 4, "{protocol}");
    }
}
