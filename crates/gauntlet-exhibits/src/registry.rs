//! The registry of the kinds of exhibits: one entry a kind.

use schemars::JsonSchema;
use serde::Deserialize;

use super::boards::Boards;
use super::kind::{About, Kind};
use super::league::League;

/// Declares the enum of all kinds, and the conversion of each to its trait.
macro_rules! kinds {
    ($($(#[$words:meta])* $name:ident($(#[$schema:meta])* $settings:ty),)*) => {
        /// The kinds of exhibits.
        #[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum Show {
            $($(#[$words])* $name($(#[$schema])* $settings),)*
        }

        impl Show {
            /// The kind, as reports and manifests see it.
            #[must_use]
            pub fn kind(&self) -> &dyn Kind {
                match self {
                    $(Show::$name(settings) => settings,)*
                }
            }
        }
    };
}

kinds! {
    /// Correlations of a result between pairs of values of one axis, over runs.
    Correlations(super::correlations::Correlations),
    /// The share of runs that reach at least a given result.
    Percentiles(super::percentiles::Percentiles),
    /// Learning curves, averaged over runs.
    Curves(super::curves::Curves),
    /// One dot a run: its result at one value of an axis against that at another.
    Scatter(super::scatter::Scatter),
    /// Ratings of players against the share of their optimal moves.
    Scales(super::scales::Scales),
    /// Mean results, as a table and against a numeric axis if one is named.
    Means(super::mean_settings::Means),
    /// Results of a search over settings: the best first, and against each setting.
    Search(super::search::Search),
    /// A race between settings: those that are left, and how far the others are behind. Or tuned numbers.
    Tuning(super::tuning::Tuning),
    /// Ratings of the players of a tournament.
    Ratings(super::ratings::RatingTable),
    /// Scores of all pairs of players of a tournament, observed and expected by the ratings.
    Crosstable(#[schemars(with = "League")] super::crosstable::Crosstable),
    /// Ratings of single players of a ladder by several estimators.
    EloTable(super::elo_table::EloTable),
    /// Ratings of trainings along their iterations or hours.
    EloCurves(super::elo_curves::EloCurves),
    /// Differences between the estimates for all players of a ladder.
    EloDifferences(super::elo_differences::EloDifferences),
    /// Hours of trainings.
    RunningTimes(super::running_times::RunningTimes),
    /// Win and lose rates by first player, one ordered pair of players a cell.
    WinMatrix(#[schemars(with = "League")] super::matrices::WinMatrix),
    /// The better of two players over both colours, by the differences of their win rates.
    ScoreMatrix(#[schemars(with = "League")] super::matrices::ScoreMatrix),
    /// Single games as boards with numbered stones.
    Boards(super::boards::Boards),
    /// Positions of single games as diagrams: the board and the pieces on it.
    Positions(#[schemars(with = "Boards")] super::positions::Positions),
    /// Counted numbers.
    Numbers(super::numbers::Numbers),
    /// Embeddings of actions over board sizes.
    Embeddings(super::embeddings::Embeddings),
    /// Versions of an agent in a row, each against the one before, with the sum of their differences.
    Versions(super::versions::Versions),
    /// Ratings of the kept networks of trainings over the games of self-play, against one fixed player.
    Progress(super::progress::Progress),
    /// The effort of a training until it is as strong as another one at its end.
    Reach(super::reach::Reach),
}

impl Show {
    /// The metadata of the exhibit.
    #[must_use]
    pub fn about(&self) -> About<'_> {
        self.kind().about()
    }

    /// Every stage that the exhibit names.
    #[must_use]
    pub fn stages(&self) -> Vec<&str> {
        self.about().stages()
    }
}
