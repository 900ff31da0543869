//! EPD: one position a line, and annotations of it (Edwards 1994, section 16.2).
//!
//! A line is the fields of a position in the game's own notation, for stones the board and the side to move, then
//! operations that end with `;`. Of these only `id`, the position's name, is kept; move counters and other fields before
//! them are passed over. Empty lines and lines that start with `#` or `%` are comments. What stones look like is written
//! in [`crate::games`]; a game with other pieces brings its own reading of the fields, FEN above all.

use super::{Fault, FormatError, Opening};
use crate::games::{Game, GameSpec};

/// Bytes of the longest line that is read.
const LONGEST_LINE: usize = 1 << 20;

/// The positions of a file, each written in the game's one manner.
///
/// # Errors
/// For the first line that is no position of this game.
pub fn read(text: &str, spec: &GameSpec) -> Result<Vec<Opening>, FormatError> {
    let game = spec.build();
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    let told = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with(['#', '%']));
    told.map(|(at, line)| opening(line, &*game).map_err(|fault| fault.at(at))).collect()
}

fn opening(line: &str, game: &dyn Game) -> Result<Opening, Fault> {
    if line.len() > LONGEST_LINE {
        return Err(Fault::TooLarge { what: "a line", size: line.len(), most: LONGEST_LINE });
    }
    let (text, operations) = split(line, game.position_fields());
    let position = game.read_position(&text).map_err(|error| Fault::Position { text, error })?;
    let start = game.write_position(&*position);
    Ok(Opening { name: id(operations), start, actions: Vec::new() })
}

/// The first fields, single spaces between them, and what comes behind.
fn split(line: &str, fields: usize) -> (String, &str) {
    let (mut read, mut rest) = (Vec::new(), line);
    while read.len() < fields && !rest.is_empty() {
        let (field, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let ends = field.ends_with(';');
        read.push(field.trim_end_matches(';'));
        rest = behind.trim_start();
        if ends {
            break;
        }
    }
    (read.join(" "), rest)
}

/// The operand of `id`, without its quotes.
fn id(operations: &str) -> Option<String> {
    let mut quoted = false;
    let ends = |letter: char| {
        quoted ^= letter == '"';
        letter == ';' && !quoted
    };
    let operand = operations.split(ends).find_map(|operation| {
        let (opcode, operand) = operation.trim().rsplit_once("id ")?;
        // Fields that are no operations may stand before the first one.
        opcode.chars().all(|letter| !letter.is_alphabetic() && letter != '"').then_some(operand)
    })?;
    let name = operand.trim().trim_matches('"').trim();
    (!name.is_empty()).then(|| name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn othello() -> GameSpec {
        serde_json::from_str(r#"{"othello":{"size":6}}"#).unwrap()
    }

    #[test]
    fn positions_of_many_tools_are_read() {
        let text = "# the start\n\n6/6/2ox2/2xo2/6/6 x\n\
            % without slashes, as the FFO suite has it\n--------------OX----XO-------------- X; % C4:+0\n\
            6/6/2wb2/2bw2/6/6 b - - 0 1 id \"the; start\"; bm c2;\n6/6/2ox2/2xo2/6/6\tO\tc0 \"id no\"; id plain;\r\n";
        let read = read(text, &othello()).unwrap();
        let starts: Vec<&str> = read.iter().filter_map(|opening| opening.start.as_deref()).collect();
        let start = "6/6/2ox2/2xo2/6/6 x";
        assert_eq!(starts, [start, start, start, "6/6/2ox2/2xo2/6/6 o"]);
        let names: Vec<Option<&str>> = read.iter().map(|opening| opening.name.as_deref()).collect();
        assert_eq!(names, [None, None, Some("the; start"), Some("plain")]);
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let error = |text: &str| read(text, &othello()).unwrap_err().to_string();
        let good = "6/6/2ox2/2xo2/6/6 x\n";
        assert_eq!(
            error(&format!("{good}\n6/6/2ox2/2xo2/6 x id \"short\";")),
            "line 3: the position \"6/6/2ox2/2xo2/6 x\" cannot be set up: 5 rows were given for a board of 6"
        );
        assert!(error("6/6/2ox2/2xo2/6/6;").contains("the side to move is written x or o"));
        assert!(error("6/6/2kx2/2xo2/6/6 x").contains("'k' is no stone"));
        assert!(error(&format!("{good}{}", "6".repeat(LONGEST_LINE + 1))).starts_with("line 2: a line of 1048577"));
        let pente = serde_json::from_str(r#"{"pente":{"size":7}}"#).unwrap();
        let error = read("49 x", &pente).unwrap_err().to_string();
        assert!(error.ends_with("positions of this game cannot be set up"), "{error}");
    }
}
