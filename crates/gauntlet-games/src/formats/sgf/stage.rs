//! The position before the first move: stones that are set up, and the side to move.

use std::collections::BTreeSet;

use super::super::{Fault, FormatError};
use super::board::{GO, OTHELLO, no_point, points, stones};
use super::moves::move_of;
use super::tree::{Property, SgfNode};
use crate::base::{Action, Side};
use crate::games::{Game, Piece, Position, SetUpError};

/// The beginning of a game.
pub(super) struct Stage<'a> {
    /// The position that is set up, if it differs from the game's own start.
    pub(super) start: Option<Box<dyn Position>>,
    /// The nodes from the first move on.
    pub(super) moves: &'a [SgfNode],
}

impl<'a> Stage<'a> {
    /// The beginning, from the nodes up to the first move: stones are set up there with `AB` and `AW`, removed with
    /// `AE`, and `PL` is the side to move.
    ///
    /// # Errors
    /// For an invalid point, and for a position that the game cannot have.
    pub(super) fn read(nodes: &'a [SgfNode], game: &dyn Game, number: u8) -> Result<Stage<'a>, FormatError> {
        let first = nodes.iter().position(SgfNode::moves).unwrap_or(nodes.len());
        let mut set = SetUp::default();
        for node in &nodes[..nodes.len().min(first + 1)] {
            set.take(node, game)?;
        }
        let given = match number {
            GO if set.sites[0].is_empty() => handicap(nodes, first)?,
            _ if set.line.is_none() && begins_with_own_stone(nodes.get(first), game) => 1,
            _ => 0,
        };
        let mut at = first;
        for _ in 0..given {
            set.take_move(&nodes[at], game)?;
            let behind = &nodes[at + 1..];
            at += 1 + behind.iter().position(SgfNode::moves).unwrap_or(behind.len());
        }
        for node in nodes.iter().take(at + 1).skip(first + 1) {
            set.take(node, game)?;
        }
        let is_silent = number == OTHELLO && set.line.is_none();
        let start = if is_silent { None } else { set.position(game, nodes.get(at))? };
        Ok(Stage { start, moves: &nodes[at..] })
    }
}

/// Number of Black's moves that are handicap stones: the number in `HA`, if no stones are set up and Black makes as
/// many moves in a row.
fn handicap(nodes: &[SgfNode], first: usize) -> Result<usize, FormatError> {
    let stated = nodes[..nodes.len().min(first + 1)].iter().find_map(|node| node.get("HA"));
    let stones = stated.and_then(|property| property.simple_text().trim().parse().ok()).unwrap_or(0);
    let is_black = |node: &&SgfNode| node.get("B").is_some();
    let moves = || nodes[first..].iter().filter(|node| node.moves());
    let (black, all) = (moves().take_while(is_black).count(), moves().count());
    match stated {
        Some(property) if stones > 1 && black == 0 && all > 0 => {
            let what = format!("HA says that Black is given {stones} stones, and no AB says where they stand");
            Err(Fault::Form(what).at(property.line))
        }
        _ if stones > 1 && black == stones => Ok(stones),
        _ => Ok(0),
    }
}

/// Whether the first move puts the only stone of the game's own start. So do games of Pente, where White begins on the
/// centre.
fn begins_with_own_stone(first: Option<&SgfNode>, game: &dyn Game) -> bool {
    let played = first.and_then(|node| move_of(node, game).ok().flatten());
    let Some((side, Action(site), _)) = played else { return false };
    let start = game.start();
    let own = |of: Side| stones(&*start, of).into_iter().eq((of == side).then_some(site as usize));
    Side::BOTH.into_iter().all(own)
}

/// Stones that were set up so far.
#[derive(Default)]
struct SetUp {
    sites: [BTreeSet<usize>; 2],
    side: Option<Side>,
    /// The line of the first setup property.
    line: Option<usize>,
}

impl SetUp {
    /// Takes the setup of a node.
    fn take(&mut self, node: &SgfNode, game: &dyn Game) -> Result<(), FormatError> {
        for (key, owner) in [("AB", Some(Side::First)), ("AW", Some(Side::Second)), ("AE", None)] {
            let Some(property) = node.get(key) else { continue };
            self.line.get_or_insert(property.line);
            for value in &property.values {
                let found = points(value, game.topology().columns());
                found.ok_or_else(|| no_point(value, property.line))?.into_iter().for_each(|site| self.put(site, owner));
            }
        }
        if let Some(property) = node.get("PL").filter(|property| !property.simple_text().trim().is_empty()) {
            self.line.get_or_insert(property.line);
            self.side = Some(side(property)?);
        }
        Ok(())
    }

    /// Takes a move as a setup stone.
    fn take_move(&mut self, node: &SgfNode, game: &dyn Game) -> Result<(), FormatError> {
        if let Some((side, Action(site), line)) = move_of(node, game)? {
            self.line.get_or_insert(line);
            self.put(site as usize, Some(side));
        }
        Ok(())
    }

    /// Puts a stone on a site, or removes the one there.
    fn put(&mut self, site: usize, owner: Option<Side>) {
        for side in Side::BOTH {
            self.sites[side.index()].remove(&site);
        }
        if let Some(side) = owner {
            self.sites[side.index()].insert(site);
        }
    }

    /// The position, if it differs from the game's own start. If `PL` is missing, the side of the first move begins.
    fn position(&self, game: &dyn Game, first: Option<&SgfNode>) -> Result<Option<Box<dyn Position>>, FormatError> {
        let start = game.start();
        let moves = |node: &SgfNode| if node.get("B").is_some() { Side::First } else { Side::Second };
        let side = self.side.or(first.map(moves)).unwrap_or(start.side());
        if self.sites == Side::BOTH.map(|side| stones(&*start, side)) && side == start.side() {
            return Ok(None);
        }
        let mut pieces = vec![Piece::EMPTY; game.topology().sites()];
        for (side, sites) in Side::BOTH.into_iter().zip(&self.sites) {
            sites.iter().for_each(|&site| pieces[site] = Piece::stone(side));
        }
        game.set_up(&pieces, side).map(Some).map_err(|error| {
            let [black, white] = self.sites.each_ref().map(BTreeSet::len);
            let line = self.line.or(first.map(|node| node.line)).unwrap_or(1);
            let fault = match error {
                SetUpError::Unsupported => Fault::Form(format!(
                    "{} begins with other stones or the other side: this game begins with {black} stones of black and \
                     {white} of white, and {} moves first; {OF_PENTE}",
                    game.name(),
                    if side == Side::First { "black" } else { "white" },
                )),
                error => {
                    let found = format!("{black} stones of black and {white} of white ({})", game.reason(error));
                    Fault::OtherGame { wanted: game.name(), found }
                }
            };
            fault.at(line)
        })
    }
}

/// The starts of Pente, the only one of these games whose positions cannot be set up.
const OF_PENTE: &str = "Pente begins with white's stone on the centre (`rules = \"authors\"`) or with none \
                        (`rules = \"paper\"`), and black moves first";

/// The side given by `PL`.
fn side(property: &Property) -> Result<Side, FormatError> {
    match property.simple_text().trim().to_ascii_lowercase().as_str() {
        "b" | "black" | "1" => Ok(Side::First),
        "w" | "white" | "2" => Ok(Side::Second),
        _ => {
            let found = format!("{:?}", property.simple_text().trim());
            Err(Fault::Expected { wanted: "a side, B or W", found }.at(property.line))
        }
    }
}
