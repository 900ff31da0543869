//! JSON files of results; the keys determine the program that wrote one.

use std::io::Read;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::tally::{InputFault, Tally};
use super::{GameResults, fastchess, fishtest, json_rows, rankings};

/// Maximum size of a file in bytes. The file of AlphaGateau's authors has 1.3 MB.
const LARGEST: u64 = 64 << 20;

/// The known forms, for errors.
const FORMS: &str = "AlphaGateau's rankings (`results`), a state of fastchess (`stats`) and a run of fishtest \
                     (`args` and `results`) are understood";

pub(super) fn read(input: impl Read, results: &mut GameResults, tally: &mut Tally<'_>) -> Result<(), InputFault> {
    let mut text = Vec::new();
    input.take(LARGEST + 1).read_to_end(&mut text)?;
    if text.len() as u64 > LARGEST {
        let what = format!("this JSON has more than {} MB, and is only read whole", LARGEST >> 20);
        return Err(InputFault { line: None, what, hint: Some("write the counts as CSV, which is read line by line") });
    }
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&text);
    if is_list_of_games(text) || json_rows::begins_with_row(text) {
        return json_rows::read_list(text, results, tally);
    }
    let form = JsonForm::of(text)?;
    tally.source.format = form.name();
    match form {
        JsonForm::Rankings => take_rankings(text, results, tally),
        JsonForm::Fastchess => fastchess::read(text, results, tally),
        JsonForm::Fishtest => fishtest::read(text, results, tally),
    }
}

/// Whether a text is a list whose first entry is an object.
fn is_list_of_games(text: &[u8]) -> bool {
    let behind = text.trim_ascii_start().strip_prefix(b"[");
    behind.is_some_and(|rest| rest.trim_ascii_start().starts_with(b"{"))
}

/// The form of a file.
#[derive(Debug, Clone, Copy)]
enum JsonForm {
    Rankings,
    Fastchess,
    Fishtest,
}

/// The keys that tell the forms apart.
#[derive(Default, Deserialize)]
struct FormKeys {
    stats: Option<IgnoredAny>,
    engines: Option<IgnoredAny>,
    args: Option<IgnoredAny>,
    results: Option<IgnoredAny>,
}

/// The advice for other JSON.
const AS_CSV: &str = "write each game as a row of a CSV with the first line `white,black,result`";

impl JsonForm {
    fn of(text: &[u8]) -> Result<JsonForm, InputFault> {
        if text.trim_ascii_start().starts_with(b"[") {
            return Err(InputFault::of_file(format!("this JSON is a list, which is not read ({FORMS})"), AS_CSV));
        }
        let mut values = serde_json::Deserializer::from_slice(text).into_iter::<FormKeys>();
        let keys = values.next().transpose().map_err(|error| InputFault::of_json(&error, FORMS))?.unwrap_or_default();
        if text[values.byte_offset()..].trim_ascii_start().starts_with(b"{") {
            let what = "these are lines of JSON, and the first object has none of the keys of a game or of counts";
            return Err(InputFault::of_file(format!("{what} ({FORMS})"), AS_CSV));
        }
        match keys {
            FormKeys { args: Some(_), results: Some(_), .. } => Ok(JsonForm::Fishtest),
            FormKeys { results: Some(_), .. } => Ok(JsonForm::Rankings),
            FormKeys { stats: Some(_), .. } | FormKeys { engines: Some(_), .. } => Ok(JsonForm::Fastchess),
            _ => Err(InputFault::at(1, format!("this JSON holds no known results ({FORMS})"))),
        }
    }

    fn name(self) -> &'static str {
        match self {
            JsonForm::Rankings => "rankings",
            JsonForm::Fastchess => "state of fastchess",
            JsonForm::Fishtest => "run of fishtest",
        }
    }
}

fn take_rankings(text: &[u8], results: &mut GameResults, tally: &mut Tally<'_>) -> Result<(), InputFault> {
    let found = rankings::read(text)?;
    for (a, b, counts) in &found.results {
        let (a, b) = (results.player(a), results.player(b));
        tally.room(results.players().len())?;
        results.add_counts(a, b, *counts);
        tally.count(counts.iter().sum());
    }
    Ok(())
}
