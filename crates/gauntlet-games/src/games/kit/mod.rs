//! Building blocks of games: positions and their views, boards and topologies, notation, diagrams, and the
//! conformance tests. This folder contains no game.

pub mod conformance;
mod diagram;
mod drawing;
mod game;
mod grid;
pub(crate) mod groups;
pub(crate) mod key;
pub(crate) mod lines;
pub(crate) mod notation;
mod past;
mod picture;
mod placement;
mod position;
pub(crate) mod set_up;
pub(crate) mod sites;
mod size;
mod step;
pub(crate) mod stone_board;
mod topology;
mod view;

pub use diagram::{Coordinates, MARK, diagram};
pub use drawing::{Drawing, SiteDrawing};
pub use game::Game;
pub use grid::GridGame;
pub use past::{Lookback, Past};
pub use picture::{picture, site_numbers};
pub use position::{Position, State};
pub use set_up::SetUpError;
pub use sites::SiteSet;
pub use size::{BoardSize, BreakthroughSize, GoSize, GridLength, HexSize, OthelloSize, RowLength};
pub use step::{Offsite, Step};
pub use topology::{Layout, Topology};
pub use view::{Piece, Scalar, View, sign};
