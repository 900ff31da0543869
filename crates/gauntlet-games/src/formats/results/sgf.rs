//! Results from collections of SGF: the names in `PB` and `PW`, and the result in `RE`. No move is played. Rounds that number
//! the games of a pair (`RO[12.1]`), as this program writes them, give pairs.

use std::io::Read;

use super::GameResults;
use super::pairing::{Pairing, PlayedGame};
use super::spelling::of_sgf;
use super::tally::{InputFault, Tally};
use crate::formats::pgn::PairTags;
use crate::formats::sgf::{Property, SgfNode, Trees, komi, numbered_name, stated_by};
use crate::formats::{LARGEST, StatedResult, decode};

pub(super) fn read(input: impl Read, results: &mut GameResults, tally: &mut Tally<'_>) -> Result<(), InputFault> {
    let mut bytes = Vec::new();
    input.take(LARGEST as u64 + 1).read_to_end(&mut bytes)?;
    let text = decode(&bytes)?;
    if tally.how.moves {
        results.distinct.get_or_insert_default();
    }
    let mut pairing = Pairing::default();
    for tree in Trees::new(&text) {
        let game = tree.map_err(InputFault::from).and_then(|nodes| Ok((names(&nodes)?, stated(&nodes)?, nodes)));
        match game {
            Ok((names, stated, nodes)) => take(&names, stated, &nodes, (results, &mut pairing), tally)?,
            Err(fault) => tally.fault(fault)?,
        }
    }
    pairing.end(results, tally);
    Ok(())
}

fn take(
    [black, white]: &[String; 2],
    stated: StatedResult,
    nodes: &[SgfNode],
    (results, pairing): (&mut GameResults, &mut Pairing),
    tally: &mut Tally<'_>,
) -> Result<(), InputFault> {
    let Some(outcome) = tally.rated(stated, nodes[0].line as u64) else { return Ok(()) };
    let (black, white) = (results.player(black), results.player(white));
    tally.room(results.players().len())?;
    tally.count(1);
    tally.kind(&kind(&nodes[0]));
    pairing.take(PlayedGame { players: [black, white], outcome, pair: pair(&nodes[0]) }, results);
    if tally.how.moves && nodes.iter().any(SgfNode::moves) {
        results.add_moves([black, white], of_sgf(nodes).as_bytes());
    }
    Ok(())
}

/// The data that the games of a pair share, if its round numbers them: the event, the board and the stones that are set up.
fn pair(root: &SgfNode) -> Option<PairTags> {
    let round = root.get("RO")?.simple_text();
    let texts = ["EV", "GM", "SZ", "KM", "HA", "AB", "AW"].map(|key| root.get(key).map(|own| own.values.join(" ")));
    PairTags::of_numbered(round.trim(), texts.iter().map(Option::as_deref))
}

/// The first node of the main line with this property: facts of a game may stand behind its root.
fn node_with<'a>(nodes: &'a [SgfNode], key: &str) -> &'a SgfNode {
    nodes.iter().find(|node| node.get(key).is_some()).unwrap_or(&nodes[0])
}

/// The names of Black and White.
fn names(nodes: &[SgfNode]) -> Result<[String; 2], InputFault> {
    let root = &nodes[0];
    let property = |key: &str| node_with(nodes, key).get(key);
    let twice =
        ["PB", "PW"].into_iter().filter_map(property).find(|own| own.values.iter().any(|name| *name != own.values[0]));
    if let Some(own) = twice {
        let what = format!("the game names two players as {}: {}", own.name, own.values.join(" and "));
        return Err(InputFault::at(own.line as u64, what));
    }
    let name = |key: &str| property(key).map_or(String::new(), Property::simple_text).trim().to_owned();
    let names = [name("PB"), name("PW")];
    let bad = |what: String| Err(InputFault::at(root.line as u64, what));
    match &names {
        [black, white] if black.is_empty() || white.is_empty() => {
            bad("the game that starts here names no player as PB or PW".to_owned())
        }
        [black, white] if black == white => bad(format!("{black:?} plays against itself in the game that starts here")),
        _ => Ok(names),
    }
}

/// The result; that of a game without moves is one without play.
fn stated(nodes: &[SgfNode]) -> Result<StatedResult, InputFault> {
    let root = node_with(nodes, "RE");
    let unknown = || {
        let result = root.get("RE").map_or(String::new(), Property::simple_text);
        let line = root.get("RE").map_or(root.line, |property| property.line);
        InputFault::at(
            line as u64,
            format!("the unknown result {result:?} (known: B+, W+, 0, Draw, Void, ? and forms of them)"),
        )
    };
    if let Some(property) =
        root.get("RE").filter(|property| property.values.iter().any(|own| own.get(..2) != property.values[0].get(..2)))
    {
        let what = format!("the game states two results: {}", property.values.join(" and "));
        return Err(InputFault::at(property.line as u64, what));
    }
    let stated = stated_by(root).ok_or_else(unknown)?;
    Ok(if nodes.iter().any(SgfNode::moves) { stated } else { stated.without_play() })
}

/// The game, its board, and the points and stones for the weaker side, as far as the root names them.
fn kind(root: &SgfNode) -> String {
    let text = |key: &str| root.get(key).map(Property::simple_text).map(|text| text.trim().to_owned());
    let named = text("GM").filter(|named| !named.is_empty()).unwrap_or_else(|| "1".to_owned());
    let number = named.parse().ok();
    // Go without a size has 19 rows.
    let size = text("SZ").filter(|size| !size.is_empty()).or_else(|| (number == Some(1)).then(|| "19".to_owned()));
    let size = size.map_or(String::new(), |size| format!(", board {size}"));
    let points = komi(root).map_or(String::new(), |points| format!(", komi {points}"));
    let stones = text("HA").filter(|stones| stones.parse::<u32>().is_ok_and(|stones| stones > 1));
    let stones = stones.map_or(String::new(), |stones| format!(", handicap {stones}"));
    format!("{}{size}{points}{stones}", number.map_or(named, numbered_name))
}
