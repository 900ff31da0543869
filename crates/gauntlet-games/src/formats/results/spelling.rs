//! One spelling for the moves of a game, so that equal games count once, however programs write them.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::json;

use crate::formats::pgn::PgnGame;
use crate::formats::sgf::{SgfNode, points};
use crate::games::{Game, GameSpec};

/// Columns and rows of a board without a size in SGF, and at most.
const USUAL: usize = 19;
const MOST: usize = 52;

/// The fields of a position in FEN that decide its moves: the last two count.
const FIELDS: usize = 4;

/// Spells the games of a PGN file.
pub(super) struct Spelling {
    chess: Arc<dyn Game>,
    start: String,
}

impl Default for Spelling {
    fn default() -> Spelling {
        // No draw ends a game before its last move.
        let rules = json!({ "repetitions": 0, "quiet-plies": 0, "insufficient-material": false, "ply-cap": 0 });
        let spec: GameSpec = serde_json::from_value(json!({ "chess": rules })).expect("these are settings of chess");
        let chess = spec.build();
        let start = chess.write_position(&*chess.start()).unwrap_or_default();
        Spelling { start: placement(&start).to_owned(), chess }
    }
}

impl Spelling {
    /// The rules, the start and the moves of a game, without what programs write in different ways: signs of check and mate,
    /// and of promotions; squares that a move leaves, where they are not needed.
    pub(super) fn of(&self, game: &PgnGame<'_>) -> String {
        let start = if placement(game.start) == self.start { "" } else { game.start };
        let replayed = (game.kind.is_empty() && game.moves.split(' ').any(names_origin)).then(|| self.replayed(game));
        let mut text = format!("{}\n{start}\n", game.kind);
        for word in replayed.flatten().as_deref().unwrap_or(game.moves).split(' ') {
            let word = word.trim_end_matches("/ep").trim_end_matches(['+', '#']).replace(['=', '(', ')'], "");
            let (square, piece) = word.split_at(word.len().saturating_sub(1));
            let promotes = square.ends_with(['1', '8']) && piece.bytes().all(|letter| letter.is_ascii_alphabetic());
            text += square;
            text += &if promotes { piece.to_uppercase() } else { piece.to_owned() };
            text.push(' ');
        }
        text
    }

    /// The moves in short algebraic notation, by the rules of chess; `None` if one is not legal.
    fn replayed(&self, game: &PgnGame<'_>) -> Option<String> {
        let mut position = self.chess.begin(Some(game.start).filter(|start| !start.is_empty())).ok()?;
        let mut moves = String::new();
        for word in game.moves.split(' ') {
            let action = self.chess.read_move(&*position, word)?;
            write!(moves, "{} ", self.chess.write_move(&*position, action)).ok()?;
            position.play(action);
        }
        Some(moves.trim_end().to_owned())
    }
}

/// The fields of a position that decide its moves.
fn placement(position: &str) -> &str {
    let end = position.match_indices(' ').nth(FIELDS - 1).map_or(position.len(), |(at, _)| at);
    &position[..end]
}

/// Whether a move of chess names more than a piece and the square that it reaches: it may be longer than needed.
fn names_origin(word: &str) -> bool {
    let word = word.trim_end_matches(['+', '#', '=', 'Q', 'R', 'B', 'N', 'q', 'r', 'b', 'n', '(', ')']);
    let bare = word.trim_start_matches(['P', 'N', 'B', 'R', 'Q', 'K']);
    let is_piece = bare.len() < word.len();
    let signs = bare.bytes().filter(|sign| sign.is_ascii_alphanumeric() && *sign != b'x').count();
    let captures_with_pawn = !is_piece && bare.as_bytes().get(1) == Some(&b'x');
    let is_castling = word.starts_with('O');
    !is_castling && (word.starts_with('P') || signs > if captures_with_pawn { 3 } else { 2 })
}

/// The board, the stones and the moves of the main line of an SGF.
pub(super) fn of_sgf(nodes: &[SgfNode]) -> String {
    let fact = |key: &str| nodes[0].get(key).map_or(String::new(), |found| found.simple_text().trim().to_owned());
    let size = fact("SZ");
    let (columns, rows) = size.split_once(':').unwrap_or((&size, &size));
    let number = |text: &str| text.trim().parse().ok().filter(|side| (1..=MOST).contains(side)).unwrap_or(USUAL);
    let (side, rows) = (number(columns), number(rows));
    let game = Some(fact("GM")).filter(|game| !game.is_empty()).unwrap_or_else(|| "1".to_owned());
    let mut text = format!("{game} {side}x{rows} ");
    for property in nodes.iter().flat_map(|node| ["AB", "AW", "B", "W"].iter().filter_map(|key| node.get(key))) {
        let is_move = ["B", "W"].contains(&&*property.name);
        // `tt` passes on boards of up to 19 rows, as nothing does.
        let is_pass = |value: &str| is_move && (value.trim().is_empty() || value.trim() == "tt" && side <= USUAL);
        let mut sites = Vec::new();
        let mut others = Vec::new();
        for value in &property.values {
            match points(value, side) {
                _ if is_pass(value) => others.push(""),
                Some(found) => sites.extend(found),
                None => others.push(value.as_str()),
            }
        }
        sites.sort_unstable();
        write!(text, "{}{sites:?}{others:?} ", property.name).expect("strings can be written");
    }
    text
}
