//! Measuring jobs: fitness of an agent, optimality of its moves, embeddings and sizes of networks, sizes of games, random
//! games, and published results.
//!
//! Nothing is trained here. Ratings and reports compute statistics from these numbers.

mod complexity;
mod embeddings;
mod error;
mod fitness;
mod hours;
mod job;
mod ladder;
mod network;
mod optimal;
mod random_play;
mod solutions;
mod solve;

pub use complexity::{Complexity, ComplexityJob, count};
pub use embeddings::{Embedded, EmbeddingsJob, Form, embed};
pub use error::MeasureError;
pub use fitness::{FitnessJob, Measured, measure_fitness};
pub use hours::{Hours, HoursJob, read_hours};
pub use job::MeasureSpec;
pub use ladder::{LadderJob, Rated, RatedLadder, match_table, rate_results};
pub use network::{NetworkJob, NetworkSize, size};
pub use optimal::{Kept, OptimalJob, Optimality, SOLUTIONS, measure_optimality};
pub use random_play::{RandomPlay, RandomPlayJob, play_at_random};
pub use solutions::{Choice, Solutions, SolutionsJob, Solved, solve_positions};
