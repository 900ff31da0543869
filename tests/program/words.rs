//! Tests of the words of the program: help, suggestions, explanations, and tables for people.

use serde_json::Value;

use crate::workshop::{MEASUREMENTS, TRAINING, Workshop, json};

#[test]
fn help_lists_what_a_command_uses() {
    let workshop = Workshop::new();
    let help = workshop.done("--help").stdout;
    let [start, usage, groups] = ["Start here:", "Usage:", "Experiments:"].map(|word| help.find(word).unwrap());
    assert!(start < usage && usage < groups, "{help}");
    let rate = workshop.done("rate --help").stdout;
    assert!(rate.contains("--reports") && rate.contains("--skip-bad"), "{rate}");
    for other in ["--seeds", "--executor", "--gpus", "--profile", "--live"] {
        assert!(!rate.contains(other) && workshop.done("run --help").stdout.contains(other), "{other}");
    }
    // An option without an effect is not a mistake.
    workshop.write("r.csv", "player_a,player_b,wins_a,draws,losses_a\na,b,3,1,2\n");
    workshop.done("rate r.csv --seeds 3 --live");
}

#[test]
fn a_command_with_a_slip_is_suggested() {
    let workshop = Workshop::new();
    for (slip, meant) in [("rnu", "'run'"), ("raet", "'rate'"), ("verfy", "'verify'")] {
        let ended = workshop.ends(2, &[slip]);
        assert!(ended.stderr.contains(meant), "{}", ended.stderr);
    }
}

#[test]
fn a_number_that_is_too_large_is_told_its_bound() {
    let workshop = Workshop::with(&TRAINING.replace("seeds = 2", "seeds = 99999999999999999999"));
    for (arguments, range) in [
        ("run m.toml --jobs 99999999999999999999999", "from 1 to 1024"),
        ("verify m.toml --seed 99999999999999999999999", "from 0 to 18446744073709551615"),
        ("check quickstart --seeds 99999999999999999999", "outside 1 to 1000000"),
        ("check m.toml", "to 9223372036854775807"),
    ] {
        let ended = workshop.ends(2, &arguments.split(' ').collect::<Vec<_>>());
        assert!(ended.stderr.contains(range), "{arguments}: {}", ended.stderr);
    }
    let uct = "schema = 1\nname = \"t/u\"\ntitle = \"t\"\n[agents]\nu.uct = { simulations = 99999999999 }\n";
    workshop.write("u.toml", uct);
    let reported = workshop.ends(2, &["check", "u.toml"]).stderr;
    assert!(reported.contains("a number of simulations from 1 to 10,000,000"), "{reported}");
}

#[test]
fn tables_and_ludemes_are_explained() {
    let workshop = Workshop::new();
    let columns = |topic: &str| -> Vec<String> {
        let explained = json(&workshop.done(&format!("explain {topic} --json")).stdout);
        let keys = explained[0]["keys"].as_array().unwrap();
        keys.iter().map(|key| key["key"].as_str().unwrap().to_owned()).collect()
    };
    // The columns that files really have.
    workshop.write("m.toml", TRAINING);
    workshop.done("run m.toml");
    workshop.done("export m.toml metrics.csv");
    for (file, topic) in [
        ("reports/test/base/runs.csv", "runs.csv"),
        ("metrics.csv", "metrics.csv"),
        ("reports/test/base/transfer.csv", "artefact.csv"),
    ] {
        let known = columns(topic);
        let text = workshop.read(file);
        let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
        let is_general = |name: &&str| known.iter().any(|known| known == name);
        assert!(header.iter().filter(|name| is_general(name)).count() >= 4, "{file}: {header:?} {known:?}");
        if topic == "artefact.csv" {
            assert!(header.iter().all(is_general), "{header:?}");
        }
    }
    workshop.write("r.csv", "player_a,player_b,wins_a,draws,losses_a\na,b,3,1,2\n");
    let rated = json(&workshop.done("rate r.csv --json").stdout);
    let keys: Vec<&String> = rated.as_object().unwrap().keys().collect();
    let known = columns("ratings.json");
    assert!(keys.iter().all(|key| known.contains(key)) && keys.len() == known.len(), "{keys:?} {known:?}");

    let all = workshop.done("explain ludemes").stdout;
    for part in ["(move Add [<piece>] <to>", "(is Line 4)", "Types", "<dirs>: directions; words: N, NNE"] {
        assert!(all.contains(part), "{part}");
    }
    let listed = json(&workshop.done("explain ludemes --json").stdout);
    assert!(listed.as_array().unwrap().len() > 150 && listed[0]["example"].as_str().unwrap().starts_with("(game"));
    let one = workshop.ends(0, &["explain", "move Add"]).stdout;
    assert!(one.contains("Puts a piece of the mover on an empty site.") && one.lines().count() < 8, "{one}");
    assert!(workshop.ends(2, &["explain", "move Ad"]).stderr.contains("did you mean `gauntlet explain \"move Add\"`?"));
    let everything = workshop.done("explain --all").stdout;
    assert!(!everything.contains("::") && !everything.contains("`League`"), "names of types are for programmers");
}

#[test]
fn files_of_weights_are_explained() {
    let workshop = Workshop::with(TRAINING);
    let page = workshop.done("explain weights").stdout;
    for part in ["\n  gauntlet.order, of `guided` players\n", "\nNetworks\n", "\nres-net-v2  guided  {"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(workshop.done("explain").stdout.contains("\nweights  "));
    let shape = |explained: &Value, name: &str| {
        let tensors = explained[0]["tensors"].as_array().unwrap();
        tensors.iter().find(|tensor| tensor["tensor"] == name).map(|tensor| tensor["shape"].to_string())
    };
    let saz = json(&workshop.ends(0, &["explain", "weights saz = { hidden = 6, layers = 2 }", "--json"]).stdout);
    assert_eq!(shape(&saz, "gin1.out.weight").as_deref(), Some("[6,6]"));
    assert_eq!(shape(&saz, "wide.weight").as_deref(), Some("[12,12]"));
    let unknown = workshop.ends(2, &["explain", "weights sax"]).stderr;
    assert!(unknown.contains("did you mean `gauntlet explain \"weights saz\"`?"), "{unknown}");
    workshop.done("run m.toml --seeds 1 --only agent=mdlstm,game.size=5");
    let job = workshop.jobs("train").remove(0);
    std::fs::copy(job.join("weights.safetensors"), workshop.path("my.safetensors")).unwrap();
    let mine = json(&workshop.done("explain my.safetensors --json").stdout);
    assert_eq!(shape(&mine, "weights").as_deref(), Some("[93]"));
    assert_eq!(mine[0]["tensors"][0]["parts"][0]["shape"].to_string(), "[5,3,2]");
    assert!(mine[0]["unreadable"].is_null() && mine[0]["metadata"]["blake3"].is_null(), "{mine}");
    workshop.done("export my.safetensors sealed.safetensors");
    assert!(workshop.done("explain sealed.safetensors").stdout.contains("\nblake3            right\n"));
    workshop.write("no.safetensors", "no weights");
    let refused = workshop.ends(2, &["explain", "no.safetensors"]).stderr;
    assert!(refused.contains("no.safetensors: not a complete safetensors file"), "{refused}");
}

#[test]
fn a_described_game_is_shown() {
    let workshop = Workshop::new();
    let shown = workshop.done("games --show squava").stdout;
    for part in ["25 sites", "ludeme = { name = \"squava\" }", "(game \"Squava\"", "(is Line 4)"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(workshop.done("games --show othello").stdout.contains("gauntlet explain games.othello"));
    // A game of both kinds is shown in both.
    let both = json(&workshop.done("games --show hex --json").stdout);
    assert_eq!(both.as_array().unwrap().len(), 2, "{both}");
    let missing = workshop.ends(2, &["games", "--show", "sqava"]);
    assert!(missing.stderr.contains("did you mean `squava`?"), "{}", missing.stderr);
}

#[test]
fn a_filter_without_jobs_is_told_values_of_the_manifest() {
    let workshop = Workshop::with(MEASUREMENTS);
    let reported = workshop.ends(2, &["plan", "m.toml", "--only", "game.size=19"]).stderr;
    assert!(reported.contains("the values of `game.size` are 5, 6"), "{reported}");
    let reported = workshop.ends(2, &["plan", "m.toml", "--only", "nothing"]).stderr;
    assert!(reported.contains("for example --only ") && !reported.contains("gomoku,game.size=7"), "{reported}");
}

#[test]
fn several_sides_are_compared_also_in_other_results() {
    let workshop = Workshop::with(MEASUREMENTS);
    workshop.done("run m.toml");
    workshop.done("run m.toml --results others --reports elsewhere");
    let three = workshop.done("compare m.toml m.toml,results=others m.toml");
    let header = three.stdout.lines().next().unwrap();
    assert!(
        header.contains("difference of m.toml,results=others") && header.matches("m.toml").count() == 5,
        "{header}"
    );
    assert!(three.stdout.contains(" ± ") && three.stdout.contains("the same runs"), "{}", three.stdout);
    let rows = json(&workshop.done("compare m.toml m.toml,results=others --json").stdout);
    assert_eq!(rows[0]["sides"], serde_json::json!(["m.toml", "m.toml,results=others"]));
    assert!(rows[0]["a"]["value"].is_number() && rows[0]["b"]["value"].is_number(), "{rows}");
    let missing = workshop.ends(2, &["compare", "m.toml", "m.toml,results=nowhere"]);
    assert!(missing.stderr.contains("there is no directory `nowhere`"), "{}", missing.stderr);
    workshop.ends(2, &["compare", "m.toml"]);
}
