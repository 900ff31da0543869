//! Positions with a limit of time or depth: one after another, by a search that can be stopped.

use std::time::Duration;

use super::super::clock::{GameClock, within};
use super::super::thinker::{Limits, Thinker};
use crate::engines::messages::{Budget, ClockTimes};
use gauntlet_games::base::{Action, Side};
use gauntlet_games::games::Position;

/// Time that answers take to arrive.
const OVERHEAD: Duration = Duration::from_millis(5);

/// The limits of a position; `None` if only a number of simulations limits it.
pub(super) fn limits(budget: Option<Budget>, clock: Option<ClockTimes>, side: Side) -> Option<Limits> {
    let none = Limits::default();
    let clock = clock.map(|clock| {
        let [left, increment] = [clock.left(side), clock.increment_ms].map(Duration::from_millis);
        GameClock { left, increment, moves: None }.allotted(OVERHEAD)
    });
    match (budget, clock) {
        (Some(Budget::TimeMs(ms)), time) => {
            let own = within(Duration::from_millis(ms), OVERHEAD);
            Some(Limits { time: Some(time.map_or(own, |time| time.min(own))), ..none })
        }
        (Some(Budget::Depth(depth)), time) => Some(Limits { depth: Some(depth.max(1)), time, ..none }),
        (Some(Budget::Simulations(number) | Budget::Nodes(number)), Some(time)) => {
            let simulations = Some(u32::try_from(number).unwrap_or(u32::MAX));
            Some(Limits { simulations, time: Some(time), ..none })
        }
        (None, Some(time)) => Some(Limits { time: Some(time), ..none }),
        (None | Some(Budget::Simulations(_) | Budget::Nodes(_)), None) => None,
    }
}

/// The move in a position within limits, and its value.
pub(super) fn decide(
    thinker: &mut Thinker,
    position: &dyn Position,
    ply: u32,
    limits: Limits,
) -> Result<(Option<Action>, Option<f32>), String> {
    thinker.forget();
    thinker.begin(position, ply, limits);
    while !thinker.think()? {}
    let value = thinker.findings(1).value;
    Ok((thinker.choose(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_and_clocks_become_limits() {
        let clock = ClockTimes { first_ms: 60_000, second_ms: 6_000, increment_ms: 100 };
        let time =
            |budget, clock, side| limits(budget, clock, side).and_then(|it| it.time).map(|time| time.as_millis());
        assert_eq!(time(Some(Budget::TimeMs(100)), None, Side::First), Some(95));
        assert_eq!(time(None, Some(clock), Side::First), Some(2100));
        assert_eq!(time(None, Some(clock), Side::Second), Some(300));
        assert_eq!(time(Some(Budget::TimeMs(100)), Some(clock), Side::Second), Some(95));
        assert_eq!(limits(Some(Budget::Depth(3)), None, Side::First).and_then(|it| it.depth), Some(3));
        assert_eq!(limits(Some(Budget::Nodes(3)), Some(clock), Side::First).and_then(|it| it.simulations), Some(3));
        assert!(
            limits(Some(Budget::Nodes(3)), None, Side::First).is_none() && limits(None, None, Side::First).is_none()
        );
    }
}
