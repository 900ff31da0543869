//! `gauntlet tune`: how races between settings and tunings stand, and their results as settings of a manifest.

use clap::Args;
use serde_json::{Number, json};

use gauntlet_games::base::count;

use super::output::{json_list, result, visible};
use super::plan::note_missing;
use super::{Exit, Flags};
use crate::app::{FoundNumbers, found_numbers};
use gauntlet_plan::manifest::Race;
use gauntlet_ratings::race::Course;

/// Show how the races and tunings of manifests stand; runs no jobs
#[derive(Debug, Args)]
pub struct Tune {
    /// Manifest files, or artefacts
    #[arg(required = true, value_name = "MANIFEST")]
    manifests: Vec<String>,
    /// Print the settings of each winner, and tuned numbers, as variants, in TOML
    #[arg(long)]
    apply: bool,
}

impl Tune {
    /// Prints a line for each race and each tuning, or the settings that it found.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let plans = flags.options.plans(&self.manifests)?;
        note_missing(flags, &plans);
        let store = flags.options.look()?;
        let batch = flags.options.batch(&plans, &store)?;
        let tunings = found_numbers(&plans, &batch, &store)?;
        let races: Vec<&(Race, Course)> = batch.races.iter().flat_map(|races| &races.races).collect();
        let is_over = |course: &Course| course.winner().is_some();
        if flags.json {
            let of_races = races.iter().map(|(race, course)| {
                let labels = |at: usize| race.settings[at].labels.iter().map(|(axis, label)| json!([**axis, label]));
                let best = course.leader.map(|at| labels(at).collect::<Vec<_>>());
                json!({ "race": race.stage, "settings": race.settings.len(), "left": course.left().len(),
                    "rounds": course.rounds.len(), "rung": race.rung(course), "over": is_over(course), "best": best })
            });
            let of_tunings = tunings.iter().map(|own| {
                json!({ "tuning": own.name, "runs": own.runs, "finished": own.finished, "over": own.is_over(), "numbers": own.numbers })
            });
            json_list(of_races.chain(of_tunings));
        } else {
            for (race, course) in &races {
                let line = race.line(course);
                match course.winner().filter(|_| self.apply) {
                    Some(winner) => result(&format!("# {line}\n{}", variant(race, winner))),
                    None if self.apply => result(&format!("# {line}; it has no winner yet")),
                    None => result(&line),
                }
            }
            for (at, tuning) in tunings.iter().enumerate() {
                let earlier = tunings[..at].iter().filter(|own| own.stage == tuning.stage).count();
                let line = format!("tuning `{}`: {} of {}", tuning.name, tuning.finished, count(tuning.runs, "run"));
                match self.apply && tuning.finished > 0 {
                    true => result(&format!("# {line}, the mean over runs\n{}", tuned_variant(tuning, earlier))),
                    false => result(&format!("{line}{}", numbers(tuning))),
                }
            }
            if races.is_empty() && tunings.is_empty() {
                result("no stage has `tune` or `train.spsa`");
            }
        }
        let is_open =
            races.iter().any(|(_, course)| !is_over(course)) || tunings.iter().any(|tuning| !tuning.is_over());
        Ok(if self.apply && (is_open || races.is_empty() && tunings.is_empty()) {
            Exit::Unmeasured
        } else {
            Exit::Done
        })
    }
}

/// The axis of variants.
const VARIANT: &str = "variant";

/// The settings of a winner as a variant of a manifest, or the name of the variant that it is.
fn variant(race: &Race, winner: usize) -> String {
    let rung = race.rung_axis.as_deref().zip(race.rungs.last());
    let labels = race.settings[winner].labels.iter().map(|(axis, label)| (&**axis, label)).chain(rung);
    let (named, settings): (Vec<_>, Vec<_>) = labels.partition(|(axis, _)| *axis == VARIANT);
    // A variant of the manifest has settings of its own.
    let named = named.first().map(|(_, name)| format!("variants = [{}] # in every stage that takes it", text(name)));
    let set: Vec<String> = settings.iter().map(|(axis, label)| format!("{} = {}", text(axis), value(label))).collect();
    let set = (named.is_none() || !set.is_empty()).then(|| written(&race.stage, &set));
    named.into_iter().chain(set).collect::<Vec<_>>().join("\n")
}

/// The means over the finished runs, for a line.
fn numbers(tuning: &FoundNumbers) -> String {
    let numbers: Vec<String> = tuning.numbers.iter().map(|(path, number)| format!("{path} = {number}")).collect();
    if numbers.is_empty() { String::new() } else { format!("; means: {}", numbers.join(", ")) }
}

/// Tuned numbers as a variant of a manifest. Its name is that of the stage; of a stage with several tunings, the later ones
/// are numbered.
fn tuned_variant(tuning: &FoundNumbers, earlier: usize) -> String {
    let about = format!("# for stages whose agent is {}, not `tuned`\n", visible(&tuning.player));
    let number = |(path, number): (&String, &Number)| format!("{} = {number}", text(&format!("agent.{path}")));
    let set: Vec<String> = tuning.numbers.iter().map(number).collect();
    let number = if earlier == 0 { String::new() } else { format!("-{}", earlier + 1) };
    about + &written(&format!("{}{number}", tuning.stage), &set)
}

/// A variant as a manifest writes it.
fn written(stage: &str, set: &[String]) -> String {
    let scope = "# stages without `variants` of their own take this one, too: give them `variants = [...]`";
    format!("{scope}\n[[variant]]\nname = \"tuned-by-{stage}\"\nset = {{ {} }}", set.join(", "))
}

/// A label as a value of TOML: a number, a switch, or a text.
fn value(label: &str) -> String {
    match label.parse::<toml::Value>() {
        Ok(toml::Value::Integer(_) | toml::Value::Float(_) | toml::Value::Boolean(_)) => label.to_owned(),
        _ => text(label),
    }
}

fn text(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_values_of_toml() {
        for (label, expected) in
            [("0.5", "0.5"), ("10", "10"), ("true", "true"), ("uct", "\"uct\""), ("a\"b", "'a\"b'")]
        {
            assert_eq!(value(label), expected);
        }
    }
}
