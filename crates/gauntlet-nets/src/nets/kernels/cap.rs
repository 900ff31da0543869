//! The best instruction set that the kernels may use, set by the environment variable `GAUNTLET_KERNELS`.
//!
//! A machine without that set uses the next one that it has.

use std::ffi::{OsStr, OsString};
use std::sync::OnceLock;

/// The environment variable that caps the instruction set.
const VARIABLE: &str = "GAUNTLET_KERNELS";

/// The best instruction set that the kernels may use, as the user's word for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cap {
    /// `amx`: everything that the machine has.
    Amx,
    /// `avx512`: 512-bit registers.
    Avx512,
    /// `avx2`: 256-bit registers.
    Avx2,
    /// `portable`: the instructions of the build's target.
    Portable,
}

impl Cap {
    /// All caps with their words, best first.
    pub const WORDS: [(&'static str, Cap); 4] =
        [("amx", Cap::Amx), ("avx512", Cap::Avx512), ("avx2", Cap::Avx2), ("portable", Cap::Portable)];

    /// Reads a word. Without one, or with an empty one, there is no cap.
    pub fn read(word: Option<&OsStr>) -> Result<Option<Cap>, String> {
        let Some(word) = word.filter(|word| !word.is_empty()) else { return Ok(None) };
        match Cap::WORDS.iter().find(|(name, _)| word == *name) {
            Some(&(_, cap)) => Ok(Some(cap)),
            None => Err(format!(
                "{VARIABLE} is `{}`, but accepts only {}",
                word.display(),
                Cap::WORDS.map(|(name, _)| format!("`{name}`")).join(", ")
            )),
        }
    }
}

/// Refuses an unknown word in `GAUNTLET_KERNELS`, which the kernels would ignore.
///
/// # Errors
/// The message names the accepted words.
pub fn require_known_cap() -> Result<(), String> {
    forced().map(|_| ())
}

/// The cap that the user has set by `GAUNTLET_KERNELS`.
///
/// # Errors
/// The variable holds an unknown word; the message names the accepted ones.
fn forced() -> Result<Option<Cap>, String> {
    static FORCED: OnceLock<Option<OsString>> = OnceLock::new();
    Cap::read(FORCED.get_or_init(|| std::env::var_os(VARIABLE)).as_deref())
}

/// The cap that the kernels obey.
pub fn cap() -> Cap {
    static CAP: OnceLock<Cap> = OnceLock::new();
    *CAP.get_or_init(|| forced().ok().flatten().unwrap_or(Cap::Amx))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_is_one_of_four_words() {
        for (word, cap) in Cap::WORDS {
            assert_eq!(Cap::read(Some(OsStr::new(word))), Ok(Some(cap)));
        }
        assert_eq!(Cap::read(None), Ok(None));
        assert_eq!(Cap::read(Some(OsStr::new(""))), Ok(None));
        let message = Cap::read(Some(OsStr::new("sse2"))).expect_err("an unknown word");
        assert_eq!(message, "GAUNTLET_KERNELS is `sse2`, but accepts only `amx`, `avx512`, `avx2`, `portable`");
    }
}
