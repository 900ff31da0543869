//! Shapes of pieces in pictures, chosen by the pieces' names.

use crate::base::{Chessman, Figure};

/// Pieces of shogi by their Japanese and English names, with the labels on them.
const SHOGI: [(&str, &str, &str); 12] = [
    ("Osho", "King", "K"),
    ("Hisha", "Rook", "R"),
    ("Kakugyo", "Bishop", "B"),
    ("Kinsho", "Gold", "G"),
    ("Ginsho", "Silver", "S"),
    ("Keima", "Knight", "N"),
    ("Kyosha", "Lance", "L"),
    ("Fuhyo", "Pawn", "P"),
    ("Ryuo", "Dragon", "+R"),
    ("Ryuma", "Horse", "+B"),
    ("Narigin", "GoldSilver", "+S"),
    ("Tokin", "Tokin", "+P"),
];
/// Words in the names of promoted men and of kings that are stones.
const RINGED: [&str; 6] = ["Star", "King", "Jarl", "Officer", "Dame", "Double"];

/// The shape of a piece of this name, without its owner's number, in a game whose pieces have the names `all`.
#[must_use]
pub fn figure(name: &str, all: &[&str]) -> Figure {
    if let Some((.., word)) = SHOGI.iter().find(|known| is_shogi(all) && [known.0, known.1].contains(&name)) {
        return Figure::Wedge((*word).to_owned());
    }
    match chessman(name).filter(|_| is_chess(all)) {
        Some(man) => Figure::Chess(man),
        None if RINGED.iter().any(|word| name.contains(word)) => Figure::Ringed,
        None => Figure::Stone,
    }
}

/// Whether these are the names of the chess pieces.
#[must_use]
pub fn is_chess(all: &[&str]) -> bool {
    all.iter().all(|name| chessman(name).is_some())
}

/// Whether any name occurs only in shogi.
fn is_shogi(all: &[&str]) -> bool {
    all.iter().any(|name| ["Kinsho", "Gold", "Ginsho", "Silver", "Fuhyo"].contains(name))
}

fn chessman(name: &str) -> Option<Chessman> {
    Some(match name {
        "Pawn" => Chessman::Pawn,
        "Knight" => Chessman::Knight,
        "Bishop" => Chessman::Bishop,
        "Rook" => Chessman::Rook,
        "Queen" => Chessman::Queen,
        "King" => Chessman::King,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_look_like_their_names() {
        assert_eq!(figure("Tokin", &["Tokin", "Gold"]), Figure::Wedge("+P".into()));
        assert_eq!(figure("Osho", &["Osho", "Fuhyo"]), Figure::Wedge("K".into()));
        assert_eq!(figure("Pawn", &["Pawn", "King"]), Figure::Chess(Chessman::Pawn));
        assert_eq!(figure("King", &["Stone", "King"]), Figure::Ringed);
        assert_eq!(figure("CounterStar", &["Counter", "CounterStar"]), Figure::Ringed);
        assert_eq!(figure("Marker", &["Marker"]), Figure::Stone);
    }
}
