//! Time since a file's last change, by the clock of this process alone: for files with unreliable times, since a clock
//! was set back or differs from that of another machine.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// The part of a file that every heartbeat changes: its time and its length.
pub(super) type Sign = (SystemTime, u64);

/// The last observed heartbeat, and the time of its first observation.
#[derive(Debug, Clone, Copy)]
struct Seen {
    sign: Sign,
    first: Instant,
}

/// The time for which a file has had this heartbeat, among the observations of this process.
pub(super) fn silence(path: &Path, sign: Sign) -> Duration {
    let mut watched = watched();
    let seen = watched.get(path).copied();
    let (seen, silence) = observe(seen, sign, Instant::now());
    watched.insert(path.to_path_buf(), seen);
    silence
}

/// Forgets a removed file.
pub(super) fn forget(path: &Path) {
    watched().remove(path);
}

fn watched() -> MutexGuard<'static, HashMap<PathBuf, Seen>> {
    static WATCHED: OnceLock<Mutex<HashMap<PathBuf, Seen>>> = OnceLock::new();
    WATCHED.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

fn observe(seen: Option<Seen>, sign: Sign, now: Instant) -> (Seen, Duration) {
    let seen = seen.filter(|seen| seen.sign == sign).unwrap_or(Seen { sign, first: now });
    (seen, now.duration_since(seen.first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_grows_until_a_sign_whatever_the_time_of_the_file() {
        let (begun, second) = (Instant::now(), Duration::from_secs(1));
        let far = SystemTime::now() + Duration::from_secs(86_400);
        let (seen, silence) = observe(None, (far, 100), begun);
        assert_eq!(silence, Duration::ZERO);
        let (seen, silence) = observe(Some(seen), (far, 100), begun + 200 * second);
        assert_eq!(silence, 200 * second);
        let (_, silence) = observe(Some(seen), (far, 101), begun + 201 * second);
        assert_eq!(silence, Duration::ZERO);
    }
}
