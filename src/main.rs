//! The `gauntlet` program: configures threads and memory, and calls [`gauntlet::cli`], which parses the command line.

use std::env;
use std::ffi::OsStr;
use std::process::ExitCode;
use std::thread::available_parallelism;

use gauntlet::cli::bounded;

/// Most threads that the environment may request, the same limit as for `--jobs`.
const THREADS: u64 = 1024;

/// The variable by which a process that starts this program asks it to end with its standard input.
const ENDS_WITH_INPUT: &str = "GAUNTLET_ENDS_WITH_INPUT";

/// Largest stack of a thread, in bytes, that the environment may request: the program would abort on a refused stack.
const STACK: u64 = 64 << 20;

fn main() -> ExitCode {
    gauntlet_play::engines::serve_if_guard();
    // SAFETY: no other thread runs yet.
    let ends_with_input = unsafe {
        ignore_empty_variables();
        let asked = take_variable(ENDS_WITH_INPUT);
        leave_cores_to_jobs();
        asked
    };
    if ends_with_input {
        // Without it, the program outlives the one that started it.
        let _ = gauntlet_run::scheduler::end_with_input();
    }
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    keep_buffers();
    gauntlet::cli::main()
}

/// Keeps the buffers that an optimisation step frees for the next step.
///
/// By default glibc returns every large buffer to the system, which clears its pages at the next allocation: a tenth
/// of a training's time. Buffers up to 32 MiB, the most that glibc allows, come from the heaps, which grow by 64 MiB and do
/// not shrink before 1 GiB is free.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn keep_buffers() {
    let settings = [(libc::M_MMAP_THRESHOLD, 32 << 20), (libc::M_TOP_PAD, 64 << 20), (libc::M_TRIM_THRESHOLD, 1 << 30)];
    for (setting, bytes) in settings {
        // SAFETY: it changes when the allocator requests memory from the system; a refused setting keeps its value.
        unsafe { libc::mallopt(setting, bytes) };
    }
}

/// Unsets the program's variables that are empty, as in `GAUNTLET_DATA= gauntlet run`, which clap refuses as values.
///
/// # Safety
///
/// The process has no other thread.
unsafe fn ignore_empty_variables() {
    let own = |name: &OsStr| name == "GITHUB_RUN_ATTEMPT" || name.as_encoded_bytes().starts_with(b"GAUNTLET_");
    for (name, _) in env::vars_os().filter(|(name, value)| value.is_empty() && own(name)) {
        // SAFETY: as the caller's.
        unsafe { env::remove_var(name) };
    }
}

/// Whether a variable is set. It is unset, as it is not for the processes that this one starts.
///
/// # Safety
///
/// The process has no other thread.
unsafe fn take_variable(name: &str) -> bool {
    let is_set = env::var_os(name).is_some();
    // SAFETY: as the caller's.
    unsafe { env::remove_var(name) };
    is_set
}

/// Limits Candle to the thread that calls it, unless the user sets another number.
///
/// Jobs run in parallel. By default Candle shares every larger operation with a thread per core that spins while it
/// waits, which slows the other jobs (2 trainings on 2 cores: 1.5 times the time) and changes no byte. Only its
/// environment configures it. Our own loops over jobs use all cores.
///
/// # Safety
///
/// The process has no other thread.
unsafe fn leave_cores_to_jobs() {
    const RAYON: &str = "RAYON_NUM_THREADS";
    for (name, most) in [(RAYON, THREADS), ("CANDLE_NUM_THREADS", THREADS), ("RUST_MIN_STACK", STACK)] {
        if let Some(bound) = bounded(name, most) {
            // SAFETY: as below.
            unsafe { env::set_var(name, bound) };
        }
    }
    let cores = || available_parallelism().map_or(1, usize::from);
    let threads = env::var(RAYON).ok().and_then(|text| text.parse().ok()).unwrap_or_else(cores);
    for name in [RAYON, "CANDLE_NUM_THREADS"] {
        if env::var_os(name).is_none() {
            // SAFETY: the caller guarantees that no other thread reads the environment meanwhile.
            unsafe { env::set_var(name, "1") };
        }
    }
    // Fails only if a pool exists already, which then stays.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
}
