//! Writes games to a file in the format of its extension.

use super::records::{self, RecordsHeader};
use super::{Fault, FormatError, pgn, sgf};
use crate::base::Record;

/// The extensions of files of games.
pub const ENDINGS: [&str; 3] = ["jsonl", "pgn", "sgf"];

/// The contents of a file with these games, in the format of its extension: `.jsonl`, `.pgn` or `.sgf`.
///
/// # Errors
/// For an unknown extension, and for games that the format does not support.
pub fn write<'a>(
    name: &str,
    header: &RecordsHeader,
    games: impl IntoIterator<Item = &'a Record>,
) -> Result<Vec<u8>, FormatError> {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("jsonl") => Ok(records::write(header, games)),
        Some("pgn") => pgn::write(header, games).map(String::into_bytes),
        Some("sgf") => sgf::write(header, games).map(String::into_bytes),
        _ => {
            let wanted = "a file name that ends in .jsonl, .pgn or .sgf";
            Err(Fault::Expected { wanted, found: format!("{name:?}") }.at(1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Action, Outcome};

    #[test]
    fn the_name_tells_the_format() {
        let header = RecordsHeader::new(
            serde_json::from_str(r#"{"mnk":{"rows":3,"columns":4,"row":3}}"#).unwrap(),
            vec!["a".to_owned(), "b".to_owned()],
        );
        let record = Record::new(0, [0, 1], vec![Action(0)], Outcome::Draw);
        let written = |name| write(name, &header, [&record]).map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(written("games.jsonl").unwrap().starts_with("{\"records\":2"));
        assert!(written("games.pgn").unwrap().starts_with("[Event \"mnk 3x4 row 3\"]"));
        assert!(written("games.sgf").unwrap_err().to_string().contains("has no SGF"));
        assert!(written("games").unwrap_err().to_string().contains("ends in .jsonl, .pgn or .sgf"));
    }
}
