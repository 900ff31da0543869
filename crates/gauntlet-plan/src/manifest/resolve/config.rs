//! Configurations: resolved jobs without their seeds.

use std::sync::Arc;

use super::dependency::{Dependency, Reading};
use super::template::{Labels, label};
use crate::manifest::read::stage::Stage;
use crate::manifest::text::tree::Table;
use gauntlet_exhibits::configuration::Settings;
use gauntlet_games::base::Key;
use gauntlet_jobs::JobSpec;
use gauntlet_jobs::code::fingerprint;
use gauntlet_play::arena::{Meeting, PlaySpec};
use gauntlet_play::measure::{HoursJob, MeasureSpec, SOLUTIONS};
use gauntlet_play::players::essential;

/// The axis of the meetings of a tournament.
const MEETING: &str = "meeting";

/// The seed of the jobs that do not depend on it.
const ANY_SEED: u64 = 1;

/// A job template with all axes set except the seed.
#[derive(Debug, Clone)]
pub struct Config {
    /// The stage it belongs to.
    pub stage: String,
    /// Axis and label, in the order of the axes.
    pub labels: Labels,
    /// The axes of its stage that its cell leaves to the job, each with the value there. Only cells of `include` leave axes
    /// out.
    pub left_axes: Labels,
    /// The job specification that its jobs share.
    pub spec: Arc<JobSpec>,
    /// A short readable name that distinguishes it from others.
    pub slug: String,
    /// Its identity.
    pub key: Key,
    /// The fingerprint of the code that its jobs run.
    pub code: Key,
    /// The configurations whose results its jobs read.
    pub from: Vec<Dependency>,
    /// Its training seeds; those of its upstream configurations if it has any.
    pub(in crate::manifest) seeds: Vec<u64>,
    /// The resolved tree, in which axes are looked up.
    pub(in crate::manifest) tree: Table,
    /// Whether it stands for another winner of a race than the first configuration of its stage: at most one of them runs.
    pub(in crate::manifest) is_alternative: bool,
    /// Whether its cell has no mistakes. If it has, `spec` is a placeholder, and nothing is planned.
    pub(super) is_sound: bool,
}

/// A part of the work of a configuration that is a job of its own.
pub(super) struct Part {
    /// Its name among the files that the whole reads.
    pub name: Arc<str>,
    /// What the whole reads of it.
    pub reads: Reading,
    pub config: Config,
}

impl Settings for Config {
    fn label(&self, axis: &str) -> Option<String> {
        Config::label(self, axis)
    }

    fn count(&self, pointer: &str) -> Option<u64> {
        serde_json::to_value(&*self.spec).ok()?.pointer(pointer)?.as_u64()
    }
}

impl Config {
    /// The configuration of a cell of a stage: its labels and its tree, the job if there are no mistakes, the
    /// configurations that it depends on, and its seeds.
    pub(super) fn new(
        stage: &Stage,
        (labels, tree): (Labels, Table),
        spec: Option<JobSpec>,
        from: Vec<Dependency>,
        seeds: Vec<u64>,
    ) -> Config {
        let is_sound = spec.is_some();
        let spec = spec.unwrap_or_else(|| JobSpec::Measure(MeasureSpec::Hours(HoursJob { hours: String::new() })));
        Config {
            stage: stage.name.clone(),
            key: config_key(&spec),
            code: fingerprint(&spec),
            slug: spec.slug(),
            spec: Arc::new(spec),
            labels,
            left_axes: Labels::new(),
            from,
            seeds,
            tree,
            is_alternative: false,
            is_sound,
        }
    }

    /// Looks up those axes of its stage that its cell leaves to the job.
    pub(super) fn look_up_left(&mut self, axes: &[&Arc<str>]) {
        let is_left = |axis: &&Arc<str>| self.labels.iter().all(|(known, _)| known != *axis);
        let value =
            |axis: &Arc<str>| -> Option<(Arc<str>, Arc<str>)> { Some((Arc::clone(axis), self.label(axis)?.into())) };
        self.left_axes = axes.iter().copied().filter(is_left).filter_map(value).collect();
    }

    /// The job, if its cell has no mistakes.
    pub(super) fn sound_spec(&self) -> Option<&JobSpec> {
        self.is_sound.then_some(&*self.spec)
    }

    /// Its labels on the axes of its own stage.
    pub(super) fn axes(&self, stage: Option<&Stage>) -> impl Iterator<Item = &(Arc<str>, Arc<str>)> {
        let swept = stage.and_then(|stage| stage.cells.first()).map_or(&[][..], Vec::as_slice);
        let is_axis = |axis: &str| axis == "variant" || swept.iter().any(|setting| *setting.path == *axis);
        self.labels.iter().filter(move |(axis, _)| is_axis(axis))
    }

    /// The label of an axis: a swept axis, a named game or agent, or any value at the dotted path.
    #[must_use]
    pub fn label(&self, axis: &str) -> Option<String> {
        label(&self.labels, &self.tree, axis)
    }

    /// Whether another seed gives another player and not only more games: something is trained, or weights are drawn.
    #[must_use]
    pub fn varies_by_run(&self) -> bool {
        let players = self.spec.job().players();
        let is_drawn = players.iter().any(|(_, player)| player.agent().depends_on_seed());
        is_drawn || self.spec.kind() == "train" || self.trainings().next().is_some()
    }

    /// The trainings whose results its jobs read.
    pub fn trainings(&self) -> impl Iterator<Item = &Dependency> {
        self.from.iter().filter(|dependency| dependency.reads == Reading::Weights)
    }

    /// The parts of its work that are jobs of their own: the meetings of a tournament, and the solutions of positions.
    pub(super) fn parts(&self) -> Vec<Part> {
        match &*self.spec {
            _ if !self.is_sound => Vec::new(),
            JobSpec::Play(PlaySpec::Tournament(job)) => {
                job.meetings().into_iter().map(|meeting| self.meeting(meeting)).collect()
            }
            JobSpec::Measure(MeasureSpec::Optimal(job)) => {
                let spec = JobSpec::Measure(MeasureSpec::Solutions(job.solutions()));
                let config = Config { from: Vec::new(), seeds: vec![ANY_SEED], ..self.part(SOLUTIONS, spec) };
                vec![Part { name: SOLUTIONS.into(), reads: Reading::Solutions, config }]
            }
            _ => Vec::new(),
        }
    }

    fn meeting(&self, Meeting { name, job, .. }: Meeting) -> Part {
        let name: Arc<str> = name.into();
        let is_of = |player: &Arc<str>| job.players.iter().any(|entrant| *entrant.name == **player);
        let is_read = |dependency: &&Dependency| dependency.player.as_ref().is_none_or(is_of);
        let from = self.from.iter().filter(is_read).cloned().collect();
        let mut labels = self.labels.clone();
        labels.push((MEETING.into(), Arc::clone(&name)));
        let config = Config { labels, from, ..self.part("meetings", JobSpec::Play(PlaySpec::Tournament(job))) };
        Part { name, reads: Reading::Games, config }
    }

    /// A part of its work, in a stage of its own: no name of a manifest's stage has a space.
    fn part(&self, name: &str, spec: JobSpec) -> Config {
        Config {
            stage: format!("{} {name}", self.stage),
            key: config_key(&spec),
            code: fingerprint(&spec),
            slug: spec.slug(),
            spec: Arc::new(spec),
            ..self.clone()
        }
    }

    /// The stage of the manifest that it comes from.
    #[must_use]
    pub fn written_stage(&self) -> &str {
        self.stage.split(' ').next().unwrap_or_default()
    }

    /// Whether it is a part of the work of a cell, and no cell of a stage.
    #[must_use]
    pub fn is_part(&self) -> bool {
        self.stage.contains(' ')
    }

    /// Its training seeds.
    #[must_use]
    pub fn seeds(&self) -> &[u64] {
        &self.seeds
    }

    /// The number of opponent runs that each of its runs meets.
    #[must_use]
    pub fn opponents_each(&self) -> usize {
        let runs = self.from.iter().map(|dependency| dependency.runs as usize).max().unwrap_or(1);
        runs.min(self.seeds.len())
    }

    /// The labels as one readable line.
    #[must_use]
    pub fn describe(&self) -> String {
        let labels = self.labels.iter().map(|(axis, label)| format!("{axis}={label}"));
        std::iter::once(self.stage.clone()).chain(labels).collect::<Vec<_>>().join(" ")
    }

    /// The cost class: jobs of one class share a correction factor of their estimated time.
    #[must_use]
    pub fn cost_class(&self) -> String {
        let class = format!("{}-{}", self.spec.kind(), self.slug);
        match &*self.spec {
            // Meetings have one slug, and their players cost anything from microseconds to minutes.
            JobSpec::Play(PlaySpec::Tournament(job)) if job.players.len() <= 2 => {
                job.players.iter().fold(class, |class, entrant| format!("{class} {}", entrant.agent.name()))
            }
            _ => class,
        }
    }
}

/// The identity of a resolved job.
#[must_use]
pub fn config_key(spec: &JobSpec) -> Key {
    Key::of("config", &essential(serde_json::to_value(spec).expect("a job is plain data")))
}
