//! Engines: players that are programs of their own, with their processes and protocols.
//!
//! A protocol is a file with an [`Engine`], and a line of [`ProtocolName`]. [`messages`] are those of Gauntlet's own protocol, which both sides use: the
//! player that starts an engine, and the command that is one.

mod consent;
mod contents;
mod engine;
mod error;
mod family;
mod files;
mod gomocup;
mod gtp;
mod guard;
mod images;
mod json;
mod lines;
mod mentions;
pub mod messages;
mod names;
mod options;
mod pipes;
mod process;
mod protocols;
mod script;
mod sealed;
mod uci;
mod uci_option;
mod workplace;

pub use consent::{allow, allow_all, called, is_allowed, require_startable};
pub use contents::MISSING;
pub use engine::{Ask, Engine, EngineStart, Protocol, Reply};
pub use error::{EngineError, EngineFacts, LastLines, number_hint, shown};
pub use files::Naming;
pub use gomocup::{gomocup_action, gomocup_point};
pub use gtp::colour;
pub use guard::serve_if_guard;
pub use mentions::Mention;
pub use names::renamed;
pub use pipes::Following;
pub use process::{Launch, News, Process, Wait};
pub use protocols::ProtocolName;
pub use script::script;
pub use sealed::{Stage, broken_seal, hash_of_files, inventory_file, is_outside, is_sealed, kept_name};
pub use uci::uci_name;
pub use workplace::{ARTEFACTS, Workplace};
