//! Board games behind one trait: rules, games described by ludemes, and files of played games.
//!
//! Agents see a [`Position`](games::Position) and a [`Game`](games::Game), never the rules of one game. A
//! [`GameSpec`](games::GameSpec) names a game and its settings, in TOML or JSON, and builds it. All randomness is a
//! [`Seed`](base::Seed) that the caller gives, so that equal arguments play equal games.
//!
//! | module | contents |
//! |---|---|
//! | [`base`] | types shared by all crates: sides, actions, outcomes, records, seeds, keys, job events, cores |
//! | [`games`] | rules, one file a game; [`games::ludemes`] reads game descriptions in ludemes |
//! | [`formats`] | games and results in and out: PGN, SGF, EPD, JSON lines, CSV |
//!
//! This crate does not choose moves and does not depend on networks. Example: `examples/random_games.rs`.

pub mod base;
pub mod formats;
pub mod games;
