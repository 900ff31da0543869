//! Tests of `gauntlet engine`: the program behind pipes, as other programs start it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::workshop::{Ended, Workshop};

/// More than any answer takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// An engine behind pipes.
struct Engine {
    process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    _workshop: Workshop,
}

impl Engine {
    fn start(arguments: &[&str]) -> Engine {
        let workshop = Workshop::new();
        let mut command = workshop.command_with(&[&["engine", "--protocol"], arguments].concat());
        let mut process = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(process.stdout.take().unwrap());
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Engine { input: process.stdin.take(), process, lines, _workshop: workshop }
    }

    fn send(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(text.as_bytes()).and_then(|()| input.write_all(b"\n")).unwrap();
    }

    /// The next line that begins like this.
    fn line(&self, start: &str) -> String {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            let line = self.lines.recv_timeout(PATIENCE).unwrap();
            if line.starts_with(start) {
                return line;
            }
        }
        panic!("no line {start}")
    }

    /// The exit code within these seconds.
    fn code(&mut self, seconds: u64) -> Option<i32> {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(seconds) {
            if let Some(status) = self.process.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        None
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The whole output for a whole input.
fn spoken(arguments: &[&str], input: &[u8]) -> Ended {
    let workshop = Workshop::new();
    let mut command: Command = workshop.command_with(&[&["engine", "--protocol"], arguments].concat());
    let mut process = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut pipe = process.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // An engine that has failed reads no more.
        let _ = pipe.write_all(&input);
    });
    let ended = Ended::from(process.wait_with_output().unwrap());
    writer.join().unwrap();
    ended
}

const UCT: &str = "uct = { simulations = 20 }";

/// A search without an end, in each protocol that has one.
#[test]
fn searches_without_an_end_are_stopped_within_a_moment() {
    let mut uci = Engine::start(&["uci", "--agent", UCT]);
    uci.send("uci\nisready\nposition startpos moves e2e4");
    uci.line("readyok");
    let mut slowest = Duration::ZERO;
    for _ in 0..5 {
        uci.send("go infinite");
        uci.line("info depth");
        let begun = Instant::now();
        uci.send("stop");
        assert_eq!(uci.line("bestmove ").len(), 13);
        slowest = slowest.max(begun.elapsed());
    }
    // 100 ms on an idle machine; tests run beside others.
    assert!(slowest < Duration::from_secs(2), "{slowest:?}");
    uci.send("go infinite\nquit");
    assert_eq!(uci.code(10), Some(0));
    let mut gtp = Engine::start(&["gtp", "--agent", UCT, "--game", "go", "--size", "9"]);
    gtp.send("lz-analyze b 5");
    assert!(gtp.line("info move ").contains(" pv "));
    gtp.send("2 genmove b");
    assert!(gtp.line("=2 ").len() > 4);
    gtp.send("kata-analyze w 5");
    gtp.line("info move ");
    drop(gtp.input.take());
    assert_eq!(gtp.code(10), Some(0), "the end of the input ends an analysis");
}

#[test]
fn the_end_of_the_input_ends_it_and_searches_with_an_end_are_answered() {
    let ended = spoken(&["uci", "--agent", UCT], b"position startpos\ngo nodes 50\n");
    assert!(ended.code == 0 && ended.stdout.contains("bestmove "), "{ended:?}");
    let ended = spoken(&["uci", "--agent", UCT], b"go infinite");
    assert!(ended.code == 0 && ended.stdout.contains("bestmove "), "{ended:?}");
    let script = b"boardsize 5\ngenmove b\ngenmove w\nshowboard\nquit\n";
    let ended = spoken(&["gtp", "--agent", UCT], script);
    assert!(ended.code == 0 && ended.stdout.matches("\n\n").count() == 5, "{ended:?}");
    assert_eq!(spoken(&["gtp", "--agent", UCT], script).stdout, ended.stdout, "one seed, one game");
    assert_ne!(spoken(&["gtp", "--agent", "random", "--seed", "2"], script).stdout, ended.stdout);
    let ended = spoken(&["gomocup", "gomoku-agz/II", "--simulations", "10"], b"START 9\r\nBEGIN\r\nEND\r\n");
    assert!(ended.code == 0 && ended.stdout.starts_with("OK\n"), "{ended:?}");
    for protocol in ["uci", "gtp", "gomocup", "json"] {
        let ended = spoken(&[protocol, "--agent", "random"], b"");
        assert_eq!((ended.code, &ended.stdout[..]), (0, ""), "{protocol}: {ended:?}");
    }
}

#[test]
fn garbage_and_long_lines_are_survived() {
    let mut garbage = vec![b'x'; 10 << 20];
    garbage.extend(b"\n\xff\xfe\0garbage\n");
    for (protocol, line, answer) in
        [("uci", "isready\n", "readyok"), ("gtp", "7 version\n", "=7 "), ("gomocup", "ABOUT\n", "name=\"Gauntlet ")]
    {
        let ended = spoken(&[protocol, "--agent", "random"], &[&garbage[..], line.as_bytes()].concat());
        assert!(ended.code == 0 && ended.stdout.contains(answer), "{protocol}: {}", ended.stderr);
        assert!(ended.stdout.len() < 1000 && ended.stdout.contains("too long"), "{protocol}");
    }
    let ended = spoken(&["json", "--agent", "random"], &garbage);
    assert_eq!(ended.code, 1);
    assert!(ended.stdout.starts_with("{\"error\":\"a message cannot be read"), "{}", ended.stdout);
    assert!(ended.stderr.contains("a message cannot be read"), "{}", ended.stderr);
}

#[test]
fn an_engine_that_cannot_play_says_so_at_once() {
    let workshop = Workshop::new();
    for (arguments, said) in [
        (
            &["--protocol", "uci", "--agent", "uct", "--game", "go", "--size", "9"][..],
            "UCI is a protocol for chess on 8x8",
        ),
        (
            &["--protocol", "gomocup", "--agent", "uct", "--game", "othello", "--size", "8"],
            "is for gomoku, not for othello",
        ),
        (&["--protocol", "uci", "gomoku-agz/II"], "UCI is a protocol for chess on 8x8"),
        (&["--protocol", "gtp", "--agent", "benchmark", "--game", "go", "--size", "9"], "cannot play"),
        (&["--protocol", "gtp"], "no player is given"),
        (&["--protocol", "xboard", "--agent", "uct"], "invalid value 'xboard'"),
        (&["--agent", "uct"], "--protocol"),
    ] {
        let ended = workshop.ends(2, &[&["engine"], arguments].concat());
        assert!(ended.stdout.is_empty() && ended.stderr.contains(said), "{said}: {}", ended.stderr);
    }
}

#[test]
fn a_model_answers_in_its_own_protocol() {
    let seed = "07".repeat(32);
    let hello = format!(
        r#"{{"hello":{{"protocol":1,"program":"test","game":{{"name":"gomoku 9x9","kind":"gomoku","spec":{{"gomoku":{{"size":9}}}},"rows":9,"columns":9,"sites":81,"actions":81,"sides":["X","O"]}},"seed":"{seed}","options":{{"simulations":8}}}}}}"#
    );
    let ask =
        |id: u32| format!(r#"{{"think":[{{"game":0,"ply":0,"side":"first","seed":"{seed}","moves":[]}}],"id":{id}}}"#);
    let input = format!("{hello}\n{}\n{{\"over\":[0]}}\n{}\n{{\"quit\":true}}\n", ask(1), ask(2));
    let ended = spoken(&["json", "gomoku-agz/II"], input.as_bytes());
    let lines: Vec<serde_json::Value> = ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((ended.code, lines.len()), (0, 3), "{ended:?}");
    assert_eq!(lines[0]["hello"]["name"], "gomoku-agz/II");
    assert_eq!(lines[1]["moves"], lines[2]["moves"], "one seed, one answer");
    assert_eq!(lines[1]["moves"][0]["policy"].as_array().unwrap().len(), 81);
}

/// The clients are programs of others: python-chess with stockfish, and gnugo. Parts without them are skipped with a word.
#[test]
fn clients_of_other_programs_find_no_fault() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/engine_clients.py");
    let run = Command::new("python3").args([script, env!("CARGO_BIN_EXE_gauntlet"), "--games", "2"]).output();
    let Ok(output) = run else { return eprintln!("skipped: python3 is missing") };
    let ended = Ended::from(output);
    eprintln!("{}", ended.stdout);
    // Time forfeits and delays are those of an idle machine.
    let is_slow = |line: &&str| line.contains("time forfeit") || line.contains("more than 100 ms");
    let faults = ended.stdout.lines().filter(|line| line.contains(", game ") && !is_slow(line)).count();
    assert!(ended.code != -1 && faults == 0 && !ended.stderr.contains("Traceback"), "{ended:?}");
}
