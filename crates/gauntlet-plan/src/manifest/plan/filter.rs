//! Filters of jobs: `--only game=gomoku,seed=3`.

use rayon::prelude::*;

use super::{OPPONENT_RUN, Plan, PlanJob};
use crate::manifest::read::written::CUSTOM;
use crate::manifest::text::source::nearest;

/// Most values of an axis that a hint names.
const MOST_VALUES: usize = 12;

/// Why a filter leaves no jobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadFilter {
    /// The mistake.
    pub message: String,
    /// A way out, with axes and values of the manifest.
    pub hint: String,
}

impl BadFilter {
    fn new(message: String, hint: String) -> BadFilter {
        BadFilter { message, hint }
    }
}

impl Plan {
    /// Removes the jobs that match no filter, but keeps the dependencies of matching jobs. A filter is `axis=label`,
    /// `stage=name` or `seed=number`; several separated by commas must all match.
    ///
    /// # Errors
    /// If a filter has no `=`, names an unknown axis, or fits no job.
    pub fn only(&mut self, filters: &[String]) -> Result<(), BadFilter> {
        if filters.is_empty() {
            return Ok(());
        }
        CUSTOM.clone_into(&mut self.profile);
        // The filters of a suite without jobs select its matches when they are played.
        if self.jobs.is_empty() {
            return Ok(());
        }
        let conditions = filters.iter().map(|filter| self.conditions(filter)).collect::<Result<Vec<_>, BadFilter>>()?;
        let mut is_wanted = vec![false; self.jobs.len()];
        for (filter, all) in filters.iter().zip(&conditions) {
            let fits = |job: &PlanJob| all.iter().all(|(axis, label)| self.has(job, axis, label));
            let fitting: Vec<bool> = self.jobs.par_iter().map(fits).collect();
            if !fitting.contains(&true) {
                return Err(BadFilter::new(format!("no job fits {filter}"), self.nearer(std::slice::from_ref(all))));
            }
            is_wanted.iter_mut().zip(fitting).for_each(|(wanted, fits)| *wanted |= fits);
        }
        self.complete_races(&mut is_wanted);
        for at in (0..self.jobs.len()).rev() {
            if is_wanted[at] {
                self.jobs[at].after.iter().for_each(|&before| is_wanted[before] = true);
            }
        }
        self.keep(&is_wanted);
        Ok(())
    }

    /// Wants every job of a race of which one is wanted, or whose winner is: a part of it would take another course.
    fn complete_races(&self, is_wanted: &mut [bool]) {
        for race in self.races() {
            let is_touched = |(job, wanted): (&PlanJob, &bool)| {
                let stage = self.configs[job.config].written_stage();
                *wanted && (stage == race.stage || self.written.runs_winner_of(stage, &race.stage))
            };
            if self.jobs.iter().zip(&*is_wanted).any(is_touched) {
                self.jobs_of_race(&race).into_iter().for_each(|at| is_wanted[at] = true);
            }
        }
    }

    /// Removes all jobs but these, which are marked by their indices, with the jobs that they depend on.
    pub fn keep(&mut self, is_wanted: &[bool]) {
        let mut place = vec![None; self.jobs.len()];
        let mut kept: Vec<PlanJob> = Vec::new();
        for (at, job) in self.jobs.iter().enumerate().filter(|(at, _)| is_wanted[*at]) {
            place[at] = Some(kept.len());
            let after = job.after.iter().filter_map(|&before| place[before]).collect();
            kept.push(PlanJob { after, ..job.clone() });
        }
        self.jobs = kept;
    }

    /// The axes and labels of one filter.
    fn conditions<'f>(&self, filter: &'f str) -> Result<Vec<(&'f str, &'f str)>, BadFilter> {
        let condition = |part: &'f str| {
            let Some((axis, label)) = part.split_once('=') else {
                let message = format!("`{part}` is not a filter: write axis=label, stage=name or seed=number");
                return Err(BadFilter::new(message, self.example()));
            };
            let (axis, label) = (axis.trim(), label.trim());
            let is_known = matches!(axis, "stage" | "seed" | OPPONENT_RUN)
                || self.configs.iter().any(|config| config.label(axis).is_some());
            if is_known { Ok((axis, label)) } else { Err(self.no_axis(axis)) }
        };
        filter.split(',').map(condition).collect()
    }

    fn no_axis(&self, axis: &str) -> BadFilter {
        let known = self.axes();
        let names: Vec<&str> = known.iter().map(String::as_str).collect();
        let hint = match nearest(axis, &names) {
            Some(near) => format!("did you mean `{near}`? {}", self.values_of(near)),
            None => format!("the axes are {}; {}", names.join(", "), self.example()),
        };
        BadFilter::new(format!("there is no axis `{axis}`"), hint)
    }

    /// The axes of all configurations, without repetition, then those that every job has.
    fn axes(&self) -> Vec<String> {
        let mut axes: Vec<String> = Vec::new();
        for (name, _) in self.configs.iter().flat_map(|config| &config.labels) {
            if !axes.iter().any(|known| **known == **name) {
                axes.push(name.to_string());
            }
        }
        axes.extend(["stage", "seed"].map(str::to_owned));
        axes
    }

    /// The values of an axis, without repetition, in the order of the jobs.
    fn values(&self, axis: &str) -> Vec<String> {
        let mut values: Vec<String> = Vec::new();
        for value in self.jobs.iter().filter_map(|job| self.value(job, axis)) {
            if values.last() != Some(&value) && !values.contains(&value) {
                values.push(value);
            }
        }
        values
    }

    /// The value of a job on an axis.
    fn value(&self, job: &PlanJob, axis: &str) -> Option<String> {
        match axis {
            "stage" => Some(self.config(job).stage.clone()),
            "seed" => Some(job.seed.to_string()),
            OPPONENT_RUN => self.opponent_run(job).map(|seed| seed.to_string()),
            _ => self.config(job).label(axis).map(|label| label.to_string()),
        }
    }

    /// A sentence with the values of an axis: ``the values of `game` are gomoku, othello``.
    fn values_of(&self, axis: &str) -> String {
        let values = self.values(axis);
        let more = values.len().saturating_sub(MOST_VALUES);
        let shown = values.iter().take(MOST_VALUES).map(String::as_str).collect::<Vec<_>>().join(", ");
        match (values.len(), more) {
            (1, _) => format!("`{axis}` is {shown} in every job"),
            (_, 0) => format!("the values of `{axis}` are {shown}"),
            (_, more) => format!("the values of `{axis}` are {shown}, and {more} more"),
        }
    }

    /// The way out for conditions that no job meets.
    fn nearer(&self, conditions: &[Vec<(&str, &str)>]) -> String {
        let is_unknown = |&(axis, label): &(&str, &str)| !self.values(axis).iter().any(|value| value == label);
        let unknown = conditions.iter().flatten().copied().find(is_unknown);
        match unknown {
            Some((axis, _)) => self.values_of(axis),
            None => format!("no job has these values together; {}", self.example()),
        }
    }

    /// A filter that fits the first job, by the axes with several values.
    fn example(&self) -> String {
        let Some(first) = self.jobs.first() else { return "the manifest has no jobs".to_owned() };
        let axes = self.axes();
        let several = axes.iter().filter(|axis| self.values(axis).len() > 1).take(2);
        let parts: Vec<String> =
            several.filter_map(|axis| Some(format!("{axis}={}", self.value(first, axis)?))).collect();
        let parts = if parts.is_empty() { format!("stage={}", self.config(first).stage) } else { parts.join(",") };
        format!("for example --only {parts}")
    }

    fn has(&self, job: &PlanJob, axis: &str, wanted: &str) -> bool {
        self.value(job, axis).is_some_and(|value| value == wanted)
    }
}
