//! The script that an interpreter runs, by the words of a command.

use std::path::Path;

/// The starts of the names of programs whose first argument is a script.
const INTERPRETERS: [&str; 10] = ["python", "pypy", "bash", "sh", "node", "perl", "ruby", "lua", "julia", "Rscript"];

/// Options that bring neither code nor a value.
const PLAIN: [&str; 4] = ["-u", "-B", "-O", "-OO"];

/// The script of an interpreter: the first word, or the first one behind plain options.
#[must_use]
pub fn script(command: &[String]) -> Option<&String> {
    let (program, words) = command.split_first()?;
    let program = Path::new(program).file_name()?.to_str()?;
    let is_version = |rest: &str| rest.chars().all(|c| c.is_ascii_digit() || c == '.');
    INTERPRETERS.iter().find(|name| program.strip_prefix(**name).is_some_and(is_version))?;
    words.iter().find(|word| !PLAIN.contains(&word.as_str())).filter(|word| !word.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_the_first_word_that_is_no_plain_option() {
        let of = |words: &str| script(&words.split(' ').map(str::to_owned).collect::<Vec<_>>()).cloned();
        for some in ["python3.12 -u bot 3", "/usr/bin/sh bot", "node bot"] {
            assert_eq!(of(some).as_deref(), Some("bot"), "{some}");
        }
        for none in
            ["python3 -m bot", "bash -c bot", "perl -e 1", "python3 -W ignore bot", "python3", "shogi bot", "./bot w"]
        {
            assert_eq!(of(none), None, "{none}");
        }
    }
}
