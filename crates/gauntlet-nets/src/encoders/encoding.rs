//! Settings of encoders, independent of a board: supported games and dimensions.

use std::sync::Arc;

use super::{Dims, Encoder};
use gauntlet_games::games::{Game, Lookback};

/// The dimensions of the encoded positions of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// The dimensions of the batch.
    pub dims: Dims,
    /// Sites of the board.
    pub sites: usize,
    /// Slots of a position, each with a logit.
    pub slots: usize,
}

/// The settings of an encoding. A new encoding is a file with its settings and its [`Encoder`], and a line in the
/// function that defines the input of networks (`GuidedAgent::encoding`).
pub trait Encoding {
    /// Checks that it can encode positions of this game, with a slot for each of its actions; [`keeps_enough`] checks
    /// the history.
    ///
    /// # Errors
    /// The reason, as a text after a colon.
    fn check(&self, game: &dyn Game) -> Result<(), String>;

    /// The dimensions for this game.
    fn extent(&self, game: &dyn Game) -> Extent;

    /// The history of a game that its encoder reads.
    fn lookback(&self, game: &dyn Game) -> Lookback;

    /// The encoder for positions of these games. An encoder for a single board uses the first game's.
    ///
    /// # Panics
    /// Without games, and for unsupported games.
    fn encoder(&self, boards: &[Arc<dyn Game>]) -> Box<dyn Encoder>;
}

/// Checks that a game keeps the history that an encoder reads.
///
/// # Errors
/// The missing history, as a text after a colon.
pub fn keeps_enough(game: &dyn Game, wanted: Lookback) -> Result<(), String> {
    let kept = game.keeps();
    let [wanted, kept] =
        [wanted, kept].map(|lookback| [("positions", lookback.positions), ("actions", lookback.actions)]);
    match wanted.into_iter().zip(kept).find(|((_, wanted), (_, kept))| wanted > kept) {
        None => Ok(()),
        Some(((what, wanted), (_, kept))) => Err(format!(
            "it looks back on {wanted} {what}, but this game keeps {kept}; choose a network without history"
        )),
    }
}

/// Whether the actions of a game are its sites in their order, and perhaps one more.
#[must_use]
pub fn plays_on_sites(game: &dyn Game) -> bool {
    let sites = game.topology().sites();
    (sites..=sites + 1).contains(&game.action_count())
}

/// Whether the sites of a game are all points of its grid.
#[must_use]
pub fn is_full_grid(game: &dyn Game) -> bool {
    let board = game.topology();
    board.rows() * board.columns() == board.sites()
}
