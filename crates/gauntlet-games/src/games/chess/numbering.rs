//! Chess moves as actions, the same for both sides: the edges of the paper's move graph on absolute squares.
//!
//! The first actions are all pairs of squares that a queen or a knight could join on an empty board, by square of
//! departure and of arrival (1,792 on 8x8, 416 on 5x5); a promotion to a queen uses the plain pair. Then come the
//! underpromotions to rook, bishop and knight for each pair (132 and 78). From the point of view of the side to move
//! there is one edge less for each underpromotion of the other side: 1,858 and 455, as in Rigaux and Kashima,
//! "Enhancing Chess Reinforcement Learning with Graph Representation" (2024).

use std::sync::LazyLock;

use super::board::ChessMove;
use super::geometry::{Geometry, Squares, WIDTH, bit, each};
use crate::base::{Action, Chessman, Side};

/// Underpromotions, in the order of their actions.
pub(super) const UNDER: [Chessman; 3] = [Chessman::Rook, Chessman::Bishop, Chessman::Knight];

/// The actions of a board of one size.
#[derive(Debug)]
pub(super) struct Numbering {
    moves: Vec<ChessMove>,
    /// By square of departure: destinations of a queen or a knight, and the first such action.
    reach: [Squares; 64],
    starts: [u32; 64],
    /// Likewise for promoting pawns.
    promotions: [Squares; 64],
    under_starts: [u32; 64],
}

static SMALL: LazyLock<Numbering> = LazyLock::new(|| Numbering::new(Geometry::of(5)));
static FULL: LazyLock<Numbering> = LazyLock::new(|| Numbering::new(Geometry::of(8)));

impl Numbering {
    /// The numbering of the board with five or with eight rows.
    pub fn of(size: usize) -> &'static Numbering {
        if size == 5 { &SMALL } else { &FULL }
    }

    fn new(geometry: &Geometry) -> Numbering {
        let on_board = |of: &dyn Fn(u32) -> Squares| {
            std::array::from_fn(|from| if geometry.board & bit(from as u32) == 0 { 0 } else { of(from as u32) })
        };
        let queen = |from: u32| geometry.rook(from, 0) | geometry.bishop(from, 0);
        let reach = on_board(&|from| queen(from) | geometry.knight[from as usize]);
        let promotions = on_board(&|from| Side::BOTH.into_iter().map(|side| promotion(geometry, side, from)).sum());
        let mut moves = Vec::new();
        let mut add = |reach: &[Squares; 64], kinds: &[Option<Chessman>]| {
            std::array::from_fn(|from| {
                let start = moves.len() as u32;
                let edge = |to| kinds.iter().map(move |&under| ChessMove { from: from as u32, to, under });
                moves.extend(each(reach[from]).flat_map(edge));
                start
            })
        };
        let starts = add(&reach, &[None]);
        let under_starts = add(&promotions, &UNDER.map(Some));
        Numbering { moves, reach, starts, promotions, under_starts }
    }

    /// Number of actions.
    pub fn count(&self) -> usize {
        self.moves.len()
    }

    /// The move of an action.
    #[inline]
    pub fn decode(&self, action: Action) -> ChessMove {
        self.moves[action.index()]
    }

    /// The action of a move on the board.
    #[inline]
    pub fn encode(&self, ChessMove { from, to, under }: ChessMove) -> Action {
        let (at, before) = (from as usize, bit(to) - 1);
        match under.and_then(|under| UNDER.iter().position(|&kind| kind == under)) {
            None => Action(self.starts[at] + (self.reach[at] & before).count_ones()),
            Some(kind) => Action(self.under_starts[at] + 3 * (self.promotions[at] & before).count_ones() + kind as u32),
        }
    }

    /// The action of a move between any squares.
    pub fn find(&self, wanted: ChessMove) -> Option<Action> {
        let reach = if wanted.under.is_some() { &self.promotions } else { &self.reach };
        (reach[wanted.from as usize] & bit(wanted.to) != 0).then(|| self.encode(wanted))
    }
}

/// Promotion squares that a side's pawn could reach from a square.
fn promotion(geometry: &Geometry, side: Side, from: u32) -> Squares {
    let ahead = Geometry::ahead(side, bit(from));
    let near = if from / WIDTH == 0 || from / WIDTH == geometry.size - 1 { 0 } else { ahead };
    (near | geometry.pawn[side as usize][from as usize]) & geometry.last_row[side as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_the_edges_of_the_paper() {
        for (size, plain, all) in [(8, 1792, 1924), (5, 416, 494)] {
            let numbering = Numbering::of(size);
            assert_eq!(numbering.moves.iter().filter(|edge| edge.under.is_none()).count(), plain);
            assert_eq!(numbering.count(), all);
            let seen_by_the_mover = plain + (all - plain) / 2;
            assert_eq!(seen_by_the_mover, if size == 8 { 1858 } else { 455 });
            for action in (0..all).map(Action::from) {
                assert_eq!(numbering.find(numbering.decode(action)), Some(action));
            }
        }
    }
}
