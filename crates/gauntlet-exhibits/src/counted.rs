//! Counted games of players that are the same in every run: the basis of errors over games.

use super::frame::{Fact, by_configuration, repeats};
use super::repeats::Repeats;
use gauntlet_ratings::MeanScore;
use gauntlet_ratings::sprt::MatchCounts;

/// Counted games, by the points of the scored player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountedGames {
    /// Pairs of games of one opening: 0, 1/2, 1, 3/2, 2 points.
    Pairs([u64; 5]),
    /// Unpaired games: 0, 1/2, 1 point.
    Single([u64; 3]),
}

impl CountedGames {
    /// Counts of a run if another run only adds games: nothing was trained, and no weights were drawn.
    #[must_use]
    pub fn of(fact: &Fact<'_>) -> Option<CountedGames> {
        if fact.config.varies_by_run { None } else { CountedGames::played(fact) }
    }

    /// Counts of a run, even if another run has other players.
    #[must_use]
    pub fn played(fact: &Fact<'_>) -> Option<CountedGames> {
        let Some(pairs) = fact.pairs() else {
            let mut counts = [0; 3];
            fact.scores()?.iter().for_each(|score| counts[(score + 1.0) as usize] += 1);
            return Some(CountedGames::Single(counts));
        };
        Some(CountedGames::of_pairs(&pairs))
    }

    /// Pairs of games by the results of the scored player, moving first and moving second.
    #[must_use]
    pub fn of_pairs(pairs: &[[u64; 3]; 3]) -> CountedGames {
        let mut counts = [0; 5];
        for (first, row) in pairs.iter().enumerate() {
            row.iter().enumerate().for_each(|(second, count)| counts[first + second] += count);
        }
        CountedGames::Pairs(counts)
    }

    /// The mean score of these games.
    #[must_use]
    pub fn score(self) -> Option<MeanScore> {
        MeanScore::of_match(&self.match_counts())
    }

    /// These games as the result of a match.
    // Jobs that play include every `From` for `MatchCounts` in their keys.
    #[must_use]
    pub fn match_counts(self) -> MatchCounts {
        match self {
            CountedGames::Pairs(counts) => MatchCounts::Pentanomial(counts),
            CountedGames::Single(counts) => MatchCounts::Trinomial(counts),
        }
    }

    /// The counts of several runs together; `None` without any, or if their games are of different kinds.
    pub fn sum(runs: impl IntoIterator<Item = CountedGames>) -> Option<CountedGames> {
        runs.into_iter().map(Some).reduce(|sum, run| sum?.with(run?))?
    }

    /// The mean score over the games of several runs; `None` without any, or if their games are of different kinds.
    pub fn score_of(runs: impl IntoIterator<Item = CountedGames>) -> Option<MeanScore> {
        CountedGames::sum(runs)?.score()
    }

    fn with(self, other: CountedGames) -> Option<CountedGames> {
        match (self, other) {
            (CountedGames::Pairs(a), CountedGames::Pairs(b)) => Some(CountedGames::Pairs(sums(a, b))),
            (CountedGames::Single(a), CountedGames::Single(b)) => Some(CountedGames::Single(sums(a, b))),
            (CountedGames::Pairs(_), CountedGames::Single(_)) | (CountedGames::Single(_), CountedGames::Pairs(_)) => {
                None
            }
        }
    }
}

fn sums<const N: usize>(a: [u64; N], b: [u64; N]) -> [u64; N] {
    std::array::from_fn(|points| a[points] + b[points])
}

/// The mean score over the games of all runs. It describes these players, not others trained like them.
#[must_use]
pub fn score_over_games(facts: &[Fact<'_>]) -> Option<MeanScore> {
    games_of_all(facts)?.score()
}

/// The counted games of all runs with a result. Repetitions of players that choose nothing at random count once.
#[must_use]
pub fn games_of_all(facts: &[Fact<'_>]) -> Option<CountedGames> {
    let finished: Vec<Fact<'_>> = facts.iter().filter(|fact| fact.result.is_some()).copied().collect();
    let of = |runs: &Vec<Fact<'_>>| match repeats(runs).and_then(|repeats| repeats.once) {
        Some(pairs) => Some(CountedGames::of_pairs(&pairs)),
        None => CountedGames::sum(runs.iter().map(CountedGames::played).collect::<Option<Vec<_>>>()?),
    };
    CountedGames::sum(by_configuration(&finished).iter().map(of).collect::<Option<Vec<_>>>()?)
}

/// The match whose games repeat each other most: over all of its runs if they have the same players, else of one run.
pub(super) fn most_repeated<'a>(facts: &[Fact<'a>]) -> Option<(Fact<'a>, Repeats)> {
    let of_run = |fact: &Fact<'_>| {
        let (distinct, games) = (fact.distinct()?, fact.games());
        (games > 0).then_some(Repeats { games, distinct, once: None })
    };
    let matches = by_configuration(facts).into_iter().flat_map(|runs| match repeats(&runs) {
        Some(repeats) => vec![(runs[0], repeats)],
        None => runs.into_iter().filter_map(|fact| Some((fact, of_run(&fact)?))).collect(),
    });
    matches.min_by(|a, b| a.1.share().total_cmp(&b.1.share()))
}

/// Whether games of any of these matches repeat each other, and count once.
pub(super) fn any_counts_once(facts: &[Fact<'_>]) -> bool {
    by_configuration(facts).iter().any(|runs| repeats(runs).is_some_and(|repeats| repeats.once.is_some()))
}

/// The note on runs that meet several runs of their opponent, if there are any.
pub(super) fn crossed(are_over_runs: bool, facts: &[Fact<'_>]) -> Option<String> {
    let met = facts.iter().filter(|fact| fact.opponent_run.is_some()).map(|fact| fact.config.opponents_each).max()?;
    let who = if facts.iter().all(|fact| fact.opponent_run.is_some()) { "Every run meets" } else { "Some runs meet" };
    let errors = if are_over_runs {
        " Their errors are those of the mean over other runs of both sides, whose spreads are told apart from that of \
         the rest (variance components)."
    } else {
        ""
    };
    Some(format!("{who} {met} runs of the opponent, and n counts runs.{errors}"))
}
