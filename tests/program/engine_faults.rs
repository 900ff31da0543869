//! Tests of broken engines: each fails its job with its last words, never loses a game, and leaves no process behind. The
//! other jobs go on.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::engines::{alive, assert_gone, workshop};

/// A broken agent: the changed functions of the agent that plays the first legal move, and the expected message.
struct Fault {
    name: &'static str,
    agent: &'static str,
    message: &'static str,
}

const FAULTS: &[Fault] = &[
    Fault { name: "never says hello", agent: "hello() { :; }", message: "did not answer `hello` within 1 s" },
    Fault { name: "never answers", agent: "think() { :; }", message: "did not answer `think` within 1 s" },
    Fault {
        name: "answers too late",
        agent: "think() { sleep 2; read_question; answer; }",
        message: "did not answer `think` within 1 s",
    },
    Fault {
        name: "crashes at its start",
        agent: "echo 'no network file' >&2; exit 3",
        message: "exited (exit status: 3) before it answered `hello`\n  its last lines on standard error:\n    no network file",
    },
    Fault {
        name: "crashes in a game",
        agent: "think() { echo 'Traceback' >&2; kill -SEGV $$; }",
        message: "before it answered `think`",
    },
    Fault {
        name: "chooses an illegal move",
        agent: "answer() { echo \"{\\\"moves\\\":[{\\\"game\\\":$game,\\\"move\\\":\\\"z9\\\"}]}\"; }",
        message: "chose `z9`, which is not a legal move, in game ",
    },
    Fault {
        name: "chooses nothing",
        agent: "answer() { echo \"{\\\"moves\\\":[{\\\"game\\\":$game}]}\"; }",
        message: "chose ``, which is not a legal move",
    },
    Fault {
        name: "writes no JSON",
        agent: "answer() { echo hello; }",
        message: "wrote a line that is not a message: `hello`",
    },
    Fault {
        name: "writes an unknown message",
        agent: "answer() { echo '{\"dance\":1}'; }",
        message: "wrote an unknown message: `{\"dance\":1}`",
    },
    Fault { name: "floods its output", agent: "think() { yes; }", message: "wrote a line that is not a message: `y`" },
    Fault {
        name: "writes an endless line",
        agent: "think() { head -c 10000000 /dev/zero | tr '\\0' x; echo; }",
        message: "wrote a line of more than 8,388,608 bytes",
    },
    Fault {
        name: "answers for another game",
        agent: "answer() { echo \"{\\\"moves\\\":[{\\\"game\\\":77,\\\"move\\\":\\\"$move\\\"}]}\"; }",
        message: "answered for game 77, which was not asked",
    },
    Fault {
        name: "answers twice",
        agent: "answer() { one=\"{\\\"game\\\":$game,\\\"move\\\":\\\"$move\\\"}\"; echo \"{\\\"moves\\\":[$one,$one]}\"; }",
        message: "answered twice for game ",
    },
    Fault {
        name: "repeats its answer",
        agent: "think() { read_question; answer; answer; }",
        // The second answer is unexpected, or answers the next question wrongly if it comes late.
        message: "seed=1: mine ",
    },
    Fault {
        name: "leaves an answer out",
        agent: "answer() { echo '{\"moves\":[]}'; }",
        message: "left out the answer for game ",
    },
    Fault {
        name: "answers another question",
        agent: "answer() { echo '{\"moves\":[],\"id\":99}'; }",
        message: "answered question 99 instead of 1",
    },
    Fault { name: "gives up", agent: "answer() { echo '{\"error\":\"no memory\"}'; }", message: "gave up: no memory" },
    Fault {
        name: "has a wrong value",
        agent: "answer() { echo \"{\\\"moves\\\":[{\\\"game\\\":$game,\\\"move\\\":\\\"$move\\\",\\\"value\\\":7}]}\"; }",
        message: "gave the value 7, which is outside -1 to 1,",
    },
    Fault {
        name: "has a wrong policy",
        agent: "answer() { echo \"{\\\"moves\\\":[{\\\"game\\\":$game,\\\"move\\\":\\\"$move\\\",\\\"policy\\\":[]}]}\"; }",
        message: "gave a policy that has 0 weights for ",
    },
    Fault {
        name: "speaks a later version",
        agent: "hello() { echo '{\"hello\":{\"protocol\":2,\"name\":\"x\"}}'; }",
        message: "speaks version 2 of the protocol",
    },
    Fault {
        name: "wants images as a part",
        agent: "hello() { echo '{\"hello\":{\"protocol\":1,\"name\":\"x\",\"wants\":[\"legal\",\"planes\"]}}'; }",
        message: "the key `planes` or `tensors` asks for images",
    },
    Fault {
        name: "has a long version",
        agent: "hello() { echo \"{\\\"hello\\\":{\\\"protocol\\\":1,\\\"name\\\":\\\"x\\\",\\\"version\\\":\\\"$(head -c 7000000 /dev/zero | tr '\\0' x)\\\"}}\"; }",
        message: "has a version of 7000000 bytes: at most 200 are allowed",
    },
    Fault {
        name: "forgets its numbers",
        agent: "answer() { echo \"{\\\"moves\\\":[{\\\"game\\\":$game,\\\"move\\\":\\\"$move\\\"}]$sent}\"; }; think() { read_question; [ -z \"$asked\" ] && sent=${line##*]} && sent=${sent%\\}} || sent=; asked=1; answer; }",
        message: "left out the `id` of an answer, and had sent others before",
    },
    Fault {
        name: "plays other games",
        agent: "hello() { echo '{\"hello\":{\"protocol\":1,\"name\":\"x\",\"games\":[\"go\"]}}'; }",
        message: "does not play othello 4x4, only go",
    },
    Fault {
        name: "closes its output",
        agent: "think() { exec >&-; sleep 30; }",
        message: "closed its standard output",
    },
    Fault { name: "closes its input", agent: "hello; exec <&-; sleep 30; exit", message: "did not answer `think`" },
];

/// The settings of a broken engine, with the limits for its first answer and for the others in seconds. A busy machine
/// takes its time: only limits that a test waits for are short.
fn settings(startup: u32, timeout: u32) -> String {
    format!(", startup-seconds = {startup}, timeout-seconds = {timeout}, name = \"mine\"")
}

#[test]
fn a_broken_engine_fails_its_job_and_nothing_else() {
    for Fault { name, agent, message } in FAULTS {
        let limit = |awaited: &str| if message.contains(awaited) { 1 } else { 20 };
        let limits = settings(limit("did not answer `hello`"), limit("did not answer `think`"));
        let (workshop, mark) = workshop(&limits, "", agent);
        let begin = Instant::now();
        let ended = workshop.ends(1, &["run", "m.toml", "--yes"]);
        assert!(begin.elapsed() < Duration::from_secs(60), "{name}");
        assert!(ended.stderr.contains("failed: engine") && ended.stderr.contains(message), "{name}: {}", ended.stderr);
        assert_eq!(ended.stderr.matches("failed: ").count(), 1, "{name}: {}", ended.stderr);
        // The other job has its result, and the broken one none.
        assert_eq!(workshop.files("results/jobs", "done.json").len(), 1, "{name}");
        assert_gone(&mark);
    }
}

#[test]
fn odd_engines_that_play_on_are_no_fault() {
    for (name, agent) in [
        ("floods standard error", "yes >&2 &"),
        ("writes notes", "think() { echo '{\"log\":\"thinking\"}'; echo; read_question; answer; }"),
        ("ignores quit", "quit() { :; }; trap '' TERM"),
        ("leaves a child behind", "sleep 1000 &"),
        ("leaves a child that holds its pipes", "(sleep 1000; echo \"$1\") &"),
        ("plays on in a child", "exec 3<&0; serve <&3 & exit"),
        ("crashes at quit", "quit() { exit 9; }"),
        (
            "ends its lines with CR",
            "answer() { printf '{\"moves\":[{\"game\":%s,\"move\":\"%s\"}]}\\r\\n' $game $move; }",
        ),
    ] {
        let (workshop, mark) = workshop(", name = \"mine\"", "", agent);
        let ended = workshop.done("run m.toml --yes");
        assert_eq!(workshop.files("results/jobs", "done.json").len(), 2, "{name}");
        assert_eq!(
            name == "crashes at quit",
            ended.stderr.contains("ended with exit status: 9"),
            "{name}: {}",
            ended.stderr
        );
        assert_gone(&mark);
    }
}

#[test]
fn an_engine_that_dies_while_the_other_thinks_is_noticed() {
    let (workshop, mark) =
        workshop(&settings(20, 20), "", "think() { read_question; answer; sleep 0.1; echo dead >&2; exit 1; }");
    let text = workshop
        .read("m.toml")
        .replace("opponent = \"random\"\ngames = 6\n\nopenings", "opponent = \"slow\"\ngames = 6\nopenings");
    let slow = format!("[agents]\nslow.engine = {{ command = [\"sh\", \"slow.sh\", \"{mark}\"], name = \"slow\" }}\n");
    workshop.write("m.toml", &text.replace("[agents]\n", &slow));
    workshop.write("slow.sh", &workshop.read("mock.sh").replace("sleep 0.1; echo dead >&2; exit 1;", "sleep 0.3;"));
    let ended = workshop.ends(1, &["run", "m.toml", "--yes"]);
    assert!(ended.stderr.contains("mine exited (exit status: 1)") && ended.stderr.contains("dead"), "{}", ended.stderr);
    assert_gone(&mark);
}

/// Plays the last legal move instead of the first.
const LAST: &str = r#"last() { rest=${line#*\"legal\":[}; rest=${rest%%]*}; move=${rest##*,}; move=${move#\"}; move=${move%\"}; }
think() { read_question; ply=${line#*\"ply\":}; ply=${ply%%,*}; n=$((n + 1)); if differs; then last; fi; answer; }"#;

#[test]
fn an_engine_that_only_seems_deterministic_is_caught() {
    let is_second = "mkdir begun 2>/dev/null || second=1";
    for (name, start, differs) in [
        ("counts its moves", "n=0", "[ $n -gt 4 ]"),
        ("differs by process", is_second, "[ -n \"$second\" ]"),
        ("differs late in a game", is_second, "[ -n \"$second\" ] && [ $ply -ge 6 ]"),
        // As a generator with a fixed seed, which nothing sets up again.
        ("counts its games", "g=-1; c=0", "{ [ $game -ne $g ] && { g=$game; c=$((c + 1)); }; [ $((c % 3)) -eq 2 ]; }"),
    ] {
        let agent = format!("{start}\ndiffers() {{ {differs}; }}\n{LAST}");
        let (workshop, mark) = workshop(", deterministic = true, name = \"mine\"", "", &agent);
        let ended = workshop.run("run m.toml --yes");
        assert_eq!(ended.code, 1, "{name}: {}", ended.stderr);
        assert!(ended.stderr.contains("mine is declared deterministic, but after"), "{name}: {}", ended.stderr);
        assert_gone(&mark);
    }
}

/// Children that leave the process group of the engine, in several ways. Their command has the mark of the engine.
#[cfg(target_os = "linux")]
const ESCAPES: [&str; 4] = [
    "setsid sh -c 'sleep 1000; :' \"$1\" &",
    "(setsid sh -c 'sleep 1000; :' \"$1\" >/dev/null 2>&1 </dev/null &)",
    "env -i setsid sh -c '(setsid sh -c \"sleep 1000; :\" \"$0\" &)' \"$1\" >/dev/null 2>&1 </dev/null",
    "setsid sh -c 'while :; do setsid sleep 1 & sleep 0.01; done; :' \"$1\" >/dev/null 2>&1 </dev/null &",
];

#[test]
#[cfg(target_os = "linux")]
fn nothing_that_an_engine_started_outlives_it() {
    let ends = [("", 0), ("think() { exit 3; }", 1), ("think() { kill -SEGV $$; }", 1), ("think() { :; }", 1)];
    let case = |escape: &str, (end, code): (&str, i32)| {
        let limits = settings(20, if end == "think() { :; }" { 1 } else { 20 });
        let (workshop, mark) = workshop(&limits, "", &format!("{escape}\n{end}"));
        workshop.ends(code, &["run", "m.toml", "--yes"]);
        assert_gone(&mark);
    };
    // Most of the time is waiting.
    std::thread::scope(|scope| {
        for escape in ESCAPES {
            scope.spawn(move || ends.into_iter().for_each(|end| case(escape, end)));
        }
    });
}

#[test]
fn a_program_that_cannot_start_is_named() {
    let (workshop, _) = workshop("", "", "");
    let text = workshop.read("m.toml");
    workshop.write("m.toml", &text.replace("\"sh\", \"mock.sh\"", "\"no-such-program-anywhere\""));
    let ended = workshop.ends(2, &["run", "m.toml", "--yes"]);
    assert!(ended.stderr.contains("there is no program `no-such-program-anywhere`"), "{}", ended.stderr);
    workshop.write("m.toml", &text.replace("\"mock.sh\"", "\"gone.sh\""));
    let ended = workshop.ends(2, &["run", "m.toml", "--yes"]);
    assert!(ended.stderr.contains("there is no file `gone.sh`"), "{}", ended.stderr);
    let checked = workshop.done("check m.toml");
    assert!(checked.stderr.contains("gone.sh`, which the job needs"), "{}", checked.stderr);
    workshop.write("m.toml", &text.replace("\"sh\", \"mock.sh\"", "\"./mock.sh\""));
    let ended = workshop.ends(1, &["run", "m.toml", "--yes"]);
    assert!(ended.stderr.contains("it may not be executed (chmod +x?)"), "{}", ended.stderr);
}

#[test]
fn nothing_outlives_a_killed_run() {
    #[cfg(not(target_os = "linux"))]
    const ESCAPES: [&str; 1] = ["sleep 1000 &"];
    for (executor, child) in
        ["local", "process"].into_iter().flat_map(|executor| ESCAPES.map(|child| (executor, child)))
    {
        let agent = format!("{child}\nthink() {{ sleep 0.2; read_question; answer; }}");
        let (workshop, mark) = workshop(", instances = 2, name = \"mine\"", "", &agent);
        let run = format!("run m.toml --yes --executor {executor}");
        let mut child = workshop.command(&run).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let begin = Instant::now();
        // Two engines, each with a guard and a child.
        while alive(&mark) < 6 {
            assert!(begin.elapsed() < Duration::from_secs(20), "the engines start");
            std::thread::sleep(Duration::from_millis(10));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_gone(&mark);
    }
}
