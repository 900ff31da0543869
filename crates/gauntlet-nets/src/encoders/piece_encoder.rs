//! Boards with pieces as images: a plane for each kind and owner, from the point of view of the side to move.
//!
//! The planes are the own kinds in their order, then the opponent's, level by level for stacks. A neutral piece is in
//! both planes of its kind. If a site counts its pieces, their number replaces the one. If a game turns the board for
//! the second side ([`Game::turned`]), so does the encoder, and an action has the slot of the equivalent action of
//! the first side: knowledge about one side transfers to the other. Every action of the game has a slot, so that the
//! network needs a logit for each, as of a full layer.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Batch, Dims, Encoder};
use gauntlet_games::base::{Action, Side};
use gauntlet_games::games::{Game, Lookback, Piece, Position, View};

/// Encodes the boards of one game as planes of pieces.
#[derive(Debug, Clone)]
pub struct PieceEncoder {
    dims: Dims,
    /// Whether a plane shows the destination of the last action.
    last: bool,
    /// Whether a plane of ones shows that the first side is to move.
    colour: bool,
    kinds: usize,
    levels: usize,
    board: Arc<SeenBoard>,
    view: View,
}

/// A board from both sides' points of view.
#[derive(Debug)]
struct SeenBoard {
    /// The second side's map of sites; `None` if both sides see the same board.
    turned: Option<Vec<u32>>,
    /// The slot of each action for the second side.
    slots: Vec<u32>,
    /// The destination of each action.
    arrivals: Vec<Option<usize>>,
}

impl SeenBoard {
    fn new(game: &dyn Game) -> SeenBoard {
        let actions = || (0..game.action_count()).map(Action::from);
        let turned = game.turned().map(<[u32]>::to_vec);
        let numbers: HashMap<_, _> = actions().map(|action| (game.step(action), action.0)).collect();
        let slot = |map: &[u32], action| numbers[&game.step(action).turned(map)];
        let slots = turned.iter().flat_map(|map| actions().map(|action| slot(map, action))).collect();
        SeenBoard { turned, slots, arrivals: actions().map(|action| game.arrival(action)).collect() }
    }

    /// A site from the point of view of a side.
    fn site(&self, side: Side, site: usize) -> usize {
        match &self.turned {
            Some(map) if side == Side::Second => map[site] as usize,
            _ => site,
        }
    }
}

impl PieceEncoder {
    /// The encoder for the boards of one game. Optional planes after those of the pieces show the destination of the
    /// last action, and the colour of the side to move.
    #[must_use]
    pub fn new(game: &dyn Game, last: bool, colour: bool) -> PieceEncoder {
        let (kinds, levels, topology) = (game.kinds(), levels(game), game.topology());
        let (rows, columns, actions) = (topology.rows(), topology.columns(), game.action_count());
        let channels = PieceEncoder::planes_of(game) + usize::from(last) + usize::from(colour);
        let dims = Dims::Planes { channels, rows, columns, actions };
        PieceEncoder { dims, last, colour, kinds, levels, board: Arc::new(SeenBoard::new(game)), view: View::new() }
    }

    /// Number of planes that show pieces of a game.
    #[must_use]
    pub fn planes_of(game: &dyn Game) -> usize {
        2 * game.kinds() * levels(game)
    }

    /// Writes a position onto zeros.
    fn write(&self, image: &mut [f32]) {
        let (view, sites) = (&self.view, self.view.pieces.len() / self.levels);
        for (at, &piece) in view.pieces.iter().enumerate().filter(|(_, piece)| !piece.is_empty()) {
            let (site, level) = (at / self.levels, at % self.levels);
            let number = view.counts.get(site).map_or(1.0, |&count| f32::from(count));
            for plane in self.planes(view.side, piece) {
                image[(2 * self.kinds * level + plane) * sites + self.board.site(view.side, site)] = number;
            }
        }
        let mut rest = &mut image[2 * self.kinds * self.levels * sites..];
        if self.last {
            if let Some(site) = view.last.and_then(|action| self.board.arrivals[action.index()]) {
                rest[self.board.site(view.side, site)] = 1.0;
            }
            rest = &mut rest[sites..];
        }
        if self.colour && view.side == Side::First {
            rest.fill(1.0);
        }
    }

    /// The planes of a piece on the lowest level: one, or two for a neutral piece.
    fn planes(&self, mover: Side, piece: Piece) -> impl Iterator<Item = usize> + use<> {
        let (kind, kinds, owner) = (usize::from(piece.kind()), self.kinds, piece.side());
        let of = [owner != Some(mover.opponent()), owner != Some(mover)];
        [kind, kinds + kind].into_iter().zip(of).filter_map(|(plane, of)| of.then_some(plane))
    }
}

/// Maximum height of a stack.
fn levels(game: &dyn Game) -> usize {
    let mut view = View::new();
    game.start().view(&mut view);
    view.pieces.len() / game.topology().sites()
}

impl Encoder for PieceEncoder {
    fn dims(&self) -> Dims {
        self.dims
    }

    fn lookback(&self) -> Lookback {
        if self.last { Lookback::LAST } else { Lookback::NONE }
    }

    fn encode(&mut self, positions: &[&dyn Position], batch: &mut Batch) {
        batch.clear();
        let Batch::Planes(planes) = batch else { panic!("planes are written into planes") };
        for position in positions {
            position.view(&mut self.view);
            self.write(planes.blank());
        }
    }

    fn slots(&mut self, position: &dyn Position, actions: &[Action], into: &mut Vec<u32>) {
        match &self.board.turned {
            Some(_) if position.side() == Side::Second => {
                into.extend(actions.iter().map(|action| self.board.slots[action.index()]));
            }
            _ => into.extend(actions.iter().map(|action| action.0)),
        }
    }

    fn fork(&self) -> Box<dyn Encoder> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoders::{Encoding as _, PlanesSpec};
    use gauntlet_games::games::GameSpec;

    fn image(game: &dyn Game, position: &dyn Position) -> (Vec<f32>, Vec<u32>) {
        let mut encoder = PieceEncoder::new(game, true, false);
        let (mut batch, mut actions, mut slots) = (Batch::new(encoder.dims()), Vec::new(), Vec::new());
        encoder.encode(&[position], &mut batch);
        position.actions(&mut actions);
        encoder.slots(position, &actions, &mut slots);
        slots.sort_unstable();
        let Batch::Planes(planes) = batch else { panic!("an encoder of planes") };
        (planes.values().to_vec(), slots)
    }

    /// A position and its mirror image with exchanged sides have the same encoding.
    #[test]
    fn the_second_side_sees_what_the_first_one_would() {
        let chess = toml::from_str::<GameSpec>("chess = {}").unwrap().build();
        let set_up = |fen: &str| chess.read_position(fen).unwrap();
        let white = set_up("r3k3/1P1n4/8/3Pp3/8/5N2/4Q3/4K3 w - - 0 1");
        let black = set_up("4k3/4q3/5n2/8/3pP3/8/1p1N4/R3K3 b - - 0 1");
        let (seen, slots) = image(&*chess, &*white);
        assert_eq!(image(&*chess, &*black), (seen.clone(), slots.clone()));
        assert!(slots.windows(2).all(|pair| pair[0] < pair[1]) && slots.len() > 30, "underpromotions too");
        // Own pawns on b7 and d5, the opponent's rook on a8, the own king on e1.
        let ones = |plane: usize| (0..64).filter(|site| seen[64 * plane + site] == 1.0).collect::<Vec<_>>();
        assert_eq!([ones(0), ones(5), ones(9), ones(12)], [vec![9, 27], vec![60], vec![0], vec![]]);
    }

    #[test]
    fn the_last_arrival_is_shown_where_it_is_seen() {
        let game = toml::from_str::<GameSpec>("breakthrough = { size = 5 }").unwrap().build();
        let mut position = game.start();
        position.play(game.parse_action("a1b2").unwrap());
        let (seen, _) = image(&*game, &*position);
        // The first row of the board, b2 is on its second one from the bottom, which is on top for the second side.
        assert_eq!((0..25).filter(|site| seen[50 + site] == 1.0).collect::<Vec<_>>(), [6]);
        assert_eq!((0..25).filter(|site| seen[25 + site] == 1.0).collect::<Vec<_>>(), [1, 2, 3, 4, 6]);
    }

    #[test]
    fn every_game_on_a_full_grid_has_planes_of_pieces() {
        let spec: PlanesSpec = toml::from_str("pieces = true").unwrap();
        for game in GameSpec::examples().iter().map(GameSpec::build) {
            spec.check(&*game).unwrap();
            let (extent, mut encoder) = (spec.extent(&*game), spec.encoder(&[Arc::clone(&game)]));
            assert_eq!(extent.dims, encoder.dims());
            let (start, mut batch) = (game.start(), Batch::new(encoder.dims()));
            encoder.encode(&[&*start], &mut batch);
            assert_eq!(batch.logits(), extent.slots, "{}", game.name());
        }
    }
}
