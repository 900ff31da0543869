//! Games of any kind as JSON lines: a header that names game and players, then one [`Record`] a line.
//!
//! ```text
//! {"records":2,"game":{"atari-go":{"size":9}},"players":["random","naive"]}
//! {"game":0,"players":[0,1],"actions":[40,41],"opening":2,"outcome":{"win":"first"}}
//! ```
//! Version 2 adds optional fields to a record: `start` (the position that was set up), `ending` (`max-plies` or
//! `resigned`; version 1 had only `adjudicated`), `played-out` and `would-resign`. Version 3 adds the endings `agreed`
//! and `time`, and the `times` of games with a clock; files without them stay version 2. All versions are read.
//!
//! Reading is streaming: a file may exceed the memory, a line may not exceed [`LONGEST_LINE`].

use std::borrow::Borrow;
use std::io::{BufRead, Read as _};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lines::objects_within;
use super::{Fault, FormatError, Transcript, begin, replay, settle};
use crate::base::{Ending, Record};
use crate::games::{Game, GameSpec};

/// The newest version. Files without its additions are written as version 2, so that their bytes stay.
const VERSION: u32 = 3;

/// Maximum length of a line in bytes.
pub const LONGEST_LINE: usize = 8 << 20;

/// Maximum number of players in a header.
const MOST_PLAYERS: usize = 1_000_000;

/// Names of the sides in messages.
const SIDES: [&str; 2] = ["the first side", "the second side"];

/// The data that all records of a file share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordsHeader {
    /// Version of the format.
    records: u32,
    /// The game.
    pub game: GameSpec,
    /// Names of the players; records refer to them by index.
    pub players: Vec<String>,
}

impl RecordsHeader {
    /// The header of games of these players.
    #[must_use]
    pub fn new(game: GameSpec, players: Vec<String>) -> RecordsHeader {
        RecordsHeader { records: VERSION - 1, game, players }
    }

    /// The same header, in the version that these records need.
    #[must_use]
    pub fn for_records<'r>(self, records: impl IntoIterator<Item = &'r Record>) -> RecordsHeader {
        let is_new = |record: &Record| record.times.is_some() || matches!(record.ending, Ending::Agreed | Ending::Time);
        let is_newer = records.into_iter().any(is_new);
        RecordsHeader { records: if is_newer { VERSION } else { VERSION - 1 }, ..self }
    }

    /// A record with the names of its players.
    #[must_use]
    pub fn transcript(&self, record: &Record) -> Transcript {
        Transcript {
            names: record.players.map(|player| self.players[player].clone()),
            start: record.start.clone(),
            actions: record.actions.clone(),
            opening: record.opening,
            outcome: Some(record.outcome),
            ending: record.ending,
        }
    }
}

/// A whole file. Owned records are freed one by one.
///
/// # Panics
/// Never: headers and records are plain data.
#[must_use]
pub fn write(header: &RecordsHeader, records: impl IntoIterator<Item: Borrow<Record>>) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(header).expect("a header is plain data");
    bytes.push(b'\n');
    for record in records {
        serde_json::to_writer(&mut bytes, record.borrow()).expect("a record is plain data");
        bytes.push(b'\n');
    }
    bytes
}

/// Reads a file record by record. A faulty line is an error and does not end the reading; the header of a joined file
/// does, as its records have other players.
pub struct Records<R> {
    lines: RecordLines<R>,
    header: RecordsHeader,
    game: Arc<dyn Game>,
    /// The header of the next file, if the records of this one have ended with it, or its fault.
    next_header: Option<Result<RecordsHeader, FormatError>>,
}

impl<R: BufRead> Records<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// If it is missing or invalid.
    pub fn open(reader: R) -> Result<Records<R>, FormatError> {
        let mut lines = RecordLines { reader, line: 0, buffer: Vec::new() };
        let bytes = match lines.next() {
            None => return Err(Fault::Expected { wanted: "a header", found: "an empty file".to_owned() }.at(1)),
            Some(line) => line?,
        };
        let header = read_header(bytes, 1)?;
        let game = header.game.build();
        Ok(Records { lines, header, game, next_header: None })
    }

    /// Whether the last line is the header of another file, without a torn record before it.
    #[must_use]
    pub fn is_at_header(&self) -> bool {
        header_start(self.lines.text()) == Some(0)
    }

    /// Goes on to the records of the next file, if a header has ended those of this one.
    ///
    /// # Errors
    /// If that header is invalid.
    pub fn next_file(&mut self) -> Result<bool, FormatError> {
        let Some(header) = self.next_header.take().transpose()? else { return Ok(false) };
        (self.game, self.header) = (header.game.build(), header);
        Ok(true)
    }

    /// The header of the file.
    #[must_use]
    pub fn header(&self) -> &RecordsHeader {
        &self.header
    }

    /// The record that is whole within the last line, which is torn: the next line begins there.
    #[must_use]
    pub fn within_line(&self) -> Option<Record> {
        let records = objects_within(self.lines.buffer.trim_ascii());
        let record = records.filter_map(|text| serde_json::from_slice(text).ok()).next()?;
        check(record, &self.header, &*self.game).ok()
    }

    /// The line of the record that was read last, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.lines.line
    }
}

impl<R: BufRead> Iterator for Records<R> {
    type Item = Result<Record, FormatError>;

    fn next(&mut self) -> Option<Result<Record, FormatError>> {
        if self.next_header.is_some() {
            return None;
        }
        let read = self
            .lines
            .next()?
            .and_then(|bytes| serde_json::from_slice(bytes).map_err(|error| Fault::from(error).at(0)));
        let line = self.lines.line;
        if read.is_err() {
            self.next_header = header_within(self.lines.text(), line);
        }
        if self.next_header.is_some() {
            let what = "the header of another file stands within this one, as in joined files: read each file alone";
            return Some(Err(Fault::Form(what.to_owned()).at(line)));
        }
        let checked = read.and_then(|record| check(record, &self.header, &*self.game));
        Some(checked.map_err(|error| FormatError { line, ..error }))
    }
}

/// Reads the header in a line.
fn read_header(bytes: &[u8], line: usize) -> Result<RecordsHeader, FormatError> {
    let header: RecordsHeader = serde_json::from_slice(bytes).map_err(|error| Fault::from(error).at(line))?;
    if !(1..=VERSION).contains(&header.records) {
        return Err(Fault::Version(header.records).at(line));
    }
    if header.players.len() > MOST_PLAYERS {
        let (what, size) = ("a list of players", header.players.len());
        return Err(Fault::TooLarge { what, size, most: MOST_PLAYERS }.at(line));
    }
    Ok(header)
}

/// The header in a line that is no record, possibly behind a torn record.
fn header_within(text: &[u8], line: usize) -> Option<Result<RecordsHeader, FormatError>> {
    header_start(text).map(|start| read_header(&text[start..], line))
}

/// The place of the object with the key of a header.
fn header_start(text: &[u8]) -> Option<usize> {
    const KEY: &[u8] = b"\"records\":";
    let key = text.windows(KEY.len()).position(|window| window == KEY)?;
    text[..key].iter().rposition(|byte| *byte == b'{')
}

fn check(record: Record, header: &RecordsHeader, game: &dyn Game) -> Result<Record, FormatError> {
    let (players, named) = (record.players, header.players.len());
    if players.iter().any(|&player| player >= named) {
        return Err(Fault::Players(players, named).at(0));
    }
    if record.opening as usize > record.actions.len() {
        return Err(Fault::Opening { opening: record.opening, plies: record.actions.len() }.at(0));
    }
    let start = begin(game, record.start.as_deref()).map_err(|fault| fault.at(0))?;
    let position = replay(game, start, &record.actions, |_| 0)?;
    settle(position.outcome(), Some(record.outcome), SIDES, "").map_err(|fault| fault.at(0))?;
    Ok(record)
}

/// Lines of a bounded length; empty ones are skipped.
struct RecordLines<R> {
    reader: R,
    line: usize,
    buffer: Vec<u8>,
}

impl<R: BufRead> RecordLines<R> {
    fn next(&mut self) -> Option<Result<&[u8], FormatError>> {
        loop {
            self.buffer.clear();
            self.line += 1;
            let mut bounded = self.reader.by_ref().take(LONGEST_LINE as u64 + 1);
            match bounded.read_until(b'\n', &mut self.buffer) {
                Err(error) => return Some(Err(Fault::from(error).at(self.line))),
                Ok(0) => return None,
                Ok(_) if self.buffer.len() > LONGEST_LINE => return Some(Err(self.pass_over())),
                Ok(_) if self.text().is_empty() => {}
                Ok(_) => return Some(Ok(self.text())),
            }
        }
    }

    /// The line without white space around it, and without the byte order mark that some editors write before it.
    fn text(&self) -> &[u8] {
        self.buffer.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&self.buffer).trim_ascii()
    }

    /// Skips to the end of a line that is too long.
    fn pass_over(&mut self) -> FormatError {
        let mut size = self.buffer.len();
        while self.buffer.last() != Some(&b'\n') {
            self.buffer.clear();
            let mut bounded = self.reader.by_ref().take(LONGEST_LINE as u64);
            match bounded.read_until(b'\n', &mut self.buffer) {
                Ok(0) | Err(_) => break,
                Ok(more) => size += more,
            }
        }
        Fault::TooLarge { what: "a line", size, most: LONGEST_LINE }.at(self.line)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::{Outcome, Seed, Side, SideTime};

    /// Random games, each finished or called a draw after some plies.
    pub fn played(spec: &GameSpec, seed: u64, games: usize) -> Vec<Record> {
        let game = spec.build();
        let mut rng = Seed::new(seed).rng();
        let one = |index: usize| {
            let (mut position, mut actions) = (game.start(), Vec::new());
            let most = if index % 3 == 2 { 7 } else { usize::MAX };
            while position.outcome().is_none() && actions.len() < most {
                actions.push(position.random_action(&mut rng));
                position.play(actions[actions.len() - 1]);
            }
            let outcome = position.outcome().unwrap_or(Outcome::Draw);
            let ending = if position.outcome().is_none() { Ending::MaxPlies } else { Ending::Rules };
            // Some games are over within two plies.
            let opening = actions.len().min(index % 4) as u32;
            let record = Record::new(index, [index % 2, 1 - index % 2], actions, outcome);
            Record { opening, ending, ..record }
        };
        (0..games).map(one).collect()
    }

    fn errors(text: &str) -> Vec<String> {
        let header = "{\"records\":1,\"game\":{\"gomoku\":{\"size\":5}},\"players\":[\"a\",\"b\"]}\n";
        match Records::open(format!("{header}{text}").as_bytes()) {
            Err(error) => vec![error.to_string()],
            Ok(records) => records.filter_map(Result::err).map(|error| error.to_string()).collect(),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn written_records_are_read_back(at in 0..GameSpec::examples().len(), seed: u64, names: [String; 2]) {
            let spec = GameSpec::examples().swap_remove(at);
            let (header, records) = (RecordsHeader::new(spec.clone(), names.to_vec()), played(&spec, seed, 5));
            let bytes = write(&header, &records);
            let reader = Records::open(&bytes[..]).unwrap();
            prop_assert_eq!(reader.header(), &header);
            prop_assert_eq!(reader.collect::<Result<Vec<_>, _>>().unwrap(), records);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>) {
            if let Ok(records) = Records::open(&bytes[..]) {
                records.for_each(drop);
            }
        }
    }

    #[test]
    fn every_bad_line_is_named_and_the_others_are_read() {
        let text = r#"
{"game":0,"players":[0,1],"actions":[1],"outcome":"draw"}
{"game":0,"players":[0,2],"actions":[1],"outcome":"draw"}
{"game":0,"players":[1,1],"actions":[1],"outcome":"draw"}
{"game":0,"players":[0,1],"actions":[1,1],"outcome":"draw"}
{"game":0,"players":[0,1],"actions":[99],"outcome":"draw"}
{"game":0,"players":[0,1],"actions":[0,5,1,6,2,7,3,8,4],"outcome":"draw"}
{"game":0,"players":[0,1],"actions":[1],"opening":2,"outcome":"draw"}
{"game":0,"players":[0,1],"start":"5/5 x","actions":[1],"outcome":"draw"}
{"game":0,"players":[0,1],"start":"x4/5/5/5/5 o","actions":[0],"outcome":"draw"}
{"game":0,"players":[0,1],"start":"x4/5/5/5/5 o","actions":[1],"outcome":"draw"}
{"game":0,"players":[0,1],"actions":[1],"outcome":"#;
        let found = errors(text);
        let wanted = [
            "line 4: players [0, 2] are not two of the 2",
            "line 6: move 2, B5, is not legal",
            "line 7: move 1, 99, is not legal",
            "line 8: by the rules the first side wins, by the file the game is drawn",
            "line 9: an opening of 2 plies in a game of 1",
            "line 10: the position \"5/5 x\" cannot be set up: 2 rows were given for a board of 5",
            "line 11: move 1, A5, is not legal",
            "line 13: EOF while parsing",
        ];
        assert_eq!(found.len(), wanted.len(), "{found:?}");
        found.iter().zip(wanted).for_each(|(found, wanted)| assert!(found.starts_with(wanted), "{found}"));
    }

    #[test]
    fn headers_are_checked() {
        let open = |text: &str| Records::open(text.as_bytes()).err().expect("a mistake").to_string();
        assert_eq!(open(""), "line 1: expected a header, found an empty file");
        assert!(open("{\"games\":0}").starts_with("line 1: unknown field"));
        let later = r#"{"records":4,"game":{"gomoku":{"size":5}},"players":[]}"#;
        assert_eq!(open(later), "line 1: records of version 4: this program reads versions 1 to 3");
        assert!(open(r#"{"records":1,"game":{"gomoku":{"size":99}},"players":[]}"#).contains("board size 99"));
    }

    #[test]
    fn clocks_and_agreements_need_a_newer_version() {
        let (spec, players) = (GameSpec::examples()[0].clone(), vec!["a".to_owned(), "b".to_owned()]);
        let header = || RecordsHeader::new(spec.clone(), players.clone());
        let plain = Record::new(0, [0, 1], Vec::new(), Outcome::Win(Side::First));
        let timed = Record { ending: Ending::Time, times: Some([SideTime::default(); 2]), ..plain.clone() };
        assert_eq!(header().for_records([&plain]), header());
        let newer = header().for_records([&plain, &timed]);
        assert_ne!(newer, header());
        let bytes = write(&newer, [&plain, &timed]);
        assert!(bytes.starts_with(b"{\"records\":3,"));
        let read: Vec<Record> = Records::open(&bytes[..]).unwrap().map(Result::unwrap).collect();
        assert_eq!(read, [plain, timed]);
    }

    #[test]
    fn an_endless_line_is_passed_over() {
        let found = errors(&format!("{}\n{{\"game\":", "x".repeat(LONGEST_LINE * 2)));
        assert!(found[0].starts_with("line 2: a line of 16777"), "{}", found[0]);
        assert!(found[1].starts_with("line 3: EOF"), "{}", found[1]);
    }
}
