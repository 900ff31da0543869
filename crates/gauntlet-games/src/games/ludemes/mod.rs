//! Games that nobody programmed: described by ludemes, read, checked, compiled and played.
//!
//! The language is a subset of Ludii's game description language (Piette et al. 2020): what fifteen games of Soemers et
//! al. 2021 need, and what follows from it. Descriptions of those games, in words of our own, are in [`library`].
//!
//! ```text
//! text       files -> syntax: brackets, comments, macros with arguments, options
//! schema     syntax -> typed tree: a table with one row a ludeme; what is not in it is a mistake, never a guess
//! topology   boards: sites, directions, rays, regions, tracks
//! lowering   tree -> program: names become numbers, conditions on single sites become sets of sites
//! program    flat tables of instructions; no instruction owns another
//! machine    program and position -> moves, consequences, ends; sets of sites are words of bits, positions are copied
//! game       the `Game` of a program: names of actions and sites
//! ```
//!
//! Each step knows only those above it in this list. All mistakes of a description are found in one go, with file, line
//! and column. Between the steps there are no numbers to keep in agreement: the schema is the only place that knows how a
//! ludeme is written, the program the only one that says what there is to evaluate.

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
