//! Go on n x n: area scoring, no suicide, superko; two passes in a row or the last of a fixed number of moves end it.
//!
//! Action n * n is a pass, always legal. The area of a side is its stones and the empty regions that touch only them
//! (Tromp and Taylor's rules). The side with more points wins, with the second side's komi added. A suicide is
//! illegal, unlike in those rules. For the three rules of repetition see [`Superko`]; positions count as equal if the
//! 64-bit Zobrist hashes of their stones are: among the 10^5 comparisons of a long game two different positions agree
//! once in 10^14 games. Passing repeats a position and is never forbidden.
//!
//! OpenSpiel's Go (2.0.2) forbids only the simple ko, declares a draw after any other repetition, and ends the game
//! after 2 n^2 moves: `superko = "draw"`, and the default move cap here too.
//!
//! The lead is the difference of areas without komi. The view's scalar is 1 after a pass, else 0.

mod area;
mod chains;
mod history;
mod play;
mod rules;
mod spec;

pub use play::Go;
pub use rules::{Komi, Superko};
pub use spec::GoSpec;

#[cfg(test)]
mod tests;
