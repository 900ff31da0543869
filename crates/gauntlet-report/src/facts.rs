//! The frame of a plan: its configurations and jobs with their stored results, in the form that exhibits use.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use serde_json::Value;

use super::played::PlayedGames;
use super::sheet::Point;
pub use gauntlet_exhibits::Fact;
use gauntlet_exhibits::JobResult;
use gauntlet_exhibits::configuration::Configuration;
use gauntlet_exhibits::frame::{Frame, Row};
use gauntlet_exhibits::raced::RacedStage;
use gauntlet_exhibits::repeats::PlayedPair;
use gauntlet_games::base::Key;
use gauntlet_jobs::JobSpec;
use gauntlet_plan::manifest::{Admission, Admissions, Config, Plan, PlanJob, Race, Reading};
use gauntlet_play::arena::PlaySpec;
use gauntlet_play::learning::TrainSpec;
use gauntlet_play::measure::MeasureSpec;
use gauntlet_ratings::race::Course;
use gauntlet_store::Precedence;

/// The results of a plan.
pub struct Facts<'a> {
    plan: &'a Plan,
    frame: Frame<'a>,
}

impl<'a> Facts<'a> {
    /// The results of a plan, one entry for each job in the order of the plan.
    #[must_use]
    pub fn new(plan: &'a Plan, results: Vec<Option<Value>>) -> Facts<'a> {
        Facts::of(plan, results.iter().map(Option::as_ref))
    }

    /// The same, with results from elsewhere.
    #[must_use]
    pub fn of<'r>(plan: &'a Plan, results: impl Iterator<Item = Option<&'r Value>>) -> Facts<'a> {
        let results: Vec<Option<&Value>> = results.collect();
        let Admissions { of_jobs, races, .. } = plan.admissions(|at| results[at].cloned());
        let row = |(job, result): (&PlanJob, Option<&Value>)| Row {
            config: job.config,
            seed: job.seed,
            opponent_run: plan.opponent_run(job),
            result: result.and_then(|result| read(plan, job, result)),
            missing: Vec::new(),
            played: None,
            lines: None,
            seconds: None,
            is_out: false,
        };
        let written = &plan.written;
        let mut rows: Vec<Row> = plan.jobs.iter().zip(results).map(row).collect();
        (0..rows.len()).for_each(|at| sum_up(plan, at, &mut rows));
        rows.iter_mut().zip(of_jobs).for_each(|(row, admission)| row.is_out = admission == Admission::Out);
        let frame = Frame {
            configs: configurations(plan),
            rows,
            variants: written.variants.iter().map(|variant| &*variant.name).collect(),
            words: &written.labels,
            printed: written.paper.as_ref().map_or(&[], |paper| &paper.published),
            precedences: None,
            races: races.into_iter().map(|(race, course)| raced(plan, race, course)).collect(),
            recorded: None,
        };
        Facts { plan, frame }
    }

    /// The same, with the games of some jobs, by their index in the plan.
    #[must_use]
    pub fn with_played(mut self, played: BTreeMap<usize, PlayedGames>) -> Facts<'a> {
        played.into_iter().for_each(|(at, games)| self.frame.rows[at].played = Some(games));
        self
    }

    /// The same, with the pairs of games of some jobs, by their index in the plan.
    #[must_use]
    pub fn with_lines(mut self, lines: BTreeMap<usize, Vec<PlayedPair>>) -> Facts<'a> {
        lines.into_iter().for_each(|(at, pairs)| self.frame.rows[at].lines = Some(pairs));
        self
    }

    /// The same, with the durations of some jobs in seconds, by their index in the plan.
    #[must_use]
    pub fn with_seconds(mut self, seconds: BTreeMap<usize, f64>) -> Facts<'a> {
        seconds.into_iter().for_each(|(at, seconds)| self.frame.rows[at].seconds = Some(seconds));
        self
    }

    /// The same, with the precedence of each success criterion and the results that it judges, by the key of the
    /// criterion and the index of a job in the plan.
    #[must_use]
    pub fn with_precedences(mut self, precedences: BTreeMap<Key, BTreeMap<usize, Precedence>>) -> Facts<'a> {
        self.frame.precedences = Some(precedences);
        self
    }

    /// The same, with the points of the exhibit in its CSV.
    #[must_use]
    pub fn with_recorded(mut self, points: &'a [Point]) -> Facts<'a> {
        self.frame.recorded = Some(points);
        self
    }

    /// The plan.
    #[must_use]
    pub fn plan(&self) -> &'a Plan {
        self.plan
    }

    /// The frame.
    #[must_use]
    pub fn frame(&self) -> &Frame<'a> {
        &self.frame
    }

    /// The facts of all jobs, in the order of the plan.
    pub fn all(&self) -> impl Iterator<Item = Fact<'_>> {
        self.frame.all()
    }
}

fn raced(plan: &Plan, race: Race, course: Course) -> RacedStage {
    let size = race.size();
    let texts = |labels: Vec<(Arc<str>, String)>| labels.into_iter().map(|(axis, label)| (axis.to_string(), label));
    let id = |at: usize| plan.configs[at].key.to_string();
    let ids = race.settings.iter().map(|setting| setting.configs.iter().map(|&at| id(at)).collect()).collect();
    let labels = race.settings.into_iter().map(|setting| texts(setting.labels).collect()).collect();
    RacedStage {
        stage: race.stage,
        rule: race.rule,
        objective: race.objective.map(|objective| objective.words()),
        is_less_better: race.is_less_better,
        size,
        rungs: race.rungs,
        labels,
        config_ids: ids,
        course,
    }
}

/// The result of a job as its type. A result that cannot be read counts as lost, with a warning.
fn read(plan: &Plan, job: &PlanJob, result: &Value) -> Option<JobResult> {
    let read = match &*plan.config(job).spec {
        JobSpec::Train(TrainSpec::Cmaes(_)) => JobResult::read(result, JobResult::Evolution),
        JobSpec::Train(TrainSpec::AlphaZero(_)) => JobResult::read(result, JobResult::AlphaZero),
        JobSpec::Train(TrainSpec::External(_)) => JobResult::read(result, JobResult::External),
        JobSpec::Train(TrainSpec::Spsa(_)) => JobResult::read(result, JobResult::Spsa),
        JobSpec::Play(PlaySpec::Match(_)) => JobResult::read(result, JobResult::Match),
        JobSpec::Play(PlaySpec::Tournament(_)) => JobResult::read(result, JobResult::Tournament),
        JobSpec::Measure(MeasureSpec::Fitness(_)) => JobResult::read(result, JobResult::Fitness),
        JobSpec::Measure(MeasureSpec::Optimal(_)) => JobResult::read(result, JobResult::Optimal),
        JobSpec::Measure(MeasureSpec::Solutions(_)) => JobResult::read(result, JobResult::Solutions),
        JobSpec::Measure(MeasureSpec::Ladder(_)) => JobResult::read(result, JobResult::Ladder),
        JobSpec::Measure(MeasureSpec::Hours(_)) => JobResult::read(result, JobResult::Hours),
        JobSpec::Measure(MeasureSpec::Complexity(_)) => JobResult::read(result, JobResult::Complexity),
        JobSpec::Measure(MeasureSpec::Network(_)) => JobResult::read(result, JobResult::Network),
        JobSpec::Measure(MeasureSpec::RandomPlay(_)) => JobResult::read(result, JobResult::RandomPlay),
        JobSpec::Measure(MeasureSpec::Embeddings(_)) => JobResult::read(result, JobResult::Embeddings),
    };
    read.inspect_err(|reason| tracing::warn!("the result of {} cannot be read: {reason}", plan.describe(job))).ok()
}

/// Gives a tournament without a result the sum of those of its meetings that have one.
fn sum_up(plan: &Plan, at: usize, rows: &mut [Row]) {
    let (job, config) = (&plan.jobs[at], plan.config(&plan.jobs[at]));
    let JobSpec::Play(PlaySpec::Tournament(tournament)) = &*config.spec else { return };
    if rows[at].result.is_some() || !tournament.is_divided() {
        return;
    }
    let before = config.from.iter().zip(&job.after).filter(|(dependency, _)| dependency.reads == Reading::Games);
    let meetings = tournament.meetings();
    let (mut played, mut missing) = (Vec::new(), Vec::new());
    for (meeting, (_, &place)) in meetings.iter().zip(before) {
        match &rows[place].result {
            Some(JobResult::Tournament(standing)) => played.push((meeting, &**standing)),
            _ => missing.push(meeting.name.clone()),
        }
    }
    if !played.is_empty() {
        let standing = tournament.standing(played);
        rows[at].result = Some(JobResult::Tournament(Box::new(standing)));
        rows[at].missing = missing;
    }
}

/// The configurations of a plan, in the form that rows use.
fn configurations(plan: &Plan) -> Vec<Configuration<'_>> {
    let stages: BTreeSet<&str> = plan.configs.iter().map(|config| config.stage.as_str()).collect();
    let names: HashMap<&str, HashMap<Key, Vec<String>>> =
        stages.into_iter().map(|stage| (stage, plan.rated_names(stage))).collect();
    let players = |config: &Config| names[config.stage.as_str()].get(&config.key).cloned().unwrap_or_default();
    plan.configs.iter().map(|config| configuration(config, players(config))).collect()
}

fn configuration(config: &Config, players: Vec<String>) -> Configuration<'_> {
    Configuration {
        stage: config.stage.clone(),
        labels: &config.labels,
        left_axes: &config.left_axes,
        kind: config.spec.kind(),
        key: config.key,
        is_fed: config.trainings().next().is_some(),
        varies_by_run: config.varies_by_run(),
        opponents_each: config.opponents_each(),
        players,
        panel: config.spec.panel(),
        scored: config.spec.scored(),
        settings: config,
    }
}
