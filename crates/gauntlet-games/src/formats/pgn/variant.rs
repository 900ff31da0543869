//! The rules that a chess file names.

use super::tags::Tags;
use crate::formats::{Fault, FormatError};
use crate::games::{Game, GameSpec};

/// Names of standard chess, in lower case, only letters and digits.
const STANDARD: [&str; 10] =
    ["", "standard", "chess", "normal", "fromposition", "classic", "classical", "orthodox", "regular", "western"];

/// Additional names of chess on 5x5.
const SMALL: [&str; 6] = ["gardner", "gardnerminichess", "gardnersminichess", "minichess", "5x5", "mini"];

/// Names of chess from shuffled first rows.
const SHUFFLED: [&str; 6] = ["chess960", "960", "fischerandom", "fischerrandom", "freestyle", "freestylechess"];

/// The value of the tag `Variant`, for rules that need one.
pub(super) fn named(spec: &GameSpec) -> Option<&'static str> {
    matches!(spec, GameSpec::Chess(rules) if rules.size.get() == 5).then_some("Gardner")
}

/// The rules and the board of a game by its tags `Variant` and `FEN`: `crazyhouse`, `gardner 5x5`; empty for chess.
pub(super) fn kind(tags: &Tags) -> String {
    let name = tags.variant.as_ref().map_or(String::new(), |(_, variant)| plain(variant));
    let name = match () {
        () if STANDARD.contains(&&*name) => "",
        () if SHUFFLED.iter().any(|known| name.starts_with(known)) => SHUFFLED[0],
        () => &name,
    };
    let size = tags.position.as_ref().and_then(|(_, position)| size(position)).filter(|size| *size != CHESS_BOARD);
    [name, size.as_deref().unwrap_or_default()].join(" ").trim().to_owned()
}

/// The board of chess, as [`size`] has it.
const CHESS_BOARD: &str = "8x8";

/// Columns and rows of a position in FEN or in a notation like it.
fn size(position: &str) -> Option<String> {
    let board = position.split(['[', ' ']).next()?;
    let rows: Vec<&str> = board.split('/').collect();
    let first = rows.first().filter(|_| rows.len() > 1)?;
    let empty: usize = first
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|digits| digits.parse::<u16>().ok())
        .map(usize::from)
        .sum();
    let pieces = first.chars().filter(|letter| letter.is_alphabetic()).count();
    Some(format!("{}x{}", empty.checked_add(pieces)?, rows.len()))
}

/// A name in lower case, only letters and digits.
fn plain(variant: &str) -> String {
    variant.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Checks the tag `Variant` of a game of chess: if present, it must name the game's rules.
///
/// # Errors
/// [`Fault::OtherGame`] for other rules.
pub(super) fn check(tags: &Tags, spec: &GameSpec, game: &dyn Game) -> Result<(), FormatError> {
    let (GameSpec::Chess(rules), Some((line, variant))) = (spec, &tags.variant) else { return Ok(()) };
    let name = plain(variant);
    let is_small = rules.size.get() == 5;
    if STANDARD.contains(&&*name) || is_small && SMALL.contains(&&*name) {
        return Ok(());
    }
    let why = if SHUFFLED.iter().any(|known| name.starts_with(known)) {
        "; kings castle from e1 and e8 alone here, so that its castling is not read"
    } else {
        ""
    };
    let found = format!("{variant:?} (tag Variant{why})");
    Err(Fault::OtherGame { wanted: game.name(), found }.at(*line as usize))
}
