//! The notes on games of engines, on games with a clock, and on games that ended by agreed scores.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::facts::Fact;
use gauntlet_games::base::count;

/// What a result says of these things; all of it is optional.
#[derive(Debug, Default, Deserialize)]
struct Found {
    #[serde(default)]
    players: Vec<String>,
    #[serde(default)]
    agreed: u64,
    #[serde(default)]
    engines: BTreeMap<String, FoundEngine>,
    #[serde(default)]
    timed: Option<FoundTimes>,
}

#[derive(Debug, Deserialize)]
struct FoundEngine {
    says: String,
    repeatable: bool,
}

#[derive(Debug, Deserialize)]
struct FoundTimes {
    clock: FoundClock,
    losses: Vec<u64>,
    wall_seconds: Vec<f64>,
    processor_seconds: Vec<f64>,
}

#[derive(Debug, Deserialize)]
struct FoundClock {
    seconds: f64,
    increment: f64,
}

/// Losses on time, and seconds on the clock and of the processor.
type Times = (u64, f64, f64);

/// The notes below the exhibit of some results.
pub(super) fn notes(facts: &[Fact<'_>]) -> Vec<String> {
    let found: Vec<Found> = facts.iter().filter_map(|fact| Found::deserialize(fact.result?).ok()).collect();
    let agreed: u64 = found.iter().map(|found| found.agreed).sum();
    let agreed = (agreed > 0)
        .then(|| format!("{} ended by scores on which both players agreed.", count(agreed as usize, "game")));
    engines(&found).into_iter().chain(times(&found)).chain(agreed).collect()
}

fn engines(found: &[Found]) -> Vec<String> {
    let mut engines: BTreeMap<(&str, &str), bool> = BTreeMap::new();
    for (name, engine) in found.iter().flat_map(|found| &found.engines) {
        *engines.entry((name, &engine.says)).or_insert(true) &= engine.repeatable;
    }
    let note = |((name, says), is_repeatable): (&(&str, &str), &bool)| {
        let says = if says.is_empty() { "nothing".to_owned() } else { format!("\"{says}\"") };
        let repeatable = match is_repeatable {
            true => "It gave the same moves when some positions were asked twice.",
            false => "Its results are not repeatable bit for bit.",
        };
        format!("{name} is an engine, a program of its own; it calls itself {says}. {repeatable}")
    };
    engines.iter().map(note).collect()
}

fn times(found: &[Found]) -> Option<String> {
    let clock = found.iter().find_map(|found| found.timed.as_ref()).map(|timed| &timed.clock)?;
    let mut players: BTreeMap<&str, Times> = BTreeMap::new();
    for (found, timed) in found.iter().filter_map(|found| Some((found, found.timed.as_ref()?))) {
        let times = timed.losses.iter().zip(&timed.wall_seconds).zip(&timed.processor_seconds);
        for (name, ((losses, wall), processor)) in found.players.iter().zip(times) {
            let own = players.entry(name).or_default();
            *own = (own.0 + losses, own.1 + wall, own.2 + processor);
        }
    }
    let told = |(name, (losses, wall, processor)): (&&str, &Times)| {
        format!("{name} lost {losses} and used {wall:.1} s ({processor:.1} s of a processor)")
    };
    let told: Vec<String> = players.iter().map(told).collect();
    Some(format!(
        "Games had a clock: {} s for each side and {} s more for each move. Lost on time: {}. Such results depend on the \
         machine.",
        clock.seconds,
        clock.increment,
        told.join("; ")
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(value: serde_json::Value) -> Found {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn engines_and_clocks_are_told() {
        let engine = |repeatable: bool| json!({ "a": { "says": "A 1", "repeatable": repeatable } });
        let timed = |lost: u64| {
            json!({
                "clock": { "seconds": 10.0, "increment": 0.1 }, "losses": [lost, 0],
                "wall_seconds": [1.25, 2.0], "processor_seconds": [1.0, 2.0]
            })
        };
        let one = found(json!({ "players": ["a", "b"], "engines": engine(true), "timed": timed(1) }));
        let two = found(json!({ "players": ["a", "b"], "engines": engine(false), "timed": timed(2) }));
        assert_eq!(
            engines(std::slice::from_ref(&one)),
            [
                "a is an engine, a program of its own; it calls itself \"A 1\". It gave the same moves when some positions were \
              asked twice."
            ]
        );
        let both = [one, two];
        assert!(engines(&both)[0].ends_with("Its results are not repeatable bit for bit."));
        let told = times(&both).unwrap();
        assert!(
            told.contains("10 s for each side and 0.1 s more") && told.contains("a lost 3 and used 2.5 s"),
            "{told}"
        );
        assert!(times(&[found(json!({ "players": ["a"] }))]).is_none());
    }
}
