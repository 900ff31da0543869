//! The course of races, and the jobs that they want: a function of finished results, so that every run of a plan takes
//! the same course.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

use super::Plan;
use crate::manifest::resolve::config::Config;
pub use crate::manifest::resolve::races::Race;
use gauntlet_jobs::JobSpec;
use gauntlet_play::arena::{MatchResult, PlaySpec};
use gauntlet_play::measure::{MeasureSpec, Measured, Optimality};
use gauntlet_ratings::race::{Course, RaceBudget, RaceState, RaceUnits};

/// Whether a race wants a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Admission {
    /// It is wanted, or no race decides about it.
    Wanted,
    /// Results that are not there yet decide about it.
    Later,
    /// Its setting is out, or the race is over.
    Out,
}

/// The admissions of the jobs of a plan.
#[derive(Debug, Clone, Default)]
pub struct Admissions {
    /// By job; empty if the plan has no race.
    pub of_jobs: Vec<Admission>,
    /// Most jobs that the races and their winners still need beyond the wanted ones.
    pub later_at_most: usize,
    /// The races with their courses.
    pub races: Vec<(Race, Course)>,
}

impl Plan {
    /// The races of the plan.
    #[must_use]
    pub fn races(&self) -> Vec<Race> {
        Race::all(&self.written, &self.configs)
    }

    /// The jobs of a race, by their indices.
    #[must_use]
    pub fn jobs_of_race(&self, race: &Race) -> Vec<usize> {
        (0..self.jobs.len()).filter(|&at| self.configs[self.jobs[at].config].stage == race.stage).collect()
    }

    /// The courses of its races as far as results go, and the jobs that they want. `result` returns the result of a job,
    /// by its index.
    #[must_use]
    pub fn admissions(&self, result: impl Fn(usize) -> Option<Value>) -> Admissions {
        let races = self.races();
        if races.is_empty() {
            return Admissions::default();
        }
        let jobs: HashMap<(usize, u64), usize> =
            self.jobs.iter().enumerate().map(|(at, job)| ((job.config, job.seed), at)).collect();
        let mut own: Vec<Option<Admission>> = vec![None; self.jobs.len()];
        let mut later_at_most = 0;
        let mut raced = Vec::new();
        for race in races {
            let units = |setting: usize, round: usize| {
                let (seed, places) = race.round(setting, round);
                let scores: Option<Vec<Vec<f64>>> = places
                    .iter()
                    .map(|&config| units(&race, &self.configs[config], result(*jobs.get(&(config, seed))?)?))
                    .collect();
                Some(means(&scores?))
            };
            let (size, course) = (race.size(), Course::of(&race.rule, race.size(), units));
            for setting in 0..size.settings {
                for round in 0..size.rounds {
                    let admission = match course.plays(setting, round) {
                        Some(true) => Admission::Wanted,
                        Some(false) => Admission::Out,
                        None => Admission::Later,
                    };
                    let (seed, places) = race.round(setting, round);
                    places
                        .iter()
                        .filter_map(|&config| jobs.get(&(config, seed)))
                        .for_each(|&at| own[at] = Some(admission));
                }
            }
            let is_chosen = self.jobs.iter().any(|job| self.configs[job.config].stage == race.stage);
            let further = if is_chosen { further_jobs(&race, &course) } else { 0 };
            later_at_most += further + self.admit_winner(&race, &course, &mut own);
            raced.push((race, course));
        }
        let of_jobs = self.spread(&own);
        // Trainings that only races and their winners read, as far as these need them.
        let is_read_later = |(own, all): &(&Option<Admission>, &Admission)| own.is_none() && **all == Admission::Later;
        let read_later = own.iter().zip(&of_jobs).filter(is_read_later).count();
        later_at_most += read_later.min(later_at_most * self.most_trainings(&own));
        Admissions { of_jobs, later_at_most, races: raced }
    }

    /// Admits the jobs of the stages that run the winner of a race; returns the number of those that follow its end.
    fn admit_winner(&self, race: &Race, course: &Course, own: &mut [Option<Admission>]) -> usize {
        let is_over = !matches!(course.state, RaceState::Waits(_));
        let mut later = 0;
        for (at, job) in self.jobs.iter().enumerate() {
            let config = &self.configs[job.config];
            if self.written.runs_winner_of(config.written_stage(), &race.stage) {
                let setting = race.setting_of(config);
                own[at] = Some(match is_over {
                    false => Admission::Later,
                    true if setting.is_some() && setting == course.winner() => Admission::Wanted,
                    true => Admission::Out,
                });
                later += usize::from(!is_over);
            }
        }
        later.div_ceil(race.settings.len())
    }

    /// The most jobs that a job of a race, or of its winner, reads without being one of these.
    fn most_trainings(&self, own: &[Option<Admission>]) -> usize {
        let mut read = vec![0; self.jobs.len()];
        for at in 0..self.jobs.len() {
            let others = self.jobs[at].after.iter().filter(|&&before| own[before].is_none());
            read[at] = others.map(|&before| 1 + read[before]).sum();
        }
        read.iter().zip(own).filter_map(|(read, own)| own.and(Some(*read))).max().unwrap_or(0)
    }

    /// The admissions of all jobs: a job that reads the result of another one is wanted at most as much as that one, and a
    /// job that only races read is wanted as much as the most wanted of its readers.
    fn spread(&self, own: &[Option<Admission>]) -> Vec<Admission> {
        let mut all: Vec<Admission> = own.iter().map(|own| own.unwrap_or(Admission::Wanted)).collect();
        let mut readers: Vec<Option<Admission>> = vec![None; self.jobs.len()];
        for at in (0..self.jobs.len()).rev() {
            if let Some(most) = readers[at].filter(|_| own[at].is_none()) {
                all[at] = most;
            }
            for &before in &self.jobs[at].after {
                readers[before] = Some(readers[before].map_or(all[at], |known| known.min(all[at])));
            }
        }
        for at in 0..self.jobs.len() {
            let least = self.jobs[at].after.iter().map(|&before| all[before]).max();
            all[at] = all[at].max(least.unwrap_or(Admission::Wanted));
        }
        all
    }
}

/// Most jobs of a race after the round that it waits for.
fn further_jobs(race: &Race, course: &Course) -> usize {
    let RaceState::Waits(next) = course.state else { return 0 };
    let (size, left) = (race.size(), course.left().len());
    let after = left * (size.rounds - next - 1) * size.jobs as usize;
    let played: usize = course.rounds.iter().map(Vec::len).sum::<usize>() + left;
    let most = |budget: u64, of_one: u64| (budget / of_one.max(1)).saturating_sub(played as u64) * size.jobs;
    match race.rule.budget {
        None => after,
        Some(RaceBudget::Games(games)) => after.min(most(games, size.games) as usize),
        Some(RaceBudget::Jobs(jobs)) => after.min(most(jobs, size.jobs) as usize),
    }
}

/// The units of a result, of which more is better: its scores, or the number of the race's objective.
fn units(race: &Race, config: &Config, result: Value) -> Option<Vec<f64>> {
    let own = match race.objective {
        Some(objective) => vec![number(objective.column(), &result)?],
        None => scores(config, race.rule.units, result)?,
    };
    Some(if race.is_less_better { own.iter().map(|own| -own).collect() } else { own })
}

/// The number of a result, or of the last entry of its curve that has it.
fn number(column: &str, result: &Value) -> Option<f64> {
    let entries = result["curve"].as_array().into_iter().flatten().rev();
    std::iter::once(result).chain(entries).find_map(|entry| entry[column].as_f64())
}

/// The scores of a result, each from 0 to 1: of every pair of games; or their mean, if another seed gives another player,
/// since games of one training share its chance; or of the whole measurement.
fn scores(config: &Config, kind: RaceUnits, result: Value) -> Option<Vec<f64>> {
    let whole = |units: Vec<f64>| vec![units.iter().sum::<f64>() / units.len() as f64];
    match &*config.spec {
        JobSpec::Play(PlaySpec::Match(_)) => {
            let scores: Option<Vec<f64>> = MatchResult::deserialize(result).ok()?.scores.chars().map(score).collect();
            let pairs = scores?.chunks(2).map(|pair| pair.iter().sum::<f64>() / pair.len() as f64).collect();
            Some(if kind == RaceUnits::Runs { whole(pairs) } else { pairs })
        }
        JobSpec::Measure(MeasureSpec::Fitness(_)) => Some(vec![0.5 * (Measured::deserialize(result).ok()?.mean + 1.0)]),
        JobSpec::Measure(MeasureSpec::Optimal(_)) => Some(vec![Optimality::deserialize(result).ok()?.share]),
        _ => None,
    }
}

fn score(letter: char) -> Option<f64> {
    match letter {
        'W' => Some(1.0),
        'D' => Some(0.5),
        'L' => Some(0.0),
        _ => None,
    }
}

/// The mean of each unit over the places of a panel.
fn means(places: &[Vec<f64>]) -> Vec<f64> {
    let units = places.iter().map(Vec::len).min().unwrap_or(0);
    (0..units).map(|at| places.iter().map(|units| units[at]).sum::<f64>() / places.len() as f64).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::manifest::{Overrides, load};

    /// Trainings with two rates race by their fitness; the winner trains again with other seeds.
    const RACE: &str = r#"schema = 1
name = "r"
title = "t"
games.go.atari-go = { size = 5 }
agents.naive.naive = {}
agents.net.net = { network.mdrnn.units = 3 }

[stages.train]
seeds = 30
sweep = { "settings.sigma" = [0.1, 0.5] }
train.cma-es = { game = "go", agent = "net", opponent = "naive", settings = { generations = 2, games = 4 } }

[stages.race]
from = "train"
measure.fitness = { games = 4 }
tune = {}

[stages.again]
tuned = "race"
seeds = [101]
train.cma-es = { game = "go", agent = "net", opponent = "naive", settings = { generations = 2, games = 4 } }

[stages.winner]
from = "again"
measure.fitness = { games = 100 }
"#;

    fn plan() -> Plan {
        let source = BTreeMap::from([("m.toml".to_owned(), RACE.to_owned())]);
        let loaded = load(&source, "m.toml", &Overrides::default()).expect("it can be read");
        Plan::new(loaded, "cpu").expect("it has no mistakes")
    }

    /// For each stage and value of the swept setting, the jobs that are wanted, come later, and are out.
    fn counts(plan: &Plan, found: &Admissions) -> BTreeMap<(String, String), [usize; 3]> {
        let mut counts = BTreeMap::new();
        for (job, admission) in plan.jobs.iter().zip(&found.of_jobs) {
            let config = plan.config(job);
            let key = (config.stage.clone(), config.label("settings.sigma").unwrap_or_default());
            let own: &mut [usize; 3] = counts.entry(key).or_default();
            own[*admission as usize] += 1;
        }
        counts
    }

    /// The admissions if the fitness of the first rounds is known: always won with the larger value, always lost with the
    /// smaller one.
    fn after(plan: &Plan, rounds: u64) -> Admissions {
        plan.admissions(|at| {
            let (job, config) = (&plan.jobs[at], plan.config(&plan.jobs[at]));
            let mean = if config.label("settings.sigma")? == "0.5" { 1 } else { -1 };
            let letter = if mean > 0 { "W" } else { "L" };
            let is_known = config.stage == "race" && job.seed <= rounds;
            is_known.then(|| json!({ "mean": mean, "scores": letter.repeat(4), "distinct": 4, "plies": 40 }))
        })
    }

    #[test]
    fn only_trainings_that_the_race_still_needs_are_wanted() {
        let plan = plan();
        let of = |found: &BTreeMap<(String, String), [usize; 3]>, stage: &str| {
            ["0.1", "0.5"].map(|sigma| found[&(stage.to_owned(), sigma.to_owned())])
        };
        let start = after(&plan, 0);
        let found = counts(&plan, &start);
        for stage in ["train", "race"] {
            assert_eq!(of(&found, stage), [[1, 29, 0]; 2], "{stage}: the first round");
        }
        assert_eq!([of(&found, "again"), of(&found, "winner")], [[[0, 1, 0]; 2]; 2]);
        assert_eq!(
            start.later_at_most,
            2 * 29 + 2 + 2 * 29,
            "matches, the winner's two jobs, and the trainings of the race"
        );
        let under_way = counts(&plan, &after(&plan, 5));
        assert_eq!(of(&under_way, "train"), [[6, 24, 0]; 2]);
        let over = after(&plan, 30);
        let [(_, course)] = over.races.as_slice() else { panic!("one race") };
        let rounds = course.rounds.len();
        assert!((4..20).contains(&rounds) && course.winner() == Some(1), "{rounds}");
        let found = counts(&plan, &over);
        for stage in ["train", "race"] {
            assert_eq!(of(&found, stage), [[rounds, 0, 30 - rounds]; 2], "{stage}");
        }
        assert_eq!([of(&found, "again"), of(&found, "winner")], [[[0, 0, 1], [1, 0, 0]]; 2]);
        assert_eq!((over.later_at_most, course.settings[0].out), (0, Some((rounds - 1, 1))));
    }

    /// Trainings race by a number of their own, of which more or less is better.
    #[test]
    fn trainings_race_by_their_own_numbers() {
        let text = RACE.split("[stages.race]").next().map(str::to_owned).unwrap_or_default();
        let course = |tune: &str| {
            let source = BTreeMap::from([("m.toml".to_owned(), format!("{text}tune = {tune}\n"))]);
            let plan = load(&source, "m.toml", &Overrides::default()).and_then(|loaded| Plan::new(loaded, "cpu"));
            let plan = plan.expect("it has no mistakes");
            let found = plan.admissions(|at| {
                let (job, config) = (&plan.jobs[at], plan.config(&plan.jobs[at]));
                let best = job.seed as f64 / 100.0 + if config.label("settings.sigma")? == "0.5" { 5.0 } else { 0.0 };
                let noise =
                    if job.seed % 2 == 0 { 0.5 } else { 0.0 } * config.label("settings.sigma")?.parse::<f64>().ok()?;
                Some(json!({ "curve": [{ "best": 99.0 }, { "best": best + noise, "mean": 0.0 }, { "mean": 0.0 }] }))
            });
            let [(_, course)] = found.races.as_slice() else { panic!("one race") };
            course.clone()
        };
        let more = course("{ objective = \"best-fitness\" }");
        assert_eq!((more.state, more.winner()), (RaceState::Decided, Some(1)));
        assert!(more.rounds.len() >= 6 && more.settings[1].units[0] == 5.01, "{more:?}");
        let less = course("{ objective = \"best-fitness\", less = true }");
        assert_eq!((less.winner(), less.settings[1].units[0], less.rounds.len()), (Some(0), -5.01, more.rounds.len()));
        let within = course("{ objective = \"mean-fitness\", within = 6.0 }");
        assert_eq!((within.state, within.rounds.len()), (RaceState::Played, 30), "without spread, nothing is known");
    }

    /// All seeds run at the first rung before any at the second one, which losers do not reach; the winner trains to the last.
    #[test]
    fn settings_that_are_left_go_on_to_the_next_rung() {
        let rungs = "\"settings.sigma\" = [0.1, 0.3, 0.5], \"settings.generations\" = [1, 2]";
        let text = RACE.replace("\"settings.sigma\" = [0.1, 0.5]", rungs).replace("seeds = 30", "seeds = 20");
        let text = text.replace("tune = {}", "tune = { rungs = \"settings.generations\", error = 0.4 }");
        let source = BTreeMap::from([("m.toml".to_owned(), text)]);
        let plan = load(&source, "m.toml", &Overrides::default()).and_then(|loaded| Plan::new(loaded, "cpu"));
        let plan = plan.expect("it has no mistakes");
        let of = |at: usize| {
            let (job, config) = (&plan.jobs[at], plan.config(&plan.jobs[at]));
            let label = |axis: &str| config.label(axis).unwrap_or_default();
            (config.stage.as_str(), label("settings.sigma"), label("settings.generations"), job.seed)
        };
        let admissions = |rounds: u64| {
            plan.admissions(|at| {
                let (stage, sigma, rung, seed) = of(at);
                // The smallest one loses at the first rung, the second one at the second.
                let [wins, letters] = match (&*sigma, &*rung) {
                    ("0.1", _) | ("0.3", "2") => [-1, 0],
                    _ => [1, 1],
                };
                let letter = ["L", "W"][letters as usize];
                let is_known = stage == "race" && seed + if rung == "2" { 20 } else { 0 } <= rounds;
                is_known.then(|| json!({ "mean": wins, "scores": letter.repeat(4), "distinct": 4, "plies": 40 }))
            })
        };
        let wanted = |found: &Admissions, stage: &str| {
            let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
            let is_wanted = |at: &usize| of(*at).0 == stage && found.of_jobs[*at] == Admission::Wanted;
            for (_, sigma, rung, _) in (0..plan.jobs.len()).filter(is_wanted).map(of) {
                *counts.entry((sigma, rung)).or_default() += 1;
            }
            counts
        };
        let cell = |sigma: &str, rung: &str| (sigma.to_owned(), rung.to_owned());
        let start = admissions(0);
        let first: BTreeMap<_, _> = ["0.1", "0.3", "0.5"].map(|sigma| (cell(sigma, "1"), 1)).into();
        assert_eq!([wanted(&start, "race"), wanted(&start, "train")], [first.clone(), first]);
        let second = admissions(20);
        let found = wanted(&second, "race");
        assert_eq!([found.get(&cell("0.3", "1")), found.get(&cell("0.5", "2"))], [Some(&20), Some(&1)]);
        assert!(found[&cell("0.1", "1")] < 20 && !found.contains_key(&cell("0.1", "2")), "{found:?}");
        let line = |found: &Admissions| found.races[0].0.line(&found.races[0].1);
        let lines = [
            "3 of 3 settings are left at settings.generations=1",
            "2 of 3 settings are left at settings.generations=2",
        ];
        assert_eq!([line(&start), line(&second)], lines.map(|line| format!("race `race`: {line}")));
        let over = admissions(40);
        let [(race, course)] = over.races.as_slice() else { panic!("one race") };
        assert_eq!((race.rungs.join(" "), course.winner()), ("1 2".to_owned(), Some(2)));
        let again = wanted(&over, "again");
        assert_eq!(again, BTreeMap::from([(cell("0.5", "2"), 1)]), "the winner trains to the last rung");
        assert_eq!(wanted(&over, "train"), wanted(&over, "race"));
    }

    /// A score, too, may be better if it is less.
    #[test]
    fn the_lowest_score_may_win() {
        let text = RACE.replace("tune = {}", "tune = { less = true }");
        let source = BTreeMap::from([("m.toml".to_owned(), text)]);
        let plan = load(&source, "m.toml", &Overrides::default()).and_then(|loaded| Plan::new(loaded, "cpu"));
        let found = after(&plan.expect("it has no mistakes"), 30);
        let [(_, course)] = found.races.as_slice() else { panic!("one race") };
        assert_eq!((course.state, course.winner()), (RaceState::Decided, Some(0)));
    }

    #[test]
    fn a_filter_takes_a_race_as_a_whole() {
        let mut filtered = plan();
        filtered.only(&["stage=winner".to_owned()]).expect("it fits jobs");
        assert_eq!(filtered.jobs.len(), plan().jobs.len(), "the winner needs the race and its trainings");
        assert_eq!(after(&filtered, 30).races, after(&plan(), 30).races);
        let mut filtered = plan();
        filtered.only(&["stage=race,seed=3".to_owned()]).expect("it fits jobs");
        assert_eq!(filtered.jobs.len(), 120, "a part of a race would take another course");
    }

    #[test]
    fn a_plan_without_a_race_decides_nothing() {
        let text = RACE.replace("tune = {}", "").split("[stages.again]").next().map(str::to_owned).unwrap_or_default();
        let source = BTreeMap::from([("m.toml".to_owned(), text)]);
        let plan = load(&source, "m.toml", &Overrides::default()).and_then(|loaded| Plan::new(loaded, "cpu"));
        assert!(plan.expect("it has no mistakes").admissions(|_| None).of_jobs.is_empty());
    }
}
