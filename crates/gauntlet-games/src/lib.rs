//! Board games behind one trait: rules, games described by ludemes, and files of played games.
//!
//! Agents see a [`Position`](games::Position) and a [`Game`](games::Game), never the rules of one game. A
//! [`GameSpec`](games::GameSpec) names a game and its settings, in TOML or JSON, and builds it. All randomness is a
//! [`Seed`](base::Seed) that the caller gives, so that equal arguments play equal games.
//!
//! | module | holds |
//! |---|---|
//! | [`base`] | the words that all crates of Gauntlet share: sides, actions, outcomes, records, seeds, keys, what jobs tell, cores |
//! | [`games`] | rules, one file a game; [`games::ludemes`] reads games that a text describes |
//! | [`formats`] | games and results in and out: PGN, SGF, EPD, JSON lines, CSV |
//!
//! This crate chooses no moves and knows no networks. Example: `examples/random_games.rs`.

pub mod base;
pub mod formats;
pub mod games;
