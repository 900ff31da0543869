//! Input at the prompt: a move in the game's notation, or a command.

use std::collections::HashSet;
use std::path::PathBuf;

use crate::cli::output::visible;
use gauntlet_games::base::Action;
use gauntlet_games::games::{Game, GameSpec, Offsite, Position};
use gauntlet_plan::manifest::source::nearest;

/// The commands and their descriptions.
const COMMANDS: [(&str, &str); 8] = [
    ("hint", "shows the opponent's policy and value in your position"),
    ("undo", "takes back your last move and the answer to it"),
    ("board", "shows the board again"),
    ("moves", "lists what you can play"),
    ("save FILE", "saves the game so far: FILE.pgn or, with stones, FILE.sgf; FILE.jsonl when it is over"),
    ("resign", "gives the game up"),
    ("quit", "leaves the game unfinished; so does the end of the input"),
    ("help", "shows this"),
];

/// The text after the options in `gauntlet play --help`.
pub const HELP: &str = "\
At the prompt, write a move like E5 (or pass), or one of the commands hint, undo, board, moves, save FILE, resign, quit, help.

Examples:
  gauntlet play --agent uct --game gomoku --size 9
  gauntlet play --agent benchmark --manifest gomoku-agz/matrices-classical --second
  gauntlet play gomoku-agz/II --simulations 100
  gauntlet play results/jobs/train-gomoku-9x9-.../weights.safetensors --hint --save game.sgf";

/// A line of input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// This action, legal or not.
    Move(Action),
    /// Show a hint.
    Hint,
    /// Take back a move.
    Undo,
    /// Show the board.
    Board,
    /// List the legal moves.
    Moves,
    /// Save the game.
    Save(PathBuf),
    /// Resign.
    Resign,
    /// Leave the game.
    Quit,
    /// Show the commands.
    Help,
}

impl Word {
    /// Parses a line.
    ///
    /// # Errors
    /// A message for the user, if it is neither a move of this game nor a command.
    pub fn read(line: &str, game: &dyn Game, position: &dyn Position) -> Result<Word, String> {
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
            _ => action(line, game, position).map(Word::Move).ok_or_else(|| stranger(line, game)),
        }
    }
}

/// The legal move with this notation, or the only one in this column, or any action with this name.
fn action(line: &str, game: &dyn Game, position: &dyn Position) -> Option<Action> {
    game.read_move(position, line).or_else(|| in_column(line, game, position)).or_else(|| game.parse_action(line))
}

/// The legal move in the column with this letter, in a game with one move in each column: discs fall.
fn in_column(line: &str, game: &dyn Game, position: &dyn Position) -> Option<Action> {
    let column = |action: &Action| {
        let point = game.site_name(placed_on(game, *action)?);
        Some(point.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned())
    };
    let (mut first, mut legal) = (Vec::new(), Vec::new());
    game.start().actions(&mut first);
    let columns: HashSet<String> = first.iter().filter_map(column).collect();
    if first.len() != game.topology().columns() || columns.len() != first.len() {
        return None;
    }
    position.actions(&mut legal);
    legal.into_iter().find(|action| column(action).is_some_and(|column| column.eq_ignore_ascii_case(line)))
}

/// The message for an unknown move or command.
fn stranger(line: &str, game: &dyn Game) -> String {
    let words = COMMANDS.map(|(name, _)| name.split(' ').next().unwrap_or(name));
    let ((first, last), written) = (ends(game), visible(line));
    match nearest(line, &words) {
        _ if line.is_empty() => format!("write a move, {first} to {last}, or help"),
        Some(near) => format!("`{written}` is not a command: did you mean {near}?"),
        None if moves_pieces(game) => format!("`{written}` is not a legal move here; or write help"),
        None if is_point(line, game) => format!("`{written}` is a point on which this game never plays; or write help"),
        None => format!("`{written}` is not a move on this board of {first} to {last}; or write help"),
    }
}

/// Whether a site of the board has this name.
fn is_point(line: &str, game: &dyn Game) -> bool {
    (0..game.topology().sites()).any(|site| game.site_name(site).eq_ignore_ascii_case(line))
}

/// The site of an action that only places a piece.
pub fn placed_on(game: &dyn Game, action: Action) -> Option<usize> {
    let step = game.step(action);
    step.to.filter(|_| step.from.is_none()).map(|site| site as usize)
}

/// The actions of a game.
fn actions(game: &dyn Game) -> impl Iterator<Item = Action> {
    (0..game.action_count()).map(Action::from)
}

/// The point named A1 (at the bottom left, or at the top left) and the one farthest from it.
fn ends(game: &dyn Game) -> (String, String) {
    let (sites, columns) = (game.topology().sites(), game.topology().columns());
    let name = |site: usize| game.site_name(site);
    let from_top = name(0).trim_start_matches(char::is_alphabetic) == "1";
    if from_top { (name(0), name(sites - 1)) } else { (name(sites - columns), name(columns - 1)) }
}

/// The commands, one on each line.
pub fn help(spec: &GameSpec, game: &dyn Game) -> String {
    let (first, last) = ends(game);
    let moves = match moves_pieces(game) {
        true => (first_moves(game), "plays that move, and so on".to_owned()),
        false => (format!("{first} ... {last}"), "plays on that point".to_owned()),
    };
    let extra = actions(game).filter(|&action| game.arrival(action).is_none()).map(|action| {
        let what = match game.offsite(action) {
            Some(Offsite::Swap) if matches!(spec, GameSpec::Hex(_)) => {
                "takes over the first stone, and with it the edges that it is to join: for a second move"
            }
            Some(Offsite::Swap) => "exchanges the sides: for a second move",
            _ => "where the rules allow it",
        };
        (game.action_name(action), what.to_owned())
    });
    let lines = std::iter::once(moves).chain(extra);
    let aim = aim(spec).map_or(String::new(), |aim| format!("  {aim}\n"));
    let commands = COMMANDS.map(|(name, what)| (name.to_owned(), what.to_owned()));
    aim + &lines.chain(commands).map(|(name, what)| format!("  {name:<10}  {what}\n")).collect::<String>()
}

/// The goals of the sides, if the board does not show them.
fn aim(spec: &GameSpec) -> Option<&'static str> {
    let GameSpec::Hex(hex) = spec else { return None };
    Some(match hex.swap {
        true => "X joins top and bottom, O left and right; a swap exchanges the sides, and the stone stays",
        false => "X joins top and bottom, O left and right",
    })
}

/// Whether pieces can move.
fn moves_pieces(game: &dyn Game) -> bool {
    actions(game).any(|action| game.step(action).from.is_some())
}

/// Some legal first moves.
fn first_moves(game: &dyn Game) -> String {
    let (start, mut legal) = (game.start(), Vec::new());
    start.actions(&mut legal);
    let names: Vec<String> = legal.iter().take(2).map(|&action| game.write_move(&*start, action)).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_and_commands_are_told_apart() {
        let spec = |text: &str| serde_json::from_str::<GameSpec>(text).unwrap();
        let (othello, chess, hex) =
            (spec(r#"{"othello":{"size":6}}"#), spec(r#"{"chess":{}}"#), spec(r#"{"hex":{"size":5,"swap":true}}"#));
        let game = othello.build();
        let help = |spec: &GameSpec| help(spec, &*spec.build());
        let start = game.start();
        let read = |line: &str| Word::read(line, &*game, &*start);
        assert_eq!(read(" b1 "), Ok(Word::Move(Action(1))));
        assert_eq!(read("Pass"), Ok(Word::Move(Action(36))));
        assert_eq!(read("SAVE a b.sgf"), Ok(Word::Save("a b.sgf".into())));
        let four = spec(r#"{"connect-four":{}}"#).build();
        let drop = |line: &str| Word::read(line, &*four, &*four.start());
        assert_eq!([drop("d"), drop("D1")], [38, 38].map(|site| Ok(Word::Move(Action(site)))));
        assert!(drop("h").is_err() && read("c").is_err(), "no such column, and a game of another kind");
        assert_eq!([read("undo"), read("exit")], [Ok(Word::Undo), Ok(Word::Quit)]);
        assert_eq!(read("hnit").unwrap_err(), "`hnit` is not a command: did you mean hint?");
        assert_eq!(read("Z9").unwrap_err(), "`Z9` is not a move on this board of A1 to F6; or write help");
        assert!(read("\u{1b}[2J").unwrap_err().starts_with("`\\u{1b}[2J` is not a move"));
        assert!(help(&othello).contains("pass") && help(&othello).contains("A1 ... F6"));
        assert!(help(&chess).contains("plays that move") && !help(&chess).contains("pass"), "{}", help(&chess));
        assert!(help(&hex).contains("X joins top and bottom") && help(&hex).contains("takes over"), "{}", help(&hex));
        let chess = chess.build();
        let refused = Word::read("O-O", &*chess, &*chess.start()).unwrap_err();
        assert_eq!(refused, "`O-O` is not a legal move here; or write help");
    }
}
