//! Published numbers beside ours: marks, columns of their own, plain numbers.

use super::*;

#[test]
fn runs_that_are_more_alike_than_their_games_get_a_dagger() {
    let table = sheet(CLAIMS, true, |_, seed| fifty([25 + seed % 2, 10, 15 - seed % 2], 100));
    let alike = point(&table, "average outcome", "new", "5 / Average outcome");
    // Four runs of 50 pairs: 102 pairs won, 40 split, 58 lost.
    let error = ((102.0 * 0.39_f64.powi(2) + 40.0 * 0.11_f64.powi(2) + 58.0 * 0.61_f64.powi(2)) / 199.0 / 200.0).sqrt();
    assert!((alike.floor.unwrap() - error).abs() < 1e-12 && alike.is_below_floor(), "{alike:?}");
    assert!(
        table.notes.iter().any(|note| note.contains("new, board size 5 / Average outcome: 0.031")),
        "{:?}",
        table.notes
    );
    assert!(crate::markdown::render(&table, "x.svg").contains("| 0.610 ± 0.006 †"));
    let spread = sheet(CLAIMS, true, |_, seed| fifty([5 + 10 * seed, 10, 35 - 10 * seed.min(3)], 100));
    assert!(spread.points.iter().all(|point| !point.is_below_floor()));
}

/// Twice the error over runs, 0.006, is less than the difference of 0.06; twice that over the games, 0.031, is more.
#[test]
fn a_verdict_takes_the_larger_error() {
    let manifest = CLAIMS.replace("\"mean\", \"second\", \"distinct\", \"length\"", "\"mean\"");
    for (number, verdict) in [("0.67", Agreement::Agrees), ("0.68", Agreement::Differs)] {
        let manifest = manifest.replace("[0.9]", &format!("[{number}]")).replace("[0.4]", "[0.001]");
        let table = sheet(&manifest, true, |_, seed| fifty([25 + seed % 2, 10, 15 - seed % 2], 100));
        let judged = point(&table, "average outcome", "new", "7");
        assert!(judged.is_below_floor() && judged.error.unwrap().size < 0.01, "{judged:?}");
        assert_eq!(judged.verdict, Some(verdict), "{number}");
        let seen = "It could see a difference of 0.061 or more";
        assert!(table.notes.iter().any(|note| note.contains(seen)), "{:?}", table.notes);
    }
}

#[test]
fn published_columns_that_were_not_measured_stand_apart() {
    let table = sheet(
        &CLAIMS.replace("columns = [\"7\"]", "columns = [\"19\"]").replace("{ \"7\" = \"No", "{ \"19\" = \"No"),
        false,
        |_, seed| played(0.5, seed),
    );
    let Table { columns, rows, .. } = table.table.as_ref().unwrap();
    assert_eq!((columns.len(), columns[8].as_str()), (9, "paper: 19"));
    // The paper has no number for the other row.
    assert_eq!((rows[0].0.as_str(), rows[0].1[8]), ("old", None));
    let printed = &table.points[rows[1].1[8].unwrap()];
    let published = printed.published.unwrap();
    assert_eq!((printed.row.as_str(), printed.column.as_str(), printed.value), ("new", "19", None));
    assert_eq!((published.value, published.error.unwrap().size, published.is_doubted), (0.9, 0.4, true));
    assert!(printed.is_apart() && printed.verdict == Some(Agreement::NotComparable));
    assert!(table.notes.iter().any(|note| note == "† new, 19: No five shares spread so far."), "{:?}", table.notes);
    let [measured, apart] = &table.chart.panels[..2] else { panic!("{:?}", table.chart.panels) };
    assert_eq!(
        [measured, apart].map(|panel| panel.title.as_str()),
        ["Average outcome", "published, not measured here"]
    );
    // Their own axes: other boards are not comparable.
    assert!(apart.x.scale == AxisScale::Categories(vec!["new".to_owned()]) && measured.y != apart.y);
    let drawn = apart.series.last().unwrap();
    assert_eq!((drawn.name.as_str(), drawn.points.len(), drawn.points[0].x), ("19, paper", 1, 0.0));
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
    assert_eq!(verdicts, [Some(Agreement::Agrees), Some(Agreement::Differs)]);
    let [panel] = table.chart.panels.as_slice() else { panic!("a panel a number: {:?}", table.chart.panels) };
    let drawn: Vec<f64> = panel.series.iter().flat_map(|series| series.points.iter().map(|vertex| vertex.y)).collect();
    // The last is the sign above the numbers that differ.
    assert_eq!((panel.title.as_str(), drawn), ("points", vec![25.0, 49.0, 25.0, 50.0, 50.0]));
    assert_eq!(panel.series.last().map(|series| series.mark), Some(Mark::Unequal));
}

/// A printed number without an error holds what it was rounded from; zeros at the end of one are known from the others.
#[test]
fn printed_decimals_hold_their_rounding() {
    let verdict = |printed: &str, measured: f64| {
        let text = NUMBERS.replace("[25, 50]", printed).replace("number = \"sites\"", "number = \"log-states\"");
        let table = sheet(&text, true, |_, _| Some(json!({ "sites": 0, "log-states": measured })));
        point(&table, "number", "points", "5").verdict.expect("counted numbers are judged")
    };
    let (agrees, differs) = (Agreement::Agrees, Agreement::Differs);
    for (printed, measured, wanted) in [
        ("[172.2, 1.0]", 172.240_77, agrees),
        ("[172.2, 1.0]", 172.25, agrees),
        ("[172.2, 1.0]", 172.15, agrees),
        ("[172.2, 1.0]", 172.251, differs),
        ("[172.2, 1.0]", 172.149, differs),
        ("[172.2, 1.25]", 172.24, differs),
        ("[2.0, 1.25]", 2.004, agrees),
        ("[25, 50]", 25.4, differs),
        ("[25.0, 50.0]", 25.4, differs),
    ] {
        assert_eq!(verdict(printed, measured), wanted, "{printed}: {measured}");
    }
}

/// Places in rows merge lines of one name, so that there are fewer rows than lines.
#[test]
fn given_numbers_may_have_the_name_of_the_counted_ones() {
    let beside = "label = \"points\", beside = { label = \"points\", of = { 5 = 20.0 } }";
    let in_rows = NUMBERS.replace("columns = [\"game.size\"], numbers", "rows = [\"game.size\"], numbers").replacen(
        "label = \"points\"",
        beside,
        1,
    );
    let table = sheet(&in_rows, true, |_, _| Some(json!({ "sites": 25 })));
    let [panel] = table.chart.panels.as_slice() else { panic!("a panel a row: {:?}", table.chart.panels) };
    assert_eq!((panel.title.as_str(), table.points.len()), ("points", 4));
}

#[test]
fn a_number_that_no_result_has_is_named() {
    let notes = |manifest: &str| sheet(manifest, true, |_, _| Some(json!({ "sites": 25 }))).notes;
    let wrong = NUMBERS.replace("number = \"sites\"", "number = \"points\"");
    let wanted = "No result has `points`: `gauntlet explain result.json` lists the numbers of each kind of job.";
    assert!(
        notes(&wrong).contains(&wanted.to_owned()) && !notes(NUMBERS).iter().any(|note| note.contains("No result"))
    );
    let unfinished = sheet(&wrong, true, |_, _| None).notes;
    assert!(!unfinished.iter().any(|note| note.contains("No result has")), "{unfinished:?}");
}

#[test]
fn an_exhibit_may_show_something_else_than_the_paper() {
    let apart = NUMBERS.replace("[[exhibit]]", "[[exhibit]]\npublished = false");
    let table = sheet(&apart, true, |_, _| Some(json!({ "sites": 25 })));
    assert!(
        table.points.iter().all(|point| point.published.is_none() && point.verdict.is_none()),
        "{:?}",
        table.points
    );
}

#[test]
fn numbers_per_second_stand_beside_those_of_others() {
    let per_second = NUMBERS.replace(
        "label = \"points\" }]",
        "label = \"points\", per = \"second\", beside = { label = \"theirs\", of = { 5 = 3 } } }]",
    );
    let plan = plan(&per_second);
    let own = facts(&plan, vec![Some(json!({ "sites": 25 })); 2]).with_seconds(BTreeMap::from([(0, 2.5)]));
    let table = render(&ExhibitScope { exhibit: &plan.written.exhibits[0], facts: &own, comparable: true });
    let [ours, untimed] = ["5", "7"].map(|size| point(&table, "number", "points", size));
    assert_eq!((ours.value, ours.verdict, untimed.value), (Some(10.0), None, None));
    assert!(table.notes.iter().any(|note| note.starts_with("1 of 2 jobs were interrupted")), "{:?}", table.notes);
    let slow = facts(&plan, vec![Some(json!({ "sites": 25 })); 2]).with_seconds(BTreeMap::from([(0, 80.0)]));
    let slow = render(&ExhibitScope { exhibit: &plan.written.exhibits[0], facts: &slow, comparable: true });
    assert_eq!(point(&slow, "number", "points", "5").text.as_deref(), Some("0.31"));
    assert_eq!(point(&table, "number", "theirs", "5").value, Some(3.0));
    let [panel] = table.chart.panels.as_slice() else { panic!("a panel a number: {:?}", table.chart.panels) };
    let names: Vec<&str> = panel.series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(names, ["measured", "published", "theirs"]);
    assert!(table.caption.contains("no two runs agree"), "{}", table.caption);
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
    assert_eq!(verdicts, [Some(Agreement::Agrees), Some(Agreement::Differs)]);
    let written = table.table.as_ref().unwrap();
    let rows: Vec<&str> = written.rows.iter().map(|(row, _)| row.as_str()).collect();
    assert_eq!((written.columns.as_slice(), rows), (&["points".to_owned()][..], vec!["5", "7"]));
    let [panel] = table.chart.panels.as_slice() else { panic!("a panel a number: {:?}", table.chart.panels) };
    assert_eq!((panel.title.as_str(), panel.series.len()), ("points", 3));
}
