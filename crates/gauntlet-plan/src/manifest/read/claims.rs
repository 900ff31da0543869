//! Checks of success criteria by themselves: each has one kind of claim, and only the settings of that kind.

use super::exhibit::Exhibit;
use crate::manifest::text::source::Problem;
use crate::manifest::text::tree::{Node, Table, Value};
use gauntlet_exhibits::Over;

/// Checks the criteria of an exhibit.
pub(in crate::manifest) fn check_claims(exhibit: &Exhibit, node: &Node, problems: &mut Vec<Problem>) {
    let Some(Value::List(claims)) = node.table().and_then(|table| table.lookup("success")) else { return };
    for (success, claim) in exhibit.success.iter().zip(claims) {
        let Some(table) = claim.table() else { continue };
        let problem = match (&success.over, &success.equivalent) {
            (None, None) => {
                let problem = Problem::at(claim.span.clone(), "a claim needs `over` or `equivalent`").echo();
                Some(problem.hint("`over.number = 0.5`, `over.runs = { variant = \"old\" }`, `equivalent.margin = 15`"))
            }
            (Some(_), Some(_)) => stray(table, "over", "make two claims of it, one with `over`"),
            (None, Some(_)) => stray(table, "interval", "set `equivalent.level`: the interval covers 1 - 2 level")
                .or_else(|| stray(table, "paired", "remove it: its games are between the two players")),
            (Some(Over::Number(_)), None) => {
                stray(table, "paired", "remove it: only `over.runs` compares two sets of runs")
            }
            (Some(Over::Runs(_)), None) => None,
        };
        problems.extend(problem);
    }
}

/// The problem that a claim has a key that is none of its kind, if it has it.
fn stray(claim: &Table, key: &str, hint: &str) -> Option<Problem> {
    let entry = claim.entry(key)?;
    let kind = if claim.entry("equivalent").is_some() { "equivalent" } else { "over.number" };
    let message = format!("a claim with `{kind}` has no `{key}`");
    Some(Problem::at(entry.key_span.clone(), message).hint(hint))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::manifest::{Overrides, Plan, load};

    const MANIFEST: &str = "schema = 1
name = \"a/b\"
title = \"t\"
games.go.atari-go = { size = 5 }
agents.naive.naive = {}
agents.random.random = {}
[stages.test]
play.match = { game = \"go\", agent = \"random\", opponent = \"naive\", games = 8 }
[[exhibit]]
show.means = { stage = \"test\", rows = [\"agent\"] }
[[exhibit.success]]
claim = \"as strong\"
of = { agent = \"random\" }
";

    /// The problems of a claim with these lines: the line, the message and the hint.
    fn problems(claim: &str) -> Vec<(usize, String, String)> {
        let source = BTreeMap::from([("m.toml".to_owned(), format!("{MANIFEST}{claim}"))]);
        let Err(problems) = load(&source, "m.toml", &Overrides::default()).and_then(|loaded| Plan::new(loaded, "cpu"))
        else {
            return vec![];
        };
        let reported = problems.list().iter().map(|problem| {
            let line = problems.locate(problem).map_or(0, |(_, line)| line);
            (line, problem.message.clone(), problem.hint.clone().unwrap_or_default())
        });
        reported.collect()
    }

    #[test]
    fn a_claim_on_a_mean_stands_where_a_mean_is_shown_and_games_are_fixed() {
        let problems = |from: &str, to: &str| {
            let source = BTreeMap::from([("m.toml".to_owned(), MANIFEST.replace(from, to) + "over.number = 0.5\n")]);
            let planned = load(&source, "m.toml", &Overrides::default()).and_then(|loaded| Plan::new(loaded, "cpu"));
            planned
                .map_or_else(|found| found.list().iter().map(|problem| problem.message.clone()).collect(), |_| vec![])
        };
        let means = "show.means = { stage = \"test\", rows = [\"agent\"] }";
        assert_eq!(
            problems(means, "show.ratings = { stage = \"test\" }"),
            ["a claim with `over` judges means, and this exhibit shows none"]
        );
        assert_eq!(
            problems("games = 8", "games = 8, sprt = { elo0 = 0.0, elo1 = 20.0 }"),
            ["the matches of stage `test` end by their results, which biases a claim on their mean"]
        );
        assert_eq!(
            problems(means, "show.search = { stage = \"test\", settings = [\"agent\"], value = \"length\" }"),
            [""; 0]
        );
    }

    #[test]
    fn a_claim_is_of_one_kind() {
        for sound in [
            "over.number = 0.5",
            "over.number = 0.5\ninterval = 0.9",
            "equivalent.margin = 15",
            "equivalent = { margin = 0.1, level = 0.001, scale = \"logistic\" }",
            "equivalent = { margin = 200, level = 0.1, scale = \"normalized\" }",
        ] {
            assert_eq!(problems(sound), [], "{sound}");
        }
        let found = problems("each = []");
        assert!(found.len() == 1 && found[0].1 == "a claim needs `over` or `equivalent`", "{found:?}");
        assert!(found[0].0 >= 11 && found[0].2.contains("`equivalent.margin = 15`"), "{found:?}");
        for (stray, key, hint) in [
            ("equivalent.margin = 15\nover.number = 0.5", "over", "make two claims of it, one with `over`"),
            (
                "equivalent.margin = 15\ninterval = 0.9",
                "interval",
                "set `equivalent.level`: the interval covers 1 - 2 level",
            ),
            ("equivalent.margin = 15\npaired = true", "paired", "remove it: its games are between the two players"),
            ("over.number = 0.5\npaired = true", "paired", "remove it: only `over.runs` compares two sets of runs"),
        ] {
            let kind = if stray.starts_with("over.number = 0.5\np") { "over.number" } else { "equivalent" };
            let message = format!("a claim with `{kind}` has no `{key}`");
            assert_eq!(problems(stray), [(15, message, hint.to_owned())], "{stray}");
        }
    }

    #[test]
    fn margins_and_levels_have_bounds() {
        for (setting, message) in [
            ("margin = 0", "a margin of 0 Elo is outside 0.1 to 200"),
            ("margin = -15", "a margin of -15 Elo is outside 0.1 to 200"),
            ("margin = 0.09", "a margin of 0.09 Elo is outside 0.1 to 200"),
            ("margin = 201", "a margin of 201 Elo is outside 0.1 to 200"),
            ("margin = 15, level = 0.5", "a level of 0.5 is outside 0.001 to 0.1"),
            ("margin = 15, level = 0", "a level of 0 is outside 0.001 to 0.1"),
            ("level = 0.05", "missing key `margin`"),
            ("margin = 15, scale = \"elo\"", "unknown choice `elo`"),
            ("margin = 15, elo = 3", "unknown key `elo`"),
        ] {
            let found = problems(&format!("equivalent = {{ {setting} }}"));
            assert!(found.len() == 1 && found[0].0 == 14 && found[0].1 == message, "{setting}: {found:?}");
        }
    }
}
