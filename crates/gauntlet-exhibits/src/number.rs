//! Number formatting for readers: numbers are rounded by their errors, with a true minus sign, and an en dash for
//! missing numbers.
//!
//! Texts are Unicode; `latex.rs` of `gauntlet-report` maps the few special characters of LaTeX. The CSV does not use this
//! module: it keeps all digits.

use super::error_bars::ErrorBars;
use super::sheet::{ConfidenceInterval, ErrorKind, Point, Published, Spread};
use super::uncertainty::{Uncertainty, is_over_games, is_over_positions};
pub use gauntlet_games::base::thousands;

/// The mark of published numbers that cannot be right as printed, and of errors that are smaller than their games
/// allow.
pub const DOUBTED: &str = "†";

/// The placeholder of a missing number.
pub const NOTHING: &str = "–";

/// A number with `decimals` digits after the point; negative `decimals` round to tens, hundreds, and so on.
pub fn fixed(value: f64, decimals: i32) -> String {
    if value.is_nan() {
        return NOTHING.into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞".into() } else { "−∞".into() };
    }
    let text = if decimals < 0 {
        let unit = 10f64.powi(-decimals);
        format!("{:.0}", (value / unit).round() * unit)
    } else {
        format!("{value:.*}", decimals as usize)
    };
    match text.strip_prefix('-') {
        // A value that rounds to zero has no sign.
        Some(digits) if digits.chars().all(|c| c == '0' || c == '.') => digits.into(),
        Some(digits) => format!("−{digits}"),
        None => text,
    }
}

/// Rounding noise of double precision in an error that is zero, relative to the value.
const ROUNDING: f64 = 1e-13;

/// `value ± error`, both rounded to the significant digits of the error, to at most `digits` decimals unless the error
/// would read as zero. An error is omitted if it is zero, not finite, or within rounding noise of the value. A large
/// whole number without an error needs no decimals.
pub fn with_error(value: f64, error: f64, digits: usize) -> String {
    if !(error.is_finite() && error > ROUNDING * value.abs() && value.is_finite()) {
        let is_count = value.abs() >= 100.0 && value.fract() == 0.0;
        return fixed(value, if is_count { 0 } else { digits as i32 });
    }
    let decimals = error_decimals(error, digits);
    format!("{} ± {}", fixed(value, decimals), fixed(error, decimals))
}

/// `value [low, high]`, with at most `digits` decimals unless half of the interval would read as zero.
pub fn with_interval(value: f64, ConfidenceInterval { low, high, .. }: ConfidenceInterval, digits: usize) -> String {
    let half = (high - low) / 2.0;
    let is_wide = half.is_finite() && half > ROUNDING * value.abs();
    let decimals = if is_wide { decimals_of(half, digits as i32) } else { digits as i32 };
    format!("{} [{}, {}]", fixed(value, decimals), fixed(low, decimals), fixed(high, decimals))
}

/// A number without an error: with `digits` decimals, or two significant digits if it would read as zero.
pub fn alone(value: f64, digits: usize) -> String {
    let least = value.abs();
    let is_lost = least > NOISE && least < 0.5 * 10f64.powi(-(digits as i32));
    fixed(value, if is_lost { 1 - least.log10().floor() as i32 } else { digits as i32 })
}

/// Values up to this size are rounding noise of a zero.
const NOISE: f64 = 1e-12;

/// The errors that are labelled, because a table has several kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marked {
    /// A standard deviation and a two-sigma band, beside standard errors.
    pub kinds: bool,
    /// A standard error over games, beside those over runs.
    pub games: bool,
}

/// A measured cell without its number of runs: the value with its uncertainty, or alone.
pub fn measured(point: &Point, digits: usize, errors: ErrorBars, marked: Marked) -> String {
    let Some(value) = point.value else { return NOTHING.into() };
    let doubted = if point.is_below_floor() { format!(" {DOUBTED}") } else { String::new() };
    match point.uncertainty(errors) {
        Some(Uncertainty::Error(error)) if error.kind == ErrorKind::TwoSigma => {
            two_sigma(value, error.size, digits as i32) + kind_mark(error, marked)
        }
        Some(Uncertainty::Error(error)) => with_error(value, error.size, digits) + kind_mark(error, marked) + &doubted,
        Some(Uncertainty::Interval(interval)) => {
            let over = match point {
                _ if !marked.games || !is_over_games(point) => "",
                _ if is_over_positions(point) => OVER_POSITIONS,
                _ => OVER_GAMES,
            };
            with_interval(value, interval, digits) + over + &doubted
        }
        None => alone(value, digits),
    }
}

/// A two-sigma band as papers print it: the stored standard error doubled.
fn two_sigma(value: f64, error: f64, decimals: i32) -> String {
    format!("{} ± {}", fixed(value, decimals), fixed(2.0 * error, decimals))
}

/// A published cell: never fewer digits than the paper printed, for any error; marked if it is doubted.
pub fn published(published: &Published, digits: usize, mixed: bool) -> String {
    let mark = if published.is_doubted { format!(" {DOUBTED}") } else { String::new() };
    as_printed(published, digits, mixed) + &mark
}

fn as_printed(published: &Published, digits: usize, mixed: bool) -> String {
    let marked = Marked { kinds: mixed, games: false };
    let decimals = printed_decimals(published.value).max(digits as i32);
    let value = fixed(published.value, decimals);
    match published.error {
        Some(error) if error.kind == ErrorKind::TwoSigma => {
            two_sigma(published.value, error.size, printed_decimals(published.value)) + kind_mark(error, marked)
        }
        Some(error) if error.size.is_finite() && error.size > 0.0 => {
            let size = fixed(error.size, decimals_of(error.size, decimals.max(own_decimals(error.size))));
            format!("{value} ± {size}{}", kind_mark(error, marked))
        }
        _ => value,
    }
}

fn kind_mark(error: Spread, marked: Marked) -> &'static str {
    match error.kind {
        ErrorKind::StandardDeviation if marked.kinds => " (s.d.)",
        ErrorKind::TwoSigma if marked.kinds => " (2σ)",
        ErrorKind::Games if marked.games => OVER_GAMES,
        ErrorKind::Positions if marked.games => OVER_POSITIONS,
        _ => "",
    }
}

/// The mark of errors over games.
const OVER_GAMES: &str = " (games)";

/// The mark of errors over positions.
const OVER_POSITIONS: &str = " (positions)";

/// `n = 5`, or `n = 4/5` when runs were lost.
pub fn runs(n_runs: u64, n_requested: u64) -> String {
    if n_runs < n_requested { format!("n = {n_runs}/{n_requested}") } else { format!("n = {n_runs}") }
}

/// More decimals than any useful error needs.
const SIGNIFICANT: usize = 9;

/// The decimals of the one or two significant digits of an error (two if they read 10 to 35), at most `digits` unless
/// the error would vanish.
fn error_decimals(error: f64, digits: usize) -> i32 {
    let magnitude = error.log10().floor() as i32;
    let leading = error / 10f64.powi(magnitude);
    let significant = if leading < 3.55 { 2 } else { 1 };
    decimals_of(error, (significant - 1 - magnitude).min(digits as i32))
}

/// Decimals of a published error by itself: the printed ones, or the significant digits of an implied error, so that a
/// reader reaches the same verdict.
fn own_decimals(error: f64) -> i32 {
    printed_decimals(error).min(error_decimals(error, SIGNIFICANT))
}

/// `decimals`, or the number that the first digit of the error needs, if that is larger.
pub fn decimals_of(error: f64, decimals: i32) -> i32 {
    let first = -(error.log10().floor() as i32);
    let is_lost = fixed(error, decimals).chars().all(|c| matches!(c, '0' | '.'));
    if is_lost || error < 0.5 * 10f64.powi(-decimals) { first } else { decimals }
}

/// Digits after the point of a published number, without its error.
pub fn decimals(published: Published) -> usize {
    printed_decimals(published.value) as usize
}

/// Digits after the point in the shortest text of a number.
fn printed_decimals(value: f64) -> i32 {
    format!("{value}").split_once('.').map_or(0, |(_, digits)| digits.len() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(value: f64, error: f64, n_runs: u64) -> Point {
        let error = Some(Spread { size: error, kind: ErrorKind::StandardError });
        Point { value: Some(value), error, n_runs, ..crate::samples::blank_point() }
    }

    #[test]
    fn the_error_decides_the_digits() {
        let cases = [
            (0.86, 0.026, 2, "0.86 ± 0.03"),
            (0.86, 0.026, 3, "0.860 ± 0.026"),
            (0.8612, 0.3, 3, "0.86 ± 0.30"),
            (0.8612, 0.42, 3, "0.9 ± 0.4"),
            (-0.0512, 0.1, 2, "−0.05 ± 0.10"),
            (0.86, 0.0001, 2, "0.8600 ± 0.0001"),
            (1523.4, 31.0, 0, "1523 ± 31"),
            (1523.4, 420.0, 0, "1500 ± 400"),
            (0.86, 0.0, 2, "0.86"),
            (0.86, f64::INFINITY, 2, "0.86"),
            (f64::NAN, 0.1, 2, "–"),
            (-0.001, 0.02, 2, "0.00 ± 0.02"),
            (0.5, 0.0096, 3, "0.500 ± 0.010"),
            (1.0, 9e-17, 2, "1.00"),
            (2100.0, 0.0, 2, "2100"),
            (2.5e-9, 1e-10, 2, "0.0000000025 ± 0.0000000001"),
            (0.5, 0.5, 0, "0.5 ± 0.5"),
            (0.25, 0.25, 0, "0.2 ± 0.2"),
        ];
        for (value, error, digits, expected) in cases {
            assert_eq!(with_error(value, error, digits), expected);
        }
    }

    #[test]
    fn small_numbers_do_not_read_as_zero() {
        for (value, digits, expected) in [
            (0.00065, 2, "0.00065"),
            (-0.0013, 2, "−0.0013"),
            (0.006, 2, "0.01"),
            (0.0, 2, "0.00"),
            (5e-17, 2, "0.00"),
            (f64::NAN, 2, "–"),
            (f64::INFINITY, 2, "∞"),
        ] {
            assert_eq!(alone(value, digits), expected);
        }
        let within =
            |value, low, high, digits| with_interval(value, ConfidenceInterval { low, high, level: 0.95 }, digits);
        assert_eq!(within(0.000_454, 0.000_418, 0.000_490, 3), "0.00045 [0.00042, 0.00049]");
        assert_eq!(within(0.012, -0.258, 0.283, 0), "0.0 [−0.3, 0.3]");
        assert_eq!(within(0.29, 0.215, 0.365, 3), "0.290 [0.215, 0.365]");
        assert_eq!(within(1.0, 1.0, 1.0, 3), "1.000 [1.000, 1.000]");
        assert_eq!(within(0.5, f64::NEG_INFINITY, f64::INFINITY, 1), "0.5 [−∞, ∞]");
    }

    #[test]
    fn one_run_has_no_error() {
        let measured = |point: &Point| measured(point, 2, ErrorBars::StandardError, Marked::default());
        assert_eq!(measured(&point(0.5, 0.1, 1)), "0.50");
        assert_eq!(measured(&point(0.5, 0.1, 2)), "0.50 ± 0.10");
        let absent = Point { value: None, ..point(0.0, 0.1, 3) };
        assert_eq!(measured(&absent), "–");
    }

    #[test]
    fn a_published_number_keeps_its_digits() {
        let with = |value, size| Published {
            value,
            error: Some(Spread { size, kind: ErrorKind::StandardError }),
            is_doubted: false,
        };
        assert_eq!(published(&with(0.2, 0.0964), 2, false), "0.20 ± 0.10");
        assert_eq!(published(&with(-0.05, 0.1), 2, false), "−0.05 ± 0.10");
        assert_eq!(published(&with(0.92, 0.0156), 2, false), "0.92 ± 0.016");
        assert_eq!(published(&with(0.92, 0.02), 2, false), "0.92 ± 0.02");
        let deviation = Some(Spread { size: 0.1, kind: ErrorKind::StandardDeviation });
        assert_eq!(
            published(&Published { value: 0.5, error: deviation, is_doubted: false }, 2, true),
            "0.50 ± 0.10 (s.d.)"
        );
        assert_eq!(published(&Published { value: 0.125, error: None, is_doubted: false }, 2, false), "0.125");
    }

    #[test]
    fn lost_runs_show() {
        assert_eq!(runs(4, 5), "n = 4/5");
        assert_eq!(runs(5, 5), "n = 5");
    }
}
