//! What a reader must know of games that are the same game again.

use super::facts::Fact;

/// A note where at most half of the games of some runs are different ones: errors over games take them for as many.
pub(super) fn note(facts: &[Fact<'_>]) -> Option<String> {
    let distinct = |fact: &Fact<'_>| Some((fact.games(), fact.number("distinct")? as u64));
    let counted: Vec<(u64, u64)> = facts.iter().filter_map(distinct).collect();
    let repeated: Vec<(u64, u64)> =
        counted.iter().copied().filter(|&(games, distinct)| games > 2 && 2 * distinct <= games).collect();
    let (games, different) = repeated.iter().copied().min_by_key(|&(games, different)| different * 1000 / games)?;
    Some(format!(
        "Games repeat: in {} of {} runs at most half of the games are different ones (at worst {games} games are {different} \
         different ones). Errors over games are too small there; `openings` make games different.",
        repeated.len(),
        counted.len()
    ))
}
