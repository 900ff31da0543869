//! The results of a plan that older code made, with the reason for their use: `--accept-code`, or a sample that was
//! run again with the same bytes; and those of other device classes.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use gauntlet_run::scheduler::{Batch, BatchJob, CodeGroup, JobState};
use gauntlet_store::{Reading, VerifiedNote};

/// The results of older code among those of a plan.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct OlderCode {
    /// The jobs of the plan.
    jobs: usize,
    /// Results that are accepted.
    pub accepted: usize,
    /// Results whose code is verified.
    pub verified: usize,
    /// The number of the plan's jobs that were run again for the verification, and the number of these that ran in
    /// part.
    again: [usize; 2],
    /// The number of jobs of other plans that were run again for it.
    others: usize,
    /// The known commits of the programs that made the verified results.
    makers: BTreeSet<String>,
    is_all_known: bool,
    /// The commits of the programs that ran jobs again.
    programs: BTreeSet<String>,
    /// The number of results of each other device class.
    other_classes: BTreeMap<String, usize>,
}

impl OlderCode {
    /// The older results of a plan whose jobs have these numbers in the batch.
    pub fn of(batch: &Batch, places: &[usize], readings: &HashMap<String, Reading>) -> OlderCode {
        let jobs: Vec<&BatchJob> = places.iter().map(|&place| &batch.jobs[place]).collect();
        let in_state = |state| jobs.iter().filter(move |job| job.state == state);
        let verified: HashSet<String> = in_state(JobState::Verified).map(|job| job.id.directory()).collect();
        let groups: BTreeSet<&CodeGroup> = in_state(JobState::Verified).filter_map(|job| job.older.as_ref()).collect();
        let notes: Vec<&VerifiedNote> = groups.into_iter().flat_map(|group| batch.verified_code.of(group)).collect();
        let again: HashSet<&String> =
            notes.iter().map(|note| &note.job).filter(|job| verified.contains(*job)).collect();
        let whole = |note: &&&VerifiedNote| note.iterations.is_none() && verified.contains(&note.job);
        let whole: HashSet<&String> = notes.iter().filter(whole).map(|note| &note.job).collect();
        let mut other_classes = BTreeMap::new();
        let named = jobs.iter().filter_map(|job| job.other_class.clone());
        named.for_each(|class| *other_classes.entry(class).or_default() += 1);
        let commit = |job: &String| readings.get(job)?.commit.clone();
        OlderCode {
            jobs: jobs.len(),
            accepted: in_state(JobState::Accepted).count(),
            verified: verified.len(),
            again: [again.len(), again.len() - whole.len()],
            others: notes.iter().filter(|note| !verified.contains(&note.job)).count(),
            makers: verified.iter().filter_map(commit).collect(),
            is_all_known: verified.iter().all(|job| commit(job).is_some()),
            programs: notes.iter().map(|note| note.program.commit.clone()).collect(),
            other_classes,
        }
    }

    /// Sentences about these results, for reports.
    pub fn notes(&self) -> Vec<String> {
        let accepted = (self.accepted > 0)
            .then(|| format!("{} results were made by older code and taken as they are.", self.accepted));
        let made = match self.verified == self.jobs {
            true => "Made".to_owned(),
            false => format!("{} of {} results were made", self.verified, self.jobs),
        };
        let verified = self.again().map(|again| format!("{made} by {}; {again}.", self.makers()));
        let of_class = |(class, results): (&String, &usize)| {
            format!("{results} of {} results are of the device class {class}.", self.jobs)
        };
        accepted.into_iter().chain(verified).chain(self.other_classes.iter().map(of_class)).collect()
    }

    /// The reruns behind verified results: `12 of its 680 jobs run again by B: the same bytes`.
    pub fn again(&self) -> Option<String> {
        let [again, parts] = self.again;
        let parts = if parts > 0 { format!(" ({parts} in part)") } else { String::new() };
        let jobs = match (again, self.others) {
            (0, others) => format!("{others} other jobs of the same code"),
            (again, _) => format!("{again} of its {} jobs{parts}", self.jobs),
        };
        (self.verified > 0).then(|| format!("{jobs} run again by {}: the same bytes", joined(&self.programs)))
    }

    /// The commits of the programs that made the results, the last of which is `today`; none if no result is verified.
    pub fn commits(&self, today: &str) -> Option<String> {
        let mut commits = self.makers();
        if self.verified < self.jobs && !self.makers.contains(today) {
            commits += &format!(" and {today}");
        }
        (self.verified > 0).then_some(commits)
    }

    fn makers(&self) -> String {
        let unknown = (!self.is_all_known).then(|| "older code".to_owned());
        joined(&self.makers.iter().cloned().chain(unknown).collect())
    }
}

fn joined(commits: &BTreeSet<String>) -> String {
    commits.iter().map(String::as_str).collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn reports_say_which_code_made_the_results_and_how_many_were_run_again() {
        let taken = OlderCode {
            jobs: 680,
            verified: 680,
            again: [12, 0],
            makers: of(&["A"]),
            is_all_known: true,
            programs: of(&["B"]),
            ..OlderCode::default()
        };
        assert_eq!(taken.notes(), ["Made by A; 12 of its 680 jobs run again by B: the same bytes."]);
        assert_eq!(taken.commits("B").as_deref(), Some("A"));
        let part = OlderCode { verified: 600, again: [0, 0], others: 3, is_all_known: false, accepted: 5, ..taken };
        let reported = "600 of 680 results were made by A and older code; 3 other jobs of the same code run again by B: the \
                    same bytes.";
        assert_eq!(part.notes(), ["5 results were made by older code and taken as they are.", reported]);
        assert_eq!(part.commits("B").as_deref(), Some("A and older code and B"));
        assert_eq!((OlderCode::default().notes(), OlderCode::default().commits("B")), (Vec::new(), None));
    }
}
