//! The guard: a small process that outlives this one and kills the process groups of engines.
//!
//! An engine leads a process group of its own, so that it can be killed together with its children. If this process
//! dies, even by SIGKILL, the guard's standard input ends, and the guard kills all groups that are left.

use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// The guard of this process; it starts with the first engine.
static GUARD: Mutex<Option<Guard>> = Mutex::new(None);

/// The guard's program. A line `+N` adds a group; `-N` kills and removes it.
const PROGRAM: &str = r#"
trap '' INT TERM HUP
groups=
while IFS= read -r line; do
  case $line in
  +*) groups="$groups ${line#+}" ;;
  -*)
    kill -s KILL -- "$line" 2>/dev/null
    left=
    for group in $groups; do [ "-$group" = "$line" ] || left="$left $group"; done
    groups=$left
    ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
"#;

struct Guard {
    _process: Child,
    orders: ChildStdin,
}

impl Guard {
    fn start() -> io::Result<Guard> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", PROGRAM]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // A signal to this process's group, such as Ctrl-C, leaves the guard alone.
        let mut process = command.process_group(0).spawn()?;
        let orders = process.stdin.take().ok_or_else(|| io::Error::other("the guard has no input"))?;
        Ok(Guard { _process: process, orders })
    }
}

/// Starts the guard, unless it runs.
///
/// # Errors
/// If `/bin/sh` cannot be started.
pub fn ready() -> io::Result<()> {
    let mut guard = GUARD.lock().unwrap_or_else(PoisonError::into_inner);
    if guard.is_none() {
        *guard = Some(Guard::start()?);
    }
    Ok(())
}

/// Adds a process group: it is killed when this process ends.
pub fn watch(group: u32) {
    order(&format!("+{group}\n"));
}

/// Kills a process group that is watched.
pub fn kill(group: u32) {
    order(&format!("-{group}\n"));
}

/// Sends an order. A guard that is gone cannot be helped: the engines then end with their inputs.
fn order(line: &str) {
    if let Some(guard) = &mut *GUARD.lock().unwrap_or_else(PoisonError::into_inner) {
        let _ = guard.orders.write_all(line.as_bytes());
    }
}
