//! The command line: one file per subcommand. Results go to stdout, progress and logs to standard error; no other code
//! prints.

mod announce;
mod bars;
mod bench;
mod cancel;
mod check;
mod checkout;
mod checkpoints;
mod cluster;
mod compare;
mod completions;
mod engine;
mod exit;
mod explain;
mod export;
mod flags;
mod gallery;
mod games;
mod gc;
mod help;
mod ladder;
mod limits;
mod live;
mod output;
mod plan;
mod play;
mod program;
mod rate;
mod regress;
mod report;
mod reproduce;
mod run;
mod schema;
mod serve;
mod sheet_text;
mod status;
mod terminal;
mod verify;
mod watch;
mod worker;

use crate::app::ExecutorKind;
pub use exit::Exit;
pub use flags::Flags;
pub use limits::bounded;
pub use program::main;
pub use terminal::Terminal;
