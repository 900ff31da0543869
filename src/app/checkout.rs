//! Facts of the checkout that the program runs in.

use std::path::{Component, Path};
use std::process::Command;

/// The output of a git command; `None` if it fails or prints nothing.
pub fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

/// Whether tracked files differ from the commit, except those in these directories.
pub fn is_changed(except: &[&Path]) -> bool {
    let is_within =
        |path: &&&Path| path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let except = except.iter().filter(is_within).map(|path| format!(":(exclude){}", path.display()));
    let paths: Vec<String> = std::iter::once(":/".to_owned()).chain(except).collect();
    let mut arguments = vec!["status", "--porcelain", "--untracked-files=no", "--"];
    arguments.extend(paths.iter().map(String::as_str));
    git(&arguments).is_some()
}

/// Whether this file differs from the commit, or is not in it.
pub fn is_file_changed(path: &Path) -> bool {
    git(&["status", "--porcelain", "--", &path.to_string_lossy()]).is_some()
}
