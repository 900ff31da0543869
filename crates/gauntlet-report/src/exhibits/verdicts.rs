//! The power of a set of verdicts: the number of disagreements expected by chance, and the least difference that each
//! comparison could detect. Without errors of ours, only those of the printed numbers are allowed for.

use std::collections::HashSet;

use gauntlet_exhibits::number::fixed;
use gauntlet_exhibits::sheet::{Agreement, Point, Spread};

/// The share of comparisons of equal numbers whose difference exceeds twice its standard error, if errors are normal
/// and known: `2 (1 - Phi(2))`.
pub const BY_CHANCE: f64 = 0.0455;

/// The note on the verdicts of a sheet, if numbers with errors are compared.
pub(super) fn note(points: &[Point]) -> Option<String> {
    let judged: Vec<(&Point, f64)> = points.iter().filter_map(|point| Some((point, seen_from(point)?))).collect();
    let n = judged.len();
    let differ = judged.iter().filter(|(point, _)| point.verdict == Some(Agreement::Differs)).count();
    let mut seen: Vec<f64> = judged.iter().map(|(_, from)| *from).collect();
    seen.sort_by(f64::total_cmp);
    let (least, most) = (seen.first()?, seen.last()?);
    if judged.iter().all(|(point, _)| point.error.is_none()) {
        return Some(without_errors(n, differ, *least, *most));
    }
    let share = share_runs(judged.iter().map(|(point, _)| *point));
    let share = if share { " Some numbers share runs, so such cases come together." } else { "" };
    let power = match n {
        1 => format!("It could see a difference of {} or more", short(*least)),
        _ => format!(
            "They could see differences from {} to {} on, half of them from {} on",
            short(*least),
            short(*most),
            short(seen[(n - 1) / 2])
        ),
    };
    let compared = compared(n);
    Some(format!(
        "{compared}, and {differ} of {n} differ: about {} would by chance if all were equal. Each would with a \
         probability of {:.2} %, or more where errors rest on few runs.{share} {power}: twice the combined standard \
         error.",
        short(BY_CHANCE * n as f64),
        100.0 * BY_CHANCE
    ))
}

fn compared(n: usize) -> String {
    match n {
        1 => "1 number is compared with the paper's".to_owned(),
        _ => format!("{n} numbers are compared with the paper's"),
    }
}

/// The note if none of our numbers has an error, being counts or from one run: it makes no statement about chance.
fn without_errors(n: usize, differ: usize, least: f64, most: f64) -> String {
    let allowed = if least == most { short(least) } else { format!("{} to {}", short(least), short(most)) };
    format!(
        "{}, and {differ} of {n} differ. Ours have no errors: they agree up to {allowed}, twice the error of the \
         printed ones.",
        compared(n)
    )
}

/// The least difference that a verdict of a point could detect: twice the combined standard error.
fn seen_from(point: &Point) -> Option<f64> {
    let is_judged = matches!(point.verdict, Some(Agreement::Agrees | Agreement::Differs));
    let published = point.published.filter(|_| is_judged)?;
    let size = |spread: Option<Spread>| spread.map_or(0.0, |spread| spread.size);
    Some(2.0 * point.larger_error().hypot(size(published.error))).filter(|from| *from > 0.0)
}

/// Whether two of these points depend on results of one configuration.
fn share_runs<'a>(points: impl Iterator<Item = &'a Point>) -> bool {
    let mut known: HashSet<&str> = HashSet::new();
    let mut all = points.flat_map(|point| &point.config_ids);
    all.any(|id| !known.insert(id))
}

/// Two significant digits.
fn short(value: f64) -> String {
    fixed(value, 1 - value.log10().floor() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{correlations, small_table};

    #[test]
    fn verdicts_are_told_with_what_chance_gives_and_what_they_could_see() {
        let reported = note(&correlations().points).unwrap();
        assert!(reported.starts_with("27 numbers are compared with the paper's, and "), "{reported}");
        assert!(reported.contains("about 1.2 would by chance") && reported.contains("share runs"), "{reported}");
        let mut one = small_table().points;
        one.truncate(1);
        let reported = note(&one).unwrap();
        assert!(reported.starts_with("1 number is compared with the paper's, and 0 of 1 differ"), "{reported}");
        assert!(reported.contains("It could see a difference of 0.081 or more"), "{reported}");
        one[0].error = None;
        let reported = note(&one).unwrap();
        assert!(reported.contains("0 of 1 differ. Ours have no errors: they agree up to 0.0"), "{reported}");
        one[0].verdict = Some(Agreement::NotComparable);
        assert_eq!(note(&one), None);
    }
}
