//! Claims of equivalence.

use super::*;

/// A match of players that are the same in every run.
const PLAYERS: &str = r#"
[stages.match]
seeds = 2
sweep = { "game.size" = [5, 7] }
play.match = { game = "atari-go", agent = "random", opponent = "naive", games = 8 }
[[exhibit]]
show.means = { stage = "match", rows = ["game.size"] }
[[exhibit.success]]
claim = "As strong"
of = { agent = "random" }
equivalent.margin = 15
each = ["game.size"]
"#;

/// The result of a match with these pairs, by points.
fn pairs([zero, half, one, more, two]: [u64; 5]) -> Option<Value> {
    let games = 2 * (zero + half + one + more + two);
    let mean = (2 * two + more) as f64 - (2 * zero + half) as f64;
    let pairs = [[zero, half, one], [0, 0, more], [0, 0, two]];
    Some(json!({ "mean": mean / games as f64, "games": games, "distinct": games, "meetings": [{ "pairs": pairs }] }))
}

fn sentences(manifest: &str, result: impl Fn(&str, u64) -> Option<Value>) -> Vec<(String, bool)> {
    let sheet = sheet(manifest, true, |label, seed| result(&label("game.size"), seed));
    sheet.criteria.iter().map(|criterion| (criterion.sentence(), criterion.met)).collect()
}

#[test]
fn all_pairs_of_all_runs_decide_claims_on_players_without_training() {
    let reported = sentences(PLAYERS, |size, seed| match (size, seed) {
        ("5", 1) => pairs([100, 300, 700, 310, 90]),
        ("5", _) => pairs([90, 310, 700, 300, 100]),
        (_, 1) => pairs([10, 20, 40, 30, 50]),
        (_, _) => None,
    });
    let needed = "Equal players need 2,298 pairs for a power of 80 %.";
    // 1.645 standard errors of 347.4 / sqrt(6000).
    let even = "As strong (board size 5): met. Equivalent within 15 normalized Elo: difference 0.0 [−7.4, 7.4], the 90 % interval \
                over games, 3,000 pairs, n = 2.";
    assert_eq!(reported[0], (format!("{even} {needed}"), true));
    let (apart, met) = &reported[1];
    assert!(
        apart.starts_with(
            "As strong (board size 7): not met. Not equivalent within 15 normalized Elo: difference 117.1 ["
        ),
        "{apart}"
    );
    assert!(apart.ends_with(&format!("150 pairs, n = 1/2. {needed}")) && !met, "{apart}");
}

#[test]
fn few_pairs_leave_it_undecided() {
    let reported = sentences(PLAYERS, |_, _| pairs([10, 30, 70, 31, 9]));
    let (few, met) = &reported[0];
    assert!(
        few.starts_with("As strong (board size 5): undecided. Equivalence within 15 normalized Elo is undecided: "),
        "{few}"
    );
    assert!(few.contains("300 pairs, n = 2.") && !met, "{few}");
    let sheet = sheet(PLAYERS, true, |_, _| pairs([10, 30, 70, 31, 9]));
    let csv = String::from_utf8(crate::csv::render(&sheet).unwrap()).unwrap();
    assert_eq!(csv.lines().filter(|line| line.contains(",normalized Elo,") && line.contains(",undecided,")).count(), 2);
}

#[test]
fn nothing_measured_decides_nothing() {
    for (sentence, met) in sentences(PLAYERS, |_, _| None) {
        assert!(sentence.ends_with("not measured. Nothing was measured, n = 0/2.") && !met, "{sentence}");
    }
}

#[test]
fn draws_alone_are_evidence_and_wins_alone_are_a_difference() {
    let logistic = PLAYERS.replace("equivalent.margin = 15", "equivalent = { margin = 15, scale = \"logistic\" }");
    for (manifest, few, many) in [(logistic.as_str(), 20, 40), (PLAYERS, 500, 550)] {
        let decided = |counts| sentences(manifest, |_, _| pairs(counts)).remove(0).0;
        assert!(decided([0, 0, few, 0, 0]).contains(": undecided. "), "{}", decided([0, 0, few, 0, 0]));
        assert!(decided([0, 0, many, 0, 0]).contains(": met. "), "{}", decided([0, 0, many, 0, 0]));
        for sweep in [[0, 0, 0, 0, 50], [50, 0, 0, 0, 0]] {
            let reported = decided(sweep);
            assert!(
                reported.contains(": not met. ") && !reported.contains('∞') && !reported.contains("NaN"),
                "{reported}"
            );
        }
    }
    assert!(sentences(&logistic, |_, _| pairs([0, 0, 40, 0, 0]))[0].0.contains("within 15 Elo: difference 0.0 ["));
}

/// Of single games the unit is the game.
#[test]
fn games_without_pairs_count_singly() {
    let fitness = PLAYERS.replace("play.match", "measure.fitness");
    let scores = "W".repeat(100) + &"L".repeat(100);
    let reported = sentences(&fitness, |_, _| Some(json!({ "mean": 0.0, "scores": scores })));
    assert!(reported[0].0.contains("over games, 400 games, n = 2. Equal players need 4,595 games"), "{reported:?}");
}

/// If weights are drawn or trained, runs are the unit: Student's t over their mean scores, by the larger error.
#[test]
fn trained_players_are_judged_over_runs() {
    let drawn = "[agents.drawn.net]\nnetwork.mdlstm = { cells = 2 }\n";
    let manifest = drawn.to_owned() + &PLAYERS.replace("\"naive\"", "\"drawn\"").replace("seeds = 2", "seeds = 3");
    // Scores 0.498, 0.500, 0.502, then 300 more pairs on one side. The games of the first have an error of
    // sqrt(0.125 / 1500), that is 6.3 Elo, and t(2) is 2.920.
    let even = [pairs([126, 0, 250, 0, 124]), pairs([125, 0, 250, 0, 125]), pairs([124, 0, 250, 0, 126])];
    let uneven = [pairs([425, 0, 250, 0, 125]), pairs([125, 0, 250, 0, 125]), pairs([125, 0, 250, 0, 425])];
    let reported =
        sentences(&manifest, |size, seed| if size == "5" { &even } else { &uneven }[seed as usize - 1].clone());
    let decided = "the 90 % interval over games, 1,500 pairs, n = 3. † The error over games, 6.3, decides: that over runs, \
                   0.8, is smaller. The runs alone would give another verdict.";
    assert!(
        reported[0].0.starts_with("As strong (board size 5): undecided.") && reported[0].0.ends_with(decided),
        "{reported:?}"
    );
    let many = |won: u64| pairs([2500 - won, 0, 2500, 0, won]);
    let told_of_many = sentences(&manifest, |_, seed| many([1240, 1250, 1260][seed as usize - 1]));
    let (sentence, met) = &told_of_many[0];
    assert!(*met && sentence.contains('†') && !sentence.contains("another verdict"), "{told_of_many:?}");
    assert!(
        reported[1].0.contains("(board size 7): undecided.") && reported[1].0.contains("the 90 % interval over runs"),
        "{reported:?}"
    );
    let single = manifest.replace("seeds = 3", "seeds = 1");
    let reported = sentences(&single, |_, _| even[1].clone());
    assert!(
        reported[0].0.contains("undecided: difference 0.0, without an interval, 500 pairs, n = 1."),
        "{reported:?}"
    );
    // Runs without spread have the bound of their games.
    let reported = sentences(&manifest, |_, _| even[1].clone());
    assert!(reported[0].0.contains("undecided: difference 0.0 [−"), "{reported:?}");
}
