//! Identity of a job, and the name of its directory.

use serde::{Deserialize, Serialize};

use super::Key;
use super::atomic::is_short_key;

/// Longest slug in a directory name, in characters.
const SLUG_LENGTH: usize = 40;

/// The identity of a job: its key alone; kind and slug are for display.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobId {
    /// The kind of the job (`train`, `play`, `measure`).
    pub kind: String,
    /// A short description (`gomoku-9-mdlstm-s3`).
    pub slug: String,
    /// The hash of all inputs of its result.
    pub key: Key,
}

impl JobId {
    /// The name of the job's directory: `<kind>-<slug>-<key>`, in lower-case letters, digits and dashes.
    #[must_use]
    pub fn directory(&self) -> String {
        format!("{}{}", self.family(), self.key)
    }

    /// The part of the directory's name before the key. A directory of the same family with another key holds an
    /// earlier version of this job, made with other parameters or other code.
    #[must_use]
    pub fn family(&self) -> String {
        format!("{}-{}-", plain(&self.kind), plain(&self.slug))
    }
}

/// The part of a job directory's name before the key, as [`JobId::family`] gives it.
#[must_use]
pub fn family_of(directory: &str) -> Option<&str> {
    let dash = directory.rfind('-')?;
    Some(&directory[..=dash])
}

/// Whether a directory has the name of a job: `<kind>-<slug>-<16 hexadecimal digits>`.
pub(super) fn is_job_name(name: &str) -> bool {
    let is_plain = |part: &str| part.bytes().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit());
    let parts: Vec<&str> = name.split('-').collect();
    let is_key = parts.last().is_some_and(|key| is_short_key(key));
    is_key && parts.len() >= 3 && parts.iter().all(|part| !part.is_empty() && is_plain(part))
}

/// Lower-case letters, digits and single dashes, never empty.
fn plain(text: &str) -> String {
    let mut name = String::new();
    for letter in text.chars().map(|letter| letter.to_ascii_lowercase()) {
        if letter.is_ascii_alphanumeric() {
            name.push(letter);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
        if name.len() == SLUG_LENGTH {
            break;
        }
    }
    let name = name.trim_end_matches('-');
    if name.is_empty() { "x".to_string() } else { name.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn directories_are_plain_names_whatever_the_slug() {
        let slugs = ["Gomoku 9x9, MDLSTM", "../../etc/passwd", "", "---", "ä/ö", &"long ".repeat(30)];
        for slug in slugs {
            let name = JobId { kind: "train".into(), slug: slug.into(), key: Key::of("t", &json!(1)) }.directory();
            assert!(name.starts_with("train-") && name.len() <= 6 + 40 + 1 + 16, "{name}");
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{name}");
            assert!(!name.contains("--"), "{name}");
            assert!(is_job_name(&name), "{name}");
        }
        let others =
            ["mnist", "train-x", "train-0123456789abcdef", "Train-x-0123456789abcdef", "a--b-0123456789abcdef"];
        assert!(others.iter().all(|name| !is_job_name(name)));
    }
}
