//! Engines: players that are programs of their own. This room has the messages of Gauntlet's own protocol, which both
//! sides use: the player that starts an engine, and the command that is one.

pub mod messages;
