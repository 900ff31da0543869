//! The comparison of a plan's scale with its paper: only equal or larger scales are judged against published numbers.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use gauntlet_games::base::Key;
use gauntlet_plan::manifest::exhibit::Exhibit;
use gauntlet_plan::manifest::{Config, ManifestSource, Overrides, PaperScale, Plan, PlanJob, load};

/// The relation of a plan and its exhibits to the profile `paper`.
#[derive(Clone)]
pub struct PaperScales {
    /// The whole plan.
    pub plan: PaperScale,
    /// The exhibits whose stages run the jobs of the paper, or these and more runs, by their indices.
    comparable: BTreeSet<usize>,
}

impl PaperScales {
    /// The scales of a plan whose manifest cannot be read any more.
    #[must_use]
    pub fn unknown() -> PaperScales {
        PaperScales { plan: PaperScale::Other, comparable: BTreeSet::new() }
    }

    /// The scales of a plan of a manifest.
    #[must_use]
    pub fn new(source: &dyn ManifestSource, file: &str, plan: &Plan) -> PaperScales {
        let whole = |plan| PaperScales { plan, comparable: BTreeSet::new() };
        match (plan.written.paper.is_some(), plan.profile == "paper") {
            (false, _) => return whole(PaperScale::Other),
            (true, true) => return whole(PaperScale::Same),
            (true, false) => (),
        }
        let overrides = Overrides { profile: Some("paper".to_owned()), ..Overrides::default() };
        let Ok(paper) = load(source, file, &overrides).and_then(|loaded| Plan::without_jobs(loaded, &plan.device))
        else {
            return whole(PaperScale::Other);
        };
        let (ours, theirs) = (Runs::planned(plan), Runs::of_paper(&paper));
        PaperScales { plan: ours.scale(&theirs, |_| true), comparable: comparable(plan, &paper, &ours, &theirs) }
    }

    /// Whether the numbers of the exhibit at an index may be judged against published ones: the whole plan, or all of
    /// this exhibit, has the scale of the paper.
    #[must_use]
    pub fn is_comparable(&self, place: usize) -> bool {
        self.plan != PaperScale::Other || self.comparable.contains(&place)
    }
}

/// The indices of our exhibits that show the same content with the same words as those of the paper's manifest.
fn comparable(plan: &Plan, paper: &Plan, ours: &Runs<'_>, theirs: &Runs<'_>) -> BTreeSet<usize> {
    let (written, papers) = (&plan.written, &paper.written);
    if written.labels != papers.labels || written.paper != papers.paper {
        return BTreeSet::new();
    }
    let shown = written.exhibits.iter().enumerate().filter(|(_, exhibit)| papers.exhibits.contains(exhibit));
    let is_papers = |exhibit: &Exhibit| {
        let stages = exhibit.show.stages();
        let is_run = |stage: &&str| plan.jobs.iter().any(|job| plan.config(job).stage == **stage);
        let is_same = |stage: &&str| ours.scale(theirs, |found| found == *stage) != PaperScale::Other;
        !stages.is_empty() && stages.iter().all(|stage| is_run(stage) && is_same(stage))
    };
    shown.filter(|(_, exhibit)| is_papers(exhibit)).map(|(place, _)| place).collect()
}

/// The runs of a plan: the number of jobs of each configuration and seed. Two plans with the same runs have the same
/// jobs, as keys of jobs depend on these; no key has to be computed.
struct Runs<'a>(Vec<(&'a str, Key, u64, usize)>);

impl<'a> Runs<'a> {
    /// The runs of the jobs of a plan.
    fn planned(plan: &'a Plan) -> Runs<'a> {
        let identities = identities(&plan.configs);
        let run = |job: &PlanJob| (plan.config(job).stage.as_str(), identities[job.config], job.seed, 1);
        Runs(plan.jobs.iter().map(run).collect())
    }

    /// The runs of the profile `paper`.
    fn of_paper(paper: &'a Plan) -> Runs<'a> {
        let identities = identities(&paper.configs);
        let runs = paper.configs.iter().zip(identities).flat_map(|(config, identity)| {
            let run = move |&seed: &u64| (config.stage.as_str(), identity, seed, config.opponents_each());
            config.seeds().iter().map(run)
        });
        Runs(runs.collect())
    }

    /// The relation of the runs of some stages to those of the paper.
    fn scale(&self, paper: &Runs<'_>, is_meant: impl Fn(&str) -> bool) -> PaperScale {
        let [ours, theirs] = [self, paper].map(|runs| {
            let mut counts: BTreeMap<(Key, u64), usize> = BTreeMap::new();
            for (_, identity, seed, jobs) in runs.0.iter().filter(|(stage, ..)| is_meant(stage)) {
                *counts.entry((*identity, *seed)).or_default() += jobs;
            }
            counts
        });
        let settings =
            |runs: &BTreeMap<(Key, u64), usize>| runs.keys().map(|(identity, _)| *identity).collect::<BTreeSet<Key>>();
        match (ours == theirs, theirs.iter().all(|(run, jobs)| ours.get(run) >= Some(jobs))) {
            (true, _) => PaperScale::Same,
            (false, true) if settings(&ours) == settings(&theirs) => PaperScale::MoreRuns,
            (false, _) => PaperScale::Other,
        }
    }
}

/// The identity of each configuration with its dependencies. If its runs meet several runs of an opponent, their
/// choice depends on all seeds.
fn identities(configs: &[Config]) -> Vec<Key> {
    let mut known: Vec<Key> = Vec::with_capacity(configs.len());
    for config in configs {
        let dependencies: Vec<_> = config
            .from
            .iter()
            .map(|dependency| {
                json!([
                    dependency.player.as_deref(),
                    known[dependency.config].hex(),
                    dependency.iteration,
                    dependency.runs
                ])
            })
            .collect();
        let seeds = if config.opponents_each() > 1 { config.seeds() } else { &[] };
        known.push(Key::of("scale", &json!([config.key.hex(), dependencies, seeds])));
    }
    known
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
labels.naive = "Naive"
"#;

    #[test]
    fn more_runs_of_the_same_are_as_good_as_the_papers() {
        let source = BTreeMap::from([("m.toml".to_owned(), MANIFEST.to_owned())]);
        let scale = |profile: &str| {
            let overrides = Overrides { profile: Some(profile.to_owned()), ..Overrides::default() };
            let plan =
                load(&source, "m.toml", &overrides).and_then(|loaded| Plan::new(loaded, "cpu")).expect("it is sound");
            let scales = PaperScales::new(&source, "m.toml", &plan);
            let judged = [0, 1].map(|at| scales.is_comparable(at));
            (scales.plan, judged)
        };
        assert_eq!(["paper", "same"].map(scale), [(PaperScale::Same, [true; 2]); 2]);
        assert_eq!(scale("more"), (PaperScale::MoreRuns, [true; 2]));
        // The other exhibit has the same jobs at any scale.
        assert_eq!(["others", "fewer", "reduced"].map(scale), [(PaperScale::Other, [false, true]); 3]);
        assert_eq!(scale("renamed"), (PaperScale::Other, [false; 2]));
    }
}
