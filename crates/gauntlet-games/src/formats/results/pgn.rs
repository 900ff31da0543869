//! Results from PGN, with the pairs of games that `pairing` finds.

use std::io::Read;

use super::GameResults;
use super::pairing::{Pairing, PlayedGame};
use super::tally::{Fault, Tally};
use crate::formats::pgn::{PgnError, Reader};

pub(super) fn read(input: impl Read, results: &mut GameResults, tally: &mut Tally<'_>) -> Result<(), Fault> {
    let reader = Reader::new(input);
    let mut reader = if tally.how.moves { reader.with_moves() } else { reader };
    let mut pairing = Pairing::default();
    loop {
        match reader.next_game() {
            Ok(None) => break,
            Ok(Some(game)) => {
                let players = [results.player(game.first), results.player(game.second)];
                tally.room(results.players().len())?;
                if tally.how.moves {
                    results.add_moves(players, game.moves.as_bytes());
                }
                tally.count(1);
                pairing.take(PlayedGame { players, outcome: game.outcome, pair: game.pair }, results);
            }
            Err(PgnError::Bad { line, what }) => tally.fault(Fault::at(line, what))?,
            Err(PgnError::Io(error)) => return Err(error.into()),
        }
    }
    let ambiguous = pairing.finish(results);
    if ambiguous > 0 {
        let why = "could belong to more than one pair (same event, round, start and players)";
        tally.note(format!("{ambiguous} games {why}, and count as single games"));
    }
    Ok(())
}
