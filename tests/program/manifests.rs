//! Tests of manifests: every mistake is reported with its line, and every committed manifest resolves and runs.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::workshop::{assert_told, changed, plan_of};
use gauntlet_plan::manifest::paper::Paper;
use gauntlet_plan::manifest::{Overrides, Plan, Reading, load};
use gauntlet_ratings::Tally;
use gauntlet_ratings::win_matrix::WinMatrix;
use gauntlet_run::scheduler::{Batch, Task};
use gauntlet_store::Store;

const MANIFEST: &str = r#"schema = 1
name = "paper/thing"
title = "A thing"

[games]
small.gomoku = { size = 7 }
go.atari-go = { size = 7 }

[agents]
naive.naive = {}
tactician.tactician = {}
net.net = { network = { mdlstm = { cells = 3 } } }

[stages.train]
seeds = 2
sweep = { game = ["small", "go"], "settings.sigma" = [0.5, 1.0] }
train.cma-es = { game = "small", agent = "net", opponent = "naive", settings = { generations = 3, games = 10 } }

[stages.transfer]
from = "train"
sweep = { "game.size" = [5, 9] }
measure.fitness = { games = 10 }

[[exhibit]]
name = "curves"
[exhibit.show.curves]
stage = "train"
curves = ["game", "settings.sigma"]

[[exhibit]]
[exhibit.show.means]
stage = "transfer"
rows = ["game.size", "game", "settings.sigma"]

[profile.smoke]
stages.train.seeds = 1
"#;

/// The plan of the manifest with some texts replaced, each of which must occur.
fn plan(changes: &[(&str, &str)], overrides: &Overrides) -> Result<Plan, Vec<String>> {
    plan_of(&changed(MANIFEST, changes), overrides)
}

fn problems(changes: &[(&str, &str)]) -> Vec<String> {
    plan(changes, &Overrides::default()).err().unwrap_or_default()
}

#[test]
fn the_manifest_is_right_and_its_stages_cross() {
    let plan = plan(&[], &Overrides::default()).unwrap();
    assert_eq!((plan.configs.len(), plan.jobs.len(), plan.profile.as_str()), (4 + 8, 2 * 12, "base"));
    let last = plan.jobs.last().unwrap();
    assert_eq!(plan.describe(last), "transfer game=go agent=net opponent=naive settings.sigma=1 game.size=9 seed=2");
    let before = &plan.jobs[last.after[0]];
    assert_eq!(plan.describe(before), "train game=go agent=net opponent=naive settings.sigma=1 seed=2");
    assert_eq!(plan.config(last).label("game").as_deref(), Some("go"));
    assert_eq!(plan.config(last).label("agent.network.cells").as_deref(), Some("3"));
}

/// The text to replace, its replacement, and the start of the only error.
const MISTAKES: &[(&str, &str, &str)] = &[
    ("[profile.smoke]", "[profil.smoke]", "35 profil: unknown section `profil` (did you mean `profile`?)"),
    ("title = \"A thing\"", "title = \"A thing", "3 "),
    ("{ size = 7 }", "{ size = 4 }", "6 4: board size 4 is outside 5 to 25"),
    ("{ size = 7 }", "{ size = 400 }", "6 400: board size 400 is outside 5 to 25"),
    ("sigma\" = [0.5", "sigma\" = [nan", "16 nan: NaN: the numbers of a manifest are finite"),
    ("fitness = { games = 10", "fitness = { games = -10", "22 -10: -10 games: take an even number from 2 to 1000000"),
    ("fitness = { games = 10", "fitness = { games = 11", "22 11: 11 games cannot be split evenly over the two colours"),
    ("opponent = \"naive\"", "opponent = \"navie\"", "17 \"navie\": unknown opponent `navie` (did you mean `naive`?)"),
    ("[\"small\", \"go\"]", "[\"smal\", \"go\"]", "16 \"smal\": unknown game `smal` (did you mean `small`?)"),
    ("\"game.size\" =", "\"game.sise\" =", "21 \"game.sise\": unknown key `sise` (did you mean `size`?)"),
    ("\"game.size\" =", "gaem =", "21 gaem: unknown key `gaem` (did you mean `game`?)"),
    ("[5, 9]", "[]", "21 []: the axis `game.size` has no values"),
    ("[5, 9]", "[5, 30]", "21 30: board size 30 is outside 5 to 25"),
    ("[5, 9]", "5", "21 5: the axis `game.size` has no list of values"),
    (
        "\"paper/thing\"",
        "\"../thing\"",
        "2 \"../thing\": `..` is not a name: letters from a to z, digits, `-`, `_` and `.`, not starting with a dot",
    ),
    ("seeds = 2", "seeds = [1, 2, 1]", "15 [1, 2, 1]: the seed 1 twice would count one run as two"),
    ("seeds = 2", "seeds = []", "15 []: a stage has at least one seed"),
    ("seeds = 2", "seeds = -2", "15 -2: -2 seeds are outside 1 to 1000000"),
    ("[games]", "x = 1\n[games]", "5 x: unknown key `x`"),
    ("\"A thing\"", "3", "3 3: expected a string, found integer `3`"),
    ("from = \"train\"", "from = \"trian\"", "20 \"trian\": there is no stage `trian` (did you mean `train`?)"),
    ("from = \"train\"", "from = \"transfer\"", "20 \"transfer\": stage `transfer` waits for itself"),
    (
        "stage = \"train\"",
        "stage = \"trian\"",
        "27 \"trian\": there is no stage `trian` to show (did you mean `train`?)",
    ),
    (
        "[\"game.size\",",
        "[\"game.sise\",",
        "33 \"game.sise\": stage `transfer` has no axis `game.sise` (did you mean `game.size`?)",
    ),
    (
        "\"curves\"\n[exh",
        "\"thing\"\n[exh",
        "30 [[exhibit]]: two exhibits are named `paper/thing` (give each `[[exhibit]]` a `name` of its own)",
    ),
    (
        "opponent = \"naive\"",
        "opponent = \"tactician\"",
        "17 cma-es: tactician cannot play gomoku 7x7: its tactics are those of atari-go",
    ),
    (
        "game = \"small\", agent = \"net\", opponent = \"naive\"",
        "game = \"go\", agent = \"net\", opponent = \"tactician\"",
        "16 \"small\": tactician cannot play gomoku 7x7: its tactics are those of atari-go",
    ),
    ("agent = \"net\"", "agent = \"naive\"", "17 cma-es: naive has no weights to train"),
    (
        "[profile.smoke]",
        "[profile.\"../x\"]",
        "35 \"../x\": `../x` is not a name: letters from a to z, digits, `-`, `_` and `.`, not starting with a dot",
    ),
];

#[test]
fn every_mistake_has_its_word() {
    assert_told(MANIFEST, MISTAKES);
}

#[test]
fn mistakes_of_every_kind_are_told_in_one_go() {
    let found = problems(&[
        ("\"paper/thing\"", "\"../thing\""),
        ("{ size = 7 }", "{ size = 400 }"),
        ("seeds = 2", "seeds = [1, 1]"),
        ("[0.5, 1.0]", "[inf, -1.0]"),
        ("opponent = \"naive\"", "opponent = \"navie\""),
        ("\"game.size\" = [5, 9]", "\"game.sise\" = [5, 9]"),
        ("{ games = 10 }\n", "{ games = 11 }\n"),
        ("stage = \"train\"\ncurves", "stage = \"trian\"\ncurves"),
        ("[\"game.size\",", "[\"game.row\","),
        ("[profile.smoke]", "[profil.smoke]"),
    ]);
    let lines: Vec<&str> = found.iter().map(|problem| problem.split(' ').next().unwrap()).collect();
    assert_eq!(lines, ["2", "6", "15", "16", "16", "17", "21", "22", "27", "33", "35"], "{found:#?}");
}

#[test]
fn a_circle_of_stages_is_told_for_each_of_them() {
    let found = problems(&[
        ("seeds = 2\n", "from = \"transfer\"\n"),
        ("[[exhibit]]", "[stages.behind]\nfrom = \"train\"\nmeasure.fitness = { games = 10 }\n\n[[exhibit]]"),
    ]);
    assert_eq!(
        found,
        [
            "15 \"transfer\": stage `train` waits for itself by way of `transfer`",
            "20 \"train\": stage `transfer` waits for itself by way of `train`",
        ]
    );
}

#[test]
fn the_command_line_is_checked_like_the_text() {
    let set = |key: &str, value: &str| {
        let set = vec![(key.to_owned(), value.to_owned())];
        plan(&[], &Overrides { set, ..Overrides::default() }).err().unwrap_or_default().join("; ")
    };
    assert_eq!(set("stages.train.seeds", "3"), "");
    assert_eq!(set("games.small.size", "9"), "");
    assert_eq!(set("stages.transfer.sweep.\"game.size\"", "[5, 7, 9]"), "");
    assert!(set("stages.trian.seeds", "3").contains("did you mean the stage `train`?"));
    assert_eq!(set("stages.train.sedes", "3"), "--set: unknown key `sedes` in a stage (did you mean `seeds`?)");
    assert_eq!(set("games.small.size", "4"), "--set: board size 4 is outside 5 to 25");
    assert_eq!(set("gmaes.small.size", "4"), "--set: unknown section `gmaes` (did you mean `games`?)");
    let profile = Overrides { profile: Some("smok".to_owned()), ..Overrides::default() };
    assert_eq!(plan(&[], &profile).unwrap_err(), ["--profile: there is no profile `smok` (did you mean `smoke`?)"]);
}

const ARMS: &str = r#"schema = 1
name = "paper/arms"
title = "Arms"
[games]
small.othello = { size = 6 }
[agents]
greedy.greedy = {}
saz.guided = { network.saz.hidden = 4, subgraphs = {}, search.simulations = 4 }
[trainings.saz.alpha-zero]
game = "small"
agent = "saz"
settings = { iterations = 2, games = 4 }
[variant.SAZ]
[variant.model3]
seeds = 2
set."agent.subgraphs.count" = 0
[stages.train]
seeds = 3
variants = ["SAZ", "model3"]
train = "saz"
[stages.test]
from = "train"
sweep = { "game.size" = [6, 8] }
exclude = [{ variant = "model3", "game.size" = 8 }]
play.match = { opponent = "greedy", games = 2 }
[stages.late]
from = "train"
variants = ["model3"]
exclude = [{ trained = "model3" }]
play.match = { opponent = "greedy", games = 2 }
[[exhibit]]
show.means = { stage = ["test", "late"], rows = ["variant", "trained"], columns = ["game.size"] }
[[exhibit]]
name = "claim"
show.means = { stage = "test", rows = ["variant"], columns = ["game.size"] }
[[exhibit.success]]
claim = "better"
of = { variant = "SAZ", "game.size" = "6" }
over.runs = { variant = "model3" }
each = ["game.size"]
[profile.few]
variant.SAZ.seeds = 1
variant.model3.seeds = [7]
[[profile.list.variant]]
name = "model3"
seeds = [7]
"#;

fn arms(changes: &[(&str, &str)], overrides: &Overrides) -> Result<Vec<String>, Vec<String>> {
    let plan = plan_of(&changed(ARMS, changes), overrides)?;
    Ok(plan.jobs.iter().map(|job| plan.describe(job)).collect())
}

#[test]
fn stages_choose_their_variants_and_leave_out_what_they_take_over() {
    let jobs = arms(&[], &Overrides::default()).unwrap();
    let of = |stage: &str| jobs.iter().filter(|job| job.starts_with(stage)).map(String::as_str).collect::<Vec<_>>();
    assert_eq!(of("train").len(), 3 + 2);
    assert_eq!(of("test").len(), 3 + 3 + 2);
    assert_eq!(of("test")[7], "test variant=model3 game=small agent=saz opponent=greedy game.size=6 seed=2");
    assert_eq!(of("late").len(), 3);
    assert_eq!(of("late")[0], "late trained=SAZ game=small agent=saz variant=model3 opponent=greedy seed=1");
    let few = Overrides { profile: Some("few".to_owned()), ..Overrides::default() };
    assert_eq!(arms(&[], &few).unwrap().iter().filter(|job| job.starts_with("train")).count(), 1 + 1);
    let list = Overrides { profile: Some("list".to_owned()), ..Overrides::default() };
    assert_eq!(arms(&[], &list).unwrap().iter().filter(|job| job.starts_with("train")).count(), 3 + 1);
    let seeds = Overrides { seeds: Some("1".to_owned()), ..few };
    let jobs = arms(&[], &seeds).unwrap();
    assert!(jobs.iter().all(|job| job.ends_with("seed=1")), "{jobs:?}");
}

#[test]
fn mistakes_about_arms_have_a_way_out() {
    for (from, to, expected) in [
        ("train = \"saz\"", "train = \"sax\"", "unknown training `sax` (did you mean `saz`?)"),
        ("\"SAZ\", \"model3\"]", "\"SAZ\", \"modle3\"]", "unknown variant `modle3` (did you mean `model3`?)"),
        ("{ trained =", "{ traned =", "stage `late` has no axis `traned` (did you mean `trained`?)"),
        (
            "runs = { variant = \"model3\" }",
            "runs = { variant = \"model4\" }",
            "nothing has the label `model4` on the axis `variant` (did you mean `model3`?)",
        ),
        (
            "each = [\"game.size\"]",
            "each = [\"game.sise\"]",
            "stage `test` has no axis `game.sise` (did you mean `game.size`?)",
        ),
        ("[\"test\", \"late\"]", "[]", "there is at least one stage to show"),
        (
            "over.runs = { variant = \"model3\" }",
            "over.number = 1\ninterval = 1.0",
            "an interval covers from 0.5 to 0.999, not 1",
        ),
    ] {
        let found = arms(&[(from, to)], &Overrides::default()).unwrap_err();
        assert!(found.len() == 1 && found[0].ends_with(expected), "{to}: {found:?}");
    }
}

#[test]
fn only_keeps_what_fits_and_what_that_waits_for() {
    let left = |filters: &[&str]| {
        let mut plan = plan(&[], &Overrides::default()).unwrap();
        let filters: Vec<String> = filters.iter().map(|filter| (*filter).to_owned()).collect();
        plan.only(&filters).map(|()| {
            assert!(plan.jobs.iter().enumerate().all(|(at, job)| job.after.iter().all(|&before| before < at)));
            (plan.jobs.len(), plan.profile)
        })
    };
    let custom = |jobs| Ok((jobs, "custom".to_owned()));
    assert_eq!(left(&[]), Ok((24, "base".to_owned())));
    assert_eq!(left(&["stage=train"]), custom(8));
    assert_eq!(left(&["game.size=5,game=go,seed=1"]), custom(2 + 2));
    assert_eq!(left(&["stage=train,seed=1", "seed=2, settings.sigma=1"]), custom(4 + 2 + 4));
    let told = |filter: &str| left(&[filter]).map_err(|bad| (bad.message, bad.hint)).unwrap_err();
    let (message, hint) = told("game.sise=5");
    assert_eq!(message, "there is no axis `game.sise`");
    assert!(hint.starts_with("did you mean `game"), "{hint}");
    // The hint has values of this manifest.
    let (message, hint) = told("game=chess");
    assert_eq!(message, "no job fits game=chess");
    assert_eq!(hint, "the values of `game` are small, go");
    let (message, hint) = told("game");
    assert!(message.contains("is not a filter") && hint.contains("for example --only "), "{message} ({hint})");
    let example = hint.trim_start_matches("for example --only ");
    assert!(left(&[example]).is_ok(), "{example}");
}

#[test]
fn what_is_the_same_work_has_the_same_key() {
    let keys = |changes: &[(&str, &str)]| -> Vec<_> {
        plan(changes, &Overrides::default()).unwrap().jobs.iter().map(|job| job.key).collect()
    };
    let base = keys(&[]);
    assert_eq!(
        keys(&[
            ("\"A thing\"", "\"Another\""),
            ("small.gomoku", "small.gomoku"),
            ("name = \"curves\"", "name = \"bends\"")
        ]),
        base
    );
    let other = keys(&[("generations = 3", "generations = 4")]);
    assert!(base.iter().all(|key| !other.contains(key)), "the trainings differ, and what waits for them");
    let other = keys(&[("{ games = 10 }", "{ games = 12 }")]);
    assert_eq!(base.iter().filter(|key| other.contains(key)).count(), 8, "the trainings are shared");
}

/// Every committed manifest, by its path below `experiments`.
fn committed() -> Vec<PathBuf> {
    fn below(directory: PathBuf, files: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(directory).unwrap().flatten() {
            match entry.path() {
                path if path.is_dir() => below(path, files),
                path if path.to_string_lossy().ends_with("common.toml") => {}
                path => files.extend(path.extension().is_some_and(|ext| ext == "toml").then_some(path)),
            }
        }
    }
    let mut files = Vec::new();
    below(PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/experiments")), &mut files);
    files.sort();
    files
}

/// The file system as a source.
struct Disk;

impl gauntlet_plan::manifest::ManifestSource for Disk {
    fn text(&self, name: &str) -> Result<String, String> {
        std::fs::read_to_string(name).map_err(|error| error.to_string())
    }
}

#[test]
fn every_committed_manifest_resolves_at_every_profile() {
    let files = committed();
    assert!(files.len() >= 14, "{files:?}");
    for file in files {
        let name = file.to_str().unwrap();
        let at = |profile: Option<&str>| {
            let overrides = Overrides { profile: profile.map(str::to_owned), ..Overrides::default() };
            let told = |problems: gauntlet_plan::manifest::Problems| format!("{name}: {:?}", problems.list());
            load(&Disk, name, &overrides).and_then(|loaded| Plan::new(loaded, "cpu")).map_err(told).unwrap()
        };
        let default = at(None);
        assert!(default.written.profiles.iter().any(|profile| profile == "smoke"), "{name} has no smoke profile");
        for profile in &default.written.profiles {
            let plan = at(Some(profile));
            assert!(!plan.jobs.is_empty() || plan.written.suite.is_some(), "{name} asks for nothing");
            assert_eq!(plan.profile, *profile);
        }
    }
}

/// A task survives writing and reading, for every spec.
#[test]
fn every_task_survives_its_file() {
    let store = Store::look("nowhere").unwrap();
    let mut kinds = BTreeSet::new();
    for (file, profile) in committed().iter().flat_map(|file| [(file, "smoke"), (file, "paper")]) {
        let overrides = Overrides { profile: Some(profile.to_owned()), ..Overrides::default() };
        let Ok(plan) = load(&Disk, file.to_str().unwrap(), &overrides).and_then(|loaded| Plan::new(loaded, "cpu"))
        else {
            continue;
        };
        let batch = Batch::new(vec![Arc::new(plan)], &store, false).unwrap();
        let mut configs = BTreeSet::new();
        for at in (0..batch.jobs.len()).filter(|&at| configs.insert(batch.planned(at).1.config)) {
            let task = batch.task(at);
            assert!(task.key_inputs.is_consistent(), "{}: {}", file.display(), task.name);
            assert_eq!(serde_json::from_slice::<Task>(&serde_json::to_vec(&task).unwrap()).unwrap(), task);
            let (plan, job) = batch.planned(at);
            let meetings = plan.config(job).from.iter().filter(|dependency| dependency.reads == Reading::Games).count();
            // A tournament reads results and games of its meetings, and no weights.
            let files = if meetings > 0 { 2 * meetings } else { batch.after(at).len() };
            assert_eq!(task.weights.len(), files);
            kinds.insert(task.id.kind);
        }
    }
    assert_eq!(kinds.len(), 3, "{kinds:?}");
}

/// The players of the matrices of "Reinforcement Learning for Gomoku", in their order.
const PLAYERS: [&str; 5] = ["Benchmark", "(I) 13 iter.", "(I) 26 iter.", "(II) 5 iter.", "(II) 10 iter."];

/// The 25 cells of a matrix, by row and column.
fn cells() -> impl Iterator<Item = [usize; 2]> {
    (0..25).map(|cell| [cell / 5, cell % 5])
}

/// The printed numbers of the paper in the manifest of an artefact.
fn gomoku_paper(artefact: &str) -> Paper {
    let file = format!("{}/experiments/gomoku-agz/{artefact}.toml", env!("CARGO_MANIFEST_DIR"));
    let plan = load(&Disk, &file, &Overrides::default()).and_then(|loaded| Plan::new(loaded, "cpu")).unwrap();
    plan.written.paper.clone().unwrap()
}

/// Win and lose rate of a column against a row; `None` for the benchmark player against itself.
fn rates(paper: &Paper, [white, black]: [usize; 2]) -> Option<[f64; 2]> {
    let rate = |half: &str| {
        let column = format!("{} / {half}", PLAYERS[black]);
        Some(paper.number(&format!("{half} rate"), PLAYERS[white], &column)?.0)
    };
    Some([rate("win")?, rate("lose")?])
}

fn score(paper: &Paper, [b, a]: [usize; 2]) -> f64 {
    paper.number("score", PLAYERS[b], PLAYERS[a]).unwrap().0
}

/// The published Figure 4 is Eq. 4 of the published Figure 3, number by number as in the manifests.
#[test]
fn the_scores_of_the_gomoku_paper_follow_from_its_rates() {
    for paper in ["fig3", "fig4"].map(gomoku_paper) {
        let mut matrix = WinMatrix::new(PLAYERS.len());
        for cell in cells() {
            let Some(rates) = rates(&paper, cell) else { continue };
            let [wins, losses] = rates.map(|rate| (20.0 * rate).round() as u64);
            matrix.add(cell[1], cell[0], Tally::new(wins, 20 - wins - losses, losses));
        }
        for [b, a] in cells() {
            let (own, published) = (matrix.score(a, b).unwrap().value, score(&paper, [b, a]));
            assert!((own - published).abs() < 1e-9, "{} against {}: {own} {published}", PLAYERS[a], PLAYERS[b]);
        }
    }
}

/// The tests of the score matrix have an identical copy of both figures.
#[test]
fn the_figures_of_the_gomoku_paper_stand_twice_and_alike() {
    let source = include_str!("../../crates/gauntlet-ratings/src/win_matrix.rs");
    let copy = |name: &str| -> Vec<f64> {
        let (_, text) = source.split_once(&format!("const {name}:")).unwrap();
        let (_, text) = text.split_once("= [").unwrap();
        let (text, _) = text.split_once("];").unwrap();
        text.split(['[', ']', ',']).filter_map(|number| number.trim().parse().ok()).collect()
    };
    let paper = gomoku_paper("fig4");
    let nothing = Some([0.0, 0.0]);
    let printed: Vec<f64> = cells().flat_map(|cell| rates(&paper, cell).or(nothing).unwrap()).collect();
    assert_eq!(copy("FIGURE_3"), printed);
    assert_eq!(copy("FIGURE_4"), cells().map(|cell| score(&paper, cell)).collect::<Vec<_>>());
    assert_eq!(cells().filter(|&cell| rates(&paper, cell).is_none()).count(), 1);
}
