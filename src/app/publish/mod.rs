//! Reports: every exhibit in all formats, the table of runs, the page of each family, and the index.

mod environment;
mod exhibits;
mod finished;
mod index;
mod kept;
mod older_code;
mod origin;
mod owner;
mod pages;
mod provenance;
mod render;
mod runs;
mod sealed;
mod sheets;
mod training_times;

pub use exhibits::WrittenArtefact;
pub use finished::{FinishedArtefact, finished};
pub use kept::directory;
pub use owner::{has_report, require_own};
pub use pages::pages;
pub use render::{publish, render};
pub use runs::{rows, shared_runs};
pub use sheets::sheets;
