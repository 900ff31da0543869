//! Ownership of a directory across machines that do not see each other's locks: a file with host and process. It is
//! made by a link, so that one of many processes gets it, and grows by a heartbeat every few seconds while its process
//! lives.
//!
//! On one machine the lock decides, and an owner whose lock is free is gone. Without locks its process decides: its
//! number and its start time. An owner on another machine is gone after a long time without a heartbeat, by the clock
//! of the file system or of the waiting process. An owner on this machine from before its boot is gone as well.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::atomic::{TEMPORARY, unique};
use super::error::{At as _, Error};
use super::host::{host, machine, namespace, started, tells_of_processes, uptime};
use super::own::is_real_directory;
use super::silence::{forget, silence};
use super::writing::{Opening, open_to_write};
use gauntlet_games::base::files::open_regular;

/// The owner file, in the owned directory.
pub(super) const OWNER: &str = ".owner.json";

/// Time between two heartbeats.
const BEAT: Duration = Duration::from_secs(10);

/// Time without a heartbeat after which an owner on another machine is gone.
pub const GONE: Duration = Duration::from_secs(180);

/// Assumed clock difference of another machine, if no better comparison is available.
const SKEW: Duration = Duration::from_secs(1200);

/// The longest first line of an owner file, in bytes.
const LONGEST: u64 = 1 << 16;

/// Number of attempts while owners come and go.
const TRIES: usize = 5;

/// The owner of a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Owner {
    /// The process id.
    pub process: u32,
    /// Start of the ownership, as an RFC 3339 instant.
    pub since: String,
    /// The name of the machine.
    pub host: String,
    /// An identifier of the machine, unique among equal names.
    machine: String,
    /// Start of the process, in ticks since the machine booted, if the system reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    started: Option<u64>,
    /// An identifier that separates its number from those of containers, if the system reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    namespace: Option<String>,
    /// The array task of a cluster that the process runs, and its attempt: `12_3.0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    /// A unique mark of this owner.
    mark: String,
}

/// The file of an owner during its life. Dropping it removes it.
#[derive(Debug)]
pub(super) struct Owned {
    path: PathBuf,
    mark: String,
    _file: Arc<File>,
}

impl Owner {
    fn here() -> Owner {
        let of = |name: &str| std::env::var(name).ok();
        let task = of("SLURM_ARRAY_JOB_ID").zip(of("SLURM_ARRAY_TASK_ID"));
        let attempt = of("SLURM_RESTART_COUNT").unwrap_or_else(|| "0".to_owned());
        Owner {
            process: std::process::id(),
            since: jiff::Timestamp::now().to_string(),
            host: host(),
            machine: machine(),
            started: started(std::process::id()),
            namespace: namespace(),
            task: task.map(|(job, index)| format!("{job}_{index}.{attempt}")),
            mark: unique(),
        }
    }

    /// The owner of a directory, if there is a valid owner file.
    pub fn of(directory: &Path) -> Option<Owner> {
        Owner::read(&directory.join(OWNER))
    }

    fn read(path: &Path) -> Option<Owner> {
        Owner::look(path).ok().flatten()
    }

    /// The owner in a file; none if the file has another content.
    fn look(path: &Path) -> std::io::Result<Option<Owner>> {
        let mut line = Vec::new();
        // Heartbeats follow the first line.
        BufReader::new(open_regular(path)?).take(LONGEST).read_until(b'\n', &mut line)?;
        Ok(serde_json::from_slice(&line).ok())
    }
}

/// Takes a directory; `None` if another process works on it. With `is_locked`, this process has its lock.
pub(super) fn take(directory: &Path, is_locked: bool) -> Result<Option<Owned>, Error> {
    let (path, owner) = (directory.join(OWNER), Owner::here());
    let draft = directory.join(format!("{TEMPORARY}{}", unique()));
    let file = write(&draft, &owner).at("write", &draft)?;
    let taken = link(&draft, &path, is_locked);
    let _ = fs::remove_file(&draft);
    if !taken.at("create", &path)? {
        return Ok(None);
    }
    let file = Arc::new(file);
    keep_alive(&file);
    Ok(Some(Owned { path, mark: owner.mark, _file: file }))
}

fn write(path: &Path, owner: &Owner) -> std::io::Result<File> {
    let mut bytes = serde_json::to_vec(owner).expect("an owner is plain data");
    bytes.push(b'\n');
    let mut file = open_to_write(path, Opening::New)?;
    file.write_all(&bytes)?;
    // Otherwise a machine that shares the disk may see the name before the content.
    file.sync_data()?;
    Ok(file)
}

/// Renames a draft to the owner file; returns false if there is another owner. Dead owners are replaced.
fn link(draft: &Path, path: &Path, is_locked: bool) -> std::io::Result<bool> {
    for _ in 0..TRIES {
        match fs::hard_link(draft, path) {
            Ok(()) => return Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            // Without links, a rename must suffice.
            Err(_) if !path.exists() => return fs::rename(draft, path).map(|()| true),
            Err(error) => return Err(error),
        }
        if is_real_directory(path) {
            return Err(ErrorKind::IsADirectory.into());
        }
        if !is_gone(draft, path, is_locked) {
            return Ok(false);
        }
        // The process that moves it away yields to the next one that links; the new name is swept like any other
        // draft.
        let away = path.with_file_name(format!("{TEMPORARY}{}", unique()));
        if fs::rename(path, &away).is_ok() {
            let _ = fs::remove_file(away);
        }
    }
    Ok(false)
}

/// Whether the owner of a file is known to be gone. `draft` has just been written: its time is the current one of the
/// file system's clock. A file without an owner in it is that of no process: it had its content before its name.
fn is_gone(draft: &Path, path: &Path, is_locked: bool) -> bool {
    let is_ended = |owner: &Owner| owner.machine == machine() && (is_locked || owner.has_ended());
    let is_gone = match Owner::look(path) {
        Ok(owner) => owner.is_none_or(|owner| is_ended(&owner) || is_silent(draft, path, &owner)),
        Err(error) => matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidInput),
    };
    if is_gone {
        forget(path);
    }
    is_gone
}

/// Whether the owner of a file has been silent for so long that it is gone.
fn is_silent(draft: &Path, path: &Path, owner: &Owner) -> bool {
    // The file is gone instead.
    let Some(sign) = written(path) else { return !path.exists() };
    let Some((now, _)) = written(draft) else { return false };
    let silence = silence(path, sign);
    match now.duration_since(sign.0) {
        Ok(age) => age >= GONE || silence >= GONE || owner.is_of_earlier_boot(age),
        // From the future: a clock was set back.
        Err(_) => silence >= GONE,
    }
}

/// Time and length of a file. It is opened first, which refreshes a network file system.
fn written(path: &Path) -> Option<(SystemTime, u64)> {
    let found = open_regular(path).ok()?.metadata().ok()?;
    Some((found.modified().ok()?, found.len()))
}

impl Owner {
    /// Whether the process that had this number on this machine has ended. A new process with the same number has
    /// another start time.
    fn has_ended(&self) -> bool {
        let is_visible = self.namespace.is_none() || self.namespace == namespace();
        is_visible
            && match started(self.process) {
                Some(now) => self.started.is_some_and(|then| then != now),
                None => tells_of_processes(),
            }
    }

    /// Whether this machine has booted since the last heartbeat, which has this age.
    fn is_of_earlier_boot(&self, age: Duration) -> bool {
        // Another machine of the same name would have sent several heartbeats meanwhile.
        let is_before = |uptime: Duration| age >= uptime.max(3 * BEAT);
        self.host == host() && self.machine != machine() && uptime().is_some_and(is_before)
    }
}

/// Reports once which owner excludes other processes from a directory by its file alone, for how long, and which file
/// to remove.
pub(super) fn tell_of_owner(directory: &Path) {
    static TOLD: OnceLock<Mutex<HashSet<PathBuf>>> = OnceLock::new();
    let path = directory.join(OWNER);
    if TOLD.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone()) {
        let name = |owner: Owner| format!("process {} on {}", owner.process, owner.host);
        let who = Owner::read(&path).map_or("an unknown process".to_owned(), name);
        let (directory, path, seconds) = (directory.display(), path.display(), GONE.as_secs());
        tracing::warn!(
            "{directory} is taken by {who}: waiting for its end, or for {seconds} s without a sign of life; if it has \
             ended, remove {path}"
        );
    }
}

/// Whether a process of another machine works on a directory, judged by reading alone.
pub(super) fn is_owned_elsewhere(directory: &Path) -> bool {
    let path = directory.join(OWNER);
    let Some(owner) = Owner::read(&path).filter(|owner| owner.machine != machine()) else { return false };
    tracing::debug!("{} is owned by {}", directory.display(), owner.host);
    let now = SystemTime::now();
    // A time in the future counts as equally far in the past.
    let age = |(then, _)| now.duration_since(then).unwrap_or_else(|ahead| ahead.duration());
    written(&path).map(age).is_some_and(|age| age < GONE + SKEW)
}

impl Drop for Owned {
    fn drop(&mut self) {
        // Another machine may have considered this process dead.
        if Owner::read(&self.path).is_some_and(|owner| owner.mark == self.mark) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The files that get heartbeats.
fn living() -> MutexGuard<'static, Vec<Weak<File>>> {
    static LIVING: OnceLock<Mutex<Vec<Weak<File>>>> = OnceLock::new();
    let living = LIVING.get_or_init(|| {
        thread::spawn(|| {
            loop {
                thread::sleep(BEAT);
                beat();
            }
        });
        Mutex::default()
    });
    living.lock().unwrap_or_else(PoisonError::into_inner)
}

fn keep_alive(file: &Arc<File>) {
    let mut living = living();
    living.retain(|file| file.strong_count() > 0);
    living.push(Arc::downgrade(file));
}

/// Extends all files. The bytes go to the opened file, whichever file now has its name.
fn beat() {
    let files: Vec<Arc<File>> = living().iter().filter_map(Weak::upgrade).collect();
    for file in files {
        if let Err(error) = (&*file).write_all(b"\n") {
            tracing::debug!("no sign of life: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An owner of another machine, whose last heartbeat is `seconds` seconds old.
    fn stranger(directory: &Path, seconds: u64) {
        leave(directory, &Owner { machine: "another".to_owned(), host: "n7".to_owned(), ..Owner::here() }, seconds);
    }

    /// The file of an owner, whose last heartbeat is `seconds` seconds old.
    fn leave(directory: &Path, owner: &Owner, seconds: u64) {
        let _ = fs::remove_file(directory.join(OWNER));
        let file = write(&directory.join(OWNER), owner).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
    }

    #[test]
    fn one_of_many_gets_a_directory_and_leaves_nothing_behind() {
        let directory = tempfile::tempdir().unwrap();
        let owned = take(directory.path(), false).unwrap().expect("it has no owner");
        assert!(take(directory.path(), false).unwrap().is_none());
        assert_eq!(Owner::of(directory.path()).map(|owner| owner.process), Some(std::process::id()));
        drop(owned);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn owners_elsewhere_are_left_alone_until_they_are_gone() {
        let directory = tempfile::tempdir().unwrap();
        stranger(directory.path(), 170);
        assert!(take(directory.path(), true).unwrap().is_none() && is_owned_elsewhere(directory.path()));
        fs::remove_file(directory.path().join(OWNER)).unwrap();
        // Its clock does not matter: ten minutes ahead do not count as age.
        stranger(directory.path(), 190);
        let owned = take(directory.path(), true).unwrap().expect("its owner is gone");
        assert_eq!(Owner::of(directory.path()).map(|owner| owner.mark), Some(owned.mark.clone()));
    }

    #[test]
    fn a_run_on_another_machine_keeps_the_tree() {
        let root = tempfile::tempdir().unwrap();
        let store = crate::Store::open(root.path()).unwrap();
        fs::create_dir_all(root.path()).unwrap();
        stranger(root.path(), 20);
        let Err(crate::LockError::Held(held)) = store.lock() else { panic!("it has an owner") };
        assert_eq!(held.holder.map(|holder| holder.host).as_deref(), Some("n7"));
        assert_eq!(held.file, Some(root.path().join(OWNER)));
    }

    #[test]
    fn on_one_machine_the_lock_decides() {
        let directory = tempfile::tempdir().unwrap();
        std::mem::forget(take(directory.path(), true).unwrap().expect("it has no owner"));
        assert!(!is_owned_elsewhere(directory.path()));
        assert!(take(directory.path(), true).unwrap().is_some(), "its lock is free");
    }

    fn is_taken_from(owner: &Owner, seconds: u64) -> bool {
        let directory = tempfile::tempdir().unwrap();
        leave(directory.path(), owner, seconds);
        take(directory.path(), false).unwrap().is_some()
    }

    #[test]
    fn without_locks_signs_of_life_decide_where_the_process_is_not_known() {
        for (seconds, is_taken) in [(170, false), (190, true)] {
            assert_eq!(is_taken_from(&Owner::here(), seconds), is_taken, "{seconds} s");
            let of_older_version = Owner { started: None, namespace: None, ..Owner::here() };
            assert_eq!(is_taken_from(&of_older_version, seconds), is_taken, "{seconds} s");
            let in_container = Owner { process: 1, namespace: Some("pid:[1]".to_owned()), ..Owner::here() };
            assert_eq!(is_taken_from(&in_container, seconds), is_taken, "{seconds} s");
        }
    }

    #[test]
    fn without_locks_a_process_of_this_machine_that_has_ended_is_not_waited_for() {
        if !tells_of_processes() {
            return;
        }
        let ended = Owner { process: 4_194_305, ..Owner::here() };
        let number_of_another = Owner { started: Some(1), ..Owner::here() };
        assert!(is_taken_from(&ended, 0) && is_taken_from(&number_of_another, 0));
    }

    #[test]
    fn an_owner_of_before_the_last_boot_is_not_waited_for() {
        let Some(uptime) = uptime() else { return };
        let before = Owner { machine: "the boot before".to_owned(), ..Owner::here() };
        let (old, new) = (uptime.max(3 * BEAT) + BEAT, uptime.min(2 * BEAT));
        assert!(before.is_of_earlier_boot(old) && !before.is_of_earlier_boot(new));
        assert!(!Owner { host: "n7".to_owned(), ..before }.is_of_earlier_boot(old));
        assert!(!Owner::here().is_of_earlier_boot(old));
    }

    #[test]
    fn a_file_that_names_no_owner_is_replaced_at_once() {
        for is_locked in [false, true] {
            for text in ["", "{\"process\":", "no JSON\n", "{}\n", "[1, 2]", &"9".repeat(1 << 20)] {
                let directory = tempfile::tempdir().unwrap();
                fs::write(directory.path().join(OWNER), text).unwrap();
                let owned = take(directory.path(), is_locked).unwrap().expect("nobody owns it");
                assert_eq!(Owner::of(directory.path()).map(|owner| owner.mark), Some(owned.mark.clone()));
            }
        }
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(OWNER);
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        drop(take(directory.path(), true).unwrap().expect("nobody owns it"));
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        drop(take(directory.path(), true).unwrap().expect("nobody owns it"));
        fs::create_dir(&path).unwrap();
        assert!(take(directory.path(), true).is_err());
    }

    #[test]
    fn a_file_from_the_future_is_waited_for_and_not_without_end() {
        let directory = tempfile::tempdir().unwrap();
        let (path, draft) = (directory.path().join(OWNER), directory.path().join("draft"));
        fs::write(&draft, "").unwrap();
        stranger(directory.path(), 0);
        let file = File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::now() + Duration::from_secs(86_400)).unwrap();
        assert!(!is_gone(&draft, &path, true), "it has been seen for a moment only");
        assert!(!is_owned_elsewhere(directory.path()));
    }

    #[test]
    fn a_sign_of_life_keeps_the_file_legible_and_spares_its_successor() {
        let directory = tempfile::tempdir().unwrap();
        let first = take(directory.path(), true).unwrap().expect("it has no owner");
        beat();
        let mark = first.mark.clone();
        assert_eq!(Owner::of(directory.path()).map(|owner| owner.mark), Some(mark));
        let second = take(directory.path(), true).unwrap().expect("the lock is free");
        beat();
        drop(first);
        assert_eq!(Owner::of(directory.path()).map(|owner| owner.mark), Some(second.mark.clone()));
    }
}
