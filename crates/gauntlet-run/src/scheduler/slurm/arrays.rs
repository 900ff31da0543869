//! From jobs to arrays: an array holds jobs with the same request, small jobs share an array task, and dependent jobs
//! go into later arrays.

use std::collections::HashMap;

use super::request::Request;
use crate::scheduler::batch::Batch;
use gauntlet_plan::manifest::Cluster;

/// Least number of array tasks, if there is enough work: the number of free nodes is unknown.
const LEAST_TASKS: f64 = 64.0;

/// Seconds of work below which the overhead of an array task exceeds its work.
const LEAST_SECONDS: f64 = 30.0;

/// An array to submit.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayPlan {
    /// Its request.
    pub request: Request,
    /// The jobs of each of its tasks, by their numbers in the batch.
    pub packs: Vec<Vec<usize>>,
    /// Its level in the dependency order: 0 for jobs without open dependencies.
    pub level: usize,
    /// Total seconds of work, estimated.
    pub seconds: f64,
}

/// A job and its place in the arrays.
struct Item {
    job: usize,
    level: usize,
    seconds: f64,
}

/// The arrays of some jobs; dependent jobs go into later arrays. `seconds` are estimates for all jobs of the batch,
/// `largest` is the most tasks of an array that the site allows; `is_done` tells whether a job is done.
#[must_use]
pub fn arrays(
    batch: &Batch,
    jobs: &[usize],
    seconds: &[f64],
    largest: u32,
    is_done: impl Fn(usize) -> bool,
) -> Vec<ArrayPlan> {
    let levels = levels(batch, jobs, is_done);
    let mut groups: HashMap<(usize, usize, Request), Vec<Item>> = HashMap::new();
    for &job in jobs {
        let (plan, planned) = batch.planned(job);
        let request = Request::of(&plan.written.cluster, plan.config(planned).written_stage());
        let (level, seconds) = (levels[&job], seconds[job].max(0.0) / f64::from(request.cores));
        let of_plan = batch.jobs[job].origin.0;
        groups.entry((level, of_plan, request)).or_default().push(Item { job, level, seconds });
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|((level, plan, _), items)| (*level, *plan, items[0].job));
    let of_group = |((_, plan, request), items): ((usize, usize, Request), Vec<Item>)| {
        of_group(&batch.plans[plan].written.cluster, request, items, largest)
    };
    groups.into_iter().flat_map(of_group).collect()
}

/// The length of the longest chain of dependencies before each job. Open jobs outside of the list count as one.
fn levels(batch: &Batch, jobs: &[usize], is_done: impl Fn(usize) -> bool) -> HashMap<usize, usize> {
    let mut sorted = jobs.to_vec();
    sorted.sort_unstable();
    let mut levels: HashMap<usize, usize> = HashMap::new();
    for job in sorted {
        let level = |before: usize| levels.get(&before).map_or(1, |level| level + 1);
        let open = batch.after(job).filter(|&before| !is_done(before));
        levels.insert(job, open.map(level).max().unwrap_or(0));
    }
    levels
}

/// The arrays of jobs with the same request: the longest jobs first, short ones together.
fn of_group(cluster: &Cluster, request: Request, mut items: Vec<Item>, largest: u32) -> Vec<ArrayPlan> {
    items.sort_by(|one, other| other.seconds.total_cmp(&one.seconds).then(one.job.cmp(&other.job)));
    let level = items[0].level;
    let target = target(cluster, &request, &items);
    let mut packs: Vec<(f64, Vec<usize>)> = Vec::new();
    for Item { job, seconds, .. } in items {
        match packs.last_mut() {
            Some((sum, pack)) if *sum + seconds <= target => {
                *sum += seconds;
                pack.push(job);
            }
            _ => packs.push((seconds, vec![job])),
        }
    }
    let size = cluster.array_size.min(largest).max(1) as usize;
    let array = |packs: &[(f64, Vec<usize>)]| ArrayPlan {
        request: request.clone(),
        seconds: packs.iter().map(|(seconds, _)| seconds).sum(),
        packs: packs.iter().map(|(_, pack)| pack.clone()).collect(),
        level,
    };
    packs.chunks(size).map(array).collect()
}

/// Seconds of work up to which jobs share an array task: at most the setting and half of the time limit, and less if
/// there would be few tasks.
fn target(cluster: &Cluster, request: &Request, items: &[Item]) -> f64 {
    if cluster.pack == 0 {
        return -1.0;
    }
    let all: f64 = items.iter().map(|item| item.seconds).sum();
    let most = f64::from(cluster.pack) * 60.0;
    let half = request.seconds.map_or(most, |seconds| seconds as f64 / 2.0);
    (all / LEAST_TASKS).max(LEAST_SECONDS).min(most).min(half)
}
