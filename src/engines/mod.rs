//! Engines: players that are programs of their own, with their processes and protocols.
//!
//! A protocol is a file with an [`Engine`]. [`messages`] are those of Gauntlet's own protocol, which both sides use: the
//! player that starts an engine, and the command that is one.

mod engine;
mod error;
mod files;
mod gomocup;
mod gtp;
mod guard;
mod images;
mod json;
mod lines;
pub mod messages;
mod process;
mod uci;

pub use engine::{Ask, Engine, Reply};
pub use error::{EngineError, EngineFacts, LastLines, shown};
pub use files::{MISSING, changed_file, named_files};
pub use gomocup::GomocupEngine;
pub use gtp::{GtpEngine, colour};
pub use json::JsonEngine;
pub use process::{Launch, Process};
pub use uci::{UciEngine, uci_name};
