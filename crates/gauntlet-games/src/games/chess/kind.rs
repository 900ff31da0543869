//! The kinds of chess pieces.

/// The kind of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// Moves ahead, captures diagonally, promotes.
    Pawn,
    /// Jumps.
    Knight,
    /// Slides diagonally.
    Bishop,
    /// Slides along rows and columns.
    Rook,
    /// Slides like a bishop or a rook.
    Queen,
    /// Steps to any neighbour; its capture decides the game.
    King,
}

impl Kind {
    /// All kinds, by index.
    pub const ALL: [Kind; 6] = [Kind::Pawn, Kind::Knight, Kind::Bishop, Kind::Rook, Kind::Queen, Kind::King];
}
