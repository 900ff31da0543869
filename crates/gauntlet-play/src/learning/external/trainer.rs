//! A running trainer: its lines, its limits, and its files at the end.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rand::RngExt as _;

use super::messages::{FromTrainer, HelloFromTrainer, LONGEST_LINE, PROTOCOL, SAVED, ToTrainer};
use super::spec::ExternalJob;
use super::state::{TrainedElsewhere, TrainerState, broken};
use crate::engines::messages::{GameFacts, LONGEST_NAME};
use crate::engines::{EngineError, EngineFacts, News, Process, Workplace, number_hint, shown};
use crate::learning::LearningError;
use crate::learning::metrics::{TrainerEffort, json_lines};
use gauntlet_games::base::{Event, Seed, Sink};

/// Time between two looks at the limits of a trainer.
const LOOK: Duration = Duration::from_millis(200);

/// Time between two looks at its memory: each reads a file of every process of the system.
const LOOK_AT_MEMORY: Duration = Duration::from_secs(1);

/// Time between two looks at its files.
const LOOK_AT_FILES: Duration = Duration::from_secs(5);

/// Time between two reports of all of its metrics.
const REPORT: Duration = Duration::from_secs(1);

/// The share of its budget, and the seconds, by which a trainer may exceed it.
const GRACE: (f64, f64) = (0.1, 30.0);

/// The share by which it may exceed a budget that it counts: trainers end between two batches.
const COUNTED_GRACE: f64 = 0.05;

/// Units of a whole training in the display.
const WHOLE: u64 = 1000;

/// Most lines of metrics.
const MOST_LINES: usize = 1_000_000;

/// A running trainer.
pub(super) struct TrainerProcess<'a> {
    job: &'a ExternalJob,
    process: Process,
    place: Workplace,
    state: TrainerState,
    hello: HelloFromTrainer,
    begin: Instant,
    /// Seconds before this process, and those of processor time, where the system tells.
    before: f64,
    processor_before: Option<f64>,
    /// The last line, and the last looks at its files and, after the first moment, at its memory.
    last_line: Instant,
    looked: Instant,
    memory_seen: Option<Instant>,
    /// The last report of all metrics, and the lines in it.
    reported: (Instant, usize),
    share: f64,
}

impl<'a> TrainerProcess<'a> {
    /// Starts the program in a directory with the files of its last checkpoint.
    pub(super) fn start(
        job: &'a ExternalJob,
        seed: &Seed,
        place: Workplace,
        started_from: Vec<String>,
        state: TrainerState,
        sink: &mut dyn Sink,
    ) -> Result<TrainerProcess<'a>, LearningError> {
        let before = state.effort.seconds.unwrap_or_default();
        let processor_before = if before > 0.0 { state.effort.processor_seconds } else { Some(0.0) };
        let task = ToTrainer {
            protocol: PROTOCOL,
            game: GameFacts::new(&job.game),
            seed: seed.rng().random(),
            settings: &job.settings,
            budget: job.budget.as_message(),
            threads: job.threads,
            directory: place.path().display().to_string(),
            resumed: &state.names,
            started_from: &started_from,
            elapsed: before,
            processor_elapsed: processor_before.unwrap_or_default(),
        };
        let task = serde_json::to_vec(&task)?;
        let mut process = Process::start(job.launch(place.path(), &sink.stop()), LONGEST_LINE).map_err(broken)?;
        process.send(task);
        let (begin, hello) = (Instant::now(), HelloFromTrainer::default());
        let (last_line, looked, reported, share) = (begin, begin, (begin, 0), 0.0);
        Ok(TrainerProcess {
            job,
            process,
            place,
            state,
            hello,
            begin,
            before,
            processor_before,
            last_line,
            looked,
            memory_seen: None,
            reported,
            share,
        })
    }

    /// Follows the program to its end, and takes its files.
    pub(super) fn run(mut self, sink: &mut dyn Sink) -> Result<TrainedElsewhere, LearningError> {
        loop {
            match self.process.news(LOOK).map_err(broken)? {
                News::Line(line) => self.take(&line, sink)?,
                News::None => self.process.close_after_exit(),
                News::End => break,
            }
            self.look_at_memory();
            self.require_within_limits().map_err(broken)?;
            self.report(sink)?;
            let share = self.share.max(self.spent_share()).clamp(0.0, 1.0);
            sink.record(Event::Progress { done: (share * WHOLE as f64) as u64, total: WHOLE })?;
        }
        self.end().map_err(broken)
    }

    /// Looks at the memory of the program and all that it started.
    fn look_at_memory(&mut self) {
        let is_time = |last: Instant| last.elapsed() > LOOK_AT_MEMORY;
        if self.memory_seen.map_or_else(|| self.begin.elapsed() > LOOK, is_time) {
            self.memory_seen = Some(Instant::now());
            self.state.effort.memory = self.state.effort.memory.max(self.process.memory());
        }
    }

    /// Seconds of all its processes so far.
    fn seconds(&self) -> f64 {
        self.before + self.begin.elapsed().as_secs_f64()
    }

    /// Seconds of processor time of all its processes, with those of this one.
    fn processor_seconds(&self, own: Option<Duration>) -> Option<f64> {
        Some(self.processor_before? + own?.as_secs_f64())
    }

    /// Seconds of processor time of all its processes so far, without those of children that still run.
    fn processor_so_far(&self) -> Option<f64> {
        self.processor_seconds(self.process.processor_time())
    }

    /// The share of its budget that is spent; 0 without one.
    fn spent_share(&self) -> f64 {
        let (budget, effort) = (&self.job.budget, &self.state.effort);
        let share = |spent: Option<f64>, whole: Option<f64>| Some(spent? / whole?);
        let counted = |count: Option<u64>| count.map(|count| count as f64);
        share(Some(self.seconds()), budget.seconds)
            .or_else(|| share(self.processor_so_far(), budget.processor_seconds))
            .or_else(|| share(counted(effort.evaluations), budget.evaluations))
            .or_else(|| share(counted(effort.games), budget.games))
            .unwrap_or_default()
    }

    /// Takes a message. Lines that are no objects of JSON are notes.
    fn take(&mut self, line: &[u8], sink: &mut dyn Sink) -> Result<(), LearningError> {
        self.last_line = Instant::now();
        let Ok(text) = std::str::from_utf8(line) else {
            return Err(broken(self.process.broken("wrote bytes that are no text to its standard output")));
        };
        if !text.trim_start().starts_with('{') {
            tracing::debug!("{}: {}", self.process.name(), shown(text));
            return Ok(());
        }
        let message: FromTrainer = serde_json::from_str(text).map_err(|error| broken(self.unreadable(text, &error)))?;
        if let Some(reason) = message.error {
            return Err(broken(self.process.broken(format!("stopped: {}", shown(&reason)))));
        }
        if let Some(note) = message.log {
            tracing::info!("{}: {}", self.process.name(), shown(&note));
        }
        if let Some(hello) = message.hello {
            self.greet(hello).map_err(broken)?;
        }
        if let Some(share) = message.progress {
            self.share = share;
        }
        let known = [("games", self.state.effort.games), ("evaluations", self.state.effort.evaluations)];
        for ((unit, before), now) in known.into_iter().zip([message.games, message.evaluations]) {
            if let (Some(before), Some(now)) = (before, now)
                && now < before
            {
                let fault =
                    format!("counted {now} {unit} after {before}: counts are those of the whole training so far");
                return Err(broken(self.process.broken(fault)));
            }
        }
        let effort = &mut self.state.effort;
        (effort.games, effort.evaluations) =
            (message.games.or(effort.games), message.evaluations.or(effort.evaluations));
        if let Some(metrics) = message.metrics {
            self.note(metrics).map_err(broken)?;
            self.state.tell(sink)?;
        }
        match message.checkpoint {
            Some(names) => self.save(&names, sink),
            None => Ok(()),
        }
    }

    /// Gives all metrics to live viewers, if some are new and the last report is old.
    fn report(&mut self, sink: &mut dyn Sink) -> Result<(), LearningError> {
        let (at, lines) = self.reported;
        if self.state.curve.len() > lines && at.elapsed() > REPORT {
            sink.record(Event::Metrics(&json_lines(self.state.curve.iter())?))?;
            self.reported = (Instant::now(), self.state.curve.len());
        }
        Ok(())
    }

    fn unreadable(&self, text: &str, error: &serde_json::Error) -> EngineError {
        let hint = number_hint(text);
        let remedy = if hint.is_empty() { "" } else { ": write null" };
        self.process.broken(format!("wrote a message that cannot be read: {error}{hint}{remedy}"))
    }

    fn greet(&mut self, hello: HelloFromTrainer) -> Result<(), EngineError> {
        let texts = || hello.versions.iter().flat_map(|(name, version)| [name, version]).chain([&hello.name]);
        if texts().any(|text| text.len() > LONGEST_NAME) {
            return Err(self.process.broken(format!("has a name or a version of more than {LONGEST_NAME} bytes")));
        }
        self.hello = hello;
        Ok(())
    }

    /// Takes a line of metrics.
    fn note(&mut self, metrics: BTreeMap<String, Option<f64>>) -> Result<(), EngineError> {
        let is_score = |name: &String| name == "score" || name.starts_with("score ");
        let fault = if metrics.contains_key("step") {
            "names a metric `step`: lines of metrics have their own numbers".to_owned()
        } else if let Some(name) = metrics.keys().find(|name| is_score(name)) {
            format!(
                "names a metric `{name}`, the name of a result of games from -1 to 1: say `own {name}`, for example"
            )
        } else if metrics.keys().any(|name| name.is_empty() || name.len() > LONGEST_NAME) {
            format!("names a metric without a name, or with more than {LONGEST_NAME} bytes")
        } else if self.state.curve.len() >= MOST_LINES {
            format!("wrote more than {MOST_LINES} lines of metrics")
        } else {
            let measured = metrics.into_iter().filter_map(|(name, value)| Some((name, value?)));
            self.state.curve.push(measured.collect());
            return Ok(());
        };
        Err(self.process.broken(fault))
    }

    /// Saves a checkpoint, with the effort so far.
    fn save(&mut self, names: &[String], sink: &mut dyn Sink) -> Result<(), LearningError> {
        let files = self.place.some_files(names, self.job.most_bytes());
        let files = files.map_err(|fault| broken(self.process.broken(format!("names a bad checkpoint: {fault}"))))?;
        let mut state = self.state.clone();
        state.effort.seconds = Some(self.seconds());
        state.effort.processor_seconds = self.processor_so_far();
        sink.record(Event::Checkpoint(&state.point(files)?))?;
        self.process.send(SAVED);
        Ok(())
    }

    /// Ends a trainer that is silent for too long, exceeds its budget, or fills the disk.
    fn require_within_limits(&mut self) -> Result<(), EngineError> {
        let silence = self.job.silence_seconds;
        if self.last_line.elapsed().as_secs_f64() > silence {
            return Err(self.process.broken(format!("wrote no line for {silence} s")));
        }
        let budget = &self.job.budget;
        let times = [
            ("", Some(self.seconds()).zip(budget.seconds)),
            (" of a processor", budget.processor_seconds.and_then(|budget| Some((self.processor_so_far()?, budget)))),
        ];
        for (of, spent) in times {
            if let Some((spent, budget)) = spent
                && spent > budget * (1.0 + GRACE.0) + GRACE.1
            {
                let fault = format!("did not end: its budget is {budget} s{of}, and {spent:.0} s are over");
                return Err(self.process.broken(fault));
            }
        }
        if self.looked.elapsed() > LOOK_AT_FILES {
            self.looked = Instant::now();
            self.place.require_small(self.job.most_bytes()).map_err(|fault| self.full(&fault))?;
        }
        Ok(())
    }

    fn full(&self, fault: &str) -> EngineError {
        self.process.broken(format!("left files that cannot be kept: {fault}"))
    }

    /// Waits for the exit, and takes the files and the effort.
    fn end(mut self) -> Result<TrainedElsewhere, EngineError> {
        let seconds = self.seconds();
        let (status, processor) = match self.process.exit() {
            Some((status, time)) if status.success() => (status, time),
            Some((status, _)) => return Err(self.process.broken(format!("ended with {status}"))),
            None => return Err(self.process.broken("closed its standard output and did not end")),
        };
        tracing::debug!("{} ended with {status}", self.process.name());
        let files = self.place.files(self.job.most_bytes()).map_err(|fault| self.full(&fault))?;
        if files.is_empty() {
            return Err(self.process.broken("ended without a file in its directory"));
        }
        self.require_counted()?;
        let times = (Some(seconds), self.processor_seconds(processor));
        let mut state = self.state;
        (state.effort.seconds, state.effort.processor_seconds) = times;
        if self.job.deterministic {
            let TrainerEffort { games, evaluations, .. } = state.effort;
            state.effort = TrainerEffort { games, evaluations, ..TrainerEffort::default() };
        }
        let mut says = vec![if self.hello.name.is_empty() { self.job.called() } else { self.hello.name }];
        says.extend(self.hello.versions.iter().map(|(name, version)| format!("{name} {version}")));
        let facts = EngineFacts { says: shown(&says.join(", ")), repeatable: self.job.deterministic };
        Ok(TrainedElsewhere { files, state, facts })
    }

    /// Requires that it counted the unit of its budget, and stayed within it.
    fn require_counted(&self) -> Result<(), EngineError> {
        let (budget, effort) = (&self.job.budget, &self.state.effort);
        let units = [("evaluations", budget.evaluations, effort.evaluations), ("games", budget.games, effort.games)];
        for (unit, most, count) in units {
            let Some(most) = most else { continue };
            let fault = match count {
                None => format!("has a budget of {most} {unit}, and did not count them: it writes {{\"{unit}\": n}}"),
                Some(count) if count as f64 > most * (1.0 + COUNTED_GRACE) => {
                    format!("has a budget of {most} {unit}, and took {count}")
                }
                Some(_) => continue,
            };
            return Err(self.process.broken(fault));
        }
        Ok(())
    }
}
