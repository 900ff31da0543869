//! Means over runs and over games, their errors and intervals.

use super::*;
use gauntlet_plan::manifest::PlanJob;

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
    // Four runs without spread still have an error, that of 32 games.
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
    assert_eq!(compared(4), (Some(0.9), Some(Agreement::Differs)));
}

#[test]
fn further_axes_of_the_rows_are_lines_of_their_own() {
    let manifest = MEANS.replace("rows = [\"game.size\"], columns = [\"agent\"]", "rows = [\"agent\", \"game.size\"]");
    let table = sheet(&manifest, true, |label, seed| {
        fitness(if label("agent") == "random" { seed as f64 / 10.0 } else { 1.0 })
    });
    let panel = &table.chart.panels[0];
    let lines: Vec<(&str, Vec<f64>)> = panel
        .series
        .iter()
        .map(|line| (line.name.as_str(), line.points.iter().map(|vertex| vertex.x).collect()))
        .collect();
    assert_eq!(lines, [("random", vec![5.0, 7.0]), ("naive", vec![5.0, 7.0])]);
    assert_eq!(table.table.unwrap().rows.len(), 4);
}

#[test]
fn one_point_alone_is_drawn_in_the_whole_range() {
    let ranges = |manifest: &str| {
        let table = sheet(manifest, true, |_, seed| fitness(seed as f64 / 10.0));
        table.chart.panels[0].y.range
    };
    let one = MEANS.replace("[\"random\", \"naive\"]", "[\"random\"]").replace("[5, 7]", "[5]");
    assert_eq!((ranges(&one), ranges(MEANS)), (Some((-1.0, 1.0)), None));
}

const CROSSED: &str = r#"
[agents.net]
net = { network.mdrnn.units = 3 }
[agents.other]
net = { network.mdrnn.units = 4 }
[stages.train]
seeds = 3
sweep = { agent = ["net", "other"] }
train.cma-es = { game = "atari-go", opponent = "naive" }
[stages.test]
from = { agent = { stage = "train", only = { agent = "net" } }, opponent = { stage = "train", only = { agent = "other" }, runs = 3 } }
play.match = { games = 10 }
[[exhibit]]
show.means = { stage = "test", rows = ["agent"], scale = "outcome" }
[[exhibit.success]]
claim = "more than half"
of = { agent = "net" }
over.number = 0.5
"#;

#[test]
fn runs_that_meet_several_have_the_errors_of_both_sides() {
    let plan = plan(CROSSED);
    // The strength of a run, minus a part of its opponent's.
    let result = |job: &PlanJob| {
        let opponent_run = plan.opponent_run(job)? as f64;
        Some(json!({ "mean": job.seed as f64 / 10.0 - opponent_run / 5.0, "games": 10 }))
    };
    let facts = facts(&plan, plan.jobs.iter().map(result).collect());
    let table = render(&ExhibitScope { exhibit: &plan.written.exhibits[0], facts: &facts, comparable: true });
    let [point] = table.points.as_slice() else { panic!("{:?}", table.points) };
    assert!(table.caption.contains("of 30 games each"), "{}", table.caption);
    assert_eq!((point.n_runs, point.n_requested, point.n_games), (3, 3, 90));
    // Both sides have sample variances of the mean outcome, 0.05 and 0.1 apart, over three runs each.
    let expected = ((0.0025f64 + 0.01) / 3.0).sqrt();
    assert!((point.error.unwrap().size - expected).abs() < 1e-12, "{point:?}");
    assert!((point.interval.unwrap().low - (0.4 - 4.302_652_7 * expected).max(0.0)).abs() < 1e-6, "{point:?}");
    assert!((table.criteria[0].gain.error.unwrap().size - expected).abs() < 1e-12);
    assert!(
        table
            .notes
            .iter()
            .any(|note| note.starts_with("Every run meets 3 runs of the opponent, and n counts runs. Their errors")),
        "{:?}",
        table.notes
    );
}

/// The problems of a manifest.
fn problems(manifest: &str) -> Vec<String> {
    let source = BTreeMap::from([("m.toml".to_owned(), format!("{COMMON}{manifest}"))]);
    let problems =
        load(&source, "m.toml", &Overrides::default()).and_then(|loaded| Plan::new(loaded, "cpu")).unwrap_err();
    problems.list().iter().map(|problem| problem.message.clone()).collect()
}

#[test]
fn a_criterion_compares_runs_that_meet_as_many() {
    let plain = "[stages.plain]\nfrom = { agent = { stage = \"train\", only = { agent = \"other\" } }, \
         opponent = { stage = \"train\", only = { agent = \"net\" } } }\nplay.match = { games = 10 }\n[[exhibit]]";
    let mixed = CROSSED
        .replacen("[[exhibit]]", plain, 1)
        .replace("stage = \"test\", rows", "stage = [\"test\", \"plain\"], rows")
        .replace("over.number = 0.5", "over.runs = { agent = \"other\" }");
    assert_eq!(problems(&mixed), ["a criterion compares runs that meet different numbers of their opponent's runs"]);
}

#[test]
fn crossed_runs_over_games_count_runs() {
    let manifest = CROSSED.replace("scale = \"outcome\" }", "scale = \"outcome\", over = \"games\" }");
    let plan = plan(&manifest);
    let pairs = json!([{ "pairs": [[1, 0, 1], [0, 0, 1], [1, 0, 1]] }]);
    let result = |_: &PlanJob| Some(json!({ "mean": 0.2, "games": 10, "meetings": pairs }));
    let facts = facts(&plan, plan.jobs.iter().map(result).collect());
    let table = render(&ExhibitScope { exhibit: &plan.written.exhibits[0], facts: &facts, comparable: true });
    let point = &table.points[0];
    assert_eq!((point.n_runs, point.n_requested, point.n_games), (3, 3, 90));
    assert!(table.caption.contains("of 30 games each"), "{}", table.caption);
    assert!(table.notes.contains(&"Every run meets 3 runs of the opponent, and n counts runs.".to_owned()));
}

#[test]
fn crossed_runs_are_shown_as_means_alone() {
    let (manifest, _) = CROSSED.split_once("[[exhibit]]").unwrap();
    let show = "show.numbers = { stage = \"test\", columns = [\"agent\"], numbers = [{ number = \"mean\", label = \"mean\" }], y-label = \"mean\" }";
    let found = problems(&format!("{manifest}[[exhibit]]\n{show}\n"));
    assert_eq!(found, ["each run of stage `test` meets several runs, which only `means` averages"]);
}

const EFFORT: &str = r#"
[agents.net]
guided = { network.saz.hidden = 4 }
[stages.train]
seeds = 2
train.alpha-zero = { game = "atari-go", agent = "net" }
[[exhibit]]
show.means = { stage = "train", rows = ["agent"], values = ["games", "evaluations", "compute"], y-label = "effort" }
"#;

#[test]
fn what_trainings_took_is_that_of_their_last_entry() {
    let table = sheet(EFFORT, true, |_, seed| {
        let entry = |games: u64| json!({ "games": games, "evaluations": 1_000_000 * games * seed, "compute": 5_000_000_000_000_u64 });
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
    // Another seed only adds games.
    let two = results(&MATCHES.replace("seeds = 1", "seeds = 2"));
    let ratio = error.size / point(&two, "average outcome", "random", "Average outcome").error.unwrap().size;
    assert!((ratio - (99.0_f64 / 49.0).sqrt()).abs() < 1e-9, "{ratio}");
}

#[test]
fn the_axis_of_a_single_value_has_its_name() {
    for (values, label) in [("", "average outcome"), (", values = [\"length\"]", "mean plies of a game")] {
        let manifest = MATCHES.replace("scale = \"outcome\"", &format!("scale = \"outcome\"{values}"));
        let table = sheet(&manifest, true, |_, _| fifty([45, 4, 1], 100));
        assert_eq!(table.chart.panels[0].y.label, label);
    }
}

/// As after sequential tests. 10 pairs won and 40 shared in the first run, all of 5 pairs lost in the second.
#[test]
fn runs_of_different_lengths_count_by_their_games() {
    let table = sheet(&MATCHES.replace("seeds = 1", "seeds = 2"), true, |_, seed| match seed {
        1 => fifty([10, 40, 0], 100),
        _ => {
            let pairs = [[5, 0, 0], [0, 0, 0], [0, 0, 0]];
            Some(json!({ "mean": -1.0, "games": 10, "distinct": 10, "plies": 90, "meetings": [{ "pairs": pairs }] }))
        }
    });
    let point = point(&table, "average outcome", "random", "Average outcome");
    assert!((point.value.unwrap() - 60.0 / 110.0).abs() < 1e-12, "{point:?}");
    let interval = point.interval.unwrap();
    assert!(interval.low < 60.0 / 110.0 && 60.0 / 110.0 < interval.high, "{interval:?}");
}

#[test]
fn intervals_stand_in_table_and_picture_where_they_are_asked_for() {
    let shown = |errors: &str| {
        let manifest = MATCHES.replace("[[exhibit]]", &format!("[[exhibit]]\nerrors = \"{errors}\""));
        let sheet = sheet(&manifest, true, |_, _| fifty([45, 4, 1], 100));
        let svg = crate::plot::svg(&sheet).unwrap();
        let markdown = crate::markdown::render(&sheet, "x.svg");
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

/// Half of the games are those in which a player moves first.
#[test]
fn the_error_of_equal_runs_moving_first_is_that_of_these_games() {
    let manifest = CLAIMS.replace("\"mean\", \"second\", \"distinct\", \"length\"", "\"first\"");
    let table = sheet(&manifest, true, |_, seed| played(0.0, seed));
    let found = point(&table, "average outcome moving first", "new", "5");
    // Four runs of four games: all won.
    let bound = gauntlet_ratings::intervals::game_level_bound(1.0, [0.0, 1.0], 16).unwrap();
    let error = found.error.unwrap();
    assert_eq!((found.value, error.kind, found.n_games), (Some(1.0), ErrorKind::Games, 16));
    assert!((error.size - bound).abs() < 1e-12, "{error:?} {bound}");
}

#[test]
fn runs_that_all_ended_alike_say_what_their_error_is() {
    let (trained, _) = BUDGETS.split_once("[[exhibit]]").unwrap();
    let manifest = format!(
        "{trained}[stages.test]\nfrom = \"train\"\nplay.match = {{ game = \"othello\", opponent = \
         \"random\", games = 100 }}\n[[exhibit]]\nshow.means = {{ stage = \"test\", rows = [\"agent\"], scale = \"fitness\" }}\n"
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
