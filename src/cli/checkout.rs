//! Facts of the checkout that the program runs in.

use std::process::Command;

/// The output of a git command; `None` if it fails or prints nothing.
pub fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
