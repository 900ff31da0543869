//! The current machine: its name, and the model of its processor.

use std::fs;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

/// The name of this machine; `unknown` if the system does not report it.
#[must_use]
pub fn host() -> String {
    static HOST: OnceLock<String> = OnceLock::new();
    HOST.get_or_init(|| from_kernel().or_else(from_program).unwrap_or_else(|| "unknown".to_owned())).clone()
}

/// An identifier of this machine and boot, unique even among equal names: a random number of its kernel.
pub(super) fn machine() -> String {
    let drawn = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok().and_then(named);
    drawn.unwrap_or_else(host)
}

/// Start time of a process of this machine, in ticks of its clock since the boot; `None` if there is no such process,
/// or the system does not report it.
pub(super) fn started(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // After the name, which may contain any character, comes the third of the fields; the start is the 22nd.
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(19)?.parse().ok()
}

/// Whether the system reports processes at all.
pub(super) fn tells_of_processes() -> bool {
    started(std::process::id()).is_some()
}

/// An identifier that separates process numbers of this machine from those of its containers.
pub(super) fn namespace() -> Option<String> {
    let link = fs::read_link("/proc/self/ns/pid").ok()?;
    Some(link.to_string_lossy().into_owned())
}

/// Time since this machine booted.
pub(super) fn uptime() -> Option<Duration> {
    let text = fs::read_to_string("/proc/uptime").ok()?;
    Duration::try_from_secs_f64(text.split_whitespace().next()?.parse().ok()?).ok()
}

/// The model of this machine's processor; `unknown` if the system does not report it.
#[must_use]
pub fn processor() -> String {
    static PROCESSOR: OnceLock<String> = OnceLock::new();
    PROCESSOR.get_or_init(|| of_linux().or_else(of_mac).unwrap_or_else(|| "unknown".to_owned())).clone()
}

fn of_linux() -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn of_mac() -> Option<String> {
    let output = Command::new("sysctl").args(["-n", "machdep.cpu.brand_string"]).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn from_kernel() -> Option<String> {
    fs::read_to_string("/proc/sys/kernel/hostname").ok().and_then(named)
}

fn from_program() -> Option<String> {
    let output = Command::new("hostname").output().ok()?;
    named(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn named(text: String) -> Option<String> {
    let name = text.trim();
    (!name.is_empty()).then(|| name.to_owned())
}
