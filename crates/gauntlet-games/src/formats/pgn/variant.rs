//! Which rules a file of chess names.

use super::tags::Tags;
use crate::formats::{Fault, FormatError};
use crate::games::{Game, GameSpec};

/// What the rules of chess are called, in small letters and without what is no letter or digit.
const STANDARD: [&str; 10] =
    ["", "standard", "chess", "normal", "fromposition", "classic", "classical", "orthodox", "regular", "western"];

/// What chess on 5x5 is called beside that.
const SMALL: [&str; 6] = ["gardner", "gardnerminichess", "gardnersminichess", "minichess", "5x5", "mini"];

/// Names of chess from shuffled first rows.
const SHUFFLED: [&str; 6] = ["chess960", "960", "fischerandom", "fischerrandom", "freestyle", "freestylechess"];

/// Checks that a game of chess is one by the rules that the tag `Variant` names, if it names any.
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
