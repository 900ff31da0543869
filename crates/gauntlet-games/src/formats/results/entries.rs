//! Results from tables and from JSON lines, row by row, in the known [forms](super::forms).
//!
//! Two games of one opening with colours swapped are a pair, even if other games are between them; games without an
//! opening are single games.

use std::collections::{BTreeMap, HashMap};
use std::io::BufRead;

use super::GameResults;
use super::forms::{Entry, Form, is_column, place};
use super::table::{Table, columns, fits};
use super::tally::{InputFault, Tally};
use crate::base::{Outcome, Side};

/// Reads a table, or several that follow each other, each below a row with the names of its columns.
pub(super) fn read(input: impl BufRead, results: &mut GameResults, tally: &mut Tally<'_>) -> Result<(), InputFault> {
    let mut table = Table::open(input)?;
    let (mut form, mut places) = head(&table)?;
    let mut taking = Entries::new(results);
    loop {
        let row = match table.next_row() {
            Ok(None) => break,
            Ok(Some(row)) => row,
            Err(fault) => {
                tally.fault(fault)?;
                continue;
            }
        };
        let is_row = |fields: &[String]| form.read(&cells(fields, &places)).is_ok();
        let checked = fits(&row.fields, table.names.len()).and_then(|()| table.check_inside(&row, is_row));
        let read = checked.and_then(|()| form.read(&cells(&row.fields, &places)));
        // The other forms read no names of columns as a result.
        if (read.is_err() || form.has_winner()) && is_head(&row.fields) {
            (table.names, table.head) = (row.fields, row.line);
            (form, places) = head(&table)?;
            continue;
        }
        let fault = match read {
            Ok(entry) => {
                let before = tally.source.games;
                taking.take(entry, row.line, tally)?;
                let kind = kind(&row.fields, &table.names).filter(|_| tally.source.games > before);
                kind.iter().for_each(|kind| tally.kind(kind));
                continue;
            }
            Err(what) => InputFault::at(row.line, what),
        };
        tally.fault(fault)?;
        table.leave(row);
    }
    taking.finish(tally);
    if are_names(&tally.source.kinds) && !is_exported(&table.names) {
        tally.source.kinds.clear();
    }
    Ok(())
}

/// Whether a table is one of `gauntlet export --games`, by a column that no other has.
fn is_exported(names: &[String]) -> bool {
    place(names, &["first.settings"]).is_some()
}

/// The kind of the game in a row: the column `game`, and in an exported table the settings of the game beside it. A number
/// is that of a game, and no kind.
fn kind(fields: &[String], names: &[String]) -> Option<String> {
    let game = own(fields.get(place(names, &["game"])?)?);
    let setting = |name: &String| name.strip_prefix("game.").filter(|_| is_exported(names)).map(str::to_owned);
    let settings = names.iter().zip(fields).filter_map(|(name, cell)| Some((setting(name)?, own(cell))));
    let settings = settings.filter(|(_, value)| !value.is_empty()).map(|(name, value)| format!(", {name} {value}"));
    let is_name = !game.is_empty() && game.parse::<f64>().is_err();
    is_name.then(|| format!("{game}{}", settings.collect::<String>()))
}

/// Whether kinds are rather names of single games or of pairs.
fn are_names(kinds: &BTreeMap<String, u64>) -> bool {
    kinds.values().sum::<u64>() <= 2 * kinds.len() as u64
}

/// The form of a table, and the places of its columns.
fn head<R: BufRead>(table: &Table<R>) -> Result<(&'static Form, Vec<Option<usize>>), InputFault> {
    let form = Form::of(&table.names).0;
    let places = columns(&table.names, form.columns, form.required).map_err(|what| InputFault::at(table.head, what))?;
    Ok((form, places))
}

/// Whether a row names all columns of a form, as the first line of a joined file does.
fn is_head(fields: &[String]) -> bool {
    fields.iter().any(|field| is_column(field)) && Form::of(fields).1 == 1.0
}

/// The cells of a row in the order of the form, without the apostrophe that this program writes before text that a
/// spreadsheet would evaluate; None for empty and missing ones.
fn cells<'f>(fields: &'f [String], places: &[Option<usize>]) -> Vec<Option<&'f str>> {
    let cell = |place: &Option<usize>| fields.get((*place)?).map(|cell| own(cell)).filter(|cell| !cell.is_empty());
    places.iter().map(cell).collect()
}

/// The text of a cell.
fn own(cell: &str) -> &str {
    let rest = cell.strip_prefix('\'').filter(|rest| {
        let bare = rest.trim_start_matches('\'');
        bare.starts_with(['\t', '\r']) || bare.trim_start().starts_with(['=', '+', '-', '@'])
    });
    rest.unwrap_or(cell).trim()
}

/// The outcomes of games that have no partner yet, by white, black and the opening.
type Waiting = HashMap<(usize, usize, String), Vec<Outcome>>;

/// Adds entries to results.
pub(super) struct Entries<'r> {
    results: &'r mut GameResults,
    waiting: Waiting,
    /// The counts of every two players, in this order.
    sums: HashMap<[usize; 2], [u64; 3]>,
}

impl<'r> Entries<'r> {
    pub(super) fn new(results: &'r mut GameResults) -> Entries<'r> {
        Entries { results, waiting: Waiting::new(), sums: HashMap::new() }
    }

    /// Adds an entry, which begins in a line.
    pub(super) fn take(&mut self, entry: Entry<'_>, line: u64, tally: &mut Tally<'_>) -> Result<(), InputFault> {
        match entry {
            Entry::Counts(players, counts) => {
                let [a, b] = players.map(|name| self.results.player(name));
                self.results.add_counts(a, b, counts);
                let sum = self.sums.entry([a, b]).or_default();
                (0..3).for_each(|at| sum[at] += counts[at]);
                tally.count(counts.iter().sum());
            }
            Entry::Game { players, stated, opening } => {
                let Some(outcome) = tally.rated(stated, line) else { return Ok(()) };
                let players = players.map(|name| self.results.player(name));
                tally.count(1);
                self.add(players, opening, outcome);
            }
            Entry::Uncoloured(players, stated) => {
                let Some(outcome) = tally.rated(stated, line) else { return Ok(()) };
                let [a, b] = players.map(|name| self.results.player(name));
                tally.count(1);
                self.results.add_counts(
                    a,
                    b,
                    match outcome {
                        Outcome::Win(Side::First) => [1, 0, 0],
                        Outcome::Draw => [0, 1, 0],
                        Outcome::Win(Side::Second) => [0, 0, 1],
                    },
                );
            }
        }
        tally.room(self.results.players().len())
    }

    /// Adds a game: paired with a waiting partner, or waiting for one.
    fn add(&mut self, [first, second]: [usize; 2], opening: Option<&str>, outcome: Outcome) {
        let Some(opening) = opening else { return self.results.add_game(first, second, outcome) };
        let other = self.waiting.get_mut(&(second, first, opening.to_owned())).and_then(Vec::pop);
        match other {
            Some(other) => self.results.add_pair(second, first, [other, outcome]),
            None => self.waiting.entry((first, second, opening.to_owned())).or_default().push(outcome),
        }
    }

    /// Adds the games without a partner.
    pub(super) fn finish(self, tally: &mut Tally<'_>) {
        for ((first, second, _), outcomes) in self.waiting {
            outcomes.into_iter().for_each(|outcome| self.results.add_game(first, second, outcome));
        }
        if is_cross_table(&self.sums) {
            tally.note(TWICE.to_owned());
        }
    }
}

/// The note on a [cross table](is_cross_table).
const TWICE: &str = "Every two players have results in both orders, with the same counts. Both count, as different \
    games. If they are the same games, keep one row for each two players: otherwise errors are too small by a factor \
    of 1.4.";

/// Whether the counts of every two players come in both orders and are the same, from either side. Matches of one or
/// two games can agree by chance.
fn is_cross_table(sums: &HashMap<[usize; 2], [u64; 3]>) -> bool {
    let mirrored =
        |(&[a, b], &[wins, draws, losses]): (&[usize; 2], &[u64; 3])| sums.get(&[b, a]) == Some(&[losses, draws, wins]);
    sums.values().any(|counts| counts.iter().sum::<u64>() > 2) && sums.iter().all(mirrored)
}
