//! Settings of chess.

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// The size of the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct ChessSize(u8);

impl ChessSize {
    /// Rows; columns are equally many.
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

/// The double steps that distinguish positions for the repetition rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PassantKey {
    /// Those after which a capture en passant is legal: the rules of FIDE, 9.2.3.
    #[default]
    Legal,
    /// All of them, as in pgx. As there, the king of the side that is not to move may be in check in a position read.
    Always,
}

/// Settings of chess. The defaults are FIDE's rules with draws that need no claim, and pgx's cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ChessSpec {
    /// 8 for chess; 5 for Gardner's minichess, without double step and castling. Default: 8.
    #[serde(default)]
    pub size: ChessSize,
    /// Number of occurrences of a position that draws the game: default 3, 0 for no such rule.
    #[serde(default = "three", deserialize_with = "repetitions", skip_serializing_if = "is_three")]
    pub repetitions: u8,
    /// The double steps that distinguish positions for that rule.
    #[serde(default, skip_serializing_if = "is_default")]
    pub passant_key: PassantKey,
    /// Plies without a capture or a pawn move after which the game is drawn: default 100 ("fifty moves"), 0 for no
    /// such rule.
    #[serde(default = "hundred", skip_serializing_if = "is_hundred")]
    pub quiet_plies: u16,
    /// Whether the game is drawn when neither side can mate any more. Default: true.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub insufficient_material: bool,
    /// Plies after which the game is drawn: default 512 on 8x8 and 256 on 5x5, 0 for no such rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply_cap: Option<u16>,
}

fn three() -> u8 {
    3
}
fn repetitions<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    match u8::deserialize(deserializer)? {
        1 => Err(D::Error::custom(
            "`repetitions = 1` draws every game at its start: take 2 or more, or 0 for no such rule",
        )),
        count => Ok(count),
    }
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
    /// Plies after which the game is drawn.
    #[must_use]
    pub fn cap(&self) -> Option<u32> {
        let cap = self.ply_cap.unwrap_or(if self.size.get() == 8 { 512 } else { 256 });
        (cap > 0).then_some(u32::from(cap))
    }

    /// Display name of the rules and the board.
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
