//! EPD: one position a line, with annotations (Edwards 1994, section 16.2).
//!
//! A line consists of the fields of a position in the game's own notation, for stones the board and the side to move,
//! then operations that end with `;`. Of these `id`, the position's name, is kept, and in chess `hmvc` and `fmvn`,
//! the halfmove clock and the move number; a whole FEN with these two as its last fields is accepted, too. Other
//! fields before the operations are skipped. Empty lines and lines that start with `#` or `%` are comments. Lines end
//! at LF, CR LF or CR. [`crate::games`] defines the notation of stones; games with other pieces override the parsing
//! of the fields, FEN above all.

use super::lines::lines;
use super::{Fault, FormatError, Opening};
use crate::games::{Game, GameSpec};

/// Maximum length of a line in bytes.
const LONGEST_LINE: usize = 1 << 20;

/// Fields of a position in FEN before its two counts.
const FEN_FIELDS: usize = 4;

/// The operations with these counts: the halfmove clock and the move number.
const COUNTS: [&str; 2] = ["hmvc", "fmvn"];

/// The positions of a file, each in the game's canonical notation.
///
/// # Errors
/// For the first line that is not a position of this game.
pub fn read(text: &str, spec: &GameSpec) -> Result<Vec<Opening>, FormatError> {
    let game = spec.build();
    let lines = lines(text).enumerate().map(|(at, line)| (at + 1, line.trim()));
    let written = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with(['#', '%']));
    written.map(|(at, line)| opening(line, &*game).map_err(|fault| fault.at(at))).collect()
}

fn opening(line: &str, game: &dyn Game) -> Result<Opening, Fault> {
    if line.len() > LONGEST_LINE {
        return Err(Fault::TooLarge { what: "a line", size: line.len(), most: LONGEST_LINE });
    }
    let (mut text, mut rest) = split(line, game.position_fields());
    if game.position_fields() == FEN_FIELDS {
        rest = add_counts(&mut text, rest)?;
    }
    if rest.split_whitespace().next() == Some("moves") {
        return Err(Fault::Form("moves follow the position: write them as a game in PGN, with the tag FEN".to_owned()));
    }
    let position = game.read_position(&text).map_err(|error| Fault::Position { text, error: game.reason(error) })?;
    let start = game.write_position(&*position);
    Ok(Opening { name: id(rest), start, actions: Vec::new() })
}

/// The first fields, separated by single spaces, and the rest.
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

/// Adds the counts of a FEN to its fields, from further fields or from operations. Returns the rest after the fields.
///
/// # Errors
/// If a field and an operation contradict each other.
fn add_counts<'a>(text: &mut String, mut rest: &'a str) -> Result<&'a str, Fault> {
    let mut counts = [None; 2];
    for count in &mut counts {
        if !rest.starts_with(|letter: char| letter.is_ascii_digit() || matches!(letter, '-' | '+')) {
            break;
        }
        let (field, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        *count = Some(field.trim_end_matches(';'));
        rest = behind.trim_start();
    }
    for (count, opcode) in counts.iter_mut().zip(COUNTS) {
        let Some((_, operand)) = operations(rest).find(|(name, _)| *name == opcode) else { continue };
        match *count {
            Some(field) if field != operand => {
                return Err(Fault::Form(format!("{opcode} is {operand}, but the position has {field}")));
            }
            _ => *count = Some(operand),
        }
    }
    if let [quiet, number] = counts
        && (quiet.is_some() || number.is_some())
    {
        *text += &format!(" {} {}", quiet.unwrap_or("0"), number.unwrap_or("1"));
    }
    Ok(rest)
}

/// The operations of a line: opcode and operand. Other fields may precede the first one.
fn operations(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut quoted = false;
    let ends = move |letter: char| {
        quoted ^= letter == '"';
        letter == ';' && !quoted
    };
    text.split(ends).filter_map(|operation| {
        let operation = operation.trim_start_matches(|letter: char| !letter.is_alphabetic() && letter != '"');
        let (opcode, operand) = operation.split_once(char::is_whitespace)?;
        Some((opcode, operand.trim().trim_matches('"').trim()))
    })
}

/// The operand of `id`, without its quotes.
fn id(text: &str) -> Option<String> {
    let (_, name) = operations(text).find(|(opcode, _)| *opcode == "id")?;
    (!name.is_empty()).then(|| name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
    fn moves_behind_a_position_are_refused() {
        let chess = serde_json::from_str(r#"{"chess":{}}"#).unwrap();
        let line = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e2e4 e7e5";
        assert!(read(line, &chess).unwrap_err().to_string().contains("moves follow the position"));
    }

    fn starts(text: &str) -> Vec<String> {
        let chess = serde_json::from_str(r#"{"chess":{}}"#).unwrap();
        read(text, &chess).unwrap().into_iter().filter_map(|opening| opening.start).collect()
    }

    #[test]
    fn counts_are_fields_or_operations() {
        let position = "7k/p7/1R5K/6r1/6p1/6P1/8/8 w - -";
        for (counts, written) in [
            ("", "0 1"),
            (" 99 80 id \"fifty\";", "99 80"),
            (" 99", "99 1"),
            (" 99 80;", "99 80"),
            (" hmvc 99; fmvn 80; id \"hmvc 3;\";", "99 80"),
            (" bm Rb8+; fmvn 80;", "0 80"),
            (" id \"x\"; hmvc 7;", "7 1"),
            (" 5 9 hmvc 5;", "5 9"),
        ] {
            assert_eq!(starts(&format!("{position}{counts}")), [format!("{position} {written}")], "{counts}");
        }
    }

    #[test]
    fn bad_counts_are_mistakes() {
        let chess = serde_json::from_str(r#"{"chess":{}}"#).unwrap();
        for (counts, message) in [
            (
                "hmvc x;",
                "line 2: the position \"8/8/8/8/8/k7/8/K7 w - - x 1\" cannot be set up: halfmove clock of a FEN",
            ),
            ("-1 1", "halfmove clock of a FEN"),
            ("0 99999999", "move number of a FEN"),
            ("5 1 hmvc 6;", "line 2: hmvc is 6, but the position has 5"),
        ] {
            let text = format!("8/8/8/8/8/k7/8/K7 w - -\r8/8/8/8/8/k7/8/K7 w - - {counts}");
            let error = read(&text, &chess).unwrap_err().to_string();
            assert!(error.contains(message) && error.starts_with("line 2: "), "{counts}: {error}");
        }
    }

    #[test]
    fn lines_end_in_every_way() {
        let lines = ["# positions", "8/8/8/8/8/k7/8/K7 w - - 3 9", "", "8/8/8/8/8/k7/8/K7 b - - id \"x\";", ""];
        let wanted = starts(&lines.join("\n"));
        assert_eq!(wanted.len(), 2);
        for end in ["\r\n", "\r"] {
            assert_eq!(starts(&lines.join(end)), wanted, "{end:?}");
        }
        let error = read("8/8/8/8/8/k7/8/K7 w - -\r\r8/8 w - -\r", &serde_json::from_str(r#"{"chess":{}}"#).unwrap());
        assert!(error.unwrap_err().to_string().starts_with("line 3: "));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[ kK8/wb\\-0-9hmvcid\";#\r\n]{0,60}", at in 0..GameSpec::examples().len()) {
            let _ = read(&text, &GameSpec::examples().swap_remove(at));
        }
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
        assert!(error("6/6/2kx2/2xo2/6/6 x").contains("'k' is not a stone"));
        assert!(error(&format!("{good}{}", "6".repeat(LONGEST_LINE + 1))).starts_with("line 2: a line of 1048577"));
        let pente = serde_json::from_str(r#"{"pente":{"size":7}}"#).unwrap();
        let error = read("49 x", &pente).unwrap_err().to_string();
        assert!(error.ends_with("positions of this game cannot be set up"), "{error}");
    }
}
