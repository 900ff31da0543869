//! The analysis of Leela Zero and KataGo, as Sabaki and Lizzie read it: lines of `info move ...`.

use std::time::Duration;

use super::super::thinker::{Findings, Variation};
use gauntlet_games::base::Side;
use gauntlet_games::games::Game;

/// Time between two lines, by default.
const INTERVAL: Duration = Duration::from_millis(500);

/// Most moves of a principal variation.
const LONGEST: usize = 30;

/// The arguments of an analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Analysis {
    /// The side to analyse for; `None` for the side to move.
    pub side: Option<Side>,
    /// Time between two lines.
    pub interval: Duration,
    /// Most moves in a line.
    pub most: usize,
    /// Whether numbers are written as KataGo does.
    pub is_kata: bool,
}

impl Analysis {
    /// Reads `[COLOUR] [INTERVAL] [KEY VALUE]...`; an interval is a number of hundredths of a second. Unknown keys are
    /// skipped.
    pub fn read(words: &[&str], is_kata: bool, side_of: impl Fn(&str) -> Option<Side>) -> Result<Analysis, String> {
        let mut analysis = Analysis { side: None, interval: INTERVAL, most: usize::MAX, is_kata };
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            if let Some(side) = side_of(word) {
                analysis.side = Some(side);
            } else if let Ok(hundredths) = word.parse() {
                analysis.interval = interval(hundredths);
            } else {
                let value = words.next().copied().unwrap_or_default();
                match word {
                    "interval" => analysis.interval = interval(value.parse().map_err(|_| WRONG.to_owned())?),
                    "maxmoves" => analysis.most = value.parse::<usize>().map_err(|_| WRONG.to_owned())?.max(1),
                    // A colour, moves and a number of plies.
                    "avoid" | "allow" => drop(words.nth(1)),
                    _ => {}
                }
            }
        }
        Ok(analysis)
    }

    /// The line about the findings; empty without any.
    pub fn info(&self, findings: &Findings, game: &dyn Game) -> String {
        let line_text = |(order, line): (usize, &Variation)| self.line_text(order, line, findings, game);
        findings.lines.iter().enumerate().map(line_text).collect::<Vec<_>>().join(" ")
    }

    fn line_text(&self, order: usize, line: &Variation, findings: &Findings, game: &dyn Game) -> String {
        let value = f64::from(line.value.or(findings.value).unwrap_or(0.0)).clamp(-1.0, 1.0);
        let (rate, visits) = ((value + 1.0) / 2.0, line.visits.max(1));
        // Two standard errors of a mean of wins and losses.
        let lower = (rate - 2.0 * (rate * (1.0 - rate) / f64::from(visits)).sqrt()).max(0.0);
        let number = |share: f64| match self.is_kata {
            true => format!("{share:.6}"),
            false => format!("{:.0}", 10_000.0 * share),
        };
        let name = |&action| game.action_name(action);
        let moves: Vec<String> = line.moves.iter().take(LONGEST).map(name).collect();
        let first = moves.first().map_or("pass", String::as_str);
        let utility = if self.is_kata { format!(" utility {value:.6}") } else { String::new() };
        let (rate, prior, lower) = (number(rate), number(f64::from(line.prior)), number(lower));
        let visits = line.visits;
        format!(
            "info move {first} visits {visits}{utility} winrate {rate} prior {prior} lcb {lower} order {order} pv {}",
            moves.join(" ")
        )
    }
}

const WRONG: &str = "syntax error: not an analysis";

fn interval(hundredths: u64) -> Duration {
    Duration::from_millis(hundredths.clamp(1, 100_000) * 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::Action;
    use gauntlet_games::games::GameSpec;

    fn read(text: &str) -> Result<Analysis, String> {
        let side = |word: &str| (word == "b").then_some(Side::First);
        Analysis::read(&text.split_whitespace().collect::<Vec<_>>(), true, side)
    }

    #[test]
    fn arguments_are_read_in_every_order() {
        let plain = Analysis { side: None, interval: INTERVAL, most: usize::MAX, is_kata: true };
        let first = Analysis { side: Some(Side::First), interval: Duration::from_secs(1), ..plain };
        assert_eq!((read(""), read("b 100"), read("b interval 100 ownership true")), (Ok(plain), Ok(first), Ok(first)));
        assert_eq!(read("maxmoves 3 avoid b D4,E5 10 b 0").unwrap().most, 3);
        assert_eq!(read("avoid b D4 9 b 100"), Ok(first));
        assert!(read("interval").is_err() && read("maxmoves many").is_err());
    }

    #[test]
    fn findings_are_told_as_both_programs_do() {
        let game = toml::from_str::<GameSpec>("go = { size = 9 }").unwrap().build();
        let line = Variation { moves: vec![Action(0), Action(80)], visits: 4, value: Some(0.5), prior: 0.25 };
        let findings = Findings { lines: vec![line], ..Findings::default() };
        let kata = read("").unwrap();
        assert_eq!(
            Analysis { is_kata: false, ..kata }.info(&findings, &*game),
            "info move A9 visits 4 winrate 7500 prior 2500 lcb 3170 order 0 pv A9 J1"
        );
        assert_eq!(
            kata.info(&findings, &*game),
            "info move A9 visits 4 utility 0.500000 winrate 0.750000 prior 0.250000 lcb 0.316987 order 0 pv A9 J1"
        );
    }
}
