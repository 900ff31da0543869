//! Chess on 8x8 and Gardner's minichess on 5x5, by one set of rules.
//!
//! ```text
//! geometry    squares, and attacks of pieces
//! board       pieces on squares, and the effect of a move; hash
//! legal       the legal moves of a board
//! numbering   moves as actions: the edges of the move graph
//! repetition  the earlier positions; history: the last boards
//! play        a position in a game: repetition, draws, the end
//! reach       the pieces that could make a move
//! fen, san    positions and moves as text
//! spec, game  the settings, and the game that they define
//! ```

mod board;
mod fen;
mod game;
mod geometry;
mod hash;
mod history;
mod legal;
mod numbering;
mod play;
mod reach;
mod repetition;
mod san;
mod spec;

pub use game::ChessGame;
pub use play::Chess;
pub use spec::{ChessSize, ChessSpec, PassantKey};
