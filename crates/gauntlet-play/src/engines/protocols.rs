//! The list of protocols, for both sides: the player that starts an engine, and our players as engines of other programs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::engine::Protocol;
use super::gomocup::GOMOCUP;
use super::gtp::GTP;
use super::json::JSON;
use super::uci::UCI;

/// The protocols of engines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProtocolName {
    /// Gauntlet's own: JSON lines, for every game.
    #[default]
    Json,
    /// The Go Text Protocol, for Go and other games with moves on points.
    Gtp,
    /// The Universal Chess Interface, for chess.
    Uci,
    /// Gomocup's protocol, for Gomoku.
    Gomocup,
}

impl ProtocolName {
    /// All protocols, in the order of the command line.
    pub const ALL: [ProtocolName; 4] =
        [ProtocolName::Gtp, ProtocolName::Uci, ProtocolName::Gomocup, ProtocolName::Json];

    /// The protocol of this name.
    #[must_use]
    pub fn protocol(self) -> &'static Protocol {
        match self {
            ProtocolName::Json => &JSON,
            ProtocolName::Gtp => &GTP,
            ProtocolName::Uci => &UCI,
            ProtocolName::Gomocup => &GOMOCUP,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_protocol_is_listed_by_its_name_in_manifests() {
        let schema = schemars::schema_for!(ProtocolName).to_value();
        assert_eq!(schema["oneOf"].as_array().map(Vec::len), Some(ProtocolName::ALL.len()));
        for name in ProtocolName::ALL {
            assert_eq!(serde_json::to_value(name).unwrap(), name.protocol().name);
        }
    }
}
