//! Limits on numbers: of the command line, and of the environment's settings of the process. Thousands of threads, or
//! stacks that the system refuses, would end it without a message.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use super::output::tell;

/// A parser of whole numbers within a range, which its messages name.
pub fn whole<T>(range: RangeInclusive<T>) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text| match text.parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => Err(format!("write a whole number from {} to {}", range.start(), range.end())),
    }
}

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
    use super::{excess, whole};

    #[test]
    fn a_number_outside_its_range_is_told_the_range() {
        let parse = whole(1..=1024_u16);
        assert_eq!((parse("1"), parse("1024")), (Ok(1), Ok(1024)));
        for text in ["0", "1025", "99999999999999999999999", "-1", "many", ""] {
            assert_eq!(parse(text), Err("write a whole number from 1 to 1024".to_owned()), "{text}");
        }
    }

    #[test]
    fn only_numbers_that_are_too_large_are_bounded() {
        let found = ["1024", "1025", "99999999999", "99999999999999999999999", "", "many", "-1"]
            .map(|asked| excess(asked, 1024));
        assert_eq!(found, [false, true, true, true, false, false, false]);
    }
}
