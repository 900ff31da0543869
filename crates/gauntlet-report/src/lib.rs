//! Tables, figures and pages. This crate renders stored facts; it imports no game and no net, starts no jobs, and its
//! output can be deleted and rebuilt at any time.
//!
//! An exhibit turns facts into a [`Sheet`] (the kinds are in `gauntlet-exhibits`); every renderer (CSV, Markdown, LaTeX,
//! PNG, SVG, HTML) turns any sheet into its format.

pub mod compare;
pub mod csv;
mod engines;
mod error;
pub mod exhibits;
pub mod facts;
pub mod gallery;
mod gallery_markdown;
pub mod gallery_report;
pub mod grid;
pub mod index;
pub mod latex;
mod lines;
pub mod markdown;
pub mod page;
mod page_table;
pub mod plot;
pub mod profile;
pub mod published_facts;
pub mod published_runs;
pub mod recorded;
pub mod resignations;
pub mod runs;
pub mod same_jobs;
mod script;
mod sequential;
pub mod standings;
pub mod typeset;
pub mod write;

#[cfg(test)]
#[path = "../../gauntlet-exhibits/src/samples.rs"]
mod samples;

pub use error::ReportError;
pub use gauntlet_exhibits::{counted, number, played, sheet, uncertainty};
pub use sheet::{
    Agreement, Axis, AxisScale, Chart, ConfidenceInterval, Criterion, ErrorKind, Mark, Panel, Point, Published, Series,
    Sheet, Spread, Table, Vertex,
};
