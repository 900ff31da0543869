//! The machine: positions of compiled games, the evaluation of rules in them, and the execution of moves.

mod apply;
mod bits;
mod board;
mod execute;
mod gathered;
mod lines;
mod moves;
mod origins;
mod pieces;
mod shifts;
mod show;
mod state;
mod steady;
mod sweeps;
mod tables;
mod threats;
mod values;

pub use board::Move;
pub use state::DescribedPosition;
pub use tables::Tables;
