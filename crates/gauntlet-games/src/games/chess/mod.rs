//! Chess on 8x8 and Gardner's minichess on 5x5, by one set of rules.
//!
//! ```text
//! geometry    squares, and what pieces reach from them
//! kind        what a piece is
//! board       pieces on squares, and what a move changes; hash
//! legal       the legal moves of a board
//! numbering   moves as actions: the edges of the move graph
//! seen        the positions that have come; earlier: the last boards
//! play        a position in a game: repetition, draws, the end
//! reach       which pieces could make a move
//! fen, san    positions and moves as text
//! spec, game  the settings, and the game that they make
//! ```

mod board;
mod earlier;
mod fen;
mod game;
mod geometry;
mod hash;
mod kind;
mod legal;
mod numbering;
mod play;
mod reach;
mod san;
mod seen;
mod spec;

pub use game::ChessGame;
pub use play::Chess;
pub use spec::{ChessSize, ChessSpec, PassantKey};
