//! The result of a suite run, as written to JSON. It contains no clock reading: a replay gives the same bytes.

use serde::{Deserialize, Serialize};

use super::design::Promise;
use super::pairs::Pairs;
use super::verdict::Verdict;

/// The method that decides a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The candidate plays against the baseline's player.
    #[default]
    HeadToHead,
    /// The baseline's player and the candidate play the opponent in the same openings.
    Reference,
    /// The candidate plays the opponent, and its counts are compared with the baseline's.
    Counts,
}

impl Method {
    /// A display name.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Method::HeadToHead => "head to head",
            Method::Reference => "same openings against the opponent",
            Method::Counts => "against the baseline's counts",
        }
    }
}

/// A change of the score per game with its 95 % interval, in `[-1, 1]`. After a sequential test it is median-unbiased.
/// By [`Method::Reference`] it is half of the share of games that ended better than the reference's, less that of games that
/// ended worse.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ChangeEstimate {
    /// The change.
    pub change: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The numbers of one stage of a match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// Counts of pairs by points, from 0 to 2. With common openings a "game" is won if the candidate did better.
    pub pairs: Pairs,
    /// Mean score per game.
    pub score: Option<f64>,
    /// Log-likelihood ratio of "no change" against "weaker by delta", in a sequential test.
    pub llr: Option<f64>,
    /// p-value of "not weaker", in a test against counts.
    pub p_worse: Option<f64>,
    /// The estimated change.
    pub estimate: Option<ChangeEstimate>,
}

/// One match of a suite run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Match {
    /// Its name in the suite.
    pub name: String,
    /// Its verdict.
    #[serde(rename = "ruling")]
    pub verdict: Verdict,
    /// The reason, in a few words.
    pub reason: String,
    /// The method, if it was decided.
    pub method: Option<Method>,
    /// The display name of the game.
    pub game: String,
    /// The display name of the candidate.
    pub candidate: String,
    /// The display name of the opponent.
    pub opponent: String,
    /// Id of the candidate's configuration.
    pub config: String,
    /// One round, or two if a red had to be confirmed.
    pub rounds: Vec<Round>,
    /// Number of games played.
    pub games: u64,
    /// Number of different games among them.
    pub distinct_games: u64,
}

/// A whole suite run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SuiteRun {
    /// Version of this format.
    pub version: u32,
    /// Name of the suite.
    pub suite: String,
    /// The profile it ran at.
    pub profile: String,
    /// The worst verdict.
    #[serde(rename = "ruling")]
    pub verdict: Verdict,
    /// The commit under test.
    pub commit: String,
    /// Whether tracked files differed from the commit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
    /// The number of the attempt at this commit.
    pub attempt: u32,
    /// The seed of all random streams; a replay uses this number.
    pub seed: u64,
    /// The device that ran it.
    pub device: String,
    /// The promise of the suite.
    pub promise: Promise,
    /// Maximum number of pairs in a stage of a match.
    pub cap: u64,
    /// Commit of the baseline, if there is one.
    pub baseline: Option<String>,
    /// The device that measured the baseline's counts.
    pub baseline_device: Option<String>,
    /// The matches, worst first, then by name.
    pub matches: Vec<Match>,
}

impl SuiteRun {
    /// The version that is written.
    pub const VERSION: u32 = 2;

    /// Sorts the matches, worst first, and sets the suite run's verdict.
    pub fn close(&mut self) {
        self.matches.sort_by(|a, b| a.verdict.cmp(&b.verdict).then_with(|| a.name.cmp(&b.name)));
        self.verdict = Verdict::worst(self.matches.iter().map(|found| found.verdict));
    }

    /// The device of the baseline's counts, if it differs from tonight's.
    ///
    /// A player that plays again tonight is compared with one of tonight, on the same device. Counts are not: a device
    /// class may compute other digits, and so other games.
    #[must_use]
    pub fn foreign_device(&self) -> Option<&str> {
        self.baseline_device.as_deref().filter(|&device| device != self.device)
    }

    /// The number of matches decided by this method.
    #[must_use]
    pub fn decided(&self, method: Method) -> usize {
        self.matches.iter().filter(|found| found.method == Some(method)).count()
    }

    /// The number of matches with this verdict.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        self.matches.iter().filter(|found| found.verdict == verdict).count()
    }
}
