//! A night as Markdown, the worst match first, small enough for a CI's summary page.

use crate::gate::{Baseline, Estimate, Match, Night, Ruling};
use crate::reports::markdown::escape;

/// GitHub takes no summary of a step above 1 MiB, and then shows none of it.
pub const LARGEST: usize = 1 << 20;

/// The text of a night, in at most `room` bytes: the mildest matches are left out where there are too many.
#[must_use]
pub fn render(night: &Night, baseline: Option<&Baseline>, room: usize) -> String {
    let mut text = head(night, baseline);
    let table = "| Match | Ruling | Change of score | Pairs | Candidate | Against | How |\n\
                 | :-- | :-- | --: | --: | :-- | :-- | :-- |\n";
    let end = format!("\n{} more matches are in the JSON file.\n", night.matches.len());
    if text.len() + table.len() + end.len() > room {
        return String::new();
    }
    text += table;
    for (at, found) in night.matches.iter().enumerate() {
        let row = row(found);
        if text.len() + row.len() + end.len() > room {
            return text + &format!("\n{} more matches are in the JSON file.\n", night.matches.len() - at);
        }
        text += &row;
    }
    text
}

fn head(night: &Night, baseline: Option<&Baseline>) -> String {
    let counts = Ruling::ALL.map(|ruling| (night.count(ruling), ruling));
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, ruling)| format!("{count} {}", ruling.word())).collect();
    let against = match baseline.and_then(|baseline| baseline.changes.last()) {
        Some(change) => {
            format!("The baseline is commit {} ({}, {}).", short(&change.commit), escape(&change.why), change.when)
        }
        None => "There is no baseline.".to_owned(),
    };
    let promise = &night.promise;
    format!(
        "## {}: {}\n\n{}. Commit {}, attempt {}, seed {} (`--seed {5}` replays it), profile {}, {}. {against}\n\n\
         A match that has dropped by {} normalized Elo is missed with probability {} at most; a night without any \
         change is red with probability {} at most. A red was seen twice, with fresh games. Changes are of the score \
         per game, with 95 % intervals.\n\n",
        escape(&night.suite),
        night.ruling.word(),
        counts.join(", "),
        short(&night.commit),
        night.attempt,
        night.seed,
        escape(&night.profile),
        escape(&night.device),
        promise.delta,
        promise.beta,
        promise.alpha,
    )
}

/// The first digits of a commit, harmless wherever they are printed.
fn short(commit: &str) -> String {
    escape(&commit.chars().take(12).collect::<String>())
}

fn row(found: &Match) -> String {
    let estimate = found.rounds.first().and_then(|round| round.estimate);
    let pairs: Vec<String> = found.rounds.iter().map(|round| round.pairs.total().to_string()).collect();
    let how = found.method.map_or("", |method| method.words());
    let cells = [
        escape(&format!("{}, {}", found.name, found.game)),
        format!("**{}**: {}", found.ruling.word(), escape(&found.reason)),
        estimate.map_or("-".to_owned(), change),
        if pairs.is_empty() { "-".to_owned() } else { pairs.join(" + ") },
        escape(&found.candidate),
        escape(&found.opponent),
        how.to_owned(),
    ];
    format!("| {} |\n", cells.join(" | "))
}

/// `-0.123 [-0.200, -0.050]`.
#[must_use]
pub fn change(estimate: Estimate) -> String {
    format!("{:+.3} [{:+.3}, {:+.3}]", estimate.change, estimate.low, estimate.high)
}

/// What a match rests on, a line each.
#[must_use]
pub fn numbers(found: &Match) -> Vec<String> {
    let mut lines = vec![
        format!("{}: {} against {}", found.game, found.candidate, found.opponent),
        format!("{}: {}", found.ruling.word(), found.reason),
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
    lines.push(format!("{} games, {} different ones", found.games, found.distinct_games));
    lines
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn the_worst_match_comes_first() {
        let mut rulings = Ruling::ALL;
        rulings.reverse();
        let text = render(&samples::night(&rulings), None, LARGEST);
        let places =
            Ruling::ALL.map(|ruling| text.find(&format!("**{}**", ruling.word())).expect("every row is there"));
        assert!(places.is_sorted(), "{text}");
        assert!(text.starts_with("## nightly: failed"));
    }

    #[test]
    fn too_many_matches_are_cut_at_the_mild_end() {
        let mut rulings = vec![Ruling::Passed; 20_000];
        rulings.push(Ruling::Regressed);
        let night = samples::night(&rulings);
        let text = render(&night, None, LARGEST);
        assert!(text.len() <= LARGEST && text.len() > LARGEST / 2, "{}", text.len());
        assert!(text.contains("**regressed**") && text.contains("more matches are in the JSON file"));
        assert!(render(&night, None, 100).is_empty());
    }

    #[test]
    fn texts_from_outside_are_escaped() {
        let mut night = samples::night(&[Ruling::Failed]);
        night.commit = "<b>|`x`".to_owned();
        night.matches[0].reason = "a | b\n<img>".to_owned();
        let text = render(&night, None, LARGEST);
        assert!(!text.contains("<b>") && !text.contains("<img>") && text.contains("a \\| b"), "{text}");
    }
}
