//! Openings from a file of games: what every game of it begins with.

use super::{Fault, FormatError, Transcript, records, sgf};
use crate::base::Action;
use crate::games::GameSpec;

/// The openings of a file, by the ending of its name: `.sgf`, or `.jsonl` as this program writes it.
///
/// Of a game whose opening is marked, the opening; of any other, all actions.
///
/// # Errors
/// [`FormatError`] for the first thing that is wrong, and for an unknown ending.
pub fn openings(name: &str, text: &[u8], spec: &GameSpec) -> Result<Vec<Vec<Action>>, FormatError> {
    let transcripts = match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("sgf") => sgf::read(text, spec)?,
        Some("jsonl") => of_records(text, spec)?,
        _ => {
            let wanted = "a file name that ends in .sgf or .jsonl";
            return Err(Fault::Expected { wanted, found: format!("{name:?}") }.at(1));
        }
    };
    let opening = |transcript: Transcript| match transcript.opening as usize {
        0 => transcript.actions,
        plies => transcript.actions[..plies].to_vec(),
    };
    Ok(transcripts.into_iter().map(opening).collect())
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

    #[test]
    fn a_marked_opening_ends_where_it_is_marked() {
        let spec: GameSpec = serde_json::from_str(GOMOKU).unwrap();
        let text = format!(
            "{{\"records\":1,\"game\":{GOMOKU},\"players\":[\"a\",\"b\"]}}\n\
             {{\"game\":0,\"players\":[0,1],\"actions\":[3,4,5],\"opening\":2,\"outcome\":\"draw\"}}\n\
             {{\"game\":1,\"players\":[0,1],\"actions\":[7,8],\"outcome\":\"draw\"}}\n"
        );
        let read = openings("book.jsonl", text.as_bytes(), &spec).unwrap();
        assert_eq!(read, [vec![Action(3), Action(4)], vec![Action(7), Action(8)]]);
        let sgf = openings("book.sgf", b"(;GM[4]SZ[5];B[aa];W[bb])(;GM[4]SZ[5];B[cc])", &spec).unwrap();
        assert_eq!(sgf, [vec![Action(0), Action(6)], vec![Action(12)]]);
        assert!(openings("book.pgn", b"", &spec).unwrap_err().to_string().contains("ends in .sgf or .jsonl"));
    }
}
