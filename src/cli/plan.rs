//! `gauntlet plan`: the jobs that would run, with the reasons.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use super::classes::OtherClasses;
use super::output::{count, duration, json_list, note, result, table};
use super::{ExecutorKind, Exit, Flags, checkpoints, cluster};
use crate::app::Planned;
use gauntlet_jobs::JobSpec;
use gauntlet_jobs::code::covered;
use gauntlet_plan::manifest::{Config, Plan};
use gauntlet_plan::manifest::{Dependency, Reading};
use gauntlet_play::arena::PlaySpec;
use gauntlet_run::scheduler::{Batch, CodeGroup, JobState, LiveRun};
use gauntlet_store::{CheckpointProgress, Difference, JobId, Store, family_of};

/// Show the jobs of manifests and their states; runs no jobs
#[derive(Debug, Args)]
pub struct PlanCommand {
    /// Manifest files, or artefacts
    #[arg(required = true, value_name = "MANIFEST")]
    manifests: Vec<String>,
    /// Give the reason for every job that would run
    #[arg(long)]
    explain: bool,
    /// Show every job, not only a line for each configuration
    #[arg(long)]
    all: bool,
    /// List the coverage of each configuration's fingerprint: modules of this program's source, and packages
    #[arg(long, conflicts_with_all = ["explain", "all"])]
    sources: bool,
}

/// Says which files are missing: results that were made with them have other keys.
pub(super) fn note_missing(flags: &Flags, plans: &[Planned]) {
    for planned in plans {
        if let Some(file) = planned.plan.missing_input() {
            let way = "results with it count only if --data (or GAUNTLET_DATA) names the directory that holds it";
            note(flags.quiet, &format!("{} reads `{file}`, which is not here: {way}", planned.name));
        }
    }
}

impl PlanCommand {
    /// Prints the plan.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let plans = flags.options.plans(&self.manifests)?;
        if self.sources {
            sources(flags, &plans);
            return Ok(Exit::Done);
        }
        note_missing(flags, &plans);
        let store = flags.options.look()?;
        let mut batch = flags.options.batch(&plans, &store)?;
        batch.measure(&store);
        if flags.options.executor == ExecutorKind::Slurm && !self.explain && !self.all {
            cluster::show_arrays(flags, &batch, &store);
            return Ok(Exit::Done);
        }
        if flags.json {
            let begun: HashMap<usize, _> = batch.checkpoints(&store).into_iter().collect();
            json_list((0..batch.jobs.len()).map(|at| as_json(&batch, at, begun.get(&at).copied())));
            return Ok(Exit::Done);
        }
        if self.explain {
            explain(&batch, &store)?;
        } else if self.all {
            result(&table(&["job", "state", "directory"], (0..batch.jobs.len()).map(|at| job_row(&batch, at))));
        } else {
            configurations(&batch);
        }
        if !self.explain {
            beginnings(&batch).iter().for_each(|line| result(line));
            checkpoints::show(checkpoints::rows(&batch, &batch.checkpoints(&store)));
        }
        let seconds = batch.seconds_left_beside(&LiveRun::all(&store), &store, flags.options.slots());
        let cost = if batch.is_complete() { String::new() } else { format!(", about {}", duration(seconds)) };
        let jobs = count(batch.jobs.len(), "job");
        let left = batch.left().count();
        let more = match batch.later_at_most() {
            0 => String::new(),
            more => format!(", then at most {more} more for races"),
        };
        batch.race_lines().iter().for_each(|line| result(line));
        result(&format!("{jobs}, {left} to run{more}{cost}"));
        if let Some((clause, hint)) = OtherClasses::of(&flags.options, &batch, &store)?.clause() {
            note(flags.quiet, &format!("{left} of {jobs} to run: {clause}; {hint}"));
        }
        Ok(Exit::Done)
    }
}

/// One line for each training with a shorter one in the store.
fn beginnings(batch: &Batch) -> Vec<String> {
    let line = |at: usize| Some(format!("{} {}", batch.describe(at), batch.jobs[at].beginning.as_ref()?.sentence()));
    (0..batch.jobs.len()).filter_map(line).collect()
}

fn sources(flags: &Flags, plans: &[Planned]) {
    let configs = plans.iter().flat_map(|planned| &planned.plan.configs);
    let covered = configs.map(|config| (config.describe(), covered(&config.spec)));
    if flags.json {
        return json_list(covered.map(|(config, covered)| json!({ "configuration": config, "sources": covered })));
    }
    covered.for_each(|(config, covered)| {
        let names = covered.items.into_keys().chain(covered.packages.into_keys());
        result(&format!("{config}: {}", names.collect::<Vec<_>>().join(" ")));
    });
}

/// A job as JSON; `begun`: the progress of its checkpoint, if it has one.
fn as_json(batch: &Batch, at: usize, begun: Option<Option<CheckpointProgress>>) -> Value {
    let job = &batch.jobs[at];
    let mut value = json!({ "job": batch.describe(at), "state": job.word(), "directory": job.id.directory(),
        "key_inputs": batch.key_inputs(at) });
    if let Some(progress) = begun {
        value["checkpoint"] = json!({ "done": progress.map(|it| it.done), "total": progress.map(|it| it.total) });
    }
    if let Some(beginning) = &job.beginning {
        value["beginning"] = json!(beginning.sentence());
    }
    value
}

fn job_row(batch: &Batch, at: usize) -> Vec<String> {
    let job = &batch.jobs[at];
    vec![batch.describe(at), job.word().to_owned(), job.id.directory()]
}

/// One line for each configuration, and one for all meetings of a stage; tournaments with their players.
fn configurations(batch: &Batch) {
    let mut rows = config_rows(batch);
    let header = ["configuration", "jobs", "cached", "players"];
    let has_entrants = rows.iter().any(|row| row.last().is_some_and(|players| !players.is_empty()));
    let columns = if has_entrants { header.len() } else { header.len() - 1 };
    rows.iter_mut().for_each(|row| row.truncate(columns));
    result(&table(&header[..columns], rows));
}

fn config_rows(batch: &Batch) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (plan, places) in batch.plans.iter().zip(&batch.places) {
        let mut counts = vec![(0_usize, 0_usize); plan.configs.len()];
        for (job, &place) in plan.jobs.iter().zip(places) {
            let (jobs, cached) = &mut counts[job.config];
            *jobs += 1;
            *cached += usize::from(batch.jobs[place].state.is_done());
        }
        let configs: Vec<(&Config, (usize, usize))> = plan.configs.iter().zip(counts).collect();
        let groups = configs.chunk_by(|(one, _), (other, _)| one.is_part() && one.stage == other.stage);
        let row = |group: &[(&Config, (usize, usize))]| {
            let (config, _) = group[0];
            let (jobs, cached) = group.iter().fold((0, 0), |sum, (_, count)| (sum.0 + count.0, sum.1 + count.1));
            let (name, players) = match config.is_part() {
                true => (config.stage.clone(), String::new()),
                false => (config.describe(), entrants(plan, config, jobs)),
            };
            (jobs > 0).then(|| vec![name, jobs.to_string(), cached.to_string(), players])
        };
        rows.extend(groups.filter_map(row));
    }
    rows
}

/// Most players of a tournament that are named.
const MOST_NAMED: usize = 12;

/// The players of a tournament with their trainings; the players of several runs are pooled by name.
fn entrants(plan: &Plan, config: &Config, runs: usize) -> String {
    if !matches!(*config.spec, JobSpec::Play(PlaySpec::Tournament(_))) {
        return String::new();
    }
    let players = config.spec.job().players();
    let mut names: Vec<String> = players.iter().take(MOST_NAMED).map(|(name, _)| entrant(plan, config, name)).collect();
    if let more @ 1.. = players.len().saturating_sub(MOST_NAMED) {
        names.push(format!("and {more} more"));
    }
    let pooled = if runs > 1 { format!(" (of {runs} runs, pooled by name)") } else { String::new() };
    format!("{}{pooled}", names.join(", "))
}

/// A player with its training, and the training's labels that differ from the tournament's: `late (train, iteration
/// 26)`.
fn entrant(plan: &Plan, config: &Config, name: &str) -> String {
    let Some(dependency) = config.from.iter().find(|dependency| dependency.player.as_deref() == Some(name)) else {
        return name.to_owned();
    };
    let training = &plan.configs[dependency.config];
    let differs = |(axis, label): &&(Arc<str>, Arc<str>)| config.label(axis).as_deref() != Some(&**label);
    let labels = training.labels.iter().filter(differs).map(|(axis, label)| format!(" {axis}={label}"));
    let iteration = dependency.iteration.map_or(String::new(), |iteration| format!(", iteration {iteration}"));
    format!("{name} ({}{}{iteration})", training.stage, labels.collect::<String>())
}

/// One line for each job that would run, with its differences from the nearest job in the store.
fn explain(batch: &Batch, store: &Store) -> anyhow::Result<()> {
    let mut families = Families { store, directories: store.directories()?, known: HashMap::new() };
    for at in batch.left() {
        let job = &batch.jobs[at];
        let why = match job.state {
            JobState::Broken => "it is in the store, but damaged".to_owned(),
            _ => families.nearest(&job.id, &json!(batch.key_inputs(at)))?,
        };
        result(&format!("{}: {why}{}", batch.describe(at), differing(batch, at)));
        job.beginning.iter().for_each(|beginning| result(&format!("    {}", beginning.sentence())));
        upstreams(batch, at).iter().for_each(|line| result(line));
    }
    verified(batch);
    Ok(())
}

/// A note that jobs of the same older code differed, if known.
fn differing(batch: &Batch, at: usize) -> String {
    let found = batch.jobs[at].older.as_ref().and_then(|group| batch.verified_code.differing(group));
    found.map_or(String::new(), |note| {
        let difference = note.difference.as_ref().map_or(String::new(), Difference::sentence);
        format!("; run again, {} of this code came out differently: {difference}", note.job)
    })
}

/// One line for each group of older results that are accepted because some of them were identical when run again.
fn verified(batch: &Batch) {
    let taken = batch.jobs.iter().filter(|job| job.state == JobState::Verified).filter_map(|job| job.older.as_ref());
    let mut groups: BTreeMap<&CodeGroup, usize> = BTreeMap::new();
    taken.for_each(|group| *groups.entry(group).or_default() += 1);
    for (group, jobs) in groups {
        let again = count(batch.verified_code.of(group).len(), "job");
        result(&format!(
            "verified: {} of code {}, of which {again} came out the same",
            count(jobs, "job"),
            group.words()
        ));
    }
}

/// One line for each job whose result a job reads.
fn upstreams(batch: &Batch, at: usize) -> Vec<String> {
    let (plan, job) = batch.planned(at);
    let dependencies = plan
        .config(job)
        .from
        .iter()
        .zip(batch.after(at))
        .filter(|(dependency, _)| dependency.reads == Reading::Weights);
    let line = |(dependency, before): (&Dependency, usize)| {
        let player = dependency.player.as_deref().map_or(String::new(), |player| format!("{player}: "));
        let iteration = dependency.iteration.map_or(String::new(), |iteration| format!(", iteration {iteration}"));
        format!("    from {player}{}{iteration}", batch.describe(before))
    };
    dependencies.map(line).collect()
}

/// Most jobs that one job is compared with.
const MOST_RELATIVES: usize = 100;

/// Most jobs of other families, in the order of names and on each side, that one job is compared with.
const NEIGHBOURS: usize = 20;

/// The key inputs of all jobs of a family, read once.
struct Families<'a> {
    store: &'a Store,
    /// All job directories, sorted.
    directories: Vec<String>,
    known: HashMap<String, Vec<Value>>,
}

impl Families<'_> {
    /// Why a job would run, from the most similar job of its family or, without one, with a similar name.
    fn nearest(&mut self, job: &JobId, wanted: &Value) -> anyhow::Result<String> {
        let (family, own) = (job.family(), job.directory());
        if self.directories.binary_search(&own).is_ok() {
            return Ok("it was started and never finished".to_owned());
        }
        if !self.known.contains_key(&family) {
            let mut relatives = self.relatives(&family)?;
            if relatives.is_empty() {
                relatives = self.neighbours(job)?;
                relatives.retain(|known| is_alike(&known["spec"], &wanted["spec"]));
            }
            self.known.insert(family.clone(), relatives);
        }
        let relatives = &self.known[&family];
        Ok(match relatives.iter().map(|known| differences(known, wanted, "")).min_by_key(Vec::len) {
            None => "nothing like it was ever run".to_owned(),
            Some(fields) => format!("differs from what was run in {}", fields.join(", ")),
        })
    }

    /// The key inputs of the jobs of a family; only the first of very many.
    fn relatives(&self, family: &str) -> anyhow::Result<Vec<Value>> {
        let start = self.directories.partition_point(|directory| &**directory < family);
        let relatives = self.directories[start..].iter().take_while(|name| name.starts_with(family));
        self.read(relatives.filter(|name| family_of(name) == Some(family)).take(MOST_RELATIVES))
    }

    /// The key inputs of jobs of the same kind whose names are next to that of a job: names begin with the game, the
    /// players and their main settings.
    fn neighbours(&self, job: &JobId) -> anyhow::Result<Vec<Value>> {
        let (family, kind) = (job.family(), format!("{}-", job.kind));
        let start = self.directories.partition_point(|directory| *directory < family);
        let end = self.directories.len().min(start + NEIGHBOURS);
        let near = self.directories[start.saturating_sub(NEIGHBOURS)..end].iter();
        self.read(near.filter(|name| name.starts_with(&kind)))
    }

    fn read<'d>(&self, directories: impl Iterator<Item = &'d String>) -> anyhow::Result<Vec<Value>> {
        let read = |directory: &String| Ok(self.store.key_inputs_in(directory)?);
        directories.filter_map(|directory| read(directory).transpose()).collect()
    }
}

/// Whether two specs have the same parts, such as kinds of games and players, whose settings may differ.
fn is_alike(known: &Value, wanted: &Value) -> bool {
    let is_setting = |value: &Value| !value.is_object() && !value.is_array();
    match (known, wanted) {
        (Value::Object(known), Value::Object(wanted)) => {
            let null = Value::Null;
            let is_alike_at =
                |key: &String| is_alike(known.get(key).unwrap_or(&null), wanted.get(key).unwrap_or(&null));
            known.keys().chain(wanted.keys()).all(is_alike_at)
        }
        (known, wanted) => known == wanted || is_setting(known) && is_setting(wanted),
    }
}

/// Fields in which two sets of key inputs differ, without those that follow from others.
fn differences(known: &Value, wanted: &Value, path: &str) -> Vec<String> {
    match (known, wanted) {
        (Value::Object(known), Value::Object(wanted)) => {
            let mut keys: Vec<&String> = known.keys().chain(wanted.keys()).collect();
            keys.sort();
            keys.dedup();
            keys.retain(|key| !matches!(key.as_str(), "key" | "lineage" | "config"));
            let null = Value::Null;
            let below = |key: &String| {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                differences(known.get(key).unwrap_or(&null), wanted.get(key).unwrap_or(&null), &path)
            };
            keys.into_iter().flat_map(below).collect()
        }
        (known, wanted) if known == wanted => Vec::new(),
        // Hashes do not help a reader.
        _ if path == "code" || path.starts_with("inputs.") => vec![path.to_owned()],
        _ if path.starts_with("upstream") && !path.ends_with(".iteration") => vec![path.to_owned()],
        (known, wanted) => vec![format!("{path} ({known} -> {wanted})")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_name_fields_and_values_and_no_hashes() {
        let known = json!({ "key": "a", "code": "x", "seed": 1, "spec": { "size": 5, "row": 4 } });
        let wanted = json!({ "key": "b", "code": "y", "seed": 1, "spec": { "size": 7, "row": 4, "new": true } });
        assert_eq!(differences(&known, &wanted, ""), ["code", "spec.new (null -> true)", "spec.size (5 -> 7)"]);
        assert_eq!(differences(&known, &known, ""), [""; 0]);
    }

    #[test]
    fn jobs_are_alike_whose_parts_have_other_settings() {
        let spec = |agent: Value| json!({ "play": { "match": { "agent": agent, "games": 2, "openings": "none" } } });
        let uct = spec(json!({ "uct": { "simulations": 300 } }));
        for (agent, alike) in [
            (json!({ "uct": { "simulations": 300 } }), true),
            (json!({ "uct": { "simulations": 301, "ties": "random" } }), true),
            (json!({ "uct": { "simulations": { "time-ms": 5 } } }), false),
            (json!({ "greedy": {} }), false),
            (json!(["uct"]), false),
        ] {
            assert_eq!(is_alike(&uct, &spec(agent.clone())), alike, "{agent}");
        }
        assert!(!is_alike(&uct, &json!({ "play": { "tournament": {} } })));
    }
}
