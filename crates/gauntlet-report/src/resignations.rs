//! The note on games in which players resigned: their number, and how often resigning was wrong.

use serde_json::{Value, json};

use super::facts::Fact;
use gauntlet_games::base::Resignations;
use gauntlet_ratings::intervals::{Interval, clopper_pearson};

/// Coverage of the interval.
const LEVEL: f64 = 0.95;

/// The note below the exhibit of a stage; `None` if resigning was off.
pub(super) fn note(facts: &[Fact<'_>]) -> Option<String> {
    let counts = facts.iter().filter_map(|fact| Some(fact.standing()?.resignations.as_ref()?.counts));
    let total = counts.reduce(Resignations::and)?;
    Some(sentence(&total).unwrap_or_else(|| format!("No player resigned, and no game was played out. {SILENT}")))
}

const SILENT: &str = "Players that state no expected outcome (random, naive, greedy, networks without a search) never \
    resign.";

/// The same as text; `None` if no game has data on resigning.
#[must_use]
pub fn sentence(counts: &Resignations) -> Option<String> {
    let Resignations { resigned, played_out, would_be, wrong } = *counts;
    let games = if resigned == 1 { "1 game" } else { &format!("{resigned} games") };
    let measured = match false_rate(counts) {
        None if resigned == 0 && played_out == 0 => return None,
        None if played_out == 0 => "No game was played out, so the rate of false resignations is unknown.".to_owned(),
        None => format!(
            "In {played_out} games resignation was off. No player would have resigned in them, so the rate of false \
             resignations is unknown."
        ),
        Some(Interval { low, high }) => format!(
            "In {played_out} games resignation was off. A player would have resigned in {would_be} of them, and \
             {wrong} of these were not lost after all ({:.1} % false resignations, 95 % interval {:.1} to {:.1} %; Clopper and \
             Pearson, games taken as independent).",
            100.0 * wrong as f64 / would_be as f64,
            100.0 * low,
            100.0 * high
        ),
    };
    Some(format!("{games} ended by a resignation. {measured} {SILENT}"))
}

/// The counts with the interval, or null.
#[must_use]
pub fn json(counts: &Resignations) -> Value {
    if *counts == Resignations::default() {
        return Value::Null;
    }
    let mut value = json!(counts);
    value["wrong_interval"] = json!(false_rate(counts).map(|interval| [interval.low, interval.high]));
    value
}

/// The share of would-be resignations that were wrong.
fn false_rate(counts: &Resignations) -> Option<Interval> {
    clopper_pearson(counts.wrong, counts.would_be, LEVEL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_rates_of_false_resignations_are_named() {
        let text =
            |resigned, played_out, would_be, wrong| sentence(&Resignations { resigned, played_out, would_be, wrong });
        assert_eq!(text(0, 0, 0, 0), None);
        assert!(text(1, 0, 0, 0).unwrap().starts_with("1 game ended by a resignation. No game was played out"));
        assert!(text(5, 4, 0, 0).unwrap().contains("In 4 games resignation was off. No player would have"));
        let measured = text(90, 10, 8, 1).unwrap();
        // R: binom.test(1, 8)$conf.int is 0.003159724 0.526509671.
        assert!(measured.contains("in 8 of them, and 1 of these were not lost after all (12.5 %"), "{measured}");
        assert!(measured.contains("95 % interval 0.3 to 52.7 %"), "{measured}");
        assert_eq!(json(&Resignations::default()), Value::Null);
        let counts = Resignations { resigned: 90, played_out: 10, would_be: 8, wrong: 1 };
        assert!((json(&counts)["wrong_interval"][1].as_f64().unwrap() - 0.526_509_671).abs() < 1e-8);
    }
}
