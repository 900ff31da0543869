//! Single games as CSV: `white,black,result,opening`, in any order of columns, with or without others.
//!
//! White moves first. Two games of one opening with colours swapped are a pair, even if other games are between them;
//! games without an opening are single games.

use std::collections::HashMap;
use std::io::BufRead;

use super::GameResults;
use super::counts::{self, Header, each_row};
use super::tally::{Fault, Tally};
use crate::base::{Outcome, Side};

const COLUMNS: [&str; 3] = ["white", "black", "result"];
const OPENING: &str = "opening";

/// The outcomes of games that have no partner yet, by white, black and the opening.
type Waiting = HashMap<(usize, usize, String), Vec<Outcome>>;

/// Whether a header is that of single games, and not that of counts with an additional column.
pub(super) fn are_games(header: &Header) -> bool {
    let has = |wanted: &str| header.names.iter().any(|name| name.trim().eq_ignore_ascii_case(wanted));
    (has(COLUMNS[2]) || has(COLUMNS[0]) && has(COLUMNS[1])) && !has(counts::COLUMNS[0])
}

/// Reads games after the header.
pub(super) fn read(
    input: impl BufRead,
    header: &Header,
    results: &mut GameResults,
    tally: &mut Tally<'_>,
) -> Result<(), Fault> {
    let [white, black, result] = header.columns(&COLUMNS)?;
    let opening = header.names.iter().position(|name| name.trim().eq_ignore_ascii_case(OPENING));
    let mut waiting = Waiting::new();
    each_row(input, header, tally, |row, tally| {
        let field = |place: usize| row.get(place).map(|field| field.trim()).filter(|field| !field.is_empty());
        let wanted = |place: usize, name: &str| field(place).ok_or_else(|| format!("`{name}` is missing"));
        let players = [wanted(white, COLUMNS[0])?, wanted(black, COLUMNS[1])?];
        if players[0] == players[1] {
            return Err(format!("{:?} plays against itself", players[0]));
        }
        let outcome = outcome(wanted(result, COLUMNS[2])?)?;
        let [first, second] = players.map(|name| results.player(name));
        tally.count(1);
        match opening.and_then(field) {
            Some(opening) => pair(results, &mut waiting, [first, second], opening, outcome),
            None => results.add_game(first, second, outcome),
        }
        Ok(results.players().len())
    })?;
    for ((first, second, _), outcomes) in waiting {
        outcomes.into_iter().for_each(|outcome| results.add_game(first, second, outcome));
    }
    Ok(())
}

/// Pairs a game with a waiting partner, or stores it as waiting.
fn pair(
    results: &mut GameResults,
    waiting: &mut Waiting,
    [first, second]: [usize; 2],
    opening: &str,
    outcome: Outcome,
) {
    let other = waiting.get_mut(&(second, first, opening.to_owned())).and_then(Vec::pop);
    match other {
        Some(other) => results.add_pair(second, first, [other, outcome]),
        None => waiting.entry((first, second, opening.to_owned())).or_default().push(outcome),
    }
}

fn outcome(text: &str) -> Result<Outcome, String> {
    match text {
        "1-0" => Ok(Outcome::Win(Side::First)),
        "0-1" => Ok(Outcome::Win(Side::Second)),
        "1/2-1/2" | "1/2" | "½-½" => Ok(Outcome::Draw),
        _ => Err(format!("`{}` is {text:?}, and not 1-0, 0-1 or 1/2-1/2", COLUMNS[2])),
    }
}
