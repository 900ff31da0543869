//! The commands of GTP: their names, and those of a game.

use gauntlet_games::games::GameSpec;

/// The purpose of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A move to be played.
    Move,
    /// A move that is not played.
    Advice,
    /// An analysis until the next line.
    Analysis,
}

/// Commands of every game.
const COMMON: [&str; 28] = [
    "boardsize",
    "clear_board",
    "genmove",
    "gg-undo",
    "gogui-analyze_commands",
    "kata-analyze",
    "kata-genmove_analyze",
    "kgs-time_settings",
    "known_command",
    "komi",
    "list_commands",
    "loadsgf",
    "lz-analyze",
    "lz-genmove_analyze",
    "name",
    "play",
    "protocol_version",
    "quit",
    "reg_genmove",
    "showboard",
    "time_left",
    "time_settings",
    "undo",
    "version",
    "final_score",
    "gauntlet-legal_moves",
    "gauntlet-position",
    "analyze",
];

/// Commands of Go.
const GO: [&str; 4] = ["final_status_list", "fixed_handicap", "place_free_handicap", "set_free_handicap"];

/// GoGui's commands for other games.
const OTHERS: [&str; 6] = [
    ROWS,
    "gogui-rules_board_size",
    "gogui-rules_final_result",
    "gogui-rules_game_id",
    "gogui-rules_legal_moves",
    "gogui-rules_side_to_move",
];

/// The command that shows the rows of a board.
pub(super) const ROWS: &str = "gogui-rules_board";

/// The commands of a game, sorted.
pub(super) fn names(spec: &GameSpec) -> Vec<&'static str> {
    let own: &[&str] = if matches!(spec, GameSpec::Go(_)) { &GO } else { &OTHERS };
    let mut names: Vec<&str> = COMMON.iter().chain(own).copied().collect();
    names.sort_unstable();
    names
}

/// Whether a game has a command.
pub(super) fn knows(name: &str, spec: &GameSpec) -> bool {
    names(spec).contains(&name)
}

/// The purpose of a command that searches, and for an analysis whether its numbers are KataGo's.
pub(super) fn search_of(name: &str) -> Option<(Purpose, Option<bool>)> {
    Some(match name {
        "genmove" => (Purpose::Move, None),
        "reg_genmove" => (Purpose::Advice, None),
        "lz-genmove_analyze" => (Purpose::Move, Some(false)),
        "kata-genmove_analyze" => (Purpose::Move, Some(true)),
        "lz-analyze" | "analyze" => (Purpose::Analysis, Some(false)),
        "kata-analyze" => (Purpose::Analysis, Some(true)),
        _ => return None,
    })
}
