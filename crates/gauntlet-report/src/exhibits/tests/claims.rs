//! Success criteria, and values by who moves first.

use super::*;

#[test]
fn claims_are_decided_by_paired_intervals() {
    // Without the results of single games, the runs alone decide.
    let mean = |mean: f64| Some(json!({ "mean": mean, "games": 8 }));
    let table = sheet(CLAIMS, true, |label, seed| match (label("variant").as_str(), label("game.size").as_str()) {
        ("new", "5") => mean(0.2 * seed as f64 - 0.5),
        ("new", _) if seed == 4 => None,
        ("new", _) => mean(1.0),
        (_, "5") => mean(0.2 * seed as f64 - 0.5 - [0.2, 0.4, 0.2, 0.4, 9.0][seed as usize - 1]),
        (_, _) => mean(0.9),
    });
    let rows: Vec<&str> = table.table.as_ref().unwrap().rows.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(rows, ["old", "new"], "in the order of the variants");
    let [small, large, wins] = table.criteria.as_slice() else { panic!("{:?}", table.criteria) };
    // Gains .1 .2 .1 .2: mean .15, standard error sqrt(.01 / 3) / 2, t quantile 3.182 for 3 degrees of freedom.
    let reach = 3.182_446 * (0.01f64 / 3.0).sqrt() / 2.0;
    let interval = small.gain.interval.unwrap();
    assert!(small.met && (small.gain.value.unwrap() - 0.15).abs() < 1e-12);
    assert!((interval.low - (0.15 - reach)).abs() < 1e-6 && (interval.high - (0.15 + reach)).abs() < 1e-6);
    // Three equal gains of .05 have no spread: the error comes from the games, and 24 games are too few.
    assert!(!large.met && large.gain.n_runs == 3 && large.gain.n_requested == 4, "{large:?}");
    // The games of both sides, of the runs that are pairs: 4 and 3 of them.
    assert_eq!([small, large].map(|criterion| criterion.gain.n_games), [64, 48]);
    assert!(wins.met && (wins.gain.value.unwrap() - 0.5).abs() < 1e-12);
    assert!(wins.sentence().starts_with("New wins: met. Gain 0.500 ["), "{}", wins.sentence());
    assert!(
        large.sentence().contains("(board size 7): not met.") && large.sentence().contains("n = 3/4. Paired by seed: "),
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
    // A player that wins every game gains no more than the maximum, on the scale of fitness too.
    let fitness = manifest.replace("scale = \"outcome\", ", "scale = \"fitness\", ");
    let table = sheet(&fitness, true, |_, _| fifty([50, 0, 0], 100));
    let ends = |criterion: &Criterion| criterion.gain.interval.map(|interval| [interval.low, interval.high]).unwrap();
    let ([low, high], [less, more]) = (ends(&table.criteria[2]), ends(&table.criteria[0]));
    assert!(low > 0.4 && high == 0.5 && -0.1 < less && less == -more && more > 0.0, "{:?}", table.criteria);
}

#[test]
fn a_claim_judges_the_first_of_the_values() {
    let judged = |values: &str, number: &str| {
        let manifest = CLAIMS.replace("\"mean\", \"second\", \"distinct\", \"length\"", values);
        let manifest = manifest.replace("over.number = 0.5", &format!("over.number = {number}"));
        let table = sheet(&manifest, true, |label, seed| match label("variant").as_str() {
            "new" => played(0.5, seed),
            _ => played(0.5, 4),
        });
        let wins = table.criteria.last().unwrap().clone();
        let shown = table.points.iter().find(|point| point.row == "new" && point.column.starts_with('7')).unwrap();
        assert!((wins.gain.value.unwrap() + number.parse::<f64>().unwrap() - shown.value.unwrap()).abs() < 1e-12);
        (table.criteria[0].gain.value.unwrap(), wins)
    };
    // Moving second, the new runs have 1/4, 2/4, 3/4 and 1, the old ones 1.
    let (gain, wins) = judged("\"second\", \"mean\"", "0.5");
    assert!((gain + 0.375).abs() < 1e-12 && (wins.gain.value.unwrap() - 0.125).abs() < 1e-12 && !wins.met, "{wins:?}");
    let interval = wins.gain.interval.unwrap();
    // The error over runs is that of four shares, sqrt(5 / 48) / 2; the range ends at 1.
    let reach = 3.182_446 * (5.0_f64 / 48.0).sqrt() / 2.0;
    assert!((interval.low - (0.125 - reach)).abs() < 1e-6 && interval.high == 0.5, "{interval:?}");
    let (_, wins) = judged("\"length\"", "10");
    assert_eq!((wins.gain.value, wins.gain.interval, wins.met), (Some(0.5), None, false), "runs without any spread");
}

/// The line of a claim stands in the panel of the judged value.
#[test]
fn a_claim_is_a_line_among_the_values_that_it_judges() {
    for (values, number) in [("\"length\", \"mean\"", "11"), ("\"second\", \"mean\"", "0.3")] {
        let manifest = CLAIMS.replace("\"mean\", \"second\", \"distinct\", \"length\"", values);
        let manifest = manifest.replace("over.number = 0.5", &format!("over.number = {number}"));
        let table = sheet(&manifest, true, |_, seed| played(0.5, seed));
        let has_line = |panel: &Panel| panel.series.iter().any(|series| series.name.starts_with("criterion"));
        let (judged, others) = table.chart.panels.split_first().unwrap();
        assert!(has_line(judged) && !others.is_empty() && !others.iter().any(has_line), "{values}");
    }
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
    let facts = facts(&left, vec![played(0.5, 1); left.jobs.len()]);
    let sheet = render(&ExhibitScope { exhibit: &plan.written.exhibits[0], facts: &facts, comparable: false });
    let reported: Vec<String> = sheet.criteria.iter().map(Criterion::sentence).collect();
    let expected = ["New beats old (board size 5)", "New beats old (board size 7)", "New wins"];
    assert_eq!(reported, expected.map(|claim| format!("{claim}: not measured. Nothing was measured, n = 0.")));
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
    // 84 plies of 8 games in every run.
    assert_eq!(point(&table, "mean plies of a game", "old", "5 / plies").value, Some(10.5));
    let doubted = point(&table, "average outcome", "new", "7 / Average outcome").published.unwrap();
    assert!(doubted.is_doubted && doubted.value == 0.9);
    assert!(table.notes.iter().any(|note| note.contains("No five shares spread so far.")), "{:?}", table.notes);
    assert!(table.table.unwrap().columns.iter().all(|column| !column.starts_with("paper:")));
}
