//! Opening books: openings from a file of games or positions.

use super::{Fault, FormatError, Opening, Transcript, decode, epd, pgn, records, sgf};
use crate::games::GameSpec;

/// The openings of a file, by the extension of its name: `.sgf`, `.pgn`, `.epd`, or `.jsonl` as this program writes
/// it.
///
/// For a game with a marked opening, this is the opening; for any other, all actions; in both cases at most the first
/// `plies`. Later moves of a PGN or SGF game are not checked. Games with equal openings give one opening each.
///
/// # Errors
/// [`FormatError`] for the first fault, and for an unknown extension.
pub fn openings(name: &str, bytes: &[u8], spec: &GameSpec, plies: Option<usize>) -> Result<Vec<Opening>, FormatError> {
    let most = plies.unwrap_or(usize::MAX);
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let transcripts = match ending.as_deref() {
        Some("sgf") => sgf::read(bytes, spec, most)?,
        Some("pgn") => pgn::read(bytes, spec, most)?,
        Some("jsonl") => of_records(bytes, spec)?,
        Some("epd") => return epd::read(&decode(bytes)?, spec),
        _ => {
            let wanted = "a file name that ends in .sgf, .pgn, .epd or .jsonl";
            return Err(Fault::Expected { wanted, found: format!("{name:?}") }.at(1));
        }
    };
    Ok(transcripts.into_iter().map(|transcript| opening(transcript, most)).collect())
}

fn opening(transcript: Transcript, most: usize) -> Opening {
    let marked = Some(transcript.opening as usize).filter(|&plies| plies > 0).unwrap_or(usize::MAX);
    let mut actions = transcript.actions;
    actions.truncate(marked.min(most));
    Opening { name: None, start: transcript.start, actions }
}

fn of_records(text: &[u8], spec: &GameSpec) -> Result<Vec<Transcript>, FormatError> {
    let records = records::Records::open(text)?;
    let header = records.header().clone();
    if header.game != *spec {
        let [wanted, found] = [spec, &header.game].map(|spec| spec.build().name());
        return Err(Fault::OtherGame { wanted, found }.at(1));
    }
    records.map(|record| record.map(|record| header.transcript(&record))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOMOKU: &str = r#"{"gomoku":{"size":5}}"#;

    fn read(name: &str, text: &str, plies: Option<usize>) -> Result<Vec<Opening>, FormatError> {
        openings(name, text.as_bytes(), &serde_json::from_str(GOMOKU).unwrap(), plies)
    }

    fn actions(name: &str, text: &str, plies: Option<usize>) -> Vec<Vec<u32>> {
        let actions = |opening: Opening| opening.actions.iter().map(|action| action.0).collect();
        read(name, text, plies).unwrap().into_iter().map(actions).collect()
    }

    #[test]
    fn a_marked_opening_ends_where_it_is_marked() {
        let text = format!(
            "{{\"records\":1,\"game\":{GOMOKU},\"players\":[\"a\",\"b\"]}}\n\
             {{\"game\":0,\"players\":[0,1],\"actions\":[3,4,5],\"opening\":2,\"outcome\":\"draw\"}}\n\
             {{\"game\":1,\"players\":[0,1],\"actions\":[7,8],\"outcome\":\"draw\"}}\n"
        );
        assert_eq!(actions("book.jsonl", &text, None), [[3, 4], [7, 8]]);
        assert_eq!(actions("book.jsonl", &text, Some(1)), [[3], [7]]);
        let sgf = "(;GM[4]SZ[5];B[aa];W[bb])(;GM[4]SZ[5];B[cc])";
        assert_eq!(actions("book.sgf", sgf, None), [vec![0, 6], vec![12]]);
        let pgn = "[OpeningPlies \"1\"]\n\n1. A5 B5 *\n\n[Event \"?\"]\n\n1. C5 D5 *\n";
        assert_eq!(actions("book.pgn", pgn, None), [vec![0], vec![2, 3]]);
        assert!(read("book.txt", "", None).unwrap_err().to_string().contains("ends in .sgf, .pgn, .epd or .jsonl"));
    }

    #[test]
    fn positions_are_kept_with_their_names() {
        let book = read("book.epd", "5/5/2x2/5/5 o id \"centre\";", Some(3)).unwrap();
        let start = Some("5/5/2x2/5/5 o".to_owned());
        assert_eq!(book, [Opening { name: Some("centre".to_owned()), start, actions: Vec::new() }]);
        let (game, over) = (serde_json::from_str::<GameSpec>(GOMOKU).unwrap().build(), "xxxxx20 o".to_owned());
        assert!(!book[0].is_over(&*game));
        assert!(Opening { start: Some(over), ..Opening::default() }.is_over(&*game));
    }
}
