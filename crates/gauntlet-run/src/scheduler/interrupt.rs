//! Stop requests: signals that set the flag, and commands that a worker process reads from its input.

use std::fs::File;
use std::os::fd::AsFd as _;
use std::{io, thread};

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, dup2_stdin};

use gauntlet_games::base::{CorePool, Stop};

/// Exit code of a program that was interrupted and can be resumed.
const INTERRUPTED: i32 = 130;

/// Makes Ctrl-C, SIGTERM and SIGHUP request a stop. The second signal ends the process at once, with exit code 130;
/// only the work since the last checkpoint is lost.
///
/// # Errors
/// If the handler cannot be installed, or is already installed.
pub fn stop_on_signals(stop: &Stop) -> Result<(), ctrlc::Error> {
    let stop = stop.clone();
    ctrlc::set_handler(move || {
        if stop.request() {
            std::process::exit(INTERRUPTED);
        }
    })
}

/// Requests a stop at the end of the standard input: the parent process closes its end to stop this process, or when
/// it dies. Before that, it writes lines with the number of cores that may be used from then on.
pub fn watch_input(stop: &Stop, cores: &CorePool) {
    let (stop, cores) = (stop.clone(), cores.clone());
    thread::spawn(move || {
        let lines = io::stdin().lines().map_while(Result::ok);
        lines.filter_map(|line| line.trim().parse().ok()).for_each(|count| cores.resize(count));
        stop.request();
    });
}

/// Ends this process at the end of its standard input, as SIGTERM does: the process that started this one holds the
/// other end for as long as it lives. From now on, the standard input is empty.
///
/// # Errors
/// If the input cannot be replaced.
pub fn end_with_input() -> io::Result<()> {
    let mut input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    dup2_stdin(File::open("/dev/null")?)?;
    thread::spawn(move || {
        let _ = io::copy(&mut input, &mut io::sink());
        let _ = kill(Pid::this(), Signal::SIGTERM);
    });
    Ok(())
}
