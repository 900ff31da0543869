//! Exhibits on made-up facts whose numbers can be worked out by hand.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Scene, render};
use crate::manifest::{Overrides, Plan, load};
use crate::reports::facts::Facts;
use crate::reports::sheet::{AxisScale, Criterion, ErrorKind, Mark, Panel, Point, Sheet, Table, Verdict};

const COMMON: &str = r#"
schema = 1
name = "paper/table"
title = "A table"
[paper]
key = "paper"
title = "A paper"
authors = "Somebody"
venue = "Somewhere"
artefact = "Table 1"
[labels]
atari-go = "Atari-Go"
[games]
atari-go.atari-go = { size = 7 }
gomoku.gomoku = { size = 7 }
[agents]
naive.naive = {}
random.random = {}
[profile.paper]
"#;

/// The plan of a manifest at the scale of its paper.
fn plan(manifest: &str) -> Plan {
    plan_of(format!("{COMMON}{manifest}"))
}

fn plan_of(text: String) -> Plan {
    let shelf = BTreeMap::from([("m.toml".to_owned(), text)]);
    let overrides = Overrides { profile: Some("paper".to_owned()), ..Overrides::default() };
    let loaded = load(&shelf, "m.toml", &overrides).expect("the manifest is sound");
    Plan::new(loaded).expect("the plan is sound")
}

/// Renders the first exhibit of a manifest over results that `result` makes up from labels and seed.
fn sheet(manifest: &str, comparable: bool, result: impl Fn(&dyn Fn(&str) -> String, u64) -> Option<Value>) -> Sheet {
    let plan = plan(manifest);
    let label = |at: usize| {
        let config = plan.config(&plan.jobs[at]);
        move |axis: &str| config.label(axis).unwrap_or_default()
    };
    let results = (0..plan.jobs.len()).map(|at| result(&label(at), plan.jobs[at].seed)).collect();
    let facts = Facts::new(&plan, results);
    render(&Scene { exhibit: &plan.written.exhibits[0], facts: &facts, comparable })
}

fn fitness(mean: f64) -> Option<Value> {
    Some(json!({ "mean": mean, "scores": "WLWLWWLD" }))
}

fn point<'a>(sheet: &'a Sheet, metric: &str, row: &str, column: &str) -> &'a Point {
    let found = sheet.points.iter().find(|p| p.metric == metric && p.row == row && p.column == column);
    found.unwrap_or_else(|| panic!("no {metric} at ({row}, {column}) in {:#?}", sheet.points))
}

const CORRELATIONS: &str = r#"
[[paper.published]]
metric = "correlation"
columns = ["Atari-Go / Correlation"]
error = { fisher = { n = 100 } }
rows = { "5x5 vs. 7x7" = [0.99] }
[stages.fitness]
seeds = 6
sweep = { "game.size" = [5, 7] }
measure.fitness = { game = "atari-go", agent = "random", opponent = "naive", games = 8 }
[[exhibit]]
show.correlations = { stage = "fitness", across = "game.size", pairs = [[5, 7]], columns = ["game"], share-fitter = true }
"#;

#[test]
fn correlations_pair_the_same_runs_and_count_shares_and_ties() {
    let table = sheet(CORRELATIONS, true, |label, seed| {
        let x = seed as f64 / 10.0;
        match (label("game.size").as_str(), seed) {
            ("5", 6) => None,
            ("5", _) => fitness(x),
            (_, 1) => fitness(x),
            (_, 2) => fitness(x - 0.1),
            _ => fitness(x + 0.1),
        }
    });
    let correlation = point(&table, "correlation", "5x5 vs. 7x7", "Atari-Go / Correlation");
    // x = .1 .2 .3 .4 .5 against y = .1 .1 .4 .5 .6: Sxy = .14, Sxx = .1, Syy = .212.
    assert!((correlation.value.unwrap() - 0.14 / (0.1f64 * 0.212).sqrt()).abs() < 1e-12);
    assert_eq!((correlation.n_runs, correlation.n_requested, correlation.n_games), (5, 6, 80));
    assert_eq!(correlation.verdict, Some(Verdict::Agrees));
    let share = point(&table, "p", "5x5 vs. 7x7", "Atari-Go / p");
    assert_eq!(share.value, Some(0.6));
    assert!((share.error.unwrap().size - (0.6f64 * 0.4 / 5.0).sqrt()).abs() < 1e-12);
    assert_eq!(point(&table, "ties", "5x5 vs. 7x7", "Atari-Go / ties").value, Some(0.2));
    assert!(table.notes.iter().any(|note| note.contains("1 of 12 jobs")), "{:?}", table.notes);
}

#[test]
fn a_correlation_counts_draws_as_it_is_told() {
    let correlation = |draws: &str| {
        let manifest = CORRELATIONS.replace("share-fitter = true", &format!("draws = \"{draws}\""));
        let table = sheet(&manifest, true, |label, seed| {
            let draws = if label("game.size") == "5" { seed } else { 7 - seed };
            let (wins, draws) = (6 - seed as usize, draws as usize);
            let scores = format!("{}{}", "W".repeat(wins), "D".repeat(draws));
            Some(json!({ "mean": wins as f64 / scores.len() as f64, "scores": scores }))
        });
        (point(&table, "correlation", "5x5 vs. 7x7", "Atari-Go").value.unwrap(), table.caption)
    };
    // Wins 5 to 0, draws 1 to 6 on 5x5 and 6 to 1 on 7x7: with draws as losses 4, 2, 0 ... of 6 and -1/11, -1/9, -1/7 ...
    let losses = |seed: f64| ((6.0 - 2.0 * seed) / 6.0, -1.0 / (13.0 - 2.0 * seed));
    let expected: (Vec<f64>, Vec<f64>) = (1..=6).map(|seed| losses(f64::from(seed))).unzip();
    let (value, caption) = correlation("loss");
    assert!((value - crate::ratings::correlation::pearson(&expected.0, &expected.1).unwrap()).abs() < 1e-12);
    assert!(caption.contains("a draw counts -1"), "{caption}");
    assert!(!correlation("half").1.contains("a draw counts"));
}

#[test]
fn nothing_is_judged_at_another_scale() {
    let table = sheet(CORRELATIONS, false, |_, seed| fitness(seed as f64 / 10.0));
    let correlation = point(&table, "correlation", "5x5 vs. 7x7", "Atari-Go / Correlation");
    assert_eq!(correlation.verdict, Some(Verdict::NotComparable));
    assert!(table.caption.contains("not comparable with Table 1"), "{}", table.caption);
}

#[test]
fn nothing_is_said_to_be_measured_where_nothing_is() {
    let table = sheet(CORRELATIONS, true, |_, _| None);
    assert!(table.caption.contains("Nothing has been measured yet (profile paper)."), "{}", table.caption);
    assert!(!table.caption.contains("paper's scale"), "{}", table.caption);
    let correlation = point(&table, "correlation", "5x5 vs. 7x7", "Atari-Go / Correlation");
    assert!(correlation.published.is_some() && !correlation.is_apart(), "it was asked for");
}

#[test]
fn what_any_stage_of_a_table_holds_has_been_measured() {
    let resignations = json!({ "resigned": 3, "played_out": 0, "would_be": 0, "wrong": 0 });
    let table = sheet(CLAIMS, true, |label, seed| {
        let mut result = played(0.5, seed).filter(|_| label("variant") == "old")?;
        result["resignations"] = resignations.clone();
        Some(result)
    });
    assert!(!table.caption.contains("Nothing has been measured yet"), "{}", table.caption);
    // Five runs at two sizes.
    assert!(table.notes.iter().any(|note| note.starts_with("30 games ended by a resignation.")), "{:?}", table.notes);
}

#[test]
fn a_profile_of_other_settings_is_not_called_reduced() {
    let shelf = BTreeMap::from([("m.toml".to_owned(), format!("{COMMON}{CORRELATIONS}[profile.code]\n"))]);
    let overrides = Overrides { profile: Some("code".to_owned()), ..Overrides::default() };
    let plan = Plan::new(load(&shelf, "m.toml", &overrides).unwrap()).unwrap();
    let facts = Facts::new(&plan, vec![fitness(0.5); plan.jobs.len()]);
    let scene = Scene { exhibit: &plan.written.exhibits[0], facts: &facts, comparable: false };
    let caption = render(&scene).caption;
    assert!(caption.ends_with("with the settings of profile code, not the paper's: not comparable with Table 1."));
}

/// Of players that meet weights drawn by the seed, so that runs differ by more than games.
const MEANS: &str = r#"
[agents.drawn]
net = { network.mdrnn.units = 3 }
[stages.fitness]
seeds = 4
sweep = { agent = ["random", "naive"], "game.size" = [5, 7] }
measure.fitness = { game = "atari-go", agent = "random", opponent = "drawn", games = 8 }
[[exhibit]]
show.means = { stage = "fitness", rows = ["game.size"], columns = ["agent"], x = "game.size" }
"#;

#[test]
fn means_carry_the_standard_error_over_runs() {
    let table = sheet(MEANS, true, |label, seed| match label("agent").as_str() {
        "random" => fitness(seed as f64 / 10.0),
        _ => fitness(1.0),
    });
    let random = point(&table, "fitness", "5", "random");
    assert!((random.value.unwrap() - 0.25).abs() < 1e-12);
    // Of .1 .2 .3 .4 the sample deviation is sqrt(.05 / 3), its half the standard error.
    assert!((random.error.unwrap().size - (0.05f64 / 3.0).sqrt() / 2.0).abs() < 1e-12);
    assert_eq!(random.x, Some(5.0));
    // Four runs without any spread still have an error: what 32 games leave open.
    let naive = point(&table, "fitness", "7", "naive").error.unwrap().size;
    assert!(naive > 0.0 && naive < 0.1, "{naive}");
}

#[test]
fn rows_of_few_runs_are_not_put_in_order() {
    let notes = |manifest: &str| {
        let table = sheet(manifest, true, |_, seed| fitness(seed as f64 / 10.0));
        table.notes.into_iter().filter(|note| note.contains("cannot be put in order")).collect::<Vec<_>>()
    };
    let of_three = notes(&MEANS.replace("seeds = 4", "seeds = 3"));
    assert!(of_three.len() == 1 && of_three[0].contains("50 % for n = 3"), "{of_three:?}");
    assert!(notes(MEANS)[0].contains("41 % for n = 4"));
    for silent in [
        MEANS.replace("seeds = 4", "seeds = 5"),
        MEANS.replace("seeds = 4", "seeds = 1"),
        MEANS.replace("\"game.size\" = [5, 7]", "\"game.size\" = [5]"),
    ] {
        assert!(notes(&silent).is_empty(), "{silent}");
    }
}

#[test]
fn two_numbers_without_errors_are_not_judged() {
    let published = "[[paper.published]]\nmetric = \"fitness\"\ncolumns = [\"random\"]\nrows = { 5 = [0.9] }\n";
    let compared = |seeds: u64| {
        let manifest = format!("{published}{}", MEANS.replace("seeds = 4", &format!("seeds = {seeds}")));
        let table = sheet(&manifest, true, |_, seed| fitness(seed as f64 / 10.0));
        let random = point(&table, "fitness", "5", "random");
        (random.published.map(|published| published.value), random.verdict)
    };
    assert_eq!(compared(1), (Some(0.9), None));
    assert_eq!(compared(4), (Some(0.9), Some(Verdict::Differs)));
}

const EFFORT: &str = r#"
[agents.net]
net = { network.mdrnn.units = 3 }
[stages.train]
seeds = 2
train.cma-es = { game = "atari-go", agent = "net", opponent = "naive" }
[[exhibit]]
show.means = { stage = "train", rows = ["agent"], values = ["games", "evaluations", "compute"], y-label = "effort" }
"#;

#[test]
fn what_trainings_took_is_that_of_their_last_entry() {
    let table = sheet(EFFORT, true, |_, seed| {
        let entry = |games: u64| json!({ "games": games, "evaluations": 1_000_000 * games * seed, "compute": 5e12 });
        Some(json!({ "curve": [entry(1), entry(20)], "games": 20 }))
    });
    let at = |column: &str| table.points.iter().find(|point| point.column == column).unwrap();
    assert_eq!((at("games").value, at("10^6 evaluations").value), (Some(20.0), Some(30.0)));
    assert_eq!((at("10^6 evaluations").error.unwrap().size, at("games").error), (10.0, None));
    assert_eq!((at("10^12 operations").value, at("10^12 operations").metric.as_str()), (Some(5.0), "10^12 operations"));
}

const MATCHES: &str = r#"
[stages.match]
seeds = 1
sweep = { agent = ["random", "naive"] }
play.match = { game = "atari-go", agent = "random", opponent = "naive", games = 100 }
[[exhibit]]
show.means = { stage = "match", rows = ["agent"], scale = "outcome" }
"#;

/// A match of fifty pairs of games: won, one each, lost.
fn fifty([won, split, lost]: [u64; 3], distinct: u64) -> Option<Value> {
    let mean = (won as f64 - lost as f64) / 50.0;
    let pairs = [[lost, 0, 0], [0, 0, 0], [split, 0, won]];
    Some(json!({ "mean": mean, "games": 100, "distinct": distinct, "meetings": [{ "pairs": pairs }] }))
}

#[test]
fn a_match_of_players_without_training_has_the_error_of_its_games() {
    let results = |manifest: &str| {
        sheet(manifest, true, |label, _| match label("agent").as_str() {
            "random" => fifty([45, 4, 1], 100),
            _ => fifty([50, 0, 0], 2),
        })
    };
    let table = results(MATCHES);
    let random = point(&table, "average outcome", "random", "Average outcome");
    // Of 45 pairs of 1, 4 of 1/2 and one of 0 the mean is .94, the squares are 1.82.
    let error = random.error.unwrap();
    assert!(
        (random.value.unwrap() - 0.94).abs() < 1e-12 && (error.size - (1.82_f64 / 49.0 / 50.0).sqrt()).abs() < 1e-12
    );
    assert_eq!((error.kind, random.n_runs), (ErrorKind::Games, 1));
    let naive = point(&table, "average outcome", "naive", "Average outcome").interval.unwrap();
    assert!((naive.low - 0.963).abs() < 1e-3 && naive.high == 1.0, "{naive:?}");
    let bars: Vec<_> = table.chart.panels[0].series[0].points.iter().map(|vertex| vertex.high.unwrap()).collect();
    assert!(bars.iter().all(|high| *high <= 1.0), "{bars:?}");
    assert!(
        table.caption.contains("one standard error over pairs of games")
            && table.caption.contains("no weights were drawn")
    );
    let note = "Games repeat each other most at naive: 2 of the 100 games of a run are different (2 %). Errors count every \
                game as a new one, and are too small there.";
    assert!(table.notes.iter().any(|known| known == note), "{:?}", table.notes);
    // Another seed is only more games.
    let two = results(&MATCHES.replace("seeds = 1", "seeds = 2"));
    let ratio = error.size / point(&two, "average outcome", "random", "Average outcome").error.unwrap().size;
    assert!((ratio - (99.0_f64 / 49.0).sqrt()).abs() < 1e-9, "{ratio}");
}

#[test]
fn intervals_stand_in_table_and_picture_where_they_are_asked_for() {
    let shown = |errors: &str| {
        let manifest = MATCHES.replace("[[exhibit]]", &format!("[[exhibit]]\nerrors = \"{errors}\""));
        let sheet = sheet(&manifest, true, |_, _| fifty([45, 4, 1], 100));
        let svg = crate::reports::plot::svg(&sheet).unwrap();
        let markdown = crate::reports::markdown::render(&sheet, "x.svg");
        (sheet.chart.panels[0].series[0].points[0], markdown, svg)
    };
    let (bar, table, picture) = shown("se");
    assert!(table.contains("0.940 ± 0.027") && picture.contains("Bars: one standard error over games."), "{table}");
    assert!((bar.high.unwrap() - bar.y - 0.0273).abs() < 1e-3);
    let (bar, table, picture) = shown("95%");
    assert!(
        table.contains(r"0.940 \[0.866, 0.974\]") && picture.contains("Bars: 95 % intervals over games."),
        "{table}"
    );
    assert!(table.contains("Brackets are 95 % confidence intervals over games.") && bar.low.unwrap() < 0.88, "{table}");
}

#[test]
fn runs_that_all_ended_alike_say_what_their_error_is() {
    let manifest = BUDGETS.replace(
        "show.curves = { stage = \"train\", curves = [\"agent\"], of = \"skill\" }",
        "show.means = { stage = \"train\", rows = [\"agent\"] }",
    );
    let table = sheet(&manifest, true, |_, _| Some(json!({ "mean": 1.0, "games": 100 })));
    let only = &table.points[0];
    assert_eq!(only.error.unwrap().kind, ErrorKind::Games);
    assert!(only.interval.unwrap().high == 1.0 && table.chart.panels[0].series[0].points[0].high == Some(1.0));
    assert!(table.notes.iter().any(|note| note.starts_with("Where all runs ended alike")), "{:?}", table.notes);
    let spread = sheet(&manifest, true, |_, seed| Some(json!({ "mean": 1.0 - 0.3 * (seed % 2) as f64, "games": 100 })));
    let interval = spread.points[0].interval.unwrap();
    assert!(interval.high == 1.0 && spread.notes.iter().all(|note| !note.starts_with("Where all")), "{interval:?}");
}

const CURVES: &str = r#"
[agents.net]
net = { network.mdrnn.units = 3 }
[stages.train]
seeds = 2
train.cma-es = { game = "atari-go", agent = "net", opponent = "naive", settings.games = 10 }
[[exhibit]]
show.curves = { stage = "train", curves = ["agent"] }
"#;

#[test]
fn curves_average_each_generation_over_runs() {
    let figure = sheet(CURVES, true, |_, seed| {
        let generation =
            |mean: f64| json!({ "mean": mean, "best": mean + 0.5, "fitness": [mean, mean - 0.5, mean + 0.5] });
        let first = -0.2 * seed as f64;
        Some(json!({ "curve": [generation(first), generation(first + 0.4)], "games": 60 }))
    });
    let means: Vec<_> = figure.points.iter().filter(|point| point.metric == "mean").collect();
    assert_eq!(means.iter().map(|point| point.x).collect::<Vec<_>>(), [Some(1.0), Some(2.0)]);
    assert!((means[0].value.unwrap() + 0.3).abs() < 1e-12 && (means[1].value.unwrap() - 0.1).abs() < 1e-12);
    assert!((means[0].error.unwrap().size - 0.1).abs() < 1e-12);
    // Two runs with three candidates of ten games each.
    assert!(means.iter().all(|point| point.n_games == 60));
    assert!(figure.points.iter().filter(|point| point.metric == "best").all(|point| point.n_games == 20));
}

const SCATTER: &str = r#"
[stages.fitness]
seeds = 3
sweep = { agent = ["random", "naive"], "game.size" = [5, 7] }
measure.fitness = { game = "atari-go", agent = "random", opponent = "naive", games = 8 }
[[exhibit]]
show.scatter = { stage = "fitness", across = "game.size", x = 5, y = 7, series = ["agent"] }
"#;

#[test]
fn a_scatter_has_one_dot_a_run_and_its_correlation() {
    let figure = sheet(SCATTER, true, |label, seed| {
        let sign = if label("game.size") == "7" && label("agent") == "naive" { -1.0 } else { 1.0 };
        fitness(sign * seed as f64 / 10.0)
    });
    assert!((point(&figure, "correlation", "random", "Correlation").value.unwrap() - 1.0).abs() < 1e-12);
    assert!((point(&figure, "correlation", "naive", "Correlation").value.unwrap() + 1.0).abs() < 1e-12);
    let dots = figure.points.iter().filter(|point| point.metric == "fitness" && point.row == "naive");
    let dots: Vec<_> = dots.map(|point| (point.x.unwrap(), point.value.unwrap())).collect();
    assert_eq!(dots, [(0.1, -0.1), (0.2, -0.2), (0.3, -0.3)]);
}

const PERCENTILES: &str = r#"
[stages.fitness]
seeds = 20
sweep = { agent = ["random"] }
measure.fitness = { game = "atari-go", agent = "random", opponent = "naive", games = 8 }
[[exhibit]]
show.percentiles = { stage = "fitness", curves = ["agent"] }
"#;

#[test]
fn percentiles_say_what_share_reaches_a_fitness() {
    let figure = sheet(PERCENTILES, true, |_, seed| fitness(seed as f64 / 20.0));
    assert_eq!(point(&figure, "fitness reached", "random", "25 % reach").value, Some(0.8));
    assert_eq!(point(&figure, "fitness reached", "random", "100 % reach").value, Some(0.05));
}

const CLAIMS: &str = r#"
[[paper.published]]
metric = "average outcome"
columns = ["7"]
rows = { new = [0.9] }
errors = { new = [0.4] }
doubts = { new = { "7" = "No five shares spread so far." } }
[agents.drawn.net]
network.mdlstm = { cells = 2 }
[variant.old.set]
agent = "random"
[variant.new.set]
agent = "naive"
[stages.own]
seeds = 4
variants = ["new"]
sweep = { "game.size" = [5, 7] }
play.match = { game = "atari-go", agent = "random", opponent = "drawn", games = 8 }
[stages.other]
seeds = 5
variants = ["old"]
sweep = { "game.size" = [5, 7] }
play.match = { game = "atari-go", agent = "random", opponent = "drawn", games = 8 }
[[exhibit]]
show.means = { stage = ["own", "other"], rows = ["variant"], columns = ["game.size"], scale = "outcome", values = ["mean", "second", "distinct"] }
[[exhibit.success]]
claim = "New beats old"
of = { variant = "new" }
over.runs = { variant = "old" }
each = ["game.size"]
[[exhibit.success]]
claim = "New wins"
of = { variant = "new", "game.size" = "7" }
over.number = 0.5
"#;

/// Eight games in four pairs: moving first all are won, moving second `seed` of four.
fn played(mean: f64, seed: u64) -> Option<Value> {
    let pairs = [[0, 0, 0], [0, 0, 0], [4 - seed.min(4), 0, seed.min(4)]];
    Some(json!({ "mean": mean, "games": 8, "distinct": 6, "meetings": [{ "pairs": pairs }] }))
}

#[test]
fn claims_are_decided_by_paired_intervals() {
    let table = sheet(CLAIMS, true, |label, seed| match (label("variant").as_str(), label("game.size").as_str()) {
        ("new", "5") => played(0.2 * seed as f64 - 0.5, seed),
        ("new", _) if seed == 4 => None,
        ("new", _) => played(1.0, seed),
        (_, "5") => played(0.2 * seed as f64 - 0.5 - [0.2, 0.4, 0.2, 0.4, 9.0][seed as usize - 1], seed),
        (_, _) => played(0.9, seed),
    });
    let rows: Vec<&str> = table.table.as_ref().unwrap().rows.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(rows, ["old", "new"], "in the order of the variants");
    let [small, large, wins] = table.criteria.as_slice() else { panic!("{:?}", table.criteria) };
    // Gains .1 .2 .1 .2: mean .15, standard error sqrt(.01 / 3) / 2, t quantile 3.182 for 3 degrees of freedom.
    let reach = 3.182_446 * (0.01f64 / 3.0).sqrt() / 2.0;
    let interval = small.gain.interval.unwrap();
    assert!(small.met && (small.gain.value.unwrap() - 0.15).abs() < 1e-12);
    assert!((interval.low - (0.15 - reach)).abs() < 1e-6 && (interval.high - (0.15 + reach)).abs() < 1e-6);
    // Three equal gains of .05 have no spread: the games say how sure they are, and 24 games are not sure.
    assert!(!large.met && large.gain.n_runs == 3 && large.gain.n_requested == 4, "{large:?}");
    assert!(wins.met && (wins.gain.value.unwrap() - 0.5).abs() < 1e-12);
    assert!(wins.sentence().starts_with("New wins: met. Gain 0.500 ["), "{}", wins.sentence());
    assert!(
        large.sentence().contains("(7): not met.") && large.sentence().ends_with("n = 3/4."),
        "{}",
        large.sentence()
    );
}

#[test]
fn claims_on_players_without_training_are_decided_by_their_games() {
    let manifest =
        CLAIMS.replace("\"drawn\"", "\"naive\"").replace("seeds = 4", "seeds = 1").replace("seeds = 5", "seeds = 1");
    let table = sheet(&manifest, true, |label, _| match label("variant").as_str() {
        "new" => fifty([45, 4, 1], 100),
        _ => fifty([25, 20, 5], 100),
    });
    let [small, _, wins] = table.criteria.as_slice() else { panic!("{:?}", table.criteria) };
    // Of 50 pairs each: .94 with squares of 1.82, and .7 with squares of 5.5.
    let error = ((1.82_f64 + 5.5) / 49.0 / 50.0).sqrt();
    let found = small.gain.error.unwrap();
    assert!(small.met && (small.gain.value.unwrap() - 0.24).abs() < 1e-12, "{small:?}");
    assert!(found.kind == ErrorKind::Games && (found.size - error).abs() < 1e-3, "{found:?} {error}");
    assert!(wins.met && wins.sentence().contains("the 95 % interval over games, n = 1."), "{}", wins.sentence());
    // Whoever wins every game gains no more than there is, on the scale of fitness too.
    let fitness = manifest.replace("scale = \"outcome\", ", "");
    let table = sheet(&fitness, true, |_, _| fifty([50, 0, 0], 100));
    let ends = |criterion: &Criterion| criterion.gain.interval.map(|interval| [interval.low, interval.high]).unwrap();
    let ([low, high], [less, more]) = (ends(&table.criteria[2]), ends(&table.criteria[0]));
    assert!(low > 0.4 && high == 0.5 && -0.1 < less && less == -more && more > 0.0, "{:?}", table.criteria);
}

#[test]
fn a_player_of_several_matches_is_rated_once() {
    let manifest = r#"
[agents.weak.uct]
simulations = 8
[agents.other.uct]
simulations = 8
c = 0.5
[stages.match]
sweep = { agent = ["weak", "naive"], opponent = ["weak", "naive"] }
play.match = { game = "atari-go", agent = "weak", opponent = "naive", games = 2 }
[[exhibit]]
show.ratings = { stage = "match" }
"#;
    let names = |manifest: &str| {
        let meeting = json!([{ "players": [0, 1], "pairs": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "distinct": 6 }]);
        let standing = json!({ "players": ["a", "b"], "adjudicated": 0, "meetings": meeting });
        let table = sheet(manifest, true, |_, _| Some(standing.clone()));
        let rows: Vec<String> = table.table.unwrap().rows.into_iter().map(|(name, _)| name).collect();
        (rows, table.notes)
    };
    let (rows, notes) = names(manifest);
    assert_eq!(rows[..2], ["UCT 8", "naive"], "{rows:?}");
    assert!(notes[0].starts_with("The games of 4 jobs, of 4 configurations, are added up:"), "{notes:?}");
    let (rows, _) = names(&manifest.replace("\"naive\"]", "\"other\"]"));
    assert_eq!(rows[..2], ["weak", "other"], "what they are called alone does not tell them apart: {rows:?}");
}

#[test]
fn a_claim_whose_jobs_were_left_out_is_not_met() {
    let (plan, mut left) = (plan(CLAIMS), plan(CLAIMS));
    left.only(&["variant=old".to_owned()]).unwrap();
    let facts = Facts::new(&left, vec![played(0.5, 1); left.jobs.len()]);
    let sheet = render(&Scene { exhibit: &plan.written.exhibits[0], facts: &facts, comparable: false });
    let told: Vec<String> = sheet.criteria.iter().map(Criterion::sentence).collect();
    let expected = ["New beats old (5)", "New beats old (7)", "New wins"];
    assert_eq!(told, expected.map(|claim| format!("{claim}: not measured. Nothing was measured, n = 0.")));
}

#[test]
fn values_by_turn_and_doubted_numbers_are_shown() {
    let table = sheet(
        &CLAIMS
            .replace("\"7\"", "\"7 / Average outcome\"")
            .replace("\"game.size\" = \"7 / Average outcome\"", "\"game.size\" = \"7\""),
        true,
        |_, seed| played(0.5, seed),
    );
    let second = point(&table, "average outcome moving second", "new", "5 / moving second");
    assert!((second.value.unwrap() - (1.0 + 2.0 + 3.0 + 4.0) / 4.0 / 4.0).abs() < 1e-12 && second.n_games == 16);
    assert_eq!(point(&table, "share of distinct games", "old", "5 / distinct games").value, Some(0.75));
    let doubted = point(&table, "average outcome", "new", "7 / Average outcome").published.unwrap();
    assert!(doubted.is_doubted && doubted.value == 0.9);
    assert!(table.notes.iter().any(|note| note.contains("No five shares spread so far.")), "{:?}", table.notes);
    assert!(table.table.unwrap().columns.iter().all(|column| !column.starts_with("paper:")));
}

#[test]
fn runs_that_are_more_alike_than_their_games_get_a_dagger() {
    let table = sheet(CLAIMS, true, |_, seed| fifty([25 + seed % 2, 10, 15 - seed % 2], 100));
    let alike = point(&table, "average outcome", "new", "5 / Average outcome");
    // Four runs of 50 pairs: 102 pairs won, 40 split, 58 lost.
    let error = ((102.0 * 0.39_f64.powi(2) + 40.0 * 0.11_f64.powi(2) + 58.0 * 0.61_f64.powi(2)) / 199.0 / 200.0).sqrt();
    assert!((alike.floor.unwrap() - error).abs() < 1e-12 && alike.is_below_floor(), "{alike:?}");
    assert!(table.notes.iter().any(|note| note.contains("new, 5 / Average outcome: 0.031")), "{:?}", table.notes);
    assert!(crate::reports::markdown::render(&table, "x.svg").contains("| 0.610 ± 0.006 †"));
    let spread = sheet(CLAIMS, true, |_, seed| fifty([5 + 10 * seed, 10, 35 - 10 * seed.min(3)], 100));
    assert!(spread.points.iter().all(|point| !point.is_below_floor()));
}

#[test]
fn published_columns_that_were_not_measured_stand_apart() {
    let table = sheet(
        &CLAIMS.replace("columns = [\"7\"]", "columns = [\"19\"]").replace("{ \"7\" = \"No", "{ \"19\" = \"No"),
        false,
        |_, seed| played(0.5, seed),
    );
    let Table { columns, rows, .. } = table.table.as_ref().unwrap();
    assert_eq!((columns.len(), columns[6].as_str()), (7, "paper: 19"));
    // The paper has no number for the other row.
    assert_eq!((rows[0].0.as_str(), rows[0].1[6]), ("old", None));
    let printed = &table.points[rows[1].1[6].unwrap()];
    let published = printed.published.unwrap();
    assert_eq!((printed.row.as_str(), printed.column.as_str(), printed.value), ("new", "19", None));
    assert_eq!((published.value, published.error.unwrap().size, published.is_doubted), (0.9, 0.4, true));
    assert!(printed.is_apart() && printed.verdict == Some(Verdict::NotComparable));
    assert!(table.notes.iter().any(|note| note == "† new, 19: No five shares spread so far."), "{:?}", table.notes);
    let [measured, apart] = &table.chart.panels[..2] else { panic!("{:?}", table.chart.panels) };
    assert_eq!(
        [measured, apart].map(|panel| panel.title.as_str()),
        ["Average outcome", "published, not measured here"]
    );
    assert!(measured.x == apart.x && measured.y == apart.y);
    let drawn = apart.series.last().unwrap();
    assert_eq!((drawn.name.as_str(), drawn.points.len(), drawn.points[0].x), ("19, paper", 1, 1.0));
}

const SKILL: &str = r#"
[agents.net]
net = { network.mdrnn.units = 3 }
[stages.train]
seeds = 2
train.cma-es = { game = "atari-go", agent = "net", opponent = "naive" }
[[exhibit]]
show.curves = { stage = "train", curves = ["agent"], of = "skill" }
"#;

#[test]
fn skill_stands_where_it_was_evaluated_over_the_operations_so_far() {
    let figure = sheet(SKILL, true, |_, seed| {
        let entry = |score: f64, compute: f64| json!({ "score": score, "compute": compute });
        let first = json!({ "compute": 1e12 });
        Some(json!({ "curve": [first, entry(-0.2 * seed as f64, 1e12 * (seed + 1) as f64)], "games": 50 }))
    });
    let points: Vec<_> = figure.points.iter().filter(|point| point.metric == "score").collect();
    assert_eq!(points.iter().map(|point| point.x).collect::<Vec<_>>(), [Some(2.5)]);
    assert!((points[0].value.unwrap() - 0.35).abs() < 1e-12);
}

/// Two evaluated runs of a training in which `{x}` says what the abscissa is.
const ABSCISSAE: &str = r#"
[agents.saz.guided.network.saz]
hidden = 4
[games.othello.othello]
size = 6
[stages.train]
seeds = 2
sweep = { "agent.search.simulations" = [10, 20] }
train.alpha-zero = { game = "othello", agent = "saz", settings = { iterations = 4, evaluation = { every = 2, games = 20, opponent = { random = {} }, untrained = true } } }
[[exhibit]]
show.curves = { stage = "train", curves = ["agent.search.simulations"], of = "skill"{x} }
"#;

#[test]
fn a_learning_curve_stands_over_what_the_manifest_asks_for_and_begins_untrained() {
    let figure = |x: &str| {
        let plan = plan(&ABSCISSAE.replace("{x}", x));
        let entry = |at: u64| {
            let score = at.is_multiple_of(2).then_some(0.1 * at as f64);
            json!({ "games": 100 * at, "evaluations": 5_000_000 * at, "compute": 1e12 * at as f64, "score": score })
        };
        let result = json!({ "curve": (1..=4).map(entry).collect::<Vec<_>>(), "games": 400, "untrained": -0.8 });
        // The second run of each was not timed.
        let timed = (0..plan.jobs.len()).step_by(2).map(|at| (at, 7200.0)).collect();
        let facts = Facts::new(&plan, vec![Some(result); plan.jobs.len()]).with_seconds(timed);
        render(&Scene { exhibit: &plan.written.exhibits[0], facts: &facts, comparable: true })
    };
    for (x, label, places) in [
        (", x = \"iterations\"", "iteration", [0.0, 2.0, 4.0]),
        (", x = \"games\"", "games of the training", [0.0, 200.0, 400.0]),
        (", x = \"evaluations\"", "10^6 evaluations by the network", [0.0, 10.0, 20.0]),
        (", x = \"hours\"", "hours of the training", [0.0, 1.0, 2.0]),
        ("", "10^12 operations of the training", [0.0, 2.0, 4.0]),
    ] {
        let figure = figure(x);
        let found: Vec<_> = figure.points[..3].iter().filter_map(|point| point.x).collect();
        assert_eq!((figure.chart.panels[0].x.label.as_str(), found.as_slice()), (label, &places[..]));
        assert!((figure.points[0].value.unwrap() - 0.1).abs() < 1e-12, "{:?}", figure.points[0]);
        assert!(figure.points.iter().all(|point| point.column == "Average outcome"));
        assert_eq!(figure.notes.iter().any(|note| note.starts_with("2 of 4 trainings")), x.contains("hours"));
        let is_linear = figure.chart.panels[0].x.scale == AxisScale::Linear;
        assert_eq!(
            (is_linear, figure.caption.contains("logarithmic axis: the table has it")),
            (!x.is_empty(), x.is_empty())
        );
    }
    let spaced = figure(", x = \"games\", x-scale = \"log\"");
    assert_eq!(spaced.chart.panels[0].x.scale, AxisScale::Log);
    let table = spaced.table.unwrap();
    assert_eq!(
        (table.corner.as_str(), table.columns.join(", ")),
        ("simulations", "Untrained, At the last evaluation".into())
    );
    let legend: Vec<&str> = spaced.chart.panels[0].series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(legend, ["simulations 10", "simulations 20"]);
    assert_eq!(table.rows.iter().map(|(row, _)| row.as_str()).collect::<Vec<_>>(), ["10", "20"]);
}

#[test]
fn generations_stand_over_games_and_hours_too() {
    let places = |x: &str| {
        let plan = plan(&CURVES.replace("curves = [\"agent\"]", &format!("curves = [\"agent\"], x = \"{x}\"")));
        let generation = json!({ "mean": 0.1, "best": 0.5, "fitness": [0.1, 0.0, 0.5] });
        let result = json!({ "curve": [generation, generation], "games": 60 });
        let facts = Facts::new(&plan, vec![Some(result); 2]).with_seconds([(0, 3600.0), (1, 7200.0)].into());
        let figure = render(&Scene { exhibit: &plan.written.exhibits[0], facts: &facts, comparable: true });
        figure.points.iter().filter(|point| point.metric == "mean").filter_map(|point| point.x).collect::<Vec<_>>()
    };
    assert_eq!((places("games"), places("hours")), (vec![30.0, 60.0], vec![0.75, 1.5]));
}

#[test]
fn axes_are_called_by_their_labels_or_the_end_of_their_paths() {
    let manifest = MEANS.replace("columns = [\"agent\"], x = \"game.size\"", "columns = [\"agent\"]");
    let by_size = MEANS.replace(
        "rows = [\"game.size\"], columns = [\"agent\"], x = \"game.size\"",
        "rows = [\"agent\"], columns = [\"game.size\"]",
    );
    let sheet = |manifest: &str| sheet(manifest, true, |_, seed| fitness(seed as f64 / 10.0));
    let (over_size, rows, columns) = (sheet(MEANS), sheet(&manifest), sheet(&by_size));
    assert_eq!(over_size.chart.panels[0].x.label, "board size");
    assert_eq!(
        (rows.chart.panels[0].x.label.as_str(), rows.table.unwrap().corner.as_str()),
        ("board size", "board size")
    );
    let legend: Vec<&str> = columns.chart.panels[0].series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(legend, ["board size 5", "board size 7"]);
    let common = COMMON.replace("[labels]", "[labels]\n\"game.size\" = \"points a side\"");
    let plan = plan_of(format!("{common}{MEANS}"));
    let facts = Facts::new(&plan, vec![None; plan.jobs.len()]);
    let labelled = render(&Scene { exhibit: &plan.written.exhibits[0], facts: &facts, comparable: true });
    assert_eq!(labelled.table.unwrap().corner, "points a side");
}

const BUDGETS: &str = r#"
[games.othello.othello]
size = 6
[agents.saz.guided.network.saz]
hidden = 4
[stages.train]
seeds = 3
train.alpha-zero = { game = "othello", agent = "saz", settings = { evaluation = { every = 1, games = 20, opponent = { random = {} } } } }
[[exhibit]]
show.curves = { stage = "train", curves = ["agent"], of = "skill" }
"#;

#[test]
fn a_curve_whose_runs_end_apart_is_read_where_all_of_them_are() {
    let figure = sheet(BUDGETS, true, |_, seed| {
        let entry = |at: u64| json!({ "score": 0.1 * (at * seed) as f64, "compute": 1e12 * at as f64 });
        Some(json!({ "curve": (1..=seed.max(2)).map(entry).collect::<Vec<_>>(), "games": 5000 }))
    });
    let counts: Vec<_> = figure.points.iter().map(|point| (point.n_runs, point.n_games)).collect();
    assert_eq!(counts, [(3, 60), (3, 60), (1, 20)], "games of the evaluations, not of the trainings");
    assert_eq!(figure.table.as_ref().unwrap().rows[0].1, [Some(1)]);
    let note = "the table has the last evaluation that 3 runs reached. The curve goes on with those that went \
                further, at its end n = 1; so do its errors.";
    assert!(figure.notes.iter().any(|known| known.ends_with(note)), "{:?}", figure.notes);
}

const NUMBERS: &str = r#"
[[paper.published]]
metric = "number"
columns = ["5", "7"]
rows = { points = [25, 50] }
[stages.complexity]
sweep = { "game.size" = [5, 7] }
measure.complexity = { game = "gomoku" }
[[exhibit]]
show.numbers = { stage = "complexity", columns = ["game.size"], numbers = [{ number = "sites", label = "points" }], y-label = "points" }
"#;

#[test]
fn counted_numbers_agree_or_not() {
    let table =
        sheet(NUMBERS, true, |label, _| Some(json!({ "sites": if label("game.size") == "5" { 25 } else { 49 } })));
    let verdicts = ["5", "7"].map(|size| point(&table, "number", "points", size).verdict);
    assert_eq!(verdicts, [Some(Verdict::Agrees), Some(Verdict::Differs)]);
    let [panel] = table.chart.panels.as_slice() else { panic!("a panel a number: {:?}", table.chart.panels) };
    let drawn: Vec<f64> = panel.series.iter().flat_map(|series| series.points.iter().map(|vertex| vertex.y)).collect();
    assert_eq!((panel.title.as_str(), drawn), ("points", vec![25.0, 49.0, 25.0, 50.0]));
}

#[test]
fn many_places_are_rows() {
    let turned = NUMBERS.replace("columns = [\"game.size\"], numbers", "rows = [\"game.size\"], numbers").replace(
        "columns = [\"5\", \"7\"]\nrows = { points = [25, 50] }",
        "columns = [\"points\"]\nrows = { 5 = [25], 7 = [50] }",
    );
    let table =
        sheet(&turned, true, |label, _| Some(json!({ "sites": if label("game.size") == "5" { 25 } else { 49 } })));
    let verdicts = ["5", "7"].map(|size| point(&table, "number", size, "points").verdict);
    assert_eq!(verdicts, [Some(Verdict::Agrees), Some(Verdict::Differs)]);
    let written = table.table.as_ref().unwrap();
    let rows: Vec<&str> = written.rows.iter().map(|(row, _)| row.as_str()).collect();
    assert_eq!((written.columns.as_slice(), rows), (&["points".to_owned()][..], vec!["5", "7"]));
    let [panel] = table.chart.panels.as_slice() else { panic!("a panel a number: {:?}", table.chart.panels) };
    assert_eq!((panel.title.as_str(), panel.series.len()), ("points", 2));
}

const EMBEDDINGS: &str = r#"
[agents.saz.guided.network.saz]
hidden = 4
[games.othello.othello]
size = 8
[stages.seen]
seeds = 2
sweep = { form = ["column", "mirrored"] }
measure.embeddings = { game = "othello", agent = "saz", sizes = [6, 8] }
[[exhibit]]
show.embeddings = { stage = "seen", panels = ["form"] }
"#;

#[test]
fn embeddings_are_drawn_for_one_run_and_counted_for_all() {
    let figure = sheet(EMBEDDINGS, true, |_, seed| {
        let (good, bad) = (json!([[1.0, 0.0], [2.0, seed]]), json!([[-1.0, 0.0], [-2.0, 0.0]]));
        Some(json!({ "sizes": [6, 8], "good": good, "bad": bad, "shares": [0.8, 0.1], "separated": 0.5 * seed as f64 }))
    });
    assert_eq!(point(&figure, "separated", "column", "Separated").value, Some(0.75));
    assert_eq!(figure.chart.panels.len(), 4);
    let dot = point(&figure, "second component", "mirrored", "good, 8x8, run 1");
    assert_eq!((dot.x, dot.value), (Some(2.0), Some(1.0)));
}

const LADDER: &str = r#"
[[paper.published]]
metric = "win rate"
columns = ["random / win", "naive / win"]
rows = { random = [0.0, 0.8], naive = [0.25, 0.0] }
[[paper.published]]
metric = "lose rate"
columns = ["random / lose", "naive / lose"]
rows = { random = [0.0, 0.1], naive = [0.5, 0.0] }
[[paper.published]]
metric = "score"
columns = ["random", "naive"]
error.rates.n = 20
rows = { random = [0.0, 0.95], naive = [-0.95, 0.0] }
[stages.train]
seeds = 1
train.cma-es = { game = "atari-go", agent = "net", opponent = "naive", settings = { generations = 3, games = 10 } }
[stages.league.play.tournament]
game = "atari-go"
players = ["random", "naive", "N-1", "N-3"]
games = 20
[agents.net.net]
network = { conv = { maps = 1, field = 3 } }
[agents.N-1.random]
[agents.N-3.naive]
[[exhibit]]
"#;

/// Twenty games in pairs: both won, one each, both lost, by the first player named.
fn meeting(players: [usize; 2], [won, split, lost]: [u64; 3]) -> Value {
    json!({ "players": players, "pairs": [[lost, 0, 0], [0, 0, 0], [split, 0, won]], "distinct": 20 })
}

/// A curve of a training, and the tournament of its networks.
fn ladder(show: &str) -> Sheet {
    let names = json!(["random", "naive", "N-1", "N-3"]);
    let meetings = [
        meeting([0, 1], [1, 2, 7]),
        meeting([0, 2], [3, 4, 3]),
        meeting([1, 2], [6, 3, 1]),
        meeting([1, 3], [3, 4, 3]),
        meeting([2, 3], [1, 3, 6]),
    ];
    sheet(&format!("{LADDER}{show}"), true, |label, _| match label("opponent").as_str() {
        "naive" => Some(json!({ "curve": [{ "games": 10 }, { "games": 20 }, { "games": 30 }] })),
        _ => Some(json!({ "players": names, "adjudicated": 0, "meetings": meetings })),
    })
}

#[test]
fn progress_is_measured_from_the_anchor() {
    let sheet = ladder(
        "show.progress = { stage = \"league\", anchor = \"random\", curves = [{ label = \"N\", stage = \"train\", prefix = \"N-\" }] }",
    );
    let at = |row: &str| point(&sheet, "elo", row, "Elo above random");
    let (one, three) = (at("N, 1"), at("N, 3"));
    assert_eq!((one.x, three.x, sheet.points.len()), (Some(10.0), Some(30.0), 2));
    assert!(one.value.unwrap().abs() < 60.0 && three.value.unwrap() > 100.0, "{one:?} {three:?}");
    assert!(three.error.unwrap().size > 30.0 && three.n_games == 40);
}

/// Progress by run, where the last network of the second run has other results than that of the first.
fn progress_by_run(runs: [[u64; 3]; 2]) -> Sheet {
    let manifest = LADDER
        .replace("seeds = 1", "seeds = 2")
        .replace("[stages.league.play.tournament]", "[stages.league]\nseeds = 2\n[stages.league.play.tournament]");
    let show = "show.progress = { stage = \"league\", anchor = \"random\", x = \"iterations\", by-run = true, \
        curves = [{ label = \"N\", stage = \"train\", prefix = \"N-\", only = { agent = \"net\" } }] }";
    sheet(&format!("{manifest}{show}"), true, |label, seed| match label("opponent").as_str() {
        "naive" => Some(json!({ "curve": [{ "games": 10 }, { "games": 20 }, { "games": 30 }] })),
        _ => {
            let own = runs[seed as usize - 1];
            let meetings = [meeting([0, 1], [1, 2, 7]), meeting([0, 2], [3, 4, 3]), meeting([2, 3], own)];
            Some(json!({ "players": ["random", "naive", "N-1", "N-3"], "adjudicated": 2, "meetings": meetings }))
        }
    })
}

#[test]
fn runs_that_are_rated_apart_are_averaged() {
    const PAPERS: &str = "Paper's estimator (least squares)";
    const OURS: &str = "Maximum likelihood (our addition)";
    let [weak, strong] = [[2, 3, 5], [1, 1, 8]];
    let of = |runs| {
        let sheet = progress_by_run(runs);
        [PAPERS, OURS].map(|estimator| point(&sheet, "elo", "N, 3", estimator).clone())
    };
    let (both, alike, other) = (of([weak, strong]), of([weak, weak]), of([strong, strong]));
    for ((both, alike), other) in both.iter().zip(&alike).zip(&other) {
        let [low, high] = [alike, other].map(|point| point.value.unwrap());
        assert!(high > low + 50.0, "{low} {high}");
        assert!((both.value.unwrap() - (low + high) / 2.0).abs() < 1e-6);
        assert!((both.error.unwrap().size - (high - low) / 2.0).abs() < 1e-6);
        assert_eq!((both.x, both.n_runs, both.n_games), (Some(3.0), 2, 40));
        assert_eq!(alike.error, None, "runs that end alike have no spread");
    }
    let sheet = progress_by_run([weak, strong]);
    let gain = point(&sheet, "elo", "gain of N", OURS).value.unwrap();
    let [first, last] = ["N, 1", "N, 3"].map(|row| point(&sheet, "elo", row, OURS).value.unwrap());
    assert!((gain - (last - first)).abs() < 1e-6);
    assert!(point(&sheet, "elo", "naive", PAPERS).value.unwrap() > 0.0, "whoever is on no curve has a level");
    assert_eq!(sheet.chart.panels.len(), 2);
    assert!(sheet.notes.iter().any(|note| note.starts_with("4 games were called a draw")), "{:?}", sheet.notes);
}

#[test]
fn an_anchor_without_a_rating_is_named() {
    let manifest = format!(
        "{LADDER}show.progress = {{ stage = \"league\", anchor = \"random\", curves = [{{ label = \"N\", stage = \"train\", prefix = \"N-\" }}] }}"
    );
    let meetings = [meeting([0, 2], [0, 0, 10]), meeting([0, 3], [0, 0, 10]), meeting([2, 3], [1, 3, 6])];
    let sheet = sheet(&manifest, true, |label, _| match label("opponent").as_str() {
        "naive" => Some(json!({ "curve": [{ "games": 10 }, { "games": 20 }, { "games": 30 }] })),
        _ => Some(json!({ "players": ["random", "naive", "N-1", "N-3"], "adjudicated": 0, "meetings": meetings })),
    });
    assert!(sheet.points.len() == 2 && sheet.points.iter().all(|point| point.value.is_none()));
    let note = "random lost all of its 40 games, so that nobody's distance from it can be said.";
    assert!(sheet.notes.iter().any(|known| known == note), "{:?}", sheet.notes);
}

#[test]
fn players_that_nobody_is_called_are_named() {
    let sheet = ladder(
        "show.progress = { stage = \"league\", anchor = \"naive\", curves = [{ label = \"N\", stage = \"train\", prefix = \"M-\" }] }",
    );
    let expected = "There is no player M- with the number of an iteration of stage train behind it.";
    assert!(sheet.points.is_empty() && sheet.notes.iter().any(|known| known == expected));
}

const PUBLISHED: &str = r#"
[stages.ladder.measure.ladder]
results = "results.json"
[[exhibit]]
show.elo-table = { stage = "ladder", players = [{ label = "A", player = "a" }] }
"#;

#[test]
fn captions_of_ladders_say_what_these_games_show() {
    let player = |name: &str, elo: f64| json!({ "name": name, "games": 60, "wls": [elo, 5.0], "ml": [1.2 * elo, 5.0], "bayeselo": null, "stored": null });
    let result = json!({ "players": [player("a", 500.0), player("b", -600.0)], "pairs": 1, "games": 60, "draws": 0 });
    let told = sheet(PUBLISHED, true, |_, _| Some(result.clone()));
    let span = "over all 2 published players it spans 1,100 Elo, maximum likelihood about 1,300 on the same games";
    assert!(told.caption.contains(span), "{}", told.caption);
    let unread = sheet(PUBLISHED, true, |_, _| Some(json!({ "players": "none" })));
    assert!(unread.notes.iter().any(|note| note == "1 of 1 jobs have no result."), "{:?}", unread.notes);
    assert!(!unread.caption.contains("published players"), "{}", unread.caption);
}

#[test]
fn the_error_of_a_printed_score_follows_from_the_printed_rates() {
    let sheet = ladder("show.score-matrix = { stage = \"league\" }");
    let published = point(&sheet, "score", "random", "naive").published.unwrap();
    // Leads of 0.7 and -0.25: (0.9 - 0.49 + 0.75 - 0.0625) / 20.
    assert!((published.error.unwrap().size - (1.0975_f64 / 20.0).sqrt()).abs() < 1e-12);
    // A player against itself scores 0 by definition: there is nothing to err in, and nothing to agree on.
    for name in ["random", "naive"] {
        let own = point(&sheet, "score", name, name);
        assert_eq!((own.published.map(|own| (own.value, own.error)), own.verdict), (Some((0.0, None)), None));
    }
    assert!(sheet.notes.iter().any(|note| note.contains("compared with the paper's once")), "{:?}", sheet.notes);
    // The one difference, which is printed twice, is judged once.
    assert_eq!(sheet.points.iter().filter(|point| point.verdict.is_some()).count(), 1);
    assert!(point(&sheet, "score", "naive", "random").published.is_some());
    let tiles = |panel: &Panel| {
        let values = panel.series.iter().map(|series| match series.mark {
            Mark::Tile { value, .. } => value,
            mark => panic!("{mark:?}"),
        });
        (panel.title.clone(), values.count())
    };
    let count = |has: fn(&Point) -> bool| sheet.points.iter().filter(|point| has(point)).count();
    let (measured, published) = (count(|point| point.value.is_some()), count(|point| point.published.is_some()));
    let wanted = [("score(A, B), measured", measured), ("score(A, B), published", published)];
    let shown: Vec<(String, usize)> = sheet.chart.panels.iter().map(tiles).collect();
    assert_eq!(shown.iter().map(|(title, count)| (title.as_str(), *count)).collect::<Vec<_>>(), wanted);
}
