//! Adjudication of games by scores on which both players agree.
//!
//! As in cutechess (its options `-draw` and `-resign ... twosided=true`): a game ends as a draw, or as a win, after both
//! players have expected that outcome in a number of own moves in a row. A move without an expected outcome ends the row.
//! Players without expected outcomes are never adjudicated.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use gauntlet_games::base::{FromOne, Outcome, Side, bounded};

/// The rules: `{ draw = { within = 0.02 }, win = { above = 0.95 } }`; at least one of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Adjudication {
    /// When a game is a draw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw: Option<AgreedDraw>,
    /// When a game is won.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub win: Option<AgreedWin>,
}

/// A draw by agreed scores.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AgreedDraw {
    /// Largest distance of the expected outcomes from 0, on the scale from -1 to 1; 0 to below 1.
    #[serde(with = "DrawWidth")]
    pub within: f64,
    /// Number of consecutive own moves of each player. Default: 8.
    #[serde(default = "draw_moves", with = "FromOne")]
    pub moves: u32,
    /// Plies, including an opening's, that a game has before the move at which it may be adjudicated a draw. Default: 80.
    #[serde(default = "draw_plies")]
    pub after_plies: u32,
}

/// A win by agreed scores.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AgreedWin {
    /// The winner expects at least this outcome, the loser at most its negative; above 0 to 1.
    #[serde(with = "WinLevel")]
    pub above: f64,
    /// Number of consecutive own moves of each player. Default: 4.
    #[serde(default = "win_moves", with = "FromOne")]
    pub moves: u32,
}

bounded! {
    /// The distance of a drawn expectation from 0.
    DrawWidth: f64 from 0 below 1, "draws within {value}: the scale of outcomes is -1 to 1"
}
bounded! {
    /// The expectation of a won game.
    WinLevel: f64 above 0 to 1, "wins above {value}: the scale of outcomes is -1 to 1"
}

fn draw_moves() -> u32 {
    8
}

fn draw_plies() -> u32 {
    80
}

fn win_moves() -> u32 {
    4
}

/// For each side, its consecutive own moves that expect a draw, a win of the first side, and one of the second.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Agreement([[u32; 3]; 2]);

impl Agreement {
    /// Counts the expectation of `side`, which has chosen the move after `plies` plies. Returns the outcome, if it is
    /// agreed now.
    pub fn outcome(&mut self, rule: &Adjudication, side: Side, expected: Option<f32>, plies: u32) -> Option<Outcome> {
        let value = expected.unwrap_or(f32::NAN);
        let for_first = if side == Side::First { value } else { -value };
        // Compared in the precision of the values: 0.9 is 0.9.
        let is_drawn = rule.draw.is_some_and(|draw| value.abs() <= draw.within as f32);
        let is_won = |sign: f32| rule.win.is_some_and(|win| sign * for_first >= win.above as f32);
        let rows = &mut self.0[side.index()];
        for (row, holds) in rows.iter_mut().zip([is_drawn, is_won(1.0), is_won(-1.0)]) {
            *row = if holds { *row + 1 } else { 0 };
        }
        let both = |kind: usize| self.0[0][kind].min(self.0[1][kind]);
        let is_draw = rule.draw.is_some_and(|draw| both(0) >= draw.moves && plies >= draw.after_plies);
        let is_win = |kind: usize| rule.win.is_some_and(|win| both(kind) >= win.moves);
        match (is_draw, is_win(1), is_win(2)) {
            (true, ..) => Some(Outcome::Draw),
            (_, true, _) => Some(Outcome::Win(Side::First)),
            (.., true) => Some(Outcome::Win(Side::Second)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(rule: &str, values: &[Option<f32>]) -> Option<(usize, Outcome)> {
        let rule: Adjudication = toml::from_str(rule).unwrap();
        let mut agreement = Agreement::default();
        values.iter().enumerate().find_map(|(ply, &value)| {
            let side = Side::BOTH[ply % 2];
            agreement.outcome(&rule, side, value, ply as u32).map(|outcome| (ply, outcome))
        })
    }

    #[test]
    fn both_players_have_to_agree_in_a_row() {
        let win = "win = { above = 0.9, moves = 2 }";
        let values = |values: &[f32]| values.iter().map(|&value| Some(value)).collect::<Vec<_>>();
        assert_eq!(play(win, &values(&[0.9, -0.95, 1.0, -0.9])), Some((3, Outcome::Win(Side::First))));
        assert_eq!(play(win, &values(&[-0.9, 0.95, -1.0, 0.9])), Some((3, Outcome::Win(Side::Second))));
        assert_eq!(play(win, &values(&[0.95, -0.5, 0.95, -0.5, 0.95, -0.5])), None, "one side alone");
        assert_eq!(play(win, &values(&[0.95, 0.95, 0.95, 0.95])), None, "both expect to win");
        let broken = [Some(0.95), Some(-0.95), None, Some(-0.95), Some(0.95), Some(-0.95), Some(0.95)];
        assert_eq!(play(win, &broken), Some((6, Outcome::Win(Side::First))), "a move without a value ends the row");
        assert_eq!(play(win, &[Some(f32::NAN); 8]), None);
    }

    #[test]
    fn draws_wait_for_the_plies() {
        let even = vec![Some(0.0_f32); 20];
        assert_eq!(play("draw = { within = 0.0, moves = 2, after-plies = 0 }", &even), Some((3, Outcome::Draw)));
        assert_eq!(play("draw = { within = 0.1, moves = 2, after-plies = 10 }", &even), Some((10, Outcome::Draw)));
        assert_eq!(play("draw = { within = 0.1 }", &even), None);
        assert_eq!(play("win = { above = 0.5 }", &even), None);
    }

    #[test]
    fn invalid_adjudication_reports_key_and_range() {
        for (text, message) in [
            ("draw = { within = 1.0 }", "draws within 1"),
            ("win = { above = 0.0 }", "wins above 0"),
            ("win = { above = 1.5 }", "wins above 1.5"),
            ("win = { above = 0.9, moves = 0 }", "0"),
            ("lose = {}", "unknown field"),
        ] {
            let error = toml::from_str::<Adjudication>(text).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
