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
    result["sprt"] = json!({ "decision": decision, "elo": elo, "interval": [elo - half, elo + half] });
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
    // Computed by hand: intervals of 19.6, 39.2 and 58.8 Elo to each side are 1.96 standard errors of 10, 20 and 30.
    // The variances of v2 and v3 add up to 500, those of v2 and v4 to 1000.
    for (name, elo, error) in [("v2", 30.0, 10.0), ("v3", -10.0, 500_f64.sqrt()), ("v4", 50.0, 1000_f64.sqrt())] {
        let sum = point(&sheet, "sum of elo", name, "Sum since v1");
        assert!((sum.value.unwrap() - elo).abs() < 1e-9, "{name}: {sum:?}");
        assert!((sum.error.unwrap().size - error).abs() < 1e-3, "{name}: {sum:?}");
        let interval = sum.interval.unwrap();
        assert!((interval.high - elo - 1.96 * error).abs() < 1e-9 && (elo - interval.low - 1.96 * error).abs() < 1e-9);
    }
    let first = point(&sheet, "sum of elo", "v1", "Sum since v1");
    assert_eq!((first.value, first.error, first.interval), (Some(0.0), None, None));
    assert_eq!(texts(&sheet, "v3"), ["v2", "refused (H0)"]);
    assert_eq!(texts(&sheet, "v4"), ["v2", "undecided"]);
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
    assert_eq!(texts(&sheet, "v2"), ["v1"]);
    assert_eq!(sheet.table.as_ref().unwrap().columns, ["Against", "Elo", "Games", "Sum since v1"]);
}

#[test]
fn sweeps_are_finite() {
    for [won, split, lost] in [[50, 0, 0], [0, 0, 50], [0, 50, 0]] {
        let sheet = shown(&ROW[..2], "", |_, _| fifty([won, split, lost], 10));
        let sum = point(&sheet, "sum of elo", "v3", "Sum since v1");
        let (value, error, interval) = (sum.value.unwrap(), sum.error.unwrap().size, sum.interval.unwrap());
        assert!(value.is_finite() && error.is_finite() && error > 0.0, "{sum:?}");
        assert!(
            interval.low <= value && value <= interval.high && interval.low.is_finite() && interval.high.is_finite()
        );
        assert_eq!(value.partial_cmp(&0.0), won.partial_cmp(&lost));
    }
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
    assert_eq!(texts(&sheet, "v2"), ["2026-01-11", "c2", "v1", "accepted (H1)"]);
    let x = |name: &str| point(&sheet, "sum of elo", name, "Sum since v1").x.unwrap();
    // 2026-01-01 is day 20454.
    assert_eq!((x("v1"), x("v2"), x("v3")), (20454.0, 20464.0, 20485.0));
    assert_eq!(sheet.chart.panels[0].x.scale, AxisScale::Dates);
    assert!(crate::reports::plot::svg(&sheet).unwrap().contains("2026-01-"));
    let partly = listed(["2026-01-01", "", "2026-02-01"]);
    assert_eq!(point(&partly, "sum of elo", "v2", "Sum since v1").x, Some(2.0));
    assert!(matches!(partly.chart.panels[0].x.scale, AxisScale::Categories(_)));
    assert_eq!(texts(&partly, "v2"), ["v1", "accepted (H1)"]);
}

#[test]
fn a_version_alone_has_a_row_and_no_picture() {
    let sheet = shown(&[], ", versions = [{ name = \"v1\", commit = \"c1\" }]", row);
    assert_eq!((texts(&sheet, "v1"), sheet.chart.panels.len()), (vec!["c1".to_owned()], 0));
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
    // 19.6 times the root of two.
    assert!(note.ends_with("between them is 40.0 Elo, 12.3 to 67.7."), "{note}");
}
