//! Formats amounts for messages and tables: counts, times and sizes.

/// A number of things: `1 job`, `30 jobs`.
#[must_use]
pub fn count(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// A count with commas: `150,000`.
#[must_use]
pub fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|g| std::str::from_utf8(g).ok()).collect();
    groups.join(",")
}

/// Seconds in a year.
const YEAR: f64 = 365.25 * 86_400.0;

/// A number of seconds: `1 s`, `40 s`, `3 min`, `1.5 h`, `60 days`, `38 years`.
#[must_use]
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{:.0} s", s.max(1.0)),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s if s <= 3.6e6 => format!("{:.1} h", s / 3600.0),
        s if s < 2.0 * YEAR => format!("{:.0} days", s / 86_400.0),
        s => format!("{} years", thousands((s / YEAR).round() as u64)),
    }
}

/// A number of bytes: `999 B`, `20 kB`, `20 MB`.
#[must_use]
pub fn bytes(count: u64) -> String {
    match count as f64 {
        b if b < 1e4 => format!("{count} B"),
        b if b < 1e7 => format!("{:.0} kB", b / 1e3),
        b if b < 1e10 => format!("{:.0} MB", b / 1e6),
        b => format!("{:.0} GB", b / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_rounded_to_what_matters() {
        assert_eq!([0.0, 40.4, 100.0, 7200.0].map(duration), ["1 s", "40 s", "2 min", "2.0 h"]);
        assert_eq!([3.6e6, 5e6, 335_174.9 * 3600.0].map(duration), ["1000.0 h", "58 days", "38 years"]);
        assert_eq!([0, 1, 2].map(|number| count(number, "job")), ["0 jobs", "1 job", "2 jobs"]);
        assert_eq!([999, 20_000, 20_000_000].map(bytes), ["999 B", "20 kB", "20 MB"]);
        assert_eq!([0, 999, 150_000].map(thousands), ["0", "999", "150,000"]);
    }
}
