//! Consent: no command starts a program that the user did not allow, wherever its name comes from.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

use gauntlet_games::base::Seed;
use gauntlet_games::games::GameSpec;
use gauntlet_nets::nets::deep::DeepCheckpoint;
use gauntlet_plan::manifest::Overrides;
use gauntlet_play::players::{ModelMetadata, PlayerSpec, Source};
use gauntlet_run::scheduler::Batch;
use gauntlet_store::Store;
use serde_json::Value;

use crate::engines::FIRST;
use crate::workshop::{Workshop, plan_of};

/// A manifest with a stage, a suite and versions; the agents are engines.
const HOSTILE: &str = r#"schema = 1
name = "hostile"
title = "Every part names a program"
[games]
o.othello = { size = 4 }
[agents]
random.random = {}
mine.engine = { command = ["sh", "evil.sh"], name = "mine", deterministic = true }
[stages.patches]
zip = [{ agent = [], opponent = [] }]
play.match = { game = "o", agent = "mine", opponent = "random", games = 2, openings = { random = { plies = 2 } } }
[stages.match.play.match]
game = "o"
agent = "mine"
opponent = "random"
games = 2
[[exhibit]]
show.versions = { stage = "patches", versions = [] }
[[exhibit]]
name = "scores"
show.crosstable = { stage = "match" }
[suite]
delta = 300.0
alpha = 0.1
beta = 0.1
[suite.matches.mine]
game = "o"
agent = "mine"
opponent = "random"
"#;

/// A suite that names no program; its baseline will.
const CLEAN: &str = r#"schema = 1
name = "clean"
title = "No part names a program"
[games]
o.othello = { size = 4 }
[agents]
naive.naive = {}
random.random = {}
[suite]
delta = 300.0
alpha = 0.1
beta = 0.1
[suite.matches.first]
game = "o"
agent = "naive"
opponent = "random"
"#;

/// A directory in which a baseline, a version, the metadata of a model, a task and a finished job name programs.
fn hostile() -> Workshop {
    let workshop = Workshop::with(HOSTILE);
    let touch = format!("touch {}", workshop.path("pwned").display());
    workshop.write("evil.sh", &format!("{touch}\n{FIRST}\nserve\n"));
    workshop.write("clean.toml", CLEAN);
    let reason = ["--update-baseline", "--reason", "first", "--commit", "c0"];
    workshop.ends(0, &[&["regress", "clean.toml"], &reason[..]].concat());
    let mut baseline: Value = serde_json::from_str(&workshop.read("results/baselines/clean.json")).unwrap();
    baseline["matches"]["first"]["player"] = serde_json::json!({ "engine": { "command": ["sh", "-c", touch] } });
    workshop.write("results/baselines/clean.json", &baseline.to_string());
    workshop.ends(0, &["ladder", "add", "m.toml", "--name", "v1", "--commit", "c1"]);
    workshop.write("evil.sh", &format!("{touch}\n{FIRST}\nserve\n# Another version.\n"));
    workshop.ends(0, &["ladder", "add", "m.toml", "--name", "v2", "--commit", "c2"]);
    workshop.done("run m.toml --allow-engines --only stage=match");
    std::fs::remove_file(workshop.path("pwned")).unwrap();
    std::fs::write(workshop.path("model.safetensors"), model(&touch)).unwrap();
    let plan = plan_of(HOSTILE, &Overrides::default()).unwrap();
    let store = Store::look(workshop.path("empty")).unwrap();
    Batch::new(vec![Arc::new(plan)], &store, false).unwrap().task(0).save(&workshop.path("0.json")).unwrap();
    workshop
}

/// A trained network whose metadata names a program as its player.
fn model(touch: &str) -> Vec<u8> {
    let game: GameSpec = toml::from_str("othello = { size = 4 }").unwrap();
    let agent: PlayerSpec = toml::from_str("guided = { network = { saz = { hidden = 8 } } }").unwrap();
    let PlayerSpec::Guided(untrained) = agent else { panic!("a guided agent") };
    let net = untrained.net(&[game.build()], &Source { seed: &Seed::new(1), checkpoint: None }).unwrap();
    let engine: PlayerSpec =
        toml::from_str(&format!("engine = {{ command = [\"sh\", \"-c\", \"{touch}\"] }}")).unwrap();
    let checkpoint = DeepCheckpoint::of(untrained.network.clone(), &*net, "drawn").unwrap();
    ModelMetadata::new(game, engine).mark(checkpoint).to_bytes().unwrap()
}

/// The command lines that are tried, and words of the refusal of those that would start a program.
const TRIED: [(&str, &str); 46] = [
    ("reproduce m.toml", ""),
    ("reproduce --list", ""),
    ("run m.toml", "named by m.toml"),
    ("run m.toml --executor process", "named by m.toml"),
    ("run m.toml --only stage=patches", "named by m.toml, as the version v1-"),
    ("check m.toml", ""),
    ("check clean.toml", ""),
    ("plan m.toml", ""),
    ("plan m.toml --explain", ""),
    ("status", ""),
    ("status m.toml", ""),
    ("tune m.toml", ""),
    ("watch", ""),
    ("serve --port 0", ""),
    ("report m.toml", ""),
    ("compare m.toml m.toml", ""),
    ("verify m.toml --all", "named by hostile"),
    ("verify --all", ""),
    ("regress m.toml", "named by m.toml"),
    ("regress m.toml --update-baseline --reason again", "named by m.toml"),
    ("regress clean.toml", "named by the baseline results/baselines/clean.json"),
    ("regress clean.toml --set suite.matches.first.method=reference", "named by the baseline"),
    ("regress clean.toml --set suite.matches.first.method=counts", ""),
    ("regress clean.toml --update-baseline --reason again", ""),
    ("ladder run m.toml", "named by m.toml, as the version v1-"),
    ("ladder add m.toml --name v3 --commit c3", ""),
    ("explain", ""),
    ("schema", ""),
    ("gc", ""),
    ("cancel m.toml", ""),
    ("rate model.safetensors", ""),
    ("export m.toml exported", ""),
    ("play model.safetensors", "the metadata of the model model.safetensors names an engine"),
    ("play --manifest m.toml --agent mine", "--agent mine names an engine"),
    ("play model.safetensors --agent mine --manifest m.toml", ""),
    ("engine --protocol json model.safetensors", "the metadata of the model"),
    ("engine --protocol gtp --manifest m.toml --agent mine", "names an engine"),
    ("games", ""),
    ("gallery reports", ""),
    ("gallery --add reports/hostile/base", ""),
    ("doctor machine", ""),
    ("bench --help", ""),
    ("completions bash", ""),
    ("man --help", ""),
    ("worker 0.json", "add --allow-engines"),
    ("worker 0.json --until-eof", ""),
];

/// The names of all commands, as the help lists them, and that of workers.
fn commands(workshop: &Workshop) -> BTreeSet<String> {
    let help = workshop.done("--help").stdout;
    let names = help.lines().filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    let is_command = |name: &&str| name.chars().all(|c| c.is_ascii_lowercase()) && *name != "gauntlet";
    names.filter(is_command).chain(["worker"]).map(str::to_owned).collect()
}

#[test]
fn no_command_starts_a_program_without_consent() {
    let workshop = hostile();
    let tried: BTreeSet<String> =
        TRIED.iter().filter_map(|(line, _)| line.split(' ').next()).map(str::to_owned).collect();
    let commands = commands(&workshop);
    assert!(commands.is_subset(&tried), "a command is not tried: {:?}", commands.difference(&tried));
    for (line, refusal) in TRIED {
        if line.starts_with("serve") {
            visit(&workshop, line);
        } else {
            let ended = workshop.run(line);
            assert!(ended.stderr.contains(refusal), "{line}: {}{}", ended.stdout, ended.stderr);
            assert!(refusal.is_empty() || [1, 2].contains(&ended.code), "{line}: {ended:?}");
        }
        assert!(!workshop.path("pwned").exists(), "`gauntlet {line}` started a program");
    }
    let ended = workshop.run("run m.toml --allow-engines --only stage=patches");
    assert!(ended.stderr.contains("named by m.toml, as the version v1-"), "{}", ended.stderr);
}

/// Opens all pages of recorded games.
fn visit(workshop: &Workshop, line: &str) {
    let mut server = workshop.command(line).spawn().unwrap();
    let mut address = String::new();
    BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut address).unwrap();
    let host = address.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let job = workshop.jobs("play").pop().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
    let game = format!("/games/{job}/0");
    for page in ["/", "/live", "/games", &format!("/games/{job}"), &game, &format!("{game}/0"), &format!("{game}/3")] {
        let mut stream = TcpStream::connect(&host).unwrap();
        write!(stream, "GET {page} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1"), "{answer}");
    }
    server.kill().unwrap();
    server.wait().unwrap();
}
