//! A suite run as Markdown, the worst match first, small enough for a CI's summary page.

use gauntlet_plan::regression::{Baseline, ChangeEstimate, Match, Method, SuiteRun, Verdict};
use gauntlet_report::markdown::escape;

/// GitHub shows no summary of a step above 1 MiB.
pub const LARGEST: usize = 1 << 20;

/// The text of a suite run, in at most `room` bytes: if there are too many matches, the mildest are omitted.
#[must_use]
pub fn render(suite_run: &SuiteRun, baseline: Option<&Baseline>, room: usize) -> String {
    let mut text = head(suite_run, baseline);
    let table = "| Match | Ruling | Change of score | Pairs | Candidate | Against | How |\n\
                 | :-- | :-- | --: | --: | :-- | :-- | :-- |\n";
    let end = format!("\n{} more matches are in the JSON file.\n", suite_run.matches.len());
    if text.len() + table.len() + end.len() > room {
        return String::new();
    }
    text += table;
    for (at, found) in suite_run.matches.iter().enumerate() {
        let row = row(found);
        if text.len() + row.len() + end.len() > room {
            return text + &format!("\n{} more matches are in the JSON file.\n", suite_run.matches.len() - at);
        }
        text += &row;
    }
    for details in suite_run.matches.iter().filter_map(details) {
        if text.len() + details.len() <= room {
            text += &details;
        }
    }
    text
}

/// The whole reason of a match, if it has several lines, as an engine's last words have.
fn details(found: &Match) -> Option<String> {
    let lines: Vec<&str> = found.reason.lines().collect();
    let indented: String = lines.iter().map(|line| format!("    {line}\n")).collect();
    (lines.len() > 1).then(|| format!("\n{}:\n\n{indented}", escape(&found.name)))
}

fn head(suite_run: &SuiteRun, baseline: Option<&Baseline>) -> String {
    let counts = Verdict::ALL.map(|verdict| (suite_run.count(verdict), verdict));
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, verdict)| format!("{count} {}", verdict.word())).collect();
    let against = match baseline.and_then(|baseline| baseline.changes.last()) {
        Some(change) => {
            format!("The baseline is commit {} ({}, {}).", short(&change.commit), escape(&change.why), change.when)
        }
        None => "There is no baseline.".to_owned(),
    };
    let changed = if suite_run.changed { " with uncommitted changes" } else { "" };
    let (promise, foreign) =
        (&suite_run.promise, foreign(suite_run).map_or(String::new(), |text| format!("**{}**\n\n", escape(&text))));
    format!(
        "## {}: {}\n\n{}. Commit {}{changed}, attempt {}, seed {} (`--seed {5}` replays it), profile {}, {}. {against}\n\n\
         A match that has dropped by {} normalized Elo is missed with probability {} at most; a night without any \
         change is red with probability {} at most. A red was seen twice, with fresh games; what looked weaker once and \
         not again passes, and both changes are shown. Changes are of the score per game, with 95 % intervals; beside the \
         games of a reference they are half of the share of better games less that of worse ones.\n\n{foreign}",
        escape(&suite_run.suite),
        suite_run.verdict.word(),
        counts.join(", "),
        short(&suite_run.commit),
        suite_run.attempt,
        suite_run.seed,
        escape(&suite_run.profile),
        escape(&suite_run.device),
        promise.delta,
        promise.beta,
        promise.alpha,
    )
}

/// A warning if the baseline was measured on another device class, with its effect on tonight's matches.
#[must_use]
pub fn foreign(suite_run: &SuiteRun) -> Option<String> {
    let (there, here) = (suite_run.foreign_device()?, &suite_run.device);
    let doubtful = match suite_run.decided(Method::Counts) {
        0 => "Every match was between players of tonight, so that this does not matter.".to_owned(),
        1 => "One match compares with its counts and may show the device instead of the player.".to_owned(),
        counts => format!("{counts} matches compare with its counts and may show the device instead of the player."),
    };
    Some(format!("The baseline was measured on {there}, and this night on {here}. {doubtful}"))
}

/// The first digits of a commit, escaped for all outputs.
fn short(commit: &str) -> String {
    escape(&commit.chars().take(12).collect::<String>())
}

fn row(found: &Match) -> String {
    let pairs: Vec<String> = found.rounds.iter().map(|round| round.pairs.total().to_string()).collect();
    let how = found.method.map_or("", |method| method.words());
    let cells = [
        escape(&format!("{}, {}", found.name, found.game)),
        format!("**{}**: {}", found.verdict.word(), escape(found.reason.lines().next().unwrap_or_default())),
        changes(found),
        if pairs.is_empty() { "-".to_owned() } else { pairs.join(" + ") },
        escape(&found.candidate),
        escape(&found.opponent),
        how.to_owned(),
    ];
    format!("| {} |\n", cells.join(" | "))
}

/// The changes from the looks at a match, or a dash.
#[must_use]
pub fn changes(found: &Match) -> String {
    let changes: Vec<String> = found.rounds.iter().filter_map(|round| round.estimate).map(change).collect();
    if changes.is_empty() { "-".to_owned() } else { changes.join(", then ") }
}

/// `-0.123 [-0.200, -0.050]`.
fn change(estimate: ChangeEstimate) -> String {
    format!("{:+.3} [{:+.3}, {:+.3}]", estimate.change, estimate.low, estimate.high)
}

/// The evidence of a match, one line for each item.
#[must_use]
pub fn numbers(found: &Match) -> Vec<String> {
    let mut lines = vec![
        format!("{}: {} against {}", found.game, found.candidate, found.opponent),
        format!("{}: {}", found.verdict.word(), found.reason),
    ];
    lines.extend(found.method.map(|method| format!("decided {}", method.words())));
    for (at, round) in found.rounds.iter().enumerate() {
        let stage = if at == 0 { "first look" } else { "confirmation" };
        let mut line = format!("{stage}: {} pairs {:?}", round.pairs.total(), round.pairs.0);
        let parts = [
            round.score.map(|score| format!("score {score:.4}")),
            round.llr.map(|llr| format!("log-likelihood ratio {llr:.3}")),
            round.p_worse.map(|p| format!("p {p:.5}")),
            round.estimate.map(|estimate| format!("change {}", change(estimate))),
        ];
        parts.into_iter().flatten().for_each(|part| line += &format!(", {part}"));
        lines.push(line);
    }
    let repeated = if found.distinct_games < found.games { "; the test counts every game as a new one" } else { "" };
    lines.push(format!("{} games, {} different ones{repeated}", found.games, found.distinct_games));
    lines
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn the_worst_match_comes_first() {
        let mut verdicts = Verdict::ALL;
        verdicts.reverse();
        let text = render(&samples::suite_run(&verdicts), None, LARGEST);
        let places =
            Verdict::ALL.map(|verdict| text.find(&format!("**{}**", verdict.word())).expect("every row is there"));
        assert!(places.is_sorted(), "{text}");
        assert!(text.starts_with("## nightly: failed"));
    }

    #[test]
    fn another_device_class_is_said() {
        let mut suite_run = samples::suite_run(&[Verdict::Passed, Verdict::Passed]);
        assert!(!render(&suite_run, None, LARGEST).contains("measured on"));
        suite_run.baseline_device = Some("cuda-H100".to_owned());
        assert!(
            render(&suite_run, None, LARGEST).contains("measured on cuda-H100, and this night on cpu-x86\\_64. Every")
        );
        suite_run.matches[0].method = Some(Method::Counts);
        assert!(render(&suite_run, None, LARGEST).contains("One match compares with its counts"));
    }

    #[test]
    fn both_looks_are_shown() {
        let mut suite_run = samples::suite_run(&[Verdict::Passed]);
        let again = suite_run.matches[0].rounds[0].clone();
        suite_run.matches[0].rounds.push(again);
        assert!(render(&suite_run, None, LARGEST).contains("0.070], then +0.020"));
    }

    #[test]
    fn too_many_matches_are_cut_at_the_mild_end() {
        let mut verdicts = vec![Verdict::Passed; 20_000];
        verdicts.push(Verdict::Regressed);
        let suite_run = samples::suite_run(&verdicts);
        let text = render(&suite_run, None, LARGEST);
        assert!(text.len() <= LARGEST && text.len() > LARGEST / 2, "{}", text.len());
        assert!(text.contains("**regressed**") && text.contains("more matches are in the JSON file"));
        assert!(render(&suite_run, None, 100).is_empty());
    }

    #[test]
    fn texts_from_outside_are_escaped() {
        let mut suite_run = samples::suite_run(&[Verdict::Failed]);
        suite_run.commit = "<b>|`x`".to_owned();
        suite_run.matches[0].reason = "a | b\n<img>".to_owned();
        let text = render(&suite_run, None, LARGEST);
        // Lines of code need no escapes.
        let obeyed: String = text.lines().filter(|line| !line.starts_with("    ")).collect();
        assert!(!obeyed.contains("<b>") && !obeyed.contains("<img>") && obeyed.contains("a \\| b"), "{text}");
    }

    #[test]
    fn the_table_has_the_first_line_of_a_traceback_and_the_rest_is_below() {
        let mut suite_run = samples::suite_run(&[Verdict::Failed]);
        suite_run.matches[0].reason = "the engine ended:\nTraceback\n  File \"a.py\"".to_owned();
        let text = render(&suite_run, None, LARGEST);
        assert!(text.contains("**failed**: the engine ended: | "), "{text}");
        assert!(text.ends_with("\n\n    the engine ended:\n    Traceback\n      File \"a.py\"\n"), "{text}");
    }
}
