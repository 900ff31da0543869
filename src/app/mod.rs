//! The operations of commands: manifests to plans, plans to runs, results to reports. The command line parses options
//! and prints; this room does the rest. Nothing here prints: messages and progress go to a
//! [`Listener`](gauntlet_run::scheduler::Listener).

mod checkout;
mod errors;
mod export;
mod gallery;
mod gate;
mod kept_engines;
mod library;
mod lines;
pub mod live;
mod memory;
mod new_version;
mod opened;
mod opponent;
mod options;
mod paper_scale;
mod plans;
mod played;
mod player_names;
mod programs;
mod publish;
mod published_results;
mod requested;
mod requests;
mod retention;
mod run;
mod tuned;
mod versions;

pub use errors::{BadManifest, FILE, Misuse, REPORT, Unmeasured, Unwritten, require_writable, write, write_named};
pub use export::{PaperRequest, is_for_paper, write_games, write_metrics, write_paper};
pub use gallery::{CheckedRun, GalleryRequest, check_gallery, redraw};
pub use gate::{Gate, Identity, Replaced, Updated, now, update_baseline};
pub use gauntlet_store::processor;
pub use library::{Disk, ManifestLibrary, files_below, natural};
pub use lines::lines;
pub use memory::{machine_memory, require_memory};
pub use new_version::VersionRequest;
pub use opened::OpenedFiles;
pub use opponent::{Found, Opponent, PlayerRequest};
pub use options::{ExecutorKind, Options};
pub use plans::{Planned, no_manifest};
pub use player_names::PlayerNames;
pub use programs::{NamedEngine, cautions, refuse_engine, require_consent};
pub use publish::{FinishedArtefact, WrittenArtefact, directory, finished, publish, require_own, rows, shared_runs};
pub use published_results::PublishedResults;
pub use requested::RequestedManifest;
pub use retention::{Origin, Wanted};
pub use run::{RunRequest, require_jobs, run, unmet_criteria};
pub use tuned::{FoundNumbers, found_numbers};
pub use versions::{version_tree, versions};
