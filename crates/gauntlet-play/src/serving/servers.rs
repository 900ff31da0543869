//! The servers of all protocols.

use super::gomocup::GomocupServer;
use super::gtp::GtpServer;
use super::json::JsonServer;
use super::uci::UciServer;
use super::{ServedPlayer, Server};
use crate::engines::ProtocolName;
use gauntlet_games::base::{Cores, Seed};
use gauntlet_games::games::GameSpec;

/// The server of a protocol, with this player. `game` is the only game for JSON, and the first one for other protocols;
/// they need one. JSON has its seeds from its messages, and decides batches on these cores.
///
/// # Errors
/// If the player or the protocol cannot play the game; the message is a sentence.
pub fn server(
    protocol: ProtocolName,
    served: ServedPlayer,
    game: Option<GameSpec>,
    seed: Seed,
    cores: Cores,
) -> Result<Box<dyn Server>, String> {
    let named = || game.as_ref().ok_or("no game is named");
    Ok(match protocol {
        ProtocolName::Gtp => Box::new(GtpServer::new(served, named()?, seed)?),
        ProtocolName::Uci => Box::new(UciServer::new(served, named()?, seed)?),
        ProtocolName::Gomocup => Box::new(GomocupServer::new(served, named()?, seed)?),
        ProtocolName::Json => Box::new(JsonServer::new(served, game, cores)),
    })
}
