//! Correlations, and the texts for numbers that were not measured, or not at the paper's scale.

use super::*;

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
            (_, 2) => fitness(x - 0.15),
            _ => fitness(x + 0.1),
        }
    });
    let correlation = point(&table, "correlation", "5x5 vs. 7x7", "Atari-Go / Correlation");
    // x = .1 .2 .3 .4 .5 against y = .1 .05 .4 .5 .6: Sxy = .145, Sxx = .1, Syy = .238.
    assert!((correlation.value.unwrap() - 0.145 / (0.1f64 * 0.238).sqrt()).abs() < 1e-12);
    assert_eq!((correlation.n_runs, correlation.n_requested, correlation.n_games), (5, 6, 80));
    assert_eq!(correlation.verdict, Some(Agreement::Agrees));
    let share = point(&table, "p", "5x5 vs. 7x7", "Atari-Go / p");
    assert_eq!(share.value, Some(0.6));
    assert!((share.error.unwrap().size - (0.6f64 * 0.4 / 5.0).sqrt()).abs() < 1e-12);
    assert_eq!(point(&table, "ties", "5x5 vs. 7x7", "Atari-Go / ties").value, Some(0.2));
    assert!(table.notes.iter().any(|note| note.contains("1 of 12 jobs")), "{:?}", table.notes);
}

/// A result at its limit for all runs but a few: the bootstrap would give a correlation a far too small error.
#[test]
fn a_correlation_that_few_runs_decide_has_no_error_and_no_verdict() {
    let manifest = CORRELATIONS.replace("seeds = 6", "seeds = 100");
    for (others, is_judged) in [(1, false), (4, false), (7, true)] {
        let table = sheet(&manifest, true, |label, seed| {
            let is_other = seed <= others;
            fitness(if label("game.size") == "5" { seed as f64 / 100.0 } else { f64::from(u8::from(!is_other)) })
        });
        let correlation = point(&table, "correlation", "5x5 vs. 7x7", "Atari-Go / Correlation");
        assert!(correlation.value.is_some() && correlation.published.is_some());
        assert_eq!((correlation.error.is_some(), correlation.verdict.is_some()), (is_judged, is_judged), "{others}");
        assert_eq!(correlation.interval.is_some(), is_judged);
        let note = table.notes.iter().any(|note| note.contains("5x5 vs. 7x7, Atari-Go / Correlation. There, fewer"));
        assert_eq!(note, !is_judged, "{:?}", table.notes);
    }
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
    assert!((value - gauntlet_ratings::correlation::pearson(&expected.0, &expected.1).unwrap()).abs() < 1e-12);
    assert!(caption.contains("a draw counts -1"), "{caption}");
    assert!(!correlation("half").1.contains("a draw counts"));
}

#[test]
fn games_are_halved_by_pairs_where_they_come_in_pairs() {
    let reliability = |job: &str, meetings: Value| {
        let table = sheet(&CORRELATIONS.replace("measure.fitness", job), true, |_, seed| {
            // The first player of the second game of a pair wins it: half the games carry no information.
            let won = seed as usize;
            let scores = format!("{}{}", "WW".repeat(won), "LW".repeat(6 - won));
            Some(json!({ "mean": seed as f64 / 6.0, "scores": scores, "games": 12, "meetings": meetings }))
        });
        let point = |metric| point(&table, metric, "5x5 vs. 7x7", "Atari-Go").value;
        [point("reliability of the first"), point("reliability of the second")]
    };
    // Of the even pairs 1, 1, 2, 2, 3, 3 are won twice, of the odd ones 0, 1, 1, 2, 2, 3.
    let r = gauntlet_ratings::correlation::pearson(&[1., 1., 2., 2., 3., 3.], &[0., 1., 1., 2., 2., 3.]).unwrap();
    for found in reliability("play.match", json!([{ "pairs": [[0, 0, 0], [0, 0, 0], [0, 0, 0]] }])) {
        assert!((found.unwrap() - 2.0 * r / (1.0 + r)).abs() < 1e-12);
    }
    assert_eq!(reliability("measure.fitness", json!([])), [None, None], "the odd games are all won");
}

#[test]
fn nothing_is_judged_at_another_scale() {
    let table = sheet(CORRELATIONS, false, |_, seed| fitness(seed as f64 / 10.0));
    let correlation = point(&table, "correlation", "5x5 vs. 7x7", "Atari-Go / Correlation");
    assert_eq!(correlation.verdict, Some(Agreement::NotComparable));
    assert!(table.caption.contains("not comparable with Table 1"), "{}", table.caption);
}

#[test]
fn nothing_is_said_to_be_measured_where_nothing_is() {
    let table = sheet(CORRELATIONS, true, |_, _| None);
    assert!(table.caption.contains("Nothing has been measured yet."), "{}", table.caption);
    assert!(!table.caption.contains("paper's scale"), "{}", table.caption);
    let correlation = point(&table, "correlation", "5x5 vs. 7x7", "Atari-Go / Correlation");
    assert!(correlation.published.is_some() && !correlation.is_apart(), "it was asked for");
}

#[test]
fn what_any_stage_of_a_table_holds_has_been_measured() {
    let resignations = json!({ "rule": { "below": -0.9 }, "resigned": 3, "played_out": 0, "would_be": 0, "wrong": 0 });
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
    let source = BTreeMap::from([("m.toml".to_owned(), format!("{COMMON}{CORRELATIONS}[profile.code]\n"))]);
    let overrides = Overrides { profile: Some("code".to_owned()), ..Overrides::default() };
    let plan = load(&source, "m.toml", &overrides).and_then(|loaded| Plan::new(loaded, "cpu")).unwrap();
    let facts = facts(&plan, vec![fitness(0.5); plan.jobs.len()]);
    let scope = ExhibitScope { exhibit: &plan.written.exhibits[0], facts: &facts, comparable: false };
    let caption = render(&scope).caption;
    assert!(caption.ends_with("with the settings of profile code, not the paper's: not comparable with Table 1."));
}
