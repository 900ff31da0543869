//! `gauntlet play`: a game in the terminal against a trained model, or against any player.
//!
//! The board, the moves and the result go to stdout, prompts and refusals to standard error; moves are read from
//! stdin, which may be a file. With the same seed and the same moves the opponent plays the same game.

mod asked;
mod hint;
mod session;
mod words;

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use clap::Args;

use super::limits::whole;
use super::output::{Misuse, note, visible};
use super::{Exit, Flags};
use crate::app::Opponent;
pub(super) use asked::Asked;
use gauntlet_games::base::Side;
use gauntlet_games::formats::{ENDINGS, Transcript};
use gauntlet_plan::manifest::source::nearest;
use session::Session;

/// Play in the terminal against a model or a player
#[derive(Debug, Args)]
#[command(after_help = words::HELP)]
pub struct Play {
    #[command(flatten)]
    asked: Asked,
    /// You move first (the default)
    #[arg(long, conflicts_with = "second")]
    first: bool,
    /// You move second
    #[arg(long)]
    second: bool,
    /// Seed of the opponent's random choices
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = whole(0..=u64::MAX))]
    seed: u64,
    /// Before each of your moves, show the opponent's policy and value in your position
    #[arg(long)]
    hint: bool,
    /// Save the game when it ends: as FILE.sgf or FILE.pgn, or a finished game as FILE.jsonl
    #[arg(long, visible_alias = "sgf", value_name = "FILE")]
    save: Option<PathBuf>,
}

impl Play {
    /// Plays one game.
    ///
    /// # Errors
    /// If the opponent or the game does not exist, a player fails, or the game cannot be saved.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let opponent = Opponent::find(&self.asked.request(), &flags.options, &|line| note(flags.quiet, line))?;
        if let Some(path) = &self.save {
            require_format(path, &opponent)?;
            require_directory(path)?;
        }
        let side = if self.second { Side::Second } else { Side::First };
        let mut session = Session::new(opponent, side, self.seed)?;
        session.hints = self.hint;
        session.json = flags.json;
        session.quiet = flags.quiet;
        session.prompts = std::io::stdin().is_terminal();
        session.play(&mut std::io::stdin().lock())?;
        if let Some(path) = &self.save {
            session.save(path)?;
            note(flags.quiet, &format!("saved as {}", path.display()));
        }
        Ok(Exit::Done)
    }
}

/// Requires the directory of the saved game, before the game starts.
fn require_directory(path: &Path) -> anyhow::Result<()> {
    let above = path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match above.is_dir() {
        true => Ok(()),
        false => {
            let what = format!("there is no directory {}", visible(&above.to_string_lossy()));
            Err(Misuse::new(what, "make it, or save the game elsewhere: --save game.pgn"))
        }
    }
}

/// Requires a format that can hold the game, before the game starts.
fn require_format(path: &Path, opponent: &Opponent) -> anyhow::Result<()> {
    let shown = |ending: &str| visible(&path.with_extension(ending).to_string_lossy());
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("sgf") => {
            let written = gauntlet_games::formats::sgf::write_game(&opponent.spec, &Transcript::default());
            let hint = format!("PGN holds every game: --save {}", shown("pgn"));
            written.map(|_| ()).map_err(|error| Misuse::new(error.fault.to_string(), hint))
        }
        Some("pgn" | "jsonl") => Ok(()),
        ending => {
            let near = ending.and_then(|ending| nearest(ending, &ENDINGS));
            let hint =
                near.map_or("for example --save game.pgn".to_owned(), |near| format!("did you mean {}?", shown(near)));
            Err(Misuse::new(session::ENDING.to_owned(), hint))
        }
    }
}
