//! Rules. One file is one game; everything above sees a [`Position`] and a [`Game`] and never a concrete type.
//!
//! To add a game: a file with a [`State`] and a [`Game`], then one variant and one arm of [`GameSpec`].
//! The conformance kit runs on [`GameSpec::examples`].

mod atari_go;
mod board;
mod breakthrough;
mod chess;
pub mod conformance;
mod connect_four;
mod diagram;
mod drawing;
mod game;
mod go;
mod gomoku;
mod grid;
mod groups;
mod hex;
mod key;
mod lines;
pub mod ludemes;
mod mnk;
mod notation;
mod othello;
mod past;
mod pente;
mod picture;
mod placement;
mod position;
mod set_up;
mod sites;
mod size;
mod spec;
mod step;
mod topology;
mod view;

pub use atari_go::{AtariGo, AtariGoSpec};
pub use breakthrough::{Breakthrough, BreakthroughGame, BreakthroughSpec};
pub use chess::{Chess, ChessGame, ChessSize, ChessSpec, PassantKey};
pub use connect_four::{ConnectFour, ConnectFourSpec};
pub use diagram::{Coordinates, MARK, diagram};
pub use drawing::{Drawing, SiteDrawing};
pub use game::Game;
pub use go::{Go, GoSpec, Komi, Superko};
pub use gomoku::{Gomoku, GomokuSpec};
pub use grid::GridGame;
pub use hex::{Hex, HexSpec};
pub use mnk::MnkSpec;
pub use othello::{BitOthello, OthelloSpec, PlainOthello};
pub use past::{Lookback, Past};
pub use pente::{Pente, PenteRules, PenteSpec};
pub use picture::{picture, site_numbers};
pub use position::{Position, State};
pub use set_up::SetUpError;
pub use sites::SiteSet;
pub use size::{BoardSize, BreakthroughSize, GoSize, GridLength, HexSize, OthelloSize, RowLength};
pub use spec::GameSpec;
pub use step::{Offsite, Step};
pub use topology::{Layout, Topology};
pub use view::{Piece, Scalar, View, sign};
