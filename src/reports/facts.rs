//! What the store holds for a plan, as exhibits want it: one fact a job, with labels, seed and numbers.
//!
//! Results are read as plain JSON, so that reports render without the rooms that made them.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Deserialize as _;
use serde_json::Value;

use super::played::PlayedGames;
use crate::manifest::exhibit::Labels;
use crate::manifest::{Config, Plan};
use crate::store::Precedence;
use gauntlet_games::base::Key;

/// The results of a plan.
pub struct Facts<'a> {
    plan: &'a Plan,
    results: Vec<Option<Cow<'a, Value>>>,
    played: BTreeMap<usize, PlayedGames>,
    seconds: BTreeMap<usize, f64>,
    precedences: Option<BTreeMap<Key, BTreeMap<usize, Precedence>>>,
}

/// One job's result, or its absence.
#[derive(Clone, Copy)]
pub struct Fact<'a> {
    /// The place of the job in the plan.
    pub at: usize,
    /// The job's configuration.
    pub config: &'a Config,
    /// The job's seed.
    pub seed: u64,
    /// The seed of its opponent's run, where every run meets several.
    pub rival: Option<u64>,
    /// Its result; `None` when the job failed or has not run.
    pub result: Option<&'a Value>,
    /// Its games, where they were asked for and are there.
    pub played: Option<&'a PlayedGames>,
    /// Seconds that it took by the clock, where they were read here.
    pub seconds: Option<f64>,
}

/// Facts that share the labels of some axes.
pub struct FactGroup<'a> {
    /// The labels, in the order of the axes.
    pub labels: Vec<String>,
    /// The facts, in the order of the plan.
    pub facts: Vec<Fact<'a>>,
}

impl<'a> Facts<'a> {
    /// The results of a plan, one entry a job in the order of the plan.
    #[must_use]
    pub fn new(plan: &'a Plan, results: Vec<Option<Value>>) -> Facts<'a> {
        Facts::over(plan, results.into_iter().map(|result| result.map(Cow::Owned)).collect())
    }

    /// The same, of results that are kept elsewhere.
    #[must_use]
    pub fn of(plan: &'a Plan, results: impl Iterator<Item = Option<&'a Value>>) -> Facts<'a> {
        Facts::over(plan, results.map(|result| result.map(Cow::Borrowed)).collect())
    }

    fn over(plan: &'a Plan, results: Vec<Option<Cow<'a, Value>>>) -> Facts<'a> {
        Facts { plan, results, played: BTreeMap::new(), seconds: BTreeMap::new(), precedences: None }
    }

    /// The same, with the games of some jobs, by their place in the plan.
    #[must_use]
    pub fn with_played(self, played: BTreeMap<usize, PlayedGames>) -> Facts<'a> {
        Facts { played, ..self }
    }

    /// The same, with the seconds that some jobs took, by their place in the plan.
    #[must_use]
    pub fn with_seconds(self, seconds: BTreeMap<usize, f64>) -> Facts<'a> {
        Facts { seconds, ..self }
    }

    /// The same, with which of each success criterion and the results that it judges was there first, by the key of the
    /// criterion and the place of a job in the plan.
    #[must_use]
    pub fn with_precedences(self, precedences: BTreeMap<Key, BTreeMap<usize, Precedence>>) -> Facts<'a> {
        Facts { precedences: Some(precedences), ..self }
    }

    /// Which of a criterion and the results of jobs was there first, by the places of these jobs; none where nobody has
    /// asked the store.
    #[must_use]
    pub fn precedences(&self, criterion: &Key) -> Option<&BTreeMap<usize, Precedence>> {
        self.precedences.as_ref()?.get(criterion)
    }

    /// The plan.
    #[must_use]
    pub fn plan(&self) -> &'a Plan {
        self.plan
    }

    /// The facts of one stage, in the order of the plan.
    #[must_use]
    pub fn stage(&self, stage: &str) -> Vec<Fact<'_>> {
        self.all().filter(|fact| fact.config.stage == stage).collect()
    }

    /// The facts of several stages, in the order of the manifest's variants where there are any, else of the stages.
    #[must_use]
    pub fn stages(&self, stages: &[&str]) -> Vec<Fact<'_>> {
        let mut facts: Vec<Fact<'_>> = stages.iter().flat_map(|stage| self.stage(stage)).collect();
        let variants = &self.plan.written.variants;
        if !variants.is_empty() {
            facts.sort_by_cached_key(|fact| {
                let own = fact.label("variant");
                variants.iter().position(|variant| variant.name == own).unwrap_or(variants.len())
            });
        }
        facts
    }

    /// The facts of all jobs, in the order of the plan.
    pub fn all(&self) -> impl Iterator<Item = Fact<'_>> {
        let jobs = self.plan.jobs.iter().zip(&self.results).enumerate();
        jobs.map(|(at, (job, result))| Fact {
            at,
            config: self.plan.config(job),
            seed: job.seed,
            rival: self.plan.rival(job),
            result: result.as_deref(),
            played: self.played.get(&at),
            seconds: self.seconds.get(&at).copied(),
        })
    }
}

impl<'a> Fact<'a> {
    /// A number of the result.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<f64> {
        self.result?.get(name)?.as_f64()
    }

    /// A number of the last entry of a training's curve.
    #[must_use]
    pub fn last(&self, name: &str) -> Option<f64> {
        self.result?.get("curve")?.as_array()?.last()?.get(name)?.as_f64()
    }

    /// A count of the job's configuration, by its JSON pointer.
    #[must_use]
    pub fn setting(&self, pointer: &str) -> Option<u64> {
        serde_json::to_value(&*self.config.spec).ok()?.pointer(pointer)?.as_u64()
    }

    /// The score of every game of a fitness: win 1, draw 0, loss -1.
    #[must_use]
    pub fn scores(&self) -> Option<Vec<f64>> {
        let score = |letter| match letter {
            'W' => Some(1.0),
            'D' => Some(0.0),
            'L' => Some(-1.0),
            _ => None,
        };
        self.result?.get("scores")?.as_str()?.chars().map(score).collect()
    }

    /// Mean results of the player of a match, -1 to 1: of the games that it began, and of those that it did not.
    #[must_use]
    pub fn means_by_turn(&self) -> Option<[f64; 2]> {
        let (mut sums, mut count) = ([0.0; 2], 0.0);
        for (first, row) in self.pairs()?.iter().enumerate() {
            for (second, &pairs) in row.iter().enumerate() {
                sums[0] += pairs as f64 * (first as f64 - 1.0);
                sums[1] += pairs as f64 * (second as f64 - 1.0);
                count += pairs as f64;
            }
        }
        Some(sums.map(|sum| sum / count))
    }

    /// The pairs of games of a match by the results of its player, moving first and moving second: 0 loss, 1 draw, 2 win.
    #[must_use]
    pub fn pairs(&self) -> Option<[[u64; 3]; 3]> {
        <[[u64; 3]; 3]>::deserialize(self.result?.get("meetings")?.get(0)?.get("pairs")?).ok()
    }

    /// Games that the player won, drew and lost, where the result tells.
    #[must_use]
    pub fn wins_draws_losses(&self) -> Option<[u64; 3]> {
        let mut counts = [0; 3];
        match self.pairs() {
            Some(pairs) => {
                for (first, row) in pairs.iter().enumerate() {
                    for (second, count) in row.iter().enumerate() {
                        counts[2 - first] += count;
                        counts[2 - second] += count;
                    }
                }
            }
            None => self.scores()?.iter().for_each(|score| counts[(1.0 - score) as usize] += 1),
        }
        Some(counts)
    }

    /// The share of the games that are different, where the result tells.
    #[must_use]
    pub fn share_distinct(&self) -> Option<f64> {
        Some(self.number("distinct")? / self.games() as f64).filter(|share| share.is_finite())
    }

    /// Games behind the result.
    #[must_use]
    pub fn games(&self) -> u64 {
        let written = self.result.and_then(|result| result.get("games")?.as_u64());
        written.or_else(|| self.scores().map(|scores| scores.len() as u64)).unwrap_or(0)
    }

    /// Whether its axes have all of these labels.
    #[must_use]
    pub fn has(&self, labels: &Labels) -> bool {
        labels.iter().all(|(axis, label)| self.label(axis) == *label)
    }

    /// The label of an axis; empty where the stage has no such axis.
    #[must_use]
    pub fn label(&self, axis: &str) -> String {
        self.config.label(axis).unwrap_or_default()
    }
}

/// Groups facts by the labels of axes, groups in the order of their first fact.
#[must_use]
pub fn group<'a>(facts: &[Fact<'a>], axes: &[String]) -> Vec<FactGroup<'a>> {
    let mut groups: Vec<FactGroup<'a>> = Vec::new();
    let mut places: HashMap<Vec<String>, usize> = HashMap::new();
    for fact in facts {
        let labels: Vec<String> = axes.iter().map(|axis| fact.label(axis)).collect();
        let place = *places.entry(labels).or_insert_with_key(|labels| {
            groups.push(FactGroup { labels: labels.clone(), facts: Vec::new() });
            groups.len() - 1
        });
        groups[place].facts.push(*fact);
    }
    groups
}

/// The note on lost runs, if there are any.
pub(super) fn lost(facts: &[Fact<'_>]) -> Option<String> {
    let lost = facts.iter().filter(|fact| fact.result.is_none()).count();
    (lost > 0).then(|| format!("{lost} of {} jobs have no result.", facts.len()))
}

/// Short ids of the configurations behind some facts.
pub(super) fn config_ids(facts: &[Fact<'_>]) -> Vec<String> {
    let mut known: HashSet<Key> = HashSet::new();
    let new = facts.iter().map(|fact| fact.config.key).filter(|&key| known.insert(key));
    new.map(|key| key.to_string()).collect()
}
