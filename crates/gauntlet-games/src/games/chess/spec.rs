//! Chess's settings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct ChessSize(u8);

impl ChessSize {
    /// Rows, and as many columns.
    #[must_use]
    pub fn get(self) -> usize {
        usize::from(self.0)
    }
}

impl Default for ChessSize {
    fn default() -> ChessSize {
        ChessSize(8)
    }
}

impl TryFrom<u32> for ChessSize {
    type Error = String;

    fn try_from(size: u32) -> Result<ChessSize, String> {
        match size {
            5 | 8 => Ok(ChessSize(size as u8)),
            _ => Err(format!("there is no chess on a board of size {size}: 8 is chess, 5 is Gardner's minichess")),
        }
    }
}

impl From<ChessSize> for u32 {
    fn from(size: ChessSize) -> u32 {
        u32::from(size.0)
    }
}

impl JsonSchema for ChessSize {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ChessSize".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "enum": [5, 8], "description": "8 for chess, 5 for Gardner's minichess." })
    }
}

/// Which double steps make a position another one for the rule of repetition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PassantKey {
    /// Those after which a capture in passing is legal: the rules of FIDE, 9.2.3.
    #[default]
    Legal,
    /// All of them, as in pgx.
    Always,
}

/// Chess's settings. The defaults are FIDE's rules with draws that need no claim, and pgx's cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ChessSpec {
    /// 8 for chess; 5 for Gardner's minichess, without double step and castling. 8 where not given.
    #[serde(default)]
    pub size: ChessSize,
    /// How often a position may come before the game is drawn: 3 where not given, 0 for any number of times.
    #[serde(default = "three", skip_serializing_if = "is_three")]
    pub repetitions: u8,
    /// Which double steps tell positions apart for that.
    #[serde(default, skip_serializing_if = "is_default")]
    pub passant_key: PassantKey,
    /// Moves of both sides together without a capture or a pawn's move after which the game is drawn: 100 where not
    /// given ("fifty moves"), 0 for any number.
    #[serde(default = "hundred", skip_serializing_if = "is_hundred")]
    pub quiet_plies: u16,
    /// Whether the game is drawn when neither side can mate any more: true where not given.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub insufficient_material: bool,
    /// Moves of both sides together after which the game is drawn: 512 on 8x8 and 256 on 5x5 where not given, 0 for any
    /// number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply_cap: Option<u16>,
}

fn three() -> u8 {
    3
}
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_three(count: &u8) -> bool {
    *count == 3
}
fn hundred() -> u16 {
    100
}
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_hundred(plies: &u16) -> bool {
    *plies == 100
}
fn yes() -> bool {
    true
}
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_yes(wanted: &bool) -> bool {
    *wanted
}
fn is_default(key: &PassantKey) -> bool {
    *key == PassantKey::default()
}

impl ChessSpec {
    /// Moves of both sides after which the game is drawn.
    #[must_use]
    pub fn cap(&self) -> Option<u32> {
        let cap = self.ply_cap.unwrap_or(if self.size.get() == 8 { 512 } else { 256 });
        (cap > 0).then_some(u32::from(cap))
    }

    /// The rules and the board, for people.
    #[must_use]
    pub fn name(&self) -> String {
        let size = self.size.get();
        let mut name = format!("chess {size}x{size}");
        if self.repetitions != three() {
            name += &format!(" repetitions {}", self.repetitions);
        }
        if self.passant_key != PassantKey::default() {
            name += " passant key always";
        }
        if self.quiet_plies != hundred() {
            name += &format!(" quiet plies {}", self.quiet_plies);
        }
        if !self.insufficient_material {
            name += " any material";
        }
        if let Some(cap) = self.ply_cap {
            name += &format!(" cap {cap}");
        }
        name
    }
}
