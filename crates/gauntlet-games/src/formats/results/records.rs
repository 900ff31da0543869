//! Results from this program's own games, as [`formats::records`](crate::formats::records) reads them: players,
//! results, and pairs of games.

use std::collections::HashSet;
use std::io::BufRead;

use super::GameResults;
use super::tally::{InputFault, Tally};
use crate::base::Record;
use crate::formats::records::Records;
use crate::formats::{Fault, FormatError};

/// Reads a file, or several joined ones.
pub(super) fn read(input: impl BufRead, results: &mut GameResults, tally: &mut Tally<'_>) -> Result<(), InputFault> {
    let mut records = Records::open(input)?;
    loop {
        read_file(&mut records, results, tally)?;
        if !records.next_file()? {
            return Ok(());
        }
    }
}

/// Reads the records below one header.
fn read_file(
    records: &mut Records<impl BufRead>,
    results: &mut GameResults,
    tally: &mut Tally<'_>,
) -> Result<(), InputFault> {
    let names = records.header().players.clone();
    tally.room(names.len())?;
    let kind = records.header().game.build().name();
    let mut known = HashSet::new();
    if let Some(twice) = names.iter().find(|name| !known.insert(*name)) {
        let what = format!("two players are named {twice:?}: names have to be distinct");
        return Err(InputFault::at(records.line() as u64, what));
    }
    // The first game of a pair, until its second game is read.
    let mut first: Option<Record> = None;
    let mut within = None;
    while let Some(record) = within.take().map(Ok).or_else(|| records.next()) {
        let record = match record.map_err(InputFault::from) {
            // A tournament may have such games (mirror matches); ratings cannot use them.
            Ok(Record { players: [one, other], .. }) if one == other => {
                tally.fault(InputFault::at(records.line() as u64, format!("{:?} plays against itself", names[one])))?;
                continue;
            }
            Ok(record) => record,
            Err(fault) if fault.line.is_none() => return Err(fault),
            Err(_) if records.is_at_header() => break,
            Err(fault) => {
                tally.fault(fault)?;
                within = records.within_line();
                continue;
            }
        };
        tally.count(1);
        tally.kind(&kind);
        results.resignations.add(&record);
        if tally.how.moves {
            let mut moves = record.start.clone().unwrap_or_default().into_bytes();
            moves.extend(record.actions.iter().flat_map(|action| action.0.to_le_bytes()));
            let [a, b] = players(&record, &names, results);
            results.add_moves([a, b], &moves);
        }
        first = match first.take() {
            Some(one) if are_pair(&one, &record) => {
                let [a, b] = players(&one, &names, results);
                results.add_pair(a, b, [one.outcome, record.outcome]);
                None
            }
            one => {
                one.iter().for_each(|one| add(one, &names, results));
                Some(record)
            }
        };
    }
    first.iter().for_each(|one| add(one, &names, results));
    Ok(())
}

/// Two games in a row with one opening and swapped colours, numbered `2 n` and `2 n + 1`.
fn are_pair(one: &Record, two: &Record) -> bool {
    let plies = one.opening as usize;
    one.game.is_multiple_of(2)
        && two.game == one.game + 1
        && one.players == [two.players[1], two.players[0]]
        && (&one.start, one.opening) == (&two.start, two.opening)
        && one.actions[..plies] == two.actions[..plies]
}

fn players(record: &Record, names: &[String], results: &mut GameResults) -> [usize; 2] {
    record.players.map(|player| results.player(&names[player]))
}

fn add(record: &Record, names: &[String], results: &mut GameResults) {
    let [first, second] = players(record, names, results);
    results.add_game(first, second, record.outcome);
}

impl From<FormatError> for InputFault {
    fn from(error: FormatError) -> InputFault {
        let line = (!matches!(error.fault, Fault::Unreadable(_))).then_some(error.line as u64);
        let what = match error.fault {
            Fault::Json(error) if error.is_eof() => "the record ends in the middle".to_owned(),
            fault => fault.to_string(),
        };
        InputFault { line, what, hint: None }
    }
}
