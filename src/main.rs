//! The `gauntlet` program: parses the command line and hands over to [`gauntlet::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    gauntlet::cli::main()
}
