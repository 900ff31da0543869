//! Plays the moves of a main line on the board.

use super::super::{Fault, FormatError, forced_pass, step};
use super::board::{MOST_WITH_TT, no_point, point};
use super::tree::SgfNode;
use crate::base::{Action, Side};
use crate::games::{Game, Offsite, Position};

/// The first moves of a game on the board.
pub(super) struct Played {
    pub(super) position: Box<dyn Position>,
    pub(super) actions: Vec<Action>,
    /// Whether no later node changes the board.
    pub(super) is_whole: bool,
}

/// Plays the moves of nodes, of which the first one has a move, up to `most` plies. Later moves are not checked. A
/// forced pass may be omitted, and passes after the end are skipped.
pub(super) fn play(
    game: &dyn Game,
    mut position: Box<dyn Position>,
    nodes: &[SgfNode],
    most: usize,
) -> Result<Played, FormatError> {
    let (mut actions, mut legal) = (Vec::new(), Vec::new());
    for (at, node) in nodes.iter().enumerate() {
        if actions.len() >= most {
            let is_whole = !nodes[at..].iter().any(|node| node.moves() || node.sets_stones().is_some());
            return Ok(Played { position, actions, is_whole });
        }
        check_stones(node, at)?;
        let Some((side, action, line)) = move_of(node, game).map_err(|error| at_move(actions.len() + 1, error))? else {
            continue;
        };
        // By some rules of Go, White passes last, so that two passes may have a third.
        if position.outcome().is_some() && game.offsite(action) == Some(Offsite::Pass) {
            continue;
        }
        if position.side() != side
            && let Some(pass) = forced_pass(game, &*position)
        {
            position.play(pass);
            actions.push(pass);
            if actions.len() >= most {
                return Ok(Played { position, actions, is_whole: false });
            }
        }
        if position.side() != side {
            let found = format!("one of {}", if side == Side::First { "black" } else { "white" });
            let error = Fault::Expected { wanted: "a move of the other side", found }.at(line);
            return Err(at_move(actions.len() + 1, error));
        }
        step(game, &mut *position, action, actions.len() + 1, &mut legal).map_err(|fault| fault.at(line))?;
        actions.push(action);
    }
    Ok(Played { position, actions, is_whole: true })
}

/// The fault of a move, with its number.
fn at_move(number: usize, FormatError { line, fault }: FormatError) -> FormatError {
    Fault::Form(format!("move {number}: {fault}")).at(line)
}

/// Rejects stones that are set up or removed after the first move.
fn check_stones(node: &SgfNode, at: usize) -> Result<(), FormatError> {
    match node.sets_stones().filter(|_| at > 0) {
        Some(line) => Err(Fault::Form("stones are set up or taken away in the midst of the game".into()).at(line)),
        None => Ok(()),
    }
}

/// The move of a node, if it has one, with its line.
pub(super) fn move_of(node: &SgfNode, game: &dyn Game) -> Result<Option<(Side, Action, usize)>, FormatError> {
    let sides = [(Side::First, "B"), (Side::Second, "W")];
    let mut moves = sides.into_iter().filter_map(|(side, key)| node.get(key).map(|property| (side, property)));
    let Some((side, property)) = moves.next() else { return Ok(None) };
    if moves.next().is_some() {
        return Err(Fault::Expected { wanted: "one move", found: "two in one node".to_owned() }.at(property.line));
    }
    let [value] = &property.values[..] else {
        let found = format!("{} values", property.values.len());
        return Err(Fault::Expected { wanted: "one point", found }.at(property.line));
    };
    let (board, value) = (game.topology(), value.trim());
    let is_pass = value.is_empty() || value == "tt" && board.columns() <= MOST_WITH_TT;
    let site = match is_pass && game.action_count() > board.sites() {
        true => Some(board.sites()),
        false => point(value, board.columns()),
    };
    let site = site.ok_or_else(|| no_point(value, property.line))?;
    Ok(Some((side, Action::from(site), property.line)))
}
