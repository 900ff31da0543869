//! The frame of a plan's runs, from which all kinds of exhibits are rendered: one row a job, with its labels, seed and
//! result.
//!
//! Results have the types that their jobs write. This crate knows these types, and nothing that plans or runs jobs.

use std::collections::{BTreeMap, HashMap};
use std::ops::Deref;

use super::configuration::Configuration;
use super::job_result::JobResult;
use super::played::PlayedGames;
use super::printed::PrintedNumbers;
use super::raced::RacedStage;
use super::repeats::{PlayedPair, Repeats};
use super::sheet::Point;
use super::success::Labels;
use gauntlet_games::base::Key;
use gauntlet_play::arena::{MatchResult, Standing};
use gauntlet_play::engines::EngineFacts;
use gauntlet_play::learning::{Generation, Iteration, TrainerEffort};
use gauntlet_store::Precedence;

/// The runs of a plan, and the display names of its manifest.
pub struct Frame<'a> {
    /// The configurations of the runs, including those without a run.
    pub configs: Vec<Configuration<'a>>,
    /// The runs, in the order of the plan.
    pub rows: Vec<Row>,
    /// The names of the variants, in the order of the manifest.
    pub variants: Vec<&'a str>,
    /// Display names of labels and axes.
    pub words: &'a BTreeMap<String, String>,
    /// The numbers that the paper printed.
    pub printed: &'a [PrintedNumbers],
    /// The order of success criteria and results in the store, by the key of a criterion and the place of a run; `None`
    /// if it was not read from the store.
    pub precedences: Option<BTreeMap<Key, BTreeMap<usize, Precedence>>>,
    /// The races of its stages.
    pub races: Vec<RacedStage>,
    /// The points of the exhibit in its CSV, if its picture is drawn from them and not from results.
    pub recorded: Option<&'a [Point]>,
}

/// One run.
pub struct Row {
    /// The place of its configuration.
    pub config: usize,
    /// The seed.
    pub seed: u64,
    /// The seed of its opponent's run, if every run meets several.
    pub opponent_run: Option<u64>,
    /// Its result; `None` if the job failed, has not run, or left a result that cannot be read.
    pub result: Option<JobResult>,
    /// The meetings of a tournament that its result lacks, as they failed or have not run.
    pub missing: Vec<String>,
    /// Its games, if an exhibit shows single ones.
    pub played: Option<PlayedGames>,
    /// Its pairs of games, if repeated games may count.
    pub lines: Option<Vec<PlayedPair>>,
    /// The seconds that it took, if this machine's clock measured them.
    pub seconds: Option<f64>,
    /// Whether a race has no use for it: no exhibit shows it.
    pub is_out: bool,
}

/// One job with its result, if any: a row and its configuration.
#[derive(Clone, Copy)]
pub struct Fact<'a> {
    /// The place of the job in the plan.
    pub at: usize,
    /// The job's configuration.
    pub config: &'a Configuration<'a>,
    /// The row.
    pub row: &'a Row,
}

impl Deref for Fact<'_> {
    type Target = Row;

    fn deref(&self) -> &Row {
        self.row
    }
}

/// Facts that share the labels of some axes.
pub struct FactGroup<'a> {
    /// The labels, in the order of the axes.
    pub labels: Vec<String>,
    /// The facts, in the order of the plan.
    pub facts: Vec<Fact<'a>>,
}

impl Frame<'_> {
    /// The facts of one stage, in the order of the plan.
    #[must_use]
    pub fn stage(&self, stage: &str) -> Vec<Fact<'_>> {
        self.all().filter(|fact| fact.config.stage == stage).collect()
    }

    /// The facts of several stages, in the order of the manifest's variants if there are any, else of the stages.
    #[must_use]
    pub fn stages(&self, stages: &[&str]) -> Vec<Fact<'_>> {
        let mut facts: Vec<Fact<'_>> = stages.iter().flat_map(|stage| self.stage(stage)).collect();
        if !self.variants.is_empty() {
            facts.sort_by_cached_key(|fact| {
                let own = fact.label("variant");
                self.variants.iter().position(|variant| **variant == own).unwrap_or(self.variants.len())
            });
        }
        facts
    }

    /// The facts of all jobs, in the order of the plan.
    pub fn all(&self) -> impl Iterator<Item = Fact<'_>> {
        let shown = self.rows.iter().enumerate().filter(|(_, row)| !row.is_out);
        shown.map(|(at, row)| Fact { at, config: &self.configs[row.config], row })
    }
}

impl<'a> Fact<'a> {
    /// Its result; `None` if the job failed, has not run, or left a result that cannot be read.
    #[must_use]
    pub fn result(&self) -> Option<&'a JobResult> {
        self.row.result.as_ref()
    }

    /// A number of the result, by the name that a manifest gives.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<f64> {
        serde_json::to_value(self.result().filter(|_| self.missing.is_empty())?).ok()?.get(name)?.as_f64()
    }

    /// The result of a match.
    #[must_use]
    pub fn matched(&self) -> Option<&'a MatchResult> {
        if let Some(JobResult::Match(own)) = self.result() { Some(own) } else { None }
    }

    /// The counted results of a match or a tournament.
    #[must_use]
    pub fn standing(&self) -> Option<&'a Standing> {
        if let Some(JobResult::Tournament(own)) = self.result() { Some(own) } else { Some(&self.matched()?.standing) }
    }

    /// The counted games between players that can be rated: of a match or a tournament, or of the panel of a training,
    /// which are not the training's own games.
    #[must_use]
    pub fn rated(&self) -> Option<&'a Standing> {
        match self.result() {
            Some(JobResult::AlphaZero(own)) => own.panel.as_ref(),
            Some(JobResult::Evolution(own)) => own.panel.as_ref(),
            _ => self.standing(),
        }
    }

    /// The facts about the program that computed the network of a training.
    #[must_use]
    pub fn program(&self) -> Option<&'a EngineFacts> {
        if let Some(JobResult::AlphaZero(own)) = self.result() { own.program.as_ref() } else { None }
    }

    /// The facts about a program whose moves were compared with exact solutions.
    #[must_use]
    pub fn mover(&self) -> Option<&'a EngineFacts> {
        if let Some(JobResult::Optimal(own)) = self.result() { own.program.as_ref() } else { None }
    }

    /// The facts about a trainer that is another program, and its work.
    #[must_use]
    pub fn trainer(&self) -> Option<(&'a EngineFacts, TrainerEffort)> {
        let Some(JobResult::External(own)) = self.result() else { return None };
        Some((own.program.as_ref()?, own.effort?))
    }

    /// The generations of an evolution.
    #[must_use]
    pub fn generations(&self) -> Option<&'a [Generation]> {
        if let Some(JobResult::Evolution(own)) = self.result() { Some(&own.curve) } else { None }
    }

    /// The iterations of an AlphaZero training.
    #[must_use]
    pub fn iterations(&self) -> Option<&'a [Iteration]> {
        if let Some(JobResult::AlphaZero(own)) = self.result() { Some(&own.curve) } else { None }
    }

    /// The games of a training, and the evaluations by its network, as far as it counts them.
    #[must_use]
    pub fn counts(&self) -> [Option<u64>; 2] {
        match self.trainer() {
            Some((_, effort)) => [effort.games, effort.evaluations],
            None => {
                let last = self.iterations().and_then(<[_]>::last);
                [last.map(|last| last.games), last.map(|last| last.evaluations)]
            }
        }
    }

    /// Seconds of processor time of a training, if it measures them.
    #[must_use]
    pub fn processor_seconds(&self) -> Option<f64> {
        match self.trainer() {
            Some((_, effort)) => effort.processor_seconds,
            None => self.iterations()?.last()?.processor_seconds,
        }
    }

    /// The number of iterations or generations of a training.
    #[must_use]
    pub fn entries(&self) -> Option<usize> {
        self.iterations().map(<[_]>::len).or_else(|| self.generations().map(<[_]>::len))
    }

    /// The mean score of the network before its training, if it was evaluated.
    #[must_use]
    pub fn untrained(&self) -> Option<f64> {
        if let Some(JobResult::AlphaZero(own)) = self.result() { own.untrained } else { None }
    }

    /// The mean score of the player of a match or a fitness, -1 to 1.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        if let Some(JobResult::Fitness(own)) = self.result() { Some(own.mean) } else { Some(self.matched()?.mean) }
    }

    /// A count of the job's configuration, by its JSON pointer.
    #[must_use]
    pub fn setting(&self, pointer: &str) -> Option<u64> {
        self.config.settings.count(pointer)
    }

    /// The score of every game of the player of a match or a fitness: win 1, draw 0, loss -1; `None` without games.
    #[must_use]
    pub fn scores(&self) -> Option<Vec<f64>> {
        let score = |letter| match letter {
            'W' => Some(1.0),
            'D' => Some(0.0),
            'L' => Some(-1.0),
            _ => None,
        };
        let scores: Vec<f64> = match self.result()? {
            JobResult::Fitness(own) => own.fitness.scores.as_slice().iter().map(|&score| score.into()).collect(),
            _ => self.matched()?.scores.chars().map(score).collect::<Option<_>>()?,
        };
        Some(scores).filter(|scores| !scores.is_empty())
    }

    /// Mean results of the player of a match, -1 to 1: of the games that it began, and of the others.
    #[must_use]
    pub fn means_by_turn(&self) -> Option<[f64; 2]> {
        let mean = |[losses, draws, wins]: [u64; 3]| (wins as f64 - losses as f64) / (losses + draws + wins) as f64;
        Some(self.games_by_turn()?.map(mean))
    }

    /// The pairs of games of a match by the results of its player, moving first and moving second: 0 loss, 1 draw, 2 win.
    /// `None` for a tournament, whose result has no mean of one player.
    #[must_use]
    pub fn pairs(&self) -> Option<[[u64; 3]; 3]> {
        Some(self.matched()?.standing.meetings.first()?.pairs)
    }

    /// The games of a match that its player lost, drew and won: those that it began, and the others.
    #[must_use]
    pub fn games_by_turn(&self) -> Option<[[u64; 3]; 2]> {
        let pairs = self.pairs()?;
        let first = pairs.map(|row| row.iter().sum());
        Some([first, [0, 1, 2].map(|second| pairs.iter().map(|row| row[second]).sum())])
    }

    /// Games that the player won, drew and lost, if the result contains them.
    #[must_use]
    pub fn wins_draws_losses(&self) -> Option<[u64; 3]> {
        let Some([first, second]) = self.games_by_turn() else {
            let mut counts = [0; 3];
            self.scores()?.iter().for_each(|score| counts[(1.0 - score) as usize] += 1);
            return Some(counts);
        };
        Some([2, 1, 0].map(|result| first[result] + second[result]))
    }

    /// The number of different games, if the result counts them.
    #[must_use]
    pub fn distinct(&self) -> Option<u64> {
        let counted = match self.result()? {
            JobResult::Fitness(own) => own.fitness.distinct as u64,
            _ => self.standing()?.distinct,
        };
        Some(counted).filter(|&distinct| distinct > 0)
    }

    /// The plies of all games, if the result counts them.
    fn plies(&self) -> Option<u64> {
        let counted =
            if let Some(JobResult::Fitness(own)) = self.result() { own.fitness.plies } else { self.standing()?.plies };
        Some(counted).filter(|&plies| plies > 0)
    }

    /// The share of distinct games, if the result contains it.
    #[must_use]
    pub fn share_distinct(&self) -> Option<f64> {
        Some(self.distinct()? as f64 / self.games() as f64).filter(|share| share.is_finite())
    }

    /// The mean number of plies of a game, if the result contains plies of games.
    #[must_use]
    pub fn mean_length(&self) -> Option<f64> {
        Some(self.plies()? as f64 / self.games() as f64).filter(|length| length.is_finite())
    }

    /// The number of games behind the result.
    #[must_use]
    pub fn games(&self) -> u64 {
        match self.result() {
            Some(JobResult::Evolution(own)) => own.games,
            Some(JobResult::AlphaZero(own)) => own.games,
            Some(JobResult::External(own)) => own.games,
            Some(JobResult::Spsa(own)) => own.games,
            Some(JobResult::Fitness(own)) => own.fitness.scores.as_slice().len() as u64,
            Some(JobResult::Ladder(own)) => own.games,
            Some(JobResult::RandomPlay(own)) => u64::from(own.games),
            _ => self.standing().map_or(0, |standing| standing.games),
        }
    }

    /// Whether its axes have all of these labels.
    #[must_use]
    pub fn has(&self, labels: &Labels) -> bool {
        labels.iter().all(|(axis, label)| self.label(axis) == *label)
    }

    /// The label of an axis; empty if the stage has no such axis.
    #[must_use]
    pub fn label(&self, axis: &str) -> String {
        self.config.label(axis).unwrap_or_default()
    }
}

/// The repetitions among the games of a match over all of its runs; `None` if their games are not read.
#[must_use]
pub fn repeats(facts: &[Fact<'_>]) -> Option<Repeats> {
    Repeats::of_match(facts.iter().filter(|fact| fact.result.is_some()).map(|fact| fact.row.lines.as_deref()))
}

/// The facts of each configuration, in the order of their first fact.
pub fn by_configuration<'a>(facts: &[Fact<'a>]) -> Vec<Vec<Fact<'a>>> {
    let configs = distinct(facts.iter().map(|fact| fact.config.key));
    let of = |key: &Key| facts.iter().filter(|fact| fact.config.key == *key).copied().collect();
    configs.iter().map(of).collect()
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

/// Items without duplicates, in the order of their first occurrence.
pub fn distinct<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    items.into_iter().fold(Vec::new(), |mut known, item| {
        if !known.contains(&item) {
            known.push(item);
        }
        known
    })
}

/// The note on lost runs, if there are any.
#[must_use]
pub fn lost(facts: &[Fact<'_>]) -> Option<String> {
    let lost = facts.iter().filter(|fact| fact.result.is_none()).count();
    (lost > 0).then(|| format!("{lost} of {} jobs have no result.", facts.len()))
}

/// Short ids of the configurations behind some facts.
#[must_use]
pub fn config_ids(facts: &[Fact<'_>]) -> Vec<String> {
    distinct(facts.iter().map(|fact| fact.config.key)).iter().map(Key::to_string).collect()
}
