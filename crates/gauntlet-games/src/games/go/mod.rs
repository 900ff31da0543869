//! Go on n x n: area scoring, no suicide, superko; two passes in a row or the last of a fixed number of moves end it.
//!
//! Action n * n is a pass, always legal. The area of a side is its stones and the empty regions that touch no other's
//! (Tromp and Taylor's rules); whoever has more, the second side's komi added, wins. A suicide is illegal, unlike in
//! those rules. Three rules of repetition are known, see [`Superko`]; positions count as equal by 64-bit Zobrist hashes
//! of their stones, without a further look: among the 10^5 comparisons of a long game two different ones agree
//! once in 10^14 games. Passing repeats a position and is never forbidden.
//!
//! OpenSpiel's Go (2.0.2) forbids only the simple ko, calls a game drawn that repeats a position otherwise, and ends it
//! after 2 n^2 moves: `superko = "draw"`, and the move cap that is the default here too.
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
