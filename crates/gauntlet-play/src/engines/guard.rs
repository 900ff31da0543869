//! The guard of an engine: a small process of this program between it and the engine. It ends the engine together with
//! all processes that the engine has started, when it is told to, and when this program dies, even by SIGKILL.
//!
//! The engine leads a process group of its own. On Linux the guard is also the subreaper of the processes below it: one
//! that leaves the group and whose parent ends (`setsid`, a daemon) becomes a child of the guard. Elsewhere such a
//! process survives. Nowhere does the guard reach programs that another service started for the engine.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, exit, id};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, poll};
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, kill, raise};
use nix::sys::wait::{WaitStatus, wait};
use nix::unistd::{dup2_stderr, dup2_stdout};

use super::error::shown;
use super::family;

/// The first argument of a guard. The process of this program, the directory that ends with it (or nothing) and the
/// engine's command follow.
const WORD: &str = "guard-engine";
/// Time between two looks at processes that an engine left behind, in milliseconds.
const LOOK: u8 = 20;
/// The exit code of a guard whose engine cannot start, as of a shell.
const UNSTARTED: i32 = 126;
/// The exit code of a shell's child that a signal ended, without the number of the signal.
const BY_SIGNAL: i32 = 128;

/// The engine's process; 0 before it starts. The lock is held meanwhile: it must not start while everything ends.
static ENGINE: Mutex<u32> = Mutex::new(0);

/// The command that starts an engine with its guard, which removes the workplace if this program dies.
///
/// # Errors
/// If the path of this program is unknown.
pub fn guarded(workplace: Option<&Path>, program: &Path, arguments: &[String]) -> io::Result<Command> {
    // The program may have been replaced meanwhile.
    let running = PathBuf::from("/proc/self/exe");
    let own = if running.exists() { running } else { std::env::current_exe()? };
    let mut command = Command::new(own);
    command.arg0("gauntlet").args([WORD, &id().to_string()]);
    command.arg(workplace.unwrap_or(Path::new(""))).arg(program).args(arguments);
    // A signal to this process's group, such as Ctrl-C, leaves guard and engine alone.
    command.process_group(0);
    Ok(command)
}

/// Tells the guard to end the engine and all that the engine has started.
pub fn end(guard: u32) {
    let _ = kill(family::pid(guard), Signal::SIGTERM);
}

/// The engine of a guard, where `/proc` tells: its first child.
pub fn engine(guard: u32) -> Option<u32> {
    let children = std::fs::read_to_string(format!("/proc/{guard}/task/{guard}/children")).ok()?;
    children.split_whitespace().next()?.parse().ok()
}

/// The processor time of all that a guard has waited for, once it has ended, where `/proc` tells.
pub fn times_at_end(guard: u32) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{guard}/stat")).ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    (*fields.first()? == "Z").then(|| processor_time(fields.get(13..15)?)).flatten()
}

/// The time of some fields of `/proc/PID/stat`. Linux counts 100 ticks a second for programs, on every architecture in
/// use.
pub fn processor_time(fields: &[&str]) -> Option<Duration> {
    let ticks = fields.iter().map(|field| field.parse::<u64>().ok()).sum::<Option<u64>>()?;
    Some(Duration::from_millis(10 * ticks))
}

/// Serves as a guard if this process was started as one, and then does not return.
///
/// Programs that start engines call this first.
pub fn serve_if_guard() {
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == WORD) {
        let parent = words.next().and_then(|word| word.to_str()?.parse().ok()).unwrap_or_default();
        let workplace = PathBuf::from(words.next().unwrap_or_default());
        let program = words.next().unwrap_or_default();
        serve((parent, workplace), &program, &words.collect::<Vec<_>>());
    }
}

fn serve((parent, workplace): (u32, PathBuf), program: &OsString, arguments: &[OsString]) -> ! {
    family::adopt_orphans();
    let _ = ctrlc::set_handler(|| end_all(BY_SIGNAL + Signal::SIGTERM as i32, None));
    let left = workplace.clone();
    thread::spawn(move || {
        family::outlive(parent);
        end_all(BY_SIGNAL + Signal::SIGKILL as i32, Some(&left))
    });
    match start(program, arguments) {
        Ok(engine) => {
            let _ = let_output_go();
            let status = wait_for(engine);
            wait_for_others(engine);
            family::end_all(engine);
            remove_if_left(parent, &workplace);
            leave_as(status)
        }
        Err(error) => {
            let program = shown(&program.to_string_lossy());
            let _ = writeln!(io::stderr(), "{program} cannot be started: {}", reason(&error));
            exit(UNSTARTED)
        }
    }
}

fn start(program: &OsString, arguments: &[OsString]) -> io::Result<u32> {
    let mut engine = ENGINE.lock().unwrap_or_else(PoisonError::into_inner);
    *engine = Command::new(program).args(arguments).process_group(0).spawn()?.id();
    Ok(*engine)
}

/// Ends the engine and all that it started, removes a directory that is left, and ends this process.
fn end_all(code: i32, left: Option<&Path>) -> ! {
    let engine = ENGINE.lock().unwrap_or_else(PoisonError::into_inner);
    family::end_all(*engine);
    if let Some(left) = left.filter(|left| left.is_absolute()) {
        let _ = std::fs::remove_dir_all(left);
    }
    exit(code)
}

/// Removes the directory if this program has died. Its end closes the engine's input first, so that the engine may be gone a
/// moment before.
fn remove_if_left(parent: u32, workplace: &Path) {
    if workplace.is_absolute() {
        thread::sleep(family::LOOK);
        if family::is_orphan(parent) {
            let _ = std::fs::remove_dir_all(workplace);
        }
    }
}

/// Closes this process's ends of the engine's output, which ends with the engine.
fn let_output_go() -> io::Result<()> {
    let nothing = File::options().write(true).open("/dev/null")?;
    dup2_stdout(&nothing)?;
    Ok(dup2_stderr(&nothing)?)
}

/// Waits until the engine's input is closed, or the processes that it left behind are gone: one of them may play on.
fn wait_for_others(engine: u32) {
    let input = io::stdin();
    let mut input = [PollFd::new(input.as_fd(), PollFlags::empty())];
    while !family::is_alone(engine) && poll(&mut input, LOOK) != Ok(1) {}
}

/// Waits for the engine, and meanwhile for the orphans that it leaves.
fn wait_for(engine: u32) -> WaitStatus {
    loop {
        match wait() {
            Ok(status) if status.pid() == Some(family::pid(engine)) => return status,
            Ok(_) | Err(Errno::EINTR) => {}
            // The status is none that the library knows.
            Err(_) => return WaitStatus::StillAlive,
        }
    }
}

/// Ends this process as the engine ended.
fn leave_as(status: WaitStatus) -> ! {
    match status {
        WaitStatus::Exited(_, code) => exit(code),
        WaitStatus::Signaled(_, signal, _) => {
            // The engine alone leaves an image of its memory.
            let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
            // Rust's own handler takes the first one of some signals.
            let _ = raise(signal).and_then(|()| raise(signal));
            exit(BY_SIGNAL + signal as i32)
        }
        _ => exit(UNSTARTED),
    }
}

/// The reason for which a program cannot be started, with a way out.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => {
            "there is no such program (or no such working directory, or no interpreter that its first line names)"
                .to_owned()
        }
        ErrorKind::PermissionDenied => "it may not be executed (chmod +x?)".to_owned(),
        _ => error.to_string(),
    }
}
