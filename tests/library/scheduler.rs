//! Tests of the scheduler: every runnable task runs once and in order, failures do not spread, and interrupted runs
//! resume.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gauntlet::cli::Terminal;
use gauntlet_games::base::{Event, ResumePoint, Sink};
use gauntlet_run::scheduler::{
    Files, Inline, PoolSettings, Slot, Stop, Summary, Task, TaskGraph, TaskNode, TaskOutcome, TaskRunner, drive,
    perform, run, stop_on_signals,
};
use gauntlet_store::{Claim, JobId, Key, Store};
use serde_json::json;

fn graph(after: &[&[usize]]) -> TaskGraph {
    let node = |(id, after): (usize, &&[usize])| {
        let name = format!("t{id}");
        TaskNode { name, after: after.to_vec(), cost: 1.0, ..TaskNode::default() }
    };
    TaskGraph::new(after.iter().enumerate().map(node).collect())
}

/// Independent tasks.
fn many(n: usize) -> TaskGraph {
    graph(&vec![&[] as &[usize]; n])
}

fn settings(slots: usize) -> PoolSettings {
    PoolSettings { slots, threads_per_job: None, fail_fast: false, inline: false }
}

fn run_quietly(graph: &TaskGraph, work: &dyn TaskRunner, slots: usize) -> Summary {
    run(graph, work, settings(slots), &Stop::default(), &mut ()).unwrap()
}

/// A job that counts to 40 in checkpointed steps, each of which changes its state.
fn count(checkpoint: Option<ResumePoint>, sink: &mut dyn Sink) -> anyhow::Result<Files> {
    let start = checkpoint.map_or(Ok((0, 1)), |point| serde_json::from_slice::<(u64, u64)>(&point.head))?;
    let (mut step, mut state) = start;
    while step < 40 {
        sink.record(Event::Progress { done: step, total: 40 })?;
        (step, state) = (step + 1, (state * 31 + step) % 1_000_003);
        sink.record(Event::Checkpoint(&serde_json::to_vec(&(step, state))?.into()))?;
    }
    Ok(vec![("state.json".to_string(), state.to_string().into_bytes())])
}

/// A task with a dummy spec: closures stand in for its work.
fn task(seed: usize) -> Task {
    let key = Key::of("run", &json!({ "seed": seed }));
    let spec = json!({ "measure": { "complexity": { "game": { "gomoku": { "size": 5 } } } } });
    let task = json!({
        "version": 2,
        "id": { "kind": "train", "slug": format!("count-s{seed}"), "key": key },
        "name": format!("count seed={seed}"),
        "key_inputs": { "key": key, "lineage": key, "config": key, "spec": spec, "seed": seed, "upstream": null,
            "code": key, "device": "none" },
        "weights": [],
        "class": "count",
        "cost": 40.0,
    });
    serde_json::from_value(task).unwrap()
}

fn job(seed: usize) -> JobId {
    task(seed).id
}

fn perform_count(store: &Store, id: usize, slot: &Slot<'_>) -> TaskOutcome {
    perform(&task(id), store, slot, count)
}

/// A temporary directory, in memory where possible: the scheduler is tested, not the disk.
fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn store() -> (tempfile::TempDir, Store) {
    let root = directory();
    let store = Store::open(root.path().join("results")).unwrap();
    (root, store)
}

#[test]
fn tasks_run_once_and_after_what_they_wait_for() {
    let after: [&[usize]; 6] = [&[], &[0], &[1], &[2, 0], &[], &[3, 4]];
    let graph = graph(&after);
    for slots in [1, 2, 8] {
        let order = Mutex::new(Vec::new());
        let work = |id: usize, _: &Slot<'_>| {
            order.lock().unwrap().push(id);
            TaskOutcome::Done
        };
        let summary = run_quietly(&graph, &work, slots);
        assert!(summary.is_complete() && !summary.interrupted);
        assert_eq!(summary.done, [0, 1, 2, 3, 4, 5]);
        let order = order.into_inner().unwrap();
        assert_eq!(order.len(), 6);
        let place = |id| order.iter().position(|&found| found == id).unwrap();
        let waited = |id: usize| after[id].iter().all(|&before| place(before) < place(id));
        (0..6).for_each(|id| assert!(waited(id)));
    }
}

#[test]
fn failures_and_panics_skip_their_dependants_and_nothing_else() {
    let graph = graph(&[&[], &[0], &[1], &[], &[], &[4]]);
    let work = |id: usize, _: &Slot<'_>| match id {
        0 => TaskOutcome::Failed("no luck".to_string()),
        4 => panic!("index {} out of bounds", 7),
        _ => TaskOutcome::Done,
    };
    let summary = run_quietly(&graph, &work, 2);
    assert_eq!(summary.done, [3]);
    assert_eq!(summary.skipped, [1, 2, 5]);
    assert_eq!(summary.failed, [(0, "no luck".into()), (4, "panicked: index 7 out of bounds".into())]);
}

#[test]
fn fail_fast_stops_the_running_and_starts_nothing_new() {
    for is_fatal in [false, true] {
        let work = |id: usize, slot: &Slot<'_>| match id {
            0 if is_fatal => TaskOutcome::Fatal("full".to_string()),
            0 => TaskOutcome::Failed("no luck".to_string()),
            _ => {
                while !slot.stop.is_requested() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                TaskOutcome::Interrupted
            }
        };
        let stop = Stop::default();
        let settings = PoolSettings { fail_fast: !is_fatal, ..settings(2) };
        let summary = run(&many(4), &work, settings, &stop, &mut ()).unwrap();
        assert_eq!((summary.failed.len(), summary.unfinished.as_slice()), (1, [1, 2, 3].as_slice()));
        assert!(!summary.interrupted && !stop.is_requested());
    }
}

#[test]
fn an_interrupted_job_continues_and_ends_with_the_same_bytes() {
    let graph = many(1);
    let (_a, whole) = store();
    run_quietly(&graph, &|id: usize, slot: &Slot<'_>| perform_count(&whole, id, slot), 1);
    let expected = whole.read(&job(0), "state.json").unwrap();

    let (_b, parts) = store();
    let mut rounds = 0;
    loop {
        let stop = Stop::default();
        let steps = AtomicUsize::new(0);
        let work = |id: usize, slot: &Slot<'_>| {
            perform(&task(id), &parts, slot, |checkpoint, sink| {
                count(checkpoint, &mut Bell { sink, steps: &steps, stop: &stop })
            })
        };
        let summary = drive(&graph, &mut Inline::new(&work, &stop), false, &stop, &mut ());
        rounds += 1;
        if summary.is_complete() {
            break;
        }
        assert!(summary.interrupted && summary.unfinished == [0]);
    }
    assert!(rounds >= 5, "interrupted after every few steps, yet done in {rounds} rounds");
    assert_eq!(parts.read(&job(0), "state.json").unwrap(), expected);
}

/// Requests a stop at every 13th event.
struct Bell<'a> {
    sink: &'a mut dyn Sink,
    steps: &'a AtomicUsize,
    stop: &'a Stop,
}

impl Sink for Bell<'_> {
    fn record(&mut self, event: Event<'_>) -> Result<(), gauntlet_games::base::Interrupted> {
        if self.steps.fetch_add(1, Ordering::Relaxed) == 13 {
            self.stop.request();
        }
        self.sink.record(event)
    }
}

#[test]
fn a_stop_before_the_start_starts_nothing() {
    let stop = Stop::default();
    stop.request();
    let work = |_: usize, _: &Slot<'_>| -> TaskOutcome { panic!("started") };
    let summary = run(&graph(&[&[], &[0]]), &work, settings(2), &stop, &mut ()).unwrap();
    assert!(summary.interrupted && summary.unfinished == [0, 1] && summary.failed.is_empty());
}

#[test]
fn results_depend_neither_on_slots_nor_on_the_executor() {
    let graph = many(12);
    let results: Vec<Vec<Vec<u8>>> = [0, 1, 3]
        .into_iter()
        .map(|slots| {
            let (_root, store) = store();
            let work = |id: usize, slot: &Slot<'_>| perform_count(&store, id, slot);
            match slots {
                0 => {
                    let stop = Stop::default();
                    drive(&graph, &mut Inline::new(&work, &stop), false, &stop, &mut ())
                }
                slots => run_quietly(&graph, &work, slots),
            };
            let read = |name| std::fs::read(store.directory(&job(7)).join(name)).unwrap();
            ["done.json", "state.json", "key.json"].map(read).to_vec()
        })
        .collect();
    assert!(results.iter().all(|result| *result == results[0]));
}

/// A job may use the cores of idle slots, or the given number.
#[test]
fn idle_slots_help_the_jobs_that_run() {
    let jobs_met = std::sync::Barrier::new(2);
    let limits = Mutex::new(Vec::new());
    let work = |id: usize, slot: &Slot<'_>| {
        if id < 2 {
            jobs_met.wait();
        }
        limits.lock().unwrap().push((id, slot.cores.limit()));
        if id < 2 {
            jobs_met.wait();
        }
        TaskOutcome::Done
    };
    let graph = graph(&[&[], &[], &[0, 1]]);
    for (threads_per_job, expected) in [(None, [(0, 2), (1, 2), (2, 4)]), (Some(3), [(0, 3), (1, 3), (2, 3)])] {
        let settings = PoolSettings { threads_per_job, ..settings(4) };
        assert!(run(&graph, &work, settings, &Stop::default(), &mut ()).unwrap().is_complete());
        let mut found = std::mem::take(&mut *limits.lock().unwrap());
        found.sort_unstable();
        assert_eq!(found, expected);
    }
}

#[test]
fn two_runs_on_one_tree_share_the_jobs() {
    let (_root, store) = store();
    let graph = graph(&[&[], &[0], &[0], &[], &[], &[1, 2], &[], &[]]);
    let started = AtomicUsize::new(0);
    let work = |id: usize, slot: &Slot<'_>| {
        perform(&task(id), &store, slot, |checkpoint, sink| {
            started.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(20));
            count(checkpoint, sink)
        })
    };
    std::thread::scope(|scope| {
        let runs = [1, 2].map(|slots| {
            scope.spawn({
                let (graph, work) = (&graph, &work);
                move || run_quietly(graph, work, slots)
            })
        });
        runs.into_iter().for_each(|run| assert!(run.join().unwrap().is_complete()));
    });
    assert_eq!(started.into_inner(), 8);
}

#[test]
fn somebody_else_s_job_is_taken_over_when_they_give_up() {
    let (_root, store) = store();
    let id = job(0);
    let Claim::Mine(held) = store.begin(&id, &json!({ "seed": 0 })).unwrap() else { panic!("not mine") };
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(150));
            drop(held);
        });
        let work = |id: usize, slot: &Slot<'_>| perform_count(&store, id, slot);
        assert!(run_quietly(&many(1), &work, 1).is_complete());
    });
    store.read(&id, "state.json").unwrap();
}

/// Checkpoints in quick succession are kept in memory; the last one before a failure is saved too.
#[test]
fn a_failing_job_keeps_its_last_checkpoint() {
    let (_root, store) = store();
    let work = |_: usize, slot: &Slot<'_>| {
        perform(&task(0), &store, slot, |_, sink| {
            (0..5).try_for_each(|step: u8| sink.record(Event::Checkpoint(&vec![step].into())))?;
            Err(anyhow::anyhow!("no luck"))
        })
    };
    assert_eq!(run_quietly(&many(1), &work, 1).failed.len(), 1);
    let Claim::Mine(mut directory) = store.begin(&job(0), &json!({ "seed": 0 })).unwrap() else { panic!("not mine") };
    assert_eq!(directory.load_checkpoint().unwrap(), Some(vec![4].into()));
}

#[test]
fn a_failing_job_says_why_and_a_name_outside_its_directory_fails_it() {
    let (_root, store) = store();
    let work = |id: usize, slot: &Slot<'_>| {
        perform(&task(id), &store, slot, |_, _| match id {
            0 => Err(anyhow::anyhow!("no such engine").context("cannot play")),
            _ => Ok(vec![("../x".to_string(), vec![])]),
        })
    };
    let failed = run_quietly(&graph(&[&[], &[]]), &work, 1).failed;
    assert_eq!(failed[0], (0, "cannot play: no such engine".to_string()));
    assert!(failed[1].1.contains("../x"));
}

#[test]
fn a_store_that_cannot_be_written_ends_the_run_with_a_hint() {
    let (_root, store) = store();
    std::fs::remove_dir(store.root().join("jobs")).unwrap();
    std::fs::write(store.root().join("jobs"), "").unwrap();
    let work = |id: usize, slot: &Slot<'_>| perform_count(&store, id, slot);
    let summary = run_quietly(&graph(&[&[], &[], &[]]), &work, 1);
    assert_eq!(summary.failed.len(), 1);
    let (_, reason) = &summary.failed[0];
    assert!(reason.contains("jobs") && reason.contains("hint: "), "{reason}");
    assert_eq!(summary.unfinished, [1, 2]);
}

#[derive(Clone, Default)]
struct Page(Arc<Mutex<Vec<u8>>>);

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn plain_lines_are_few_and_name_every_failure() {
    let page = Page::default();
    let work = |id: usize, _: &Slot<'_>| match id {
        70 => TaskOutcome::Failed("no luck".to_string()),
        _ => TaskOutcome::Done,
    };
    let mut display = Terminal::lines(Box::new(page.clone()));
    run(&many(200), &work, settings(2), &Stop::default(), &mut display).unwrap();
    let text = String::from_utf8(page.0.lock().unwrap().clone()).unwrap();
    assert_eq!(text, "200 jobs to run\nfailed: t70: no luck\n199 jobs done in 0 s, 1 failed\n");
}

/// CPU-bound and free of memory traffic; about 10 ms.
fn spin() -> u64 {
    (0..4_000_000).fold(1_u64, |state, n| state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(n ^ (state >> 33)))
}

/// Seconds that 30 jobs of 10 ms take, commits included.
fn seconds(slots: usize, work: fn() -> u64) -> f64 {
    let (_root, store) = store();
    let work = |id: usize, slot: &Slot<'_>| {
        perform(&task(id), &store, slot, |_, _| Ok(vec![("state.json".to_string(), work().to_string().into_bytes())]))
    };
    let start = Instant::now();
    assert!(run_quietly(&many(30), &work, slots).is_complete());
    start.elapsed().as_secs_f64()
}

#[test]
fn two_slots_do_nearly_twice_the_work_of_one() {
    // The tasks wait instead of computing, so that the ratio does not depend on the load of the machine.
    let wait = || {
        std::thread::sleep(Duration::from_millis(10));
        0
    };
    let mut best: f64 = 0.0;
    for _ in 0..5 {
        best = best.max(seconds(1, wait) / seconds(2, wait));
        if best > 1.85 {
            break;
        }
    }
    eprintln!("two slots: {best:.2} times the throughput of one, waiting");
    assert!(best > 1.5, "{best}");
    if std::env::var_os("GAUNTLET_TEST_CORES").is_some() {
        let ratios: Vec<f64> = (0..5).map(|_| seconds(1, spin) / seconds(2, spin)).collect();
        eprintln!("two slots: {ratios:.2?} times the throughput of one, computing");
    }
}

#[test]
fn scheduling_costs_microseconds() {
    let graph = many(20_000);
    let start = Instant::now();
    assert!(run_quietly(&graph, &|_: usize, _: &Slot<'_>| TaskOutcome::Done, 2).is_complete());
    let micros = start.elapsed().as_secs_f64() * 1e6 / 20_000.0;
    eprintln!("scheduling: {micros:.1} us per task");
    assert!(micros < 500.0);
}

/// Not a test of its own: the process that gets signals below. It works until it is stopped; exits 3 when
/// stopped by the flag, and never ends a stubborn job by itself.
#[test]
fn child_process() {
    let Some(mark) = std::env::var_os("GAUNTLET_TEST_MARK").map(PathBuf::from) else { return };
    let stop = Stop::default();
    stop_on_signals(&stop).unwrap();
    let is_stubborn = std::env::var_os("GAUNTLET_TEST_STUBBORN").is_some();
    let work = |_: usize, slot: &Slot<'_>| {
        std::fs::write(&mark, "").unwrap();
        while is_stubborn || !slot.stop.is_requested() {
            std::thread::sleep(Duration::from_millis(1));
        }
        TaskOutcome::Interrupted
    };
    let summary = run(&many(1), &work, settings(1), &stop, &mut ()).unwrap();
    std::process::exit(if summary.interrupted { 3 } else { 4 });
}

fn child(mark: &std::path::Path, is_stubborn: bool) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "scheduler::child_process"]).env("GAUNTLET_TEST_MARK", mark).stdout(Stdio::null());
    if is_stubborn {
        command.env("GAUNTLET_TEST_STUBBORN", "1");
    }
    let child = command.spawn().unwrap();
    let start = Instant::now();
    while !mark.exists() {
        assert!(start.elapsed() < Duration::from_secs(20), "the child never started");
        std::thread::sleep(Duration::from_millis(2));
    }
    child
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn one_signal_asks_and_the_second_ends() {
    let root = directory();
    for name in ["-INT", "-TERM"] {
        let mut polite = child(&root.path().join(format!("polite{name}")), false);
        signal(&polite, name);
        assert_eq!(polite.wait().unwrap().code(), Some(3), "{name}");
    }
    let mut stubborn = child(&root.path().join("stubborn"), true);
    signal(&stubborn, "-INT");
    std::thread::sleep(Duration::from_millis(50));
    assert!(stubborn.try_wait().unwrap().is_none());
    signal(&stubborn, "-INT");
    assert_eq!(stubborn.wait().unwrap().code(), Some(130));
}
