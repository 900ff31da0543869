//! The processes below this one. Linux lists them in `/proc` and hands on orphans; elsewhere the engine's group stands for
//! them.

use std::collections::HashSet;
use std::os::unix::process::parent_id;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

/// Time between two looks.
pub const LOOK: Duration = Duration::from_millis(100);
/// Time between two looks at all processes, while they are killed.
const ROUND: Duration = Duration::from_millis(5);
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
}

/// Makes processes below this one, whose parents end, children of this one, where the system can.
pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_child_subreaper(true);
}

/// Waits until the parent of this process, which has this number, ends.
pub fn outlive(parent: u32) {
    while !is_orphan(parent) {
        sleep(LOOK);
    }
}

/// Whether the parent of this process, which had this number, has ended.
pub fn is_orphan(parent: u32) -> bool {
    parent_id() != parent
}

/// Whether no process is left below this one; `engine` led the first group.
pub fn is_alone(engine: u32) -> bool {
    match cfg!(target_os = "linux") {
        true => has_no_child(),
        false => killpg(pid(engine), None).is_err(),
    }
}

/// Kills every process below this one, until none is left; `engine` leads the first group.
pub fn end_all(engine: u32) {
    if !cfg!(target_os = "linux") {
        let _ = killpg(pid(engine), Signal::SIGKILL);
    }
    let (begin, mut known) = (Instant::now(), HashSet::new());
    while begin.elapsed() < LONGEST && !has_no_child() {
        let below = below(std::process::id());
        known.extend(below.iter().map(|process| process.id));
        // A group dies at once, even if its processes start others all the time. It is ours if its leader is.
        let groups: HashSet<u32> = below.iter().map(|process| process.group).collect();
        groups.intersection(&known).for_each(|&group| {
            let _ = killpg(pid(group), Signal::SIGKILL);
        });
        below.iter().for_each(end);
        end_children();
    }
}

/// Takes leave of the children that have ended; whether no other is left. No orphan escapes this one: it is a child
/// from the moment at which its parent ends.
fn has_no_child() -> bool {
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::StillAlive) => return false,
            Err(Errno::ECHILD) => return true,
            _ => {}
        }
    }
}

/// Kills the children of this process for a moment. This is faster than a process that ends as soon as it has started
/// another one.
fn end_children() {
    let list = format!("/proc/{0}/task/{0}/children", std::process::id());
    let begin = Instant::now();
    while begin.elapsed() < ROUND && !has_no_child() {
        let children = std::fs::read_to_string(&list).unwrap_or_default();
        children.split_whitespace().filter_map(|child| child.parse().ok()).for_each(|child| {
            let _ = kill(pid(child), Signal::SIGKILL);
        });
    }
}

/// Kills a process, and no later one with its number.
fn end(process: &Found) {
    if found(process.id).is_some_and(|now| now.start == process.start) {
        let _ = kill(pid(process.id), Signal::SIGKILL);
    }
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

/// Bytes of memory that the processes below one hold now, or, if that is more, the most that one of them has ever held;
/// `None` where `/proc` does not tell. Pages that two processes share count twice.
pub fn memory_below(root: u32) -> Option<u64> {
    let held: Vec<[u64; 2]> = below(root).iter().filter_map(|process| memory(process.id)).collect();
    let now = held.iter().map(|[now, _]| now).sum();
    held.iter().map(|[_, most]| *most).max().map(|most| most.max(now))
}

/// Bytes of memory that a process holds, and the most that it has held.
fn memory(id: u32) -> Option<[u64; 2]> {
    let status = std::fs::read(format!("/proc/{id}/status")).ok()?;
    let status = String::from_utf8_lossy(&status);
    let kilobytes = |word: &str| status.lines().find_map(|line| line.strip_prefix(word))?.split_whitespace().next();
    let bytes = |word: &str| Some(1024 * kilobytes(word)?.parse::<u64>().ok()?);
    Some([bytes("VmRSS:")?, bytes("VmHWM:")?])
}

fn found(id: u32) -> Option<Found> {
    let text = std::fs::read(format!("/proc/{id}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text);
    // The name of the program, in parentheses, may have spaces and parentheses.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    let id_at = |at: usize| u32::try_from(number(at)?).ok();
    Some(Found { id, parent: id_at(1)?, group: id_at(2)?, start: number(19)? })
}

/// A number of a process or group, as the system takes it.
pub fn pid(number: u32) -> Pid {
    Pid::from_raw(i32::try_from(number).unwrap_or(i32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn processes_below_others_are_found() {
        if !cfg!(target_os = "linux") {
            return;
        }
        let mut child = Command::new("sh").args(["-c", "sleep 60 & wait"]).spawn().unwrap();
        let begin = Instant::now();
        while below(child.id()).is_empty() {
            assert!(begin.elapsed() < Duration::from_secs(20), "the shell starts");
            sleep(ROUND);
        }
        let [grandchild] = below(child.id())[..] else { panic!("one process") };
        assert_eq!(grandchild.parent, child.id());
        assert!(below(std::process::id()).iter().any(|one| one.id == grandchild.id));
        let memory = memory_below(child.id()).unwrap();
        assert!((1 << 14..1 << 26).contains(&memory), "{memory} bytes of `sleep`");
        end(&Found { start: grandchild.start + 1, ..grandchild });
        sleep(ROUND);
        assert!(child.try_wait().unwrap().is_none(), "another process of this number lives on");
        end(&grandchild);
        child.wait().unwrap();
        assert!(below(child.id()).is_empty());
        assert_eq!(memory_below(child.id()), None);
    }
}
