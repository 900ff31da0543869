//! The games of matches and tournaments as lines, so that exhibits can tell repeated games.

use std::collections::BTreeMap;

use gauntlet_exhibits::Fact;
use gauntlet_exhibits::repeats::PlayedPair;
use gauntlet_games::base::Record;
use gauntlet_jobs::JobSpec;
use gauntlet_play::arena::Standing;
use gauntlet_report::facts::Facts;
use gauntlet_run::scheduler::GAMES;
use gauntlet_store::{JobId, ReadError, Store};

/// The pairs of games of finished jobs whose games may repeat each other, by the index of the job in the plan: those of
/// players that no seed changes, if there are several seeds, or repetitions within one.
///
/// # Errors
/// If the games of a finished job are damaged or cannot be read; damaged ones are discarded.
pub fn lines<'a>(
    facts: &Facts<'_>,
    id: impl Fn(usize) -> &'a JobId,
    store: &Store,
) -> Result<BTreeMap<usize, Vec<PlayedPair>>, ReadError> {
    let plan = facts.plan();
    let mut runs = vec![0; plan.configs.len()];
    plan.jobs.iter().for_each(|job| runs[job.config] += 1);
    let is_wanted = |fact: &Fact<'_>| {
        let job = &plan.jobs[fact.at];
        let config = plan.config(job);
        let can_repeat = matches!(*config.spec, JobSpec::Play(_)) && !config.varies_by_run() && !config.is_part();
        let repeats = |standing: &Standing| standing.distinct != standing.games || runs[job.config] > 1;
        can_repeat && fact.standing().is_some_and(repeats)
    };
    let wanted = facts.all().filter(is_wanted).map(|fact| fact.at);
    wanted.filter_map(|at| Some(pairs(id(at), store).transpose()?.map(|pairs| (at, pairs)))).collect()
}

/// The pairs of a job's games, if it is finished and has some.
fn pairs(id: &JobId, store: &Store) -> Result<Option<Vec<PlayedPair>>, ReadError> {
    let bytes = match store.read_or_discard(id, GAMES) {
        // Damage is one job's: the warning is out.
        Err(ReadError::NotDone { .. } | ReadError::NoSuchFile { .. } | ReadError::Damaged { .. }) => return Ok(None),
        result => result?,
    };
    // The first line is the header. The file is what this program wrote: the store has compared its hash.
    let records = bytes.split(|&byte| byte == b'\n').skip(1).filter(|line| !line.is_empty());
    let records: Result<Vec<Record>, _> = records.map(serde_json::from_slice).collect();
    Ok(records.ok().map(|records| records.chunks_exact(2).map(|pair| PlayedPair::new(&pair[0], &pair[1])).collect()))
}
