//! Ladders, ratings and matrices of scores.

use super::*;

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
        "naive" => Some(json!({ "curve": [{ "fitness": [0.0] }, { "fitness": [0.0] }, { "fitness": [0.0] }] })),
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

/// Progress by run; the last network of the second run has other results than that of the first.
fn progress_by_run(runs: [[u64; 3]; 2]) -> Sheet {
    by_run(
        "show.progress = { stage = \"league\", anchor = \"random\", x = \"iterations\", by-run = true, \
         curves = [{ label = \"N\", stage = \"train\", prefix = \"N-\", only = { agent = \"net\" } }] }",
        runs,
    )
}

/// A network before its training stands at 0.
#[test]
fn progress_begins_with_the_untrained_network() {
    let manifest = format!(
        "{}show.progress = {{ stage = \"league\", anchor = \"random\", curves = [{{ label = \"N\", stage = \"train\", prefix = \"N-\" }}] }}",
        LADDER.replace("N-1", "N-0")
    );
    let meetings = [meeting([0, 1], [1, 2, 7]), meeting([0, 2], [3, 4, 3]), meeting([1, 3], [3, 4, 3])];
    let sheet = sheet(&manifest, true, |label, _| match label("opponent").as_str() {
        "naive" => Some(json!({ "curve": [{ "fitness": [0.0] }, { "fitness": [0.0] }, { "fitness": [0.0] }] })),
        _ => Some(json!({ "players": ["random", "naive", "N-0", "N-3"], "meetings": meetings })),
    });
    let rows: Vec<_> = sheet.points.iter().map(|point| (point.row.as_str(), point.x)).collect();
    assert_eq!(rows, [("N, 0", Some(0.0)), ("N, 3", Some(30.0))]);
}

/// An exhibit of two runs.
fn by_run(show: &str, runs: [[u64; 3]; 2]) -> Sheet {
    by_run_of(show, |seed| Some(runs[seed as usize - 1]))
}

/// An exhibit of two runs, some of which may lack a result.
fn by_run_of(show: &str, runs: impl Fn(u64) -> Option<[u64; 3]>) -> Sheet {
    let manifest = LADDER
        .replace("seeds = 1", "seeds = 2")
        .replace("[stages.league.play.tournament]", "[stages.league]\nseeds = 2\n[stages.league.play.tournament]");
    sheet(&format!("{manifest}{show}"), true, |label, seed| match label("opponent").as_str() {
        "naive" => Some(json!({ "curve": [{ "fitness": [0.0] }, { "fitness": [0.0] }, { "fitness": [0.0] }] })),
        _ => {
            let own = runs(seed)?;
            let meetings = [meeting([0, 1], [1, 2, 7]), meeting([0, 2], [3, 4, 3]), meeting([2, 3], own)];
            Some(json!({ "players": ["random", "naive", "N-1", "N-3"], "adjudicated": 2, "meetings": meetings }))
        }
    })
}

#[test]
fn runs_that_are_rated_apart_are_averaged() {
    const SQUARES: &str = "Weighted least squares";
    const LIKELIHOOD: &str = "Maximum likelihood";
    let [weak, strong] = [[2, 3, 5], [1, 1, 8]];
    let of = |runs| {
        let sheet = progress_by_run(runs);
        [SQUARES, LIKELIHOOD].map(|estimator| point(&sheet, "elo", "N, 3", estimator).clone())
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
    let gain = point(&sheet, "elo", "gain of N since 1", LIKELIHOOD).value.unwrap();
    let [first, last] = ["N, 1", "N, 3"].map(|row| point(&sheet, "elo", row, LIKELIHOOD).value.unwrap());
    assert!((gain - (last - first)).abs() < 1e-6);
    assert!(point(&sheet, "elo", "naive", SQUARES).value.unwrap() > 0.0, "whoever is on no curve has a level");
    assert_eq!(sheet.chart.panels.len(), 2);
    assert!(sheet.notes.iter().any(|note| note.starts_with("4 of 120 games were called a draw")), "{:?}", sheet.notes);
}

#[test]
fn ratings_by_run_have_errors_over_trainings() {
    let [weak, strong, lost] = [[2, 3, 5], [1, 1, 8], [10, 0, 0]];
    for (zero, anchor) in [("", None), (", anchor = \"naive\"", Some("naive"))] {
        let show = format!("show.ratings = {{ stage = \"league\", by-run = true{zero} }}");
        let of = |runs| by_run(&show, runs);
        let (both, alike, other) = (of([weak, strong]), of([weak, weak]), of([strong, strong]));
        for (row, column) in [("N-3", "Elo"), ("N-3", "Elo by WLS"), ("N-1", "Elo"), ("random", "Elo by WLS")] {
            let [both, alike, other] = [&both, &alike, &other].map(|sheet| point(sheet, "elo", row, column));
            let [low, high] = [alike, other].map(|point| point.value.unwrap());
            assert!((both.value.unwrap() - (low + high) / 2.0).abs() < 1e-6);
            let error = (high - low).abs() / 2.0;
            assert!((both.error.map_or(0.0, |error| error.size) - error).abs() < 1e-6, "{row} {column}");
            assert_eq!((both.n_runs, both.n_requested), (2, 2));
        }
        let ratings = |sheet: &Sheet| {
            let players = ["random", "naive", "N-1", "N-3"];
            players.map(|row| point(sheet, "elo", row, "Elo").value.unwrap())
        };
        let mean = ratings(&both).iter().sum::<f64>() / 4.0;
        let naive = point(&both, "elo", "naive", "Elo");
        match anchor {
            None => assert!((mean - 1000.0).abs() < 1e-6),
            Some(_) => assert_eq!((naive.value, naive.error), (Some(0.0), None)),
        }
        let score = point(&both, "Score in %", "N-3", "Score in %");
        assert!((score.value.unwrap() - 75.0).abs() < 1e-9 && score.error.is_some(), "{score:?}");
        let [.., elo] = ratings(&both);
        let next = ratings(&both).into_iter().filter(|&other| other < elo).fold(f64::NEG_INFINITY, f64::max);
        let lead = point(&both, "lead in Elo", "N-3", "Above the next");
        assert!((lead.value.unwrap() - (elo - next)).abs() < 1e-6 && lead.error.unwrap().size > 20.0, "{lead:?}");

        let sheet = of([weak, lost]);
        let one_sided = point(&sheet, "elo", "N-3", "Elo");
        assert_eq!((one_sided.n_runs, one_sided.n_requested, one_sided.error), (1, 2, None));
        assert!(sheet.notes.iter().any(|note| note.contains("links N-3 to the others")), "{:?}", sheet.notes);
        // A player that is missing in a run moves no other player: the zero is that of the players that all runs rate.
        let common = ["random", "naive", "N-1"].map(|row| point(&sheet, "elo", row, "Elo"));
        assert!(common.iter().all(|point| point.error.is_none_or(|error| error.size < 1e-6)), "{common:?}");
    }
    let sheet = by_run("show.ratings = { stage = \"league\", by-run = true }", [weak, strong]);
    assert!(sheet.caption.contains("one standard error over runs"), "{}", sheet.caption);
}

#[test]
fn a_run_without_a_result_leaves_the_ratings_of_the_others() {
    let show = "show.ratings = { stage = \"league\", by-run = true }";
    let [whole, torn] = [2, 1].map(|known| by_run_of(show, |seed| (seed <= known).then_some([1, 1, 8])));
    let rows = |sheet: &Sheet| -> Vec<String> {
        sheet.table.as_ref().unwrap().rows.iter().map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(rows(&whole), rows(&torn));
    for name in rows(&whole) {
        let [all, one] = [&whole, &torn].map(|sheet| point(sheet, "elo", &name, "Elo"));
        assert_eq!((all.value, all.n_runs, one.n_runs, one.n_requested), (one.value, 2, 1, 2), "{name}");
    }
    assert!(torn.notes.iter().any(|note| note == "1 of 2 jobs have no result."), "{:?}", torn.notes);
    assert!(torn.notes.iter().all(|note| !note.contains("no chain of wins")), "{:?}", torn.notes);
    let last = rows(&whole).pop().unwrap();
    let lead = point(&whole, "lead in Elo", &last, "Above the next");
    assert_eq!((lead.value, lead.n_requested), (None, 0), "no player follows the last one");
    let table = crate::markdown::render(&whole, "x.svg");
    assert!(!table.contains("n = 0/2") && !table.contains("(n = 2)"), "{table}");
}

#[test]
fn an_anchor_without_a_rating_is_named() {
    let manifest = format!(
        "{LADDER}show.progress = {{ stage = \"league\", anchor = \"random\", curves = [{{ label = \"N\", stage = \"train\", prefix = \"N-\" }}] }}"
    );
    let meetings = [meeting([0, 2], [0, 0, 10]), meeting([0, 3], [0, 0, 10]), meeting([2, 3], [1, 3, 6])];
    let sheet = sheet(&manifest, true, |label, _| match label("opponent").as_str() {
        "naive" => Some(json!({ "curve": [{ "fitness": [0.0] }, { "fitness": [0.0] }, { "fitness": [0.0] }] })),
        _ => Some(json!({ "players": ["random", "naive", "N-1", "N-3"], "adjudicated": 0, "meetings": meetings })),
    });
    assert!(sheet.points.len() == 2 && sheet.points.iter().all(|point| point.value.is_none()));
    let note = "random lost all of its 40 games, so distances from it are unknown.";
    assert!(sheet.notes.iter().any(|known| known == note), "{:?}", sheet.notes);
}

#[test]
fn unknown_names_of_players_are_reported() {
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
    let reported = sheet(PUBLISHED, true, |_, _| Some(result.clone()));
    let span = "Over all 2 published players, the paper's ratings span 1,100 Elo, and maximum likelihood about 1,300 on the \
                same games.";
    assert!(reported.caption.contains(span), "{}", reported.caption);
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
    // A player against itself scores 0 by definition: there is no error, and no agreement.
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
