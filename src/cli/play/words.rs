//! What can be written at the prompt: a move in the game's notation, or a command.

use std::path::PathBuf;

use crate::base::Action;
use crate::cli::output::visible;
use crate::games::Game;
use crate::manifest::source::nearest;

/// The commands, with what they do.
const COMMANDS: [(&str, &str); 8] = [
    ("hint", "shows what the opponent would do in your place, and what it thinks of the position"),
    ("undo", "takes back your last move and the answer to it"),
    ("board", "shows the board again"),
    ("moves", "lists what you can play"),
    ("save FILE", "saves the game so far: FILE.sgf or FILE.pgn, or FILE.jsonl when it is over"),
    ("resign", "gives the game up"),
    ("quit", "leaves the game unfinished; so does the end of the input"),
    ("help", "shows this"),
];

/// What `gauntlet play --help` says after the options.
pub const HELP: &str = "\
At the prompt, write a move like E5 (or pass), or one of the commands hint, undo, board, moves, save FILE, resign, quit, help.

Examples:
  gauntlet play --agent uct --game gomoku --size 9
  gauntlet play --agent benchmark --manifest gomoku-agz/matrices-classical --second
  gauntlet play gomoku-agz/II --simulations 100
  gauntlet play results/jobs/train-gomoku-9x9-.../weights.safetensors --hint --sgf game.sgf";

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// This action, legal or not.
    Move(Action),
    /// Show advice.
    Hint,
    /// Take back.
    Undo,
    /// Show the board.
    Board,
    /// List the legal moves.
    Moves,
    /// Save.
    Save(PathBuf),
    /// Give up.
    Resign,
    /// Leave.
    Quit,
    /// Show the commands.
    Help,
}

impl Word {
    /// Reads a line.
    ///
    /// # Errors
    /// Why it is neither a move of this game nor a command, for people.
    pub fn read(line: &str, game: &dyn Game) -> Result<Word, String> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match (word.to_ascii_lowercase().as_str(), rest.trim()) {
            ("hint", "") => Ok(Word::Hint),
            ("undo", "") => Ok(Word::Undo),
            ("board", "") => Ok(Word::Board),
            ("moves", "") => Ok(Word::Moves),
            ("resign", "") => Ok(Word::Resign),
            ("quit" | "exit", "") => Ok(Word::Quit),
            ("help" | "?", "") => Ok(Word::Help),
            ("save", "") => Err("save needs the name of a file: save game.sgf".to_owned()),
            ("save", file) => Ok(Word::Save(file.into())),
            _ => game.parse_action(line).map(Word::Move).ok_or_else(|| stranger(line, game)),
        }
    }
}

/// Why nothing is called so.
fn stranger(line: &str, game: &dyn Game) -> String {
    let words = COMMANDS.map(|(name, _)| name.split(' ').next().unwrap_or(name));
    let (first, last) = ends(game);
    match nearest(line, &words) {
        _ if line.is_empty() => format!("write a move, {first} to {last}, or help"),
        Some(near) => format!("`{}` is no command: did you mean {near}?", visible(line)),
        None => format!("`{}` is no point of this board: they are {first} to {last}; or write help", visible(line)),
    }
}

/// The point called A1 (at the bottom left, or at the top left) and the one farthest from it.
fn ends(game: &dyn Game) -> (String, String) {
    let (sites, columns) = (game.topology().sites(), game.topology().columns());
    let name = |site: usize| game.action_name(Action::from(site));
    let from_top = name(0).trim_start_matches(char::is_alphabetic) == "1";
    if from_top { (name(0), name(sites - 1)) } else { (name(sites - columns), name(columns - 1)) }
}

/// The commands, one a line.
pub fn help(game: &dyn Game) -> String {
    let (first, last) = ends(game);
    let moves = format!("{first} ... {last}");
    let passes = game.action_count() > game.topology().sites();
    let pass = ("pass".to_owned(), "gives the turn away, where the rules allow it".to_owned());
    let lines = std::iter::once((moves, "plays on that point".to_owned())).chain(passes.then_some(pass));
    let commands = COMMANDS.map(|(name, what)| (name.to_owned(), what.to_owned()));
    lines.chain(commands).map(|(name, what)| format!("  {name:<10}  {what}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::GameSpec;

    #[test]
    fn moves_and_commands_are_told_apart() {
        let game = serde_json::from_str::<GameSpec>(r#"{"othello":{"size":6}}"#).unwrap().build();
        let read = |line: &str| Word::read(line, &*game);
        assert_eq!(read(" b1 "), Ok(Word::Move(Action(1))));
        assert_eq!(read("Pass"), Ok(Word::Move(Action(36))));
        assert_eq!(read("SAVE a b.sgf"), Ok(Word::Save("a b.sgf".into())));
        assert_eq!([read("undo"), read("exit")], [Ok(Word::Undo), Ok(Word::Quit)]);
        assert_eq!(read("hnit").unwrap_err(), "`hnit` is no command: did you mean hint?");
        assert_eq!(read("Z9").unwrap_err(), "`Z9` is no point of this board: they are A1 to F6; or write help");
        assert!(read("\u{1b}[2J").unwrap_err().starts_with("`\\u{1b}[2J` is no point"));
        assert!(help(&*game).contains("pass") && help(&*game).contains("A1 ... F6"));
    }
}
