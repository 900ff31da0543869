//! The kinds of tables and figures. Each file is one kind: its settings in a manifest, the results that it needs, and
//! the rendering of a plan's runs to a [`Content`].
//!
//! To add one: write a file with a [`Kind`], its `mod` below, and an entry of the registry. A kind reads a
//! [`Frame`] with one row a run; it uses no manifest, no plan and no file format.

// The sample sheets use this name, as `gauntlet-report` compiles them, too.
#[cfg(test)]
extern crate self as gauntlet_exhibits;

mod abscissa;
mod agreement;
mod axis_names;
mod boards;
mod comparison;
pub mod configuration;
mod context;
mod correlations;
pub mod counted;
mod criterion;
mod crosstable;
mod curves;
mod draft;
mod elo_curves;
mod elo_differences;
mod elo_table;
mod embeddings;
mod equivalent;
mod error_bars;
pub mod estimate;
pub mod frame;
mod job_result;
mod kind;
mod ladder;
mod league;
mod league_players;
pub mod levels;
mod matrices;
mod mean_settings;
mod means;
mod means_picture;
mod need;
pub mod number;
mod numbers;
mod percentiles;
pub mod played;
mod positions;
pub mod printed;
mod progress;
mod progress_by_run;
mod published;
pub mod published_only;
pub mod raced;
mod rated_run;
mod ratings;
mod ratings_by_run;
mod reach;
mod recorded;
mod registry;
pub mod repeats;
mod run_pairs;
mod run_values;
mod running_times;
#[cfg(test)]
#[expect(dead_code, reason = "some are for the tests of `gauntlet-report`")]
mod samples;
mod scales;
mod scatter;
mod search;
mod selector;
pub mod sheet;
mod stages;
mod success;
mod tuned_numbers;
mod tuning;
pub mod typeset;
pub mod uncertainty;
mod version_tree;
mod versions;

pub use axis_names::{AxisNames, PAPER};
pub use comparison::{Comparison, SmallerError};
pub use context::{Basis, Content, Context};
pub use equivalent::{EquivalenceVerdict, Equivalent, POWER};
pub use error_bars::ErrorBars;
pub use estimate::blank;
pub use frame::{Fact, FactGroup, Frame, config_ids, group, lost};
pub use job_result::JobResult;
pub use kind::{About, ChosenTraining, Kind, Unit};
pub use need::Need;
pub use registry::Show;
pub use run_values::{OutcomeScale, Shown};
pub use selector::{DRAW, GameSelector, PositionView};
pub use success::{Labels, Over, Success};
pub use version_tree::{EloDifference, Patch, Ruling, VersionNode, VersionTree};
pub use versions::{Version, VersionDate, Versions};

use frame::distinct;
use kind::axes;
use stages::Stages;
