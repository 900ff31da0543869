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

/// Checks the tag `Variant` of a game of chess: if present, it must name the game's rules.
///
/// # Errors
/// [`Fault::OtherGame`] for other rules.
pub(super) fn check(tags: &Tags, spec: &GameSpec, game: &dyn Game) -> Result<(), FormatError> {
    let (GameSpec::Chess(rules), Some((line, variant))) = (spec, &tags.variant) else { return Ok(()) };
    let name: String = variant.chars().filter(|letter| letter.is_alphanumeric()).collect();
    let name = name.to_lowercase();
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
