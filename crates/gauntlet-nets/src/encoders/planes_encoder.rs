//! Boards as images: one number a site and channel, all boards of one size.
//!
//! Ben-Assayag and El-Yaniv 2021, appendix D (one canonical plane, as in the code that they build on), and Chen, Chin
//! and Megas 2019 (one plane; or own, opponent's, last move and colour). This file encodes stones and their owners;
//! the [`PieceEncoder`] encodes planes of pieces.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::history_planes::{self, HistoryEncoder};
use super::move_encoder::LOOKBACK;
use super::{Batch, Dims, Encoder, Encoding, Extent, PieceEncoder, is_full_grid, plays_on_sites};
use gauntlet_games::base::Side;
use gauntlet_games::games::{Game, Lookback, Position, View};

/// The planes, in this order: stones or pieces, last move, colour.
///
/// | key | default | values |
/// |---|---|---|
/// | `stones` | `"canonical"` | `"canonical"`: one plane, own 1, opponent's -1; `"absolute"`: one plane, first side's 1, second side's -1; `"split"`: two planes of ones, own and opponent's |
/// | `pieces` | false | instead of stones, a plane of ones for each kind of piece and owner, from the point of view of the side to move: own kinds, then the opponent's; for games whose actions are not sites (chess, Breakthrough) |
/// | `history` | false | instead of all others, AlphaZero's planes: pieces and repetitions of the last eight positions, colour, plies and the game's other counts, and a logit for each site and direction of departure (chess) |
/// | `last` | false | a plane with a one at the destination of the last action, if it has a site |
/// | `colour` | false | a plane of ones if the first side is to move, else of zeros |
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PlanesSpec {
    /// Encoding of stones.
    pub stones: StonePlanes,
    /// Whether there is a plane for each kind of piece and owner, instead of stones.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pieces: bool,
    /// Whether the last eight positions are shown, with a logit for each site and direction of departure, instead of
    /// all others.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub history: bool,
    /// Whether the last action is shown.
    pub last: bool,
    /// Whether the colour of the side to move is shown.
    pub colour: bool,
}

/// Encoding of stones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StonePlanes {
    /// One plane: own 1, opponent's -1.
    #[default]
    Canonical,
    /// One plane: the first side's 1, the second side's -1.
    Absolute,
    /// Two planes of ones: own, opponent's.
    Split,
}

impl PlanesSpec {
    /// Number of planes, given the number of planes for the board.
    fn channels(self, board: usize) -> usize {
        board + usize::from(self.last) + usize::from(self.colour)
    }

    /// Number of planes of stones.
    fn stone_planes(self) -> usize {
        1 + usize::from(self.stones == StonePlanes::Split)
    }

    /// The encoder of stones for the boards of one game.
    #[must_use]
    pub fn build(self, game: &dyn Game) -> PlanesEncoder {
        let board = game.topology();
        let (rows, columns, actions) = (board.rows(), board.columns(), game.action_count());
        PlanesEncoder { spec: self, rows, columns, actions, view: View::new() }
    }

    /// Writes a position onto zeros.
    fn write(self, view: &View, image: &mut [f32]) {
        let sites = view.pieces.len();
        let (stones, mut rest) = image.split_at_mut(if self.stones == StonePlanes::Split { 2 * sites } else { sites });
        let one = if self.stones == StonePlanes::Absolute { Side::First } else { view.side };
        for (site, piece) in view.pieces.iter().enumerate() {
            match (piece.side(), self.stones) {
                (None, _) => {}
                (Some(side), _) if side == one => stones[site] = 1.0,
                (Some(_), StonePlanes::Split) => stones[sites + site] = 1.0,
                (Some(_), _) => stones[site] = -1.0,
            }
        }
        if self.last {
            let (plane, others) = rest.split_at_mut(sites);
            if let Some(site) = view.last.and_then(|action| plane.get_mut(action.index())) {
                *site = 1.0;
            }
            rest = others;
        }
        if self.colour && view.side == Side::First {
            rest.fill(1.0);
        }
    }
}

impl Encoding for PlanesSpec {
    fn check(&self, game: &dyn Game) -> Result<(), String> {
        let refuse = |reason: &str| Err(reason.to_owned());
        if !is_full_grid(game) {
            return refuse("it reads images, and the board is not a full grid");
        }
        if self.history {
            let alone = *self == PlanesSpec { history: true, ..PlanesSpec::default() };
            return if alone { history_planes::check(game) } else { refuse("`planes` shows its `history` alone") };
        }
        match self.pieces {
            true if self.stones != StonePlanes::default() => refuse("`planes` shows `stones` or `pieces`, not both"),
            false if game.kinds() > 1 || !plays_on_sites(game) => refuse(
                "its planes show stones placed on sites; `planes = { pieces = true }` shows pieces that move, `planes = { history = true }` also their history",
            ),
            true | false => Ok(()),
        }
    }

    fn extent(&self, game: &dyn Game) -> Extent {
        if self.history {
            return history_planes::extent(game);
        }
        let (board, actions) = (game.topology(), game.action_count());
        let shown = if self.pieces { PieceEncoder::planes_of(game) } else { self.stone_planes() };
        let channels = self.channels(shown);
        let dims = Dims::Planes { channels, rows: board.rows(), columns: board.columns(), actions };
        Extent { dims, sites: board.sites(), slots: actions }
    }

    fn lookback(&self, _game: &dyn Game) -> Lookback {
        match (self.history, self.last) {
            (true, _) => LOOKBACK,
            (false, true) => Lookback::LAST,
            (false, false) => Lookback::NONE,
        }
    }

    fn encoder(&self, boards: &[Arc<dyn Game>]) -> Box<dyn Encoder> {
        let game = &*boards[0];
        if self.history {
            return Box::new(HistoryEncoder::new(game));
        }
        if self.pieces { Box::new(PieceEncoder::new(game, self.last, self.colour)) } else { Box::new(self.build(game)) }
    }
}

/// Encodes the boards of one game as planes of stones.
#[derive(Debug, Clone)]
pub struct PlanesEncoder {
    spec: PlanesSpec,
    rows: usize,
    columns: usize,
    actions: usize,
    view: View,
}

impl Encoder for PlanesEncoder {
    fn dims(&self) -> Dims {
        let (rows, columns, actions) = (self.rows, self.columns, self.actions);
        Dims::Planes { channels: self.spec.channels(self.spec.stone_planes()), rows, columns, actions }
    }

    fn lookback(&self) -> Lookback {
        if self.spec.last { Lookback::LAST } else { Lookback::NONE }
    }

    fn encode(&mut self, positions: &[&dyn Position], batch: &mut Batch) {
        batch.clear();
        let Batch::Planes(planes) = batch else { panic!("planes are written into planes") };
        for position in positions {
            position.view(&mut self.view);
            assert_eq!(self.view.pieces.len(), self.rows * self.columns, "planes are bound to one board size");
            self.spec.write(&self.view, planes.blank());
        }
    }

    fn fork(&self) -> Box<dyn Encoder> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::Action;
    use gauntlet_games::games::GameSpec;

    /// The planes of gomoku 5x5 after these actions.
    fn planes(spec: PlanesSpec, actions: &[u32]) -> Vec<Vec<f32>> {
        let game = toml::from_str::<GameSpec>("gomoku = { size = 5 }").unwrap().build();
        let mut position = game.start();
        actions.iter().for_each(|&action| position.play(Action(action)));
        let mut encoder = spec.build(&*game);
        let mut batch = Batch::new(encoder.dims());
        encoder.encode(&[&*position, &*position], &mut batch);
        let Batch::Planes(planes) = batch else { panic!("an encoder of planes") };
        assert_eq!(planes.positions(), 2);
        let images: Vec<_> = planes.values().chunks(planes.image()).collect();
        assert_eq!(images[0], images[1]);
        images[0].chunks(25).map(<[f32]>::to_vec).collect()
    }

    fn plane(stones: &[(usize, f32)]) -> Vec<f32> {
        let mut plane = vec![0.0; 25];
        stones.iter().for_each(|&(site, value)| plane[site] = value);
        plane
    }

    #[test]
    fn stones_are_seen_by_the_side_to_move() {
        let canonical = PlanesSpec::default();
        assert_eq!(planes(canonical, &[7, 3, 8]), [plane(&[(7, -1.0), (3, 1.0), (8, -1.0)])]);
        assert_eq!(planes(canonical, &[7, 3]), [plane(&[(7, 1.0), (3, -1.0)])]);
    }

    #[test]
    fn absolute_stones_keep_their_sign() {
        let absolute = PlanesSpec { stones: StonePlanes::Absolute, ..PlanesSpec::default() };
        for actions in [&[7, 3][..], &[7, 3, 8]] {
            let image = planes(absolute, actions);
            assert_eq!((image[0][7], image[0][3]), (1.0, -1.0));
        }
    }

    #[test]
    fn all_planes_in_their_order() {
        let spec = PlanesSpec { stones: StonePlanes::Split, last: true, colour: true, ..PlanesSpec::default() };
        assert_eq!(spec.channels(spec.stone_planes()), 4);
        let own_is_second = planes(spec, &[7, 3, 8]);
        let expected = [plane(&[(3, 1.0)]), plane(&[(7, 1.0), (8, 1.0)]), plane(&[(8, 1.0)]), vec![0.0; 25]];
        assert_eq!(own_is_second, expected);
        assert_eq!(planes(spec, &[])[3], vec![1.0; 25]);
    }
}
