//! The settings of an encoder, before there is a board: which games it can write, and how much that is.

use std::sync::Arc;

use super::{Dims, Encoder};
use gauntlet_games::games::{Game, Lookback};

/// What a network meets of the positions of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// What is written.
    pub dims: Dims,
    /// Sites of the board.
    pub sites: usize,
    /// Slots of a position, each with a logit.
    pub slots: usize,
}

/// How positions are encoded. A new one is a file with its settings and its [`Encoder`], and a line where networks say
/// what they read (`GuidedAgent::encoding`).
pub trait Encoding {
    /// Whether it can write positions of this game, with a slot for each of its actions; [`keeps_enough`] tells whether the
    /// game keeps what its encoder reads.
    ///
    /// # Errors
    /// Why not, as what follows a colon.
    fn check(&self, game: &dyn Game) -> Result<(), String>;

    /// How much it writes of this game.
    fn extent(&self, game: &dyn Game) -> Extent;

    /// How far its encoder looks back in a game.
    fn lookback(&self, game: &dyn Game) -> Lookback;

    /// The encoder for positions of these games. One for a single board takes the first game's.
    ///
    /// # Panics
    /// Without games, and with games that it cannot write.
    fn encoder(&self, boards: &[Arc<dyn Game>]) -> Box<dyn Encoder>;
}

/// Whether a game keeps as much of the past as an encoder wants.
///
/// # Errors
/// What is missing, as what follows a colon.
pub fn keeps_enough(game: &dyn Game, wanted: Lookback) -> Result<(), String> {
    let kept = game.keeps();
    let [wanted, kept] =
        [wanted, kept].map(|lookback| [("positions", lookback.positions), ("actions", lookback.actions)]);
    match wanted.into_iter().zip(kept).find(|((_, wanted), (_, kept))| wanted > kept) {
        None => Ok(()),
        Some(((what, wanted), (_, kept))) => Err(format!(
            "it looks back on {wanted} {what}, and this game keeps {kept}; take a network that reads no history"
        )),
    }
}

/// Whether the actions of a game are its sites in their order, and perhaps one more.
#[must_use]
pub fn plays_on_sites(game: &dyn Game) -> bool {
    let sites = game.topology().sites();
    (sites..=sites + 1).contains(&game.action_count())
}

/// Whether the sites of a game are all places of its grid.
#[must_use]
pub fn is_full_grid(game: &dyn Game) -> bool {
    let board = game.topology();
    board.rows() * board.columns() == board.sites()
}
