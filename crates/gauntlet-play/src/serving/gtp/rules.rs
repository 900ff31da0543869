//! Answers about the present position: board, score, legal moves, and the names of the sides.

use std::cmp::Ordering;

use super::super::board::Board;
use crate::engines::colour;
use gauntlet_games::base::{Outcome, Side};
use gauntlet_games::games::{Game, GameSpec, diagram};

/// GoGui's list of things to show: a kind, a label and a command.
const SHOWN: [&str; 3] =
    ["plist/Legal Moves/gauntlet-legal_moves", "string/Position/gauntlet-position", "string/Final Score/final_score"];

/// The answer to a command about the position; nothing if it has other arguments.
pub(super) fn reply(name: &str, words: &[&str], board: &Board, spec: &GameSpec) -> Option<Result<String, String>> {
    let game = &**board.game();
    let text = match (name, words) {
        ("showboard", []) => format!("\n{}", diagram(game, &board.view(), &[], |_, sign| sign)),
        ("final_score", []) => return Some(score(board, spec)),
        ("final_status_list", ["alive"]) => occupied(board),
        ("final_status_list", ["dead" | "seki" | "black_territory" | "white_territory" | "dame"]) => String::new(),
        ("gogui-analyze_commands", []) => SHOWN.join("\n"),
        ("gauntlet-position", []) => return Some(position(board)),
        ("gauntlet-legal_moves" | "gogui-rules_legal_moves", []) => legal(board),
        ("gogui-rules_game_id", []) => one_word(&game.name()),
        ("gogui-rules_board_size", []) => game.topology().columns().to_string(),
        ("gogui-rules_side_to_move", []) => colour(game, board.side()).to_owned(),
        ("gogui-rules_board", []) => return Some(rows(board)),
        ("gogui-rules_final_result", []) => result(board),
        _ => return None,
    };
    Some(Ok(text))
}

/// The side of a colour, by its usual name or letter, or by the name in the game.
pub(super) fn side(game: &dyn Game, text: &str) -> Option<Side> {
    let matches = |side: &Side| {
        let (colour, own) = (colour(game, *side), game.side_name(*side));
        [colour, &colour[..1], &own].iter().any(|name| name.eq_ignore_ascii_case(text))
    };
    Side::BOTH.into_iter().find(matches)
}

/// The score: that of the record if the game is over, with the count where the count decided; else by the count so far,
/// with komi. The lead of other games is not a score.
fn score(board: &Board, spec: &GameSpec) -> Result<String, String> {
    let lead = board.position().lead(Side::First);
    let margin = match spec {
        GameSpec::Go(rules) => lead.map(|lead| lead - rules.komi.get()),
        GameSpec::Othello(_) => lead,
        _ => None,
    };
    let counted = margin.map(|margin| match margin.total_cmp(&0.0) {
        _ if margin == 0.0 => Outcome::Draw,
        Ordering::Less => Outcome::Win(Side::Second),
        _ => Outcome::Win(Side::First),
    });
    let outcome = board.position().outcome().or(counted).ok_or("cannot score: the game is not over")?;
    let Outcome::Win(side) = outcome else { return Ok("0".to_owned()) };
    // A game may end without a count: by a repetition.
    let points = margin.filter(|_| counted == Some(outcome)).map_or(String::new(), |margin| margin.abs().to_string());
    Ok(format!("{}+{points}", colour(&**board.game(), side)[..1].to_uppercase()))
}

/// The names of all occupied sites.
fn occupied(board: &Board) -> String {
    let pieces = board.view().pieces;
    let sites = (0..pieces.len()).filter(|&site| !pieces[site].is_empty());
    sites.map(|site| board.game().site_name(site)).collect::<Vec<_>>().join(" ")
}

fn position(board: &Board) -> Result<String, String> {
    let text = board.game().write_position(board.position());
    text.ok_or_else(|| "this game has no notation of positions".to_owned())
}

/// The names of the legal moves.
fn legal(board: &Board) -> String {
    let mut legal = Vec::new();
    board.position().actions(&mut legal);
    legal.into_iter().map(|action| board.game().action_name(action)).collect::<Vec<_>>().join(" ")
}

/// The kind of the game with this name as GoGui writes it: one word with a capital.
fn one_word(name: &str) -> String {
    let word = name.strip_prefix("ludeme ").unwrap_or(name).split(' ').next().unwrap_or_default();
    let mut letters = word.chars().filter(char::is_ascii_alphanumeric);
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.map_or_else(|| "Game".to_owned(), |first| std::iter::once(first).chain(letters).collect())
}

/// The rows of the board, the one with the highest number first, as GoGui reads them: `X` for black, `O` for white, `.`
/// for an empty point.
///
/// # Errors
/// If the points are not those of a square with GTP's names, which have no `I`.
pub(super) fn rows(board: &Board) -> Result<String, String> {
    let game = &**board.game();
    let (view, size) = (board.view(), game.topology().columns());
    // Stacks and hands have pieces of their own.
    if view.pieces.len() != size * size {
        return Err(NO_SQUARE.to_owned());
    }
    let mut signs = vec![None; size * size];
    for (site, piece) in view.pieces.iter().enumerate() {
        let place = vertex(&game.site_name(site)).filter(|place| place.iter().all(|&at| at < size));
        let place = place.map(|[column, row]| &mut signs[(size - 1 - row) * size + column]);
        let sign = match piece.side().map(|side| colour(game, side)) {
            Some("black") => "X",
            Some(_) => "O",
            None => ".",
        };
        match place {
            Some(free @ None) => *free = Some(sign),
            _ => return Err(NO_SQUARE.to_owned()),
        }
    }
    let signs: Option<Vec<&str>> = signs.into_iter().collect();
    let signs = signs.ok_or(NO_SQUARE)?;
    Ok(format!("\n{}", signs.chunks(size).map(|row| row.join(" ")).collect::<Vec<_>>().join("\n")))
}

/// Column and row of a point with this name, from 0.
fn vertex(name: &str) -> Option<[usize; 2]> {
    let letter = name.chars().next()?.to_ascii_uppercase();
    let column = COLUMNS.find(letter)?;
    Some([column, name[1..].parse::<usize>().ok()?.checked_sub(1)?])
}

/// The error of a board that GoGui cannot show.
const NO_SQUARE: &str = "the board is no square with the points of GTP";

/// GTP's letters of columns.
const COLUMNS: &str = "ABCDEFGHJKLMNOPQRSTUVWXYZ";

fn result(board: &Board) -> String {
    match board.position().outcome() {
        None => "The game is not over.".to_owned(),
        Some(Outcome::Draw) => "The game is a draw.".to_owned(),
        Some(Outcome::Win(side)) => format!("{} wins.", colour(&**board.game(), side)),
    }
}

#[cfg(test)]
mod tests {
    use super::one_word;

    #[test]
    fn a_kind_of_game_is_one_word() {
        for (name, word) in [
            ("othello 6x6", "Othello"),
            ("ludeme dai-hasami-shogi", "Daihasamishogi"),
            ("connect-four 6x7", "Connectfour"),
            ("ludeme 囲碁", "Game"),
            ("ludeme ", "Game"),
            ("", "Game"),
        ] {
            assert_eq!(one_word(name), word, "{name}");
        }
    }
}
