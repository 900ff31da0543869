//! Range-checked numbers in game settings: board lengths, and the length of a winning row.
//!
//! They are checked when they are read, so that every game gets a supported board.

use crate::base::bounded;

bounded! {
    /// Points along one side of a square board, 5 to 25. In a manifest: a plain integer.
    struct BoardSize from 5 to 25, "board size {value} is outside {range}"
}
bounded! {
    /// Squares along one side of an Othello board, 4 to 350. In a manifest: a plain integer.
    struct OthelloSize from 4 to 350, "othello board size {value} is outside {range}"
}
bounded! {
    /// Points along one side of a Go board, 2 to 25. In a manifest: a plain integer.
    struct GoSize from 2 to 25, "go board size {value} is outside {range}"
}
bounded! {
    /// Squares along one side of a board of Breakthrough, 4 to 11. In a manifest: a plain integer.
    struct BreakthroughSize from 4 to 11, "breakthrough board size {value} is outside {range}"
}
bounded! {
    /// Hexagons along one edge of a board of Hex, 2 to 25. In a manifest: a plain integer.
    struct HexSize from 2 to 25, "hex board size {value} is outside {range}"
}
bounded! {
    /// Rows or columns of a small board, 3 to 25. In a manifest: a plain integer.
    struct GridLength from 3 to 25, "grid length {value} is outside {range}"
}
bounded! {
    /// Stones in a row that win, 2 to 25. In a manifest: a plain integer.
    struct RowLength from 2 to 25, "row length {value} is outside {range}"
}

impl Default for RowLength {
    fn default() -> RowLength {
        RowLength(5)
    }
}

impl Default for HexSize {
    fn default() -> HexSize {
        HexSize(11)
    }
}

impl Default for BreakthroughSize {
    fn default() -> BreakthroughSize {
        BreakthroughSize(8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_checked_where_they_are_read() {
        assert_eq!(serde_json::from_str::<BoardSize>("25").unwrap().get(), 25);
        assert_eq!(serde_json::to_string(&BoardSize::new(7).unwrap()).unwrap(), "7");
        for (text, message) in [
            ("4", "board size 4 is outside 5 to 25"),
            ("400", "board size 400 is outside 5 to 25"),
            ("-7", "board size -7 is outside 5 to 25"),
        ] {
            assert_eq!(serde_json::from_str::<BoardSize>(text).unwrap_err().to_string(), message);
        }
        assert!(serde_json::from_str::<BoardSize>("7.5").is_err());
        assert_eq!(RowLength::new(1).unwrap_err().to_string(), "row length 1 is outside 2 to 25");
        assert_eq!(RowLength::default().get(), 5);
        assert_eq!(OthelloSize::new(350).unwrap().get(), 350);
        assert_eq!(GoSize::new(1).unwrap_err().to_string(), "go board size 1 is outside 2 to 25");
    }
}
