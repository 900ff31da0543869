//! Ticks of an axis of dates: days since 1970-01-01.

use jiff::Span;
use jiff::civil::Date;

/// The day 0.
const EPOCH: Date = Date::constant(1970, 1, 1);

/// Distances of ticks in days, and in months.
const DAYS: [i64; 4] = [1, 2, 7, 14];
const MONTHS: [i64; 9] = [1, 2, 3, 6, 12, 24, 60, 120, 240];

/// Days of a month, on average.
const MONTH: f64 = 30.44;

/// About `count` ticks between two days, with their labels: days, or first days of months or years.
pub(super) fn ticks(low: f64, high: f64, count: usize) -> Vec<(f64, String)> {
    let room = (high - low) / count.max(1) as f64;
    let slack = 1e-9 * (high - low);
    let (first, last) = ((low - slack).ceil() as i64, (high + slack).floor() as i64);
    if let Some(step) = DAYS.into_iter().find(|&step| step as f64 >= room) {
        let places = (first..=last).filter(|day| day.rem_euclid(step) == 0);
        return places.filter_map(|day| Some((day as f64, date(day)?.to_string()))).collect();
    }
    let step = MONTHS.into_iter().find(|&step| step as f64 * MONTH >= room).unwrap_or(MONTHS[MONTHS.len() - 1]);
    let Some((first, last)) = date(first).zip(date(last)) else { return Vec::new() };
    let month = |date: Date| 12 * i64::from(date.year()) + i64::from(date.month()) - 1;
    let places = (month(first)..=month(last)).filter(|month| month.rem_euclid(step) == 0);
    let tick = |month: i64| {
        let begin = Date::new(i16::try_from(month.div_euclid(12)).ok()?, month.rem_euclid(12) as i8 + 1, 1).ok()?;
        let format = if step < 12 { "%Y-%m" } else { "%Y" };
        Some((days(begin), begin.strftime(format).to_string()))
    };
    places.filter_map(tick).filter(|(day, _)| *day >= low - slack).collect()
}

/// The name of a day.
pub(super) fn name(day: f64) -> String {
    date(day.floor() as i64).map(|date| date.to_string()).unwrap_or_default()
}

fn date(day: i64) -> Option<Date> {
    EPOCH.checked_add(Span::new().try_days(day).ok()?).ok()
}

fn days(date: Date) -> f64 {
    f64::from((date - EPOCH).get_days())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(from: Date, to: Date, count: usize) -> Vec<String> {
        ticks(days(from), days(to), count).into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_days_months_or_years() {
        let date = Date::constant;
        assert_eq!(
            labels(date(2026, 2, 27), date(2026, 3, 2), 5),
            ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"]
        );
        assert_eq!(labels(date(2025, 11, 20), date(2026, 3, 2), 4), ["2025-12", "2026-01", "2026-02", "2026-03"]);
        assert_eq!(labels(date(2019, 6, 1), date(2026, 3, 2), 4), ["2020", "2022", "2024", "2026"]);
        assert_eq!(labels(date(2026, 1, 1), date(2026, 1, 1), 4), ["2026-01-01"]);
    }

    #[test]
    fn no_axis_is_too_long() {
        assert!(ticks(-1e9, 1e9, 5).len() < 100 && ticks(0.0, 3e6, 5).len() < 50);
    }
}
