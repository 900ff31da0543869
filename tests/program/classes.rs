//! Device classes: jobs without networks have one for each architecture, and results of other classes are named, and
//! read on request.

use gauntlet_plan::manifest::{Overrides, Plan};

use crate::workshop::{Workshop, json, plan_of};

/// Two jobs without networks and two with one.
const MANIFEST: &str = r#"
schema = 1
name = "classes"
title = "Players with and without networks"

[games]
go.atari-go = { size = 5 }

[agents]
uct.uct = { simulations = 10 }
random.random = {}
alpha-beta.alpha-beta = { depth = 1 }
greedy.greedy = {}
net.net = { network = { mdrnn = { units = 3 } } }

[games.othello.othello]
size = 4

[stages.rules]
seeds = 2
play.match = { game = "go", agent = "uct", opponent = "random", games = 4 }

[stages.lead.play.tournament]
game = "othello"
players = ["alpha-beta", "greedy"]
openings = { random = { plies = 2 } }
games = 4

[stages.nets]
seeds = 2
play.match = { game = "go", agent = "net", opponent = "random", games = 4 }

[[exhibit]]
name = "rules"
show.means = { stage = "rules", rows = ["agent"] }

[[exhibit]]
name = "nets"
show.means = { stage = "nets", rows = ["agent"] }
"#;

/// The class of a machine elsewhere.
const ELSEWHERE: &str = "cpu-elsewhere";

/// The device classes in the keys of the jobs of a plan, by stage.
fn classes(plan: &Plan) -> Vec<(String, String)> {
    let of_job = |job| (plan.config(job).stage.clone(), plan.key_inputs(job, &[]).device);
    let mut classes: Vec<(String, String)> = plan.jobs.iter().map(of_job).collect();
    classes.dedup();
    classes
}

/// A workshop with the results of the manifest, those of networks made on a machine elsewhere.
fn moved() -> Workshop {
    let workshop = Workshop::with(MANIFEST);
    workshop.done("run m.toml --quiet");
    workshop.rewrite(|key_inputs| {
        if !key_inputs.spec.is_without_networks() {
            key_inputs.device = ELSEWHERE.to_owned();
        }
    });
    workshop
}

/// The states of the jobs of a stage.
fn states(workshop: &Workshop, stage: &str, options: &str) -> Vec<String> {
    let plan = json(&workshop.done(&format!("plan m.toml --json --only stage={stage} {options}")).stdout);
    plan.as_array().unwrap().iter().map(|job| job["state"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn jobs_without_networks_have_one_class_on_every_processor_and_beside_every_card() {
    let plan = plan_of(MANIFEST, &Overrides::default()).unwrap();
    let own = format!("cpu-{}", std::env::consts::ARCH);
    let whole = [format!("{own}-avx512"), format!("{own}-avx2"), "cuda-nvidia-h200".to_owned()];
    for workers in whole {
        let (plan, class) = (plan.for_class(&workers), |stage: &str, class: &str| (stage.to_owned(), class.to_owned()));
        let expected = [class("rules", &own), class("lead", &own), class("nets", &workers)];
        assert_eq!(classes(&plan), expected);
    }
    assert_eq!(classes(&plan.for_class("cpu-aarch64"))[0].1, "cpu-aarch64");
    // A plan for another class is the one that is made for it.
    let keys = |plan: &Plan| plan.jobs.iter().map(|job| (job.key, job.code_free_key)).collect::<Vec<_>>();
    assert_eq!(keys(&plan.for_class(ELSEWHERE).for_class(&plan.device)), keys(&plan));
}

/// Older programs put the whole class into every key.
#[test]
fn results_whose_keys_name_the_whole_class_still_count() {
    let workshop = Workshop::with(MANIFEST);
    workshop.done("run m.toml --quiet");
    let tables = workshop.tables();
    workshop.rewrite(|key_inputs| {
        if key_inputs.spec.is_without_networks() {
            key_inputs.device += "-avx2";
            key_inputs.code_free_key = key_inputs.config;
        }
    });
    for stage in ["rules", "lead"] {
        assert!(states(&workshop, stage, "").iter().all(|state| state == "cached"), "{stage}");
    }
    let jobs = workshop.jobs("");
    workshop.done("run m.toml --quiet");
    assert_eq!((workshop.tables(), workshop.jobs("")), (tables, jobs));
    let status = json(&workshop.done("status --json").stdout);
    assert_eq!(status[0]["cached"], status[0]["jobs"], "{status}");
    // Made by older code, too.
    workshop.age();
    assert_eq!(states(&workshop, "rules", ""), ["stale"; 2]);
    assert_eq!(states(&workshop, "rules", "--accept-code"), ["accepted"; 2]);
    workshop.done("verify m.toml --all --quiet");
    assert_eq!(states(&workshop, "rules", ""), ["verified"; 2]);
}

#[test]
fn results_of_another_class_are_named_where_none_of_the_own_class_is_found() {
    let workshop = moved();
    for (command, none) in [
        ("report m.toml --only stage=nets", "none of 2 jobs has a result in results: 2 have one of cpu-elsewhere"),
        ("compare m.toml m.toml --only stage=nets", "none of the 4 jobs of m.toml and m.toml has a result: 2 have one"),
    ] {
        let ended = workshop.ends(2, &command.split(' ').collect::<Vec<_>>());
        assert!(ended.stderr.contains(none), "{}", ended.stderr);
        assert!(ended.stderr.contains("`--device-class cpu-elsewhere` reads those"), "{}", ended.stderr);
    }
    let some = workshop.done("report m.toml");
    assert!(some.stderr.contains("2 of 5 jobs have no result"), "{}", some.stderr);
    assert!(some.stderr.contains("2 have one of cpu-elsewhere"), "{}", some.stderr);
    let plan = workshop.done("plan m.toml");
    assert!(plan.stderr.contains("2 of 5 jobs to run: 2 have one of cpu-elsewhere"), "{}", plan.stderr);
}

#[test]
fn results_of_every_class_are_read_on_request_and_said_to_be() {
    let workshop = moved();
    workshop.done("report m.toml --device-class any");
    let page = workshop.read("reports/classes/base/nets.md");
    assert!(page.contains("2 of 5 results are of the device class cpu-elsewhere."), "{page}");
    for command in [
        "report m.toml --device-class cpu-elsewhere --only stage=nets",
        "compare m.toml m.toml,device-class=cpu-elsewhere",
        "compare m.toml,device-class=any m.toml,results=results,device-class=cpu-elsewhere",
    ] {
        workshop.done(command);
    }
    let refused = workshop.ends(2, &["run", "m.toml", "--device-class", "any"]);
    assert!(refused.stderr.contains("jobs run for one class"), "{}", refused.stderr);
    assert!(workshop.jobs("").len() == 5);
}
