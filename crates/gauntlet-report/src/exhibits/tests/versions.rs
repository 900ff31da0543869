//! Versions of an agent, their rulings and the sum of their differences.

use super::*;

/// Four versions; `show` are the settings of the exhibit besides its stage.
fn manifest(pairs: &[[&str; 2]], show: &str) -> String {
    let axis = |side: usize| pairs.iter().map(|pair| format!("\"{}\"", pair[side])).collect::<Vec<_>>().join(", ");
    let agents = (1..=5).map(|n| format!("[agents.v{n}.uct]\nsimulations = {n}\n")).collect::<String>();
    format!(
        "{agents}[stages.patches]\nzip = [{{ agent = [{}], opponent = [{}] }}]\n\
         play.match = {{ game = \"atari-go\", agent = \"v2\", opponent = \"v1\", games = 100 }}\n\
         [[exhibit]]\nshow.versions = {{ stage = \"patches\"{show} }}\n",
        axis(0),
        axis(1)
    )
}

/// A match that a sequential test ended.
fn tested(decision: &str, elo: f64, half: f64) -> Option<Value> {
    let mut result = fifty([20, 20, 10], 90)?;
    let test = json!({ "elo0": 0.0, "elo1": 50.0, "alpha": 0.05, "beta": 0.05, "scale": "normalized" });
    result["sprt"] = json!({ "test": test, "decision": decision, "llr": 0.0, "bounds": [-2.9, 2.9], "elo": elo, "interval": [elo - half, elo + half] });
    Some(result)
}

/// The exhibit over results by the names of the two versions.
fn shown(pairs: &[[&str; 2]], show: &str, result: impl Fn(&str, &str) -> Option<Value>) -> Sheet {
    sheet(&manifest(pairs, show), true, |label, _| result(&label("agent"), &label("opponent")))
}

fn texts(sheet: &Sheet, row: &str) -> Vec<String> {
    let own = sheet.points.iter().filter(|point| point.row == row);
    own.filter_map(|point| point.text.clone()).collect()
}

const ROW: [[&str; 2]; 3] = [["v2", "v1"], ["v3", "v2"], ["v4", "v2"]];

/// A version that is accepted, one that is refused, and one that continues from before it.
fn row(agent: &str, _: &str) -> Option<Value> {
    match agent {
        "v2" => tested("accept-h1", 30.0, 19.6),
        "v3" => tested("accept-h0", -40.0, 39.2),
        _ => tested("undecided", 20.0, 58.8),
    }
}

#[test]
fn differences_add_up_along_a_branch() {
    let sheet = shown(&ROW, "", row);
    // Computed by hand: the arms of v2 and v3 are 19.6 and 39.2, those of v4 58.8; squares add, and so do variances.
    let error = |name: &str| point(&sheet, "elo", name, "Elo").error.unwrap().size;
    let (before, arms) = (error("v2"), 19.6_f64);
    for (name, elo, arm) in [("v3", -10.0, 39.2_f64), ("v4", 50.0, 58.8)] {
        let sum = point(&sheet, "sum of elo", name, "Sum since v1");
        assert!((sum.value.unwrap() - elo).abs() < 1e-9, "{name}: {sum:?}");
        let variance = before.powi(2) + error(name).powi(2);
        assert!((sum.error.unwrap().size.powi(2) - variance).abs() < 1e-6 * variance, "{name}: {sum:?}");
        let (interval, arm) = (sum.interval.unwrap(), (arms * arms + arm * arm).sqrt());
        assert!((interval.high - elo - arm).abs() < 1e-9 && (elo - interval.low - arm).abs() < 1e-9, "{sum:?}");
    }
    let first = point(&sheet, "sum of elo", "v1", "Sum since v1");
    assert_eq!((first.value, first.error, first.interval), (Some(0.0), None, None));
    assert_eq!(texts(&sheet, "v3"), ["v2", "refused (H0)", "100"]);
    assert_eq!(texts(&sheet, "v4"), ["v2", "undecided", "100"]);
    let table = sheet.table.as_ref().unwrap();
    assert_eq!(table.columns, ["Against", "Test", "Elo", "Games", "Sum since v1"]);
    assert_eq!(point(&sheet, "games", "v3", "Games").value, Some(100.0));
    for note in ["Accepted: v2.", "Refused: v3.", "Undecided, as the games ran out: v4."] {
        assert!(sheet.notes.iter().any(|known| known == note), "{:?}", sheet.notes);
    }
    // The test's own note would repeat the table.
    assert!(!sheet.notes.iter().any(|note| note.contains("sequential test of")), "{:?}", sheet.notes);
    let series = &sheet.chart.panels[0].series;
    let places = |at: usize| series[at].points.iter().map(|vertex| vertex.x).collect::<Vec<_>>();
    assert_eq!((places(1), places(2)), (vec![0.0, 1.0, 3.0], vec![2.0]), "the refused version is off the line");
    assert_eq!(series[2].mark, Mark::Diamond);
}

#[test]
fn arms_of_uneven_intervals_add_in_squares() {
    let uneven = |agent: &str, _: &str| {
        let (elo, low, high) = if agent == "v2" { (10.0, 7.0, 22.0) } else { (5.0, 1.0, 10.0) };
        let mut result = tested("accept-h1", elo, 0.0)?;
        result["sprt"]["interval"] = json!([low, high]);
        Some(result)
    };
    let sheet = shown(&ROW[..2], "", uneven);
    let interval = point(&sheet, "sum of elo", "v3", "Sum since v1").interval.unwrap();
    // 3-4-5 and 12-5-13 triangles.
    assert!((interval.low - 10.0).abs() < 1e-9 && (interval.high - 28.0).abs() < 1e-9, "{interval:?}");
}

#[test]
fn matches_without_a_test_have_the_error_of_their_pairs() {
    let sheet = shown(&ROW[..1], "", |_, _| fifty([20, 20, 10], 90));
    let found = point(&sheet, "elo", "v2", "Elo");
    // 10 pairs score 0, 20 score 1/2 and 20 score 1: mean 0.6, variance 0.14 (with 49 degrees of freedom 1/7); the
    // slope of Elo is 400 / ln 10 / (0.6 0.4).
    let elo = 400.0 * (0.6_f64 / 0.4).log10();
    let error = (1.0_f64 / 7.0 / 50.0).sqrt() * 400.0 / std::f64::consts::LN_10 / 0.24;
    assert!((found.value.unwrap() - elo).abs() < 1e-9, "{found:?}");
    assert!((found.error.unwrap().size / error - 1.0).abs() < 0.02, "{found:?} {error}");
    assert_eq!(texts(&sheet, "v2"), ["v1", "100"]);
    assert_eq!(sheet.table.as_ref().unwrap().columns, ["Against", "Elo", "Games", "Sum since v1"]);
}

#[test]
fn runs_of_a_match_without_a_test_are_one_match() {
    let swept = |seed: u64| if seed.is_multiple_of(2) { [30, 10, 10] } else { [50, 0, 0] };
    let text = manifest(&ROW[..1], "").replace("[stages.patches]\n", "[stages.patches]\nseeds = 2\n");
    let runs = sheet(&text, true, |_, seed| fifty(swept(seed), 90));
    let found = point(&runs, "elo", "v2", "Elo");
    // 80 pairs score 1, 10 score 1/2 and 10 score 0; a mean of the two differences would be far higher.
    assert!((found.value.unwrap() - 400.0 * (0.85_f64 / 0.15).log10()).abs() < 1e-9, "{found:?}");
    assert_eq!((found.n_games, found.n_runs), (200, 2));
    let tests = sheet(&text, true, |_, seed| tested("accept-h1", 20.0 + 10.0 * (seed % 2) as f64, 10.0));
    assert_eq!(point(&tests, "elo", "v2", "Elo").value, Some(25.0), "each test has its own estimate");
}

#[test]
fn a_test_that_decided_nothing_has_nearly_the_error_of_its_pairs() {
    // Hypotheses so close that 50 pairs are far from a decision.
    let far = |_: &str, _: &str| {
        let mut result = tested("undecided", 70.0, 80.0)?;
        result["sprt"]["test"]["elo1"] = json!(5.0);
        Some(result)
    };
    let tested = shown(&ROW[..1], "", far);
    let plain = shown(&ROW[..1], "", |_, _| fifty([20, 20, 10], 90));
    let [tested, plain] = [tested, plain].map(|sheet| point(&sheet, "elo", "v2", "Elo").error.unwrap().size);
    assert!((tested / plain - 1.0).abs() < 0.05, "{tested} {plain}");
}

/// Wilson's lower bound of 100 won games is 100 / (100 + 1.96²) = 0.963: 566 Elo.
#[test]
fn sweeps_have_a_bound_and_no_estimate() {
    let won = |_: &str, _: &str| fifty([50, 0, 0], 100);
    let sheet = shown(&ROW[..2], "", won);
    let first = point(&sheet, "elo", "v2", "Elo");
    assert_eq!((first.text.as_deref(), first.value, first.error, first.interval), (Some("> 566"), None, None, None));
    let sum = point(&sheet, "sum of elo", "v3", "Sum since v1");
    assert_eq!((sum.text.as_deref(), sum.value), (Some("open"), None));
    assert!(sheet.notes.iter().any(|note| note.contains("no sum follows from it")), "{:?}", sheet.notes);
    crate::write::render(&sheet).unwrap();
    let lost = shown(&ROW[..1], "", |_, _| fifty([0, 0, 50], 100));
    assert_eq!(point(&lost, "elo", "v2", "Elo").text.as_deref(), Some("< −566"));
    // One pair short of a sweep there is an estimate, but no standard error: one more error would be a sweep.
    let near = shown(&ROW[..1], "", |_, _| fifty([49, 1, 0], 100));
    let near = point(&near, "elo", "v2", "Elo");
    assert!(near.value.unwrap().is_finite() && near.error.is_none() && near.interval.is_some(), "{near:?}");
    // Shared pairs alone are equal players.
    let even = shown(&ROW[..2], "", |_, _| fifty([0, 50, 0], 10));
    let sum = point(&even, "sum of elo", "v3", "Sum since v1");
    let interval = sum.interval.unwrap();
    assert!(sum.value == Some(0.0) && sum.error.unwrap().size > 0.0 && interval.low < 0.0 && interval.high > 0.0);
}

/// As after a short sequential test, whose interval ends at 2400 Elo.
#[test]
fn a_sum_of_open_intervals_is_open() {
    let sheet = shown(&ROW[..2], "", |agent, _| match agent {
        "v2" => tested("accept-h1", 490.0, 2000.0),
        _ => tested("accept-h1", 20.0, 19.6),
    });
    assert_eq!(point(&sheet, "elo", "v2", "Elo").text.as_deref(), Some("490 [−1510, ∞]"));
    let sum = point(&sheet, "sum of elo", "v3", "Sum since v1");
    assert_eq!((sum.text.as_deref(), sum.value, sum.error), (Some("510 [−1490, ∞]"), Some(510.0), None));
}

#[test]
fn without_a_result_there_is_no_sum() {
    let sheet = shown(&ROW, "", |agent, other| row(agent, other).filter(|_| agent != "v2"));
    for name in ["v2", "v3", "v4"] {
        assert_eq!(point(&sheet, "sum of elo", name, "Sum since v1").value, None, "{name}");
    }
    assert_eq!(point(&sheet, "elo", "v3", "Elo").value, Some(-40.0));
    for note in ["The match of v2 against v1 has no result.", "v4 has no sum: a match on its branch is missing."] {
        assert!(sheet.notes.iter().any(|known| known == note), "{:?}", sheet.notes);
    }
    let broken = shown(&ROW[..1], "", |_, _| tested("accept-h1", f64::NAN, 1.0));
    assert_eq!(point(&broken, "elo", "v2", "Elo").value, None);
}

#[test]
fn the_list_gives_the_order_dates_and_commits() {
    let listed = |dates: [&str; 3]| {
        let entry = |(n, date): (usize, &str)| match date {
            "" => format!("{{ name = \"v{n}\" }}"),
            _ => format!("{{ name = \"v{n}\", date = \"{date}\", commit = \"c{n}\" }}"),
        };
        let entries: Vec<String> = (1..).zip(dates).map(entry).collect();
        shown(&ROW[..2], &format!(", versions = [{}]", entries.join(", ")), row)
    };
    let sheet = listed(["2026-01-01", "2026-01-11", "2026-02-01"]);
    assert_eq!(texts(&sheet, "v2"), ["2026-01-11", "c2", "v1", "accepted (H1)", "100"]);
    let x = |name: &str| point(&sheet, "sum of elo", name, "Sum since v1").x.unwrap();
    // 2026-01-01 is day 20454.
    assert_eq!((x("v1"), x("v2"), x("v3")), (20454.0, 20464.0, 20485.0));
    assert_eq!(sheet.chart.panels[0].x.scale, AxisScale::Dates);
    assert!(crate::plot::svg(&sheet).unwrap().contains("2026-01-"));
    let partly = listed(["2026-01-01", "", "2026-02-01"]);
    assert_eq!(point(&partly, "sum of elo", "v2", "Sum since v1").x, Some(2.0));
    assert!(matches!(partly.chart.panels[0].x.scale, AxisScale::Categories(_)));
    assert_eq!(texts(&partly, "v2"), ["v1", "accepted (H1)", "100"]);
}

#[test]
fn a_version_alone_has_a_row_and_no_picture() {
    let sheet = shown(&[], ", versions = [{ name = \"v1\", commit = \"c1\" }]", row);
    assert_eq!((texts(&sheet, "v1").join(" "), sheet.chart.panels.len()), ("c1 0".to_owned(), 0));
    let listed = shown(&ROW[..1], ", versions = [{ name = \"v1\" }, { name = \"v2\" }, { name = \"v5\" }]", row);
    let note = "v5 has no match against an earlier version.";
    assert!(listed.notes.iter().any(|known| known == note), "{:?}", listed.notes);
}

#[test]
fn other_matches_check_the_sum() {
    let pairs = [["v2", "v1"], ["v3", "v2"], ["v3", "v1"]];
    let sheet = shown(&pairs, "", |agent, opponent| match (agent, opponent) {
        ("v3", "v1") => tested("accept-h1", 35.0, 10.0),
        _ => tested("accept-h1", 20.0, 19.6),
    });
    assert_eq!(point(&sheet, "sum of elo", "v3", "Sum since v1").value, Some(40.0));
    let note = sheet.notes.iter().find(|note| note.contains("directly")).unwrap();
    assert!(note.starts_with("v3 against v1 directly: 35.0 Elo, 95 % interval 25.0 to 45.0;"), "{note}");
    let is_open = |sheet: &Sheet| sheet.notes.iter().any(|note| note.contains("is open on that side"));
    assert!(!is_open(&sheet) && is_open(&shown(&ROW[..1], "", |_, _| tested("accept-h1", 100.0, 2300.0))));
    // 19.6 times the root of two is 27.7.
    assert!(note.ends_with("; by the sums, 40.0 Elo, 95 % interval 12.3 to 67.7."), "{note}");
}

#[test]
fn games_that_repeat_in_a_sequential_test_are_told() {
    let text = manifest(&ROW[..1], "");
    let means = text
        .replace("show.versions = { stage = \"patches\" }", "show.means = { stage = \"patches\", rows = [\"agent\"] }");
    let sheet = sheet(&means, true, |_, _| tested("accept-h1", 30.0, 20.0));
    let repeats =
        "1 sequential test counted 10 games that repeat others. From deterministic players these are no new evidence.";
    assert!(sheet.notes.iter().any(|known| known == repeats), "{:?}", sheet.notes);
}
