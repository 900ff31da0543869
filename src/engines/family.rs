//! The processes below this one. Linux lists them in `/proc` and hands on orphans; elsewhere the engine's group stands for
//! them.

use std::collections::HashSet;
use std::os::unix::process::parent_id;
use std::thread::sleep;
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use rustix::process::PidfdFlags;
use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};

/// Time between two looks.
const LOOK: Duration = Duration::from_millis(100);
/// Time between two rounds of killing.
const ROUND: Duration = Duration::from_millis(2);
/// Longest time of killing: a process that waits for a broken disk stays.
const LONGEST: Duration = Duration::from_secs(2);

/// A process.
#[derive(Debug, Clone, Copy)]
struct Found {
    id: u32,
    parent: u32,
    group: u32,
    /// When it started, in ticks: tells it from a later process with the same number.
    start: u64,
    /// Whether only its entry is left.
    is_dead: bool,
}

/// Makes processes below this one, whose parents end, children of this one, where the system can.
pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Waits until the parent of this process, which has this number, ends.
pub fn outlive(parent: u32) {
    #[cfg(target_os = "linux")]
    if let Some(Ok(handle)) = pid(parent).map(|parent| rustix::process::pidfd_open(parent, PidfdFlags::empty()))
        && parent_id() == parent
    {
        let mut ended = [rustix::event::PollFd::new(&handle, rustix::event::PollFlags::IN)];
        while rustix::event::poll(&mut ended, None) == Err(rustix::io::Errno::INTR) {}
    }
    while parent_id() == parent {
        sleep(LOOK);
    }
}

/// Whether no process is left below this one; `engine` leads the first group.
pub fn is_alone(engine: u32) -> bool {
    match cfg!(target_os = "linux") {
        true => below(std::process::id()).iter().all(|process| process.is_dead),
        false => pid(engine).is_none_or(|group| test_kill_process_group(group).is_err()),
    }
}

/// Kills every process below this one, until none is left; `engine` leads the first group.
pub fn end_all(engine: u32) {
    if !cfg!(target_os = "linux") {
        let _ = pid(engine).map(|group| kill_process_group(group, Signal::KILL));
    }
    let (begin, mut known) = (Instant::now(), HashSet::new());
    while begin.elapsed() < LONGEST {
        let below = below(std::process::id());
        if below.iter().all(|process| process.is_dead) {
            return;
        }
        known.extend(below.iter().map(|process| process.id));
        // A group dies at once, even if its processes start others all the time. It is ours if its leader is.
        let groups: HashSet<u32> = below.iter().map(|process| process.group).collect();
        groups.intersection(&known).filter_map(|&group| pid(group)).for_each(|group| {
            let _ = kill_process_group(group, Signal::KILL);
        });
        below.iter().for_each(kill);
        sleep(ROUND);
    }
}

/// Kills a process, and no later one with its number where the system can tell.
fn kill(process: &Found) {
    let Some(number) = pid(process.id) else { return };
    #[cfg(target_os = "linux")]
    if let Ok(handle) = rustix::process::pidfd_open(number, PidfdFlags::empty()) {
        if found(process.id).is_some_and(|now| now.start == process.start) {
            let _ = rustix::process::pidfd_send_signal(&handle, Signal::KILL);
        }
        return;
    }
    let _ = kill_process(number, Signal::KILL);
}

/// The processes below one, as far as `/proc` tells.
fn below(root: u32) -> Vec<Found> {
    let numbers = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let all: Vec<Found> = numbers.filter_map(|entry| found(entry.file_name().to_str()?.parse().ok()?)).collect();
    let mut ids = HashSet::from([root]);
    loop {
        let before = ids.len();
        let children: Vec<u32> = all.iter().filter(|one| ids.contains(&one.parent)).map(|one| one.id).collect();
        ids.extend(children);
        if ids.len() == before {
            return all.into_iter().filter(|one| one.id != root && ids.contains(&one.id)).collect();
        }
    }
}

fn found(id: u32) -> Option<Found> {
    let text = std::fs::read(format!("/proc/{id}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text);
    // The name of the program, in parentheses, may have spaces and parentheses.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    let id_at = |at: usize| u32::try_from(number(at)?).ok();
    // A leader of threads that has ended is a zombie while its threads go on.
    let is_dead = matches!(fields[0], "Z" | "X") && number(17)? <= 1;
    Some(Found { id, parent: id_at(1)?, group: id_at(2)?, start: number(19)?, is_dead })
}

/// A number of a process or group, as the system takes it.
pub fn pid(number: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(number).ok()?)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn processes_below_others_are_found() {
        let mut child = Command::new("sh").args(["-c", "sleep 60 & wait"]).spawn().unwrap();
        let begin = Instant::now();
        while below(child.id()).is_empty() {
            assert!(begin.elapsed() < Duration::from_secs(20), "the shell starts");
            sleep(ROUND);
        }
        let [grandchild] = below(child.id())[..] else { panic!("one process") };
        assert_eq!((grandchild.parent, grandchild.is_dead), (child.id(), false));
        assert!(below(std::process::id()).iter().any(|one| one.id == grandchild.id));
        kill(&Found { start: grandchild.start + 1, ..grandchild });
        assert!(!found(grandchild.id).unwrap().is_dead, "another process of this number lives on");
        kill(&grandchild);
        child.wait().unwrap();
        assert!(below(child.id()).is_empty());
    }
}
