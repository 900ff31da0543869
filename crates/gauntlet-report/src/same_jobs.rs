//! Artefacts that rest on the same jobs. Their numbers are one measurement, however often they are shown: the keys of the
//! jobs tell.

use std::collections::{BTreeMap, BTreeSet};

use super::recorded::RecordedSheet;
use super::sheet::Point;
use gauntlet_games::base::count;

/// The beginning of these notes, which make sense on the page alone.
pub(super) const ON_THIS_PAGE: &str = "Shown elsewhere on this page";

/// For each artefact of a page, with the keys of its jobs, the sentence on the others that show some of these jobs; none
/// if there are no such ones.
#[must_use]
pub fn notes(artefacts: &[(&str, &BTreeSet<String>)]) -> Vec<Option<String>> {
    let note = |(at, (_, own)): (usize, &(&str, &BTreeSet<String>))| {
        let others = artefacts.iter().enumerate().filter(|(other, _)| *other != at);
        let shared = others.map(|(_, (stem, keys))| (keys.intersection(own).count(), *stem));
        let mut by_count: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        shared
            .filter(|(shared, _)| *shared > 0)
            .for_each(|(shared, stem)| by_count.entry(shared).or_default().push(stem));
        let parts = by_count.iter().rev().map(|(&shared, stems)| {
            let stems = stems.join(", ");
            match shared == own.len() {
                true => format!("all {} in {stems}", count(shared, "job")),
                false => format!("{shared} of {} in {stems}", count(own.len(), "job")),
            }
        });
        let parts: Vec<String> = parts.collect();
        (!parts.is_empty()).then(|| format!("{ON_THIS_PAGE}, too: {}. It is one measurement.", parts.join("; ")))
    };
    artefacts.iter().enumerate().map(note).collect()
}

/// The criteria of each artefact that repeat one of an earlier artefact, with the name of that one: their gains rest on
/// the same configurations, runs and games, and are the same to the last digit.
#[must_use]
pub fn repeated<'a>(artefacts: &[(&'a str, &RecordedSheet)]) -> Vec<Vec<(usize, &'a str)>> {
    let mut known: BTreeMap<String, &str> = BTreeMap::new();
    let mut found = Vec::new();
    for (stem, sheet) in artefacts {
        let own = sheet.criteria.iter().enumerate().filter(|(_, (_, gain))| gain.value.is_some());
        let own: Vec<(usize, String)> = own.map(|(at, (_, gain))| (at, identity(gain))).collect();
        found.push(own.iter().filter_map(|(at, identity)| Some((*at, *known.get(identity)?))).collect());
        for (_, identity) in own {
            known.entry(identity).or_insert(stem);
        }
    }
    found
}

fn identity(gain: &Point) -> String {
    let interval = gain.interval.map(|interval| [interval.low, interval.high]);
    format!("{:?} {:?} {interval:?} {} {}", gain.config_ids, gain.value, gain.n_runs, gain.n_games)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_exhibits::blank;

    #[test]
    fn shared_jobs_are_named_on_both_sides() {
        let keys = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<BTreeSet<String>>();
        let (duel, claims, other) = (keys(&["a", "b"]), keys(&["a", "b", "c"]), keys(&["d"]));
        let reported = notes(&[("duel", &duel), ("claims", &claims), ("other", &other), ("again", &duel)]);
        let sentence = |text: &str| Some(format!("Shown elsewhere on this page, too: {text}. It is one measurement."));
        assert_eq!(reported[0], sentence("all 2 jobs in claims, again"));
        assert_eq!((reported[1].clone(), &reported[2]), (sentence("2 of 3 jobs in duel, again"), &None));
    }

    #[test]
    fn a_repeated_criterion_is_found_by_its_jobs() {
        let gain = |value: f64, ids: &[&str]| {
            let config_ids = ids.iter().map(|id| (*id).to_owned()).collect();
            (
                "met".to_owned(),
                Point { value: Some(value), n_runs: 5, n_games: 100, config_ids, ..blank("gain", "c", "") },
            )
        };
        let sheet = |criteria| RecordedSheet { points: Vec::new(), criteria };
        let first = sheet(vec![gain(0.3, &["x"]), gain(0.1, &["y"])]);
        // The same value of other runs, other runs of the same configuration, and the same runs.
        let second = sheet(vec![gain(0.3, &["z"]), gain(0.2, &["y"]), gain(0.1, &["y"])]);
        assert_eq!(repeated(&[("first", &first), ("second", &second)]), [vec![], vec![(2, "first")]]);
    }
}
