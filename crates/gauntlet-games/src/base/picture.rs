//! Positions as pictures made of plain shapes. This file depends on no rules and no file format.
//!
//! Coordinates are `[right, down]` in cell edge lengths.

use serde::{Deserialize, Serialize};

/// A board with its pieces.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BoardPicture {
    /// Lower right corner; the upper left corner is (0, 0).
    pub size: [f64; 2],
    /// Cells, each a polygon.
    pub cells: Vec<CellPicture>,
    /// Lines, each a list of points.
    pub lines: Vec<Vec<[f64; 2]>>,
    /// Edges of the board that belong to a side; if there are any, tones are colours.
    pub rims: Vec<(Tone, Vec<[f64; 2]>)>,
    /// Names of rows and columns, each centred at its point.
    pub labels: Vec<(String, [f64; 2])>,
    /// Pieces on the board, the lowest first.
    pub pieces: Vec<PiecePicture>,
    /// Origin and destination of the last action.
    pub marks: Vec<[f64; 2]>,
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellPicture {
    /// Its corners.
    pub outline: Vec<[f64; 2]>,
    /// 0 for the lightest of three shades.
    pub shade: u8,
}

/// One piece.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PiecePicture {
    /// Its centre.
    pub at: [f64; 2],
    /// Half its height.
    pub radius: f64,
    /// Its tone.
    pub tone: Tone,
    /// Whether it points downwards.
    pub is_turned: bool,
    /// Its shape.
    pub figure: Figure,
    /// Number of pieces there; shown beside the piece if it is 2 or more.
    pub count: u16,
}

/// The tone that distinguishes the pieces of the sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// Black, or the first colour.
    Dark,
    /// White, or the second colour.
    Light,
    /// Grey, for neutral pieces.
    Neutral,
}

/// The shape of a piece.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// A round stone.
    #[default]
    Stone,
    /// A round stone with a ring: a promoted man, or a king.
    Ringed,
    /// A round stone with a label of one or two letters.
    Lettered(String),
    /// A chess piece.
    Chess(Chessman),
    /// A wedge with a label of one or two letters; its point shows the direction of its side.
    Wedge(String),
}

/// The chess pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "pieces of chess")]
pub enum Chessman {
    Pawn,
    Knight,
    Bishop,
    Rook,
    Queen,
    King,
}

impl Chessman {
    /// All chess pieces, by index.
    pub const ALL: [Chessman; 6] =
        [Chessman::Pawn, Chessman::Knight, Chessman::Bishop, Chessman::Rook, Chessman::Queen, Chessman::King];
}
