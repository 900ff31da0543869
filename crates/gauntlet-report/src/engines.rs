//! The notes on games of engines, on games with a clock, and on games that ended by agreed scores.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::Fact;
use gauntlet_games::base::{bytes, count};
use gauntlet_play::arena::Standing;
use gauntlet_play::learning::TrainerEffort;

/// Losses on time, and seconds on the clock and of the processor.
type Times = (u64, f64, f64);

/// The notes below the exhibit of some results.
pub(super) fn notes(facts: &[Fact<'_>]) -> Vec<String> {
    let found: Vec<&Standing> = facts.iter().filter_map(Fact::rated).collect();
    let agreed: u64 = found.iter().map(|found| found.agreed).sum();
    let agreed = (agreed > 0)
        .then(|| format!("{} ended by scores on which both players agreed.", count(agreed as usize, "game")));
    let of_games = engines(&found).into_iter().chain(times(&found)).chain(thinking(&found)).chain(agreed);
    let of_trainings = programs(facts).into_iter().chain(trainers(facts)).chain(limited(facts));
    of_trainings.chain(movers(facts)).chain(of_games).collect()
}

/// The notes on trainings whose networks are those of other programs.
fn programs(facts: &[Fact<'_>]) -> Vec<String> {
    let programs: BTreeSet<(&str, bool)> =
        facts.iter().filter_map(Fact::program).map(|program| (&*program.says, program.repeatable)).collect();
    let note = |(says, is_repeatable): &(&str, bool)| {
        let repeatable = match is_repeatable {
            true => "A second process learned the same bits in a check.",
            false => "Its results are not repeatable bit for bit.",
        };
        format!("The network is computed by a program of its own, which calls it \"{says}\". {repeatable}")
    };
    programs.iter().map(note).collect()
}

/// The notes on trainings by other programs.
fn trainers(facts: &[Fact<'_>]) -> Vec<String> {
    let mut trainers: BTreeMap<(&str, bool), Vec<TrainerEffort>> = BTreeMap::new();
    for (program, effort) in facts.iter().filter_map(Fact::trainer) {
        trainers.entry((&program.says, program.repeatable)).or_default().push(effort);
    }
    let note = |((says, is_repeatable), efforts): (&(&str, bool), &Vec<TrainerEffort>)| {
        let mean = |of: fn(&TrainerEffort) -> Option<f64>| {
            let all: Option<Vec<f64>> = efforts.iter().map(of).collect();
            all.map(|all| all.iter().sum::<f64>() / all.len() as f64)
        };
        let took = mean(|effort| effort.seconds).map(|seconds| format!(" and took {seconds:.0} s"));
        let processor = mean(|effort| effort.processor_seconds);
        let processor = processor.map(|seconds| format!(" ({seconds:.0} s of a processor)")).filter(|_| took.is_some());
        let memory = mean(|effort| effort.memory.map(|memory| memory as f64));
        let memory = memory.map(|memory| format!(" and at most {} of memory", bytes(memory as u64)));
        let repeatable =
            if *is_repeatable { "It is declared deterministic." } else { "It is not repeatable bit for bit." };
        let [took, processor, memory] = [took, processor, memory].map(Option::unwrap_or_default);
        format!(
            "A program of its own trained, which calls itself \"{says}\"{took}{processor}{memory} on average over {}. {repeatable}",
            count(efforts.len(), "run")
        )
    };
    trainers.iter().map(note).collect()
}

/// The note on trainings of ours with a budget of processor time.
fn limited(facts: &[Fact<'_>]) -> Option<String> {
    let is_limited = |fact: &&Fact<'_>| fact.trainer().is_none() && fact.processor_seconds().is_some();
    let lengths: Vec<usize> = facts.iter().filter(is_limited).filter_map(Fact::entries).collect();
    let (least, most) = (lengths.iter().min()?, lengths.iter().max()?);
    let range = if least == most { count(*least, "iteration") } else { format!("{least} to {most} iterations") };
    Some(format!(
        "The trainings with a budget of processor time made {range} ({}): their length depends on the machine. \
         They are not repeatable bit for bit.",
        count(lengths.len(), "run")
    ))
}

/// The notes on programs whose moves were compared with exact solutions.
fn movers(facts: &[Fact<'_>]) -> Vec<String> {
    let movers: BTreeSet<(&str, bool)> =
        facts.iter().filter_map(Fact::mover).map(|program| (&*program.says, program.repeatable)).collect();
    let note = |(says, is_repeatable): &(&str, bool)| {
        format!("The moves of \"{says}\" are those of a program of its own. {}", repeats(*is_repeatable))
    };
    movers.iter().map(note).collect()
}

/// A sentence on an engine that was asked for the same moves twice.
fn repeats(is_repeatable: bool) -> &'static str {
    match is_repeatable {
        true => "It gave the same moves when some positions were asked twice.",
        false => "Its results are not repeatable bit for bit.",
    }
}

fn engines(found: &[&Standing]) -> Vec<String> {
    let mut engines: BTreeMap<(&str, &str), bool> = BTreeMap::new();
    for (name, engine) in found.iter().flat_map(|found| &found.engines) {
        *engines.entry((name, &engine.says)).or_insert(true) &= engine.repeatable;
    }
    let mut programs: Vec<((&str, bool), Vec<&str>)> = Vec::new();
    for ((name, says), is_repeatable) in engines {
        match programs.iter_mut().find(|(own, _)| !says.is_empty() && *own == (says, is_repeatable)) {
            Some((_, names)) => names.push(name),
            None => programs.push(((says, is_repeatable), vec![name])),
        }
    }
    let note = |((says, is_repeatable), names): &((&str, bool), Vec<&str>)| {
        let says = if says.is_empty() { "nothing".to_owned() } else { format!("\"{says}\"") };
        let repeatable = repeats(*is_repeatable);
        match &names[..] {
            [name] => format!("{name} is an engine, a program of its own; it calls itself {says}. {repeatable}"),
            names => {
                let names = names.join(", ");
                format!("{names} are engines, programs of their own; each calls itself {says}. {repeatable}")
            }
        }
    };
    programs.iter().map(note).collect()
}

fn times(found: &[&Standing]) -> Option<String> {
    let clock = found.iter().find_map(|found| found.timed.as_ref()).map(|timed| &timed.clock)?;
    let mut players: BTreeMap<&str, Times> = BTreeMap::new();
    for (found, timed) in found.iter().filter_map(|found| Some((found, found.timed.as_ref()?))) {
        let times = timed.losses.iter().zip(&timed.wall_seconds).zip(&timed.processor_seconds);
        for (name, ((losses, wall), processor)) in found.players.iter().zip(times) {
            let own = players.entry(name).or_default();
            *own = (own.0 + losses, own.1 + wall, own.2 + processor);
        }
    }
    let uses = |(name, (losses, wall, processor)): (&&str, &Times)| {
        format!("{name} lost {losses} and used {wall:.1} s ({processor:.1} s of a processor)")
    };
    let uses: Vec<String> = players.iter().map(uses).collect();
    Some(format!(
        "Games had a clock: {} s for each side and {} s more for each move. Lost on time: {}. Such results depend on the \
         machine.",
        clock.seconds,
        clock.increment,
        uses.join("; ")
    ))
}

/// The note on players whose moves have a limit of time.
fn thinking(found: &[&Standing]) -> Option<String> {
    let mut players: BTreeMap<(&str, u64), (u64, u64)> = BTreeMap::new();
    for (name, thinking) in found.iter().flat_map(|found| &found.thinking) {
        let own = players.entry((name, thinking.time_ms)).or_default();
        *own = (own.0 + thinking.moves, own.1 + thinking.simulations);
    }
    let says = |((name, time), (moves, simulations)): (&(&str, u64), &(u64, u64))| {
        let mean = *simulations as f64 / *moves as f64;
        let made = if *moves > 0 { format!(" and made {mean:.0} simulations on average") } else { String::new() };
        format!("{name} thought for {time} ms a move{made}")
    };
    let says: Vec<String> = players.iter().map(says).collect();
    (!says.is_empty()).then(|| format!("{}. Such results depend on the machine.", says.join("; ")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use gauntlet_play::arena::Thinking;

    fn found(engines: serde_json::Value, timed: serde_json::Value) -> Standing {
        let blank = Standing::new(["a", "b"].map(str::to_owned).to_vec(), &[], None);
        let [engines, timed] = [engines.to_string(), timed.to_string()];
        Standing {
            engines: serde_json::from_str(&engines).unwrap(),
            timed: serde_json::from_str(&timed).unwrap(),
            ..blank
        }
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
        let one = found(engine(true), timed(1));
        let two = found(engine(false), timed(2));
        assert_eq!(
            engines(&[&one]),
            [
                "a is an engine, a program of its own; it calls itself \"A 1\". It gave the same moves when some positions were \
              asked twice."
            ]
        );
        let both = [&one, &two];
        assert!(engines(&both)[0].ends_with("Its results are not repeatable bit for bit."));
        let reported = times(&both).unwrap();
        assert!(
            reported.contains("10 s for each side and 0.1 s more") && reported.contains("a lost 3 and used 2.5 s"),
            "{reported}"
        );
        assert!(times(&[&found(json!({}), json!(null))]).is_none());
        let three = found(
            json!({ "a": { "says": "A", "repeatable": false }, "b": { "says": "A", "repeatable": false },
                "c": { "says": "", "repeatable": false }, "d": { "says": "", "repeatable": false } }),
            json!(null),
        );
        let notes = engines(&[&three]);
        assert_eq!(notes.len(), 3, "{notes:?}");
        assert!(
            notes.iter().any(|note| note.starts_with("a, b are engines") && note.contains("each calls itself \"A\""))
        );
        assert!(notes.iter().any(|note| note.starts_with("c is an engine") && note.contains("calls itself nothing")));
    }

    #[test]
    fn limits_of_time_are_told_with_the_simulations() {
        let found = |name: &str, moves, simulations| {
            let thinking = Thinking { time_ms: 50, moves, simulations };
            Standing { thinking: [(name.to_owned(), thinking)].into(), ..found(json!({}), json!(null)) }
        };
        let (one, two, other) = (found("a", 10, 3000), found("a", 30, 1000), found("b", 0, 0));
        let told = "a thought for 50 ms a move and made 100 simulations on average; b thought for 50 ms a move. Such \
                    results depend on the machine.";
        assert_eq!(thinking(&[&one, &two, &other]).unwrap(), told);
        assert!(thinking(&[]).is_none());
    }
}
