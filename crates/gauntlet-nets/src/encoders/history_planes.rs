//! AlphaZero's planes: boards with pieces and their history as images, with a logit for every site and direction of
//! departure.
//!
//! Silver et al. 2018, as in pgx (Koyamada et al. 2023). The features of the nodes of a graph of moves are here on
//! the sites of an image. A slot is a site (counted by columns, from the last row) and a direction of departure:
//! first the further variants of a step (`aux`), each straight ahead and to both sides, then lines of every length in
//! eight directions, then the eight leaps of a knight. Many slots lead off the board; none of them is ever legal.

use std::collections::HashSet;
use std::sync::Arc;

use super::move_encoder::{MoveBoard, MoveEncoder, bits, shown};
use super::{Batch, Dims, EdgeFeatures, Encoder, Encoding as _, Extent, MoveEncoding};
use gauntlet_games::base::Action;
use gauntlet_games::games::{Game, Lookback, Position};

/// Number of further variants of a step with slots.
const WAYS: usize = 3;

/// Lines by columns and rows, up and to the right; those that go down, or left on one row, begin with the longest.
const LINES: [[i32; 2]; 8] = [[0, -1], [0, 1], [-1, 0], [1, 0], [-1, -1], [1, 1], [-1, 1], [1, -1]];

/// Leaps by columns and rows.
const LEAPS: [[i32; 2]; 8] = [[-2, -1], [-2, 1], [-1, -2], [-1, 2], [2, -1], [2, 1], [1, -2], [1, 2]];

/// Number of directions of departure on a board with `rows` rows.
fn ways(rows: usize) -> usize {
    3 * WAYS + LINES.len() * (rows - 1) + LEAPS.len()
}

/// The direction of a step by its offset in columns to the right and in rows up; `None` if there is no such
/// direction.
fn way(rows: usize, aux: u16, [right, up]: [i32; 2]) -> Option<usize> {
    let longest = rows - 1;
    if aux > 0 {
        let aside = [0, 1, -1].iter().position(|&aside| aside == right)?;
        return (usize::from(aux) <= WAYS && up == 1).then_some(3 * (usize::from(aux) - 1) + aside);
    }
    if let Some(leap) = LEAPS.iter().position(|&leap| leap == [right, up]) {
        return Some(3 * WAYS + LINES.len() * longest + leap);
    }
    let length = right.abs().max(up.abs());
    let line = LINES.iter().position(|line| line.map(|step| step * length) == [right, up])?;
    let length = usize::try_from(length).ok().filter(|length| (1..=longest).contains(length))?;
    Some(3 * WAYS + line * longest + if line % 2 == 0 { longest - length } else { length - 1 })
}

/// The slot of each edge of a board; `None` if an edge has no slot, or two edges share one.
fn slots_of(board: &MoveBoard, game: &dyn Game) -> Option<Vec<u32>> {
    let (rows, columns) = (game.topology().rows(), game.topology().columns());
    let slot = |step: &gauntlet_games::games::Step| {
        let [from, to] = [step.from? as usize, step.to? as usize];
        let [right, up] =
            [(to % columns) as i32 - (from % columns) as i32, (from / columns) as i32 - (to / columns) as i32];
        let site = from % columns * rows + rows - 1 - from / columns;
        Some((site * ways(rows) + way(rows, step.aux, [right, up])?) as u32)
    };
    let slots = board.steps().iter().map(slot).collect::<Option<Vec<u32>>>()?;
    (slots.iter().collect::<HashSet<_>>().len() == slots.len()).then_some(slots)
}

/// Checks that the positions of a game can be encoded.
///
/// # Errors
/// The reason, as a text after a colon.
pub fn check(game: &dyn Game) -> Result<(), String> {
    MOVES.check(game)?;
    let (rows, columns) = (game.topology().rows(), game.topology().columns());
    let fits = rows == columns && slots_of(&MoveBoard::new(game, MOVES.edges), game).is_some();
    if fits { Ok(()) } else { Err("its moves are lines and a knight's leaps on a square board".to_owned()) }
}

/// The dimensions for a game.
pub fn extent(game: &dyn Game) -> Extent {
    let rows = game.topology().rows();
    extent_of(rows, bits(game.kinds()) + shown(&game.scalars()).count())
}

fn extent_of(rows: usize, channels: usize) -> Extent {
    let (sites, slots) = (rows * rows, rows * rows * ways(rows));
    Extent { dims: Dims::Planes { channels, rows, columns: rows, actions: slots }, sites, slots }
}

/// The features of nodes do not depend on those of edges.
const MOVES: MoveEncoding = MoveEncoding { edges: EdgeFeatures::Paper };

/// Encodes the positions of one game as images with their history.
#[derive(Debug, Clone)]
pub struct HistoryEncoder {
    moves: MoveEncoder,
    board: Arc<MoveBoard>,
    slots: Arc<Vec<u32>>,
    rows: usize,
}

impl HistoryEncoder {
    /// The encoder for the boards of one game.
    ///
    /// # Panics
    /// If the game cannot be encoded.
    #[must_use]
    pub fn new(game: &dyn Game) -> HistoryEncoder {
        let board = Arc::new(MoveBoard::new(game, MOVES.edges));
        let slots = slots_of(&board, game).expect("the game has been checked");
        let rows = game.topology().rows();
        HistoryEncoder { moves: MoveEncoder::new(vec![Arc::clone(&board)]), board, slots: Arc::new(slots), rows }
    }

    fn extent(&self) -> Extent {
        extent_of(self.rows, self.board.dims().bits + self.board.shown().count())
    }
}

impl Encoder for HistoryEncoder {
    fn dims(&self) -> Dims {
        self.extent().dims
    }

    fn lookback(&self) -> Lookback {
        self.moves.lookback()
    }

    fn encode(&mut self, positions: &[&dyn Position], batch: &mut Batch) {
        batch.clear();
        let Batch::Planes(planes) = batch else { panic!("planes are written into planes") };
        let (sites, bits) = (self.rows * self.rows, self.board.dims().bits);
        for position in positions {
            let (nodes, common) = self.moves.nodes(*position);
            let image = planes.blank();
            for (site, &node) in nodes.iter().enumerate() {
                let mut left = node;
                while left != 0 {
                    image[left.trailing_zeros() as usize * sites + site] = 1.0;
                    left &= left - 1;
                }
            }
            for (plane, at) in image[bits * sites..].chunks_exact_mut(sites).zip(self.board.shown()) {
                plane.fill(common[at]);
            }
        }
    }

    fn slots(&mut self, position: &dyn Position, actions: &[Action], into: &mut Vec<u32>) {
        let start = into.len();
        self.moves.slots(position, actions, into);
        into[start..].iter_mut().for_each(|slot| *slot = self.slots[*slot as usize]);
    }

    fn fork(&self) -> Box<dyn Encoder> {
        Box::new(self.clone())
    }
}
