//! One axis of one panel: the position of a value between its ends, and the ticks.

use super::dates;
use crate::number;
use crate::sheet::{Axis, AxisScale, Mark, Panel};

/// An axis with its ends.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ruler {
    pub scale: AxisScale,
    pub low: f64,
    pub high: f64,
    /// The distinct values along a horizontal logarithmic axis, if they are few: the settings of a sweep.
    pub values: Vec<f64>,
}

/// A labelled value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub value: f64,
    pub label: String,
}

/// The direction of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Across,
    Up,
}

impl Ruler {
    /// Fits an axis to all data that some panels draw along it. Without data, no value has a position.
    pub fn fit<'a>(axis: &Axis, panels: impl Iterator<Item = &'a Panel>, direction: Direction) -> Self {
        if let AxisScale::Categories(names) = &axis.scale {
            let high = names.len().max(1) as f64 - 0.5;
            return Self { scale: axis.scale.clone(), low: -0.5, high, values: Vec::new() };
        }
        let logarithmic = axis.scale == AxisScale::Log;
        let mut data = Vec::new();
        panels.for_each(|panel| collect(panel, direction, &mut data));
        let usable = |v: &f64| v.is_finite() && (!logarithmic || *v > 0.0);
        data.retain(usable);
        let ends = || data.iter().copied().fold(None, extend);
        let (low, high) = axis.range.or_else(ends).unwrap_or((f64::NAN, f64::NAN));
        let (low, high) = (low.min(high), low.max(high));
        let (low, high) = match axis.scale {
            AxisScale::Log => apart_by_ratio(low, high),
            // A single day.
            AxisScale::Dates if low == high => (low - 1.0, high + 1.0),
            _ => apart(low, high),
        };
        let (low, high) = if logarithmic || axis.range.is_some() { (low, high) } else { to_near_ticks(low, high) };
        data.sort_by(f64::total_cmp);
        data.dedup();
        let are_settings = logarithmic && direction == Direction::Across && data.len() <= SETTINGS;
        Self { scale: axis.scale.clone(), low, high, values: if are_settings { data } else { Vec::new() } }
    }

    /// The position of a value: 0 at the low end, 1 at the high end, beyond them outside; none if it has no position.
    pub fn place(&self, value: f64) -> Option<f64> {
        let place = match self.scale {
            AxisScale::Log => (value.ln() - self.low.ln()) / (self.high.ln() - self.low.ln()),
            _ => (value - self.low) / (self.high - self.low),
        };
        place.is_finite().then_some(place)
    }

    /// About `count` ticks at round values within the ends; every category.
    pub fn ticks(&self, count: usize) -> Vec<Tick> {
        match &self.scale {
            AxisScale::Categories(names) => {
                names.iter().enumerate().map(|(i, name)| Tick { value: i as f64, label: name.clone() }).collect()
            }
            _ if self.low.is_nan() => vec![],
            AxisScale::Log if self.high / self.low > 4.0 => {
                let halves = self.halves();
                if halves.len() > count && self.high / self.low > 100.0 { self.decades(count) } else { halves }
            }
            AxisScale::Dates => {
                let ticks = dates::ticks(self.low, self.high, count).into_iter();
                ticks.map(|(value, label)| Tick { value, label }).collect()
            }
            _ => self.steps(count),
        }
    }

    /// Ticks of a logarithmic axis at its values themselves, if they are few.
    pub fn at_values(&self) -> Option<Vec<Tick>> {
        let is_inside = |value: &&f64| (self.low..=self.high).contains(*value);
        let ticks: Vec<Tick> = self.values.iter().filter(is_inside).map(|&value| self.tick(value)).collect();
        (ticks.len() > 1).then_some(ticks)
    }

    /// These ticks of a logarithmic axis, and one at its end.
    pub fn with_end(&self, ticks: &[Tick]) -> Option<Vec<Tick>> {
        let is_apart = |last: &Tick| self.high > last.value * 1.001;
        let has_end = self.scale == AxisScale::Log && ticks.last().is_some_and(is_apart);
        has_end.then(|| ticks.iter().cloned().chain([self.tick(self.high)]).collect())
    }

    /// A tick at any value, with three significant digits.
    fn tick(&self, value: f64) -> Tick {
        let digits = 2 - value.log10().floor() as i32;
        let decimals = (0..=digits.max(0)).find(|&decimals| is_printed(value, decimals)).unwrap_or(digits.max(0));
        Tick { value, label: tick_label(value, decimals, self.high) }
    }

    /// Multiples of 1, 2 or 5 times a power of ten.
    fn steps(&self, count: usize) -> Vec<Tick> {
        let step = round_step((self.high - self.low) / count.max(1) as f64);
        let slack = 1e-9 * (self.high - self.low);
        let (first, last) = (((self.low - slack) / step).ceil() as i64, ((self.high + slack) / step).floor() as i64);
        let decimals = (-(step * 1.000_001).log10().floor()).max(0.0) as i32;
        (first..=last)
            .map(|i| Tick {
                value: i as f64 * step,
                label: tick_label(i as f64 * step, decimals, self.high.abs().max(self.low.abs())),
            })
            .collect()
    }

    /// Powers of ten, their doubles and their halves.
    fn halves(&self) -> Vec<Tick> {
        let powers = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
        let all = powers.flat_map(|power| [1.0, 2.0, 5.0].map(|m| (m * 10f64.powi(power), power)));
        all.filter(|(value, _)| (self.low * 0.999..=self.high * 1.001).contains(value))
            .map(|(value, power)| Tick { value, label: tick_label(value, -power.min(0), self.high) })
            .collect()
    }

    /// Powers of ten, thinned to `count`.
    fn decades(&self, count: usize) -> Vec<Tick> {
        let (first, last) = ((self.low.log10() - 1e-9).ceil() as i32, (self.high.log10() + 1e-9).floor() as i32);
        let stride = ((last - first) as usize / count.max(1) + 1).max(1);
        (first..=last)
            .step_by(stride)
            .map(|power| Tick { value: 10f64.powi(power), label: power_label(power) })
            .collect()
    }
}

/// Collects the values of a panel along one axis. Rules do not extend the axis.
fn collect(panel: &Panel, direction: Direction, data: &mut Vec<f64>) {
    let sideways = matches!(panel.y.scale, AxisScale::Categories(_));
    let has_ends = (direction == Direction::Across) == sideways;
    for series in panel.series.iter().filter(|series| series.mark != Mark::Rule) {
        for vertex in &series.points {
            data.push(if direction == Direction::Across { vertex.x } else { vertex.y });
            if has_ends {
                data.extend(vertex.low.into_iter().chain(vertex.high));
            }
        }
        if series.mark == Mark::Bar && has_ends {
            data.push(0.0);
        }
    }
}

fn extend(ends: Option<(f64, f64)>, value: f64) -> Option<(f64, f64)> {
    Some(ends.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
}

/// Distinct ends, from zero if the data start near it.
fn apart(low: f64, high: f64) -> (f64, f64) {
    if high - low < 1e-12 * high.abs().max(1e-3) {
        let room = if high == 0.0 { 1.0 } else { 0.1 * high.abs() };
        return (low - room, high + room);
    }
    if low > 0.0 && low < 0.15 * high { (0.0, high) } else { (low, high) }
}

/// Ends moved outwards to a round value that they nearly reach, so that iterations up to 499 end at a tick.
fn to_near_ticks(low: f64, high: f64) -> (f64, f64) {
    let (step, near) = (round_step((high - low) / 5.0), NEAR * (high - low));
    let (below, above) = ((low / step).floor() * step, (high / step).ceil() * step);
    (if low - below <= near { below } else { low }, if above - high <= near { above } else { high })
}

/// Whether a number of decimals prints a value exactly.
fn is_printed(value: f64, decimals: i32) -> bool {
    let scaled = value * 10f64.powi(decimals);
    (scaled - scaled.round()).abs() < 1e-6 * scaled.abs()
}

/// The most values of an axis that all have a tick.
const SETTINGS: usize = 12;

/// The share of an axis that counts as no distance.
const NEAR: f64 = 0.02;

fn apart_by_ratio(low: f64, high: f64) -> (f64, f64) {
    if high / low < 1.01 { (low / 2.0, high * 2.0) } else { (low, high) }
}

/// The smallest of 1, 2, 5, 10, ... that is at least `step`.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|s| *s >= step * 0.999_999).unwrap_or(10.0 * power)
}

fn tick_label(value: f64, decimals: i32, largest: f64) -> String {
    if largest >= 1e6 {
        return format!("{}M", number::fixed(value / 1e6, if largest >= 1e7 { 0 } else { 1 }));
    }
    group_thousands(&number::fixed(value, decimals))
}

/// `12,000`: only numbers of five digits or more are grouped.
fn group_thousands(text: &str) -> String {
    let digits = text.trim_start_matches('−');
    match digits.parse() {
        Ok(count @ 10_000..) => text.replace(digits, &number::thousands(count)),
        _ => text.into(),
    }
}

/// A power of ten: plain from 0.01 to 1,000, with a raised exponent beyond.
fn power_label(power: i32) -> String {
    if (-2..=3).contains(&power) {
        return number::fixed(10f64.powi(power), -power.min(0));
    }
    let raised = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32('⁰' as u32 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit),
    };
    format!("10{}", power.to_string().chars().map(raised).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: AxisScale, low: f64, high: f64, count: usize) -> Vec<String> {
        Ruler { scale, low, high, values: Vec::new() }.ticks(count).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(labels(AxisScale::Linear, -1.0, 1.0, 5), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(labels(AxisScale::Linear, 0.0, 100.0, 6), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(labels(AxisScale::Linear, 0.0, 24_000.0, 3), ["0", "10,000", "20,000"]);
        assert_eq!(labels(AxisScale::Log, 2.0, 50_000.0, 9), ["10", "100", "1000", "10⁴"]);
        assert_eq!(labels(AxisScale::Log, 0.4, 30.0, 6), ["0.5", "1", "2", "5", "10", "20"]);
        assert_eq!(labels(AxisScale::Linear, 0.91, 0.93, 4), ["0.910", "0.915", "0.920", "0.925", "0.930"]);
    }

    #[test]
    fn a_logarithmic_axis_has_ticks_at_its_settings_or_at_its_end() {
        let reported = |ticks: Option<Vec<Tick>>| ticks.map(|ticks| ticks.into_iter().map(|tick| tick.label).collect());
        let ruler = Ruler { scale: AxisScale::Log, low: 25.0, high: 1600.0, values: vec![25.0, 200.0, 1600.0] };
        assert_eq!(reported(ruler.at_values()), Some(["25", "200", "1600"].map(String::from).to_vec()));
        let ruler = Ruler { values: Vec::new(), low: 0.025, ..ruler };
        assert_eq!(reported(ruler.at_values()), None);
        let ticks = reported(ruler.with_end(&ruler.ticks(4)));
        assert_eq!(ticks, Some(["0.1", "10", "1000", "1600"].map(String::from).to_vec()));
        assert_eq!([0.025, 2.242, 12_800.0].map(|value| ruler.tick(value).label), ["0.025", "2.24", "12,800"]);
        let linear = Ruler { scale: AxisScale::Linear, ..ruler };
        assert_eq!(linear.with_end(&linear.ticks(4)), None);
    }

    #[test]
    fn no_data_have_no_place() {
        let axis = Axis { label: String::new(), scale: AxisScale::Linear, range: None };
        let ruler = Ruler::fit(&axis, std::iter::empty(), Direction::Up);
        assert_eq!((ruler.place(1.0), ruler.ticks(5)), (None, vec![]));
    }

    #[test]
    fn a_single_value_gets_room() {
        assert_eq!(apart(0.5, 0.5), (0.45, 0.55));
        assert_eq!(apart(0.0, 0.0), (-1.0, 1.0));
        assert_eq!(apart(1.0, 100.0), (0.0, 100.0));
    }

    #[test]
    fn ends_that_nearly_reach_a_tick_do() {
        assert_eq!(to_near_ticks(1.0, 499.0), (0.0, 500.0));
        assert_eq!(to_near_ticks(0.0, 280.0), (0.0, 280.0));
        assert_eq!(to_near_ticks(-1.0, 0.97), (-1.0, 1.0));
    }
}
