//! The data that the two games of a pair share, in PGN and in SGF.
//!
//! Match runners write one `Round` for both games (`12`), or number the games of a pair (`12.1`, `12.2`). `FEN` is the
//! position that both games start from. The tags `Opening` and `ECO` are a classification of the moves that were
//! played, and may differ within a pair; only beside `OpeningPlies`, this program's own tag, `Opening` holds the moves
//! of the given opening.

use super::tags::Tags;

/// Data that only the two games of a pair share, apart from their players.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairTags {
    /// A hash of event, round, start and opening.
    pub id: u128,
    /// The place of the game in its pair, 1 or 2, if the round has it.
    pub place: Option<u8>,
}

impl PairTags {
    /// The data of a game whose opening moves are `book`; `None` without a round.
    pub(super) fn new(tags: &Tags, book: &str) -> Option<PairTags> {
        let round = tags.round.as_deref().filter(|round| !matches!(*round, "" | "?" | "-"))?;
        let opening = tags.opening_name.as_ref().filter(|_| tags.opening.is_some());
        let texts = [tags.event.as_ref(), tags.position.as_ref().map(|(_, text)| text), opening, tags.opening.as_ref()];
        PairTags::of(round, [Some(book)].into_iter().chain(texts.map(|text| text.map(String::as_str))))
    }

    /// The data of a game whose round numbers the games of a pair (`12.1`); `None` for other rounds.
    pub fn of_numbered<'a>(round: &'a str, texts: impl IntoIterator<Item = Option<&'a str>>) -> Option<PairTags> {
        PairTags::of(round, texts).filter(|found| found.place.is_some())
    }

    fn of<'a>(round: &'a str, texts: impl IntoIterator<Item = Option<&'a str>>) -> Option<PairTags> {
        let (pair, place) = match numbered(round) {
            Some((pair, place)) => (pair, Some(place)),
            None => (round, None),
        };
        let mut hash = blake3::Hasher::new();
        hash.update(&[place.is_some().into()]);
        for text in [Some(pair)].into_iter().chain(texts) {
            hash.update(&text.map_or(u64::MAX, |text| text.len() as u64).to_le_bytes());
            hash.update(text.unwrap_or_default().as_bytes());
        }
        let id = u128::from_le_bytes(*hash.finalize().as_bytes().first_chunk()?);
        Some(PairTags { id, place })
    }
}

/// The pair of a round such as `12.2`, and the place of the game in it.
fn numbered(round: &str) -> Option<(&str, u8)> {
    let (pair, game) = round.split_once('.')?;
    let place = game.parse().ok().filter(|game| (1..=2).contains(game))?;
    pair.parse::<u64>().is_ok().then_some((pair, place))
}
