//! The command `go`: its words, and the limits of the search.

use std::time::Duration;

use super::super::clock::{GameClock, within};
use super::super::thinker::Limits;
use super::options::Options;
use gauntlet_games::base::Side;

/// The words of a `go`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Go {
    nodes: Option<u64>,
    depth: Option<u32>,
    time: Option<Duration>,
    clock: Option<GameClock>,
    is_infinite: bool,
    /// Whether the search ponders: without limits until `ponderhit`.
    pub ponders: bool,
    /// Words that have no effect.
    pub ignored: Vec<&'static str>,
}

impl Go {
    /// Reads the words; `side` is to move. Numbers that are no numbers are skipped.
    pub fn read(words: &[&str], side: Side) -> Go {
        let (mut go, mut words) = (Go::default(), words.iter().peekable());
        let (mut left, mut increment, mut moves) = ([None; 2], [Duration::ZERO; 2], None);
        while let Some(&word) = words.next() {
            let mut number = || {
                let number = words.peek().and_then(|text| text.parse::<i64>().ok());
                if number.is_some() {
                    words.next();
                }
                number
            };
            // Clocks of some programs show negative times.
            let time = |number: Option<i64>| number.map(|ms| Duration::from_millis(ms.max(0).unsigned_abs()));
            let count = |number: Option<i64>| number.map(|count| u32::try_from(count.max(1)).unwrap_or(u32::MAX));
            match word {
                "nodes" => go.nodes = number().map(|nodes| nodes.max(1).unsigned_abs()),
                "depth" | "mate" => go.depth = count(number()),
                "movetime" => go.time = time(number()),
                "wtime" => left[0] = time(number()),
                "btime" => left[1] = time(number()),
                "winc" => increment[0] = time(number()).unwrap_or_default(),
                "binc" => increment[1] = time(number()).unwrap_or_default(),
                "movestogo" => moves = count(number()),
                "infinite" => go.is_infinite = true,
                "ponder" => go.ponders = true,
                "searchmoves" => go.ignored.push("searchmoves"),
                "perft" => go.ignored.push("perft"),
                _ => {}
            }
        }
        let at = side.index();
        go.clock = left[at].map(|left| GameClock { left, increment: increment[at], moves });
        go
    }

    /// The limits of the search.
    pub fn limits(&self, options: &Options) -> Limits {
        let nodes = self.nodes.map(|nodes| u32::try_from(nodes).unwrap_or(u32::MAX));
        let on_clock = self.clock.map(|clock| clock.allotted(options.overhead));
        let time = self.time.map(|time| within(time, options.overhead)).or(on_clock);
        let limits = Limits { simulations: nodes, time, depth: self.depth, is_endless: false };
        match options.simulations {
            _ if self.is_infinite => Limits { is_endless: true, ..Limits::default() },
            Some(most) => Limits { simulations: Some(nodes.map_or(most, |nodes| nodes.min(most))), ..limits },
            None => limits,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(text: &str) -> Limits {
        Go::read(&text.split(' ').collect::<Vec<_>>(), Side::Second).limits(&Options::default())
    }

    #[test]
    fn words_become_limits() {
        let none = Limits::default();
        let time = |ms| Limits { time: Some(Duration::from_millis(ms)), ..none };
        assert_eq!(limits(""), none);
        assert_eq!(limits("nodes 100"), Limits { simulations: Some(100), ..none });
        assert_eq!(limits("depth 7 nodes -4"), Limits { simulations: Some(1), depth: Some(7), ..none });
        assert_eq!(limits("movetime 1000"), time(970));
        assert_eq!(limits("wtime 1 btime 60000 winc 5 binc 100"), time(2100));
        assert_eq!(limits("wtime 1 btime 60000 movestogo 10"), time(6000));
        assert_eq!((limits("wtime 900"), limits("btime -20")), (none, time(1)));
        assert_eq!(limits("infinite nodes 4"), Limits { is_endless: true, ..none });
        assert_eq!(limits("nodes x movetime 40 garbage"), time(20));
    }

    #[test]
    fn an_option_caps_the_simulations() {
        let options = Options { simulations: Some(50), ..Options::default() };
        let simulations =
            |text: &str| Go::read(&text.split(' ').collect::<Vec<_>>(), Side::First).limits(&options).simulations;
        assert_eq!([simulations(""), simulations("nodes 9"), simulations("nodes 99")], [Some(50), Some(9), Some(50)]);
        let go = Go::read(&["searchmoves", "e2e4", "nodes", "5", "ponder"], Side::First);
        assert_eq!((go.ignored, go.ponders, go.nodes), (vec!["searchmoves"], true, Some(5)));
    }
}
