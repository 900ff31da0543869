//! Versions of an agent as a tree: each version has played an earlier one, and its strength is the sum of the
//! differences on its branch.

use super::Fact;
use super::counted::{CountedGames, games_of_all};
use super::estimate::LEVEL;
use super::number::fixed;
use gauntlet_play::arena::SequentialResult;
use gauntlet_ratings::MeanScore;
use gauntlet_ratings::elo_conversion::EloConversion;
use gauntlet_ratings::intervals::Interval;
use gauntlet_ratings::sprt::{EloScale, MatchCounts, TestDecision};
use gauntlet_ratings::stopped::stopped;

/// Coverage of one standard error to each side of a normal number.
const ONE_SIGMA: f64 = 0.682_689_492_137_085_9;

/// The versions, from the first on; every version stands behind those that it played.
#[derive(Debug, Clone, PartialEq)]
pub struct VersionTree {
    /// The versions.
    pub nodes: Vec<VersionNode>,
}

/// A version, with the match that judges it.
#[derive(Debug, Clone, PartialEq)]
pub struct VersionNode {
    /// Its name.
    pub name: String,
    /// The place of the version that it played: the nearest earlier one.
    pub against: Option<usize>,
    /// The result of that match, if there is one.
    pub patch: Option<Patch>,
    /// The sum of the differences since the first version; `None` if a match is missing.
    pub sum: Option<EloDifference>,
    /// Its matches against other versions before it: their places, and the differences.
    pub checks: Vec<(usize, EloDifference)>,
}

/// The change from one version to another, as a match shows it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patch {
    /// The ruling of its test.
    pub ruling: Ruling,
    /// The difference to the version that it played.
    pub difference: EloDifference,
    /// Games behind it.
    pub games: u64,
    /// Runs behind it.
    pub runs: u64,
}

/// The ruling of a sequential test on a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ruling {
    /// It accepted H1.
    Accepted,
    /// It accepted H0.
    Refused,
    /// The games did not decide it, or the runs decided differently.
    Undecided,
    /// The match had no test.
    Untested,
}

/// A difference in logistic Elo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EloDifference {
    /// The difference: infinite if all games ended alike for one side, and not a number for a sum that has one of those.
    pub elo: f64,
    /// One standard error: infinite if the games do not bound the difference within one error.
    pub error: f64,
    /// The 95 % interval. An end that the games do not bound is infinite.
    pub interval: Interval,
}

/// Differences beyond this, in Elo, are the last that a score can show.
const OPEN: f64 = 2390.0;

/// A difference beyond the last one is infinite.
fn bounded(elo: f64) -> f64 {
    if elo.abs() > OPEN { elo * f64::INFINITY } else { elo }
}

impl EloDifference {
    /// The difference of a version to itself.
    const ZERO: EloDifference = EloDifference { elo: 0.0, error: 0.0, interval: Interval { low: 0.0, high: 0.0 } };

    /// The sum of a difference without an estimate.
    const UNKNOWN: EloDifference = EloDifference {
        elo: f64::NAN,
        error: f64::INFINITY,
        interval: Interval { low: f64::NEG_INFINITY, high: f64::INFINITY },
    };

    /// Whether the games bound it on both sides.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        self.interval.low.is_finite() && self.interval.high.is_finite()
    }

    /// The difference in a table, if the games do not bound it: `490 [178, ∞]`, `> 287`, or `open`.
    #[must_use]
    pub fn open_cell(&self) -> Option<String> {
        let Interval { low, high } = self.interval;
        let whole = |elo: f64| fixed(elo, 0);
        match (low.is_finite(), high.is_finite()) {
            (true, true) => None,
            _ if self.elo.is_finite() => Some(format!("{} [{}, {}]", whole(self.elo), whole(low), whole(high))),
            (true, false) => Some(format!("> {}", whole(low))),
            (false, true) => Some(format!("< {}", whole(high))),
            (false, false) => Some("open".to_owned()),
        }
    }

    /// The difference in a sentence.
    #[must_use]
    pub fn in_words(&self) -> String {
        let [elo, low, high] = [self.elo, self.interval.low, self.interval.high].map(|elo| fixed(elo, 1));
        match (self.interval.low.is_finite(), self.interval.high.is_finite()) {
            _ if self.elo.is_finite() => format!("{elo} Elo, 95 % interval {low} to {high}"),
            (true, _) => format!("more than {low} Elo by the 95 % interval, as all games were won"),
            (_, true) => format!("less than {high} Elo by the 95 % interval, as all games were lost"),
            _ => "not known, as all games of a match ended alike".to_owned(),
        }
    }

    /// The sum of two independent differences: variances add, and so do the squares of the arms of the intervals.
    fn plus(&self, other: &EloDifference) -> EloDifference {
        if !(self.elo.is_finite() && other.elo.is_finite()) {
            return EloDifference::UNKNOWN;
        }
        let elo = self.elo + other.elo;
        let below = (self.elo - self.interval.low).hypot(other.elo - other.interval.low);
        let above = (self.interval.high - self.elo).hypot(other.interval.high - other.elo);
        let interval = Interval { low: elo - below, high: elo + above };
        EloDifference { elo, error: self.error.hypot(other.error), interval }
    }

    fn times(&self, factor: f64) -> EloDifference {
        let Interval { low, high } = self.interval;
        let interval = Interval { low: factor * low, high: factor * high };
        EloDifference { elo: factor * self.elo, error: factor * self.error, interval }
    }
}

/// The difference as a sequential test estimates it. Its intervals are uneven; half of the one with the coverage of a
/// standard error is the error.
fn difference(found: &SequentialResult, results: &MatchCounts) -> Option<EloDifference> {
    let SequentialResult { ref test, elo, interval: [low, high], .. } = *found;
    let narrow = stopped(test, results, ONE_SIGMA)?.interval;
    let error = 0.5 * (bounded(narrow.high) - bounded(narrow.low));
    Some(EloDifference { elo: bounded(elo), error, interval: Interval { low: bounded(low), high: bounded(high) } })
}

fn ruling(decision: TestDecision) -> Ruling {
    match decision {
        TestDecision::AcceptH1 => Ruling::Accepted,
        TestDecision::AcceptH0 => Ruling::Refused,
        TestDecision::Undecided => Ruling::Undecided,
    }
}

/// The ruling and the difference of one match.
fn outcome(fact: &Fact<'_>) -> Option<(Ruling, EloDifference)> {
    let results = CountedGames::of_pairs(&fact.pairs()?).match_counts();
    match &fact.matched()?.sprt {
        Some(found) => Some((ruling(found.decision), difference(found, &results)?)),
        None => Some((Ruling::Untested, plain(&results)?)),
    }
}

/// The difference of a match of fixed length. A conversion is finite even at a score of 0 or 1, by the number of games alone.
fn plain(results: &MatchCounts) -> Option<EloDifference> {
    let (score, scale) = (MeanScore::of_match(results)?, EloConversion::of(EloScale::Logistic, results)?);
    let range = score.interval(LEVEL);
    let Interval { low, high } = scale.interval(score.value, range);
    let within = |score: f64, elo: f64| match score {
        score if score <= 0.0 => f64::NEG_INFINITY,
        score if score >= 1.0 => f64::INFINITY,
        _ => elo,
    };
    let error = within(score.value + score.error, 0.0) - within(score.value - score.error, 0.0);
    Some(EloDifference {
        elo: within(score.value, scale.elo(score.value)),
        error: error + scale.error(score.value, score.error),
        interval: Interval { low: within(range.low, low), high: within(range.high, high) },
    })
}

impl Patch {
    /// The result of the runs of a match: the mean of their differences, or that of all their games together if no test
    /// ended them and no run has players of its own.
    fn of(facts: &[Fact<'_>]) -> Option<Patch> {
        let (done, found): (Vec<Fact<'_>>, Vec<(Ruling, EloDifference)>) =
            facts.iter().filter_map(|fact| Some((*fact, outcome(fact)?))).unzip();
        let (first, _) = *found.first()?;
        let is_agreed = found.iter().all(|(ruling, _)| *ruling == first);
        let are_same = done.iter().all(|fact| !fact.config.varies_by_run) && first == Ruling::Untested;
        let difference = match games_of_all(&done).filter(|_| is_agreed && are_same) {
            Some(games) => plain(&games.match_counts())?,
            None => {
                let sum = found.iter().map(|(_, difference)| *difference).reduce(|sum, next| sum.plus(&next))?;
                sum.times(1.0 / found.len() as f64)
            }
        };
        Some(Patch {
            ruling: if is_agreed { first } else { Ruling::Undecided },
            difference,
            games: done.iter().map(Fact::games).sum(),
            runs: done.len() as u64,
        })
    }
}

impl VersionTree {
    /// The tree of versions in this order, from the matches between them: each `agent` played an `opponent`.
    pub(super) fn new(names: Vec<String>, facts: &[Fact<'_>]) -> VersionTree {
        let mut nodes: Vec<VersionNode> = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let matches = |place: usize| {
                let is_own = |fact: &&Fact<'_>| fact.label("agent") == *name && fact.label("opponent") == names[place];
                facts.iter().filter(is_own).copied().collect::<Vec<_>>()
            };
            let mut met = (0..at).rev().map(|place| (place, matches(place))).filter(|(_, facts)| !facts.is_empty());
            let (against, patch) = met.next().map(|(place, facts)| (place, Patch::of(&facts))).unzip();
            let patch = patch.flatten();
            let before = against.and_then(|place| nodes[place].sum);
            let sum = if at == 0 { Some(EloDifference::ZERO) } else { None };
            let sum = sum.or_else(|| Some(before?.plus(&patch?.difference)));
            let checks = met.filter_map(|(place, facts)| Some((place, Patch::of(&facts)?.difference))).collect();
            nodes.push(VersionNode { name: name.clone(), against, patch, sum, checks });
        }
        VersionTree { nodes }
    }

    /// The newest version that was not refused.
    #[must_use]
    pub fn head(&self) -> Option<usize> {
        let is_refused = |node: &VersionNode| node.patch.is_some_and(|patch| patch.ruling == Ruling::Refused);
        self.nodes.iter().rposition(|node| !is_refused(node))
    }

    /// A version and the versions that it is built on, the first one last.
    pub(super) fn branch(&self, of: usize) -> Vec<usize> {
        std::iter::successors(Some(of), |&at| self.nodes[at].against).collect()
    }

    /// The difference to a version on its own branch.
    pub(super) fn above(&self, of: usize, earlier: usize) -> Option<EloDifference> {
        let branch = self.branch(of);
        let steps = branch.iter().position(|&at| at == earlier)?;
        let differences = branch[..steps].iter().map(|&at| Some(self.nodes[at].patch?.difference));
        differences.reduce(|sum, next| Some(sum?.plus(&next?)))?
    }
}
