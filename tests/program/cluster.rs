//! Tests of jobs on a cluster: the results have the same bytes as on one machine, even if the cluster interferes.
//! Slurm's programs are fakes here (`tests/slurm/fake`); `tests/slurm/drills.sh` runs the same drills on a real one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::workshop::{Ended, MEASUREMENTS, TRAINING, Workshop};

/// A workshop on a cluster of one machine.
struct Cluster {
    workshop: Workshop,
}

impl Cluster {
    fn with(manifest: &str) -> Cluster {
        let workshop = Workshop::with(manifest);
        fs::create_dir_all(workshop.path("slurm")).unwrap();
        Cluster { workshop }
    }

    /// A file of the cluster.
    fn part(&self, name: &str) -> PathBuf {
        self.workshop.path("slurm").join(name)
    }

    fn put(&self, name: &str, text: &str) {
        fs::write(self.part(name), text).unwrap();
    }

    fn remove(&self, name: &str) {
        fs::remove_file(self.part(name)).unwrap();
    }

    /// The program beside the cluster's programs; waits are a hundredth of a real cluster's.
    fn command(&self, arguments: &str) -> Command {
        let mut command = self.workshop.command(arguments);
        let fakes = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/slurm/fake");
        let path = std::env::var("PATH").unwrap();
        command.env("PATH", format!("{}:{path}", fakes.display())).env("FAKE_SLURM", self.workshop.path("slurm"));
        command.env("GAUNTLET_CLUSTER_PACE", "0.01");
        command
    }

    fn run(&self, arguments: &str) -> Ended {
        Ended::from(self.command(arguments).output().unwrap())
    }

    fn done(&self, arguments: &str) -> Ended {
        let ended = self.run(arguments);
        assert_eq!(ended.code, 0, "gauntlet {arguments}: {}{}", ended.stdout, ended.stderr);
        ended
    }

    /// A run in the background.
    fn start(&self) -> Child {
        self.command("run m.toml --executor slurm").spawn().unwrap()
    }

    /// Number of calls of one of Slurm's programs.
    fn calls(&self, program: &str) -> usize {
        let log = fs::read_to_string(self.part("log")).unwrap_or_default();
        log.lines().filter(|line| line.starts_with(program)).count()
    }

    /// All files of the results, without those with times.
    fn results(&self) -> [std::collections::BTreeMap<String, Vec<u8>>; 2] {
        results(&self.workshop)
    }

    /// Checks that no job was finished twice, and that no leftovers remain.
    fn is_clean(&self, jobs: usize) {
        assert_eq!(self.workshop.commits().len(), jobs, "{:?}", self.workshop.commits());
        assert_eq!(self.results(), expected(&self.workshop));
        assert!(!self.workshop.path("results/cluster").exists());
    }
}

fn results(workshop: &Workshop) -> [std::collections::BTreeMap<String, Vec<u8>>; 2] {
    [workshop.files("results/jobs", ""), workshop.files("reports", ".csv")]
}

/// The results of the same manifest on one machine.
fn expected(of: &Workshop) -> [std::collections::BTreeMap<String, Vec<u8>>; 2] {
    let local = Workshop::with(&of.read("m.toml"));
    local.done("run m.toml --quiet");
    results(&local)
}

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}: never");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn interrupt(child: Child) -> Ended {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
    let ended = Ended::from(child.wait_with_output().unwrap());
    assert_eq!(ended.code, 130, "{}", ended.stderr);
    ended
}

/// A training that is long enough to be interfered with.
fn long() -> String {
    TRAINING.replace("generations = 30", "generations = 400").replace("seeds = 2", "seeds = 1")
}

#[test]
fn a_cluster_gives_the_bytes_of_one_machine() {
    let cluster = Cluster::with(TRAINING);
    let ended = cluster.done("run m.toml --executor slurm");
    cluster.is_clean(12);
    assert!(ended.stderr.contains("12 jobs done"), "{}", ended.stderr);
    // Small jobs share an array task, and those that depend on them are submitted with them.
    assert_eq!(cluster.calls("sbatch"), 2);
    let log = fs::read_to_string(cluster.part("log")).unwrap();
    assert!(log.contains("sbatch --parsable --dependency=afterok:1 --kill-on-invalid-dep=yes"), "{log}");
}

#[test]
fn a_plan_shows_its_arrays_and_a_file_of_the_user_changes_no_key() {
    let cluster = Cluster::with(&format!("{TRAINING}[cluster]\npack = 0\ncores = 2\nstages.transfer.cores = 1\n"));
    let shown = cluster.done("plan m.toml --executor slurm").stdout;
    for line in ["1          4      4", "2 (waits)  8      8", "2 cores", "2 arrays of 12 tasks, 12 jobs"] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let directories = |arguments: &str| cluster.done(&format!("plan m.toml --all --json {arguments}")).stdout;
    let keys = directories("");
    cluster.workshop.write("my.toml", "[cluster]\ncores = 8\npartition = \"long\"\npack = 5");
    assert_eq!(directories("--cluster my.toml"), keys);
    assert!(cluster.done("plan m.toml --executor slurm --cluster my.toml").stdout.contains("8 cores, on long"));
    cluster
        .workshop
        .write("my.toml", "cores = 0\npartitoin = \"long\"\noptions = [\"--array=1\"]\nstages.tarin.gpus = 1");
    let refused = cluster.run("check m.toml --cluster my.toml");
    assert_eq!(refused.code, 2);
    for problem in ["unknown key `partitoin`", "did you mean `partition`?", "`--array` is set by every submission"] {
        assert!(refused.stderr.contains(problem), "{problem}: {}", refused.stderr);
    }
    cluster.workshop.write("my.toml", "cores = 0\nstages.tarin.gpus = 1");
    let refused = cluster.run("check m.toml --cluster my.toml").stderr;
    assert!(refused.contains("0 is outside 1 to 1024") && refused.contains("there is no stage `tarin`"), "{refused}");
}

#[test]
fn a_lost_node_costs_an_attempt_and_no_result() {
    let cluster = Cluster::with(MEASUREMENTS);
    cluster.put("nodefail", "");
    let ended = cluster.done("run m.toml --executor slurm");
    assert!(
        ended.stderr.contains("its node failed on n1; it is submitted again (1 of 3 attempts)"),
        "{}",
        ended.stderr
    );
    cluster.is_clean(40);
}

#[test]
fn a_submission_that_answered_too_late_is_found_by_its_name() {
    let cluster = Cluster::with(MEASUREMENTS);
    cluster.put("late", "");
    cluster.done("run m.toml --executor slurm");
    assert_eq!(cluster.calls("sbatch"), 1);
    cluster.is_clean(40);
}

#[test]
fn a_submission_that_a_dead_run_left_is_found_by_its_name() {
    let cluster = Cluster::with(MEASUREMENTS);
    cluster.put("late", "");
    cluster.put("hold", "");
    let mut run = cluster.start();
    wait_for("a job", || cluster.part("jobs/1/name").exists());
    run.kill().unwrap();
    run.wait().unwrap();
    let asked = cluster.calls("s");
    let run = cluster.start();
    // The next run follows a submission whose jobs it still needs.
    wait_for("a question", || cluster.calls("s") > asked);
    cluster.remove("hold");
    let ended = Ended::from(run.wait_with_output().unwrap());
    assert_eq!((ended.code, cluster.calls("sbatch")), (0, 1), "{}", ended.stderr);
    cluster.is_clean(40);
}

#[test]
fn a_submission_that_the_controller_forgot_is_made_again() {
    let cluster = Cluster::with(MEASUREMENTS);
    cluster.put("hold", "");
    let run = cluster.start();
    wait_for("a job", || cluster.part("jobs/1/name").exists());
    // The controller restarts with an older state: the job is gone, and its id is used again.
    cluster.put("jobs/1/forgotten", "");
    fs::rename(cluster.part("jobs/1/tasks"), cluster.part("jobs/1/gone")).unwrap();
    fs::remove_file(cluster.part("hold")).unwrap();
    let ended = Ended::from(run.wait_with_output().unwrap());
    assert_eq!((ended.code, cluster.calls("sbatch")), (0, 2), "{}", ended.stderr);
    assert!(ended.stderr.contains("the cluster has lost it"), "{}", ended.stderr);
    cluster.is_clean(40);
}

#[test]
fn a_controller_that_is_down_loses_nothing() {
    let cluster = Cluster::with(TRAINING);
    cluster.put("hold", "");
    let run = cluster.start();
    wait_for("two jobs", || cluster.part("jobs/2/name").exists());
    cluster.put("down", "");
    cluster.remove("hold");
    std::thread::sleep(Duration::from_secs(1));
    cluster.remove("down");
    let ended = Ended::from(run.wait_with_output().unwrap());
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stderr.contains("Slurm gives no answer"), "{}", ended.stderr);
    cluster.is_clean(12);
}

#[test]
fn a_run_detaches_and_the_next_one_follows() {
    let cluster = Cluster::with(TRAINING);
    cluster.put("hold", "");
    let run = cluster.start();
    wait_for("two jobs", || cluster.part("jobs/2/name").exists());
    wait_for("a question", || cluster.calls("squeue") > 0);
    let ended = interrupt(run);
    assert!(ended.stderr.contains("detached: 12 jobs stay with the cluster"), "{}", ended.stderr);
    assert!(ended.stderr.contains("run the same command again to follow"), "{}", ended.stderr);
    let status = cluster.done("status m.toml").stdout;
    assert!(status.contains("on the cluster: 12 queued"), "{status}");
    cluster.remove("hold");
    let ended = cluster.done("run m.toml --executor slurm");
    // On a busy machine, the cluster may have done some of the twelve before this run looks.
    assert!(ended.stderr.contains("jobs that an earlier run submitted are followed"), "{}", ended.stderr);
    assert_eq!(cluster.calls("sbatch"), 2);
    cluster.is_clean(12);
}

#[test]
fn what_is_not_submitted_is_named_when_a_run_detaches() {
    let cluster = Cluster::with(&format!("{TRAINING}[cluster]\ndependencies = false\n"));
    cluster.put("hold", "");
    let run = cluster.start();
    wait_for("a question", || cluster.calls("squeue") > 0);
    let ended = interrupt(run);
    assert!(ended.stderr.contains("detached: 4 jobs stay with the cluster\n8 jobs not submitted:"), "{}", ended.stderr);
    let ended = cluster.run("cancel");
    assert_eq!((ended.code, ended.stderr.as_str()), (0, "ended 1 array with 4 jobs to run\n"));
    cluster.remove("hold");
    cluster.done("run m.toml --executor slurm");
    cluster.is_clean(12);
}

#[test]
fn a_refusal_ends_the_run_and_says_why() {
    let cluster = Cluster::with(MEASUREMENTS);
    cluster.put("refuse", "Invalid partition name specified");
    let ended = cluster.run("run m.toml --executor slurm");
    assert_eq!(ended.code, 1);
    assert!(ended.stderr.contains("Invalid partition name specified"), "{}", ended.stderr);
    assert!(ended.stderr.contains("look at `[cluster]`"), "{}", ended.stderr);
    assert!(!cluster.workshop.path("results/cluster").exists());
    let missing = cluster.workshop.command("run m.toml --executor slurm").env("PATH", "/nowhere").output().unwrap();
    let missing = Ended::from(missing);
    assert!(missing.code == 2 && missing.stderr.contains("`scontrol` cannot be started"), "{missing:?}");
}

#[test]
fn too_little_memory_fails_one_job_and_names_its_log() {
    let cluster = Cluster::with(&format!("{}[cluster]\npack = 0\n", long()));
    let run = cluster.start();
    wait_for("a worker", || cluster.part("jobs/1/pid.0").exists());
    wait_for("a checkpoint", || !cluster.workshop.files("results", "checkpoint.bin").is_empty());
    cluster.put("verdict", "OUT_OF_MEMORY");
    kill("-KILL", &cluster);
    let ended = Ended::from(run.wait_with_output().unwrap());
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    let log = "raise `memory` in [cluster]; its log is results/cluster/gauntlet-";
    assert!(ended.stderr.contains(log) && ended.stderr.contains("/logs/0.log"), "{}", ended.stderr);
    assert!(ended.stderr.contains("1 job failed, 2 that wait for them were skipped"), "{}", ended.stderr);
    let status = cluster.done("status m.toml").stdout;
    assert!(status.contains("on the cluster: 1 failed"), "{status}");
    cluster.done("run m.toml --executor slurm");
    cluster.is_clean(6);
}

#[test]
fn a_time_limit_is_no_end_for_a_training_that_saved() {
    // Another training of its pack may not have begun.
    for (packs, are_attempts_told) in [("[cluster]\npack = 0\n", Some(false)), ("", None)] {
        let cluster = Cluster::with(&format!("{}{packs}", long()));
        let run = cluster.start();
        wait_for("a checkpoint", || !cluster.workshop.files("results", "checkpoint.bin").is_empty());
        cluster.put("verdict", "TIMEOUT");
        kill("-TERM", &cluster);
        let ended = Ended::from(run.wait_with_output().unwrap());
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        assert!(cluster.calls("sbatch") > 2, "{}", ended.stderr);
        assert!(
            are_attempts_told.is_none_or(|reported| reported == ended.stderr.contains("attempts")),
            "{}",
            ended.stderr
        );
        assert!(cluster.workshop.commits().iter().any(|line| line.contains("\"resumed\":true")));
        cluster.is_clean(6);
    }
}

#[test]
fn a_preempted_job_goes_on_elsewhere_and_a_requeued_one_where_it_was() {
    let cluster = Cluster::with(&long());
    let run = cluster.start();
    wait_for("a checkpoint", || !cluster.workshop.files("results", "checkpoint.bin").is_empty());
    cluster.put("verdict", "PREEMPTED");
    kill("-TERM", &cluster);
    let ended = Ended::from(run.wait_with_output().unwrap());
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stderr.contains("it was preempted on n1"), "{}", ended.stderr);
    cluster.is_clean(6);
    let cluster = Cluster::with(&long());
    cluster.put("requeue", "");
    let ended = cluster.done("run m.toml --executor slurm");
    assert!(!ended.stderr.contains("attempts") && cluster.calls("sbatch") == 2, "{}", ended.stderr);
    cluster.is_clean(6);
}

#[test]
fn an_answer_without_an_id_leaves_the_job_to_be_found_by_its_name() {
    let cluster = Cluster::with(MEASUREMENTS);
    cluster.put("mumble", "");
    cluster.done("run m.toml --executor slurm");
    assert_eq!(cluster.calls("sbatch"), 1);
    cluster.is_clean(40);
}

#[test]
fn results_in_a_place_that_slurm_cannot_name_are_refused() {
    let cluster = Cluster::with(MEASUREMENTS);
    for place in ["it's", "a\"b"] {
        let mut command = cluster.command("run m.toml --executor slurm --results");
        let ended = Ended::from(command.arg(place).output().unwrap());
        assert_eq!((ended.code, cluster.calls("sbatch")), (2, 0), "{}", ended.stderr);
        assert!(ended.stderr.contains("has a quote or a control character in its name"), "{}", ended.stderr);
    }
}

#[test]
fn a_place_for_logs_that_cannot_be_written_is_named() {
    let cluster = Cluster::with(MEASUREMENTS);
    cluster.workshop.write("results/.gauntlet-results", "");
    cluster.workshop.write("results/cluster", "a file");
    let ended = cluster.run("run m.toml --executor slurm");
    assert_eq!((ended.code, cluster.calls("sbatch")), (1, 0));
    assert!(ended.stderr.contains("cannot create results/cluster/gauntlet-"), "{}", ended.stderr);
    // A node that cannot create them starts no worker.
    fs::remove_file(cluster.workshop.path("results/cluster")).unwrap();
    cluster.put("nologs", "");
    let ended = cluster.run("run m.toml --executor slurm");
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    assert!(ended.stderr.contains("its worker died on n1, and so 3 attempts ended; its log is "), "{}", ended.stderr);
    cluster.remove("nologs");
    cluster.done("run m.toml --executor slurm");
    cluster.is_clean(40);
}

#[test]
fn a_killed_worker_is_tried_again_where_it_stopped() {
    let cluster = Cluster::with(&long());
    let run = cluster.start();
    wait_for("a checkpoint", || !cluster.workshop.files("results", "checkpoint.bin").is_empty());
    kill("-KILL", &cluster);
    let ended = Ended::from(run.wait_with_output().unwrap());
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stderr.contains("its worker died on n1"), "{}", ended.stderr);
    cluster.is_clean(6);
}

#[test]
fn a_worker_of_another_class_refuses_its_jobs() {
    let cluster = Cluster::with(&format!("{MEASUREMENTS}[cluster]\ndevice-class = \"cuda-nvidia-h200\"\n"));
    let ended = cluster.run("run m.toml --executor slurm");
    assert_eq!(ended.code, 1);
    assert!(ended.stderr.contains("planned for the device class cuda-nvidia-h200"), "{}", ended.stderr);
    assert!(cluster.workshop.commits().is_empty() && ended.stderr.contains("40 jobs failed"), "{}", ended.stderr);
}

#[test]
fn a_worker_of_other_code_refuses_its_jobs_and_its_files_stay_for_a_week() {
    let cluster = Cluster::with(MEASUREMENTS);
    cluster.put("hold", "");
    let run = cluster.start();
    wait_for("a job", || cluster.part("jobs/1/name").exists());
    // The program changes before the node starts.
    for (name, bytes) in cluster.workshop.files("results/cluster", "tasks.jsonl") {
        let text = String::from_utf8(bytes).unwrap();
        let other: Vec<String> = text.split("\"code\":\"").map(|part| part.replacen(&part[..4], "0bad", 1)).collect();
        let other = [&text[..4], &other.join("\"code\":\"")[4..]].concat();
        fs::write(cluster.workshop.path(&name), other).unwrap();
    }
    cluster.remove("hold");
    let ended = Ended::from(run.wait_with_output().unwrap());
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    assert!(ended.stderr.contains("was planned by another program: its code is 0bad"), "{}", ended.stderr);
    assert!(cluster.workshop.commits().is_empty() && ended.stderr.contains("40 jobs failed"), "{}", ended.stderr);
    let settled = cluster.workshop.files("results/cluster", "settled.json");
    assert!(!settled.is_empty());
    cluster.done("gc --yes");
    assert_eq!(cluster.workshop.files("results/cluster", "settled.json"), settled, "their logs say why");
    cluster.done("run m.toml --executor slurm");
    cluster.is_clean(40);
}

#[test]
fn submissions_that_are_long_over_are_cleared() {
    for (days, arguments) in [("8", "gc --yes"), ("0", "gc --yes --for-good")] {
        let cluster = Cluster::with(&format!("{MEASUREMENTS}[cluster]\ndevice-class = \"cuda-nvidia-h200\"\n"));
        assert_eq!(cluster.run("run m.toml --executor slurm").code, 1);
        let script = format!("find results/cluster -name settled.json -exec touch -d '{days} days ago' {{}} +");
        let aged = Command::new("sh").args(["-c", &script]).current_dir(cluster.workshop.path("")).status();
        assert!(aged.unwrap().success());
        let reported = cluster.done(arguments).stderr;
        assert!(reported.contains("removed the files of "), "{reported}");
        assert!(!cluster.workshop.path("results/cluster").exists());
    }
}

#[test]
fn two_runs_from_two_hosts_do_no_job_twice() {
    let cluster = Cluster::with(TRAINING);
    cluster.put("hold", "");
    let first = cluster.start();
    wait_for("a job", || cluster.part("jobs/1/name").exists());
    // Another name, and another boot: to programs, another machine.
    let script =
        "hostname elsewhere && echo 7c1d > boot && mount --bind boot /proc/sys/kernel/random/boot_id || exit 77
        exec \"$GAUNTLET\" run m.toml --executor slurm 2> second.txt > /dev/null";
    let mut second = inside(&cluster.command(""), script).current_dir(cluster.workshop.path("")).spawn().unwrap();
    let is_told =
        || fs::read_to_string(cluster.workshop.path("second.txt")).is_ok_and(|reported| reported.contains("waiting"));
    let mut ended = None;
    wait_for("the second run", || {
        ended = second.try_wait().unwrap();
        ended.is_some() || is_told()
    });
    cluster.remove("hold");
    let first = Ended::from(first.wait_with_output().unwrap());
    assert_eq!(first.code, 0, "{}", first.stderr);
    cluster.is_clean(12);
    if ended.is_some() {
        assert!(!cluster.workshop.path("second.txt").exists(), "{}", cluster.workshop.read("second.txt"));
        eprintln!("skipped: no other host can be made here");
        return;
    }
    let (code, reported) = (second.wait().unwrap(), cluster.workshop.read("second.txt"));
    let here = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let waits = format!(" on {} is running on `results`", here.trim());
    assert!(code.success() && reported.contains(&waits) && reported.contains("all jobs are cached"), "{reported}");
    cluster.is_clean(12);
}

#[test]
fn clocks_that_are_ten_minutes_off_cost_no_attempt() {
    for offset in ["10 minutes ago", "10 minutes"] {
        let cluster = Cluster::with(&long());
        let mut run = cluster.start();
        wait_for("a checkpoint", || !cluster.workshop.files("results", "checkpoint.bin").is_empty());
        let script = format!("find results -type f -exec touch -c -d '{offset}' {{}} + 2> touched.txt");
        while run.try_wait().unwrap().is_none() {
            let touched = Command::new("sh").args(["-c", &script]).current_dir(cluster.workshop.path("")).status();
            // Files disappear while they are touched.
            let _ = touched.unwrap();
            std::thread::sleep(Duration::from_millis(50));
        }
        let ended = Ended::from(run.wait_with_output().unwrap());
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        assert!(!ended.stderr.contains("attempts"), "{}", ended.stderr);
        cluster.is_clean(6);
    }
}

#[test]
fn accounts_are_asked_where_there_are_some() {
    let cluster = Cluster::with(MEASUREMENTS);
    cluster.put("accounts", "");
    cluster.put("nodefail", "");
    cluster.done("run m.toml --executor slurm");
    assert!(cluster.calls("sacct") > 0 && cluster.calls("squeue") == 0);
    cluster.is_clean(40);
    // The run continues without accounting if accounting is refused meanwhile.
    let cluster = Cluster::with(MEASUREMENTS);
    cluster.put("accounts", "");
    cluster.put("hold", "");
    let run = cluster.start();
    wait_for("a job", || cluster.part("jobs/1/name").exists());
    cluster.remove("accounts");
    wait_for("another question", || cluster.calls("squeue") > 0);
    cluster.remove("hold");
    assert!(run.wait_with_output().unwrap().status.success());
    cluster.is_clean(40);
}

#[test]
fn limits_of_the_site_and_of_the_user_are_kept() {
    let cluster = Cluster::with(&format!("{TRAINING}[cluster]\npack = 0\n"));
    let ended = cluster.command("run m.toml --executor slurm").env("FAKE_ARRAY_SIZE", "3").output().unwrap();
    assert!(ended.status.success());
    // 4 trainings and 8 measurements, in arrays of at most 3 tasks.
    assert_eq!(cluster.calls("sbatch"), 5);
    cluster.is_clean(12);
    let cluster = Cluster::with(&format!("{TRAINING}[cluster]\npack = 0\nin-flight = 3\nat-a-time = 2\n"));
    cluster.put("hold", "");
    let run = cluster.start();
    wait_for("a question", || cluster.calls("squeue") > 1);
    let tasks = |job: &str| fs::read_dir(cluster.part(job)).map_or(0, Iterator::count);
    assert_eq!((tasks("jobs/1/tasks"), tasks("jobs")), (3, 1), "no more is submitted than may be in flight");
    assert!(fs::read_to_string(cluster.part("jobs/1/script")).unwrap().contains("--array=0-2%2\n"));
    cluster.remove("hold");
    assert!(run.wait_with_output().unwrap().status.success());
    cluster.is_clean(12);
}

#[test]
fn a_full_disk_is_told_and_the_next_run_completes() {
    let cluster = Cluster::with(MEASUREMENTS);
    fs::create_dir(cluster.workshop.path("results")).unwrap();
    // A tmpfs visible only to this shell and its children, including nodes; it grows before the second run.
    let script = "mount -t tmpfs -o size=300k none results || exit 77
        \"$GAUNTLET\" run m.toml --executor slurm 2> first.txt > /dev/null; echo $? >> first.txt
        mount -o remount,size=64m none results || exit 77
        \"$GAUNTLET\" run m.toml --executor slurm 2> second.txt > /dev/null; echo $? >> second.txt
        cat results/timing/* | wc -l > commits.txt";
    let shell = inside(&cluster.command(""), script).current_dir(cluster.workshop.path("")).status();
    if !shell.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no small file system can be mounted here");
        return;
    }
    let (first, second) = (cluster.workshop.read("first.txt"), cluster.workshop.read("second.txt"));
    assert!(first.ends_with("\n1\n") && first.contains("the disk is full: free some space"), "{first}");
    assert!(second.ends_with("\n0\n"), "{second}");
    assert_eq!(cluster.workshop.read("commits.txt").trim(), "40");
    assert_eq!(cluster.workshop.files("reports", ".csv"), expected(&cluster.workshop)[1]);
}

/// A shell with its own mount namespace, in the environment of a command.
fn inside(command: &Command, script: &str) -> Command {
    let mut shell = Command::new("unshare");
    shell.args(["--user", "--map-root-user", "--mount", "--uts", "sh", "-c", script]);
    for (name, value) in command.get_envs() {
        shell.envs(value.map(|value| (name, value)));
    }
    shell.env("GAUNTLET", env!("CARGO_BIN_EXE_gauntlet"));
    shell
}

/// Sends a signal to the running worker.
fn kill(signal: &str, cluster: &Cluster) {
    let process = fs::read_to_string(cluster.part("jobs/1/pid.0")).unwrap();
    assert!(Command::new("kill").args([signal, process.trim()]).status().unwrap().success());
}
