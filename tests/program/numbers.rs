//! Number formats in manifests: settings of players and trainings, the device class of their jobs, and bad input.

use std::collections::BTreeMap;

use gauntlet_plan::manifest::{Overrides, Plan, Problems, load};

use crate::workshop::{Workshop, assert_told, changed, plan_of};

const MANIFEST: &str = r#"
schema = 1
name = "formats"
title = "Number formats"

[games]
othello.othello = { size = 6 }

[agents]
random.random = {}
tactician.tactician = { epsilon = 0.1 }

[agents.saz.guided]
network = { saz = { hidden = 32 } }
numbers = "int8"
search = { simulations = 4 }

[stages.train.train.alpha-zero]
game = "othello"
agent = "saz"
settings = { iterations = 1, games = 2, steps = 1, batch = 4, numbers = "bf16" }

[stages.play]
from = "train"
play.match = { opponent = "random", games = 2 }
"#;

/// The plan of a manifest for workers of a device class.
fn plan_on(text: &str, workers: &str) -> Result<Plan, Problems> {
    let source = BTreeMap::from([("m.toml".to_owned(), text.to_owned())]);
    load(&source, "m.toml", &Overrides::default()).and_then(|loaded| Plan::new(loaded, workers))
}

/// The device class in the key of every job, for workers of a class.
fn devices(text: &str, workers: &str) -> Vec<String> {
    let plan = plan_on(text, workers).unwrap();
    plan.jobs.iter().map(|job| plan.key_inputs(job, &[]).device).collect()
}

#[test]
fn mistakes_are_told_with_their_place() {
    let mistakes = [
        ("numbers = \"int8\"\n", "numbers = \"int4\"\n", "15 \"int4\": "),
        ("epsilon = 0.1", "epsilon = 0.1, numbers = \"int8\"", "11 numbers: "),
        ("numbers = \"bf16\"", "numbers = \"int8\"", "21 settings: steps of optimisation have no number format `int8`"),
    ];
    assert_told(MANIFEST, &mistakes);
}

#[test]
fn a_cuda_device_has_no_formats_of_the_cpu() {
    let problems = plan_on(MANIFEST, "cuda-nvidia-h200").err().unwrap();
    let reported: Vec<(&str, &str)> = problems
        .list()
        .iter()
        .map(|problem| (&MANIFEST[problem.span.clone().unwrap()], problem.message.as_str()))
        .collect();
    let message = |word: &str| format!("`{word}` is a number format of the CPU, and this plan is for cuda-nvidia-h200");
    let [int8, bf16] = ["int8", "bf16"].map(message);
    assert_eq!(reported, [("\"int8\"", int8.as_str()), ("\"bf16\"", bf16.as_str())]);
}

/// Steps in `f32` depend on the instructions of the processor, formats with one law do not.
#[test]
fn jobs_in_other_formats_have_one_class_for_all_processors() {
    let steps_in_f32 = changed(MANIFEST, &[(", numbers = \"bf16\"", "")]);
    let plain = changed(&steps_in_f32, &[("numbers = \"int8\"\n", "")]);
    for workers in ["cpu-x86_64-avx512", "cpu-x86_64-avx2"] {
        assert_eq!(devices(MANIFEST, workers), ["cpu-x86_64"; 2]);
        assert_eq!(devices(&steps_in_f32, workers), [workers, "cpu-x86_64"]);
        assert_eq!(devices(&plain, workers), [workers; 2]);
    }
    assert_eq!(devices(MANIFEST, "cpu-aarch64"), ["cpu-aarch64"; 2]);
    // A measurement of embeddings computes in `f32`, whatever the format of its player.
    let measured = changed(
        MANIFEST,
        &[("play.match = { opponent = \"random\", games = 2 }", "measure.embeddings = { sizes = [6, 8] }")],
    );
    assert_eq!(devices(&measured, "cpu-x86_64-avx2"), ["cpu-x86_64", "cpu-x86_64-avx2"]);
}

#[test]
fn the_default_format_changes_no_key() {
    let plain = changed(MANIFEST, &[(", numbers = \"bf16\"", ""), ("numbers = \"int8\"\n", "")]);
    let written = changed(MANIFEST, &[("\"bf16\"", "\"f32\""), ("\"int8\"", "\"f32\"")]);
    let keys = |text: &str| -> Vec<String> {
        let plan = plan_of(text, &Overrides::default()).unwrap();
        plan.jobs.iter().map(|job| job.key.hex()).collect()
    };
    assert_eq!(keys(&plain), keys(&written));
    assert_ne!(keys(&plain), keys(MANIFEST));
}

#[test]
fn an_unknown_cap_of_the_kernels_is_refused() {
    let workshop = Workshop::with(MANIFEST);
    let ended = workshop.command("check m.toml").env("GAUNTLET_KERNELS", "sse2").output().unwrap();
    let reported = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(2), "{reported}");
    assert!(
        reported.contains("GAUNTLET_KERNELS is `sse2`, but accepts only `amx`, `avx512`, `avx2`, `portable`"),
        "{reported}"
    );
}
