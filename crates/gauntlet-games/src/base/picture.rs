//! Positions as pictures: plain shapes, for whoever draws. It knows no rules and no format.
//!
//! Places are `[right, down]` in edges of a cell.

use serde::{Deserialize, Serialize};

/// A board with what stands on it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BoardPicture {
    /// Right and lower end; the left and upper end is (0, 0).
    pub size: [f64; 2],
    /// Cells, each a polygon.
    pub cells: Vec<CellPicture>,
    /// Lines between places.
    pub lines: Vec<Vec<[f64; 2]>>,
    /// Edges of the board that belong to a side; where there are such, tones are colours.
    pub rims: Vec<(Tone, Vec<[f64; 2]>)>,
    /// Names of rows and columns, each around its place.
    pub labels: Vec<(String, [f64; 2])>,
    /// What stands on the board, the lowest first.
    pub pieces: Vec<PiecePicture>,
    /// Where the last action began and ended.
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
    /// Its middle.
    pub at: [f64; 2],
    /// Half its height.
    pub radius: f64,
    /// Its tone.
    pub tone: Tone,
    /// Whether it looks downwards.
    pub is_turned: bool,
    /// Its form.
    pub figure: Figure,
    /// How many lie there; written beside it from 2.
    pub count: u16,
}

/// What tells the pieces of the sides apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// Black, or the first colour.
    Dark,
    /// White, or the second colour.
    Light,
    /// Grey: nobody's.
    Neutral,
}

/// The form of a piece.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// A round stone.
    #[default]
    Stone,
    /// A round stone with a ring on it: a man that became more, or a king.
    Ringed,
    /// A round stone with a word of one or two letters on it.
    Lettered(String),
    /// A piece of chess.
    Chess(Chessman),
    /// A wedge with a word of one or two letters, whose point shows where its side goes.
    Wedge(String),
}

/// The pieces of chess.
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
