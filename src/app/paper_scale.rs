//! Whether what a plan measures may be judged against the numbers of its paper.

use std::collections::{BTreeSet, HashSet};

use crate::manifest::exhibit::Exhibit;
use crate::manifest::{Overrides, Plan, PlanJob, Problems, Shelf, load};
use gauntlet_games::base::Key;

/// How a plan and its exhibits stand to the profile `paper`.
pub struct PaperScales {
    /// The whole plan.
    pub plan: PaperScale,
    /// The exhibits whose stages run the jobs of the paper, or these and more runs, by their places.
    comparable: BTreeSet<usize>,
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
    /// Those of a plan whose manifest cannot be read any more.
    #[must_use]
    pub fn unknown() -> PaperScales {
        PaperScales { plan: PaperScale::Other, comparable: BTreeSet::new() }
    }

    /// Those of a plan of a manifest.
    #[must_use]
    pub fn new(shelf: &dyn Shelf, file: &str, plan: &Plan) -> PaperScales {
        let whole = |plan| PaperScales { plan, comparable: BTreeSet::new() };
        match (plan.written.paper.is_some(), plan.profile == "paper") {
            (false, _) => return whole(PaperScale::Other),
            (true, true) => return whole(PaperScale::Same),
            (true, false) => (),
        }
        let overrides = Overrides { profile: Some("paper".to_owned()), ..Overrides::default() };
        let paper: Result<Plan, Problems> =
            load(shelf, file, &overrides).and_then(|loaded| Plan::on_device(loaded, plan.device.clone()));
        let Ok(paper) = paper.map(|paper| paper.with_inputs(|file| plan.inputs.get(file).cloned())) else {
            return whole(PaperScale::Other);
        };
        let scale = PaperScale::of([plan, &paper], |_| true);
        PaperScales { plan: scale, comparable: comparable([plan, &paper]) }
    }

    /// Whether the numbers of the exhibit at a place may be judged against published ones: where the whole plan is the
    /// paper's, or all that this one shows.
    #[must_use]
    pub fn is_comparable(&self, place: usize) -> bool {
        self.plan != PaperScale::Other || self.comparable.contains(&place)
    }
}

/// The exhibits of ours, by their places, that show the same as those of the paper's plan, with the same words.
fn comparable([ours, paper]: [&Plan; 2]) -> BTreeSet<usize> {
    let (written, theirs) = (&ours.written, &paper.written);
    if written.labels != theirs.labels || written.paper != theirs.paper {
        return BTreeSet::new();
    }
    let shown = written.exhibits.iter().enumerate().filter(|(_, exhibit)| theirs.exhibits.contains(exhibit));
    let is_papers = |exhibit: &Exhibit| {
        let stages = exhibit.show.stages();
        let is_run = |stage: &&str| ours.jobs.iter().any(|job| ours.config(job).stage == **stage);
        let is_same = |stage: &&str| PaperScale::of([ours, paper], |found| found == *stage) != PaperScale::Other;
        !stages.is_empty() && stages.iter().all(|stage| is_run(stage) && is_same(stage))
    };
    shown.filter(|(_, exhibit)| is_papers(exhibit)).map(|(place, _)| place).collect()
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
[profile.renamed]
stages.play.seeds = 2
labels.naive = "random"
"#;

    #[test]
    fn more_runs_of_the_same_are_as_good_as_the_papers() {
        let shelf = BTreeMap::from([("m.toml".to_owned(), MANIFEST.to_owned())]);
        let scale = |profile: &str| {
            let overrides = Overrides { profile: Some(profile.to_owned()), ..Overrides::default() };
            let plan = load(&shelf, "m.toml", &overrides).and_then(Plan::new).expect("it is sound");
            let scales = PaperScales::new(&shelf, "m.toml", &plan);
            let judged = [0, 1].map(|at| scales.is_comparable(at));
            (scales.plan, judged)
        };
        assert_eq!(["paper", "same"].map(scale), [(PaperScale::Same, [true; 2]); 2]);
        assert_eq!(scale("more"), (PaperScale::MoreRuns, [true; 2]));
        // The other exhibit shows what is the same at any scale.
        assert_eq!(["others", "fewer", "reduced"].map(scale), [(PaperScale::Other, [false, true]); 3]);
        assert_eq!(scale("renamed"), (PaperScale::Other, [false; 2]));
    }
}
