//! `loadsgf`: a game from a file.

use std::fs::File;
use std::io::Read as _;
use std::sync::Arc;

use super::super::board::Board;
use gauntlet_games::formats::{Transcript, sgf};
use gauntlet_games::games::{Game, GameSpec, Komi};

/// The largest file that is read, in bytes.
const LARGEST: u64 = 16 << 20;

/// A loaded game.
pub(super) struct Loaded {
    /// The rules, with the size and the komi of the file.
    pub spec: GameSpec,
    transcript: Transcript,
}

/// Reads the first game of a file.
///
/// # Errors
/// The reason, as a sentence.
pub(super) fn load(path: &str, spec: &GameSpec) -> Result<Loaded, String> {
    let failed = |reason: String| format!("cannot load file: {reason}");
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes));
    read.map_err(|error| failed(error.to_string()))?;
    if bytes.len() as u64 > LARGEST {
        return Err(failed(format!("it is larger than {LARGEST} bytes")));
    }
    let spec = told(&bytes, spec);
    let games = sgf::read(&bytes, &spec, usize::MAX).map_err(|error| failed(error.to_string()))?;
    let transcript = games.into_iter().next().ok_or_else(|| failed("it has no game".to_owned()))?;
    Ok(Loaded { spec, transcript })
}

impl Loaded {
    /// The game up to a number of moves.
    ///
    /// # Errors
    /// If it cannot be replayed; the message is a sentence.
    pub fn board(&self, game: Arc<dyn Game>, moves: usize) -> Result<Board, String> {
        let mut board = Board::new(Arc::clone(&game));
        if let Some(start) = &self.transcript.start {
            let position = game.read_position(start).map_err(|error| format!("cannot load file: {error}"))?;
            board.start_from(position);
        }
        for &action in self.transcript.actions.iter().take(moves) {
            let position = board.position().fork();
            board.play_from(position, action);
        }
        Ok(board)
    }
}

/// The rules with the size and, in Go, the komi that a file names, as far as they are possible.
fn told(bytes: &[u8], spec: &GameSpec) -> GameSpec {
    let text = String::from_utf8_lossy(bytes);
    let number = |key: &str| -> Option<f64> {
        let (_, rest) = text.split_once(key)?;
        rest.split(']').next()?.trim().parse().ok()
    };
    let sized = number("SZ[").and_then(|size| spec.resized(size as u32).ok());
    let mut spec = sized.unwrap_or_else(|| spec.clone());
    if let (GameSpec::Go(rules), Some(komi)) = (&mut spec, number("KM[").and_then(|komi| Komi::new(komi).ok())) {
        rules.komi = komi;
    }
    spec
}
