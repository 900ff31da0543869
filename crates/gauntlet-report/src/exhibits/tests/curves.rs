//! Learning curves, and the texts below them.

use super::*;

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

/// 10^12 operations.
const TERA: u64 = 1_000_000_000_000;

const SKILL: &str = r#"
[agents.net]
guided = { network.saz.hidden = 4 }
[stages.train]
seeds = 2
train.alpha-zero = { game = "atari-go", agent = "net", settings.evaluation = { every = 1, games = 2, opponent.random = {} } }
[[exhibit]]
show.curves = { stage = "train", curves = ["agent"], of = "skill" }
"#;

#[test]
fn skill_stands_where_it_was_evaluated_over_the_operations_so_far() {
    let figure = sheet(SKILL, true, |_, seed| {
        let entry = |score: f64, compute: u64| json!({ "score": score, "compute": compute });
        let first = json!({ "compute": TERA });
        Some(json!({ "curve": [first, entry(-0.2 * seed as f64, TERA * (seed + 1))], "games": 50 }))
    });
    let points: Vec<_> = figure.points.iter().filter(|point| point.metric == "score").collect();
    assert_eq!(points.iter().map(|point| point.x).collect::<Vec<_>>(), [Some(2.5)]);
    assert!((points[0].value.unwrap() - 0.35).abs() < 1e-12);
}

/// Without an evaluation, the untrained networks are not the end of the training.
#[test]
fn a_training_without_an_evaluation_has_no_end() {
    let manifest = SKILL.replace("every = 1,", "every = 8, untrained = true,");
    let figure =
        sheet(&manifest, true, |_, _| Some(json!({ "curve": [{ "compute": TERA }], "games": 50, "untrained": 0.2 })));
    let (_, cells) = &figure.table.as_ref().unwrap().rows[0];
    assert_eq!(cells.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false]);
    let ended = |note: &String| note.starts_with("The trainings of ") && note.contains(" ended before their first ");
    assert!(figure.notes.iter().any(ended), "{:?}", figure.notes);
}

/// Two evaluated runs of a training; `{x}` is the setting of the abscissa.
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
            json!({ "games": 100 * at, "evaluations": 5_000_000 * at, "compute": TERA * at, "score": score })
        };
        let result = json!({ "curve": (1..=4).map(entry).collect::<Vec<_>>(), "games": 400, "untrained": -0.8 });
        // The second run of each was not timed.
        let timed = (0..plan.jobs.len()).step_by(2).map(|at| (at, 7200.0)).collect();
        let facts = facts(&plan, vec![Some(result); plan.jobs.len()]).with_seconds(timed);
        render(&ExhibitScope { exhibit: &plan.written.exhibits[0], facts: &facts, comparable: true })
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
        let facts = facts(&plan, vec![Some(result); 2]).with_seconds([(0, 3600.0), (1, 7200.0)].into());
        let figure = render(&ExhibitScope { exhibit: &plan.written.exhibits[0], facts: &facts, comparable: true });
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
    let facts = facts(&plan, vec![None; plan.jobs.len()]);
    let labelled = render(&ExhibitScope { exhibit: &plan.written.exhibits[0], facts: &facts, comparable: true });
    assert_eq!(labelled.table.unwrap().corner, "points a side");
}

#[test]
fn a_curve_whose_runs_end_apart_is_read_where_all_of_them_are() {
    let figure = sheet(BUDGETS, true, |_, seed| {
        let entry = |at: u64| json!({ "score": 0.1 * (at * seed) as f64, "compute": TERA * at });
        Some(json!({ "curve": (1..=seed.max(2)).map(entry).collect::<Vec<_>>(), "games": 5000 }))
    });
    let counts: Vec<_> = figure.points.iter().map(|point| (point.n_runs, point.n_games)).collect();
    assert_eq!(counts, [(3, 60), (3, 60), (1, 20)], "games of the evaluations, not of the trainings");
    assert_eq!(figure.table.as_ref().unwrap().rows[0].1, [Some(1)]);
    let note = "the table has the last evaluation that 3 runs reached. The curve goes on with those that went \
                further, at its end n = 1; so do its errors.";
    assert!(figure.notes.iter().any(|known| known.ends_with(note)), "{:?}", figure.notes);
}
