//! Limits on the environment's settings of the process: thousands of threads, or stacks that the system refuses, would
//! end it without a message.

use super::output::tell;

/// The limit, with a warning, if a variable exceeds it.
#[must_use]
pub fn bounded(name: &str, most: u64) -> Option<String> {
    let asked = std::env::var(name).ok()?;
    excess(&asked, most).then(|| {
        tell(&format!("warning: {name} asks for {asked}, more than the limit; {most} is used"));
        most.to_string()
    })
}

/// Whether a text is a number above the limit, with any number of digits.
fn excess(asked: &str, most: u64) -> bool {
    let is_number = !asked.is_empty() && asked.bytes().all(|byte| byte.is_ascii_digit());
    is_number && asked.parse::<u64>().map_or(true, |asked| asked > most)
}

#[cfg(test)]
mod tests {
    use super::excess;

    #[test]
    fn only_numbers_that_are_too_large_are_bounded() {
        let found = ["1024", "1025", "99999999999", "99999999999999999999999", "", "many", "-1"]
            .map(|asked| excess(asked, 1024));
        assert_eq!(found, [false, true, true, true, false, false, false]);
    }
}
