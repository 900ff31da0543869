//! Jobs that produce numbers: what an agent is worth against an opponent, what its network sees, how large a game or
//! a network is, how random games go, and what published results say.
//!
//! Nothing is learned here, and nothing is concluded: statistics over these numbers are the ratings' and reports'.

mod complexity;
mod embeddings;
mod error;
mod fitness;
mod hours;
mod job;
mod ladder;
mod network;
mod random_play;

pub use complexity::{Complexity, ComplexityJob, count};
pub use embeddings::{Embedded, EmbeddingsJob, Form, embed};
pub use error::MeasureError;
pub use fitness::{FitnessJob, Measured, measure_fitness};
pub use hours::{Hours, HoursJob, read_hours};
pub use job::MeasureSpec;
pub use ladder::{LadderJob, Rated, RatedLadder, match_table, rate_results};
pub use network::{NetworkJob, NetworkSize, size};
pub use random_play::{RandomPlay, RandomPlayJob, play_at_random};
