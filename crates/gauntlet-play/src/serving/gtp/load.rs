//! `loadsgf`: a game from a file.

use std::path::Path;
use std::sync::Arc;

use super::super::board::Board;
use gauntlet_games::base::files::read_regular;
use gauntlet_games::formats::{Transcript, sgf};
use gauntlet_games::games::{Game, GameSpec};

/// The largest file that is read, in bytes.
const LARGEST: u64 = 16 << 20;

/// A loaded game.
pub(super) struct Loaded {
    /// The rules, with the size and the komi of the file.
    pub spec: GameSpec,
    transcript: Transcript,
}

/// Reads the first game of a file, up to `most` moves.
///
/// # Errors
/// The reason, as a sentence.
pub(super) fn load(path: &str, spec: &GameSpec, most: usize) -> Result<Loaded, String> {
    let failed = |reason: String| format!("cannot load file: {reason}");
    let bytes = read_regular(Path::new(path), LARGEST).map_err(|error| failed(error.to_string()))?;
    let (spec, transcript) = sgf::read_first(&bytes, spec, most).map_err(|error| failed(error.to_string()))?;
    Ok(Loaded { spec, transcript })
}

impl Loaded {
    /// The game.
    ///
    /// # Errors
    /// If it cannot be replayed; the message is a sentence.
    pub fn board(&self, game: Arc<dyn Game>) -> Result<Board, String> {
        let mut board = Board::new(Arc::clone(&game));
        if let Some(start) = &self.transcript.start {
            let position =
                game.read_position(start).map_err(|error| format!("cannot load file: {}", game.reason(error)))?;
            board.start_from(position);
        }
        for &action in &self.transcript.actions {
            let position = board.position().fork();
            board.play_from(position, action);
        }
        Ok(board)
    }
}
