//! Losses on time against a side that cannot mate by any series of legal moves: draws, by FIDE's Laws of Chess, 6.9.
//!
//! The pieces alone decide, as for a dead position. A blocked position, in which nobody can mate, still loses on time. A
//! game has the rule if its pieces are those of chess and two bare kings draw in it.

use gauntlet_games::base::{Chessman, Ending, Figure, Outcome, Record, Side};
use gauntlet_games::games::{Game, Piece, Position, View};

/// The pieces of a side, without its king.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Army {
    pawns: u32,
    knights: u32,
    /// On the squares of either colour.
    bishops: [u32; 2],
    /// Rooks and queens.
    rooks: u32,
    queens: u32,
}

/// Judges a loss on time again.
pub(super) fn judge(game: &dyn Game, record: &mut Record) {
    let (Ending::Time, Outcome::Win(winner)) = (record.ending, record.outcome) else { return };
    let Ok(mut position) = game.begin(record.start.as_deref()) else { return };
    record.actions.iter().for_each(|&action| position.play(action));
    if cannot_mate(game, &*position, winner) {
        record.outcome = Outcome::Draw;
    }
}

/// Whether a side cannot mate by any series of legal moves; false in other games than chess.
fn cannot_mate(game: &dyn Game, position: &dyn Position, side: Side) -> bool {
    let mut view = View::new();
    position.view(&mut view);
    let armies = Side::BOTH.map(|side| Army::of(game, &view.pieces, side));
    let [Some(first), Some(second)] = armies else { return false };
    let [own, other] = if side == Side::First { [first, second] } else { [second, first] };
    own.cannot_mate(&other) && draws_bare_kings(game, &view.pieces, position.side())
}

/// Whether the game is a draw once all pieces but the kings are gone.
fn draws_bare_kings(game: &dyn Game, pieces: &[Piece], side: Side) -> bool {
    let is_king = |piece: Piece| game.figure(piece) == Figure::Chess(Chessman::King);
    let kings: Vec<Piece> = pieces.iter().map(|&piece| if is_king(piece) { piece } else { Piece::EMPTY }).collect();
    game.set_up(&kings, side).is_ok_and(|position| position.outcome() == Some(Outcome::Draw))
}

impl Army {
    /// The pieces of a side with one king; `None` if it has other pieces than those of chess.
    fn of(game: &dyn Game, pieces: &[Piece], side: Side) -> Option<Army> {
        let (mut army, mut kings, columns) = (Army::default(), 0, game.topology().columns());
        for (site, &piece) in pieces.iter().enumerate().filter(|(_, piece)| piece.side() == Some(side)) {
            let Figure::Chess(man) = game.figure(piece) else { return None };
            match man {
                Chessman::King => kings += 1,
                Chessman::Queen => army.queens += 1,
                Chessman::Rook => army.rooks += 1,
                Chessman::Bishop => army.bishops[(site / columns + site % columns) % 2] += 1,
                Chessman::Knight => army.knights += 1,
                Chessman::Pawn => army.pawns += 1,
            }
        }
        (kings == 1).then_some(army)
    }

    /// Whether it cannot mate the king of another army, even if that one helps: its pieces may take squares from their
    /// own king, as long as they cannot always capture the piece that gives check, or step between.
    fn cannot_mate(&self, other: &Army) -> bool {
        let Army { pawns, knights, bishops, rooks, queens } = *self;
        if pawns + rooks + queens > 0 {
            return false;
        }
        match (knights, bishops) {
            (0, [0, 0]) => true,
            (1, [0, 0]) => *other == Army { queens: other.queens, ..Army::default() },
            (0, [_, 0]) => other.pawns == 0 && other.knights == 0 && other.bishops[1] == 0,
            (0, [0, _]) => other.pawns == 0 && other.knights == 0 && other.bishops[0] == 0,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use gauntlet_games::games::GameSpec;

    fn chess(settings: &str) -> Arc<dyn Game> {
        serde_json::from_str::<GameSpec>(&format!("{{\"chess\":{settings}}}")).unwrap().build()
    }

    /// Calls `tell` with every placement of these pieces on the empty sites.
    fn each_placement(men: &[Piece], pieces: &mut Vec<Piece>, tell: &mut dyn FnMut(&[Piece])) {
        let Some((&man, rest)) = men.split_first() else { return tell(pieces) };
        for site in 0..pieces.len() {
            if pieces[site].is_empty() {
                pieces[site] = man;
                each_placement(rest, pieces, tell);
                pieces[site] = Piece::EMPTY;
            }
        }
    }

    /// All positions on 5x5 with a knight or a bishop against at most one piece, and the king on the edge.
    #[test]
    fn the_rule_is_that_of_all_positions_with_these_pieces() {
        // Sites of the mated king, up to symmetry.
        const EDGE: [usize; 3] = [0, 1, 2];
        const KNIGHT: u8 = 1;
        const BISHOP: u8 = 2;
        const ROOK: u8 = 3;
        const KING: u8 = 5;
        let game = chess("{\"size\":5}");
        let mut mates: BTreeMap<String, (bool, u32)> = BTreeMap::new();
        for own in [Some(KNIGHT), Some(BISHOP)] {
            for other in [None, Some(0), Some(KNIGHT), Some(BISHOP), Some(ROOK), Some(4)] {
                let own = own.map(|kind| Piece::new(Side::First, kind));
                let other = other.map(|kind| Piece::new(Side::Second, kind));
                let men: Vec<Piece> = [Some(Piece::new(Side::First, KING)), own, other].into_iter().flatten().collect();
                for king in EDGE {
                    let mut pieces = vec![Piece::EMPTY; 25];
                    pieces[king] = Piece::new(Side::Second, KING);
                    each_placement(&men, &mut pieces, &mut |pieces| {
                        let [first, second] = Side::BOTH.map(|side| Army::of(&*game, pieces, side).unwrap());
                        let found = mates.entry(format!("{first:?} {second:?}")).or_default();
                        found.0 = first.cannot_mate(&second);
                        let position = game.set_up(pieces, Side::Second);
                        // Kings never stand beside each other.
                        let white = pieces.iter().position(|piece| *piece == Piece::new(Side::First, KING)).unwrap();
                        let touch = (white / 5).abs_diff(king / 5) <= 1 && (white % 5).abs_diff(king % 5) <= 1;
                        let is_mate =
                            |position: Box<dyn Position>| position.outcome() == Some(Outcome::Win(Side::First));
                        found.1 += u32::from(!touch && position.is_ok_and(is_mate));
                    });
                }
            }
        }
        // Bishops have two colours.
        assert_eq!(mates.len(), 7 + 2 * 7);
        let differs = |(_, (cannot_mate, mates)): &(&String, &(bool, u32))| *cannot_mate != (*mates == 0);
        let wrong: Vec<_> = mates.iter().filter(differs).collect();
        // The four corners of 5x5 have one colour. These mates need a corner of the other colour, which 8x8 has.
        let army = |bishops| Army { bishops, ..Army::default() };
        let bishop = army([0, 1]);
        let helped = [
            (bishop, army([1, 0])),
            (bishop, Army { knights: 1, ..Army::default() }),
            (bishop, Army { pawns: 1, ..Army::default() }),
            (Army { knights: 1, ..Army::default() }, army([1, 0])),
        ];
        let helped = helped.map(|(own, other)| format!("{own:?} {other:?}"));
        assert_eq!(wrong.iter().map(|(armies, _)| *armies).collect::<Vec<_>>(), helped.each_ref());
        assert!(wrong.iter().all(|(_, (cannot_mate, _))| !cannot_mate), "no side that can mate draws");
    }

    #[test]
    fn who_cannot_be_mated_does_not_lose_on_time() {
        // White has lost on time.
        let judged = |game: &dyn Game, fen: &str| {
            let mut record = Record::new(0, [0, 1], Vec::new(), Outcome::Win(Side::Second));
            (record.start, record.ending) = (Some(fen.to_owned()), Ending::Time);
            judge(game, &mut record);
            record.outcome
        };
        let game = chess("{}");
        for (fen, is_draw) in [
            ("4k3/8/8/8/8/8/4P3/4K2R w K - 0 1", true),
            ("4k3/p7/8/8/8/8/8/4K3 w - - 0 1", false),
            ("3qk3/8/8/8/8/8/8/4K3 w - - 0 1", false),
            ("2bbk3/8/8/8/8/8/8/4K3 w - - 0 1", false),
            ("1b1bk3/8/8/8/8/8/8/4K2R w - - 0 1", true),
            ("2nnk3/8/8/8/8/8/8/4K3 w - - 0 1", false),
            ("2nbk3/8/8/8/8/8/8/4K3 w - - 0 1", false),
            ("3nk3/8/8/8/8/8/8/3QKQ2 w - - 0 1", true),
            ("3nk3/8/8/8/8/8/8/3QKR2 w - - 0 1", false),
            ("3nk3/8/8/8/8/8/P7/4K3 w - - 0 1", false),
            ("3bk3/8/8/8/8/8/8/QR2K2R w - - 0 1", true),
            ("3bk3/8/8/8/8/8/8/B3K2R w - - 0 1", true),
            ("3bk3/8/8/8/8/8/8/1B2K2R w - - 0 1", false),
            ("3bk3/8/8/8/8/8/8/N3K3 w - - 0 1", false),
        ] {
            let expected = if is_draw { Outcome::Draw } else { Outcome::Win(Side::Second) };
            assert_eq!(judged(&*game, fen), expected, "{fen}");
        }
        let bare = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        let other = chess("{\"insufficient-material\":false}");
        assert_eq!(judged(&*other, bare), Outcome::Win(Side::Second), "this game has no dead positions");
        let mut resigned = Record::new(0, [0, 1], Vec::new(), Outcome::Win(Side::Second));
        (resigned.start, resigned.ending) = (Some(bare.to_owned()), Ending::Resigned);
        judge(&*game, &mut resigned);
        assert_eq!(resigned.outcome, Outcome::Win(Side::Second));
        let othello = serde_json::from_str::<GameSpec>(r#"{"othello":{"size":6}}"#).unwrap().build();
        let mut timed = Record::new(0, [0, 1], Vec::new(), Outcome::Win(Side::First));
        timed.ending = Ending::Time;
        judge(&*othello, &mut timed);
        assert_eq!(timed.outcome, Outcome::Win(Side::First));
    }
}
