//! Tables and figures for a paper: LaTeX with chosen columns, in a width, with short captions, bare, or as a document.
//!
//! Without settings, a table is that of its report ([`super::latex`]).

mod blocks;
mod chosen;
mod document;
mod error;
mod float;
mod widths;

pub use document::document;
pub use error::TypesetError;
pub use float::{Piece, figure, table};
