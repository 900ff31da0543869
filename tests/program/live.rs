//! Tests of what is shown of runs: those under way, interrupted ones, and recorded games in a browser.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Child;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::workshop::{MEASUREMENTS, TRAINING, Workshop, json};

/// Asks until there is an answer, for a minute.
fn wait<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = ask() {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "nothing within a minute");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn interrupt(child: &Child) {
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
}

const TOURNAMENT: &str = r#"schema = 1
name = "test/rounds"
title = "A tournament"
games.four.connect-four = {}
[agents]
deep.alpha-beta = { depth = 2 }
uct.uct = { simulations = 8 }
[stages.rounds.play.tournament]
game = "four"
players = ["deep", "uct"]
games = 40
openings = { random = { plies = 2 } }
[[exhibit]]
show.ratings = { stage = "rounds" }
"#;

#[test]
fn status_names_what_ran_here() {
    let workshop = Workshop::with(MEASUREMENTS);
    let nothing = workshop.done("status");
    assert!(nothing.stderr.contains("nothing has run on `results`") && nothing.stdout.is_empty(), "{nothing:?}");
    assert_eq!(json(&workshop.done("status --json").stdout), serde_json::json!([]));
    workshop.write("n.toml", &format!("{MEASUREMENTS}\n[profile.tiny]\nstages.fitness.seeds = 1\n"));
    workshop.done("run n.toml --profile tiny");
    let shown = workshop.done("status").stdout;
    assert_eq!(shown.lines().count(), 2, "{shown}");
    assert!(shown.contains("n.toml") && shown.contains("tiny"), "{shown}");
    // Other settings than those of a profile.
    workshop.done("run m.toml --set stages.fitness.measure.fitness.games=6 --seeds 1 --force");
    let rows = json(&workshop.done("status --json").stdout);
    let custom = rows.as_array().unwrap().iter().find(|row| row["manifest"] == "m.toml").unwrap();
    assert_eq!(custom["profile"], "custom");
    assert!(custom["jobs"].as_u64() > Some(0) && custom["jobs"] == custom["cached"], "{custom}");
    std::fs::remove_file(workshop.path("n.toml")).unwrap();
    assert!(workshop.done("status").stdout.contains("n.toml"), "its results are still here");
}

#[test]
fn status_does_not_deny_the_results_of_a_manifest_with_problems() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml --seeds 1");
    let other = workshop.done("status --profile tiny").stderr;
    assert!(other.contains("no sound manifest that ran on `results` has the profile `tiny`"), "{other}");
    workshop.write("m.toml", "schema = 2\n");
    let told = workshop.done("status").stderr;
    assert!(told.contains("m.toml is left out: ") && !told.contains("nothing has run"), "{told}");
}

#[test]
fn an_interrupted_training_tells_how_far_it_is_and_shows_its_curve() {
    let workshop = Workshop::with(&TRAINING.replace("generations = 30", "generations = 100000"));
    let run = workshop.command("run m.toml --jobs 1 --only stage=train --live").spawn().unwrap();
    let running = wait(|| {
        let watched = json(&workshop.done("watch --json").stdout);
        let running = watched[0]["running"][0].clone();
        (running["curves"][0]["lines"][0]["points"].as_array().is_some_and(|points| !points.is_empty()))
            .then_some(running)
    });
    assert_eq!(running["curves"][0]["title"], "fitness");
    let shown = workshop.done("watch").stdout;
    assert!(shown.contains(": mean ") && shown.contains(" at generation "), "{shown}");
    interrupt(&run);
    assert_eq!(run.wait_with_output().unwrap().status.code(), Some(130));
    let status = json(&workshop.done("status m.toml --only stage=train --json").stdout);
    let begun = &status[0]["checkpoints"][0];
    assert!(begun["done"].as_u64() > Some(0) && begun["total"] == 100_000, "{status}");
    for command in ["status m.toml --only stage=train", "plan m.toml --only stage=train"] {
        let reported = workshop.done(command).stdout;
        assert!(
            reported.contains("interrupted, continues from") && reported.contains(" of 100000"),
            "{command}: {reported}"
        );
    }
    let plan = json(&workshop.done("plan m.toml --only stage=train --json").stdout);
    assert!(plan.as_array().unwrap().iter().any(|job| job["checkpoint"]["done"].as_u64() > Some(0)), "{plan}");
}

/// The page of a workshop: its process and its port.
fn served(workshop: &Workshop) -> (Child, u16) {
    let mut server = workshop.command("serve --port 0").spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let port = line.trim().trim_end_matches('/').rsplit(':').next().unwrap().parse().unwrap();
    (server, port)
}

/// Sends a request, and waits for nothing.
fn asked(port: u16, path: &str, headers: &str) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(stream, "GET {path} HTTP/1.0\r\n{headers}\r\n\r\n").unwrap();
    stream
}

/// The answer of the page at a path: its status and its body.
fn get(port: u16, path: &str, headers: &str) -> (u16, String) {
    let (mut stream, mut answer) = (asked(port, path, headers), String::new());
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    (status, answer)
}

/// Interrupts the page, which ends at once.
fn assert_ends_at_once(mut server: Child) {
    let begun = Instant::now();
    interrupt(&server);
    assert_eq!(server.wait().unwrap().code(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
}

fn body(answer: &str) -> Value {
    json(answer.split_once("\r\n\r\n").unwrap().1)
}

#[test]
fn a_page_on_this_machine_replays_recorded_games() {
    let workshop = Workshop::with(TOURNAMENT);
    workshop.done("run m.toml");
    let (server, port) = served(&workshop);
    let own = format!("Host: 127.0.0.1:{port}");
    let get = |path: &str| get(port, path, &own);
    let (status, page) = get("/");
    assert!(status == 200 && page.contains("Content-Security-Policy: default-src 'none'"), "{page}");
    assert!(get("/page.js").0 == 200 && get("/page.css").0 == 200);
    let live = body(&get("/live").1);
    assert!(live["state"].as_str().unwrap().starts_with("No run is active in results."), "{live}");
    let jobs = body(&get("/games").1);
    let directory = jobs[0]["directory"].as_str().unwrap();
    let titles = body(&get(&format!("/games/{directory}")).1);
    assert_eq!(titles.as_array().unwrap().len(), 40);
    assert!(titles[0].as_str().unwrap().contains("deep X, uct O: "), "{titles}");
    let game = body(&get(&format!("/games/{directory}/3")).1);
    let frames = game["frames"].as_array().unwrap();
    assert!(frames.len() > 7 && game["board"].as_str().unwrap().starts_with("<svg"), "{game}");
    let stones = |frame: &Value| frame["pieces"].as_str().unwrap().matches("<circle").count();
    // A stone more, and the mark of the last move.
    assert_eq!((stones(&frames[0]), stones(&frames[1])), (0, 2));
    assert!(frames[1]["opening"] == true && frames[3]["opening"] == false);
    // The second player searches, and so has a policy and a value.
    let advice = [2, 3].map(|ply| body(&get(&format!("/games/{directory}/3/{ply}")).1));
    let of = |name: &str| advice.iter().find(|one| one["player"] == name).unwrap();
    assert!(of("deep")["advice"].is_null(), "{advice:?}");
    let reported = &of("uct")["advice"][0];
    let moves = reported["moves"].as_array().unwrap();
    let shares: f64 = moves.iter().map(|entry| entry["share"].as_f64().unwrap()).sum();
    assert!(reported["by"] == "search" && (-1.0..=1.0).contains(&reported["value"].as_f64().unwrap()), "{reported}");
    assert!(shares > 0.5 && moves.iter().filter(|entry| entry["played"] == true).count() <= 1, "{reported}");
    // What does not exist, what lies elsewhere, and who comes from elsewhere.
    assert_eq!(get("/nothing").0, 404);
    assert!(body(&get("/games/..%2f..%2fetc").1)["error"].is_string());
    for headers in ["Host: evil.example", &format!("{own}\r\nSec-Fetch-Site: cross-site"), "Accept: */*"] {
        assert_eq!(self::get(port, "/", headers).0, 403, "{headers}");
    }
    assert_ends_at_once(server);
}

#[test]
fn clients_that_send_or_read_nothing_block_no_other() {
    let workshop = Workshop::with(TOURNAMENT);
    workshop.done("run m.toml");
    let (server, port) = served(&workshop);
    let own = format!("Host: 127.0.0.1:{port}");
    let directory = workshop.jobs("play").remove(0).file_name().unwrap().to_str().unwrap().to_owned();
    let game = format!("/games/{directory}/3");
    // More than the page keeps open.
    let silent: Vec<_> = (0..150).map(|_| TcpStream::connect(("127.0.0.1", port)).unwrap()).collect();
    let deaf: Vec<_> = (0..150).map(|_| asked(port, &game, &own)).collect();
    let begun = Instant::now();
    assert_eq!(get(port, "/", &own).0, 200);
    assert_eq!(get(port, "/live", &own).0, 200);
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    // An endless head is cut off.
    let mut endless = asked(port, "/", "Long: ");
    endless.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
    let line = [b'x'; 1 << 16];
    let written = (0..1000).take_while(|_| endless.write_all(&line).is_ok()).count();
    assert!(written < 1000, "the page reads 64 MB of a head");
    assert_eq!(get(port, "/page.js", &own).0, 200);
    assert_ends_at_once(server);
    drop((silent, deaf));
}

#[test]
fn games_of_another_job_are_an_error_and_end_nothing() {
    let workshop = Workshop::with(TOURNAMENT);
    workshop
        .write("o.toml", &TOURNAMENT.replace("connect-four = {}", "othello = { size = 6 }").replace("test/", "other/"));
    workshop.done("run m.toml o.toml");
    let [one, other] = &workshop.jobs("play")[..] else { panic!("two jobs") };
    // The files of one game, with the key of another.
    std::fs::copy(other.join("key.json"), one.join("key.json")).unwrap();
    let (server, port) = served(&workshop);
    let own = format!("Host: 127.0.0.1:{port}");
    let directory = one.file_name().unwrap().to_str().unwrap();
    for _ in 0..20 {
        for path in [format!("/games/{directory}"), format!("/games/{directory}/3")] {
            let reported = body(&get(port, &path, &own).1);
            let words = ["games of ", "connect-four", "othello 6x6"];
            assert!(words.iter().all(|word| reported["error"].as_str().unwrap().contains(word)), "{reported}");
        }
        assert_eq!(get(port, &format!("/games/{directory}/3/2"), &own).0, 404);
    }
    assert_eq!(get(port, "/games", &own).0, 200);
    assert_ends_at_once(server);
}

#[test]
fn names_that_turn_text_are_shown_as_text() {
    let (workshop, _) = crate::engines::workshop(", name = \"a\\u202eb\\u001b[2Jc\"", "", "");
    workshop.done("run m.toml --yes");
    let (server, port) = served(&workshop);
    let own = format!("Host: 127.0.0.1:{port}");
    let directories: Vec<String> =
        workshop.jobs("play").iter().map(|job| job.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    let paths = directories
        .iter()
        .flat_map(|job| [String::new(), "/0".to_owned(), "/0/2".to_owned()].map(|part| format!("/{job}{part}")));
    let answers: String = paths.map(|path| get(port, &format!("/games{path}"), &own).1).collect();
    assert!(answers.contains("a\\\\u{202e}b"), "{answers}");
    assert_eq!(answers.find(['\u{202e}', '\u{1b}']), None);
    assert_ends_at_once(server);
}

#[test]
fn the_page_needs_results() {
    let workshop = Workshop::new();
    let ended = workshop.run("serve --port 0 --results nowhere");
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert!(
        ended.stderr.contains("there is no directory nowhere") && ended.stderr.contains("--results"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_tournament_under_way_has_ratings_marked_as_partial() {
    let long = TOURNAMENT.replace("games = 40", "games = 40000").replace("depth = 2", "depth = 4");
    let workshop = Workshop::with(&long);
    let run = workshop.command("run m.toml --jobs 1 --live").spawn().unwrap();
    let running = wait(|| {
        let watched = json(&workshop.done("watch --json").stdout);
        let running = watched[0]["running"][0].clone();
        (running["standings"]["games"].as_u64() > Some(20)).then_some(running)
    });
    let players = running["standings"]["players"].as_array().unwrap();
    assert_eq!(players.len(), 2);
    assert!(players[0]["score"].as_f64() >= players[1]["score"].as_f64(), "{running}");
    let shown = workshop.done("watch").stdout;
    assert!(shown.contains("partial: ratings after ") && shown.contains("last game of "), "{shown}");
    interrupt(&run);
    assert_eq!(run.wait_with_output().unwrap().status.code(), Some(130));
}
