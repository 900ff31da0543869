//! Estimated durations of the jobs of a batch: costs, corrected by the durations of earlier runs or, without those, by
//! a measurement.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use super::batch::{Batch, BatchJob};
use super::beginning::Beginning;
use super::live::LiveRun;
use gauntlet_plan::costs::{self, Speed};
use gauntlet_plan::manifest::{Config, Plan};
use gauntlet_store::{CheckpointProgress, Store};

impl Batch {
    /// Measures the speed of this machine with the networks of unfinished jobs whose class it never ran.
    pub fn measure(&mut self, store: &Store) {
        let left: Vec<usize> = self.left().collect();
        self.measure_of(&left, store);
    }

    /// The same with the networks of these jobs.
    pub fn measure_of(&mut self, jobs: &[usize], store: &Store) {
        let (durations, mut speed) = (store.durations(), Speed::default());
        self.slowness = self.plans.iter().map(|plan| vec![1.0; plan.configs.len()]).collect();
        for (plan, at) in self.configs_of(jobs) {
            let config = &self.plans[plan].configs[at];
            if durations.seconds_per_unit(config.spec.kind(), &config.cost_class()).is_none() {
                self.slowness[plan][at] = speed.slowness(&config.spec);
            }
        }
    }

    /// The plans and configurations of some jobs, the costliest first, as the time for measurements is limited.
    fn configs_of(&self, jobs: &[usize]) -> Vec<(usize, usize)> {
        let mut costs: HashMap<(usize, usize), f64> = HashMap::new();
        for &at in jobs {
            let (plan, job) = self.planned(at);
            *costs.entry((self.jobs[at].origin.0, job.config)).or_default() += costs::seconds(&plan.config(job).spec);
        }
        let mut configs: Vec<_> = costs.into_iter().collect();
        configs.sort_by(|(a, cost), (b, other)| other.total_cmp(cost).then(a.cmp(b)));
        configs.into_iter().map(|(config, _)| config).collect()
    }

    /// Seconds of one core for each job, from earlier runs or from a measurement.
    #[must_use]
    pub fn seconds(&self, store: &Store) -> Vec<f64> {
        let share = |job: &BatchJob| job.beginning.as_ref().map_or(1.0, Beginning::left);
        self.whole_seconds(store).into_iter().zip(&self.jobs).map(|(seconds, job)| seconds * share(job)).collect()
    }

    /// The same, without regard to checkpoints and shorter trainings in the store.
    #[must_use]
    pub fn whole_seconds(&self, store: &Store) -> Vec<f64> {
        let durations = store.durations();
        let of_configs = |(index, plan): (usize, &Plan)| -> Vec<f64> {
            let measured = |at: usize| self.slowness.get(index).map_or(1.0, |slowness| slowness[at]);
            let rate = |at: usize, config: &Config| {
                durations.seconds_per_unit(config.spec.kind(), &config.cost_class()).unwrap_or_else(|| measured(at))
            };
            let seconds = |(at, config): (usize, &Config)| costs::seconds(&config.spec) * rate(at, config);
            plan.configs.par_iter().enumerate().map(seconds).collect()
        };
        let plans = self.plans.iter().map(|plan| &**plan);
        let of_plans: Vec<Vec<f64>> = plans.enumerate().map(of_configs).collect();
        let of_job = |at: usize| of_plans[self.jobs[at].origin.0][self.planned(at).1.config];
        (0..self.jobs.len()).map(of_job).collect()
    }

    /// Seconds of remaining work: reported by an active run with jobs of this batch, or else those of
    /// [`Batch::seconds_left`].
    #[must_use]
    pub fn seconds_left_beside(&self, runs: &[LiveRun], store: &Store, slots: usize) -> f64 {
        let left: HashSet<String> = self.left().map(|at| self.jobs[at].id.directory()).collect();
        let has_own = |run: &&LiveRun| run.running.iter().any(|job| left.contains(&job.directory));
        let Some((run, seconds)) = runs.iter().find(has_own).and_then(|run| Some((run, run.seconds_left?))) else {
            return self.seconds_left(store, slots);
        };
        if left.len() >= run.jobs - run.ended {
            return seconds;
        }
        // The run also has jobs of other plans.
        let costs = self.seconds(store);
        let own: f64 = self.left().map(|at| costs[at]).sum();
        seconds * (own / run.cost_left).min(1.0)
    }

    /// Seconds of remaining work, without that before checkpoints, with this number of jobs at a time.
    #[must_use]
    pub fn seconds_left(&self, store: &Store, slots: usize) -> f64 {
        if self.is_complete() {
            return 0.0;
        }
        let mut seconds = self.seconds(store);
        let whole = self.whole_seconds(store);
        for (at, progress) in self.checkpoints(store) {
            let left =
                progress.map_or(1.0, |CheckpointProgress { done, total }| 1.0 - done as f64 / total.max(1) as f64);
            seconds[at] = seconds[at].min(whole[at] * left.max(0.0));
        }
        let own: Vec<f64> = self.left().map(|at| seconds[at]).collect();
        // A race's further jobs are like those that it wants now.
        let later = self.later_at_most() as f64 / own.len().max(1) as f64;
        span(own, slots) * (1.0 + later)
    }
}

/// Estimated seconds of these jobs on a number of slots. Two bounds hold for every order: all slots are always busy, and of
/// the `k slots + 1` longest jobs some `k + 1` share a slot.
fn span(mut seconds: Vec<f64>, slots: usize) -> f64 {
    seconds.sort_by(|a, b| b.total_cmp(a));
    let shared = seconds.iter().step_by(slots).enumerate().map(|(others, job)| (others + 1) as f64 * job);
    shared.fold(seconds.iter().sum::<f64>() / slots as f64, f64::max)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::scheduler::LiveJob;
    use gauntlet_games::base::ResumePoint;
    use gauntlet_plan::manifest::{Overrides, load};
    use gauntlet_store::Claim;

    const MANIFEST: &str = r#"schema = 1
name = "m"
title = "t"
games.g.gomoku = { size = 5 }
agents.a.random = {}
[stages.s]
seeds = 4
measure.fitness = { game = "g", agent = "a", opponent = "a", games = 8 }
"#;

    fn batch(store: &Store) -> Batch {
        let source = BTreeMap::from([("m.toml".to_owned(), MANIFEST.to_owned())]);
        let plan = load(&source, "m.toml", &Overrides::default())
            .and_then(|loaded| Plan::new(loaded, "cpu"))
            .expect("a sound manifest");
        Batch::new(vec![Arc::new(plan)], store, false).expect("a batch")
    }

    #[test]
    fn the_work_before_a_checkpoint_is_done() {
        let root = tempfile::tempdir().expect("a directory");
        let store = Store::open(root.path()).expect("a store");
        let batch = batch(&store);
        let before = batch.seconds_left(&store, 1);
        let Ok(Claim::Mine(mine)) = store.begin(&batch.jobs[1].id, &json!({})) else { panic!("the job is free") };
        mine.checkpoint(&ResumePoint { head: b"games".to_vec(), segments: Vec::new() }).expect("written");
        assert_eq!(batch.seconds_left(&store, 1), before, "its progress was not noted");
        mine.note_progress(CheckpointProgress { done: 3, total: 4 }).expect("written");
        // Three quarters of one of four equal jobs.
        assert!((batch.seconds_left(&store, 1) / before - 13.0 / 16.0).abs() < 1e-12);
    }

    #[test]
    fn a_run_that_is_under_way_knows_best() {
        let root = tempfile::tempdir().expect("a directory");
        let store = Store::open(root.path()).expect("a store");
        let batch = batch(&store);
        let mut run = LiveRun { seconds_left: Some(100.0), cost_left: 1.0, jobs: 4, ..LiveRun::default() };
        let left = |run: &LiveRun| batch.seconds_left_beside(std::slice::from_ref(run), &store, 1);
        assert_eq!(left(&run), batch.seconds_left(&store, 1), "it runs none of these jobs");
        let directory = batch.jobs[1].id.directory();
        run.running = vec![LiveJob { directory, ..LiveJob::default() }];
        assert_eq!(left(&run), 100.0);
        // Half of its work belongs to other plans.
        let own: f64 = batch.seconds(&store).iter().sum();
        assert_eq!(left(&LiveRun { jobs: 8, cost_left: 2.0 * own, ..run }), 50.0);
    }

    #[test]
    fn few_long_jobs_leave_slots_idle() {
        assert_eq!(span(vec![1.0, 10.0, 10.0, 10.0], 2), 20.0);
        assert_eq!(span(vec![1.0; 10], 2), 5.0);
        assert_eq!(span(vec![3.0, 7.0], 8), 7.0);
        assert_eq!(span(Vec::new(), 2), 0.0);
    }

    /// A slow meeting says nothing of the pace of others.
    #[test]
    fn meetings_of_other_players_have_other_classes() {
        let text = MANIFEST.replace(
            "measure.fitness = { game = \"g\", agent = \"a\", opponent = \"a\", games = 8 }",
            "play.tournament = { game = \"g\", players = [\"a\", \"b\", \"c\"], games = 2 }",
        );
        let text = text
            .replace("agents.a.random = {}", "agents = { a.random = {}, b.naive = {}, c.uct = { simulations = 9 } }");
        let source = BTreeMap::from([("m.toml".to_owned(), text)]);
        let plan = load(&source, "m.toml", &Overrides::default()).and_then(|loaded| Plan::new(loaded, "cpu")).unwrap();
        let classes: HashSet<String> = plan.configs.iter().map(Config::cost_class).collect();
        assert_eq!(classes.len(), 4, "three meetings and their sum: {classes:?}");
    }
}
