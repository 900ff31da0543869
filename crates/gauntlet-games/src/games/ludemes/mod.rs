//! Games described by ludemes instead of code: their descriptions are read, checked, compiled and played.
//!
//! The language is a subset of Ludii's game description language (Piette et al. 2020): the ludemes that fifteen games
//! of Soemers et al. 2021 need, and closely related ones. Our own descriptions of those games are in [`library`].
//!
//! ```text
//! text       files -> syntax: brackets, comments, macros with arguments, options
//! schema     syntax -> typed tree: a table with one row a ludeme; anything else is an error, never a guess
//! topology   boards: sites, directions, rays, regions, tracks
//! lowering   tree -> program: names become numbers, conditions on single sites become sets of sites
//! program    flat tables of instructions; no instruction owns another
//! machine    program and position -> moves, effects, ends; sets of sites are words of bits, positions are copied
//! game       the `Game` of a program: names of actions and sites
//! ```
//!
//! Each step depends only on the steps above it in this list. All mistakes in a description are reported together,
//! with file, line and column. The steps share no numbering: the schema alone defines how a ludeme is written, the
//! program alone defines the instructions.

pub mod compile;
mod figures;
#[cfg(test)]
mod forms;
#[cfg(test)]
mod fuzz;
pub mod game;
pub mod library;
pub mod lowering;
pub mod machine;
pub mod macros;
#[cfg(test)]
mod native;
#[cfg(test)]
mod oracle;
pub mod program;
pub mod schema;
pub mod spec;
pub mod text;
pub mod topology;
