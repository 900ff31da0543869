//! The verdict on a claim in words.

use super::equivalent::{EquivalenceVerdict, POWER};
use super::number::{DOUBTED, fixed, runs, thousands, with_interval};
use super::sheet::{Criterion, Point, WrittenAfter};
use super::uncertainty::{is_over_games, is_over_positions};
use gauntlet_ratings::equivalence::EquivalenceDecision;
use gauntlet_ratings::intervals::percent;

impl Criterion {
    /// The verdict in one word.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self.gain.value {
            None => "not measured",
            Some(_) if self.met => "met",
            Some(_) if self.is_undecided() => "undecided",
            Some(_) => "not met",
        }
    }

    /// Whether the interval of a claim of equivalence holds an end of the margin, or there is no interval, as of a single
    /// training.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        match self.equivalence {
            Some(found) => found.decision == EquivalenceDecision::Undecided,
            None => !self.met && self.gain.interval.is_none(),
        }
    }

    /// The verdict as a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let place = if self.gain.column.is_empty() { String::new() } else { format!(" ({})", self.gain.column) };
        let reported =
            [self.word(), ". ", &self.numbers(), &self.precedence().map_or(String::new(), |text| format!(" {text}"))];
        format!("{}{place}: {}", self.claim, reported.concat())
    }

    /// Whether the claim precedes its results, as a sentence; `None` if that is not recorded.
    #[must_use]
    pub fn precedence(&self) -> Option<String> {
        let WrittenAfter { seen, unknown, of } = self.written.filter(|written| written.of > 0)?;
        Some(match (seen, unknown) {
            (0, 0) => "Fixed before its runs.".to_owned(),
            (0, _) => "Whether it was fixed before its runs is not known.".to_owned(),
            _ => format!("Written after {seen} of its {of} results."),
        })
    }

    /// The mark of a verdict by the error over games or positions, if that over runs is smaller.
    fn decided_by(&self) -> Option<String> {
        let (smaller, error) = (self.smaller?, self.gain.error?);
        let digits = if self.equivalence.is_some() { 1 } else { 3 };
        // As many digits as tell them apart.
        let at = |digits: i32| [error.size, smaller.error].map(|size| fixed(size, digits));
        let [within, runs] =
            (digits..=digits + 6).map(at).find(|[within, runs]| within != runs).unwrap_or_else(|| at(digits));
        let what = if is_over_positions(&self.gain) { "positions" } else { "games" };
        let change = if smaller.changes_verdict { " The runs alone would give another verdict." } else { "" };
        Some(format!("{DOUBTED} The error over {what}, {within}, decides: that over runs, {runs}, is smaller.{change}"))
    }

    /// The gain with its interval and number of runs, the comparison, and the error that decides.
    #[must_use]
    pub fn numbers(&self) -> String {
        let comparison = self.comparison.filter(|_| self.gain.interval.is_some());
        let reported = [Some(self.measured()), comparison.map(|found| found.sentence().to_owned()), self.decided_by()];
        reported.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    fn measured(&self) -> String {
        let runs = runs(self.gain.n_runs, self.gain.n_requested);
        if let (Some(found), Some(value)) = (&self.equivalence, self.gain.value) {
            return equivalence_numbers(found, value, &self.gain, &runs);
        }
        match (self.gain.value, self.gain.interval) {
            (Some(value), Some(interval)) => {
                let gain = with_interval(value, interval, 3);
                format!("Gain {gain}, {}, {runs}.", meaning(&percent(interval.level), &self.gain))
            }
            (Some(value), None) => format!("Gain {}, without an interval, {runs}.", fixed(value, 3)),
            (None, _) => format!("Nothing was measured, {runs}."),
        }
    }
}

/// `the 95 % interval over runs`.
fn meaning(percent: &str, point: &Point) -> String {
    let over = match point.floor {
        Some(_) => "runs, which ended alike: Student's t with the error of their games",
        None if is_over_positions(point) => "positions",
        None if is_over_games(point) => "games",
        None => "runs",
    };
    format!("the {percent} % interval over {over}")
}

/// The difference in Elo with its interval, the margin, and the numbers of games and runs.
fn equivalence_numbers(found: &EquivalenceVerdict, elo: f64, point: &Point, runs: &str) -> String {
    let margin = format!("within {} {}", found.claim.margin, found.claim.elo());
    let verdict = match found.decision {
        EquivalenceDecision::Equivalent => format!("Equivalent {margin}"),
        EquivalenceDecision::Different => format!("Not equivalent {margin}"),
        EquivalenceDecision::Undecided => format!("Equivalence {margin} is undecided"),
    };
    let difference = match point.interval {
        Some(interval) => {
            // The coverage of the smallest level is 99.8 %.
            let percent = (1e3 * interval.level).round() / 10.0;
            format!("{}, {}", with_interval(elo, interval, 1), meaning(&percent.to_string(), point))
        }
        None => format!("{}, without an interval", fixed(elo, 1)),
    };
    let units = |count: u64| format!("{} {}", thousands(count), if found.are_pairs { "pairs" } else { "games" });
    let needed = found.needed.map_or(String::new(), |needed| {
        format!(" Equal players need {} for a power of {:.0} %.", units(needed), 100.0 * POWER)
    });
    format!("{verdict}: difference {difference}, {}, {runs}.{needed}", units(found.units))
}
