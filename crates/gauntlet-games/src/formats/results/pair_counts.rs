//! Counted pairs of games: two games of one opening with the colours swapped.
//!
//! Match runners count pairs by the results of the first of two players. The order of the two games is unknown.

use std::ops::AddAssign;

use crate::base::{Outcome, Side};

/// Counts of pairs by the results of one player; the two games of a pair have no order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PairCounts {
    /// Two wins.
    pub win_win: u64,
    /// A win and a draw.
    pub win_draw: u64,
    /// A win and a loss.
    pub win_loss: u64,
    /// Two draws.
    pub draw_draw: u64,
    /// A draw and a loss.
    pub draw_loss: u64,
    /// Two losses.
    pub loss_loss: u64,
}

impl PairCounts {
    /// Number of pairs.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.by_outcomes().iter().map(|(_, count)| count).sum()
    }

    /// Wins, draws and losses of the player in all games.
    #[must_use]
    pub fn games(&self) -> [u64; 3] {
        [
            2 * self.win_win + self.win_draw + self.win_loss,
            self.win_draw + 2 * self.draw_draw + self.draw_loss,
            self.win_loss + self.draw_loss + 2 * self.loss_loss,
        ]
    }

    /// The same pairs from the other player's point of view.
    #[must_use]
    pub fn reversed(&self) -> PairCounts {
        PairCounts {
            win_win: self.loss_loss,
            win_draw: self.draw_loss,
            draw_loss: self.win_draw,
            loss_loss: self.win_win,
            ..*self
        }
    }

    /// The counts by the outcomes of a pair's games. The player moves first in the first game and second in the
    /// second one.
    #[must_use]
    pub fn by_outcomes(&self) -> [([Outcome; 2], u64); 6] {
        let [first, second] = [Side::First, Side::Second].map(Outcome::Win);
        let draw = Outcome::Draw;
        [
            ([first, second], self.win_win),
            ([first, draw], self.win_draw),
            ([first, first], self.win_loss),
            ([draw, draw], self.draw_draw),
            ([second, draw], self.draw_loss),
            ([second, first], self.loss_loss),
        ]
    }
}

impl AddAssign for PairCounts {
    fn add_assign(&mut self, other: PairCounts) {
        self.win_win += other.win_win;
        self.win_draw += other.win_draw;
        self.win_loss += other.win_loss;
        self.draw_draw += other.draw_draw;
        self.draw_loss += other.draw_loss;
        self.loss_loss += other.loss_loss;
    }
}

/// The games of two players: pairs, and single games beside them (wins, draws, losses).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Score {
    pub(super) pairs: PairCounts,
    pub(super) single: [u64; 3],
}

impl Score {
    /// Number of games.
    pub(super) fn games(&self) -> u64 {
        2 * self.pairs.total() + self.single.iter().sum::<u64>()
    }

    /// Pairs with the wins, draws and losses of all games, if these are known.
    ///
    /// # Errors
    /// A sentence, if the pairs have more wins, draws or losses than all games.
    pub(super) fn of_pairs(pairs: PairCounts, games: Option<[u64; 3]>) -> Result<Score, String> {
        let Some(games) = games else { return Ok(Score { pairs, single: [0; 3] }) };
        let mut single = games;
        for (left, paired) in single.iter_mut().zip(pairs.games()) {
            *left = left.checked_sub(paired).ok_or_else(|| contradiction(pairs.total(), pairs.games(), games))?;
        }
        Ok(Score { pairs, single })
    }

    /// Pairs by their points (0, 1/2, 1, 3/2, 2) with the wins, draws and losses of all games, if these are known.
    /// They tell which pairs of one point are two draws; otherwise all such pairs count as two draws.
    ///
    /// # Errors
    /// A sentence, if the two contradict each other.
    pub(super) fn of_points(points: [u64; 5], games: Option<[u64; 3]>) -> Result<Score, String> {
        let [loss_loss, draw_loss, level, win_draw, win_win] = points;
        let pairs = |win_loss: u64| PairCounts {
            win_win,
            win_draw,
            win_loss,
            draw_draw: level - win_loss,
            draw_loss,
            loss_loss,
        };
        let Some([_, draws, _]) = games else { return Score::of_pairs(pairs(0), None) };
        // The fewest decisive ones that leave enough draws. Only with single games beside the pairs there is a choice.
        let spare = draws.saturating_sub(draw_loss + win_draw);
        let pairs = pairs(level.saturating_sub(spare / 2));
        Score::of_pairs(pairs, games)
    }
}

/// The message for pairs that do not fit the games.
fn contradiction(pairs: u64, [w, d, l]: [u64; 3], [wins, draws, losses]: [u64; 3]) -> String {
    format!(
        "the counts contradict each other: {pairs} pairs have {w} wins, {d} draws and {l} losses, all games {wins}, \
         {draws} and {losses}"
    )
}
