//! Whether what a plan measures may be judged against the numbers of its paper.

use std::collections::{BTreeSet, HashSet};

use crate::base::Key;
use crate::manifest::exhibit::Exhibit;
use crate::manifest::{Overrides, Plan, PlanJob, Problems, Shelf, load};

/// How a plan and its stages stand to the profile `paper`.
pub struct PaperScales {
    /// The whole plan.
    pub plan: PaperScale,
    /// The stages whose jobs are those of the paper, or these and more runs.
    comparable: BTreeSet<String>,
}

/// How jobs stand to those of a profile `paper`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaperScale {
    /// They are the same.
    Same,
    /// They are the same configurations with more runs of them.
    MoreRuns,
    /// There are others, or there is no paper.
    Other,
}

impl PaperScales {
    /// Those of a plan of a manifest.
    #[must_use]
    pub fn new(shelf: &dyn Shelf, file: &str, plan: &Plan) -> PaperScales {
        let same = |scale| PaperScales { plan: scale, comparable: BTreeSet::new() };
        match (plan.written.paper.is_some(), plan.profile == "paper") {
            (false, _) => return same(PaperScale::Other),
            (true, true) => return same(PaperScale::Same),
            (true, false) => (),
        }
        let overrides = Overrides { profile: Some("paper".to_owned()), ..Overrides::default() };
        let paper: Result<Plan, Problems> = load(shelf, file, &overrides).and_then(Plan::new);
        let Ok(paper) = paper.map(|paper| paper.with_inputs(|file| plan.inputs.get(file).cloned())) else {
            return same(PaperScale::Other);
        };
        let stages: BTreeSet<&String> = plan.configs.iter().map(|config| &config.stage).collect();
        let scale = |stage: &String| PaperScale::of([plan, &paper], |found| found == stage);
        let comparable = stages.into_iter().filter(|stage| scale(stage) != PaperScale::Other).cloned().collect();
        PaperScales { plan: PaperScale::of([plan, &paper], |_| true), comparable }
    }

    /// Whether the numbers of an exhibit may be judged against published ones: where the whole plan is the paper's, or
    /// all that this one shows.
    #[must_use]
    pub fn is_comparable(&self, exhibit: &Exhibit) -> bool {
        let is_papers = |stage: &&str| self.comparable.contains(*stage);
        let stages = exhibit.show.stages();
        self.plan != PaperScale::Other || (!stages.is_empty() && stages.iter().all(is_papers))
    }
}

impl PaperScale {
    /// That of the jobs of some stages, of our plan and of the paper's.
    fn of([ours, paper]: [&Plan; 2], is_meant: impl Fn(&str) -> bool) -> PaperScale {
        let [own, theirs] = [ours, paper].map(|plan| -> Vec<&PlanJob> {
            plan.jobs.iter().filter(|job| is_meant(&plan.config(job).stage)).collect()
        });
        let keys = |jobs: &[&PlanJob]| jobs.iter().map(|job| job.key).collect::<HashSet<Key>>();
        let settings =
            |plan: &Plan, jobs: &[&PlanJob]| jobs.iter().map(|job| plan.config(job).key).collect::<HashSet<Key>>();
        let (own_keys, their_keys) = (keys(&own), keys(&theirs));
        match (own_keys == their_keys && own.len() == theirs.len(), own_keys.is_superset(&their_keys)) {
            (true, _) => PaperScale::Same,
            (false, true) if settings(ours, &own) == settings(paper, &theirs) => PaperScale::MoreRuns,
            (false, _) => PaperScale::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const MANIFEST: &str = r#"
schema = 1
name = "test/scale"
title = "Scale"
paper = { key = "p", title = "P", authors = "A", venue = "V" }
games.go.atari-go = { size = 5 }
agents = { naive.naive = {}, random.random = {} }
stages.play = { seeds = 3, play.match = { game = "go", agent = "random", opponent = "naive", games = 4 } }
stages.floor = { seeds = 3, play.match = { game = "go", agent = "naive", opponent = "naive", games = 4 } }
exhibit = [{ show.means = { stage = "play", rows = ["game"] } }, { name = "floor", title = "F", show.means = { stage = "floor", rows = ["game"] } }]
[profile.paper]
[profile.same]
[profile.more]
stages.play.seeds = 5
[profile.others]
stages.play.seeds = [2, 3, 4, 5]
[profile.fewer]
stages.play.seeds = 2
[profile.reduced]
stages.play.play.match.games = 2
"#;

    #[test]
    fn more_runs_of_the_same_are_as_good_as_the_papers() {
        let shelf = BTreeMap::from([("m.toml".to_owned(), MANIFEST.to_owned())]);
        let scale = |profile: &str| {
            let overrides = Overrides { profile: Some(profile.to_owned()), ..Overrides::default() };
            let plan = load(&shelf, "m.toml", &overrides).and_then(Plan::new).expect("it is sound");
            let scales = PaperScales::new(&shelf, "m.toml", &plan);
            let judged = [0, 1].map(|at| scales.is_comparable(&plan.written.exhibits[at]));
            (scales.plan, judged)
        };
        assert_eq!(["paper", "same"].map(scale), [(PaperScale::Same, [true; 2]); 2]);
        assert_eq!(scale("more"), (PaperScale::MoreRuns, [true; 2]));
        // The other exhibit shows what is the same at any scale.
        assert_eq!(["others", "fewer", "reduced"].map(scale), [(PaperScale::Other, [false, true]); 3]);
    }
}
