//! Results from PGN, with the pairs of games that `pairing` finds.

use std::io::Read;

use super::GameResults;
use super::pairing::{Pairing, PlayedGame};
use super::spelling::Spelling;
use super::tally::{Counted, InputFault, Tally};
use crate::formats::StatedResult;
use crate::formats::pgn::{PgnError, PgnReader};

pub(super) fn read(input: impl Read, results: &mut GameResults, tally: &mut Tally<'_>) -> Result<(), InputFault> {
    let reader = PgnReader::new(input);
    let mut reader = if tally.how.moves { reader.with_moves() } else { reader };
    if tally.how.moves {
        results.distinct.get_or_insert_default();
    }
    let spelling = tally.how.moves.then(Spelling::default);
    let mut pairing = Pairing::default();
    let mut open = Counted::default();
    loop {
        match reader.next_game() {
            Ok(None) => break,
            Ok(Some(game)) => {
                let stated = StatedResult::Played(game.outcome);
                let stated = if game.is_unplayed { stated.without_play() } else { stated };
                let Some(outcome) = tally.rated(stated, game.line) else { continue };
                tally.kind(&game.kind);
                let players = [results.player(game.first), results.player(game.second)];
                tally.room(results.players().len())?;
                if let Some(spelling) = spelling.as_ref().filter(|_| !game.moves.is_empty()) {
                    results.add_moves(players, spelling.of(&game).as_bytes());
                }
                tally.count(1);
                let line = game.line;
                pairing.take(PlayedGame { players, outcome, pair: game.pair }, results);
                if reader.breaks_off() {
                    open = Counted { games: open.games + 1, line: if open.games == 0 { line } else { open.line } };
                }
            }
            Err(PgnError::Bad { line, what }) => tally.fault(InputFault::at(line, what))?,
            Err(PgnError::LeftOut { line, reason }) => {
                tally.rated(StatedResult::LeftOut(reason), line);
            }
            Err(PgnError::Io(error)) => return Err(error.into()),
        }
    }
    pairing.end(results, tally);
    if open.games > 0 {
        let Counted { games, line } = open;
        tally.note(format!(
            "{games} games have no result behind their moves, as in a torn file, and count by the tag Result; the first \
             begins in line {line}"
        ));
    }
    Ok(())
}
