//! Remarks for the reader of ratings: the files, the games that do not count, and names that look alike.

use std::collections::BTreeMap;

use super::settings::{RateSettings, Unplayed};
use crate::cli::output::visible;
use gauntlet_games::base::count;
use gauntlet_games::formats::results::{GameResults, ReadFile};
use gauntlet_report::resignations;
use gauntlet_report::standings::Ranking;

/// Most groups of similar names, and most kinds of games, that are listed.
const LOOK_ALIKES_SHOWN: usize = 5;

/// The remark on a file without games beside others.
const NO_GAMES: &str = "  no game was found in this file; hint: is it a file of results in the named format?";

/// Remarks for the reader of the table.
pub(super) fn remarks(
    (settings, how): (&RateSettings, Unplayed),
    results: &GameResults,
    sources: &[ReadFile],
    ranking: &Ranking,
) -> Vec<String> {
    let mut remarks = Vec::new();
    for source in sources {
        remarks.push(format!(
            "{}: {} ({}){}",
            visible(&source.file),
            count(source.games as usize, "game"),
            source.format,
            paired(source)
        ));
        let is_empty = source.games + source.skipped == 0 && source.left_out.is_empty();
        remarks.extend((is_empty && sources.len() > 1).then(|| NO_GAMES.to_owned()));
        remarks.extend(left_out(source).map(|left| format!("  {left}")));
        remarks.extend(unplayed(source, how).map(|unplayed| format!("  {unplayed}")));
        remarks.extend(source.notes.iter().map(|note| format!("  {}", visible(note))));
        if let Some(first) = &source.first_skipped {
            remarks.push(format!("  {} bad entries were left out; the first: {}", source.skipped, visible(first)));
        }
    }
    let games = sources.iter().map(|source| source.games).sum();
    remarks.extend(results.distinct_games().map(|distinct| different(distinct as u64, games)));
    remarks.extend(kinds(sources));
    remarks.extend(look_alikes(results));
    remarks.extend(resignations::sentence(&results.resignations));
    remarks.extend(ranking.remarks());
    if settings.method.is_none() {
        remarks.push(
            "Elo is by maximum likelihood; WLS is weighted least squares as in the AlphaGateau paper, which \
             compresses wide ranges of ratings; its ± comes from the binomial variances of its weights, without this bias"
                .into(),
        );
    }
    remarks
}

/// The number of different games, and its meaning for errors.
fn different(distinct: u64, games: u64) -> String {
    let effect = match distinct < games {
        true => "; errors count every game as a new one, and are too small where games repeat each other",
        false => "",
    };
    format!("{distinct} games with moves were different{effect}")
}

/// The number of pairs among the games of a file.
fn paired(source: &ReadFile) -> String {
    match (source.pairs, source.games - 2 * source.pairs) {
        (0, _) => String::new(),
        (pairs, 0) => format!(", in {}", count(pairs as usize, "pair")),
        (pairs, single) => format!(", {} of them in {} and {single} single", 2 * pairs, count(pairs as usize, "pair")),
    }
}

/// Names that may belong to one player in several spellings.
fn look_alikes(results: &GameResults) -> Vec<String> {
    let groups = results.look_alikes();
    let named = groups.iter().take(LOOK_ALIKES_SHOWN).map(|group| {
        let names: Vec<String> = group.iter().map(|name| format!("`{}`", visible(name))).collect();
        let why = "differ only in case, white space or Unicode form, and count as several players";
        format!("{} {why}; hint: if they are one player, give it one name in all files", names.join(" and "))
    });
    let more = groups.len().saturating_sub(LOOK_ALIKES_SHOWN);
    named.chain((more > 0).then(|| format!("{more} more groups of names differ only so"))).collect()
}

/// The games without a result of two players.
pub(super) fn left_out(source: &ReadFile) -> Option<String> {
    let first = source.left_out.values().map(|left| left.line).min()?;
    let games: u64 = source.left_out.values().map(|left| left.games).sum();
    let kinds: Vec<String> =
        source.left_out.iter().map(|(reason, left)| format!("{} {}", left.games, reason.name())).collect();
    Some(format!("{games} games are left out: {}; the first is in line {first}", kinds.join(", ")))
}

/// The games that were decided without play.
pub(super) fn unplayed(source: &ReadFile, how: Unplayed) -> Option<String> {
    let unplayed = source.unplayed;
    let verdict = match how {
        Unplayed::Count => "count; --unplayed leave leaves them out",
        Unplayed::Leave => "are left out",
    };
    let (games, line) = (unplayed.games, unplayed.line);
    let what = format!("{games} games without play (forfeits, or no move) {verdict}; the first is in line {line}");
    (games > 0).then_some(what)
}

/// The kinds of games, if there are several: their players may be strong at one of them alone.
fn kinds(sources: &[ReadFile]) -> Option<String> {
    let mut games: BTreeMap<&str, u64> = BTreeMap::new();
    for (kind, count) in sources.iter().flat_map(|source| &source.kinds) {
        *games.entry(kind).or_default() += count;
    }
    let named = |(kind, count): (&&str, &u64)| match *kind {
        "" => format!("{count} without a variant"),
        kind => format!("{count} of {}", visible(kind)),
    };
    let some: Vec<String> = games.iter().take(LOOK_ALIKES_SHOWN).map(named).collect();
    let more = games.len().saturating_sub(LOOK_ALIKES_SHOWN);
    let more = if more > 0 { format!(", and {more} more kinds") } else { String::new() };
    let hint = "the games differ in rules, board or komi, and are rated together; hint: rate each kind alone";
    (games.len() > 1).then(|| format!("{hint} ({}{more})", some.join(", ")))
}
