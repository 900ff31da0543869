//! Games. One file or folder is one game; `kit` holds the building blocks of games, `ludemes` the games that a text
//! describes. All callers see a [`Position`] and a [`Game`] and never a concrete type.
//!
//! To add a game: a file with a [`State`] and a [`Game`], then one variant and one arm of [`GameSpec`], and small boards
//! in `examples.json`.
//! The conformance tests run on [`GameSpec::examples`].

mod atari_go;
mod breakthrough;
mod chess;
mod connect_four;
mod go;
mod gomoku;
mod hex;
pub mod kit;
pub mod ludemes;
mod mnk;
mod othello;
mod pente;
mod spec;

pub use atari_go::{AtariGo, AtariGoSpec};
pub use breakthrough::{Breakthrough, BreakthroughGame, BreakthroughSpec};
pub use chess::{Chess, ChessGame, ChessSize, ChessSpec, PassantKey};
pub use connect_four::{ConnectFour, ConnectFourSpec};
pub use go::{Go, GoSpec, Komi, Superko};
pub use gomoku::{Gomoku, GomokuSpec};
pub use hex::{Hex, HexSpec};
pub use kit::{
    BoardSize, BreakthroughSize, Coordinates, Drawing, Game, GoSize, GridGame, GridLength, HexSize, Layout, Lookback,
    MARK, Offsite, OthelloSize, Past, Piece, Position, RowLength, Scalar, SetUpError, SiteDrawing, SiteSet, State,
    Step, Topology, View, conformance, diagram, picture, sign, site_numbers,
};
pub use mnk::MnkSpec;
pub use othello::{BitOthello, OthelloSpec, PlainOthello};
pub use pente::{Pente, PenteRules, PenteSpec};
pub use spec::GameSpec;
