//! The `info` lines of a search: depth, score, simulations, time and principal variation.

use std::time::{Duration, Instant};

use super::super::board::Board;
use super::super::thinker::{Findings, Thinker, Variation};
use crate::engines::uci_name;
use gauntlet_games::base::{Action, Outcome};

/// Least time between two groups of lines.
const EVERY: Duration = Duration::from_millis(500);

/// Most moves of a principal variation.
const LONGEST: usize = 40;

/// Decides when to inform.
pub(super) struct Informer {
    lines: usize,
    last: Instant,
    /// The best move that was shown last.
    best: Option<Action>,
}

impl Informer {
    /// An informer about this number of lines.
    pub fn new(lines: usize) -> Informer {
        Informer { lines, last: Instant::now(), best: None }
    }

    /// Appends the lines, if it is time, or a better move was found, or the search is at its end.
    pub fn tell(&mut self, thinker: &Thinker, board: &Board, is_end: bool, out: &mut String) {
        const SOON: Duration = Duration::from_millis(50);
        let since = self.last.elapsed();
        if !is_end && since < SOON {
            return;
        }
        let findings = thinker.findings(self.lines);
        let best = findings.lines.first().and_then(|line| line.moves.first().copied());
        if best.is_none() || !is_end && since < EVERY && best == self.best {
            return;
        }
        (self.last, self.best) = (Instant::now(), best);
        for (at, line) in findings.lines.iter().enumerate() {
            *out += &info(&findings, line, (self.lines > 1).then_some(at + 1), board);
        }
    }
}

/// The line about a principal variation, which is number `at` of several.
fn info(findings: &Findings, line: &Variation, at: Option<usize>, board: &Board) -> String {
    let Findings { simulations, deepest, elapsed, .. } = findings;
    let speed = f64::from(*simulations) / elapsed.as_secs_f64().max(0.001);
    let depth = line.moves.len();
    let mut text = format!("info depth {depth} seldepth {}", depth.max(*deepest));
    if let Some(at) = at {
        text += &format!(" multipv {at}");
    }
    // Several lines share a scale: the value of each first move. One alone has that of the search.
    let own = if at.is_none() { findings.value.or(line.value) } else { line.value };
    if let Some(value) = own {
        text += &format!(
            " score {}",
            mate(findings, line, at, board).unwrap_or_else(|| format!("cp {}", centipawns(value)))
        );
    }
    text += &format!(" nodes {simulations} nps {speed:.0} time {} pv", elapsed.as_millis());
    let mut position = board.position().fork();
    for &action in line.moves.iter().take(LONGEST) {
        text += &format!(" {}", uci_name(&**board.game(), &*position, action));
        position.play(action);
    }
    text + "\n"
}

/// The score of a mate in sight: after the first move, or at the end of the best line of a solved search.
fn mate(findings: &Findings, line: &Variation, at: Option<usize>, board: &Board) -> Option<String> {
    let mut position = board.position().fork();
    let own = position.side();
    line.moves.iter().for_each(|&action| position.play(action));
    let Some(Outcome::Win(winner)) = position.outcome() else { return None };
    let is_solved = findings.is_exact && at.is_none_or(|at| at == 1) && findings.value.is_none_or(|value| value != 0.0);
    let is_sure = is_solved || winner == own && line.moves.len() == 1;
    let moves = line.moves.len().div_ceil(2);
    is_sure.then(|| if winner == own { format!("mate {moves}") } else { format!("mate -{moves}") })
}

/// Centipawns of an expected outcome: the formula of Leela Chess Zero since its version 0.25.
fn centipawns(value: f32) -> i64 {
    (90.0 * (1.563_754_189_7 * f64::from(value).clamp(-1.0, 1.0)).tan()).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_centipawns() {
        assert_eq!([0.0, 0.5, -0.5, 1.0, -7.0].map(centipawns), [0, 89, -89, 12780, -12780]);
    }
}
