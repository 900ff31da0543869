//! Races in a batch: the jobs that they want by the results in the store.

use std::collections::HashMap;

use super::batch::{Batch, JobState, result_of};
use super::live::LiveRace;
use gauntlet_plan::manifest::{Admission, Race};
use gauntlet_ratings::race::{Course, RaceState};
use gauntlet_store::{Error as StoreError, Store};

/// Most settings of a race that other processes see.
const MOST_SETTINGS: usize = 8;

impl Batch {
    /// Asks the races of the plans which jobs they want.
    pub(super) fn admit(&mut self, store: &Store) -> Result<(), StoreError> {
        let mut admissions: Vec<Option<Admission>> = vec![None; self.jobs.len()];
        for (plan, places) in self.plans.iter().zip(&self.places) {
            let (mut results, races) = (HashMap::new(), plan.races());
            for at in races.iter().flat_map(|race| plan.jobs_of_race(race)) {
                let job = &mut self.jobs[places[at]];
                if job.state.is_done() {
                    let (result, is_damaged) = result_of(store, job)?;
                    results.insert(at, result);
                    job.state = if is_damaged { JobState::Broken } else { job.state };
                }
            }
            let found = plan.admissions(|at| results.get(&at).cloned().flatten());
            for (at, &place) in places.iter().enumerate() {
                let own = found.of_jobs.get(at).copied().unwrap_or(Admission::Wanted);
                admissions[place] = Some(admissions[place].map_or(own, |known| known.min(own)));
            }
            self.races.push(found);
        }
        for (job, admission) in self.jobs.iter_mut().zip(admissions) {
            job.admission = admission.unwrap_or(Admission::Wanted);
        }
        Ok(())
    }

    /// Most jobs that races and their winners still need when those of [`Batch::left`] are done.
    #[must_use]
    pub fn later_at_most(&self) -> usize {
        self.races.iter().map(|races| races.later_at_most).sum()
    }

    /// Whether a race waits for results.
    #[must_use]
    pub fn has_open_race(&self) -> bool {
        let mut courses = self.races.iter().flat_map(|races| &races.races);
        courses.any(|(_, course)| matches!(course.state, RaceState::Waits(_)))
    }

    /// One line for each race: the settings that are left.
    #[must_use]
    pub fn race_lines(&self) -> Vec<String> {
        self.races.iter().flat_map(|races| &races.races).map(|(race, course)| race.line(course)).collect()
    }

    /// Its races for other processes.
    pub(super) fn live_races(&self) -> Vec<LiveRace> {
        self.races.iter().flat_map(|races| &races.races).map(|(race, course)| live(race, course)).collect()
    }
}

fn live(race: &Race, course: &Course) -> LiveRace {
    let (unit, size) = race.size().unit();
    let left = course.left_over();
    // Of rounds with as many settings, the first and the last one.
    let is_corner = |at: usize| {
        [at.wrapping_sub(1), at + 1].iter().any(|&next| left.get(next).is_none_or(|own| own[1] != left[at][1]))
    };
    let corner = |at: usize| [(left[at][0] as u64 * size) as f64, left[at][1] as f64];
    let left = (0..left.len()).filter(|&at| is_corner(at)).map(corner).collect();
    let sign = if race.is_less_better { -1.0 } else { 1.0 };
    let mean = |at: usize| Some((race.settings[at].name(), sign * course.settings[at].mean()?));
    let mut best: Vec<(String, f64)> = course.left().into_iter().filter_map(mean).collect();
    best.sort_by(|one, other| (sign * other.1).total_cmp(&(sign * one.1)));
    best.truncate(MOST_SETTINGS);
    LiveRace { line: race.line(course), unit: unit.to_owned(), left, best }
}
