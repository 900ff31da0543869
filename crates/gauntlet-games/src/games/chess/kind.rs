//! The kinds of pieces.

/// What a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// Moves ahead, takes to the side, promotes.
    Pawn,
    /// Jumps.
    Knight,
    /// Slides diagonally.
    Bishop,
    /// Slides along rows and columns.
    Rook,
    /// Slides like both.
    Queen,
    /// Steps; is what the game is about.
    King,
}

impl Kind {
    /// All kinds, by index.
    pub const ALL: [Kind; 6] = [Kind::Pawn, Kind::Knight, Kind::Bishop, Kind::Rook, Kind::Queen, Kind::King];
}
